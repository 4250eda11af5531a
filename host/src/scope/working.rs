//! The working tree as git would store it: what the index holds, with what was changed, added and deleted since.
//!
//! libgit2 says which paths differ from the index, by the index's own record of sizes and times. The files are read here,
//! through an open folder that cannot be left, and a link is never followed: libgit2 itself reads through links where the
//! repository sets `core.symlinks=false`.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, MetadataExt, PermissionsExt};
use git2::{AttrCheckFlags, AttrValue, Delta, DiffOptions, Index, IndexEntry, ObjectType, Oid, Repository};
use review_loop_core::subject::Kind;

use super::entry::{self, Content, Entry, Item};
use super::error::{Error, while_doing};
use super::newlines::{self, Attributes, LineEnds};
use super::{index, name, open};

/// Bytes of changed files that are kept in memory; what is beyond is read twice.
const MOST_BYTES_KEPT: usize = 32 << 20;

/// An open working tree.
#[derive(Debug)]
pub(super) struct WorkingTree {
    folder: Dir,
    root: PathBuf,
    settings: Settings,
    /// Larger files are not read.
    most_bytes: u64,
}

/// The settings that decide how a file of the working tree is stored.
#[derive(Debug)]
struct Settings {
    file_mode: bool,
    symlinks: bool,
    autocrlf: bool,
}

impl WorkingTree {
    pub(super) fn open(repository: &Repository, root: &Path, most_bytes: u64) -> Result<Self, Error> {
        let failed = |source| Error::Io { place: root.to_owned(), source };
        let folder = Dir::open_ambient_dir(root, ambient_authority()).map_err(failed)?;
        let settings = Settings::of(repository)?;
        Ok(WorkingTree { folder, root: root.to_owned(), settings, most_bytes })
    }

    /// Everything that `git add --all` would store, in the order of the paths.
    pub(super) fn entries(&self, repository: &Repository) -> Result<Vec<Entry>, Error> {
        let index = index::open(repository)?;
        self.refuse_blocking_rules(&index)?;
        let mut changes = changed_paths(repository, &index)?;
        let mut reader = Reader { tree: self, repository, kept: 0, plain_folders: HashSet::new() };
        let mut entries: Vec<Entry> = Vec::with_capacity(index.len() + changes.len());
        for tracked in index.iter() {
            let change = changes.remove(&tracked.path);
            if entries.last().is_some_and(|last| last.path == tracked.path) {
                continue;
            }
            let item = reader.tracked(&tracked, change)?;
            entries.extend(item.map(|item| Entry { path: tracked.path, item }));
        }
        for (path, change) in changes {
            if change == Change::Untracked && !is_below_submodule(&path, &entries) {
                let item = reader.on_disk(&path, None);
                entries.extend(item.map(|item| Entry { path, item }));
            }
        }
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(entries)
    }

    /// The file's bytes as git would store them, once more; the caller compares them with what they were.
    pub(super) fn read_again(&self, repository: &Repository, path: &[u8]) -> Option<Vec<u8>> {
        let mut reader = Reader { tree: self, repository, kept: 0, plain_folders: HashSet::new() };
        let stored = index::open(repository).ok().and_then(|index| index.get_path(&name::to_path(path)?, 0));
        match reader.on_disk(path, stored.as_ref())?.content {
            Content::Read(_, bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }

    /// libgit2 follows a `.gitignore` or `.gitattributes` that is a link, and hangs if it leads to a pipe.
    fn refuse_blocking_rules(&self, index: &Index) -> Result<(), Error> {
        let tracked = index.iter().map(|entry| entry.path).filter(|path| is_rule_file(path));
        let at_root = [b".gitignore".to_vec(), b".gitattributes".to_vec()];
        let mut places = tracked.chain(at_root).filter_map(|path| name::to_path(&path));
        places.try_for_each(|path| open::refuse_blocking(&self.root.join(path)))
    }
}

impl Settings {
    fn of(repository: &Repository) -> Result<Self, Error> {
        let config = repository.config().and_then(|mut config| config.snapshot());
        let config = config.map_err(while_doing("reading its configuration"))?;
        let is_set = |key: &str, default| config.get_bool(key).unwrap_or(default);
        let autocrlf = is_set("core.autocrlf", false)
            || config.get_bytes("core.autocrlf").is_ok_and(|value| value.eq_ignore_ascii_case(b"input"));
        Ok(Settings { file_mode: is_set("core.filemode", true), symlinks: is_set("core.symlinks", true), autocrlf })
    }
}

/// What libgit2 says of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Differs,
    Deleted,
    Untracked,
}

fn changed_paths(repository: &Repository, index: &Index) -> Result<BTreeMap<Vec<u8>, Change>, Error> {
    let mut options = DiffOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).include_unreadable(true).include_typechange(true);
    options.ignore_submodules(true).skip_binary_check(true);
    let diff = repository
        .diff_index_to_workdir(Some(index), Some(&mut options))
        .map_err(while_doing("comparing the working tree with the index"))?;
    let changes = diff.deltas().filter_map(|delta| {
        let path = delta.new_file().path_bytes().or_else(|| delta.old_file().path_bytes())?;
        let change = match delta.status() {
            Delta::Deleted => Change::Deleted,
            // A path that ends in `/` is another repository, and none of this one's business.
            Delta::Untracked if path.ends_with(b"/") => return None,
            Delta::Untracked => Change::Untracked,
            _ => Change::Differs,
        };
        Some((path.to_vec(), change))
    });
    Ok(changes.collect())
}

fn is_rule_file(path: &[u8]) -> bool {
    let file = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    [&b".gitignore"[..], b".gitattributes"].contains(&file)
}

/// A submodule that is not checked out is a plain folder; what lies in it is the other repository's.
fn is_below_submodule(path: &[u8], entries: &[Entry]) -> bool {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    ends.filter_map(|at| path.get(..at)).any(|folder| {
        let found = entries.binary_search_by(|entry| entry.path.as_slice().cmp(folder));
        found.is_ok_and(|at| entries.get(at).is_some_and(|entry| entry.item.kind == Kind::Submodule))
    })
}

/// Reads files of the working tree, and remembers how much it has kept.
struct Reader<'a> {
    tree: &'a WorkingTree,
    repository: &'a Repository,
    kept: usize,
    /// Folders that are known to be no links.
    plain_folders: HashSet<Vec<u8>>,
}

impl Reader<'_> {
    /// What stands at the path of an index entry.
    fn tracked(&mut self, stored: &IndexEntry, change: Option<Change>) -> Result<Option<Item>, Error> {
        let from_index = index::item(stored);
        // Git takes these from the index, whatever is on the disk: a sparse checkout's missing files are not deletions.
        if index::is_skipped(stored) {
            return Ok(from_index);
        }
        if entry::kind(stored.mode) == Some(Kind::Submodule) {
            return Ok(self.submodule(stored).or_else(|| self.on_disk(&stored.path, Some(stored))));
        }
        match change {
            None if index::is_settled(stored) => Ok(from_index),
            Some(Change::Deleted) => Ok(None),
            _ => Ok(self.on_disk(&stored.path, Some(stored))),
        }
    }

    /// The commit that is checked out there, or the recorded one where none is. None where there is no folder.
    fn submodule(&self, stored: &IndexEntry) -> Option<Item> {
        let path = name::to_path(&stored.path)?;
        if !self.tree.folder.symlink_metadata(&path).ok()?.is_dir() {
            return None;
        }
        let commit = open::submodule_head(&self.tree.root.join(path)).unwrap_or(stored.id);
        Some(Item { kind: Kind::Submodule, content: Content::Object(commit) })
    }

    /// What stands at a path of the disk; none where there is nothing that git would store.
    fn on_disk(&mut self, path: &[u8], stored: Option<&IndexEntry>) -> Option<Item> {
        let place = name::to_path(path)?;
        if !name::is_inside(path) || self.is_behind_link(path) {
            return None;
        }
        let metadata = match self.tree.folder.symlink_metadata(&place) {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return None;
            }
            Err(error) => return Some(unreadable(stored, error.to_string())),
        };
        if metadata.is_dir() {
            return None;
        }
        if metadata.is_symlink() {
            return Some(self.link(&place, stored));
        }
        if !metadata.is_file() {
            return stored.map(|stored| unreadable(Some(stored), "not a regular file any more".to_owned()));
        }
        Some(self.file(path, &place, &metadata, stored))
    }

    fn link(&mut self, place: &Path, stored: Option<&IndexEntry>) -> Item {
        match self.tree.folder.read_link_contents(place) {
            Ok(target) => Item { kind: Kind::Symlink, content: self.keep(name::from_path(&target)) },
            Err(error) => unreadable(stored, error.to_string()),
        }
    }

    fn file(&mut self, path: &[u8], place: &Path, metadata: &Metadata, stored: Option<&IndexEntry>) -> Item {
        let kind = self.tree.settings.kind(metadata, stored);
        if metadata.len() > self.tree.most_bytes {
            return Item { kind, content: Content::TooLarge(metadata.len()) };
        }
        let content = match self.bytes(place, metadata) {
            Ok(bytes) => self.keep(self.as_stored(path, bytes, stored)),
            Err(error) => Content::Unreadable(error.to_string()),
        };
        Item { kind, content }
    }

    fn bytes(&self, place: &Path, seen: &Metadata) -> io::Result<Vec<u8>> {
        let file = self.tree.folder.open(place)?;
        let opened = file.metadata()?;
        if (opened.dev(), opened.ino()) != (seen.dev(), seen.ino()) {
            return Err(io::Error::other("replaced while it was read; run again"));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(seen.len()).unwrap_or_default().saturating_add(1));
        file.take(self.tree.most_bytes).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn as_stored(&self, path: &[u8], bytes: Vec<u8>, stored: Option<&IndexEntry>) -> Vec<u8> {
        if !newlines::has_crlf(&bytes) {
            return bytes;
        }
        let ends = self.line_ends(path);
        newlines::stored(bytes, ends, || stored.is_some_and(|stored| self.is_stored_with_crlf(stored.id)))
    }

    fn line_ends(&self, path: &[u8]) -> LineEnds {
        let Some(path) = name::to_path(path) else { return LineEnds::Kept };
        let value = |name: &str| {
            let found = self.repository.get_attr_bytes(&path, name, AttrCheckFlags::FILE_THEN_INDEX);
            match AttrValue::from_bytes(found.ok().flatten()) {
                AttrValue::True => Some(&b"true"[..]),
                AttrValue::False => Some(&b"false"[..]),
                AttrValue::Bytes(bytes) => Some(bytes),
                AttrValue::String(text) => Some(text.as_bytes()),
                AttrValue::Unspecified => None,
            }
        };
        let attributes = Attributes { text: value("text"), crlf: value("crlf"), eol: value("eol") };
        LineEnds::of(attributes, self.tree.settings.autocrlf)
    }

    fn is_stored_with_crlf(&self, id: Oid) -> bool {
        self.repository.find_blob(id).is_ok_and(|blob| newlines::is_crlf_text(blob.content()))
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Content {
        let size = bytes.len();
        let id = match Oid::hash_object(ObjectType::Blob, &bytes) {
            Ok(id) => id,
            Err(error) => return Content::Unreadable(error.message().to_owned()),
        };
        self.kept += size;
        if self.kept > MOST_BYTES_KEPT {
            return Content::OnDisk(id, size as u64);
        }
        Content::Read(id, Arc::from(bytes))
    }

    /// Whether a folder on the way is a link: git says of such a path that it is not there.
    fn is_behind_link(&mut self, path: &[u8]) -> bool {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let folders: Vec<&[u8]> = ends.filter_map(|at| path.get(..at)).collect();
        for folder in folders {
            if self.plain_folders.contains(folder) {
                continue;
            }
            let metadata = name::to_path(folder).and_then(|place| self.tree.folder.symlink_metadata(place).ok());
            if !metadata.is_some_and(|metadata| metadata.is_dir()) {
                return true;
            }
            self.plain_folders.insert(folder.to_vec());
        }
        false
    }
}

impl Settings {
    fn kind(&self, metadata: &Metadata, stored: Option<&IndexEntry>) -> Kind {
        let recorded = stored.and_then(|stored| entry::kind(stored.mode));
        match recorded {
            Some(Kind::Symlink) if !self.symlinks => Kind::Symlink,
            Some(kind @ (Kind::Regular | Kind::Executable)) if !self.file_mode => kind,
            _ if self.file_mode && metadata.permissions().mode() & 0o100 != 0 => Kind::Executable,
            _ => Kind::Regular,
        }
    }
}

fn unreadable(stored: Option<&IndexEntry>, reason: String) -> Item {
    let kind = stored.and_then(|stored| entry::kind(stored.mode)).unwrap_or(Kind::Regular);
    Item { kind, content: Content::Unreadable(reason) }
}
