//! Reading a change from a git repository: which files, which lines, and the sources on both sides.
//!
//! Nothing of the repository runs, nothing is written to it, and nothing outside of it is read. The flow:
//!
//! ```text
//! repository -> revision -> tree | index | working -> renames -> files (hunks)  => Subject
//!                                                 \-> sources                   => Sources
//! ```
//!
//! How a repository is read, and why that is safe, is the crate `review-loop-git`'s; this is what a change is.
//!
//! What it says is what `git diff -C` says, with these exceptions, each on purpose:
//! - uncommitted work includes untracked files, as after `git add --intent-to-add`;
//! - a text is one by its content: neither an attribute such as `-diff` nor a NUL put into it keeps it from being reviewed;
//! - no filter program runs, so that a file with a `filter` attribute is compared as it lies on the disk;
//! - a submodule that moved or holds uncommitted work, and a repository that merely lies there, are named as not looked at;
//! - a commit at the end of a shallow clone is an error: git would show all of its files as added.

use std::path::PathBuf;

use review_loop_core::paths::Rules;
use review_loop_core::subject::{Mode, Omitted, Subject};
use review_loop_git::{Id, Repository};

mod disk;
mod encoding;
mod entry;
mod error;
mod files;
mod folders;
mod hunks;
mod index;
mod memory;
mod name;
mod newlines;
mod pathspec;
mod renames;
mod revision;
mod sources;
mod stored;
mod submodules;
mod text;
mod tree;
mod untracked;
mod working;

pub use error::Error;
pub use review_loop_git::Environment;
pub use sources::{SourceError, Sources};

use entry::{Delta, Entry};
use folders::Folders;
use pathspec::Pathspecs;
use revision::Base;
use sources::{Holds, Objects};
use working::WorkingTree;

/// Which part of a repository is reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// What the working tree holds and HEAD does not: staged, unstaged and untracked.
    Working,
    /// What the index holds and HEAD does not: what `git commit` would commit.
    Staged,
    /// One commit, against its first parent.
    Commit(String),
    /// Two revisions.
    Range {
        /// The one before.
        from: String,
        /// The one after.
        to: String,
        /// `A...B`: what `to` changed since it left `from`. Otherwise `A..B`: all that differs between them.
        since_merge_base: bool,
    },
    /// What the current branch committed since it left its base. Uncommitted work is not part of it.
    Branch {
        /// The base. If none is named: the branch's upstream, unless that is only its own pushed copy; the default branch
        /// of `origin`; `main` or `master`.
        base: Option<String>,
    },
}

impl Scope {
    /// Reads `A..B` or `A...B`. A side that is left out is HEAD.
    ///
    /// # Errors
    /// [`Error::NotARange`] where there are no dots, or nothing on both sides of them.
    pub fn range(text: &str) -> Result<Self, Error> {
        let parts = text.split_once("...").map(|sides| (sides, true));
        let parts = parts.or_else(|| text.split_once("..").map(|sides| (sides, false)));
        let has_a_name = |from: &str, to: &str| !from.is_empty() || !to.is_empty();
        let ((from, to), since_merge_base) = parts
            .filter(|((from, to), _)| has_a_name(from, to) && !to.contains(".."))
            .ok_or_else(|| Error::NotARange { range: text.to_owned() })?;
        let or_head = |side: &str| if side.is_empty() { "HEAD".to_owned() } else { side.to_owned() };
        Ok(Scope::Range { from: or_head(from), to: or_head(to), since_merge_base })
    }
}

/// What to read.
#[derive(Debug, Clone)]
pub struct Request {
    /// The current folder: where the search for the repository starts, and what pathspecs are relative to.
    pub folder: PathBuf,
    /// Which change.
    pub scope: Scope,
    /// The part of it, in git's own notation: `src`, `*.rs`, `:!docs`, `:/`, `:(glob)`, `:(icase)`, `:(literal)`. Empty: all.
    pub pathspecs: Vec<String>,
    /// How.
    pub options: Options,
    /// What the user says about git through the environment.
    pub environment: Environment,
}

/// How a change is read.
#[derive(Debug, Clone)]
pub struct Options {
    /// A file of more bytes, on either side, is left out as too large.
    pub max_file_bytes: u64,
    /// [`Sources::read`] refuses a file of more bytes.
    pub max_source_bytes: u64,
    /// Generated files are part of the subject.
    pub include_generated: bool,
    /// Vendored files are part of the subject.
    pub include_vendored: bool,
    /// Lock files are part of the subject.
    pub include_lock_files: bool,
    /// What changed inside of submodules, and of other repositories that lie in this one, is part of the subject.
    pub submodules: bool,
    /// Globs of files to leave out, as in a `.gitignore`: without a `/`, at any depth.
    pub ignore: Vec<String>,
    /// Unchanged lines around a change.
    pub context_lines: u32,
    /// Renames with edits and copies with edits are looked for if added files times their possible sources do not exceed
    /// the square of this.
    pub rename_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_file_bytes: 1 << 20,
            max_source_bytes: 8 << 20,
            include_generated: false,
            include_vendored: false,
            include_lock_files: false,
            submodules: false,
            ignore: Vec::new(),
            context_lines: 3,
            rename_limit: 1000,
        }
    }
}

/// A change, read.
#[derive(Debug, Clone)]
pub struct Change {
    /// The change itself. Without files where nothing changed.
    pub subject: Subject,
    /// The sources on both sides.
    pub sources: Sources,
    /// The top of the working tree; none of a bare repository.
    pub root: Option<PathBuf>,
    /// The commit on the old side, in hex; none where everything is new.
    pub base: Option<String>,
    /// The commit on the new side, in hex; none where that is the index or the working tree.
    pub head: Option<String>,
}

/// Reads a change. Blocks: it reads files.
///
/// # Errors
/// [`Error`]; every message names the way out. No change at all is no error.
pub fn read(request: &Request) -> Result<Change, Error> {
    let repository = Repository::open(&request.folder, &request.environment)?;
    let ends = Ends::of(&repository, &request.scope)?;
    let pathspecs = Pathspecs::new(&request.pathspecs, &current_folder(&repository), repository.root.as_deref())?;
    let change = between(repository, &ends, &pathspecs, &request.options)?;
    refuse_unmatched(&change, &pathspecs)?;
    Ok(change)
}

/// What changed between two ends of a repository.
fn between(repository: Repository, ends: &Ends, pathspecs: &Pathspecs, options: &Options) -> Result<Change, Error> {
    let rules = rules(&repository, ends.old, options)?;
    let mut sides = Sides::read(&repository, ends, options, &rules)?;
    sides.deltas.retain(|delta| pathspecs.matches(&delta.path));

    let reader = files::Reader { repository: &repository, working: sides.working.as_ref(), options, rules: &rules };
    let deltas = renames::detect(sides.deltas, options.rename_limit, &reader);
    let mut files: Vec<_> = deltas.iter().map(|delta| reader.file(delta)).collect();
    let inner = if options.submodules { submodules::changes(&repository, ends, &deltas, options) } else { Vec::new() };
    let mounts = submodules::join(&mut files, inner);

    let subject = Subject {
        mode: Mode::Code,
        iteration: 0,
        scope: ends.words.clone(),
        branch: revision::branch(&repository),
        files,
        documents: Vec::new(),
        claims: Vec::new(),
        history: Vec::new(),
    };
    let root = repository.root.clone();
    let objects = Objects::new(repository, sides.working, options.max_source_bytes);
    Ok(Change {
        subject,
        sources: Sources::new(objects, sides.old, sides.new, mounts),
        root,
        base: ends.old.map(|id| id.to_string()),
        head: ends.new.commit().map(|id| id.to_string()),
    })
}

/// A pathspec that matches nothing, changed or not, is a mistake: whoever wrote it takes something for looked at.
fn refuse_unmatched(change: &Change, pathspecs: &Pathspecs) -> Result<(), Error> {
    use review_loop_core::finding::Side;
    let changed = change.subject.files.iter().flat_map(|file| [Some(&file.path), file.old_path.as_ref()]).flatten();
    let changed: Vec<Vec<u8>> = changed.map(|path| name::to_bytes(path)).collect();
    if pathspecs.unmatched(&changed).is_empty() {
        return Ok(());
    }
    // Sides that cannot be listed are left to whoever reads them.
    let (Ok(old), Ok(new)) = (change.sources.paths(Side::Old), change.sources.paths(Side::New)) else { return Ok(()) };
    let all: Vec<Vec<u8>> = old.iter().chain(new.iter()).map(|path| name::to_bytes(path)).chain(changed).collect();
    match pathspecs.unmatched(&all).into_iter().next() {
        None => Ok(()),
        Some(spec) => {
            let reason = "it matches no file, neither before nor after the change".to_owned();
            Err(Error::Pathspec { spec, reason })
        }
    }
}

/// The two ends of a change.
struct Ends {
    old: Option<Id>,
    new: End,
    /// The scope, in words.
    words: String,
}

/// The new end of a change.
#[derive(Clone, Copy)]
enum End {
    Commit(Id),
    Index,
    WorkingTree,
}

impl End {
    fn commit(self) -> Option<Id> {
        match self {
            End::Commit(id) => Some(id),
            End::Index | End::WorkingTree => None,
        }
    }
}

impl Ends {
    fn of(repository: &Repository, scope: &Scope) -> Result<Self, Error> {
        let bare = || Error::Bare { repository: repository.git_folder().to_owned() };
        match scope {
            Scope::Working | Scope::Staged if repository.root.is_none() => Err(bare()),
            Scope::Working => Ends::from_head(repository, End::WorkingTree, "uncommitted work"),
            Scope::Staged => Ends::from_head(repository, End::Index, "staged changes"),
            Scope::Commit(name) => Ends::of_commit(repository, name),
            Scope::Range { from, to, since_merge_base } => Ends::of_range(repository, from, to, *since_merge_base),
            Scope::Branch { base } => Ends::of_branch(repository, base.as_deref()),
        }
    }

    fn from_head(repository: &Repository, new: End, words: &str) -> Result<Self, Error> {
        Ok(Ends { old: repository.head()?, new, words: words.to_owned() })
    }

    fn of_commit(repository: &Repository, name: &str) -> Result<Self, Error> {
        let commit = revision::commit(repository, name)?;
        let old = revision::first_parent(repository, commit)?;
        Ok(Ends { old, new: End::Commit(commit), words: format!("commit {}", revision::short(commit)) })
    }

    fn of_range(repository: &Repository, from: &str, to: &str, since_merge_base: bool) -> Result<Self, Error> {
        let (old, new) = (revision::commit(repository, from)?, revision::commit(repository, to)?);
        if !since_merge_base {
            return Ok(Ends { old: Some(old), new: End::Commit(new), words: format!("{from}..{to}") });
        }
        let base = revision::merge_base(repository, (from, old), (to, new))?;
        Ok(Ends { old: Some(base), new: End::Commit(new), words: format!("{from}...{to}") })
    }

    fn of_branch(repository: &Repository, base: Option<&str>) -> Result<Self, Error> {
        let head = revision::commit(repository, "HEAD")?;
        let base = match base {
            Some(name) => Base { name: name.to_owned(), commit: revision::commit(repository, name)? },
            None => revision::default_base(repository)?,
        };
        let branch = revision::branch(repository).unwrap_or_else(|| "HEAD".to_owned());
        let old = revision::merge_base(repository, (&base.name, base.commit), (&branch, head))?;
        Ok(Ends { old: Some(old), new: End::Commit(head), words: format!("{branch} since it left {}", base.name) })
    }
}

/// Both sides, and where they differ.
struct Sides {
    old: Holds,
    new: Holds,
    deltas: Vec<Delta>,
    working: Option<WorkingTree>,
}

impl Sides {
    fn read(repository: &Repository, ends: &Ends, options: &Options, rules: &Rules) -> Result<Self, Error> {
        let old = tree::of_commit(repository, ends.old)?;
        match (ends.new, &repository.root) {
            (End::Commit(new), _) => {
                let new = tree::of_commit(repository, Some(new))?;
                let deltas = tree::differences(repository, old, new)?;
                Ok(Sides { old: Holds::Tree(old), new: Holds::Tree(new), deltas, working: None })
            }
            (End::WorkingTree, Some(root)) => {
                let working = WorkingTree::open(repository, root, options.max_file_bytes)?;
                let is_left_out = |folder: &[u8]| !options.include_vendored && is_vendored(rules, folder);
                let around = untracked::Around { is_left_out: &is_left_out, nested: &submodules::state };
                let entries = working.entries(repository, &around)?;
                Sides::with_entries(repository, old, entries, Some(working))
            }
            (End::WorkingTree | End::Index, _) => {
                Sides::with_entries(repository, old, index::entries(repository)?, None)
            }
        }
    }

    fn with_entries(
        repository: &Repository,
        old: Option<Id>,
        new: Vec<Entry>,
        working: Option<WorkingTree>,
    ) -> Result<Self, Error> {
        let deltas = tree::differences_to(repository, old, &new)?;
        Ok(Sides { old: Holds::Tree(old), new: Holds::Entries(new), deltas, working })
    }
}

/// Whether a rule leaves out all that is in a folder, whatever its name.
fn is_vendored(rules: &Rules, folder: &[u8]) -> bool {
    rules.omitted_folder(&name::to_text(folder)) == Some(Omitted::Vendored)
}

/// Bytes of a `.gitattributes` that are read.
const MOST_ATTRIBUTES: u64 = 1 << 20;

/// What is left out. Attributes count as they were before the change: a change cannot keep itself from being reviewed.
fn rules(repository: &Repository, old: Option<Id>, options: &Options) -> Result<Rules, Error> {
    let rules = Rules::new(&options.ignore)?;
    let Some(root) = tree::of_commit(repository, old)? else { return Ok(rules) };
    let found = Folders::default()
        .find(repository, root, b".gitattributes")?
        .filter(|item| item.kind != review_loop_core::subject::Kind::Symlink);
    let text = found.and_then(|item| item.id()).and_then(|id| sources::blob(repository, id, MOST_ATTRIBUTES).ok());
    Ok(rules.with_attributes(&String::from_utf8_lossy(&text.unwrap_or_default())))
}

/// The current folder, as a path from the root.
fn current_folder(repository: &Repository) -> Vec<u8> {
    let below = repository.root.as_ref().and_then(|root| repository.folder.strip_prefix(root).ok());
    below.map(name::from_path).unwrap_or_default()
}
