//! What lies in the working tree and is not in the index, as `git status` lists it: not what is ignored, and not what is
//! below a folder that a rule leaves out as a whole.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{FileType, MetadataExt as _};
use review_loop_git::Repository;
use review_loop_git::index::{Entry as Stored, Index};
use review_loop_git::rules::Ignore;

use super::entry::Content;
use super::error::Error;
use super::{disk::Disk, name};

/// What stands around a working tree's own files.
pub(super) struct Around<'a> {
    /// Whether a rule leaves out all that is in a folder.
    pub(super) is_left_out: &'a dyn Fn(&[u8]) -> bool,
    /// What is checked out in a folder that is another repository's top; none where it is not, or is not safe to read.
    pub(super) nested: &'a dyn Fn(&Path) -> Option<Content>,
}

/// Something that is not in the index.
#[derive(Debug)]
pub(super) struct Untracked {
    /// Of a folder, with a `/` at its end.
    pub(super) path: Vec<u8>,
    pub(super) what: What,
}

/// What it is.
#[derive(Debug)]
pub(super) enum What {
    /// A file or a link.
    File,
    /// A folder that a rule leaves out.
    LeftOut,
    /// A folder that could not be looked into, with the reason.
    Unreadable(String),
    /// Another repository.
    Repository(Content),
}

/// Files and folders that are looked at.
const MOST: usize = 2_000_000;

/// Everything untracked, in no order.
pub(super) fn find(
    disk: &Disk,
    repository: &Repository,
    index: &Index,
    around: &Around<'_>,
) -> Result<Vec<Untracked>, Error> {
    let ignore_case = repository.config.boolean("core.ignorecase", false);
    let mut ignore = Ignore::new(ignore_case);
    repository.exclude_files()?.iter().for_each(|content| ignore.push_global(content));
    let known = Known { entries: &index.entries, folded: if ignore_case { folded(index) } else { HashMap::new() } };
    let mut walk = Walk { disk, known, ignore, around, found: Vec::new(), folders: vec![Vec::new()], seen: 0 };
    while let Some(folder) = walk.folders.pop() {
        walk.folder(&folder)?;
    }
    Ok(walk.found)
}

struct Walk<'a> {
    disk: &'a Disk,
    known: Known<'a>,
    ignore: Ignore,
    around: &'a Around<'a>,
    found: Vec<Untracked>,
    /// Folders to look into; the last one first, so that a folder is left before its neighbour is entered.
    folders: Vec<Vec<u8>>,
    seen: usize,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &[u8]) -> Result<(), Error> {
        let below = |name: &[u8]| if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() };
        let rules = name::to_path(&below(b".gitignore"));
        let rules = rules.map(|path| self.disk.rules(&path)).transpose()?;
        self.ignore.enter(folder, rules.flatten().as_deref());
        match self.names(folder) {
            Ok(names) => names.iter().try_for_each(|(name, kind)| self.one(below(name), *kind)),
            Err(error) => {
                let why = format!("the folder could not be looked into: {error}");
                self.found.push(Untracked { path: [folder, b"/"].concat(), what: What::Unreadable(why) });
                Ok(())
            }
        }
    }

    fn names(&self, folder: &[u8]) -> io::Result<Vec<(Vec<u8>, FileType)>> {
        let path = name::to_path(folder).filter(|path| !path.as_os_str().is_empty());
        let entries = match path {
            Some(path) => self.disk.folder.open_dir(path)?.entries()?,
            None => self.disk.folder.entries()?,
        };
        let one = |entry: io::Result<cap_std::fs::DirEntry>| {
            let entry = entry?;
            Ok((name::from_path(Path::new(&entry.file_name())), entry.file_type()?))
        };
        let mut names = entries.map(one).collect::<io::Result<Vec<_>>>()?;
        names.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(names)
    }

    fn one(&mut self, path: Vec<u8>, kind: FileType) -> Result<(), Error> {
        self.seen += 1;
        if self.seen > MOST {
            return Err(Error::TooMany { what: "the working tree".to_owned(), limit: MOST });
        }
        if !kind.is_file() && path.ends_with(b".gitattributes") {
            // Said here, once, and not where an attribute is looked up.
            let place = name::to_path(&path).unwrap_or_default();
            self.disk.rules(&place)?;
        }
        let is_folder = kind.is_dir();
        if !name::is_inside(&path) || self.known.is_submodule(&path) {
            return Ok(());
        }
        if !is_folder {
            let is_file = kind.is_file() || kind.is_symlink();
            if is_file && !self.known.is_tracked(&path, self.disk) && !self.ignore.is_ignored(&path, false) {
                self.found.push(Untracked { path, what: What::File });
            }
            return Ok(());
        }
        if !self.ignore.is_ignored(&path, true) {
            self.below(path);
        }
        Ok(())
    }

    /// A folder that is not ignored.
    fn below(&mut self, path: Vec<u8>) {
        let named = || [&path[..], b"/"].concat();
        if (self.around.is_left_out)(&path) {
            self.found.push(Untracked { path: named(), what: What::LeftOut });
        } else if let Some(state) = self.place(&path).and_then(|place| (self.around.nested)(&place)) {
            // What git tracks in a folder is the outer repository's, whatever else lies there.
            if self.known.has_below(&path) {
                self.folders.push(path);
            } else {
                self.found.push(Untracked { path: named(), what: What::Repository(state) });
            }
        } else {
            self.folders.push(path);
        }
    }

    fn place(&self, path: &[u8]) -> Option<PathBuf> {
        Some(self.disk.root.join(name::to_path(path)?))
    }
}

/// What the index knows.
struct Known<'a> {
    entries: &'a [Stored],
    /// Paths by their lower case, where the repository says that the file system does not tell cases apart.
    folded: HashMap<Vec<u8>, Vec<&'a [u8]>>,
}

fn folded(index: &Index) -> HashMap<Vec<u8>, Vec<&[u8]>> {
    let mut folded: HashMap<Vec<u8>, Vec<&[u8]>> = HashMap::new();
    for entry in &index.entries {
        folded.entry(entry.path.to_ascii_lowercase()).or_default().push(&entry.path);
    }
    folded
}

impl Known<'_> {
    fn at(&self, path: &[u8]) -> Option<&Stored> {
        let at = self.entries.partition_point(|entry| entry.path.as_slice() < path);
        self.entries.get(at).filter(|entry| entry.path == path)
    }

    fn is_submodule(&self, path: &[u8]) -> bool {
        self.at(path).is_some_and(|entry| entry.mode & 0o170_000 == 0o160_000)
    }

    fn has_below(&self, folder: &[u8]) -> bool {
        let start = [folder, b"/"].concat();
        let at = self.entries.partition_point(|entry| entry.path < start);
        self.entries.get(at).is_some_and(|entry| entry.path.starts_with(&start))
    }

    /// Also by another spelling, if that is the same file here: a setting alone does not make two files one.
    fn is_tracked(&self, path: &[u8], disk: &Disk) -> bool {
        if self.at(path).is_some() {
            return true;
        }
        let Some(spellings) = self.folded.get(&path.to_ascii_lowercase()) else { return false };
        let file = |path: &[u8]| {
            let metadata = disk.folder.symlink_metadata(name::to_path(path)?).ok()?;
            Some((metadata.dev(), metadata.ino()))
        };
        let here = file(path);
        here.is_some() && spellings.iter().any(|spelling| file(spelling) == here)
    }
}
