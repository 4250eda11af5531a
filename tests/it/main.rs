//! Every test that needs more than one function of the host: one binary, one module a feature.
//!
//! Logic is tested where it stands, in `host/core` most of all; here the whole works together on real repositories, real
//! components and real connections on loopback. Nothing of the machine counts: no home folder, no clock, no network
//! beyond loopback, no git configuration.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests: a failure is a panic, and programs are started to compare with"
)]

mod support;

mod circles;
mod demo;
mod eval;
mod hooks;
mod readme;
mod review;
mod sandbox;
mod sessions;
mod tidy;

mod scope;

mod llm;

mod render;
