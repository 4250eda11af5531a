//! Stage 7, decide: one word out of everything that happened.

use crate::finding::Severity;
use crate::outcome::{Gap, Judged, ModelUse, Word};

/// Everything that the verdict depends on.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// What is left on the list, classified.
    pub findings: &'a [Judged],
    /// The severity that fails a run; none where nothing does.
    pub gate: Option<Severity>,
    /// What was in scope and was not examined.
    pub gaps: &'a [Gap],
    /// Which model looked.
    pub model: &'a ModelUse,
    /// Whether a budget or a limit ended the review before it was done.
    pub out_of_budget: bool,
    /// Changed files (documents, claims) in scope, those left out by rule not counted.
    pub in_scope: usize,
    /// How many of those every lens that was to look at them has looked at.
    pub examined: usize,
    /// Lenses that ended with a report.
    pub lenses_done: usize,
    /// Lenses that were to run and ended without one.
    pub lenses_failed: usize,
}

/// The verdict.
///
/// | in scope | findings at the gate | budget spent | anything unexamined | word            |
/// |----------|----------------------|--------------|---------------------|-----------------|
/// | none     | none                 | no           | no                  | NothingToReview |
/// | any      | some                 | yes          | any                 | Exhausted       |
/// | any      | some                 | no           | any                 | Findings        |
/// | any      | none                 | any          | yes                 | Incomplete      |
/// | some     | none                 | no           | no                  | Clean           |
///
/// Unexamined is: a gap, a file that was not looked at, a lens without a report, no lens at all, no model where one was
/// to be asked, a spent budget.
#[must_use]
pub fn decide(facts: &Facts<'_>) -> Word {
    let at_gate = facts.findings.iter().any(|j| holds_up(j, facts.gate));
    match (at_gate, facts.out_of_budget) {
        (true, true) => Word::Exhausted,
        (true, false) => Word::Findings,
        (false, _) if facts.in_scope == 0 && facts.gaps.is_empty() && !facts.out_of_budget => Word::NothingToReview,
        (false, _) if unexamined(facts) => Word::Incomplete,
        (false, _) => Word::Clean,
    }
}

/// Whether one finding fails a run with this gate. Advisory findings never do.
#[must_use]
pub fn holds_up(judged: &Judged, gate: Option<Severity>) -> bool {
    judged.actionable && gate.is_some_and(|gate| judged.finding.severity >= gate)
}

fn unexamined(facts: &Facts<'_>) -> bool {
    !facts.gaps.is_empty()
        || facts.out_of_budget
        || facts.examined < facts.in_scope
        || facts.lenses_failed > 0
        || facts.lenses_done == 0
        || *facts.model == ModelUse::Unconfigured
}
