//! Where a value comes from: layers, the later ones over the earlier ones, each value with its origin.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use toml::{Table, Value};

use super::Config;

/// Every setting with its default. The judge's part lies with the judge.
const DEFAULTS: [&str; 2] = [include_str!("defaults.toml"), review_loop_core::settings::DEFAULTS_TOML];

/// What every variable of the environment that is a setting begins with.
const PREFIX: &str = "REVIEW_LOOP_";

/// A layer's settings, as dotted keys.
#[derive(Debug, Clone)]
pub struct Layer {
    origin: Origin,
    values: BTreeMap<String, Value>,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// The reviewed project's file.
    Project(String),
    /// The user's file.
    User(PathBuf),
    /// A variable of the environment.
    Environment(String),
    /// A flag of this call.
    Flag(String),
}

/// One resolved setting.
#[derive(Debug, Clone)]
pub struct Setting {
    /// `scope.max-file-bytes`.
    pub key: String,
    /// As TOML.
    pub value: Value,
    /// The layer that won.
    pub origin: Origin,
}

/// What is wrong with a configuration: where, what, and the way out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is no TOML.
    #[error("{origin}: {message}")]
    Syntax {
        /// Which layer.
        origin: Origin,
        /// Where and what.
        message: String,
    },
    /// A key that there is not.
    #[error("{origin}: there is no setting `{key}`{}", .near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    UnknownKey {
        /// Which layer.
        origin: Origin,
        /// The key.
        key: String,
        /// The nearest one that there is.
        near: Option<String>,
    },
    /// A value that its key cannot have.
    #[error("{origin}: `{key}`: {message}")]
    Value {
        /// Which layer.
        origin: Origin,
        /// The key.
        key: String,
        /// What is wrong with it.
        message: String,
    },
    /// The built-in defaults do not fit the program.
    #[error("the built-in defaults are broken: {0}")]
    Defaults(String),
}

impl Layer {
    /// Reads a file's text.
    ///
    /// # Errors
    /// It is no TOML.
    pub fn parse(origin: Origin, text: &str) -> Result<Self, Error> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| Error::Syntax {
            origin: origin.clone(),
            message: error.to_string().trim_end().to_owned(),
        })?;
        let mut values = BTreeMap::new();
        flatten("", table, &mut values);
        Ok(Self { origin, values })
    }

    /// One setting of a flag.
    #[must_use]
    pub fn flag(flag: &str, key: &str, value: impl Into<Value>) -> Self {
        let origin = Origin::Flag(flag.to_owned());
        Self { origin, values: BTreeMap::from([(key.to_owned(), value.into())]) }
    }

    /// Where its values come from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(super) fn values(&self) -> &BTreeMap<String, Value> {
        &self.values
    }

    pub(super) fn value_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.values.get_mut(key)
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&str, &Value) -> bool) {
        self.values.retain(|key, value| keep(key, value));
    }
}

/// The layers of one run, weakest first.
#[derive(Debug, Clone)]
pub struct Layers {
    layers: Vec<Layer>,
}

impl Layers {
    /// The defaults alone.
    ///
    /// # Errors
    /// Never, unless the program was built wrongly; a test sees to that.
    pub fn defaults() -> Result<Self, Error> {
        let layers = DEFAULTS.iter().map(|text| Layer::parse(Origin::Default, text)).collect::<Result<_, _>>()?;
        Ok(Self { layers })
    }

    /// Puts a layer on top.
    ///
    /// # Errors
    /// It sets what there is not.
    pub fn push(&mut self, layer: Layer) -> Result<(), Error> {
        let known = self.known();
        match layer.values.keys().find(|key| !known.contains_key(key.as_str())) {
            None => self.layers.push(layer),
            Some(key) => {
                let near = nearest(key, known.keys().copied());
                return Err(Error::UnknownKey { origin: layer.origin, key: key.clone(), near });
            }
        }
        Ok(())
    }

    /// Puts the environment on top: `REVIEW_LOOP_SCOPE_MAX_FILE_BYTES` is `scope.max-file-bytes`.
    ///
    /// # Errors
    /// A value that is not of its key's type.
    pub fn push_environment(&mut self, env: &dyn Fn(&str) -> Option<String>) -> Result<(), Error> {
        let mut found = Vec::new();
        for (key, default) in self.known() {
            let variable = variable(key);
            if let Some(text) = env(&variable) {
                found.push((key.to_owned(), Origin::Environment(variable), parse_like(default, &text)));
            }
        }
        for (key, origin, value) in found {
            let value = value.map_err(|message| Error::Value { origin: origin.clone(), key: key.clone(), message })?;
            self.layers.push(Layer { origin, values: BTreeMap::from([(key, value)]) });
        }
        Ok(())
    }

    /// Every setting with its winning value, by key.
    #[must_use]
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = BTreeMap::new();
        for layer in &self.layers {
            for (key, value) in &layer.values {
                settings.insert(key.clone(), (value.clone(), layer.origin.clone()));
            }
        }
        settings.into_iter().map(|(key, (value, origin))| Setting { key, value, origin }).collect()
    }

    /// The settings, typed.
    ///
    /// # Errors
    /// A value that its key cannot have, with the layer that set it.
    pub fn resolve(&self) -> Result<Config, Error> {
        let settings = self.settings();
        let mut table = Table::new();
        for setting in &settings {
            insert(&mut table, &setting.key, setting.value.clone());
        }
        serde_path_to_error::deserialize(table).map_err(|error| {
            let key = error.path().to_string();
            match settings.into_iter().find(|setting| setting.key == key) {
                Some(setting) if setting.origin != Origin::Default => {
                    Error::Value { origin: setting.origin, key, message: error.inner().message().to_owned() }
                }
                _ => Error::Defaults(error.to_string()),
            }
        })
    }

    fn known(&self) -> BTreeMap<&str, &Value> {
        let defaults = self.layers.iter().filter(|layer| layer.origin == Origin::Default);
        defaults.flat_map(|layer| &layer.values).map(|(key, value)| (key.as_str(), value)).collect()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Project(path) => write!(f, "project file {path}"),
            Self::User(path) => write!(f, "user file {}", path.display()),
            Self::Environment(variable) => write!(f, "environment variable {variable}"),
            Self::Flag(flag) => write!(f, "flag {flag}"),
        }
    }
}

fn flatten(prefix: &str, table: Table, values: &mut BTreeMap<String, Value>) {
    for (key, value) in table {
        let key = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
        match value {
            Value::Table(table) => flatten(&key, table, values),
            value => {
                values.insert(key, value);
            }
        }
    }
}

fn insert(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            table.insert(key.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner = table.entry(first).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}

fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace(['.', '-'], "_").to_uppercase())
}

/// Reads a variable's text as the type that its key's default has. Lists are separated by commas.
fn parse_like(default: &Value, text: &str) -> Result<Value, String> {
    let number = |what: &str| format!("`{text}` is not {what}");
    Ok(match default {
        Value::Integer(_) => Value::Integer(text.replace('_', "").parse().map_err(|_| number("a whole number"))?),
        Value::Float(_) => Value::Float(text.parse().map_err(|_| number("a number"))?),
        Value::Boolean(_) => Value::Boolean(text.parse().map_err(|_| number("true or false"))?),
        Value::Array(_) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
        }
        _ => Value::String(text.to_owned()),
    })
}

fn nearest<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let near = known.map(|known| (strsim::jaro_winkler(key, known), known)).max_by(|a, b| a.0.total_cmp(&b.0));
    near.filter(|(likeness, _)| *likeness > 0.8).map(|(_, known)| known.to_owned())
}

#[cfg(test)]
mod tests {

    use super::*;

    fn layers(user: &str, env: &[(&str, &str)]) -> Result<Layers, Error> {
        let mut layers = Layers::defaults()?;
        layers.push(Layer::parse(Origin::User(PathBuf::from("user.toml")), user)?)?;
        layers.push_environment(&|name| env.iter().find(|(k, _)| *k == name).map(|(_, v)| (*v).to_owned()))?;
        Ok(layers)
    }

    fn complaint(user: &str, env: &[(&str, &str)]) -> String {
        match layers(user, env).and_then(|layers| layers.resolve()) {
            Ok(_) => "fine".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_defaults_fit_the_program() {
        let config = Layers::defaults().unwrap().resolve().unwrap();
        assert_eq!(config.judge, review_loop_core::settings::Settings::default());
        assert_eq!(config.lenses.code.len(), 6);
    }

    #[test]
    fn a_later_layer_wins_and_is_named() {
        let layers = layers(
            "[review]\nfail-on = \"low\"\n[scope]\ncontext-lines = 5",
            &[("REVIEW_LOOP_REVIEW_FAIL_ON", "high")],
        )
        .unwrap();
        let config = layers.resolve().unwrap();
        assert_eq!((config.review.fail_on, config.scope.context_lines), (super::super::FailOn::High, 5));
        let origins: BTreeMap<_, _> = layers.settings().into_iter().map(|s| (s.key, s.origin.to_string())).collect();
        insta::assert_snapshot!(origins["review.fail-on"], @"environment variable REVIEW_LOOP_REVIEW_FAIL_ON");
        insta::assert_snapshot!(origins["scope.context-lines"], @"user file user.toml");
        insta::assert_snapshot!(origins["scope.ignore"], @"default");
    }

    #[test]
    fn mistakes_are_named_with_their_place_and_the_way_out() {
        insta::assert_snapshot!(complaint("[scope]\nmax-file-byte = 1", &[]), @"user file user.toml: there is no setting `scope.max-file-byte`; did you mean `scope.max-file-bytes`?");
        insta::assert_snapshot!(complaint("[zebra]\nstripes = 1", &[]), @"user file user.toml: there is no setting `zebra.stripes`");
        insta::assert_snapshot!(complaint("[review]\nfail-on = \"hgih\"", &[]), @"user file user.toml: `review.fail-on`: unknown variant `hgih`, expected one of `critical`, `high`, `medium`, `low`, `never`");
        insta::assert_snapshot!(complaint("", &[("REVIEW_LOOP_SCOPE_CONTEXT_LINES", "many")]), @"environment variable REVIEW_LOOP_SCOPE_CONTEXT_LINES: `scope.context-lines`: `many` is not a whole number");
    }
}
