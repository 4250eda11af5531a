//! Texts in other encodings than UTF-8: those that git is told of, and those that say so themselves.

/// The content in UTF-8, of an encoding by its name in `working-tree-encoding`.
///
/// # Errors
/// The encoding is not known, or the content is none of it; the reason.
pub(super) fn to_utf8(content: Vec<u8>, name: &str) -> Result<Vec<u8>, String> {
    let known = name.to_ascii_uppercase().replace('_', "-");
    let wrong = || format!("it is no {name}, which its attribute `working-tree-encoding` says it is");
    let text = match known.as_str() {
        "UTF-8" | "UTF8" => return Ok(content),
        "UTF-16" | "UTF-16LE-BOM" | "UTF-16BE-BOM" => utf16(&content).ok_or_else(wrong)?,
        "UTF-16LE" => units(&content, u16::from_le_bytes).ok_or_else(wrong)?,
        "UTF-16BE" => units(&content, u16::from_be_bytes).ok_or_else(wrong)?,
        "ISO-8859-1" | "LATIN1" | "LATIN-1" => content.iter().copied().map(char::from).collect(),
        _ => return Err(format!("its attribute `working-tree-encoding` says {name}, which is not read")),
    };
    Ok(text.into_bytes())
}

/// A text in UTF-16 that begins with a byte order mark; none where it does not, or is none.
pub(super) fn utf16(content: &[u8]) -> Option<String> {
    match content {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        _ => None,
    }
}

fn units(content: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    if !content.len().is_multiple_of(2) {
        return None;
    }
    let pairs = content.chunks_exact(2).filter_map(|pair| pair.try_into().ok()).map(unit);
    char::decode_utf16(pairs).collect::<Result<String, _>>().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_that_are_read() {
        let check = |content: &[u8], name: &str, expected: Result<&str, &str>| {
            let found = to_utf8(content.to_vec(), name).map(|text| String::from_utf8(text).unwrap());
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{name}");
        };
        check(b"\xff\xfea\0\n\0", "UTF-16", Ok("a\n"));
        check(b"\xfe\xff\0a\0\n", "utf-16", Ok("a\n"));
        check(b"a\0\xe9\0", "UTF-16LE", Ok("a\u{e9}"));
        check(b"\xe9", "ISO-8859-1", Ok("\u{e9}"));
        let said = "it is no UTF-16, which its attribute `working-tree-encoding` says it is";
        check(b"a\0\n\0", "UTF-16", Err(said));
        check(b"x", "EBCDIC", Err("its attribute `working-tree-encoding` says EBCDIC, which is not read"));
    }
}
