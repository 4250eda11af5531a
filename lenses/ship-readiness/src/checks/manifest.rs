//! What a manifest asks for: the direct dependencies, with the line that each stands on.
//!
//! A reader takes what it is sure of and leaves out the rest: paths and workspace members (a lock file need not name
//! them), platform packages, aliases.

use review_loop_sdk::code::{Language, Token, TokenKind, tokens};

/// One direct dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// As the lock file spells it.
    pub(crate) name: String,
    /// The version asked for, as it stands; empty where none does.
    pub(crate) version: String,
    /// From 1.
    pub(crate) line: u32,
}

fn wanted(name: &str, version: &str, line: u32) -> Wanted {
    Wanted { name: name.to_owned(), version: version.to_owned(), line }
}

/// `package.json`.
pub(crate) fn npm(text: &str) -> Vec<Wanted> {
    let registry = |one: &Wanted| one.version.starts_with(['^', '~', '>', '<', '=', '*']) || is_version(&one.version);
    let sections = ["dependencies", "devDependencies", "optionalDependencies"];
    json_sections(text, &sections).into_iter().filter(registry).collect()
}

fn is_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-+".contains(&b))
}

/// `composer.json`.
pub(crate) fn composer(text: &str) -> Vec<Wanted> {
    let mut all = json_sections(text, &["require", "require-dev"]);
    all.retain(|one| one.name.contains('/'));
    for one in &mut all {
        one.name.make_ascii_lowercase();
    }
    all
}

/// The pairs of two strings in the named objects at the top of a JSON text.
fn json_sections(text: &str, sections: &[&str]) -> Vec<Wanted> {
    let tokens = tokens(text, Language::Json);
    let mut found = Vec::new();
    let (mut depth, mut inside) = (0_usize, false);
    for at in 0..tokens.len() {
        let text_at = |offset: usize| tokens.get(at + offset).map_or("", |token| token.text);
        match text_at(0) {
            "{" | "[" => depth += 1,
            "}" | "]" => depth = depth.saturating_sub(1),
            key if depth == 1 && text_at(1) == ":" => {
                inside = text_at(2) == "{" && sections.contains(&key.trim_matches('"'));
            }
            name if depth == 2 && inside && text_at(1) == ":" && text_at(2).starts_with('"') => {
                let line = tokens.get(at).map_or(0, |token| token.line);
                found.push(wanted(name.trim_matches('"'), text_at(2).trim_matches('"'), line));
            }
            _ => {}
        }
    }
    found
}

/// A key of a TOML text with its value.
struct Entry<'a> {
    /// The table's name and the key, part by part.
    path: Vec<&'a str>,
    value: &'a [Token<'a>],
    line: u32,
}

fn toml_tokens(text: &str) -> Vec<Token<'_>> {
    tokens(text, Language::Toml).into_iter().filter(|token| token.kind != TokenKind::Comment).collect()
}

/// Every key of a TOML text that stands outside of a value.
fn toml_entries<'a>(tokens: &'a [Token<'a>]) -> Vec<Entry<'a>> {
    let mut found = Vec::new();
    let mut table: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(first) = tokens.get(at) {
        let line_end =
            |from: usize| tokens.iter().skip(from).take_while(|token| token.line == first.line).count() + from;
        if first.text == "[" {
            let end = line_end(at);
            table = names(tokens.get(at..end).unwrap_or_default());
            at = end;
            continue;
        }
        let end = value_end(tokens, at);
        let entry = tokens.get(at..end).unwrap_or_default();
        if let Some(equals) = entry.iter().position(|token| token.text == "=") {
            let path = table.iter().copied().chain(names(entry.get(..equals).unwrap_or_default())).collect();
            found.push(Entry { path, value: entry.get(equals + 1..).unwrap_or_default(), line: first.line });
        }
        at = end.max(at + 1);
    }
    found
}

fn names<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let named = tokens.iter().filter(|token| token.kind != TokenKind::Punct);
    named.map(|token| token.text.trim_matches(['"', '\''])).collect()
}

/// The index behind the value that starts on the line of `at`: brackets reach over lines.
fn value_end(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0_i32;
    let mut line = tokens.get(at).map_or(0, |token| token.line);
    for (index, token) in tokens.iter().enumerate().skip(at) {
        if depth <= 0 && token.line > line {
            return index;
        }
        match token.text {
            "[" | "{" => depth += 1,
            "]" | "}" => depth -= 1,
            _ => {}
        }
        line = token.end_line();
    }
    tokens.len()
}

/// `Cargo.toml`. Renamed ones by their real name; those of the workspace's own table only where a member takes them.
pub(crate) fn cargo(text: &str) -> Vec<Wanted> {
    let tokens = toml_tokens(text);
    let mut found: Vec<(&str, Wanted)> = Vec::new();
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    for entry in toml_entries(&tokens) {
        let Some(kind) = entry.path.iter().position(|part| kinds.contains(part)) else {
            continue;
        };
        if entry.path.first() == Some(&"workspace") || (kind > 0 && entry.path.first() != Some(&"target")) {
            continue;
        }
        let Some(key) = entry.path.get(kind + 1).copied() else {
            continue;
        };
        let field = |name: &str| match entry.path.get(kind + 2) {
            Some(part) => (*part == name).then(|| entry.value.first()).flatten(),
            None => entry.value.windows(3).find(|w| w.first().is_some_and(|t| t.text == name)).and_then(|w| w.get(2)),
        };
        let bare = entry.path.len() == kind + 2 && entry.value.len() == 1;
        let version = if bare { entry.value.first() } else { field("version") };
        let known = found.iter().position(|(k, one)| *k == key && entry.path.len() > kind + 2 && !one.name.is_empty());
        let index = known.unwrap_or_else(|| {
            found.push((key, wanted(key, "", entry.line)));
            found.len() - 1
        });
        if let Some((_, one)) = found.get_mut(index) {
            if let Some(version) = version {
                one.version = version.text.trim_matches(['"', '\'']).to_owned();
            }
            if let Some(package) = field("package") {
                one.name = package.text.trim_matches(['"', '\'']).to_owned();
            }
        }
    }
    found.into_iter().map(|(_, one)| one).collect()
}

/// `pyproject.toml`, in the standard's tables and in poetry's.
pub(crate) fn python(text: &str) -> Vec<Wanted> {
    let tokens = toml_tokens(text);
    let mut found = Vec::new();
    for entry in toml_entries(&tokens) {
        match entry.path.as_slice() {
            ["project", "dependencies"] | ["project", "optional-dependencies", _] | ["dependency-groups", _] => {
                found.extend(requirements(entry.value));
            }
            ["tool", "poetry", "dependencies" | "dev-dependencies", name]
            | ["tool", "poetry", "group", _, "dependencies", name]
                if *name != "python" =>
            {
                found.push(wanted(&python_name(name), "", entry.line));
            }
            _ => {}
        }
    }
    found
}

/// The strings of an array that are not inside of a table in it.
fn requirements(value: &[Token<'_>]) -> Vec<Wanted> {
    let mut depth = 0;
    let mut found = Vec::new();
    for token in value {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            text if token.kind == TokenKind::Str && depth == 0 => {
                let name: String = text
                    .trim_matches(['"', '\''])
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || "._-".contains(*c))
                    .collect();
                found.push(wanted(&python_name(&name), "", token.line));
            }
            _ => {}
        }
    }
    found
}

/// One spelling for all: lower case, and `-` for any row of `-`, `_` and `.`.
fn python_name(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// `go.mod`: direct requirements that no directive replaces.
pub(crate) fn go(text: &str) -> Vec<Wanted> {
    let mut found = Vec::new();
    let mut block = "";
    let mut replaced = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let words: Vec<&str> = code.split_whitespace().collect();
        match words.as_slice() {
            [directive, "("] => block = directive,
            [")"] => block = "",
            ["replace", module, ..] => replaced.push((*module).to_owned()),
            [module, ..] if block == "replace" => replaced.push((*module).to_owned()),
            ["require", module, version] => found.push((wanted(module, version, number), comment)),
            [module, version] if block == "require" => found.push((wanted(module, version, number), comment)),
            _ => {}
        }
    }
    found.retain(|(one, comment)| comment.trim() != "indirect" && !replaced.contains(&one.name));
    found.into_iter().map(|(one, _)| one).collect()
}

/// `Gemfile` without conditions: in one with them, none.
pub(crate) fn gems(text: &str) -> Vec<Wanted> {
    let conditional =
        |line: &str| line.split_whitespace().any(|word| matches!(word, "if" | "unless" | "case" | "eval_gemfile"));
    if text.lines().any(conditional) {
        return Vec::new();
    }
    let gem = |(number, line): (u32, &str)| {
        let rest = line.trim_start().strip_prefix("gem ")?.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        Some(wanted(rest.get(1..)?.split(quote).next()?, "", number))
    };
    (1..).zip(text.lines()).filter_map(gem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(found: &[Wanted]) -> String {
        found.iter().map(|w| format!("{}:{}={}", w.line, w.name, w.version)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn package_json() {
        let text = "{\n \"name\": \"a\",\n \"dependencies\": {\n  \"x\": \"^1.0.0\",\n  \"w\": \"workspace:*\"\n },\n \"scripts\": {\"y\": \"^1\"},\n \"devDependencies\": {\"@a/b\": \"2.1.0\"}\n}\n";
        assert_eq!(shown(&npm(text)), "4:x=^1.0.0 8:@a/b=2.1.0");
        assert_eq!(shown(&composer("{\"require\": {\"php\": \">=8\", \"A/B\": \"^1\"}}")), "1:a/b=^1");
    }

    #[test]
    fn cargo_toml() {
        let text = "[package]\nname = \"a\"\n[dependencies]\nx = \"1\" # one\ny = { version = \"2\", features = [\n  \"z\",\n] }\nq.workspace = true\nold = { package = \"new\", version = \"3\" }\n\n[dependencies.t]\nversion = \"4\"\nfeatures = [\"u\"]\n[target.'cfg(unix)'.dev-dependencies]\nv = \"5\"\n[workspace.dependencies]\nn = \"1\"\n[package.metadata.dependencies]\nm = \"1\"\n";
        assert_eq!(shown(&cargo(text)), "4:x=1 5:y=2 8:q= 9:new=3 12:t=4 15:v=5");
    }

    #[test]
    fn pyproject_toml() {
        let text = "[project]\ndependencies = [\n  \"A_b.C>=1\", # why\n  'd[e]; python_version < \"3\"',\n]\n[dependency-groups]\ndev = [\"f\", {include-group = \"g\"}]\n[tool.poetry.dependencies]\npython = \"^3\"\nh = {version = \"1\"}\n[tool.other]\ni = \"1\"\n";
        assert_eq!(shown(&python(text)), "3:a-b-c= 4:d= 7:f= 10:h=");
    }

    #[test]
    fn go_mod_and_gemfile() {
        let text = "module m\nrequire a.b/c v1.0.0\nrequire (\n\td.e/f v2.0.0\n\tg.h/i v3.0.0 // indirect\n\tj.k/l v1.0.0\n)\nreplace j.k/l => ../l\n";
        assert_eq!(shown(&go(text)), "2:a.b/c=v1.0.0 4:d.e/f=v2.0.0");
        assert_eq!(shown(&gems("source 'x'\ngem 'rails', '~> 7'\n  gem \"pg\"\n")), "2:rails= 3:pg=");
        assert_eq!(shown(&gems("gem 'a'\ngem 'b' if x\n")), "");
    }
}
