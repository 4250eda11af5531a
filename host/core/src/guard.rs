//! Stage 2, guard: drops what is not about this subject.
//!
//! The rule weighs evidence in nats. A word of the claim that stands in the subject more often than in program text at
//! large speaks for the claim, by the logarithm of how much more often. A name of code speaks for it where the subject
//! holds it and against it where not. How much evidence is asked for grows with the logarithm of the subject's size,
//! since a large subject holds most words by chance, and a little with how much specific the claim says.

use std::collections::BTreeSet;

use crate::background::share;
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
            Some(reason) => aside.push(SetAside { judged: finding.into_judged(), stage: Stage::Guard, reason }),
        }
    }
    (kept, aside)
}

/// Why a finding is not about the subject, if it is not.
fn off_topic(index: &SubjectIndex, mode: Mode, settings: &Guard, located: &Located) -> Option<String> {
    if settings.rule == GuardRule::Off || exempt(mode, located) {
        return None;
    }
    let topic = topic(index, &located.finding.claim);
    let placed = located.place == Place::InDiff;
    (!topic.holds(settings, placed)).then(|| topic.why(settings, placed))
}

/// Findings that the guard's question does not fit: seen or run with certainty, about a plan or a claim, or outside of
/// the diff with a reason given.
fn exempt(mode: Mode, located: &Located) -> bool {
    let Finding { basis, evidence, .. } = &located.finding;
    let explained = located.place == Place::OutOfDiff && evidence.as_ref().is_some_and(|e| !e.trim().is_empty());
    *basis != Basis::Judgement || mode != Mode::Code || explained
}

/// How a claim's words and names stand to a subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// Evidence of the words: the sum of the logarithms of how much more often than elsewhere they stand here. Nats.
    pub words: f64,
    /// Names of code in the claim that the subject holds.
    pub found: usize,
    /// Names of code in the claim that it does not hold.
    pub absent: Vec<String>,
    /// How much the claim says that not every claim would say. Nats.
    pub substance: f64,
    /// How many words the subject has.
    pub size: u64,
    /// How many distinct words the claim has, those of grammar left out.
    pub length: usize,
    /// The cosine of the claim and the whole subject, for the rule `whole-diff`. 0 to 1.
    pub cosine: f64,
}

/// So many occurrences are taken as seen by chance both here and elsewhere: one sighting of a rare word proves little.
const CHANCE: f64 = 0.1;
/// Words commoner than about 1 in 5,000 are nothing specific: -ln of that.
const COMMON: f64 = 8.5;
/// No single word counts for more than this, nor does a name count for less.
const SUBSTANCE_MAX: f64 = 4.5;
/// The substance of a claim of middling length.
const SUBSTANCE_USUAL: f64 = 10.0;

/// Holds one claim against a subject, by its text alone.
#[must_use]
pub fn topic(index: &SubjectIndex, claim: &str) -> Topic {
    let claim = text::head(claim, text::MAX_CLAIM);
    let all = text::words(claim);
    let cosine = index.cosine(&all);
    let words: BTreeSet<String> = all.into_iter().collect();
    let (found, absent): (Vec<String>, Vec<String>) =
        text::compounds(claim).into_iter().partition(|name| index.has_token(name));
    let specific: f64 = words.iter().map(|w| (-share(w).ln() - COMMON).clamp(0.0, SUBSTANCE_MAX)).sum();
    Topic {
        words: words.iter().map(|w| lift(index, w)).sum(),
        substance: specific + 4.0 * (found.len() + absent.len()) as f64,
        found: found.len(),
        absent,
        size: index.size(),
        length: words.len(),
        cosine,
    }
}

/// The logarithm of how much more often a word stands in the subject than its share at large has it. 0 where not more.
fn lift(index: &SubjectIndex, word: &str) -> f64 {
    let here = f64::from(index.count(word));
    let elsewhere = index.size() as f64 * share(word);
    if here == 0.0 { 0.0 } else { ((here + CHANCE) / (elsewhere + CHANCE)).ln().max(0.0) }
}

impl Topic {
    /// The evidence that the claim is about the subject. Nats; may be negative.
    #[must_use]
    pub fn evidence(&self, settings: &Guard, placed: bool) -> f64 {
        let names = settings.found_name * self.found as f64 - settings.absent_name * self.absent.len() as f64;
        self.words + names + if placed { settings.in_place } else { 0.0 }
    }

    /// The evidence that is asked for. Nothing where the subject is too small to expect any; no evidence is too little
    /// where the claim is too short to be judged by its words.
    #[must_use]
    pub fn needed(&self, settings: &Guard) -> f64 {
        if self.length < settings.min_words && self.found == 0 && self.absent.is_empty() {
            return f64::NEG_INFINITY;
        }
        let size = (self.size as f64 / settings.small_subject.max(1.0)).max(1.0).ln();
        let substance = (self.substance / SUBSTANCE_USUAL).powf(0.3).min(3.0);
        settings.needed * size * substance
    }

    /// Whether the claim is about the subject. `placed`: whether its place was found in the diff.
    #[must_use]
    pub fn holds(&self, settings: &Guard, placed: bool) -> bool {
        match settings.rule {
            GuardRule::Topic => self.evidence(settings, placed) >= self.needed(settings),
            GuardRule::WholeDiff => self.cosine >= settings.min_cosine,
            GuardRule::Off => true,
        }
    }

    fn why(&self, settings: &Guard, placed: bool) -> String {
        if settings.rule == GuardRule::WholeDiff {
            return format!("cosine with the whole diff {:.2} is under {:.2}", self.cosine, settings.min_cosine);
        }
        let (evidence, needed) = (self.evidence(settings, placed), self.needed(settings));
        let names = match self.absent.as_slice() {
            [] => String::new(),
            absent => format!("; not in it: {}", absent.iter().take(5).cloned().collect::<Vec<_>>().join(", ")),
        };
        format!("not about this change: its words and names weigh {evidence:.1} of the {needed:.1} asked for{names}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff;
    use crate::testing::{located, subject};

    /// A change to a basket, large enough that evidence is asked for.
    fn index() -> SubjectIndex {
        let line =
            |i: usize| format!("+    basket.discountTotal{i} = applyDiscount(basket.lines, voucher, shopper);\n");
        let lines: String = (0..40).map(line).collect();
        let diff = format!("--- a/shop/basket.ts\n+++ b/shop/basket.ts\n@@ -0,0 +1,40 @@\n{lines}");
        SubjectIndex::new(&subject(diff::parse(&diff)))
    }

    fn kept(located: Located) -> bool {
        let (kept, aside) = guard(&index(), Mode::Code, &Guard::default(), vec![located]);
        assert_eq!(kept.len() + aside.len(), 1);
        aside.iter().for_each(|s| assert!(s.reason.starts_with("not about this change"), "{}", s.reason));
        kept.len() == 1
    }

    const FOREIGN: &str = "`KubeletPodWatcher` leaks a goroutine when the cluster's informer channel is closed twice";

    #[test]
    fn claims_about_the_change_stay_and_claims_about_another_go() {
        assert!(kept(located("l", "`applyDiscount` ignores vouchers that have expired")));
        assert!(kept(located("l", "A shopper can apply the same voucher to a basket twice")));
        assert!(!kept(located("l", FOREIGN)));
    }

    #[test]
    fn short_claims_that_say_nothing_specific_stay() {
        for claim in ["This is wrong", "Is this needed?", ""] {
            assert!(kept(located("l", claim)), "{claim}");
        }
    }

    #[test]
    fn certain_and_explained_findings_are_exempt() {
        for basis in [Basis::Check, Basis::Execution] {
            let mut certain = located("l", FOREIGN);
            certain.finding.basis = basis;
            assert!(kept(certain));
        }
        let mut explained = located("l", FOREIGN);
        explained.place = Place::OutOfDiff;
        assert!(!kept(explained.clone()));
        explained.finding.evidence = Some("it calls the changed function".to_owned());
        assert!(kept(explained));
        let (kept, _) = guard(&index(), Mode::Plan, &Guard::default(), vec![located("l", FOREIGN)]);
        assert_eq!(kept.len(), 1);
    }

    #[test]
    fn as_specified_drops_what_is_said_in_other_words() {
        let settings = crate::settings::Settings::as_specified().guard;
        let claim = "An expired coupon still lowers the price, because its date is compared as text";
        let (kept, aside) = guard(&index(), Mode::Code, &settings, vec![located("l", claim)]);
        assert_eq!((kept.len(), aside.len()), (0, 1));
    }
}
