//! A repository in a temporary folder, made with the `git` program and nothing of the machine's configuration.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use review_loop::scope::{self, Change, Environment, Error, Options, Request, Scope};

/// A repository that is removed at the end of its test.
pub(crate) struct Repository {
    home: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl Repository {
    /// A new repository without a commit.
    pub(crate) fn new() -> Self {
        Repository::kept_as(&[])
    }

    /// A new repository that git keeps in another format: the further arguments of `git init`.
    pub(crate) fn kept_as(format: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap().join("work");
        fs::create_dir(&root).unwrap();
        let repository = Repository { home, root };
        repository.git(["init", "--quiet", "--template=", "--initial-branch=main"].iter().chain(format));
        repository
    }

    /// The name of the empty tree, which depends on the hash.
    pub(crate) fn empty_tree(&self) -> String {
        let name = self.git(["hash-object", "-t", "tree", "/dev/null"]);
        String::from_utf8(name).unwrap().trim().to_owned()
    }

    /// A repository whose first commit holds these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let repository = Repository::new();
        files.iter().for_each(|(path, content)| repository.write(path, content));
        repository.commit_all();
        repository
    }

    /// A folder beside the repository, removed together with it.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.parent().unwrap().join(name)
    }

    pub(crate) fn path(&self, path: impl AsRef<[u8]>) -> PathBuf {
        self.root.join(OsStr::from_bytes(path.as_ref()))
    }

    /// Writes a file; whatever is in the way goes.
    pub(crate) fn write(&self, path: impl AsRef<[u8]>, content: impl AsRef<[u8]>) {
        let path = self.make_way(path);
        fs::write(path, content).unwrap();
    }

    pub(crate) fn link(&self, path: impl AsRef<[u8]>, target: &str) {
        let path = self.make_way(path);
        symlink(target, path).unwrap();
    }

    /// Sets or clears the bit that makes a file a program.
    pub(crate) fn set_executable(&self, path: impl AsRef<[u8]>, executable: bool) {
        let mode = if executable { 0o755 } else { 0o644 };
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Removes a file or a folder, if it is there.
    pub(crate) fn remove(&self, path: impl AsRef<[u8]>) {
        let path = self.path(path);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path).unwrap(),
            Ok(_) => fs::remove_file(path).unwrap(),
            Err(_) => {}
        }
    }

    fn make_way(&self, path: impl AsRef<[u8]>) -> PathBuf {
        let full = self.path(path.as_ref());
        let inside: Vec<&Path> = full.ancestors().skip(1).take_while(|above| *above != self.root).collect();
        for above in inside.iter().rev() {
            if fs::symlink_metadata(above).is_ok_and(|metadata| !metadata.is_dir()) {
                fs::remove_file(above).unwrap();
            }
        }
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        self.remove(path);
        full
    }

    /// Runs git in the repository; it must succeed. Gives what it printed.
    pub(crate) fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Vec<u8> {
        self.git_in(&self.root, arguments)
    }

    pub(crate) fn git_in<S: AsRef<OsStr>>(&self, folder: &Path, arguments: impl IntoIterator<Item = S>) -> Vec<u8> {
        let output = self.try_git(folder, None, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git failed: {said}");
        output.stdout
    }

    /// Runs git with another index.
    pub(crate) fn git_with_index<S: AsRef<OsStr>>(
        &self,
        index: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> Vec<u8> {
        self.try_git(&self.root, Some(index), arguments).stdout
    }

    pub(crate) fn try_git<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        index: Option<&Path>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Output {
        let mut command = Command::new("git");
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("HOME", self.home.path().join("no-home")).env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "A").env(format!("GIT_{role}_EMAIL"), "a@example.com");
            command.env(format!("GIT_{role}_DATE"), "2001-02-03T04:05:06Z");
        }
        command.envs(index.map(|index| ("GIT_INDEX_FILE", index)));
        command.args(["-c", "protocol.file.allow=always", "-c", "advice.addEmbeddedRepo=false"]);
        command.current_dir(folder).args(arguments).output().unwrap()
    }

    /// Commits everything there is.
    pub(crate) fn commit_all(&self) {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--allow-empty", "--message=x"]);
    }

    /// The change of a scope, with nothing left out.
    pub(crate) fn read(&self, scope: Scope) -> Change {
        self.try_read(scope).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The uncommitted work, read with these options.
    pub(super) fn read_with(&self, options: Options) -> Change {
        let folder = self.root.clone();
        let environment = Environment::default();
        scope::read(&Request { folder, scope: Scope::Working, pathspecs: Vec::new(), options, environment }).unwrap()
    }

    pub(crate) fn try_read(&self, scope: Scope) -> Result<Change, Error> {
        read_in(&self.root, scope)
    }
}

/// The change of a scope, seen from a folder, with nothing left out.
pub(crate) fn read_in(folder: &Path, scope: Scope) -> Result<Change, Error> {
    let options = Options {
        max_file_bytes: u64::MAX,
        include_generated: true,
        include_vendored: true,
        include_lock_files: true,
        ..Options::default()
    };
    let environment = Environment::default();
    scope::read(&Request { folder: folder.to_owned(), scope, pathspecs: Vec::new(), options, environment })
}

/// The files of a change, one a line: status, path, lines.
pub(crate) fn listed(change: &Change) -> String {
    let line = |file: &review_loop_core::subject::File| {
        let from = file.old_path.as_ref().map(|old| format!("{old} -> ")).unwrap_or_default();
        let omitted = file.omitted.as_ref().map(|why| format!(" {why:?}")).unwrap_or_default();
        format!("{:?} {from}{} +{} -{}{omitted}", file.status, file.path, file.added, file.removed)
    };
    change.subject.files.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The lines of one file of a change as a patch without its head.
pub(crate) fn patch(change: &Change, path: &str) -> String {
    use review_loop_core::subject::Change::{Added, Context, Removed};
    let file = change.subject.files.iter().find(|file| file.path == path).expect("the file is in the change");
    let mut text = String::new();
    for hunk in &file.hunks {
        text.push_str(&format!("@@ {}\n", hunk.header));
        for line in &hunk.lines {
            let sign = match line.change {
                Context => ' ',
                Added => '+',
                Removed => '-',
            };
            let end = if line.unterminated { " (no line feed)" } else { "" };
            text.push_str(&format!("{sign}{}{end}\n", line.text.escape_debug()));
        }
    }
    text
}
