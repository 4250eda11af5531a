//! The code around a place: line numbers, a caret under the quoted text, a mark beside lines that are meant whole.
//!
//! Drawn here and not by a diagnostics crate: those take byte spans of trusted text, while these lines must be escaped
//! first (which moves the carets), cut to a narrow terminal around the caret, and end in the same notes as the rest.

use std::ops::Range;

use anstyle::Style;
use review_loop_core::finding::{Lines, Severity};
use review_loop_core::outcome::{Excerpt, Judged};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::page::Page;
use super::place::{Spot, spot};
use crate::ui::sanitise::{Piece, pieces};
use crate::ui::style::{FAINT, GOOD, severity};

/// Excerpts up to this many lines are shown whole.
const WHOLE: usize = 12;
/// Tab stops stand this many columns apart.
const TAB: usize = 4;
/// Characters of one line that are looked at: a minified file is one line of megabytes.
const LONGEST: usize = 20_000;
/// Stands where something is cut off.
const CUT: &str = "...";

/// Draws the excerpt of a finding, with the text that could stand in place of its lines right below them.
pub(super) fn draw(page: &mut Page, judged: &Judged, gutter: usize, suggested: Option<&str>) {
    let Some(excerpt) = judged.excerpt.as_ref().filter(|excerpt| !excerpt.lines.is_empty()) else {
        return;
    };
    let lines = judged.finding.anchor.as_ref().and_then(|anchor| anchor.lines);
    let spot = spot(judged);
    let rows = rows(excerpt, lines, spot.as_ref(), suggested.filter(|_| takes_suggestion(judged)));
    let room = page.width().saturating_sub(gutter + 3).max(8);
    let window = window(&rows, room);
    bar(page, gutter);
    for (i, row) in rows.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| rows.get(i));
        if before.is_some_and(|before| before.number + 1 < row.number) {
            page.line(&[(FAINT, &format!("{:gutter$}{CUT}", ""))]);
        }
        draw_row(page, row, gutter, &window, judged.finding.severity);
    }
    bar(page, gutter);
}

/// Whether a suggested text can be shown in place: the last of the lines that it replaces must be in the excerpt.
pub(super) fn takes_suggestion(judged: &Judged) -> bool {
    let last = judged.finding.anchor.as_ref().and_then(|anchor| anchor.lines).map(|lines| lines.last);
    let excerpt = judged.excerpt.as_ref();
    last.zip(excerpt).is_some_and(|(last, excerpt)| (excerpt.first_line..).zip(&excerpt.lines).any(|(n, _)| n == last))
}

/// The columns that the line numbers of a finding's excerpt take; 2 where it has none.
pub(super) fn gutter(judged: &Judged) -> usize {
    let last = |excerpt: &Excerpt| u64::from(excerpt.first_line) + excerpt.lines.len() as u64;
    judged.excerpt.as_ref().map_or(2, |excerpt| last(excerpt).saturating_sub(1).to_string().len().max(2))
}

/// One line that is shown.
struct Row {
    /// Its number; of a suggested line, that of the line above.
    number: u32,
    kind: Kind,
    cells: Vec<Cell>,
    /// The columns of the cells that are underlined.
    caret: Option<Range<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// What stands around, or what a caret points into.
    Code,
    /// Meant whole: one of several anchored lines.
    Meant,
    /// Could stand in place of the lines above.
    Suggested,
}

/// One character as it is shown: it may be an escape or a tab, and stands at a column.
struct Cell {
    column: usize,
    width: usize,
    text: String,
    blank: bool,
}

impl Row {
    /// Columns in all.
    fn width(&self) -> usize {
        self.cells.last().map_or(0, |cell| cell.column + cell.width)
    }

    /// Columns before the first visible character; none for an empty line.
    fn indent(&self) -> Option<usize> {
        self.cells.iter().find(|cell| !cell.blank).map(|cell| cell.column)
    }
}

fn rows(excerpt: &Excerpt, lines: Option<Lines>, spot: Option<&Spot>, suggested: Option<&str>) -> Vec<Row> {
    let shown = shown(excerpt, lines, spot);
    let mut rows = Vec::new();
    for (number, text) in (excerpt.first_line..).zip(&excerpt.lines).filter(|(number, _)| shown(*number)) {
        rows.push(row(number, text, lines, spot));
        if lines.is_some_and(|lines| lines.last == number) {
            let suggested = suggested.into_iter().flat_map(|text| text.trim_end().lines());
            rows.extend(suggested.map(|text| Row {
                number,
                kind: Kind::Suggested,
                cells: cells(text, None).0,
                caret: None,
            }));
        }
    }
    rows
}

fn row(number: u32, text: &str, lines: Option<Lines>, spot: Option<&Spot>) -> Row {
    let lines = lines.filter(|lines| (lines.first..=lines.last).contains(&number));
    let single = lines.is_some_and(|lines| lines.first == lines.last);
    let text = text.strip_suffix('\r').unwrap_or(text);
    let quoted = match spot {
        Some(spot) => (spot.line == number).then(|| spot.bytes.clone()),
        None => single.then(|| trimmed(text)),
    };
    let kind = if lines.is_some() && !single && spot.is_none() { Kind::Meant } else { Kind::Code };
    let (cells, caret) = cells(text, quoted.as_ref());
    Row { number, kind, cells, caret }
}

/// The bytes of a line without the white space around them.
fn trimmed(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// Which lines of an excerpt are shown: of a long one those around the quote, or the two ends of the lines that are
/// meant; of every one, no empty lines at its ends.
fn shown(excerpt: &Excerpt, lines: Option<Lines>, spot: Option<&Spot>) -> impl Fn(u32) -> bool {
    let around = |first: u32, last: u32| first.saturating_sub(2)..=last.saturating_add(2);
    let parts = match (spot, lines) {
        _ if excerpt.lines.len() <= WHOLE => vec![0..=u32::MAX],
        (Some(spot), _) => vec![around(spot.line, spot.line)],
        (None, Some(Lines { first, last })) => {
            vec![around(first, last.min(first.saturating_add(3))), around(last, last)]
        }
        (None, None) => vec![around(excerpt.first_line, excerpt.first_line.saturating_add(6))],
    };
    let meant = |number: &u32| lines.is_some_and(|lines| (lines.first..=lines.last).contains(number));
    let filled = (excerpt.first_line..).zip(&excerpt.lines).filter(|(n, text)| meant(n) || !text.trim().is_empty());
    let mut filled = filled.map(|(number, _)| number);
    let first = filled.next();
    let ends = first.map(|first| first..=filled.last().unwrap_or(first));
    move |number| {
        ends.as_ref().is_some_and(|ends| ends.contains(&number)) && parts.iter().any(|part| part.contains(&number))
    }
}

/// A line's characters as they are shown, and the columns of its quoted bytes.
fn cells(text: &str, quoted: Option<&Range<usize>>) -> (Vec<Cell>, Option<Range<usize>>) {
    let (mut cells, mut column) = (Vec::new(), 0);
    let mut caret: Option<Range<usize>> = None;
    for (at, piece) in pieces(text).take(LONGEST) {
        let mut shown = String::new();
        match piece {
            Piece::Plain('\t') => shown = " ".repeat(TAB - column % TAB),
            other => other.push_to(&mut shown),
        }
        let width = match piece {
            Piece::Plain(c) if c != '\t' => c.width().unwrap_or(0),
            _ => shown.width(),
        };
        if quoted.is_some_and(|quoted| quoted.contains(&at)) {
            let start = caret.as_ref().map_or(column, |caret| caret.start);
            caret = Some(start..column + width);
        }
        let blank = matches!(piece, Piece::Plain(c) if c.is_whitespace());
        cells.push(Cell { column, width, text: shown, blank });
        column += width;
    }
    (cells, caret)
}

/// The columns that are shown of every row. Where a row is too wide, the indentation that all share goes first; then
/// the window moves on until it holds the caret.
fn window(rows: &[Row], room: usize) -> Range<usize> {
    let widest = rows.iter().map(Row::width).max().unwrap_or(0);
    if widest <= room {
        return 0..room;
    }
    let indent = rows.iter().filter_map(Row::indent).min().unwrap_or(0);
    let pointed = rows.iter().find_map(|row| Some((row.caret.clone()?, row.width())));
    let start = match pointed {
        Some((caret, _)) if caret.end.min(caret.start + room / 2) <= indent + room - CUT.len() => indent,
        Some((caret, width)) => caret.start.saturating_sub(room / 3).min(width.saturating_sub(room)).max(indent),
        None => indent,
    };
    start..start + room
}

fn draw_row(page: &mut Page, row: &Row, gutter: usize, window: &Range<usize>, level: Severity) {
    let text = visible(row, window);
    let number = format!("{:>gutter$} ", row.number);
    let (number, bar, style) = match row.kind {
        Kind::Code => (number, "|", FAINT),
        Kind::Meant => (number, ">", severity(level)),
        Kind::Suggested => (" ".repeat(gutter + 1), "+", GOOD),
    };
    page.line(&[(FAINT, &number), (style, bar), (Style::new(), " "), (Style::new(), &text)]);
    let Some(caret) = &row.caret else { return };
    let from = caret.start.clamp(window.start, window.end) - window.start;
    let to = caret.end.clamp(window.start, window.end) - window.start;
    if from < to {
        let frame = format!("{:gutter$} | {:from$}", "", "");
        page.line(&[(FAINT, &frame), (severity(level), &"^".repeat(to - from))]);
    }
}

/// The part of a row inside the window, with dots at each end where text is cut off.
fn visible(row: &Row, window: &Range<usize>) -> String {
    let hidden_left = row.indent().is_some_and(|indent| indent < window.start);
    let hidden_right = row.width() > window.end;
    let start = window.start + if hidden_left { CUT.len() } else { 0 };
    let end = window.end - if hidden_right { CUT.len() } else { 0 };
    let mut text = String::from(if hidden_left { CUT } else { "" });
    let mut column = start;
    for cell in row.cells.iter().filter(|cell| cell.column >= start && cell.column + cell.width <= end) {
        // A wide character that stands across the edge leaves a gap.
        text += &" ".repeat(cell.column.saturating_sub(column));
        text += &cell.text;
        column = cell.column + cell.width;
    }
    if hidden_right { text + CUT } else { text }
}

fn bar(page: &mut Page, gutter: usize) {
    page.line(&[(FAINT, &format!("{:gutter$} |", ""))]);
}
