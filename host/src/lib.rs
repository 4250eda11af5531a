//! review-loop: a host for reviewers that nobody has to trust.
//!
//! Each lens and each falsifier is a WebAssembly component in a sandbox. The host reads the change, runs them, judges what
//! they say, and acts on it. The flow is in [`pipeline`]; the modules stand here in reading order.
//!
//! Files that the tool touches, and who owns them:
//!
//! | file                                          | owner        | what for                          |
//! |-----------------------------------------------|--------------|-----------------------------------|
//! | the reviewed repository                       | [`scope`]    | read only                         |
//! | `.review-loop/config.toml` in it              | [`config`]   | read only, can only narrow        |
//! | `<user's configuration>/review-loop/config.toml` | [`config`] | read only                        |
//! | `<user's cache>/review-loop/`                 | [`runtime`], through [`state`] | compiled components |
//! | files named by `--output` and `--record`      | [`cli`], [`llm`] | written when asked for        |

pub mod act;
pub mod cli;
pub mod config;
pub mod demo;
pub mod error;
pub mod lenses;
pub mod llm;
pub mod pipeline;
pub mod runtime;
pub mod scope;
pub mod state;
pub mod ui;
