//! What git does to a file of the working tree before it stores it: carriage returns, by the same rules, without git.

/// What the attributes and the settings say about a file's line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// Stored as they are.
    Kept,
    /// `text` is set: every CR LF is stored as LF.
    Text,
    /// `text=auto` or `core.autocrlf`: as for text, where the content looks like text and was stored without CR before.
    Guessed,
}

/// The values of the attributes that matter, as git writes them in `check-attr`; none where one is not specified.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Attributes<'a> {
    pub(super) text: Option<&'a [u8]>,
    pub(super) crlf: Option<&'a [u8]>,
    pub(super) eol: Option<&'a [u8]>,
}

impl LineEnds {
    /// The rule for one file. `autocrlf`: the setting is `true` or `input`.
    pub(super) fn of(attributes: Attributes<'_>, autocrlf: bool) -> Self {
        let named = |value: &[u8]| match value {
            b"true" | b"input" => Some(LineEnds::Text),
            b"false" => Some(LineEnds::Kept),
            b"auto" => Some(LineEnds::Guessed),
            _ => None,
        };
        let by_text = attributes.text.and_then(named).or_else(|| attributes.crlf.and_then(named));
        let by_eol = || attributes.eol.filter(|eol| [&b"lf"[..], b"crlf"].contains(eol)).map(|_| LineEnds::Text);
        let by_setting = if autocrlf { LineEnds::Guessed } else { LineEnds::Kept };
        by_text.or_else(by_eol).unwrap_or(by_setting)
    }
}

/// The content as git would store it. `stored_with_crlf` says whether what the index holds now is a text with CR LF.
pub(super) fn stored(content: Vec<u8>, ends: LineEnds, stored_with_crlf: impl FnOnce() -> bool) -> Vec<u8> {
    let convert = match ends {
        LineEnds::Kept => false,
        LineEnds::Text => true,
        LineEnds::Guessed => is_crlf_text(&content) && !stored_with_crlf(),
    };
    if convert { without_crlf(&content) } else { content }
}

/// Whether the content has a line that ends in CR LF.
pub(super) fn has_crlf(content: &[u8]) -> bool {
    content.contains(&b'\r') && content.windows(2).any(|pair| pair == b"\r\n")
}

fn without_crlf(content: &[u8]) -> Vec<u8> {
    let nexts = content.iter().skip(1).map(Some).chain([None]);
    let kept = content.iter().zip(nexts).filter(|(byte, next)| !(**byte == b'\r' && *next == Some(&b'\n')));
    kept.map(|(byte, _)| *byte).collect()
}

/// Git's guess: text with CR LF, no lone CR, no NUL, and few control characters.
pub(super) fn is_crlf_text(content: &[u8]) -> bool {
    let (mut printable, mut control, mut crlf) = (0_usize, 0_usize, false);
    let mut bytes = content.iter().peekable();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\r' if bytes.next_if(|next| **next == b'\n').is_some() => crlf = true,
            b'\r' | 0 => return false,
            b'\n' => {}
            0x1a if bytes.peek().is_none() => {}
            0x08 | b'\t' | 0x1b | 0x0c => printable += 1,
            0x7f | ..0x20 => control += 1,
            _ => printable += 1,
        }
    }
    crlf && printable >> 7 >= control
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_come_before_the_setting() {
        let check = |text: Option<&str>, eol: Option<&str>, autocrlf: bool, expected| {
            let attributes = Attributes { text: text.map(str::as_bytes), crlf: None, eol: eol.map(str::as_bytes) };
            assert_eq!(LineEnds::of(attributes, autocrlf), expected, "{text:?} {eol:?} {autocrlf}");
        };
        check(None, None, false, LineEnds::Kept);
        check(None, None, true, LineEnds::Guessed);
        check(Some("true"), None, false, LineEnds::Text);
        check(Some("false"), Some("lf"), true, LineEnds::Kept);
        check(Some("auto"), Some("crlf"), false, LineEnds::Guessed);
        check(None, Some("crlf"), false, LineEnds::Text);
        check(None, Some("nonsense"), false, LineEnds::Kept);
    }

    #[test]
    fn carriage_returns_go_where_git_drops_them() {
        let check = |content: &str, ends, with_crlf: bool, expected: &str| {
            assert_eq!(stored(content.into(), ends, || with_crlf), expected.as_bytes(), "{content:?} {ends:?}");
        };
        check("a\r\nb\r\n", LineEnds::Kept, false, "a\r\nb\r\n");
        check("a\r\nb\rc\r", LineEnds::Text, true, "a\nb\rc\r");
        check("a\r\nb\r\n", LineEnds::Guessed, false, "a\nb\n");
        check("a\r\nb\r\n", LineEnds::Guessed, true, "a\r\nb\r\n");
        check("a\r\nb\rc", LineEnds::Guessed, false, "a\r\nb\rc");
        check("a\r\n\0", LineEnds::Guessed, false, "a\r\n\0");
        check("a\r\n\u{1}", LineEnds::Guessed, false, "a\r\n\u{1}");
    }
}
