//! What the index holds, as one side of a change.

use review_loop_core::subject::Kind;
use review_loop_git::Repository;
use review_loop_git::index::Entry as Stored;

use super::entry::{self, Content, Entry, Item};
use super::error::Error;

/// Everything that `git commit` would store, in the order of the paths.
pub(super) fn entries(repository: &Repository) -> Result<Vec<Entry>, Error> {
    let mut entries: Vec<Entry> = Vec::new();
    for stored in repository.index()?.index.entries {
        if entries.last().is_some_and(|last| last.path == stored.path) {
            continue;
        }
        let item = if stored.stage > 0 { Some(conflicted(&stored)) } else { item(&stored) };
        entries.extend(item.map(|item| Entry { path: stored.path, item }));
    }
    Ok(entries)
}

/// What an entry stands for; none of an intent to add, which is a path without content yet.
pub(super) fn item(stored: &Stored) -> Option<Item> {
    if stored.intent_to_add {
        return None;
    }
    Some(Item { kind: entry::kind(stored.mode)?, content: Content::Object(stored.id) })
}

fn conflicted(stored: &Stored) -> Item {
    let kind = entry::kind(stored.mode).unwrap_or(Kind::Regular);
    let reason = "an unresolved merge: resolve it and `git add` the file, or review uncommitted work";
    Item { kind, content: Content::Unreadable(reason.to_owned()) }
}

/// Whether git takes the entry from the index without a look at the disk.
pub(super) fn is_skipped(stored: &Stored) -> bool {
    (stored.skip_worktree || stored.assume_valid) && is_settled(stored)
}

/// Whether the entry holds content: it is neither one side of a conflict nor an intent to add.
pub(super) fn is_settled(stored: &Stored) -> bool {
    stored.stage == 0 && !stored.intent_to_add
}
