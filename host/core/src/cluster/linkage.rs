//! Average linkage over the pairs that are alike.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::likeness::Pairs;
use crate::locate::Located;
use crate::settings::{Cluster, ClusterRule};

/// A group never grows beyond this: no run has so many lenses, and it bounds what hostile input can cost.
const GROUP_MAX: u32 = 64;

/// Joins the two groups that are likest on average, until no two are likely enough. Indices in order; groups in the
/// order of their first member.
pub(super) fn groups(settings: &Cluster, located: &[Located], pairs: &Pairs) -> Vec<Vec<usize>> {
    let mut forest = Forest::new(settings, located, pairs);
    while let Some(Candidate { a, b, .. }) = forest.queue.pop() {
        if forest.groups.contains_key(&a) && forest.groups.contains_key(&b) {
            forest.join(a, b);
        }
    }
    let mut groups: Vec<Vec<usize>> = forest.groups.into_values().map(|g| g.members).collect();
    groups.iter_mut().for_each(|members| members.sort_unstable());
    groups.sort_unstable();
    groups
}

struct Forest<'a> {
    settings: &'a Cluster,
    groups: BTreeMap<u32, Group>,
    queue: BinaryHeap<Candidate>,
    next: u32,
}

struct Group {
    members: Vec<usize>,
    /// How many members each lens has.
    lenses: BTreeMap<u32, u32>,
    /// By group: the sum of the likenesses of their pairs.
    links: BTreeMap<u32, f64>,
}

/// Two groups that may be joined. The likest is the greatest; of equals, the one that was there first.
struct Candidate {
    mean: f64,
    a: u32,
    b: u32,
}

impl<'a> Forest<'a> {
    fn new(settings: &'a Cluster, located: &[Located], pairs: &Pairs) -> Self {
        let mut lenses = BTreeMap::new();
        let mut groups = BTreeMap::new();
        for (i, l) in located.iter().enumerate() {
            let next = lenses.len() as u32;
            let lens = *lenses.entry(l.lens.as_str()).or_insert(next);
            let group = Group { members: vec![i], lenses: [(lens, 1)].into(), links: BTreeMap::new() };
            groups.insert(i as u32, group);
        }
        let mut forest = Self { settings, groups, queue: BinaryHeap::new(), next: located.len() as u32 };
        for (a, b, likeness) in pairs.all() {
            let same_lens = located.get(a).zip(located.get(b)).is_some_and(|(x, y)| x.lens == y.lens);
            forest.link(a as u32, b as u32, own_likeness(settings, same_lens, likeness));
        }
        let all: Vec<u32> = forest.groups.keys().copied().collect();
        all.into_iter().for_each(|id| forest.offer(id, |other| other > id));
        forest
    }

    fn link(&mut self, a: u32, b: u32, likeness: f64) {
        for (from, to) in [(a, b), (b, a)] {
            if let Some(group) = self.groups.get_mut(&from) {
                *group.links.entry(to).or_insert(0.0) += likeness;
            }
        }
    }

    /// Puts what a group may be joined with into the queue.
    fn offer(&mut self, id: u32, which: impl Fn(u32) -> bool) {
        let Some(group) = self.groups.get(&id) else { return };
        for (&other, &sum) in group.links.iter().filter(|(other, _)| which(**other)) {
            let Some(there) = self.groups.get(&other) else { continue };
            let mean = mean(self.settings, group, there, sum);
            let fits = group.members.len() + there.members.len() <= GROUP_MAX as usize;
            if fits && mean >= self.settings.merge_at {
                self.queue.push(Candidate { mean, a: id.min(other), b: id.max(other) });
            }
        }
    }

    fn join(&mut self, a: u32, b: u32) {
        let (Some(a_group), Some(b_group)) = (self.groups.remove(&a), self.groups.remove(&b)) else {
            return;
        };
        let id = self.next;
        self.next += 1;
        let mut joined = a_group;
        joined.members.extend(b_group.members);
        b_group.lenses.into_iter().for_each(|(lens, n)| *joined.lenses.entry(lens).or_insert(0) += n);
        b_group.links.into_iter().for_each(|(other, sum)| *joined.links.entry(other).or_insert(0.0) += sum);
        joined.links.remove(&a);
        joined.links.remove(&b);
        for (other, &sum) in &joined.links {
            if let Some(there) = self.groups.get_mut(other) {
                there.links.remove(&a);
                there.links.remove(&b);
                there.links.insert(id, sum);
            }
        }
        self.groups.insert(id, joined);
        self.offer(id, |_| true);
    }
}

/// What a pair brings in: for two findings of one lens nothing, unless they are repeats (then enough to outweigh what
/// [`mean`] takes off for it).
fn own_likeness(settings: &Cluster, same_lens: bool, likeness: f64) -> f64 {
    match (settings.rule, same_lens) {
        (ClusterRule::Combined, true) if likeness >= settings.repeat_at => likeness + settings.same_lens,
        (ClusterRule::Combined, true) => 0.0,
        _ => likeness,
    }
}

/// The average likeness of the pairs between two groups.
fn mean(settings: &Cluster, a: &Group, b: &Group, sum: f64) -> f64 {
    let pairs = (a.members.len() * b.members.len()) as f64;
    let own = a.lenses.iter().map(|(lens, &n)| u64::from(n) * u64::from(b.lenses.get(lens).copied().unwrap_or(0)));
    let penalty = if settings.rule == ClusterRule::Combined { settings.same_lens } else { 0.0 };
    (sum - penalty * own.sum::<u64>() as f64) / pairs
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.mean.total_cmp(&other.mean).then_with(|| Reverse((self.a, self.b)).cmp(&Reverse((other.a, other.b))))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}
