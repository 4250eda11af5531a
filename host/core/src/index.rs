//! The words of a subject, hunk by hunk, looked up by word: built once per subject.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::subject::Subject;
use crate::text;

/// Without random keys: the same input gives the same order of everything.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// An inverted index of a subject's words. Its units are hunks, documents and claims.
#[derive(Debug, Clone, Default)]
pub struct SubjectIndex {
    /// For every word: the units that hold it, with how often.
    postings: Map<String, Vec<(u32, u32)>>,
    /// Whole tokens, in lower case.
    tokens: BTreeSet<String>,
    /// The length of every unit's vector.
    norms: Vec<f64>,
}

impl SubjectIndex {
    /// Reads the whole subject once.
    #[must_use]
    pub fn new(subject: &Subject) -> Self {
        let mut index = Self::default();
        for file in &subject.files {
            for hunk in &file.hunks {
                let mut unit = index.unit(&file.path);
                index.add(&mut unit, &hunk.header);
                hunk.lines.iter().for_each(|line| index.add(&mut unit, &line.text));
                index.finish(&unit);
            }
            if file.hunks.is_empty() {
                let unit = index.unit(&file.path);
                index.finish(&unit);
            }
        }
        for document in &subject.documents {
            let mut unit = index.unit(&document.path);
            index.add(&mut unit, &document.text);
            index.finish(&unit);
        }
        for claim in &subject.claims {
            let mut unit = index.unit("");
            index.add(&mut unit, &claim.text);
            index.finish(&unit);
        }
        index.weigh();
        index
    }

    /// Whether a token, in lower case, stands anywhere in the subject.
    #[must_use]
    pub fn has_token(&self, token: &str) -> bool {
        self.tokens.contains(token)
    }

    /// The rarity of a word in the subject; that of a word it does not hold is the highest.
    #[must_use]
    pub fn rarity(&self, word: &str) -> f64 {
        let units = self.norms.len() as f64;
        let holding = self.postings.get(word).map_or(0, Vec::len) as f64;
        ((units + 1.0) / (holding + 0.5)).ln().max(0.1)
    }

    /// The cosine of these words and the unit that is most like them. 0 to 1.
    #[must_use]
    pub fn best_cosine(&self, words: &[String]) -> f64 {
        let mut counts = Map::<&str, u32>::default();
        words.iter().for_each(|w| *counts.entry(w).or_default() += 1);
        let mut counts: Vec<(&str, u32)> = counts.into_iter().collect();
        counts.sort_unstable();
        let norm = counts
            .iter()
            .map(|&(w, n)| (damp(n) * self.rarity(w)).powi(2))
            .sum::<f64>()
            .sqrt();
        let mut dots = Map::<u32, f64>::default();
        for (word, n) in counts {
            let rarity = self.rarity(word);
            for &(unit, times) in self.postings.get(word).into_iter().flatten() {
                *dots.entry(unit).or_default() += damp(n) * damp(times) * rarity * rarity;
            }
        }
        let cosine = |(unit, dot): (u32, f64)| dot / (norm * self.norms.get(unit as usize).copied().unwrap_or(1.0));
        dots.into_iter().map(cosine).fold(0.0, f64::max)
    }

    fn unit(&mut self, path: &str) -> Map<String, u32> {
        let mut unit = Map::default();
        self.add(&mut unit, path);
        unit
    }

    fn add(&mut self, unit: &mut Map<String, u32>, text: &str) {
        for word in text::words(text) {
            *unit.entry(word).or_default() += 1;
        }
        for token in text
            .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
            .filter(|t| t.len() > 1)
        {
            if !self.tokens.contains(&token.to_lowercase()) {
                self.tokens.insert(token.to_lowercase());
            }
        }
    }

    fn finish(&mut self, unit: &Map<String, u32>) {
        let id = self.norms.len() as u32;
        for (word, &times) in unit {
            self.postings.entry(word.clone()).or_default().push((id, times));
        }
        self.norms.push(0.0);
    }

    fn weigh(&mut self) {
        let mut squares = vec![0.0; self.norms.len()];
        let mut words: Vec<&String> = self.postings.keys().collect();
        words.sort_unstable();
        for word in words {
            let rarity = self.rarity(word);
            for &(unit, times) in self.postings.get(word).into_iter().flatten() {
                squares[unit as usize] += (damp(times) * rarity).powi(2);
            }
        }
        self.norms = squares.into_iter().map(f64::sqrt).collect();
    }
}

/// How much a word that occurs `n` times counts.
fn damp(n: u32) -> f64 {
    1.0 + f64::from(n.max(1)).ln()
}
