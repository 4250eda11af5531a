//! Objects that deltas were applied to: their neighbours in the pack are likely to need them again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::Object;

/// Bytes that are kept in each of the two halves.
const HALF: usize = 16 << 20;

/// The last bases, by pack and place. What was not used while one half filled up is forgotten.
#[derive(Debug, Default)]
pub(super) struct Bases(Mutex<Halves>);

#[derive(Debug, Default)]
struct Halves {
    recent: HashMap<(usize, u64), Object>,
    older: HashMap<(usize, u64), Object>,
    bytes: usize,
}

impl Bases {
    pub(super) fn get(&self, pack: usize, at: u64) -> Option<Object> {
        let mut halves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = halves.recent.get(&(pack, at)) {
            return Some(found.clone());
        }
        let found = halves.older.remove(&(pack, at))?;
        halves.keep((pack, at), found.clone());
        Some(found)
    }

    pub(super) fn put(&self, pack: usize, at: u64, object: &Object) {
        if object.content.len() <= HALF / 4 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).keep((pack, at), object.clone());
        }
    }
}

impl Halves {
    fn keep(&mut self, key: (usize, u64), object: Object) {
        self.bytes += object.content.len();
        self.recent.insert(key, object);
        if self.bytes > HALF {
            self.older = std::mem::take(&mut self.recent);
            self.bytes = 0;
        }
    }
}
