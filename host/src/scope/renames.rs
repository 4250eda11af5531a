//! Which added files were taken from another one: git's rule for renames and copies, so that the subject says what
//! `git diff -C` says. The sources are the files that the change deletes or modifies.

use std::collections::HashMap;
use std::sync::Arc;

use review_loop_core::subject::Kind;
use review_loop_git::Id;

use super::entry::{Delta, Item, Source};

/// Git's scale of likeness.
const WHOLE: u64 = 60_000;
/// How alike two files must be: half.
const ENOUGH: u64 = 30_000;
/// Sources that are kept for each added file before one is chosen.
const KEPT_PER_TARGET: usize = 4;
/// Sources with the very same content that are looked at for one added file.
const IDENTICAL_LOOKED_AT: usize = 100;
/// Bytes after which a piece ends, if its line did not end before.
const PIECE: usize = 64;

/// What the search needs to know of contents. None where it cannot be read, or is larger than is read.
pub(super) trait Contents {
    fn size(&self, path: &[u8], item: &Item) -> Option<u64>;
    fn bytes(&self, path: &[u8], item: &Item) -> Option<Arc<[u8]>>;
}

/// Joins added files to what they were taken from, and drops the deletions that were the other half of a rename.
/// Contents are compared only where added files times sources do not exceed the square of the limit, as in git.
pub(super) fn detect(deltas: Vec<Delta>, limit: usize, contents: &impl Contents) -> Vec<Delta> {
    let mut search = Search::new(&deltas, contents);
    if search.targets.is_empty() || search.sources.is_empty() {
        return deltas;
    }
    search.identical();
    search.similar(limit);
    search.apply()
}

struct Search<'a, C> {
    deltas: &'a [Delta],
    contents: &'a C,
    targets: Vec<Target>,
    sources: Vec<Origin>,
    pieces: HashMap<Id, Option<Pieces>>,
}

/// The pieces of a file: hash and bytes of each, in the order of the hashes.
type Pieces = Arc<[(u64, u64)]>;

/// An added file.
struct Target {
    delta: usize,
    source: Option<usize>,
}

/// A file that an added one may have been taken from.
struct Origin {
    delta: usize,
    /// Files that came from it; a modified file counts as one itself, since it is still there.
    used: usize,
}

struct Candidate {
    target: usize,
    source: usize,
    likeness: u64,
    same_name: bool,
}

impl Candidate {
    fn rank(&self) -> (u64, bool) {
        (self.likeness, self.same_name)
    }
}

impl<'a, C: Contents> Search<'a, C> {
    fn new(deltas: &'a [Delta], contents: &'a C) -> Self {
        let (mut targets, mut sources) = (Vec::new(), Vec::new());
        for (delta, change) in deltas.iter().enumerate() {
            match (&change.old, &change.new) {
                (None, Some(_)) => targets.push(Target { delta, source: None }),
                (Some(_), new) => sources.push(Origin { delta, used: usize::from(new.is_some()) }),
                (None, None) => {}
            }
        }
        Search { deltas, contents, targets, sources, pieces: HashMap::new() }
    }

    fn identical(&mut self) {
        let mut by_content: HashMap<Id, Vec<usize>> = HashMap::new();
        for (at, source) in self.sources.iter().enumerate() {
            if let Some(id) = self.old_item(source).and_then(Item::id) {
                by_content.entry(id).or_default().push(at);
            }
        }
        for target in 0..self.targets.len() {
            let same = self.new_item(target).and_then(Item::id).and_then(|id| by_content.get(&id));
            if let Some(source) = same.and_then(|same| self.best_identical(target, same)) {
                self.join(target, source);
            }
        }
    }

    fn best_identical(&self, target: usize, same: &[usize]) -> Option<usize> {
        let item = self.new_item(target)?;
        let fitting = same.iter().copied().filter(|&source| {
            let old = self.sources.get(source).and_then(|source| self.old_item(source));
            old.is_some_and(|old| old.kind == item.kind || (is_text_file(old) && is_text_file(item)))
        });
        let mut best = None;
        for source in fitting.take(IDENTICAL_LOOKED_AT) {
            let unused = self.sources.get(source).is_some_and(|source| source.used == 0);
            let score = usize::from(unused) + usize::from(self.same_name(target, source));
            if best.is_none_or(|(_, known)| score > known) {
                best = Some((source, score));
            }
        }
        best.map(|(source, _)| source)
    }

    fn similar(&mut self, limit: usize) {
        let open: Vec<usize> =
            (0..self.targets.len()).filter(|&at| self.targets.get(at).is_some_and(|it| it.source.is_none())).collect();
        if open.len().saturating_mul(self.sources.len()) > limit.saturating_mul(limit) {
            return;
        }
        let sizes: Vec<Option<u64>> = self.sources.iter().map(|source| self.source_size(source)).collect();
        let mut found: Vec<Candidate> = Vec::new();
        for target in open {
            let best = self.best_sources(target, &sizes);
            found.extend(best);
        }
        found.sort_by_key(|candidate| std::cmp::Reverse(candidate.rank()));
        self.choose(&found, false);
        self.choose(&found, true);
    }

    fn best_sources(&mut self, target: usize, sizes: &[Option<u64>]) -> Vec<Candidate> {
        let mut best: Vec<Candidate> = Vec::with_capacity(KEPT_PER_TARGET);
        for (source, size) in sizes.iter().enumerate() {
            let candidate = Candidate {
                target,
                source,
                likeness: size.map_or(0, |size| self.likeness(target, source, size)),
                same_name: self.same_name(target, source),
            };
            if best.len() < KEPT_PER_TARGET {
                best.push(candidate);
            } else if let Some(worst) = best.iter_mut().min_by_key(|known| known.rank())
                && worst.rank() < candidate.rank()
            {
                *worst = candidate;
            }
        }
        best.retain(|candidate| candidate.likeness >= ENOUGH);
        best
    }

    fn choose(&mut self, found: &[Candidate], copies: bool) {
        for candidate in found {
            let taken = self.targets.get(candidate.target).is_none_or(|target| target.source.is_some());
            let used = self.sources.get(candidate.source).is_none_or(|source| source.used > 0);
            if !taken && (copies || !used) {
                self.join(candidate.target, candidate.source);
            }
        }
    }

    fn join(&mut self, target: usize, source: usize) {
        if let (Some(target), Some(origin)) = (self.targets.get_mut(target), self.sources.get_mut(source)) {
            target.source = Some(source);
            origin.used += 1;
        }
    }

    /// How much of both files is the same, by the bytes of their common pieces.
    fn likeness(&mut self, target: usize, source: usize, source_size: u64) -> u64 {
        let deltas = self.deltas;
        let Some(new) = self.targets.get(target).and_then(|target| deltas.get(target.delta)) else { return 0 };
        let Some(old) = self.sources.get(source).and_then(|source| deltas.get(source.delta)) else { return 0 };
        let (Some(old_item), Some(new_item)) = (&old.old, &new.new) else { return 0 };
        let Some(target_size) = self.contents.size(&new.path, new_item).filter(|_| is_text_file(new_item)) else {
            return 0;
        };
        let (small, large) = (source_size.min(target_size), source_size.max(target_size));
        if large.saturating_mul(WHOLE - ENOUGH) < (large - small).saturating_mul(WHOLE) || target_size == 0 {
            return 0;
        }
        let (Some(before), Some(after)) = (self.pieces(&old.path, old_item), self.pieces(&new.path, new_item)) else {
            return 0;
        };
        common_bytes(&before, &after).saturating_mul(WHOLE).checked_div(large).unwrap_or(0)
    }

    fn pieces(&mut self, path: &[u8], item: &Item) -> Option<Pieces> {
        let id = item.id()?;
        if let Some(known) = self.pieces.get(&id) {
            return known.clone();
        }
        let found = self.contents.bytes(path, item).map(|bytes| pieces(&bytes));
        self.pieces.insert(id, found.clone());
        found
    }

    fn source_size(&self, source: &Origin) -> Option<u64> {
        let delta = self.deltas.get(source.delta)?;
        let item = delta.old.as_ref().filter(|item| is_text_file(item))?;
        self.contents.size(&delta.path, item)
    }

    fn old_item(&self, source: &Origin) -> Option<&'a Item> {
        self.deltas.get(source.delta)?.old.as_ref()
    }

    fn new_item(&self, target: usize) -> Option<&'a Item> {
        self.deltas.get(self.targets.get(target)?.delta)?.new.as_ref()
    }

    fn same_name(&self, target: usize, source: usize) -> bool {
        let target = self.targets.get(target).and_then(|target| self.deltas.get(target.delta));
        let source = self.sources.get(source).and_then(|source| self.deltas.get(source.delta));
        target.zip(source).is_some_and(|(target, source)| file_name(&target.path) == file_name(&source.path))
    }

    fn apply(self) -> Vec<Delta> {
        let joined: HashMap<usize, usize> =
            self.targets.iter().filter_map(|target| Some((target.delta, target.source?))).collect();
        let mut uses: Vec<usize> = self.sources.iter().map(|source| source.used).collect();
        let moved_away: HashMap<usize, bool> =
            self.sources.iter().map(|source| (source.delta, source.used > 0)).collect();
        let mut deltas = Vec::with_capacity(self.deltas.len());
        for (at, delta) in self.deltas.iter().enumerate() {
            let is_deletion = delta.new.is_none();
            if is_deletion && moved_away.get(&at).copied().unwrap_or(false) {
                continue;
            }
            let source = joined.get(&at).and_then(|&source| self.taken_from(source, &mut uses));
            deltas.push(source.map_or_else(
                || delta.clone(),
                |(old, source)| Delta { old: Some(old), source: Some(source), ..delta.clone() },
            ));
        }
        deltas
    }

    /// Of several files that came from one, the last is the rename and the others are copies.
    fn taken_from(&self, source: usize, uses: &mut [usize]) -> Option<(Item, Source)> {
        let delta = self.deltas.get(self.sources.get(source)?.delta)?;
        let left = uses.get_mut(source)?;
        *left = left.saturating_sub(1);
        Some((delta.old.clone()?, Source { path: delta.path.clone(), copied: *left > 0 }))
    }
}

fn is_text_file(item: &Item) -> bool {
    matches!(item.kind, Kind::Regular | Kind::Executable)
}

fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// The lines of a file, in pieces of at most 64 bytes. In a text, a carriage return at the end of a line does not count.
fn pieces(content: &[u8]) -> Pieces {
    let is_text = !content.get(..8000).unwrap_or(content).contains(&0);
    let mut found: Vec<(u64, u64)> = Vec::new();
    let mut piece: (u64, u64) = EMPTY;
    let mut bytes = content.iter().peekable();
    while let Some(&byte) = bytes.next() {
        if is_text && byte == b'\r' && bytes.peek() == Some(&&b'\n') {
            continue;
        }
        piece = (hash(piece.0, byte), piece.1 + 1);
        if byte == b'\n' || piece.1 >= PIECE as u64 {
            found.push(std::mem::replace(&mut piece, EMPTY));
        }
    }
    if piece.1 > 0 {
        found.push(piece);
    }
    found.sort_unstable();
    found.dedup_by(|next, first| {
        let same = next.0 == first.0;
        first.1 += if same { next.1 } else { 0 };
        same
    });
    found.into()
}

const EMPTY: (u64, u64) = (0xcbf2_9ce4_8422_2325, 0);

fn hash(so_far: u64, byte: u8) -> u64 {
    (so_far ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

fn common_bytes(before: &[(u64, u64)], after: &[(u64, u64)]) -> u64 {
    let mut after = after.iter().peekable();
    let mut common = 0;
    for (hash, bytes) in before {
        while after.next_if(|next| next.0 < *hash).is_some() {}
        if let Some(next) = after.next_if(|next| next.0 == *hash) {
            common += bytes.min(&next.1);
        }
    }
    common
}
