//! Which lines of a file its hunks hold.

use crate::finding::{Lines, Side};
use crate::subject::{File, Hunk, Line};
use crate::work;

/// The lines of all hunks of one file on one side: apart from each other, in order.
#[derive(Debug, Default)]
pub(super) struct Spans {
    spans: Vec<Lines>,
}

impl Spans {
    /// Time linear in the file's hunks, but for their sorting.
    pub(super) fn of(file: &File, side: Side) -> Self {
        let mut all: Vec<Lines> = file.hunks.iter().filter_map(|hunk| span(hunk, side)).collect();
        all.sort_unstable();
        let mut spans: Vec<Lines> = Vec::with_capacity(all.len());
        for span in all {
            match spans.last_mut() {
                Some(before) if span.first <= before.last => before.last = before.last.max(span.last),
                _ => spans.push(span),
            }
        }
        Self { spans }
    }

    /// Whether any of the lines is among them. A binary search: files have been seen with 100,000 hunks.
    pub(super) fn touch(&self, lines: Lines) -> bool {
        work::add(1);
        let behind = self.spans.partition_point(|span| span.last < lines.first);
        self.spans.get(behind).is_some_and(|span| span.first <= lines.last)
    }
}

fn span(hunk: &Hunk, side: Side) -> Option<Lines> {
    work::add(1);
    let number = |line: &Line| if side == Side::Old { line.old } else { line.new };
    let first = hunk.lines.iter().find_map(number)?;
    let last = hunk.lines.iter().rev().find_map(number)?;
    Some(Lines { first, last })
}
