//! One outcome, many readers: each output format is one file here.
//!
//! A format is a pure function of the [`Outcome`]: it opens no file, knows no clock and asks no terminal, so the same
//! outcome gives the same bytes everywhere. To add one, write `<name>.rs` with a `render` function, name it in
//! [`Format`] with its line of help, and let the compiler show the arm of [`render`] that is missing.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use review_loop_core::outcome::{Outcome, RunState, Word};

use crate::ui::Verbosity;

mod concise;
mod finding;
pub mod json;
mod page;
mod place;
mod sarif;
mod snippet;
mod text;
mod uri;
mod words;

/// The exit code of a run that its user interrupted.
const INTERRUPTED: u8 = 130;

/// The output formats. Each line of documentation is the format's help.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, ValueEnum)]
pub enum Format {
    /// For people: findings with the code around them
    #[default]
    Text,
    /// One finding a line: path:line:column: severity category: claim
    Concise,
    /// For programs, with a published schema
    Json,
    /// SARIF 2.1.0, within the limits of code scanning services
    Sarif,
}

/// How a format that is read by people is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Columns to fill at most.
    pub width: usize,
    /// Whether the reader understands colour.
    pub color: bool,
    /// How much is told.
    pub verbosity: Verbosity,
    /// Whether it is told which findings were merged and what they share.
    pub explain: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 80, color: false, verbosity: Verbosity::Normal, explain: false }
    }
}

/// The outcome in a format, whole, with a line feed at its end.
#[must_use]
pub fn render(outcome: &Outcome, format: Format, options: &Options) -> String {
    match format {
        Format::Text => text::render(outcome, options),
        Format::Concise => concise::render(outcome),
        Format::Json => json::render(outcome),
        Format::Sarif => sarif::render(outcome),
    }
}

/// The verdict that is shown, and that the exit code must follow.
///
/// It is the outcome's own word, with one safeguard: beside something that was not examined no output ever says that
/// all is well.
#[must_use]
pub fn word(outcome: &Outcome) -> Word {
    match outcome.word {
        Word::Clean | Word::NothingToReview if !is_complete(outcome) => Word::Incomplete,
        word => word,
    }
}

/// The exit code of the process: the verdict's, unless the user ended the run before it had one.
#[must_use]
pub fn exit_code(outcome: &Outcome) -> u8 {
    if outcome.interrupted { INTERRUPTED } else { word(outcome).exit_code() }
}

/// Whether everything in scope was examined.
fn is_complete(outcome: &Outcome) -> bool {
    let failed = |state: &RunState| matches!(state, RunState::Failed(_) | RunState::Partial);
    outcome.gaps.is_empty()
        && !outcome.interrupted
        && !matches!(outcome.word, Word::Incomplete | Word::Exhausted)
        && !outcome.components.iter().any(|component| failed(&component.state))
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        <Self as ValueEnum>::from_str(name, false).map_err(|_| UnknownFormat(name.to_owned()))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_possible_value().map_or(Ok(()), |value| f.write_str(value.get_name()))
    }
}

/// A format that there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no output format `{0}`; there are {names}", names = names())]
pub struct UnknownFormat(String);

/// The names of all formats, for a message.
fn names() -> String {
    let names: Vec<String> = Format::value_variants().iter().map(|format| format!("`{format}`")).collect();
    words::list(&names)
}
