//! Finds runs of words that repeat others, names exchanged one for one.
//!
//! Added runs are cut into overlapping pieces of [`PIECE`] words, whose hashes, thinned out by winnowing, are kept in a
//! table. Every file then streams past that table once. Where a piece is met, the match is grown to both sides as far
//! as the shapes agree, and narrowed to the longest part in which the names correspond one to one.

use std::collections::HashMap;

use super::words::{Kind, Word};

/// A stretch of words, by index, the end not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Stretch {
    pub(super) fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }
}

/// A stretch of added words that is met again in the text that streams by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clone {
    /// Index of the added run.
    pub(super) run: usize,
    /// Within the words of the run.
    pub(super) added: Stretch,
    /// Within the words of the other text.
    pub(super) other: Stretch,
    /// How many of a hundred names are the same in both.
    pub(super) same_names: usize,
}

/// Words of one piece.
const PIECE: usize = 20;

/// Of this many pieces in a row, one is kept: a clone of `PIECE + WINDOW` words is always met.
const WINDOW: usize = 12;

/// A piece that is met in more places than this is a pattern of the language, not a copy.
const MOST_PLACES: usize = 12;

/// The pieces of the added runs.
pub(super) struct Index<'a> {
    runs: &'a [Vec<Word>],
    places: HashMap<u64, Vec<(u32, u32)>>,
}

impl<'a> Index<'a> {
    pub(super) fn new(runs: &'a [Vec<Word>]) -> Self {
        let mut places: HashMap<u64, Vec<(u32, u32)>> = HashMap::new();
        for (run, words) in (0..).zip(runs) {
            for (at, hash) in winnowed(&hashes(words)) {
                places.entry(hash).or_default().push((run, at));
            }
        }
        Self { runs, places }
    }

    /// Where the text repeats an added run. `same_run_at`: where a run itself starts in this text, whose words do not
    /// repeat themselves.
    pub(super) fn find(&self, text: &[Word], least: usize, same_run_at: impl Fn(usize) -> Option<usize>) -> Vec<Clone> {
        let mut found = Vec::new();
        let mut passed: HashMap<(u32, i64), usize> = HashMap::new();
        for (at, hash) in hashes(text).into_iter().enumerate() {
            let Some(places) = self.places.get(&hash).filter(|places| places.len() <= MOST_PLACES) else {
                continue;
            };
            for &(run, run_at) in places {
                let diagonal = (run, at as i64 - i64::from(run_at));
                let (run, run_at) = (run as usize, run_at as usize);
                if passed.get(&diagonal).is_some_and(|end| at < *end) {
                    continue;
                }
                let shift = same_run_at(run).map(|start| at as i64 - (start + run_at) as i64);
                if shift == Some(0) {
                    continue;
                }
                let (clone, end) = self.grown(run, run_at, text, at);
                passed.insert(diagonal, end);
                let apart = shift.is_none_or(|shift| shift.unsigned_abs() as usize >= clone.added.len());
                if clone.added.len() >= least && apart {
                    found.push(clone);
                }
            }
        }
        found
    }

    fn grown(&self, run: usize, run_at: usize, text: &[Word], at: usize) -> (Clone, usize) {
        let words = self.runs.get(run).map_or(&[][..], Vec::as_slice);
        let alike =
            |a: usize, b: usize| matches!((words.get(a), text.get(b)), (Some(a), Some(b)) if a.shape == b.shape);
        let mut back = 0;
        while back < run_at.min(at) && alike(run_at - back - 1, at - back - 1) {
            back += 1;
        }
        let mut length = back;
        while alike(run_at - back + length, at - back + length) {
            length += 1;
        }
        let (start, other) = (run_at - back, at - back);
        let pairs: Vec<(Word, Word)> =
            words.iter().skip(start).zip(text.iter().skip(other)).take(length).map(|(a, b)| (*a, *b)).collect();
        let best = whole_lines(&pairs, corresponding(&pairs));
        let clone = Clone {
            run,
            added: Stretch { start: start + best.start, end: start + best.end },
            other: Stretch { start: other + best.start, end: other + best.end },
            same_names: same_names(pairs.get(best.start..best.end).unwrap_or_default()),
        };
        (clone, other + length)
    }
}

/// The longest part of the pairs in which the names correspond one to one.
fn corresponding(pairs: &[(Word, Word)]) -> Stretch {
    let (mut left, mut right) = (HashMap::new(), HashMap::new());
    let mut best = Stretch { start: 0, end: 0 };
    let mut start = 0;
    for (at, (a, b)) in pairs.iter().enumerate() {
        if a.kind == Kind::Name {
            let last_a: Option<usize> = left.insert(a.text, at);
            let last_b: Option<usize> = right.insert(b.text, at);
            if last_a != last_b {
                // The later of the two stands for another name: the part may start only behind it.
                start = start.max(last_a.max(last_b).map_or(0, |last| last + 1));
            }
        }
        if at + 1 - start > best.len() {
            best = Stretch { start, end: at + 1 };
        }
    }
    best
}

/// Cuts a part to whole lines of both texts, the first of which does not begin with a closing bracket.
fn whole_lines(pairs: &[(Word, Word)], part: Stretch) -> Stretch {
    let breaks = |at: usize| match (at.checked_sub(1).and_then(|before| pairs.get(before)), pairs.get(at)) {
        (Some(before), Some(here)) => before.0.line < here.0.line && before.1.line < here.1.line,
        _ => true,
    };
    let closes = |at: usize| pairs.get(at).is_some_and(|(word, _)| word.kind == Kind::Closing);
    let mut part = part;
    while part.start < part.end && (!breaks(part.start) || closes(part.start)) {
        part.start += 1;
    }
    while part.end > part.start && !breaks(part.end) {
        part.end -= 1;
    }
    part
}

fn same_names(pairs: &[(Word, Word)]) -> usize {
    let names = || pairs.iter().filter(|(a, _)| a.kind == Kind::Name);
    let same = names().filter(|(a, b)| a.text == b.text).count();
    (100 * same).checked_div(names().count()).unwrap_or(100)
}

/// The hash of the piece that starts at each word.
fn hashes(words: &[Word]) -> Vec<u64> {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let lead = (1..PIECE).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0_u64;
    let mut hashes = Vec::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        if let Some(gone) = at.checked_sub(PIECE).and_then(|gone| words.get(gone)) {
            hash = hash.wrapping_sub(u64::from(gone.shape).wrapping_mul(lead));
        }
        hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(word.shape));
        if at + 1 >= PIECE {
            hashes.push(hash ^ (hash >> 29));
        }
    }
    hashes
}

/// The smallest hash of every window, the last of equals, with its place; each once.
fn winnowed(hashes: &[u64]) -> Vec<(u32, u64)> {
    let mut kept: Vec<(u32, u64)> = Vec::new();
    let windows = hashes.len().saturating_sub(WINDOW - 1).max(usize::from(!hashes.is_empty()));
    for start in 0..windows {
        let window = hashes.iter().enumerate().skip(start).take(WINDOW);
        let Some((at, hash)) = window.min_by_key(|(at, hash)| (**hash, usize::MAX - at)) else {
            continue;
        };
        if kept.last().is_none_or(|(last, _)| *last != at as u32) {
            kept.push((at as u32, *hash));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::code::Language;

    use super::super::words::words;
    use super::*;

    fn longest(added: &str, other: &str) -> (usize, usize) {
        let runs = [words(added, Language::Rust)];
        let text = words(other, Language::Rust);
        let found = Index::new(&runs).find(&text, 10, |_| None);
        found.iter().map(|clone| (clone.added.len(), clone.same_names)).max().unwrap_or_default()
    }

    const SUM: &str = "fn sum(list: &[u8]) -> u8 {\nlet mut total = 0;\nfor item in list {\ntotal += item * 2;\n}\nif total > 9 {\nreturn 9;\n}\ntotal\n}\n";

    #[test]
    fn names_may_be_exchanged_one_for_one() {
        let all = words(SUM, Language::Rust).len();
        assert_eq!(longest(SUM, SUM), (all, 100));
        let renamed = SUM.replace("total", "result").replace("list", "values").replace("sum", "add");
        let (length, same) = longest(SUM, &renamed);
        assert_eq!(length, all);
        assert!(same < 50, "{same}");
        let crossed = SUM.replace("return 9;\n}\ntotal", "return 9;\n}\nlist");
        assert!(longest(SUM, &crossed).0 < all);
    }

    #[test]
    fn comments_imports_and_attributes_do_not_count() {
        let dressed = format!("use a::{{b, c}};\n#[inline]\n// Sums.\n{}", SUM.replace("= 0;", "= 0; // none"));
        assert_eq!(longest(SUM, &dressed).0, words(SUM, Language::Rust).len());
    }
}
