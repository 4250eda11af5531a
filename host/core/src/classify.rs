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
    let least = gate.map_or(settings.classify.actionable_from, |g| {
        g.min(settings.classify.actionable_from)
    });
    if finding.severity < least {
        return Some(format!("its severity is {}", word(finding.severity)));
    }
    if !finding.load_bearing {
        return Some("the lens does not call it load-bearing".to_owned());
    }
    let floor = settings.classify.lone_confidence;
    let lone = judged.reported_by.len() < 2 && judged.seen == Seen::New;
    let unverified = !verified(&settings.falsify, &judged.verdicts);
    (finding.basis == Basis::Judgement && lone && unverified && finding.confidence < floor).then(|| {
        format!(
            "one lens alone reports it, nobody verified it, and its confidence is {}",
            finding.confidence
        )
    })
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
    (
        Reverse(judged.actionable),
        Reverse(judged.finding.severity),
        place,
        judged.fingerprint.as_str(),
    )
}
