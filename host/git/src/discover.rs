//! Where the repository is, and whether it may be read.
//!
//! A repository is told by files that anybody can write: a `.git` file or link may lead to somebody's private repository,
//! `core.worktree` may name another folder as the one under review. So whatever lies outside of the folder in which the
//! repository was found has to know of that folder, or the user has to have said that they trust it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::config::{Config, Level};
use crate::environment::Environment;
use crate::error::Error;
use crate::files::{self, Folder, Links};

/// A repository, found and not yet opened. All paths are canonical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Git's own folder, of this working tree.
    pub(crate) git: PathBuf,
    /// What working trees share; the same where there is only one.
    pub(crate) common: PathBuf,
    /// The folder that holds `.git`; none of a bare repository.
    pub(crate) holder: Option<PathBuf>,
    /// The user named it by `GIT_DIR`.
    pub(crate) named: bool,
}

/// Bytes of a `.git` file, and of git's other files of one path.
const MOST_OF_LINK: u64 = 64 << 10;

/// The repository that the user named, or the one that the folder is in.
pub(crate) fn find(folder: &Path, environment: &Environment) -> Result<Found, Error> {
    let (git, holder, named) = match &environment.git_dir {
        Some(named) => named_by_user(folder, named)?,
        None => search(folder, environment)?,
    };
    let common = match &environment.common_dir {
        Some(common) => canonical(&folder.join(common))?,
        None => common_of(&git)?,
    };
    if !is_git_folder(&git, &common) {
        return Err(Error::NotARepository { folder: folder.to_owned() });
    }
    Ok(Found { git, common, holder, named })
}

type Place = (PathBuf, Option<PathBuf>, bool);

fn named_by_user(folder: &Path, named: &Path) -> Result<Place, Error> {
    let place = folder.join(named);
    let git = if place.is_file() { led_to(&place)? } else { place };
    let git = git.canonicalize().map_err(|_| Error::NotARepository { folder: folder.join(named) })?;
    let holder = holder_above(folder, &git);
    Ok((git, holder, true))
}

/// The folder, at or above the current one, whose `.git` is this repository.
fn holder_above(folder: &Path, git: &Path) -> Option<PathBuf> {
    let leads_there = |at: &&Path| dot_git(at).ok().flatten().as_deref() == Some(git);
    folder.ancestors().find(leads_there).map(Path::to_owned)
}

/// From the folder upwards, as git does: a `.git`, or a folder that is a repository itself.
fn search(folder: &Path, environment: &Environment) -> Result<Place, Error> {
    let ceilings: Vec<PathBuf> = environment.ceilings.iter().filter_map(|path| path.canonicalize().ok()).collect();
    for at in folder.ancestors() {
        if at != folder && ceilings.iter().any(|ceiling| ceiling == at) {
            break;
        }
        if let Some(git) = dot_git(at)? {
            return Ok((git, Some(at.to_owned()), false));
        }
        if is_git_folder(at, at) {
            refuse_buried(at)?;
            return Ok((at.to_owned(), None, false));
        }
    }
    Err(Error::NotARepository { folder: folder.to_owned() })
}

/// What the `.git` of a folder leads to; none where it has none.
fn dot_git(folder: &Path) -> Result<Option<PathBuf>, Error> {
    let place = folder.join(".git");
    let Ok(metadata) = std::fs::metadata(&place) else {
        return match place.symlink_metadata() {
            Ok(_) => {
                Err(unsafe_place(&place, "it is a link that leads nowhere; remove it, or put back what it led to"))
            }
            Err(_) => Ok(None),
        };
    };
    if metadata.is_dir() {
        let git = canonical(&place)?;
        // An empty `.git` is none: git goes on upwards.
        return Ok(common_of(&git).is_ok_and(|common| is_git_folder(&git, &common)).then_some(git));
    }
    let git = led_to(&place)?;
    git.canonicalize().map(Some).map_err(|_| {
        let reason = format!(
            "it leads to {}, which is not there; if the repository was moved, run `git worktree repair` in it, and if this \
             is a container, give it that folder too",
            git.display()
        );
        unsafe_place(&place, &reason)
    })
}

/// What a `.git` file says: `gitdir: PATH`, relative to its own folder.
fn led_to(place: &Path) -> Result<PathBuf, Error> {
    let content = files::of_user(place)?.map(|file| file.read(MOST_OF_LINK)).transpose()?.unwrap_or_default();
    let target = content.strip_prefix(b"gitdir:").map(<[u8]>::trim_ascii).filter(|target| !target.is_empty());
    let target =
        target.ok_or_else(|| unsafe_place(place, "it does not say `gitdir: PATH`; remove it or put it right"))?;
    Ok(place.parent().unwrap_or(place).join(OsStr::from_bytes(target)))
}

/// A repository in the middle of another one's files was put there by whoever wrote those.
fn refuse_buried(bare: &Path) -> Result<(), Error> {
    let around = bare.ancestors().skip(1).find(|above| dot_git(above).is_ok_and(|git| git.is_some()));
    match around {
        Some(around) if bare.file_name() != Some(OsStr::new(".git")) => {
            let reason = format!(
                "it is a bare repository inside of {}, and may have come with its files; if it is meant, name it with \
                 GIT_DIR={}",
                around.display(),
                bare.display()
            );
            Err(unsafe_place(bare, &reason))
        }
        _ => Ok(()),
    }
}

fn common_of(git: &Path) -> Result<PathBuf, Error> {
    let file = Folder::open(git, Links::Inside)?.read("commondir", MOST_OF_LINK)?;
    match file {
        None => Ok(git.to_owned()),
        Some(content) => canonical(&git.join(OsStr::from_bytes(content.trim_ascii()))),
    }
}

/// Git's own test: a HEAD, objects, references.
fn is_git_folder(git: &Path, common: &Path) -> bool {
    let head = git.join("HEAD");
    let has_head = head.is_file() || head.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    has_head && common.join("objects").is_dir() && common.join("refs").is_dir()
}

fn canonical(path: &Path) -> Result<PathBuf, Error> {
    path.canonicalize().map_err(|source| Error::Io { place: path.to_owned(), source })
}

fn unsafe_place(place: &Path, reason: &str) -> Error {
    Error::Unsafe { place: place.to_owned(), reason: reason.to_owned() }
}

impl Found {
    /// Whether it may be read: its owner is the user, and what lies outside of its folder knows of it. Says what links in it
    /// may lead to. `user` are the settings that are not the repository's.
    pub(crate) fn allow(&self, environment: &Environment, user: &Config) -> Result<Links, Error> {
        if self.named {
            return Ok(Links::Anywhere);
        }
        let top = self.holder.as_deref().unwrap_or(&self.git);
        let trusted = trusted(top, user, environment);
        if !trusted.owner && !self.is_owned(environment) {
            return Err(Error::AnotherOwner { root: top.to_owned() });
        }
        let leads_out = |folder: &Path| self.holder.as_ref().is_some_and(|holder| !folder.starts_with(holder));
        if trusted.by_name {
            return Ok(Links::Anywhere);
        }
        if (leads_out(&self.git) || leads_out(&self.common)) && !self.points_back() {
            return Err(self.stray(top));
        }
        Ok(Links::Inside)
    }

    fn is_owned(&self, environment: &Environment) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let Some(user) = environment.user else { return true };
        let owned = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|metadata| user.owns(metadata.uid()));
        owned(&self.git) && self.holder.as_deref().is_none_or(|holder| owned(holder) && owned(&holder.join(".git")))
    }

    /// Whether a repository outside of its holder knows that this is its working tree. Anybody can write a `.git` file; only
    /// the owner can write what it leads to.
    fn points_back(&self) -> bool {
        let Some(holder) = &self.holder else { return true };
        if self.common != self.git {
            return self.git.starts_with(self.common.join("worktrees")) && self.back() == Some(holder.join(".git"));
        }
        let Ok(config) = read_own(&self.git) else { return false };
        let worktree = config.get("core.worktree").map(|path| self.git.join(OsStr::from_bytes(path)));
        worktree.and_then(|path| path.canonicalize().ok()).as_ref() == Some(holder)
    }

    /// The `.git` file that a linked working tree's folder says it belongs to.
    fn back(&self) -> Option<PathBuf> {
        let content = Folder::open(&self.git, Links::Inside).ok()?.read("gitdir", MOST_OF_LINK).ok()??;
        let place = self.git.join(OsStr::from_bytes(content.trim_ascii()));
        // The file itself is no link, but its folder may lie behind one.
        Some(place.parent()?.canonicalize().ok()?.join(place.file_name()?))
    }

    fn stray(&self, top: &Path) -> Error {
        let reason = format!(
            "{} leads there, and that repository does not know of this folder; if it was moved, run `git worktree repair`, and \
             if it is yours and meant so, say so with `git config --global --add safe.directory {}`",
            top.join(".git").display(),
            top.display()
        );
        unsafe_place(&self.common, &reason)
    }

    /// The top of the working tree; none of a bare repository.
    pub(crate) fn root(
        &self,
        folder: &Path,
        environment: &Environment,
        config: &Config,
    ) -> Result<Option<PathBuf>, Error> {
        if let Some(named) = &environment.work_tree {
            return canonical(&folder.join(named)).map(Some);
        }
        let is_linked = self.common != self.git;
        if is_linked {
            let back = || self.back().and_then(|file| file.parent().map(Path::to_owned));
            return Ok(self.holder.clone().or_else(back));
        }
        if let Some(named) = config.get("core.worktree") {
            let root = canonical(&self.git.join(OsStr::from_bytes(named)))?;
            let known = self.named || self.holder.as_ref() == Some(&root);
            return if known { Ok(Some(root)) } else { Err(self.elsewhere(root)) };
        }
        if config.boolean("core.bare", false) {
            return Ok(None);
        }
        match &self.holder {
            Some(holder) => Ok(Some(holder.clone())),
            // Git takes the current folder where it was only told which repository; one that says nothing of itself is bare.
            None if self.named && !self.looks_bare(config) => Ok(Some(folder.to_owned())),
            None => Ok(None),
        }
    }

    fn looks_bare(&self, config: &Config) -> bool {
        config.get("core.bare").is_none() && self.git.file_name() != Some(OsStr::new(".git"))
    }

    fn elsewhere(&self, root: PathBuf) -> Error {
        let reason = format!(
            "`core.worktree` of {} names it as the working tree, and it is not where that repository was found; \
             remove the setting with `git config --unset core.worktree`",
            self.git.display()
        );
        Error::Unsafe { place: root, reason }
    }
}

/// What the user said of a place by `safe.directory`.
#[derive(Debug, Clone, Copy, Default)]
struct Trusted {
    /// Whoever owns it.
    owner: bool,
    /// Its very path is named. `*` says nothing of this one.
    by_name: bool,
}

/// An empty value forgets those before it, `*` means every place, `DIR/*` what is below it.
fn trusted(place: &Path, user: &Config, environment: &Environment) -> Trusted {
    let mut trusted = Trusted::default();
    for (value, level) in user.all("safe.directory") {
        if matches!(level, Level::Local | Level::Worktree) {
            continue;
        }
        match value {
            b"" => trusted = Trusted::default(),
            b"*" => trusted.owner = true,
            named => {
                let (named, below) = named.strip_suffix(b"/*").map_or((named, false), |above| (above, true));
                let named = expand(named, environment);
                let named = named.canonicalize().unwrap_or(named);
                let hit = if below { place.starts_with(&named) && place != named } else { place == named };
                trusted = Trusted { owner: trusted.owner || hit, by_name: trusted.by_name || hit };
            }
        }
    }
    trusted
}

/// A path of a setting: `~/` is the user's home.
pub(crate) fn expand(path: &[u8], environment: &Environment) -> PathBuf {
    match (path.strip_prefix(b"~/"), &environment.home) {
        (Some(rest), Some(home)) => home.join(OsStr::from_bytes(rest)),
        _ => PathBuf::from(OsStr::from_bytes(path)),
    }
}

/// A repository's own settings, alone and without what they include.
pub(crate) fn read_own(git: &Path) -> Result<Config, Error> {
    let content =
        Folder::open(git, Links::Inside)?.read("config", crate::settings::MOST_OF_CONFIG)?.unwrap_or_default();
    Config::parse(&content, Level::Local).map_err(Error::broken(git.join("config").display().to_string()))
}
