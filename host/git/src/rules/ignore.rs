//! `.gitignore` and its like, as in gitignore(5).

use std::borrow::Cow;

use super::pattern::Pattern;
use super::table::{Hashes, Table};
use super::{MAX_PATTERNS, below, bounded, lines};

/// Which paths are ignored.
///
/// Lists of patterns are added from the weakest to the strongest: those of `core.excludesFile`, of `info/exclude`, then
/// the `.gitignore` of every folder on the way down.
///
/// ```
/// # use review_loop_git::rules::Ignore;
/// let mut ignore = Ignore::new(false);
/// ignore.push_global(b"*.o\n");
/// ignore.enter(b"", Some(b"/target/\n"));
/// assert!(ignore.is_ignored(b"target", true));
/// ignore.enter(b"lib", Some(b"!keep.o\n"));
/// assert!(!ignore.is_ignored(b"lib/keep.o", false));
/// assert!(ignore.is_ignored(b"lib/other.o", false));
/// ```
#[derive(Debug, Default)]
pub struct Ignore {
    fold: bool,
    hashes: Hashes,
    global: Vec<List>,
    folders: Vec<List>,
    truncated: bool,
}

/// The patterns of one file.
#[derive(Debug)]
struct List {
    folder: Vec<u8>,
    table: Table,
}

/// Patterns of ignored files are about one thing only.
const TOPIC: u32 = 0;

impl Ignore {
    /// No patterns yet; `ignore_case` is `core.ignoreCase`.
    #[must_use]
    pub fn new(ignore_case: bool) -> Self {
        Ignore { fold: ignore_case, ..Ignore::default() }
    }

    /// Adds patterns for the whole repository. They are stronger than those added before, and weaker than any of a folder.
    pub fn push_global(&mut self, bytes: &[u8]) {
        let list = self.list(b"", bytes);
        self.global.push(list);
    }

    /// Goes on to a folder, `b""` for the root of the repository, and takes its `.gitignore`, if it has one.
    ///
    /// Patterns of folders that are not above it are dropped: folders are to be entered depth first. One that is ignored is
    /// not to be entered, since nothing in it can be taken back.
    pub fn enter(&mut self, folder: &[u8], gitignore: Option<&[u8]>) {
        let folder = folder.strip_suffix(b"/").unwrap_or(folder);
        let is_above = |list: &List| list.folder != folder && below(&list.folder, folder).is_some();
        let above = self.folders.iter().take_while(|list| is_above(list)).count();
        self.folders.truncate(above);
        if let Some(bytes) = gitignore {
            let list = self.list(folder, bytes);
            self.folders.push(list);
        }
    }

    /// Whether the patterns say that a path is ignored. It has to be in a folder that is entered.
    ///
    /// Only the path itself is compared. Git also ignores all that is in an ignored folder, whatever patterns say about
    /// it: who walks a repository asks about each folder first, and leaves out those that are ignored.
    #[must_use]
    pub fn is_ignored(&self, path: &[u8], is_dir: bool) -> bool {
        let lower = if self.fold { Cow::Owned(path.to_ascii_lowercase()) } else { Cow::Borrowed(path) };
        let lists = self.global.iter().chain(&self.folders).rev();
        let mut decided = lists.filter_map(|list| {
            // Folders are compared as they are; the patterns in them as `core.ignoreCase` says.
            let start = path.len() - below(&list.folder, path)?.len();
            let question = self.hashes.question(lower.get(start..)?, is_dir);
            list.table.last(TOPIC, &question)
        });
        decided.next().is_some_and(|(_, pattern)| !pattern.negative)
    }

    /// Whether a file had more bytes or more patterns than are read of one.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    fn list(&mut self, folder: &[u8], bytes: &[u8]) -> List {
        let (bytes, cut) = bounded(bytes);
        let mut all = lines(bytes).filter_map(pattern);
        let patterns: Vec<_> = all.by_ref().take(MAX_PATTERNS).collect();
        self.truncated |= cut || all.next().is_some();
        List { folder: folder.to_vec(), table: Table::new(self.fold, &self.hashes, patterns, |_| vec![TOPIC]) }
    }
}

fn pattern(line: &[u8]) -> Option<Pattern> {
    if line.starts_with(b"#") { None } else { Pattern::new(without_spaces(line)) }
}

/// Without spaces at the end, but with those that a `\` is before.
fn without_spaces(line: &[u8]) -> &[u8] {
    let (mut end, mut escaped) = (0, false);
    for (at, &byte) in (1..).zip(line) {
        if escaped || byte != b' ' {
            end = at;
        }
        escaped = !escaped && byte == b'\\';
    }
    // A `\` that is the last byte escapes nothing, and makes git leave the line as it is: it is not a space anyway.
    line.get(..end).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ignores(patterns: &[u8], path: &[u8]) -> bool {
        let (path, is_dir) = path.strip_suffix(b"/").map_or((path, false), |path| (path, true));
        let mut ignore = Ignore::new(false);
        ignore.enter(b"", Some(patterns));
        ignore.is_ignored(path, is_dir)
    }

    #[test]
    fn patterns_are_those_of_gitignore_5() {
        for (patterns, path, expected) in [
            ("a", "a", true),
            ("a", "x/a", true),
            ("a", "x/a/", true),
            ("a/", "a", false),
            ("a/", "x/a/", true),
            ("/a", "a", true),
            ("/a", "x/a", false),
            ("x/a", "x/a", true),
            ("x/a", "y/x/a", false),
            ("x/a/", "x/a", false),
            ("*.o", "x/y.o", true),
            ("*.o", ".o", true),
            ("*o", "x/y.o", true),
            ("*.tar.gz", "a.b.tar.gz", true),
            ("*.tar.gz", "a.b.gz", false),
            ("a*", "x/ab", true),
            ("/a*", "ab", true),
            ("/a*", "ab/c", false),
            ("**/a", "x/y/a", true),
            ("a/**", "a/b/c", true),
            ("a/**/b", "a/b", true),
            ("a**/b", "ax/y/b", true),
            ("a\n!a", "a", false),
            ("!a\na", "a", true),
            ("*\n!*.c", "a.c", false),
            ("#a", "#a", false),
            ("\\#a", "#a", true),
            ("\\!a", "!a", true),
            ("a  ", "a", true),
            ("a\\ ", "a ", true),
            ("a\\ ", "a", false),
            ("a\\  ", "a ", true),
            ("a\t", "a", false),
            (" ", " ", false),
            ("\t", "\t", true),
            ("a\r\n", "a", true),
            ("a\r", "a", true),
            ("a\r\r", "a", false),
            ("\u{feff}a", "a", true),
            ("[a-c]x", "bx", true),
            ("a\\", "a\\", false),
            ("a\0b", "a", true),
            ("/", "a/", false),
            ("//", "a/", false),
            ("!", "!", false),
            ("", "a", false),
        ] {
            assert_eq!(ignores(patterns.as_bytes(), path.as_bytes()), expected, "{patterns:?} {path:?}");
        }
        assert!(ignores(b"\xff*", b"\xffx"));
    }

    #[test]
    fn the_list_that_is_closest_decides() {
        let mut ignore = Ignore::new(false);
        ignore.push_global(b"*.a\n*.b\n");
        ignore.push_global(b"!*.a\n");
        ignore.enter(b"", Some(b"*.c\n"));
        ignore.enter(b"x", Some(b"!*.c\n/d\n"));
        ignore.enter(b"x/y", None);
        let ask = |ignore: &Ignore, path: &str| ignore.is_ignored(path.as_bytes(), false);
        assert!(!ask(&ignore, "x/y/1.a") && ask(&ignore, "x/y/1.b") && !ask(&ignore, "x/y/1.c"));
        assert!(ask(&ignore, "x/d") && !ask(&ignore, "x/y/d"));
        ignore.enter(b"xy", None);
        assert!(ask(&ignore, "xy/1.c") && !ask(&ignore, "xy/d"));
        ignore.enter(b"", None);
        assert!(!ask(&ignore, "1.c") && ask(&ignore, "1.b"));
    }

    #[test]
    fn case_matters_unless_it_does_not() {
        for (patterns, path) in
            [("FOO", "foo"), ("foo", "FOO"), ("*.O", "a.o"), ("/Foo/b?r", "fOO/BaR"), ("A/b", "a/B")]
        {
            for ignore_case in [false, true] {
                let mut ignore = Ignore::new(ignore_case);
                ignore.enter(b"", Some(patterns.as_bytes()));
                assert_eq!(ignore.is_ignored(path.as_bytes(), false), ignore_case, "{patterns} {path}");
            }
        }
    }

    #[test]
    fn long_files_are_cut_at_a_line() {
        let mut ignore = Ignore::new(false);
        ignore.enter(b"", Some("a\n".repeat(MAX_PATTERNS).as_bytes()));
        assert!(!ignore.truncated());
        ignore.enter(b"", Some(("a\n".repeat(MAX_PATTERNS) + "b").as_bytes()));
        assert!(ignore.truncated() && ignore.is_ignored(b"a", false) && !ignore.is_ignored(b"b", false));

        let mut ignore = Ignore::new(false);
        let line = "x".repeat(super::super::MAX_BYTES - 4);
        ignore.enter(b"", Some(format!("a\n{line}\nb\n").as_bytes()));
        assert!(ignore.truncated() && ignore.is_ignored(b"a", false) && !ignore.is_ignored(b"b", false));
    }

    #[test]
    fn a_list_of_plain_names_is_not_searched() {
        let names: String = (0..30_000).map(|number| format!("file-{number}\n/out/{number}.bin\n")).collect();
        let mut ignore = Ignore::new(false);
        ignore.enter(b"", Some(names.as_bytes()));
        let ignored = |path: String| ignore.is_ignored(path.as_bytes(), false);
        assert!((0..30_000).all(|number| ignored(format!("out/{number}.bin")) && ignored(format!("a/file-{number}"))));
        assert!(
            (30_000..60_000).all(|number| !ignored(format!("out/{number}.bin")) && !ignored(format!("file-{number}")))
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_patterns(patterns: Vec<u8>, folder: Vec<u8>, path: Vec<u8>, is_dir: bool, fold: bool) {
            let mut ignore = Ignore::new(fold);
            ignore.push_global(&patterns);
            ignore.enter(&folder, Some(&patterns));
            prop_assert_eq!(ignore.is_ignored(&path, is_dir), ignore.is_ignored(&path, is_dir));
        }
    }
}
