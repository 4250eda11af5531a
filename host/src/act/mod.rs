//! What is done with an outcome: today it is rendered.

pub mod render;
