//! Reading trees: all of one, or only where two differ. Never by recursion, and never without a bound: a tree of a few
//! hundred kilobytes can name more paths than fit into memory.

use std::collections::{BTreeMap, HashMap};

use review_loop_core::subject::Kind;
use review_loop_git::{Format, Id, Repository, history, tree as stored};

use super::entry::{self, Content, Delta, Entry, Item};
use super::error::Error;
use super::name;

/// Entries that are read of one tree, or of the differences of two.
const MOST_ENTRIES: usize = 1_000_000;
/// Bytes of one path. What lies deeper is named as unreadable, and not read.
const LONGEST_PATH: usize = 4096;

/// The tree of a commit; none where there is no commit.
pub(super) fn of_commit(repository: &Repository, commit: Option<Id>) -> Result<Option<Id>, Error> {
    let Some(commit) = commit else { return Ok(None) };
    Ok(Some(history::commit(&repository.objects, commit)?.tree))
}

/// Every entry of a tree, in the order of the paths; none for no tree.
pub(super) fn entries(repository: &Repository, tree: Option<Id>) -> Result<Vec<Entry>, Error> {
    let deltas = differences(repository, None, tree)?;
    let listed = deltas.into_iter().filter_map(|delta| Some(Entry { path: delta.path, item: delta.new? }));
    Ok(listed.collect())
}

/// Where two trees differ, in the order of the paths. What is the same on both sides is not read.
pub(super) fn differences(repository: &Repository, old: Option<Id>, new: Option<Id>) -> Result<Vec<Delta>, Error> {
    let mut walk = Walk { repository, deltas: Vec::new(), to_visit: vec![(Vec::new(), old, new)], seen: 0 };
    while let Some((folder, old, new)) = walk.to_visit.pop() {
        if old != new {
            walk.folder(&folder, old, new)?;
        }
    }
    walk.deltas.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(walk.deltas)
}

/// Where the entries of the index or of a working tree differ from a tree, in the order of the paths. Folders that are the
/// same are told by their hash, and not read.
pub(super) fn differences_to(repository: &Repository, old: Option<Id>, new: &[Entry]) -> Result<Vec<Delta>, Error> {
    let folders = folder_names(new, repository.format());
    let mut walk = Walk { repository, deltas: Vec::new(), to_visit: vec![(Vec::new(), None, old)], seen: 0 };
    let mut same: Vec<Vec<u8>> = Vec::new();
    while let Some((folder, _, tree)) = walk.to_visit.pop() {
        if tree.is_some() && folders.get(&folder) == tree.as_ref() {
            same.push(folder);
        } else {
            walk.folder(&folder, None, tree)?;
        }
    }
    let old = walk.deltas.into_iter().filter_map(|delta| Some(Entry { path: delta.path, item: delta.new? }));
    let mut old: Vec<Entry> = old.collect();
    old.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(entry::compare(old.iter(), outside(new, same)))
}

/// The entries that are in none of the folders.
fn outside(entries: &[Entry], mut folders: Vec<Vec<u8>>) -> impl Iterator<Item = &Entry> {
    folders.iter_mut().filter(|folder| !folder.is_empty()).for_each(|folder| folder.push(b'/'));
    folders.sort();
    let mut folders = folders.into_iter().peekable();
    entries.iter().filter(move |entry| {
        while folders.next_if(|folder| *folder < entry.path && !entry.path.starts_with(folder)).is_some() {}
        !folders.peek().is_some_and(|folder| entry.path.starts_with(folder))
    })
}

/// What git would call the tree of each folder, the root included.
fn folder_names(entries: &[Entry], format: Format) -> HashMap<Vec<u8>, Id> {
    let mut names = HashMap::new();
    let mut open: Vec<(Vec<u8>, Vec<u8>)> = vec![(Vec::new(), Vec::new())];
    for entry in entries {
        let (folder, name) = split(&entry.path);
        while open.last().is_some_and(|(above, _)| !is_in(folder, above)) {
            close(&mut open, &mut names, format);
        }
        let above = open.last().map_or(0, |(above, _)| above.len());
        let ends = folder.iter().enumerate().skip(above + 1).filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let below = ends.chain([folder.len()]).filter(|end| *end > above);
        open.extend(below.filter_map(|end| Some((folder.get(..end)?.to_vec(), Vec::new()))));
        if let Some((_, tree)) = open.last_mut() {
            // Content without a name has the name of nothing, so that its folders are the same as no tree.
            push_name(tree, octal(entry.item.kind), name, entry.item.id().unwrap_or(Id::zero(format)));
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut names, format);
    }
    names
}

fn close(open: &mut Vec<(Vec<u8>, Vec<u8>)>, names: &mut HashMap<Vec<u8>, Id>, format: Format) {
    let Some((folder, tree)) = open.pop() else { return };
    let id = Id::of(format, "tree", &tree);
    if let Some((_, above)) = open.last_mut() {
        push_name(above, "40000", split(&folder).1, id);
    }
    names.insert(folder, id);
}

fn push_name(tree: &mut Vec<u8>, mode: &str, name: &[u8], id: Id) {
    tree.extend(mode.bytes().chain([b' ']));
    tree.extend(name);
    tree.push(0);
    tree.extend(id.as_bytes());
}

fn octal(kind: Kind) -> &'static str {
    match kind {
        Kind::Regular => "100644",
        Kind::Executable => "100755",
        Kind::Symlink => "120000",
        Kind::Submodule => "160000",
    }
}

/// The folder of a path, and its name there.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(at) => (path.get(..at).unwrap_or_default(), path.get(at + 1..).unwrap_or_default()),
        None => (&[], path),
    }
}

fn is_in(folder: &[u8], above: &[u8]) -> bool {
    above.is_empty() || folder.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

struct Walk<'repo> {
    repository: &'repo Repository,
    deltas: Vec<Delta>,
    to_visit: Vec<(Vec<u8>, Option<Id>, Option<Id>)>,
    seen: usize,
}

/// One name of a folder, on both sides. A folder and a file of the same name are two different things.
#[derive(Default)]
struct Pair {
    old: Option<(u32, Id)>,
    new: Option<(u32, Id)>,
    /// The new side has the name more than once: only a broken tree does.
    twice: bool,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &[u8], old: Option<Id>, new: Option<Id>) -> Result<(), Error> {
        if folder.len() > LONGEST_PATH {
            let unread =
                |_: Id| Item { kind: Kind::Regular, content: Content::Unreadable("nested too deep".to_owned()) };
            self.deltas.push(Delta::at(folder.to_vec(), old.map(unread), new.map(unread)));
            return Ok(());
        }
        let mut pairs: BTreeMap<(Vec<u8>, bool), Pair> = BTreeMap::new();
        for (name, mode, id) in self.names(old)? {
            pairs.entry((name, is_folder(mode))).or_default().old = Some((mode, id));
        }
        for (name, mode, id) in self.names(new)? {
            let pair = pairs.entry((name, is_folder(mode))).or_default();
            pair.twice |= pair.new.is_some();
            pair.new = Some((mode, id));
        }
        for ((name, folder_below), pair) in pairs {
            if pair.old == pair.new && !pair.twice {
                continue;
            }
            let path = if folder.is_empty() { name } else { [folder, b"/", &name].concat() };
            if pair.twice {
                self.deltas.push(Delta::at(path.clone(), None, Some(twice())));
            }
            if folder_below {
                self.to_visit.push((path, pair.old.map(|(_, id)| id), pair.new.map(|(_, id)| id)));
            } else {
                self.file(path, &pair);
            }
        }
        Ok(())
    }

    /// What a tree holds: name, mode and object of each.
    fn names(&mut self, tree: Option<Id>) -> Result<Vec<(Vec<u8>, u32, Id)>, Error> {
        let Some(tree) = tree else { return Ok(Vec::new()) };
        let entries = stored::entries(&self.repository.objects, tree)?;
        self.seen += entries.len();
        if self.seen > MOST_ENTRIES {
            return Err(Error::TooMany { what: "the tree".to_owned(), limit: MOST_ENTRIES });
        }
        Ok(entries.into_iter().map(|entry| (entry.name, entry.mode, entry.id)).collect())
    }

    fn file(&mut self, path: Vec<u8>, pair: &Pair) {
        let item = |side: Option<(u32, Id)>| {
            let (mode, id) = side?;
            Some(Item { kind: entry::kind(mode)?, content: content(&path, id) })
        };
        let (old, new) = (item(pair.old), item(pair.new));
        if old != new || !name::is_inside(&path) {
            self.deltas.push(Delta::at(path, old, new));
        }
    }
}

/// What stands for the others of a name that a tree has more than once.
fn twice() -> Item {
    let reason = "its folder has the name more than once; only the last of them is shown".to_owned();
    Item { kind: Kind::Regular, content: Content::Unreadable(reason) }
}

fn content(path: &[u8], id: Id) -> Content {
    if name::is_inside(path) {
        return Content::Object(id);
    }
    Content::Unreadable("its path leads out of the repository or into git's own folder".to_owned())
}

fn is_folder(mode: u32) -> bool {
    entry::kind(mode).is_none()
}

/// What a submodule's entry stands for in text, as git prints it.
pub(super) fn submodule_text(commit: Option<Id>) -> Vec<u8> {
    commit.map(|commit| format!("Subproject commit {commit}\n").into_bytes()).unwrap_or_default()
}
