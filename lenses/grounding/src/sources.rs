//! The texts of the cited files, and one search through all of the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use review_loop_sdk::prelude::*;
use review_loop_sdk::source::{Error, Match, Query, Syntax};
use review_loop_sdk::text::words;

/// More matches than this are not needed to know that something is not rare.
const MAX_MATCHES: u32 = 2000;

/// Files that were read, each once, and the words of the change.
pub(crate) struct Texts {
    read: BTreeMap<(String, bool), Result<Rc<str>, Error>>,
    old_paths: BTreeMap<String, String>,
    change: BTreeSet<String>,
}

impl Texts {
    /// The change itself; files are read when they are asked for.
    pub(crate) fn new() -> Self {
        let (mut old_paths, mut change) = (BTreeMap::new(), BTreeSet::new());
        for file in subject::files() {
            for hunk in subject::hunks(&file.path).unwrap_or_default() {
                for word in hunk.lines.iter().flat_map(|line| words(&line.text)) {
                    if !change.contains(word) {
                        change.insert(word.to_owned());
                    }
                }
            }
            if let Some(old) = file.old_path {
                old_paths.insert(file.path, old);
            }
        }
        Self { read: BTreeMap::new(), old_paths, change }
    }

    /// Whether a word stands in any hunk, changed or not.
    pub(crate) fn in_change(&self, word: &str) -> bool {
        self.change.contains(word)
    }

    /// The path of a file on one side of a rename.
    pub(crate) fn path_on(&self, path: &str, side: Side) -> String {
        let old = self.old_paths.get(path).filter(|_| side == Side::Old);
        old.map_or(path, String::as_str).to_owned()
    }

    /// A file's text on one side.
    pub(crate) fn read(&mut self, path: &str, side: Side) -> Result<Rc<str>, Error> {
        let path = self.path_on(path, side);
        let key = (path, side == Side::Old);
        if let Some(known) = self.read.get(&key) {
            return known.clone();
        }
        let text = source::read(&key.0, side).map(Rc::from);
        self.read.insert(key, text.clone());
        text
    }
}

/// Where the searched patterns stand.
pub(crate) struct Hits {
    found: BTreeMap<String, Vec<(Side, Match)>>,
    /// False where not everything was looked through: then nothing is known to be absent.
    pub(crate) complete: bool,
}

impl Hits {
    /// Searches both sides for all regular expressions at once.
    pub(crate) fn search(mut patterns: Vec<String>) -> Self {
        patterns.sort();
        patterns.dedup();
        let mut hits = Self { found: BTreeMap::new(), complete: true };
        if patterns.is_empty() {
            return hits;
        }
        let mut query = Query { patterns, syntax: Syntax::Regex, globs: Vec::new(), side: Side::New, max: MAX_MATCHES };
        for side in [Side::New, Side::Old] {
            query.side = side;
            let Ok(matches) = source::search(&query) else {
                hits.complete = false;
                continue;
            };
            hits.complete &= matches.complete;
            for found in matches.found {
                let Some(pattern) = query.patterns.get(found.pattern as usize) else {
                    continue;
                };
                hits.found.entry(pattern.clone()).or_default().push((side, found));
            }
        }
        hits
    }

    /// The places of a pattern: after the change, and before it where it is not there any more.
    pub(crate) fn of(&self, pattern: &str) -> Vec<&(Side, Match)> {
        let all = self.found.get(pattern).map(Vec::as_slice).unwrap_or_default();
        let after: Vec<_> = all.iter().filter(|(side, _)| *side == Side::New).collect();
        if after.is_empty() { all.iter().collect() } else { after }
    }
}
