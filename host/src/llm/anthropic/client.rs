//! The back end: one streamed `POST /v1/messages` per attempt.

use reqwest::header::HeaderName;
use serde_json::Value;

use super::conversions::{Assembly, body};
use super::echo::Echo;
use crate::llm::config::{Config, Service};
use crate::llm::http::{Http, SetupError, join};
use crate::llm::provider::{Models, Protocol, Provider, Shape};
use crate::llm::retry::Jitter;
use crate::llm::settings::Settings;
use crate::llm::{Brief, Error, Request};

const SERVICE: Service = Service {
    address: "https://api.anthropic.com",
    address_variable: "ANTHROPIC_BASE_URL",
    key_variable: "ANTHROPIC_API_KEY",
};

/// A model behind the Messages API.
pub type Anthropic = Provider<Messages>;

/// The Messages API.
#[derive(Default)]
pub struct Messages {
    echo: Echo,
}

/// Reads `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`.
pub fn from_env(env: &dyn Fn(&str) -> Option<String>) -> Config {
    SERVICE.config(env)
}

impl Anthropic {
    /// Sets the back end up; nothing is sent.
    ///
    /// # Errors
    /// An address that is none, a key that would travel in the clear, no key for Anthropic's own service.
    pub fn new(config: &Config, settings: &Settings, jitter: Jitter) -> Result<Self, SetupError> {
        let url = join(SERVICE.url(config)?, "v1", "messages");
        let key = SERVICE.key(config, HeaderName::from_static("x-api-key"), "");
        let http = Http::new(url, key, &settings.timeouts, &settings.reply)?.header("anthropic-version", "2023-06-01");
        Ok(Self::over(http, Messages::default(), settings, jitter))
    }
}

impl Protocol for Messages {
    type Assembly<'a> = Assembly<'a>;
    const NAME: &'static str = "anthropic";

    fn models<'a>(&self, settings: &'a Settings) -> Models<'a> {
        let models = &settings.anthropic;
        Models { deep: &models.deep, quick: &models.quick, thinking_tokens: models.thinking_tokens }
    }

    fn body(&self, shape: &Shape<'_>, brief: &Brief, request: &Request) -> Result<Value, Error> {
        body(shape, brief, request, &self.echo)
    }

    fn assembly(&self, max_tool_calls: usize) -> Assembly<'_> {
        Assembly::new(max_tool_calls, &self.echo)
    }

    fn is_about_the_schema(why: &str) -> bool {
        why.contains("output_config") || why.contains("Schema is too")
    }
}
