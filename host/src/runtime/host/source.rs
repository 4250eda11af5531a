//! `source`: the files around the change, at the revisions under review. Bounded per call and per component.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, Match};
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
        let text = self.sources.text(path, side).map_err(error)?;
        let size = text.len() as u64;
        if size > self.limits.source_file_bytes {
            return Err(wit::Error::TooLarge(size));
        }
        if !self.source_left.take(size) {
            return Err(wit::Error::LimitReached);
        }
        Ok(text)
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
        let (mut found, mut complete) = (Vec::new(), true);
        for path in paths.iter().filter(|path| wanted.is_empty() || wanted.is_match(path.as_str())) {
            // A file that cannot be read was not looked through, and whoever concludes from an absence must know.
            let text = match self.sources.text(path, side) {
                Ok(text) => text,
                Err(SourceError::NotText) => continue,
                Err(_) => {
                    complete = false;
                    continue;
                }
            };
            if !self.source_left.take(text.len() as u64) {
                return Ok(wit::Matches { found, complete: false });
            }
            patterns.find_in(path, text.as_bytes(), &mut found);
            if found.len() > most {
                found.truncate(most);
                return Ok(wit::Matches { found, complete: false });
            }
        }
        Ok(wit::Matches { found, complete })
    }
}

/// A query's patterns: one pass over a text, however many there are.
enum Patterns {
    /// Texts as they stand; with `words`, where no word character is on either side.
    Texts {
        texts: AhoCorasick,
        words: bool,
    },
    Expressions(RegexSet),
}

impl Patterns {
    fn compile(query: &wit::Query) -> Result<Self, wit::Error> {
        let words = query.syntax == wit::Syntax::Word;
        if query.syntax == wit::Syntax::Regex {
            let patterns = query.patterns.iter().map(|pattern| format!("(?:{pattern})"));
            let set = RegexSetBuilder::new(patterns).multi_line(true).size_limit(PATTERN_BYTES).build();
            return set.map(Self::Expressions).map_err(|error| wit::Error::Invalid(error.to_string()));
        }
        if query.patterns.iter().any(String::is_empty) {
            return Err(wit::Error::Invalid("an empty pattern is everywhere".to_owned()));
        }
        let texts = AhoCorasick::new(&query.patterns).map_err(|error| wit::Error::Invalid(error.to_string()))?;
        Ok(Self::Texts { texts, words })
    }

    fn find_in(&self, path: &str, content: &[u8], found: &mut Vec<wit::Match>) {
        match self {
            Self::Texts { texts, words } => {
                // Most files hold no match at all, and one look at the whole file says so.
                if texts.is_match(content) {
                    for_each_line(content, |number, line| {
                        let holds = |hit: &Match| !words || stands_alone(line, hit);
                        let hits = texts.find_overlapping_iter(line).filter(holds).map(|hit| hit.pattern().as_usize());
                        let patterns: BTreeSet<usize> = hits.collect();
                        found.extend(patterns.into_iter().map(|pattern| entry(path, number, line, pattern)));
                    });
                }
            }
            Self::Expressions(set) => {
                if set.is_match(content) {
                    for_each_line(content, |number, line| {
                        found.extend(set.matches(line).into_iter().map(|pattern| entry(path, number, line, pattern)));
                    });
                }
            }
        }
    }
}

fn for_each_line<'a>(content: &'a [u8], mut look: impl FnMut(u32, &'a [u8])) {
    for (number, line) in (1..).zip(content.split(|byte| *byte == b'\n')) {
        look(number, line);
    }
}

/// Whether no word character is on either side. Every byte of a letter beyond ASCII is one.
fn stands_alone(line: &[u8], hit: &Match) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || !b.is_ascii());
    let before = hit.start().checked_sub(1).and_then(|before| line.get(before));
    !is_word(before) && !is_word(line.get(hit.end()))
}

fn entry(path: &str, line: u32, text: &[u8], pattern: usize) -> wit::Match {
    let text = String::from_utf8_lossy(text.get(..LINE_BYTES).unwrap_or(text));
    let pattern = u32::try_from(pattern).unwrap_or(u32::MAX);
    wit::Match { path: path.to_owned(), line, text: text.trim_end_matches('\r').to_owned(), pattern }
}

fn globset(globs: &[String]) -> Result<GlobSet, wit::Error> {
    let invalid = |error: globset::Error| wit::Error::Invalid(error.to_string());
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        builder.add(GlobBuilder::new(glob).literal_separator(true).build().map_err(invalid)?);
    }
    builder.build().map_err(invalid)
}

fn error(error: SourceError) -> wit::Error {
    match error {
        SourceError::NotText => wit::Error::NotText,
        SourceError::NotFound => wit::Error::NotFound,
        SourceError::TooLarge(size) => wit::Error::TooLarge(size),
        SourceError::Unavailable(why) => wit::Error::Unavailable(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(syntax: wit::Syntax, patterns: &[&str], text: &str) -> Vec<(u32, u32)> {
        let query = wit::Query {
            patterns: patterns.iter().map(|pattern| (*pattern).to_owned()).collect(),
            syntax,
            globs: Vec::new(),
            side: types::Side::New,
            max: 100,
        };
        let mut found = Vec::new();
        Patterns::compile(&query).unwrap_or_else(|_| panic!("the patterns compile")).find_in(
            "a",
            text.as_bytes(),
            &mut found,
        );
        found.into_iter().map(|one| (one.line, one.pattern)).collect()
    }

    #[test]
    fn a_word_stands_alone_and_a_text_need_not() {
        let text = "load\nreload\nload_all\n--load-all load\n";
        assert_eq!(check(wit::Syntax::Word, &["load", "--load-all"], text), [(1, 0), (4, 0), (4, 1)]);
        assert_eq!(check(wit::Syntax::Literal, &["load"], text), [(1, 0), (2, 0), (3, 0), (4, 0)]);
        assert_eq!(check(wit::Syntax::Regex, &["^re", "all$"], text), [(2, 0), (3, 1)]);
    }

    #[test]
    fn a_thousand_names_are_one_query() {
        let names: Vec<String> = (0..1000).map(|n| format!("name_{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(check(wit::Syntax::Word, &names, "x name_7\nname_77 name_777\n"), [(1, 7), (2, 77), (2, 777)]);
    }
}
