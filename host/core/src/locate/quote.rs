//! Lines of one text, and quotes found among them.

use crate::finding::Lines;
use crate::outcome::Excerpt;
use crate::text::fold;

/// Lines shown before and after a place.
const EXCERPT_AROUND: u32 = 3;
/// No more lines than this are shown.
const EXCERPT_MAX: usize = 24;
/// Bytes of one line that are shown: a file may be a single line of megabytes, and every finding in it has an excerpt.
const EXCERPT_LINE: usize = 64 << 10;
/// No more lines than this go into a fingerprint.
const AROUND_MAX: usize = 64;
/// No more places than this of one quote are weighed.
const OCCURRENCES_MAX: usize = 10_000;

/// One text: its lines with their numbers, and all of them without white space, for searching.
pub(super) struct Text {
    /// In order; numbers rise, and leave gaps where only pieces are known.
    lines: Vec<(u32, String)>,
    /// The text without white space.
    dense: String,
    /// For every line, where it starts in `dense`.
    starts: Vec<usize>,
}

impl Text {
    pub(super) fn whole(text: &str) -> Self {
        Self::pieces((1u32..).zip(text.lines()))
    }

    pub(super) fn pieces<'a>(lines: impl Iterator<Item = (u32, &'a str)>) -> Self {
        let (mut kept, mut dense, mut starts) = (Vec::new(), String::new(), Vec::new());
        for (number, line) in lines {
            starts.push(dense.len());
            dense.extend(line.chars().filter(|c| !c.is_whitespace()));
            kept.push((number, line.to_owned()));
        }
        Self { lines: kept, dense, starts }
    }

    /// The lines that hold the quote, white space aside. Of several places the nearest to the said lines is meant;
    /// without those, the first one that `better` likes, else the first.
    pub(super) fn find(&self, quote: &str, said: Option<Lines>, better: impl Fn(Lines) -> bool) -> Option<Lines> {
        let plain = dense(quote);
        let found = self.occurrences(&plain);
        let found = if found.is_empty() { self.occurrences(&dense(&unmarked(quote))) } else { found };
        match said {
            Some(said) => found.into_iter().min_by_key(|l| (apart(*l, said), l.first)),
            None => found.iter().copied().find(|l| better(*l)).or_else(|| found.first().copied()),
        }
    }

    fn occurrences(&self, quote: &str) -> Vec<Lines> {
        if quote.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<Lines> = self
            .dense
            .match_indices(quote)
            .take(OCCURRENCES_MAX)
            .filter_map(|(at, _)| {
                let first = self.line_at(at)?;
                let last = self.line_at(at + quote.len() - 1)?;
                Some(Lines { first, last })
            })
            .collect();
        found.dedup();
        found
    }

    /// The number of the line that holds a byte of `dense`.
    fn line_at(&self, at: usize) -> Option<u32> {
        let index = self.starts.partition_point(|&s| s <= at).checked_sub(1)?;
        self.lines.get(index).map(|&(number, _)| number)
    }

    /// The said lines as far as they exist; none where the first one does not.
    pub(super) fn existing(&self, said: Lines) -> Option<Lines> {
        let last = self.lines.last()?.0;
        let within = said.first >= 1 && said.first <= last;
        within.then(|| Lines { first: said.first, last: said.last.min(last) })
    }

    /// The line of a heading, marks aside.
    pub(super) fn heading(&self, section: &str) -> Option<Lines> {
        let wanted = fold(section.trim_start_matches('#'));
        let is_it = |line: &str| line.starts_with('#') && fold(line.trim_start_matches('#')) == wanted;
        let &(number, _) = self.lines.iter().find(|(_, line)| is_it(line))?;
        Some(Lines { first: number, last: number })
    }

    /// The lines and their nearest neighbours that are not blank, normalised: what a fingerprint is made of.
    pub(super) fn around(&self, lines: Lines) -> String {
        let from = self.lines.partition_point(|&(n, _)| n < lines.first);
        let to = self.lines.partition_point(|&(n, _)| n <= lines.last);
        let spoken = |l: &&(u32, String)| !l.1.trim().is_empty();
        let before = self.lines.get(..from).and_then(|b| b.iter().rev().find(spoken));
        let after = self.lines.get(to..).and_then(|a| a.iter().find(spoken));
        let here = self.lines.get(from..to).unwrap_or_default().iter().filter(spoken).take(AROUND_MAX);
        let all: Vec<String> = before.into_iter().chain(here).chain(after).map(|(_, line)| dense(line)).collect();
        all.join("\n")
    }

    /// The lines around a place, for a person to read. Unbroken: where only pieces are known, those of its piece.
    pub(super) fn excerpt(&self, lines: Lines) -> Option<Excerpt> {
        let here = self.lines.partition_point(|&(n, _)| n < lines.first);
        let &(number, _) = self.lines.get(here)?;
        let before = self.lines.get(..here)?.iter().rev().zip((1..number).rev());
        let back = before.take(EXCERPT_AROUND as usize).take_while(|((n, _), expected)| n == expected).count();
        let last = lines.last.saturating_add(EXCERPT_AROUND);
        let onward = self.lines.get(here..)?.iter().zip(number..);
        let ahead = onward.take_while(|((n, _), expected)| n == expected && *n <= last).count();
        let shown = self.lines.get(here - back..here + ahead)?;
        let start = |line: &String| line.get(..line.floor_char_boundary(EXCERPT_LINE)).unwrap_or_default().to_owned();
        let lines = shown.iter().take(EXCERPT_MAX).map(|(_, line)| start(line)).collect();
        Some(Excerpt { first_line: shown.first()?.0, lines })
    }
}

/// Lines between two places; 0 where they touch.
fn apart(a: Lines, b: Lines) -> u32 {
    a.first.saturating_sub(b.last).max(b.first.saturating_sub(a.last))
}

fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A quote out of a diff, without the marks before its lines.
fn unmarked(quote: &str) -> String {
    let marked = quote.lines().filter(|l| !l.trim().is_empty()).all(|l| l.starts_with(['+', '-', ' ']));
    if !marked {
        return String::new();
    }
    quote.lines().map(|l| l.get(1..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}
