//! One finding a line, for `grep` and editors: `path:line:column: severity category: claim [lenses, confidence]`.
//!
//! The shape of these lines is stable. What was not reviewed stands on lines of its own, and the closing line is last.

use review_loop_core::outcome::{Judged, Outcome};

use super::place::{lost_path, position};
use super::words::{self, severity_word};
use crate::ui::sanitise::{inert_start, name, one_line};

pub(super) fn render(outcome: &Outcome) -> String {
    let findings = outcome.findings.iter().map(line);
    let failures = words::failures(outcome).map(|(component, failure)| {
        format!("not reviewed: {}: {}: {}", name(&component.id), failure.phase, one_line(&failure.reason))
    });
    let gaps = outcome.gaps.iter().filter(|gap| !words::is_failure(outcome, &gap.what));
    let gaps = gaps.map(|gap| format!("not reviewed: {}: {}", name(&gap.what), one_line(&gap.why)));
    let narrowed = outcome.narrowed.iter().map(|one| format!("left out: {}: {}", one.what, one.why()));
    let notices = outcome.notices.iter().map(|notice| format!("settings: {notice}"));
    let rest = failures.chain(gaps).chain(narrowed).chain(notices);
    let lines = findings.chain(rest).chain([words::closing(outcome)]);
    // Each part is one line already; together they may hold what none holds alone.
    lines.map(|line| inert_start(&one_line(&line)).into_owned() + "\n").collect()
}

fn line(judged: &Judged) -> String {
    let finding = &judged.finding;
    let lenses = if judged.reported_by.is_empty() { judged.lens.clone() } else { judged.reported_by.join("+") };
    format!(
        "{}{}: {} {}: {} [{}, {}{}]",
        position(judged),
        if lost_path(judged).is_some() { " (no such file was found)" } else { "" },
        severity_word(finding.severity),
        one_line(&finding.category),
        one_line(finding.claim.trim()),
        one_line(&lenses),
        finding.confidence,
        if judged.actionable { "" } else { ", advisory" },
    )
}
