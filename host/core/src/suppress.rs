//! Suppressions: what the user does not want to hear again, with the reason.

use std::collections::BTreeMap;

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
    by_fingerprint: BTreeMap<&'a str, &'a Suppression>,
    by_place: Vec<(&'a Suppression, Option<GlobMatcher>)>,
}

impl<'a> Matcher<'a> {
    /// A glob that cannot be read hides nothing.
    pub(crate) fn new(suppressions: &'a [Suppression]) -> Self {
        let mut matcher = Self { by_fingerprint: BTreeMap::new(), by_place: Vec::new() };
        for suppression in suppressions {
            match &suppression.target {
                Target::Fingerprint(print) => _ = matcher.by_fingerprint.entry(print).or_insert(suppression),
                Target::Lines { .. } => matcher.by_place.push((suppression, None)),
                Target::Files { glob, .. } => matcher.by_place.push((suppression, compile(glob))),
            }
        }
        matcher
    }

    /// The first suppression that hides a finding: by its fingerprint, by that of one merged into it, by its place.
    pub(crate) fn hides(&self, judged: &Judged) -> Option<&'a Suppression> {
        let mut prints = [&judged.fingerprint].into_iter().chain(judged.merged.iter().map(|m| &m.fingerprint));
        let by_print = prints.find_map(|print| self.by_fingerprint.get(print.as_str()).copied());
        by_print.or_else(|| self.by_place.iter().find(|(s, glob)| fits(s, glob.as_ref(), judged)).map(|&(s, _)| s))
    }
}

fn compile(glob: &str) -> Option<GlobMatcher> {
    Some(GlobBuilder::new(glob).literal_separator(true).build().ok()?.compile_matcher())
}

fn fits(suppression: &Suppression, glob: Option<&GlobMatcher>, judged: &Judged) -> bool {
    let anchor = judged.finding.anchor.as_ref();
    let named = |ids: &[String]| ids.is_empty() || ids.contains(&judged.finding.category);
    match &suppression.target {
        Target::Fingerprint(_) => false,
        Target::Lines { path, lines, categories } => {
            let here = anchor.filter(|a| a.path == *path && a.side == crate::finding::Side::New).and_then(|a| a.lines);
            here.is_some_and(|l| l.first <= lines.last && lines.first <= l.last) && named(categories)
        }
        Target::Files { categories, .. } => {
            anchor.zip(glob).is_some_and(|(a, g)| g.is_match(&a.path)) && named(categories)
        }
    }
}

/// What stands before the word in an inline suppression.
const MARK: &str = "review-loop: ignore";

/// The suppressions that stand in the comments of a file: `review-loop: ignore[category, other] reason`, or without
/// categories for all of them. One that has its line to itself holds for the next line too. One without a reason holds
/// for nothing.
#[must_use]
pub fn inline(path: &str, text: &str) -> Vec<Suppression> {
    (1u32..).zip(text.lines()).filter_map(|(number, line)| inline_of(path, number, line)).collect()
}

fn inline_of(path: &str, number: u32, line: &str) -> Option<Suppression> {
    let (before, after) = line.split_once(MARK)?;
    let (categories, reason) = match after.strip_prefix('[') {
        Some(list) => list.split_once(']')?,
        None => ("", after),
    };
    let alone = !before.chars().any(char::is_alphanumeric);
    let reason = reason.trim().trim_end_matches("-->").trim_end_matches("*/").trim_start_matches([':', '-']).trim();
    let categories = categories.split(',').map(str::trim).filter(|c| !c.is_empty()).map(str::to_owned).collect();
    let lines = Lines { first: number, last: number.saturating_add(u32::from(alone)) };
    (!reason.is_empty()).then(|| Suppression {
        target: Target::Lines { path: path.to_owned(), lines, categories },
        reason: reason.to_owned(),
        origin: format!("{path}:{number}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{anchor, judged};

    #[test]
    fn inline_comments_need_a_reason_and_may_name_categories() {
        let show = |text: &str| {
            let all = inline("a.rs", text).into_iter().map(|s| match s.target {
                Target::Lines { lines, categories, .. } => {
                    format!("{}-{} {categories:?} {}", lines.first, lines.last, s.reason)
                }
                other => format!("{other:?}"),
            });
            all.collect::<Vec<_>>().join("; ")
        };
        assert_eq!(show("x\n// review-loop: ignore[a, b] it is fine\n"), "2-3 [\"a\", \"b\"] it is fine");
        assert_eq!(show("f(); // review-loop: ignore known"), "1-1 [] known");
        assert_eq!(show("<!-- review-loop: ignore - a table -->"), "1-2 [] a table");
        assert_eq!(show("// review-loop: ignore[a]\n// review-loop: ignore\n// review-loop: ignore[a"), "");
    }

    #[test]
    fn what_a_suppression_hides() {
        let mut found = judged("a claim");
        found.fingerprint = "f1".to_owned();
        found.finding.anchor = Some(anchor("src/a/b.rs", Some(7), None));
        let hides = |target: Target| {
            let all = [Suppression { target, reason: String::new(), origin: String::new() }];
            Matcher::new(&all).hides(&found).is_some()
        };
        let files =
            |glob: &str, category: &str| Target::Files { glob: glob.to_owned(), categories: vec![category.to_owned()] };
        let lines = |first, last| Target::Lines {
            path: "src/a/b.rs".to_owned(),
            lines: Lines { first, last },
            categories: Vec::new(),
        };
        assert!(hides(Target::Fingerprint("f1".to_owned())));
        assert!(!hides(Target::Fingerprint("f2".to_owned())));
        assert!(hides(files("src/**", "edge-case")));
        assert!(!hides(files("src/*.rs", "edge-case")));
        assert!(!hides(files("src/**", "naming")));
        assert!(!hides(files("[", "edge-case")));
        assert!(hides(lines(7, 8)));
        assert!(!hides(lines(8, 9)));
    }
}
