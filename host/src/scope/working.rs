//! The working tree as git would store it: what the index holds, with what was changed, added and deleted since.
//!
//! Files are read through an open folder that cannot be left, and a link is never followed. The index records the size and
//! the times of each file, and one that still has them is not read; one that changed about when the index was written
//! is.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::{Metadata, MetadataExt, PermissionsExt};
use review_loop_core::subject::Kind;
use review_loop_git::index::Entry as Stored;
use review_loop_git::objects;
use review_loop_git::repository::IndexFile;
use review_loop_git::{Id, Repository};

use super::entry::{self, Content, Entry, Item};
use super::error::Error;
use super::stored::{Conversion, Conversions};
use super::untracked::{self, Around, Untracked};
use super::{disk::Disk, index, name};

/// Bytes of changed files that are kept in memory; what is beyond is read twice.
const MOST_BYTES_KEPT: usize = 32 << 20;

/// An open working tree.
#[derive(Debug)]
pub(super) struct WorkingTree {
    disk: Disk,
    settings: Settings,
    conversions: Conversions,
    /// Larger files are not read.
    most_bytes: u64,
}

/// The settings that decide how a file of the working tree is stored.
#[derive(Debug)]
struct Settings {
    file_mode: bool,
    symlinks: bool,
}

impl WorkingTree {
    pub(super) fn open(repository: &Repository, root: &Path, most_bytes: u64) -> Result<Self, Error> {
        let disk = Disk::open(root)?;
        let conversions = Conversions::read(repository, &disk)?;
        let is_set = |key: &str| repository.config.boolean(key, true);
        let settings = Settings { file_mode: is_set("core.filemode"), symlinks: is_set("core.symlinks") };
        Ok(WorkingTree { disk, settings, conversions, most_bytes })
    }

    /// Everything that `git add --all` would store, in the order of the paths.
    pub(super) fn entries(&self, repository: &Repository, around: &Around<'_>) -> Result<Vec<Entry>, Error> {
        let IndexFile { index, written } = repository.index()?;
        let mut reader = Reader { tree: self, repository, written, kept: 0, plain_folders: HashSet::new() };
        let mut entries: Vec<Entry> = Vec::with_capacity(index.entries.len());
        let mut last: Option<&[u8]> = None;
        for tracked in &index.entries {
            if last.replace(&tracked.path) == Some(&tracked.path) {
                continue;
            }
            let item = reader.tracked(tracked, around);
            entries.extend(item.map(|item| Entry { path: tracked.path.clone(), item }));
        }
        if !repository.hides_untracked() {
            for found in untracked::find(&self.disk, repository, &index, around)? {
                entries.extend(reader.untracked(found));
            }
        }
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(entries)
    }

    /// The file's bytes as git would store them, once more; the caller compares them with what they were.
    pub(super) fn read_again(&self, repository: &Repository, path: &[u8]) -> Option<Vec<u8>> {
        let index = repository.index().ok()?;
        let at = index.index.entries.partition_point(|entry| entry.path.as_slice() < path);
        let stored = index.index.entries.get(at).filter(|entry| entry.path == path);
        let mut reader = Reader { tree: self, repository, written: None, kept: 0, plain_folders: HashSet::new() };
        match reader.on_disk(path, stored)?.content {
            Content::Read(_, bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

/// Reads files of the working tree, and remembers how much it has kept.
struct Reader<'a> {
    tree: &'a WorkingTree,
    repository: &'a Repository,
    /// When the index was written.
    written: Option<(i64, u32)>,
    kept: usize,
    /// Folders that are known to be no links.
    plain_folders: HashSet<Vec<u8>>,
}

impl Reader<'_> {
    /// What stands at the path of an index entry.
    fn tracked(&mut self, stored: &Stored, around: &Around<'_>) -> Option<Item> {
        let from_index = index::item(stored);
        // Git takes these from the index, whatever is on the disk: a sparse checkout's missing files are not deletions.
        if index::is_skipped(stored) {
            return from_index;
        }
        if entry::kind(stored.mode) == Some(Kind::Submodule) {
            return self.submodule(stored, around).or_else(|| self.on_disk(&stored.path, Some(stored)));
        }
        if index::is_settled(stored) && self.is_unchanged(stored) {
            return from_index;
        }
        self.on_disk(&stored.path, Some(stored))
    }

    fn untracked(&mut self, found: Untracked) -> Option<Entry> {
        let item = match found.what {
            untracked::What::File => self.on_disk(&found.path, None)?,
            untracked::What::Unreadable(why) => Item { kind: Kind::Regular, content: Content::Unreadable(why) },
            untracked::What::LeftOut => Item { kind: Kind::Regular, content: Content::LeftOut },
            untracked::What::Repository(content) => Item { kind: Kind::Submodule, content },
        };
        Some(Entry { path: found.path, item })
    }

    /// Whether the file still is what the index recorded, by its size, its times and its place on the disk. What changed
    /// when the index was written may have changed after it was looked at.
    fn is_unchanged(&mut self, stored: &Stored) -> bool {
        let Some(metadata) =
            name::to_path(&stored.path).and_then(|path| self.tree.disk.folder.symlink_metadata(path).ok())
        else {
            return false;
        };
        let kind = if metadata.is_symlink() { Kind::Symlink } else { self.tree.settings.kind(&metadata, Some(stored)) };
        let is_plain = metadata.is_symlink() || metadata.is_file();
        is_plain
            && entry::kind(stored.mode) == Some(kind)
            && recorded(stored, &metadata)
            && !self.is_racy(stored)
            && !self.is_behind_link(&stored.path)
    }

    /// File systems tell times in steps: of some milliseconds, or where they keep no parts of seconds, of two seconds.
    fn is_racy(&self, stored: &Stored) -> bool {
        const STEP: u32 = 20_000_000;
        let Some((seconds, nanos)) = self.written else { return true };
        let (changed, part) = (i64::from(stored.stat.mtime.0), stored.stat.mtime.1);
        if part == 0 {
            return changed + 2 >= seconds;
        }
        let (later, carry) =
            if part + STEP >= 1_000_000_000 { (part + STEP - 1_000_000_000, 1) } else { (part + STEP, 0) };
        (changed + carry, later) >= (seconds, nanos)
    }

    /// What is checked out there. Where nothing is, the recorded commit; none where there is no folder.
    fn submodule(&self, stored: &Stored, around: &Around<'_>) -> Option<Item> {
        let path = name::to_path(&stored.path)?;
        if !self.tree.disk.folder.symlink_metadata(&path).ok()?.is_dir() {
            return None;
        }
        let content = (around.nested)(&self.tree.disk.root.join(path)).unwrap_or(Content::Object(stored.id));
        Some(Item { kind: Kind::Submodule, content })
    }

    /// What stands at a path of the disk; none where there is nothing that git would store.
    fn on_disk(&mut self, path: &[u8], stored: Option<&Stored>) -> Option<Item> {
        let place = name::to_path(path)?;
        if !name::is_inside(path) || self.is_behind_link(path) {
            return None;
        }
        let metadata = match self.tree.disk.folder.symlink_metadata(&place) {
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

    fn link(&mut self, place: &Path, stored: Option<&Stored>) -> Item {
        match self.tree.disk.folder.read_link_contents(place) {
            Ok(target) => Item { kind: Kind::Symlink, content: self.keep(name::from_path(&target)) },
            Err(error) => unreadable(stored, error.to_string()),
        }
    }

    fn file(&mut self, path: &[u8], place: &Path, metadata: &Metadata, stored: Option<&Stored>) -> Item {
        let kind = self.tree.settings.kind(metadata, stored);
        if metadata.len() > self.tree.most_bytes {
            return Item { kind, content: Content::TooLarge(metadata.len()) };
        }
        let content = match self.bytes(place, metadata) {
            Ok(bytes) => match self.as_stored(path, bytes, stored) {
                Ok(bytes) => self.keep(bytes),
                Err(why) => Content::Unreadable(why),
            },
            Err(error) => Content::Unreadable(error.to_string()),
        };
        Item { kind, content }
    }

    fn bytes(&self, place: &Path, seen: &Metadata) -> io::Result<Vec<u8>> {
        let file = self.tree.disk.file(place)?;
        let opened = file.metadata()?;
        if (opened.dev(), opened.ino()) != (seen.dev(), seen.ino()) {
            return Err(io::Error::other("replaced while it was read; run again"));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(seen.len()).unwrap_or_default().saturating_add(1));
        file.take(self.tree.most_bytes).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn as_stored(&self, path: &[u8], bytes: Vec<u8>, stored: Option<&Stored>) -> Result<Vec<u8>, String> {
        let was_stored = || {
            let object = self.repository.objects.read(stored?.id, self.tree.most_bytes).ok()?;
            (object.kind == objects::Kind::Blob).then_some(object.content)
        };
        match self.tree.conversions.of(path) {
            Conversion::None => Ok(bytes),
            conversion => conversion.apply(bytes, was_stored),
        }
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Content {
        let size = bytes.len();
        let id = Id::of(self.repository.format(), "blob", &bytes);
        self.kept += size;
        if self.kept > MOST_BYTES_KEPT {
            return Content::OnDisk(id, size as u64);
        }
        Content::Read(id, Arc::from(bytes))
    }

    /// Whether a folder on the way is a link: git says of such a path that it is not there.
    fn is_behind_link(&mut self, path: &[u8]) -> bool {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for folder in ends.filter_map(|at| path.get(..at)) {
            if self.plain_folders.contains(folder) {
                continue;
            }
            let metadata = name::to_path(folder).and_then(|place| self.tree.disk.folder.symlink_metadata(place).ok());
            if !metadata.is_some_and(|metadata| metadata.is_dir()) {
                return true;
            }
            self.plain_folders.insert(folder.to_vec());
        }
        false
    }
}

/// Whether a file has the size, the times and the place that the index recorded.
fn recorded(stored: &Stored, now: &Metadata) -> bool {
    let low = |value: u64| u32::try_from(value & u64::from(u32::MAX)).unwrap_or_default();
    let time = |seconds: i64, nanos: i64| (low(seconds.cast_unsigned()), low(nanos.cast_unsigned()));
    // A field without parts of seconds was written by a git that keeps none.
    let same = |recorded: (u32, u32), now: (u32, u32)| recorded.0 == now.0 && (recorded.1 == now.1 || recorded.1 == 0);
    let stat = &stored.stat;
    stat.size == low(now.size())
        && same(stat.mtime, time(now.mtime(), now.mtime_nsec()))
        && same(stat.ctime, time(now.ctime(), now.ctime_nsec()))
        && stat.ino == low(now.ino())
        && (stat.uid, stat.gid) == (now.uid(), now.gid())
}

impl Settings {
    fn kind(&self, metadata: &Metadata, stored: Option<&Stored>) -> Kind {
        let recorded = stored.and_then(|stored| entry::kind(stored.mode));
        match recorded {
            Some(Kind::Symlink) if !self.symlinks => Kind::Symlink,
            Some(kind @ (Kind::Regular | Kind::Executable)) if !self.file_mode => kind,
            _ if self.file_mode && metadata.permissions().mode() & 0o100 != 0 => Kind::Executable,
            _ => Kind::Regular,
        }
    }
}

fn unreadable(stored: Option<&Stored>, reason: String) -> Item {
    let kind = stored.and_then(|stored| entry::kind(stored.mode)).unwrap_or(Kind::Regular);
    Item { kind, content: Content::Unreadable(reason) }
}
