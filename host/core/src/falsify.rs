//! Stage 4, falsify: the votes of those who tried to disprove a finding. The falsifiers run in the host; this counts.

use std::collections::BTreeMap;

use crate::finding::{Anchor, Verdict};
use crate::locate::{SourceTexts, relocate};
use crate::outcome::{FalsifierVerdict, Judged, SetAside, Stage};
use crate::settings::Falsify;
use crate::subject::Subject;

/// Whether a finding is to be attacked at all: what a program's run showed is not.
#[must_use]
pub fn attackable(judged: &Judged) -> bool {
    judged.finding.basis != crate::finding::Basis::Execution
}

/// One verdict out of many.
///
/// Disproved: a check disproves it, or at least `quorum` falsifiers do and they outnumber those whom it withstood.
/// Otherwise corrected, where somebody says that the place is wrong (the place that most name; of equals the first in
/// order); otherwise it stands, where somebody says so; otherwise it is undecided. No verdict at all is undecided.
#[must_use]
pub fn tally(settings: &Falsify, verdicts: &[FalsifierVerdict]) -> Verdict {
    let mut sorted: Vec<&FalsifierVerdict> = verdicts.iter().collect();
    sorted.sort_by(|a, b| a.falsifier.cmp(&b.falsifier));
    let is_check = |v: &FalsifierVerdict| settings.checks.contains(&v.falsifier);
    let against = |v: &FalsifierVerdict| matches!(v.verdict, Verdict::Falsified(_));
    let by_check = sorted.iter().any(|v| is_check(v) && against(v));
    let judges = || sorted.iter().filter(|v| !is_check(v));
    let no = judges().filter(|v| against(v)).count();
    let yes = judges().filter(|v| matches!(v.verdict, Verdict::Stands | Verdict::Corrected(_))).count();
    if by_check || (no > yes && no >= settings.quorum.max(1) as usize) {
        return Verdict::Falsified(join(&sorted, |v| if let Verdict::Falsified(e) = v { Some(e) } else { None }));
    }
    if let Some(anchor) = corrected(&sorted) {
        return Verdict::Corrected(anchor);
    }
    match sorted.iter().any(|v| v.verdict == Verdict::Stands) {
        true => Verdict::Stands,
        false => Verdict::Undecided(join(&sorted, |v| if let Verdict::Undecided(e) = v { Some(e) } else { None })),
    }
}

/// Whether somebody other than a mere check tried to disprove the finding and could not.
#[must_use]
pub fn verified(settings: &Falsify, verdicts: &[FalsifierVerdict]) -> bool {
    let held = |v: &FalsifierVerdict| matches!(v.verdict, Verdict::Stands | Verdict::Corrected(_));
    verdicts.iter().any(|v| held(v) && !settings.checks.contains(&v.falsifier))
        && !matches!(tally(settings, verdicts), Verdict::Falsified(_))
}

/// Counts the votes that each finding carries: the disproved leave the list, the corrected move to their place.
#[must_use]
pub fn settle(
    subject: &Subject,
    sources: &SourceTexts,
    settings: &Falsify,
    judged: Vec<Judged>,
) -> (Vec<Judged>, Vec<SetAside>) {
    let (mut kept, mut aside) = (Vec::with_capacity(judged.len()), Vec::new());
    for mut judged in judged {
        let verdict = if attackable(&judged) { tally(settings, &judged.verdicts) } else { Verdict::Stands };
        match verdict {
            Verdict::Falsified(reason) => aside.push(SetAside { judged, stage: Stage::Falsify, reason }),
            Verdict::Corrected(anchor) => {
                relocate(subject, sources, &mut judged, &anchor);
                kept.push(judged);
            }
            Verdict::Stands | Verdict::Undecided(_) => kept.push(judged),
        }
    }
    (kept, aside)
}

fn corrected(sorted: &[&FalsifierVerdict]) -> Option<Anchor> {
    let mut votes = BTreeMap::<(&str, Option<crate::finding::Lines>), (usize, usize)>::new();
    let anchors: Vec<&Anchor> =
        sorted.iter().filter_map(|v| if let Verdict::Corrected(a) = &v.verdict { Some(a) } else { None }).collect();
    for (at, anchor) in anchors.iter().enumerate() {
        votes.entry((&anchor.path, anchor.lines)).or_insert((0, at)).0 += 1;
    }
    let &(_, first) = votes.values().max_by_key(|&&(count, first)| (count, std::cmp::Reverse(first)))?;
    anchors.get(first).map(|a| (*a).clone())
}

fn join<'a>(sorted: &[&'a FalsifierVerdict], text: impl Fn(&'a Verdict) -> Option<&'a String>) -> String {
    let said = |v: &&'a FalsifierVerdict| text(&v.verdict).map(|t| format!("{}: {t}", v.falsifier));
    let said: Vec<String> = sorted.iter().filter_map(said).collect();
    if said.is_empty() { "no falsifier settled it".to_owned() } else { said.join("; ") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{anchor, judged};

    fn votes(list: &[(&str, Verdict)]) -> Vec<FalsifierVerdict> {
        let vote = |(name, verdict): &(&str, Verdict)| FalsifierVerdict {
            falsifier: (*name).to_owned(),
            verdict: verdict.clone(),
        };
        list.iter().map(vote).collect()
    }

    fn no() -> Verdict {
        Verdict::Falsified("e".to_owned())
    }

    fn check(quorum: u32, list: &[(&str, Verdict)], expect: &Verdict) {
        let settings = Falsify { quorum, ..Falsify::default() };
        assert_eq!(tally(&settings, &votes(list)), *expect, "{list:?}");
    }

    #[test]
    fn table() {
        let unsure = || Verdict::Undecided("u".to_owned());
        check(1, &[("s", no())], &Verdict::Falsified("s: e".to_owned()));
        check(2, &[("s", no())], &Verdict::Undecided("no falsifier settled it".to_owned()));
        check(2, &[("s", no()), ("t", no())], &Verdict::Falsified("s: e; t: e".to_owned()));
        check(2, &[("s", no()), ("t", no()), ("u", Verdict::Stands)], &Verdict::Falsified("s: e; t: e".to_owned()));
        check(1, &[("s", no()), ("t", Verdict::Stands)], &Verdict::Stands);
        // A check that finds nothing does not outvote anybody; one that disproves needs nobody.
        check(1, &[("grounding", Verdict::Stands), ("s", no())], &Verdict::Falsified("s: e".to_owned()));
        check(9, &[("grounding", no()), ("s", Verdict::Stands)], &Verdict::Falsified("grounding: e".to_owned()));
        check(1, &[("s", unsure())], &Verdict::Undecided("s: u".to_owned()));
        check(1, &[], &Verdict::Undecided("no falsifier settled it".to_owned()));
        let place = |line| Verdict::Corrected(anchor("a.rs", Some(line), None));
        check(1, &[("s", place(1)), ("t", place(2)), ("u", place(2))], &place(2));
        check(1, &[("s", place(1)), ("t", place(2))], &place(1));
    }

    #[test]
    fn what_a_run_showed_is_not_disproved() {
        let mut run = judged("the tests fail");
        run.finding.basis = crate::finding::Basis::Execution;
        run.verdicts = votes(&[("grounding", no())]);
        let subject = crate::testing::subject(Vec::new());
        let (kept, aside) = settle(&subject, &SourceTexts::default(), &Falsify::default(), vec![run]);
        assert_eq!((kept.len(), aside.len()), (1, 0));
    }

    fn verdict() -> impl Strategy<Value = Verdict> {
        prop_oneof![Just(Verdict::Stands), Just(no()), Just(Verdict::Undecided("u".to_owned()))]
    }

    proptest! {
        #[test]
        fn order_does_not_matter_and_no_vote_for_a_finding_disproves_it(
            list in proptest::collection::vec(("[a-f]", verdict()), 0..6),
            quorum in 0..4u32,
        ) {
            let settings = Falsify { quorum, ..Falsify::default() };
            let list: Vec<FalsifierVerdict> =
                list.into_iter().map(|(falsifier, verdict)| FalsifierVerdict { falsifier, verdict }).collect();
            let disproved = |list: &[FalsifierVerdict]| matches!(tally(&settings, list), Verdict::Falsified(_));
            let reversed: Vec<FalsifierVerdict> = list.iter().rev().cloned().collect();
            prop_assert_eq!(disproved(&list), disproved(&reversed));
            let mut more = list.clone();
            more.push(FalsifierVerdict { falsifier: "z".to_owned(), verdict: Verdict::Stands });
            prop_assert!(disproved(&list) || !disproved(&more));
        }
    }
}
