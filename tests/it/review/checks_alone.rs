//! The checks, on real changes, in every output.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::{BEFORE, faulty};
use crate::support::Repository;

/// Of the shape of a credential, and none: nobody ever had it.
fn credential() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

#[test]
fn every_format_says_the_same_and_several_can_be_written_at_once() {
    let repository = faulty();
    let output = repository.program().run(&[
        "review",
        "--model",
        "none",
        "--format",
        "concise",
        "--output",
        "json=out.json",
        "--output",
        "sarif=out.sarif",
    ]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.starts_with("src/total.test.js:5:"), "{output}");
    let json: serde_json::Value = serde_json::from_slice(&fs::read(repository.path("out.json")).unwrap()).unwrap();
    let sarif: serde_json::Value = serde_json::from_slice(&fs::read(repository.path("out.sarif")).unwrap()).unwrap();
    assert_eq!(json["findings"].as_array().unwrap().len(), 1);
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn a_credential_is_found_and_printed_nowhere() {
    let repository = Repository::with(&[("config.py", "TIMEOUT = 3\n")]);
    repository.write("config.py", format!("TIMEOUT = 3\nTOKEN = \"{}\"\n", credential()));
    for format in ["text", "concise", "json", "sarif"] {
        let output = repository.program().run(&["review", "--verbose", "--model", "none", "--format", format]);
        assert_eq!(output.code, Some(1), "{output}");
        assert!(output.stdout.contains("secrets-risk"), "{output}");
        assert!(!output.to_string().contains(&credential()[8..20]), "{format} prints the credential");
    }
}

#[test]
fn one_part_of_a_change_can_be_reviewed() {
    let repository = faulty();
    repository.write("docs/.keep", "");
    let elsewhere = repository.program().run(&["review", "--model", "none", "--", "docs"]);
    assert_eq!(elsewhere.code, Some(0), "{elsewhere}");
    let nowhere = repository.program().run(&["review", "--model", "none", "dosc"]);
    assert_eq!(nowhere.code, Some(2), "{nowhere}");
    assert!(
        nowhere.stderr.contains("pathspec `dosc`: it matches no file, neither before nor after the change"),
        "{nowhere}"
    );
    let file = repository.program().run(&["review", "--model", "none", "src/total.js", "src/total.test.js"]);
    assert_eq!(file.code, Some(1), "{file}");
    let here = repository.program().run(&["review", "--model", "none", "--", "src"]);
    assert_eq!(here.code, Some(1), "{here}");
    let lens = repository.program().run(&["review", "--model", "none", "--only", "statistical-rigor"]);
    assert_eq!(lens.code, Some(0), "{lens}");
}

#[test]
fn every_scope_reaches_the_lenses() {
    let repository = faulty();
    repository.git(["add", "--all"]);
    assert_eq!(repository.program().run(&["review", "--model", "none", "--staged"]).code, Some(1));
    repository.git(["checkout", "--quiet", "-b", "topic"]);
    repository.commit_all();
    for scope in [&["--commit", "HEAD"][..], &["--range", "main..topic"], &["--branch", "--base", "main"]] {
        let output = repository.program().run(&[&["review", "--model", "none"], scope].concat());
        assert_eq!(output.code, Some(1), "{scope:?}\n{output}");
    }
}

#[test]
fn a_file_that_is_too_large_is_no_clean_file() {
    let repository = Repository::with(&[("a.txt", "a\n")]);
    repository.write("big.js", BEFORE.repeat(10));
    let program = repository.program().env("REVIEW_LOOP_SCOPE_MAX_FILE_BYTES", "100");
    let output = program.run(&["review", "--model", "none"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stdout.contains("big.js"), "{output}");
}

#[test]
fn components_are_compiled_once() {
    let repository = faulty();
    // A cache of its own: in the one that all tests share, another test may just be compiling.
    let cache = repository.beside("cache");
    let review = || {
        let program = repository.program().env("REVIEW_LOOP_CACHE", &cache);
        let output = program.run(&["review", "--model", "none", "--only", "statistical-rigor"]);
        assert_eq!(output.code, Some(0), "{output}");
        compiled(&cache)
    };
    let first = review();
    assert_eq!(first.len(), 1);
    assert_eq!(review(), first, "it was compiled again");
}

/// The compiled components, and when each was written.
fn compiled(cache: &Path) -> BTreeMap<String, SystemTime> {
    let engines = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path());
    let files = engines.filter(|path| path.is_dir()).flat_map(|folder| fs::read_dir(folder).unwrap());
    let written = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.unwrap();
        (entry.file_name().to_string_lossy().into_owned(), entry.metadata().unwrap().modified().unwrap())
    };
    files.map(written).filter(|(name, _)| name.ends_with(".cwasm")).collect()
}
