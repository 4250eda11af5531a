//! Cassettes: answers that were recorded once and are given again, without a network.
//!
//! A cassette holds no prompt: what was asked is kept as digests, so that a request can be found and a missing one
//! explained. Answers pass through the caller's redaction before they are used or written.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::{BoxFuture, ready};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Brief, Error, Model, Part, Reply, Request, Started, Tier};

/// The one form of cassettes there is.
const VERSION: u32 = 1;
/// No cassette larger than this is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Takes secrets out of a text.
pub type Redact = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// Why a cassette cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// It cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Which one.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is none, or one of another version.
    #[error("{path} is not a cassette that this version reads: {reason}")]
    Format {
        /// Which one.
        path: String,
        /// Why.
        reason: String,
    },
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Cassette {
    /// Says what the file is, to people and to us before we write over it.
    review_loop_cassette: u32,
    model: String,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Entry {
    key: String,
    asked: Asked,
    answer: Answer,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Answer {
    Reply(Reply),
    Error(Error),
}

/// What a request was, part by part, as digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Asked {
    brief: String,
    instructions: String,
    messages: String,
    tools: String,
    schema: String,
    tier: Tier,
    max_output_tokens: u32,
}

impl Asked {
    fn of(brief: &Brief, request: &Request) -> Self {
        let brief = if request.wants_brief() { brief.text.as_str() } else { "" };
        Self {
            brief: digest(&brief),
            instructions: digest(&request.instructions),
            messages: digest(&request.messages),
            tools: digest(&request.tools),
            schema: digest(&request.schema),
            tier: request.tier,
            max_output_tokens: request.max_output_tokens,
        }
    }

    /// What it and another differ in, in words.
    fn differences(&self, other: &Self) -> Vec<&'static str> {
        let pairs = [
            ("the subject under review", self.brief == other.brief),
            ("the instructions", self.instructions == other.instructions),
            ("the conversation", self.messages == other.messages),
            ("the tools", self.tools == other.tools),
            ("the schema", self.schema == other.schema),
            ("the tier", self.tier == other.tier),
            ("the output cap", self.max_output_tokens == other.max_output_tokens),
        ];
        pairs.into_iter().filter(|(_, same)| !same).map(|(what, _)| what).collect()
    }
}

/// A model that answers from a cassette.
pub struct Replay {
    path: PathBuf,
    recorded_with: String,
    asked: Vec<Asked>,
    /// Answers by key; the same request asked again gets the next one, and the last one for good.
    answers: HashMap<String, Vec<Answer>>,
    given: Mutex<HashMap<String, usize>>,
}

impl Replay {
    /// Reads a cassette.
    ///
    /// # Errors
    /// Where it cannot be read, or is none.
    pub fn open(path: &Path) -> Result<Self, CassetteError> {
        Ok(Self::of(path, read(path)?))
    }

    /// Takes a cassette's text, and what to call it.
    ///
    /// # Errors
    /// Where it is none.
    pub fn read(name: &str, text: &str) -> Result<Self, CassetteError> {
        Ok(Self::of(Path::new(name), parse(name, text)?))
    }

    fn of(path: &Path, cassette: Cassette) -> Self {
        let asked = cassette.entries.iter().map(|e| e.asked.clone()).collect();
        let mut answers: HashMap<String, Vec<Answer>> = HashMap::new();
        for entry in cassette.entries {
            answers.entry(entry.key).or_default().push(entry.answer);
        }
        Self { path: path.to_owned(), recorded_with: cassette.model, asked, answers, given: Mutex::default() }
    }

    fn answer(&self, brief: &Brief, request: &Request) -> Result<Reply, Error> {
        request.check(brief)?;
        let asked = Asked::of(brief, request);
        let key = digest(&asked);
        let Some(answers) = self.answers.get(&key) else {
            return Err(self.missing(&asked));
        };
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let next = given.entry(key).or_default();
        let answer = answers.get(*next).or(answers.last());
        *next += 1;
        match answer {
            Some(Answer::Reply(reply)) => Ok(reply.clone()),
            Some(Answer::Error(error)) => Err(error.clone()),
            None => Err(self.missing(&asked)),
        }
    }

    fn missing(&self, asked: &Asked) -> Error {
        let path = self.path.display();
        let entries = (1..).zip(&self.asked).map(|(n, other)| (other.differences(asked), n));
        let nearest = match entries.min_by_key(|(differences, n)| (differences.len(), *n)) {
            Some((differences, n)) => {
                format!("the nearest, entry {n} of {}, differs in {}", self.asked.len(), differences.join(" and "))
            }
            None => "it is empty".to_owned(),
        };
        Error::Failed(format!("{path} has no answer to this request: {nearest}; record it again with --record {path}"))
    }
}

impl Model for Replay {
    fn name(&self) -> String {
        format!("replay of {} from {}", self.recorded_with, self.path.display())
    }

    fn complete_streaming<'a>(
        &'a self,
        brief: &'a Brief,
        request: &'a Request,
        _: Started<'a>,
    ) -> BoxFuture<'a, Result<Reply, Error>> {
        Box::pin(ready(self.answer(brief, request)))
    }
}

/// A model whose answers are written to a cassette, each as soon as it is there.
pub struct Record {
    model: Arc<dyn Model>,
    path: PathBuf,
    redact: Redact,
    cassette: Mutex<Cassette>,
}

impl Record {
    /// Starts a cassette in place of the one that may be at `path`.
    ///
    /// # Errors
    /// Where it cannot be written, or something other than a cassette is there.
    pub fn create(model: Arc<dyn Model>, path: &Path, redact: Redact) -> Result<Self, CassetteError> {
        if path.symlink_metadata().is_ok() {
            read(path)?;
        }
        let cassette = Cassette { review_loop_cassette: VERSION, model: redact(&model.name()), entries: Vec::new() };
        write(path, &cassette)?;
        Ok(Self { model, path: path.to_owned(), redact, cassette: Mutex::new(cassette) })
    }

    async fn ask(&self, brief: &Brief, request: &Request, started: Started<'_>) -> Result<Reply, Error> {
        let answer = match self.model.complete_streaming(brief, request, started).await {
            Ok(reply) => Answer::Reply(self.clean(reply)),
            Err(error) => Answer::Error(self.clean_error(error)),
        };
        let asked = Asked::of(brief, request);
        self.keep(Entry { key: digest(&asked), asked, answer: answer.clone() })?;
        match answer {
            Answer::Reply(reply) => Ok(reply),
            Answer::Error(error) => Err(error),
        }
    }

    fn keep(&self, entry: Entry) -> Result<(), Error> {
        let mut cassette = self.cassette.lock().unwrap_or_else(PoisonError::into_inner);
        cassette.entries.push(entry);
        write(&self.path, &cassette).map_err(|e| Error::Failed(format!("the cassette cannot be written: {e}")))
    }

    /// What is recorded is also what the run goes on with: later requests are built from it, and must be found again.
    fn clean(&self, mut reply: Reply) -> Reply {
        for part in &mut reply.parts {
            match part {
                Part::Text(text) => *text = (self.redact)(text),
                Part::ToolCall(call) => {
                    let clean = (self.redact)(&call.input);
                    if serde_json::from_str::<serde::de::IgnoredAny>(&clean).is_ok() {
                        call.input = clean;
                    } else {
                        "{}".clone_into(&mut call.input);
                    }
                }
                Part::Brief | Part::ToolResult(_) => {}
            }
        }
        reply
    }

    fn clean_error(&self, error: Error) -> Error {
        match error {
            Error::TooLarge(m) => Error::TooLarge((self.redact)(&m)),
            Error::Denied(m) => Error::Denied((self.redact)(&m)),
            Error::Invalid(m) => Error::Invalid((self.redact)(&m)),
            Error::Failed(m) => Error::Failed((self.redact)(&m)),
            error => error,
        }
    }
}

impl Model for Record {
    fn name(&self) -> String {
        self.model.name()
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
        self.model.caches()
    }

    fn available(&self) -> bool {
        self.model.available()
    }
}

fn read(path: &Path) -> Result<Cassette, CassetteError> {
    let shown = path.display().to_string();
    let io = |source| CassetteError::Io { path: shown.clone(), source };
    let wrong = |reason: String| CassetteError::Format { path: shown.clone(), reason };
    if !path.metadata().map_err(io)?.is_file() {
        return Err(wrong("it is not a file".to_owned()));
    }
    let mut text = String::new();
    File::open(path).map_err(io)?.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(|e| wrong(e.to_string()))?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > MAX_BYTES {
        return Err(wrong(format!("it is larger than {MAX_BYTES} bytes")));
    }
    parse(&shown, &text)
}

fn parse(name: &str, text: &str) -> Result<Cassette, CassetteError> {
    let wrong = |reason: String| CassetteError::Format { path: name.to_owned(), reason };
    let cassette: Cassette = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
    match cassette.review_loop_cassette {
        VERSION => Ok(cassette),
        other => Err(wrong(format!("it is of version {other}, this is {VERSION}"))),
    }
}

/// Writes the whole cassette beside its place and moves it there: a reader sees the old one or the new one.
fn write(path: &Path, cassette: &Cassette) -> Result<(), CassetteError> {
    let io = |source| CassetteError::Io { path: path.display().to_string(), source };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    serde_json::to_writer_pretty(&mut file, cassette).map_err(|e| io(e.into()))?;
    file.write_all(b"\n").and_then(|()| file.as_file().sync_all()).map_err(io)?;
    file.persist(path).map_err(|e| io(e.error))?;
    Ok(())
}

/// SHA-256 of a value's JSON, whose object keys are put in order, in hex.
fn digest<T: Serialize>(value: &T) -> String {
    let json = serde_json::to_value(value).map(ordered).map(|v| v.to_string()).unwrap_or_default();
    Sha256::digest(json.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn ordered(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<_, _> = map.into_iter().map(|(k, v)| (k, ordered(v))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(all) => Value::Array(all.into_iter().map(ordered).collect()),
        other => other,
    }
}
