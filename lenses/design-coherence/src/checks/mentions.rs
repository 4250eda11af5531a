//! Where names stand after the change: in code, or only in what is written about it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use review_loop_sdk::code::{
    Language, Naming, Token, TokenKind, is_generated, is_lock_file, is_vendored, naming, tokens,
};
use review_loop_sdk::prelude::*;

use super::prose::{is_document, speaks_of_change, tells_history};
use super::removed::{Gone, Thing};

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
        let names: Vec<&str> = left.iter().map(|gone| gone.name.as_str()).collect();
        let Ok((found, complete)) = naming(&names, Side::New, MOST_MATCHES) else { return Vec::new() };
        let by_name = sorted(&left, &found);
        if complete {
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
fn sorted<'a>(gone: &[&'a Gone], found: &[Naming]) -> Vec<(&'a Gone, Option<Vec<Mention>>)> {
    let mut by_name: BTreeMap<usize, Vec<&Naming>> = BTreeMap::new();
    for one in found {
        by_name.entry(one.name).or_default().push(one);
    }
    let mut files = Files::default();
    let of = |(at, gone): (usize, &&'a Gone)| {
        let matches = by_name.get(&at).map_or(&[][..], Vec::as_slice);
        (*gone, mentions(gone, matches, &mut files))
    };
    (0..).zip(gone).map(of).collect()
}

fn mentions(gone: &Gone, matches: &[&Naming], files: &mut Files) -> Option<Vec<Mention>> {
    let mut found = Vec::new();
    for one in matches {
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

enum Place {
    /// The name still means something.
    Use,
    /// Tells neither.
    Silent,
    Mention(&'static str),
}

fn place(gone: &Gone, one: &Naming, files: &mut Files) -> Place {
    let path = one.path.as_str();
    if is_document(path) {
        if defines(&one.text, &gone.name) {
            return Place::Use;
        }
        let about_today =
            !tells_history(path) && names_code(&one.text, gone) && files.speaks_of_today(path, one.line, &gone.name);
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
        true if defines(&one.text, &gone.name) => Place::Use,
        true if is_switched_off_code(&one.text) || !names_code(&one.text, gone) => Place::Silent,
        true if files.speaks_of_today(path, one.line, &gone.name) => Place::Mention("comment"),
        true => Place::Silent,
        false => Place::Use,
    }
}

/// Whether a line of an example defines the name itself.
fn defines(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let word = text[..at].trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let behind = text[at + name.len()..].trim_start();
        let keyword =
            ["fn", "def", "function", "class", "struct", "enum", "trait", "const", "let", "var", "type", "func"]
                .contains(&word);
        keyword || (behind.starts_with('=') && !behind.starts_with("==")) || behind.starts_with(":=")
    })
}

/// Whether the line names a piece of code rather than uses a word: functions stand with marks around them or brackets
/// behind them; the names of types and constants stand out by themselves.
fn names_code(text: &str, gone: &Gone) -> bool {
    gone.thing != Thing::Function
        || text.match_indices(&gone.name).any(|(at, name)| {
            let (before, behind) = (&text[..at], &text[at + name.len()..]);
            let marked = before.ends_with(['`', '.', ':', '#', '>']) && !before.ends_with("://");
            marked || behind.starts_with(['(', '`'])
        })
}

/// Whether a plain comment holds code that was switched off, by what such lines end with or hold.
fn is_switched_off_code(text: &str) -> bool {
    let text = text.trim();
    let documentation = ["///", "//!", "/**", "*", "\"\"\"", "'''"].iter().any(|start| text.starts_with(start));
    let code = text.ends_with([';', '{', '}', '(', '[', ',', '='])
        || [" = ", ":=", "=>", "->"].iter().any(|mark| text.contains(mark));
    code && !documentation
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
