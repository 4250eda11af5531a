//! Language models: one trait, a back end per protocol, and the account that every call goes through.
//!
//! ```text
//! lens -> meter (budget, caps, cache gate, bound on calls in flight) -> Model -> retry -> one HTTP exchange
//! ```
//!
//! [`choose::choose`] picks the back end from what is configured, [`meter::Meter`] is what the runtime calls. The
//! types here mirror `wit/llm.wit`; what they mean is said there.

pub mod anthropic;
pub mod cache_gate;
pub mod choose;
mod config;
mod http;
pub mod meter;
pub mod none;
pub mod openai;
pub mod provider;
pub mod replay;
mod request;
pub mod retry;
mod schema;
pub mod settings;
mod sse;

use futures_util::future::BoxFuture;
pub use review_loop_core::brief::Brief;
use serde::{Deserialize, Serialize};

pub use self::config::Config;

/// Something that answers requests: a provider, a recording, or nothing.
pub trait Model: Send + Sync {
    /// The back end and its models, for people: `anthropic (claude-opus-5-5, quick: claude-haiku-5-5)`.
    fn name(&self) -> String;

    /// Answers one request, retries included. `started` is called as soon as the first token is there: from then on
    /// the provider has the prompt in its cache. A model that cannot tell calls it never.
    ///
    /// # Errors
    /// Whatever kept it from an answer. A refusal and a reply that was cut off are answers, told by [`Reply::stop`];
    /// an empty one is an error.
    fn complete_streaming<'a>(
        &'a self,
        brief: &'a Brief,
        request: &'a Request,
        started: Started<'a>,
    ) -> BoxFuture<'a, Result<Reply, Error>>;

    /// The same, for a caller that does not care when the reply starts.
    ///
    /// # Errors
    /// As [`Model::complete_streaming`].
    fn complete<'a>(&'a self, brief: &'a Brief, request: &'a Request) -> BoxFuture<'a, Result<Reply, Error>> {
        self.complete_streaming(brief, request, &|| {})
    }

    /// Whether the provider caches prompts, so that it pays to let one request go first.
    fn caches(&self) -> bool {
        false
    }

    /// Whether [`Model::complete`] can succeed at all.
    fn available(&self) -> bool {
        true
    }
}

/// Called once, when the first token of a reply arrives.
pub type Started<'a> = &'a (dyn Fn() + Send + Sync);

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// How hard to think.
    pub tier: Tier,
    /// What the model is to do; stands behind the brief.
    pub instructions: String,
    /// The conversation so far. The last message is the user's.
    pub messages: Vec<Message>,
    /// What the model may call.
    pub tools: Vec<Tool>,
    /// A JSON schema that the reply must fit, where the provider can hold it to one.
    pub schema: Option<String>,
    /// The longest answer, in tokens. What a model spends on thinking comes on top.
    pub max_output_tokens: u32,
}

/// How hard to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Cheap and fast.
    Quick,
    /// The best there is.
    Deep,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the protocols' own words")]
pub enum Role {
    User,
    Assistant,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub parts: Vec<Part>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The shared description of the subject. Wherever it stands, it is put first in the prompt, once.
    Brief,
    /// Words.
    Text(String),
    /// The model wants a tool run.
    ToolCall(ToolCall),
    /// What the tool said.
    ToolResult(ToolResult),
}

/// Something the model may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tool {
    /// Letters, digits, `-` and `_`; at most 64.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// A JSON schema of its input, an object.
    pub input_schema: String,
}

/// A call that the model asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Ties the result to the call.
    pub id: String,
    /// Which tool.
    pub name: String,
    /// JSON.
    pub input: String,
}

/// What a tool said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Of the call.
    pub id: String,
    /// What came out.
    pub output: String,
    /// Whether the tool failed.
    pub failed: bool,
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// It is whole.
    End,
    /// Tools are to be run; at least one call is among the parts.
    ToolUse,
    /// Cut off: what there is of it is not an answer.
    MaxTokens,
    /// The model, or the provider's filter, declined.
    Refusal,
    /// Anything else. Not an answer.
    Other,
}

/// Tokens. `input` is what was not read from the provider's cache, what was written to it included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "said above")]
pub struct Usage {
    pub input: u64,
    pub cached: u64,
    pub output: u64,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Text and tool calls, in order. Empty only where `stop` says that this is no answer.
    pub parts: Vec<Part>,
    /// Why it ended.
    pub stop: Stop,
    /// What it cost.
    pub usage: Usage,
}

/// Why there is no answer: the cases of `wit/llm.wit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Error {
    /// No model is configured for this run.
    #[error("no model is configured")]
    Unavailable,
    /// The run's or the component's budget is spent.
    #[error("the budget for model calls is spent")]
    BudgetExhausted,
    /// The provider asks for more patience than there is.
    #[error("the provider limits the rate of requests")]
    RateLimited,
    /// No whole reply in time.
    #[error("the model did not answer in time")]
    TimedOut,
    /// The request is larger than the model or the host takes.
    #[error("the request is too large: {0}")]
    TooLarge(String),
    /// The provider turned the request down: key, permission, policy.
    #[error("the provider refused the request: {0}")]
    Denied(String),
    /// The request cannot be read.
    #[error("the request is not valid: {0}")]
    Invalid(String),
    /// The provider failed or answered what cannot be read.
    #[error("{0}")]
    Failed(String),
}

impl Usage {
    /// All of it: what counts against a ceiling.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.cached).saturating_add(self.output)
    }
}

#[cfg(test)]
mod tests;
