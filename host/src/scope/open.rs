//! Finding and opening the repository, and refusing one that is set up to show other places' files as its own.
//!
//! libgit2 starts no program, but it believes the repository: `core.worktree` and a `.git` file may lead anywhere, and a
//! pipe in place of one of git's own files blocks it for ever. What is checked here holds for every scope.

use std::fs;
use std::path::{Path, PathBuf};

use git2::{ConfigLevel, ErrorCode, Repository, RepositoryOpenFlags};

use super::error::{Error, while_doing};

/// A repository that may be read.
pub(super) struct Opened {
    pub(super) repository: Repository,
    /// The top of the working tree, canonical; none of a bare repository.
    pub(super) root: Option<PathBuf>,
    /// The current folder, canonical.
    pub(super) folder: PathBuf,
}

/// Opens the repository that the folder is in.
pub(super) fn open(folder: &Path) -> Result<Opened, Error> {
    let folder = folder.canonicalize().map_err(|source| Error::Io { place: folder.to_owned(), source })?;
    let repository = open_at(&folder)?;
    let root = match repository.workdir() {
        Some(top) => Some(own_root(&repository, top, &folder)?),
        None => None,
    };
    Ok(Opened { repository, root, folder })
}

/// Opens once more what was opened before; for another thread.
pub(super) fn reopen(git_folder: &Path) -> Result<Repository, git2::Error> {
    Repository::open(git_folder)
}

/// The commit that is checked out in a submodule; none where it is not there, or is not safe to read.
pub(super) fn submodule_head(folder: &Path) -> Option<git2::Oid> {
    fs::symlink_metadata(folder.join(".git")).ok()?;
    let opened = open(folder).ok()?;
    let here = folder.canonicalize().ok()?;
    if opened.root? != here {
        return None;
    }
    opened.repository.head().ok()?.target()
}

fn open_at(folder: &Path) -> Result<Repository, Error> {
    let not_found = || Error::NotARepository { folder: folder.to_owned() };
    let ceiling: [&Path; 0] = [];
    let git_folder = Repository::discover_path(folder, ceiling).map_err(|error| opening(error, folder, not_found()))?;
    refuse_blocking_files(&git_folder)?;
    Repository::open_ext(folder, RepositoryOpenFlags::empty(), ceiling)
        .map_err(|error| opening(error, folder, not_found()))
}

fn opening(error: git2::Error, folder: &Path, not_found: Error) -> Error {
    match error.code() {
        ErrorCode::NotFound => not_found,
        ErrorCode::Owner => Error::AnotherOwner { folder: folder.to_owned() },
        _ => while_doing(format!("opening the repository of {}", folder.display()))(error),
    }
}

/// Git's own files that are read at once. A pipe or a device in their place blocks the reader.
const READ_AT_ONCE: [&str; 12] = [
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "index",
    "packed-refs",
    "shallow",
    "info/attributes",
    "info/exclude",
    "info/sparse-checkout",
    "objects/info/alternates",
];

fn refuse_blocking_files(git_folder: &Path) -> Result<(), Error> {
    refuse_blocking_files_in(git_folder)?;
    let Ok(common) = fs::read_to_string(git_folder.join("commondir")) else { return Ok(()) };
    refuse_blocking_files_in(&git_folder.join(common.trim_end_matches(['\n', '\r'])))
}

fn refuse_blocking_files_in(git_folder: &Path) -> Result<(), Error> {
    READ_AT_ONCE.iter().try_for_each(|name| refuse_blocking(&git_folder.join(name)))
}

/// Refuses a file that is there and is not a regular one.
pub(super) fn refuse_blocking(place: &Path) -> Result<(), Error> {
    match fs::metadata(place) {
        Ok(metadata) if !metadata.is_file() => Err(Error::Unsafe {
            place: place.to_owned(),
            reason: "git expects a regular file there, and something else stands in its place; remove it".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The top of the working tree, if the repository found there is this one and the folder lies in it.
fn own_root(repository: &Repository, top: &Path, folder: &Path) -> Result<PathBuf, Error> {
    let root = top.canonicalize().map_err(|source| Error::Io { place: top.to_owned(), source })?;
    let git_folder = canonical(repository.path());
    let ceiling: [&Path; 0] = [];
    let found_at_root = Repository::discover_path(&root, ceiling).ok().map(|found| canonical(&found));
    if !folder.starts_with(&root) || found_at_root.as_ref() != Some(&git_folder) {
        return Err(elsewhere(&git_folder, &root));
    }
    let common = canonical(repository.commondir());
    let leads_out = !git_folder.starts_with(&root) || !common.starts_with(&root);
    if leads_out && !points_back(repository, &root, &git_folder, &common) {
        return Err(stray_link(&root, &common));
    }
    Ok(root)
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn elsewhere(git_folder: &Path, root: &Path) -> Error {
    Error::Unsafe {
        place: root.to_owned(),
        reason: format!(
            "`core.worktree` of {} names it as the working tree, and it is not where that repository was found; \
             remove the setting with `git config --unset core.worktree`",
            git_folder.display()
        ),
    }
}

fn stray_link(root: &Path, git_folder: &Path) -> Error {
    Error::Unsafe {
        place: git_folder.to_owned(),
        reason: format!(
            "{} leads there, and that repository does not know of this folder; if it was moved, run `git worktree repair`",
            root.join(".git").display()
        ),
    }
}

/// Whether a repository that lies outside of the root knows that this is its working tree: a linked worktree, a
/// submodule, a separate git folder. Anybody can write a `.git` file; only the owner can write what it leads to.
fn points_back(repository: &Repository, root: &Path, git_folder: &Path, common: &Path) -> bool {
    if common != git_folder {
        let Ok(back) = fs::read_to_string(git_folder.join("gitdir")) else { return false };
        let back = git_folder.join(back.trim_end_matches(['\n', '\r']));
        return git_folder.starts_with(common.join("worktrees")) && canonical(&back) == canonical(&root.join(".git"));
    }
    let local = repository.config().and_then(|config| config.open_level(ConfigLevel::Local));
    local.is_ok_and(|config| config.get_entry("core.worktree").is_ok())
}
