//! Reading the index.

use git2::{Index, IndexEntry, IndexEntryExtendedFlag, IndexEntryFlag, Repository};
use review_loop_core::subject::Kind;

use super::entry::{self, Content, Entry, Item};
use super::error::Error;

/// The index as it stands on the disk.
pub(super) fn open(repository: &Repository) -> Result<Index, Error> {
    let failed = |error: git2::Error| {
        let hint = match error.message() {
            reason if reason.contains("sdir") => "; `git sparse-checkout reapply --no-sparse-index` rewrites it",
            reason if reason.contains("extension") => "; `git update-index --no-split-index` rewrites it",
            _ => "",
        };
        Error::Git { doing: "reading the index".to_owned(), reason: format!("{}{hint}", error.message()) }
    };
    let mut index = repository.index().map_err(failed)?;
    index.read(false).map_err(failed)?;
    Ok(index)
}

/// Everything that `git commit` would store, in the order of the paths.
pub(super) fn entries(repository: &Repository) -> Result<Vec<Entry>, Error> {
    let mut entries: Vec<Entry> = Vec::new();
    for stored in open(repository)?.iter() {
        if entries.last().is_some_and(|last| last.path == stored.path) {
            continue;
        }
        let item = if is_conflicted(&stored) { Some(conflicted(&stored)) } else { item(&stored) };
        entries.extend(item.map(|item| Entry { path: stored.path, item }));
    }
    Ok(entries)
}

/// What an entry stands for; none of an intent to add, which is a path without content yet.
pub(super) fn item(stored: &IndexEntry) -> Option<Item> {
    if is_intent_to_add(stored) {
        return None;
    }
    Some(Item { kind: entry::kind(stored.mode)?, content: Content::Object(stored.id) })
}

fn conflicted(stored: &IndexEntry) -> Item {
    let kind = entry::kind(stored.mode).unwrap_or(Kind::Regular);
    let reason = "an unresolved merge: resolve it and `git add` the file, or review uncommitted work";
    Item { kind, content: Content::Unreadable(reason.to_owned()) }
}

/// Whether git takes the entry from the index without a look at the disk.
pub(super) fn is_skipped(stored: &IndexEntry) -> bool {
    let skip_worktree = stored.flags_extended & IndexEntryExtendedFlag::SKIP_WORKTREE.bits() != 0;
    let assume_unchanged = stored.flags & IndexEntryFlag::VALID.bits() != 0;
    (skip_worktree || assume_unchanged) && is_settled(stored)
}

/// Whether the entry holds content: it is neither one side of a conflict nor an intent to add.
pub(super) fn is_settled(stored: &IndexEntry) -> bool {
    !is_conflicted(stored) && !is_intent_to_add(stored)
}

fn is_conflicted(stored: &IndexEntry) -> bool {
    stored.flags & 0x3000 != 0
}

fn is_intent_to_add(stored: &IndexEntry) -> bool {
    stored.flags_extended & IndexEntryExtendedFlag::INTENT_TO_ADD.bits() != 0
}
