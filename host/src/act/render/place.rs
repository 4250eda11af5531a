//! Where exactly a finding points: the column of its quoted text, and how a place is written.

use std::ops::Range;

use review_loop_core::finding::Side;
use review_loop_core::outcome::{Judged, Place};

use crate::ui::sanitise::name;

/// Quoted text, found in the excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    /// The line, 1-based.
    pub(super) line: u32,
    /// The first character, 1-based, in characters.
    pub(super) column: u32,
    /// The character after the last one.
    pub(super) end_column: u32,
    /// The same, as bytes of the line.
    pub(super) bytes: Range<usize>,
}

/// Finds a finding's quote in its own lines. None where it quotes nothing, or more than a part of one line.
pub(super) fn spot(judged: &Judged) -> Option<Spot> {
    let anchor = judged.finding.anchor.as_ref()?;
    let (excerpt, lines) = (judged.excerpt.as_ref()?, anchor.lines?);
    let quote = anchor.quote.as_deref()?.trim();
    if quote.is_empty() || quote.contains('\n') {
        return None;
    }
    let numbered = (excerpt.first_line..).zip(&excerpt.lines);
    numbered.filter(|(line, _)| (lines.first..=lines.last).contains(line)).find_map(|(line, text)| {
        let start = text.find(quote)?;
        let column = characters(text.get(..start)?) + 1;
        Some(Spot { line, column, end_column: column + characters(quote), bytes: start..start + quote.len() })
    })
}

/// `path:line:column`, as far as it is known: the form that terminals and editors make a link of.
pub(super) fn position(judged: &Judged) -> String {
    let Some(anchor) = &judged.finding.anchor else {
        return "(the change as a whole)".to_owned();
    };
    let path = name(&anchor.path);
    match (spot(judged), anchor.lines) {
        (Some(spot), _) => format!("{path}:{}:{}", spot.line, spot.column),
        (None, Some(lines)) if judged.place != Place::FileOnly => format!("{path}:{}", lines.first),
        _ => path,
    }
}

/// The path of a finding whose file is neither in the change nor among its sources.
pub(super) fn lost_path(judged: &Judged) -> Option<&str> {
    let anchor = judged.finding.anchor.as_ref().filter(|_| judged.place == Place::Whole)?;
    Some(&anchor.path)
}

/// What a reader must know of the place beside its position; empty where there is nothing.
pub(super) fn remark(judged: &Judged) -> String {
    let Some(anchor) = &judged.finding.anchor else {
        return String::new();
    };
    let mut remarks = Vec::new();
    if let Some(section) = &anchor.section {
        remarks.push(format!("under \"{section}\""));
    }
    if anchor.side == Side::Old {
        remarks.push("before the change".to_owned());
    }
    match judged.place {
        Place::OutOfDiff => remarks.push("outside the changed lines".to_owned()),
        Place::FileOnly if anchor.quote.is_some() => remarks.push("the quoted text is not there".to_owned()),
        Place::Whole => remarks.push("no such file was found".to_owned()),
        Place::FileOnly | Place::InDiff => {}
    }
    remarks.join(", ")
}

fn characters(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}
