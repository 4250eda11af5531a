//! The view of the sources on both sides.

use std::collections::BTreeMap;

use review_loop::scope::{Scope, SourceError, Sources};
use review_loop_core::finding::Side;

use super::repository::Repository;

#[test]
fn each_scope_reads_its_own_two_sides() {
    let repository = Repository::with(&[("a", "head\n")]);
    repository.write("a", "index\n");
    repository.git(["add", "a"]);
    repository.write("a", "disk\n");
    repository.write("untracked", "x\n");
    let check = |scope: Scope, old: &str, new: &str, paths: &[&str]| {
        let sources = repository.read(scope).sources;
        assert_eq!(sources.read("a", Side::Old).unwrap(), old.as_bytes());
        assert_eq!(sources.read("a", Side::New).unwrap(), new.as_bytes());
        assert_eq!(&*sources.paths(Side::New).unwrap(), paths);
        assert_eq!(&*sources.paths(Side::Old).unwrap(), ["a"]);
    };
    check(Scope::Working, "head\n", "disk\n", &["a", "untracked"]);
    check(Scope::Staged, "head\n", "index\n", &["a"]);
    repository.commit_all();
    check(Scope::Commit("HEAD".into()), "head\n", "disk\n", &["a", "untracked"]);
}

#[test]
fn a_path_reads_as_the_subject_writes_it() {
    let repository = Repository::with(&[("a", "a\n")]);
    repository.write(b"\xff.bin", "bytes\n");
    repository.write(b"\\xff.bin", "text\n");
    let change = repository.read(Scope::Working);
    let read = |at: usize| {
        let path = &change.subject.files[at].path;
        (path.clone(), String::from_utf8(change.sources.read(path, Side::New).unwrap()).unwrap())
    };
    assert_eq!(read(0), ("\\x5cxff.bin".into(), "text\n".into()));
    assert_eq!(read(1), ("\\xff.bin".into(), "bytes\n".into()));
}

#[test]
fn the_view_stands_still_while_files_go_on_changing() {
    let repository = Repository::with(&[("changed", "a\n"), ("unchanged", "b\n")]);
    repository.write("changed", "reviewed\n");
    let sources = repository.read(Scope::Working).sources;
    repository.write("changed", "later\n");
    repository.write("unchanged", "later\n");
    assert_eq!(sources.read("changed", Side::New).unwrap(), b"reviewed\n");
    assert_eq!(sources.read("unchanged", Side::New).unwrap(), b"b\n");
}

#[test]
fn carriage_returns_are_as_in_the_hunks() {
    let repository = Repository::with(&[("a", "one\ntwo\n")]);
    repository.git(["config", "core.autocrlf", "true"]);
    repository.write("a", "one\r\nTWO\r\n");
    let change = repository.read(Scope::Working);
    assert_eq!(super::repository::patch(&change, "a"), "@@ \n one\n-two\n+TWO\n");
    assert_eq!(change.sources.read("a", Side::New).unwrap(), b"one\nTWO\n");
}

#[test]
fn many_threads_may_read_at_once() {
    let repository = Repository::with(&[("a", "a\n"), ("b/c", "c\n")]);
    let sources = repository.read(Scope::Commit("HEAD".into())).sources;
    std::thread::scope(|threads| {
        for _ in 0..8 {
            let sources = sources.clone();
            threads.spawn(move || {
                for _ in 0..50 {
                    assert_eq!(sources.read("b/c", Side::New).unwrap(), b"c\n");
                    assert_eq!(sources.paths(Side::New).unwrap().len(), 2);
                }
            });
        }
    });
}

#[test]
fn what_is_not_a_file_of_that_side_is_not_found() {
    let repository = Repository::with(&[("a/b", "x\n")]);
    repository.write("new", "x\n");
    let sources = repository.read(Scope::Working).sources;
    for path in ["", "a", "a/", "/a/b", "a/b/", "./a/b", "../work/a/b", "a/../new", "a\0", "nope", ".git/config"] {
        for side in [Side::Old, Side::New] {
            assert_eq!(sources.read(path, side), Err(SourceError::NotFound), "{path:?} {side:?}");
        }
    }
    assert_eq!(sources.read("new", Side::Old), Err(SourceError::NotFound));
}

#[test]
fn sources_without_a_repository() {
    let texts = |text: &str| BTreeMap::from([("a".to_owned(), text.as_bytes().to_vec())]);
    let sources = Sources::from_memory(texts("old"), texts("new"));
    assert_eq!(sources.read("a", Side::Old).unwrap(), b"old");
    assert_eq!(sources.read("a", Side::New).unwrap(), b"new");
    assert_eq!(sources.read("b", Side::New), Err(SourceError::NotFound));
}
