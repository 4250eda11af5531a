//! Stage 6, classify: what keeps a change from going on, and what is only worth knowing.

use std::cmp::Reverse;

use crate::falsify::verified;
use crate::finding::{Basis, Severity};
use crate::outcome::{Judged, Seen};
use crate::settings::Settings;

/// Marks every finding as actionable or as advisory with the reason, and puts them in the order in which they are read:
/// actionable ones first, then by severity, path and line. `gate` is the severity that fails a run; none where nothing does.
pub fn classify(settings: &Settings, gate: Option<Severity>, judged: &mut [Judged]) {
    for finding in judged.iter_mut() {
        finding.advisory_because = advisory_because(settings, gate, finding);
        finding.actionable = finding.advisory_because.is_none();
    }
    judged.sort_by(|a, b| order(a).cmp(&order(b)));
}

/// Why a finding is advisory, if it is.
fn advisory_because(settings: &Settings, gate: Option<Severity>, judged: &Judged) -> Option<String> {
    let finding = &judged.finding;
    let least = gate.map_or(settings.classify.actionable_from, |g| g.min(settings.classify.actionable_from));
    if finding.severity < least {
        return Some(format!("its severity is {}", word(finding.severity)));
    }
    if !finding.load_bearing {
        return Some("the lens does not call it load-bearing".to_owned());
    }
    let floor = settings.classify.lone_confidence;
    let lone = judged.reported_by.len() < 2 && judged.seen == Seen::New;
    let unverified = !verified(&settings.falsify, &judged.verdicts);
    (finding.basis == Basis::Judgement && lone && unverified && finding.confidence < floor)
        .then(|| format!("one lens alone reports it, nobody verified it, and its confidence is {}", finding.confidence))
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    }
}

fn order(judged: &Judged) -> impl Ord + use<'_> {
    let anchor = judged.finding.anchor.as_ref();
    let place = anchor.map(|a| (a.path.as_str(), a.lines));
    (Reverse(judged.actionable), Reverse(judged.finding.severity), place, judged.fingerprint.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Verdict;
    use crate::outcome::FalsifierVerdict;
    use crate::testing::judged;

    fn check(change: impl Fn(&mut Judged), gate: Option<Severity>, expect: Option<&str>) {
        let mut one = [judged("a claim")];
        one.iter_mut().for_each(&change);
        classify(&Settings::default(), gate, &mut one);
        let [only] = one;
        assert_eq!((only.advisory_because.as_deref(), only.actionable), (expect, expect.is_none()));
    }

    #[test]
    fn table() {
        let medium = Some(Severity::Medium);
        let unsure = |j: &mut Judged| j.finding.confidence = 60;
        let lone = Some("one lens alone reports it, nobody verified it, and its confidence is 60");
        check(|_| (), medium, None);
        check(|j| j.finding.severity = Severity::Low, medium, Some("its severity is low"));
        check(|j| j.finding.severity = Severity::Low, Some(Severity::Low), None);
        check(|j| j.finding.severity = Severity::Low, None, Some("its severity is low"));
        check(|_| (), Some(Severity::Critical), None);
        check(|j| j.finding.load_bearing = false, medium, Some("the lens does not call it load-bearing"));
        check(unsure, medium, lone);
        check(|j| (unsure(j), j.reported_by.push("other".to_owned())).1, medium, None);
        check(|j| (unsure(j), j.finding.basis = Basis::Check).1, medium, None);
        check(|j| (unsure(j), j.seen = Seen::FixFailed).1, medium, None);
        let stands = |falsifier: &str| FalsifierVerdict { falsifier: falsifier.to_owned(), verdict: Verdict::Stands };
        check(|j| (unsure(j), j.verdicts.push(stands("skeptic"))).1, medium, None);
        check(|j| (unsure(j), j.verdicts.push(stands("grounding"))).1, medium, lone);
    }

    #[test]
    fn actionable_ones_come_first_then_the_gravest() {
        let with = |claim: &str, severity, load_bearing| {
            let mut j = judged(claim);
            (j.finding.severity, j.finding.load_bearing) = (severity, load_bearing);
            j
        };
        let mut all = [
            with("advisory", Severity::Critical, false),
            with("medium", Severity::Medium, true),
            with("high", Severity::High, true),
        ];
        classify(&Settings::default(), Some(Severity::Medium), &mut all);
        assert_eq!(all.map(|j| j.finding.claim), ["high", "medium", "advisory"]);
    }
}
