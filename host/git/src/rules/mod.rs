//! What git's files of patterns say about a path: [`Ignore`] for `.gitignore`, [`Attributes`] for `.gitattributes`.
//!
//! The files come out of repositories that nobody has to trust, so no pattern may cost more than its size: git's own
//! matching takes time that doubles with every `**/` of a pattern, the one in `glob` does not. Where the two could
//! differ in what they answer, git is right: the tests ask it.

pub mod attributes;
pub(crate) mod glob;
pub mod ignore;
#[cfg(test)]
pub(crate) mod oracle;
mod pattern;
mod table;

pub use attributes::{Attributes, Value};
pub use ignore::Ignore;

/// Bytes of one file that are read; what comes after the last whole line in them is left out.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Patterns of one file that are read.
pub const MAX_PATTERNS: usize = 100_000;

/// The lines of a file of patterns, without the mark that some editors put before the first.
///
/// A zero byte ends a line, since git reads each as a string of C.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.map(|line| line.split(|&byte| byte == 0).next().unwrap_or_default())
}

/// As many whole lines as fit into [`MAX_BYTES`], and whether something was left out.
fn bounded(bytes: &[u8]) -> (&[u8], bool) {
    let Some(start) = bytes.get(..MAX_BYTES).filter(|start| start.len() < bytes.len()) else {
        return (bytes, false);
    };
    let whole = start.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    (start.get(..whole).unwrap_or_default(), true)
}

/// The part of a path below a folder of a repository, `b""` being the root of it.
fn below<'a>(folder: &[u8], path: &'a [u8]) -> Option<&'a [u8]> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix(b"/")
}
