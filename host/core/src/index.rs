//! The words of a subject, looked up by word: built once per subject.

use crate::background::{Map, share};
use crate::subject::{File, Subject};
use crate::text;

/// How often every word stands in a subject. Linear in its size; a lookup does not depend on it.
#[derive(Debug, Clone, Default)]
pub struct SubjectIndex {
    /// By word, as [`text::words`] cuts it.
    counts: Map<String, u32>,
    /// Whole tokens, in lower case.
    tokens: Map<String, ()>,
    /// All words, repeats included.
    size: u64,
    /// The length of the vector of the whole subject, for the rule `whole-diff`.
    norm: f64,
}

impl SubjectIndex {
    /// Reads the whole subject once: paths, hunks with their headers, documents, claims.
    #[must_use]
    pub fn new(subject: &Subject) -> Self {
        let mut index = Self::default();
        subject.files.iter().for_each(|file| index.add_file(file));
        for document in &subject.documents {
            index.add(&document.path);
            index.add(&document.text);
        }
        subject.claims.iter().for_each(|claim| index.add(&claim.text));
        let mut weights: Vec<f64> = index.counts.iter().map(|(word, &n)| weight(word, n).powi(2)).collect();
        weights.sort_unstable_by(f64::total_cmp);
        index.norm = weights.iter().sum::<f64>().sqrt();
        index
    }

    /// How often a word stands in the subject.
    #[must_use]
    pub fn count(&self, word: &str) -> u32 {
        self.counts.get(word).copied().unwrap_or(0)
    }

    /// Whether a token, in lower case, stands anywhere in the subject.
    #[must_use]
    pub fn has_token(&self, token: &str) -> bool {
        self.tokens.contains_key(token)
    }

    /// How many words the subject has, repeats included.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The cosine of these words and the whole subject. 0 to 1.
    #[must_use]
    pub fn cosine(&self, words: &[String]) -> f64 {
        let mut sorted: Vec<&String> = words.iter().collect();
        sorted.sort_unstable();
        let (mut dot, mut square) = (0.0, 0.0);
        for same in sorted.chunk_by(|a, b| a == b) {
            let (Some(word), n) = (same.first(), same.len() as u32) else {
                continue;
            };
            square += weight(word, n).powi(2);
            dot += weight(word, n) * if self.count(word) > 0 { weight(word, self.count(word)) } else { 0.0 };
        }
        if dot > 0.0 { dot / (square.sqrt() * self.norm) } else { 0.0 }
    }

    fn add_file(&mut self, file: &File) {
        self.add(&file.path);
        file.old_path.iter().for_each(|old| self.add(old));
        for hunk in &file.hunks {
            self.add(&hunk.header);
            hunk.lines.iter().for_each(|line| self.add(&line.text));
        }
    }

    fn add(&mut self, text: &str) {
        for word in text::words(text) {
            self.size += 1;
            *self.counts.entry(word).or_default() += 1;
        }
        for token in text::tokens(text) {
            self.tokens.insert(token.to_lowercase(), ());
        }
    }
}

/// The weight of a word that occurs `n` times.
fn weight(word: &str, n: u32) -> f64 {
    -(1.0 + f64::from(n.max(1)).ln()) * share(word).ln()
}
