//! What revisions mean, and what is said where they mean nothing.

use insta::assert_snapshot;
use review_loop::scope::{Error, Scope};

use super::gits_view::assert_same;
use super::repository::{Repository, listed, read_in};

/// `main` with two commits, and `topic` with two more on top of the first one.
fn forked() -> Repository {
    let repository = Repository::with(&[("a", "a\n")]);
    repository.git(["tag", "start"]);
    repository.git(["checkout", "-q", "-b", "topic"]);
    for name in ["b", "c"] {
        repository.write(name, format!("{name}\n"));
        repository.commit_all();
    }
    repository.git(["checkout", "-q", "main"]);
    repository.write("on-main", "x\n");
    repository.commit_all();
    repository.git(["checkout", "-q", "topic"]);
    repository.write("uncommitted", "x\n");
    repository
}

fn branch(base: Option<&str>) -> Scope {
    Scope::Branch { base: base.map(str::to_owned) }
}

#[test]
fn a_branch_is_what_it_committed_since_it_left_its_base() {
    let repository = forked();
    let change = repository.read(branch(None));
    assert_snapshot!(listed(&change), @"
    Added b +1 -0
    Added c +1 -0
    ");
    assert_eq!(change.subject.scope, "topic since it left main");
    assert_same(&repository, &branch(Some("main")));
    assert_eq!(listed(&repository.read(branch(Some("topic~1")))), "Added c +1 -0");
}

#[test]
fn two_dots_and_three_dots() {
    let repository = forked();
    for range in ["main..topic", "main...topic", "start..topic~1", "start.."] {
        assert_same(&repository, &Scope::range(range).unwrap());
    }
    assert_snapshot!(listed(&repository.read(Scope::range("main..topic").unwrap())), @"
    Added b +1 -0
    Added c +1 -0
    Deleted on-main +0 -1
    ");
    for wrong in ["main", "..", "...", "a..b..c", ""] {
        assert!(matches!(Scope::range(wrong), Err(Error::NotARange { .. })), "{wrong}");
    }
}

#[test]
fn the_base_of_a_branch_is_found_in_order() {
    let base = |prepare: &dyn Fn(&Repository)| {
        let repository = forked();
        prepare(&repository);
        repository.try_read(branch(None)).map_or_else(|error| error.to_string(), |change| change.subject.scope)
    };
    let remote = |repository: &Repository, name: &str, at: &str| {
        repository.git(["update-ref", &format!("refs/remotes/origin/{name}"), at]);
    };
    let upstream = |repository: &Repository, name: &str| {
        repository.git(["config", "remote.origin.url", "x"]);
        repository.git(["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
        repository.git(["config", "branch.topic.remote", "origin"]);
        repository.git(["config", "branch.topic.merge", &format!("refs/heads/{name}")]);
    };
    assert_snapshot!(base(&|_| {}), @"topic since it left main");
    assert_snapshot!(base(&|it| remote(it, "master", "start")), @"topic since it left origin/master");
    assert_snapshot!(base(&|it| { remote(it, "main", "start"); remote(it, "master", "start") }), @"topic since it left origin/main");
    assert_snapshot!(base(&|it| {
        remote(it, "trunk", "start");
        remote(it, "main", "start");
        it.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    }), @"topic since it left origin/trunk");
    assert_snapshot!(base(&|it| { remote(it, "next", "start"); upstream(it, "next") }), @"topic since it left origin/next");
    assert_snapshot!(base(&|it| { remote(it, "topic", "topic"); upstream(it, "topic") }), @"topic since it left main");
    assert_snapshot!(base(&|it| { it.git(["branch", "-m", "main", "trunk"]); }), @"nothing to compare `topic` with: there is no upstream, origin/HEAD, main or master besides it; name a base with `--base REF`");
}

#[test]
fn a_revision_that_is_not_there_is_named_with_its_neighbours() {
    let repository = forked();
    let said = |scope: Scope| repository.try_read(scope).unwrap_err().to_string();
    assert_snapshot!(said(Scope::Commit("topci".into())), @"no revision `topci` in this repository; did you mean `topic`?");
    assert_snapshot!(said(Scope::Commit("zzzzzz".into())), @"no revision `zzzzzz` in this repository: `git branch --all` and `git tag` list the names, `git log` the commits");
    assert_snapshot!(said(Scope::range("nope..HEAD").unwrap()), @"no revision `nope` in this repository: `git branch --all` and `git tag` list the names, `git log` the commits");
    assert_snapshot!(said(Scope::Commit("HEAD^{tree}".into())), @"`HEAD^{tree}` is a tree, not a commit: name a commit, a branch or a tag");
    let unborn = Repository::new().try_read(Scope::Commit("HEAD".into())).unwrap_err().to_string();
    assert_snapshot!(unborn, @"the repository has no commit yet, and `HEAD` needs one: review uncommitted or staged work instead");
}

#[test]
fn histories_without_a_common_commit() {
    let repository = forked();
    repository.git(["checkout", "-q", "--orphan", "island"]);
    repository.commit_all();
    let error = repository.try_read(branch(Some("main"))).unwrap_err().to_string();
    assert_snapshot!(error, @"`main` and `island` share no commit: compare them as they are with `--range main..island`");
}

#[test]
fn a_shallow_clone_says_where_it_ends() {
    let repository = forked();
    let clone = |depth: &str, name: &str| {
        let place = repository.beside(name);
        let url = format!("file://{}", repository.root.display());
        repository.git(["clone", "-q", "--no-single-branch", "--depth", depth, &url, place.to_str().unwrap()]);
        place
    };
    let (one, two) = (clone("1", "one"), clone("2", "two"));
    let said = |error: Error| error.to_string().split(':').next().unwrap().to_owned();
    assert_snapshot!(said(read_in(&one, branch(Some("origin/main"))).unwrap_err()), @"this clone is shallow and ends before `origin/main` and `topic` meet");
    assert_snapshot!(said(read_in(&one, Scope::Commit("HEAD~1".into())).unwrap_err()), @"this clone is shallow and ends before `HEAD~1`");
    let last = read_in(&one, Scope::Commit("HEAD".into())).unwrap_err();
    assert!(said(last).starts_with("this clone is shallow and ends before the parent of "));
    assert_snapshot!(listed(&read_in(&two, Scope::Commit("HEAD".into())).unwrap()), @"Added c +1 -0");
    assert_eq!(read_in(&one, Scope::Working).unwrap().subject.files.len(), 0);
}

#[test]
fn a_name_that_means_several_things_is_never_guessed() {
    let repository = forked();
    repository.git(["tag", "main", "topic~1"]);
    let said =
        |scope: Scope| repository.try_read(scope).map_or_else(|error| error.to_string(), |change| listed(&change));
    assert_snapshot!(said(branch(Some("main"))), @"`main` is ambiguous: name one of `refs/tags/main`, `refs/heads/main`");
    assert_snapshot!(said(branch(Some("refs/heads/main"))), @"
    Added b +1 -0
    Added c +1 -0
    ");
    // Where nothing is named, a branch is meant, whatever else has its name.
    assert_snapshot!(said(branch(None)), @"
    Added b +1 -0
    Added c +1 -0
    ");
    repository.git(["update-ref", "refs/remotes/origin/main", "start"]);
    repository.git(["branch", "origin/main", "topic~1"]);
    assert_snapshot!(said(branch(None)), @"
    Added b +1 -0
    Added c +1 -0
    ");
    repository.git(["tag", "start-too", "start"]);
    assert_snapshot!(said(Scope::Range { from: "start-too".into(), to: "topic~1".into(), since_merge_base: false }), @"Added b +1 -0");
}

#[test]
fn a_remote_may_have_a_slash_in_its_name() {
    let repository = forked();
    repository.git(["update-ref", "refs/remotes/team/fork/topic", "topic~1"]);
    repository.git(["update-ref", "refs/remotes/team/fork/next", "start"]);
    repository.git(["config", "remote.team/fork.fetch", "+refs/heads/*:refs/remotes/team/fork/*"]);
    repository.git(["config", "branch.topic.remote", "team/fork"]);
    let scope_after = |merge: &str| {
        repository.git(["config", "branch.topic.merge", merge]);
        repository.read(branch(None)).subject.scope
    };
    assert_snapshot!(scope_after("refs/heads/topic"), @"topic since it left main");
    assert_snapshot!(scope_after("refs/heads/next"), @"topic since it left team/fork/next");
}

#[test]
fn revisions_are_read_as_git_reads_them() {
    let repository = forked();
    repository.git(["tag", "-a", "-m", "x", "annotated", "topic"]);
    repository.git(["checkout", "-q", "main"]);
    repository.git(["merge", "-q", "--no-edit", "-s", "ours", "topic"]);
    repository.git(["checkout", "-q", "topic"]);
    repository.git(["config", "branch.topic.remote", "."]);
    repository.git(["config", "branch.topic.merge", "refs/heads/main"]);
    let short = String::from_utf8(repository.git(["rev-parse", "--short=7", "topic"])).unwrap().trim().to_owned();
    let described = format!("v1-3-g{short}");
    let names = [
        "topic",
        "topic^{}",
        "annotated",
        "annotated^{commit}",
        "@",
        "HEAD^0",
        "main^2",
        "main^2~1",
        "topic@{0}",
        "topic@{1}",
        "@{u}",
        "@{-1}",
        "heads/topic",
        "refs/heads/topic",
        "@{upstream}^1",
        &short,
        &described,
    ];
    for name in names {
        let ours = repository.try_read(Scope::Commit(name.into())).unwrap_or_else(|error| panic!("{name}: {error}"));
        let git = repository.git(["rev-parse", "--verify", "-q", &format!("{name}^{{commit}}")]);
        assert_eq!(ours.head.unwrap(), String::from_utf8(git).unwrap().trim(), "{name}");
    }
    for name in
        ["topic^5", "HEAD~99", "nope@{1}", "@{-9}", "zz..", "topic@{yesterday}", ":/x", "HEAD:a", "annotated^{tree}"]
    {
        assert!(repository.try_read(Scope::Commit(name.into())).is_err(), "{name}");
    }
}
