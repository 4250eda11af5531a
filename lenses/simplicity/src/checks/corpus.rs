//! The code that an addition may repeat: files of the same language, nearest folders first, within a bound.

use std::collections::{BTreeMap, BTreeSet};

use review_loop_sdk::code::{Language, generated_header, is_generated, is_test_path, is_vendored};
use review_loop_sdk::prelude::*;

/// How many bytes of other files are read at most.
const MOST_BYTES: usize = 8 << 20;

/// How many other files are read at most.
const MOST_FILES: usize = 2_000;

/// A longer file is data or generated.
const LONGEST_FILE: usize = 512 << 10;

/// Calls `each` with the files of these languages, the changed ones first, then those nearest to a changed one.
pub(super) fn walk(
    changed: &BTreeSet<String>,
    languages: &BTreeSet<Language>,
    mut each: impl FnMut(&str, Language, &str),
) {
    let Ok(listing) = source::paths(&[], Side::New) else {
        return;
    };
    let folders: BTreeSet<&str> = changed.iter().map(|path| folder(path)).collect();
    let mut distances: BTreeMap<String, usize> = BTreeMap::new();
    let mut paths: Vec<(usize, &String)> = Vec::new();
    for path in &listing.paths {
        if !Language::of(path).is_some_and(|language| languages.contains(&language)) || !is_own_code(path) {
            continue;
        }
        let near = distances
            .entry(folder(path).to_owned())
            .or_insert_with(|| nearest(&folders, folder(path)));
        let distance = if changed.contains(path) { 0 } else { *near + 1 };
        paths.push((distance, path));
    }
    paths.sort();
    let (mut bytes, mut files) = (0, 0);
    for (_, path) in &paths {
        if bytes >= MOST_BYTES || files >= MOST_FILES {
            let message = format!(
                "repeated code was looked for in the nearest {files} of {} files",
                paths.len()
            );
            log::write(log::Level::Info, &message);
            break;
        }
        let (Ok(text), Some(language)) = (source::read(path, Side::New), Language::of(path)) else {
            continue;
        };
        bytes += text.len();
        files += 1;
        if is_written_by_hand(&text) {
            each(path, language, &text);
        }
    }
}

/// Whether the file holds code of this repository that should not repeat other code. Tests, examples and migrations
/// repeat themselves by intent.
pub(super) fn is_own_code(path: &str) -> bool {
    const APART: &[&str] = &[
        "example",
        "examples",
        "sample",
        "samples",
        "demo",
        "demos",
        "doc",
        "docs",
        "docs_src",
        "tutorial",
        "tutorials",
        "template",
        "templates",
        "migrations",
        "bench",
        "benchmark",
        "benchmarks",
        "playground",
        "dist",
        "build",
        "third_party",
        "contrib",
        "legacy",
        "compat",
    ];
    let apart = folder(path)
        .split('/')
        .any(|part| APART.contains(&part.to_ascii_lowercase().as_str()));
    !apart && !is_test_path(path) && !is_vendored(path) && !is_generated(path) && !path.ends_with(".d.ts")
}

/// Whether a person wrote the text: no header of a generator, no bundle, no long lines, not too large.
pub(super) fn is_written_by_hand(text: &str) -> bool {
    let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    text.len() <= LONGEST_FILE
        && text.len() / lines < 120
        && !generated_header(text.as_bytes())
        && !text.contains("__webpack_require__")
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn nearest(folders: &BTreeSet<&str>, from: &str) -> usize {
    folders
        .iter()
        .map(|folder| distance(folder, from))
        .min()
        .unwrap_or(usize::MAX - 1)
}

/// How many folders are left and entered on the way from one to the other.
fn distance(a: &str, b: &str) -> usize {
    let parts = |folder: &'_ str| folder.split('/').filter(|part| !part.is_empty()).count();
    let shared = a
        .split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b && !a.is_empty())
        .count();
    parts(a) + parts(b) - 2 * shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_folders() {
        assert_eq!(distance("a/b", "a/b"), 0);
        assert_eq!(distance("a/b", "a/c/d"), 3);
        assert_eq!(distance("", "a"), 1);
        assert_eq!(distance("", ""), 0);
    }
}
