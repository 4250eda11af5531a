//! Compiled components, kept between runs.
//!
//! A compiled component is machine code that the host will run, so the folder is private to the user, and a file is
//! named by the digest of the component and the compatibility of the engine: another build of the host, or other settings
//! of its engine, never loads it. Nothing is ever read from the reviewed repository.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::state;

/// The digest of a component file: sha256, 64 hex digits.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder of compiled components; without a folder each run compiles anew.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Uses `folder` where it is, or can be made, private to the user; says why where it is not.
    pub(crate) fn open(folder: Option<&Path>, engine: &Engine) -> (Self, Option<String>) {
        let Some(folder) = folder.map(|folder| folder.join(engine_key(engine))) else {
            return (Self { folder: None }, None);
        };
        match state::private_folder(&folder) {
            Ok(()) => (Self { folder: Some(folder) }, None),
            Err(error) => (Self { folder: None }, Some(format!("compiled components are not kept: {error}"))),
        }
    }

    /// The compiled component: from the folder where it is there, else compiled now and kept.
    ///
    /// # Errors
    /// The bytes are no component that this engine can compile.
    pub(crate) fn compile(&self, engine: &Engine, bytes: &[u8]) -> wasmtime::Result<Component> {
        let path = self.folder.as_ref().map(|folder| folder.join(format!("{}.cwasm", digest(bytes))));
        if let Some(component) = path.as_deref().and_then(|path| load(engine, path)) {
            return Ok(component);
        }
        let component = Component::new(engine, bytes)?;
        if let Some(path) = path {
            // A full disk costs the next run the time to compile again, and nothing else.
            let _ = component.serialize().map(|compiled| state::write_atomic(&path, &compiled));
        }
        Ok(component)
    }
}

/// A file that is missing, cut short or of another engine is no error: the component is compiled again.
#[expect(unsafe_code, reason = "loading machine code")]
fn load(engine: &Engine, path: &Path) -> Option<Component> {
    if !path.exists() {
        return None;
    }
    // SAFETY: the file was written by `compile` from this engine's own output, replaced whole and never edited, in a
    // folder that belongs to the user and that nobody else may write to (`state::private_folder`). Whoever can write
    // there can already run code as the user.
    unsafe { Component::deserialize_file(engine, path) }.ok()
}

fn engine_key(engine: &Engine) -> String {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
