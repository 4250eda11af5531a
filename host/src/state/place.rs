//! Where the tool's own files may lie: in a folder of the user's, never among what is reviewed. Whoever wrote the change
//! could have put files there, and what is kept there is run.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The variable that names the cache folder.
const VARIABLE: &str = "REVIEW_LOOP_CACHE";

/// Why compiled components cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// Neither the variable nor the user's home says where.
    #[error("this user has no cache folder: name one with {VARIABLE}")]
    Nowhere,
    /// It would lie wherever the program is started.
    #[error("the cache folder `{}` is not an absolute path: name one that is with {VARIABLE}", .0.display())]
    Relative(PathBuf),
    /// It lies where others put files.
    #[error("the cache folder {} lies in {}: name one outside of it with {VARIABLE}", .folder.display(), .around.display())]
    Inside {
        /// The cache folder.
        folder: PathBuf,
        /// What it lies in: the current folder, the repository, its git folder.
        around: PathBuf,
    },
    /// It cannot be told where it lies.
    #[error("the cache folder {} cannot be used: {reason}: name another with {VARIABLE}", .folder.display())]
    Unclear {
        /// The cache folder.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Where compiled components are kept: the folder that the variable names, unless it is empty, else one in the user's cache
/// folder. Without links in it, and outside of everything that `reviewed` lies in.
///
/// # Errors
/// There is no such folder.
pub fn cache_folder(
    named: Option<OsString>,
    users: Option<PathBuf>,
    reviewed: &[PathBuf],
) -> Result<PathBuf, Unusable> {
    let named = named.filter(|named| !named.is_empty()).map(PathBuf::from);
    let folder = named.or_else(|| Some(users?.join("review-loop"))).ok_or(Unusable::Nowhere)?;
    if !folder.is_absolute() {
        return Err(Unusable::Relative(folder));
    }
    let unclear = |error: io::Error| Unusable::Unclear { folder: folder.clone(), reason: error.to_string() };
    let real = resolve(&folder).map_err(unclear)?;
    let around = reviewed.iter().flat_map(|place| around(place)).find(|around| real.starts_with(around));
    match around.or_else(|| git_folder(&real)) {
        None => Ok(real),
        Some(around) => Err(Unusable::Inside { folder, around }),
    }
}

/// A path without links, also where its end does not exist yet.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => Ok(resolve(parent)?.join(name)),
            // It goes back up from a folder that is not there.
            _ => Err(error),
        },
        other => other,
    }
}

/// A reviewed place, and the work tree that it is in. The root of all folders is nobody's work: everything lies in it.
fn around(place: &Path) -> Vec<PathBuf> {
    let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    let tree = place.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok()).map(Path::to_owned);
    [place].into_iter().chain(tree).filter(|folder| folder.parent().is_some()).collect()
}

/// The git folder that a path lies in, wherever its work tree is.
fn git_folder(path: &Path) -> Option<PathBuf> {
    let is_git = |folder: &&Path| ["HEAD", "objects"].iter().all(|name| folder.join(name).symlink_metadata().is_ok());
    path.ancestors().find(is_git).map(Path::to_owned)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A place with a repository `work`, a bare one `bare.git`, a home `home` and a link `link` into the repository.
    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            let place = tempfile::tempdir().unwrap();
            let folder = |name: &str| fs::create_dir_all(place.path().join(name)).unwrap();
            ["work/.git/objects", "work/src", "bare.git/objects", "home"].into_iter().for_each(folder);
            fs::write(place.path().join("work/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
            fs::write(place.path().join("bare.git/HEAD"), "ref: refs/heads/main\n").unwrap();
            symlink("work", place.path().join("link")).unwrap();
            Self(place)
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        /// What becomes of a named folder where `work/src` is reviewed.
        fn check(&self, named: impl Into<OsString>) -> String {
            let found = cache_folder(Some(named.into()), Some(self.path("home")), &[self.path("work/src")]);
            let said = found.map_or_else(|error| error.to_string(), |folder| folder.display().to_string());
            said.replace(&self.path("").display().to_string(), "/")
        }

        fn check_in(&self, named: &str) -> String {
            self.check(self.path(named))
        }
    }

    #[test]
    fn an_empty_variable_is_none() {
        let place = Place::new();
        insta::assert_snapshot!(place.check(""), @"/home/review-loop");
        insta::assert_snapshot!(cache_folder(Some("".into()), None, &[]).unwrap_err(), @"this user has no cache folder: name one with REVIEW_LOOP_CACHE");
    }

    #[test]
    fn a_relative_folder_is_refused() {
        let place = Place::new();
        insta::assert_snapshot!(place.check(".cache"), @"the cache folder `.cache` is not an absolute path: name one that is with REVIEW_LOOP_CACHE");
        let at_home = cache_folder(None, Some(PathBuf::from("./.cache")), &[]).unwrap_err();
        insta::assert_snapshot!(at_home, @"the cache folder `./.cache/review-loop` is not an absolute path: name one that is with REVIEW_LOOP_CACHE");
    }

    #[test]
    fn a_folder_among_what_is_reviewed_is_refused() {
        let place = Place::new();
        insta::assert_snapshot!(place.check_in("work/.cache"), @"the cache folder /work/.cache lies in /work: name one outside of it with REVIEW_LOOP_CACHE");
        insta::assert_snapshot!(place.check_in("work/src"), @"the cache folder /work/src lies in /work/src: name one outside of it with REVIEW_LOOP_CACHE");
        insta::assert_snapshot!(place.check_in("link/not/there"), @"the cache folder /link/not/there lies in /work: name one outside of it with REVIEW_LOOP_CACHE");
        insta::assert_snapshot!(place.check_in("home/../work/cache"), @"the cache folder /home/../work/cache lies in /work: name one outside of it with REVIEW_LOOP_CACHE");
        insta::assert_snapshot!(place.check_in("bare.git/cache/deep"), @"the cache folder /bare.git/cache/deep lies in /bare.git: name one outside of it with REVIEW_LOOP_CACHE");
    }

    #[test]
    fn a_way_back_out_of_a_folder_that_is_not_there_is_refused() {
        let place = Place::new();
        let said = place.check_in("home/gone/../../work/cache");
        assert!(said.starts_with("the cache folder /home/gone/../../work/cache cannot be used: "), "{said}");
    }

    #[test]
    fn a_folder_elsewhere_is_used_and_nothing_lies_in_the_root() {
        let place = Place::new();
        insta::assert_snapshot!(place.check_in("home/cache/not/yet"), @"/home/cache/not/yet");
        insta::assert_snapshot!(place.check_in("work-cache"), @"/work-cache");
        let at_root = cache_folder(Some(place.path("home").into()), None, &[PathBuf::from("/")]);
        assert_eq!(at_root.unwrap(), place.path("home"));
    }
}
