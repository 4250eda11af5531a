//! What several features' tests share.

pub(crate) mod command;
pub(crate) mod guests;

use std::path::Path;

pub(crate) use crate::llm::fake;
pub(crate) use crate::scope::repository::Repository;
use command::Program;

impl Repository {
    /// The program, ready to run here.
    pub(crate) fn program(&self) -> Program {
        Program::new(&self.root)
    }
}

/// The top of the project's own sources.
pub(crate) fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
