//! Compiled components, kept between runs.
//!
//! A compiled component is machine code that the host will run, so an entry is believed only if this host wrote it: it
//! carries a seal, made with a key of the user's, over its bytes, the component that they were compiled from and the engine
//! that they are for. It is read once, whole, and what was checked is what is loaded; a file that could change afterwards
//! is never mapped. Whatever is wrong with an entry, the component is compiled again and the entry replaced.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::state::{Folder, Seal};

/// The most bytes of an entry. A component of the largest size that is taken compiles to less.
const MOST_BYTES: u64 = 512 << 20;

/// The digest of a component file: sha256, 64 hex digits.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compiled components; without a shelf each run compiles anew.
#[derive(Clone)]
pub(crate) struct Cache {
    shelf: Option<Arc<Shelf>>,
}

/// The entries for one engine.
struct Shelf {
    folder: Folder,
    seal: Seal,
    engine: String,
}

impl Cache {
    /// Uses `folder` where it is, or can be made, private to the user; says why where it is not.
    pub(crate) fn open(folder: Option<&Path>, engine: &Engine) -> (Self, Option<String>) {
        match folder.map(|folder| Shelf::open(folder, engine_key(engine))) {
            None => (Self { shelf: None }, None),
            Some(Ok(shelf)) => (Self { shelf: Some(Arc::new(shelf)) }, None),
            Some(Err(error)) => (Self { shelf: None }, Some(format!("compiled components are not kept: {error}"))),
        }
    }

    /// The compiled component: from the shelf where it is there, else compiled now and kept.
    ///
    /// # Errors
    /// The bytes are no component that this engine can compile.
    pub(crate) fn compile(&self, engine: &Engine, bytes: &[u8]) -> wasmtime::Result<Component> {
        let Some(shelf) = &self.shelf else {
            return Component::new(engine, bytes);
        };
        let digest = digest(bytes);
        if let Some(component) = shelf.load(engine, &digest) {
            return Ok(component);
        }
        let component = Component::new(engine, bytes)?;
        // A full disk costs the next run the time to compile again, and nothing else.
        let _ = component.serialize().map(|compiled| shelf.keep(&digest, &compiled));
        Ok(component)
    }
}

impl Shelf {
    fn open(folder: &Path, engine: String) -> io::Result<Self> {
        let own = Folder::open(folder)?;
        own.sweep();
        let (seal, folder) = (Seal::of(&own)?, own.inner(&engine)?);
        folder.sweep();
        Ok(Self { folder, seal, engine })
    }

    #[expect(unsafe_code, clippy::disallowed_methods, reason = "loading machine code")]
    fn load(&self, engine: &Engine, digest: &str) -> Option<Component> {
        let entry = self.folder.read(&file_name(digest), MOST_BYTES).ok()?;
        let (seal, compiled) = entry.split_first_chunk()?;
        if !self.seal.holds(&self.name(digest), compiled, seal) {
            return None;
        }
        // SAFETY: these bytes, in memory since before they were checked, were sealed by `keep`: they are what this engine
        // made of this component. To seal others takes the user's key, and whoever can read that can run code as the user.
        unsafe { Component::deserialize(engine, compiled) }.ok()
    }

    fn keep(&self, digest: &str, compiled: &[u8]) -> io::Result<()> {
        let seal = self.seal.seal(&self.name(digest), compiled);
        self.folder.replace(&file_name(digest), &[&seal, compiled])
    }

    /// What a seal is for.
    fn name<'a>(&'a self, digest: &'a str) -> [&'a str; 3] {
        ["compiled component", &self.engine, digest]
    }
}

fn file_name(digest: &str) -> String {
    format!("{digest}.cwasm")
}

fn engine_key(engine: &Engine) -> String {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
