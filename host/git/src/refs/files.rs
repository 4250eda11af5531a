//! Where references lie: a file for each, `packed-refs` for many, or a stack of reftables.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::reftable::{self, Value};
use super::{Target, is_name};
use crate::error::{Error, Malformed};
use crate::files::{Folder, Kind};
use crate::id::{Format, Id};

/// References of `packed-refs`.
pub(super) type Packed = BTreeMap<Vec<u8>, Id>;
/// References of a stack of reftables.
pub(super) type Table = BTreeMap<Vec<u8>, Target>;

/// Bytes of a file of one reference. Git reads no more of it either.
const MOST_OF_LOOSE: u64 = 64 << 10;
/// Bytes of `packed-refs` and of one reftable.
const MOST_OF_PACKED: u64 = 256 << 20;
/// Folders in folders.
const DEEPEST: usize = 64;

/// A reference in a file of its own.
pub(super) fn loose(folder: &Folder, name: &[u8]) -> Result<Option<Target>, Error> {
    let path = Path::new(OsStr::from_bytes(name));
    // Git once kept HEAD as a link to the file of its branch.
    if let Some(link) = folder.link(path)
        && link.starts_with("refs")
    {
        let target = link.as_os_str().as_bytes().to_vec();
        return Ok(is_name(&target).then_some(Target::Symbolic(target)));
    }
    if folder.kind(path) == Some(Kind::Folder) {
        return Ok(None);
    }
    let Some(content) = folder.read(path, MOST_OF_LOOSE)? else { return Ok(None) };
    let broken = || Error::broken(format!("reference {}", String::from_utf8_lossy(name)));
    parse_loose(&content).map(Some).map_err(broken())
}

fn parse_loose(content: &[u8]) -> Result<Target, Malformed> {
    if let Some(rest) = content.strip_prefix(b"ref:") {
        return Ok(Target::Symbolic(rest.trim_ascii().to_vec()));
    }
    let hex = content.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    Id::from_hex(hex).map(Target::Id).ok_or_else(|| Malformed::new("it names neither an object nor a reference"))
}

/// All references of `packed-refs`.
pub(super) fn packed(folder: &Folder) -> Result<Packed, Error> {
    let content = folder.read("packed-refs", MOST_OF_PACKED)?.unwrap_or_default();
    let lines = content.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b"#") && !line.starts_with(b"^"));
    let reference = |line: &[u8]| {
        let at = line.iter().position(|&byte| byte == b' ')?;
        let (id, name) = (Id::from_hex(line.get(..at)?)?, line.get(at + 1..)?);
        is_name(name).then(|| (name.to_vec(), id))
    };
    Ok(lines.filter_map(reference).collect())
}

/// Adds the names of all references that have a file of their own.
pub(super) fn names(folder: &Folder, most: usize, names: &mut BTreeSet<Vec<u8>>) -> Result<(), Error> {
    let mut folders = vec![b"refs".to_vec()];
    while let Some(at) = folders.pop() {
        if at.iter().filter(|&&byte| byte == b'/').count() > DEEPEST {
            continue;
        }
        for (name, kind) in folder.list(OsStr::from_bytes(&at), most)? {
            let path = [&at[..], b"/", &name].concat();
            match kind {
                Kind::Folder => folders.push(path),
                _ if names.len() < most && is_name(&path) => drop(names.insert(path)),
                _ => {}
            }
        }
    }
    Ok(())
}

/// All references of a stack of reftables, the later tables over the earlier ones.
pub(super) fn tables(folder: &Folder, format: Format, most: usize) -> Result<Table, Error> {
    let list = folder.read("reftable/tables.list", MOST_OF_LOOSE)?.unwrap_or_default();
    let mut table = Table::new();
    for name in list.split(|&byte| byte == b'\n').filter(|name| !name.is_empty()) {
        let path = Path::new("reftable").join(OsStr::from_bytes(name));
        let what = path.display().to_string();
        let content = folder.read(&path, MOST_OF_PACKED)?;
        let content = content.ok_or_else(|| Error::broken(what.clone())(Malformed::new("it is gone; run again")))?;
        for (name, value) in reftable::read(&content, format, most).map_err(Error::broken(what))? {
            put(&mut table, name, value);
        }
    }
    Ok(table)
}

fn put(table: &mut Table, name: Vec<u8>, value: Value) {
    let target = match value {
        Value::Deleted => {
            table.remove(&name);
            return;
        }
        Value::Id(id) | Value::Tag { id, .. } => Target::Id(id),
        Value::Symbolic(target) => Target::Symbolic(target),
    };
    table.insert(name, target);
}
