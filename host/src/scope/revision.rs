//! From what the user named to the two commits that are compared.

use review_loop_git::Id;
use review_loop_git::history;
use review_loop_git::repository::Repository;
use review_loop_git::revision::{self, Problem};

use super::error::Error;

/// The commit that a revision names.
pub(super) fn commit(repository: &Repository, name: &str) -> Result<Id, Error> {
    revision::commit(repository, name).map_err(|problem| unresolved(repository, name, problem))
}

fn unresolved(repository: &Repository, name: &str, problem: Problem) -> Error {
    let named = || name.to_owned();
    match problem {
        Problem::Unknown if name.starts_with("HEAD") && matches!(repository.head(), Ok(None)) => {
            Error::NoCommit { name: named() }
        }
        Problem::Unknown if leads_past_the_end(repository, name) => Error::CutOff { what: format!("`{name}`") },
        Problem::Unknown => Error::UnknownRevision { name: named(), near: near_names(repository, name) },
        Problem::Ambiguous(meanings) => Error::Ambiguous { name: named(), meanings },
        Problem::NotACommit(kind) => Error::NotACommit { name: named(), kind },
        Problem::Notation(reason) => Error::Notation { name: named(), reason },
        Problem::CutOff => Error::CutOff { what: format!("`{name}`") },
        Problem::Git(error) => Error::from(error),
    }
}

/// Whether the name climbs to an ancestor (`HEAD~3`, `v1^`) of a shallow clone's revision that itself is there.
fn leads_past_the_end(repository: &Repository, name: &str) -> bool {
    let start = name.find(['~', '^']).and_then(|at| name.get(..at)).filter(|start| !start.is_empty());
    repository.shallow.is_shallow() && start.is_some_and(|start| revision::commit(repository, start).is_ok())
}

/// The branch that is checked out, unborn or not; none where HEAD names a commit.
pub(super) fn branch(repository: &Repository) -> Option<String> {
    let full = repository.branch().ok()??;
    Some(text(full.strip_prefix(b"refs/heads/")?))
}

/// The parent that a commit is compared with; none for a root commit.
pub(super) fn first_parent(repository: &Repository, commit: Id) -> Result<Option<Id>, Error> {
    let Some(&parent) = history::commit(&repository.objects, commit)?.parents.first() else { return Ok(None) };
    match repository.objects.contains(parent) {
        true => Ok(Some(parent)),
        // A shallow clone ends at commits that still name their parents.
        false if repository.shallow.is_shallow() => {
            Err(Error::CutOff { what: format!("the parent of {}", short(commit)) })
        }
        false => Err(repository.objects.missing(parent).into()),
    }
}

/// The last commit that two histories share.
pub(super) fn merge_base(repository: &Repository, one: (&str, Id), other: (&str, Id)) -> Result<Id, Error> {
    let bases = history::merge_bases(&repository.objects, &repository.shallow, one.1, other.1)?;
    match bases.first() {
        Some(base) => Ok(*base),
        None if repository.shallow.is_shallow() => {
            Err(Error::CutOff { what: format!("`{}` and `{}` meet", one.0, other.0) })
        }
        None => Err(Error::NoMergeBase { one: one.0.to_owned(), other: other.0.to_owned() }),
    }
}

/// A branch to compare with: what it is called, and the commit that it stands for.
pub(super) struct Base {
    pub(super) name: String,
    pub(super) commit: Id,
}

/// What a branch is compared with when nothing was named: its upstream, unless that is only its own pushed copy; the
/// default branch of the remote; `main` or `master`, there or here. By full names, so that no tag and no branch that is
/// called alike comes in between.
pub(super) fn default_base(repository: &Repository) -> Result<Base, Error> {
    let branch = repository.branch()?;
    let upstream = branch.as_deref().and_then(|branch| repository.upstream(branch));
    let mut candidates: Vec<Vec<u8>> =
        upstream.filter(|it| !it.is_its_own_copy).map(|it| it.name).into_iter().collect();
    for remote in remotes(repository, branch.as_deref()) {
        let below = |name: &str| [b"refs/remotes/", &remote[..], b"/", name.as_bytes()].concat();
        candidates.extend(["HEAD", "main", "master"].map(below));
    }
    let here = [&b"refs/heads/main"[..], b"refs/heads/master"].map(<[u8]>::to_vec);
    candidates.extend(here.into_iter().filter(|name| Some(name) != branch.as_ref()));
    for candidate in candidates {
        if let (name, Some(id)) = repository.refs.follow(&candidate)? {
            let commit = commit(repository, &id.to_string())?;
            return Ok(Base { name: shown(&name), commit });
        }
    }
    let branch = branch.as_deref().and_then(|name| name.strip_prefix(b"refs/heads/")).map_or("HEAD".to_owned(), text);
    Err(Error::NoBase { branch })
}

/// The remotes whose default branch may be meant: the one that the branch follows, `origin`, or the only one.
fn remotes(repository: &Repository, branch: Option<&[u8]>) -> Vec<Vec<u8>> {
    let short = branch.and_then(|branch| std::str::from_utf8(branch.strip_prefix(b"refs/heads/")?).ok());
    let own = short.and_then(|short| repository.config.get(&format!("branch.{short}.remote")).map(<[u8]>::to_vec));
    let all = repository.remotes();
    let mut remotes = vec![b"origin".to_vec()];
    remotes.extend(own.filter(|remote| remote != b"."));
    remotes.extend(all.first().filter(|_| all.len() == 1).cloned());
    remotes
}

/// A reference as people write it.
fn shown(name: &[u8]) -> String {
    let places = [&b"refs/heads/"[..], b"refs/remotes/", b"refs/tags/"];
    text(places.iter().find_map(|place| name.strip_prefix(*place)).unwrap_or(name))
}

fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// The first digits of a commit's name.
pub(super) fn short(id: Id) -> String {
    id.to_string().chars().take(7).collect()
}

/// References that are looked through for a similar name.
const NAMES_LOOKED_THROUGH: usize = 10_000;
/// Similar names that are shown.
const NAMES_SHOWN: usize = 3;
/// How similar a name must be, 0 to 1.
const SIMILAR: f64 = 0.8;

fn near_names(repository: &Repository, name: &str) -> Vec<String> {
    let Ok(references) = repository.refs.names(NAMES_LOOKED_THROUGH) else { return Vec::new() };
    let mut near: Vec<(f64, String)> = references
        .iter()
        .map(|known| shown(known))
        .map(|known| (strsim::jaro_winkler(name, &known), known))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    near.dedup_by(|one, other| one.1 == other.1);
    near.into_iter().take(NAMES_SHOWN).map(|(_, name)| name).collect()
}
