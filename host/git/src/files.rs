//! The one place where files of a repository are opened.
//!
//! A repository may hold a pipe where git expects a file, a link that leads out of it, a device, or a file of gigabytes
//! that was a hundred bytes when it was packed. So every file is opened without waiting for a writer, has to be a regular
//! one, and is read up to a bound that the caller names. A folder that was opened cannot be left, not by `..` and not by a link,
//! unless the user said that this repository is to be trusted with it.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt as _, OpenOptionsExt as _};
use rustix::fs::OFlags;

use crate::error::Error;

/// An open folder with all that is below it.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    dir: Dir,
    links: Links,
}

/// What a link inside of a folder may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Only to what is in the folder.
    Inside,
    /// Anywhere: the user said that the repository is theirs.
    Anywhere,
}

/// A regular file that was opened.
#[derive(Debug)]
pub struct File {
    file: fs::File,
    bytes: u64,
    place: PathBuf,
}

/// What stands at a name of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl Folder {
    /// Opens a folder by its path.
    ///
    /// # Errors
    /// [`Error::Io`] where it is not there or is no folder.
    pub fn open(path: &Path, links: Links) -> Result<Self, Error> {
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(|source| at(path, source))?;
        Ok(Folder { path: path.to_owned(), dir, links })
    }

    /// The same folder, opened once more.
    ///
    /// # Errors
    /// [`Error::Io`] where there are too many open files.
    pub fn share(&self) -> Result<Self, Error> {
        let dir = self.dir.try_clone().map_err(|source| at(&self.path, source))?;
        Ok(Folder { path: self.path.clone(), dir, links: self.links })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole content of a file; none where there is none.
    ///
    /// # Errors
    /// [`Error::Unsafe`] where something else than a regular file stands there or a link leads out, [`Error::TooLarge`]
    /// beyond `most` bytes.
    pub fn read(&self, name: impl AsRef<Path>, most: u64) -> Result<Option<Vec<u8>>, Error> {
        self.file(name)?.map(|file| file.read(most)).transpose()
    }

    /// A file, opened; none where there is none.
    ///
    /// # Errors
    /// [`Error::Unsafe`] as for [`Folder::read`].
    pub fn file(&self, name: impl AsRef<Path>) -> Result<Option<File>, Error> {
        let place = self.path.join(name.as_ref());
        match self.opened(name.as_ref(), &place) {
            Ok(file) => regular(file, place).map(Some),
            Err(error) if is_absent(&error) => Ok(None),
            // What cannot be opened because of what it is: a socket, a device without a driver.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) => Err(irregular(place)),
            Err(error) => match self.leads_out(name.as_ref()) {
                true => Err(stray(place)),
                false => Err(at(&place, error)),
            },
        }
    }

    fn opened(&self, name: &Path, place: &Path) -> io::Result<fs::File> {
        let flags = without_waiting();
        if self.links == Links::Anywhere {
            use std::os::unix::fs::OpenOptionsExt as _;
            return fs::OpenOptions::new().read(true).custom_flags(flags).open(place);
        }
        let mut options = cap_std::fs::OpenOptions::new();
        options.read(true).custom_flags(flags);
        Ok(self.dir.open_with(name, &options)?.into_std())
    }

    /// Whether the name, or a folder on the way to it, is a link that leaves this folder.
    fn leads_out(&self, name: &Path) -> bool {
        let Ok(whole) = self.path.join(name).canonicalize() else { return false };
        self.links == Links::Inside && !self.path.canonicalize().is_ok_and(|here| whole.starts_with(here))
    }

    /// What stands at a name, itself and not what it leads to; none for nothing.
    #[must_use]
    pub fn kind(&self, name: impl AsRef<Path>) -> Option<Kind> {
        let metadata = self.dir.symlink_metadata(name).ok()?;
        Some(match metadata.file_type() {
            kind if kind.is_file() => Kind::File,
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_symlink() => Kind::Link,
            _ => Kind::Other,
        })
    }

    /// Where a link leads, as it is written; none where there is no link.
    #[must_use]
    pub fn link(&self, name: impl AsRef<Path>) -> Option<PathBuf> {
        self.dir.read_link_contents(name).ok()
    }

    /// The names in a folder below this one, with what they are, in no order; empty where there is no such folder.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there are more than `most`.
    pub fn list(&self, name: impl AsRef<Path>, most: usize) -> Result<Vec<(Vec<u8>, Kind)>, Error> {
        let place = self.path.join(name.as_ref());
        let read = || match self.links {
            Links::Inside => self.dir.open_dir(name.as_ref()),
            Links::Anywhere => Dir::open_ambient_dir(&place, ambient_authority()),
        };
        let entries = match read().and_then(|folder| folder.entries()) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            Err(error) => return Err(at(&place, error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|source| at(&place, source))?;
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_file() => Kind::File,
                Ok(kind) if kind.is_dir() => Kind::Folder,
                Ok(kind) if kind.is_symlink() => Kind::Link,
                _ => Kind::Other,
            };
            if names.len() == most {
                let what = format!("the folder {}, in names,", place.display());
                return Err(Error::TooLarge { what, bytes: most as u64 + 1, limit: most as u64 });
            }
            names.push((entry.file_name().as_bytes().to_vec(), kind));
        }
        Ok(names)
    }

    /// The user that it belongs to.
    #[must_use]
    pub fn owner(&self) -> Option<u32> {
        self.dir.dir_metadata().ok().map(|metadata| metadata.uid())
    }
}

impl File {
    /// Its size when it was opened.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// When it was last written: seconds and nanoseconds since 1970; none where the file system does not say.
    #[must_use]
    pub fn modified(&self) -> Option<(i64, u32)> {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = self.file.metadata().ok()?;
        Some((metadata.mtime(), u32::try_from(metadata.mtime_nsec()).ok()?))
    }

    /// All of it.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where it has more than `most` bytes, also if it grew since it was opened.
    pub fn read(self, most: u64) -> Result<Vec<u8>, Error> {
        let too_large = |bytes| Error::TooLarge { what: self.place.display().to_string(), bytes, limit: most };
        if self.bytes > most {
            return Err(too_large(self.bytes));
        }
        let mut content = Vec::with_capacity(usize::try_from(self.bytes).unwrap_or_default().saturating_add(1));
        (&self.file).take(most + 1).read_to_end(&mut content).map_err(|source| at(&self.place, source))?;
        if content.len() as u64 > most {
            return Err(too_large(content.len() as u64));
        }
        Ok(content)
    }

    /// As many bytes as the buffer has, from a place in the file.
    ///
    /// # Errors
    /// [`Error::Io`] where the file is shorter.
    pub fn read_at(&self, at_byte: u64, buffer: &mut [u8]) -> Result<(), Error> {
        self.file.read_exact_at(buffer, at_byte).map_err(|source| at(&self.place, source))
    }

    /// Up to as many bytes as the buffer has; how many there were. Zero at the end of the file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn read_some_at(&self, at_byte: u64, buffer: &mut [u8]) -> Result<usize, Error> {
        self.file.read_at(buffer, at_byte).map_err(|source| at(&self.place, source))
    }
}

/// Opens a file by its path, following links: for the files of the user, who may have put them anywhere. None where there
/// is none, and where it may not be read.
///
/// # Errors
/// [`Error::Unsafe`] where something else than a regular file stands there.
pub fn of_user(path: &Path) -> Result<Option<File>, Error> {
    use std::os::unix::fs::OpenOptionsExt as _;
    // What scripts name where they want a user without settings.
    if path == Path::new("/dev/null") {
        return Ok(None);
    }
    match fs::OpenOptions::new().read(true).custom_flags(without_waiting()).open(path) {
        Ok(file) => regular(file, path.to_owned()).map(Some),
        Err(error) if is_absent(&error) || error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(at(path, error)),
    }
}

/// A pipe without a writer is opened at once, and a terminal does not become this process's own.
fn without_waiting() -> i32 {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC).bits();
    i32::try_from(flags).unwrap_or_default()
}

fn regular(file: fs::File, place: PathBuf) -> Result<File, Error> {
    let metadata = file.metadata().map_err(|source| at(&place, source))?;
    if !metadata.is_file() {
        return Err(irregular(place));
    }
    Ok(File { file, bytes: metadata.len(), place })
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn at(place: &Path, source: io::Error) -> Error {
    Error::Io { place: place.to_owned(), source }
}

fn irregular(place: PathBuf) -> Error {
    let reason = "git expects a regular file there, and something else stands in its place; remove it";
    Error::Unsafe { place, reason: reason.to_owned() }
}

fn stray(place: PathBuf) -> Error {
    let reason = "it is a link that leads out of the repository, which nothing in a repository may do";
    Error::Unsafe { place, reason: reason.to_owned() }
}
