//! The host that stands in on the machine that builds a component: a subject, its sources and a scripted model.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use globset::{Glob, GlobSetBuilder};
use similar::{ChangeTag, TextDiff};

use crate::bindings::lens::review_loop::lens::{llm, log, source, subject};
use crate::types::{Report, Side};

/// The host of one test. Lives on the test's thread while [`FakeHost::run`] runs.
#[derive(Debug, Default)]
pub struct FakeHost {
    pub(crate) mode: String,
    pub(crate) iteration: u32,
    pub(crate) documents: Vec<subject::Document>,
    pub(crate) claims: Vec<subject::Claim>,
    pub(crate) history: Vec<subject::Past>,
    /// Every log message, in order.
    pub logged: Vec<(log::Level, String)>,
    /// The report as far as it was handed over, if it was.
    pub handed_over: Option<Report>,
    /// Every request to the model, in order.
    pub asked: Vec<llm::Request>,
    replies: Option<VecDeque<Result<llm::Reply, llm::Error>>>,
    old: BTreeMap<String, String>,
    new: BTreeMap<String, String>,
    changed: BTreeMap<String, subject::File>,
}

thread_local! {
    static CURRENT: RefCell<FakeHost> = RefCell::new(FakeHost::new());
}

impl FakeHost {
    /// Mode `code`, no files, no model.
    #[must_use]
    pub fn new() -> Self {
        Self { mode: "code".to_owned(), ..Self::default() }
    }

    /// Adds a changed file with its text before and after.
    #[must_use]
    pub fn edited(self, path: &str, old: &str, new: &str) -> Self {
        self.changed_file(path, Some(old), Some(new), None)
    }

    /// Adds a new file.
    #[must_use]
    pub fn added(self, path: &str, new: &str) -> Self {
        self.changed_file(path, None, Some(new), None)
    }

    /// Adds a deleted file.
    #[must_use]
    pub fn deleted(self, path: &str, old: &str) -> Self {
        self.changed_file(path, Some(old), None, None)
    }

    /// Adds a renamed file with its text before and after.
    #[must_use]
    pub fn renamed(self, from: &str, to: &str, old: &str, new: &str) -> Self {
        self.changed_file(to, Some(old), Some(new), Some(from))
    }

    /// Leaves a changed file's text out of the subject, as a lock file or a generated one is.
    #[must_use]
    pub fn omitted(mut self, path: &str, why: &str) -> Self {
        if let Some(file) = self.changed.get_mut(path) {
            file.omitted = Some(why.to_owned());
        }
        self
    }

    /// Adds a file that the change does not touch.
    #[must_use]
    pub fn source(mut self, path: &str, text: &str) -> Self {
        self.old.insert(path.to_owned(), text.to_owned());
        self.new.insert(path.to_owned(), text.to_owned());
        self
    }

    /// The model's answers, in order; when they are used up a call fails.
    #[must_use]
    pub fn replies(mut self, replies: impl IntoIterator<Item = Result<llm::Reply, llm::Error>>) -> Self {
        self.replies = Some(replies.into_iter().collect());
        self
    }

    /// Answers with text, in order.
    #[must_use]
    pub fn answers(self, texts: &[&str]) -> Self {
        self.replies(texts.iter().map(|text| Ok(text_reply(text))))
    }

    /// Runs `test` with this host, and gives the host back with what was logged and asked.
    pub fn run<T>(self, test: impl FnOnce() -> T) -> (T, Self) {
        let outer = CURRENT.replace(self);
        let result = test();
        (result, CURRENT.replace(outer))
    }

    pub(crate) fn with<T>(use_host: impl FnOnce(&mut Self) -> T) -> T {
        CURRENT.with_borrow_mut(use_host)
    }

    pub(crate) fn files(&mut self) -> Vec<subject::File> {
        self.changed.values().cloned().collect()
    }

    pub(crate) fn hunks(&self, path: &str) -> Result<Vec<subject::Hunk>, subject::Error> {
        let file = self.changed.get(path).ok_or(subject::Error::NotInSubject)?;
        if file.omitted.is_some() || file.binary {
            return Ok(Vec::new());
        }
        let old = self.old.get(file.old_path.as_deref().unwrap_or(path)).map_or("", String::as_str);
        Ok(hunks(old, self.new.get(path).map_or("", String::as_str)))
    }

    pub(crate) fn read(&self, path: &str, side: Side) -> Result<String, source::Error> {
        self.texts(side).get(path).cloned().ok_or(source::Error::NotFound)
    }

    pub(crate) fn paths(&self, globs: &[String], side: Side) -> Result<source::Listing, source::Error> {
        let globs = globset(globs)?;
        let paths = self.texts(side).keys().filter(|path| globs.is_empty() || globs.is_match(path)).cloned().collect();
        Ok(source::Listing { paths, complete: true })
    }

    pub(crate) fn search(&self, query: &source::Query) -> Result<source::Matches, source::Error> {
        let globs = globset(&query.globs)?;
        let patterns = patterns(query)?;
        let mut found = Vec::new();
        for (path, text) in self.texts(query.side).iter().filter(|(path, _)| globs.is_empty() || globs.is_match(path)) {
            for (number, line) in (1..).zip(text.lines()) {
                for (index, _) in (0..).zip(&patterns).filter(|(_, pattern)| pattern.is_match(line)) {
                    found.push(source::Match {
                        path: path.clone(),
                        line: number,
                        text: line.to_owned(),
                        pattern: index,
                    });
                }
            }
        }
        let complete = found.len() <= query.max as usize;
        found.truncate(query.max as usize);
        Ok(source::Matches { found, complete })
    }

    pub(crate) fn model_available(&self) -> bool {
        self.replies.is_some()
    }

    pub(crate) fn complete(&mut self, request: &llm::Request) -> Result<llm::Reply, llm::Error> {
        self.asked.push(request.clone());
        let replies = self.replies.as_mut().ok_or(llm::Error::Unavailable)?;
        replies.pop_front().unwrap_or_else(|| Err(llm::Error::Failed("the script has no more replies".to_owned())))
    }

    fn texts(&self, side: Side) -> &BTreeMap<String, String> {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    fn changed_file(mut self, path: &str, old: Option<&str>, new: Option<&str>, from: Option<&str>) -> Self {
        let status = match (old, new, from) {
            (_, _, Some(_)) => subject::Status::Renamed,
            (None, _, _) => subject::Status::Added,
            (_, None, _) => subject::Status::Deleted,
            _ => subject::Status::Modified,
        };
        let lines = hunks(old.unwrap_or_default(), new.unwrap_or_default());
        let count = |change| lines.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.change == change).count();
        let file = subject::File {
            path: path.to_owned(),
            old_path: from.map(str::to_owned),
            status,
            old_kind: old.map(|_| subject::Kind::Regular),
            new_kind: new.map(|_| subject::Kind::Regular),
            binary: false,
            omitted: None,
            added: count(subject::Change::Added) as u32,
            removed: count(subject::Change::Removed) as u32,
            size: new.or(old).map_or(0, |text| text.len() as u64),
        };
        self.changed.insert(path.to_owned(), file);
        if let Some(text) = old {
            self.old.insert(from.unwrap_or(path).to_owned(), text.to_owned());
        }
        if let Some(text) = new {
            self.new.insert(path.to_owned(), text.to_owned());
        }
        self
    }
}

/// A model's answer in words.
#[must_use]
pub fn text_reply(text: &str) -> llm::Reply {
    llm::Reply {
        parts: vec![llm::Part::Text(text.to_owned())],
        stop: llm::Stop::End,
        usage: llm::Usage { input: 10, cached: 0, output: 10 },
    }
}

fn hunks(old: &str, new: &str) -> Vec<subject::Hunk> {
    // As git does: a carriage return ends no line.
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let diff = TextDiff::from_slices(&old, &new);
    let line = |change: &similar::Change<&str>| subject::Line {
        change: match change.tag() {
            ChangeTag::Equal => subject::Change::Context,
            ChangeTag::Insert => subject::Change::Added,
            ChangeTag::Delete => subject::Change::Removed,
        },
        old: change.old_index().map(|index| index as u32 + 1),
        new: change.new_index().map(|index| index as u32 + 1),
        text: change.value().trim_end_matches('\n').to_owned(),
    };
    diff.unified_diff()
        .iter_hunks()
        .map(|hunk| subject::Hunk { header: String::new(), lines: hunk.iter_changes().map(|c| line(&c)).collect() })
        .collect()
}

fn globset(globs: &[String]) -> Result<globset::GlobSet, source::Error> {
    let invalid = |error: globset::Error| source::Error::Invalid(error.to_string());
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        builder.add(Glob::new(glob).map_err(invalid)?);
    }
    builder.build().map_err(invalid)
}

fn patterns(query: &source::Query) -> Result<Vec<regex::Regex>, source::Error> {
    let pattern = |pattern: &String| match query.syntax {
        source::Syntax::Literal => regex::escape(pattern),
        source::Syntax::Word => format!(r"(?:^|\W){}(?:\W|$)", regex::escape(pattern)),
        source::Syntax::Regex => pattern.clone(),
    };
    let compile = |text: &String| regex::Regex::new(&pattern(text)).map_err(|e| source::Error::Invalid(e.to_string()));
    query.patterns.iter().map(compile).collect()
}
