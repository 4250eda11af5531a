//! How far the reports of several lenses bear a finding out.
//!
//! Three things count: how many other lenses say the same, how close the rest of the run comes to saying it, and how
//! choosy those are who said it (a lens that reports much is right less often).

use std::collections::{BTreeMap, BTreeSet};

use super::likeness::Pairs;
use crate::locate::Located;

/// Of the average likeness of a cluster's reports.
const CLOSENESS: f64 = 3.0;
/// Of the logarithm of how many findings those who reported it have in the run, on average.
const TALK: f64 = 0.5;
/// Of the logarithm of how many findings the run has: of two runs of as many lenses the one that says more is right
/// less often.
const VOLUME: f64 = 0.2;

/// One score for every group; higher is surer. Only their order means anything.
pub(super) fn scores(located: &[Located], groups: &[Vec<usize>], pairs: &Pairs) -> Vec<f64> {
    let run = Run::new(located);
    let mut group_of = vec![usize::MAX; located.len()];
    for (id, group) in groups.iter().enumerate() {
        for &i in group {
            group_of[i] = id;
        }
    }
    let mut near: Vec<Near> = groups.iter().map(|_| Near::default()).collect();
    for (a, b, likeness) in pairs.all() {
        let (home, other) = (group_of[a], group_of[b]);
        if home != other {
            near[home].echo(run.lens[b], likeness);
            near[other].echo(run.lens[a], likeness);
        } else if run.lens[a] != run.lens[b] {
            near[home].inside += likeness;
        }
    }
    groups.iter().zip(near).map(|(group, near)| run.score(group, &near)).collect()
}

/// Who said what in a run.
struct Run {
    /// For every finding its lens, by number.
    lens: Vec<u32>,
    /// For every lens how many findings it has.
    talk: Vec<u32>,
}

/// What is like a group.
#[derive(Default)]
struct Near {
    /// By lens: the likest of its findings outside of the group.
    echoes: BTreeMap<u32, f64>,
    /// The sum of the likenesses between lenses inside of it.
    inside: f64,
}

impl Near {
    fn echo(&mut self, lens: u32, likeness: f64) {
        let best = self.echoes.entry(lens).or_insert(0.0);
        *best = likeness.max(*best);
    }
}

impl Run {
    fn new(located: &[Located]) -> Self {
        let names: BTreeSet<&str> = located.iter().map(|l| l.lens.as_str()).collect();
        let numbers: BTreeMap<&str, u32> = names.into_iter().zip(0..).collect();
        let lens: Vec<u32> = located.iter().filter_map(|l| numbers.get(l.lens.as_str()).copied()).collect();
        let mut talk = vec![0; numbers.len()];
        lens.iter().for_each(|&l| talk[l as usize] += 1);
        Self { lens, talk }
    }

    fn score(&self, group: &[usize], near: &Near) -> f64 {
        let mut who = BTreeMap::<u32, usize>::new();
        group.iter().for_each(|&i| *who.entry(self.lens[i]).or_default() += 1);
        let echoes: f64 = near.echoes.iter().filter(|(lens, _)| !who.contains_key(lens)).map(|(_, best)| best).sum();
        let pairs = |n: usize| n * n.saturating_sub(1) / 2;
        let between = pairs(group.len()) - who.values().map(|&n| pairs(n)).sum::<usize>();
        let closeness = if between > 0 { near.inside / between as f64 } else { 0.0 };
        let said: f64 = who.keys().map(|&l| f64::from(self.talk[l as usize]).ln()).sum();
        let talk = said / who.len().max(1) as f64;
        let volume = (self.lens.len().max(1) as f64).ln();
        (who.len() as f64 - 1.0) + echoes + CLOSENESS * closeness - TALK * talk - VOLUME * volume
    }
}

/// A score for a person to read: 0 (nobody else came near it) to 100.
pub(super) fn percent(score: f64) -> u8 {
    (100.0 * (1.0 - (-score.max(0.0) / 2.0).exp())).round() as u8
}

#[cfg(test)]
mod tests {
    use crate::cluster::cluster;
    use crate::outcome::Judged;
    use crate::settings::Cluster;
    use crate::testing::located;

    /// `reported by: agreement`, of a run.
    fn check(run: &[(&str, &str)], expect: &[&str]) {
        let located = run.iter().map(|(lens, claim)| located(lens, claim)).collect();
        let show = |j: Judged| format!("{}: {}", j.reported_by.join(" "), j.agreement);
        let mut shown: Vec<String> = cluster(&Cluster::default(), located).into_iter().map(show).collect();
        shown.sort();
        assert_eq!(shown, expect);
    }

    #[test]
    fn more_lenses_score_higher_and_a_lone_one_nothing() {
        let cache = "The cache is never emptied, so memory grows";
        let lock = "A lock is held across the network call";
        check(&[("a", cache), ("b", lock)], &["a: 0", "b: 0"]);
        check(&[("a", cache), ("b", cache), ("c", lock)], &["a b: 85", "c: 0"]);
        check(&[("a", cache), ("b", cache), ("c", cache)], &["a b c: 91"]);
    }
}
