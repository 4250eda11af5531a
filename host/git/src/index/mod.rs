//! The index: which files are in the next commit, and what they looked like when git last saw them (`gitformat-index`).
//!
//! Bytes go in and values come out; which file they are from, and how large it may be, is the caller's to know.

mod ewah;
mod split;
#[cfg(test)]
mod tests;

pub use split::Shared;

use crate::cursor::Cursor;
use crate::error::Malformed;
use crate::id::{Format, Id};

/// Bytes of the longest path that is read: `PATH_MAX` of Linux, so that a longer one could not be checked out.
const PATH_LIMIT: usize = 4096;

/// Bytes of all paths together. Version 4 shares the fronts of paths, so that a small file could ask for a thousand times
/// its size; real repositories of millions of files stay well below this.
const PATHS_LIMIT: usize = 512 << 20;

/// An index, or one of the two files of a split one. Its default is the index of a repository that has none yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Index {
    /// What is staged, by path (as bytes) and stage, each pair once. The paths are what the file says: nothing has checked
    /// whether they stay inside of the work tree. Before [`merge`](Index::merge), only what the shared index has not.
    pub entries: Vec<Entry>,
    /// Whether folders may stand for all that is in them (extension `sdir`).
    pub is_sparse: bool,
    /// The index that has the rest (extension `link`); none in a whole index and after [`merge`](Index::merge).
    pub shared: Option<Shared>,
    origin: Option<Origin>,
}

/// A path of an index, at one of its stages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is in the work tree, with `/` between folders. That of a sparse folder ends in `/`.
    pub path: Vec<u8>,
    /// What it is and may: `0o100644` or `0o100755` a file, `0o120000` a link, `0o160000` a submodule's commit, `0o040000` a
    /// sparse folder. Other values are handed out as they are.
    pub mode: u32,
    /// What is staged: a blob, a submodule's commit, or the tree of a sparse folder.
    pub id: Id,
    /// 0, or in a conflict 1 for the common ancestor, 2 for ours and 3 for theirs.
    pub stage: u8,
    /// What its file looked like when it was last known to be what is staged.
    pub stat: Stat,
    /// The file is to be taken for unchanged without a look (`git update-index --assume-unchanged`).
    pub assume_valid: bool,
    /// The file is not expected to be there (`git update-index --skip-worktree`, `git sparse-checkout`).
    pub skip_worktree: bool,
    /// The path will be added, its content not yet (`git add --intent-to-add`).
    pub intent_to_add: bool,
}

/// What `lstat` said about a file, each number cut to its lowest 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stat {
    /// When anything of it last changed: seconds since 1970, and nanoseconds.
    pub ctime: (u32, u32),
    /// When its content last changed: seconds since 1970, and nanoseconds.
    pub mtime: (u32, u32),
    /// The device it is on.
    pub dev: u32,
    /// Its number there.
    pub ino: u32,
    /// The user that owns it.
    pub uid: u32,
    /// The group that owns it.
    pub gid: u32,
    /// Bytes of its content in the work tree.
    pub size: u32,
}

/// Reads an index of version 2, 3 or 4. Its checksum has to be there and is not verified, as git does not either.
///
/// # Errors
///
/// The bytes are not an index, or one that asks for what is not known here (a required extension).
pub fn parse(bytes: &[u8], format: Format) -> Result<Index, Malformed> {
    let (body, checksum) = checked_off(bytes, format)?;
    let mut cursor = Cursor::new(body);
    let (version, count) = header(&mut cursor)?;
    let mut entries = Entries::new(version, format).read(&mut cursor, count)?;
    let Extensions { is_sparse, mut shared } = Extensions::read(&mut cursor, format)?;
    if let Some(shared) = &mut shared {
        shared.claim(&mut entries);
    }
    let (places, entries) = sorted(entries)?;
    Ok(Index { entries, is_sparse, shared, origin: Some(Origin { checksum, count, places }) })
}

impl Entry {
    /// What entries are sorted by.
    fn key(&self) -> (&[u8], u8) {
        (&self.path, self.stage)
    }
}

/// What a split index has to know of the file that it goes over.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    /// The last bytes of the file, by which a split index names it.
    checksum: Id,
    /// How many entries the file has.
    count: u32,
    /// Where in the file each entry stands: what the bitmaps of a split index count by.
    places: Vec<u32>,
}

/// The bytes before the checksum, and the checksum.
fn checked_off(bytes: &[u8], format: Format) -> Result<(&[u8], Id), Malformed> {
    let body = bytes.len().checked_sub(format.bytes()).and_then(|end| bytes.split_at_checked(end));
    let checked = body.and_then(|(body, checksum)| Some((body, Id::from_bytes(format, checksum)?)));
    checked.ok_or_else(|| Malformed::new("is too short for an index"))
}

/// Reads which version it is and how many entries it says it has.
fn header(cursor: &mut Cursor<'_>) -> Result<(u32, u32), Malformed> {
    if cursor.take(4)? != b"DIRC" {
        return Err(Malformed::new("is not an index"));
    }
    match (cursor.u32()?, cursor.u32()?) {
        (version @ 2..=4, count) => Ok((version, count)),
        (version, _) => Err(Malformed::new(format!("is an index of version {version}; 2 to 4 are read"))),
    }
}

/// The entries by path and stage, the first of each, and where each has been. Git writes them in this order; a file that was
/// written by something else may have another, and who looks a path up relies on it.
fn sorted(entries: Vec<Entry>) -> Result<(Vec<u32>, Vec<Entry>), Malformed> {
    let mut placed: Vec<(u32, Entry)> = (0..).zip(entries).collect();
    placed.sort_by(|(_, one), (_, other)| one.key().cmp(&other.key()));
    placed.dedup_by(|(_, later), (_, first)| later.key() == first.key());
    match placed.first() {
        Some((_, first)) if first.path.is_empty() => Err(Malformed::new("has an entry without a path")),
        _ => Ok(placed.into_iter().unzip()),
    }
}

/// Reads entries one after the other.
struct Entries {
    version: u32,
    format: Format,
    /// The path before, whose front the next one may share.
    previous: Vec<u8>,
    /// How many bytes the paths to come may have together.
    left: usize,
}

impl Entries {
    const fn new(version: u32, format: Format) -> Self {
        Entries { version, format, previous: Vec::new(), left: PATHS_LIMIT }
    }

    fn read(mut self, cursor: &mut Cursor<'_>, count: u32) -> Result<Vec<Entry>, Malformed> {
        // The count is only a claim: no more is set aside than the bytes can hold at 42 and a name for the shortest entry.
        let most = cursor.left() / (42 + self.format.bytes());
        let mut entries = Vec::with_capacity(most.min(usize::try_from(count).unwrap_or(most)));
        for number in 0..count {
            let entry = self.entry(cursor).map_err(|Malformed(what)| Malformed(format!("entry {number} {what}")))?;
            entries.push(entry);
        }
        Ok(entries)
    }

    fn entry(&mut self, cursor: &mut Cursor<'_>) -> Result<Entry, Malformed> {
        let before = cursor.left();
        let (stat, mode) = stat(cursor)?;
        let id = cursor.id(self.format)?;
        let flags = Flags::read(cursor)?;
        let path = self.path(cursor, flags)?;
        if self.version < 4 {
            // Each entry is filled up to a multiple of eight bytes, with the NUL after its path as the first of them.
            let used = before.saturating_sub(cursor.left());
            cursor.take(used.next_multiple_of(8).saturating_sub(used))?;
        }
        let [assume_valid, skip_worktree, intent_to_add] =
            [Flags::ASSUME_VALID, Flags::SKIP_WORKTREE, Flags::INTENT_TO_ADD].map(|flag| flags.has(flag));
        Ok(Entry { path, mode, id, stage: flags.stage(), stat, assume_valid, skip_worktree, intent_to_add })
    }

    /// Version 4 says how many bytes to take away from the end of the path before, and what comes there instead.
    fn path(&mut self, cursor: &mut Cursor<'_>, flags: Flags) -> Result<Vec<u8>, Malformed> {
        let shared = match self.version {
            4 => self.previous.len().checked_sub(cursor.length()?),
            _ => Some(0),
        };
        let shared = shared.ok_or_else(|| Malformed::new("shares more than there is of the path before"))?;
        let own = cursor.until_nul()?;
        self.left = self.allow(shared.saturating_add(own.len()), flags)?;
        self.previous.truncate(shared);
        self.previous.extend_from_slice(own);
        Ok(self.previous.clone())
    }

    /// How many bytes of paths are left after one of this length.
    fn allow(&self, length: usize, flags: Flags) -> Result<usize, Malformed> {
        if length > PATH_LIMIT {
            return Err(Malformed::new(format!("has a path of {length} bytes; up to {PATH_LIMIT} are read")));
        }
        if length.min(Flags::LENGTH) != flags.length() {
            return Err(Malformed::new("has a path of another length than it says"));
        }
        self.left.checked_sub(length).ok_or_else(|| Malformed::new(format!("is past {PATHS_LIMIT} bytes of paths")))
    }
}

/// Reads what `lstat` said, in the middle of which the mode stands.
fn stat(cursor: &mut Cursor<'_>) -> Result<(Stat, u32), Malformed> {
    let mut next = || cursor.u32();
    let (ctime, mtime) = ((next()?, next()?), (next()?, next()?));
    let (dev, ino, mode) = (next()?, next()?, next()?);
    let (uid, gid, size) = (next()?, next()?, next()?);
    Ok((Stat { ctime, mtime, dev, ino, uid, gid, size }, mode))
}

/// The two flag fields of an entry, the second above the first.
#[derive(Clone, Copy)]
struct Flags(u32);

impl Flags {
    /// The length of the path, or this where it is as long or longer.
    const LENGTH: usize = 0xfff;
    const EXTENDED: u32 = 0x4000;
    const ASSUME_VALID: u32 = 0x8000;
    const INTENT_TO_ADD: u32 = 0x2000_0000;
    const SKIP_WORKTREE: u32 = 0x4000_0000;

    /// Reads the second field wherever the first one announces it: git does so in version 2 as well.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let low = u32::from(cursor.u16()?);
        let high = if low & Self::EXTENDED == 0 { 0 } else { u32::from(cursor.u16()?) << 16 };
        match high & !(Self::INTENT_TO_ADD | Self::SKIP_WORKTREE) {
            0 => Ok(Flags(low | high)),
            unknown => Err(Malformed::new(format!("has flags that are not known: {unknown:#x}"))),
        }
    }

    const fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    /// Two bits, so that it fits.
    const fn stage(self) -> u8 {
        (self.0 >> 12 & 3) as u8
    }

    const fn length(self) -> usize {
        self.0 as usize & Self::LENGTH
    }
}

/// What stands after the entries.
#[derive(Default)]
struct Extensions {
    is_sparse: bool,
    shared: Option<Shared>,
}

impl Extensions {
    fn read(cursor: &mut Cursor<'_>, format: Format) -> Result<Self, Malformed> {
        let mut extensions = Extensions::default();
        while !cursor.is_empty() {
            let name = cursor.take(4)?;
            let size = usize::try_from(cursor.u32()?).unwrap_or(usize::MAX);
            extensions.add(name, cursor.take(size)?, format)?;
        }
        Ok(extensions)
    }

    /// A capital letter in front says that an index can be read without the extension.
    fn add(&mut self, name: &[u8], content: &[u8], format: Format) -> Result<(), Malformed> {
        match name {
            b"link" => self.shared = Shared::read(content, format)?,
            b"sdir" => self.is_sparse = true,
            [b'A'..=b'Z', ..] => {}
            _ => return Err(unknown(name)),
        }
        Ok(())
    }
}

fn unknown(extension: &[u8]) -> Malformed {
    Malformed::new(format!("needs the extension {}, which is not known", extension.escape_ascii()))
}
