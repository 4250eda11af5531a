//! One side of a changed file as these checks read it: without a byte order mark, and with every carriage return that
//! stands alone taken for the end of a line. Git takes such a file for one single line, so what is new in it is told
//! here, piece by piece.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use review_loop_sdk::check::Changed;
use review_loop_sdk::code::{Language, Token, tokens};

/// A line of a [`Text`].
struct Line {
    range: Range<usize>,
    /// As git counts it, from 1.
    number: u32,
    /// Whether the change added it, or on the old side removed it.
    touched: bool,
}

/// One side of a changed file.
pub(crate) struct Text<'a> {
    text: Cow<'a, str>,
    lines: Vec<Line>,
    /// By the file's name.
    pub(crate) language: Option<Language>,
    /// The file's path after the change.
    pub(crate) path: &'a str,
}

impl<'a> Text<'a> {
    /// After the change; the touched lines are the added ones.
    pub(crate) fn new(changed: &'a Changed) -> Self {
        Self::of(changed, changed.new_text(), changed.added(), changed.removed())
    }

    /// Before the change; the touched lines are the removed ones.
    pub(crate) fn old(changed: &'a Changed) -> Self {
        Self::of(changed, changed.old_text(), changed.removed(), changed.added())
    }

    fn of<'b>(
        changed: &'a Changed,
        whole: &'a str,
        here: impl Iterator<Item = (u32, &'b str)>,
        there: impl Iterator<Item = (u32, &'b str)>,
    ) -> Self {
        let text = with_line_feeds(whole);
        let touched: BTreeSet<u32> = here.map(|(number, _)| number).collect();
        let other: BTreeSet<&str> = there.flat_map(|(_, line)| line.split('\r')).map(bare).collect();
        let mut lines: Vec<Line> = Vec::new();
        let (mut start, mut number) = (0, 1);
        for line in text.split_inclusive('\n') {
            let range = start..start + line.len();
            start = range.end;
            let same = other.contains(bare(line));
            lines.push(Line { touched: touched.contains(&number) && !same, number, range });
            let is_gits = whole.as_bytes().get(whole.len() - text.len() + start - 1) == Some(&b'\n');
            number += u32::from(is_gits);
        }
        Self { text, lines, language: changed.language, path: &changed.file.path }
    }

    /// All of it.
    pub(crate) fn whole(&self) -> &str {
        &self.text
    }

    /// Its tokens; none where the language is not known.
    pub(crate) fn tokens(&self) -> Vec<Token<'_>> {
        self.language.map_or_else(Vec::new, |language| tokens(&self.text, language))
    }

    /// Every line, from 1, without its end.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        (1..).zip(&self.lines).map(|(at, line)| (at, self.cut(line)))
    }

    /// The lines that the change touched.
    pub(crate) fn touched(&self) -> impl Iterator<Item = (u32, &str)> {
        (1..).zip(&self.lines).filter(|(_, line)| line.touched).map(|(at, line)| (at, self.cut(line)))
    }

    /// The text of a line; empty where there is none.
    pub(crate) fn line(&self, at: u32) -> &str {
        self.get(at).map_or("", |line| self.cut(line))
    }

    /// Where a line starts, in bytes.
    pub(crate) fn start(&self, at: u32) -> usize {
        self.get(at).map_or(0, |line| line.range.start)
    }

    /// Whether the change touched the line.
    pub(crate) fn is_touched(&self, at: u32) -> bool {
        self.get(at).is_some_and(|line| line.touched)
    }

    /// The line's number as git counts.
    pub(crate) fn number(&self, at: u32) -> u32 {
        self.get(at).map_or(1, |line| line.number)
    }

    /// The lines from `before` above to `after` below.
    pub(crate) fn around(&self, at: u32, before: u32, after: u32) -> impl Iterator<Item = &str> {
        (at.saturating_sub(before).max(1)..=at.saturating_add(after)).map(|at| self.line(at))
    }

    /// Whether any of the lines around, in lower case, holds any of the words.
    pub(crate) fn says_around(&self, at: u32, reach: (u32, u32), words: &[&str]) -> bool {
        self.around(at, reach.0, reach.1).any(|line| {
            let line = clipped(line).to_ascii_lowercase();
            words.iter().any(|word| line.contains(word))
        })
    }

    fn get(&self, at: u32) -> Option<&Line> {
        self.lines.get((at as usize).checked_sub(1)?)
    }

    fn cut(&self, line: &Line) -> &str {
        self.text.get(line.range.clone()).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }
}

/// The part of a line that a look around reads: a longer one is generated, and it may be asked for often.
fn clipped(line: &str) -> &str {
    line.get(..line.floor_char_boundary(2_000)).unwrap_or(line)
}

fn bare(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim()
}

/// Every byte stays where it is, but for a mark at the start.
fn with_line_feeds(whole: &str) -> Cow<'_, str> {
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let lone = text.as_bytes().windows(2).any(|pair| pair.first() == Some(&b'\r') && pair.get(1) != Some(&b'\n'));
    if !lone && !text.ends_with('\r') {
        return Cow::Borrowed(text);
    }
    let kept = "\r\n";
    Cow::Owned(text.split(kept).map(|part| part.replace('\r', "\n")).collect::<Vec<_>>().join(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_carriage_returns_end_lines() {
        assert_eq!(with_line_feeds("\u{feff}a\rb\r\nc\r"), "a\nb\r\nc\n");
        assert!(matches!(with_line_feeds("a\r\nb\n"), Cow::Borrowed(_)));
    }
}
