//! Lines as an editor shows them, and where those are in a text that the host counts by line feeds alone.
//!
//! Old text ends its lines in carriage returns without line feeds: to the host such a file is one line. Some editors put
//! a byte order mark before the first character of a file. Neither may hide from a check what it looks for.

use std::borrow::Cow;

use crate::bindings::lens::review_loop::lens::subject::{Hunk, Line};

/// A text without the byte order mark at its start.
pub(crate) fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The hunks of a file without the byte order mark before its first line.
pub(crate) fn unmark(mut hunks: Vec<Hunk>) -> Vec<Hunk> {
    let first = hunks.iter_mut().flat_map(|hunk| &mut hunk.lines).filter(|l| l.old == Some(1) || l.new == Some(1));
    for line in first {
        if unmarked(&line.text).len() < line.text.len() {
            line.text = unmarked(&line.text).to_owned();
        }
    }
    hunks
}

/// Whether any of the lines holds others that end in carriage returns. One at the end belongs to the line feed behind it.
pub(crate) fn are_several<'a>(mut lines: impl Iterator<Item = &'a Line>) -> bool {
    lines.any(|line| line.text.strip_suffix('\r').unwrap_or(&line.text).contains('\r'))
}

/// A text with line feeds in place of the carriage returns that end lines. Every character stays where it is.
pub(crate) fn fed(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((line, behind)) = rest.split_once('\r') {
        out.push_str(line);
        out.push(if behind.starts_with('\n') { '\r' } else { '\n' });
        rest = behind;
    }
    if out.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(out + rest) }
}

/// For each line that the host counts, the first of the lines that are in it. Empty: each is one.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    firsts: Vec<u32>,
}

impl Numbers {
    /// The numbers of a text's lines.
    pub(crate) fn of(text: &str) -> Self {
        let mut next = 1;
        let first = |line: &str| {
            let first = next;
            next += fed(line).matches('\n').count() as u32;
            first
        };
        Self { firsts: text.split_inclusive('\n').map(first).collect() }
    }

    /// The first line in the one that the host counts as `line`.
    fn first(&self, line: u32) -> u32 {
        let index = line.checked_sub(1).and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| self.firsts.get(index)).copied().unwrap_or(line)
    }

    /// What the host counts the line as.
    pub(crate) fn host_line(&self, line: u32) -> u32 {
        match self.firsts.partition_point(|first| *first <= line) {
            0 => line,
            behind => u32::try_from(behind).unwrap_or(u32::MAX),
        }
    }
}

/// The hunks with every line on its own, numbered as in the texts with line feeds.
pub(crate) fn split(hunks: Vec<Hunk>, old: &Numbers, new: &Numbers) -> Vec<Hunk> {
    let pieces = |line: Line| -> Vec<Line> {
        let (first_old, first_new) = (line.old.map(|l| old.first(l)), line.new.map(|l| new.first(l)));
        let (body, end) = match line.text.strip_suffix('\r') {
            Some(body) => (body, "\r"),
            None => (line.text.as_str(), ""),
        };
        let last = body.matches('\r').count();
        let piece = |(n, text): (usize, &str)| Line {
            change: line.change,
            old: first_old.map(|first| first + n as u32),
            new: first_new.map(|first| first + n as u32),
            text: if n == last { format!("{text}{end}") } else { text.to_owned() },
        };
        body.split('\r').enumerate().map(piece).collect()
    };
    let apart = |hunk: Hunk| Hunk { header: hunk.header, lines: hunk.lines.into_iter().flat_map(pieces).collect() };
    hunks.into_iter().map(apart).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_mark_goes_and_so_do_carriage_returns_that_end_lines() {
        assert_eq!(unmarked("\u{feff}a"), "a");
        assert_eq!(fed("a\rb\r\nc\r\rd\r"), "a\nb\r\nc\n\nd\n");
        assert!(matches!(fed("a\nb"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn every_line_is_in_the_one_that_the_host_counts(text in "[ab\r\n]{0,40}") {
            let (numbers, fed) = (Numbers::of(&text), fed(&text));
            prop_assert_eq!(fed.len(), text.len());
            for at in 0..text.len() {
                let line = |text: &str| 1 + text[..at].matches('\n').count() as u32;
                prop_assert_eq!(numbers.host_line(line(&fed)), line(&text));
            }
        }
    }
}
