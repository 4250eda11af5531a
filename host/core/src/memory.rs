//! What earlier iterations found, held against what is found now.

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

/// Looks for a finding among the earlier ones: the likest that is like enough, of equals the latest.
#[must_use]
pub fn recall<'a>(settings: &Memory, subject: &'a Subject, judged: &Judged) -> Recall<'a> {
    let like = |past: &&Past| likeness(settings, subject, &past.finding, &judged.finding);
    let best = subject
        .history
        .iter()
        .filter_map(|past| like(&past).map(|score| (score, past)))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.iteration.cmp(&b.1.iteration)));
    match best {
        None => Recall::New,
        Some((_, past)) => match past.outcome {
            PastOutcome::Open => Recall::Open(past),
            PastOutcome::Fixed => Recall::FixFailed(past),
            PastOutcome::Declined(_) | PastOutcome::Falsified(_) => Recall::Settled(past),
        },
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

/// How alike two findings are, where that is enough to call them the same.
fn likeness(settings: &Memory, subject: &Subject, past: &Finding, now: &Finding) -> Option<f64> {
    let score = cosine(&past.claim, &now.claim);
    let same_place =
        settings.rule == MemoryRule::Combined && same_file(subject, past.anchor.as_ref(), now.anchor.as_ref());
    let enough = if same_place {
        settings.same_place_at
    } else {
        settings.same_at
    };
    (score >= enough).then_some(score)
}

fn same_file(subject: &Subject, past: Option<&Anchor>, now: Option<&Anchor>) -> bool {
    let (Some(past), Some(now)) = (past, now) else {
        return false;
    };
    past.path == now.path
        || subject
            .files
            .iter()
            .any(|f| f.path == now.path && f.old_path.as_deref() == Some(past.path.as_str()))
}

fn cosine(a: &str, b: &str) -> f64 {
    let count = |claim: &str| {
        let mut counts = BTreeMap::<String, f64>::new();
        text::words(text::head(claim, text::MAX_CLAIM))
            .into_iter()
            .for_each(|w| *counts.entry(w).or_default() += 1.0);
        counts
    };
    let (a, b) = (count(a), count(b));
    let norm = |v: &BTreeMap<String, f64>| v.values().map(|x| x * x).sum::<f64>().sqrt();
    let dot: f64 = a.iter().filter_map(|(w, x)| b.get(w).map(|y| x * y)).sum();
    if dot == 0.0 { 0.0 } else { dot / (norm(&a) * norm(&b)) }
}
