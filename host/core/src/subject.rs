//! What is under review: a change, a plan or a claim.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;

/// What is under review, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// What kind of thing it is.
    pub mode: Mode,
    /// 0 for a single review and for the first one of a loop.
    pub iteration: u32,
    /// The part of the repository it was read from, in words: `uncommitted work`, `commit 1a2b3c4`.
    pub scope: String,
    /// The branch that is checked out, where there is one.
    pub branch: Option<String>,
    /// In the order of their paths.
    pub files: Vec<File>,
    /// Whole texts under review.
    pub documents: Vec<Document>,
    /// Statements under review.
    pub claims: Vec<Claim>,
    /// What earlier iterations found.
    pub history: Vec<Past>,
}

/// What kind of thing is under review. Decides which lenses run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// A change to a program.
    Code,
    /// A plan, a proposal, a specification.
    Plan,
    /// Statements and the sources they cite.
    Claim,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// The path after the change (of a deleted file: before it). Bytes that are not UTF-8 stand as `\xNN`.
    pub path: String,
    /// The path before, of a renamed or copied file.
    pub old_path: Option<String>,
    /// What happened to it.
    pub status: Status,
    /// None where the file did not exist before.
    pub old_kind: Option<Kind>,
    /// None where the file does not exist any more.
    pub new_kind: Option<Kind>,
    /// Whether git would print no text for it.
    pub binary: bool,
    /// Why its text is not part of the subject, if it is not.
    pub omitted: Option<Omitted>,
    /// Added lines.
    pub added: u32,
    /// Removed lines.
    pub removed: u32,
    /// Bytes after the change; of a deleted file, before it.
    pub size: u64,
    /// Empty for a binary or omitted file, and for a change of kind or name alone.
    pub hunks: Vec<Hunk>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "git's own words")]
pub enum Status {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
    TypeChanged,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "git's own words")]
pub enum Kind {
    Regular,
    Executable,
    Symlink,
    Submodule,
}

/// Why a changed file's text is left out of the subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Omitted {
    /// Written by a program.
    Generated,
    /// Somebody else's code, kept in the repository.
    Vendored,
    /// A package manager's lock file.
    LockFile,
    /// No text to read.
    Binary,
    /// The user's own ignore globs name it.
    Ignored,
    /// More bytes than a subject takes of one file. Unlike the others this is a gap: it keeps a verdict from being clean.
    TooLarge,
    /// Could not be read, with the reason. A gap as well.
    Unreadable(String),
    /// Another repository inside of this one, which was not looked into: which, and how to have it looked at. A gap as well.
    OtherRepository(String),
}

impl Omitted {
    /// Whether something in scope went unexamined, as against left out by rule.
    #[must_use]
    pub fn is_gap(&self) -> bool {
        matches!(self, Self::TooLarge | Self::Unreadable(_) | Self::OtherRepository(_))
    }
}

impl fmt::Display for Omitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Generated => f.write_str("generated"),
            Self::Vendored => f.write_str("vendored"),
            Self::LockFile => f.write_str("lock file"),
            Self::Binary => f.write_str("binary"),
            Self::Ignored => f.write_str("ignored"),
            Self::TooLarge => f.write_str("too large"),
            Self::Unreadable(reason) => write!(f, "unreadable: {reason}"),
            Self::OtherRepository(which) => write!(f, "not looked into: {which}"),
        }
    }
}

/// Lines that changed together, with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// What git prints behind the second `@@`. May be empty.
    pub header: String,
    /// In order.
    pub lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// What happened to it.
    pub change: Change,
    /// 1-based; none for an added line.
    pub old: Option<u32>,
    /// 1-based; none for a removed line.
    pub new: Option<u32>,
    /// Without its line feed; a carriage return is kept.
    pub text: String,
    /// True for the last line of a file that does not end in a line feed.
    pub unterminated: bool,
}

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "they say it")]
pub enum Change {
    Context,
    Added,
    Removed,
}

/// A whole text under review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// From the repository's root.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// A statement under review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Word for word.
    pub text: String,
    /// The sources that it cites.
    pub sources: Vec<String>,
}

/// What an earlier iteration found, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// Which iteration.
    pub iteration: u32,
    /// What was found.
    pub finding: Finding,
    /// What became of it.
    pub outcome: PastOutcome,
}

/// What became of an earlier finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PastOutcome {
    /// Nothing yet.
    Open,
    /// Mended.
    Fixed,
    /// Turned down, with the reason.
    Declined(String),
    /// Disproved, with the evidence.
    Falsified(String),
}

impl Subject {
    /// The subject with its files in the order of their paths as text. Git orders them by bytes, and where those are not
    /// UTF-8 the text that stands for them has another order: a search by path would miss the file.
    #[must_use]
    pub fn in_order(mut self) -> Self {
        self.files.sort_by(|one, other| one.path.cmp(&other.path));
        self
    }

    /// No files, no documents, no claims: what a component is shown that must see nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            mode: Mode::Code,
            iteration: 0,
            scope: String::new(),
            branch: None,
            files: Vec::new(),
            documents: Vec::new(),
            claims: Vec::new(),
            history: Vec::new(),
        }
    }
}
