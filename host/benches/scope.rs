//! Reading a change of 10, 1,000 and 5,000 files in a repository of 6,000, beside the `git` program on the same
//! repository: `git diff`, which prints the change, and `git status`, which looks for untracked files as a review does.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "criterion's macros make undocumented items; a benchmark may panic, and runs git beside the library"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use review_loop::scope::{self, Environment, Options, Request, Scope};

const FILES: usize = 6_000;

fn read_scope(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scope");
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(10));
    for changed in [10, 1_000, 5_000] {
        let folder = tempfile::tempdir().unwrap();
        make_repository(folder.path(), changed);
        for (name, scope) in [("uncommitted", Scope::Working), ("commit", Scope::Commit("change".into()))] {
            group.bench_function(BenchmarkId::new(name, changed), |bencher| {
                bencher.iter(|| read(folder.path(), &scope));
            });
        }
        for (name, arguments) in [
            ("git-diff", &["diff", "-C", "HEAD"][..]),
            ("git-status", &["status", "--untracked-files=all"]),
            ("git-diff-of-commit", &["diff", "-C", "change^", "change"]),
        ] {
            group.bench_function(BenchmarkId::new(name, changed), |bencher| {
                bencher.iter(|| git(folder.path(), arguments));
            });
        }
    }
    group.finish();
}

fn read(folder: &Path, scope: &Scope) -> usize {
    let request = Request {
        folder: folder.to_owned(),
        scope: scope.clone(),
        pathspecs: Vec::new(),
        options: Options::default(),
        environment: Environment::default(),
    };
    scope::read(&request).unwrap().subject.files.len()
}

/// The branch `change` holds the change as a commit, the working tree of `main` the same change uncommitted.
fn make_repository(folder: &Path, changed: usize) {
    git(folder, &["init", "--quiet", "--template=", "--initial-branch=main"]);
    (0..FILES).for_each(|number| write(folder, number, &content(number)));
    commit(folder);
    git(folder, &["checkout", "--quiet", "-b", "change"]);
    let edit = || (0..changed).for_each(|number| write(folder, number, &edited(&content(number))));
    edit();
    commit(folder);
    git(folder, &["checkout", "--quiet", "main"]);
    git(folder, &["gc", "--quiet"]);
    edit();
}

fn content(number: usize) -> String {
    (0..60).map(|line| format!("fn function_{number}_{line}() {{ call({}); }}\n", line * number)).collect()
}

fn edited(content: &str) -> String {
    let mut lines: Vec<&str> = content.lines().collect();
    lines[10] = "fn changed() {}";
    lines.insert(30, "fn added() {}");
    lines.remove(50);
    lines.join("\n") + "\n"
}

fn write(folder: &Path, number: usize, content: &str) {
    let below = folder.join(format!("crate{}/src{}", number % 97, number % 13));
    fs::create_dir_all(&below).unwrap();
    fs::write(below.join(format!("file{number}.rs")), content).unwrap();
}

fn commit(folder: &Path) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message=x"]);
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("HOME", folder.join("no-home")).env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "A").env(format!("GIT_{role}_EMAIL"), "a@example.com");
    }
    command.args(["-c", "gc.auto=0"]);
    let status = command.current_dir(folder).args(arguments).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "git {arguments:?}");
}

criterion_group!(benches, read_scope);
criterion_main!(benches);
