//! Stage 3, cluster: what several lenses say of the same thing becomes one finding.
//!
//! Average linkage over a likeness of words, corrected by places, with one prior: a lens seldom says a thing twice.
//! Average linkage does not chain (A like B, B like C, A unlike C stays apart), and the prior keeps apart what one lens
//! tells apart.

mod agreement;
mod likeness;
mod linkage;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use self::likeness::Pairs;
use crate::finding::Basis;
use crate::fingerprint;
use crate::locate::Located;
use crate::outcome::{Bond, Judged, Merged, Place};
use crate::settings::Cluster;

/// Merges findings that say the same. The result is in canonical order and does not depend on the order of the input.
#[must_use]
pub fn cluster(settings: &Cluster, located: Vec<Located>) -> Vec<Judged> {
    let mut located = located;
    located.sort_by(|a, b| canonical(a).cmp(&canonical(b)));
    let pairs = Pairs::new(settings, &located);
    let groups = linkage::groups(settings, &located, &pairs);
    let agreements = agreement::scores(&located, &groups, &pairs);
    let mut slots: Vec<Option<Located>> = located.into_iter().map(Some).collect();
    let mut judged: Vec<Judged> = Vec::with_capacity(groups.len());
    for (group, score) in groups.iter().zip(agreements) {
        let members: Vec<(usize, Located)> =
            group.iter().filter_map(|&i| Some((i, slots.get_mut(i)?.take()?))).collect();
        judged.extend(merge(settings, &pairs, members, agreement::percent(score)));
    }
    fingerprint::tell_apart(
        &mut judged,
        |j| (j.fingerprint.clone(), j.finding.claim.clone()),
        |j, print| j.fingerprint = print,
    );
    judged
}

/// What was merged into a finding and why, one line each, for `--explain`. Nothing for a lone one.
#[must_use]
pub fn explain(judged: &Judged) -> Vec<String> {
    let line = |m: &Merged| {
        let distance = m.because.distance.map(|d| format!("; {d} lines apart")).unwrap_or_default();
        let names = match m.because.identifiers.as_slice() {
            [] => String::new(),
            names => format!("; both name {}", names.join(", ")),
        };
        let (likeness, terms) = (m.because.likeness, m.because.terms.join(", "));
        format!("{} says the same ({likeness} %: {terms}{names}{distance}): {}", m.lens, m.claim)
    };
    judged.merged.iter().map(line).collect()
}

/// Which findings would become one, as indices into the input; for measuring. Every index stands in one group.
#[must_use]
pub fn groups(settings: &Cluster, located: &[Located]) -> (Vec<Vec<usize>>, Vec<f64>) {
    let mut order: Vec<usize> = (0..located.len()).collect();
    order.sort_by(|&a, &b| canonical(&located[a]).cmp(&canonical(&located[b])));
    let sorted: Vec<Located> = order.iter().map(|&i| located[i].clone()).collect();
    let pairs = Pairs::new(settings, &sorted);
    let groups = linkage::groups(settings, &sorted, &pairs);
    let scores = agreement::scores(&sorted, &groups, &pairs);
    (groups.into_iter().map(|g| g.into_iter().map(|i| order[i]).collect()).collect(), scores)
}

/// What the order of findings goes by: everything that tells two of them apart.
fn canonical(l: &Located) -> impl Ord + use<'_> {
    let f = &l.finding;
    let place = f.anchor.as_ref().map(|a| (&a.path, a.side, a.lines, &a.quote));
    let rest = (f.confidence, f.load_bearing, &f.evidence, &f.fix_hint, &f.replacement);
    (&f.claim, place, &l.lens, &f.category, f.severity, rest)
}

/// One finding out of those that say the same: the clearest wording, the highest severity, everybody who said it.
fn merge(settings: &Cluster, pairs: &Pairs, members: Vec<(usize, Located)>, agreement: u8) -> Option<Judged> {
    let severity = members.iter().map(|(_, m)| m.finding.severity).max()?;
    let load_bearing = members.iter().any(|(_, m)| m.finding.load_bearing);
    let lenses: BTreeSet<String> = members.iter().map(|(_, m)| m.lens.clone()).collect();
    let ids: Vec<usize> = members.iter().map(|&(i, _)| i).collect();
    let clearest = members.iter().max_by_key(|(i, m)| (clarity(settings, m), Reverse(*i))).map(|&(i, _)| i)?;
    let bonds: Vec<Bond> = ids.iter().map(|&i| pairs.bond(i, nearest(pairs, i, &ids))).collect();
    let (mut kept, mut merged) = (None, Vec::with_capacity(members.len() - 1));
    for ((i, member), because) in members.into_iter().zip(bonds) {
        if i == clearest {
            kept = Some(member.into_judged());
        } else {
            merged.push(Merged {
                lens: member.lens,
                fingerprint: member.fingerprint,
                claim: member.finding.claim,
                anchor: member.finding.anchor,
                because,
            });
        }
    }
    let mut kept = kept?;
    kept.finding.severity = severity;
    kept.finding.load_bearing = load_bearing;
    kept.reported_by = lenses.into_iter().collect();
    kept.merged = merged;
    kept.agreement = agreement;
    Some(kept)
}

/// The member of a group that is most like one of its members.
fn nearest(pairs: &Pairs, of: usize, group: &[usize]) -> usize {
    let others = group.iter().copied().filter(|&i| i != of);
    others.max_by(|&a, &b| pairs.likeness(of, a).total_cmp(&pairs.likeness(of, b)).then(b.cmp(&a))).unwrap_or(of)
}

/// What makes a wording the one to keep: a preferred lens, certainty, a place in the diff, evidence, confidence.
fn clarity(settings: &Cluster, l: &Located) -> impl Ord + use<> {
    let preference = settings.prefer.iter().position(|p| *p == l.lens).unwrap_or(usize::MAX);
    let placed = match l.place {
        Place::InDiff => 3,
        Place::OutOfDiff => 2,
        Place::FileOnly => 1,
        Place::Whole => 0,
    };
    let certain = l.finding.basis != Basis::Judgement;
    (Reverse(preference), certain, placed, l.finding.evidence.is_some(), l.finding.confidence)
}

#[cfg(test)]
mod tests;
