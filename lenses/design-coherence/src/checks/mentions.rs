//! Where names stand after the change: in code, or only in what is written about it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use review_loop_sdk::code::{Language, Token, TokenKind, is_generated, is_lock_file, is_vendored, tokens};
use review_loop_sdk::prelude::*;
use review_loop_sdk::source::{Match, Query, Syntax};

use super::prose::{is_document, speaks_of_change, tells_history};
use super::removed::Gone;

/// A place that still names what is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) path: String,
    pub(super) line: u32,
    /// The line, word for word.
    pub(super) text: String,
    /// What the place is: `comment`, `document`, `script`, `setting`.
    pub(super) what: &'static str,
}

/// The most names that are looked for.
const MOST_NAMES: usize = 500;

/// The most matches of one search.
const MOST_MATCHES: u32 = 5_000;

/// The names that no code holds any more, each with the places that still tell of it.
pub(super) fn of(gone: &[Gone]) -> Vec<(Gone, Vec<Mention>)> {
    if gone.len() > MOST_NAMES {
        log::write(log::Level::Info, &format!("of {} removed names, {MOST_NAMES} were looked for", gone.len()));
    }
    let mut left: Vec<&Gone> = gone.iter().take(MOST_NAMES).collect();
    // A search that is cut off says which names are still in use; those left are looked for again.
    for _ in 0..4 {
        if left.is_empty() {
            return Vec::new();
        }
        let query = Query {
            patterns: left.iter().map(|gone| gone.name.clone()).collect(),
            syntax: Syntax::Word,
            globs: Vec::new(),
            side: Side::New,
            max: MOST_MATCHES,
        };
        let Ok(matches) = source::search(&query) else { return Vec::new() };
        let by_name = sorted(&left, &matches.found);
        if matches.complete {
            return by_name
                .into_iter()
                .filter_map(|(gone, uses)| Some((gone.clone(), uses?)))
                .filter(|(_, m)| !m.is_empty())
                .collect();
        }
        let used: BTreeSet<&str> =
            by_name.iter().filter(|(_, uses)| uses.is_none()).map(|(gone, _)| gone.name.as_str()).collect();
        if used.is_empty() {
            break;
        }
        left.retain(|gone| !used.contains(gone.name.as_str()));
    }
    log::write(
        log::Level::Info,
        "names that the change removes have more matches than one search returns: not looked at",
    );
    Vec::new()
}

/// For each name its mentions; none where something else than prose holds it.
fn sorted<'a>(gone: &[&'a Gone], found: &[Match]) -> Vec<(&'a Gone, Option<Vec<Mention>>)> {
    let mut by_name: BTreeMap<u32, Vec<&Match>> = BTreeMap::new();
    for one in found {
        by_name.entry(one.pattern).or_default().push(one);
    }
    let mut files = Files::default();
    let of = |(at, gone): (u32, &&'a Gone)| {
        let matches = by_name.get(&at).map_or(&[][..], Vec::as_slice);
        (*gone, mentions(gone, matches, &mut files))
    };
    (0..).zip(gone).map(of).collect()
}

fn mentions(gone: &Gone, matches: &[&Match], files: &mut Files) -> Option<Vec<Mention>> {
    let mut found = Vec::new();
    for one in matches {
        if !stands_alone(&one.text, &gone.name) {
            continue;
        }
        match place(gone, one, files) {
            Place::Use => return None,
            Place::Silent => {}
            Place::Mention(what) => {
                found.push(Mention { path: one.path.clone(), line: one.line, text: one.text.clone(), what });
            }
        }
    }
    Some(found)
}

/// Whether the name stands in the line with no part of a name on either side; `-` counts as one for flags.
fn stands_alone(text: &str, name: &str) -> bool {
    let part =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || (c == '-' && name.starts_with('-')));
    text.match_indices(name)
        .any(|(at, _)| !part(text[..at].chars().next_back()) && !part(text[at + name.len()..].chars().next()))
}

enum Place {
    /// The name still means something.
    Use,
    /// Tells neither.
    Silent,
    Mention(&'static str),
}

fn place(gone: &Gone, one: &Match, files: &mut Files) -> Place {
    let path = one.path.as_str();
    if is_document(path) {
        let about_today = !tells_history(path) && files.speaks_of_today(path, one.line, &gone.name);
        return if about_today { Place::Mention("document") } else { Place::Silent };
    }
    if is_lock_file(path) {
        return Place::Silent;
    }
    let script = matches!(
        Language::of(path),
        Some(Language::Shell | Language::Makefile | Language::Dockerfile | Language::Yaml)
    );
    if script && gone.thing.is_interface() {
        return if files.speaks_of_today(path, one.line, &gone.name) {
            Place::Mention("script")
        } else {
            Place::Silent
        };
    }
    let Some(language) = Language::of(path).filter(|_| !is_vendored(path) && !is_generated(path)) else {
        return Place::Use;
    };
    match files.in_comment(path, language, one.line, &gone.name) {
        true if files.speaks_of_today(path, one.line, &gone.name) => Place::Mention("comment"),
        true => Place::Silent,
        false => Place::Use,
    }
}

/// Texts that were read, and what of them is comment.
#[derive(Default)]
struct Files {
    texts: HashMap<String, String>,
    /// Of each file, the names outside of its comments, with their lines; literals as they stand.
    code: HashMap<String, Vec<(u32, u32, String)>>,
    added: HashMap<String, HashSet<u32>>,
}

impl Files {
    fn text(&mut self, path: &str) -> &str {
        self.texts.entry(path.to_owned()).or_insert_with(|| source::read(path, Side::New).unwrap_or_default())
    }

    /// Whether the line is older than the change, tells of the present, and shows the name by itself.
    fn speaks_of_today(&mut self, path: &str, line: u32, name: &str) -> bool {
        if self.is_added(path, line) {
            return false;
        }
        let at = line.saturating_sub(1) as usize;
        let lines: Vec<&str> = self.text(path).lines().collect();
        let foreign = |text: &str| {
            text.match_indices(name)
                .all(|(at, _)| text[..at].rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("://")))
        };
        lines.get(at).is_some_and(|text| !foreign(text)) && !speaks_of_change(&lines, at)
    }

    fn is_added(&mut self, path: &str, line: u32) -> bool {
        let added = |path: &str| -> HashSet<u32> {
            let hunks = subject::hunks(path).unwrap_or_default();
            let lines = hunks.into_iter().flat_map(|hunk| hunk.lines);
            lines.filter(|line| line.change == subject::Change::Added).filter_map(|line| line.new).collect()
        };
        self.added.entry(path.to_owned()).or_insert_with(|| added(path)).contains(&line)
    }

    fn in_comment(&mut self, path: &str, language: Language, line: u32, name: &str) -> bool {
        if !self.code.contains_key(path) {
            let code = tokens(self.text(path), language);
            let code = code.iter().filter(|token| token.kind != TokenKind::Comment).filter(|token| may_name(token));
            let code = code.map(|token| (token.line, token.end_line(), token.text.to_owned())).collect();
            self.code.insert(path.to_owned(), code);
        }
        let code = self.code.get(path).map_or(&[][..], Vec::as_slice);
        !code.iter().any(|(first, last, text)| (*first..=*last).contains(&line) && text.contains(name))
    }
}

fn may_name(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Ident | TokenKind::Str | TokenKind::Keyword)
}
