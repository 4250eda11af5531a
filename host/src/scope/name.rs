//! Paths as git stores them (bytes) and as a subject shows them (text), each made from the other without loss.
//!
//! Bytes that are not UTF-8 stand as `\xNN`. A backslash that already reads like such an escape stands as `\x5c`, so that
//! no two paths of a repository are ever shown alike.

use std::path::PathBuf;

/// The text that stands for a path.
pub(super) fn to_text(mut bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    while !bytes.is_empty() {
        let (valid, rest) = match std::str::from_utf8(bytes) {
            Ok(valid) => (valid, &[][..]),
            Err(error) => {
                let (valid, rest) = bytes.split_at(error.valid_up_to());
                (std::str::from_utf8(valid).unwrap_or_default(), rest)
            }
        };
        push_valid(&mut text, valid);
        let Some((first, after)) = rest.split_first() else { break };
        text.push_str(&format!("\\x{first:02x}"));
        bytes = after;
    }
    text
}

fn push_valid(text: &mut String, valid: &str) {
    let mut rest = valid;
    while let Some(at) = rest.find("\\x") {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        let backslash = if escaped(after.as_bytes()).is_some() { "\\x5c" } else { "\\" };
        text.push_str(backslash);
        rest = after.get(1..).unwrap_or_default();
    }
    text.push_str(rest);
}

/// The bytes that a text stands for.
pub(super) fn to_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        match escaped(rest) {
            Some(byte) => {
                bytes.push(byte);
                rest = rest.get(4..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    bytes
}

/// The byte of an escape that the text starts with.
fn escaped(text: &[u8]) -> Option<u8> {
    let &[b'\\', b'x', high, low, ..] = text else { return None };
    Some(digit(high)? << 4 | digit(low)?)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// The path for the file system; none where this system cannot express it.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems cannot express every path")]
pub(super) fn to_path(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

/// The path for the file system; none where this system cannot express it.
#[cfg(not(unix))]
pub(super) fn to_path(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The bytes of a path of the file system, `/` between its parts.
#[cfg(unix)]
pub(super) fn from_path(path: &std::path::Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

/// The bytes of a path of the file system, `/` between its parts.
#[cfg(not(unix))]
pub(super) fn from_path(path: &std::path::Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

/// Whether a path stays inside the root and outside git's own folder. Git refuses to check out any other.
pub(super) fn is_inside(path: &[u8]) -> bool {
    !path.is_empty() && path.split(|&byte| byte == b'/').all(is_plain)
}

fn is_plain(part: &[u8]) -> bool {
    !part.is_empty() && part != b"." && part != b".." && !part.eq_ignore_ascii_case(b".git") && !part.contains(&0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bytes_that_are_not_text_are_shown_as_escapes() {
        let check = |bytes: &[u8], text: &str| assert_eq!(to_text(bytes), text);
        check("größe/ok".as_bytes(), "größe/ok");
        check(b"a\xffb\xfe", "a\\xffb\\xfe");
        check(b"a\\xff", "a\\x5cxff");
        check(b"a\\xzz\\x", "a\\xzz\\x");
        check(b"\\x\\x41", "\\x\\x5cx41");
    }

    #[test]
    fn paths_that_leave_the_root_or_enter_gits_folder_are_told_apart() {
        for inside in ["a", "a/b", "..a/b", ".github/x", "a/.gitignore"] {
            assert!(is_inside(inside.as_bytes()), "{inside}");
        }
        for outside in ["", "/a", "a//b", "../a", "a/..", ".git/config", "a/.GIT/x", "./a", "a\0b"] {
            assert!(!is_inside(outside.as_bytes()), "{outside}");
        }
    }

    proptest! {
        #[test]
        fn every_path_comes_back(bytes in proptest::collection::vec(
            prop_oneof![Just(b'\\'), Just(b'x'), Just(b'5'), Just(b'c'), any::<u8>()], 0..24)) {
            prop_assert_eq!(to_bytes(&to_text(&bytes)), bytes);
        }
    }
}
