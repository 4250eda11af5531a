//! `source`: the files around the change, at the revisions under review. Bounded per call and per component.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::bytes::{RegexSet, RegexSetBuilder};
use review_loop_core::finding::Side;
use tokio::task::block_in_place;
use wasmtime::Result;

use crate::runtime::bindings::v0_1::source as wit;
use crate::runtime::bindings::v0_1::types;
use crate::runtime::call::State;
use crate::scope::SourceError;

/// Lines longer than this are cut in a match: minified files would fill an answer with one line.
const LINE_BYTES: usize = 400;

/// A file with a NUL among its first bytes has no text; git's own rule and number.
const BINARY_PROBE: usize = 8000;

/// What one query's patterns may compile to, in bytes.
const PATTERN_BYTES: usize = 16 << 20;

impl wit::Host for State {
    async fn read(&mut self, path: String, side: types::Side) -> Result<Result<String, wit::Error>> {
        self.count_call()?;
        Ok(block_in_place(|| self.read_text(&path, side.into())))
    }

    async fn paths(&mut self, globs: Vec<String>, side: types::Side) -> Result<Result<wit::Listing, wit::Error>> {
        self.count_call()?;
        Ok(block_in_place(|| self.list(&globs, side.into())))
    }

    async fn search(&mut self, query: wit::Query) -> Result<Result<wit::Matches, wit::Error>> {
        self.count_call()?;
        Ok(block_in_place(|| self.find(&query)))
    }
}

impl State {
    fn read_text(&mut self, path: &str, side: Side) -> Result<String, wit::Error> {
        let content = self.sources.read(path, side).map_err(error)?;
        let size = content.len() as u64;
        if size > self.limits.source_file_bytes {
            return Err(wit::Error::TooLarge(size));
        }
        if is_binary(&content) {
            return Err(wit::Error::NotText);
        }
        if !self.source_left.take(size) {
            return Err(wit::Error::LimitReached);
        }
        Ok(String::from_utf8_lossy(&content).into_owned())
    }

    fn list(&self, globs: &[String], side: Side) -> Result<wit::Listing, wit::Error> {
        let wanted = globset(globs)?;
        let paths = self.sources.paths(side).map_err(error)?;
        let mut matching = paths.iter().filter(|path| wanted.is_empty() || wanted.is_match(path.as_str()));
        let listed = matching.by_ref().take(self.limits.source_matches).cloned().collect();
        Ok(wit::Listing { paths: listed, complete: matching.next().is_none() })
    }

    fn find(&mut self, query: &wit::Query) -> Result<wit::Matches, wit::Error> {
        let side = query.side.into();
        let wanted = globset(&query.globs)?;
        let patterns = Patterns::compile(query)?;
        let most = (query.max as usize).min(self.limits.source_matches);
        let paths = self.sources.paths(side).map_err(error)?;
        let mut found = Vec::new();
        for path in paths.iter().filter(|path| wanted.is_empty() || wanted.is_match(path.as_str())) {
            // A file that cannot be read, or that vanished meanwhile, holds no match.
            let Ok(content) = self.sources.read(path, side) else {
                continue;
            };
            if !self.source_left.take(content.len() as u64) {
                return Ok(wit::Matches { found, complete: false });
            }
            if is_binary(&content) {
                continue;
            }
            patterns.find_in(path, &content, &mut found);
            if found.len() > most {
                found.truncate(most);
                return Ok(wit::Matches { found, complete: false });
            }
        }
        Ok(wit::Matches { found, complete: true })
    }
}

/// A query's patterns: one pass over a text, however many there are.
struct Patterns {
    lines: RegexSet,
}

impl Patterns {
    fn compile(query: &wit::Query) -> Result<Self, wit::Error> {
        let pattern = |pattern: &String| match query.syntax {
            wit::Syntax::Literal => regex::escape(pattern),
            wit::Syntax::Word => format!(r"(?:^|\W){}(?:\W|$)", regex::escape(pattern)),
            wit::Syntax::Regex => format!("(?:{pattern})"),
        };
        let lines = RegexSetBuilder::new(query.patterns.iter().map(pattern))
            .multi_line(true)
            .size_limit(PATTERN_BYTES)
            .build()
            .map_err(|error| wit::Error::Invalid(error.to_string()))?;
        Ok(Self { lines })
    }

    fn find_in(&self, path: &str, content: &[u8], found: &mut Vec<wit::Match>) {
        // Most files hold no match at all, and one look at the whole file says so.
        if !self.lines.is_match(content) {
            return;
        }
        for (number, line) in (1..).zip(content.split(|byte| *byte == b'\n')) {
            for pattern in self.lines.matches(line) {
                let text = String::from_utf8_lossy(line.get(..LINE_BYTES).unwrap_or(line));
                let text = text.trim_end_matches('\r').to_owned();
                found.push(wit::Match { path: path.to_owned(), line: number, text, pattern: pattern as u32 });
            }
        }
    }
}

fn globset(globs: &[String]) -> Result<GlobSet, wit::Error> {
    let invalid = |error: globset::Error| wit::Error::Invalid(error.to_string());
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        builder.add(GlobBuilder::new(glob).literal_separator(true).build().map_err(invalid)?);
    }
    builder.build().map_err(invalid)
}

fn is_binary(content: &[u8]) -> bool {
    content.iter().take(BINARY_PROBE).any(|byte| *byte == 0)
}

fn error(error: SourceError) -> wit::Error {
    match error {
        SourceError::NotFound => wit::Error::NotFound,
        SourceError::TooLarge(size) => wit::Error::TooLarge(size),
        SourceError::Unavailable(why) => wit::Error::Unavailable(why),
    }
}
