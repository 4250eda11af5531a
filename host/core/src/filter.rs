//! Stage 5, filter: suppressions, the floor of confidence, and what earlier iterations settled.

use crate::finding::Basis;
use crate::memory::{Recall, recall};
use crate::outcome::{Judged, SetAside, Stage};
use crate::settings::{MemoryRule, Settings};
use crate::subject::{Past, PastOutcome, Subject};
use crate::suppress::{Matcher, Suppression};

/// Drops what is suppressed, too unsure, or settled before; marks what was found before. What a program's run showed is
/// only dropped by a suppression.
#[must_use]
pub fn filter(
    subject: &Subject,
    settings: &Settings,
    suppressions: &[Suppression],
    judged: Vec<Judged>,
) -> (Vec<Judged>, Vec<SetAside>) {
    let matcher = Matcher::new(suppressions);
    let (mut kept, mut aside) = (Vec::with_capacity(judged.len()), Vec::new());
    for mut judged in judged {
        let past = recall(&settings.memory, subject, &judged);
        judged.seen = past.seen();
        let suppressed = matcher.hides(&judged).map(suppressed);
        match suppressed
            .or_else(|| settled(settings, &past, &judged))
            .or_else(|| unsure(subject, settings, &judged))
        {
            Some(reason) => aside.push(SetAside {
                judged,
                stage: Stage::Filter,
                reason,
            }),
            None => kept.push(judged),
        }
    }
    (kept, aside)
}

fn suppressed(by: &Suppression) -> String {
    let reason = if by.reason.is_empty() {
        String::new()
    } else {
        format!(": {}", by.reason)
    };
    format!("suppressed by {}{reason}", by.origin)
}

fn settled(settings: &Settings, recall: &Recall<'_>, judged: &Judged) -> Option<String> {
    if judged.finding.basis == Basis::Execution {
        return None;
    }
    match recall {
        Recall::Settled(Past { iteration, outcome, .. }) => Some(match outcome {
            PastOutcome::Declined(why) => format!("turned down in iteration {iteration}: {why}"),
            PastOutcome::Falsified(why) => format!("disproved in iteration {iteration}: {why}"),
            PastOutcome::Open | PastOutcome::Fixed => return None,
        }),
        Recall::FixFailed(past) if settings.memory.rule == MemoryRule::Cosine => Some(format!(
            "the same as one that was addressed in iteration {}",
            past.iteration
        )),
        _ => None,
    }
}

fn unsure(subject: &Subject, settings: &Settings, judged: &Judged) -> Option<String> {
    let floor = settings.filter.min_confidence;
    let late = subject.iteration.saturating_add(1) >= settings.filter.from_iteration;
    let unsure = judged.finding.basis == Basis::Judgement && judged.finding.confidence < floor;
    (late && unsure).then(|| format!("confidence {} is under {floor}", judged.finding.confidence))
}
