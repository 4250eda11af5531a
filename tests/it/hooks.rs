//! Real hooks of a real git: what git tells a hook through the environment decides what is reviewed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::{Repository, guests};

/// A line that no change may bring in, and one that any may.
const FAULTY: &str = "import os\n\n\ndef total(prices):\n    breakpoint()\n    return sum(prices)\n";
const FINE: &str = "import os\n\n\ndef total(prices):\n    return sum(prices)\n";

/// A repository whose hook reviews with these arguments and lets nothing pass that has a finding.
fn with_hook(name: &str, arguments: &str) -> Repository {
    let repository = Repository::with(&[("a.py", FINE), ("b.py", FINE), ("sub/c.py", FINE)]);
    install(&repository.path(".git/hooks"), name, arguments);
    repository
}

fn install(hooks: &Path, name: &str, arguments: &str) {
    fs::create_dir_all(hooks).unwrap();
    let (program, cache) = (env!("CARGO_BIN_EXE_review-loop"), guests::cache());
    let script = format!(
        "#!/bin/sh\nexport REVIEW_LOOP_CACHE='{}'\nexec '{program}' review --model none {arguments}\n",
        cache.display()
    );
    fs::write(hooks.join(name), script).unwrap();
    fs::set_permissions(hooks.join(name), fs::Permissions::from_mode(0o755)).unwrap();
}

/// What git said, and whether the hook let it through.
fn passes(output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let found = said.contains("quality-gate");
    assert_eq!(found, !output.status.success(), "{said}");
    output.status.success()
}

fn git(repository: &Repository, folder: &Path, arguments: &[&str]) -> Output {
    repository.try_git(folder, None, arguments)
}

#[test]
fn before_a_commit_however_it_is_made() {
    let repository = with_hook("pre-commit", "--staged");
    let root = repository.root.clone();
    let commit = |arguments: &[&str]| {
        let output = git(&repository, &root, &[&["commit", "-m", "x"], arguments].concat());
        passes(&output)
    };
    repository.write("a.py", FAULTY);
    assert!(!commit(&["-a"]), "what -a adds is in an index of its own");
    assert!(!commit(&["a.py"]), "and so is what a path adds");
    assert!(!commit(&["--only", "a.py"]));
    assert!(!commit(&["--include", "a.py"]));
    repository.git(["add", "a.py"]);
    assert!(!commit(&[]));
    assert!(!commit(&["--amend"]));
    // Only the other file is committed; what is staged of the first is not part of it.
    repository.write("b.py", FINE.replace("prices", "costs"));
    assert!(commit(&["b.py"]));
    repository.write("a.py", FINE.replace("prices", "sums"));
    assert!(commit(&["-a"]));
    repository.write("sub/c.py", FAULTY);
    let from_below = git(&repository, &repository.path("sub"), &["commit", "-m", "x", "c.py"]);
    assert!(!passes(&from_below));
}

#[test]
fn before_a_commit_in_a_linked_working_tree() {
    let repository = with_hook("pre-commit", "--staged");
    let linked = repository.beside("linked");
    repository.git(["worktree", "add", "-q", "-b", "topic", linked.to_str().unwrap()]);
    fs::write(linked.join("a.py"), FAULTY).unwrap();
    assert!(!passes(&git(&repository, &linked, &["commit", "-a", "-m", "x"])));
    fs::write(linked.join("a.py"), FINE.replace("prices", "sums")).unwrap();
    assert!(passes(&git(&repository, &linked, &["commit", "-a", "-m", "x"])));
}

#[test]
fn before_a_push_and_where_it_arrives() {
    let repository = with_hook("pre-push", "--range origin/main..HEAD");
    let bare = repository.beside("bare.git");
    repository.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    repository.git(["remote", "add", "origin", bare.to_str().unwrap()]);
    repository.git(["fetch", "-q", "origin"]);
    let push = |arguments: &[&str]| git(&repository, &repository.root, &[&["push", "-q"], arguments].concat());
    repository.write("a.py", FAULTY);
    repository.commit_all();
    assert!(!passes(&push(&["origin", "HEAD:main"])));

    // What a push brings lies apart from the repository's own objects until it is accepted.
    let receive = "--range \"$old..$new\"";
    install(&bare.join("hooks"), "pre-receive", receive);
    let hook = bare.join("hooks/pre-receive");
    let script = fs::read_to_string(&hook).unwrap().replace("exec ", "read old new name\nexec ");
    fs::write(&hook, script).unwrap();
    assert!(!passes(&push(&["--no-verify", "origin", "HEAD:main"])));
    repository.write("a.py", FINE.replace("prices", "sums"));
    repository.commit_all();
    assert!(passes(&push(&["--no-verify", "origin", "HEAD:main"])));
}

#[test]
fn a_bare_repository_with_a_working_tree_elsewhere() {
    let repository = Repository::with(&[("seed", "x\n")]);
    let home = repository.beside("dotfiles-home");
    let bare = repository.beside("dotfiles.git");
    fs::create_dir(&home).unwrap();
    repository.git(["init", "-q", "--bare", "--template=", bare.to_str().unwrap()]);
    let named: [PathBuf; 2] = [bare, home.clone()];
    let flags = [format!("--git-dir={}", named[0].display()), format!("--work-tree={}", named[1].display())];
    let git = |arguments: &[&str]| {
        let all: Vec<&str> = flags.iter().map(String::as_str).chain(arguments.iter().copied()).collect();
        repository.git_in(&home, all)
    };
    fs::write(home.join(".profile"), "export A=1\n").unwrap();
    fs::write(home.join("tool.py"), FINE).unwrap();
    git(&["config", "status.showUntrackedFiles", "no"]);
    git(&["add", ".profile", "tool.py"]);
    git(&["commit", "-q", "-m", "x"]);
    fs::write(home.join("tool.py"), FAULTY).unwrap();
    fs::write(home.join("private.py"), FAULTY).unwrap();
    let program = || {
        let program = crate::support::command::Program::new(&home);
        program.env("GIT_DIR", &named[0]).env("GIT_WORK_TREE", &named[1])
    };
    let output = program().run(&["review", "--model", "none"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("tool.py:5") && !output.to_string().contains("private.py"), "{output}");
    assert_eq!(program().run(&["review", "--model", "none", "--staged"]).code, Some(0));
}
