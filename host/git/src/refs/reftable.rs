//! References in tables (git's technical document "reftable"): one file of the stack that `reftable/tables.list` names.
//!
//! Bytes go in and values come out. Which files make the stack, and which of two tables wins, is the caller's to know.

use crate::cursor::Cursor;
use crate::error::Malformed;
use crate::id::{Format, Id};

/// Bytes of the longest name, and of the longest target of a symbolic reference, that is read: `PATH_MAX` of Linux, which
/// also bounds references that are files.
const NAME_LIMIT: usize = 4096;

/// Bytes of all names together. Names share their fronts, so that a small file could ask for a thousand times its size.
const NAMES_LIMIT: usize = 256 << 20;

/// What a table says of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// It is gone, whatever the tables before say.
    Deleted,
    /// It names an object.
    Id(Id),
    /// It names an annotated tag.
    Tag {
        /// The tag.
        id: Id,
        /// What is left when it is peeled: the first object that is not a tag.
        peeled: Id,
    },
    /// It names another reference (`ref: refs/heads/main` in a file).
    Symbolic(Vec<u8>),
}

/// All references of a table, by name (as bytes), each once. Tables of version 1 are of SHA-1, those of version 2 say which
/// hash they are of. Logs, and the blocks that only help to find a reference, are passed over.
///
/// # Errors
///
/// The bytes are not a table of this format, or have more than `most` references.
pub fn read(bytes: &[u8], format: Format, most: usize) -> Result<Vec<(Vec<u8>, Value)>, Malformed> {
    let table = Table::new(bytes, format)?;
    let mut names = Names { found: Vec::new(), format, most, left: NAMES_LIMIT };
    let mut start = 0;
    while let Some(block) = table.block(start)? {
        names.block(block.records)?;
        start = block.end;
    }
    Ok(names.found)
}

/// The part of a table that may have references.
struct Table<'a> {
    /// From the start of the file to where the first other part begins.
    bytes: &'a [u8],
    /// Bytes of the file's header, which is a part of the first block.
    header: usize,
    /// What blocks are filled up to, in bytes; 0 where they follow each other without a gap.
    block_size: usize,
}

/// A block of references.
struct Block<'a> {
    records: &'a [u8],
    /// Where the next block starts.
    end: usize,
}

impl<'a> Table<'a> {
    fn new(bytes: &'a [u8], format: Format) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let block_size = header(&mut cursor, format)?;
        let header = bytes.len().saturating_sub(cursor.left());
        let end = cursor.left().checked_sub(header + FOOTER).and_then(|blocks| header.checked_add(blocks));
        let (blocks, footer) = end.and_then(|end| bytes.split_at_checked(end)).ok_or_else(too_short)?;
        let end = section_end(footer, header, bytes)?.unwrap_or(blocks.len());
        let bytes = blocks.get(..end).ok_or_else(|| Malformed::new("points at parts that it has not"))?;
        Ok(Table { bytes, header, block_size })
    }

    /// The block that starts there; none where no reference follows.
    fn block(&self, start: usize) -> Result<Option<Block<'a>>, Malformed> {
        let skipped = if start == 0 { self.header } else { 0 };
        let Some(rest) = self.bytes.get(start..).filter(|rest| rest.len() > skipped) else { return Ok(None) };
        let mut cursor = Cursor::new(rest);
        cursor.take(skipped)?;
        match cursor.u8()? {
            b'r' => {}
            b'g' | b'i' | b'o' => return Ok(None),
            kind => return Err(Malformed::new(format!("has a block of the unknown kind {kind:#04x}"))),
        }
        let length = usize::try_from(cursor.u24()?).unwrap_or(usize::MAX);
        let block = rest.get(..length).ok_or_else(too_short)?;
        let records = block.get(skipped + 4..).and_then(without_restarts).ok_or_else(too_short)?;
        Ok(Some(Block { records, end: self.after(start, length) }))
    }

    /// Where the block after this one starts. Git leaves out what would fill up a block when the next one is not aligned, so
    /// that only a zero says that there is something to pass over.
    fn after(&self, start: usize, length: usize) -> usize {
        let end = start.saturating_add(length);
        match self.bytes.get(end) {
            Some(0) if length < self.block_size => start.saturating_add(self.block_size),
            _ => end,
        }
    }
}

/// Bytes of a footer after its copy of the header: five positions and a check sum.
const FOOTER: usize = 5 * 8 + 4;

/// Reads the header and hands out what blocks are filled up to.
fn header(cursor: &mut Cursor<'_>, format: Format) -> Result<usize, Malformed> {
    if cursor.take(4)? != b"REFT" {
        return Err(Malformed::new("is not a table of references"));
    }
    let version = cursor.u8()?;
    let block_size = usize::try_from(cursor.u24()?).unwrap_or(usize::MAX);
    let (_first_update, _last_update) = (cursor.u64()?, cursor.u64()?);
    let hash: &[u8] = match version {
        1 => b"sha1",
        2 => cursor.take(4)?,
        _ => return Err(Malformed::new(format!("is a table of version {version}; 1 and 2 are read"))),
    };
    match (hash, format) {
        (b"sha1", Format::Sha1) | (b"s256", Format::Sha256) => Ok(block_size),
        _ => Err(Malformed::new(format!("has the hash {}, unlike its repository", hash.escape_ascii()))),
    }
}

/// Where the references end, by the footer: where the first of the other parts begins; none where there is no other part.
fn section_end(footer: &[u8], header: usize, bytes: &[u8]) -> Result<Option<usize>, Malformed> {
    let mut cursor = Cursor::new(footer);
    if bytes.get(..header) != Some(cursor.take(header)?) {
        return Err(Malformed::new("has a footer that is not its header's"));
    }
    let (ref_index, objects) = (cursor.u64()?, cursor.u64()?);
    let (_object_index, logs) = (cursor.u64()?, cursor.u64()?);
    // The lowest five bits of this position are how many bytes of an object's name its part goes by.
    let first = [ref_index, objects >> 5, logs].into_iter().filter(|position| *position != 0).min();
    match first.map(|position| usize::try_from(position).unwrap_or(usize::MAX)) {
        Some(inside) if inside < header => Err(Malformed::new("points at a part inside of its header")),
        end => Ok(end),
    }
}

/// What is left of a block without the positions at its end, which are for who looks for one name in it, and their number.
fn without_restarts(block: &[u8]) -> Option<&[u8]> {
    let (rest, count) = block.split_last_chunk()?;
    let restarts = usize::from(u16::from_be_bytes(*count)) * 3;
    rest.get(..rest.len().checked_sub(restarts)?)
}

/// What was found so far.
struct Names {
    found: Vec<(Vec<u8>, Value)>,
    format: Format,
    most: usize,
    /// How many bytes the names to come may have together.
    left: usize,
}

impl Names {
    /// Reads the records of a block, the first of which shares nothing with the block before.
    fn block(&mut self, records: &[u8]) -> Result<(), Malformed> {
        let mut cursor = Cursor::new(records);
        let mut name = Vec::new();
        while !cursor.is_empty() {
            let kind = next_name(&mut cursor, &mut name)?;
            let _update = cursor.varint()?;
            let value = value(&mut cursor, kind, self.format)?;
            self.push(&name, value)?;
        }
        Ok(())
    }

    /// Names have to come in order: who merges tables, or looks a name up, relies on it.
    fn push(&mut self, name: &[u8], value: Value) -> Result<(), Malformed> {
        if self.found.len() >= self.most {
            return Err(Malformed::new(format!("has more than {} references", self.most)));
        }
        if self.found.last().map_or(&[][..], |(last, _)| last) >= name {
            return Err(Malformed::new("has names that are not in order"));
        }
        let left = self.left.checked_sub(name.len());
        self.left = left.ok_or_else(|| Malformed::new(format!("has names of more than {NAMES_LIMIT} bytes")))?;
        self.found.push((name.to_vec(), value));
        Ok(())
    }
}

/// Turns the name before into the next one and hands out what kind of value follows.
fn next_name(cursor: &mut Cursor<'_>, name: &mut Vec<u8>) -> Result<u64, Malformed> {
    let shared = cursor.length()?;
    let own = cursor.varint()?;
    let suffix = cursor.take(usize::try_from(own >> 3).map_err(|_| too_short())?)?;
    if shared > name.len() {
        return Err(Malformed::new("has a name that shares more than there is of the one before"));
    }
    bounded(shared.saturating_add(suffix.len()))?;
    name.truncate(shared);
    name.extend_from_slice(suffix);
    Ok(own & 7)
}

fn value(cursor: &mut Cursor<'_>, kind: u64, format: Format) -> Result<Value, Malformed> {
    match kind {
        0 => Ok(Value::Deleted),
        1 => Ok(Value::Id(cursor.id(format)?)),
        2 => Ok(Value::Tag { id: cursor.id(format)?, peeled: cursor.id(format)? }),
        3 => {
            let length = bounded(cursor.length()?)?;
            Ok(Value::Symbolic(cursor.take(length)?.to_vec()))
        }
        _ => Err(Malformed::new(format!("has a value of the unknown kind {kind}"))),
    }
}

fn bounded(length: usize) -> Result<usize, Malformed> {
    match length {
        0..=NAME_LIMIT => Ok(length),
        _ => Err(Malformed::new(format!("has a name of {length} bytes; up to {NAME_LIMIT} are read"))),
    }
}

fn too_short() -> Malformed {
    Malformed::new("ends too early")
}

#[cfg(test)]
mod tests;
