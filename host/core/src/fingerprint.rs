//! The name of a finding that outlives moved lines, renamed files, reindentation and other words for the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::text;

/// What a fingerprint is made of.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// Which lens.
    pub lens: &'a str,
    /// Its category.
    pub category: &'a str,
    /// The path, before a rename where there was one. Empty for a finding without a place.
    pub path: &'a str,
    /// The anchored lines with their neighbours, white space removed. Empty where no lines are known.
    pub around: &'a str,
    /// The claim: read only where no lines are known.
    pub claim: &'a str,
}

/// The fingerprint: 32 hex digits. It is a hash: what it was made of cannot be read back from it.
#[must_use]
pub fn of(parts: &Parts<'_>) -> String {
    let what = if parts.around.is_empty() { claim_key(parts.claim) } else { parts.around.to_owned() };
    hash(&["1", parts.lens, parts.category, parts.path, &what])
}

/// Tells findings apart that stand at one place in one category of one lens and are not the same: each gets the
/// names that it alone mentions into its fingerprint, and its words where it has none. Which others there are is
/// part of that, so a suppression of one does not hide the next that comes to stand beside it.
pub fn tell_apart<T>(findings: &mut [T], parts: impl Fn(&T) -> (String, String), mut set: impl FnMut(&mut T, String)) {
    let all: Vec<(String, String)> = findings.iter().map(parts).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| all[a].cmp(&all[b]));
    for group in order.chunk_by(|&a, &b| all[a].0 == all[b].0).filter(|g| g.len() > 1) {
        let names: Vec<BTreeSet<String>> = group.iter().map(|&i| text::names(&all[i].1)).collect();
        let mut told = BTreeMap::<&str, usize>::new();
        names.iter().flatten().for_each(|name| *told.entry(name).or_default() += 1);
        let mut used = BTreeMap::<String, u64>::new();
        for (&i, names) in group.iter().zip(&names) {
            let (common, claim) = &all[i];
            let own: Vec<&str> = names.iter().map(String::as_str).filter(|n| told.get(n) == Some(&1)).collect();
            let own = if own.is_empty() { claim_key(claim) } else { own.join(" ") };
            let before = used.entry(own.clone()).or_default();
            set(&mut findings[i], hash(&[common, &own, &before.to_string()]));
            *before += 1;
        }
    }
}

/// The words of a claim as a set, so that their order does not matter.
fn claim_key(claim: &str) -> String {
    let words: BTreeSet<String> = text::words(text::head(claim, text::MAX_CLAIM)).into_iter().collect();
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// The parts are told apart by their lengths, so that no two lists of them hash alike.
fn hash(parts: &[&str]) -> String {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part.as_bytes());
    }
    sha.finalize().iter().take(16).fold(String::with_capacity(32), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::diff;
    use crate::finding::{Finding, Side};
    use crate::locate::{Reported, SourceTexts, locate};
    use crate::subject::Subject;
    use crate::testing::{anchor, finding, subject};

    /// The fingerprint of a finding at a quoted line of a whole text.
    fn print(path: &str, renamed_from: Option<&str>, text: &str, quote: &str, claim: &str, category: &str) -> String {
        let mut files = diff::parse(&format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+y\n"));
        if let (Some(file), Some(old)) = (files.first_mut(), renamed_from) {
            file.old_path = Some(old.to_owned());
            file.status = crate::subject::Status::Renamed;
        }
        let subject: Subject = subject(files);
        let mut sources = SourceTexts::default();
        sources.insert(path.to_owned(), Side::New, text.to_owned());
        let finding =
            Finding { category: category.to_owned(), anchor: Some(anchor(path, None, Some(quote))), ..finding(claim) };
        let (located, _) = locate(&subject, &sources, vec![Reported { lens: "l".to_owned(), finding }]);
        located.into_iter().next().map(|l| l.fingerprint).unwrap_or_default()
    }

    proptest! {
        #[test]
        fn outlives_moved_lines_renames_reindentation_and_other_words(
            above in proptest::collection::vec("[a-z]{1,5}", 0..8),
            indent in 0..9usize,
            claims in ("[a-z ]{1,30}", "[a-z ]{1,30}"),
        ) {
            let body = ["fn f() {", "let total = sum(items);", "}"];
            let before = print("a.rs", None, &body.join("\n"), body[1], &claims.0, "c");
            let moved: Vec<String> = body.iter().map(|l| format!("{}{l}", " ".repeat(indent))).collect();
            let text = format!("{}\n{}\n", above.join("\n"), moved.join("\n"));
            let after = print("b.rs", Some("a.rs"), &text, body[1], &claims.1, "c");
            prop_assert_eq!(&before, &after);
            prop_assert!(before.len() == 32 && before.bytes().all(|b| b.is_ascii_hexdigit()));
        }

        #[test]
        fn parts_do_not_run_into_each_other(a in "[ab]{0,3}", b in "[ab]{0,3}", c in "[ab]{0,3}", d in "[ab]{0,3}") {
            let of = |lens: &str, category: &str| of(&Parts { lens, category, path: "", around: "x", claim: "" });
            prop_assert_eq!(of(&a, &b) == of(&c, &d), (&a, &b) == (&c, &d));
        }
    }

    #[test]
    fn other_categories_places_and_lines_differ() {
        let text = "a();\nb();\nc();\nd();\ne();";
        let here = print("a.rs", None, text, "b();", "x", "c");
        assert_ne!(here, print("a.rs", None, text, "b();", "x", "other"));
        assert_ne!(here, print("a.rs", None, text, "d();", "x", "c"));
        assert_ne!(here, print("z.rs", None, text, "b();", "x", "c"));
    }

    #[test]
    fn without_a_place_the_words_decide_and_not_their_order() {
        let of = |claim: &str| of(&Parts { lens: "l", category: "c", path: "", around: "", claim });
        assert_eq!(of("The cache is never emptied"), of("Never emptied: the cache"));
        assert_ne!(of("The cache is never emptied"), of("The queue is never emptied"));
    }

    #[test]
    fn different_bugs_on_one_line_are_told_apart_whatever_their_order() {
        let claims = ["`user` may be null", "`find` blocks the thread", "it is slow", "it is slow"];
        let told = |order: &[usize]| {
            let mut all: Vec<(String, String)> = order
                .iter()
                .map(|&i| ("same".to_owned(), claims.get(i).copied().unwrap_or_default().to_owned()))
                .collect();
            tell_apart(&mut all, Clone::clone, |f, print| f.0 = print);
            all.sort();
            all
        };
        let all = told(&[0, 1, 2, 3]);
        assert_eq!(all, told(&[3, 1, 0, 2]));
        let prints: BTreeSet<&String> = all.iter().map(|(print, _)| print).collect();
        assert_eq!(prints.len(), 4);
        let mut alone = vec![("same".to_owned(), claims[0].to_owned())];
        tell_apart(&mut alone, Clone::clone, |f, print| f.0 = print);
        assert_eq!(alone.first().map(|f| f.0.as_str()), Some("same"));
    }
}
