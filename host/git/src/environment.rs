//! What the user says about git through the environment. It is the user's word, and not the repository's: a hook is told this
//! way which index and which objects it is about.

use std::ffi::OsString;
use std::path::PathBuf;

/// The variables that git itself reads, as far as they decide what is read. Relative paths are relative to the folder in which
/// the search starts. The default has none of them, and no user: what a test needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// `GIT_DIR`: git's own folder; nothing is searched for.
    pub git_dir: Option<PathBuf>,
    /// `GIT_WORK_TREE`: the top of the working tree.
    pub work_tree: Option<PathBuf>,
    /// `GIT_COMMON_DIR`: what linked worktrees share.
    pub common_dir: Option<PathBuf>,
    /// `GIT_INDEX_FILE`: the index, such as the one of a commit that is being made.
    pub index_file: Option<PathBuf>,
    /// `GIT_OBJECT_DIRECTORY`: where objects are, such as those that a push has brought and that are not accepted yet.
    pub object_directory: Option<PathBuf>,
    /// `GIT_ALTERNATE_OBJECT_DIRECTORIES`: further places of objects.
    pub alternates: Vec<PathBuf>,
    /// `GIT_CEILING_DIRECTORIES`: folders above which no repository is searched for.
    pub ceilings: Vec<PathBuf>,
    /// The user's home: `~` in settings, and the place of their `.gitconfig`.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, or what stands for it: the user's default `git/ignore` and `git/attributes` are below it.
    pub config_home: Option<PathBuf>,
    /// The files with the machine's and the user's settings, the weakest first.
    pub config_files: Vec<ConfigFile>,
    /// `GIT_CONFIG_COUNT` and what belongs to it: keys and values.
    pub config: Vec<(String, Vec<u8>)>,
    /// The user who runs this; none where any owner is as good as another.
    pub user: Option<User>,
}

/// A file with settings that are not the repository's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigFile {
    /// The machine's.
    System(PathBuf),
    /// The user's.
    Global(PathBuf),
}

/// Who runs this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    /// The effective user.
    pub id: u32,
    /// `SUDO_UID`: whom root was asked by. Git takes what is theirs for root's own.
    pub asked_by: Option<u32>,
}

impl Environment {
    /// What a process's environment says; `variable` gives the value of a name.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let path = |name: &str| set(name).map(PathBuf::from);
        let paths = |name: &str| set(name).map(|list| std::env::split_paths(&list).collect()).unwrap_or_default();
        let home = path("HOME");
        let config_home = path("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        Environment {
            git_dir: path("GIT_DIR"),
            work_tree: path("GIT_WORK_TREE"),
            common_dir: path("GIT_COMMON_DIR"),
            index_file: path("GIT_INDEX_FILE"),
            object_directory: path("GIT_OBJECT_DIRECTORY"),
            alternates: paths("GIT_ALTERNATE_OBJECT_DIRECTORIES"),
            ceilings: paths("GIT_CEILING_DIRECTORIES"),
            config_files: config_files(&set, home.as_ref(), config_home.as_ref()),
            config_home,
            config: counted(&set),
            user: Some(User::current(set("SUDO_UID"))),
            home,
        }
    }
}

/// The files by git's own rules: `GIT_CONFIG_NOSYSTEM` and `GIT_CONFIG_SYSTEM`, `GIT_CONFIG_GLOBAL` instead of both of the
/// user's.
fn config_files(
    set: &impl Fn(&str) -> Option<OsString>,
    home: Option<&PathBuf>,
    config_home: Option<&PathBuf>,
) -> Vec<ConfigFile> {
    let mut files = Vec::new();
    let no_system =
        set("GIT_CONFIG_NOSYSTEM").is_some_and(|value| !["0", "false", "no", "off"].iter().any(|no| value == *no));
    if !no_system {
        let system = set("GIT_CONFIG_SYSTEM").map_or_else(|| PathBuf::from("/etc/gitconfig"), PathBuf::from);
        files.push(ConfigFile::System(system));
    }
    if let Some(global) = set("GIT_CONFIG_GLOBAL") {
        files.push(ConfigFile::Global(PathBuf::from(global)));
        return files;
    }
    files.extend(config_home.map(|folder| ConfigFile::Global(folder.join("git").join("config"))));
    files.extend(home.map(|home| ConfigFile::Global(home.join(".gitconfig"))));
    files
}

/// Settings that are set through the environment itself.
fn counted(set: &impl Fn(&str) -> Option<OsString>) -> Vec<(String, Vec<u8>)> {
    use std::os::unix::ffi::OsStringExt as _;
    /// More than any person or hook sets.
    const MOST: usize = 1_000;
    let count = set("GIT_CONFIG_COUNT").and_then(|count| count.to_str()?.parse().ok()).unwrap_or(0_usize);
    let pair = |at: usize| {
        let key = set(&format!("GIT_CONFIG_KEY_{at}"))?.into_string().ok()?;
        Some((key, set(&format!("GIT_CONFIG_VALUE_{at}")).unwrap_or_default().into_vec()))
    };
    (0..count.min(MOST)).filter_map(pair).collect()
}

impl User {
    fn current(asked_by: Option<OsString>) -> Self {
        let id = rustix::process::geteuid().as_raw();
        let asked_by = asked_by.and_then(|text| text.to_str()?.parse().ok()).filter(|_| id == 0);
        User { id, asked_by }
    }

    /// Whether something of this owner counts as this user's own.
    #[must_use]
    pub fn owns(&self, owner: u32) -> bool {
        owner == self.id || Some(owner) == self.asked_by
    }
}
