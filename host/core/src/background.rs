//! How common words are in program text at large: a small table that is part of the tool.
//!
//! A run has too few words of its own to tell a rare one from a common one. `background.txt` says where the counts
//! come from.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::LazyLock;

/// A hash map without random keys: the same input gives the same everything.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

static SHARES: LazyLock<Map<&'static str, f64>> = LazyLock::new(|| read(include_str!("background.txt")));

/// A word that is not in the table is taken for this much rarer than the rarest that is.
const UNLISTED: f64 = 0.25;

/// The share of a word, as [`crate::text::words`] cuts it, in program text at large. More than 0, less than 1.
#[must_use]
pub fn share(word: &str) -> f64 {
    SHARES.get(word).copied().unwrap_or(*RAREST * UNLISTED)
}

static RAREST: LazyLock<f64> = LazyLock::new(|| SHARES.values().copied().fold(1.0, f64::min));

fn read(table: &'static str) -> Map<&'static str, f64> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| counts(line).unwrap_or_default()).collect()
}

fn counts(line: &'static str) -> Option<Vec<(&'static str, f64)>> {
    let (count, words) = line.split_once(' ')?;
    let share = count.parse::<f64>().ok()? / 1e7;
    Some(words.split(' ').map(|word| (word, share)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_weigh_more_than_rare_ones_and_those_more_than_unlisted_ones() {
        assert!(share("error") > share("encod"));
        assert!(share("encod") > share("zebrafish"));
        assert!(share("zebrafish") > 0.0);
    }

    #[test]
    fn table_is_whole() {
        assert_eq!(SHARES.len(), 3000);
    }
}
