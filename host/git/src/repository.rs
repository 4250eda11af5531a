//! A repository, opened: all that is read of it, through one value that any number of threads may use.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{Config, Level};
use crate::discover::{self, Found};
use crate::environment::Environment;
use crate::error::Error;
use crate::files::{self, Folder, Links};
use crate::history::Shallow;
use crate::id::{Format, Id};
use crate::index::{self, Index};
use crate::objects::Database;
use crate::refs::Refs;
use crate::settings::{self, About};
use crate::tree;

/// An open repository.
#[derive(Debug)]
pub struct Repository {
    /// The top of the working tree, canonical; none of a bare repository.
    pub root: Option<PathBuf>,
    /// The folder from which it was searched for, canonical.
    pub folder: PathBuf,
    /// Settings of all levels.
    pub config: Config,
    /// Its objects.
    pub objects: Database,
    /// Its references.
    pub refs: Refs,
    /// Where its history was cut.
    pub shallow: Shallow,
    own: Arc<Folder>,
    common: Arc<Folder>,
    environment: Environment,
}

/// Bytes of an index: some three million files.
const MOST_OF_INDEX: u64 = 512 << 20;
/// Bytes of the smaller files of git's own.
const MOST_OF_FILE: u64 = 4 << 20;
/// Folders of objects that are borrowed from, and from which those borrow.
const MOST_ALTERNATES: usize = 32;
/// Entries that the folders of a sparse index may stand for.
const MOST_ENTRIES: usize = 5_000_000;

impl Repository {
    /// Opens the repository that the folder is in, or that the environment names.
    ///
    /// # Errors
    /// There is none, it may not be read, or it has a format that is not read. The message names the way out.
    pub fn open(folder: &Path, environment: &Environment) -> Result<Self, Error> {
        let folder = folder.canonicalize().map_err(|source| Error::Io { place: folder.to_owned(), source })?;
        let found = discover::find(&folder, environment)?;
        let mut user = settings::of_user(environment, About::default())?;
        settings::of_environment(environment, &mut user);
        let links = found.allow(environment, &user)?;
        let own = Arc::new(Folder::open(&found.git, links)?);
        let common =
            if found.common == found.git { Arc::clone(&own) } else { Arc::new(Folder::open(&found.common, links)?) };
        let config = all_settings(&found, &own, &common, environment)?;
        let kept = Kept::of(&discover::read_own(&found.common)?, &found)?;
        let refs = Refs::open(kept.format, Arc::clone(&own), Arc::clone(&common), kept.tables)?;
        let shallow = Shallow::parse(&common.read("shallow", MOST_OF_FILE)?.unwrap_or_default());
        let objects = Database::open(kept.format, object_folders(&folder, &common, environment, links)?)?;
        Ok(Repository {
            root: found.root(&folder, environment, &config)?,
            objects: objects.with_hint(why_missing(&config)),
            environment: environment.clone(),
            folder,
            config,
            refs,
            shallow,
            own,
            common,
        })
    }

    /// Git's own folder of this working tree.
    #[must_use]
    pub fn git_folder(&self) -> &Path {
        self.own.path()
    }

    /// What linked working trees share.
    #[must_use]
    pub fn common_folder(&self) -> &Path {
        self.common.path()
    }

    /// Which hash names its objects.
    #[must_use]
    pub fn format(&self) -> Format {
        self.objects.format()
    }

    /// A file of git's own that all working trees share, such as `info/exclude`; none where there is none.
    ///
    /// # Errors
    /// It is there and is no file, or is too large.
    pub fn common_file(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        self.common.read(name, MOST_OF_FILE)
    }

    /// The patterns of what is ignored everywhere, the weakest first: the user's, then `info/exclude`.
    ///
    /// # Errors
    /// Something else than a file stands in the place of one, or it is too large to be one.
    pub fn exclude_files(&self) -> Result<Vec<Vec<u8>>, Error> {
        let user = self.file_of_user("core.excludesfile", "ignore")?;
        Ok(user.into_iter().chain(self.common_file("info/exclude")?).collect())
    }

    /// The attributes that hold everywhere unless something else is said: the user's.
    ///
    /// # Errors
    /// As [`Repository::exclude_files`].
    pub fn attributes_of_user(&self) -> Result<Option<Vec<u8>>, Error> {
        self.file_of_user("core.attributesfile", "attributes")
    }

    /// The file that a setting names, or the one that git takes where it names none.
    fn file_of_user(&self, key: &str, default: &str) -> Result<Option<Vec<u8>>, Error> {
        let named = self.config.get(key).filter(|value| !value.is_empty());
        let named = named
            .map(|value| self.root.as_ref().unwrap_or(&self.folder).join(discover::expand(value, &self.environment)));
        let default = || Some(self.environment.config_home.as_ref()?.join("git").join(default));
        let Some(path) = named.or_else(default) else { return Ok(None) };
        files::of_user(&path)?.map(|file| file.read(MOST_OF_FILE)).transpose()
    }

    /// A file of git's own of this working tree, such as a log.
    pub(crate) fn own_file(&self, name: impl AsRef<Path>) -> Result<Option<Vec<u8>>, Error> {
        self.own.read(name, MOST_OF_INDEX)
    }

    /// Whether the user wants untracked files left alone: a home folder that is one working tree has little else. It counts
    /// only with a repository that the user named; any other could hide files that way.
    #[must_use]
    pub fn hides_untracked(&self) -> bool {
        let value = self.config.get("status.showuntrackedfiles").unwrap_or(b"normal").to_ascii_lowercase();
        self.environment.git_dir.is_some() && [&b"no"[..], b"false", b"0", b"off"].contains(&value.as_slice())
    }

    /// The branch that is checked out, by its full name, born or not; none where HEAD names a commit.
    ///
    /// # Errors
    /// HEAD is broken.
    pub fn branch(&self) -> Result<Option<Vec<u8>>, Error> {
        match self.refs.find(b"HEAD")? {
            Some(crate::refs::Target::Symbolic(name)) => Ok(Some(name)),
            _ => Ok(None),
        }
    }

    /// The commit that is checked out; none on a branch without one.
    ///
    /// # Errors
    /// HEAD is broken.
    pub fn head(&self) -> Result<Option<Id>, Error> {
        self.refs.follow(b"HEAD").map(|(_, id)| id)
    }

    /// The index, with every file that it stands for; without entries where there is none.
    ///
    /// # Errors
    /// It is broken, too large, or of a format that is not read.
    pub fn index(&self) -> Result<IndexFile, Error> {
        let file = match &self.environment.index_file {
            Some(named) => files::of_user(&self.folder.join(named))?,
            None => self.own.file("index")?,
        };
        let Some(file) = file.filter(|file| file.bytes() > 0) else { return Ok(IndexFile::default()) };
        let (written, place) = (file.modified(), file.place().to_owned());
        let index = self.whole_index(&file.read(MOST_OF_INDEX)?, &place)?;
        Ok(IndexFile { index, written })
    }

    fn whole_index(&self, content: &[u8], place: &Path) -> Result<Index, Error> {
        let broken = || Error::broken(place.display().to_string());
        let mut index = index::parse(content, self.format()).map_err(broken())?;
        if let Some(shared) = index.shared.as_ref().map(|shared| shared.id) {
            let name = format!("sharedindex.{shared}");
            let content = self.own.read(&name, MOST_OF_INDEX)?;
            let content =
                content.ok_or_else(|| broken()(crate::error::Malformed::new(format!("{name} is missing"))))?;
            let shared = index::parse(&content, self.format()).map_err(broken())?;
            index = index.merge(shared).map_err(broken())?;
        }
        if index.is_sparse { self.expanded(index) } else { Ok(index) }
    }

    /// The index with the files of folders that a sparse one keeps as one entry each.
    fn expanded(&self, mut index: Index) -> Result<Index, Error> {
        let mut entries = Vec::with_capacity(index.entries.len());
        for entry in std::mem::take(&mut index.entries) {
            let Some(folder) = entry.path.strip_suffix(b"/").filter(|_| entry.mode & 0o170_000 == 0o040_000) else {
                entries.push(entry);
                continue;
            };
            let mut folders = vec![(folder.to_vec(), entry.id)];
            while let Some((folder, id)) = folders.pop() {
                for child in tree::entries(&self.objects, id)? {
                    let path = [&folder[..], b"/", &child.name].concat();
                    if child.mode & 0o170_000 == 0o040_000 {
                        folders.push((path, child.id));
                    } else {
                        entries.push(index::Entry { path, mode: child.mode, id: child.id, ..entry.clone() });
                    }
                    if entries.len() + folders.len() > MOST_ENTRIES {
                        let (bytes, limit) = (entries.len() as u64, MOST_ENTRIES as u64);
                        return Err(Error::TooLarge { what: "the index, in entries,".to_owned(), bytes, limit });
                    }
                }
            }
        }
        entries.sort_by(|one, other| (&one.path, one.stage).cmp(&(&other.path, other.stage)));
        index.entries = entries;
        index.is_sparse = false;
        Ok(index)
    }

    /// The branch that another one follows, by the full name of the reference that is its copy here; none where it follows
    /// none.
    #[must_use]
    pub fn upstream(&self, branch: &[u8]) -> Option<Upstream> {
        let short = String::from_utf8(branch.strip_prefix(b"refs/heads/")?.to_vec()).ok()?;
        let remote = self.config.get(&format!("branch.{short}.remote"))?.to_vec();
        let merge = self.config.get(&format!("branch.{short}.merge"))?.to_vec();
        if remote == b"." {
            return Some(Upstream { is_its_own_copy: merge == branch, name: merge });
        }
        let remote = String::from_utf8(remote).ok()?;
        let specs: Vec<&[u8]> = self.config.all(&format!("remote.{remote}.fetch")).map(|(spec, _)| spec).collect();
        let name = specs.iter().find_map(|spec| mapped(spec, &merge))?;
        Some(Upstream { name, is_its_own_copy: merge == branch })
    }

    /// Every remote, by its name.
    #[must_use]
    pub fn remotes(&self) -> Vec<Vec<u8>> {
        self.config.subsections("remote").into_iter().collect()
    }
}

/// The index, and when it was written.
#[derive(Debug, Default)]
pub struct IndexFile {
    /// What it holds.
    pub index: Index,
    /// Seconds and nanoseconds since 1970. A file that changed no earlier may have changed after its entry was made.
    pub written: Option<(i64, u32)>,
}

/// The branch that another one follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// The full name of its copy in this repository.
    pub name: Vec<u8>,
    /// It is only what the branch itself was pushed as.
    pub is_its_own_copy: bool,
}

/// Where `git fetch` would put a remote's reference: `+refs/heads/*:refs/remotes/origin/*`.
fn mapped(spec: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let spec = spec.strip_prefix(b"+").unwrap_or(spec);
    let colon = spec.iter().position(|&byte| byte == b':')?;
    let (from, to) = (spec.get(..colon)?, spec.get(colon + 1..)?);
    let halves = |pattern: &[u8]| {
        let star = pattern.iter().position(|&byte| byte == b'*')?;
        Some((pattern.get(..star)?.to_vec(), pattern.get(star + 1..)?.to_vec()))
    };
    match (halves(from), halves(to)) {
        (Some((before, after)), Some((start, end))) => {
            let middle = name.strip_prefix(&before[..])?.strip_suffix(&after[..])?;
            Some([&start, middle, &end].concat())
        }
        _ => (from == name).then(|| to.to_vec()),
    }
}

/// The settings of all levels, the weakest first.
fn all_settings(found: &Found, own: &Folder, common: &Folder, environment: &Environment) -> Result<Config, Error> {
    let head = own.read("HEAD", MOST_OF_FILE)?.unwrap_or_default();
    let branch = head.strip_prefix(b"ref:").and_then(|name| name.trim_ascii().strip_prefix(b"refs/heads/"));
    let about = About { git: Some(&found.git), branch };
    let mut config = settings::of_user(environment, about)?;
    config.append(settings::of_repository(common, "config", Level::Local, environment, about)?);
    if config.boolean("extensions.worktreeconfig", false) {
        config.append(settings::of_repository(own, "config.worktree", Level::Worktree, environment, about)?);
    }
    settings::of_environment(environment, &mut config);
    Ok(config)
}

/// In which formats a repository is kept.
struct Kept {
    format: Format,
    tables: bool,
}

/// Extensions that change nothing for a reader.
const HARMLESS: [&str; 8] = [
    "noop",
    "noop-v1",
    "preciousobjects",
    "partialclone",
    "worktreeconfig",
    "relativeworktrees",
    "compatobjectformat",
    "submodulepathconfig",
];

impl Kept {
    /// Only the repository's own file says what it is kept in, whatever the user's settings say.
    fn of(config: &Config, found: &Found) -> Result<Self, Error> {
        let unsupported = |what: String| Error::Unsupported { place: found.common.clone(), what };
        let value = |name: &str| {
            config.get(&format!("extensions.{name}")).map(|value| String::from_utf8_lossy(value).to_lowercase())
        };
        let version = config.get("core.repositoryformatversion").unwrap_or(b"0");
        match version {
            b"0" => return Ok(Kept { format: Format::Sha1, tables: false }),
            b"1" => {}
            other => {
                return Err(unsupported(format!("version {} of the format", String::from_utf8_lossy(other))));
            }
        }
        let known = ["objectformat", "refstorage"].into_iter().chain(HARMLESS).map(str::as_bytes);
        let known: Vec<&[u8]> = known.collect();
        if let Some(name) = config.names("extensions").iter().find(|name| !known.contains(&name.as_slice())) {
            return Err(unsupported(format!("the extension `{}`", String::from_utf8_lossy(name))));
        }
        let format = match value("objectformat").as_deref() {
            None | Some("sha1") => Format::Sha1,
            Some("sha256") => Format::Sha256,
            Some(other) => return Err(unsupported(format!("objects named by {other}"))),
        };
        let tables = match value("refstorage").as_deref() {
            None | Some("files") => false,
            Some("reftable") => true,
            Some(other) => return Err(unsupported(format!("references kept as {other}"))),
        };
        Ok(Kept { format, tables })
    }
}

/// The folders of objects: the repository's own, what the environment adds, and what those borrow from.
fn object_folders(
    folder: &Path,
    common: &Folder,
    environment: &Environment,
    links: Links,
) -> Result<Vec<Folder>, Error> {
    let own =
        environment.object_directory.as_ref().map_or_else(|| common.path().join("objects"), |named| folder.join(named));
    let own = if links == Links::Anywhere { own.canonicalize().unwrap_or(own) } else { inside(common, own)? };
    let mut open = vec![own];
    open.extend(environment.alternates.iter().map(|path| folder.join(path)));
    let mut folders: Vec<Folder> = Vec::new();
    while !open.is_empty() && folders.len() < MOST_ALTERNATES {
        let place = open.remove(0);
        // One that is gone is only missed where an object of it is wanted.
        let Ok(opened) = Folder::open(&place, links) else { continue };
        if folders.iter().any(|known| known.path() == opened.path()) {
            continue;
        }
        let borrowed = opened.read("info/alternates", MOST_OF_FILE)?.unwrap_or_default();
        open.extend(alternates(&borrowed).map(|path| place.join(path)));
        folders.push(opened);
    }
    Ok(folders)
}

/// A folder of objects that is a link out of the repository shows another repository's objects.
fn inside(common: &Folder, objects: PathBuf) -> Result<PathBuf, Error> {
    let whole = objects.canonicalize().map_err(|source| Error::Io { place: objects.clone(), source })?;
    if whole.starts_with(common.path()) || !objects.starts_with(common.path()) {
        return Ok(whole);
    }
    let top = common.path().parent().unwrap_or(common.path());
    let reason = format!(
        "it is a link to {}, out of the repository; if it is yours and meant so, say so with \
         `git config --global --add safe.directory {}`",
        whole.display(),
        top.display()
    );
    Err(Error::Unsafe { place: objects, reason })
}

fn alternates(content: &[u8]) -> impl Iterator<Item = PathBuf> + '_ {
    let lines = content.split(|&byte| byte == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    lines.map(|line| PathBuf::from(OsStr::from_bytes(line)))
}

/// A partial clone leaves objects where they came from.
fn why_missing(config: &Config) -> Option<String> {
    let names = config.subsections("remote");
    let promises =
        |name: &Vec<u8>| config.boolean(&format!("remote.{}.promisor", String::from_utf8_lossy(name)), false);
    let remote = names.iter().find(|name| promises(name))?;
    Some(format!(
        "this is a partial clone, which left it with the remote `{}`; git fetches what it needs when it is asked: run \
         `git diff` over the same revisions once, then review again",
        String::from_utf8_lossy(remote)
    ))
}
