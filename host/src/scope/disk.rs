//! The folder of a working tree, and opening what lies in it: never waiting, never through a link, never anything but a
//! regular file.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt as _};
use rustix::fs::OFlags;

use super::error::Error;

/// Bytes of a file with rules.
const MOST_OF_RULES: u64 = 4 << 20;

/// The top folder of a working tree, open: it cannot be left from here.
#[derive(Debug)]
pub(super) struct Disk {
    pub(super) folder: Dir,
    /// Where it is, for messages and for other repositories in it.
    pub(super) root: PathBuf,
}

impl Disk {
    pub(super) fn open(root: &Path) -> Result<Self, Error> {
        let folder = Dir::open_ambient_dir(root, ambient_authority());
        let folder = folder.map_err(|source| Error::Io { place: root.to_owned(), source })?;
        Ok(Disk { folder, root: root.to_owned() })
    }

    /// The same folder, opened once more.
    pub(super) fn share(&self) -> Result<Self, Error> {
        let folder = self.folder.try_clone().map_err(|source| Error::Io { place: self.root.clone(), source })?;
        Ok(Disk { folder, root: self.root.clone() })
    }

    /// Opens a file. A pipe is opened at once, so that what it is can be asked.
    pub(super) fn file(&self, path: &Path) -> io::Result<File> {
        let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default();
        let file = self.folder.open_with(path, OpenOptions::new().read(true).custom_flags(flags))?;
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::other("not a regular file")),
        }
    }

    /// A `.gitignore` or `.gitattributes`. As in git, one that is a link says nothing.
    ///
    /// # Errors
    /// Something else than a file or a link to one stands in its place, or it is too large to be one.
    pub(super) fn rules(&self, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        let (folder, root) = (&self.folder, &self.root);
        let unsafe_file = |reason: &str| Error::Unsafe { place: root.join(path), reason: reason.to_owned() };
        let irregular =
            || unsafe_file("git expects a regular file there, and something else stands in its place; remove it");
        let Ok(metadata) = folder.symlink_metadata(path) else { return Ok(None) };
        if metadata.is_symlink() {
            // What blocks a reader is no mistake: say so, though git would only not read it.
            let blocks = folder.metadata(path).is_ok_and(|target| !target.is_file() && !target.is_dir())
                || std::fs::metadata(root.join(path)).is_ok_and(|target| !target.is_file() && !target.is_dir());
            return if blocks { Err(irregular()) } else { Ok(None) };
        }
        if metadata.is_dir() {
            return Ok(None);
        }
        if !metadata.is_file() {
            return Err(irregular());
        }
        if metadata.len() > MOST_OF_RULES {
            return Err(unsafe_file("it is larger than 4 MiB, and its rules decide what is reviewed; make it smaller"));
        }
        let mut content = Vec::new();
        let read = self.file(path).and_then(|file| file.take(MOST_OF_RULES).read_to_end(&mut content));
        read.map(|_| Some(content)).map_err(|source| Error::Io { place: root.join(path), source })
    }
}
