//! What every subcommand needs: the folder, the environment, the settings, the sandbox.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use review_loop_core::finding::Side;
use review_loop_core::narrowed::Narrowed;
use review_loop_core::paths::Rules;
use review_loop_core::subject::{File, Kind, Omitted, Subject};

use super::Global;
use crate::config::{self, Config, Found, Layer, Layers, Origin, PROJECT_FILE, PROJECT_FOLDER, Setting};
use crate::error::Error;
use crate::runtime::Runtime;
use crate::scope::{Change, SourceError};
use crate::state::{self, Unusable};
use crate::ui::printer::Printer;

/// Files that may have to be open at once: the program's own, a repository's packs, a component's memories.
const FEWEST_FILES: usize = 32;

/// The settings of one call, and where they come from.
pub(super) struct Setup {
    /// The current folder.
    pub(super) folder: PathBuf,
    /// The settings, resolved.
    pub(super) config: Config,
    user_file: Option<PathBuf>,
    user: Option<Layer>,
    project: Option<Layer>,
    flags: Vec<Layer>,
    /// What there is to know about the project's settings. Holds the project's own words.
    pub(super) notices: Vec<String>,
    /// The work tree under review, once there is one.
    root: Option<PathBuf>,
}

impl Setup {
    /// Reads the user's settings. A project's come later, from its sources: see [`Setup::narrow`].
    pub(super) fn new(global: &Global, flags: Vec<Layer>) -> Result<Self, Error> {
        enough_files()?;
        let current = env::current_dir().map_err(|error| Error::read(Path::new("the current folder"), &error))?;
        let folder = global.folder.as_ref().map_or_else(|| current.clone(), |folder| current.join(folder));
        let user_file = global.config.clone().or_else(default_user_file);
        let user = match &user_file {
            Some(path) => user_layer(path, global.config.is_some())?,
            None => None,
        };
        let config = Layers::defaults()?.resolve()?;
        let mut setup = Self { folder, config, user_file, user, project: None, flags, notices: Vec::new(), root: None };
        setup.config = setup.layers()?.resolve()?;
        Ok(setup)
    }

    /// Takes the project's own settings from the change's sources, as they were before the change: see [`config::settle`].
    pub(super) fn narrow(&mut self, mut change: Change) -> Result<Change, Error> {
        self.root.clone_from(&change.root);
        let lenses = self.config.lenses.of_mode(change.subject.mode);
        let (before, after) = (project_file(&change, Side::Old), project_file(&change, Side::New));
        let settled = config::settle(&before, &after, &Layers::defaults()?.settings(), lenses);
        (self.project, self.notices) = (settled.layer, settled.notices);
        self.config = self.layers()?.resolve()?;
        let rules = Rules::new(&self.config.scope.ignore).map_err(|error| Error::Usage(error.to_string()))?;
        for file in &mut change.subject.files {
            if file.omitted.is_none() && rules.omitted(&file.path) == Some(Omitted::Ignored) {
                file.omitted = Some(Omitted::Ignored);
                file.hunks.clear();
            }
        }
        Ok(change)
    }

    /// What the settings keep from being looked at, of this subject and with these lenses alone, if any are named.
    pub(super) fn narrowed(&self, subject: &Subject, only: &[String]) -> Result<Vec<Narrowed>, Error> {
        Ok(config::narrowed(&self.settings()?, &self.config, subject, only))
    }

    /// Every setting with its origin.
    pub(super) fn settings(&self) -> Result<Vec<Setting>, Error> {
        Ok(self.layers()?.settings())
    }

    /// The user's file, whether it is there or not.
    pub(super) fn user_file(&self) -> Option<&Path> {
        self.user_file.as_deref()
    }

    /// The sandbox, with the user's cache of compiled components.
    pub(super) fn runtime(&self, printer: &Printer) -> Result<Runtime, Error> {
        let (limits, folder) = (&self.config.limits, self.cache_folder());
        let (runtime, complaint) = Runtime::new(folder.as_deref().ok(), limits.lens(), limits.falsifier())?;
        let unusable = folder.err().map(|why| format!("compiled components are not kept: {why}"));
        if let Some(complaint) = unusable.or(complaint) {
            printer.warn(&complaint);
        }
        Ok(runtime)
    }

    /// Where compiled components are kept: of the user's, and nowhere near what is reviewed.
    pub(super) fn cache_folder(&self) -> Result<PathBuf, Unusable> {
        let users = etcetera::choose_base_strategy().ok().map(|strategy| strategy.cache_dir());
        let reviewed: Vec<PathBuf> =
            env::current_dir().into_iter().chain([self.folder.clone()]).chain(self.root.clone()).collect();
        state::cache_folder(env::var_os("REVIEW_LOOP_CACHE"), users, &reviewed)
    }

    /// What runs the components.
    pub(super) fn executor(&self) -> Result<tokio::runtime::Runtime, Error> {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Usage(format!("the program's threads could not be started: {error}")))
    }

    /// Reads a variable of the environment.
    pub(super) fn env(&self) -> impl Fn(&str) -> Option<String> + use<> {
        |name: &str| env::var(name).ok()
    }

    fn layers(&self) -> Result<Layers, Error> {
        let mut layers = Layers::defaults()?;
        for layer in self.project.iter().chain(&self.user) {
            layers.push(layer.clone())?;
        }
        layers.push_environment(&self.env())?;
        for layer in &self.flags {
            layers.push(layer.clone())?;
        }
        Ok(layers)
    }
}

/// The project's file as it is on one side. What takes its place (a link, a folder's place taken) is never followed.
fn project_file(change: &Change, side: Side) -> Found {
    let kind = |file: &File| if side == Side::Old { file.old_kind } else { file.new_kind };
    let file = change.subject.files.iter().find(|file| file.path == PROJECT_FILE);
    if file.and_then(kind) == Some(Kind::Symlink) {
        return Found::Unusable("it is a link".to_owned());
    }
    match change.sources.read(PROJECT_FILE, side) {
        Ok(content) => Found::Content(content),
        Err(SourceError::NotFound) => match change.sources.read(PROJECT_FOLDER, side) {
            Err(SourceError::NotFound) => Found::Absent,
            _ => Found::Unusable(format!("{PROJECT_FOLDER} is no folder")),
        },
        Err(error) => Found::Unusable(error.to_string()),
    }
}

/// Says early that too few files may be open: libraries beneath would panic, each at a place of its own.
fn enough_files() -> Result<(), Error> {
    let opened: std::io::Result<Vec<_>> = (0..FEWEST_FILES / 2).map(|_| std::io::pipe()).collect();
    let what =
        |error| format!("fewer than {FEWEST_FILES} more files can be opened: {error}; `ulimit -n 256` allows more");
    opened.map(drop).map_err(|error| Error::Usage(what(error)))
}

/// The user's own file. A home that is a relative path could be anybody's folder: the one that is reviewed, most of all.
fn default_user_file() -> Option<PathBuf> {
    let folder = etcetera::choose_base_strategy().ok()?.config_dir();
    folder.is_absolute().then(|| folder.join("review-loop").join("config.toml"))
}

fn user_layer(path: &Path, must_exist: bool) -> Result<Option<Layer>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(Layer::parse(Origin::User(path.to_owned()), &text)?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must_exist => Ok(None),
        Err(error) => Err(Error::read(path, &error)),
    }
}
