//! The pure core of review-loop: values in, values out. No file, clock, network, randomness or thread.
//!
//! The modules stand in the order of the flow, with what all of them share first:
//!
//! ```text
//! scope -> lenses -> locate -> guard -> cluster -> falsify -> filter -> decide -> act
//! git      wasm      here      here     here       wasm       here      here      host
//! ```

pub mod finding;
pub mod subject;
pub mod outcome;
