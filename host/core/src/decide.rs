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
        (false, _) if nothing_to_review(facts) => Word::NothingToReview,
        (false, _) if unexamined(facts) => Word::Incomplete,
        (false, _) => Word::Clean,
    }
}

/// Whether one finding fails a run with this gate. Advisory findings never do.
#[must_use]
pub fn holds_up(judged: &Judged, gate: Option<Severity>) -> bool {
    judged.actionable && gate.is_some_and(|gate| judged.finding.severity >= gate)
}

fn nothing_to_review(facts: &Facts<'_>) -> bool {
    facts.in_scope == 0 && facts.gaps.is_empty() && facts.lenses_failed == 0 && !facts.out_of_budget
}

fn unexamined(facts: &Facts<'_>) -> bool {
    !facts.gaps.is_empty()
        || facts.out_of_budget
        || facts.examined < facts.in_scope
        || facts.lenses_failed > 0
        || facts.lenses_done == 0
        || *facts.model == ModelUse::Unconfigured
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::narrowed::{self, Narrowed, Omission};
    use crate::testing::judged;

    const SEVERITIES: [Severity; 4] = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];

    /// Everything that a verdict depends on, owned.
    #[derive(Debug, Clone)]
    struct World {
        findings: Vec<Judged>,
        gate: Option<Severity>,
        gaps: Vec<Gap>,
        model: ModelUse,
        out_of_budget: bool,
        in_scope: usize,
        examined: usize,
        lenses_done: usize,
        lenses_failed: usize,
    }

    impl World {
        fn decide(&self) -> Word {
            decide(&Facts {
                findings: &self.findings,
                gate: self.gate,
                gaps: &self.gaps,
                model: &self.model,
                out_of_budget: self.out_of_budget,
                in_scope: self.in_scope,
                examined: self.examined,
                lenses_done: self.lenses_done,
                lenses_failed: self.lenses_failed,
            })
        }
    }

    fn clean() -> World {
        World {
            findings: Vec::new(),
            gate: Some(Severity::Medium),
            gaps: Vec::new(),
            model: ModelUse::Asked("m".to_owned()),
            out_of_budget: false,
            in_scope: 1,
            examined: 1,
            lenses_done: 1,
            lenses_failed: 0,
        }
    }

    fn severity() -> impl Strategy<Value = Severity> {
        proptest::sample::select(&SEVERITIES)
    }

    fn finding() -> impl Strategy<Value = Judged> {
        (severity(), any::<bool>()).prop_map(|(severity, actionable)| {
            let mut judged = judged("a claim");
            judged.finding.severity = severity;
            judged.actionable = actionable;
            judged
        })
    }

    fn world() -> impl Strategy<Value = World> {
        let model = prop_oneof![
            Just(ModelUse::Asked("m".to_owned())),
            Just(ModelUse::ChecksOnly),
            Just(ModelUse::Unconfigured)
        ];
        let gap = Just(Gap { what: "x".to_owned(), why: "y".to_owned() });
        let judged = proptest::collection::vec(finding(), 0..3);
        let rest = (proptest::collection::vec(gap, 0..2), model, any::<bool>());
        (judged, proptest::option::of(severity()), rest, (0..3usize, 0..3usize, 0..3usize, 0..2usize)).prop_map(
            |(findings, gate, (gaps, model, out_of_budget), (in_scope, examined, lenses_done, lenses_failed))| World {
                findings,
                gate,
                gaps,
                model,
                out_of_budget,
                in_scope,
                examined,
                lenses_done,
                lenses_failed,
            },
        )
    }

    #[test]
    fn table() {
        let word = |change: &dyn Fn(&mut World)| {
            let mut world = clean();
            change(&mut world);
            world.decide()
        };
        let found = |w: &mut World| {
            let mut judged = judged("a claim");
            (judged.actionable, judged.finding.severity) = (true, Severity::High);
            w.findings.push(judged);
        };
        assert_eq!(word(&|_| ()), Word::Clean);
        assert_eq!(word(&|w| w.model = ModelUse::ChecksOnly), Word::Clean);
        assert_eq!(word(&|w| w.model = ModelUse::Unconfigured), Word::Incomplete);
        assert_eq!(word(&|w| w.lenses_done = 0), Word::Incomplete);
        assert_eq!(word(&|w| w.lenses_failed = 1), Word::Incomplete);
        assert_eq!(word(&|w| w.examined = 0), Word::Incomplete);
        assert_eq!(word(&|w| w.out_of_budget = true), Word::Incomplete);
        assert_eq!(word(&|w| w.in_scope = 0), Word::NothingToReview);
        assert_eq!(word(&|w| found(w)), Word::Findings);
        assert_eq!(word(&|w| (found(w), w.lenses_failed = 1).1), Word::Findings);
        assert_eq!(word(&|w| (found(w), w.out_of_budget = true).1), Word::Exhausted);
        assert_eq!(word(&|w| (found(w), w.gate = Some(Severity::Critical)).1), Word::Clean);
        assert_eq!(word(&|w| (found(w), w.gate = None).1), Word::Clean);
    }

    #[test]
    fn a_gate_on_what_is_skipped_fails_a_run_that_the_project_narrowed() {
        let narrowed = |by_project| Narrowed {
            what: Omission::Files(vec!["a".to_owned()]),
            setting: "scope.ignore".to_owned(),
            origin: "a file".to_owned(),
            by_project,
        };
        let word = |by_project, in_scope| {
            World {
                gaps: narrowed::gaps(&[narrowed(by_project)]).map(|(what, why)| Gap { what, why }).collect(),
                in_scope,
                ..clean()
            }
            .decide()
        };
        assert_eq!((word(true, 1), word(true, 0)), (Word::Incomplete, Word::Incomplete));
        assert_eq!((word(false, 1), word(false, 0)), (Word::Clean, Word::NothingToReview));
    }

    proptest! {
        #[test]
        fn clean_is_said_only_when_everything_was_examined(w in world()) {
            if w.decide() == Word::Clean {
                prop_assert!(w.gaps.is_empty() && !w.out_of_budget && w.lenses_failed == 0 && w.lenses_done > 0);
                prop_assert!(w.examined >= w.in_scope && w.model != ModelUse::Unconfigured);
                prop_assert!(!w.findings.iter().any(|j| holds_up(j, w.gate)));
            }
        }

        #[test]
        fn nothing_to_review_is_said_only_of_an_empty_scope_and_exit_code_0_hides_nothing(w in world()) {
            let word = w.decide();
            if word == Word::NothingToReview {
                prop_assert!(w.in_scope == 0 && w.gaps.is_empty() && w.lenses_failed == 0);
            }
            let at_gate = w.findings.iter().any(|j| holds_up(j, w.gate));
            prop_assert_eq!(at_gate, matches!(word, Word::Findings | Word::Exhausted));
            prop_assert!(!at_gate || word.exit_code() != 0);
        }

        #[test]
        fn leaving_something_out_never_makes_a_verdict_better(w in world()) {
            let good = |word: Word| word.exit_code() == 0;
            let before = w.decide();
            for worse in [
                World { lenses_failed: w.lenses_failed + 1, ..w.clone() },
                World { gaps: vec![Gap { what: "x".to_owned(), why: "y".to_owned() }], ..w.clone() },
                World { out_of_budget: true, ..w.clone() },
                World { in_scope: w.in_scope + 1, ..w },
            ] {
                // More in scope turns "nothing to review" into a review: that is no step up.
                prop_assert!(good(before) || !good(worse.decide()));
            }
        }
    }
}
