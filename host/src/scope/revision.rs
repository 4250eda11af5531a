//! From what the user named to the two commits that are compared.

use git2::{BranchType, Commit, ErrorCode, ObjectType, Oid, Repository};

use super::error::{Error, while_doing};

/// The commit that a revision names.
pub(super) fn commit<'repo>(repository: &'repo Repository, name: &str) -> Result<Commit<'repo>, Error> {
    let object = repository.revparse_single(name).map_err(|error| unresolved(repository, name, &error))?;
    let kind = object.kind();
    object.peel_to_commit().map_err(|_| Error::NotACommit {
        name: name.to_owned(),
        kind: kind.map_or("object", |kind: ObjectType| kind.str()).to_owned(),
    })
}

fn unresolved(repository: &Repository, name: &str, error: &git2::Error) -> Error {
    if is_unborn(repository) && name.starts_with("HEAD") {
        return Error::NoCommit { name: name.to_owned() };
    }
    match error.code() {
        ErrorCode::NotFound if leads_past_the_end(repository, name) => Error::CutOff { what: format!("`{name}`") },
        ErrorCode::NotFound | ErrorCode::InvalidSpec => {
            Error::UnknownRevision { name: name.to_owned(), near: near_names(repository, name) }
        }
        _ => Error::Git { doing: format!("looking up `{name}`"), reason: error.message().to_owned() },
    }
}

/// Whether the name climbs to an ancestor (`HEAD~3`, `v1^`) of a shallow clone's revision that itself is there.
fn leads_past_the_end(repository: &Repository, name: &str) -> bool {
    let start = name.find(['~', '^']).and_then(|at| name.get(..at)).filter(|start| !start.is_empty());
    repository.is_shallow() && start.is_some_and(|start| repository.revparse_single(start).is_ok())
}

/// Whether the repository has no commit on the current branch.
pub(super) fn is_unborn(repository: &Repository) -> bool {
    repository.head().is_err_and(|error| matches!(error.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound))
}

/// The commit that is checked out; none on an unborn branch.
pub(super) fn head(repository: &Repository) -> Result<Option<Oid>, Error> {
    if is_unborn(repository) {
        return Ok(None);
    }
    let head = repository.head().map_err(while_doing("reading HEAD"))?;
    head.peel_to_commit().map(|commit| Some(commit.id())).map_err(while_doing("reading the commit of HEAD"))
}

/// The branch that is checked out, unborn or not; none where HEAD names a commit.
pub(super) fn branch(repository: &Repository) -> Option<String> {
    let head = repository.find_reference("HEAD").ok()?;
    let target = head.symbolic_target_bytes()?;
    let name = target.strip_prefix(b"refs/heads/")?;
    Some(String::from_utf8_lossy(name).into_owned())
}

/// The parent that a commit is compared with; none for a root commit.
pub(super) fn first_parent(repository: &Repository, commit: &Commit<'_>) -> Result<Option<Oid>, Error> {
    let named = commit.raw_header_bytes().split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"parent "));
    let Some(named) = named else { return Ok(None) };
    // A shallow clone hides the parents of the commits where it ends; the commit itself still names them.
    let parent = std::str::from_utf8(named).ok().and_then(|hex| Oid::from_str(hex).ok());
    match parent {
        Some(parent) if repository.find_commit(parent).is_ok() => Ok(Some(parent)),
        _ if repository.is_shallow() => Err(Error::CutOff { what: format!("the parent of {}", short(commit.id())) }),
        _ => Err(Error::Git {
            doing: format!("reading the parent of {}", short(commit.id())),
            reason: "it is missing; `git fsck` says what else is".to_owned(),
        }),
    }
}

/// The last commit that two histories share.
pub(super) fn merge_base(repository: &Repository, one: (&str, Oid), other: (&str, Oid)) -> Result<Oid, Error> {
    match repository.merge_base(one.1, other.1) {
        Ok(base) => Ok(base),
        Err(error) if error.code() == ErrorCode::NotFound && repository.is_shallow() => {
            Err(Error::CutOff { what: format!("`{}` and `{}` meet", one.0, other.0) })
        }
        Err(error) if error.code() == ErrorCode::NotFound => {
            Err(Error::NoMergeBase { one: one.0.to_owned(), other: other.0.to_owned() })
        }
        Err(error) => Err(while_doing(format!("finding where `{}` and `{}` meet", one.0, other.0))(error)),
    }
}

/// What a branch is compared with when nothing was named: its upstream, unless that is only its own pushed copy; the
/// default branch of `origin`; `main` or `master`, there or here.
pub(super) fn default_base(repository: &Repository) -> Result<String, Error> {
    let branch = branch(repository);
    let candidates = [
        branch.as_deref().and_then(|branch| upstream(repository, branch)),
        remote_default(repository),
        existing(repository, "origin/main"),
        existing(repository, "origin/master"),
        existing(repository, "main").filter(|name| Some(name) != branch.as_ref()),
        existing(repository, "master").filter(|name| Some(name) != branch.as_ref()),
    ];
    let found = candidates.into_iter().flatten().next();
    found.ok_or_else(|| Error::NoBase { branch: branch.unwrap_or_else(|| "HEAD".to_owned()) })
}

fn upstream(repository: &Repository, branch: &str) -> Option<String> {
    let local = repository.find_branch(branch, BranchType::Local).ok()?;
    let upstream = local.upstream().ok()?;
    let name = String::from_utf8_lossy(upstream.name_bytes().ok()?).into_owned();
    let pushed_copy = name == branch || name.split_once('/').is_some_and(|(_, rest)| rest == branch);
    (!pushed_copy).then_some(name)
}

fn remote_default(repository: &Repository) -> Option<String> {
    let head = repository.find_reference("refs/remotes/origin/HEAD").ok()?;
    let target = head.symbolic_target_bytes()?.strip_prefix(b"refs/remotes/")?;
    existing(repository, &String::from_utf8_lossy(target))
}

fn existing(repository: &Repository, name: &str) -> Option<String> {
    let places = [format!("refs/heads/{name}"), format!("refs/remotes/{name}")];
    places.iter().any(|place| repository.find_reference(place).is_ok()).then(|| name.to_owned())
}

/// The first digits of a commit's name.
pub(super) fn short(id: Oid) -> String {
    id.to_string().chars().take(7).collect()
}

/// References that are looked through for a similar name.
const NAMES_LOOKED_THROUGH: usize = 10_000;
/// Similar names that are shown.
const NAMES_SHOWN: usize = 3;
/// How similar a name must be, 0 to 1.
const SIMILAR: f64 = 0.8;

fn near_names(repository: &Repository, name: &str) -> Vec<String> {
    let Ok(references) = repository.references() else { return Vec::new() };
    let mut near: Vec<(f64, String)> = references
        .take(NAMES_LOOKED_THROUGH)
        .flatten()
        .map(|reference| String::from_utf8_lossy(reference.shorthand_bytes()).into_owned())
        .map(|known| (strsim::jaro_winkler(name, &known), known))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    near.dedup_by(|one, other| one.1 == other.1);
    near.into_iter().take(NAMES_SHOWN).map(|(_, name)| name).collect()
}
