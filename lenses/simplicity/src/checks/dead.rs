//! Private code that the change adds and that nothing names.

use std::collections::{HashMap, HashSet};

use review_loop_sdk::code::{Definition, DefinitionKind, Language, Naming, definitions, naming, tokens};
use review_loop_sdk::prelude::*;
use review_loop_sdk::subject::{Change, File};

use super::corpus;

/// A definition that nothing names.
#[derive(Debug, Clone)]
pub(super) struct Unnamed {
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) name: String,
    pub(super) noun: &'static str,
    /// The line, word for word.
    pub(super) text: String,
}

/// The private definitions that the change adds and whose names stand nowhere else: in no code, comment, string,
/// document or setting of the repository.
pub(super) fn unnamed() -> Vec<Unnamed> {
    let mut candidates: Vec<Unnamed> = subject::files().iter().flat_map(in_file).take(MOST_NAMES).collect();
    // Two definitions of one name stand for each other, as for two platforms: who names one may mean either.
    let mut counts: HashMap<String, usize> = HashMap::new();
    for one in &candidates {
        *counts.entry(one.name.clone()).or_default() += 1;
    }
    candidates.retain(|one| counts.get(&one.name) == Some(&1));
    if candidates.is_empty() {
        return candidates;
    }
    let names: Vec<&str> = candidates.iter().map(|one| one.name.as_str()).collect();
    let Some((found, true)) = naming(&names, Side::New, 2_000).ok() else { return Vec::new() };
    let is_own =
        |one: &Naming| candidates.get(one.name).is_some_and(|own| own.path == one.path && own.line == one.line);
    let named: HashSet<usize> = found.iter().filter(|one| !is_own(one)).map(|one| one.name).collect();
    (0..).zip(candidates).filter(|(at, _)| !named.contains(at)).map(|(_, one)| one).collect()
}

const MOST_NAMES: usize = 200;

/// The added private definitions that nothing else in their own file names.
fn in_file(file: &File) -> Vec<Unnamed> {
    let Some(language) = Language::of(&file.path).filter(|language| is_certain(*language)) else { return Vec::new() };
    if file.omitted.is_some() || file.added == 0 || !corpus::is_own_code(&file.path) {
        return Vec::new();
    }
    let hunks = subject::hunks(&file.path).unwrap_or_default();
    let added = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.change == Change::Added);
    let added: HashSet<u32> = added.filter(|line| may_define(&line.text)).filter_map(|line| line.new).collect();
    if added.is_empty() {
        return Vec::new();
    }
    let text = source::read(&file.path, Side::New).unwrap_or_default();
    if !corpus::is_written_by_hand(&text) || looks_up_names(&text, language) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let found = definitions(&text, &tokens(&text, language), language);
    let private = found.iter().filter(|one| one.top && added.contains(&one.line) && is_private(one, &lines, language));
    private.filter(|one| stands_once(&text, one.name)).filter_map(|one| unnamed_in(file, one, &lines)).collect()
}

fn unnamed_in(file: &File, found: &Definition<'_>, lines: &[&str]) -> Option<Unnamed> {
    let noun = match found.kind {
        DefinitionKind::Function => "function",
        DefinitionKind::Type => "type",
        DefinitionKind::Value => "constant",
        DefinitionKind::Module => return None,
    };
    let text = lines.get(found.line.checked_sub(1)? as usize)?;
    Some(Unnamed {
        path: file.path.clone(),
        line: found.line,
        name: found.name.to_owned(),
        noun,
        text: (*text).to_owned(),
    })
}

/// Languages in which the words in front of a definition say that only this file, package or module may name it.
fn is_certain(language: Language) -> bool {
    matches!(language, Language::Rust | Language::JavaScript | Language::TypeScript | Language::Python | Language::Go)
}

fn may_define(line: &str) -> bool {
    !line.starts_with([' ', '\t', '/', '*', '#', '}', ')'])
}

/// Whether the text may reach definitions by names that it puts together, or is no module of its own.
fn looks_up_names(text: &str, language: Language) -> bool {
    let any = |marks: &[&str]| marks.iter().any(|mark| text.contains(mark));
    match language {
        Language::Rust => any(&["allow(dead_code", "allow(unused", "paste!", "concat_idents!", "include!("]),
        Language::Python => any(&["globals()", "locals()", "getattr(", "__getattr__", "vars(", "inspect.getmembers"]),
        Language::Go => any(&["import \"C\"", "//go:linkname"]),
        _ => !any(&["import ", "export ", "require(", "module.exports"]) || any(&["eval(", "@ts-nocheck"]),
    }
}

/// Whether the line says that nobody outside may name it, and nothing above it puts it to use.
fn is_private(found: &Definition<'_>, lines: &[&str], language: Language) -> bool {
    let Some(at) = found.line.checked_sub(1) else { return false };
    let line = lines.get(at as usize).copied().unwrap_or_default();
    let above = lines.iter().take(at as usize).rev().map(|line| line.trim()).find(|line| !line.starts_with("///"));
    let above = above.unwrap_or_default();
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    match language {
        Language::Rust => {
            let plain = starts(&["fn ", "async fn ", "unsafe fn ", "const ", "static ", "struct ", "enum ", "type "]);
            plain && !above.ends_with(']') && found.name != "main" && !found.name.starts_with('_')
        }
        Language::Python => {
            let own = found.name.starts_with('_') && found.name.len() > 3 && !found.name.ends_with("__");
            own && starts(&["def ", "async def ", "class ", "_"]) && !above.starts_with('@') && !above.ends_with(')')
        }
        Language::Go => {
            let small = found.name.starts_with(|c: char| c.is_ascii_lowercase());
            let hooked =
                ["main", "init"].contains(&found.name) || above.starts_with("//go:") || above.starts_with("//export");
            small && starts(&["func ", "const ", "var ", "type "]) && !line.starts_with("func (") && !hooked
        }
        _ => {
            starts(&["function ", "async function ", "const ", "class "])
                && !above.starts_with('@')
                && found.name.len() > 2
        }
    }
}

/// Whether the name stands in the text once, as a word.
fn stands_once(text: &str, name: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let whole = |at: &usize| !part(text[..*at].chars().next_back()) && !part(text[*at + name.len()..].chars().next());
    text.match_indices(name).map(|(at, _)| at).filter(whole).take(2).count() == 1
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::FakeHost;

    use super::*;

    fn names(host: FakeHost) -> Vec<String> {
        host.run(|| unnamed().into_iter().map(|one| one.name).collect()).0
    }

    #[test]
    fn what_nothing_names_is_found() {
        assert_eq!(
            names(FakeHost::new().added("a.rs", "fn lost() {}\nfn used() {}\npub fn shown() { used() }\n")),
            ["lost"]
        );
        assert_eq!(
            names(FakeHost::new().added("a.py", "def _lost():\n    pass\n\n\ndef shown():\n    pass\n")),
            ["_lost"]
        );
        assert_eq!(
            names(FakeHost::new().added("a.ts", "export const a = 1;\nfunction lost() {}\nconst gone = () => 1;\n")),
            ["lost", "gone"]
        );
        assert_eq!(
            names(FakeHost::new().added("a.go", "package a\nfunc lost() {}\nfunc Shown() {}\nfunc init() {}\n")),
            ["lost"]
        );
    }

    #[test]
    fn what_anything_names_is_not() {
        let lost = || FakeHost::new().added("src/a.rs", "fn lost() {}\n");
        assert!(names(lost().source("src/b.rs", "fn b() { super::lost() }\n")).is_empty());
        assert!(names(lost().source("README.md", "Call `lost`.\n")).is_empty());
        let twice = FakeHost::new()
            .added("a/unix.py", "def _lost():\n    pass\n")
            .added("a/win.py", "def _lost():\n    pass\n");
        assert!(names(twice.source("a/b.py", "from a.unix import _lost\n")).is_empty());
        let dressed = "#[no_mangle]\nfn lost() {}\n";
        assert!(names(FakeHost::new().added("a.rs", dressed)).is_empty());
        assert!(names(FakeHost::new().added("a.js", "function onClick() {}\n")).is_empty());
        assert!(names(FakeHost::new().added("a.py", "@route('/')\ndef _lost():\n    pass\n")).is_empty());
        assert!(names(FakeHost::new().edited("a.rs", "fn lost() {}\n", "fn lost() {}\n\nfn main() {}\n")).is_empty());
    }
}
