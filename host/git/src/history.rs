//! Commits, and where two histories meet.

use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};

use crate::error::{Error, Malformed};
use crate::id::Id;
use crate::objects::{Database, Kind};

/// What is needed of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// What it holds.
    pub tree: Id,
    /// The commits that it was made from, the first one first.
    pub parents: Vec<Id>,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
}

/// Bytes of a commit, and of a tag. Git's own checks call a longer one suspicious.
const MOST_OF_COMMIT: u64 = 16 << 20;
/// Commits that are looked at to find where two histories meet.
const MOST_COMMITS: usize = 5_000_000;
/// Tags of tags that are followed.
const MOST_TAGS: usize = 32;

/// The commit of this name.
///
/// # Errors
/// It is missing, broken, or no commit.
pub fn commit(objects: &Database, id: Id) -> Result<Commit, Error> {
    let content = objects.read_as(id, Kind::Commit, MOST_OF_COMMIT)?;
    parse(&content).map_err(Error::broken(format!("commit {id}")))
}

fn parse(content: &[u8]) -> Result<Commit, Malformed> {
    let (mut tree, mut parents, mut time) = (None, Vec::new(), 0);
    for line in content.split(|&byte| byte == b'\n').take_while(|line| !line.is_empty()) {
        let mut words = line.splitn(2, |&byte| byte == b' ');
        match (words.next(), words.next()) {
            (Some(b"tree"), Some(hex)) if tree.is_none() => tree = Id::from_hex(hex),
            (Some(b"parent"), Some(hex)) => {
                parents.push(Id::from_hex(hex).ok_or_else(|| Malformed::new("a parent that is no name"))?);
            }
            (Some(b"committer"), Some(who)) => time = seconds(who),
            _ => {}
        }
    }
    let tree = tree.ok_or_else(|| Malformed::new("it has no tree"))?;
    Ok(Commit { tree, parents, time })
}

/// `A <a@example.com> 981173106 +0000`
fn seconds(who: &[u8]) -> i64 {
    let word = who.rsplit(|&byte| byte == b' ').nth(1);
    word.and_then(|word| std::str::from_utf8(word).ok()?.parse().ok()).unwrap_or_default()
}

/// The object that a tag stands for in the end, with its kind; of any other object, itself.
///
/// # Errors
/// One on the way is missing or broken.
pub fn peel(objects: &Database, id: Id) -> Result<(Id, Kind), Error> {
    let mut at = id;
    for _ in 0..MOST_TAGS {
        let header = objects.header(at)?.ok_or_else(|| objects.missing(at))?;
        if header.kind != Kind::Tag {
            return Ok((at, header.kind));
        }
        let content = objects.read(at, MOST_OF_COMMIT)?.content;
        let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let target = line.strip_prefix(b"object ").and_then(Id::from_hex);
        at = target.ok_or_else(|| Error::broken(format!("tag {at}"))(Malformed::new("it names no object")))?;
    }
    Err(Error::broken(format!("tag {id}"))(Malformed::new("tags of tags without end")))
}

/// The commits at which a shallow clone was cut: their parents are not here, though they name them.
#[derive(Debug, Clone, Default)]
pub struct Shallow(HashSet<Id>);

impl Shallow {
    /// What the file `shallow` says: a name a line.
    #[must_use]
    pub fn parse(content: &[u8]) -> Self {
        Shallow(content.split(|&byte| byte == b'\n').filter_map(|line| Id::from_hex(line.trim_ascii())).collect())
    }

    /// Whether the clone is one.
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether the history was cut at this commit.
    #[must_use]
    pub fn is_cut_at(&self, id: Id) -> bool {
        self.0.contains(&id)
    }
}

/// Reached from the first commit, from the other, found, and known to lie behind what was found.
const ONE: u8 = 1;
const OTHER: u8 = 2;
const FOUND: u8 = 4;
const STALE: u8 = 8;

/// The last commits that two histories share, the youngest first; none where they share none. As in git, none of them can
/// be reached from another one of them.
///
/// # Errors
/// A commit is missing or broken, or there are too many to look at.
pub fn merge_bases(objects: &Database, shallow: &Shallow, one: Id, other: Id) -> Result<Vec<Id>, Error> {
    if one == other {
        return Ok(vec![one]);
    }
    let mut walk = Walk::new(objects, shallow);
    walk.mark(one, ONE)?;
    walk.mark(other, OTHER)?;
    let found = walk.run()?;
    let mut bases = Vec::new();
    for (at, &base) in found.iter().enumerate() {
        let mut behind = false;
        for (_, &another) in found.iter().enumerate().filter(|(index, _)| *index != at) {
            behind |= is_ancestor(objects, shallow, base, another)?;
        }
        if !behind {
            bases.push(base);
        }
    }
    Ok(bases)
}

fn is_ancestor(objects: &Database, shallow: &Shallow, old: Id, young: Id) -> Result<bool, Error> {
    let mut walk = Walk::new(objects, shallow);
    walk.mark(old, ONE)?;
    walk.mark(young, OTHER)?;
    Ok(walk.run()?.contains(&old))
}

/// Commits from young to old, each with what it was reached from.
struct Walk<'a> {
    objects: &'a Database,
    shallow: &'a Shallow,
    known: HashMap<Id, (Commit, u8)>,
    queue: BinaryHeap<(i64, Id)>,
    queued: HashSet<Id>,
    /// Commits in the queue that are not known to lie behind a common one.
    open: usize,
}

impl<'a> Walk<'a> {
    fn new(objects: &'a Database, shallow: &'a Shallow) -> Self {
        Walk { objects, shallow, known: HashMap::new(), queue: BinaryHeap::new(), queued: HashSet::new(), open: 0 }
    }

    fn run(mut self) -> Result<Vec<Id>, Error> {
        let mut found: BTreeSet<(i64, Id)> = BTreeSet::new();
        while self.open > 0 {
            let Some((time, id)) = self.queue.pop() else { break };
            self.queued.remove(&id);
            let Some((commit, mut flags)) = self.known.get(&id).cloned() else { continue };
            self.open -= usize::from(flags & STALE == 0);
            if flags & (ONE | OTHER | STALE) == ONE | OTHER {
                if flags & FOUND == 0 {
                    found.insert((time, id));
                    self.add(id, FOUND);
                }
                flags |= STALE;
            }
            let parents = if self.shallow.is_cut_at(id) { Vec::new() } else { commit.parents };
            for parent in parents {
                self.mark(parent, flags & (ONE | OTHER | STALE))?;
            }
        }
        let stale = |id: &Id| self.known.get(id).is_none_or(|(_, flags)| flags & STALE != 0);
        Ok(found.into_iter().rev().map(|(_, id)| id).filter(|id| !stale(id)).collect())
    }

    /// Adds to what a commit was reached from; if that is news, its parents will hear of it.
    fn mark(&mut self, id: Id, flags: u8) -> Result<(), Error> {
        if !self.known.contains_key(&id) {
            if self.known.len() >= MOST_COMMITS {
                let what = "the history".to_owned();
                return Err(Error::TooLarge { what, bytes: self.known.len() as u64, limit: MOST_COMMITS as u64 });
            }
            let commit = commit(self.objects, id)?;
            self.known.insert(id, (commit, 0));
        }
        let before = self.known.get(&id).map_or(0, |(_, flags)| *flags);
        if before & flags == flags {
            return Ok(());
        }
        if self.queued.contains(&id) {
            self.open -= usize::from(before & STALE == 0 && flags & STALE != 0);
        } else {
            let time = self.known.get(&id).map_or(0, |(commit, _)| commit.time);
            self.queue.push((time, id));
            self.queued.insert(id);
            self.open += usize::from((before | flags) & STALE == 0);
        }
        self.add(id, flags);
        Ok(())
    }

    fn add(&mut self, id: Id, flags: u8) {
        if let Some((_, known)) = self.known.get_mut(&id) {
            *known |= flags;
        }
    }
}
