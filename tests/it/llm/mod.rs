//! Model back ends on the wire: real HTTP against a fake server on loopback that can misbehave in every way.

mod account;
mod cassettes;
mod failures;
pub(crate) mod fake;
mod replies;

use std::sync::Arc;

use review_loop::llm::anthropic::Anthropic;
use review_loop::llm::openai::OpenAi;
use review_loop::llm::settings::Settings;
use review_loop::llm::{Brief, Config, Error, Message, Model, Part, Reply, Request, Role, Tier};

use self::fake::{Fake, Protocol};

/// A key that must never be seen anywhere but in its header.
const KEY: &str = "sk-canary-0123456789";

/// Patient with a slow machine, quick to ask again.
fn settings() -> Settings {
    let mut settings = Settings::default();
    (settings.timeouts.connect_ms, settings.timeouts.first_byte_ms) = (20_000, 20_000);
    (settings.timeouts.idle_ms, settings.timeouts.total_ms) = (20_000, 60_000);
    (settings.retry.attempts, settings.retry.first_wait_ms) = (3, 1);
    settings
}

fn model(protocol: Protocol, fake: &Fake, settings: &Settings) -> Arc<dyn Model> {
    let config = Config { key: Some(KEY.to_owned()), base_url: Some(fake.url()) };
    let jitter = Arc::new(|| 0.0);
    match protocol {
        Protocol::Anthropic => Arc::new(Anthropic::new(&config, settings, jitter).unwrap()),
        Protocol::OpenAi => Arc::new(OpenAi::new(&config, settings, jitter).unwrap()),
    }
}

fn brief() -> Brief {
    Brief { text: "THE BRIEF".to_owned(), left_out: vec![] }
}

fn request() -> Request {
    Request {
        tier: Tier::Deep,
        instructions: "Look hard.".to_owned(),
        messages: vec![Message { role: Role::User, parts: vec![Part::Brief, Part::Text("Go.".to_owned())] }],
        tools: vec![],
        schema: None,
        max_output_tokens: 100,
    }
}

async fn ask(protocol: Protocol, fake: &Fake, settings: &Settings, request: &Request) -> Result<Reply, Error> {
    model(protocol, fake, settings).complete(&brief(), request).await
}

/// The answer, short enough for a line of a table.
fn told(answer: &Result<Reply, Error>) -> String {
    match answer {
        Ok(reply) => {
            let part = |part: &Part| match part {
                Part::Brief => "brief".to_owned(),
                Part::Text(text) => format!("{text:?}"),
                Part::ToolCall(call) => format!("{}({})#{}", call.name, call.input, call.id),
                Part::ToolResult(result) => result.output.clone(),
            };
            let parts: Vec<String> = reply.parts.iter().map(part).collect();
            let usage = reply.usage;
            format!("{:?} [{}] {}+{}+{}", reply.stop, parts.join(", "), usage.input, usage.cached, usage.output)
        }
        Err(error) => format!("error: {error}"),
    }
}
