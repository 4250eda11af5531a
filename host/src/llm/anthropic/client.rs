//! The back end: one streamed `POST /v1/messages` per attempt.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use reqwest::header::HeaderName;

use super::conversions::{Assembly, Shape, body};
use super::echo::Echo;
use crate::llm::config::Config;
use crate::llm::http::{Http, Secret, SetupError, address, join};
use crate::llm::retry::{Failure, Jitter, run};
use crate::llm::settings::Settings;
use crate::llm::{Brief, Error, Model, Reply, Request, Started, Tier, UNHEARD};

const BASE_URL: &str = "https://api.anthropic.com";
const BASE_URL_VARIABLE: &str = "ANTHROPIC_BASE_URL";
const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";

/// A model behind the Messages API.
pub struct Anthropic {
    http: Http,
    settings: Settings,
    jitter: Jitter,
    echo: Echo,
    /// Whether the server takes `output_config.format`, as far as known.
    structured: AtomicBool,
}

/// Reads `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`.
pub fn from_env(env: &dyn Fn(&str) -> Option<String>) -> Config {
    Config::read(env, KEY_VARIABLE, BASE_URL_VARIABLE)
}

impl Anthropic {
    /// Sets the back end up; nothing is sent.
    ///
    /// # Errors
    /// An address that is none, a key that would travel in the clear, no key for Anthropic's own service.
    pub fn new(config: &Config, settings: &Settings, jitter: Jitter) -> Result<Self, SetupError> {
        let base = config.base_url.as_deref().unwrap_or(BASE_URL);
        let url = address(BASE_URL_VARIABLE, base, config.key.is_some())?;
        if config.key.is_none() && config.base_url.is_none() {
            return Err(SetupError::NoKey { variable: KEY_VARIABLE });
        }
        let header = HeaderName::from_static("x-api-key");
        let key = config.key.as_deref().map(|k| (KEY_VARIABLE, header, "", Secret::new(k)));
        let http = Http::new(join(url, "v1", "messages"), key, &settings.timeouts, &settings.reply)?
            .header("anthropic-version", "2023-06-01");
        let (settings, echo) = (settings.clone(), Echo::default());
        Ok(Self { http, settings, jitter, echo, structured: AtomicBool::new(true) })
    }

    async fn ask(&self, brief: &Brief, request: &Request, started: Started<'_>) -> Result<Reply, Error> {
        request.check(brief)?;
        let structured = request.schema.is_some() && self.structured.load(Ordering::Relaxed);
        match self.ask_as(brief, request, structured, started).await {
            // An older protocol, or a schema that the provider cannot compile: it goes into the prompt from now on.
            Err(Error::Denied(why))
                if structured && (why.contains("output_config") || why.contains("Schema is too")) =>
            {
                self.structured.store(false, Ordering::Relaxed);
                self.ask_as(brief, request, false, started).await
            }
            answer => answer,
        }
    }

    async fn ask_as(
        &self,
        brief: &Brief,
        request: &Request,
        structured: bool,
        started: Started<'_>,
    ) -> Result<Reply, Error> {
        let models = &self.settings.anthropic;
        let model = match request.tier {
            Tier::Deep => models.deep.as_str(),
            Tier::Quick => models.quick.as_str(),
        };
        let reply = &self.settings.reply;
        let max_tokens = reply.output_tokens(request.max_output_tokens, models.thinking_tokens);
        let shape = Shape { model, max_tokens, structured };
        let body = body(&shape, brief, request, &self.echo)?;
        let attempt = || self.attempt(&body, started);
        run(&self.settings.retry, self.settings.timeouts.total(), &self.jitter, attempt).await
    }

    async fn attempt(&self, body: &serde_json::Value, started: Started<'_>) -> Result<Reply, Failure> {
        let assembly = Assembly::new(self.settings.reply.max_tool_calls, &self.echo);
        self.http.exchange(body, assembly, started).await
    }
}

impl Model for Anthropic {
    fn name(&self) -> String {
        let models = &self.settings.anthropic;
        format!("anthropic ({}, quick: {})", models.deep, models.quick)
    }

    fn complete<'a>(&'a self, brief: &'a Brief, request: &'a Request) -> BoxFuture<'a, Result<Reply, Error>> {
        self.complete_streaming(brief, request, UNHEARD)
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

impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Anthropic").field("http", &self.http).finish_non_exhaustive()
    }
}
