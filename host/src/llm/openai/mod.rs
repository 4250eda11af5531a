//! Chat completions, as OpenAI serves them and many others do.

mod client;
mod conversions;

#[cfg(test)]
mod tests;

pub use self::client::{ChatCompletions, OpenAi, from_env};
