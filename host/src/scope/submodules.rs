//! Other repositories inside of this one: submodules, and those that merely lie there.

use std::path::Path;

use review_loop_git::{Environment, Id, Repository};

use super::entry::Content;
use super::working::WorkingTree;

/// What is checked out in a submodule whose recorded commit is `recorded`; that one where nothing is, or nothing that is
/// safe to read.
pub(super) fn state(folder: &Path, recorded: Id) -> Content {
    match open(folder) {
        Some(repository) => content(&repository),
        None => Content::Object(recorded),
    }
}

/// What is checked out in a repository that lies in a folder; none where none does.
pub(super) fn nested(folder: &Path) -> Option<Content> {
    folder.join(".git").symlink_metadata().ok()?;
    open(folder).map(|repository| content(&repository))
}

/// The repository whose top the folder is. Nothing that the user said of the outer one holds for it.
pub(super) fn open(folder: &Path) -> Option<Repository> {
    folder.join(".git").symlink_metadata().ok()?;
    let here = folder.canonicalize().ok()?;
    let repository = Repository::open(folder, &Environment::default()).ok()?;
    (repository.root.as_ref() == Some(&here)).then_some(repository)
}

fn content(repository: &Repository) -> Content {
    let commit = repository.head().ok().flatten();
    match (commit, is_dirty(repository)) {
        (Some(commit), false) => Content::Object(commit),
        (commit, dirty) => Content::Repository { commit, dirty },
    }
}

/// Whether there is uncommitted work; what cannot be told counts as some.
fn is_dirty(repository: &Repository) -> bool {
    let differs = || {
        let root = repository.root.as_deref()?;
        let tree = WorkingTree::open(repository, root, u64::MAX).ok()?;
        let entries = tree.entries(repository, &|_| false).ok()?;
        let old = super::tree::of_commit(repository, repository.head().ok()?).ok()?;
        Some(!super::tree::differences_to(repository, old, &entries).ok()?.is_empty())
    };
    differs().unwrap_or(true)
}
