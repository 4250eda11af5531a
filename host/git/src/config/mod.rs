//! Settings, as in git-config(1): [`Config`] holds those of one file or of many, and says which counts.
//!
//! Nothing here reads a file. Settings that name other files to include are shown to the caller, who decides whether they
//! are read, and [`holds`] says what a condition on one comes to.

mod include;
#[cfg(test)]
mod oracle;
mod parse;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::Malformed;

pub use include::{Facts, Include, holds};

/// Settings in their order: a later one counts more.
///
/// A key is written `section.name` or `section.subsection.name`. The section and the name are the same in upper and in
/// lower case; the subsection is not, and may have dots in it.
///
/// ```
/// # use review_loop_git::config::{Config, Level};
/// let bytes = b"[core]\n\tbare\n[branch \"my.branch\"]\n\tmerge = refs/heads/x # a comment\n";
/// let config = Config::parse(bytes, Level::Local)?;
/// assert!(config.boolean("core.bare", false));
/// assert_eq!(config.get("Branch.my.branch.Merge"), Some(b"refs/heads/x".as_slice()));
/// # Ok::<(), review_loop_git::Malformed>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    settings: Vec<Setting>,
}

/// Where a setting comes from, the weakest first: git's `--show-scope`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The machine's file.
    System,
    /// The user's files.
    Global,
    /// The repository's file.
    Local,
    /// The file of one of the repository's work trees.
    Worktree,
    /// The environment: `GIT_CONFIG_COUNT` and its like. Git calls it `command`.
    Environment,
}

/// One value of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Setting {
    /// What comes before the last dot of the key; shared, since it may be as long as the file.
    section: Arc<[u8]>,
    name: Box<[u8]>,
    /// None where there is not even a `=`.
    value: Option<Box<[u8]>>,
    level: Level,
    /// How many files include the one it is in.
    depth: usize,
}

/// Bytes of one file; a longer one is not read.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Bytes of a file and all that it includes, and theirs.
pub const MAX_BYTES_INCLUDED: usize = 16 * 1024 * 1024;

/// Settings of a file and all that it includes.
pub const MAX_SETTINGS: usize = 100_000;

/// Files that include each other, as in git.
pub const MAX_DEPTH: usize = 10;

/// Files that one file includes, directly or not.
pub const MAX_FILES: usize = 1_000;

impl Config {
    /// Reads a file, without those that it includes: [`Config::includes`] says which.
    ///
    /// # Errors
    ///
    /// Where git would not read it either, with the line; and where it has more than [`MAX_BYTES`] or [`MAX_SETTINGS`].
    pub fn parse(bytes: &[u8], level: Level) -> Result<Config, Malformed> {
        Config::parse_with(bytes, level, &mut |_| None)
    }

    /// Reads a file, and each file that it includes in the place where it does so: what is written below an include counts
    /// more than what is in it.
    ///
    /// `read` is asked for the bytes of each one, with its condition not yet looked at, see [`holds`]; none stands for a
    /// file that is not there or that is not wanted. Paths are relative to the file that they are written in, and
    /// [`Include::depth`] says which one that is: the last that was read with a depth of one less.
    ///
    /// # Errors
    ///
    /// As for [`Config::parse`], for any of the files; and where they include each other more than [`MAX_DEPTH`] deep, are
    /// more than [`MAX_FILES`] or have more than [`MAX_BYTES_INCLUDED`].
    pub fn parse_with(
        bytes: &[u8],
        level: Level,
        read: &mut dyn FnMut(&Include) -> Option<Vec<u8>>,
    ) -> Result<Config, Malformed> {
        let mut reading = include::Reading::new(level, read);
        reading.file(bytes, None)?;
        Ok(Config { settings: reading.settings })
    }

    /// Adds one setting that counts more than all others, as `GIT_CONFIG_KEY_0` and `GIT_CONFIG_VALUE_0` do.
    ///
    /// Says whether it did: a key that is not valid, which git stops at, is left out.
    pub fn push(&mut self, key: &str, value: Option<&[u8]>, level: Level) -> bool {
        let Some(key) = Key::of(key).filter(Key::is_valid) else { return false };
        let (section, name) = (key.section.into(), key.name.into());
        self.settings.push(Setting { section, name, value: value.map(Box::from), level, depth: 0 });
        true
    }

    /// Adds settings that count more than those that are here.
    pub fn append(&mut self, other: Config) {
        self.settings.extend(other.settings);
    }

    /// The value that counts. A key without even a `=` has an empty one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        self.last(&Key::of(key)?, None).map(Setting::value)
    }

    /// The value that counts of those that come from one place.
    #[must_use]
    pub fn get_at(&self, level: Level, key: &str) -> Option<&[u8]> {
        self.last(&Key::of(key)?, Some(level)).map(Setting::value)
    }

    /// All values of a key in their order, with where they come from.
    ///
    /// An empty one resets many of git's lists, as that of `safe.directory`; here it is a value like any other.
    pub fn all(&self, key: &str) -> impl Iterator<Item = (&[u8], Level)> + use<'_> {
        let key = Key::of(key);
        let wanted = self.settings.iter().filter(move |setting| key.as_ref().is_some_and(|key| setting.is(key)));
        wanted.map(|setting| (setting.value(), setting.level))
    }

    /// What a key says of yes and no.
    ///
    /// A key without a `=`, `true`, `yes`, `on` and every number but zero are yes; an empty value, `false`, `no`, `off` and
    /// zero are no. What is neither, where git would stop, and a key that is not set, are the default.
    #[must_use]
    pub fn boolean(&self, key: &str, default: bool) -> bool {
        let setting = Key::of(key).and_then(|key| self.last(&key, None));
        setting.and_then(|setting| boolean(setting.value.as_deref())).unwrap_or(default)
    }

    /// The subsections of a section that have settings: for `remote` the names of the remotes.
    #[must_use]
    pub fn subsections(&self, section: &str) -> BTreeSet<Vec<u8>> {
        let section = section.to_ascii_lowercase();
        let below = |setting: &'_ Setting| -> Option<Vec<u8>> {
            Some(setting.section.strip_prefix(section.as_bytes())?.strip_prefix(b".")?.to_vec())
        };
        self.settings.iter().filter_map(below).collect()
    }

    /// The names that are set in a section without a subsection, in lower case.
    #[must_use]
    pub fn names(&self, section: &str) -> BTreeSet<Vec<u8>> {
        let section = section.to_ascii_lowercase();
        let here = self.settings.iter().filter(|setting| *setting.section == *section.as_bytes());
        here.map(|setting| setting.name.to_vec()).collect()
    }

    /// The files that are to be included, `include.path` and `includeIf.<condition>.path`, in the order of the settings.
    pub fn includes(&self) -> impl Iterator<Item = Include> + use<'_> {
        self.settings.iter().filter_map(Include::of)
    }

    fn last(&self, key: &Key, level: Option<Level>) -> Option<&Setting> {
        let of_level = |setting: &&Setting| level.is_none_or(|level| level == setting.level);
        self.settings.iter().rev().filter(of_level).find(|setting| setting.is(key))
    }
}

impl Setting {
    fn is(&self, key: &Key) -> bool {
        *self.name == *key.name && *self.section == *key.section
    }

    fn value(&self) -> &[u8] {
        self.value.as_deref().unwrap_or_default()
    }
}

/// A key as settings have it: lower case except for the subsection.
struct Key {
    section: Vec<u8>,
    name: Vec<u8>,
}

impl Key {
    fn of(key: &str) -> Option<Key> {
        let (section, name) = key.rsplit_once('.')?;
        let (section, subsection) = section.split_at(section.find('.').unwrap_or(section.len()));
        let section = section.to_ascii_lowercase() + subsection;
        Some(Key { section: section.into_bytes(), name: name.to_ascii_lowercase().into_bytes() })
    }

    fn is_valid(&self) -> bool {
        let mut parts = self.section.splitn(2, |&byte| byte == b'.');
        let section = parts.next().is_some_and(|section| section.iter().all(parse::is_of_key));
        let subsection = parts.next().is_none_or(|subsection| subsection.iter().all(|byte| !b"\n\0".contains(byte)));
        let name = self.name.first().is_some_and(u8::is_ascii_alphabetic) && self.name.iter().all(parse::is_of_key);
        section && subsection && name && !self.section.is_empty()
    }
}

fn boolean(value: Option<&[u8]>) -> Option<bool> {
    let Some(value) = value else { return Some(true) };
    match value.to_ascii_lowercase().as_slice() {
        b"true" | b"yes" | b"on" => Some(true),
        b"" | b"false" | b"no" | b"off" => Some(false),
        number => integer(number).map(|number| number != 0),
    }
}

/// A number of 32 bits as C reads it, with a unit of `k`, `m` or `g`; the letters are of lower case.
fn integer(text: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(text).ok()?.trim_start_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
    let (sign, digits) = text.strip_prefix('-').map_or((1, text.strip_prefix('+').unwrap_or(text)), |rest| (-1, rest));
    let (digits, factor) = match digits.split_at_checked(digits.len().checked_sub(1)?)? {
        (digits, "k") => (digits, 1 << 10),
        (digits, "m") => (digits, 1 << 20),
        (digits, "g") => (digits, 1 << 30),
        _ => (digits, 1),
    };
    let (digits, radix) = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
        (Some(hex), _) => (hex, 16),
        (None, Some(octal)) if !octal.is_empty() => (octal, 8),
        _ => (digits, 10),
    };
    // Rust would take another sign, C would not.
    let plain = digits.chars().all(|digit| digit.is_digit(radix));
    let value = i64::from_str_radix(digits, radix).ok().filter(|_| plain)?;
    i32::try_from(value.checked_mul(factor)?.checked_mul(sign)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config::parse(text.as_bytes(), Level::Local).expect("a file that git reads")
    }

    #[test]
    fn the_last_value_counts() {
        let mut all = config("[a]\nx=1\nx=2\n[A]\nX=3\n");
        all.append(Config::parse(b"[a]x=4", Level::Worktree).expect("a file"));
        assert!(all.push("a.X", Some(b"5"), Level::Environment));
        assert_eq!(all.get("a.x"), Some(b"5".as_slice()));
        assert_eq!(all.get_at(Level::Local, "a.x"), Some(b"3".as_slice()));
        assert_eq!(all.get_at(Level::System, "a.x"), None);
        let values: Vec<_> = all.all("A.x").map(|(value, level)| (value.to_vec(), level)).collect();
        assert_eq!(values.len(), 5);
        assert_eq!(values.last(), Some(&(b"5".to_vec(), Level::Environment)));
        assert!(
            Level::System < Level::Global && Level::Local < Level::Worktree && Level::Worktree < Level::Environment
        );
    }

    #[test]
    fn subsections_keep_their_case_and_their_dots() {
        let all = config(
            "[remote \"Up.stream\"]\nurl=1\n[remote \"o\"]\nurl=2\n[Remote.Old]\nurl=3\n[remote]\nx=4\n[remotes]\n",
        );
        assert_eq!(all.get("REMOTE.Up.stream.URL"), Some(b"1".as_slice()));
        assert_eq!(all.get("remote.up.stream.url"), None);
        assert_eq!(all.get("remote.old.url"), Some(b"3".as_slice()));
        let names: Vec<_> = all.subsections("Remote").into_iter().collect();
        assert_eq!(names, [b"Up.stream".to_vec(), b"o".to_vec(), b"old".to_vec()]);
    }

    #[test]
    fn keys_that_are_not_valid_are_not_taken() {
        for key in ["a", "a.", ".b", "a.b c", "a b.c", "a.1", "a.b\n.c", "", "é.b"] {
            assert!(!Config::default().push(key, None, Level::Environment), "{key:?}");
            assert_eq!(Config::default().get(key), None);
        }
        for key in ["a.b", "a-1.b-1", "a.b c.d", "a..b"] {
            let mut all = Config::default();
            assert!(all.push(key, None, Level::Environment), "{key:?}");
            assert_eq!(all.get(key), Some(b"".as_slice()));
        }
    }

    #[test]
    fn yes_and_no_are_those_of_git() {
        for (value, expected) in [
            ("", Some(true)),
            ("=", Some(false)),
            ("= Yes", Some(true)),
            ("= ON", Some(true)),
            ("= true", Some(true)),
            ("= off", Some(false)),
            ("= 0", Some(false)),
            ("= 00", Some(false)),
            ("= 1", Some(true)),
            ("= -1", Some(true)),
            ("= +1", Some(true)),
            ("= 0x10", Some(true)),
            ("= 0X0", Some(false)),
            ("= 2k", Some(true)),
            ("= 1G", Some(true)),
            ("= 2g", None),
            ("= -2g", Some(true)),
            ("= 08", None),
            ("= 2147483648", None),
            ("= -2147483648", Some(true)),
            ("= --1", None),
            ("= 0x-1", None),
            ("= k", None),
            ("= maybe", None),
            ("= \" 1\"", Some(true)),
            ("= \"1 \"", None),
        ] {
            let all = config(&format!("[a]\nx {value}\n"));
            for default in [false, true] {
                assert_eq!(all.boolean("a.x", default), expected.unwrap_or(default), "{value}");
            }
        }
        assert!(config("").boolean("a.x", true));
    }
}
