//! Which back end a run uses, and the line that says so.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use review_loop_core::outcome::ModelUse;

pub use super::http::SetupError;
use super::replay::{CassetteError, Replay};
use super::retry::Jitter;
use super::settings::Settings;
use super::{Model, anthropic, none, openai};

/// What the user asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Whatever is configured.
    #[default]
    Auto,
    /// The Messages API.
    Anthropic,
    /// Chat completions.
    OpenAi,
    /// A cassette.
    Replay(PathBuf),
    /// No model: the checks alone.
    None,
}

/// A back end, ready to use.
pub struct Choice {
    /// Answers requests.
    pub model: Arc<dyn Model>,
    /// One line: which it is and why, or what to set.
    pub line: String,
    /// The same for the outcome.
    pub model_use: ModelUse,
}

/// Why the back end that was asked for cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    /// No such back end.
    #[error("{0:?} is not a model back end; there are auto, anthropic, openai, replay:FILE and none")]
    Unknown(String),
    /// Its key or address will not do.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Its cassette will not do.
    #[error(transparent)]
    Cassette(#[from] CassetteError),
}

impl FromStr for Wanted {
    type Err = ChooseError;

    fn from_str(text: &str) -> Result<Self, ChooseError> {
        match text {
            "auto" => Ok(Self::Auto),
            "anthropic" => Ok(Self::Anthropic),
            "openai" => Ok(Self::OpenAi),
            "none" => Ok(Self::None),
            _ => match text.strip_prefix("replay:") {
                Some(path) if !path.is_empty() => Ok(Self::Replay(PathBuf::from(path))),
                _ => Err(ChooseError::Unknown(text.to_owned())),
            },
        }
    }
}

/// Sets up the back end that is wanted; `env` reads one variable of the environment.
///
/// # Errors
/// Where one that was asked for by name cannot be used, and where one that is configured is configured wrongly.
/// Nothing configured at all is no error: the choice then is no model, and its line says what to set.
pub fn choose(
    wanted: &Wanted,
    env: &dyn Fn(&str) -> Option<String>,
    settings: &Settings,
    jitter: Jitter,
) -> Result<Choice, ChooseError> {
    let messages = anthropic::from_env(env);
    let chat = openai::from_env(env);
    let asked = |model: Arc<dyn Model>, why: &str| {
        let name = model.name();
        Choice { line: format!("model: {name}, {why}"), model_use: ModelUse::Asked(name), model }
    };
    Ok(match wanted {
        Wanted::Anthropic => asked(Arc::new(anthropic::Anthropic::new(&messages, settings, jitter)?), "as asked for"),
        Wanted::OpenAi => asked(Arc::new(openai::OpenAi::new(&chat, settings, jitter)?), "as asked for"),
        Wanted::Replay(path) => asked(Arc::new(Replay::open(path)?), "as asked for"),
        Wanted::None => nothing("no model, as asked for: checks alone", ModelUse::ChecksOnly),
        Wanted::Auto if messages.key.is_some() => {
            let model = anthropic::Anthropic::new(&messages, settings, jitter)?;
            asked(Arc::new(model), "because ANTHROPIC_API_KEY is set")
        }
        Wanted::Auto if chat.key.is_some() || chat.base_url.is_some() => {
            let variable = if chat.key.is_some() { "OPENAI_API_KEY" } else { "OPENAI_BASE_URL" };
            let model = openai::OpenAi::new(&chat, settings, jitter)?;
            asked(Arc::new(model), &format!("because {variable} is set"))
        }
        Wanted::Auto => nothing(
            "no model: set ANTHROPIC_API_KEY, or OPENAI_API_KEY and/or OPENAI_BASE_URL, or ask for checks alone with --model none",
            ModelUse::Unconfigured,
        ),
    })
}

fn nothing(line: &str, model_use: ModelUse) -> Choice {
    Choice { model: Arc::new(none::Unavailable), line: line.to_owned(), model_use }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::llm::Config;

    fn check(wanted: &str, env: &[(&str, &str)]) -> String {
        let read = |name: &str| env.iter().find(|(k, _)| *k == name).map(|(_, v)| (*v).to_owned());
        let wanted = match wanted.parse::<Wanted>() {
            Ok(wanted) => wanted,
            Err(e) => return format!("error: {e}"),
        };
        match choose(&wanted, &read, &Settings::default(), Arc::new(|| 0.0)) {
            Ok(choice) => choice.line,
            Err(e) => format!("error: {e}"),
        }
    }

    #[test]
    fn the_choice_says_what_and_why() {
        insta::assert_snapshot!(check("auto", &[("ANTHROPIC_API_KEY", "k"), ("OPENAI_API_KEY", "k")]), @"model: anthropic (claude-opus-5-5, quick: claude-haiku-5-5), because ANTHROPIC_API_KEY is set");
        insta::assert_snapshot!(check("auto", &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")]), @"model: openai (gpt-5.5, quick: gpt-5.4-mini), because OPENAI_BASE_URL is set");
        insta::assert_snapshot!(check("auto", &[("ANTHROPIC_API_KEY", " ")]), @"no model: set ANTHROPIC_API_KEY, or OPENAI_API_KEY and/or OPENAI_BASE_URL, or ask for checks alone with --model none");
        insta::assert_snapshot!(check("none", &[("ANTHROPIC_API_KEY", "k")]), @"no model, as asked for: checks alone");
    }

    #[test]
    fn what_was_asked_for_by_name_must_work() {
        insta::assert_snapshot!(check("anthropic", &[]), @"error: ANTHROPIC_API_KEY is not set");
        insta::assert_snapshot!(check("openai", &[]), @"error: OPENAI_API_KEY is not set");
        insta::assert_snapshot!(check("openai", &[("OPENAI_API_KEY", "a\nb")]), @"error: the key in OPENAI_API_KEY holds characters that no HTTP header can; was it copied whole?");
        insta::assert_snapshot!(check("gpt", &[]), @r#"error: "gpt" is not a model back end; there are auto, anthropic, openai, replay:FILE and none"#);
        assert!(check("anthropic", &[("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")]).starts_with("model: anthropic"));
        assert!(check("replay:nowhere.json", &[]).starts_with("error: nowhere.json: "));
    }

    #[test]
    fn no_configuration_shows_its_key() {
        let read = |_: &str| Some("sk-very-secret".to_owned());
        let config = Config { key: read(""), base_url: None };
        let model = anthropic::Anthropic::new(&config, &Settings::default(), Arc::new(|| 0.0)).unwrap();
        assert!(!format!("{config:?}{model:?}").contains("sk-very"));
    }
}
