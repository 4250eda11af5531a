//! A bound that a test holds a number to, loosened on an otherwise unchanged line, with no word about why.
//!
//! Sees a removed line and the added line in its place that differ in one number alone: a tolerance that grew tenfold or more (`atol`,
//! `rtol`, `tolerance`, `delta`, ...), a fractional bound in an assertion that moved to the permissive side
//! (`assert!(accuracy > 0.9)` to `> 0.8`), fewer decimal places, a lower coverage floor. Leaves alone: whole numbers in
//! comparisons (sizes and counts), bounds with an upper and a lower side, lines whose names or operators changed too, and any
//! comment on the line, above it or added nearby: that is where the reason stands.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::{Language, Token, TokenKind, tokens};
use review_loop_sdk::prelude::*;
use review_loop_sdk::subject::{Change, Hunk, Line};

static LOOSENED: Rule = Rule {
    category: "unjustified-threshold",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 95,
    several: "bounds that the change loosens without a word",
    follows: "the checks pass with results that failed them before",
    hint: "Say beside the number what was measured and why this bound is right, or bring the old one back.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let Some(language) = changed.language.filter(|language| language.is_program() || language.is_config()) else {
        return Vec::new();
    };
    changed.hunks.iter().flat_map(|hunk| in_hunk(changed, hunk, language)).collect()
}

fn in_hunk(changed: &Changed, hunk: &Hunk, language: Language) -> Vec<Seen> {
    let pairs = replaced(&hunk.lines);
    let words = LazyCell::new(|| words(hunk, language));
    let loosened = |(old, new): (&Line, &Line)| {
        let found = compare(&old.text, &new.text, language)?;
        let line = new.new?;
        let test = changed.test || found.floor || changed.is_test_line(line);
        let explained = || words.added || words.lines.contains(&line) || words.lines.contains(&line.saturating_sub(1));
        if !test || explained() {
            return None;
        }
        let claim = format!(
            "{} was loosened from {} to {} and nothing says why, so results pass that failed before.",
            found.what, found.old, found.new
        );
        let mut seen = Seen::at(&LOOSENED, changed, line, claim)?;
        seen.evidence = Some(format!("Before: `{}`", old.text.trim()));
        Some(seen)
    };
    pairs.into_iter().filter_map(loosened).collect()
}

/// Lines that stand in the place of others: as many added in a row as were removed right before.
fn replaced(lines: &[Line]) -> Vec<(&Line, &Line)> {
    let mut pairs = Vec::new();
    for run in lines.chunk_by(|a, b| (a.change == Change::Context) == (b.change == Change::Context)) {
        let removed: Vec<&Line> = run.iter().filter(|line| line.change == Change::Removed).collect();
        let added: Vec<&Line> = run.iter().filter(|line| line.change == Change::Added).collect();
        if removed.len() == added.len() {
            pairs.extend(removed.into_iter().zip(added));
        }
    }
    pairs
}

/// Where the comments of a hunk stand after the change.
struct Words {
    /// Whether one of them was added.
    added: bool,
    lines: BTreeSet<u32>,
}

fn words(hunk: &Hunk, language: Language) -> Words {
    let there = hunk.lines.iter().filter(|line| line.change != Change::Removed && says_something(line, language));
    let (added, lines): (Vec<bool>, BTreeSet<u32>) =
        there.filter_map(|line| Some((line.change == Change::Added, line.new?))).unzip();
    Words { added: added.contains(&true), lines }
}

fn says_something(line: &Line, language: Language) -> bool {
    tokens(&line.text, language).iter().any(|token| token.kind == TokenKind::Comment)
}

/// A number that moved to the permissive side.
struct Loosened<'a> {
    what: String,
    old: &'a str,
    new: &'a str,
    /// Whether it is a coverage floor, which counts outside of tests too.
    floor: bool,
}

fn compare<'a>(old: &'a str, new: &'a str, language: Language) -> Option<Loosened<'a>> {
    if !(old.bytes().any(|b| b.is_ascii_digit()) && new.bytes().any(|b| b.is_ascii_digit())) {
        return None;
    }
    let (before, after) = (tokens(old, language), tokens(new, language));
    let mut differing = before.iter().zip(&after).enumerate().filter(|(_, (a, b))| a.text != b.text);
    let (at, (a, b)) = differing.next().filter(|_| before.len() == after.len())?;
    if differing.next().is_some() || a.kind != TokenKind::Number || b.kind != TokenKind::Number {
        return None;
    }
    let (from, to) = (value(a.text)?, value(b.text)?);
    let far = to >= from * 9.99;
    let found = |what: String, floor: bool| Some(Loosened { what, old: a.text, new: b.text, floor });
    match bound(&before, at)? {
        Bound::Tolerance(name) if to > from && far => found(format!("The tolerance `{name}`"), false),
        Bound::Places(name) if to < from => found(format!("The precision `{name}`"), false),
        Bound::Floor(name) if to < from => found(format!("The coverage floor `{name}`"), true),
        Bound::AtLeast if to < from && is_fraction(a.text) => found("A lower bound of an assertion".to_owned(), false),
        Bound::AtMost if to > from && is_fraction(a.text) && (far || !a.text.contains("e-")) => {
            found("An upper bound of an assertion".to_owned(), false)
        }
        _ => None,
    }
}

fn value(text: &str) -> Option<f64> {
    let digits = text.replace('_', "");
    ["f64", "f32", "f", "F"].iter().find_map(|end| digits.strip_suffix(end)).unwrap_or(&digits).parse().ok()
}

fn is_fraction(text: &str) -> bool {
    text.contains('.') || text.contains("e-")
}

enum Bound<'a> {
    /// More is looser.
    Tolerance(&'a str),
    /// Less is looser.
    Places(&'a str),
    /// Less is looser; of a whole project.
    Floor(&'a str),
    /// The asserted value must be above the number.
    AtLeast,
    /// The asserted value must be below the number.
    AtMost,
}

/// What the number at `at` bounds.
fn bound<'a>(line: &[Token<'a>], at: usize) -> Option<Bound<'a>> {
    let text = |index: Option<usize>| index.and_then(|index| line.get(index)).map_or("", |token| token.text);
    let before = text(at.checked_sub(1));
    let name = text(at.checked_sub(2));
    let lower = name.trim_matches('"').to_ascii_lowercase();
    if matches!(before, "=" | ":" | ":=") {
        let ends = |words: &[&str]| words.iter().any(|word| lower == *word);
        if ends(TOLERANCES) {
            return Some(Bound::Tolerance(name));
        } else if ends(&["places", "decimal", "significant"]) {
            return Some(Bound::Places(name));
        } else if ends(&["fail_under"]) {
            return Some(Bound::Floor(name));
        }
    }
    asserted(line, at, before, text(Some(at + 1)))
}

/// Arguments and settings that say how far off a result may be.
const TOLERANCES: &[&str] = &[
    "abs",
    "abs_tol",
    "absolute_tolerance",
    "atol",
    "delta",
    "eps",
    "epsilon",
    "max_relative",
    "rel",
    "rel_tol",
    "relative_tolerance",
    "rtol",
    "tol",
    "tolerance",
];

/// `assert x > 0.9` and the like: one comparison, whose right side is the number alone.
fn asserted<'a>(line: &[Token<'a>], at: usize, before: &str, after: &str) -> Option<Bound<'a>> {
    let first = line.first()?.text;
    let asserts = first == "assert"
        || first.starts_with("assert_")
        || matches!(first, "debug_assert" | "ASSERT_TRUE" | "EXPECT_TRUE");
    let comparisons = line.iter().filter(|token| matches!(token.text, "<" | ">" | "<=" | ">=")).count();
    let joined = line.iter().any(|token| matches!(token.text, "&&" | "||" | "and" | "or" | "not" | "!=" | "=="));
    let negated =
        line.get(1).is_some_and(|second| second.text == "!") && line.get(3).is_some_and(|fourth| fourth.text == "!");
    let whole = matches!(after, "" | ")" | ",");
    if !asserts || comparisons != 1 || joined || negated || !whole || at == 0 {
        return None;
    }
    match before {
        ">" | ">=" => Some(Bound::AtLeast),
        "<" | "<=" => Some(Bound::AtMost),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::check;
    use review_loop_sdk::testing::FakeHost;

    fn claims(path: &str, old: &str, new: &str) -> Vec<String> {
        let host = FakeHost::new().edited(path, &format!("a\n{old}\nb\n"), &format!("a\n{new}\nb\n"));
        host.run(|| check::report(&[super::check], 9)).0.findings.into_iter().map(|found| found.claim).collect()
    }

    #[test]
    fn neither_a_byte_order_mark_nor_old_line_ends_hide_a_loosened_bound() {
        let (old, new) = ("assert accuracy > 0.95", "assert accuracy > 0.90");
        for (before, after) in [("\u{feff}", "\nb\n"), ("a\r", "\rb\r"), ("\u{feff}", "\rb\r")] {
            let text = |line: &str| format!("{before}{line}{after}");
            let host = FakeHost::new().edited("test_a.py", &text(old), &text(new));
            let found = host.run(|| check::report(&[super::check], 9)).0.findings;
            let lines: Vec<_> = found.iter().filter_map(|found| Some(found.anchor.as_ref()?.lines?.first)).collect();
            assert_eq!(lines, [1], "{before:?} {after:?}");
        }
    }

    #[test]
    fn a_loosened_bound_is_seen() {
        for (path, old, new, what) in [
            (
                "test_a.py",
                "    assert accuracy > 0.95",
                "    assert accuracy > 0.90",
                "A lower bound of an assertion was loosened from 0.95 to 0.90",
            ),
            (
                "tests/a.rs",
                "    assert!(error < 1e-9);",
                "    assert!(error < 1e-6);",
                "An upper bound of an assertion was loosened from 1e-9 to 1e-6",
            ),
            (
                "test_a.py",
                "    assert_allclose(a, b, rtol=1e-7)",
                "    assert_allclose(a, b, rtol=1e-3)",
                "The tolerance `rtol` was loosened from 1e-7 to 1e-3",
            ),
            (
                "test_a.py",
                "    self.assertAlmostEqual(a, b, places=7)",
                "    self.assertAlmostEqual(a, b, places=3)",
                "The precision `places` was loosened from 7 to 3",
            ),
            (
                "pyproject.toml",
                "fail_under = 90",
                "fail_under = 80",
                "The coverage floor `fail_under` was loosened from 90 to 80",
            ),
        ] {
            let found = claims(path, old, new);
            assert!(found.len() == 1 && found[0].starts_with(what), "{new}: {found:?}");
            assert_eq!(claims(path, new, old), [""; 0], "tightened: {old}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, old, new) in [
            ("src/a.py", "    assert accuracy > 0.95", "    assert accuracy > 0.90"),
            (
                "test_a.py",
                "    assert accuracy > 0.95",
                "    # One of the 40 seeds is at 0.93.\n    assert accuracy > 0.90",
            ),
            ("test_a.py", "    assert accuracy > 0.95", "    assert accuracy > 0.90  # measured"),
            ("test_a.py", "    assert accuracy > 0.95", "    assert recall > 0.90"),
            ("test_a.py", "    assert size < 10", "    assert size < 12"),
            ("test_a.py", "    assert 0.1 < x < 0.5", "    assert 0.1 < x < 0.6"),
            ("test_a.py", "    assert not x > 0.9", "    assert not x > 0.8"),
            ("test_a.py", "    assert f(0.9) > y", "    assert f(0.8) > y"),
            ("test_a.py", "    # Rounding.\n    close(a, b, rtol=1e-9)", "    # Rounding.\n    close(a, b, rtol=1e-3)"),
            ("test_a.py", "    close(a, b, rtol=1e-14)", "    close(a, b, rtol=2e-14)"),
            ("test_a.py", "    f(step=0.1)", "    f(step=0.2)"),
        ] {
            assert_eq!(claims(path, old, new), [""; 0], "{path}: {new}");
        }
    }
}
