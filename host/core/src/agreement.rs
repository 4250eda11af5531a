//! How far the reports of several lenses bear a finding out.
//!
//! Three things count: how many other lenses say the same, how close the rest of the run comes to saying it, and how
//! choosy those are who said it (a lens that reports much is right less often).

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::Pairs;
use crate::locate::Located;

/// Of the average likeness of a cluster's reports.
const CLOSENESS: f64 = 3.0;
/// Of the logarithm of how many findings those who reported it have in the run, on average.
const TALK: f64 = 0.5;
/// Of the logarithm of how many findings the run has: of two runs of as many lenses the one that says more is right
/// less often.
const VOLUME: f64 = 0.2;

/// One score for every group; higher is surer. Only their order means anything.
pub(crate) fn scores(located: &[Located], groups: &[Vec<usize>], pairs: &Pairs) -> Vec<f64> {
    let lens = |i: usize| located.get(i).map(|l| l.lens.as_str()).unwrap_or_default();
    let mut talk = BTreeMap::<&str, u32>::new();
    located.iter().for_each(|l| *talk.entry(&l.lens).or_default() += 1);
    let mut group_of = vec![usize::MAX; located.len()];
    for (id, group) in groups.iter().enumerate() {
        for &i in group {
            group_of[i] = id;
        }
    }
    let mut near: Vec<Near<'_>> = groups.iter().map(|_| Near::default()).collect();
    for (a, b, likeness) in pairs.all() {
        let (ga, gb) = (group_of.get(a).copied(), group_of.get(b).copied());
        for (home, from, other) in [(ga, lens(b), gb), (gb, lens(a), ga)] {
            let Some(near) = home.and_then(|id| near.get_mut(id)) else {
                continue;
            };
            if home != other {
                let best = near.echoes.entry(from).or_insert(0.0);
                *best = likeness.max(*best);
            } else if lens(a) != lens(b) {
                near.inside += likeness / 2.0;
            }
        }
    }
    groups.iter().zip(near).map(|(group, near)| score(group, lens, &talk, &near)).collect()
}

/// What is like a group.
#[derive(Default)]
struct Near<'a> {
    /// By lens: the likest of its findings outside of the group.
    echoes: BTreeMap<&'a str, f64>,
    /// The sum of the likenesses between lenses inside of it.
    inside: f64,
}

fn score<'a>(group: &[usize], lens: impl Fn(usize) -> &'a str, talk: &BTreeMap<&str, u32>, near: &Near<'a>) -> f64 {
    let who: BTreeSet<&str> = group.iter().map(|&i| lens(i)).collect();
    let echoes: f64 = near.echoes.iter().filter(|(lens, _)| !who.contains(*lens)).map(|(_, best)| best).sum();
    let count = |l: &str| group.iter().filter(|&&i| lens(i) == l).count();
    let all = group.len() * group.len().saturating_sub(1) / 2;
    let own: usize = who.iter().map(|l| count(l) * (count(l) - 1) / 2).sum();
    let closeness = if all > own { near.inside / (all - own) as f64 } else { 0.0 };
    let said: f64 = who.iter().map(|l| f64::from(talk.get(l).copied().unwrap_or(1)).ln()).sum();
    let volume = f64::from(talk.values().sum::<u32>().max(1)).ln();
    (who.len() as f64 - 1.0) + echoes + CLOSENESS * closeness - TALK * said / who.len().max(1) as f64 - VOLUME * volume
}

/// A score for a person to read: 0 (nobody else came near it) to 100.
pub(crate) fn percent(score: f64) -> u8 {
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
