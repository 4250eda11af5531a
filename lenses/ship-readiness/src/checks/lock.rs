//! A manifest that asks for what its lock file does not hold.
//!
//! Looks at dependencies that the change adds or asks for in another version, name by name in the lock file beside the
//! manifest, or above it where that one names the manifest's package. Only where the lock file holds every dependency
//! that the change leaves as it was: a lock file that was out of step before, or is kept in a form that is not known
//! here, says nothing. Leaves alone: new manifests, removed dependencies, paths, aliases and workspace members.

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::prelude::*;
use review_loop_sdk::source::{Query, Syntax};

use super::manifest::{self, Wanted};

static STALE: Rule = Rule {
    category: "quality-gate",
    severity: Severity::Medium,
    load_bearing: true,
    confidence: 96,
    several: "dependencies that the lock file does not hold",
    follows: "an install that goes by the lock file fails",
    hint: "Let the package manager update the lock file, and commit it with the manifest.",
};

/// How one package manager's lock file tells what it holds.
struct Manager {
    manifest: &'static str,
    lock: &'static str,
    read: fn(&str) -> Vec<Wanted>,
    /// Texts of which one stands in a lock file that holds the dependency; none where that cannot be told.
    held_as: fn(&Wanted) -> Vec<String>,
    /// The text that a lock file further up has when it is this manifest's: from the folders between and the manifest.
    member: fn(&str, &str) -> Option<String>,
    refuses: &'static str,
}

const MANAGERS: &[Manager] = &[
    Manager {
        manifest: "package.json",
        lock: "package-lock.json",
        read: manifest::npm,
        held_as: json_pair,
        member: json_folder,
        refuses: "`npm ci` refuses to install",
    },
    Manager {
        manifest: "package.json",
        lock: "yarn.lock",
        read: manifest::npm,
        held_as: yarn,
        member: yarn_member,
        refuses: "`yarn install --frozen-lockfile` refuses to install",
    },
    Manager {
        manifest: "package.json",
        lock: "pnpm-lock.yaml",
        read: manifest::npm,
        held_as: pnpm,
        member: |folder, _| Some(format!("  {folder}:")),
        refuses: "`pnpm install --frozen-lockfile` refuses to install",
    },
    Manager {
        manifest: "package.json",
        lock: "bun.lock",
        read: manifest::npm,
        held_as: json_pair,
        member: json_folder,
        refuses: "`bun install --frozen-lockfile` refuses to install",
    },
    Manager {
        manifest: "Cargo.toml",
        lock: "Cargo.lock",
        read: manifest::cargo,
        held_as: toml_name,
        member: package_name,
        refuses: "`cargo build --locked` fails",
    },
    Manager {
        manifest: "pyproject.toml",
        lock: "uv.lock",
        read: manifest::python,
        held_as: toml_name,
        member: package_name,
        refuses: "`uv sync --locked` fails",
    },
    Manager {
        manifest: "pyproject.toml",
        lock: "poetry.lock",
        read: manifest::python,
        held_as: toml_name,
        member: |_, _| None,
        refuses: "`poetry install` refuses to install",
    },
    Manager {
        manifest: "go.mod",
        lock: "go.sum",
        read: manifest::go,
        held_as: |one| vec![format!("{} {}/go.mod ", one.name, one.version)],
        member: |_, _| None,
        refuses: "`go build` fails",
    },
    Manager {
        manifest: "Gemfile",
        lock: "Gemfile.lock",
        read: manifest::gems,
        held_as: |one| vec![format!(" {} (", one.name)],
        member: |_, _| None,
        refuses: "a frozen `bundle install` fails",
    },
    Manager {
        manifest: "composer.json",
        lock: "composer.lock",
        read: manifest::composer,
        held_as: |one| vec![format!("\"name\": \"{}\"", one.name)],
        member: |_, _| None,
        refuses: "`composer install` fails",
    },
];

fn json_pair(one: &Wanted) -> Vec<String> {
    vec![format!("\"{}\": \"{}\"", one.name, one.version)]
}

fn json_folder(folder: &str, _: &str) -> Option<String> {
    Some(format!("\"{folder}\": {{"))
}

fn yarn(one: &Wanted) -> Vec<String> {
    vec![format!("{}@{}", one.name, one.version), format!("{}@npm:{}", one.name, one.version)]
}

fn yarn_member(folder: &str, _: &str) -> Option<String> {
    Some(format!("@workspace:{folder}\""))
}

/// Other versions may stand in quotes or not.
fn pnpm(one: &Wanted) -> Vec<String> {
    if one.version.starts_with(['^', '~']) { vec![format!("specifier: {}", one.version)] } else { Vec::new() }
}

fn toml_name(one: &Wanted) -> Vec<String> {
    vec![format!("name = \"{}\"", one.name)]
}

fn package_name(_: &str, manifest: &str) -> Option<String> {
    let name = manifest.lines().find(|line| line.starts_with("name = \""))?;
    Some(name.split('#').next()?.trim_end().to_owned())
}

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let (folder, name) = changed.file.path.rsplit_once('/').unwrap_or(("", &changed.file.path));
    let managers = MANAGERS.iter().filter(|manager| manager.manifest == name);
    if changed.test || super::is_shown(folder) || changed.file.old_kind.is_none() || changed.file.new_kind.is_none() {
        return Vec::new();
    }
    managers.filter_map(|manager| out_of_step(changed, folder, manager)).collect()
}

fn out_of_step(changed: &Changed, folder: &str, manager: &Manager) -> Option<Seen> {
    let before = (manager.read)(changed.old_text());
    let after = (manager.read)(changed.new_text());
    let is_new = |one: &Wanted| !before.iter().any(|old| old.name == one.name && old.version == one.version);
    let told = |one: &&Wanted| !(manager.held_as)(one).is_empty();
    let (new, kept): (Vec<&Wanted>, Vec<&Wanted>) = after.iter().filter(told).partition(|one| is_new(one));
    if new.is_empty() || (kept.is_empty() && !before.is_empty()) {
        return None;
    }
    let lock = lock_of(folder, manager)?;
    let between = folder.strip_prefix(lock.rsplit_once('/').map_or("", |(parent, _)| parent))?.trim_start_matches('/');
    let member = if between.is_empty() { None } else { Some((manager.member)(between, changed.new_text())?) };
    let held = held(&lock, manager, &kept, &new, member.as_deref())?;
    let missing: Vec<&Wanted> = new.into_iter().zip(held).filter(|(_, held)| !held).map(|(one, _)| one).collect();
    let first = missing.iter().find(|one| changed.added().any(|(line, _)| line == one.line))?;
    let names: Vec<String> =
        missing.iter().map(|one| format!("`{}` {}", one.name, one.version).trim_end().to_owned()).collect();
    let shown = if names.len() > 3 { format!("{} dependencies", names.len()) } else { names.join(", ") };
    let claim =
        format!("`{}` asks for {shown}, which `{lock}` does not hold, so {}.", changed.file.path, manager.refuses);
    let mut seen = Seen::at(&STALE, changed, first.line, claim)?;
    seen.evidence = Some(format!(
        "Not in `{lock}`: {}. It holds the dependencies that the change leaves as they were.",
        names.join(", ")
    ));
    Some(seen)
}

/// The nearest lock file, in the manifest's folder or above it.
fn lock_of(folder: &str, manager: &Manager) -> Option<String> {
    if folder.contains(['*', '?', '[', ']', '{', '}', '\\']) {
        return None;
    }
    let mut candidates = Vec::new();
    let mut at = folder;
    while !at.is_empty() {
        candidates.push(format!("{at}/{}", manager.lock));
        at = at.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    candidates.push(manager.lock.to_owned());
    let there = source::paths(&candidates, Side::New).ok()?.paths;
    candidates.into_iter().find(|path| there.contains(path))
}

/// Whether the lock file holds each of `new`; none where it does not hold all of `kept` and the text of `member`.
fn held(lock: &str, manager: &Manager, kept: &[&Wanted], new: &[&Wanted], member: Option<&str>) -> Option<Vec<bool>> {
    let mut patterns: Vec<Vec<String>> = kept.iter().chain(new).map(|one| (manager.held_as)(one)).collect();
    patterns.extend(member.map(|text| vec![text.to_owned()]));
    let owners: Vec<usize> = patterns.iter().enumerate().flat_map(|(owner, texts)| vec![owner; texts.len()]).collect();
    let query = Query {
        patterns: patterns.iter().flatten().cloned().collect(),
        syntax: Syntax::Literal,
        globs: vec![lock.to_owned()],
        side: Side::New,
        max: 10_000,
    };
    let matches = source::search(&query).ok().filter(|matches| matches.complete)?;
    let mut held = vec![false; patterns.len()];
    for found in matches.found {
        if let Some(held) = owners.get(found.pattern as usize).and_then(|owner| held.get_mut(*owner)) {
            *held = true;
        }
    }
    let known = held.iter().take(kept.len()).chain(held.iter().skip(kept.len() + new.len())).all(|held| *held);
    known.then(|| held.iter().skip(kept.len()).take(new.len()).copied().collect())
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::check;
    use review_loop_sdk::testing::FakeHost;

    fn claims(host: FakeHost) -> Vec<String> {
        host.run(|| check::report(&[super::check], 5)).0.findings.into_iter().map(|found| found.claim).collect()
    }

    fn npm(dependencies: &str) -> String {
        format!("{{\n  \"name\": \"a\",\n  \"dependencies\": {{\n{dependencies}\n  }}\n}}\n")
    }

    const NPM_LOCK: &str = "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n    \"\": {\n      \"dependencies\": {\n        \"x\": \"^1.0.0\",\n        \"y\": \"^2.0.0\"\n      }\n    }\n  }\n}\n";

    #[test]
    fn npm_is_compared_by_name_and_version() {
        let host = |before: &str, after: &str| {
            FakeHost::new().edited("package.json", &npm(before), &npm(after)).source("package-lock.json", NPM_LOCK)
        };
        assert_eq!(
            claims(host("\"x\": \"^1.0.0\"", "\"x\": \"^1.0.0\",\n\"z\": \"^3.0.0\"")),
            [
                "`package.json` asks for `z` ^3.0.0, which `package-lock.json` does not hold, so `npm ci` refuses to install."
            ]
        );
        assert_eq!(
            claims(host("\"x\": \"^1.0.0\",\n\"y\": \"^1.0.0\"", "\"x\": \"^1.0.0\",\n\"y\": \"^2.1.0\"")).len(),
            1
        );
        assert_eq!(claims(host("\"x\": \"^1.0.0\"", "\"x\": \"^1.0.0\",\n\"y\": \"^2.0.0\"")), [""; 0]);
        assert_eq!(
            claims(host("\"x\": \"^1.0.0\"", "\"x\": \"^1.0.0\",\n\"z\": \"workspace:*\"")),
            [""; 0],
            "a member"
        );
        assert_eq!(claims(host("\"q\": \"^1.0.0\"", "\"q\": \"^1.0.0\",\n\"z\": \"^3.0.0\"")), [""; 0], "stale before");
        let alone =
            FakeHost::new().edited("package.json", &npm("\"x\": \"^1\""), &npm("\"x\": \"^1\",\n\"z\": \"^3\""));
        assert_eq!(claims(alone), [""; 0], "no lock file");
    }

    #[test]
    fn cargo_is_compared_by_name_where_the_lock_file_is_its_own() {
        let manifest = |more: &str| format!("[package]\nname = \"a\"\n[dependencies]\nx = \"1\"\n{more}");
        let lock = "[[package]]\nname = \"a\"\n\n[[package]]\nname = \"x\"\nversion = \"1.0.0\"\n";
        let host = |path: &str, lock: &str| {
            FakeHost::new().edited(path, &manifest(""), &manifest("z = \"1\"\n")).source("Cargo.lock", lock)
        };
        assert_eq!(
            claims(host("crates/a/Cargo.toml", lock)),
            [
                "`crates/a/Cargo.toml` asks for `z` 1, which `Cargo.lock` does not hold, so `cargo build --locked` fails."
            ]
        );
        assert_eq!(claims(host("Cargo.toml", &format!("{lock}[[package]]\nname = \"z\"\n"))), [""; 0]);
        assert_eq!(claims(host("fuzz/Cargo.toml", &lock.replace("\"a\"", "\"b\""))), [""; 0], "not of this workspace");
    }

    #[test]
    fn the_other_managers() {
        let check = |manifest: &str, before: &str, more: &str, lock: &str, text: &str, held: &str| {
            let host = |lock_text: String| {
                FakeHost::new().edited(manifest, before, &format!("{before}{more}")).source(lock, &lock_text)
            };
            assert_eq!(claims(host(text.to_owned())).len(), 1, "{lock}");
            assert_eq!(claims(host(format!("{text}{held}"))), [""; 0], "{lock}");
        };
        check(
            "go.mod",
            "require a.b/c v1.0.0\n",
            "require d.e/f v1.1.0\n",
            "go.sum",
            "a.b/c v1.0.0/go.mod h1:x=\n",
            "d.e/f v1.1.0/go.mod h1:y=\n",
        );
        check("Gemfile", "gem 'rails'\n", "gem 'pg'\n", "Gemfile.lock", "    rails (7.0.1)\n", "    pg (1.0)\n");
        check(
            "pyproject.toml",
            "[tool.poetry.dependencies]\na = \"1\"\n",
            "B_c = \"1\"\n",
            "poetry.lock",
            "name = \"a\"\n",
            "name = \"b-c\"\n",
        );
        let before = npm("\"x\": \"^1.0.0\"");
        let after = npm("\"x\": \"^1.0.0\",\n\"z\": \"~3.0.0\"");
        for (lock, text, held) in [
            ("yarn.lock", "x@^1.0.0:\n", "\"z@npm:~3.0.0\":\n"),
            ("pnpm-lock.yaml", "      x:\n        specifier: ^1.0.0\n", "        specifier: ~3.0.0\n"),
            ("bun.lock", "\"x\": \"^1.0.0\",\n", "\"z\": \"~3.0.0\",\n"),
        ] {
            let host = |text: &str| FakeHost::new().edited("package.json", &before, &after).source(lock, text);
            assert_eq!(claims(host(text)).len(), 1, "{lock}");
            assert_eq!(claims(host(&format!("{text}{held}"))), [""; 0], "{lock}");
        }
    }
}
