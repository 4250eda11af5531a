//! Settings of all levels, read from their files.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::config::{Config, Facts, Include, Level, holds};
use crate::environment::{ConfigFile, Environment};
use crate::error::Error;
use crate::files::{self, Folder};

/// Bytes of one file with settings.
pub(crate) const MOST_OF_CONFIG: u64 = 4 << 20;

/// What the conditions of includes are about.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct About<'a> {
    /// Git's own folder, canonical.
    pub(crate) git: Option<&'a Path>,
    /// The branch that is checked out, without `refs/heads/`.
    pub(crate) branch: Option<&'a [u8]>,
}

/// The machine's and the user's settings, without those of the environment, which come last.
///
/// # Errors
/// A file is malformed: git does not start then either.
pub(crate) fn of_user(environment: &Environment, about: About<'_>) -> Result<Config, Error> {
    let mut config = Config::default();
    for file in &environment.config_files {
        let (path, level) = match file {
            ConfigFile::System(path) => (path, Level::System),
            ConfigFile::Global(path) => (path, Level::Global),
        };
        let content = files::of_user(path)?.map(|file| file.read(MOST_OF_CONFIG)).transpose()?;
        if let Some(content) = content {
            config.append(parse(&content, path, level, environment, about)?);
        }
    }
    Ok(config)
}

/// What the environment itself sets.
pub(crate) fn of_environment(environment: &Environment, config: &mut Config) {
    for (key, value) in &environment.config {
        config.push(key, Some(value), Level::Environment);
    }
}

/// A file of the repository's own.
pub(crate) fn of_repository(
    folder: &Folder,
    name: &str,
    level: Level,
    environment: &Environment,
    about: About<'_>,
) -> Result<Config, Error> {
    let content = folder.read(name, MOST_OF_CONFIG)?.unwrap_or_default();
    parse(&content, &folder.path().join(name), level, environment, about)
}

fn parse(
    content: &[u8],
    place: &Path,
    level: Level,
    environment: &Environment,
    about: About<'_>,
) -> Result<Config, Error> {
    // The folder of the file that is being read at each depth.
    let mut folders = vec![place.parent().unwrap_or(place).to_owned()];
    let home = environment.home.as_ref().map(|path| path.as_os_str().as_bytes().to_vec());
    let mut included = |include: &Include| {
        folders.truncate(include.depth + 1);
        let folder = folders.last()?.as_os_str().as_bytes().to_vec();
        let facts = Facts {
            git_dir: about.git.map(|path| path.as_os_str().as_bytes().to_vec()).unwrap_or_default(),
            home: home.clone(),
            branch: about.branch.map(<[u8]>::to_vec),
            including_folder: folder.clone(),
        };
        if include.condition.as_deref().is_some_and(|condition| !holds(condition, &facts)) {
            return None;
        }
        let path = PathBuf::from(OsStr::from_bytes(&include.place(&folder, home.as_deref())?));
        folders.push(path.parent()?.to_owned());
        // What cannot be read is left out, as git leaves out what is not there: a pipe must not stop a review.
        files::of_user(&path).ok()??.read(MOST_OF_CONFIG).ok()
    };
    Config::parse_with(content, level, &mut included).map_err(Error::broken(place.display().to_string()))
}
