//! The terminal: what is written to it, in which colours, and what may never reach it.

pub mod printer;
pub mod progress;
pub mod sanitise;
pub mod style;

/// How much is said beside the result itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// What needs action, and the closing line.
    Quiet,
    /// What a person wants to see after every run.
    #[default]
    Normal,
    /// Everything that is known.
    Verbose,
}
