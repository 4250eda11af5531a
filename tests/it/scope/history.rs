//! Generated histories: whatever was done to a repository, the subject of every scope is what `git diff` says.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use review_loop::scope::Scope;
use review_loop_core::finding::Side;

use super::gits_view::{assert_same, shown};
use super::repository::Repository;

/// One step of somebody's work.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Write(Path, Text),
    EditLine(Path, u8, Option<u8>),
    InsertLine(Path, u8, u8),
    Remove(Path),
    Move(Path, Path),
    Copy(Path, Path),
    SetExecutable(Path, bool),
    Link(Path, &'static str),
    /// The same bytes again: only the times change.
    Touch(Path),
}

/// What happens at the end of a history, so that index and working tree differ in every way.
#[derive(Debug, Clone, Default)]
pub(super) struct Unfinished {
    pub(super) staged: Vec<Step>,
    pub(super) unstaged: Vec<Step>,
    pub(super) intent_to_add: Vec<Path>,
    pub(super) only_in_index: Vec<Path>,
}

pub(super) type Path = &'static [u8];

/// Names that sort, quote and nest badly.
const PATHS: [Path; 20] = [
    b"a.txt",
    b"b.rs",
    b"dir/a.txt",
    b"dir/deep/er/c",
    b"dir.c",
    b"dir-x/y",
    b"dir",
    "gr\u{f6}\u{df}e/\u{65e5}\u{672c}.md".as_bytes(),
    b"sp ace/tab\tx",
    b"quote\"d",
    b"new\nline",
    b"back\\slash",
    b"a\\x41b",
    b"\xff\xfe.bin",
    b"bad\x80dir/\xc3(",
    b"-dash",
    b":colon",
    b"sub/.hidden",
    b"UPPER",
    b"sub/UPPER",
];

#[derive(Debug, Clone)]
pub(super) struct Text {
    lines: Vec<u8>,
    ends: &'static str,
    last_line_ends: bool,
    /// Bytes that no text has, put in at the front.
    odd: &'static [u8],
}

impl Text {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.odd.to_vec();
        for (at, line) in self.lines.iter().enumerate() {
            bytes.extend(words(*line).into_bytes());
            if at + 1 < self.lines.len() || self.last_line_ends {
                bytes.extend(self.ends.as_bytes());
            }
        }
        bytes
    }
}

/// A line of a made-up program: long and short ones, blank ones, ones that git takes for the head of a function.
fn words(line: u8) -> String {
    match line % 8 {
        0 => String::new(),
        1 => "}".to_owned(),
        2 => format!("fn function_{line}() {{"),
        3 => format!("    let value_{line} = {};", line / 2),
        4 => format!("\tcall({line}); // {}", "long ".repeat(usize::from(line / 8))),
        5 => format!("# Zeile {line}: gr\u{f6}\u{df}er"),
        6 => "    return;".to_owned(),
        _ => format!("{line}"),
    }
}

fn path() -> impl Strategy<Value = Path> {
    prop::sample::select(&PATHS[..])
}

fn text() -> impl Strategy<Value = Text> {
    let lines = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..12),
        4 => prop::collection::vec(0_u8..24, 5..60),
        1 => prop::collection::vec(any::<u8>(), 100..300),
    ];
    let ends = prop_oneof![6 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r")];
    let odd = prop_oneof![8 => Just(&b""[..]), 1 => Just(&b"\0\x01"[..]), 1 => Just(&b"\xff\xe9t\xe9\n"[..])];
    (lines, ends, prop::bool::weighted(0.8), odd).prop_map(|(lines, ends, last_line_ends, odd)| Text {
        lines,
        ends,
        last_line_ends,
        odd,
    })
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (path(), text()).prop_map(|(path, text)| Step::Write(path, text)),
        6 => (path(), any::<u8>(), any::<Option<u8>>()).prop_map(|(path, at, line)| Step::EditLine(path, at, line)),
        4 => (path(), any::<u8>(), any::<u8>()).prop_map(|(path, at, line)| Step::InsertLine(path, at, line)),
        3 => path().prop_map(Step::Remove),
        4 => (path(), path()).prop_map(|(from, to)| Step::Move(from, to)),
        3 => (path(), path()).prop_map(|(from, to)| Step::Copy(from, to)),
        2 => (path(), any::<bool>()).prop_map(|(path, executable)| Step::SetExecutable(path, executable)),
        1 => (path(), prop::sample::select(&["a.txt", "nowhere", "/etc/passwd", "dir", ".."][..]))
            .prop_map(|(path, target)| Step::Link(path, target)),
        1 => path().prop_map(Step::Touch),
    ]
}

pub(super) fn unfinished() -> impl Strategy<Value = Unfinished> {
    let steps = || prop::collection::vec(step(), 0..8);
    let paths = || prop::collection::vec(path(), 0..2);
    (steps(), steps(), paths(), paths()).prop_map(|(staged, unstaged, intent_to_add, only_in_index)| Unfinished {
        staged,
        unstaged,
        intent_to_add,
        only_in_index,
    })
}

fn settings() -> impl Strategy<Value = (&'static str, &'static str)> {
    let autocrlf = prop_oneof![6 => Just("false"), 1 => Just("true"), 1 => Just("input")];
    let attributes = prop_oneof![
        6 => Just(""),
        1 => Just("* text=auto\n"),
        1 => Just("*.txt text\n*.rs -text\n"),
        1 => Just("*.txt eol=crlf\nb.rs text=auto eol=lf\n"),
    ];
    (autocrlf, attributes)
}

/// What is read of a path, if it is a file.
fn file(repository: &Repository, path: Path) -> Option<Vec<u8>> {
    let full = repository.path(path);
    let is_file = std::fs::symlink_metadata(&full).is_ok_and(|metadata| metadata.is_file());
    is_file.then(|| std::fs::read(full).unwrap())
}

fn edited(content: &[u8], change: impl FnOnce(&mut Vec<Vec<u8>>)) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = content.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    change(&mut lines);
    lines.concat()
}

pub(super) fn apply(repository: &Repository, step: &Step) {
    match step {
        Step::Write(path, text) => repository.write(path, text.bytes()),
        Step::Remove(path) => repository.remove(path),
        Step::Link(path, target) => repository.link(path, target),
        Step::SetExecutable(path, executable) => {
            if file(repository, path).is_some() {
                repository.set_executable(path, *executable);
            }
        }
        Step::Touch(path) => {
            if let Some(content) = file(repository, path) {
                repository.write(path, content);
            }
        }
        Step::Move(from, to) | Step::Copy(from, to) => {
            if let Some(content) = file(repository, from) {
                if matches!(step, Step::Move(..)) {
                    repository.remove(from);
                }
                repository.write(to, content);
            }
        }
        Step::EditLine(path, at, line) => {
            if let Some(content) = file(repository, path) {
                let content = edited(&content, |lines| {
                    let at = usize::from(*at) % lines.len().max(1);
                    let line = line.map(|line| (words(line) + "\n").into_bytes());
                    lines.splice(at..(at + 1).min(lines.len()), line);
                });
                repository.write(path, content);
            }
        }
        Step::InsertLine(path, at, line) => {
            if let Some(content) = file(repository, path) {
                let content = edited(&content, |lines| {
                    lines.insert(usize::from(*at) % (lines.len() + 1), (words(*line) + "\n").into_bytes());
                });
                repository.write(path, content);
            }
        }
    }
}

impl Step {
    /// Every path that it touches.
    pub(super) fn paths(&self) -> Vec<Path> {
        match self {
            Step::Write(path, _) | Step::EditLine(path, ..) | Step::InsertLine(path, ..) | Step::Remove(path) => {
                vec![path]
            }
            Step::SetExecutable(path, _) | Step::Link(path, _) | Step::Touch(path) => vec![path],
            Step::Move(from, to) | Step::Copy(from, to) => vec![from, to],
        }
    }
}

pub(super) fn apply_unfinished(repository: &Repository, work: &Unfinished) {
    work.staged.iter().for_each(|step| apply(repository, step));
    repository.git(["add", "--all"]);
    work.unstaged.iter().for_each(|step| apply(repository, step));
    let on = |arguments: &[&str], path: Path| {
        let path = OsStr::from_bytes(path);
        // Git refuses where nothing is at the path: then nothing is done.
        repository.try_git(&repository.root, None, arguments.iter().map(OsStr::new).chain([path]));
    };
    work.intent_to_add.iter().for_each(|path| on(&["add", "--intent-to-add", "--"], path));
    work.only_in_index.iter().for_each(|path| on(&["rm", "--quiet", "--cached", "--"], path));
}

/// Every path that a side is said to have is one that git lists, and the reviewed lines stand in the sources.
fn assert_sources(repository: &Repository, scope: Scope, new_listing: &[&str]) {
    let change = repository.read(scope);
    let listed = repository.git(new_listing.iter().copied());
    let mut expected: Vec<String> =
        listed.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(shown).collect();
    let mut paths = change.sources.paths(Side::New).unwrap().to_vec();
    expected.sort();
    paths.sort();
    expected.dedup();
    assert_eq!(paths, expected);
    for file in &change.subject.files {
        let old_path = file.old_path.as_ref().unwrap_or(&file.path);
        let read = |path: &str, side| String::from_utf8_lossy(&change.sources.read(path, side).unwrap()).into_owned();
        for line in file.hunks.iter().flat_map(|hunk| &hunk.lines) {
            for (number, path, side) in [(line.old, old_path, Side::Old), (line.new, &file.path, Side::New)] {
                let Some(number) = number else { continue };
                let text = read(path, side);
                assert_eq!(text.split('\n').nth(number as usize - 1), Some(line.text.as_str()), "{path} {side:?}");
            }
        }
    }
}

/// Few cases and always the same ones, since each is a repository; `PROPTEST_CASES` asks for more, and for other ones.
pub(super) fn configuration(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(cases),
        rng_seed: if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(0) },
        max_shrink_iters: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(configuration(32))]

    #[test]
    fn every_scope_is_what_git_says(
        commits in prop::collection::vec(prop::collection::vec(step(), 1..10), 0..4),
        work in unfinished(),
        (autocrlf, attributes) in settings(),
    ) {
        let repository = Repository::new();
        repository.git(["config", "core.autocrlf", autocrlf]);
        if !attributes.is_empty() {
            repository.write(".gitattributes", attributes);
        }
        for steps in &commits {
            steps.iter().for_each(|step| apply(&repository, step));
            repository.commit_all();
        }
        apply_unfinished(&repository, &work);

        assert_same(&repository, &Scope::Working);
        assert_same(&repository, &Scope::Staged);
        if !commits.is_empty() {
            assert_same(&repository, &Scope::Commit("HEAD".into()));
            let first = format!("HEAD~{}", commits.len() - 1);
            assert_same(&repository, &Scope::Commit(first.clone()));
            assert_same(&repository, &Scope::Range { from: first, to: "HEAD".into(), since_merge_base: false });
            assert_sources(&repository, Scope::Commit("HEAD".into()), &["ls-tree", "-r", "-z", "--name-only", "HEAD"]);
        }
    }
}
