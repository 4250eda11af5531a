//! From a difference between two sides to a file of the subject.

use git2::{ObjectType, Oid, Repository};
use review_loop_core::paths::{self, Rules};
use review_loop_core::subject::{File, Kind, Omitted, Status};

use super::entry::{Content, Delta, Item};
use super::error::{Error, while_doing};
use super::hunks::{self, TextChange};
use super::renames::Contents;
use super::sources::{self, SourceError};
use super::working::WorkingTree;
use super::{Options, name, tree};

/// Reads the texts of a change.
pub(super) struct Reader<'a> {
    pub(super) repository: &'a Repository,
    pub(super) working: Option<&'a WorkingTree>,
    pub(super) options: &'a Options,
    pub(super) rules: &'a Rules,
}

/// What a reader has of one side.
enum Side {
    Text(Vec<u8>),
    Not(Omitted),
}

impl Reader<'_> {
    /// The file as the subject shows it.
    pub(super) fn file(&self, delta: &Delta) -> Result<File, Error> {
        let path = name::to_text(&delta.path);
        let mut file = File {
            old_path: delta.source.as_ref().map(|source| name::to_text(&source.path)),
            status: status(delta),
            old_kind: delta.old.as_ref().map(|item| item.kind),
            new_kind: delta.new.as_ref().map(|item| item.kind),
            binary: false,
            omitted: self.omitted_by_path(&path),
            added: 0,
            removed: 0,
            size: delta.new.as_ref().or(delta.old.as_ref()).and_then(|item| self.size_of(item)).unwrap_or(0),
            hunks: Vec::new(),
            path,
        };
        self.fill(delta, &mut file)?;
        Ok(file)
    }

    fn fill(&self, delta: &Delta, file: &mut File) -> Result<(), Error> {
        let old_path = delta.source.as_ref().map_or(&delta.path, |source| &source.path);
        let (old, new) = match (self.side(old_path, delta.old.as_ref()), self.side(&delta.path, delta.new.as_ref())) {
            (Side::Text(old), Side::Text(new)) => (old, new),
            (Side::Not(why), _) | (_, Side::Not(why)) => {
                file.omitted.get_or_insert(why);
                return Ok(());
            }
        };
        file.binary = hunks::is_binary(&old) || hunks::is_binary(&new);
        if file.binary {
            file.omitted.get_or_insert(Omitted::Binary);
            return Ok(());
        }
        if file.omitted.is_none() && self.says_generated(delta, &old, &new) {
            file.omitted = Some(Omitted::Generated);
        }
        let change = self.change(file, &old, &new)?;
        (file.added, file.removed, file.hunks) = (change.added, change.removed, change.hunks);
        Ok(())
    }

    fn change(&self, file: &File, old: &[u8], new: &[u8]) -> Result<TextChange, Error> {
        let wanted = file.omitted.is_none();
        if file.status == Status::TypeChanged {
            return Ok(hunks::replaced(old, new, wanted));
        }
        hunks::compare(old, new, self.options.context_lines, wanted)
            .map_err(while_doing(format!("comparing {}", file.path)))
    }

    /// A change cannot hide a file by writing the mark into it: of a file that was there, the text before counts.
    fn says_generated(&self, delta: &Delta, old: &[u8], new: &[u8]) -> bool {
        let text = if delta.old.is_some() { old } else { new };
        !self.options.include_generated && paths::generated_header(text)
    }

    fn omitted_by_path(&self, path: &str) -> Option<Omitted> {
        self.rules.omitted(path).filter(|why| match why {
            Omitted::Generated => !self.options.include_generated,
            Omitted::Vendored => !self.options.include_vendored,
            Omitted::LockFile => !self.options.include_lock_files,
            _ => true,
        })
    }

    fn side(&self, path: &[u8], item: Option<&Item>) -> Side {
        let Some(item) = item else { return Side::Text(Vec::new()) };
        match self.load(path, item) {
            Ok(bytes) => Side::Text(bytes),
            Err(SourceError::TooLarge(_)) => Side::Not(Omitted::TooLarge),
            Err(error) => Side::Not(Omitted::Unreadable(error.to_string())),
        }
    }

    fn load(&self, path: &[u8], item: &Item) -> Result<Vec<u8>, SourceError> {
        if let Some(text) = tree::submodule_text(item.kind, item.id()) {
            return Ok(text);
        }
        match &item.content {
            Content::Read(_, bytes) => Ok(bytes.to_vec()),
            Content::Object(id) => sources::blob(self.repository, *id, self.options.max_file_bytes),
            Content::OnDisk(id, _) => sources::on_disk(self.repository, self.working, path, *id),
            Content::TooLarge(size) => Err(SourceError::TooLarge(*size)),
            Content::Unreadable(reason) => Err(SourceError::Unavailable(reason.clone())),
        }
    }

    fn size_of(&self, item: &Item) -> Option<u64> {
        match &item.content {
            _ if item.kind == Kind::Submodule => None,
            Content::Read(_, bytes) => Some(bytes.len() as u64),
            Content::OnDisk(_, size) | Content::TooLarge(size) => Some(*size),
            Content::Object(id) => self.object_size(*id),
            Content::Unreadable(_) => None,
        }
    }

    fn object_size(&self, id: Oid) -> Option<u64> {
        let (size, kind) = self.repository.odb().ok()?.read_header(id).ok()?;
        (kind == ObjectType::Blob).then_some(size as u64)
    }
}

impl Contents for Reader<'_> {
    fn size(&self, _path: &[u8], item: &Item) -> Option<u64> {
        self.size_of(item).filter(|size| *size <= self.options.max_file_bytes)
    }

    fn bytes(&self, path: &[u8], item: &Item) -> Option<Vec<u8>> {
        self.load(path, item).ok()
    }
}

fn status(delta: &Delta) -> Status {
    match (&delta.source, &delta.old, &delta.new) {
        (Some(source), ..) if source.copied => Status::Copied,
        (Some(_), ..) => Status::Renamed,
        (None, None, _) => Status::Added,
        (None, _, None) => Status::Deleted,
        (None, Some(old), Some(new)) if group(old.kind) != group(new.kind) => Status::TypeChanged,
        _ => Status::Modified,
    }
}

/// Regular and executable files are of one type.
fn group(kind: Kind) -> Kind {
    if kind == Kind::Executable { Kind::Regular } else { kind }
}
