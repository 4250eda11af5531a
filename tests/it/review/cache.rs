//! The cache of compiled components: what is kept there is run, so nothing near the reviewed repository ever is it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::harmless;
use crate::support::Repository;
use crate::support::command::{Output, Program};

/// What loading one component says where the environment names the cache like this.
fn check(repository: &Repository, variables: &[(&str, &str)]) -> String {
    let program = repository.program().env("REVIEW_LOOP_CACHE", "");
    let program = variables.iter().fold(program, |program, (name, value)| program.env(name, value));
    let output = program.run(&["lens", "show", "grounding"]);
    assert_eq!(output.code, Some(0), "{output}");
    let place = repository.root.parent().unwrap().display().to_string();
    output.stderr.replace(&place, "")
}

#[test]
fn a_folder_that_the_repository_could_have_brought_along_is_refused() {
    let repository = harmless();
    insta::assert_snapshot!(check(&repository, &[("REVIEW_LOOP_CACHE", ".cache")]), @"warning: compiled components are not kept: the cache folder `.cache` is not an absolute path: name one that is with REVIEW_LOOP_CACHE");
    insta::assert_snapshot!(check(&repository, &[("HOME", ".")]), @"warning: compiled components are not kept: the cache folder `./.cache/review-loop` is not an absolute path: name one that is with REVIEW_LOOP_CACHE");
    insta::assert_snapshot!(check(&repository, &[]), @"warning: compiled components are not kept: the cache folder /work/no-home/.cache/review-loop lies in /work: name one outside of it with REVIEW_LOOP_CACHE");
    let inside = repository.path(".git/cache").display().to_string();
    insta::assert_snapshot!(check(&repository, &[("REVIEW_LOOP_CACHE", &inside)]), @"warning: compiled components are not kept: the cache folder /work/.git/cache lies in /work: name one outside of it with REVIEW_LOOP_CACHE");
    for never_made in [".cache", "no-home", ".git/cache"] {
        assert!(!repository.path(never_made).exists(), "{never_made}");
    }
}

#[test]
fn a_repository_elsewhere_is_named_by_its_work_tree() {
    let (repository, elsewhere) = (harmless(), tempfile::tempdir().unwrap());
    let inside = repository.path(".cache");
    let program = Program::new(elsewhere.path()).env("REVIEW_LOOP_CACHE", &inside);
    let output = program.run(&["-C", &repository.path("src").display().to_string(), "lens", "show", "grounding"]);
    assert!(output.stderr.contains("/work/.cache lies in "), "{output}");
    assert!(!inside.exists());
}

/// A folder to work in beside one for a cache.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("work")).unwrap();
        Self(place)
    }

    fn cache(&self) -> PathBuf {
        self.0.path().join("cache")
    }

    /// One component, loaded by a program that the system holds to a limit.
    fn limited(&self, limit: &str) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_review-loop")]);
        command.args(["lens", "show", "grounding"]).current_dir(self.0.path().join("work"));
        Output::of(&command.env("REVIEW_LOOP_CACHE", self.cache()).output().unwrap())
    }

    /// Every file in the cache.
    fn files(&self) -> Vec<String> {
        let mut folders = vec![self.cache()];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                match path.is_dir() {
                    true => folders.push(path),
                    false => found.push(path.file_name().unwrap().to_string_lossy().into_owned()),
                }
            }
        }
        found.sort();
        found
    }
}

#[test]
fn a_write_that_is_stopped_half_way_leaves_nothing_behind() {
    let place = Place::new();
    let output = place.limited("-f 400");
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(place.files(), ["key"]);
    assert_eq!(place.limited("-f unlimited").code, Some(0));
    assert_eq!(place.files().len(), 2);
}

#[test]
fn too_few_open_files_are_an_error_and_no_panic() {
    let place = Place::new();
    for most in 3..=40 {
        let output = place.limited(&format!("-n {most}"));
        // With the fewest the system cannot even load the program.
        let started = output.code != Some(127);
        assert!(!started || matches!(output.code, Some(0 | 2 | 3)), "with {most}: {output}");
        assert!(!output.stderr.contains("panicked"), "with {most}: {output}");
        assert!(output.code == Some(0) || !output.stderr.is_empty(), "with {most}: {output}");
    }
}
