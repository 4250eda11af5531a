//! A folder that is private to its user, and the files in it.
//!
//! The folder is held open, and files are reached through it: what was checked is what is used, whatever happens to the
//! names above it meanwhile.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, File, Metadata, OpenOptions};

/// What the names of files begin with that are not finished.
const UNFINISHED: &str = ".tmp";

/// An open folder that belongs to this user and that nobody else may write to.
#[derive(Debug)]
pub struct Folder {
    dir: Dir,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder, made if it is not there.
    ///
    /// # Errors
    /// The path is not absolute; the folder cannot be made; it belongs to, or can be written by, somebody else.
    pub fn open(path: &Path) -> io::Result<Self> {
        if !path.is_absolute() {
            return Err(io::Error::other(format!("{} is not an absolute path", path.display())));
        }
        create(path)?;
        Self::checked(Dir::open_ambient_dir(path, ambient_authority())?, path.to_owned())
    }

    /// Opens a folder in this one, made if it is not there.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn inner(&self, name: &str) -> io::Result<Self> {
        match self.dir.create_dir_with(name, &private_builder()) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Self::checked(self.dir.open_dir(name)?, self.path.join(name)),
        }
    }

    fn checked(dir: Dir, path: PathBuf) -> io::Result<Self> {
        match objection(&dir.dir_metadata()?, 0o022) {
            None => Ok(Self { dir, path }),
            Some(why) => Err(io::Error::other(format!("{} {why}", path.display()))),
        }
    }

    /// The whole of a file of at most `most` bytes that only this user may read or write. Never waits, and never reads what
    /// is no regular file.
    ///
    /// # Errors
    /// There is no such file, or it is not such a file.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let file = self.dir.open_with(name, &reading())?;
        let metadata = file.metadata()?;
        let why = match objection(&metadata, 0o077) {
            None if !metadata.is_file() => "is not a file".to_owned(),
            None if metadata.len() > most => format!("has more than {most} bytes"),
            None => return read_at_most(file, most),
            Some(why) => why.to_owned(),
        };
        Err(io::Error::other(format!("{} {why}", self.path.join(name).display())))
    }

    /// Replaces a file whole, whatever was there: a reader, and a crash at any instant, sees the old content or the new one.
    ///
    /// # Errors
    /// The folder cannot be written to, or the disk is full; the old content stands, and nothing else is left behind.
    pub fn replace(&self, name: &str, pieces: &[&[u8]]) -> io::Result<()> {
        let mut unfinished = Unfinished::create(&self.dir)?;
        pieces.iter().try_for_each(|piece| unfinished.file.write_all(piece))?;
        unfinished.file.sync_all()?;
        match self.dir.rename(&unfinished.name, &self.dir, name) {
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                self.dir.remove_dir_all(name)?;
                self.dir.rename(&unfinished.name, &self.dir, name)
            }
            other => other,
        }
    }

    /// Removes what runs that were killed left unfinished. What another run is at now is locked, and stays.
    pub fn sweep(&self) {
        let names =
            self.dir.entries().into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
        for name in names.filter(|name| name.starts_with(UNFINISHED)) {
            let abandoned = self.dir.open_with(&name, &reading()).is_ok_and(|file| file.into_std().try_lock().is_ok());
            if abandoned {
                // Another run may have swept it away a moment ago.
                let _ = self.dir.remove_file(&name);
            }
        }
    }
}

/// A file on its way: gone when this is dropped, unless it was renamed.
struct Unfinished<'a> {
    dir: &'a Dir,
    name: String,
    file: std::fs::File,
}

impl<'a> Unfinished<'a> {
    fn create(dir: &'a Dir) -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random)?;
        let name = format!("{UNFINISHED}-{:016x}", u64::from_ne_bytes(random));
        let file = dir.open_with(&name, &creating())?.into_std();
        // Where a file system knows no locks, another run may sweep this away: the write fails, and that is all.
        let _ = file.try_lock();
        Ok(Self { dir, name, file })
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let _ = self.dir.remove_file(&self.name);
    }
}

fn read_at_most(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut content)?;
    // It grew since it was looked at.
    if content.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(content) }
}

/// Why something on the disk is not private to this user, if it is not; `others` are the rights that nobody else may have.
#[cfg(unix)]
fn objection(metadata: &Metadata, others: u32) -> Option<&'static str> {
    use cap_std::fs::MetadataExt;
    private(metadata.uid(), rustix::process::geteuid().as_raw(), metadata.mode() & others)
}

#[cfg(unix)]
fn private(owner: u32, user: u32, rights_of_others: u32) -> Option<&'static str> {
    match (owner == user, rights_of_others) {
        (false, _) => Some("belongs to another user"),
        (true, 0) => None,
        (true, _) => Some("can be used by other users: chmod go-w it"),
    }
}

#[cfg(unix)]
fn create(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(unix)]
fn private_builder() -> DirBuilder {
    use cap_std::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// Never follows a link, and never waits for a pipe's other end.
#[cfg(unix)]
fn reading() -> OpenOptions {
    use cap_std::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

#[cfg(unix)]
fn creating() -> OpenOptions {
    use cap_std::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options
}

// Elsewhere a user's own folders are private by default.

#[cfg(not(unix))]
fn objection(_metadata: &Metadata, _others: u32) -> Option<&'static str> {
    None
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

#[cfg(not(unix))]
fn private_builder() -> DirBuilder {
    DirBuilder::new()
}

#[cfg(not(unix))]
fn reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

#[cfg(not(unix))]
fn creating() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
