//! Tests that are newly focused (the others of the file no longer run) or newly switched off without a word.
//!
//! Looks at test files alone, and in Rust at `#[ignore]` wherever it stands. A comment on the line or above it counts as
//! the reason, whatever it says. Leaves alone: skips under a condition, skips with a reason, and tests of test runners
//! that are about focusing or skipping.

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::{Language, Token, TokenKind};
use review_loop_sdk::prelude::*;

static FOCUSED: Rule = Rule {
    category: "quality-gate",
    severity: Severity::High,
    load_bearing: true,
    confidence: 97,
    several: "focused tests",
    follows: "the other tests of these files no longer run",
    hint: "Take the focus off before this is merged.",
};

static OFF: Rule = Rule {
    category: "test-gap",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 95,
    several: "tests that are switched off without a reason",
    follows: "the suite passes whatever they would show",
    hint: "Mend the test, remove it, or say beside it why it is off and until when.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let Some(language) = changed.language.filter(|_| !is_about_runners(&changed.file.path)) else {
        return Vec::new();
    };
    let looked_at = if language == Language::Rust { &["ignore"][..] } else { WORDS };
    if !(changed.test || language == Language::Rust) || !changed.adds_any(looked_at) {
        return Vec::new();
    }
    let tokens = changed.new_tokens();
    (0..tokens.len())
        .filter_map(|at| mark(&tokens, at, language).and_then(|mark| seen(changed, &tokens, at, &mark)))
        .collect()
}

const WORDS: &[&str] = &[
    ".only",
    ".skip",
    "fit",
    "fdescribe",
    "fcontext",
    "xit",
    "xdescribe",
    "xtest",
    "xcontext",
    "xspecify",
    "FIt",
    "FDescribe",
    "FContext",
    "mark.skip",
    "unittest.skip",
    "@Disabled",
    "@Ignore",
    "Skip",
];

fn is_about_runners(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    ["only", "skip", "focus", "exclusive", "fixture", "snapshot", "disabled", "ignore"]
        .iter()
        .any(|word| path.contains(word))
}

/// How a test is marked.
struct Mark {
    focused: bool,
    /// As it stands in the code.
    shown: String,
    /// The test's own words, where they stand beside the mark.
    name: Option<String>,
}

fn mark(tokens: &[Token<'_>], at: usize, language: Language) -> Option<Mark> {
    match language {
        Language::JavaScript | Language::TypeScript => call_mark(tokens, at, JS).or_else(|| member_mark(tokens, at)),
        Language::Ruby => call_mark(tokens, at, RUBY),
        Language::Go => call_mark(tokens, at, GINKGO).or_else(|| go_skip(tokens, at)),
        Language::Rust => attribute(tokens, at, &["#", "[", "ignore", "]"]),
        Language::Python => PYTHON.iter().find_map(|attribute_tokens| attribute(tokens, at, attribute_tokens)),
        Language::Java | Language::Kotlin => {
            JUNIT.iter().find_map(|attribute_tokens| attribute(tokens, at, attribute_tokens))
        }
        _ => None,
    }
}

/// Functions that focus or switch off the test whose words are their first argument.
struct Calls {
    focus: &'static [&'static str],
    off: &'static [&'static str],
    parenthesis: bool,
}

const JS: &Calls = &Calls {
    focus: &["fit", "fdescribe", "fcontext"],
    off: &["xit", "xdescribe", "xtest", "xcontext", "xspecify"],
    parenthesis: true,
};
const RUBY: &Calls =
    &Calls { focus: &["fit", "fdescribe", "fcontext"], off: &["xit", "xdescribe", "xcontext"], parenthesis: false };
const GINKGO: &Calls = &Calls { focus: &["FIt", "FDescribe", "FContext"], off: &[], parenthesis: true };

const PYTHON: &[&[&str]] = &[
    &["@", "pytest", ".", "mark", ".", "skip"],
    &["@", "pytest", ".", "mark", ".", "skip", "(", ")"],
    &["@", "unittest", ".", "skip"],
];
const JUNIT: &[&[&str]] = &[&["@", "Disabled"], &["@", "Ignore"]];

fn call_mark(tokens: &[Token<'_>], at: usize, calls: &Calls) -> Option<Mark> {
    let token = tokens.get(at).filter(|token| token.kind == TokenKind::Ident && starts_statement(tokens, at))?;
    let focused = calls.focus.contains(&token.text);
    let words = tokens.get(at + 1 + usize::from(calls.parenthesis)).filter(|words| words.kind == TokenKind::Str)?;
    let opened = !calls.parenthesis || tokens.get(at + 1).is_some_and(|open| open.text == "(");
    (opened && (focused || calls.off.contains(&token.text))).then(|| Mark {
        focused,
        shown: token.text.to_owned(),
        name: Some(words.text.to_owned()),
    })
}

/// `it.only("...", ` and `it.skip("...", `: the words first, then more arguments.
fn member_mark(tokens: &[Token<'_>], at: usize) -> Option<Mark> {
    let [test, dot, which, open, words, comma] = tokens.get(at..at + 6)?.first_chunk::<6>()?;
    let known = ["it", "test", "describe", "suite", "context", "specify"].contains(&test.text);
    let called = dot.text == "." && open.text == "(" && words.kind == TokenKind::Str && comma.text == ",";
    let focused = which.text == "only";
    (known && called && (focused || which.text == "skip") && starts_statement(tokens, at)).then(|| Mark {
        focused,
        shown: format!("{}.{}", test.text, which.text),
        name: Some(words.text.to_owned()),
    })
}

/// `t.Skip()` or `t.SkipNow()` as the first statement of a test, where no condition can stand before it.
fn go_skip(tokens: &[Token<'_>], at: usize) -> Option<Mark> {
    let [receiver, dot, skip, open, close] = tokens.get(at..at + 5)?.first_chunk::<5>()?;
    let called = dot.text == "." && open.text == "(" && close.text == ")" && ["Skip", "SkipNow"].contains(&skip.text);
    let before: Vec<&str> = tokens.get(at.checked_sub(10)?..at)?.iter().map(|token| token.text).collect();
    let ["func", name, "(", parameter, "*", "testing", ".", "T", ")", "{"] = before[..] else {
        return None;
    };
    (called && receiver.text == parameter && name.starts_with("Test")).then(|| Mark {
        focused: false,
        shown: format!("{}.{}()", receiver.text, skip.text),
        name: Some(format!("`{name}`")),
    })
}

/// An attribute or decorator that ends with its line, or is followed by another one.
fn attribute(tokens: &[Token<'_>], at: usize, attribute: &[&str]) -> Option<Mark> {
    let here = tokens.get(at..at + attribute.len())?;
    let same = here.iter().zip(attribute).all(|(token, text)| token.text == *text && token.kind != TokenKind::Str);
    let last = here.last()?.line;
    let next = tokens.get(at + attribute.len())?;
    let ends = next.line > last || next.text == "#" || (attribute[0] == "#" && next.kind != TokenKind::Comment);
    (same && ends && next.text != "(" && starts_statement(tokens, at)).then(|| Mark {
        focused: false,
        shown: attribute.concat(),
        name: None,
    })
}

fn starts_statement(tokens: &[Token<'_>], at: usize) -> bool {
    let line = tokens.get(at).map_or(0, |token| token.line);
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    before.is_none_or(|token| token.end_line() < line || matches!(token.text, ";" | "{" | "}" | "]"))
        && before.is_none_or(|token| !matches!(token.text, "." | "," | "(" | "=" | ":" | "["))
}

fn seen(changed: &Changed, tokens: &[Token<'_>], at: usize, mark: &Mark) -> Option<Seen> {
    let line = tokens.get(at)?.line;
    let commented = explained(changed.new_text(), tokens, line, mark.name.is_none());
    if commented && !mark.focused {
        return None;
    }
    let name = mark.name.clone().or_else(|| name_after(tokens, at)).unwrap_or_else(|| "a test".to_owned());
    let claim = if mark.focused {
        format!("`{}` focuses {name}, so the other tests of this file no longer run.", mark.shown)
    } else {
        format!(
            "`{}` switches {name} off and nothing says why, so the suite passes whatever it would show.",
            mark.shown
        )
    };
    Seen::at(if mark.focused { &FOCUSED } else { &OFF }, changed, line, claim)
}

/// Whether a comment stands with the test: on the line, above it or above the attributes before it, or at the start of
/// what an attribute belongs to. Whatever it says, it may be the reason.
fn explained(text: &str, tokens: &[Token<'_>], line: u32, attribute: bool) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let is_attribute = |number: u32| {
        let text = lines.get((number as usize).saturating_sub(1)).map_or("", |text| text.trim_start());
        number > 0 && (text.starts_with("#[") || text.starts_with('@'))
    };
    let mut first = line;
    while is_attribute(first.saturating_sub(1)) {
        first -= 1;
    }
    let last = if attribute { line + 4 } else { line + 1 };
    tokens.iter().any(|token| token.kind == TokenKind::Comment && token.end_line() + 1 >= first && token.line <= last)
}

/// The name of the item that an attribute belongs to.
fn name_after(tokens: &[Token<'_>], at: usize) -> Option<String> {
    let rest = tokens.get(at..at + 60.min(tokens.len() - at))?;
    let item = rest.iter().position(|token| matches!(token.text, "fn" | "def" | "class" | "void" | "fun"))?;
    rest.get(item + 1).filter(|name| name.kind == TokenKind::Ident).map(|name| format!("`{}`", name.text))
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::{FakeHost, lines, lines_with};

    #[test]
    fn focused_and_switched_off_tests_are_seen() {
        for (path, text, line) in [
            ("src/a.test.ts", "describe('a', () => {\n  it.only('b', () => {})\n})\n", 2),
            ("src/a.spec.js", "fdescribe(\"a\", () => {\n})\n", 1),
            ("src/a.spec.js", "fit(`b`, () => {})\n", 1),
            ("test/a.js", "describe.skip('a', function () {})\n", 1),
            ("test/a.js", "xit('a', function () {})\n", 1),
            ("spec/a_spec.rb", "fit 'works' do\nend\n", 1),
            ("spec/a_spec.rb", "xdescribe \"A\" do\nend\n", 1),
            ("a_test.go", "var _ = FDescribe(\"a\", func() {})\nfunc TestA(t *testing.T) {\n\tt.Skip()\n}\n", 3),
            ("src/a.rs", "#[test]\n#[ignore]\nfn a() { b() }\n", 2),
            ("tests/test_a.py", "@pytest.mark.skip\ndef test_a():\n    assert b()\n", 1),
            ("tests/test_a.py", "@pytest.mark.skip()\n@other\ndef test_a():\n    assert b()\n", 1),
            ("src/test/java/ATest.java", "class ATest {\n  @Test\n  @Disabled\n  void a() {}\n}\n", 3),
        ] {
            assert_eq!(lines(super::check, path, text), [line], "{path}: {text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("src/a.py", "model.fit(x)\nfit('x')\n"),
            ("src/model.test.js", "model.fit('x', y)\nfit(data, 3)\nconst a = fit('x', 1)\n"),
            ("src/a.js", "it.only('not a test file', f)\n"),
            ("src/a.test.js", "// it.only('x', f)\nconst s = \"it.only('x', f)\"\n"),
            ("src/a.test.js", "test.skip(isWindows, 'no symlinks')\ntest.skip('a reason without a body')\n"),
            ("src/a.test.js", "// Flaky on the old runner, see the tracker.\nit.skip('a', f)\n"),
            ("test/only.js", "it.only('a', f)\n"),
            ("src/a.rs", "#[ignore = \"slow\"]\nfn a() {}\n#[ignore] // needs a server\nfn b() {}\n"),
            ("src/a.rs", "// Needs a server.\n#[ignore]\nfn b() {}\n#[serde(ignore)]\nfn c() {}\n"),
            ("a_test.go", "func TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n}\n"),
            ("a_test.go", "func TestA(t *testing.T) {\n\tt.Skip(\"needs a server\")\n}\n"),
            (
                "tests/test_a.py",
                "@pytest.mark.skip(reason='x')\ndef test_a(): pass\n@unittest.skip('x')\ndef test_b(): pass\n",
            ),
            ("src/test/java/ATest.java", "@Disabled(\"x\")\nvoid a() {}\n"),
            ("src/main/java/A.java", "@Ignore\nprivate String a;\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [0; 0], "{path}: {text}");
        }
        let moved = FakeHost::new().edited("a.test.js", "it.skip('a', f)\nb()\n", "b()\n  it.skip('a', f)\n");
        assert_eq!(lines_with(super::check, moved), [0; 0]);
    }
}
