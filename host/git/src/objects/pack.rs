//! Packs: many objects in one file, most of them as deltas of others, with an index beside it. Format: git's
//! `gitformat-pack`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::cache::Bases;
use super::inflate::Stream;
use super::{Header, Kind, Object, delta, too_large};
use crate::error::{Error, Malformed};
use crate::files::{File, Folder};
use crate::id::{Format, Id};

/// A pack and its index. Both are opened when they are first needed.
#[derive(Debug)]
pub(super) struct Pack {
    name: String,
    /// Tells packs apart in the cache of bases.
    number: usize,
    format: Format,
    index: Index,
    data: Lazy,
}

/// A file that is opened when it is first needed.
#[derive(Debug)]
struct Lazy {
    folder: Arc<Folder>,
    name: String,
    file: OnceLock<File>,
}

/// Deltas upon deltas that are followed. Git makes at most 4,095.
const DEEPEST: usize = 10_000;
/// Bytes of an object that is only a base of what is read: a large one may have been cut down.
const MOST_OF_A_BASE: u64 = 64 << 20;
/// Bytes of the longest head of an entry: a size, and the name or place of a base.
const LONGEST_HEAD: usize = 48;

/// The packs of a folder of objects, in the order of their names.
pub(super) fn list(objects: &Folder, format: Format, most: usize) -> Result<Vec<Arc<Pack>>, Error> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let mut names: Vec<String> = objects
        .list("pack", most)?
        .into_iter()
        .filter_map(|(name, _)| String::from_utf8(name).ok()?.strip_suffix(".idx").map(str::to_owned))
        .collect();
    names.sort();
    let folder = Arc::new(objects.share()?);
    let pack = |name: String| {
        let file =
            |end| Lazy { folder: Arc::clone(&folder), name: format!("pack/{name}.{end}"), file: OnceLock::new() };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Arc::new(Pack {
            number,
            format,
            index: Index { file: file("idx"), format, fanout: OnceLock::new() },
            data: file("pack"),
            name,
        })
    };
    Ok(names.into_iter().map(pack).collect())
}

/// One entry of a pack.
struct Entry {
    what: What,
    /// Bytes of what is packed: of the object, or of the delta.
    size: u64,
    /// Where the stream begins.
    stream: u64,
}

enum What {
    Whole(Kind),
    DeltaAt(u64),
    DeltaOf(Id),
}

/// The deltas on the way to an object that is whole, each with its place, the last one to apply first; and that object.
struct Chain {
    deltas: Vec<(u64, Entry)>,
    at: u64,
    ground: Ground,
}

/// The end of a chain of deltas.
enum Ground {
    /// An entry of this pack.
    Entry(Kind, Entry),
    /// What the cache had.
    Known(Object),
    /// An object outside of the pack.
    Elsewhere(Id),
}

impl Pack {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Where an object stands in the pack.
    pub(super) fn find(&self, id: Id) -> Result<Option<u64>, Error> {
        self.index.find(id)
    }

    pub(super) fn with_prefix(&self, digits: &str, most: usize, found: &mut BTreeSet<Id>) -> Result<(), Error> {
        self.index.with_prefix(digits, most, found)
    }

    /// Kind and size of the object there. `elsewhere` knows of objects outside of the pack.
    pub(super) fn header(
        &self,
        at: u64,
        elsewhere: &dyn Fn(Id) -> Result<Option<Header>, Error>,
    ) -> Result<Header, Error> {
        let first = self.entry(at)?;
        if let What::Whole(kind) = first.what {
            return Ok(Header { kind, size: first.size });
        }
        let size = self.size_after(&first)?;
        let mut entry = first;
        for _ in 0..DEEPEST {
            let base = match entry.what {
                What::Whole(kind) => return Ok(Header { kind, size }),
                What::DeltaAt(base) => base,
                What::DeltaOf(id) => match self.find(id)? {
                    Some(base) => base,
                    None => {
                        let found = elsewhere(id)?.ok_or_else(|| self.broken("the base of a delta is missing"))?;
                        return Ok(Header { kind: found.kind, size });
                    }
                },
            };
            entry = self.entry(base)?;
        }
        Err(self.broken("deltas upon deltas without end"))
    }

    /// The object there.
    pub(super) fn read(
        &self,
        at: u64,
        most: u64,
        bases: &Bases,
        elsewhere: &dyn Fn(Id) -> Result<Option<Object>, Error>,
    ) -> Result<Object, Error> {
        let Chain { deltas, at, ground } = self.chain(at, bases)?;
        let most_of_base = if deltas.is_empty() { most } else { most.max(MOST_OF_A_BASE) };
        let mut object = self.ground((at, ground), most_of_base, bases, elsewhere)?;
        for (left, (place, entry)) in deltas.iter().enumerate().rev() {
            let most = if left == 0 { most } else { most.max(MOST_OF_A_BASE) };
            object = self.patched(&object, entry, most)?;
            bases.put(self.number, *place, &object);
        }
        Ok(object)
    }

    fn chain(&self, at: u64, bases: &Bases) -> Result<Chain, Error> {
        let (mut deltas, mut at) = (Vec::new(), at);
        while deltas.len() < DEEPEST {
            if let Some(known) = bases.get(self.number, at) {
                return Ok(Chain { deltas, at, ground: Ground::Known(known) });
            }
            let entry = self.entry(at)?;
            let base = match entry.what {
                What::Whole(kind) => return Ok(Chain { deltas, at, ground: Ground::Entry(kind, entry) }),
                What::DeltaAt(base) => Some(base),
                What::DeltaOf(id) => match self.find(id)? {
                    Some(base) => Some(base),
                    None => {
                        deltas.push((at, entry));
                        return Ok(Chain { deltas, at, ground: Ground::Elsewhere(id) });
                    }
                },
            };
            deltas.push((at, entry));
            at = base.unwrap_or_default();
        }
        Err(self.broken("deltas upon deltas without end"))
    }

    fn ground(
        &self,
        (at, ground): (u64, Ground),
        most: u64,
        bases: &Bases,
        elsewhere: &dyn Fn(Id) -> Result<Option<Object>, Error>,
    ) -> Result<Object, Error> {
        match ground {
            Ground::Known(object) if object.content.len() as u64 > most => {
                Err(self.too_large(object.content.len() as u64, most))
            }
            Ground::Known(object) => Ok(object),
            Ground::Elsewhere(id) => elsewhere(id)?.ok_or_else(|| self.broken("the base of a delta is missing")),
            Ground::Entry(kind, entry) => {
                if entry.size > most {
                    return Err(self.too_large(entry.size, most));
                }
                let content = Stream::at(self.data.open()?, entry.stream).whole(entry.size)?;
                let object = Object { kind, content: content.into() };
                bases.put(self.number, at, &object);
                Ok(object)
            }
        }
    }

    fn patched(&self, base: &Object, entry: &Entry, most: u64) -> Result<Object, Error> {
        let size = self.size_after(entry)?;
        if size > most {
            return Err(self.too_large(size, most));
        }
        // A delta is at most a little larger than what it makes, or somebody means harm.
        if entry.size > most.saturating_mul(2).saturating_add(1 << 16) {
            return Err(self.too_large(entry.size, most));
        }
        let delta = Stream::at(self.data.open()?, entry.stream).whole(entry.size)?;
        let content = delta::apply(&base.content, &delta, most).map_err(Error::broken(self.place()))?;
        Ok(Object { kind: base.kind, content: content.into() })
    }

    /// The size that a delta says it makes.
    fn size_after(&self, entry: &Entry) -> Result<u64, Error> {
        let mut start = [0; 20];
        let read = Stream::at(self.data.open()?, entry.stream).read(&mut start)?;
        let sizes = delta::sizes(start.get(..read).unwrap_or_default());
        sizes.map(|(_, size, _)| size).map_err(Error::broken(self.place()))
    }

    fn entry(&self, at: u64) -> Result<Entry, Error> {
        let mut head = [0; LONGEST_HEAD];
        let read = self.data.open()?.read_some_at(at, &mut head)?;
        let head = head.get(..read).unwrap_or_default();
        parse_entry(head, at, self.format).map_err(Error::broken(self.place()))
    }

    fn place(&self) -> String {
        self.data.folder.path().join(&self.data.name).display().to_string()
    }

    fn broken(&self, reason: &str) -> Error {
        Error::broken(self.place())(Malformed::new(reason))
    }

    fn too_large(&self, bytes: u64, most: u64) -> Error {
        let what = format!("an object of {}", self.place());
        match too_large(Id::zero(self.format), bytes, most) {
            Error::TooLarge { bytes, limit, .. } => Error::TooLarge { what, bytes, limit },
            other => other,
        }
    }
}

/// The head of an entry: three bits of kind and a size in pieces of seven bits, the first of four; then the base.
fn parse_entry(head: &[u8], at: u64, format: Format) -> Result<Entry, Malformed> {
    let cut_off = || Malformed::new("an entry that is cut off");
    let (&first, mut rest) = head.split_first().ok_or_else(cut_off)?;
    let (mut size, mut shift, mut more) = (u64::from(first & 0x0f), 4, first & 0x80 != 0);
    while more {
        let (&byte, after) = rest.split_first().ok_or_else(cut_off)?;
        size |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or_default();
        (rest, shift, more) = (after, shift + 7, byte & 0x80 != 0);
    }
    let what = match first >> 4 & 7 {
        1 => What::Whole(Kind::Commit),
        2 => What::Whole(Kind::Tree),
        3 => What::Whole(Kind::Blob),
        4 => What::Whole(Kind::Tag),
        6 => {
            let (distance, after) = distance(rest).ok_or_else(cut_off)?;
            rest = after;
            let base = at.checked_sub(distance).filter(|base| *base < at);
            What::DeltaAt(base.ok_or_else(|| Malformed::new("a delta of what comes after it"))?)
        }
        7 => {
            let (name, after) = rest.split_at_checked(format.bytes()).ok_or_else(cut_off)?;
            rest = after;
            What::DeltaOf(Id::from_bytes(format, name).ok_or_else(cut_off)?)
        }
        _ => return Err(Malformed::new("an entry of an unknown kind")),
    };
    Ok(Entry { what, size, stream: at + (head.len() - rest.len()) as u64 })
}

/// How far back a base is: pieces of seven bits, the highest first, each but the last one more than it says.
fn distance(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (&first, mut rest) = bytes.split_first()?;
    let (mut value, mut more) = (u64::from(first & 0x7f), first & 0x80 != 0);
    while more {
        let (&byte, after) = rest.split_first()?;
        value = value.checked_add(1)?.checked_mul(128)? | u64::from(byte & 0x7f);
        (rest, more) = (after, byte & 0x80 != 0);
    }
    Some((value, rest))
}

impl Lazy {
    fn open(&self) -> Result<&File, Error> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let place = self.folder.path().join(&self.name).display().to_string();
        let file = self.folder.file(&self.name)?;
        let file = file.ok_or_else(|| Error::broken(place)(Malformed::new("it is gone")))?;
        Ok(self.file.get_or_init(|| file))
    }
}

/// The index of a pack: the names of its objects, sorted, and where each stands.
#[derive(Debug)]
struct Index {
    file: Lazy,
    format: Format,
    fanout: OnceLock<Fanout>,
}

/// How many names begin with at most each first byte.
#[derive(Debug)]
struct Fanout {
    version: u8,
    counts: Vec<u32>,
}

/// The first bytes of an index of version 2; version 1 has none.
const MAGIC: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];

impl Index {
    fn find(&self, id: Id) -> Result<Option<u64>, Error> {
        let (mut low, mut high) = self.range(id.as_bytes())?;
        while low < high {
            let middle = low + (high - low) / 2;
            match self.name(middle)?.cmp(&id) {
                std::cmp::Ordering::Equal => return self.place(middle).map(Some),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    fn with_prefix(&self, digits: &str, most: usize, found: &mut BTreeSet<Id>) -> Result<(), Error> {
        let Some(first) = digits.get(..2).and_then(|pair| u8::from_str_radix(pair, 16).ok()) else { return Ok(()) };
        let (low, high) = self.range(&[first])?;
        for at in low..high {
            let id = self.name(at)?;
            if found.len() < most && id.to_string().starts_with(digits) {
                found.insert(id);
            }
        }
        Ok(())
    }

    /// The numbers of the names that share their first byte with this one.
    fn range(&self, name: &[u8]) -> Result<(u64, u64), Error> {
        let fanout = self.fanout()?;
        let first = name.first().copied().unwrap_or_default();
        let count = |at: Option<usize>| at.and_then(|at| fanout.counts.get(at)).copied().unwrap_or_default();
        let (low, high) = (count(usize::from(first).checked_sub(1)), count(Some(usize::from(first))));
        Ok((u64::from(low), u64::from(high)))
    }

    fn fanout(&self) -> Result<&Fanout, Error> {
        if let Some(fanout) = self.fanout.get() {
            return Ok(fanout);
        }
        let mut start = [0; 8 + 1024];
        let read = self.file.open()?.read_some_at(0, &mut start)?;
        let start = start.get(..read).unwrap_or_default();
        let (version, table) = match start.strip_prefix(&MAGIC) {
            Some(rest) => (2, rest.get(..1024)),
            None => (1, start.get(..1024)),
        };
        let table = table.ok_or_else(|| self.broken("it is cut off"))?;
        let counts: Vec<u32> = table.chunks_exact(4).map(number).collect();
        if !counts.is_sorted() {
            return Err(self.broken("its table is not sorted"));
        }
        Ok(self.fanout.get_or_init(|| Fanout { version, counts }))
    }

    fn name(&self, at: u64) -> Result<Id, Error> {
        let width = self.format.bytes() as u64;
        let start = if self.fanout()?.version == 2 { 8 + 1024 + at * width } else { 1024 + at * (4 + width) + 4 };
        let mut name = [0; 32];
        let name = name.get_mut(..self.format.bytes()).unwrap_or_default();
        self.file.open()?.read_at(start, name)?;
        Id::from_bytes(self.format, name).ok_or_else(|| self.broken("a name that is none"))
    }

    /// Where the object of a number stands in the pack.
    fn place(&self, at: u64) -> Result<u64, Error> {
        let fanout = self.fanout()?;
        let width = self.format.bytes() as u64;
        if fanout.version == 1 {
            return self.number_at(1024 + at * (4 + width)).map(u64::from);
        }
        let count = u64::from(fanout.counts.last().copied().unwrap_or_default());
        let places = 8 + 1024 + count * (width + 4);
        let small = self.number_at(places + at * 4)?;
        if small & 0x8000_0000 == 0 {
            return Ok(u64::from(small));
        }
        let large = places + count * 4 + u64::from(small & 0x7fff_ffff) * 8;
        let (high, low) = (self.number_at(large)?, self.number_at(large + 4)?);
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    fn number_at(&self, at: u64) -> Result<u32, Error> {
        let mut bytes = [0; 4];
        self.file.open()?.read_at(at, &mut bytes)?;
        Ok(number(&bytes))
    }

    fn broken(&self, reason: &str) -> Error {
        let place = self.file.folder.path().join(&self.file.name);
        Error::broken(place.display().to_string())(Malformed::new(reason))
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |value, &byte| value << 8 | u32::from(byte))
}
