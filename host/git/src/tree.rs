//! What a tree object holds.

use crate::error::{Error, Malformed};
use crate::id::{Format, Id};
use crate::objects::{Database, Kind};

/// One name of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The mode as it is stored, whatever it is.
    pub mode: u32,
    /// The name, any bytes but a zero.
    pub name: Vec<u8>,
    /// What it stands for.
    pub id: Id,
}

/// Bytes of one tree: some 700,000 names.
const MOST_OF_TREE: u64 = 32 << 20;

/// The entries of a tree, in the order in which they are stored.
///
/// # Errors
/// It is missing, broken, too large, or no tree.
pub fn entries(objects: &Database, id: Id) -> Result<Vec<Entry>, Error> {
    // Git knows this one without its being there.
    if id == Id::of(objects.format(), "tree", b"") {
        return Ok(Vec::new());
    }
    let content = objects.read_as(id, Kind::Tree, MOST_OF_TREE)?;
    parse(&content, objects.format()).map_err(Error::broken(format!("tree {id}")))
}

fn parse(mut content: &[u8], format: Format) -> Result<Vec<Entry>, Malformed> {
    let mut entries = Vec::new();
    while !content.is_empty() {
        let (entry, rest) = entry(content, format).ok_or_else(|| Malformed::new("an entry that is cut off"))?;
        entries.push(entry);
        content = rest;
    }
    Ok(entries)
}

/// `100644 name\0` and the bytes of the object's name.
fn entry(content: &[u8], format: Format) -> Option<(Entry, &[u8])> {
    let blank = content.iter().position(|&byte| byte == b' ')?;
    let mode = octal(content.get(..blank)?)?;
    let rest = content.get(blank + 1..)?;
    let zero = rest.iter().position(|&byte| byte == 0)?;
    let name = rest.get(..zero)?.to_vec();
    let (id, rest) = rest.get(zero + 1..)?.split_at_checked(format.bytes())?;
    Some((Entry { mode, name, id: Id::from_bytes(format, id)? }, rest))
}

fn octal(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |mode, &digit| match digit {
        b'0'..=b'7' => Some(mode.checked_mul(8)? + u32::from(digit - b'0')),
        _ => None,
    })
}
