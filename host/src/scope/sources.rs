//! The sources at both revisions, for lenses that look around.
//!
//! What is listed can be read, and nothing else: no ignored file, nothing of `.git`, nothing behind a link. Unchanged files
//! come from git's objects even where the working tree is reviewed, so that the view stands still while files go on changing.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use review_loop_core::finding::Side;
use review_loop_core::subject::Kind;
use review_loop_git::{Error as GitError, Id, Repository, objects};

use super::entry::{Content, Entry, Item};
use super::error::Error;
use super::folders::Folders;
use super::working::WorkingTree;
use super::{name, text, tree};

/// A view of the sources before and after the change. Cheap to clone; every clone reads the same.
#[derive(Debug, Clone)]
pub struct Sources {
    inner: Arc<Inner>,
}

/// Why a source could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// That side has no file of this path.
    #[error("no such file")]
    NotFound,
    /// More bytes than [`Options::max_source_bytes`](super::Options::max_source_bytes): this many.
    #[error("{0} bytes, which is more than is read of one file")]
    TooLarge(u64),
    /// It is no text in any encoding that is read.
    #[error("no text")]
    NotText,
    /// It is there and cannot be read, with the reason.
    #[error("{0}")]
    Unavailable(String),
}

#[derive(Debug)]
struct Inner {
    objects: Objects,
    folders: Folders,
    old: View,
    new: View,
    /// Other repositories inside of this one that are reviewed with it, by the path of their folder with a `/` at its end.
    mounts: Vec<(String, Sources)>,
}

/// One side.
#[derive(Debug)]
struct View {
    holds: Holds,
    paths: OnceLock<Result<Arc<[String]>, SourceError>>,
}

/// What a side is made of.
#[derive(Debug)]
pub(super) enum Holds {
    /// A tree of a commit; none where there is no commit.
    Tree(Option<Id>),
    /// Entries in the order of their paths.
    Entries(Vec<Entry>),
    /// Texts that came from no repository.
    Memory(BTreeMap<String, Arc<[u8]>>),
}

impl Sources {
    /// The bytes of a file as git stores them, of a link its target. `path` is written as the subject writes it.
    ///
    /// # Errors
    /// [`SourceError`], also for a submodule, which is another repository.
    pub fn read(&self, path: &str, side: Side) -> Result<Vec<u8>, SourceError> {
        let below =
            |(at, sources): &(String, Sources)| path.strip_prefix(at.as_str()).map(|rest| sources.read(rest, side));
        if let Some(found) = self.inner.mounts.iter().find_map(below) {
            return found;
        }
        let bytes = name::to_bytes(path);
        let item = match &self.view(side).holds {
            Holds::Memory(texts) => return texts.get(path).map(|text| text.to_vec()).ok_or(SourceError::NotFound),
            Holds::Entries(entries) => find(entries, &bytes).cloned(),
            Holds::Tree(None) => None,
            Holds::Tree(Some(_)) if !name::is_inside(&bytes) => None,
            Holds::Tree(Some(root)) => {
                self.inner.objects.with(|repository| Ok(self.inner.folders.find(repository, *root, &bytes)?))?
            }
        };
        self.inner.objects.load(&bytes, &item.ok_or(SourceError::NotFound)?)
    }

    /// The text of a file, as the hunks show it: of one in UTF-16, in the encoding of all others.
    ///
    /// # Errors
    /// As [`Sources::read`], and [`SourceError::NotText`].
    pub fn text(&self, path: &str, side: Side) -> Result<String, SourceError> {
        let content = self.read(path, side)?;
        let text = text::of(&content).ok_or(SourceError::NotText)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Every path of a side that can be read, in the order of git. Listed once, then remembered.
    ///
    /// # Errors
    /// [`SourceError::Unavailable`] where a tree is broken, or has more entries than are read.
    pub fn paths(&self, side: Side) -> Result<Arc<[String]>, SourceError> {
        let view = self.view(side);
        view.paths.get_or_init(|| self.list_all(&view.holds, side)).clone()
    }

    /// Sources that come from no repository: of a demonstration, of a test.
    #[must_use]
    pub fn from_memory(old: BTreeMap<String, Vec<u8>>, new: BTreeMap<String, Vec<u8>>) -> Self {
        let shared = |texts: BTreeMap<String, Vec<u8>>| {
            Holds::Memory(texts.into_iter().map(|(path, text)| (path, Arc::from(text))).collect())
        };
        Sources::new(Objects::none(), shared(old), shared(new), Vec::new())
    }

    pub(super) fn new(objects: Objects, old: Holds, new: Holds, mounts: Vec<(String, Sources)>) -> Self {
        let view = |holds| View { holds, paths: OnceLock::new() };
        Sources {
            inner: Arc::new(Inner { objects, folders: Folders::default(), old: view(old), new: view(new), mounts }),
        }
    }

    fn view(&self, side: Side) -> &View {
        match side {
            Side::Old => &self.inner.old,
            Side::New => &self.inner.new,
        }
    }

    fn list_all(&self, holds: &Holds, side: Side) -> Result<Arc<[String]>, SourceError> {
        let own = self.list(holds)?;
        if self.inner.mounts.is_empty() {
            return Ok(own);
        }
        let mut all = own.to_vec();
        for (at, sources) in &self.inner.mounts {
            all.extend(sources.paths(side)?.iter().map(|path| format!("{at}{path}")));
        }
        all.sort();
        Ok(all.into())
    }

    fn list(&self, holds: &Holds) -> Result<Arc<[String]>, SourceError> {
        match holds {
            Holds::Memory(texts) => Ok(texts.keys().cloned().collect()),
            Holds::Entries(entries) => Ok(readable(entries)),
            Holds::Tree(root) => self.inner.objects.with(|repository| {
                let entries = tree::entries(repository, *root);
                entries.map(|entries| readable(&entries)).map_err(SourceError::from)
            }),
        }
    }
}

fn find<'a>(entries: &'a [Entry], path: &[u8]) -> Option<&'a Item> {
    let at = entries.binary_search_by(|entry| entry.path.as_slice().cmp(path)).ok()?;
    entries.get(at).map(|entry| &entry.item)
}

fn readable(entries: &[Entry]) -> Arc<[String]> {
    let files = entries.iter().filter(|entry| entry.item.kind != Kind::Submodule && name::is_inside(&entry.path));
    files.map(|entry| name::to_text(&entry.path)).collect()
}

/// The objects of the repository; none of a demonstration or a test.
pub(super) struct Objects {
    repository: Option<Repository>,
    working: Option<WorkingTree>,
    most_bytes: u64,
}

impl std::fmt::Debug for Objects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let folder = self.repository.as_ref().map(Repository::git_folder);
        f.debug_struct("Objects").field("git_folder", &folder).finish_non_exhaustive()
    }
}

impl Objects {
    pub(super) fn new(repository: Repository, working: Option<WorkingTree>, most_bytes: u64) -> Self {
        Objects { repository: Some(repository), working, most_bytes }
    }

    fn none() -> Self {
        Objects { repository: None, working: None, most_bytes: u64::MAX }
    }

    fn with<T>(&self, look: impl FnOnce(&Repository) -> Result<T, SourceError>) -> Result<T, SourceError> {
        let gone = || SourceError::Unavailable("no repository".to_owned());
        look(self.repository.as_ref().ok_or_else(gone)?)
    }

    fn load(&self, path: &[u8], item: &Item) -> Result<Vec<u8>, SourceError> {
        if item.kind == Kind::Submodule {
            return Err(SourceError::Unavailable("a submodule: another repository".to_owned()));
        }
        match &item.content {
            Content::Read(_, bytes) => Ok(bytes.to_vec()),
            Content::TooLarge(size) => Err(SourceError::TooLarge(*size)),
            Content::Repository { .. } | Content::LeftOut => Err(SourceError::NotFound),
            Content::Unreadable(reason) => Err(SourceError::Unavailable(reason.clone())),
            Content::Object(id) => self.with(|repository| Ok(blob(repository, *id, self.most_bytes)?.to_vec())),
            Content::OnDisk(id, _) => {
                self.with(|repository| Ok(on_disk(repository, self.working.as_ref(), path, *id)?.to_vec()))
            }
        }
    }
}

/// The bytes of a blob. Its size is known from its header, before it is unpacked.
pub(super) fn blob(repository: &Repository, id: Id, most_bytes: u64) -> Result<Arc<[u8]>, SourceError> {
    match repository.objects.read(id, most_bytes) {
        Ok(object) if object.kind == objects::Kind::Blob => Ok(object.content),
        Ok(object) => Err(SourceError::Unavailable(format!("{id} is a {}, not a file", object.kind))),
        Err(GitError::TooLarge { bytes, .. }) => Err(SourceError::TooLarge(bytes)),
        Err(error) => Err(SourceError::Unavailable(error.to_string())),
    }
}

/// The bytes of a file of the working tree, if it still is what was reviewed.
pub(super) fn on_disk(
    repository: &Repository,
    working: Option<&WorkingTree>,
    path: &[u8],
    id: Id,
) -> Result<Arc<[u8]>, SourceError> {
    let bytes = working.and_then(|working| working.read_again(repository, path));
    let same = |bytes: &Vec<u8>| Id::of(repository.format(), "blob", bytes) == id;
    let changed = || SourceError::Unavailable("it changed since the review began".to_owned());
    bytes.filter(same).map(Arc::from).ok_or_else(changed)
}

/// Says why a tree could not be read, where an entry of it was wanted.
impl From<Error> for SourceError {
    fn from(error: Error) -> Self {
        SourceError::Unavailable(error.to_string())
    }
}
