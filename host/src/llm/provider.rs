//! What all providers have in common. A protocol adds its words: how a request is written and a reply is read.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::http::{Assemble, Http};
use super::retry::{Jitter, run};
use super::settings::Settings;
use super::{Brief, Error, Model, Reply, Request, Started, Tier};

/// A model behind an HTTP protocol: one streamed POST per attempt.
pub struct Provider<P> {
    protocol: P,
    http: Http,
    settings: Settings,
    jitter: Jitter,
    /// Whether the server takes a schema in a field of its own, as far as known.
    structured: AtomicBool,
}

/// What tells one protocol from another.
pub(super) trait Protocol: Send + Sync {
    /// Reads one reply.
    type Assembly<'a>: Assemble + Send
    where
        Self: 'a;
    /// The back end, for people.
    const NAME: &'static str;

    /// Which models to ask.
    fn models<'a>(&self, settings: &'a Settings) -> Models<'a>;
    /// Writes one request.
    fn body(&self, shape: &Shape<'_>, brief: &Brief, request: &Request) -> Result<Value, Error>;
    /// Starts to read a reply that may hold so many tool calls.
    fn assembly(&self, max_tool_calls: usize) -> Self::Assembly<'_>;
    /// Whether a server that turned a request down with these words means the schema's field.
    fn is_about_the_schema(why: &str) -> bool;
}

/// The models of a provider.
pub(super) struct Models<'a> {
    /// For reviews.
    pub(super) deep: &'a str,
    /// For narrow questions.
    pub(super) quick: &'a str,
    /// What they may spend on thinking, in tokens, on top of an answer.
    pub(super) thinking_tokens: u32,
}

/// What a body depends on besides the request.
pub(super) struct Shape<'a> {
    pub(super) model: &'a str,
    /// The most tokens of the reply, thinking included.
    pub(super) max_tokens: u32,
    /// Whether the schema goes into its own field; otherwise it is told in words.
    pub(super) structured: bool,
}

#[expect(private_bounds, reason = "which protocols there are is decided in here")]
impl<P: Protocol> Provider<P> {
    pub(super) fn over(http: Http, protocol: P, settings: &Settings, jitter: Jitter) -> Self {
        Self { protocol, http, settings: settings.clone(), jitter, structured: AtomicBool::new(true) }
    }

    async fn ask(&self, brief: &Brief, request: &Request, started: Started<'_>) -> Result<Reply, Error> {
        request.check(brief)?;
        let structured = request.schema.is_some() && self.structured.load(Ordering::Relaxed);
        match self.ask_as(structured, brief, request, started).await {
            // Many servers speak an older protocol or most of one: the schema goes into the prompt from now on.
            Err(Error::Denied(why)) if structured && P::is_about_the_schema(&why) => {
                self.structured.store(false, Ordering::Relaxed);
                self.ask_as(false, brief, request, started).await
            }
            answer => answer,
        }
    }

    async fn ask_as(
        &self,
        structured: bool,
        brief: &Brief,
        request: &Request,
        started: Started<'_>,
    ) -> Result<Reply, Error> {
        let (models, limits) = (self.protocol.models(&self.settings), &self.settings.reply);
        let model = match request.tier {
            Tier::Deep => models.deep,
            Tier::Quick => models.quick,
        };
        let max_tokens = limits.output_tokens(request.max_output_tokens, models.thinking_tokens);
        let body = self.protocol.body(&Shape { model, max_tokens, structured }, brief, request)?;
        let attempt = || self.http.exchange(&body, self.protocol.assembly(limits.max_tool_calls), started);
        run(&self.settings.retry, self.settings.timeouts.total(), &self.jitter, attempt).await
    }
}

impl<P: Protocol> Model for Provider<P> {
    fn name(&self) -> String {
        let models = self.protocol.models(&self.settings);
        format!("{} ({}, quick: {})", P::NAME, models.deep, models.quick)
    }

    fn complete_streaming<'a>(
        &'a self,
        brief: &'a Brief,
        request: &'a Request,
        started: Started<'a>,
    ) -> BoxFuture<'a, Result<Reply, Error>> {
        Box::pin(self.ask(brief, request, started))
    }

    fn caches(&self) -> bool {
        true
    }
}

impl<P: Protocol> fmt::Debug for Provider<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(P::NAME).field("http", &self.http).finish_non_exhaustive()
    }
}
