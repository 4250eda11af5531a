//! One pattern of `.gitignore` or `.gitattributes`.

use super::glob;

/// A pattern, as git's `parse_path_pattern` takes it apart.
#[derive(Debug)]
pub(super) struct Pattern {
    text: Box<[u8]>,
    /// How many bytes come before the first that is special.
    literal: usize,
    pub(super) kind: Kind,
    /// It had a `!` before it.
    pub(super) negative: bool,
    /// It had a `/` after it, so that only folders match.
    pub(super) folders_only: bool,
}

/// What a pattern is compared with, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The last part of a path; the pattern has no slash, and nothing special.
    Name,
    /// The end of the last part of a path: `*` and nothing else special.
    End,
    /// The last part of a path.
    NameGlob,
    /// A path from the folder of the file on; nothing special.
    Path,
    /// A path from the folder of the file on.
    PathGlob,
}

/// A path that is asked about, as seen from the folder of a list; of lower case where case is ignored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) path: &'a [u8],
    pub(super) name: &'a [u8],
    pub(super) is_folder: bool,
}

impl Pattern {
    /// The pattern of a line; none where it could not match anything.
    pub(super) fn new(line: &[u8]) -> Option<Self> {
        let (negative, line) = line.strip_prefix(b"!").map_or((false, line), |rest| (true, rest));
        let (folders_only, line) = line.strip_suffix(b"/").map_or((false, line), |rest| (true, rest));
        let in_folders = line.contains(&b'/');
        let text = line.strip_prefix(b"/").unwrap_or(line);
        let literal = literal(text);
        let kind = match (in_folders, text.get(literal..)?) {
            (_, []) if text.is_empty() => return None,
            (true, []) => Kind::Path,
            (true, _) => Kind::PathGlob,
            (false, []) => Kind::Name,
            (false, [b'*', end @ ..]) if literal == 0 && self::literal(end) == end.len() => Kind::End,
            (false, _) => Kind::NameGlob,
        };
        Some(Pattern { text: text.into(), literal, kind, negative, folders_only })
    }

    /// What a path is, or ends with, that matches: all of the pattern that is not special.
    pub(super) fn plain(&self) -> &[u8] {
        let star = usize::from(self.kind == Kind::End);
        self.text.get(star..).unwrap_or_default()
    }

    /// Whether only the last part of a path is compared.
    pub(super) fn is_about_names(&self) -> bool {
        matches!(self.kind, Kind::Name | Kind::End | Kind::NameGlob)
    }

    /// The pairs of bytes in what matches, see [`glob::pairs_of_pattern`].
    pub(super) fn pairs(&self, fold: bool) -> Option<u128> {
        glob::pairs_of_pattern(&self.text, fold)
    }

    /// Whether the path matches.
    pub(super) fn matches(&self, asked: &Asked<'_>, fold: bool) -> bool {
        if self.folders_only && !asked.is_folder {
            return false;
        }
        match self.kind {
            Kind::Name => same(&self.text, asked.name, fold),
            Kind::End => ends_with(asked.name, self.plain(), fold),
            Kind::NameGlob => self.matches_rest(asked.name, fold),
            Kind::Path => same(&self.text, asked.path, fold),
            Kind::PathGlob => self.matches_rest(asked.path, fold),
        }
    }

    /// Compares the start, which most paths do not have, and looks at what is special only after that.
    ///
    /// For patterns of names it changes nothing. For those of paths git does just that, and so `a**/b` matches `ax/y/b`
    /// there: the `**` is at a start then.
    fn matches_rest(&self, text: &[u8], fold: bool) -> bool {
        let (Some((start, rest)), Some((wanted, pattern))) =
            (text.split_at_checked(self.literal), self.text.split_at_checked(self.literal))
        else {
            return false;
        };
        same(wanted, start, fold) && glob::matches(pattern, rest, fold)
    }
}

fn literal(text: &[u8]) -> usize {
    text.iter().position(|byte| b"*?[\\".contains(byte)).unwrap_or(text.len())
}

fn same(a: &[u8], b: &[u8], fold: bool) -> bool {
    if fold { a.eq_ignore_ascii_case(b) } else { a == b }
}

fn ends_with(text: &[u8], end: &[u8], fold: bool) -> bool {
    text.len().checked_sub(end.len()).and_then(|start| text.get(start..)).is_some_and(|rest| same(rest, end, fold))
}
