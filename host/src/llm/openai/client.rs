//! The back end: one streamed `POST /v1/chat/completions` per attempt.

use reqwest::header::AUTHORIZATION;
use serde_json::Value;

use super::conversions::{Assembly, body};
use crate::llm::config::{Config, Service};
use crate::llm::http::{Http, SetupError, join};
use crate::llm::provider::{Models, Protocol, Provider, Shape};
use crate::llm::retry::Jitter;
use crate::llm::settings::Settings;
use crate::llm::{Brief, Error, Request};

const SERVICE: Service = Service {
    address: "https://api.openai.com/v1",
    address_variable: "OPENAI_BASE_URL",
    key_variable: "OPENAI_API_KEY",
};
const OWN_HOST: &str = "api.openai.com";

/// A model behind chat completions.
pub type OpenAi = Provider<ChatCompletions>;

/// Chat completions.
pub struct ChatCompletions {
    /// OpenAI itself: its models reason, and know only the newer name of the output cap.
    own: bool,
}

/// Reads `OPENAI_API_KEY` and `OPENAI_BASE_URL`.
pub fn from_env(env: &dyn Fn(&str) -> Option<String>) -> Config {
    SERVICE.config(env)
}

impl OpenAi {
    /// Sets the back end up; nothing is sent.
    ///
    /// # Errors
    /// An address that is none, a key that would travel in the clear, no key for OpenAI's own service.
    pub fn new(config: &Config, settings: &Settings, jitter: Jitter) -> Result<Self, SetupError> {
        let url = SERVICE.url(config)?;
        let own = url.host_str() == Some(OWN_HOST);
        let key = SERVICE.key(config, AUTHORIZATION, "Bearer ");
        let http = Http::new(join(url, "v1", "chat/completions"), key, &settings.timeouts, &settings.reply)?;
        Ok(Self::over(http, ChatCompletions { own }, settings, jitter))
    }
}

impl Protocol for ChatCompletions {
    type Assembly<'a> = Assembly;
    const NAME: &'static str = "openai";

    fn models<'a>(&self, settings: &'a Settings) -> Models<'a> {
        let models = &settings.openai;
        let thinking_tokens = if self.own { models.thinking_tokens } else { 0 };
        Models { deep: &models.deep, quick: &models.quick, thinking_tokens }
    }

    fn body(&self, shape: &Shape<'_>, brief: &Brief, request: &Request) -> Result<Value, Error> {
        body(shape, self.own, brief, request)
    }

    fn assembly(&self, max_tool_calls: usize) -> Assembly {
        Assembly::new(max_tool_calls)
    }

    fn is_about_the_schema(why: &str) -> bool {
        why.contains("response_format") || why.contains("json_schema")
    }
}
