//! The object database: loose objects and packs, in the repository's own folder and in those that it borrows from.
//!
//! An object's kind and size are known before its content is unpacked, and what is larger than the caller reads is never
//! unpacked: a few kilobytes can stand for gigabytes.

mod cache;
mod delta;
mod inflate;
mod loose;
mod pack;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::Error;
use crate::files::Folder;
use crate::id::{Format, Id};

use self::cache::Bases;
use self::pack::Pack;

/// All objects of a repository. Any number of threads may read at once.
#[derive(Debug)]
pub struct Database {
    format: Format,
    places: Vec<Place>,
    bases: Bases,
    /// Why an object may be missing, where the repository says so.
    hint: Option<String>,
    /// Objects that were searched for in vain, each of which made the packs be listed again.
    listings: AtomicUsize,
}

/// One folder of objects.
#[derive(Debug)]
struct Place {
    folder: Folder,
    packs: RwLock<Vec<Arc<Pack>>>,
}

/// What kind of object it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "git's four kinds")]
pub enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// What is known of an object before it is unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What it is.
    pub kind: Kind,
    /// Bytes, unpacked.
    pub size: u64,
}

/// An object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// Its content.
    pub content: Arc<[u8]>,
}

/// Packs that are opened of one folder; git itself warns long before.
const MOST_PACKS: usize = 10_000;
/// How often packs are listed again because an object was not found: somebody may be packing right now.
const MOST_LISTINGS: usize = 8;

impl Database {
    /// The objects of these folders, the repository's own first.
    ///
    /// # Errors
    /// A folder has more packs than are opened.
    pub fn open(format: Format, folders: Vec<Folder>) -> Result<Self, Error> {
        let place = |folder: Folder| {
            let packs = pack::list(&folder, format, MOST_PACKS)?;
            Ok(Place { folder, packs: RwLock::new(packs) })
        };
        let places = folders.into_iter().map(place).collect::<Result<_, Error>>()?;
        Ok(Database { format, places, bases: Bases::default(), hint: None, listings: AtomicUsize::new(0) })
    }

    /// Says, with every missing object, why it may be missing here and how to get it.
    #[must_use]
    pub fn with_hint(self, hint: Option<String>) -> Self {
        Database { hint, ..self }
    }

    /// Which hash names the objects.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// What an object is and how large, without unpacking it; none where there is no such object.
    ///
    /// # Errors
    /// It is there and broken.
    pub fn header(&self, id: Id) -> Result<Option<Header>, Error> {
        self.search(|place| match place.packed(id)? {
            Some((pack, at)) => pack.header(at, &|base| self.header_of_base(base)).map(Some),
            None => loose::header(&place.folder, id),
        })
    }

    /// A delta that names its base may have it in another pack only where a pack was cut off while it was fetched.
    fn header_of_base(&self, id: Id) -> Result<Option<Header>, Error> {
        self.places.iter().find_map(|place| loose::header(&place.folder, id).transpose()).transpose()
    }

    /// An object of at most `most` bytes.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::TooLarge`], or it is broken.
    pub fn read(&self, id: Id, most: u64) -> Result<Object, Error> {
        let found = self.search(|place| match place.packed(id)? {
            Some((pack, at)) => pack.read(at, most, &self.bases, &|base| self.loose_base(base, most)).map(Some),
            None => loose::read(&place.folder, id, most),
        });
        found?.ok_or_else(|| self.missing(id))
    }

    fn loose_base(&self, id: Id, most: u64) -> Result<Option<Object>, Error> {
        self.places.iter().find_map(|place| loose::read(&place.folder, id, most).transpose()).transpose()
    }

    /// An object that has to be of a kind.
    ///
    /// # Errors
    /// As [`Database::read`], and where it is of another kind.
    pub fn read_as(&self, id: Id, kind: Kind, most: u64) -> Result<Arc<[u8]>, Error> {
        let object = self.read(id, most)?;
        if object.kind != kind {
            return Err(Error::Broken {
                what: format!("object {id}"),
                reason: format!("it is a {}, not a {kind}", object.kind),
            });
        }
        Ok(object.content)
    }

    /// Whether there is such an object.
    #[must_use]
    pub fn contains(&self, id: Id) -> bool {
        self.header(id).is_ok_and(|header| header.is_some())
    }

    /// The objects whose names begin with these hex digits, at most `most` of them.
    ///
    /// # Errors
    /// A folder or a pack cannot be read.
    pub fn with_prefix(&self, digits: &str, most: usize) -> Result<BTreeSet<Id>, Error> {
        let mut found = BTreeSet::new();
        for place in &self.places {
            loose::with_prefix(&place.folder, digits, most, &mut found)?;
            for pack in place.packs().iter() {
                pack.with_prefix(digits, most, &mut found)?;
            }
        }
        Ok(found)
    }

    /// The error for an object that is not there.
    #[must_use]
    pub fn missing(&self, id: Id) -> Error {
        Error::Missing { id, hint: self.hint.clone() }
    }

    fn search<T>(&self, look: impl Fn(&Place) -> Result<Option<T>, Error>) -> Result<Option<T>, Error> {
        let everywhere = || self.places.iter().find_map(|place| look(place).transpose()).transpose();
        if let Some(found) = everywhere()? {
            return Ok(Some(found));
        }
        if self.listings.fetch_add(1, Ordering::Relaxed) >= MOST_LISTINGS {
            return Ok(None);
        }
        self.places.iter().try_for_each(|place| place.list_again(self.format))?;
        everywhere()
    }
}

impl Place {
    fn packs(&self) -> std::sync::RwLockReadGuard<'_, Vec<Arc<Pack>>> {
        self.packs.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pack that holds an object, and where in it.
    fn packed(&self, id: Id) -> Result<Option<(Arc<Pack>, u64)>, Error> {
        for pack in self.packs().iter() {
            if let Some(at) = pack.find(id)? {
                return Ok(Some((Arc::clone(pack), at)));
            }
        }
        Ok(None)
    }

    /// Adds the packs that came since.
    fn list_again(&self, format: Format) -> Result<(), Error> {
        let listed = pack::list(&self.folder, format, MOST_PACKS)?;
        let mut known = self.packs.write().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<_> = listed.into_iter().filter(|pack| !known.iter().any(|it| it.name() == pack.name())).collect();
        known.extend(new);
        Ok(())
    }
}

impl Kind {
    /// The kind of a name in an object's head.
    fn of(name: &[u8]) -> Option<Self> {
        [Kind::Commit, Kind::Tree, Kind::Blob, Kind::Tag].into_iter().find(|kind| kind.name().as_bytes() == name)
    }

    /// As git writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Commit => "commit",
            Kind::Tree => "tree",
            Kind::Blob => "blob",
            Kind::Tag => "tag",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn too_large(id: Id, bytes: u64, limit: u64) -> Error {
    Error::TooLarge { what: format!("object {id}"), bytes, limit }
}
