//! Which file a finding means.

use super::SourceTexts;
use crate::finding::Side;
use crate::subject::{File, Status, Subject};

/// A path that exists.
pub(super) struct Resolved<'a> {
    /// As the subject or the sources spell it.
    pub(super) path: String,
    /// The changed file, where it is one.
    pub(super) file: Option<&'a File>,
    /// The path before a rename; the same where there was none.
    pub(super) oldest: &'a str,
}

/// A path as a lens writes it, made plain; an error where it leaves the repository.
pub(super) fn clean(path: &str) -> Result<String, String> {
    let refuse = |why: &str| Err(format!("its path `{}` {why}", path.escape_debug()));
    let slashed = path.trim().replace('\\', "/");
    if slashed.starts_with('/') || slashed.contains(':') && slashed.find(':') == Some(1) {
        return refuse("is not relative to the repository");
    }
    if slashed.contains('\0') {
        return refuse("holds a zero byte");
    }
    let parts: Vec<&str> = slashed.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    if parts.contains(&"..") {
        return refuse("leaves the repository");
    }
    if parts.iter().any(|p| p.eq_ignore_ascii_case(".git")) {
        return refuse("is inside git's own folder");
    }
    if parts.is_empty() { refuse("is empty") } else { Ok(parts.join("/")) }
}

/// The changed file that a plain path names, by its path before or after the change.
pub(super) fn file_of<'a>(subject: &'a Subject, path: &str) -> Option<&'a File> {
    let at = |f: &&File| f.path == path;
    let was = |f: &&File| f.status == Status::Renamed && f.old_path.as_deref() == Some(path);
    subject.files.iter().find(at).or_else(|| subject.files.iter().find(was))
}

/// The file that a finding means. A path that exists nowhere is tried as the end of a changed file's path, and as a
/// path of a diff (`a/…`, `b/…`).
pub(super) fn resolve<'a>(subject: &'a Subject, sources: &SourceTexts, path: &str) -> Result<Resolved<'a>, String> {
    let plain = clean(path)?;
    if let Some(file) = file_of(subject, &plain) {
        return Ok(changed(file));
    }
    if let Some(document) = subject.documents.iter().find(|d| d.path == plain) {
        return Ok(Resolved { path: plain, file: None, oldest: &document.path });
    }
    if sources.get(&plain, Side::New).or_else(|| sources.get(&plain, Side::Old)).is_some() {
        return Ok(Resolved { path: plain, file: None, oldest: "" });
    }
    let bare = plain.strip_prefix("a/").or_else(|| plain.strip_prefix("b/"));
    if let Some(file) = bare.and_then(|b| file_of(subject, b)).or_else(|| only_end(subject, &plain)) {
        return Ok(changed(file));
    }
    Err(format!("its path `{}` is neither in the subject nor in its sources", plain.escape_debug()))
}

fn changed(file: &File) -> Resolved<'_> {
    let oldest = file.old_path.as_deref().filter(|_| file.status == Status::Renamed).unwrap_or(&file.path);
    Resolved { path: file.path.clone(), file: Some(file), oldest }
}

/// The one changed file whose path ends in the given parts.
fn only_end<'a>(subject: &'a Subject, end: &str) -> Option<&'a File> {
    let mut fitting = subject.files.iter().filter(|f| f.path.strip_suffix(end).is_some_and(|rest| rest.ends_with('/')));
    fitting.next().filter(|_| fitting.next().is_none())
}
