//! Other repositories inside of this one: submodules, and those that merely lie there.

use std::path::Path;

use review_loop_core::subject::{File, Kind, Omitted};
use review_loop_git::{Environment, Repository};

use super::entry::{Content, Delta, Item};
use super::pathspec::Pathspecs;
use super::sources::Sources;
use super::untracked::Around;
use super::working::WorkingTree;
use super::{Change, End, Ends, Options, between, name};

/// What changed in another repository, or why that could not be read.
pub(super) struct Inner {
    /// The path of its folder, without a `/` at its end.
    path: String,
    change: Result<Change, String>,
}

/// What changed in each of the other repositories of a change, as far as they are checked out here.
pub(super) fn changes(repository: &Repository, ends: &Ends, deltas: &[Delta], options: &Options) -> Vec<Inner> {
    let entered = deltas.iter().filter_map(|delta| {
        let new = delta.new.as_ref().filter(|new| new.kind == Kind::Submodule)?;
        let bytes = delta.path.strip_suffix(b"/").unwrap_or(&delta.path);
        let change = match &repository.root {
            Some(root) => enter(&root.join(name::to_path(bytes)?), ends, delta, new, options),
            None => Err("a bare repository has no submodules checked out".to_owned()),
        };
        Some(Inner { path: name::to_text(bytes), change })
    });
    entered.collect()
}

fn enter(folder: &Path, outer: &Ends, delta: &Delta, new: &Item, options: &Options) -> Result<Change, String> {
    let repository =
        open(folder).ok_or("it is not checked out here, or not safe to read; `git submodule update --init`")?;
    let old = delta.old.as_ref().and_then(Item::commit);
    let end = match (outer.new, new.commit()) {
        (End::WorkingTree, _) => End::WorkingTree,
        (_, Some(commit)) => End::Commit(commit),
        (_, None) => return Err("it has no commit".to_owned()),
    };
    for commit in old.into_iter().chain(end.commit()) {
        if !repository.objects.contains(commit) {
            return Err(format!("its commit {commit} is not here; run `git submodule update --init` or fetch in it"));
        }
    }
    let ends = Ends { old, new: end, words: outer.words.clone() };
    between(repository, &ends, &Pathspecs::default(), options).map_err(|error| error.to_string())
}

/// Puts what changed inside among the files of the outer change. Gives the sources that belong to it.
pub(super) fn join(files: &mut Vec<File>, inner: Vec<Inner>) -> Vec<(String, Sources)> {
    let mut mounts = Vec::new();
    for Inner { path, change } in inner {
        let Some(own) = files.iter_mut().find(|file| file.path.trim_end_matches('/') == path) else { continue };
        match change {
            Ok(change) => {
                own.omitted = None;
                let below = |mut file: File| {
                    file.path = format!("{path}/{}", file.path);
                    file.old_path = file.old_path.map(|old| format!("{path}/{old}"));
                    file
                };
                files.extend(change.subject.files.into_iter().map(below));
                mounts.push((format!("{path}/"), change.sources));
            }
            Err(why) => own.omitted = Some(Omitted::OtherRepository(format!("another repository: {why}"))),
        }
    }
    mounts
}

/// What is checked out in a folder that is another repository's top; none where it is not, or is not safe to read.
pub(super) fn state(folder: &Path) -> Option<Content> {
    let repository = open(folder)?;
    let commit = repository.head().ok().flatten();
    Some(match (commit, is_dirty(&repository)) {
        (Some(commit), false) => Content::Object(commit),
        (commit, dirty) => Content::Repository { commit, dirty },
    })
}

/// The repository whose top the folder is. Nothing that the user said of the outer one holds for it.
fn open(folder: &Path) -> Option<Repository> {
    folder.join(".git").symlink_metadata().ok()?;
    let here = folder.canonicalize().ok()?;
    let repository = Repository::open(folder, &Environment::default()).ok()?;
    (repository.root.as_ref() == Some(&here)).then_some(repository)
}

/// Whether there is uncommitted work; what cannot be told counts as some.
fn is_dirty(repository: &Repository) -> bool {
    let differs = || {
        let root = repository.root.as_deref()?;
        let tree = WorkingTree::open(repository, root, u64::MAX).ok()?;
        let around = Around { is_left_out: &|_| false, nested: &state };
        let entries = tree.entries(repository, &around).ok()?;
        let old = super::tree::of_commit(repository, repository.head().ok()?).ok()?;
        Some(!super::tree::differences_to(repository, old, &entries).ok()?.is_empty())
    };
    differs().unwrap_or(true)
}
