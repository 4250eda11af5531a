//! Repositories that git itself makes: what tests read, and whom they ask what is right.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::id::Format;

/// Both hashes, for what has to hold with either.
pub(crate) const FORMATS: [Format; 2] = [Format::Sha1, Format::Sha256];

/// A repository in a folder of its own, which is gone with it.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    /// A new repository, with more arguments of `git init`.
    pub(crate) fn new(format: Format, init: &[&str]) -> Self {
        let sandbox = Sandbox { folder: tempfile::tempdir().unwrap() };
        let hash = match format {
            Format::Sha1 => "--object-format=sha1",
            Format::Sha256 => "--object-format=sha256",
        };
        sandbox.git(&[&["init", "--quiet", "--initial-branch=main", hash], init].concat());
        sandbox
    }

    /// Where something of the repository is.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// The bytes of a file.
    pub(crate) fn read(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.path(path)).unwrap()
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Stages everything and commits it.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    /// What git says to this; it has to succeed.
    pub(crate) fn git(&self, arguments: &[&str]) -> Vec<u8> {
        self.git_reads(arguments, b"")
    }

    /// What git says to this, and to these bytes as its input; it has to succeed.
    pub(crate) fn git_reads(&self, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        let output = self.run(arguments, input);
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// Runs git, and nothing of the machine's or the user's settings with it.
    #[expect(clippy::disallowed_methods, reason = "tests compare with git itself")]
    pub(crate) fn run(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut git = Command::new("git");
        git.arg("-C").arg(self.folder.path()).args(arguments).envs(ENVIRONMENT).env("HOME", self.folder.path());
        git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = git.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    }
}

/// The same names, times and settings on every machine, and tables of references that stay as they were written.
const ENVIRONMENT: [(&str, &str); 9] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_AUTHOR_NAME", "A"),
    ("GIT_AUTHOR_EMAIL", "a@example.com"),
    ("GIT_AUTHOR_DATE", "1700000000 +0000"),
    ("GIT_COMMITTER_NAME", "C"),
    ("GIT_COMMITTER_EMAIL", "c@example.com"),
    ("GIT_COMMITTER_DATE", "1700000000 +0000"),
    ("GIT_TEST_REFTABLE_AUTOCOMPACTION", "false"),
];
