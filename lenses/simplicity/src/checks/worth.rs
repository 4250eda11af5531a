//! Whether a repetition is one that a reviewer would want gone.
//!
//! Tables, lists of cases, declarations and plain calls in a row repeat each other by nature. What is left is code that
//! does something, long enough and varied enough that two places were not written alike by chance.

use std::collections::HashSet;

use super::words::{Kind, Word};

/// The fewest words of a repetition.
pub(super) const LEAST_WORDS: usize = 60;

/// The fewest lines of more than a bracket.
const LEAST_LINES: usize = 8;

/// The fewest words between two definitions, somewhere in it: small functions in a row are an interface that two types
/// have in common.
const LEAST_BODY: usize = 45;

/// From this many words on, a repetition is long.
const LONG: usize = 150;

/// Whether the repeated words are worth a word. `same_names`: how many of a hundred names are the same in both places.
pub(super) fn is_worth(words: &[Word], same_names: usize) -> bool {
    let lines = line_shapes(words);
    let shapes: HashSet<u64> = lines.iter().copied().collect();
    let texts: HashSet<u32> = words.iter().map(|word| word.text).collect();
    let count = |kind: Kind| words.iter().filter(|word| word.kind == kind).count();
    let least_same = if words.len() >= LONG { 70 } else { 85 };
    words.len() >= LEAST_WORDS
        && lines.len() >= LEAST_LINES
        && 10 * shapes.len() >= 7 * lines.len()
        && texts.len() >= 20
        && longest_body(words) >= LEAST_BODY
        && count(Kind::Logic) >= 3
        && count(Kind::Call) >= 2
        && 3 * count(Kind::Literal) <= words.len()
        && same_names >= least_same
}

fn longest_body(words: &[Word]) -> usize {
    words.split(|word| word.kind == Kind::Defining).map(<[Word]>::len).max().unwrap_or_default()
}

/// A hash of the shapes of each line that holds more than a bracket.
fn line_shapes(words: &[Word]) -> Vec<u64> {
    let lines = words.chunk_by(|a, b| a.line == b.line);
    let mix = |hash: u64, word: &Word| (hash ^ u64::from(word.shape)).wrapping_mul(0x0100_0000_01b3);
    lines.filter(|line| line.len() > 2).map(|line| line.iter().fold(7, mix)).collect()
}
