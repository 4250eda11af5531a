//! References: names that stand for objects. They are kept as files or as reftables; both are read here.

mod files;
pub mod reftable;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::Error;
use crate::files::Folder;
use crate::id::{Format, Id};

/// What a reference stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An object.
    Id(Id),
    /// Another reference, by its full name.
    Symbolic(Vec<u8>),
}

/// The references of a repository, those of one working tree among them.
#[derive(Debug)]
pub struct Refs {
    format: Format,
    /// Of this working tree: `HEAD` and what else is its own.
    own: Arc<Folder>,
    /// Of all working trees.
    common: Arc<Folder>,
    store: Store,
}

#[derive(Debug)]
enum Store {
    Files(files::Packed),
    Tables { own: files::Table, common: files::Table },
}

/// References to references that are followed, as in git.
const DEEPEST: usize = 5;
/// References that are listed at most.
const MOST: usize = 1_000_000;

impl Refs {
    /// The references in these folders; `tables` where the repository keeps reftables.
    ///
    /// # Errors
    /// What they are kept in is broken or too large.
    pub fn open(format: Format, own: Arc<Folder>, common: Arc<Folder>, tables: bool) -> Result<Self, Error> {
        let store = if tables {
            Store::Tables { own: files::tables(&own, format, MOST)?, common: files::tables(&common, format, MOST)? }
        } else {
            Store::Files(files::packed(&common)?)
        };
        Ok(Refs { format, own, common, store })
    }

    /// What a reference stands for, by its full name; none where there is none.
    ///
    /// # Errors
    /// It is there and broken.
    pub fn find(&self, name: &[u8]) -> Result<Option<Target>, Error> {
        if !is_name(name) {
            return Ok(None);
        }
        let own = is_of_one_worktree(name);
        match &self.store {
            Store::Tables { own: table, .. } if own => Ok(table.get(name).cloned()),
            Store::Tables { common, .. } => Ok(common.get(name).cloned()),
            Store::Files(packed) => {
                let folder = if own { &self.own } else { &self.common };
                let loose = files::loose(folder, name)?;
                Ok(loose.or_else(|| packed.get(name).copied().map(Target::Id)))
            }
        }
    }

    /// The object that a reference leads to in the end, and the last name on the way; none where there is none, or where
    /// the last one is not there.
    ///
    /// # Errors
    /// One of them is broken, or they lead in a circle.
    pub fn follow(&self, name: &[u8]) -> Result<(Vec<u8>, Option<Id>), Error> {
        let mut name = name.to_vec();
        for _ in 0..=DEEPEST {
            match self.find(&name)? {
                None => return Ok((name, None)),
                Some(Target::Id(id)) => return Ok((name, Some(id))),
                Some(Target::Symbolic(next)) => name = next,
            }
        }
        let what = format!("reference {}", String::from_utf8_lossy(&name));
        Err(Error::Broken { what, reason: "it leads to itself, or through too many others".to_owned() })
    }

    /// The full names of all references below `refs/`, at most `most` of them, in order.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn names(&self, most: usize) -> Result<BTreeSet<Vec<u8>>, Error> {
        match &self.store {
            Store::Tables { common, .. } => {
                Ok(common.keys().filter(|name| name.starts_with(b"refs/")).take(most).cloned().collect())
            }
            Store::Files(packed) => {
                let mut names: BTreeSet<Vec<u8>> = packed.keys().take(most).cloned().collect();
                files::names(&self.common, most, &mut names)?;
                Ok(names)
            }
        }
    }

    /// Which hash names the objects.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }
}

/// Whether a name can be one of a reference: git's `check-ref-format`, as far as it matters for reading.
#[must_use]
pub fn is_name(name: &[u8]) -> bool {
    let plain = |part: &[u8]| !part.is_empty() && !part.starts_with(b".") && !part.ends_with(b".lock");
    let odd = |byte: u8| byte < 0x20 || b" ~^:?*[\\\x7f".contains(&byte);
    name.len() <= 4096
        && !name.iter().any(|&byte| odd(byte))
        && !name.windows(2).any(|pair| pair == b".." || pair == b"@{")
        && name.split(|&byte| byte == b'/').all(plain)
}

/// `HEAD` and its like, and the few folders that each working tree has for itself.
fn is_of_one_worktree(name: &[u8]) -> bool {
    let own = [&b"refs/bisect/"[..], b"refs/worktree/", b"refs/rewritten/"];
    !name.starts_with(b"refs/") || own.iter().any(|folder| name.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_looked_for() {
        let check = |name: &str, expected: bool| assert_eq!(is_name(name.as_bytes()), expected, "{name}");
        check("HEAD", true);
        check("refs/heads/größe/x", true);
        check("refs/heads/a.b", true);
        check("refs/heads/../x", false);
        check("refs/heads/.x", false);
        check("/etc/passwd", false);
        check("refs//x", false);
        check("refs/heads/x.lock", false);
        check("a\nb", false);
        check("", false);
        check("x@{1}", false);
    }
}
