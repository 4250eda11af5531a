//! Stage 5, filter: suppressions, the floor of confidence, and what earlier iterations settled.

use crate::finding::Basis;
use crate::memory::{History, Recall};
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
    let (matcher, history) = (Matcher::new(suppressions), History::new(subject));
    let (mut kept, mut aside) = (Vec::with_capacity(judged.len()), Vec::new());
    for mut judged in judged {
        let past = history.recall(&settings.memory, &judged);
        judged.seen = past.seen();
        let suppressed = matcher.hides(&judged).map(suppressed);
        match suppressed.or_else(|| settled(settings, &past, &judged)).or_else(|| unsure(subject, settings, &judged)) {
            Some(reason) => aside.push(SetAside { judged, stage: Stage::Filter, reason }),
            None => kept.push(judged),
        }
    }
    (kept, aside)
}

fn suppressed(by: &Suppression) -> String {
    let reason = if by.reason.is_empty() { String::new() } else { format!(": {}", by.reason) };
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
        Recall::FixFailed(past) if settings.memory.rule == MemoryRule::Cosine => {
            Some(format!("the same as one that was addressed in iteration {}", past.iteration))
        }
        _ => None,
    }
}

fn unsure(subject: &Subject, settings: &Settings, judged: &Judged) -> Option<String> {
    let floor = settings.filter.min_confidence;
    let late = subject.iteration.saturating_add(1) >= settings.filter.from_iteration;
    let unsure = judged.finding.basis == Basis::Judgement && judged.finding.confidence < floor;
    (late && unsure).then(|| format!("confidence {} is under {floor}", judged.finding.confidence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suppress::Target;
    use crate::testing::{finding, judged, subject};

    /// What happens to one finding: `kept` with its mark, or the reason why not.
    fn check(
        iteration: u32,
        past: Option<PastOutcome>,
        settings: &Settings,
        change: impl Fn(&mut Judged),
        expect: &str,
    ) {
        let mut subject = subject(Vec::new());
        subject.iteration = iteration;
        let past = past.map(|outcome| Past { iteration: 0, finding: finding("the cache is never emptied"), outcome });
        subject.history = past.into_iter().collect();
        let mut one = judged("the cache is never emptied");
        one.fingerprint = "f".to_owned();
        change(&mut one);
        let hide = Suppression {
            target: Target::Fingerprint("hidden".to_owned()),
            reason: "known".to_owned(),
            origin: "baseline".to_owned(),
        };
        let (kept, aside) = filter(&subject, settings, &[hide], vec![one]);
        let said = kept.first().map(|j| format!("kept {:?}", j.seen)).or(aside.first().map(|s| s.reason.clone()));
        assert_eq!(said.as_deref(), Some(expect));
    }

    #[test]
    fn table() {
        let (now, then) = (Settings::default(), Settings::as_specified());
        let unsure = |j: &mut Judged| j.finding.confidence = 69;
        check(0, None, &now, unsure, "kept New");
        check(1, None, &now, unsure, "confidence 69 is under 70");
        check(1, None, &now, |j| (unsure(j), j.finding.basis = Basis::Check).1, "kept New");
        check(0, None, &now, |j| j.fingerprint = "hidden".to_owned(), "suppressed by baseline: known");
        check(1, Some(PastOutcome::Open), &now, |_| (), "kept Open");
        check(1, Some(PastOutcome::Fixed), &now, |_| (), "kept FixFailed");
        check(1, Some(PastOutcome::Fixed), &then, |_| (), "the same as one that was addressed in iteration 0");
        check(
            1,
            Some(PastOutcome::Declined("by design".to_owned())),
            &now,
            |_| (),
            "turned down in iteration 0: by design",
        );
        let declined = || Some(PastOutcome::Declined("no".to_owned()));
        check(1, declined(), &now, |j| j.finding.basis = Basis::Execution, "kept New");
        check(1, declined(), &now, |j| j.finding.claim = "the lock is held too long".to_owned(), "kept New");
    }
}
