//! Anthropic's Messages API, and every server that speaks it.

mod client;
mod conversions;
mod echo;
#[cfg(test)]
mod tests;

pub use self::client::{Anthropic, Messages, from_env};
