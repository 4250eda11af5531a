//! The tool's own files. Nothing else writes them.
//!
//! So far there is one kind: compiled components under the user's cache folder.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Replaces a file whole: a reader, and a crash at any instant, sees the old content or the new one.
///
/// # Errors
/// The folder cannot be written to, or the disk is full; the old content stands.
pub fn write_atomic(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("the path has no folder"))?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Makes a folder that only its user can enter, and says whether an existing one can be trusted: it is the user's own
/// and nobody else may write to it.
///
/// # Errors
/// It cannot be made, or it belongs to or can be written by somebody else.
pub fn private_folder(path: &Path) -> io::Result<()> {
    create_private(path)?;
    check_private(path)
}

#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(unix)]
fn check_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path)?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other(format!("{} belongs to another user", path.display())));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(io::Error::other(format!("{} can be written by other users: chmod go-w it", path.display())));
    }
    Ok(())
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(not(unix))]
fn check_private(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_folder_that_others_can_write_to_is_not_trusted() -> io::Result<()> {
        let parent = tempfile::tempdir()?;
        let folder = parent.path().join("cache");
        private_folder(&folder)?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777))?;
        assert!(private_folder(&folder).is_err());
        Ok(())
    }

    #[test]
    fn replacing_leaves_no_other_file_behind() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state");
        write_atomic(&path, b"old")?;
        write_atomic(&path, b"new")?;
        assert_eq!(fs::read(&path)?, b"new");
        assert_eq!(fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }
}
