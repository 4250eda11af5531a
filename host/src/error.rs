//! What can go wrong at the rim, and the exit code of each.

use std::io;
use std::path::Path;

use review_loop_core::outcome::Failure;

use crate::config;
use crate::lenses::Unknown;
use crate::llm::choose::ChooseError;
use crate::llm::replay::CassetteError;
use crate::scope;

/// Why the program could not do what it was called for. What a review could not examine is no error: that is in its
/// outcome.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The change could not be read.
    #[error(transparent)]
    Scope(#[from] scope::Error),
    /// A setting is wrong.
    #[error(transparent)]
    Config(#[from] config::Error),
    /// A component that is not there.
    #[error(transparent)]
    Component(#[from] Unknown),
    /// The model that was asked for cannot be used.
    #[error(transparent)]
    Model(#[from] ChooseError),
    /// A cassette cannot be written.
    #[error(transparent)]
    Cassette(#[from] CassetteError),
    /// The sandbox cannot be started at all.
    #[error("the sandbox cannot be started: {}", .0.reason)]
    Sandbox(Failure),
    /// A file, named by the message.
    #[error("{0}")]
    File(String),
    /// Anything else about the call.
    #[error("{0}")]
    Usage(String),
    /// The user ended it.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// A file that cannot be read.
    #[must_use]
    pub fn read(path: &Path, error: &io::Error) -> Self {
        Self::File(format!("{} cannot be read: {error}", path.display()))
    }

    /// A file that cannot be written.
    #[must_use]
    pub fn write(path: &Path, error: &io::Error) -> Self {
        Self::File(format!("{} cannot be written: {error}", path.display()))
    }

    /// Standard output that cannot be written.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "for map_err")]
    pub fn stdout(error: io::Error) -> Self {
        Self::write(Path::new("standard output"), &error)
    }

    /// What to do about it, where the message does not say.
    #[must_use]
    pub fn hints(&self) -> &[String] {
        &[]
    }

    /// 2 for a wrong call or configuration, 130 for an interruption.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Interrupted => 130,
            _ => 2,
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Sandbox(failure)
    }
}
