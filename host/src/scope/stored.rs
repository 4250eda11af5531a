//! What git does to a file of the working tree before it stores it, by its attributes and the settings: it drops carriage
//! returns and turns other encodings into UTF-8. Filters are programs, and none runs.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use review_loop_git::Repository;
use review_loop_git::rules::{Attributes, Value};

use super::disk::Disk;
use super::error::Error;
use super::newlines::{self, LineEnds};
use super::{encoding, name};

/// The rules of one working tree.
#[derive(Debug)]
pub(super) struct Conversions {
    disk: Disk,
    autocrlf: bool,
    /// `info/attributes`, over all others.
    strongest: Attributes,
    rules: Mutex<Rules>,
}

/// The `.gitattributes` of the folders that were asked about so far.
#[derive(Debug)]
struct Rules {
    attributes: Attributes,
    read: HashSet<Vec<u8>>,
}

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Conversion {
    /// Nothing.
    None,
    /// It is text.
    Text {
        /// Its carriage returns.
        ends: LineEnds,
        /// Its encoding, where it is not UTF-8.
        encoding: Option<String>,
    },
}

impl Conversions {
    pub(super) fn read(repository: &Repository, disk: &Disk) -> Result<Self, Error> {
        let ignore_case = repository.config.boolean("core.ignorecase", false);
        let (mut weakest, mut strongest) = (Attributes::new(ignore_case), Attributes::new(ignore_case));
        let (user, own) = (repository.attributes_of_user()?, repository.common_file("info/attributes")?);
        user.iter().for_each(|content| weakest.push(b"", content));
        own.iter().for_each(|content| strongest.push(b"", content));
        let autocrlf = repository.config.get("core.autocrlf");
        let is_input = autocrlf.is_some_and(|value| value.eq_ignore_ascii_case(b"input"));
        Ok(Conversions {
            disk: disk.share()?,
            autocrlf: is_input || repository.config.boolean("core.autocrlf", false),
            strongest,
            rules: Mutex::new(Rules { attributes: weakest, read: HashSet::new() }),
        })
    }

    /// What happens to the file of a path.
    pub(super) fn of(&self, path: &[u8]) -> Conversion {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let folders = std::iter::once(&b""[..]).chain(ends.filter_map(|at| path.get(..at)));
        folders.for_each(|folder| self.enter(folder, &mut rules));
        let value = |name: &str| match self.strongest.value(path, name) {
            Value::Unspecified => rules.attributes.value(path, name),
            value => value,
        };
        let text = |value: Value| match value {
            Value::Unspecified => None,
            Value::Set => Some(b"true".to_vec()),
            Value::Unset => Some(b"false".to_vec()),
            Value::Is(text) => Some(text),
        };
        let (by_text, by_crlf, by_eol) = (text(value("text")), text(value("crlf")), text(value("eol")));
        let attributes =
            newlines::Attributes { text: by_text.as_deref(), crlf: by_crlf.as_deref(), eol: by_eol.as_deref() };
        let ends = LineEnds::of(attributes, self.autocrlf);
        let encoding = match value("working-tree-encoding") {
            Value::Is(name) => Some(String::from_utf8_lossy(&name).into_owned()),
            _ => None,
        };
        if ends == LineEnds::Kept && encoding.is_none() {
            Conversion::None
        } else {
            Conversion::Text { ends, encoding }
        }
    }

    /// Reads a folder's rules, once. What cannot be read says nothing; the walk over the folders names it.
    fn enter(&self, folder: &[u8], rules: &mut Rules) {
        if !rules.read.insert(folder.to_vec()) {
            return;
        }
        let path = if folder.is_empty() { b".gitattributes".to_vec() } else { [folder, b"/.gitattributes"].concat() };
        let content = name::to_path(&path).and_then(|path| self.disk.rules(&path).ok()?);
        if let Some(content) = content {
            rules.attributes.push(folder, &content);
        }
    }
}

impl Conversion {
    /// The content as git would store it. `was_stored` is what the index has now. An encoding that is not known is an error.
    pub(super) fn apply<T: AsRef<[u8]>>(
        &self,
        content: Vec<u8>,
        was_stored: impl FnOnce() -> Option<T>,
    ) -> Result<Vec<u8>, String> {
        let Conversion::Text { ends, encoding } = self else { return Ok(content) };
        let content = match encoding {
            Some(name) => encoding::to_utf8(content, name)?,
            None => content,
        };
        if !newlines::has_crlf(&content) {
            return Ok(content);
        }
        let with_crlf = || was_stored().is_some_and(|stored| newlines::is_crlf_text(stored.as_ref()));
        Ok(newlines::stored(content, *ends, with_crlf))
    }
}
