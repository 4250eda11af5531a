//! What a component can see and do: the contract's imports as plain functions.

#[cfg(target_arch = "wasm32")]
use crate::bindings::lens::review_loop::lens as host;
#[cfg(not(target_arch = "wasm32"))]
use native as host;

pub use host::{handover, llm, log};

/// What is under review.
pub mod subject {
    pub use super::host::subject::*;
    use crate::lines;

    /// The hunks of one changed file; none for a binary or omitted one. Without a byte order mark before the first line.
    ///
    /// # Errors
    /// The subject has no such file.
    pub fn hunks(path: &str) -> Result<Vec<Hunk>, Error> {
        super::host::subject::hunks(path).map(lines::unmark)
    }
}

/// The sources around the change.
pub mod source {
    pub use super::host::source::*;
    use crate::lines;

    /// One file, whole, without a byte order mark at its start.
    ///
    /// # Errors
    /// It is not there, is no text, or is more than may be read.
    pub fn read(path: &str, side: crate::types::Side) -> Result<String, Error> {
        let text = super::host::source::read(path, side)?;
        Ok(if lines::unmarked(&text).len() < text.len() { lines::unmarked(&text).to_owned() } else { text })
    }
}

/// The same functions, answered by the fake host of this thread.
#[cfg(not(target_arch = "wasm32"))]
mod native {
    use crate::bindings::lens::review_loop::lens as contract;
    use crate::fake::FakeHost;
    use crate::types::{Report, Side};

    /// What is under review.
    pub(super) mod subject {
        use super::FakeHost;
        pub use super::contract::subject::{
            Change, Claim, Document, Error, File, Hunk, Kind, Line, Outcome, Past, Status,
        };

        /// `code`, `plan` or `claim`.
        pub fn mode() -> String {
            FakeHost::with(|host| host.mode.clone())
        }

        /// 0 for a single review and for the first one of a loop.
        pub fn iteration() -> u32 {
            FakeHost::with(|host| host.iteration)
        }

        /// The changed files, in the order of their paths.
        pub fn files() -> Vec<File> {
            FakeHost::with(FakeHost::files)
        }

        /// The hunks of one changed file; none for a binary or omitted one.
        pub(crate) fn hunks(path: &str) -> Result<Vec<Hunk>, Error> {
            FakeHost::with(|host| host.hunks(path))
        }

        /// Whole texts under review.
        pub fn documents() -> Vec<Document> {
            FakeHost::with(|host| host.documents.clone())
        }

        /// Statements under review.
        pub fn claims() -> Vec<Claim> {
            FakeHost::with(|host| host.claims.clone())
        }

        /// What earlier iterations found.
        pub fn history() -> Vec<Past> {
            FakeHost::with(|host| host.history.clone())
        }
    }

    /// The sources around the change.
    pub(super) mod source {
        pub use super::contract::source::{Error, Listing, Match, Matches, Query, Syntax};
        use super::{FakeHost, Side};

        /// One file, whole.
        pub(crate) fn read(path: &str, side: Side) -> Result<String, Error> {
            FakeHost::with(|host| host.read(path, side))
        }

        /// The paths that fit any of the globs; no globs: all.
        pub fn paths(globs: &[String], side: Side) -> Result<Listing, Error> {
            FakeHost::with(|host| host.paths(globs, side))
        }

        /// The lines that fit any of the query's patterns.
        pub fn search(query: &Query) -> Result<Matches, Error> {
            FakeHost::with(|host| host.search(query))
        }
    }

    /// A language model, metered.
    pub mod llm {
        use super::FakeHost;
        pub use super::contract::llm::{
            Error, Message, Part, Reply, Request, Role, Stop, Tier, Tool, ToolCall, ToolResult, Usage,
        };

        /// Whether `complete` can succeed at all in this run.
        pub fn available() -> bool {
            FakeHost::with(|host| host.model_available())
        }

        /// Asks the model.
        pub fn complete(request: &Request) -> Result<Reply, Error> {
            FakeHost::with(|host| host.complete(request))
        }

        /// Asks all at once; answers in the order of the requests.
        pub fn complete_all(requests: &[Request]) -> Vec<Result<Reply, Error>> {
            requests.iter().map(complete).collect()
        }
    }

    /// What a component has before it is through.
    pub mod handover {
        use super::{FakeHost, Report};

        /// The report as far as it goes, for the case that the call ends without one.
        pub fn keep(so_far: &Report) {
            FakeHost::with(|host| host.handed_over = Some(so_far.clone()));
        }
    }

    /// Messages for the person who runs the host.
    pub mod log {
        use super::FakeHost;
        pub use super::contract::log::Level;

        /// A message.
        pub fn write(level: Level, message: &str) {
            FakeHost::with(|host| host.logged.push((level, message.to_owned())));
        }

        /// What the component is at, in a few words.
        pub fn progress(_message: &str) {}
    }
}
