//! What `git diff` says of a change, in the form that the subject has.

use std::fs;
use std::path::PathBuf;

use review_loop::scope::Scope;
use review_loop_core::subject::{Change as Mark, File, Kind, Status};

use super::repository::Repository;

/// One file of a change. Both git's output and the subject are turned into this.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    status: char,
    old_path: Option<String>,
    path: String,
    old_mode: &'static str,
    new_mode: &'static str,
    binary: bool,
    added: usize,
    removed: usize,
    hunks: Vec<Hunk>,
}

#[derive(Debug, PartialEq, Eq)]
struct Hunk {
    header: String,
    lines: Vec<Line>,
}

#[derive(Debug, PartialEq, Eq)]
struct Line {
    sign: char,
    old: Option<u32>,
    new: Option<u32>,
    text: String,
    unterminated: bool,
}

/// Asserts that the subject of a scope is what git says.
pub(super) fn assert_same(repository: &Repository, scope: &Scope) {
    let git = gits_records(repository, scope);
    let change = repository.read(scope.clone());
    let mut ours: Vec<Record> = change.subject.files.iter().map(record).collect();
    let paths = |records: &[Record]| -> Vec<String> {
        records.iter().map(|it| format!("{} {:?} {:?}", it.status, it.old_path, it.path)).collect()
    };
    let (our_paths, git_paths) = (paths(&ours), paths(&git));
    let without = |paths: &[String], others: &[String]| -> Vec<String> {
        paths.iter().filter(|path| !others.contains(path)).cloned().collect()
    };
    assert_eq!(
        without(&our_paths, &git_paths),
        without(&git_paths, &our_paths),
        "{scope:?} (left: ours, right: git's)"
    );
    assert_eq!(our_paths, git_paths, "the order of {scope:?}");
    for (ours, git) in ours.iter_mut().zip(git) {
        assert_eq!(*ours, as_binary_as(ours.binary, git), "{scope:?} (left: ours, right: git's)");
    }
}

/// Git was asked to take everything for text. Only what has a NUL may be binary, and of that there are no lines.
fn as_binary_as(binary: bool, git: Record) -> Record {
    let moved = git.hunks.is_empty();
    let has_nul = |hunk: &Hunk| hunk.lines.iter().any(|line| line.text.contains('\0'));
    assert!(!binary || moved || git.hunks.iter().any(has_nul), "{git:?}");
    if binary { Record { binary, added: 0, removed: 0, hunks: Vec::new(), ..git } } else { git }
}

/// What git says of a scope.
fn gits_records(repository: &Repository, scope: &Scope) -> Vec<Record> {
    match scope {
        Scope::Working => {
            let index = copy_of_index(repository);
            repository.git_with_index(&index, ["add", "--intent-to-add", "."]);
            let head = head_or_nothing(repository);
            let output = repository.git_with_index(&index, diff_arguments(&[&head]));
            let _ = fs::remove_file(&index);
            parse(&output)
        }
        Scope::Staged => parse(&repository.git(diff_arguments(&["--cached"]))),
        Scope::Commit(name) => {
            let parent = format!("{name}^");
            let has_parent = repository.try_git(&repository.root, None, ["rev-parse", "--verify", "-q", &parent]);
            let parent = if has_parent.status.success() { parent } else { repository.empty_tree() };
            parse(&repository.git(diff_arguments(&[&parent, name])))
        }
        Scope::Range { from, to, since_merge_base } => {
            let dots = if *since_merge_base { "..." } else { ".." };
            parse(&repository.git(diff_arguments(&[&format!("{from}{dots}{to}")])))
        }
        Scope::Branch { base } => {
            let base = base.clone().expect("the tests name the base");
            parse(&repository.git(diff_arguments(&[&format!("{base}...HEAD")])))
        }
    }
}

/// A copy of the index with the time of the original: git believes sizes and times only of files older than the index.
fn copy_of_index(repository: &Repository) -> PathBuf {
    let (index, copy) = (repository.root.join(".git/index"), repository.root.join(".git/index-of-the-test"));
    if let Ok(metadata) = fs::metadata(&index) {
        fs::copy(&index, &copy).unwrap();
        fs::File::options().write(true).open(&copy).unwrap().set_modified(metadata.modified().unwrap()).unwrap();
    }
    copy
}

fn head_or_nothing(repository: &Repository) -> String {
    let head = repository.try_git(&repository.root, None, ["rev-parse", "--verify", "-q", "HEAD"]);
    if head.status.success() { "HEAD".to_owned() } else { repository.empty_tree() }
}

fn diff_arguments<'a>(revisions: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--find-copies", "--raw"];
    let mut arguments = fixed.to_vec();
    arguments.extend(["--text", "--patch", "-z", "--no-abbrev", "--no-color", "--unified=3"]);
    arguments.extend(revisions);
    arguments.push("--");
    arguments
}

/// Reads `git diff --raw --patch -z`.
fn parse(output: &[u8]) -> Vec<Record> {
    let mut rest = output;
    let mut records = Vec::new();
    while rest.first() == Some(&b':') {
        records.push(raw_record(&mut rest));
    }
    let patch = rest.strip_prefix(b"\0").unwrap_or(rest);
    let mut sections = sections(patch).into_iter();
    for record in &mut records {
        let count = if record.status == 'T' { 2 } else { 1 };
        for section in sections.by_ref().take(count) {
            read_section(&section, record);
        }
        // A link that became a binary file: git still prints the link. The subject has no hunks of a binary file.
        if record.binary {
            (record.added, record.removed) = (0, 0);
            record.hunks.clear();
        }
    }
    assert!(sections.next().is_none(), "more patches than files");
    records
}

fn raw_record(rest: &mut &[u8]) -> Record {
    let head = String::from_utf8(field(rest)).unwrap();
    let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
    let status = words[4].chars().next().unwrap();
    let first = shown(&field(rest));
    let moved = matches!(status, 'R' | 'C');
    let (old_path, path) = if moved { (Some(first), shown(&field(rest))) } else { (None, first) };
    let (old_mode, new_mode) = (mode(words[0]), mode(words[1]));
    Record { status, old_path, path, old_mode, new_mode, binary: false, added: 0, removed: 0, hunks: Vec::new() }
}

fn field(rest: &mut &[u8]) -> Vec<u8> {
    let end = rest.iter().position(|&byte| byte == 0).unwrap();
    let field = rest[..end].to_vec();
    *rest = &rest[end + 1..];
    field
}

/// Patches of single files, as lines.
fn sections(patch: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut sections: Vec<Vec<&[u8]>> = Vec::new();
    for line in patch.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            sections.push(Vec::new());
        }
        sections.last_mut().expect("a patch starts with its head").push(line);
    }
    sections
}

fn read_section(lines: &[&[u8]], record: &mut Record) {
    let (mut old, mut new) = (0, 0);
    let mut in_hunks = false;
    for line in lines {
        let (sign, text) = (line[0], &line[1..]);
        if line.starts_with(b"@@ ") {
            in_hunks = true;
            let head = String::from_utf8_lossy(line);
            let words: Vec<&str> = head.splitn(5, ' ').collect();
            (old, new) = (first_line(words[1]), first_line(words[2]));
            let header = head.splitn(3, "@@").nth(2).unwrap().trim().to_owned();
            record.hunks.push(Hunk { header, lines: Vec::new() });
        } else if !in_hunks {
            record.binary |= line.starts_with(b"Binary files ");
        } else if sign == b'\\' {
            record.hunks.last_mut().unwrap().lines.last_mut().unwrap().unterminated = true;
        } else {
            let text = String::from_utf8_lossy(text.strip_suffix(b"\n").unwrap_or(text)).into_owned();
            let (is_old, is_new) = (sign != b'+', sign != b'-');
            record.added += usize::from(!is_old);
            record.removed += usize::from(!is_new);
            let line = Line {
                sign: sign.into(),
                old: is_old.then_some(old),
                new: is_new.then_some(new),
                text,
                unterminated: false,
            };
            record.hunks.last_mut().unwrap().lines.push(line);
            old += u32::from(is_old);
            new += u32::from(is_new);
        }
    }
}

fn first_line(range: &str) -> u32 {
    range[1..].split(',').next().unwrap().parse().unwrap()
}

fn mode(digits: &str) -> &'static str {
    ["000000", "100644", "100755", "120000", "160000"].into_iter().find(|known| *known == digits).expect("a known mode")
}

fn record(file: &File) -> Record {
    let status = match file.status {
        Status::Added => 'A',
        Status::Modified => 'M',
        Status::Deleted => 'D',
        Status::Renamed => 'R',
        Status::Copied => 'C',
        Status::TypeChanged => 'T',
    };
    let mode = |kind: Option<Kind>| match kind {
        None => "000000",
        Some(Kind::Regular) => "100644",
        Some(Kind::Executable) => "100755",
        Some(Kind::Symlink) => "120000",
        Some(Kind::Submodule) => "160000",
    };
    Record {
        status,
        old_path: file.old_path.clone(),
        path: file.path.clone(),
        old_mode: mode(file.old_kind),
        new_mode: mode(file.new_kind),
        binary: file.binary,
        added: file.added as usize,
        removed: file.removed as usize,
        hunks: file.hunks.iter().map(hunk).collect(),
    }
}

fn hunk(hunk: &review_loop_core::subject::Hunk) -> Hunk {
    let line = |line: &review_loop_core::subject::Line| Line {
        sign: match line.change {
            Mark::Context => ' ',
            Mark::Added => '+',
            Mark::Removed => '-',
        },
        old: line.old,
        new: line.new,
        text: line.text.clone(),
        unterminated: line.unterminated,
    };
    Hunk { header: hunk.header.clone(), lines: hunk.lines.iter().map(line).collect() }
}

/// A path as a subject shows it: bytes that are not UTF-8, and backslashes that look like it, as `\xNN`.
pub(super) fn shown(path: &[u8]) -> String {
    let mut text = String::new();
    for chunk in path.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find("\\x") {
            let digits = rest.as_bytes().get(at + 2..at + 4).unwrap_or_default();
            let escape = digits.len() == 2 && digits.iter().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
            text.push_str(&rest[..at]);
            text.push_str(if escape { "\\x5cx" } else { "\\x" });
            rest = &rest[at + 2..];
        }
        text.push_str(rest);
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    text
}
