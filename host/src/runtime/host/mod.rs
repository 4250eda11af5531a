//! The contract's imports, answered: one file an interface.

pub(super) mod handover;
pub(super) mod llm;
pub(super) mod log;
pub(super) mod source;
pub(super) mod subject;
