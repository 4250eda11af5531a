//! A change that comes from no repository: of a demonstration, of a test.

use std::collections::{BTreeMap, BTreeSet};

use review_loop_core::subject::{File, Kind, Status, Subject};

use super::error::Error;
use super::{Change, Sources, hunks};

impl Change {
    /// What differs between two sets of texts by path. `scope` says in words what it is. Renames are not looked for, and
    /// no file is left out.
    ///
    /// # Errors
    /// [`Error::Compare`] where two texts could not be compared.
    pub fn between(
        scope: &str,
        old: &BTreeMap<String, String>,
        new: &BTreeMap<String, String>,
        context_lines: u32,
    ) -> Result<Self, Error> {
        let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let changed = paths.into_iter().filter(|path| old.get(*path) != new.get(*path));
        let file = |path: &String| file(path, old.get(path), new.get(path), context_lines);
        let files = changed.map(file).collect::<Result<_, _>>()?;
        let bytes = |side: &BTreeMap<String, String>| {
            side.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
        };
        Ok(Self {
            subject: Subject { scope: scope.to_owned(), files, ..Subject::empty() },
            sources: Sources::from_memory(bytes(old), bytes(new)),
            root: None,
            base: None,
            head: None,
        })
    }
}

fn file(path: &str, old: Option<&String>, new: Option<&String>, context_lines: u32) -> Result<File, Error> {
    let bytes = |text: Option<&String>| text.map(String::as_bytes).unwrap_or_default().to_vec();
    let change = hunks::compare(&bytes(old), &bytes(new), context_lines, true)
        .map_err(|reason| Error::Compare { path: path.to_owned(), reason })?;
    Ok(File {
        path: path.to_owned(),
        old_path: None,
        status: match (old, new) {
            (None, _) => Status::Added,
            (_, None) => Status::Deleted,
            _ => Status::Modified,
        },
        old_kind: old.map(|_| Kind::Regular),
        new_kind: new.map(|_| Kind::Regular),
        binary: false,
        omitted: None,
        added: change.added,
        removed: change.removed,
        size: new.or(old).map_or(0, |text| text.len() as u64),
        hunks: change.hunks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_the_change() {
        let side = |files: &[(&str, &str)]| {
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect::<BTreeMap<_, _>>()
        };
        let old = side(&[("a", "1\n2\n"), ("b", "same\n"), ("c", "gone\n")]);
        let new = side(&[("a", "1\n3\n"), ("b", "same\n"), ("d", "new\nfile\n")]);
        let change = Change::between("a test", &old, &new, 3).unwrap();
        let told = |file: &File| format!("{:?} {} +{} -{}", file.status, file.path, file.added, file.removed);
        let files: Vec<String> = change.subject.files.iter().map(told).collect();
        assert_eq!(files, ["Modified a +1 -1", "Deleted c +0 -1", "Added d +2 -0"]);
    }
}
