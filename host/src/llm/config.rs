//! Where a provider is and what opens it. Comes from the environment and from nowhere else.

use std::fmt;

/// An address and a key.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// None only for a server that wants none.
    pub key: Option<String>,
    /// With or without the `/v1` at its end. None: the provider's own.
    pub base_url: Option<String>,
}

impl Config {
    /// Reads the two variables. Empty counts as not set.
    pub(super) fn read(env: &dyn Fn(&str) -> Option<String>, key: &str, base_url: &str) -> Self {
        let read = |name| env(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
        Self { key: read(key), base_url: read(base_url) }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.as_ref().map(|_| "[key]");
        f.debug_struct("Config").field("key", &key).field("base_url", &self.base_url).finish()
    }
}
