//! Reads git repositories that nobody has to trust.
//!
//! Nothing of a repository runs: there is no call of a program in this crate, and no filter, hook or helper that a
//! repository could name. Nothing outside of it is read: its folders are opened once and cannot be left. And nothing in it can
//! keep a reader waiting or growing: every file is opened without blocking, has to be a regular one and has a size that
//! is looked at before it is read, in [`files`], the one place where files of a repository are opened.
//!
//! The modules stand in the order of their layers:
//!
//! | module         | what it reads                                                            |
//! |----------------|--------------------------------------------------------------------------|
//! | [`id`]         | names of objects, of 40 or of 64 digits                                  |
//! | [`files`]      | files, with a bound                                                      |
//! | [`config`]     | settings: the repository's, the user's, the machine's                    |
//! | [`discover`]   | where the repository is, and whether it may be read                      |
//! | [`objects`]    | loose objects and packs                                                  |
//! | [`refs`]       | references, as files and as reftables                                    |
//! | [`index`]      | the index in versions 2 to 4, split and sparse                           |
//! | [`history`]    | commits and where histories meet                                         |
//! | [`revision`]   | `HEAD~2`, `v1.0^{commit}`, `main@{upstream}`                             |
//! | [`rules`]      | `.gitignore` and `.gitattributes`                                        |
//! | [`repository`] | all of it, opened                                                        |

pub mod config;
mod cursor;
pub mod discover;
pub mod environment;
pub mod error;
pub mod files;
pub mod history;
pub mod id;
pub mod index;
pub mod objects;
pub mod refs;
pub mod repository;
pub mod revision;
pub mod rules;
pub mod settings;
#[cfg(test)]
mod testing;
pub mod tree;

pub use environment::Environment;
pub use error::{Error, Malformed};
pub use id::{Format, Id};
pub use repository::Repository;
