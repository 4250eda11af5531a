//! Where a review is started from: a subfolder, a linked worktree, a bare repository, no repository.

use insta::assert_snapshot;
use review_loop::scope::{self, Environment, Error, Options, Request, Scope};
use review_loop_core::finding::Side;

use super::repository::{Repository, listed, read_in};

#[test]
fn a_subfolder_narrows_pathspecs_and_nothing_else() {
    let repository = Repository::with(&[("a", "a\n"), ("sub/b", "b\n"), ("sub/deep/c.rs", "c\n")]);
    for path in ["a", "sub/b", "sub/deep/c.rs"] {
        repository.write(path, "changed\n");
    }
    let read = |pathspecs: &[&str]| {
        let pathspecs = pathspecs.iter().map(|&spec| spec.to_owned()).collect();
        let folder = repository.path("sub");
        let request = Request {
            folder,
            scope: Scope::Working,
            pathspecs,
            options: Options::default(),
            environment: Environment::default(),
        };
        scope::read(&request).map(|change| listed(&change))
    };
    assert_snapshot!(read(&[]).unwrap(), @"
    Modified a +1 -1
    Modified sub/b +1 -1
    Modified sub/deep/c.rs +1 -1
    ");
    assert_snapshot!(read(&["."]).unwrap(), @"
    Modified sub/b +1 -1
    Modified sub/deep/c.rs +1 -1
    ");
    assert_snapshot!(read(&["*.rs", "../a"]).unwrap(), @"
    Modified a +1 -1
    Modified sub/deep/c.rs +1 -1
    ");
    assert_snapshot!(read(&[":/", ":!deep"]).unwrap(), @"
    Modified a +1 -1
    Modified sub/b +1 -1
    ");
    assert!(matches!(read(&["../../x"]), Err(Error::Pathspec { .. })));
}

#[test]
fn a_pathspec_cuts_a_rename_as_git_does() {
    let repository = Repository::with(&[("old/a", "1\n2\n3\n4\n5\n")]);
    repository.remove("old/a");
    repository.write("new/a", "1\n2\n3\n4\n5\n");
    assert_snapshot!(listed(&repository.read(Scope::Working)), @"Renamed old/a -> new/a +0 -0");
    let folder = repository.path("new");
    let pathspecs = vec![".".into()];
    let request = Request {
        folder,
        scope: Scope::Working,
        pathspecs,
        options: Options::default(),
        environment: Environment::default(),
    };
    assert_snapshot!(listed(&scope::read(&request).unwrap()), @"Added new/a +5 -0");
}

#[test]
fn a_linked_worktree_is_a_place_of_its_own() {
    let repository = Repository::with(&[("a", "a\n")]);
    let linked = repository.beside("linked");
    repository.git(["worktree", "add", "-q", "-b", "topic", linked.to_str().unwrap()]);
    repository.write("a", "changed here\n");
    std::fs::write(linked.join("b"), "added there\n").unwrap();
    let change = read_in(&linked, Scope::Working).unwrap();
    assert_snapshot!(listed(&change), @"Added b +1 -0");
    assert_eq!(change.subject.branch.as_deref(), Some("topic"));
    assert_eq!(change.root.as_deref(), Some(linked.as_path()));
    assert_eq!(change.sources.read("a", Side::New).unwrap(), b"a\n");
}

#[test]
fn a_bare_repository_has_commits_and_no_work() {
    let repository = Repository::with(&[("a", "a\n")]);
    repository.write("b", "b\n");
    repository.commit_all();
    let bare = repository.beside("bare");
    repository.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let change = read_in(&bare, Scope::Commit("HEAD".into())).unwrap();
    assert_snapshot!(listed(&change), @"Added b +1 -0");
    assert_eq!((change.root, change.sources.read("a", Side::New).unwrap()), (None, b"a\n".to_vec()));
    let error = read_in(&bare, Scope::Working).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "is a bare repository and has no working tree: use `--commit REV`, `--range A..B` or `--branch --base REF`"
        ),
        "{error}"
    );
}

#[test]
fn no_repository_is_said_with_the_way_out() {
    let repository = Repository::new();
    let folder = repository.beside("elsewhere");
    std::fs::create_dir(&folder).unwrap();
    let error = read_in(&folder, Scope::Working).unwrap_err().to_string();
    let expected = "is not in a git repository: run inside one, or make one with `git init`";
    assert_eq!(error, format!("{} {expected}", folder.display()));
    let missing = read_in(&folder.join("missing"), Scope::Working).unwrap_err();
    assert!(matches!(missing, Error::Io { .. }), "{missing}");
}

#[test]
fn nothing_is_written_to_the_repository() {
    let repository = Repository::with(&[("a", "a\n"), ("b", "b\n")]);
    repository.write("a", "changed\n");
    repository.write("b", "b\n");
    repository.write("c", "c\n");
    let state = || {
        let mut files: Vec<(std::path::PathBuf, std::time::SystemTime)> = Vec::new();
        let mut folders = vec![repository.path(".git")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                }
                files.push((entry.path(), entry.metadata().unwrap().modified().unwrap()));
            }
        }
        files.sort();
        files
    };
    let before = state();
    for scope in [Scope::Working, Scope::Staged, Scope::Commit("HEAD".into())] {
        let change = repository.read(scope);
        change.sources.paths(Side::Old).unwrap();
        change.sources.read("a", Side::New).unwrap();
    }
    assert_eq!(state(), before);
}

/// What is read of a folder where the user's own settings trust a place.
fn read_trusting(folder: &std::path::Path, place: &std::path::Path) -> Result<scope::Change, Error> {
    let config = vec![("safe.directory".to_owned(), place.to_str().unwrap().as_bytes().to_vec())];
    let environment = Environment { config, ..Environment::default() };
    let (folder, options) = (folder.to_owned(), Options::default());
    scope::read(&Request { folder, scope: Scope::Working, pathspecs: Vec::new(), options, environment })
}

/// A message that says how to trust a place works.
fn assert_way_out(folder: &std::path::Path) {
    let error = read_in(folder, Scope::Working).unwrap_err().to_string();
    let way_out = format!("`git config --global --add safe.directory {}`", folder.display());
    assert!(error.contains(&way_out), "{error}");
    assert_eq!(listed(&read_trusting(folder, folder).unwrap()), "Added new +1 -0");
    assert!(read_trusting(folder, std::path::Path::new("*")).is_err(), "trust in everything is none in this");
}

#[test]
fn a_git_folder_somewhere_else_is_read_once_the_user_says_so() {
    let repository = Repository::with(&[("a", "a\n")]);
    let (apart, work) = (repository.beside("apart.git"), repository.beside("apart"));
    let url = repository.root.to_str().unwrap();
    let separate = format!("--separate-git-dir={}", apart.display());
    repository.git(["clone", "-q", &separate, url, work.to_str().unwrap()]);
    std::fs::write(work.join("new"), "x\n").unwrap();
    assert_way_out(&work);

    let linked = repository.beside("by-link");
    std::fs::create_dir(&linked).unwrap();
    std::os::unix::fs::symlink(repository.path(".git"), linked.join(".git")).unwrap();
    std::fs::write(linked.join("a"), "a\n").unwrap();
    std::fs::write(linked.join("new"), "x\n").unwrap();
    assert_way_out(&linked);

    let moved = repository.beside("moved");
    repository.git(["worktree", "add", "-q", "-b", "topic", repository.beside("linked").to_str().unwrap()]);
    std::fs::rename(repository.beside("linked"), &moved).unwrap();
    std::fs::write(moved.join("new"), "x\n").unwrap();
    assert_way_out(&moved);
}

#[test]
fn a_bare_repository_needs_no_settings_of_its_own() {
    let repository = Repository::with(&[("a", "a\n")]);
    let bare = repository.beside("bare");
    repository.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    std::fs::remove_file(bare.join("config")).unwrap();
    assert_snapshot!(listed(&read_in(&bare, Scope::Commit("HEAD".into())).unwrap()), @"Added a +1 -0");
    assert!(matches!(read_in(&bare, Scope::Working), Err(Error::Bare { .. })));
}

#[test]
fn a_repository_that_came_with_the_files_of_another_is_not_taken_for_it() {
    let repository = Repository::with(&[("a", "a\n")]);
    let buried = repository.path("assets");
    repository.git(["clone", "-q", "--bare", ".", buried.to_str().unwrap()]);
    let error = read_in(&buried, Scope::Commit("HEAD".into())).unwrap_err().to_string();
    assert!(error.contains("it is a bare repository inside of"), "{error}");
}
