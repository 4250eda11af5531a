//! Stage 2, guard: drops what is not about this subject.

use crate::finding::{Basis, Finding};
use crate::index::SubjectIndex;
use crate::locate::Located;
use crate::outcome::{Place, SetAside, Stage};
use crate::settings::{Guard, GuardRule};
use crate::subject::Mode;
use crate::text;

/// Parts findings that are about the subject from those that are not. The order is kept.
#[must_use]
pub fn guard(
    index: &SubjectIndex,
    mode: Mode,
    settings: &Guard,
    located: Vec<Located>,
) -> (Vec<Located>, Vec<SetAside>) {
    let (mut kept, mut aside) = (Vec::with_capacity(located.len()), Vec::new());
    for finding in located {
        match off_topic(index, mode, settings, &finding) {
            None => kept.push(finding),
            Some(reason) => aside.push(SetAside {
                judged: finding.into_judged(),
                stage: Stage::Guard,
                reason,
            }),
        }
    }
    (kept, aside)
}

/// Why a finding is not about the subject, if it is not.
fn off_topic(index: &SubjectIndex, mode: Mode, settings: &Guard, located: &Located) -> Option<String> {
    if exempt(mode, located) {
        return None;
    }
    let score = match settings.rule {
        GuardRule::Off => return None,
        GuardRule::Topic | GuardRule::WholeDiff => topic(index, settings, &located.finding.claim),
    };
    (!score.on_topic).then_some(score.why)
}

/// Findings that the guard's question does not fit: seen or run with certainty, about a plan or a claim, or outside of
/// the diff with a reason given.
fn exempt(mode: Mode, located: &Located) -> bool {
    let Finding { basis, evidence, .. } = &located.finding;
    let explained = located.place == Place::OutOfDiff && evidence.as_ref().is_some_and(|e| !e.trim().is_empty());
    *basis != Basis::Judgement || mode != Mode::Code || explained
}

/// What the guard makes of one claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// Whether it is about the subject.
    pub on_topic: bool,
    /// The share of the names it mentions that the subject holds; none where it mentions none. 0 to 1.
    pub named: Option<f64>,
    /// Its cosine with the hunk that is most like it. 0 to 1.
    pub cosine: f64,
    /// The judgement in words.
    pub why: String,
}

/// Judges one claim by its text alone.
#[must_use]
pub fn topic(index: &SubjectIndex, settings: &Guard, claim: &str) -> Topic {
    let claim = text::head(claim, text::MAX_CLAIM);
    let (names, words) = (text::names(claim), text::words(claim));
    let cosine = index.best_cosine(&words);
    let known = names.iter().filter(|n| index.has_token(n)).count();
    let named = (!names.is_empty()).then(|| known as f64 / names.len() as f64);
    let on_topic = match named {
        Some(share) => share >= 0.5 || cosine >= settings.min_topic_named,
        None => words.len() < settings.min_words || cosine >= settings.min_topic_plain,
    };
    let why = match named {
        Some(_) => format!(
            "not about this change: {known} of the {} names it mentions occur in it",
            names.len()
        ),
        None => format!("not about this change: likeness to the closest hunk {cosine:.2}"),
    };
    Topic {
        on_topic,
        named,
        cosine,
        why,
    }
}
