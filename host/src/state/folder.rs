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
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
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

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A private folder in a place of its own, and the place.
    fn folder() -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(&place.path().join("own")).unwrap();
        (place, folder)
    }

    fn names(folder: &Folder) -> Vec<String> {
        let mut names: Vec<String> =
            folder.dir.entries().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_trusted() {
        let (_place, folder) = folder();
        let inner = folder.inner("inner").unwrap();
        assert_eq!(fs::metadata(&inner.path).unwrap().permissions().mode() & 0o777, 0o700);
        fs::set_permissions(&inner.path, fs::Permissions::from_mode(0o770)).unwrap();
        assert!(folder.inner("inner").is_err());
        fs::set_permissions(&folder.path, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Folder::open(&folder.path).is_err());
    }

    #[test]
    fn what_belongs_to_another_user_is_not_trusted() {
        assert_eq!(private(1000, 1000, 0), None);
        assert_eq!(private(0, 1000, 0), Some("belongs to another user"));
        assert!(private(1000, 1000, 0o020).is_some());
    }

    #[test]
    fn a_relative_folder_is_refused() {
        assert!(Folder::open(Path::new("cache")).is_err());
        assert!(Folder::open(Path::new("")).is_err());
    }

    #[test]
    fn replacing_leaves_no_other_file_behind() {
        let (_place, folder) = folder();
        folder.replace("state", &[b"old"]).unwrap();
        folder.replace("state", &[b"n", b"ew"]).unwrap();
        assert_eq!(folder.read("state", 10).unwrap(), b"new");
        assert_eq!(names(&folder), ["state"]);
    }

    #[test]
    fn only_a_regular_private_file_of_a_bounded_size_is_read() {
        let (_place, folder) = folder();
        let path = |name: &str| folder.path.join(name);
        folder.replace("good", &[b"12345"]).unwrap();
        assert_eq!(folder.read("good", 5).unwrap(), b"12345");
        assert!(folder.read("good", 4).is_err());
        symlink(path("good"), path("link")).unwrap();
        symlink("good", path("inner-link")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), rustix::fs::Mode::RUSR).unwrap();
        for name in ["link", "inner-link", "folder", "pipe", "missing", "../own/good"] {
            assert!(folder.read(name, 5).is_err(), "{name}");
        }
        fs::set_permissions(path("good"), fs::Permissions::from_mode(0o620)).unwrap();
        assert!(folder.read("good", 5).is_err());
    }

    #[test]
    fn whatever_is_in_the_way_is_replaced() {
        let (_place, folder) = folder();
        let path = |name: &str| folder.path.join(name);
        fs::create_dir_all(path("folder").join("full")).unwrap();
        fs::write(path("target"), "kept").unwrap();
        symlink(path("target"), path("link")).unwrap();
        for name in ["folder", "link"] {
            folder.replace(name, &[b"new"]).unwrap();
            assert_eq!(folder.read(name, 3).unwrap(), b"new");
        }
        assert_eq!(fs::read(path("target")).unwrap(), b"kept");
    }

    #[test]
    fn what_a_killed_run_left_is_swept_and_what_another_is_at_is_not() {
        let (_place, folder) = folder();
        fs::write(folder.path.join(".tmpAbCdEf"), "half").unwrap();
        folder.replace("state", &[b"whole"]).unwrap();
        let at_work = Unfinished::create(&folder.dir).unwrap();
        folder.sweep();
        assert_eq!(names(&folder), [at_work.name.as_str(), "state"]);
        drop(at_work);
        assert_eq!(names(&folder), ["state"]);
    }
}
