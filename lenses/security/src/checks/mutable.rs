//! References that the change lets go of: an action, an image or a package that was held to one exact state and now
//! follows whatever its owner moves a name to; and actions of others that are newly taken from a branch.
//!
//! Leaves alone: what was not pinned before (but for `@main` and `@master`), actions of the project's own owner, whole
//! workflows that are called, packages of a project with a lock file (it holds their commits).

use std::collections::BTreeMap;

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::is_lock_file;
use review_loop_sdk::prelude::*;

use super::fresh::{Hit, fresh};
use super::is_shown;
use super::text::Text;

static UNPINNED: Rule = Rule {
    category: "supply-chain",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 97,
    several: "references that are no longer pinned",
    follows: "whoever owns what they name can change what is built and run",
    hint: "Keep the exact commit or digest, with the version in a comment.",
};

static BRANCH: Rule = Rule {
    category: "supply-chain",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 96,
    several: "actions that are taken from a branch",
    follows: "every push to those branches runs in this repository's jobs",
    hint: "Name a commit, with the version in a comment.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let path = changed.file.path.as_str();
    if is_shown(path) || changed.test {
        return Vec::new();
    }
    let mut seen = unpinned(changed);
    if is_actions(path) && changed.adds_any(&["@main", "@master"]) {
        seen.extend(fresh(changed, branches));
    }
    seen
}

fn is_actions(path: &str) -> bool {
    let yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    let name = path.rsplit('/').next().unwrap_or(path);
    yaml && (path.contains(".github/") || name.starts_with("action."))
}

/// What a line refers to, and whether it is held to one state.
struct Reference<'a> {
    name: String,
    shown: &'a str,
    pinned: bool,
}

fn unpinned(changed: &Changed) -> Vec<Seen> {
    let Some(reader) = reader(&changed.file.path) else { return Vec::new() };
    let (new, old) = (Text::new(changed), Text::old(changed));
    let mut before: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for reference in old.touched().filter_map(|(_, line)| reader(line)) {
        let count = before.entry(reference.name).or_default();
        *(if reference.pinned { &mut count.0 } else { &mut count.1 }) += 1;
    }
    let after: Vec<(u32, Reference<'_>)> = new.touched().filter_map(|(at, line)| Some((at, reader(line)?))).collect();
    for (_, reference) in after.iter().filter(|(_, reference)| reference.pinned) {
        before.entry(reference.name.clone()).or_default().0 -= 1;
    }
    let mut found = Vec::new();
    for (line, reference) in after.into_iter().filter(|(_, reference)| !reference.pinned) {
        let (pinned, loose) = before.entry(reference.name.clone()).or_default();
        *loose -= 1;
        if *pinned > 0 && *loose < 0 && found.len() < MOST {
            *pinned -= 1;
            let claim = format!(
                "`{}` is no longer pinned: it names `{}`, so its owner can change what is built and run.",
                reference.name,
                review_loop_sdk::text::clip(reference.shown, 80)
            );
            found.push(seen(changed, &new, line, claim));
        }
    }
    found
}

/// Places of one file that are told one by one.
const MOST: usize = 20;

fn seen(changed: &Changed, new: &Text<'_>, at: u32, claim: String) -> Seen {
    let (path, line, text) = (changed.file.path.clone(), new.number(at), new.line(at).to_owned());
    Seen { rule: &UNPINNED, claim, path, line, last: line, text, quote: true, evidence: None }
}

fn reader(path: &str) -> Option<fn(&str) -> Option<Reference<'_>>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    if is_actions(path) {
        return Some(action);
    }
    if lower.contains("dockerfile") || lower.contains("containerfile") || lower.contains("compose") {
        return Some(image);
    }
    let folder = path.strip_suffix(name).unwrap_or_default();
    match name {
        "Cargo.toml" if !has_lock(folder) => Some(cargo),
        _ if lower.starts_with("requirements") && lower.ends_with(".txt") => Some(requirement),
        _ => None,
    }
}

/// Whether a lock file beside the manifest, or at the top, holds the commits.
fn has_lock(folder: &str) -> bool {
    let known = |side| source::paths(&[format!("{folder}Cargo.lock"), "Cargo.lock".to_owned()], side);
    let listed = known(Side::New).map_or(true, |listing| !listing.paths.is_empty());
    listed || subject::files().iter().any(|file| is_lock_file(&file.path))
}

/// `uses: owner/name@reference`.
fn action(line: &str) -> Option<Reference<'_>> {
    let (name, reference) = used(line)?;
    let pinned = reference.len() == 40 && reference.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some(Reference { name: name.to_owned(), shown: reference, pinned })
}

fn used(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start().trim_start_matches("- ").trim_start();
    let value = line.strip_prefix("uses:")?.trim();
    let value = value.split(" #").next()?.trim().trim_matches(['"', '\'']);
    let (name, reference) = value.split_once('@')?;
    let action = name.contains('/') && !name.starts_with('.') && !name.contains("${{") && !name.starts_with("docker:");
    (action && !name.contains(".github/workflows/") && !reference.contains(char::is_whitespace))
        .then_some((name, reference))
}

/// `FROM name@sha256:...`, `image: name:tag`.
fn image(line: &str) -> Option<Reference<'_>> {
    let line = line.trim_start();
    let value = line.strip_prefix("FROM ").or_else(|| line.strip_prefix("image:"))?.trim();
    let value = value.split_whitespace().find(|word| !word.starts_with("--"))?.trim_matches(['"', '\'']);
    let name = value.split('@').next()?;
    let slash = name.rfind('/').map_or(0, |at| at + 1);
    let name = name.get(slash..)?.find(':').map_or(name, |colon| name.get(..slash + colon).unwrap_or(name));
    let real = !name.contains('$') && name != "scratch" && !name.is_empty();
    real.then(|| Reference { name: name.to_owned(), shown: value, pinned: value.contains("@sha256:") })
}

/// `name = { git = "...", rev = "..." }` on one line. A version from the registry is held by nothing else here.
fn cargo(line: &str) -> Option<Reference<'_>> {
    let (name, value) = line.split_once('=')?;
    let value = value.trim();
    let field = |key: &str| value.contains(&format!("{key} =")) || value.contains(&format!("{key}="));
    let git = value.starts_with('{') && field("git");
    let registry = value.starts_with('"') || (value.starts_with('{') && field("version") && !field("path"));
    let name = name.trim();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let pinned = if git { field("rev") || field("tag") } else { registry };
    (is_name && (git || registry)).then(|| Reference { name: name.to_owned(), shown: value, pinned })
}

/// `name==1.2`, `name @ git+https://...@commit`.
fn requirement(line: &str) -> Option<Reference<'_>> {
    let line = line.split(" #").next()?.trim();
    let length = line.find(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c))).unwrap_or(line.len());
    let (name, rest) = line.split_at_checked(length).filter(|(name, _)| !name.is_empty() && !name.starts_with('-'))?;
    let rest = rest.trim_start_matches(|c| c != '=' && c != '@' && c != '<' && c != '>' && c != '~' && c != '!').trim();
    let remote =
        rest.strip_prefix('@').map(str::trim).filter(|url| url.starts_with("git+") || url.starts_with("http://"));
    let at_commit = |url: &str| {
        let reference =
            url.split('#').next().and_then(|url| url.rsplit_once('@')).map_or("", |(_, reference)| reference);
        (reference.len() == 40 && reference.bytes().all(|b| b.is_ascii_hexdigit()))
            || reference.contains('.') && !reference.contains('/')
    };
    let pinned = remote.map_or(rest.starts_with("=="), at_commit);
    (remote.is_some() || pinned).then(|| Reference {
        name: name.to_ascii_lowercase().replace('_', "-"),
        shown: line,
        pinned,
    })
}

/// Actions of others that are taken from a branch.
fn branches(text: &Text<'_>) -> Vec<Hit> {
    let used = text.touched().filter_map(|(line, content)| Some((line, used(content)?)));
    let branch: Vec<_> = used.filter(|(_, (_, reference))| matches!(*reference, "main" | "master")).collect();
    let homes = if branch.is_empty() { String::new() } else { homes() };
    let others = branch.into_iter().filter(|(_, (name, _))| !is_own(name, &homes));
    others.map(|(line, (name, reference))| branch_hit(line, name, reference)).collect()
}

fn branch_hit(line: u32, name: &str, reference: &str) -> Hit {
    let claim =
        format!("`{name}` is taken from the branch `{reference}`, so every push to it runs in this repository's jobs.");
    Hit { line, mark: format!("{name}@{reference}"), rule: &BRANCH, claim }
}

/// What says where the project lives, in lower case.
fn homes() -> String {
    HOMES.iter().filter_map(|path| source::read(path, Side::New).ok()).map(|text| text.to_ascii_lowercase()).collect()
}

/// Whether GitHub or the project's own owner stands behind it.
fn is_own(name: &str, homes: &str) -> bool {
    let owner = name.split('/').next().unwrap_or(name).to_ascii_lowercase();
    ["actions", "github"].contains(&owner.as_str()) || homes.contains(&format!("github.com/{owner}/"))
}

const HOMES: &[&str] = &[
    "README.md",
    "README.rst",
    "README",
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "go.mod",
    "composer.json",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
];

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::FakeHost;

    use super::super::testing::lines_with;

    const COMMIT: &str = "b4ffde65f46336ab88eb53be808477a3936bae11";
    const DIGEST: &str = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

    fn lines(path: &str, old: &str, new: &str) -> Vec<u32> {
        lines_with(super::check, FakeHost::new().edited(path, old, new))
    }

    #[test]
    fn what_is_let_go_is_seen() {
        let flow = ".github/workflows/a.yml";
        let pinned = format!("      - uses: x/y@{COMMIT} # v4\n");
        assert_eq!(lines(flow, &pinned, "      - uses: x/y@v4\n"), [1]);
        assert_eq!(lines(flow, "a: 1\n", "a: 1\nsteps:\n      - uses: x/y@main\n"), [3]);
        assert_eq!(lines("Dockerfile", &format!("FROM node:20@{DIGEST} AS a\n"), "FROM node:22 AS a\n"), [1]);
        assert_eq!(lines("requirements.txt", "a_b==1.0\n", "a-b @ git+https://github.com/x/y@main\n"), [1]);
        assert_eq!(
            lines("Cargo.toml", "a = \"1\"\n", "a = { git = \"https://github.com/x/y\", branch = \"main\" }\n"),
            [1]
        );
        assert_eq!(lines(flow, &pinned.replace('\n', "\r"), "      - uses: x/y@v4\r"), [1]);
    }

    #[test]
    fn what_looks_alike_is_not() {
        let flow = ".github/workflows/a.yml";
        let pinned = format!("  - uses: x/y@{COMMIT}\n");
        for (path, old, new) in [
            (flow, "  - uses: x/y@v3\n", "  - uses: x/y@v4\n"),
            (flow, "a: 1\n", "a: 1\n  - uses: x/y@v4\n"),
            (flow, &*pinned, &*pinned.replace("b4ff", "c4ff")),
            (flow, &*pinned, ""),
            (flow, "  - uses: x/y@main\n", "    - uses: x/y@main\n      with: a\n"),
            (flow, "", "  - uses: actions/z@main\n  - uses: x/y/.github/workflows/a.yml@main\n"),
            ("docs/a.yml", &*pinned, "  - uses: x/y@v4\n"),
            ("requirements.txt", "a==1.0\n", "a>=1.0\n"),
            ("requirements.txt", "a==1.0\n", "a @ git+https://github.com/x/y@1.2.3\n"),
            ("Cargo.toml", "a = \"1\"\n", "a = { path = \"../a\" }\n"),
        ] {
            assert_eq!(lines(path, old, new), [0; 0], "{path}: {old} -> {new}");
        }
        let own = FakeHost::new().source("README.md", "https://github.com/X/z\n").added(flow, "  - uses: x/y@main\n");
        assert_eq!(lines_with(super::check, own), [0; 0]);
        let locked = FakeHost::new().source("Cargo.lock", "").edited(
            "Cargo.toml",
            "a = \"1\"\n",
            "a = { git = \"https://github.com/x/y\" }\n",
        );
        assert_eq!(lines_with(super::check, locked), [0; 0]);
    }
}
