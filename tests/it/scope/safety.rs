//! Repositories that are made to run something, to show files of another place, or to hang their reader.

use std::os::unix::fs::symlink;
use std::process::Command;

use review_loop::scope::{Error, Scope};
use review_loop_core::finding::Side;

use super::repository::{Repository, listed, patch, read_in};

const CANARY: &str = "CANARY-7f3a";

fn assert_unsafe(result: Result<review_loop::scope::Change, Error>) -> String {
    match result {
        Err(error @ Error::Unsafe { .. }) => error.to_string(),
        Err(error) => panic!("another error: {error}"),
        Ok(change) => panic!("read: {}", listed(&change)),
    }
}

/// A repository beside the one under review, with something that must not be read.
fn private(repository: &Repository) -> std::path::PathBuf {
    let folder = repository.beside("private");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("secret"), CANARY).unwrap();
    repository.git_in(&folder, ["init", "-q", "--template="]);
    repository.git_in(&folder, ["add", "."]);
    repository.git_in(&folder, ["commit", "-q", "-m", CANARY]);
    folder
}

#[test]
fn a_working_tree_somewhere_else_is_refused() {
    let repository = Repository::with(&[("a", "a\n")]);
    let private = private(&repository);
    for place in [private.to_str().unwrap(), "/", "../..", "../../private"] {
        repository.git(["config", "core.worktree", place]);
        for scope in [Scope::Working, Scope::Staged, Scope::Commit("HEAD".into())] {
            assert_unsafe(repository.try_read(scope));
        }
    }
    let said = assert_unsafe(repository.try_read(Scope::Working));
    assert!(said.ends_with("remove the setting with `git config --unset core.worktree`"), "{said}");
}

#[test]
fn a_git_file_that_leads_to_another_repository_is_refused() {
    let repository = Repository::with(&[("a", "a\n")]);
    let private = private(&repository);
    let hostile = repository.beside("hostile");
    std::fs::create_dir(&hostile).unwrap();
    std::fs::write(hostile.join(".git"), format!("gitdir: {}/.git\n", private.display())).unwrap();
    assert_unsafe(read_in(&hostile, Scope::Commit("HEAD".into())));

    std::fs::remove_file(hostile.join(".git")).unwrap();
    symlink(private.join(".git"), hostile.join(".git")).unwrap();
    assert_unsafe(read_in(&hostile, Scope::Working));

    std::fs::remove_file(hostile.join(".git")).unwrap();
    std::fs::create_dir(hostile.join(".git")).unwrap();
    for (file, text) in [("HEAD", "ref: refs/heads/main\n"), ("gitdir", &format!("{}/.git\n", hostile.display()))] {
        std::fs::write(hostile.join(".git").join(file), text).unwrap();
    }
    std::fs::write(hostile.join(".git/commondir"), format!("{}/.git\n", private.display())).unwrap();
    assert_unsafe(read_in(&hostile, Scope::Working));
}

#[test]
fn a_link_is_its_target_text_and_is_never_followed() {
    let repository = Repository::with(&[("a", "a\n"), ("dir/inside", "x\n")]);
    let private = private(&repository);
    let secret = private.join("secret");
    repository.link("tracked", "a");
    repository.commit_all();
    for symlinks in ["true", "false"] {
        repository.git(["config", "core.symlinks", symlinks]);
        repository.link("tracked", secret.to_str().unwrap());
        repository.link("untracked", secret.to_str().unwrap());
        repository.remove("dir");
        symlink(&private, repository.path("dir")).unwrap();
        let change = repository.read(Scope::Working);
        assert!(!format!("{change:?}").contains(CANARY), "core.symlinks={symlinks}");
        for path in ["tracked", "untracked"] {
            assert!(patch(&change, path).contains(secret.to_str().unwrap()), "{}", patch(&change, path));
            assert_eq!(change.sources.read(path, Side::New).unwrap(), secret.to_str().unwrap().as_bytes());
        }
        assert!(change.sources.read("dir/secret", Side::New).is_err());
        assert!(change.sources.read("dir/inside", Side::New).is_err());
    }
}

#[test]
fn no_program_of_the_repository_runs() {
    let repository = Repository::with(&[("a.txt", "a\n"), (".gitattributes", "*.txt filter=evil diff=evil\n")]);
    let trace = repository.beside("ran");
    let script = repository.beside("evil.sh");
    std::fs::write(&script, format!("#!/bin/sh\necho ran >> {}\ncat\n", trace.display())).unwrap();
    Command::new("chmod").arg("+x").arg(&script).status().unwrap();
    let script = script.to_str().unwrap();
    let keys = [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "credential.helper",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.process",
        "filter.evil.smudge",
    ];
    for key in keys {
        repository.git(["config", key, script]);
    }
    let hooks = repository.beside("hooks");
    std::fs::create_dir(&hooks).unwrap();
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction"] {
        symlink(script, hooks.join(hook)).unwrap();
    }
    repository.git(["config", "core.hooksPath", hooks.to_str().unwrap()]);
    let _ = std::fs::remove_file(&trace);

    repository.write("a.txt", "changed\n");
    repository.write("b.txt", "new\n");
    for scope in [Scope::Working, Scope::Staged, Scope::Commit("HEAD".into())] {
        let change = repository.read(scope);
        change.sources.read("a.txt", Side::New).unwrap();
    }
    assert!(!trace.exists());
}

#[test]
fn pipes_in_the_place_of_files_do_not_hang() {
    let pipe = |repository: &Repository, path: &str| {
        repository.remove(path);
        std::fs::create_dir_all(repository.path(path).parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(repository.path(path)).status().unwrap().success());
    };
    let places =
        ["config", "index", "packed-refs", "shallow", "info/exclude", "info/attributes", "objects/info/alternates"];
    for place in places {
        let repository = Repository::with(&[("a", "a\n")]);
        pipe(&repository, &format!(".git/{place}"));
        assert_unsafe(repository.try_read(Scope::Working));
    }
    for place in [".gitignore", "sub/.gitattributes"] {
        let repository = Repository::with(&[("a", "a\n"), ("sub/.gitattributes", "")]);
        pipe(&repository, "pipe");
        repository.link(place, repository.path("pipe").to_str().unwrap());
        assert_unsafe(repository.try_read(Scope::Working));
    }
    let repository = Repository::with(&[("a", "a\n")]);
    pipe(&repository, "a");
    pipe(&repository, "untracked");
    let change = repository.read(Scope::Working);
    // Git calls the file deleted; but something is there, and nobody looked at it.
    assert_eq!(listed(&change), "Modified a +0 -0 Unreadable(\"not a regular file any more\")");
}

/// Writes a tree that git itself would not, and a commit of it.
fn commit_tree(repository: &Repository, name: &str, mode: &str, object: &str) -> String {
    let mut tree = format!("{mode} {name}\0").into_bytes();
    tree.extend((0..20).map(|at| u8::from_str_radix(&object[2 * at..2 * at + 2], 16).unwrap()));
    let file = repository.beside("tree");
    std::fs::write(&file, tree).unwrap();
    let one_line = |output: Vec<u8>| String::from_utf8(output).unwrap().trim().to_owned();
    let tree = one_line(repository.git(["hash-object", "-t", "tree", "--literally", "-w", file.to_str().unwrap()]));
    one_line(repository.git(["commit-tree", "-p", "HEAD", "-m", "x", &tree]))
}

#[test]
fn trees_that_git_would_not_write() {
    let repository = Repository::with(&[("a", "a\n")]);
    let blob = String::from_utf8(repository.git(["rev-parse", "HEAD:a"])).unwrap().trim().to_owned();
    for name in ["..", ".git", ".GIT", "../../outside", "/etc/abs"] {
        let commit = commit_tree(&repository, name, "100644", &blob);
        let change = repository.read(Scope::Commit(commit));
        let file = change.subject.files.iter().find(|file| file.path == name).unwrap();
        assert!(matches!(file.omitted, Some(review_loop_core::subject::Omitted::Unreadable(_))), "{name}");
        assert!(file.hunks.is_empty());
        assert!(change.sources.read(name, Side::New).is_err());
        assert!(change.sources.paths(Side::New).unwrap().is_empty());
    }
    for mode in ["100600", "0", "777777", "160001"] {
        let commit = commit_tree(&repository, "odd", mode, &blob);
        let _ = repository.try_read(Scope::Commit(commit));
    }
}

#[test]
fn a_tree_that_unfolds_without_end_is_refused() {
    let repository = Repository::with(&[("a", "a\n")]);
    let blob = String::from_utf8(repository.git(["rev-parse", "HEAD:a"])).unwrap().trim().to_owned();
    let mut lines: String = (0..16).map(|at| format!("100644 blob {blob}\tf{at:02}\n")).collect();
    let file = repository.beside("tree");
    let make = |lines: &str| {
        std::fs::write(&file, lines).unwrap();
        let output = Command::new("git")
            .args(["mktree"])
            .current_dir(&repository.root)
            .stdin(std::fs::File::open(&file).unwrap())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let mut tree = make(&lines);
    for _ in 0..7 {
        lines = (0..16).map(|at| format!("040000 tree {tree}\td{at:02}\n")).collect();
        tree = make(&lines);
    }
    let commit = repository.git(["commit-tree", "-p", "HEAD", "-m", "x", &tree]);
    let commit = String::from_utf8(commit).unwrap().trim().to_owned();
    let error = repository.try_read(Scope::Commit(commit)).unwrap_err();
    assert!(matches!(error, Error::TooMany { .. }), "{error}");
}

/// Wherever git expects a file or a folder: a review ends, in an error or in a gap, and never waits.
#[test]
fn pipes_in_any_other_place_do_not_hang_either() {
    let made = || {
        let repository = Repository::with(&[("a", "a\n"), ("sub/.gitignore", "x\n"), ("sub/b", "b\n")]);
        repository.write("a", "changed\n");
        repository
    };
    let pipe = |path: &std::path::Path| {
        let _ = std::fs::remove_file(path);
        let _ = std::fs::remove_dir_all(path);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success(), "{}", path.display());
    };
    let ends = |repository: &Repository, place: &str| {
        for scope in [Scope::Working, Scope::Staged, Scope::Commit("HEAD".into()), Scope::Branch { base: None }] {
            match repository.try_read(scope) {
                Ok(change) => drop(change.sources.paths(Side::New)),
                Err(error) => assert!(!error.to_string().is_empty(), "{place}"),
            }
        }
    };
    let head = String::from_utf8(made().git(["rev-parse", "HEAD"])).unwrap();
    let loose = format!(".git/objects/{}/{}", &head[..2], head[2..].trim());
    let places = [
        ".git/HEAD",
        ".git/refs/heads/main",
        ".git/refs/heads",
        ".git/refs/remotes/origin/HEAD",
        ".git/config.worktree",
        ".git/commondir",
        ".git/gitdir",
        ".git/info/grafts",
        ".git/info/sparse-checkout",
        ".git/objects/pack/multi-pack-index",
        ".git/objects/pack/pack-x.idx",
        ".git/objects/info/commit-graph",
        ".git/logs/HEAD",
        &loose,
        "sub/.gitignore",
        "sub/.gitattributes",
        ".gitmodules",
        ".review-loop/config.toml",
    ];
    for place in places {
        let repository = made();
        std::fs::create_dir_all(repository.path(place).parent().unwrap()).unwrap();
        pipe(&repository.path(place));
        ends(&repository, place);
    }
    for key in ["include.path", "includeIf.gitdir:**.path", "core.excludesFile", "core.attributesFile"] {
        let repository = made();
        let fifo = repository.beside("fifo");
        pipe(&fifo);
        repository.git(["config", key, fifo.to_str().unwrap()]);
        ends(&repository, key);
    }
}

#[test]
fn an_object_of_gigabytes_in_a_few_kilobytes_is_not_unpacked() {
    let repository = Repository::with(&[("a", "a\n")]);
    let zeros = repository.beside("zeros");
    std::fs::File::create(&zeros).unwrap().set_len(300 << 20).unwrap();
    for kind in ["blob", "tree", "commit"] {
        let name = repository.git(["hash-object", "-w", "--literally", "-t", kind, zeros.to_str().unwrap()]);
        let name = String::from_utf8(name).unwrap().trim().to_owned();
        let commit = match kind {
            "blob" => commit_tree(&repository, "large.py", "100644", &name),
            "tree" => commit_tree(&repository, "large", "40000", &name),
            _ => name,
        };
        let options = review_loop::scope::Options::default();
        let environment = review_loop::scope::Environment::default();
        let folder = repository.root.clone();
        let request = review_loop::scope::Request {
            folder,
            scope: Scope::Commit(commit),
            pathspecs: Vec::new(),
            options,
            environment,
        };
        match review_loop::scope::read(&request) {
            Ok(change) => assert_eq!(listed(&change), "Deleted a +0 -1\nAdded large.py +0 -0 TooLarge"),
            Err(error) => assert!(error.to_string().contains("314572800 bytes, more than the"), "{error}"),
        }
    }
}
