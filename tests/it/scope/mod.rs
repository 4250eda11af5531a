//! Reading changes: what the tool says of a repository is what `git diff` says of it.
//!
//! The `git` program builds the repositories and is asked for its own opinion; the tool itself never starts it.

mod cases;
mod formats;
mod gits_view;
mod history;
mod places;
pub(crate) mod repository;
mod revisions;
mod safety;
mod sources;
