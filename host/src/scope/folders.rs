//! Folders of a commit, each read once: a lens asks for file after file, and a folder may hold thousands.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use review_loop_git::{Id, Repository, tree};

use super::entry::{self, Content, Item};
use super::error::Error;

/// What stands at each name of a folder: its mode, and the object.
type Names = HashMap<Vec<u8>, (u32, Id)>;

/// The folders that were read, by their trees.
#[derive(Debug, Default)]
pub(super) struct Folders(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    folders: HashMap<Id, Arc<Names>>,
    names: usize,
}

/// Names that are remembered; what is beyond makes room for itself.
const MOST_NAMES: usize = 500_000;

impl Folders {
    /// What stands at a path of a tree; none for a folder, too.
    pub(super) fn find(&self, repository: &Repository, root: Id, path: &[u8]) -> Result<Option<Item>, Error> {
        let mut parts = path.split(|&byte| byte == b'/').peekable();
        let mut at = root;
        while let Some(part) = parts.next() {
            let folder = self.folder(repository, at)?;
            let Some(&(mode, id)) = folder.get(part) else { return Ok(None) };
            match (entry::kind(mode), parts.peek()) {
                (None, Some(_)) => at = id,
                (Some(kind), None) => return Ok(Some(Item { kind, content: Content::Object(id) })),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    fn folder(&self, repository: &Repository, id: Id) -> Result<Arc<Names>, Error> {
        if let Some(known) = self.known().folders.get(&id) {
            return Ok(Arc::clone(known));
        }
        let entries = tree::entries(&repository.objects, id)?;
        // Of a name that a broken tree has twice, the last counts, as where trees are compared.
        let names: Names = entries.into_iter().map(|entry| (entry.name, (entry.mode, entry.id))).collect();
        let names = Arc::new(names);
        let mut known = self.known();
        known.names += names.len();
        if known.names > MOST_NAMES {
            *known = Known { folders: HashMap::new(), names: names.len() };
        }
        known.folders.insert(id, Arc::clone(&names));
        Ok(names)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
