//! The back end: one streamed `POST /v1/chat/completions` per attempt.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use reqwest::header::AUTHORIZATION;

use super::conversions::{Assembly, Shape, body};
use crate::llm::config::Config;
use crate::llm::http::{Http, Secret, SetupError, address, join};
use crate::llm::retry::{Failure, Jitter, run};
use crate::llm::settings::Settings;
use crate::llm::{Brief, Error, Model, Reply, Request, Started, Tier, UNHEARD};

const BASE_URL: &str = "https://api.openai.com/v1";
const OWN_HOST: &str = "api.openai.com";
const BASE_URL_VARIABLE: &str = "OPENAI_BASE_URL";
const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// A model behind chat completions.
pub struct OpenAi {
    http: Http,
    settings: Settings,
    jitter: Jitter,
    /// OpenAI itself: its models reason, and know only the newer name of the output cap.
    own: bool,
    /// Whether the server takes `response_format`, as far as known.
    structured: AtomicBool,
}

/// Reads `OPENAI_API_KEY` and `OPENAI_BASE_URL`.
pub fn from_env(env: &dyn Fn(&str) -> Option<String>) -> Config {
    Config::read(env, KEY_VARIABLE, BASE_URL_VARIABLE)
}

impl OpenAi {
    /// Sets the back end up; nothing is sent.
    ///
    /// # Errors
    /// An address that is none, a key that would travel in the clear, no key for OpenAI's own service.
    pub fn new(config: &Config, settings: &Settings, jitter: Jitter) -> Result<Self, SetupError> {
        let base = config.base_url.as_deref().unwrap_or(BASE_URL);
        let url = address(BASE_URL_VARIABLE, base, config.key.is_some())?;
        if config.key.is_none() && config.base_url.is_none() {
            return Err(SetupError::NoKey { variable: KEY_VARIABLE });
        }
        let own = url.host_str() == Some(OWN_HOST);
        let key = config.key.as_deref().map(|k| (KEY_VARIABLE, AUTHORIZATION, "Bearer ", Secret::new(k)));
        let http = Http::new(join(url, "v1", "chat/completions"), key, &settings.timeouts, &settings.reply)?;
        Ok(Self { http, settings: settings.clone(), jitter, own, structured: AtomicBool::new(true) })
    }

    async fn ask(&self, brief: &Brief, request: &Request, started: Started<'_>) -> Result<Reply, Error> {
        request.check(brief)?;
        let structured = request.schema.is_some() && self.structured.load(Ordering::Relaxed);
        match self.ask_as(brief, request, structured, started).await {
            // Many servers speak most of the protocol: the schema goes into the prompt instead, from now on.
            Err(Error::Denied(why))
                if structured && (why.contains("response_format") || why.contains("json_schema")) =>
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
        let models = &self.settings.openai;
        let model = match request.tier {
            Tier::Deep => models.deep.as_str(),
            Tier::Quick => models.quick.as_str(),
        };
        let thinking = if self.own { models.thinking_tokens } else { 0 };
        let max_tokens = self.settings.reply.output_tokens(request.max_output_tokens, thinking);
        let shape = Shape { model, max_tokens, own: self.own, structured };
        let body = body(&shape, brief, request)?;
        let attempt = || self.attempt(&body, started);
        run(&self.settings.retry, self.settings.timeouts.total(), &self.jitter, attempt).await
    }

    async fn attempt(&self, body: &serde_json::Value, started: Started<'_>) -> Result<Reply, Failure> {
        self.http.exchange(body, Assembly::new(self.settings.reply.max_tool_calls), started).await
    }
}

impl Model for OpenAi {
    fn name(&self) -> String {
        let models = &self.settings.openai;
        format!("openai ({}, quick: {})", models.deep, models.quick)
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

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi").field("http", &self.http).finish_non_exhaustive()
    }
}
