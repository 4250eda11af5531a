//! Paths in documents and settings that lead to a file which the change deleted or renamed.

use std::collections::{BTreeMap, BTreeSet};

use review_loop_sdk::code::{Language, Naming, is_lock_file, naming};
use review_loop_sdk::prelude::*;

use super::mentions::Mention;
use super::prose::{is_document, speaks_of_change, tells_history};
use super::removed::GoneFile;

/// The most files that are looked for.
const MOST_FILES: usize = 1_000;

/// The gone files that something still points to, each with the places.
pub(super) fn to(gone: &[GoneFile]) -> Vec<(GoneFile, Vec<Mention>)> {
    let Ok(listing) = source::paths(&[], Side::New) else { return Vec::new() };
    if gone.is_empty() || !listing.complete {
        return Vec::new();
    }
    let there: BTreeSet<&str> = listing.paths.iter().map(String::as_str).collect();
    let gone: BTreeMap<&str, &GoneFile> = gone.iter().map(|file| (file.path.as_str(), file)).collect();
    let names: BTreeSet<&str> = gone.keys().take(MOST_FILES).map(|path| name(path)).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let Ok((matches, _)) = naming(&names, Side::New, 5_000) else { return Vec::new() };
    let mut found: BTreeMap<&str, Vec<Mention>> = BTreeMap::new();
    for one in &matches {
        let Some(what) = kind(&one.path) else { continue };
        for path in pointed(one, what) {
            let leads_nowhere = !path.readings.iter().any(|reading| there.contains(reading.as_str()));
            let lost = path.readings.iter().find_map(|reading| gone.get_key_value(reading.as_str()));
            if let Some((lost, _)) = lost.filter(|_| leads_nowhere && (path.link || is_about_today(one, what))) {
                let mention = Mention { path: one.path.clone(), line: one.line, text: one.text.clone(), what };
                let mentions = found.entry(lost).or_default();
                if !mentions.contains(&mention) {
                    mentions.push(mention);
                }
            }
        }
    }
    let whole = |(path, mentions): (&str, Vec<Mention>)| {
        let mut file = (*gone.get(path)?).clone();
        file.renamed = file.renamed.or_else(|| successor(path, &there));
        Some((file, mentions))
    };
    found.into_iter().filter_map(whole).collect()
}

/// The one file that has the same name with another ending, in the same folder.
fn successor(path: &str, there: &BTreeSet<&str>) -> Option<String> {
    let stem = |path: &str| path.rsplit_once('.').map(|(stem, _)| stem.to_owned());
    let own = stem(path)?;
    let mut found = there.iter().filter(|other| other.starts_with(&own) && stem(other).as_ref() == Some(&own));
    let first = found.next()?;
    found.next().is_none().then(|| (*first).to_owned())
}

fn kind(path: &str) -> Option<&'static str> {
    if tells_history(path) || is_lock_file(path) {
        return None;
    }
    if is_document(path) {
        return Some("document");
    }
    matches!(Language::of(path)?, Language::Toml | Language::Yaml | Language::Json).then_some("setting")
}

fn is_about_today(one: &Naming, what: &str) -> bool {
    let text = source::read(&one.path, Side::New).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let at = one.line.saturating_sub(1) as usize;
    !speaks_of_change(&lines, at) && (what != "document" || !is_output(&lines, at))
}

/// Whether a line of a code block is not a command: a path in there is part of an example.
fn is_output(lines: &[&str], at: usize) -> bool {
    const COMMANDS: &[&str] = &[
        "$", ">", "python", "python3", "node", "bash", "sh", "make", "cargo", "npm", "npx", "yarn", "pnpm", "go", "cp",
        "cat", "cd", "source", "vim", "git", "docker", "pip", "ruby", "php", "open", "less", "sudo",
    ];
    let line = lines.get(at).copied().unwrap_or_default();
    let fences =
        lines.iter().take(at).filter(|line| line.trim_start().starts_with("```") || line.starts_with("~~~")).count();
    let block = fences % 2 == 1 || line.starts_with("    ") || line.starts_with('\t');
    let first = line.split_whitespace().next().unwrap_or_default();
    block && !COMMANDS.contains(&first) && !first.starts_with("./")
}

/// A path that a line holds.
struct Pointed {
    /// Every file that it may mean: from the folder of the document, and from the root.
    readings: Vec<String>,
    /// Whether it is the target of a link, which is broken whatever the text says.
    link: bool,
}

fn pointed(one: &Naming, what: &str) -> Vec<Pointed> {
    let folder = one.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = Vec::new();
    for (at, word) in path_words(&one.text) {
        let before = &one.text[..at];
        if before.rsplit(char::is_whitespace).next().is_some_and(|start| start.contains("://")) {
            continue;
        }
        let link = before.ends_with("](") || (before.starts_with('[') && before.ends_with("]: "));
        // In prose a short path is often the reader's own file: `src/index.js`.
        let long_enough =
            word.trim_start_matches("./").matches('/').count() >= 2 || what == "setting" && word.contains('/');
        let relative = resolved(folder, word);
        let rooted = resolved("", word.trim_start_matches('/'));
        if link {
            found.push(Pointed { readings: relative.into_iter().collect(), link });
        } else if long_enough && !word.starts_with('/') {
            found.push(Pointed { readings: relative.into_iter().chain(rooted).collect(), link });
        }
    }
    found
}

/// The pieces of a line that may be paths, with their places.
fn path_words(text: &str) -> Vec<(usize, &str)> {
    let part = |c: char| c.is_alphanumeric() || "_./@+-".contains(c);
    let mut words = Vec::new();
    let mut at = 0;
    for piece in text.split_inclusive(|c: char| !part(c)) {
        let word = piece.trim_end_matches(|c: char| !part(c)).trim_end_matches('.');
        if word.contains('.') {
            words.push((at, word));
        }
        at += piece.len();
    }
    words
}

/// A path seen from a folder; none where it leaves the root.
fn resolved(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
