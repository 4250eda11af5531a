//! Write a lens or a falsifier for review-loop in Rust.
//!
//! A lens is a `LENS.md` (what it is, what it may report, what it asks the model), a type that implements [`Lens`], and
//! one line:
//!
//! ```text
//! struct Simplicity;
//!
//! impl Lens for Simplicity {
//!     const MANIFEST: &'static str = include_str!("../LENS.md");
//! }
//!
//! export_lens!(Simplicity);
//! ```
//!
//! What a component can see and do are plain functions: [`subject`] (what is under review), [`source`] (the files around
//! it), [`llm`] (a metered model call), [`handover`] (what is finished early) and [`log`]. A component imports only those that it calls, and its imports are the
//! permissions that a user is asked for. On the machine that builds them, outside of WebAssembly, the same functions are
//! answered by [`testing::FakeHost`], so a lens is tested like any other Rust code.

pub mod bindings;
pub mod cap;
mod changed;
pub mod check;
pub mod code;
#[cfg(not(target_arch = "wasm32"))]
mod fake;
mod host;
pub mod json;
pub mod judgement;
mod lens;
mod lines;
pub mod manifest;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
pub mod text;
mod work;

pub use bindings::lens::review_loop::lens::types;
pub use host::{handover, llm, log, source, subject};
pub use lens::{Falsifier, Lens};
pub use review_loop_core::secrets;

/// What nearly every component uses.
pub mod prelude {
    pub use crate::bindings::falsifier::exports::review_loop::lens::disprover::Verdict;
    pub use crate::types::{
        Anchor, Basis, Category, Credit, Description, Failure, Finding, LineRange, Part, Reach, Report, Severity, Side,
        Skipped,
    };
    pub use crate::{
        Falsifier, Lens, export_checker, export_falsifier, export_lens, handover, llm, log, source, subject,
    };
}
