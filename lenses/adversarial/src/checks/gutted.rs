//! A test that lost every assertion in the change and still runs code: it passes whatever that code does.
//!
//! Looks at tests of the same name on both sides, in Rust, Go, JavaScript, TypeScript, Python, Java and Kotlin. Leaves
//! alone: a test that keeps, or gained, anything that looks as if it could decide (a check, a helper, an unwrapped error), and
//! one that calls what is defined in the same file, since that may assert.

use std::collections::{BTreeMap, BTreeSet};

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::{Language, Token, TokenKind};
use review_loop_sdk::prelude::*;

use super::test_functions::{TestFunction, test_functions};

static GUTTED: Rule = Rule {
    category: "vacuous-test",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 96,
    several: "tests that lost all of their assertions",
    follows: "they pass whatever the code under them does",
    hint: "Bring back an assertion about what the code does, or remove the test.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let Some(language) = changed.language else { return Vec::new() };
    let candidate = changed.test || language == Language::Rust;
    if !candidate
        || changed.file.old_kind.is_none()
        || !changed.removes_any(&["assert", "expect", "should", "require", "t."])
    {
        return Vec::new();
    }
    let (old_tokens, new_tokens) = (changed.old_tokens(), changed.new_tokens());
    let before = test_functions(changed.old_text(), &old_tokens, language);
    let after = test_functions(changed.new_text(), &new_tokens, language);
    let (defined, lines): (_, Vec<&str>) = (defined(&new_tokens), changed.new_text().lines().collect());
    let (before, alone) = (by_name(&before), by_name(&after));
    let pairs = after.iter().filter_map(|new| Some((before.get(new.name).copied()??, alone.get(new.name).copied()??)));
    pairs
        .filter(|(old, new)| lost(old, new, &defined))
        .filter_map(|(old, new)| seen(changed, &lines, old, new))
        .collect()
}

/// The tests by their names; none for a name that several have.
fn by_name<'a, 'b>(tests: &'b [TestFunction<'a>]) -> BTreeMap<&'a str, Option<&'b TestFunction<'a>>> {
    let mut named = BTreeMap::new();
    for test in tests {
        named.entry(test.name).and_modify(|one| *one = None).or_insert(Some(test));
    }
    named
}

fn lost(old: &TestFunction<'_>, new: &TestFunction<'_>, defined: &BTreeSet<&str>) -> bool {
    let names: BTreeSet<&str> =
        old.code().filter(|token| token.kind == TokenKind::Ident).map(|token| token.text).collect();
    let mut idents = new.code().filter(|token| token.kind == TokenKind::Ident).peekable();
    let calls = new
        .body
        .windows(2)
        .any(|pair| matches!(pair, [name, open] if name.kind == TokenKind::Ident && open.text == "("));
    let asserted = old.code().any(|token| {
        let lower = token.text.to_ascii_lowercase();
        matches!(token.kind, TokenKind::Ident | TokenKind::Keyword)
            && ["assert", "expect", "should", "require"].iter().any(|word| lower.contains(word))
    });
    asserted
        && calls
        && !new.can_fail()
        && idents.all(|token| names.contains(token.text) && !defined.contains(token.text))
}

/// The names of the functions that a text defines.
fn defined<'a>(tokens: &[Token<'a>]) -> BTreeSet<&'a str> {
    let starts =
        |token: &Token<'_>| matches!(token.text, "fn" | "func" | "function" | "def" | "fun" | "const" | "macro_rules");
    let named = tokens.windows(3).filter(|three| three.first().is_some_and(starts));
    named
        .flat_map(|three| three.iter().skip(1))
        .filter(|token| token.kind == TokenKind::Ident)
        .map(|token| token.text)
        .collect()
}

/// Anchored at a line that the change added in the test or, where it only removed some, at the test's name.
fn seen(changed: &Changed, lines: &[&str], old: &TestFunction<'_>, new: &TestFunction<'_>) -> Option<Seen> {
    let removed = old
        .code()
        .filter(|token| super::test_functions::is_asserting(token))
        .map(|token| token.line)
        .collect::<BTreeSet<_>>();
    let claim = format!(
        "The test `{}` lost all of its assertions, so it passes whatever the code under it does.",
        new.name.trim_matches(['"', '\'', '`'])
    );
    let text = (*lines.get(new.line.checked_sub(1)? as usize)?).to_owned();
    Some(Seen {
        rule: &GUTTED,
        claim,
        path: changed.file.path.clone(),
        line: new.line,
        last: new.line,
        text,
        quote: true,
        evidence: Some(format!(
            "Before the change it decided at {} of its lines, now at none; it still runs code.",
            removed.len()
        )),
    })
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::{FakeHost, lines_with};

    fn lines(path: &str, old: &str, new: &str) -> Vec<u32> {
        lines_with(super::check, FakeHost::new().edited(path, old, new))
    }

    #[test]
    fn a_test_that_lost_its_assertions_is_seen() {
        for (path, old, new) in [
            (
                "src/a.rs",
                "#[test]\nfn a() {\n    let x = run(1);\n    assert_eq!(x, 2);\n}\n",
                "#[test]\nfn a() {\n    let x = run(1);\n}\n",
            ),
            ("test_a.py", "\ndef test_a():\n    x = run(1)\n    assert x == 2\n", "\ndef test_a():\n    x = run(1)\n"),
            (
                "a.test.js",
                "\nit('a', () => {\n  const x = run(1);\n  expect(x).toBe(2);\n});\n",
                "\nit('a', () => {\n  run(1);\n});\n",
            ),
            (
                "a_test.go",
                "\nfunc TestA(t *testing.T) {\n\tx := run(1)\n\trequire.Equal(t, x, 2)\n}\n",
                "\nfunc TestA(t *testing.T) {\n\trun(1)\n}\n",
            ),
        ] {
            assert_eq!(lines(path, old, new), [2], "{path}: {new}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        let rust = "#[test]\nfn a() {\n    let x = run(1);\n    assert_eq!(x, 2);\n}\n";
        for new in [
            "#[test]\nfn a() {\n    let x = run(1);\n    check_two(x);\n}\n",
            "#[test]\nfn a() {\n    run(1).unwrap();\n}\n",
            "#[test]\nfn a() {\n    round_trip(1);\n}\n",
            "#[test]\nfn a() {\n    run(1);\n}\nfn run(x: u8) { assert!(x > 0) }\n",
            "#[test]\nfn b() {\n    let x = run(1);\n}\n",
            "#[test]\nfn a() {}\n",
            "#[test]\nfn a() {\n    let x = run(2);\n    assert_eq!(x, 3);\n}\n",
        ] {
            assert_eq!(lines("src/a.rs", rust, new), [0; 0], "{new}");
        }
        assert_eq!(
            lines("src/a.py", "def test_a():\n    assert run(1)\n", "def test_a():\n    run(1)\n"),
            [0; 0],
            "no test file"
        );
        let bare = "#[test]\nfn a() {\n    run(1);\n}\n";
        assert_eq!(lines("src/a.rs", bare, &bare.replace('1', "2")), [0; 0], "it never asserted");
    }
}
