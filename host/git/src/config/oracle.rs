//! The same files read by the real `git`.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::{Config, Facts, Level, holds};
use crate::rules::oracle::{among, cases, git};

/// What settings are made of, often enough in an order that git takes.
fn text() -> impl Strategy<Value = String> {
    let piece = among(
        "[a]|[A.B]|[a \"b\"]|[a \"B\\\"c\"]|[a\t\"\\\\x\"]|[a \"b]|[a b]|[-]|\n|\n|\n|\r\n|\r|b=1|C = x y|\nb|\nd-1=\"q r\"|\ne=\" x |=|\"|\"| |\t|#|;|\\n|\\t|\\\"|\\\\|\\\n|\\q|\\\r\n|é|x|1|\u{feff}",
    );
    let start = among("[a]\n|[s \"t\"]\n||\u{feff}[a]");
    (start, prop::collection::vec(piece, 0..12)).prop_map(|(start, pieces)| start.to_owned() + &pieces.concat())
}

/// Settings as `git config --list -z` shows them.
fn shown(config: &Config) -> Vec<u8> {
    let mut all = Vec::new();
    for setting in &config.settings {
        all.extend_from_slice(&setting.section);
        all.extend((!setting.section.is_empty()).then_some(b'.'));
        all.extend_from_slice(&setting.name);
        all.extend(setting.value.iter().flat_map(|value| [b"\n", &**value].concat()));
        all.push(0);
    }
    all
}

#[test]
fn git_reads_the_same_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    proptest!(ProptestConfig::with_cases(cases()), |(text in text())| {
        fs::write(folder.path().join("f"), &text).expect("a file");
        let output = git(folder.path(), &[], &["config", "--list", "-z", "--show-scope", "--file", "f"], b"");
        let scoped = String::from_utf8_lossy(&output.stdout).into_owned();
        match Config::parse(text.as_bytes(), Level::Local) {
            Ok(config) => {
                prop_assert!(output.status.success(), "{:?}", output);
                let settings = scoped.replace("command\0", "");
                prop_assert_eq!(settings, String::from_utf8_lossy(&shown(&config)).into_owned());
            }
            Err(error) => {
                let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
                prop_assert!(!output.status.success(), "{}", error);
                // Where a line ends too early git may name the next one.
                let line = |text: &str| text.split("line ").nth(1)?.split([':', ' ']).next()?.parse::<usize>().ok();
                let (ours, theirs) = (line(&error.0), line(&stderr));
                prop_assert!(ours == theirs || ours.map(|line| line + 1) == theirs, "{} {}", error, stderr);
            }
        }
    });
}

#[test]
fn git_includes_files_in_the_same_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = among("[a]b=1\n|[a]b=2\n|[include]path=x\n|[include]path=y\n|[include]path=no\n|[c]d\n");
    let lines = || prop::collection::vec(line.clone(), 0..6).prop_map(|lines| lines.concat());
    let leaf = prop::collection::vec(among("[a]b=3\n|[c]d=4\n"), 0..3).prop_map(|lines| lines.concat());
    let inner = leaf.clone().prop_map(|text| text.clone() + "[include]path=y\n" + &text);
    proptest!(ProptestConfig::with_cases(cases()), |(top in lines(), x in inner, y in leaf)| {
        for (name, text) in [("f", &top), ("x", &x), ("y", &y)] {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        let output = git(folder.path(), &[], &["config", "--list", "-z", "--includes", "--file", "f"], b"");
        prop_assert!(output.status.success());
        let mut read = |include: &super::Include| match include.path.as_slice() {
            b"x" => Some(x.clone().into_bytes()),
            b"y" => Some(y.clone().into_bytes()),
            _ => None,
        };
        let config = Config::parse_with(top.as_bytes(), Level::Local, &mut read).expect("files that git reads");
        prop_assert_eq!(String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&shown(&config)).into_owned());
    });
}

/// A global file in which each condition includes a file that says that it holds.
fn write_conditions(folder: &Path, conditions: &[String]) {
    let mut global = String::new();
    for (number, condition) in conditions.iter().enumerate() {
        let quoted = condition.replace('\\', "\\\\").replace('"', "\\\"");
        global += &format!("[includeIf \"{quoted}\"]\npath = {number}\n");
        fs::write(folder.join(number.to_string()), format!("[hit]\nx = {number}\n")).expect("a file");
    }
    fs::write(folder.join("global"), global).expect("a file");
}

#[test]
fn the_same_conditions_hold_for_git() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().canonicalize().expect("a folder");
    let repository = home.join("w/Sub/r");
    fs::create_dir_all(&repository).expect("a folder");
    assert!(git(&repository, &[], &["init", "-q", "-b", "f/x/y", "."], b"").status.success());
    let absolute = home.to_string_lossy().into_owned();
    let bytes = |path: &Path| path.to_string_lossy().into_owned().into_bytes();
    let facts = Facts {
        git_dir: bytes(&repository.join(".git")),
        home: Some(bytes(&home)),
        branch: Some(b"f/x/y".to_vec()),
        including_folder: bytes(&home),
    };
    let start = among("gitdir:|gitdir:|gitdir/i:|onbranch:|onbranch:|other:|hasconfig:remote.*.url:");
    let top = among("|||~/|./|/|/**/|~|@");
    let piece = among("w|w|Sub|sub|r|.git|*|**|?|/|/|/|f|x|y|[a-z]|\\");
    let condition = (start, top, prop::collection::vec(piece, 0..7))
        .prop_map(move |(start, top, pieces)| start.to_owned() + &top.replace('@', &absolute) + &pieces.concat());
    let conditions = prop::collection::vec(condition, 20);
    proptest!(ProptestConfig::with_cases(cases()), |(conditions in conditions)| {
        write_conditions(&home, &conditions);
        let environment = [("HOME", home.as_path()), ("GIT_CONFIG_GLOBAL", &home.join("global"))];
        let output = git(&repository, &environment, &["config", "--get-all", "hit.x"], b"");
        let found: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.parse::<usize>().ok()).collect();
        let expected: Vec<_> = (0..conditions.len()).filter(|&number| holds(conditions[number].as_bytes(), &facts)).collect();
        prop_assert_eq!(found, expected);
    });
}
