//! One HTTP exchange with a provider: where to, what for, how long, how much.

mod status;

use std::fmt;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, Url, redirect};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

pub(super) use self::status::{broken, stream_error};
use super::retry::Failure;
use super::settings::{ReplyLimits, Timeouts};
use super::sse::Events;
use super::{Error, Reply, Started};

/// A provider's address and how to talk to it.
pub(super) struct Http {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    secret: Option<Secret>,
    timeouts: Timeouts,
    max_bytes: usize,
}

/// Builds a reply out of what a provider sends.
pub(super) trait Assemble {
    /// Takes the data of one server-sent event.
    fn event(&mut self, data: &[u8]) -> Result<(), Failure>;
    /// Takes a whole reply, from a server that does not stream.
    fn whole(&mut self, body: &[u8]) -> Result<(), Failure>;
    /// Whether the first token is there.
    fn started(&self) -> bool;
    /// Whether the provider said that this was all.
    fn ended(&self) -> bool;
    /// The reply, if it is whole.
    fn finish(self) -> Result<Reply, Failure>;
}

/// What opens a provider, and where it is to be put.
pub(super) struct Key {
    /// The environment variable that it is from.
    pub(super) variable: &'static str,
    pub(super) header: HeaderName,
    /// What stands before it in the header.
    pub(super) prefix: &'static str,
    pub(super) secret: Secret,
}

/// An API key. Shown nowhere.
#[derive(Clone)]
pub(super) struct Secret(String);

/// Why a back end cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The address is none.
    #[error("{variable} is not an address of the form https://host[:port][/path]: {reason}")]
    Address {
        /// The environment variable.
        variable: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The key would be readable on the way.
    #[error(
        "{variable} is plain http to {host}: the key is only sent over https or to this machine; set an https address"
    )]
    KeyInClear {
        /// The environment variable.
        variable: &'static str,
        /// The host it names.
        host: String,
    },
    /// A key that no HTTP header can hold.
    #[error("the key in {variable} holds characters that no HTTP header can; was it copied whole?")]
    Key {
        /// The environment variable.
        variable: &'static str,
    },
    /// There is no key.
    #[error("{variable} is not set")]
    NoKey {
        /// The environment variable.
        variable: &'static str,
    },
    /// The HTTP client cannot start.
    #[error("no HTTPS client: {0}")]
    Client(String),
}

impl Key {
    fn value(&self) -> Result<HeaderValue, SetupError> {
        let text = format!("{}{}", self.prefix, self.secret.0);
        let mut value = HeaderValue::try_from(text).map_err(|_| SetupError::Key { variable: self.variable })?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl Secret {
    pub(super) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text without the key in it.
    fn hide(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

impl Http {
    /// A connection to `url`.
    pub(super) fn new(
        url: Url,
        key: Option<Key>,
        timeouts: &Timeouts,
        reply: &ReplyLimits,
    ) -> Result<Self, SetupError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let mut secret = None;
        if let Some(key) = key {
            headers.insert(key.header.clone(), key.value()?);
            secret = Some(key.secret);
        }
        let client = client(&url, timeouts)?;
        Ok(Self { client, url, headers, secret, timeouts: timeouts.clone(), max_bytes: reply.max_bytes })
    }

    pub(super) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    /// Sends one request and reads its reply to the end.
    pub(super) async fn exchange<A: Assemble>(
        &self,
        body: &Value,
        mut reply: A,
        started: Started<'_>,
    ) -> Result<Reply, Failure> {
        let first_byte = Instant::now() + self.timeouts.first_byte();
        let mut response = self.send(body, first_byte).await?;
        let streamed =
            response.headers().get(CONTENT_TYPE).is_some_and(|t| t.as_bytes().starts_with(b"text/event-stream"));
        let (mut events, mut whole, mut read, mut told) = (Events::default(), Vec::new(), 0, false);
        let mut deadline = first_byte;
        while let Some(piece) = self.piece(&mut response, deadline).await? {
            deadline = Instant::now() + self.timeouts.idle();
            read += piece.len();
            if read > self.max_bytes {
                let why = format!("the reply is longer than {} bytes", self.max_bytes);
                return Err(Failure::never(Error::Failed(why)));
            }
            if !streamed {
                whole.extend_from_slice(&piece);
                continue;
            }
            events.feed(&piece, |data| reply.event(data)).map_err(|f| self.hide(f))?;
            if !told && reply.started() {
                told = true;
                started();
            }
            if reply.ended() {
                break;
            }
        }
        if !streamed {
            reply.whole(&whole).map_err(|f| self.hide(f))?;
            started();
        }
        reply.finish().map_err(|f| self.hide(f))
    }

    async fn send(&self, body: &Value, deadline: Instant) -> Result<Response, Failure> {
        let request = self.client.post(self.url.clone()).headers(self.headers.clone()).body(body.to_string());
        let response = match timeout_at(deadline, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(e)) => return Err(self.hide(self.unreachable(e))),
            Err(_) => return Err(Failure::later(Error::TimedOut)),
        };
        if response.status().is_success() { Ok(response) } else { Err(self.refusal(response).await) }
    }

    async fn piece(&self, response: &mut Response, deadline: Instant) -> Result<Option<Vec<u8>>, Failure> {
        match timeout_at(deadline, response.chunk()).await {
            Ok(Ok(piece)) => Ok(piece.map(|p| p.to_vec())),
            Ok(Err(_)) => Err(Failure::later(Error::Failed("the reply was cut off".to_owned()))),
            Err(_) => Err(Failure::later(Error::TimedOut)),
        }
    }

    /// What a status other than success means. Reads no more of the body than it takes to say so.
    async fn refusal(&self, mut response: Response) -> Failure {
        let (status, headers) = (response.status(), response.headers().clone());
        let deadline = Instant::now() + self.timeouts.idle().min(Duration::from_secs(10));
        let mut body = Vec::new();
        while let Ok(Some(piece)) = self.piece(&mut response, deadline).await {
            body.extend_from_slice(&piece);
            if body.len() > 64 << 10 {
                break;
            }
        }
        self.hide(status::failure(status, &headers, &body))
    }

    fn unreachable(&self, e: reqwest::Error) -> Failure {
        let host = self.url.host_str().unwrap_or_default().to_owned();
        let e = e.without_url();
        if e.is_timeout() {
            return Failure::later(Error::TimedOut);
        }
        let mut source: &dyn std::error::Error = &e;
        while let Some(inner) = source.source() {
            source = inner;
        }
        let verb = if e.is_connect() { "cannot be reached" } else { "broke the exchange off" };
        Failure::later(Error::Failed(format!("{host} {verb}: {}", status::plain(&source.to_string()))))
    }

    /// A provider, or whatever stands between, may echo the key.
    fn hide(&self, mut failure: Failure) -> Failure {
        if let (Some(secret), Error::TooLarge(m) | Error::Denied(m) | Error::Invalid(m) | Error::Failed(m)) =
            (&self.secret, &mut failure.error)
        {
            *m = secret.hide(m);
        }
        failure
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

/// Reads a provider's address, as the environment has it.
pub(super) fn address(variable: &'static str, base: &str, has_key: bool) -> Result<Url, SetupError> {
    let wrong = |reason: &str| SetupError::Address { variable, reason: reason.to_owned() };
    let url = Url::parse(base.trim()).map_err(|e| wrong(&e.to_string()))?;
    let Some(host) = url.host_str().filter(|h| !h.is_empty()) else {
        return Err(wrong("it names no host"));
    };
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("user, password, query and fragment have no place in it"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if has_key && !is_loopback(&url) => Err(SetupError::KeyInClear { variable, host: host.to_owned() }),
        "http" => Ok(url),
        _ => Err(wrong("only https and http are spoken")),
    }
}

/// `base` with `path` behind it, and `version` between where the base does not have it yet.
pub(super) fn join(mut base: Url, version: &str, path: &str) -> Url {
    let given = base.path().trim_end_matches('/').to_owned();
    let version = if given.ends_with(&format!("/{version}")) { String::new() } else { format!("/{version}") };
    base.set_path(&format!("{given}{version}/{path}"));
    base
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn client(url: &Url, timeouts: &Timeouts) -> Result<reqwest::Client, SetupError> {
    // Installed once for the process; a second time changes nothing and is no failure.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .connect_timeout(timeouts.connect())
        .user_agent(concat!("review-loop/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|e| SetupError::Client(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, has_key: bool) -> String {
        match address("X_BASE_URL", base, has_key) {
            Ok(url) => join(url, "v1", "messages").to_string(),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn keys_travel_encrypted_or_not_at_all() {
        assert_eq!(check("https://api.example.com", true), "https://api.example.com/v1/messages");
        assert_eq!(check("http://127.0.0.1:8080/", true), "http://127.0.0.1:8080/v1/messages");
        assert_eq!(check("http://[::1]:8080/v1/", true), "http://[::1]:8080/v1/messages");
        assert_eq!(check("http://localhost/proxy/v1", true), "http://localhost/proxy/v1/messages");
        assert_eq!(check("http://192.168.1.9", false), "http://192.168.1.9/v1/messages");
        let refused = check("http://192.168.1.9", true);
        assert!(refused.starts_with("X_BASE_URL is plain http to 192.168.1.9"), "{refused}");
        assert!(check("http://localhost.evil.example", true).contains("plain http"));
    }

    #[test]
    fn addresses_that_hide_something_are_refused() {
        for bad in
            ["", "api.example.com", "file:///etc/passwd", "https://a:b@host/", "https://host/?k=1", "https://h/#f"]
        {
            assert!(check(bad, false).contains("is not an address"), "{bad}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let secret = Secret::new("sk-123");
        assert_eq!(format!("{secret:?}"), "[key]");
        assert_eq!(secret.hide("bad key sk-123!"), "bad key [key]!");
    }
}
