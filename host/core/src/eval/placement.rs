//! Placement: how recorded anchors land in their changes, and whether quotes bring back lines that are off.

use std::collections::BTreeMap;

use serde::Serialize;

use super::data::{Dataset, FindingRecord, repository};
use super::{round, share};
use crate::finding::{Lines, Side};
use crate::locate::{Reported, SourceTexts, locate};
use crate::outcome::Place;
use crate::subject::Subject;

/// Where recorded anchors land. There are no sources in a data set: the lines of the hunks are all there is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlacementReport {
    /// Of the anchors, how many touch a hunk of their change.
    pub in_hunk: f64,
    /// Of the anchors, how many keep only their file: the change holds no such line.
    pub file_only: f64,
    /// Of the anchors, how many name a file that the change does not hold.
    pub no_such_file: f64,
    /// How many anchors.
    pub anchors: usize,
    /// Of the anchors in a hunk, said `SHIFT` lines too low with the text of their true line as the quote: how many come
    /// back to that line.
    pub corrected: f64,
    /// By how many lines those were corrected, on average.
    pub corrected_by: f64,
    /// By repository: how many touch a hunk.
    pub by_repository: BTreeMap<String, f64>,
}

/// How far off a said line is made.
const SHIFT: u32 = 7;

pub(super) fn measure(data: &Dataset, subjects: &BTreeMap<&str, Subject>) -> PlacementReport {
    let mut by_place = BTreeMap::<&str, usize>::new();
    let mut homes = BTreeMap::<String, (usize, usize)>::new();
    let (mut tried, mut corrected, mut by) = (0, 0, 0u64);
    let anchored: Vec<&FindingRecord> = data.findings.iter().filter(|f| f.path.is_some()).collect();
    for finding in &anchored {
        let Some(subject) = subjects.get(finding.change.as_str()) else {
            continue;
        };
        let place = land(subject, finding.reported());
        let home = homes.entry(repository(&finding.change).to_owned()).or_default();
        home.0 += usize::from(place.0 == "in_hunk");
        home.1 += 1;
        *by_place.entry(place.0).or_default() += 1;
        if let Some(distance) = place.1.and_then(|lines| come_back(subject, finding, lines)) {
            tried += 1;
            corrected += usize::from(distance > 0);
            by += u64::from(distance);
        }
    }
    let part = |name: &str| share(by_place.get(name).copied().unwrap_or(0), anchored.len());
    PlacementReport {
        in_hunk: part("in_hunk"),
        file_only: part("file_only"),
        no_such_file: part("no_such_file"),
        anchors: anchored.len(),
        corrected: share(corrected, tried),
        corrected_by: round(by as f64 / corrected.max(1) as f64),
        by_repository: homes.into_iter().map(|(home, (inside, all))| (home, share(inside, all))).collect(),
    }
}

/// Where a finding lands, and at which lines where in a hunk.
fn land(subject: &Subject, reported: Reported) -> (&'static str, Option<Lines>) {
    let (located, _) = locate(subject, &SourceTexts::default(), vec![reported]);
    match located.first() {
        None => ("no_such_file", None),
        Some(l) if l.place == Place::InDiff => ("in_hunk", l.finding.anchor.as_ref().and_then(|a| a.lines)),
        Some(l) if l.place == Place::OutOfDiff => ("out_of_diff", None),
        Some(_) => ("file_only", None),
    }
}

/// By how many lines a finding whose said lines are off comes back to its true first line; 0 where it does not. None
/// where that line is not in the change, or blank.
fn come_back(subject: &Subject, finding: &FindingRecord, lines: Lines) -> Option<u32> {
    let mut reported = finding.reported();
    let anchor = reported.finding.anchor.as_mut()?;
    let file = subject.files.iter().find(|f| f.path == anchor.path)?;
    let number = |l: &&crate::subject::Line| if anchor.side == Side::Old { l.old } else { l.new };
    let all = || file.hunks.iter().flat_map(|h| &h.lines);
    let text = all().find(|l| number(l) == Some(lines.first)).map(|l| l.text.clone())?;
    let off = lines.first.saturating_add(SHIFT);
    anchor.lines = Some(Lines { first: off, last: off });
    anchor.quote = Some(text).filter(|t| !t.trim().is_empty());
    anchor.quote.as_ref()?;
    let found = land(subject, reported).1?;
    Some(if found.first == lines.first { SHIFT } else { 0 })
}
