//! From a difference between two sides to a file of the subject.

use std::sync::Arc;

use review_loop_core::paths::{self, Rules};
use review_loop_core::subject::{File, Kind, Omitted, Status};
use review_loop_git::objects;
use review_loop_git::{Id, Repository};

use super::entry::{Content, Delta, Item};
use super::hunks::{self, TextChange};
use super::renames::Contents;
use super::sources::{self, SourceError};
use super::working::WorkingTree;
use super::{Options, name, revision, text, tree};

/// Reads the texts of a change.
pub(super) struct Reader<'a> {
    pub(super) repository: &'a Repository,
    pub(super) working: Option<&'a WorkingTree>,
    pub(super) options: &'a Options,
    pub(super) rules: &'a Rules,
}

/// What a reader has of one side.
enum Side {
    Text(Arc<[u8]>),
    Not(Omitted),
}

impl Reader<'_> {
    /// The file as the subject shows it.
    pub(super) fn file(&self, delta: &Delta) -> File {
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
        self.fill(delta, &mut file);
        file
    }

    fn fill(&self, delta: &Delta, file: &mut File) {
        let old_path = delta.source.as_ref().map_or(&delta.path, |source| &source.path);
        let (old, new) = match (self.side(old_path, delta.old.as_ref()), self.side(&delta.path, delta.new.as_ref())) {
            (Side::Text(old), Side::Text(new)) => (old, new),
            (Side::Not(why), _) | (_, Side::Not(why)) => {
                file.omitted.get_or_insert(why);
                return;
            }
        };
        let (Some(old), Some(new)) = (text::of(&old), text::of(&new)) else {
            file.binary = true;
            file.omitted.get_or_insert_with(|| binary(&file.path));
            return;
        };
        if file.omitted.is_none() && self.says_generated(delta, &old, &new) {
            file.omitted = Some(Omitted::Generated);
        }
        let change = match self.change(file, &old, &new) {
            Ok(change) => change,
            Err(error) => {
                let why = format!("its lines could not be compared: {error}");
                file.omitted.get_or_insert(Omitted::Unreadable(why));
                return;
            }
        };
        (file.added, file.removed, file.hunks) = (change.added, change.removed, change.hunks);
        if let Some(why) = not_entered(delta) {
            file.omitted.get_or_insert(Omitted::OtherRepository(why));
        }
    }

    fn change(&self, file: &File, old: &[u8], new: &[u8]) -> Result<TextChange, String> {
        let wanted = file.omitted.is_none();
        if file.status == Status::TypeChanged {
            return Ok(hunks::replaced(old, new, wanted));
        }
        hunks::compare(old, new, self.options.context_lines, wanted)
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
        let Some(item) = item else { return Side::Text(Arc::default()) };
        match self.load(path, item) {
            _ if item.content == Content::LeftOut => Side::Not(Omitted::Vendored),
            Ok(bytes) => Side::Text(bytes),
            Err(SourceError::TooLarge(_)) => Side::Not(Omitted::TooLarge),
            Err(error) => Side::Not(Omitted::Unreadable(error.to_string())),
        }
    }

    fn load(&self, path: &[u8], item: &Item) -> Result<Arc<[u8]>, SourceError> {
        if item.kind == Kind::Submodule {
            return Ok(tree::submodule_text(item.commit()).into());
        }
        match &item.content {
            Content::Read(_, bytes) => Ok(Arc::clone(bytes)),
            Content::Object(id) => sources::blob(self.repository, *id, self.options.max_file_bytes),
            Content::OnDisk(id, _) => sources::on_disk(self.repository, self.working, path, *id),
            Content::TooLarge(size) => Err(SourceError::TooLarge(*size)),
            Content::Repository { .. } | Content::LeftOut => Err(SourceError::NotFound),
            Content::Unreadable(reason) => Err(SourceError::Unavailable(reason.clone())),
        }
    }

    fn size_of(&self, item: &Item) -> Option<u64> {
        match &item.content {
            _ if item.kind == Kind::Submodule => None,
            Content::Read(_, bytes) => Some(bytes.len() as u64),
            Content::OnDisk(_, size) | Content::TooLarge(size) => Some(*size),
            Content::Object(id) => self.object_size(*id),
            Content::Repository { .. } | Content::LeftOut | Content::Unreadable(_) => None,
        }
    }

    fn object_size(&self, id: Id) -> Option<u64> {
        let header = self.repository.objects.header(id).ok()??;
        (header.kind == objects::Kind::Blob).then_some(header.size)
    }
}

impl Contents for Reader<'_> {
    fn size(&self, _path: &[u8], item: &Item) -> Option<u64> {
        self.size_of(item).filter(|size| *size <= self.options.max_file_bytes)
    }

    fn bytes(&self, path: &[u8], item: &Item) -> Option<Arc<[u8]>> {
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

/// A binary file under the name of a program may be one: somebody has to look.
fn binary(path: &str) -> Omitted {
    match paths::is_source(path) {
        true => Omitted::Unreadable("it is no text, under the name of source code".to_owned()),
        false => Omitted::Binary,
    }
}

/// What was not looked at in another repository inside of this one, and how to have it looked at.
fn not_entered(delta: &Delta) -> Option<String> {
    let new = delta.new.as_ref().filter(|new| new.kind == Kind::Submodule)?;
    let short = |commit: Option<Id>| commit.map_or_else(|| "no commit".to_owned(), revision::short);
    let before = delta.old.as_ref().and_then(Item::commit);
    let what = match (&new.content, before) {
        (Content::Repository { dirty: true, .. }, Some(before)) if Some(before) == new.commit() => {
            format!("a submodule at {} with uncommitted changes", short(new.commit()))
        }
        (Content::Repository { dirty: true, .. }, Some(before)) => {
            format!(
                "a submodule that moved from {} to {}, with uncommitted changes",
                short(Some(before)),
                short(new.commit())
            )
        }
        (_, Some(before)) => format!("a submodule that moved from {} to {}", short(Some(before)), short(new.commit())),
        (_, None) => format!("another repository, at {}", short(new.commit())),
    };
    Some(format!("{what}; `--submodules` looks into it"))
}

/// Regular and executable files are of one type.
fn group(kind: Kind) -> Kind {
    if kind == Kind::Executable { Kind::Regular } else { kind }
}
