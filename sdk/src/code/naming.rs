//! Where names stand in the sources.

use std::collections::HashMap;

use crate::source::{self, Query, Syntax};
use crate::types::Side;

/// A line that holds one of the names looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    /// Which of the names, from 0.
    pub name: usize,
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The line's text; long lines are cut.
    pub text: String,
}

/// The lines of all files that hold any of the names (each given once) as a whole word, and whether these are all. One pass over the
/// files however many names there are: they are one pattern, and told apart here.
///
/// # Errors
/// The sources cannot be searched.
pub fn naming(names: &[&str], side: Side, max: u32) -> Result<(Vec<Naming>, bool), source::Error> {
    if names.is_empty() {
        return Ok((Vec::new(), true));
    }
    let query = Query { patterns: vec![pattern(names)], syntax: Syntax::Regex, globs: Vec::new(), side, max };
    let matches = source::search(&query)?;
    let words: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let marked: Vec<usize> = (0..names.len()).filter(|at| !is_word(names[*at])).collect();
    let mut found = Vec::new();
    for one in matches.found {
        let mut held = held(&one.text, names, &words, &marked);
        if held.is_empty() {
            // The name stands behind the cut of a long line.
            let whole = source::read(&one.path, side).unwrap_or_default();
            let line = whole.lines().nth(one.line.saturating_sub(1) as usize).unwrap_or_default();
            held = self::held(line, names, &words, &marked);
        }
        let naming = |name| Naming { name, path: one.path.clone(), line: one.line, text: one.text.clone() };
        found.extend(held.into_iter().map(naming));
    }
    Ok((found, matches.complete))
}

/// Which of the names the line holds, each once, in order.
fn held(line: &str, names: &[&str], words: &HashMap<&str, usize>, marked: &[usize]) -> Vec<usize> {
    let in_line = line.split(|c: char| !is_word_character(c)).filter_map(|word| words.get(word).copied());
    let with_marks = marked.iter().copied().filter(|at| stands_alone(line, names[*at]));
    let mut held: Vec<usize> = in_line.chain(with_marks).collect();
    held.sort_unstable();
    held.dedup();
    held
}

/// Whether the name stands somewhere in the line with no part of a word on either side. Beside `-`, another `-` counts
/// as one: `--a-b` does not hold `--a`.
#[must_use]
pub fn stands_alone(line: &str, name: &str) -> bool {
    let hyphens = name.starts_with('-');
    let part = |c: Option<char>| c.is_some_and(|c| is_word_character(c) || (c == '-' && hyphens));
    let whole = |at: usize| {
        let (before, behind) = (line.get(..at).unwrap_or_default(), line.get(at + name.len()..).unwrap_or_default());
        !part(before.chars().next_back()) && !part(behind.chars().next())
    };
    line.match_indices(name).any(|(at, _)| whole(at))
}

fn is_word(name: &str) -> bool {
    name.chars().all(is_word_character)
}

fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// One pattern for all: a set of many is matched far more slowly. ASCII word boundaries suffice, as every match is
/// looked at again.
fn pattern(names: &[&str]) -> String {
    let (words, marked): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| name.is_ascii() && is_word(name));
    let mut parts: Vec<String> = marked.iter().map(|name| escaped(name)).collect();
    if !words.is_empty() {
        parts.push(format!(r"(?-u:\b)(?:{})(?-u:\b)", words.join("|")));
    }
    parts.join("|")
}

fn escaped(name: &str) -> String {
    let escape = |c: char| if c.is_ascii_punctuation() { format!("\\{c}") } else { c.to_string() };
    name.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::FakeHost;

    #[test]
    fn every_name_of_a_line_is_told() {
        let host =
            FakeHost::new().source("a.md", "read_all and --read-all, not read_alls\n--read-all-now\nfile.md, größe\n");
        let names = ["read_all", "--read-all", "file.md", "größe", "absent"];
        let (found, complete) = host.run(|| naming(&names, Side::New, 10).unwrap()).0;
        let found: Vec<_> = found.iter().map(|one| (one.line, names[one.name])).collect();
        assert_eq!(found, [(1, "read_all"), (1, "--read-all"), (3, "file.md"), (3, "größe")]);
        assert!(complete);
        assert!(!FakeHost::new().source("a", "x\nx\n").run(|| naming(&["x"], Side::New, 1).unwrap()).0.1);
    }
}
