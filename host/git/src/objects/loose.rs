//! Objects in files of their own, `ab/cdef…`: a zlib stream of `blob 12`, a zero byte and the content.

use std::collections::BTreeSet;

use super::inflate::Stream;
use super::{Header, Kind, Object, too_large};
use crate::error::{Error, Malformed};
use crate::files::{File, Folder};
use crate::id::Id;

/// Bytes of the longest head: a kind, a size of 20 digits, a blank and a zero.
const LONGEST_HEAD: usize = 32;

pub(super) fn header(folder: &Folder, id: Id) -> Result<Option<Header>, Error> {
    let Some(file) = open(folder, id)? else { return Ok(None) };
    let mut start = [0; LONGEST_HEAD];
    let read = Stream::at(&file, 0).read(&mut start)?;
    head(&start, read, &file).map(|(header, _)| Some(header))
}

pub(super) fn read(folder: &Folder, id: Id, most: u64) -> Result<Option<Object>, Error> {
    let Some(file) = open(folder, id)? else { return Ok(None) };
    let mut start = [0; LONGEST_HEAD];
    let read = Stream::at(&file, 0).read(&mut start)?;
    let (header, length) = head(&start, read, &file)?;
    if header.size > most {
        return Err(too_large(id, header.size, most));
    }
    let mut whole = Stream::at(&file, 0).whole(header.size + length as u64)?;
    whole.drain(..length.min(whole.len()));
    Ok(Some(Object { kind: header.kind, content: whole.into() }))
}

/// Names of objects that begin with these hex digits, at least two of them.
pub(super) fn with_prefix(folder: &Folder, digits: &str, most: usize, found: &mut BTreeSet<Id>) -> Result<(), Error> {
    let Some((first, rest)) = digits.split_at_checked(2) else { return Ok(()) };
    for (name, _) in folder.list(first, 1_000_000)? {
        if found.len() < most && name.starts_with(rest.as_bytes()) {
            found.extend(Id::from_hex(&[first.as_bytes(), &name].concat()));
        }
    }
    Ok(())
}

fn open(folder: &Folder, id: Id) -> Result<Option<File>, Error> {
    let hex = id.to_string();
    let (first, rest) = hex.split_at(2);
    folder.file(format!("{first}/{rest}"))
}

/// What the head says, and its length with the zero.
fn head(start: &[u8], read: usize, file: &File) -> Result<(Header, usize), Error> {
    let start = start.get(..read).unwrap_or_default();
    let parsed = || {
        let end = start.iter().position(|&byte| byte == 0)?;
        let mut words = start.get(..end)?.splitn(2, |&byte| byte == b' ');
        let (kind, size) = (Kind::of(words.next()?)?, std::str::from_utf8(words.next()?).ok()?.parse().ok()?);
        Some((Header { kind, size }, end + 1))
    };
    let broken = || Error::broken(file.place().display().to_string())(Malformed::new("its head is none of an object"));
    parsed().ok_or_else(broken)
}
