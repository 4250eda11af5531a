//! Opening what lies in the working tree: never waiting, never through a link, never anything but a regular file.

use std::io::{self, Read as _};
use std::path::Path;

use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt as _};
use rustix::fs::OFlags;

use super::error::Error;

/// Opens a file. A pipe is opened at once, so that what it is can be asked.
pub(super) fn open(folder: &Dir, path: &Path) -> io::Result<File> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default();
    let file = folder.open_with(path, OpenOptions::new().read(true).custom_flags(flags))?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("not a regular file")),
    }
}

/// Bytes of a file with rules.
const MOST_OF_RULES: u64 = 4 << 20;

/// A `.gitignore` or `.gitattributes`. As in git, one that is a link says nothing.
///
/// # Errors
/// Something else than a file or a link to one stands in its place, or it is too large to be one.
pub(super) fn rules(folder: &Dir, root: &Path, path: &Path) -> Result<Option<Vec<u8>>, Error> {
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
    let read = open(folder, path).and_then(|file| file.take(MOST_OF_RULES).read_to_end(&mut content));
    read.map(|_| Some(content)).map_err(|source| Error::Io { place: root.join(path), source })
}
