//! Repositories as newer gits make them: other hashes, other stores of references, other forms of the index. Whatever the
//! format, every scope is what `git diff` says.

use proptest::prelude::*;
use review_loop::scope::Scope;
use review_loop_core::finding::Side;

use super::gits_view::assert_same;
use super::history::{Step, Unfinished, apply, apply_unfinished, configuration, step, unfinished};
use super::repository::{Repository, listed, read_in};

/// What `git init` is told, and the settings.
type Format = (&'static [&'static str], &'static [(&'static str, &'static str)]);

const FORMATS: [Format; 6] = [
    (&["--object-format=sha256"], &[]),
    (&["--ref-format=reftable"], &[]),
    (&["--object-format=sha256", "--ref-format=reftable"], &[]),
    (&[], &[("index.version", "4"), ("feature.manyFiles", "true")]),
    (&[], &[("core.splitIndex", "true"), ("splitIndex.maxPercentChange", "100")]),
    (&[], &[("pack.writeReverseIndex", "true"), ("pack.indexVersion", "1"), ("core.compression", "0")]),
];

fn kept_as((init, settings): Format) -> Repository {
    let repository = Repository::kept_as(init);
    settings.iter().for_each(|(key, value)| drop(repository.git(["config", key, value])));
    repository
}

fn assert_every_scope(repository: &Repository, commits: usize) {
    assert_same(repository, &Scope::Working);
    assert_same(repository, &Scope::Staged);
    assert_same(repository, &Scope::Commit("HEAD".into()));
    let first = format!("HEAD~{}", commits - 1);
    assert_same(repository, &Scope::Range { from: first, to: "main".into(), since_merge_base: true });
}

proptest! {
    #![proptest_config(configuration(24))]

    #[test]
    fn every_format_is_read_as_git_reads_it(
        format in prop::sample::select(&FORMATS[..]),
        commits in prop::collection::vec(prop::collection::vec(step(), 1..8), 1..4),
        packed in any::<bool>(),
        work in unfinished(),
    ) {
        let repository = kept_as(format);
        for steps in &commits {
            steps.iter().for_each(|step| apply(&repository, step));
            repository.commit_all();
        }
        if packed {
            repository.git(["gc", "--quiet"]);
        }
        apply_unfinished(&repository, &work);
        assert_every_scope(&repository, commits.len());
    }

    #[test]
    fn a_sparse_index_stands_for_all_of_its_files(
        commits in prop::collection::vec(prop::collection::vec(step(), 4..10), 1..4),
        work in unfinished(),
    ) {
        let repository = Repository::new();
        for steps in &commits {
            steps.iter().for_each(|step| apply(&repository, step));
            repository.commit_all();
        }
        repository.write("sub/always", "x\n");
        repository.write("elsewhere/deep/always", "x\n");
        repository.commit_all();
        repository.git(["sparse-checkout", "set", "--cone", "--sparse-index", "sub"]);
        let in_cone = |step: &Step| step.paths().iter().all(|path| path.starts_with(b"sub/") || !path.contains(&b'/'));
        let kept = |steps: Vec<Step>| steps.into_iter().filter(|step| in_cone(step)).collect();
        let work = Unfinished { staged: kept(work.staged), unstaged: kept(work.unstaged), ..Unfinished::default() };
        apply_unfinished(&repository, &work);
        assert_every_scope(&repository, commits.len() + 1);
        let change = repository.read(Scope::Working);
        prop_assert_eq!(change.sources.read("elsewhere/deep/always", Side::New).unwrap(), b"x\n");
    }
}

#[test]
fn a_large_history_in_packs_is_read_through_its_deltas() {
    let repository = Repository::new();
    let text = |edits: usize| -> String {
        (0..400).map(|line| format!("line {line} {}\n", if line < edits { "edited" } else { "as it was" })).collect()
    };
    for edits in 0..30 {
        repository.write("file", text(edits * 10));
        repository.write(format!("dir/{edits}"), text(edits));
        repository.commit_all();
    }
    repository.git(["repack", "-a", "-d", "-f", "--depth=50", "--window=50", "--quiet"]);
    for back in [0, 1, 14, 28, 29] {
        assert_same(&repository, &Scope::Commit(format!("HEAD~{back}")));
    }
}

#[test]
fn a_worktree_and_a_submodule_of_a_repository_with_reftables() {
    let repository = Repository::kept_as(&["--ref-format=reftable"]);
    repository.write("a", "a\n");
    repository.commit_all();
    let linked = repository.beside("linked");
    repository.git(["worktree", "add", "-q", "-b", "topic", linked.to_str().unwrap()]);
    std::fs::write(linked.join("b"), "b\n").unwrap();
    let change = read_in(&linked, Scope::Working).unwrap();
    assert_eq!((listed(&change), change.subject.branch.as_deref()), ("Added b +1 -0".into(), Some("topic")));
    assert_eq!(listed(&read_in(&linked, Scope::Branch { base: Some("main".into()) }).unwrap()), "");
}
