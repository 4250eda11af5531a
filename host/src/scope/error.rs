//! What can go wrong before there is anything to review. Every message names the thing, the place and the way out.

use std::path::PathBuf;

/// Why a scope could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No repository at the folder or above it.
    #[error("{} is not in a git repository: run inside one, or make one with `git init`", folder.display())]
    NotARepository {
        /// Where the search started.
        folder: PathBuf,
    },
    /// The repository belongs to somebody else, or is set up to show files of another place as its own, or to hang a reader.
    #[error("{} is not read: {reason}", place.display())]
    Unsafe {
        /// What is not read.
        place: PathBuf,
        /// Why, and the way out.
        reason: String,
    },
    /// A bare repository has no uncommitted work.
    #[error(
        "{} is a bare repository and has no working tree: use `--commit REV`, `--range A..B` or `--branch --base REF`",
        repository.display()
    )]
    Bare {
        /// The repository.
        repository: PathBuf,
    },
    /// There is no such revision.
    #[error("no revision `{name}` in this repository{}", near_names(near))]
    UnknownRevision {
        /// As it was asked for.
        name: String,
        /// Branches and tags with a similar name, nearest first.
        near: Vec<String>,
    },
    /// A revision that means several things.
    #[error("`{name}` is ambiguous: name one of {}", list(meanings))]
    Ambiguous {
        /// As it was asked for.
        name: String,
        /// What it may mean, each in a way that means only one.
        meanings: Vec<String>,
    },
    /// A revision in a notation that is not read.
    #[error("`{name}` is not read: {reason}")]
    Notation {
        /// As it was asked for.
        name: String,
        /// Why, and what can be written instead.
        reason: String,
    },
    /// The repository has no commit, and the scope needs one.
    #[error("the repository has no commit yet, and `{name}` needs one: review uncommitted or staged work instead")]
    NoCommit {
        /// The revision that was asked for.
        name: String,
    },
    /// The revision names something else: a tree, a blob.
    #[error("`{name}` is a {kind}, not a commit: name a commit, a branch or a tag")]
    NotACommit {
        /// As it was asked for.
        name: String,
        /// What it is.
        kind: String,
    },
    /// A range that cannot be read.
    #[error("`{range}` is not a range: write `A..B`, or `A...B` for what B changed since it left A")]
    NotARange {
        /// As it was asked for.
        range: String,
    },
    /// Nothing that the branch could be compared with.
    #[error(
        "nothing to compare `{branch}` with: there is no upstream, origin/HEAD, main or master besides it; name a base with `--base REF`"
    )]
    NoBase {
        /// The branch, or `HEAD`.
        branch: String,
    },
    /// Two histories without a common commit.
    #[error("`{one}` and `{other}` share no commit: compare them as they are with `--range {one}..{other}`")]
    NoMergeBase {
        /// One revision.
        one: String,
        /// The other.
        other: String,
    },
    /// A shallow clone ends before the commit that is needed.
    #[error(
        "this clone is shallow and ends before {what}: fetch more history, `git fetch --deepen=100` or `git fetch --unshallow`"
    )]
    CutOff {
        /// What lies beyond the end.
        what: String,
    },
    /// A pathspec that cannot be read.
    #[error("pathspec `{spec}`: {reason}")]
    Pathspec {
        /// As it was given.
        spec: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An ignore glob that cannot be read.
    #[error("{0}")]
    Glob(#[from] review_loop_core::paths::BadGlob),
    /// More entries than a review can hold.
    #[error("{what} has more than {limit} entries, which is more than is read: name the part to review with pathspecs")]
    TooMany {
        /// Which tree.
        what: String,
        /// How many are read.
        limit: usize,
    },
    /// The repository is broken, or has a format that is not read.
    #[error("git repository: {0}")]
    Git(review_loop_git::Error),
    /// Two texts could not be compared.
    #[error("comparing {path}: {reason}")]
    Compare {
        /// Of which file.
        path: String,
        /// What was wrong.
        reason: String,
    },
    /// The file system said no.
    #[error("{}: {source}", place.display())]
    Io {
        /// Which file or folder.
        place: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
}

fn near_names(near: &[String]) -> String {
    if near.is_empty() {
        return ": `git branch --all` and `git tag` list the names, `git log` the commits".to_owned();
    }
    format!("; did you mean {}?", list(near))
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl From<review_loop_git::Error> for Error {
    fn from(error: review_loop_git::Error) -> Self {
        use review_loop_git::Error as Git;
        match error {
            Git::NotARepository { folder } => Error::NotARepository { folder },
            Git::Unsafe { place, reason } => Error::Unsafe { place, reason },
            Git::Io { place, source } => Error::Io { place, source },
            other => Error::Git(other),
        }
    }
}
