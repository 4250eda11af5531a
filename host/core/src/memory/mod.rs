//! What earlier iterations found, held against what is found now.
//!
//! A finding is the same as an earlier one where their words are alike enough; how much is enough depends on how their
//! places stand to each other. Lines move between iterations, so a line counts only beside the rest.

#[cfg(test)]
mod cases;

use std::collections::BTreeMap;

use crate::finding::{Anchor, Finding};
use crate::outcome::{Judged, Seen};
use crate::settings::{Memory, MemoryRule};
use crate::subject::{Past, PastOutcome, Subject};
use crate::text;

/// What an earlier iteration says about a finding of this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recall<'a> {
    /// Nothing like it was found before.
    New,
    /// It was found before and is still open.
    Open(&'a Past),
    /// It was mended, and is still there.
    FixFailed(&'a Past),
    /// It was turned down or disproved before: not to be told again.
    Settled(&'a Past),
}

/// Everything that earlier iterations found, prepared for looking up.
#[derive(Debug, Clone, Default)]
pub struct History<'a> {
    past: Vec<(&'a Past, Words)>,
    /// The path after the change, by the path before it.
    renamed: BTreeMap<&'a str, &'a str>,
}

/// How often every word stands in a claim.
type Words = BTreeMap<String, f64>;

impl<'a> History<'a> {
    /// Reads the history of a subject once.
    #[must_use]
    pub fn new(subject: &'a Subject) -> Self {
        let renamed = subject.files.iter().filter_map(|f| Some((f.old_path.as_deref()?, f.path.as_str())));
        let past = subject.history.iter().map(|past| (past, words(&past.finding.claim)));
        Self { past: past.collect(), renamed: renamed.collect() }
    }

    /// Looks for a finding among the earlier ones: the likest that is like enough; of equals the latest.
    #[must_use]
    pub fn recall(&self, settings: &Memory, judged: &Judged) -> Recall<'a> {
        if self.past.is_empty() {
            return Recall::New;
        }
        let now = words(&judged.finding.claim);
        let alike = |(past, words): &(&'a Past, Words)| {
            let likeness = cosine(words, &now);
            let needed = self.needed(settings, &past.finding, &judged.finding);
            (likeness >= needed).then_some((likeness - needed, *past))
        };
        let best = self.past.iter().filter_map(alike);
        match best.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.iteration.cmp(&b.1.iteration))) {
            None => Recall::New,
            Some((_, past)) => match past.outcome {
                PastOutcome::Open => Recall::Open(past),
                PastOutcome::Fixed => Recall::FixFailed(past),
                PastOutcome::Declined(_) | PastOutcome::Falsified(_) => Recall::Settled(past),
            },
        }
    }

    /// How alike two findings must be to be the same.
    fn needed(&self, settings: &Memory, past: &Finding, now: &Finding) -> f64 {
        match (settings.rule, &past.anchor, &now.anchor) {
            (MemoryRule::Combined, Some(a), Some(b)) if !self.same_file(a, b) => settings.other_file_at,
            (MemoryRule::Combined, Some(a), Some(b)) if past.category == now.category && same_place(a, b) => {
                settings.same_place_at
            }
            _ => settings.same_at,
        }
    }

    fn same_file(&self, past: &Anchor, now: &Anchor) -> bool {
        past.path == now.path || self.renamed.get(past.path.as_str()) == Some(&now.path.as_str())
    }
}

impl Recall<'_> {
    /// The mark that a finding carries for it.
    #[must_use]
    pub fn seen(&self) -> Seen {
        match self {
            Recall::New | Recall::Settled(_) => Seen::New,
            Recall::Open(_) => Seen::Open,
            Recall::FixFailed(_) => Seen::FixFailed,
        }
    }
}

/// No further apart than this many lines is the same place, edits between two iterations included.
const SAME_PLACE: u32 = 10;

/// Whether two places in one file are the same: one text, or lines that are close.
fn same_place(past: &Anchor, now: &Anchor) -> bool {
    let quote = |a: &Anchor| a.quote.as_deref().map(text::fold).filter(|q| !q.is_empty());
    let close = past
        .lines
        .zip(now.lines)
        .is_some_and(|(a, b)| a.first.saturating_sub(b.last).max(b.first.saturating_sub(a.last)) <= SAME_PLACE);
    close || quote(past).is_some() && quote(past) == quote(now)
}

fn words(claim: &str) -> Words {
    let mut counts = Words::new();
    for word in text::words(text::head(claim, text::MAX_CLAIM)) {
        *counts.entry(word).or_default() += 1.0;
    }
    counts.values_mut().for_each(|n| *n = 1.0 + n.ln());
    counts
}

fn cosine(a: &Words, b: &Words) -> f64 {
    let length = |v: &Words| v.values().map(|x| x * x).sum::<f64>().sqrt();
    let dot: f64 = a.iter().filter_map(|(word, x)| b.get(word).map(|y| x * y)).sum();
    if dot == 0.0 { 0.0 } else { dot / (length(a) * length(b)) }
}
