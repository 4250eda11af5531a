//! What one side of a change holds: entries in the order of their paths, and where two sides differ.

use std::cmp::Ordering;
use std::sync::Arc;

use review_loop_core::subject::Kind;
use review_loop_git::Id;

/// Something at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: Vec<u8>,
    pub(super) item: Item,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) content: Content,
}

/// Where the bytes of an item are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// In the object database. Of a submodule: the commit, which is not here.
    Object(Id),
    /// Read from the working tree, as git would store it.
    Read(Id, Arc<[u8]>),
    /// In the working tree, and read once more when it is wanted: what is kept in memory has a bound.
    OnDisk(Id, u64),
    /// In the working tree, too large to be read. Bytes.
    TooLarge(u64),
    /// Another repository inside of this one: the commit that is checked out there, and whether there is uncommitted work.
    Repository { commit: Option<Id>, dirty: bool },
    /// A folder that a rule leaves out with all that is in it, and that was not looked into.
    LeftOut,
    /// Not readable, with the reason.
    Unreadable(String),
}

impl Item {
    /// The name of the content, where it is known.
    pub(super) fn id(&self) -> Option<Id> {
        match self.content {
            Content::Object(id) | Content::Read(id, _) | Content::OnDisk(id, _) => Some(id),
            Content::Repository { commit, dirty } => commit.filter(|_| !dirty),
            Content::TooLarge(_) | Content::LeftOut | Content::Unreadable(_) => None,
        }
    }

    /// The commit that a submodule's entry stands for.
    pub(super) fn commit(&self) -> Option<Id> {
        match self.content {
            _ if self.kind != Kind::Submodule => None,
            Content::Object(id) => Some(id),
            Content::Repository { commit, .. } => commit,
            _ => None,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.id().is_some() && self.id() == other.id()
    }
}

/// A path where two sides differ.
#[derive(Debug, Clone)]
pub(super) struct Delta {
    /// The path after; of a deleted file, before.
    pub(super) path: Vec<u8>,
    pub(super) old: Option<Item>,
    pub(super) new: Option<Item>,
    /// The path that the old side was taken from, where it is another.
    pub(super) source: Option<Source>,
}

/// Where a renamed or copied file came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) path: Vec<u8>,
    /// The path it came from is still there, or went to another file as well.
    pub(super) copied: bool,
}

impl Delta {
    /// A change of what stands at one path.
    pub(super) fn at(path: Vec<u8>, old: Option<Item>, new: Option<Item>) -> Self {
        Delta { path, old, new, source: None }
    }
}

/// Where two sides differ, in the order of the paths.
pub(super) fn compare<'a>(old: impl Iterator<Item = &'a Entry>, new: impl Iterator<Item = &'a Entry>) -> Vec<Delta> {
    let mut deltas = Vec::new();
    let (mut olds, mut news) = (old.peekable(), new.peekable());
    loop {
        let order = match (olds.peek(), news.peek()) {
            (None, None) => return deltas,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.path.cmp(&new.path),
        };
        let before = if order.is_le() { olds.next() } else { None };
        let after = if order.is_ge() { news.next() } else { None };
        push_difference(&mut deltas, before, after);
    }
}

fn push_difference(deltas: &mut Vec<Delta>, old: Option<&Entry>, new: Option<&Entry>) {
    let same = matches!((old, new), (Some(old), Some(new)) if old.item.is_same(&new.item));
    if let (false, Some(either)) = (same, new.or(old)) {
        deltas.push(Delta::at(either.path.clone(), old.map(|it| it.item.clone()), new.map(|it| it.item.clone())));
    }
}

/// The kind that a mode of git's stands for; none for a tree.
pub(super) fn kind(mode: u32) -> Option<Kind> {
    match mode & 0o170_000 {
        0o040_000 => None,
        0o120_000 => Some(Kind::Symlink),
        0o160_000 => Some(Kind::Submodule),
        _ if mode & 0o100 != 0 => Some(Kind::Executable),
        _ => Some(Kind::Regular),
    }
}
