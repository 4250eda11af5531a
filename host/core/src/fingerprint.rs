//! The name of a finding that outlives moved lines, renamed files, reindentation and other words for the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::text;

/// What a fingerprint is made of.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// Which lens.
    pub lens: &'a str,
    /// Its category.
    pub category: &'a str,
    /// The path, before a rename where there was one. Empty for a finding without a place.
    pub path: &'a str,
    /// The anchored lines with their neighbours, white space removed. Empty where no lines are known.
    pub around: &'a str,
    /// The claim: read only where no lines are known.
    pub claim: &'a str,
}

/// The fingerprint: 32 hex digits. It is a hash: what it was made of cannot be read back from it.
#[must_use]
pub fn of(parts: &Parts<'_>) -> String {
    let what = if parts.around.is_empty() {
        claim_key(parts.claim)
    } else {
        parts.around.to_owned()
    };
    hash(&["1", parts.lens, parts.category, parts.path, &what])
}

/// Tells findings apart that stand at one place in one category of one lens and are not the same: each gets the
/// names that it alone mentions into its fingerprint, and its words where it has none. Which others there are is
/// part of that, so a suppression of one does not hide the next that comes to stand beside it.
pub fn tell_apart<T>(findings: &mut [T], parts: impl Fn(&T) -> (String, String), mut set: impl FnMut(&mut T, String)) {
    let all: Vec<(String, String)> = findings.iter().map(parts).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| all[a].cmp(&all[b]));
    for group in order.chunk_by(|&a, &b| all[a].0 == all[b].0).filter(|g| g.len() > 1) {
        let names: Vec<BTreeSet<String>> = group.iter().map(|&i| text::names(&all[i].1)).collect();
        let mut told = BTreeMap::<&str, usize>::new();
        names
            .iter()
            .flatten()
            .for_each(|name| *told.entry(name).or_default() += 1);
        let mut used = BTreeSet::new();
        for (&i, names) in group.iter().zip(&names) {
            let (common, claim) = &all[i];
            let own: Vec<&str> = names
                .iter()
                .map(String::as_str)
                .filter(|n| told.get(n) == Some(&1))
                .collect();
            let own = if own.is_empty() {
                claim_key(claim)
            } else {
                own.join(" ")
            };
            let mut print = hash(&[common, &own]);
            while !used.insert(print.clone()) {
                print = hash(&[&print, "again"]);
            }
            set(&mut findings[i], print);
        }
    }
}

/// The words of a claim as a set, so that their order does not matter.
fn claim_key(claim: &str) -> String {
    let words: BTreeSet<String> = text::words(text::head(claim, text::MAX_CLAIM)).into_iter().collect();
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// The parts are told apart by their lengths, so that no two lists of them hash alike.
fn hash(parts: &[&str]) -> String {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part.as_bytes());
    }
    sha.finalize()
        .iter()
        .take(16)
        .fold(String::with_capacity(32), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}
