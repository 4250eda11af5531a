//! How alike two findings are: the cosine of their words, corrected by their places.

use std::collections::BTreeMap;

use crate::background::Map;
use crate::finding::{Anchor, Lines};
use crate::locate::Located;
use crate::outcome::Bond;
use crate::settings::{Cluster, ClusterRule};
use crate::text;

/// Up to so many findings every pair is looked at; a run never has more. Above, the likeliest are.
const EXACT: usize = 1_000;
/// Above that: how many of the rarest words of a finding lead to others.
const LEADS: usize = 6;
/// Above that: how many others one word leads to at most.
const REACH: usize = 16;
/// Above that: how many of the likest are kept of each finding.
const KEPT: usize = 10;
/// No more distinct words of one claim are compared.
const WORDS_MAX: usize = 512;
/// Words and names that an explanation shows at most.
const SHOWN: usize = 6;

/// The findings of a run, prepared for comparison, and every pair that is alike at all.
pub(super) struct Pairs {
    claims: Vec<Claim>,
    vocabulary: Vec<String>,
    /// The smaller index first, in order. Cosine of the words, corrected by the places.
    alike: Vec<(u32, u32, f64)>,
}

struct Claim {
    /// Word and weight, by word; a vector of length 1.
    vector: Vec<(u32, f64)>,
    names: Vec<String>,
    anchor: Option<Anchor>,
}

impl Pairs {
    pub(super) fn new(settings: &Cluster, located: &[Located]) -> Self {
        let (claims, vocabulary) = claims(located);
        let mut pairs = Self { claims, vocabulary, alike: Vec::new() };
        let n = located.len();
        pairs.alike = if n <= EXACT {
            let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
            all.filter_map(|(a, b)| pairs.compare(settings, a, b)).collect()
        } else {
            pairs.leads().into_iter().enumerate().flat_map(|(a, led)| pairs.likest(settings, a, &led)).collect()
        };
        pairs.alike.sort_unstable_by_key(|&(a, b, _)| (a, b));
        pairs
    }

    /// Every pair that is alike at all, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        self.alike.iter().map(|&(a, b, likeness)| (a as usize, b as usize, likeness))
    }

    /// 0 where two findings have nothing in common.
    pub(super) fn likeness(&self, a: usize, b: usize) -> f64 {
        let pair = (a.min(b) as u32, a.max(b) as u32);
        let found = self.alike.binary_search_by_key(&pair, |&(a, b, _)| (a, b));
        found.ok().and_then(|at| self.alike.get(at)).map_or(0.0, |&(_, _, likeness)| likeness)
    }

    /// What two findings share, for a person to read.
    pub(super) fn bond(&self, a: usize, b: usize) -> Bond {
        let (Some(x), Some(y)) = (self.claims.get(a), self.claims.get(b)) else {
            return Bond::default();
        };
        let mut terms = shared(&x.vector, &y.vector);
        terms.sort_by(|l, r| r.1.total_cmp(&l.1).then(l.0.cmp(&r.0)));
        let word = |&(id, _): &(u32, f64)| self.vocabulary.get(id as usize).cloned();
        Bond {
            likeness: (self.likeness(a, b).clamp(0.0, 1.0) * 100.0).round() as u8,
            terms: terms.iter().filter_map(word).take(SHOWN).collect(),
            identifiers: x.names.iter().filter(|n| y.names.binary_search(n).is_ok()).take(SHOWN).cloned().collect(),
            distance: match places(x, y) {
                Places::SameFile(apart) => Some(apart),
                Places::OtherFile | Places::Unknown => None,
            },
        }
    }

    fn compare(&self, settings: &Cluster, a: usize, b: usize) -> Option<(u32, u32, f64)> {
        let (x, y) = (self.claims.get(a)?, self.claims.get(b)?);
        let likeness = (cosine(&x.vector, &y.vector) * by_place(settings, x, y)).min(1.0);
        (likeness > 0.0).then_some((a.min(b) as u32, a.max(b) as u32, likeness))
    }

    /// For every finding: which others its rarest words lead to, those next to it in order first.
    fn leads(&self) -> Vec<Vec<usize>> {
        let mut holding: Vec<Vec<u32>> = vec![Vec::new(); self.vocabulary.len()];
        let mut leading: Vec<Vec<u32>> = Vec::with_capacity(self.claims.len());
        for (i, claim) in self.claims.iter().enumerate() {
            let mut by_weight: Vec<&(u32, f64)> = claim.vector.iter().collect();
            by_weight.sort_by(|l, r| r.1.total_cmp(&l.1).then(l.0.cmp(&r.0)));
            let words: Vec<u32> = by_weight.iter().take(LEADS).map(|&&(id, _)| id).collect();
            for &id in &words {
                holding[id as usize].push(i as u32);
            }
            leading.push(words);
        }
        let near = |i: usize, id: u32| {
            let list = holding.get(id as usize).map(Vec::as_slice).unwrap_or_default();
            let at = list.partition_point(|&j| (j as usize) <= i);
            list.get(at..list.len().min(at + REACH)).unwrap_or_default()
        };
        let lead = |(i, words): (usize, &Vec<u32>)| {
            let mut led: Vec<usize> = words.iter().flat_map(|&id| near(i, id)).map(|&j| j as usize).collect();
            led.sort_unstable();
            led.dedup();
            led
        };
        leading.iter().enumerate().map(lead).collect()
    }

    fn likest(&self, settings: &Cluster, a: usize, led: &[usize]) -> Vec<(u32, u32, f64)> {
        let mut found: Vec<_> = led.iter().filter_map(|&b| self.compare(settings, a, b)).collect();
        found.sort_unstable_by(|l, r| r.2.total_cmp(&l.2).then((l.0, l.1).cmp(&(r.0, r.1))));
        found.truncate(KEPT);
        found
    }
}

/// Every claim's words, weighed by their rarity among the claims of the run.
fn claims(located: &[Located]) -> (Vec<Claim>, Vec<String>) {
    let mut ids = Map::<String, u32>::default();
    let mut counts: Vec<BTreeMap<u32, u32>> = Vec::with_capacity(located.len());
    for l in located {
        let mut count = BTreeMap::new();
        for word in text::words(text::head(&l.finding.claim, text::MAX_CLAIM)) {
            let next = ids.len() as u32;
            let id = *ids.entry(word).or_insert(next);
            if count.len() < WORDS_MAX || count.contains_key(&id) {
                *count.entry(id).or_insert(0) += 1;
            }
        }
        counts.push(count);
    }
    let mut vocabulary = vec![String::new(); ids.len()];
    ids.into_iter().for_each(|(word, id)| vocabulary[id as usize] = word);
    let mut holding = vec![0u32; vocabulary.len()];
    counts.iter().flat_map(BTreeMap::keys).for_each(|&id| holding[id as usize] += 1);
    let rarity = |id: u32| (1.0 + located.len() as f64 / f64::from(holding[id as usize].max(1))).ln();
    let claims = located.iter().zip(counts).map(|(l, count)| Claim {
        vector: unit(count.into_iter().map(|(id, n)| (id, (1.0 + f64::from(n).ln()) * rarity(id))).collect()),
        names: text::names(text::head(&l.finding.claim, text::MAX_CLAIM)).into_iter().collect(),
        anchor: l.finding.anchor.clone().filter(|_| l.place != crate::outcome::Place::Whole),
    });
    (claims.collect(), vocabulary)
}

fn unit(mut vector: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    let length = vector.iter().map(|(_, w)| w * w).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    vector.iter_mut().for_each(|(_, w)| *w /= length);
    vector
}

/// The words of both, with the product of their weights.
fn shared(a: &[(u32, f64)], b: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let mut shared = Vec::new();
    for_each_shared(a, b, |word, product| shared.push((word, product)));
    shared
}

fn cosine(a: &[(u32, f64)], b: &[(u32, f64)]) -> f64 {
    let mut sum = 0.0;
    for_each_shared(a, b, |_, product| sum += product);
    sum
}

fn for_each_shared(mut a: &[(u32, f64)], mut b: &[(u32, f64)], mut f: impl FnMut(u32, f64)) {
    while let (&[(x, p), ref a_rest @ ..], &[(y, q), ref b_rest @ ..]) = (a, b) {
        if x == y {
            f(x, p * q);
        }
        if x <= y {
            a = a_rest;
        }
        if y <= x {
            b = b_rest;
        }
    }
}

enum Places {
    /// Lines between them.
    SameFile(u32),
    OtherFile,
    /// One of them names no lines.
    Unknown,
}

fn places(a: &Claim, b: &Claim) -> Places {
    let (Some(a), Some(b)) = (&a.anchor, &b.anchor) else {
        return Places::Unknown;
    };
    match (a.lines, b.lines) {
        _ if a.path != b.path => Places::OtherFile,
        (Some(x), Some(y)) if a.side == b.side => Places::SameFile(apart(x, y)),
        _ => Places::Unknown,
    }
}

/// Lines between two places; 0 where they touch.
fn apart(a: Lines, b: Lines) -> u32 {
    a.first.saturating_sub(b.last).max(b.first.saturating_sub(a.last))
}

/// Places correct what the words say; they never make two findings alike that share no word.
fn by_place(settings: &Cluster, a: &Claim, b: &Claim) -> f64 {
    if settings.rule == ClusterRule::Cosine {
        return 1.0;
    }
    match places(a, b) {
        Places::SameFile(apart) if apart <= settings.near_lines => settings.near,
        Places::SameFile(apart) if apart > settings.far_lines => settings.far,
        Places::OtherFile => settings.other_file,
        Places::SameFile(_) | Places::Unknown => 1.0,
    }
}
