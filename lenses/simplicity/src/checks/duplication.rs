//! Code that the change adds and that repeats other code, of the repository or of the change itself.

use std::collections::{BTreeSet, HashSet};

use review_loop_sdk::code::{Definition, DefinitionKind, Language, definitions, tokens};
use review_loop_sdk::prelude::*;
use review_loop_sdk::subject::{Change, File};

use super::clones::{Index, Stretch};
use super::corpus;
use super::words::{Word, words};
use super::worth::{LEAST_WORDS, is_worth};

/// A repetition: two places, by lines.
#[derive(Debug, Clone)]
pub(super) struct Repetition {
    pub(super) path: String,
    pub(super) lines: (u32, u32),
    pub(super) other: String,
    pub(super) other_lines: (u32, u32),
    /// The function that the other place is in, or begins with.
    pub(super) function: Option<String>,
    pub(super) words: usize,
    /// How many of a hundred names are the same in both.
    pub(super) same_names: usize,
    /// The first line of the added place, word for word.
    pub(super) quote: String,
}

/// The most bytes of added code that are compared.
const MOST_ADDED: usize = 6 << 20;

/// The repetitions in the change, the longest first; of those that overlap, the longest alone.
pub(super) fn repetitions() -> Vec<Repetition> {
    let added = Added::read();
    if added.runs.is_empty() {
        return Vec::new();
    }
    let index = Index::new(&added.runs);
    let mut found = Vec::new();
    corpus::walk(&added.paths, &added.languages, |path, language, text| {
        let there = words(text, language);
        let start_of = |run: usize| added.places.get(run).filter(|place| place.path == path).map(|place| place.at);
        let mut defined = None;
        for clone in index.find(&there, LEAST_WORDS, start_of) {
            let (Some(place), Some(run)) = (added.places.get(clone.run), added.runs.get(clone.run)) else {
                continue;
            };
            let (Some(here), Some(other)) = (part(run, clone.added), part(&there, clone.other)) else {
                continue;
            };
            if place.language != language || !is_worth(here, clone.same_names) || are_variants(&place.path, path) {
                continue;
            }
            let (lines, other_lines) = (line_range(here), line_range(other));
            if added.holds(path, other_lines) && (path, other_lines) > (place.path.as_str(), lines) {
                continue;
            }
            if added.removed.hold(here) {
                continue;
            }
            let defined = defined.get_or_insert_with(|| functions(text, language));
            found.push(Repetition {
                path: place.path.clone(),
                lines,
                other: path.to_owned(),
                other_lines,
                function: enclosing(defined, other_lines),
                words: clone.added.len(),
                same_names: clone.same_names,
                quote: added.line(&place.path, lines.0),
            });
        }
    });
    longest_of_overlapping(found)
}

fn part(words: &[Word], stretch: Stretch) -> Option<&[Word]> {
    words.get(stretch.start..stretch.end).filter(|words| !words.is_empty())
}

fn line_range(words: &[Word]) -> (u32, u32) {
    (words.first().map_or(1, |word| word.line), words.last().map_or(1, |word| word.line))
}

/// Name, first and last line of every function.
fn functions(text: &str, language: Language) -> Vec<(String, u32, u32)> {
    let named = |found: &Definition<'_>| (found.name.to_owned(), found.line, found.last_line);
    let found = definitions(text, &tokens(text, language), language);
    found.iter().filter(|found| found.kind == DefinitionKind::Function).map(named).collect()
}

/// The innermost function around the lines, or else the one that begins with them.
fn enclosing(functions: &[(String, u32, u32)], lines: (u32, u32)) -> Option<String> {
    let around = functions.iter().rev().find(|(_, first, last)| *first <= lines.0 && lines.1 <= *last);
    let begins = || functions.iter().find(|(_, first, _)| (lines.0..lines.0 + 3).contains(first));
    around.or_else(begins).map(|(name, _, _)| name.clone())
}

/// Whether the paths differ only by a platform, an instruction set, a protocol version or a mode: such files are alike
/// because the cases that they serve are.
fn are_variants(a: &str, b: &str) -> bool {
    const AXES: &[&str] = &[
        "unix", "windows", "win", "win32", "linux", "darwin", "macos", "mac", "ios", "android", "wasm", "wasi", "bsd",
        "posix", "freebsd", "sse", "sse2", "sse41", "ssse3", "avx", "avx2", "avx512", "neon", "simd", "scalar", "x86",
        "x64", "arm", "arm64", "aarch64", "amd64", "sync", "async", "blocking", "cjs", "esm", "mjs", "node", "browser",
        "web", "native", "server", "client", "mysql", "postgres", "pg", "sqlite", "http1", "http2", "h1", "h2",
    ];
    let without_digits = |path: &str| path.replace(|c: char| c.is_ascii_digit(), "");
    let numbers_apart = a != b && without_digits(a) == without_digits(b);
    let pieces =
        |path: &str| -> Vec<String> { path.split(['/', '_', '-', '.']).map(str::to_ascii_lowercase).collect() };
    let (a, b): (HashSet<String>, HashSet<String>) = (pieces(a).into_iter().collect(), pieces(b).into_iter().collect());
    let is_axis = |piece: &&String| {
        let version = piece.strip_prefix('v').unwrap_or(piece);
        AXES.contains(&piece.as_str()) || (!version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()))
    };
    a.symmetric_difference(&b).any(|piece| is_axis(&piece)) || numbers_apart
}

fn longest_of_overlapping(mut found: Vec<Repetition>) -> Vec<Repetition> {
    found.sort_by(|a, b| {
        b.words.cmp(&a.words).then_with(|| (&a.path, a.lines, &a.other).cmp(&(&b.path, b.lines, &b.other)))
    });
    let mut kept: Vec<Repetition> = Vec::new();
    for one in found {
        let meets =
            |path: &str, lines: (u32, u32)| path == one.path && lines.0 <= one.lines.1 && one.lines.0 <= lines.1;
        if !kept.iter().any(|other| meets(&other.path, other.lines) || meets(&other.other, other.other_lines)) {
            kept.push(one);
        }
    }
    kept
}

/// What the change adds, and what it removes.
#[derive(Default)]
struct Added {
    runs: Vec<Vec<Word>>,
    places: Vec<Place>,
    paths: BTreeSet<String>,
    languages: BTreeSet<Language>,
    lines: HashSet<(String, u32)>,
    removed: Removed,
}

/// Where a run stands.
struct Place {
    path: String,
    language: Language,
    /// Index of its first word among those of its file.
    at: usize,
}

impl Added {
    fn read() -> Self {
        let mut added = Self::default();
        let mut bytes = 0;
        for file in subject::files() {
            let Some(language) = Language::of(&file.path).filter(|language| language.is_program()) else {
                continue;
            };
            let old_language = file.old_path.as_deref().and_then(Language::of).unwrap_or(language);
            let hunks = subject::hunks(&file.path).unwrap_or_default();
            for hunk in &hunks {
                let removed = hunk.lines.iter().filter(|line| line.change == Change::Removed);
                added.removed.add(&removed.map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"), old_language);
            }
            if bytes < MOST_ADDED {
                bytes += added.take(&file, language, &hunks);
            }
        }
        added
    }

    /// Takes the added runs of a file that are long enough; the bytes that were read for it.
    fn take(&mut self, file: &File, language: Language, hunks: &[subject::Hunk]) -> usize {
        let lines: HashSet<u32> = hunks.iter().flat_map(|hunk| &hunk.lines).filter_map(added_line).collect();
        let long_enough = lines.len() >= 8 && file.omitted.is_none() && corpus::is_own_code(&file.path);
        let text = if long_enough { source::read(&file.path, Side::New).unwrap_or_default() } else { String::new() };
        if text.is_empty() || !corpus::is_written_by_hand(&text) {
            return text.len();
        }
        let mut at = 0;
        for run in words(&text, language).chunk_by(|a, b| lines.contains(&a.line) == lines.contains(&b.line)) {
            if run.len() >= LEAST_WORDS && run.first().is_some_and(|word| lines.contains(&word.line)) {
                self.runs.push(run.to_vec());
                self.places.push(Place { path: file.path.clone(), language, at });
                self.paths.insert(file.path.clone());
                self.languages.insert(language);
            }
            at += run.len();
        }
        if self.paths.contains(&file.path) {
            self.lines.extend(lines.into_iter().map(|line| (file.path.clone(), line)));
        }
        text.len()
    }

    /// Whether the change added most of the lines.
    fn holds(&self, path: &str, lines: (u32, u32)) -> bool {
        let added = (lines.0..=lines.1).filter(|line| self.lines.contains(&(path.to_owned(), *line))).count();
        2 * added > (lines.1 + 1 - lines.0) as usize
    }

    fn line(&self, path: &str, line: u32) -> String {
        let text = source::read(path, Side::New).unwrap_or_default();
        text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default().to_owned()
    }
}

fn added_line(line: &subject::Line) -> Option<u32> {
    line.new.filter(|_| line.change == Change::Added)
}

/// Pieces of the removed code, by which moved code is known.
#[derive(Default)]
struct Removed {
    pieces: HashSet<u64>,
}

impl Removed {
    const PIECE: usize = 8;

    fn add(&mut self, text: &str, language: Language) {
        self.pieces.extend(Self::pieces(&words(text, language)));
    }

    /// Whether a fair part of the words was removed elsewhere in the change.
    fn hold(&self, words: &[Word]) -> bool {
        let pieces: Vec<u64> = Self::pieces(words).collect();
        let known = pieces.iter().filter(|piece| self.pieces.contains(piece)).count();
        5 * known >= pieces.len()
    }

    fn pieces(words: &[Word]) -> impl Iterator<Item = u64> {
        let mix = |hash: u64, word: &Word| (hash ^ u64::from(word.text)).wrapping_mul(0x0100_0000_01b3);
        words.windows(Self::PIECE).map(move |piece| piece.iter().fold(0xcbf2_9ce4_8422_2325, mix))
    }
}
