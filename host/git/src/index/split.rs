//! An index in two files: a large shared one, and what changed since (`gitformat-index`, "Split index").

use std::collections::HashMap;

use super::ewah::Bitmap;
use super::{Entry, Index, sorted};
use crate::cursor::Cursor;
use crate::error::Malformed;
use crate::id::{Format, Id};

impl Index {
    /// The whole index: this one's own entries over those of the shared one.
    ///
    /// `shared` is what [`parse`](super::parse) makes of the file that [`Shared::id`] names. An index that is not split is
    /// whole already and stays as it is.
    ///
    /// # Errors
    ///
    /// The other index is another one than this one is based on, or is split itself, or has fewer entries than this one
    /// replaces or deletes.
    pub fn merge(mut self, shared: Index) -> Result<Index, Malformed> {
        let Some(link) = self.shared.take() else { return Ok(self) };
        let is_sparse = self.is_sparse || shared.is_sparse;
        let below = link.below(shared)?;
        let own = self.entries;
        // Git clears away the stages of a conflict when it adds the path's resolution, whatever the bitmaps say.
        let is_covered = |old: &Entry| own.binary_search_by(|new| new.key().cmp(&(&old.path, 0))).is_ok();
        let below: Vec<_> = below.into_iter().filter(|old| !is_covered(old)).collect();
        let (_, entries) = sorted(own.into_iter().chain(below).collect())?;
        Ok(Index { entries, is_sparse, ..Index::default() })
    }
}

/// The `link` extension: which index the entries of a split one go over, and what becomes of those there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The checksum of the shared index, which is in the file `sharedindex.<hex>` in the same folder.
    pub id: Id,
    deleted: Bitmap,
    replaced: Bitmap,
    /// What stands in the shared index's entries of `replaced`, in that order; their paths are only there.
    replacements: Vec<Entry>,
}

impl Shared {
    /// Reads the extension; none where it names no shared index, as in a temporary copy that git made whole.
    pub(super) fn read(bytes: &[u8], format: Format) -> Result<Option<Self>, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let id = cursor.id(format)?;
        // An extension of only a name is one that deletes and replaces nothing.
        let [deleted, replaced] = match cursor.is_empty() {
            true => Default::default(),
            false => [Bitmap::read(&mut cursor)?, Bitmap::read(&mut cursor)?],
        };
        if !cursor.is_empty() {
            return Err(Malformed::new("has more than two bitmaps in its extension link"));
        }
        Ok(Some(Shared { id, deleted, replaced, replacements: Vec::new() }).filter(|link| !link.id.is_zero()))
    }

    /// Takes the entries without a path, which come first in the file, out of these.
    pub(super) fn claim(&mut self, entries: &mut Vec<Entry>) {
        let count = entries.iter().take_while(|entry| entry.path.is_empty()).count();
        let own = entries.split_off(count);
        self.replacements = std::mem::replace(entries, own);
    }

    /// The entries of the shared index that are left, with the replaced ones replaced.
    fn below(self, shared: Index) -> Result<Vec<Entry>, Malformed> {
        let origin = shared.origin.filter(|origin| origin.checksum == self.id && shared.shared.is_none());
        let origin = origin.ok_or_else(|| Malformed::new(format!("is not based on this index, but on {}", self.id)))?;
        let deleted = self.deleted.numbers(origin.count)?;
        let mut replaced = pair(self.replaced.numbers(origin.count)?, self.replacements)?;
        let placed = origin.places.into_iter().zip(shared.entries);
        let left = placed.filter(|(place, _)| deleted.binary_search(place).is_err());
        Ok(left.map(|(place, old)| renewed(old, replaced.remove(&place))).collect())
    }
}

/// Which entry comes to which place.
fn pair(places: Vec<u32>, entries: Vec<Entry>) -> Result<HashMap<u32, Entry>, Malformed> {
    if places.len() != entries.len() {
        let (places, entries) = (places.len(), entries.len());
        return Err(Malformed::new(format!("replaces {places} entries of the shared index by {entries}")));
    }
    Ok(places.into_iter().zip(entries).collect())
}

fn renewed(old: Entry, new: Option<Entry>) -> Entry {
    match new {
        Some(new) => Entry { path: old.path, ..new },
        None => old,
    }
}
