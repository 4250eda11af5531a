//! Whether a content is text, and which text it is.
//!
//! Git calls binary what has a NUL among its first 8000 bytes. Shells and Node run such files all the same, so that a NUL would
//! keep a program from being reviewed. Here a content is text if, but for a few NULs, it reads as one.

use std::borrow::Cow;

use super::encoding;

/// Bytes that are looked at to tell.
const LOOKED_AT: usize = 64 << 10;

/// The text that a content is; none where it is none.
pub(super) fn of(content: &[u8]) -> Option<Cow<'_, [u8]>> {
    if let Some(text) = encoding::utf16(content) {
        return Some(Cow::Owned(text.into_bytes()));
    }
    (!is_binary(content)).then_some(Cow::Borrowed(content))
}

/// Whether a content is no text in any encoding that is read.
pub(super) fn is_binary(content: &[u8]) -> bool {
    let start = content.get(..LOOKED_AT).unwrap_or(content);
    if !has_nul(content) {
        return false;
    }
    let nuls = start.iter().filter(|byte| **byte == 0).count();
    let odd = start.iter().filter(|byte| is_odd(**byte)).count() + invalid(start);
    // A program with a NUL put into it has a few in thousands of letters; an image or an archive has them everywhere.
    let letters = start.len() - nuls;
    letters == 0 || nuls * 50 > letters || odd * 20 > letters
}

/// Git's own rule, and beyond its 8000 bytes as far as is looked at.
fn has_nul(content: &[u8]) -> bool {
    content.get(..8000).unwrap_or(content).contains(&0)
}

/// A control character that no text has.
fn is_odd(byte: u8) -> bool {
    matches!(byte, 1..=8 | 14..=26 | 28..=31 | 127)
}

/// Bytes that are not part of UTF-8.
fn invalid(content: &[u8]) -> usize {
    content.utf8_chunks().map(|chunk| chunk.invalid().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_does_not_make_a_program_binary() {
        let program = "import os\nfor name in os.listdir():\n    print(name)\n".repeat(4);
        let check = |content: &[u8], expected: bool| assert_eq!(is_binary(content), expected);
        check(program.as_bytes(), false);
        check(format!("#!/bin/sh\n\0\n{program}").as_bytes(), false);
        check(b"", false);
        check(b"\0", true);
        check(b"\0\x01", true);
        check(b"a\0b", true);
        check(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0", true);
        check(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], true);
    }

    #[test]
    fn utf_16_is_text() {
        let bytes: Vec<u8> = [0xfe, 0xff].into_iter().chain("hi\n".bytes().flat_map(|byte| [0, byte])).collect();
        assert_eq!(of(&bytes).as_deref(), Some(&b"hi\n"[..]));
    }
}
