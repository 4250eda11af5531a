//! Where a provider is and what opens it. Comes from the environment and from nowhere else.

use std::fmt;

use reqwest::Url;
use reqwest::header::HeaderName;

use super::http::{Key, Secret, SetupError, address};

/// An address and a key.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// None only for a server that wants none.
    pub key: Option<String>,
    /// With or without the `/v1` at its end. None: the provider's own.
    pub base_url: Option<String>,
}

/// A provider's own service, and the variables that lead to another one and open either.
pub(super) struct Service {
    pub(super) address: &'static str,
    pub(super) address_variable: &'static str,
    pub(super) key_variable: &'static str,
}

impl Service {
    /// Reads the two variables. Empty counts as not set.
    pub(super) fn config(&self, env: &dyn Fn(&str) -> Option<String>) -> Config {
        let read = |name| env(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
        Config { key: read(self.key_variable), base_url: read(self.address_variable) }
    }

    /// Where requests go.
    ///
    /// # Errors
    /// An address that is none, a key that would travel in the clear, no key for the provider's own service.
    pub(super) fn url(&self, config: &Config) -> Result<Url, SetupError> {
        let base = config.base_url.as_deref().unwrap_or(self.address);
        let url = address(self.address_variable, base, config.key.is_some())?;
        if config.key.is_none() && config.base_url.is_none() {
            return Err(SetupError::NoKey { variable: self.key_variable });
        }
        Ok(url)
    }

    /// The key, in a header of its own behind `prefix`.
    pub(super) fn key(&self, config: &Config, header: HeaderName, prefix: &'static str) -> Option<Key> {
        let secret = Secret::new(config.key.as_deref()?);
        Some(Key { variable: self.key_variable, header, prefix, secret })
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.as_ref().map(|_| "[key]");
        f.debug_struct("Config").field("key", &key).field("base_url", &self.base_url).finish()
    }
}
