//! A changed file as checks look at it.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::code::{Language, Token, is_test_path, test_lines, tokens};
use crate::lines::{Numbers, are_several, fed, split};
use crate::source;
use crate::subject::{self, Change, File, Hunk};
use crate::types::Side;

/// A changed file with its text. Its lines are those that an editor shows: a byte order mark is no part of the first one,
/// and a carriage return alone ends one too. [`report`](crate::check::report) tells the host the lines that it counts.
#[derive(Debug)]
pub struct Changed {
    /// What happened to it.
    pub file: File,
    /// The changed lines and those around them.
    pub hunks: Vec<Hunk>,
    /// By its name.
    pub language: Option<Language>,
    /// Whether it is a test or serves tests, by its path.
    pub test: bool,
    new: OnceCell<String>,
    old: OnceCell<String>,
    unread: RefCell<Option<String>>,
    numbers: Numbers,
    /// For each added line, the hunk and the line in it.
    added: OnceCell<BTreeMap<u32, (usize, usize)>>,
    test_lines: OnceCell<Vec<(u32, u32)>>,
}

impl Changed {
    /// The added lines with their numbers, in order.
    pub fn added(&self) -> impl Iterator<Item = (u32, &str)> {
        self.lines(Change::Added).filter_map(|line| Some((line.new?, line.text.as_str())))
    }

    /// The text of one added line. Many may be asked for: each takes the same time, however many there are.
    #[must_use]
    pub fn added_line(&self, number: u32) -> Option<&str> {
        let index = self.added.get_or_init(|| {
            let lines = |(at, hunk): (usize, &Hunk)| {
                let added = hunk.lines.iter().enumerate().filter(|(_, line)| line.change == Change::Added);
                added.filter_map(|(inside, line)| Some((line.new?, (at, inside)))).collect::<Vec<_>>()
            };
            self.hunks.iter().enumerate().flat_map(lines).collect()
        });
        let (hunk, line) = index.get(&number)?;
        self.hunks.get(*hunk)?.lines.get(*line).map(|line| line.text.as_str())
    }

    /// The removed lines with their numbers, in order.
    pub fn removed(&self) -> impl Iterator<Item = (u32, &str)> {
        self.lines(Change::Removed).filter_map(|line| Some((line.old?, line.text.as_str())))
    }

    /// Whether an added line holds any of the texts: the cheap question before the dear one.
    #[must_use]
    pub fn adds_any(&self, texts: &[&str]) -> bool {
        self.added().any(|(_, line)| texts.iter().any(|text| line.contains(text)))
    }

    /// Whether a removed line holds any of the texts.
    #[must_use]
    pub fn removes_any(&self, texts: &[&str]) -> bool {
        self.removed().any(|(_, line)| texts.iter().any(|text| line.contains(text)))
    }

    /// The numbers of the added lines.
    #[must_use]
    pub fn added_lines(&self) -> BTreeSet<u32> {
        self.added().map(|(number, _)| number).collect()
    }

    /// The whole text after the change; empty for a deleted file, and where it cannot be read, which the report then
    /// says.
    #[must_use]
    pub fn new_text(&self) -> &str {
        if self.file.new_kind.is_none() {
            return "";
        }
        self.new.get_or_init(|| self.read_side(Side::New))
    }

    /// The whole text before the change; empty for a new file.
    #[must_use]
    pub fn old_text(&self) -> &str {
        if self.file.old_kind.is_none() {
            return "";
        }
        self.old.get_or_init(|| self.read_side(Side::Old))
    }

    /// The tokens of the text after the change; none where the language is not known.
    #[must_use]
    pub fn new_tokens(&self) -> Vec<Token<'_>> {
        self.language.map_or_else(Vec::new, |language| tokens(self.new_text(), language))
    }

    /// The tokens of the text before the change; none where the language is not known.
    #[must_use]
    pub fn old_tokens(&self) -> Vec<Token<'_>> {
        self.language.map_or_else(Vec::new, |language| tokens(self.old_text(), language))
    }

    /// Whether the line is test code, by the file's path or by the items around it. The text is read for it once.
    #[must_use]
    pub fn is_test_line(&self, line: u32) -> bool {
        let found = || self.language.map_or_else(Vec::new, |language| test_lines(&self.new_tokens(), language));
        if self.test {
            return true;
        }
        // In order and apart from each other.
        let items = self.test_lines.get_or_init(found);
        let behind = items.partition_point(|&(_, last)| last < line);
        items.get(behind).is_some_and(|&(first, _)| first <= line)
    }

    pub(crate) fn read(file: File) -> Self {
        let hunks = subject::hunks(&file.path).unwrap_or_default();
        let (language, test) = (Language::of(&file.path), is_test_path(&file.path));
        let mut changed = Self {
            file,
            hunks,
            language,
            test,
            new: OnceCell::new(),
            old: OnceCell::new(),
            unread: RefCell::new(None),
            numbers: Numbers::default(),
            added: OnceCell::new(),
            test_lines: OnceCell::new(),
        };
        changed.split_lines();
        changed
    }

    /// What the host counts the line after the change as.
    pub(crate) fn host_line(&self, line: u32) -> u32 {
        self.numbers.host_line(line)
    }

    /// Why a text could not be read, if one was asked for and could not.
    pub(crate) fn unread(&self) -> Option<String> {
        self.unread.take()
    }

    /// Gives the lines that end in carriage returns numbers of their own, where there are any.
    fn split_lines(&mut self) {
        if !are_several(self.hunks.iter().flat_map(|hunk| &hunk.lines)) {
            return;
        }
        // A text without such carriage returns keeps its numbers.
        let (old, new) = (self.old_text(), self.new_text());
        let (old_numbers, new_numbers) = (Numbers::of(old), Numbers::of(new));
        let (old, new) = (fed(old).into_owned(), fed(new).into_owned());
        self.hunks = split(std::mem::take(&mut self.hunks), &old_numbers, &new_numbers);
        (self.old, self.new) = (OnceCell::from(old), OnceCell::from(new));
        self.numbers = new_numbers;
    }

    fn lines(&self, change: Change) -> impl Iterator<Item = &subject::Line> {
        self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(move |line| line.change == change)
    }

    fn read_side(&self, side: Side) -> String {
        let before = self.file.old_path.as_deref().filter(|_| side == Side::Old);
        source::read(before.unwrap_or(&self.file.path), side).unwrap_or_else(|error| {
            *self.unread.borrow_mut() = Some(reason(&error));
            String::new()
        })
    }
}

fn reason(error: &source::Error) -> String {
    match error {
        source::Error::NotFound => "its text is not there".to_owned(),
        source::Error::NotText => "it is not UTF-8".to_owned(),
        source::Error::TooLarge(size) => format!("{size} bytes are more than one read may return"),
        source::Error::LimitReached => "the limit on what may be read was reached".to_owned(),
        source::Error::Invalid(why) | source::Error::Unavailable(why) => why.clone(),
    }
}
