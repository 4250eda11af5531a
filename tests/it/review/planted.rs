//! A fault that is seen with certainty, planted in every kind of file that git may hold: whatever a file is called, however it
//! is written and whichever way it comes into the change, the fault is in the output.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::support::Repository;

const BEFORE: &str = "def total(prices):\n    return sum(prices)\n";
const AFTER: &str = "def total(prices):\n    breakpoint()\n    return sum(prices)\n";

/// Names that sort, quote, wrap or read badly.
const NAMES: [&[u8]; 15] = [
    b"plain.py",
    b" leading.py",
    b"trailing.py ",
    b"tab\there.py",
    b"back\\slash.py",
    b"a:b.py",
    b"c:/x.py",
    b"\xff\xfe.py",
    b"new\nline.py",
    b"::error file=x::y.py",
    b"-dash.py",
    b"sub/UPPER.py",
    b"sub/upper.py",
    "gr\u{f6}\u{df}e/\u{65e5}.py".as_bytes(),
    b"\\x41.py",
];

/// How the same text may be written.
fn written() -> [(&'static str, Vec<u8>); 5] {
    let utf16: Vec<u8> = [0xfeff].into_iter().chain(AFTER.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    [
        ("mark.py", format!("\u{feff}{AFTER}").into_bytes()),
        ("old-line-ends.py", AFTER.replace('\n', "\r").into_bytes()),
        ("dos.py", AFTER.replace('\n', "\r\n").into_bytes()),
        ("utf16.py", utf16),
        ("nul.py", format!("# \0\n{}{AFTER}", "x = 1\n".repeat(20)).into_bytes()),
    ]
}

/// The outcome of a review, which has to find something.
fn found(repository: &Repository, scope: &[&str]) -> serde_json::Value {
    let arguments = [&["review", "--model", "none", "--format", "json", "--only", "ship-readiness"], scope].concat();
    let output = repository.program().run(&arguments);
    assert_eq!(output.code, Some(1), "{output}");
    serde_json::from_str(&output.stdout).unwrap()
}

fn assert_all_found(repository: &Repository, scope: &[&str], names: &[&[u8]]) {
    let outcome = found(repository, scope);
    let said = outcome["findings"][0]["claim"].as_str().unwrap();
    let several = format!("{0} places in {0} files", names.len());
    assert!(said.starts_with(&several), "{scope:?}: not {several}: {outcome:#}");
    assert_eq!(outcome["scope"]["files"].as_u64(), Some(names.len() as u64), "{scope:?}");
    assert_eq!(outcome["complete"], true, "{scope:?}: {outcome:#}");
}

#[test]
fn in_every_file_of_every_scope() {
    let repository = Repository::new();
    let mut names: Vec<&[u8]> = NAMES.to_vec();
    NAMES.iter().for_each(|name| repository.write(name, BEFORE));
    repository.commit_all();
    NAMES.iter().for_each(|name| repository.write(name, AFTER));
    for (name, text) in written() {
        repository.write(name, text);
        names.push(name.as_bytes());
    }
    assert_all_found(&repository, &[], &names);
    repository.git(["add", "--all"]);
    assert_all_found(&repository, &["--staged"], &names);
    repository.git(["config", "core.ignorecase", "true"]);
    assert_all_found(&repository, &["--staged"], &names);
    repository.git(["commit", "--quiet", "--message=x"]);
    assert_all_found(&repository, &["--commit", "HEAD"], &names);
    assert_all_found(&repository, &["--range", "HEAD~1..HEAD"], &names);
}

#[test]
fn alone_in_each_of_them() {
    let repository = Repository::with(&[("seed", "x\n")]);
    for name in NAMES {
        repository.write(name, AFTER);
        let outcome = found(&repository, &[]);
        assert_eq!(outcome["findings"].as_array().map(Vec::len), Some(1), "{:?}", OsStr::from_bytes(name));
        repository.remove(name);
    }
}
