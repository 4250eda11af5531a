//! Modules that stand side by side use one another in one direction: no way along their `use` lines leads in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use crate::tidy::sources;

/// A module by its path from the crate, and what it imports, as written.
type Modules = BTreeMap<Vec<String>, Vec<Vec<String>>>;

#[test]
fn no_crate_has_a_circle() {
    for folder in ["host/core/src", "host/src", "sdk/src"] {
        assert_eq!(circles(&modules(sources(folder), folder)), BTreeSet::new(), "{folder}");
    }
}

#[test]
fn a_circle_is_seen_through_a_name_that_is_handed_on() {
    let source = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let parent = source("a/mod.rs", "pub use self::c::{X,\n Y as Z};");
    let found = |b: &str| {
        let all = vec![source("lib.rs", ""), parent.clone(), source("a/b.rs", b), source("a/c.rs", "use super::b;")];
        circles(&modules(all, "")).len()
    };
    assert_eq!(
        [found("use super::{X, d};"), found("use crate::a::c::W;"), found("use std::c;\n// use super::c;")],
        [2, 2, 0]
    );
}

fn modules(sources: Vec<(String, String)>, folder: &str) -> Modules {
    let shipped = sources.into_iter().filter(|(path, _)| !path.ends_with("/tests.rs"));
    let read = |(path, text): (String, String)| {
        let path = path.trim_start_matches(folder).trim_end_matches(".rs").to_owned();
        let names = path.split('/').filter(|name| !["", "lib", "main", "mod"].contains(name)).map(str::to_owned);
        (names.collect(), imports(&text))
    };
    shipped.map(read).collect()
}

/// The paths that the `use` lines of a text name, one for each name in braces. Its tests, which come last, are left out.
fn imports(text: &str) -> Vec<Vec<String>> {
    let shipped = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: Vec<&str> = shipped.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let statements = code.split(';').filter_map(|statement| Some(statement.rsplit_once("use ")?.1));
    let is_name = |name: &String| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_*".contains(c));
    statements.flat_map(expand).filter(|path| path.iter().all(is_name)).collect()
}

/// `a::{b, c::d as e}` is `a::b` and `a::c::d`.
fn expand(group: &str) -> Vec<Vec<String>> {
    let (mut found, mut before, mut name) = (Vec::new(), Vec::new(), String::new());
    for c in format!("{group},").chars() {
        match c {
            '{' => before.push(take(&mut name)),
            ',' | '}' => {
                let path = before.concat() + take(&mut name).split(" as ").next().unwrap();
                let path = path.trim_end_matches("::self").split("::");
                found.push(path.map(|name| name.trim().to_owned()).collect());
                before.truncate(before.len().saturating_sub(usize::from(c == '}')));
            }
            c => name.push(c),
        }
    }
    found
}

/// The modules that a path leads to: one, or more where a name is handed on under different conditions.
fn targets(modules: &Modules, from: &[String], path: &[String], hops: usize) -> Vec<Vec<String>> {
    let mut at = if path[0] == "crate" { Vec::new() } else { from.to_vec() };
    let mut rest = path.iter().skip(usize::from(path[0] == "crate" || path[0] == "self")).peekable();
    while let Some(name) = rest.peek() {
        let inner = [at.as_slice(), &[(*name).clone()]].concat();
        match *name {
            name if name == "super" => at.truncate(at.len().saturating_sub(1)),
            _ if modules.contains_key(&inner) => at = inner,
            _ => break,
        }
        rest.next();
    }
    let handed_on = modules[&at].iter().filter(|import| hops > 0 && import.last() == rest.peek().copied());
    let further: Vec<_> = handed_on.flat_map(|import| targets(modules, &at, import, hops - 1)).collect();
    if further.is_empty() { vec![at] } else { further }
}

/// Which of two modules in one folder use each other, directly or round about, with all that stands below them.
fn circles(modules: &Modules) -> BTreeSet<(String, String)> {
    let mut arrows = BTreeSet::new();
    for (from, imports) in modules {
        for to in imports.iter().flat_map(|path| targets(modules, from, path, 4)) {
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if shared < from.len().min(to.len()) {
                arrows.insert((from[..=shared].join("::"), to[..=shared].join("::")));
            }
        }
    }
    // What leads nowhere further, or is led to from nowhere, is on no circle.
    loop {
        let (from, to): (BTreeSet<_>, BTreeSet<_>) = arrows.iter().cloned().unzip();
        let before = arrows.len();
        arrows.retain(|(a, b)| to.contains(a) && from.contains(b));
        if arrows.len() == before {
            return arrows;
        }
    }
}
