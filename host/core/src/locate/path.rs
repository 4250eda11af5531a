//! Which file a finding means.
//!
//! A path is compared as it is: blanks, backslashes and colons are part of names, and so is whatever a name has in place
//! of bytes that are not UTF-8. Only one that matches nothing is tried in the forms from which a model may have made it.

use std::collections::BTreeMap;

use super::SourceTexts;
use crate::brief;
use crate::finding::Side;
use crate::subject::{Document, File, Status, Subject};

/// A path that exists.
pub(super) struct Resolved<'a> {
    /// As the subject or the sources spell it.
    pub(super) path: String,
    /// The changed file, where it is one.
    pub(super) file: Option<&'a File>,
    /// The path before a rename; the same where there was none.
    pub(super) oldest: &'a str,
}

/// The paths of a subject. A lookup takes the same time however many files there are.
pub(super) struct Paths<'a> {
    /// By the path after the change, and by that before a rename where no other file has it now.
    files: BTreeMap<&'a str, &'a File>,
    /// By the last part of the path.
    names: BTreeMap<&'a str, Vec<&'a File>>,
    /// By the path as a model is shown it, where that is not the path itself.
    shown: BTreeMap<String, &'a File>,
    documents: BTreeMap<&'a str, &'a Document>,
}

impl<'a> Paths<'a> {
    pub(super) fn new(subject: &'a Subject) -> Self {
        let (mut files, mut names, mut shown) = (BTreeMap::new(), BTreeMap::<_, Vec<_>>::new(), BTreeMap::new());
        for file in &subject.files {
            files.entry(file.path.as_str()).or_insert(file);
            names.entry(name(&file.path)).or_default().push(file);
            let as_shown = brief::shown(&file.path);
            if as_shown != file.path {
                shown.entry(as_shown).or_insert(file);
            }
        }
        for file in subject.files.iter().filter(|file| file.status == Status::Renamed) {
            file.old_path.iter().for_each(|old| _ = files.entry(old.as_str()).or_insert(file));
        }
        // Of two with the same path the first one counts.
        let documents = subject.documents.iter().rev().map(|document| (document.path.as_str(), document));
        Self { files, names, shown, documents: documents.collect() }
    }

    /// The changed file of exactly this path, before or after the change.
    pub(super) fn file(&self, path: &str) -> Option<&'a File> {
        self.files.get(path).copied()
    }

    /// The document of exactly this path.
    pub(super) fn document(&self, path: &str) -> Option<&'a Document> {
        self.documents.get(path).copied()
    }

    /// The file that a finding means, or why there is none.
    pub(super) fn resolve(&self, sources: &SourceTexts, path: &str) -> Result<Resolved<'a>, String> {
        let readings = readings(path);
        let exact = readings.iter().find_map(|reading| self.exact(sources, reading));
        exact.or_else(|| self.guess(path, &readings).map(changed)).ok_or_else(|| {
            let why = lost(path).unwrap_or("is neither in the subject nor in its sources");
            format!("its path `{}` {why}", path.escape_debug())
        })
    }

    fn exact(&self, sources: &SourceTexts, path: &str) -> Option<Resolved<'a>> {
        if let Some(file) = self.file(path) {
            return Some(changed(file));
        }
        if let Some(document) = self.document(path) {
            return Some(Resolved { path: path.to_owned(), file: None, oldest: &document.path });
        }
        let there = sources.get(path, Side::New).or_else(|| sources.get(path, Side::Old)).is_some();
        there.then(|| Resolved { path: path.to_owned(), file: None, oldest: "" })
    }

    /// A path as the model was shown it, a path of a diff (`a/…`, `b/…`), or the end of one changed file's path.
    fn guess(&self, path: &str, readings: &[String]) -> Option<&'a File> {
        let shown = || self.shown.get(path).or_else(|| self.shown.get(path.trim())).copied();
        let of_diff = |reading: &String| {
            let bare = reading.strip_prefix("a/").or_else(|| reading.strip_prefix("b/"))?;
            self.file(bare)
        };
        let end = |reading: &String| self.only_end(reading);
        shown().or_else(|| readings.iter().find_map(of_diff)).or_else(|| readings.iter().find_map(end))
    }

    /// The one changed file whose path ends in the given parts.
    fn only_end(&self, end: &str) -> Option<&'a File> {
        let longer = |file: &&&File| file.path.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'));
        let mut fitting = self.names.get(name(end))?.iter().filter(longer);
        fitting.next().filter(|_| fitting.next().is_none()).copied()
    }
}

fn changed(file: &File) -> Resolved<'_> {
    let oldest = file.old_path.as_deref().filter(|_| file.status == Status::Renamed).unwrap_or(&file.path);
    Resolved { path: file.path.clone(), file: Some(file), oldest }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The paths that may be meant, the likeliest first: as it is given; without blanks around it; with `/` for `\` and
/// without empty parts.
pub(super) fn readings(path: &str) -> Vec<String> {
    let mut readings = vec![path.to_owned()];
    for reading in [path.trim().to_owned(), plain(path)] {
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    readings
}

fn plain(path: &str) -> String {
    let slashed = path.trim().replace('\\', "/");
    if slashed.starts_with('/') {
        return slashed;
    }
    slashed.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}

/// Whether a file of a repository can have this path; nothing is read of any other.
pub(super) fn is_inside(path: &str) -> bool {
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    !path.contains('\0') && path.split('/').all(is_plain)
}

/// Why no file of any repository has this path, if that is so.
fn lost(path: &str) -> Option<&'static str> {
    let plain = plain(path);
    let parts = || plain.split('/');
    if plain.is_empty() {
        return Some("is empty");
    }
    if plain.starts_with('/') || plain.as_bytes().get(1) == Some(&b':') {
        return Some("is not relative to the repository");
    }
    if plain.contains('\0') {
        return Some("holds a zero byte");
    }
    if parts().any(|part| part == "..") {
        return Some("leaves the repository");
    }
    parts().any(|part| part.eq_ignore_ascii_case(".git")).then_some("is inside git's own folder")
}
