//! Stage 3, cluster: what several lenses say of the same thing becomes one finding.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::Severity;
use crate::fingerprint;
use crate::locate::Located;
use crate::outcome::{Bond, Judged, Merged};
use crate::settings::Cluster;
use crate::text;

/// Merges findings that say the same. The result does not depend on the order of the input.
#[must_use]
pub fn cluster(settings: &Cluster, located: Vec<Located>) -> Vec<Judged> {
    let mut located = located;
    located.sort_by(|a, b| key(a).cmp(&key(b)));
    let claims: Vec<Vec<String>> = located
        .iter()
        .map(|l| text::words(text::head(&l.finding.claim, text::MAX_CLAIM)))
        .collect();
    let groups = groups(settings, &claims);
    let mut slots: Vec<Option<Located>> = located.into_iter().map(Some).collect();
    let mut judged: Vec<Judged> = groups
        .into_iter()
        .map(|g| {
            g.into_iter()
                .filter_map(|i| slots.get_mut(i).and_then(Option::take))
                .collect::<Vec<_>>()
        })
        .filter_map(|members| merge(settings, members))
        .collect();
    fingerprint::tell_apart(
        &mut judged,
        |j| (j.fingerprint.clone(), j.finding.claim.clone()),
        |j, print| j.fingerprint = print,
    );
    judged
}

fn key(l: &Located) -> (&str, &str, &str, &str) {
    (&l.fingerprint, &l.finding.claim, &l.lens, &l.finding.category)
}

/// First version: cosine, average linkage.
fn groups(settings: &Cluster, claims: &[Vec<String>]) -> Vec<Vec<usize>> {
    let mut holding = BTreeMap::<&str, f64>::new();
    for claim in claims {
        let set: BTreeSet<&str> = claim.iter().map(String::as_str).collect();
        set.into_iter().for_each(|w| *holding.entry(w).or_default() += 1.0);
    }
    let count = claims.len() as f64;
    let vectors: Vec<BTreeMap<&str, f64>> = claims
        .iter()
        .map(|claim| {
            let mut v = BTreeMap::<&str, f64>::new();
            claim.iter().for_each(|w| {
                *v.entry(w).or_default() += (1.0 + count / holding.get(w.as_str()).copied().unwrap_or(1.0)).ln()
            });
            let norm = v.values().map(|x| x * x).sum::<f64>().sqrt().max(1e-9);
            v.values_mut().for_each(|x| *x /= norm);
            v
        })
        .collect();
    let cosine = |a: usize, b: usize| {
        vectors[a]
            .iter()
            .filter_map(|(w, x)| vectors[b].get(w).map(|y| x * y))
            .sum::<f64>()
    };
    let mut groups: Vec<Vec<usize>> = (0..claims.len()).map(|i| vec![i]).collect();
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for a in 0..groups.len() {
            for b in a + 1..groups.len() {
                let sum: f64 = groups[a]
                    .iter()
                    .flat_map(|&x| groups[b].iter().map(move |&y| (x, y)))
                    .map(|(x, y)| cosine(x, y))
                    .sum();
                let mean = sum / (groups[a].len() * groups[b].len()) as f64;
                if mean >= settings.merge_at && best.is_none_or(|(m, _, _)| mean > m) {
                    best = Some((mean, a, b));
                }
            }
        }
        let Some((_, a, b)) = best else { return groups };
        let moved = groups.remove(b);
        groups[a].extend(moved);
    }
}

/// One finding out of those that say the same: the clearest wording, the highest severity, everybody who said it.
fn merge(settings: &Cluster, members: Vec<Located>) -> Option<Judged> {
    let severity = members
        .iter()
        .map(|m| m.finding.severity)
        .max()
        .unwrap_or(Severity::Low);
    let load_bearing = members.iter().any(|m| m.finding.load_bearing);
    let lenses: BTreeSet<String> = members.iter().map(|m| m.lens.clone()).collect();
    let clearest = (0..members.len()).max_by(|&a, &b| {
        clarity(settings, &members[a])
            .cmp(&clarity(settings, &members[b]))
            .then(b.cmp(&a))
    })?;
    let mut kept: Option<Judged> = None;
    let mut merged = Vec::new();
    for (i, member) in members.into_iter().enumerate() {
        if i == clearest {
            kept = Some(member.into_judged());
        } else {
            merged.push(Merged {
                lens: member.lens,
                fingerprint: member.fingerprint,
                claim: member.finding.claim,
                because: Bond::default(),
            });
        }
    }
    let mut kept = kept?;
    kept.finding.severity = severity;
    kept.finding.load_bearing = load_bearing;
    kept.reported_by = lenses.into_iter().collect();
    kept.merged = merged;
    Some(kept)
}

/// What makes a wording the one to keep: certainty, a preferred lens, a place in the diff, evidence, confidence.
fn clarity(settings: &Cluster, l: &Located) -> impl Ord + use<> {
    let preference = settings
        .prefer
        .iter()
        .rev()
        .position(|p| *p == l.lens)
        .map_or(0, |p| p + 1);
    let certain = l.finding.basis != crate::finding::Basis::Judgement;
    let placed = std::cmp::Reverse(match l.place {
        crate::outcome::Place::InDiff => 0,
        crate::outcome::Place::OutOfDiff => 1,
        crate::outcome::Place::FileOnly => 2,
        crate::outcome::Place::Whole => 3,
    });
    (
        preference,
        certain,
        placed,
        l.finding.evidence.is_some(),
        l.finding.confidence,
    )
}
