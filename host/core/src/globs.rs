//! The globs of an ignore list, all matched at once: names and paths without wildcards by a look-up, the others by one
//! automaton.

use std::collections::BTreeSet;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// No more globs with wildcards are taken: each is a part of an automaton that is built at every run.
const MAX_WILD: usize = 2_000;

/// A glob that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("ignore glob `{}`: {reason}", .glob.escape_debug())]
pub struct BadGlob {
    /// As it was given.
    pub glob: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Globs as in a `.gitignore`: without a `/` they match at any depth, a folder stands for all that is in it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Globs {
    /// Parts of a path, at any depth.
    names: BTreeSet<String>,
    /// Paths from the root.
    paths: BTreeSet<String>,
    wild: GlobSet,
}

impl Globs {
    /// # Errors
    /// [`BadGlob`] names the first one that cannot be read, or that is one too many.
    pub(crate) fn new(globs: &[String]) -> Result<Self, BadGlob> {
        let (mut made, mut wild) = (Self::default(), GlobSetBuilder::new());
        let many = globs.iter().filter(|glob| is_wild(bare(glob))).count();
        let mut taken = 0;
        for glob in globs {
            let bad = |reason: String| BadGlob { glob: glob.clone(), reason };
            if !is_wild(bare(glob)) {
                made.add_plain(bare(glob));
                continue;
            }
            taken += 1;
            if taken > MAX_WILD {
                return Err(bad(format!(
                    "of the {many} globs with wildcards at most {MAX_WILD} are taken; there may be any number without"
                )));
            }
            let anywhere = anchored(bare(glob));
            for pattern in [anywhere.clone(), format!("{anywhere}/**")] {
                wild.add(parsed(&pattern).map_err(|error| bad(error.kind().to_string()))?);
            }
        }
        made.wild = wild.build().map_err(|error| BadGlob {
            glob: error.glob().unwrap_or_default().to_owned(),
            reason: error.kind().to_string(),
        })?;
        Ok(made)
    }

    /// Whether any of them matches. The time does not depend on how many have no wildcards.
    pub(crate) fn match_path(&self, path: &str) -> bool {
        let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        path.split('/').any(|part| self.names.contains(part))
            || folders.chain([path]).any(|start| self.paths.contains(start))
            || self.wild.is_match(path)
    }

    fn add_plain(&mut self, glob: &str) {
        match glob.strip_prefix('/') {
            Some(path) => self.paths.insert(path.to_owned()),
            None if glob.contains('/') => self.paths.insert(glob.to_owned()),
            None => self.names.insert(glob.to_owned()),
        };
    }
}

fn bare(glob: &str) -> &str {
    glob.trim_end_matches('/')
}

fn is_wild(glob: &str) -> bool {
    glob.is_empty() || glob.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// A pattern without a `/` holds at any depth; one with a `/` starts at the root.
pub(crate) fn anchored(pattern: &str) -> String {
    match pattern.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if pattern.contains('/') => pattern.to_owned(),
        None => format!("**/{pattern}"),
    }
}

/// A glob in which `*` does not cross a `/`.
pub(crate) fn parsed(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern).literal_separator(true).build()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn many_globs_are_taken_where_they_have_no_wildcards_and_refused_by_number_where_they_have() {
        let plain: Vec<String> = (0..20_000).map(|n| format!("folder/{n}/")).collect();
        let globs = Globs::new(&plain).unwrap();
        assert!(globs.match_path("folder/19999/a.rs") && !globs.match_path("folder/20000/a.rs"));
        let wild: Vec<String> = (0..30_000).map(|n| format!("folder/{n}-*.rs")).collect();
        assert_eq!(
            Globs::new(&wild).unwrap_err().to_string(),
            "ignore glob `folder/2000-*.rs`: of the 30000 globs with wildcards at most 2000 are taken; there may be any \
             number without"
        );
        let few = Globs::new(&wild[..20]).unwrap();
        assert!(few.match_path("folder/19-a.rs") && !few.match_path("folder/20-a.rs"));
    }

    #[test]
    fn an_error_is_one_line() {
        let error = Globs::new(&["[a\n::error::b".to_owned()]).unwrap_err().to_string();
        assert!(!error.contains('\n') && error.starts_with(r"ignore glob `[a\n::error::b`: "), "{error}");
    }

    proptest! {
        #[test]
        fn a_look_up_says_what_the_glob_would(glob in "/?[ab]{1,2}(/[ab.]{1,2}){0,2}/{0,2}", path in "[ab.]{1,2}(/[ab.]{1,2}){0,3}") {
            let matches = |pattern: &str| parsed(pattern).unwrap().compile_matcher().is_match(&path);
            let anywhere = anchored(bare(&glob));
            let expected = matches(&anywhere) || matches(&format!("{anywhere}/**"));
            prop_assert_eq!(Globs::new(&[glob]).unwrap().match_path(&path), expected);
        }
    }
}
