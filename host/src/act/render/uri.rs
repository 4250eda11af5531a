//! A path as a URI reference, as RFC 3986 has it.

/// The reference. Everything that means something in a URI, or is not ASCII, is percent-encoded; a byte that is not UTF-8,
/// which stands as `\xNN` in a path, is encoded as the byte that it is.
pub(super) fn of(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in bytes(path) {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

/// The bytes of a path as git has them.
fn bytes(path: &str) -> impl Iterator<Item = u8> + '_ {
    let mut rest = path.as_bytes();
    std::iter::from_fn(move || {
        let (byte, after) = match rest {
            [b'\\', b'x', high, low, after @ ..] => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, after),
                _ => rest.split_first().map(|(byte, after)| (*byte, after))?,
            },
            _ => rest.split_first().map(|(byte, after)| (*byte, after))?,
        };
        rest = after;
        Some(byte)
    })
}

/// A digit of an escape: hex, lower case alone.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_means_something_in_a_uri_is_encoded() {
        let check = |path, expect: &str| assert_eq!(of(path), expect);
        check("src/a b.rs", "src/a%20b.rs");
        check("100%/a?b#c", "100%25/a%3Fb%23c");
        check("a:b\\c", "a%3Ab%5Cc");
        check("größe", "gr%C3%B6%C3%9Fe");
        check(" a\n\t", "%20a%0A%09");
        // A byte that is not UTF-8, and a backslash that only looks like the start of one.
        check(r"a\xff", "a%FF");
        check(r"a\x5cxff \xFF \xg0 \x", "a%5Cxff%20%5CxFF%20%5Cxg0%20%5Cx");
    }

    /// The bytes that a reference stands for.
    fn read_back(uri: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rest = uri.as_bytes();
        while let Some((&first, after)) = rest.split_first() {
            rest = after;
            match first {
                b'%' => {
                    let (code, after) = rest.split_at(2);
                    out.push(u8::from_str_radix(std::str::from_utf8(code).unwrap(), 16).unwrap());
                    rest = after;
                }
                plain => out.push(plain),
            }
        }
        out
    }

    proptest! {
        #[test]
        fn every_path_reads_back(path in "[ -\\[\\]-~é\n%]{0,12}") {
            prop_assert_eq!(read_back(&of(&path)), path.as_bytes());
        }

        #[test]
        fn a_reference_holds_only_what_a_uri_may(path in any::<String>()) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
            prop_assert!(of(&path).chars().all(plain));
        }
    }
}
