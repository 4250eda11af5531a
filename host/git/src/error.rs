//! What can go wrong with a repository. Every message names the place and the way out.

use std::path::PathBuf;

use crate::id::Id;

/// Bytes that are not what their format says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

impl Malformed {
    /// Says what is wrong, in a few words.
    pub fn new(what: impl Into<String>) -> Self {
        Malformed(what.into())
    }
}

/// Why something of a repository could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No repository at the folder or above it.
    #[error("{} is not in a git repository: run inside one, or make one with `git init`", folder.display())]
    NotARepository {
        /// Where the search started.
        folder: PathBuf,
    },
    /// The repository belongs to somebody else.
    #[error(
        "the repository at {} belongs to another user: if you trust it, say so with `git config --global --add safe.directory {}`",
        root.display(), root.display()
    )]
    AnotherOwner {
        /// The top of the repository: what git's setting has to name.
        root: PathBuf,
    },
    /// A repository that is set up to show files of another place as its own, or that would hang a reader.
    #[error("{} is not read: {reason}", place.display())]
    Unsafe {
        /// What is not read.
        place: PathBuf,
        /// Why, and the way out.
        reason: String,
    },
    /// A format that is newer than this reader.
    #[error("the repository at {} uses {what}, which is not read yet", place.display())]
    Unsupported {
        /// The repository.
        place: PathBuf,
        /// What it uses.
        what: String,
    },
    /// An object that is not in the object database.
    #[error("object {id} is missing{}", .hint.as_deref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Missing {
        /// Which one.
        id: Id,
        /// Why it may be missing here, and how to get it.
        hint: Option<String>,
    },
    /// An object that is larger than what was asked to be read.
    #[error("{what} has {bytes} bytes, more than the {limit} that are read")]
    TooLarge {
        /// What it is.
        what: String,
        /// How large it is.
        bytes: u64,
        /// How much is read.
        limit: u64,
    },
    /// Bytes that are not what their format says.
    #[error("{what}: {reason}; `git fsck` says what else is broken")]
    Broken {
        /// What was read.
        what: String,
        /// What is wrong with it.
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

impl Error {
    /// Says which thing is malformed.
    pub(crate) fn broken(what: impl Into<String>) -> impl FnOnce(Malformed) -> Error {
        let what = what.into();
        move |Malformed(reason)| Error::Broken { what, reason }
    }
}
