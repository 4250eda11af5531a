//! Patterns of one file, found by what they are about.

use std::hash::{BuildHasher as _, RandomState};

use super::glob;
use super::pattern::{Asked, Kind, Pattern};

/// The patterns of one file, by topic: an attribute, or zero in a file that has but one topic.
///
/// Generated files have ten thousands of plain names in them. Those, plain paths and `*.ext` are looked up by a hash, in a
/// sorted list since it takes no more memory than its entries. Only what is left is looked at one by one, and most of that
/// not further than the pairs of bytes in it.
#[derive(Debug)]
pub(super) struct Table {
    fold: bool,
    patterns: Vec<Pattern>,
    hashed: Vec<(u32, u64, u32)>,
    others: Vec<Other>,
}

/// A pattern that paths with different hashes match.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Other {
    topic: u32,
    number: u32,
    /// Of the last part of a path, or else of all of it.
    of_name: bool,
    pairs: u128,
}

/// Makes the hashes; one for all tables, so that a path is hashed once.
#[derive(Debug, Default)]
pub(super) struct Hashes(RandomState);

/// A path that is asked about, with the hashes of what could be written about it.
#[derive(Debug)]
pub(super) struct Question<'a> {
    asked: Asked<'a>,
    hashes: [u64; 3],
    pairs_of_path: u128,
    pairs_of_name: u128,
}

impl Table {
    /// Takes patterns in the order of their file; `topics` names those of the pattern with that number.
    pub(super) fn new(fold: bool, hashes: &Hashes, patterns: Vec<Pattern>, topics: impl Fn(usize) -> Vec<u32>) -> Self {
        let mut table = Table { fold, patterns: Vec::new(), hashed: Vec::new(), others: Vec::new() };
        for (number, (index, pattern)) in (0u32..).zip(patterns.iter().enumerate()) {
            let hash = hashes.of_pattern(pattern, fold);
            let (of_name, pairs) = (pattern.is_about_names(), pattern.pairs(fold));
            for topic in topics(index) {
                match (hash, pairs) {
                    (Some(hash), _) => table.hashed.push((topic, hash, number)),
                    (None, Some(pairs)) => table.others.push(Other { topic, number, of_name, pairs }),
                    (None, None) => {}
                }
            }
        }
        table.hashed.sort_unstable();
        table.others.sort_unstable();
        Table { patterns, ..table }
    }

    /// The last pattern about a topic that matches, and its number.
    pub(super) fn last(&self, topic: u32, question: &Question<'_>) -> Option<(usize, &Pattern)> {
        let hashed = question.hashes.iter().filter_map(|&hash| self.last_hashed(topic, hash, &question.asked)).max();
        let number = self.last_other(topic, hashed, question).or(hashed)?;
        let number = usize::try_from(number).ok()?;
        self.patterns.get(number).map(|pattern| (number, pattern))
    }

    fn last_hashed(&self, topic: u32, hash: u64, asked: &Asked<'_>) -> Option<u32> {
        let end = self.hashed.partition_point(|&(of, other, _)| (of, other) <= (topic, hash));
        let found = self.hashed.get(..end)?.iter().rev().take_while(|&&(of, other, _)| (of, other) == (topic, hash));
        found.map(|&(_, _, number)| number).find(|&number| self.matches(number, asked))
    }

    /// Of the patterns that are not hashed only those after one that already matches can change the answer.
    fn last_other(&self, topic: u32, after: Option<u32>, question: &Question<'_>) -> Option<u32> {
        let start = (topic, after.map_or(0, |after| after + 1));
        let start = self.others.partition_point(|other| (other.topic, other.number) < start);
        let end = self.others.partition_point(|other| other.topic <= topic);
        let left = self.others.get(start..end)?.iter().rev().filter(|other| question.has_pairs(other));
        left.map(|other| other.number).find(|&number| self.matches(number, &question.asked))
    }

    fn matches(&self, number: u32, asked: &Asked<'_>) -> bool {
        let pattern = usize::try_from(number).ok().and_then(|number| self.patterns.get(number));
        pattern.is_some_and(|pattern| pattern.matches(asked, self.fold))
    }
}

impl Hashes {
    /// Prepares a path as seen from the folder of a list.
    pub(super) fn question<'a>(&self, path: &'a [u8], is_folder: bool) -> Question<'a> {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
        let hashes = [self.of(Kind::Name, name), self.of(Kind::Path, path), self.of(Kind::End, ending(name))];
        let (pairs_of_path, pairs_of_name) = (glob::pairs(path), glob::pairs(name));
        Question { asked: Asked { path, name, is_folder }, hashes, pairs_of_path, pairs_of_name }
    }

    /// None for patterns that paths with different hashes match.
    fn of_pattern(&self, pattern: &Pattern, fold: bool) -> Option<u64> {
        let plain = match pattern.kind {
            Kind::Name | Kind::Path => pattern.plain(),
            Kind::End if pattern.plain().contains(&b'.') => ending(pattern.plain()),
            _ => return None,
        };
        Some(if fold { self.of(pattern.kind, &plain.to_ascii_lowercase()) } else { self.of(pattern.kind, plain) })
    }

    fn of(&self, kind: Kind, text: &[u8]) -> u64 {
        self.0.hash_one((kind as u8, text))
    }
}

impl Question<'_> {
    fn has_pairs(&self, other: &Other) -> bool {
        let pairs = if other.of_name { self.pairs_of_name } else { self.pairs_of_path };
        other.pairs & !pairs == 0
    }
}

/// From the last dot on.
fn ending(name: &[u8]) -> &[u8] {
    let dot = name.iter().rposition(|&byte| byte == b'.').unwrap_or(name.len());
    name.get(dot..).unwrap_or_default()
}
