//! What a revision means: `HEAD~2`, `v1.0^{commit}`, `main@{upstream}`, `1a2b3c4`. The notation is that of
//! `gitrevisions(7)`, without searching in messages and without dates.

use std::path::Path;

use crate::error::Error;
use crate::history::{self, peel};
use crate::id::Id;
use crate::objects::Kind;
use crate::repository::Repository;

/// Why a revision means nothing, or not what is needed.
#[derive(Debug)]
pub enum Problem {
    /// There is no such thing.
    Unknown,
    /// It could mean several things; each is said in a way that means only one.
    Ambiguous(Vec<String>),
    /// It is something else than a commit: which kind.
    NotACommit(String),
    /// A notation that is not read, with what can be written instead.
    Notation(String),
    /// It lies beyond the end of a shallow clone.
    CutOff,
    /// The repository cannot be read.
    Git(Error),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Problem::Git(error)
    }
}

/// The commit that a revision means.
///
/// # Errors
/// [`Problem`].
pub fn commit(repository: &Repository, text: &str) -> Result<Id, Problem> {
    let id = object(repository, text)?;
    match peel(&repository.objects, id)? {
        (id, Kind::Commit) => Ok(id),
        (_, kind) => Err(Problem::NotACommit(kind.to_string())),
    }
}

/// The object that a revision means.
fn object(repository: &Repository, text: &str) -> Result<Id, Problem> {
    if text.starts_with(':') {
        return Err(Problem::Notation("what begins with a colon is a search or a file; name a commit".to_owned()));
    }
    let steps = text.find(['~', '^', ':']).unwrap_or(text.len());
    let at = text.find("@{").unwrap_or(text.len());
    let (name, mut rest) = text.split_at(steps.min(at));
    let mut id = if let Some(braced) = rest.strip_prefix("@{") {
        let (inner, after) = braced.split_once('}').ok_or(Problem::Unknown)?;
        rest = after;
        at_braces(repository, name, inner)?
    } else {
        named(repository, name)?
    };
    while !rest.is_empty() {
        (id, rest) = step(repository, id, rest)?;
    }
    Ok(id)
}

/// One `~3`, `^2` or `^{commit}`.
fn step<'a>(repository: &Repository, id: Id, rest: &'a str) -> Result<(Id, &'a str), Problem> {
    if let Some(braced) = rest.strip_prefix("^{") {
        let (kind, after) = braced.split_once('}').ok_or(Problem::Unknown)?;
        return Ok((as_kind(repository, id, kind)?, after));
    }
    let (number, after) = count(rest.get(1..).unwrap_or_default());
    let id = match rest.as_bytes().first() {
        Some(b'~') => ancestor(repository, id, number.unwrap_or(1))?,
        Some(b'^') => parent(repository, id, number.unwrap_or(1))?,
        Some(b':') => return Err(Problem::NotACommit("file or a folder".to_owned())),
        _ => return Err(Problem::Unknown),
    };
    Ok((id, after))
}

fn count(text: &str) -> (Option<u32>, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, after) = text.split_at(end);
    (digits.parse().ok().filter(|_| !digits.is_empty()), after)
}

fn as_kind(repository: &Repository, id: Id, kind: &str) -> Result<Id, Problem> {
    let (peeled, found) = peel(&repository.objects, id)?;
    match (kind, found) {
        ("object", _) => Ok(id),
        ("", _) => Ok(peeled),
        ("commit", Kind::Commit) | ("tree", Kind::Tree) | ("blob", Kind::Blob) => Ok(peeled),
        ("tree", Kind::Commit) => Ok(history::commit(&repository.objects, peeled)?.tree),
        ("tag", _) if id != peeled => Ok(id),
        ("commit" | "tree" | "blob" | "tag", found) => Err(Problem::NotACommit(found.to_string())),
        (search, _) if search.starts_with('/') => {
            Err(Problem::Notation("messages are not searched; name the commit".to_owned()))
        }
        _ => Err(Problem::Unknown),
    }
}

fn ancestor(repository: &Repository, id: Id, generations: u32) -> Result<Id, Problem> {
    (0..generations).try_fold(as_kind(repository, id, "commit")?, |id, _| parent(repository, id, 1))
}

fn parent(repository: &Repository, id: Id, number: u32) -> Result<Id, Problem> {
    let id = as_kind(repository, id, "commit")?;
    let Some(at) = number.checked_sub(1) else { return Ok(id) };
    let found = history::commit(&repository.objects, id)?;
    let parent = usize::try_from(at).ok().and_then(|at| found.parents.get(at)).copied().ok_or(Problem::Unknown)?;
    if repository.shallow.is_cut_at(id) && !repository.objects.contains(parent) {
        return Err(Problem::CutOff);
    }
    Ok(parent)
}

/// `main@{upstream}`, `@{1}`, `@{-1}`.
fn at_braces(repository: &Repository, name: &str, inner: &str) -> Result<Id, Problem> {
    let lower = inner.to_ascii_lowercase();
    if let Some(back) = inner.strip_prefix('-').filter(|_| name.is_empty()) {
        let branch = checked_out_before(repository, back.parse().map_err(|_| Problem::Unknown)?)?;
        return named(repository, &branch);
    }
    let full = match name {
        "" | "@" | "HEAD" => repository.branch()?.ok_or(Problem::Unknown)?,
        name => first_reference(repository, name)?.ok_or(Problem::Unknown)?,
    };
    match (lower.as_str(), inner.parse()) {
        ("u" | "upstream", _) => {
            let upstream = repository.upstream(&full).ok_or(Problem::Unknown)?;
            repository.refs.follow(&upstream.name)?.1.ok_or(Problem::Unknown)
        }
        (_, Ok(back)) => logged(repository, if matches!(name, "@" | "HEAD") { b"HEAD" } else { &full }, back),
        _ => Err(Problem::Notation(
            "`@{upstream}`, `@{2}` and `@{-1}` are read, dates are not; name a commit".to_owned(),
        )),
    }
}

/// What a reference stood for so many changes ago.
fn logged(repository: &Repository, name: &[u8], back: usize) -> Result<Id, Problem> {
    let log = log(repository, name)?;
    let lines: Vec<&[u8]> = log.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
    let line = lines.len().checked_sub(back + 1).and_then(|at| lines.get(at)).ok_or(Problem::Unknown)?;
    line.split(|&byte| byte == b' ').nth(1).and_then(Id::from_hex).ok_or(Problem::Unknown)
}

fn checked_out_before(repository: &Repository, back: usize) -> Result<String, Problem> {
    let log = log(repository, b"HEAD")?;
    let text = String::from_utf8_lossy(&log).into_owned();
    let left = text.lines().rev().filter_map(|line| line.split_once("\tcheckout: moving from ")?.1.split_once(" to "));
    let branch = back.checked_sub(1).and_then(|at| left.map(|(from, _)| from.to_owned()).nth(at));
    branch.ok_or(Problem::Unknown)
}

fn log(repository: &Repository, name: &[u8]) -> Result<Vec<u8>, Problem> {
    use std::os::unix::ffi::OsStrExt as _;
    let path = Path::new("logs").join(std::ffi::OsStr::from_bytes(name));
    let shared = || repository.common_file(&path.to_string_lossy());
    Ok(repository.own_file(&path)?.map_or_else(shared, |log| Ok(Some(log)))?.unwrap_or_default())
}

/// An object by a name without steps.
fn named(repository: &Repository, name: &str) -> Result<Id, Problem> {
    let name = if name == "@" { "HEAD" } else { name };
    if let Some(id) = full_hex(repository, name) {
        return Ok(id);
    }
    let meanings = references(repository, name)?;
    match meanings.as_slice() {
        [] => short_hex(repository, name),
        [(_, id), others @ ..] if others.iter().all(|(_, other)| other == id) => Ok(*id),
        meanings => Err(Problem::Ambiguous(
            meanings.iter().map(|(name, _)| String::from_utf8_lossy(name).into_owned()).collect(),
        )),
    }
}

fn full_hex(repository: &Repository, name: &str) -> Option<Id> {
    let id = Id::from_hex(name.as_bytes()).filter(|id| id.format() == repository.format())?;
    repository.objects.contains(id).then_some(id)
}

/// Git's own order. A full name and HEAD mean themselves; any other name that stands for different objects is ambiguous.
fn candidates(name: &str) -> Vec<String> {
    if name == "HEAD" || name.starts_with("refs/") {
        return vec![name.to_owned()];
    }
    let places = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];
    let direct = places.iter().map(|place| format!("{place}{name}"));
    direct.chain([format!("refs/remotes/{name}/HEAD")]).collect()
}

fn references(repository: &Repository, name: &str) -> Result<Vec<(Vec<u8>, Id)>, Problem> {
    let mut found = Vec::new();
    for candidate in candidates(name) {
        // A file of git's own, such as `config` or `index`, is not a reference for all that it lies beside HEAD.
        let beside_head = !candidate.starts_with("refs/");
        if beside_head && candidate.bytes().any(|byte| !byte.is_ascii_uppercase() && byte != b'_') {
            continue;
        }
        if let (_, Some(id)) = repository.refs.follow(candidate.as_bytes())? {
            found.push((candidate.into_bytes(), id));
        }
    }
    Ok(found)
}

fn first_reference(repository: &Repository, name: &str) -> Result<Option<Vec<u8>>, Problem> {
    Ok(references(repository, name)?.into_iter().next().map(|(name, _)| name))
}

/// The first digits of a name, also as `git describe` writes them: `v1.0-3-g1a2b3c4`.
fn short_hex(repository: &Repository, name: &str) -> Result<Id, Problem> {
    let digits = name.rsplit_once("-g").map_or(name, |(_, digits)| digits).to_ascii_lowercase();
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if digits.len() < 4 || digits.len() > repository.format().digits() || !is_hex {
        return Err(Problem::Unknown);
    }
    /// Objects that share their first digits and are looked at.
    const MOST: usize = 64;
    let found = repository.objects.with_prefix(&digits, MOST)?;
    let is_commit = |id: &Id| peel(&repository.objects, *id).is_ok_and(|(_, kind)| kind == Kind::Commit);
    let commits: Vec<Id> = found.iter().copied().filter(is_commit).collect();
    match (commits.as_slice(), found.len()) {
        ([only], _) => Ok(*only),
        ([], 1) => found.first().copied().ok_or(Problem::Unknown),
        ([], _) => Err(Problem::Unknown),
        (commits, _) => Err(Problem::Ambiguous(commits.iter().map(Id::to_string).collect())),
    }
}
