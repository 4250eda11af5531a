//! Suppressions: what the user does not want to hear again, with the reason.

use globset::{GlobBuilder, GlobMatcher};

use crate::finding::Lines;
use crate::outcome::Judged;

/// One suppression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// What it hides.
    pub target: Target,
    /// Why, in the user's words. May be empty for a baseline.
    pub reason: String,
    /// Where it is written, in words: `src/a.rs:12`, `baseline main`, `.review-loop-ignore:3`.
    pub origin: String,
}

/// What a suppression hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The finding of this fingerprint, alone or merged into another.
    Fingerprint(String),
    /// Findings of these categories (all, where empty) whose lines touch these, after the change.
    Lines {
        /// From the repository's root.
        path: String,
        /// Which lines.
        lines: Lines,
        /// Category ids.
        categories: Vec<String>,
    },
    /// Findings of these categories (all, where empty) in files that the glob names.
    Files {
        /// As in an ignore file: `*` does not cross `/`.
        glob: String,
        /// Category ids.
        categories: Vec<String>,
    },
}

/// Suppressions made ready for many findings.
pub(crate) struct Matcher<'a> {
    all: Vec<(&'a Suppression, Option<GlobMatcher>)>,
}

impl<'a> Matcher<'a> {
    /// A glob that cannot be read hides nothing.
    pub(crate) fn new(suppressions: &'a [Suppression]) -> Self {
        let glob = |s: &Suppression| match &s.target {
            Target::Files { glob, .. } => Some(
                GlobBuilder::new(glob)
                    .literal_separator(true)
                    .build()
                    .ok()?
                    .compile_matcher(),
            ),
            _ => None,
        };
        Self {
            all: suppressions.iter().map(|s| (s, glob(s))).collect(),
        }
    }

    /// The first suppression that hides a finding.
    pub(crate) fn hides(&self, judged: &Judged) -> Option<&'a Suppression> {
        self.all
            .iter()
            .find(|(s, glob)| fits(s, glob.as_ref(), judged))
            .map(|&(s, _)| s)
    }
}

fn fits(suppression: &Suppression, glob: Option<&GlobMatcher>, judged: &Judged) -> bool {
    let anchor = judged.finding.anchor.as_ref();
    let named = |ids: &[String]| ids.is_empty() || ids.contains(&judged.finding.category);
    match &suppression.target {
        Target::Fingerprint(print) => {
            *print == judged.fingerprint || judged.merged.iter().any(|m| m.fingerprint == *print)
        }
        Target::Lines {
            path,
            lines,
            categories,
        } => {
            let here = anchor
                .filter(|a| a.path == *path && a.side == crate::finding::Side::New)
                .and_then(|a| a.lines);
            here.is_some_and(|l| l.first <= lines.last && lines.first <= l.last) && named(categories)
        }
        Target::Files { categories, .. } => {
            anchor.zip(glob).is_some_and(|(a, g)| g.is_match(&a.path)) && named(categories)
        }
    }
}
