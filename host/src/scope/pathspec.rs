//! The part of a change that the user named: pathspecs, read as git reads them, relative to the current folder.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::error::Error;
use super::name;

/// Pathspecs, ready to be asked. Without any, everything is meant.
#[derive(Debug, Default)]
pub(super) struct Pathspecs {
    /// As they were given, and as they are read.
    wanted: Vec<(String, Pattern)>,
    unwanted: Vec<Pattern>,
}

/// One pathspec.
#[derive(Debug)]
struct Pattern {
    /// A file, or a folder with all that is in it; without a `/` at its end. Empty: everything.
    place: Vec<u8>,
    glob: Option<GlobMatcher>,
    ignore_case: bool,
}

/// What stands between `:(` and `)`, or behind the `:`.
#[derive(Debug, Default, Clone, Copy)]
struct Magic {
    top: bool,
    exclude: bool,
    literal: bool,
    glob: bool,
    ignore_case: bool,
}

impl Pathspecs {
    /// Reads pathspecs that are relative to `folder`, a path from the root without a `/` at its end. An absolute one has to lie
    /// below `root`, where there is a working tree.
    pub(super) fn new(specs: &[String], folder: &[u8], root: Option<&Path>) -> Result<Self, Error> {
        let mut read = Pathspecs::default();
        for spec in specs {
            let wrong = |reason: &str| Error::Pathspec { spec: spec.clone(), reason: reason.to_owned() };
            let (magic, path) = magic(spec).map_err(|reason| wrong(&reason))?;
            let (path, base) = match below(root, path) {
                Some(path) => (path, &b""[..]),
                None if path.starts_with('/') => return Err(wrong("it leads out of the repository")),
                None => (path.to_owned(), folder),
            };
            let pattern = Pattern::new(magic, &path, base).map_err(|reason| wrong(&reason))?;
            match magic.exclude {
                true => read.unwanted.push(pattern),
                false => read.wanted.push((spec.clone(), pattern)),
            }
        }
        Ok(read)
    }

    pub(super) fn matches(&self, path: &[u8]) -> bool {
        let wanted = self.wanted.is_empty() || self.wanted.iter().any(|(_, pattern)| pattern.matches(path));
        wanted && !self.unwanted.iter().any(|pattern| pattern.matches(path))
    }

    /// The pathspecs that match none of these paths, as they were given.
    pub(super) fn unmatched(&self, paths: &[Vec<u8>]) -> Vec<String> {
        let matches = |pattern: &Pattern| paths.iter().any(|path| pattern.matches(path));
        self.wanted.iter().filter(|(_, pattern)| !matches(pattern)).map(|(spec, _)| spec.clone()).collect()
    }
}

/// An absolute path as one from the root; none for any other, and for one that lies elsewhere.
fn below(root: Option<&Path>, path: &str) -> Option<String> {
    let path = Path::new(path).strip_prefix(root?).ok()?;
    path.to_str().map(str::to_owned)
}

impl Pattern {
    fn new(magic: Magic, path: &str, folder: &[u8]) -> Result<Self, String> {
        let base = if magic.top { &[][..] } else { folder };
        let place = joined(base, path.as_bytes()).ok_or("it leads out of the repository")?;
        let is_glob = !magic.literal && path.contains(['*', '?', '[']);
        let glob = if is_glob { Some(glob(&name::to_text(&place), magic)?) } else { None };
        Ok(Pattern { place, glob, ignore_case: magic.ignore_case })
    }

    fn matches(&self, path: &[u8]) -> bool {
        let is_match = |glob: &GlobMatcher| name::to_path(path).is_some_and(|path| glob.is_match(path));
        self.is_place_of(path) || self.glob.as_ref().is_some_and(is_match)
    }

    fn is_place_of(&self, path: &[u8]) -> bool {
        let Some((start, rest)) = path.split_at_checked(self.place.len()) else { return false };
        let same = if self.ignore_case { start.eq_ignore_ascii_case(&self.place) } else { start == self.place };
        same && (self.place.is_empty() || rest.is_empty() || rest.starts_with(b"/"))
    }
}

/// `*` crosses folders, unless the pathspec says `:(glob)`.
fn glob(pattern: &str, magic: Magic) -> Result<GlobMatcher, String> {
    let mut glob = GlobBuilder::new(pattern);
    glob.literal_separator(magic.glob).case_insensitive(magic.ignore_case).backslash_escape(true);
    glob.build().map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

fn magic(spec: &str) -> Result<(Magic, &str), String> {
    let mut magic = Magic::default();
    let Some(rest) = spec.strip_prefix(':') else { return Ok((magic, spec)) };
    if let Some((words, path)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        words.split(',').filter(|word| !word.is_empty()).try_for_each(|word| magic.word(word))?;
        return Ok((magic, path));
    }
    let mut path = rest;
    loop {
        match path.chars().next() {
            Some('/') => magic.top = true,
            Some('!' | '^') => magic.exclude = true,
            Some(':') => return Ok((magic, path.get(1..).unwrap_or_default())),
            _ => return Ok((magic, path)),
        }
        path = path.get(1..).unwrap_or_default();
    }
}

impl Magic {
    fn word(&mut self, word: &str) -> Result<(), String> {
        let flag = match word {
            "top" => &mut self.top,
            "exclude" => &mut self.exclude,
            "literal" => &mut self.literal,
            "glob" => &mut self.glob,
            "icase" => &mut self.ignore_case,
            _ => return Err(format!("`{word}` is not understood; top, exclude, literal, glob and icase are")),
        };
        *flag = true;
        Ok(())
    }
}

/// The path from the root, without `.` and `..`; none where it leaves the root.
fn joined(folder: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in folder.split(|&byte| byte == b'/').chain(path.split(|&byte| byte == b'/')) {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(specs: &[&str], folder: &str, path: &str, expected: bool) {
        let specs: Vec<String> = specs.iter().map(|spec| (*spec).to_owned()).collect();
        let read = Pathspecs::new(&specs, folder.as_bytes(), Some(Path::new("/work"))).unwrap();
        assert_eq!(read.matches(path.as_bytes()), expected, "{specs:?} in {folder:?}: {path}");
    }

    #[test]
    fn names_folders_and_globs() {
        check(&[], "", "a", true);
        check(&["src"], "", "src/a.rs", true);
        check(&["src/"], "", "src/a.rs", true);
        check(&["src"], "", "src2/a.rs", false);
        check(&["*.rs"], "", "deep/down/a.rs", true);
        check(&[":(glob)*.rs"], "", "deep/a.rs", false);
        check(&[":(glob)**/*.rs"], "", "deep/a.rs", true);
        check(&[":(literal)a*"], "", "ab", false);
        check(&[":(icase)SRC"], "", "src/a", true);
        check(&["."], "", "a", true);
        check(&["/work/src"], "sub", "src/a", true);
        check(&["/work"], "sub", "a", true);
    }

    #[test]
    fn relative_to_the_current_folder() {
        check(&["."], "sub", "sub/a", true);
        check(&["."], "sub", "a", false);
        check(&["a"], "sub", "sub/a", true);
        check(&["../a"], "sub", "a", true);
        check(&[":/a"], "sub", "a", true);
        check(&[":(top)a"], "sub", "sub/a", false);
        check(&["*.rs"], "sub", "a.rs", false);
    }

    #[test]
    fn exclusions() {
        check(&[":!src"], "", "src/a", false);
        check(&[":!src"], "", "b", true);
        check(&["src", ":(exclude)src/gen"], "", "src/gen/a", false);
        check(&[":^*.md"], "", "docs/a.md", false);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let error = |spec: &str| Pathspecs::new(&[spec.to_owned()], b"", None).unwrap_err().to_string();
        assert_eq!(error("../x"), "pathspec `../x`: it leads out of the repository");
        assert_eq!(error("/etc"), "pathspec `/etc`: it leads out of the repository");
        assert_eq!(
            error(":(attr:x)y"),
            "pathspec `:(attr:x)y`: `attr:x` is not understood; top, exclude, literal, glob and icase are"
        );
    }
}
