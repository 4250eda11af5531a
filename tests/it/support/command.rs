//! The program, run as a user would, with nothing of the machine around it.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::guests;

/// The program, not started yet.
pub(crate) struct Program(Command);

/// What a run printed, and how it ended.
#[must_use = "look at what was printed, or at the exit code"]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Program {
    /// Ready to run in a folder: an empty environment, no home, and a cache of compiled components that all tests share.
    pub(crate) fn new(folder: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_review-loop"));
        command.current_dir(folder).env_clear().stdin(Stdio::null());
        command.env("HOME", folder.join("no-home")).env("REVIEW_LOOP_CACHE", guests::cache());
        Self(command)
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    pub(crate) fn run(mut self, arguments: &[&str]) -> Output {
        Output::of(&self.0.args(arguments).output().unwrap())
    }

    /// Started, and left to itself.
    pub(crate) fn start(mut self, arguments: &[&str]) -> std::process::Child {
        self.0.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

impl Output {
    pub(crate) fn of(output: &std::process::Output) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }

    /// The one line that differs between runs, the last, without its time.
    fn timeless(&self) -> String {
        let mut lines: Vec<String> = self.stdout.lines().map(str::to_owned).collect();
        let verdict = lines.last().and_then(|last| Some(last.rsplit_once("; ")?.0.to_owned()));
        if let (Some(last), Some(verdict)) = (lines.last_mut(), verdict) {
            *last = format!("{verdict}; [time]");
        }
        lines.join("\n")
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.timeless())?;
        if !self.stderr.is_empty() {
            write!(f, "------- stderr\n{}", self.stderr)?;
        }
        write!(f, "[exit status: {}]", self.code.map_or("signal".to_owned(), |code| code.to_string()))
    }
}
