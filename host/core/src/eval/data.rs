//! The records of a data set, as the caller read them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::diff;
use crate::finding::{Anchor, Basis, Finding, Lines, Reach, Severity, Side};
use crate::locate::{Located, Reported};
use crate::outcome::Place;
use crate::subject::{Mode, Subject};

/// Recorded findings of real reviewers, with labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dataset {
    /// By change: its unified diff.
    pub changes: BTreeMap<String, String>,
    /// The lines of `findings.jsonl`.
    pub findings: Vec<FindingRecord>,
    /// The lines of `ratings.jsonl`.
    pub ratings: Vec<RatingRecord>,
}

/// One recorded finding.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FindingRecord {
    /// Which benchmark it is from.
    pub set: String,
    /// Which change it is about.
    pub change: String,
    /// Who said it.
    pub reviewer: String,
    /// What was said.
    pub claim: String,
    /// Whether it is right.
    pub label: bool,
    /// Who graded it, where there are several.
    #[serde(default)]
    pub judge: Option<String>,
    /// The known bug that it names.
    #[serde(default)]
    pub golden: Option<String>,
    /// The file, where one is recorded.
    #[serde(default)]
    pub path: Option<String>,
    /// Which side of the change.
    #[serde(default)]
    pub side: Option<Side>,
    /// The first line.
    #[serde(default)]
    pub line: Option<u32>,
    /// The last line.
    #[serde(default)]
    pub end_line: Option<u32>,
}

/// One rated claim about one hunk.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RatingRecord {
    /// The hunk.
    pub diff: String,
    /// Who said it; `knn_pred` is off topic by construction.
    pub reviewer: String,
    /// What was said.
    pub claim: String,
    /// 1 to 5.
    pub relevance: f64,
}

impl Dataset {
    /// Every change, read.
    pub(super) fn subjects(&self) -> BTreeMap<&str, Subject> {
        self.changes.iter().map(|(change, diff)| (change.as_str(), subject(diff))).collect()
    }

    /// The grader who graded the most reviewers; of equals the first by name.
    pub(super) fn headline_judge(&self) -> Option<String> {
        let mut graded = BTreeMap::<&str, BTreeSet<&str>>::new();
        for finding in &self.findings {
            finding.judge.iter().for_each(|judge| _ = graded.entry(judge).or_default().insert(&finding.reviewer));
        }
        let most = graded.iter().rev().max_by_key(|(_, reviewers)| reviewers.len());
        most.map(|(judge, _)| (*judge).to_owned())
    }

    pub(super) fn judges(&self) -> BTreeSet<String> {
        self.findings.iter().filter_map(|f| f.judge.clone()).collect()
    }

    pub(super) fn sets(&self) -> BTreeSet<&str> {
        self.findings.iter().map(|f| f.set.as_str()).collect()
    }

    /// The findings of one grader, by change.
    pub(super) fn by_change(&self, judge: Option<&str>) -> BTreeMap<&str, Vec<&FindingRecord>> {
        let mut runs = BTreeMap::<&str, Vec<&FindingRecord>>::new();
        for finding in self.findings.iter().filter(|f| f.judge.is_some() && f.judge.as_deref() == judge) {
            runs.entry(&finding.change).or_default().push(finding);
        }
        runs
    }
}

/// The repository of a change: its name without what stands behind `-pull-`.
#[must_use]
pub fn repository(change: &str) -> &str {
    change.rsplit_once("-pull-").map_or(change, |(repository, _)| repository)
}

/// Whether two repositories hold the same project: the last part of one's name (four letters at least) stands in the
/// other's, as in `acme-kettle` and `someone-kettle-copy`.
pub(super) fn related(a: &str, b: &str) -> bool {
    let names = |a: &str, b: &str| {
        let last = a.rsplit('-').next().unwrap_or(a);
        last.len() > 3 && b.split('-').any(|part| part == last)
    };
    a == b || names(a, b) || names(b, a)
}

pub(super) fn subject(diff: &str) -> Subject {
    Subject {
        mode: Mode::Code,
        iteration: 0,
        scope: String::new(),
        branch: None,
        files: diff::parse(diff),
        documents: Vec::new(),
        claims: Vec::new(),
        history: Vec::new(),
    }
}

impl FindingRecord {
    /// The finding as a lens would have reported it.
    pub(super) fn reported(&self) -> Reported {
        let lines = self.line.map(|first| Lines { first, last: self.end_line.unwrap_or(first) });
        let anchor = self.path.clone().map(|path| Anchor {
            path,
            side: self.side.unwrap_or(Side::New),
            lines,
            quote: None,
            section: None,
        });
        Reported { lens: self.reviewer.clone(), finding: finding(&self.claim, anchor) }
    }

    /// The finding without its place.
    pub(super) fn located(&self) -> Located {
        Located {
            lens: self.reviewer.clone(),
            finding: finding(&self.claim, None),
            place: Place::Whole,
            fingerprint: String::new(),
            excerpt: None,
        }
    }
}

fn finding(claim: &str, anchor: Option<Anchor>) -> Finding {
    Finding {
        claim: claim.to_owned(),
        category: String::new(),
        severity: Severity::Medium,
        confidence: 50,
        load_bearing: true,
        basis: Basis::Judgement,
        anchor,
        evidence: None,
        fix_hint: None,
        replacement: None,
        reach: Reach::Tactical,
    }
}
