//! The same questions put to the real `git`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use proptest::prelude::*;
use proptest::sample::select;

use super::{Attributes, Ignore, Value};

/// Runs the real git with nothing of this machine's settings.
#[expect(clippy::disallowed_methods, reason = "the tests compare with the real git, which is a program")]
pub(crate) fn git(folder: &Path, environment: &[(&str, &Path)], arguments: &[&str], input: &[u8]) -> Output {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = Command::new("git");
    command.env_clear().env("PATH", path).env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_ATTR_NOSYSTEM", "1").envs(environment.iter().copied());
    command.args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("git is installed");
    let mut stdin = child.stdin.take().expect("input is piped");
    let bytes = input.to_vec();
    // A git that stops early closes its input: what it says then is what the test looks at.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
    let output = child.wait_with_output().expect("git runs");
    writer.join().expect("input is written");
    output
}

/// One of the texts between the bars; those that are there more than once come up more often.
pub(crate) fn among(texts: &'static str) -> impl Strategy<Value = &'static str> + Clone {
    select(texts.split('|').collect::<Vec<_>>())
}

const NAMES: [&str; 7] = ["a", "b", "ab", "A", "a b", ".a", "b.a"];

/// Files with rules, by the folder they are in; the other two are for the whole repository.
const FOLDERS: [&str; 3] = ["", "a", "a/b"];

/// All folders of the repository that is asked about, each before what is in it.
fn folders() -> Vec<String> {
    let some = ["a", "b", "ab", "A"];
    let second = some.iter().flat_map(|first| some.iter().map(move |second| format!("{first}/{second}")));
    some.iter().map(|&name| name.to_owned()).chain(second).collect()
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn files() -> Vec<String> {
    let folders = folders();
    let names = |folder: String| NAMES.iter().map(move |name| join(&folder, name)).collect::<Vec<_>>();
    let all = folders.clone().into_iter().chain([String::new()]).flat_map(names);
    all.filter(|file| !folders.contains(file)).collect()
}

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(git(folder.path(), &[], &["init", "-q", "."], b"").status.success());
    folders().iter().for_each(|name| fs::create_dir_all(folder.path().join(name)).expect("a folder"));
    files().iter().for_each(|name| fs::write(folder.path().join(name), b"").expect("a file"));
    folder
}

/// Everything that can be in a pattern, often enough in ways that match something.
fn pattern() -> impl Strategy<Value = String> {
    let piece = among(
        "a|b|A|a|b|ab|*|*|**|**/|/**|/**/|/|/|?|[ab]|[!a]|[A-Z]|[[:upper:]]|[]b]|[a|[[:x]|\\a|\\A|\\*|\\/|\\|.a|*.a| |\\ |a b",
    );
    let pieces = prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat());
    let start = among("||||!|!|/|#|\\!| ");
    let end = among("||||/| |\t");
    (start, pieces, end).prop_map(|(start, pieces, end)| format!("{start}{pieces}{end}"))
}

fn list(line: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<u8>> {
    let end = among("\n|\n|\r\n|\r\r\n|\n\n");
    let lines = prop::collection::vec((line, end), 0..5);
    let start = among("||||\u{feff}");
    (start, lines, any::<bool>()).prop_map(|(start, lines, whole)| {
        let all = lines.into_iter().map(|(line, end)| line + end).collect::<String>();
        let text = if whole { all.as_str() } else { all.strip_suffix('\n').unwrap_or(&all) };
        format!("{start}{text}").into_bytes()
    })
}

fn parts(output: &Output) -> Vec<&[u8]> {
    let text = output.stdout.strip_suffix(b"\0").unwrap_or(&output.stdout);
    text.split(|&byte| byte == 0).collect()
}

fn write_rules(repository: &Path, name: &str, global: &[u8], info: &[u8], folders: &[Vec<u8>]) {
    fs::write(repository.join(".git/global"), global).expect("a file");
    let info_name = if name == ".gitignore" { "exclude" } else { "attributes" };
    fs::create_dir_all(repository.join(".git/info")).expect("a folder");
    fs::write(repository.join(".git/info").join(info_name), info).expect("a file");
    for (folder, bytes) in FOLDERS.iter().zip(folders) {
        fs::write(repository.join(folder).join(name), bytes).expect("a file");
    }
}

/// What git says about each path.
fn ignored_for_git(repository: &Path, fold: bool, paths: &[String]) -> BTreeMap<String, bool> {
    let fold = format!("core.ignoreCase={fold}");
    let arguments =
        ["-c", &fold, "-c", "core.excludesFile=.git/global", "check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"];
    let output = git(repository, &[], &arguments, paths.join("\0").as_bytes());
    let answers = parts(&output);
    assert_eq!(answers.len(), paths.len() * 4, "{}", String::from_utf8_lossy(&output.stderr));
    let ignored = answers.chunks(4).map(|answer| !answer[2].is_empty() && !answer[2].starts_with(b"!"));
    paths.iter().cloned().zip(ignored).collect()
}

/// Walks as git does: what is in an ignored folder is ignored, and the folder is not entered.
fn walk(
    ignore: &mut Ignore,
    rules: &BTreeMap<&str, Vec<u8>>,
    folder: &str,
    all: &[(String, bool)],
    found: &mut BTreeMap<String, bool>,
) {
    ignore.enter(folder.as_bytes(), rules.get(folder).map(Vec::as_slice));
    let is_child = |path: &str| {
        path.strip_prefix(folder).is_some_and(|rest| match rest.strip_prefix('/') {
            Some(name) => !folder.is_empty() && !name.contains('/'),
            None => folder.is_empty() && !rest.contains('/'),
        })
    };
    let children: Vec<_> = all.iter().filter(|(path, _)| is_child(path)).collect();
    for (path, is_folder) in &children {
        found.insert(path.clone(), ignore.is_ignored(path.as_bytes(), *is_folder));
    }
    for (path, _) in children.iter().filter(|(_, is_folder)| *is_folder) {
        if found[path] {
            let inside = all.iter().filter(|(other, _)| other.starts_with(&format!("{path}/")));
            found.extend(inside.map(|(other, _)| (other.clone(), true)));
        } else {
            walk(ignore, rules, path, all, found);
        }
    }
}

fn assignments() -> impl Strategy<Value = String> {
    let name = among("text|diff|binary|m|n|o.p|M");
    let sign = among("|||-|!");
    let value = among("|||=|=1|=a=b|=é");
    let one = (sign, name, value).prop_map(|(sign, name, value)| format!("{sign}{name}{value}"));
    let blank = among(" | |\t|  ");
    let some = prop::collection::vec((blank, one), 0..4);
    let bad = among("||||||| -| --x| é| =1| builtin_x");
    (some, bad)
        .prop_map(|(some, bad)| some.into_iter().map(|(blank, one)| format!("{blank}{one}")).collect::<String>() + bad)
}

fn rule() -> impl Strategy<Value = String> {
    let quoted = pattern().prop_map(|pattern| format!("\"{}\"", pattern.replace('\\', "\\\\").replace('b', "\\142")));
    let half = pattern().prop_map(|pattern| format!("\"{pattern}"));
    let defined = among("[attr]m|[attr]n|[attr]binary|[attr]|[attr]-m|\"[attr] m n\"|\"[attr]m\"");
    let start = prop_oneof![4 => pattern(), 2 => quoted, 1 => half, 2 => defined.prop_map(str::to_owned)];
    (start, assignments()).prop_map(|(start, assignments)| start + &assignments)
}

const ASKED: [&str; 7] = ["text", "diff", "merge", "binary", "m", "n", "o.p"];

fn values_for_git(repository: &Path, fold: bool, paths: &[String]) -> Vec<Value> {
    let fold = format!("core.ignoreCase={fold}");
    let mut arguments = vec!["-c", &fold, "-c", "core.attributesFile=.git/global", "check-attr", "--stdin", "-z"];
    arguments.extend(ASKED);
    let output = git(repository, &[], &arguments, paths.join("\0").as_bytes());
    let answers = parts(&output);
    assert_eq!(answers.len(), paths.len() * ASKED.len() * 3, "{}", String::from_utf8_lossy(&output.stderr));
    let value = |text: &[u8]| match text {
        b"unspecified" => Value::Unspecified,
        b"set" => Value::Set,
        b"unset" => Value::Unset,
        value => Value::Is(value.to_vec()),
    };
    answers.chunks(3).map(|answer| value(answer[2])).collect()
}

#[test]
fn git_ignores_the_same_paths() {
    let repository = repository();
    let all: Vec<_> =
        folders().into_iter().map(|path| (path, true)).chain(files().into_iter().map(|path| (path, false))).collect();
    let paths: Vec<_> = all.iter().map(|(path, _)| path.clone()).collect();
    let rules = (list(pattern()), list(pattern()), prop::collection::vec(list(pattern()), 3), any::<bool>());
    proptest!(ProptestConfig::with_cases(cases()), |((global, info, lists, fold) in rules)| {
        write_rules(repository.path(), ".gitignore", &global, &info, &lists);
        let mut ignore = Ignore::new(fold);
        ignore.push_global(&global);
        ignore.push_global(&info);
        let mut found = BTreeMap::new();
        walk(&mut ignore, &FOLDERS.into_iter().zip(lists).collect(), "", &all, &mut found);
        prop_assert_eq!(found, ignored_for_git(repository.path(), fold, &paths));
    });
}

#[test]
fn git_finds_the_same_attributes() {
    let repository = repository();
    let paths: Vec<_> = folders().into_iter().map(|path| path + "/").chain(folders()).chain(files()).collect();
    let rules = (list(rule()), list(rule()), prop::collection::vec(list(rule()), 3), any::<bool>());
    proptest!(ProptestConfig::with_cases(cases()), |((global, info, lists, fold) in rules)| {
        write_rules(repository.path(), ".gitattributes", &global, &info, &lists);
        let mut attributes = Attributes::new(fold);
        attributes.push(b"", &global);
        FOLDERS.iter().zip(&lists).for_each(|(folder, bytes)| attributes.push(folder.as_bytes(), bytes));
        attributes.push(b"", &info);
        let asked = |path| ASKED.iter().map(move |name| (path, name));
        let found: Vec<_> =
            paths.iter().flat_map(asked).map(|(path, name)| attributes.value(path.as_bytes(), name)).collect();
        let expected = values_for_git(repository.path(), fold, &paths);
        let asked: Vec<_> = paths.iter().flat_map(asked).collect();
        for ((question, found), expected) in asked.iter().zip(found).zip(expected) {
            prop_assert_eq!(found, expected, "{:?}", question);
        }
    });
}

/// Few, since each starts a git; `PROPTEST_CASES` asks for more.
pub(crate) fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(32)
}
