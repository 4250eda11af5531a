//! The pure core of review-loop: values in, values out. No file, clock, network, randomness or thread.
//!
//! The modules stand in the order of the flow, with what all of them share first:
//!
//! ```text
//! scope -> lenses -> locate -> guard -> cluster -> falsify -> filter -> decide -> act
//! git      wasm      here      here     here       wasm       here      here      host
//! ```

pub mod finding;
mod globs;
pub mod outcome;
pub mod paths;
pub mod secrets;
pub mod subject;

pub mod background;
pub mod brief;
pub mod classify;
pub mod cluster;
pub mod decide;
pub mod diff;
pub mod eval;
pub mod falsify;
pub mod filter;
pub mod fingerprint;
pub mod guard;
pub mod index;
pub mod locate;
pub mod memory;
pub mod narrowed;
pub mod settings;
pub mod suppress;
pub mod text;

#[cfg(test)]
mod testing;
mod work;
