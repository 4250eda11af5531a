//! New tests that cannot fail: an empty body, or `assert!(true)` and its like as the only assertion.
//!
//! Leaves alone: empty methods of test classes (they take an inherited test back), tests with a comment in them, tests without any assertion (that the code runs at all may be the point), a value
//! compared with itself where that may test equality or caching, tests of test runners, and tests that check what compiles.

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::{Language, Token, TokenKind};
use review_loop_sdk::prelude::*;

use super::test_functions::{TestFunction, is_asserting, test_functions};

static EMPTY: Rule = Rule {
    category: "vacuous-test",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 95,
    several: "tests without a body",
    follows: "they pass whatever the code does",
    hint: "Write the test, mark it as one to be written, or leave it out.",
};

static TRUE: Rule = Rule {
    category: "vacuous-test",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 96,
    several: "tests whose only assertion is always true",
    follows: "they pass whatever the code does",
    hint: "Assert something that the code under test decides.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let Some(language) = changed.language else { return Vec::new() };
    let candidate = changed.test || language == Language::Rust;
    if !candidate
        || is_about_tests(&changed.file.path)
        || !changed.adds_any(&["test", "it(", "Test", "true", "True", "assert", "expect"])
    {
        return Vec::new();
    }
    let tokens = changed.new_tokens();
    let tests = test_functions(changed.new_text(), &tokens, language);
    let lines: Vec<&str> = changed.new_text().lines().collect();
    let stands_alone = |test: &TestFunction<'_>| language != Language::Python || is_bare(&lines, test.line);
    let may_be_empty = !matches!(language, Language::Java | Language::Kotlin);
    let seen = |test| {
        let empty = if may_be_empty && stands_alone(test) { empty(changed, test) } else { None };
        empty.or_else(|| always_true(changed, test))
    };
    tests.iter().filter_map(seen).collect()
}

fn is_about_tests(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    [
        "fixture", "compile", "/ui/", "trybuild", "expand", "runner", "macro", "snapshot", "jest", "mocha", "reporter",
        "lint", "rules/",
    ]
    .iter()
    .any(|word| path.contains(word))
}

/// Whether a function of Python belongs to no class, where it may take a test back, and has no decorator, which may
/// skip it.
fn is_bare(lines: &[&str], line: u32) -> bool {
    let at = (line as usize).saturating_sub(1);
    let starts = lines.get(at).is_some_and(|line| !line.starts_with(char::is_whitespace));
    let before = at.checked_sub(1).and_then(|before| lines.get(before)).copied().unwrap_or_default();
    starts && !before.trim_start().starts_with(['@', ')'])
}

fn shown<'a>(test: &TestFunction<'a>) -> &'a str {
    test.name.trim_matches(['"', '\'', '`'])
}

fn empty(changed: &Changed, test: &TestFunction<'_>) -> Option<Seen> {
    let nothing = test.body.iter().all(|token| matches!(token.text, "pass" | "...") && token.kind != TokenKind::Str);
    let claim = format!("The test `{}` has no body, so it passes whatever the code does.", shown(test));
    let compiles =
        ["compil", "build", "import", "link"].iter().any(|word| test.name.to_ascii_lowercase().contains(word));
    Seen::at(&EMPTY, changed, test.line, claim).filter(|_| nothing && !compiles)
}

fn always_true(changed: &Changed, test: &TestFunction<'_>) -> Option<Seen> {
    let code: Vec<Token<'_>> = test.code().copied().collect();
    let (at, length) = (0..code.len()).find_map(|at| Some((at, trivial(code.get(at..)?)?)))?;
    let outside = code.iter().enumerate().filter(|(index, _)| !(at..at + length).contains(index));
    let alone = !outside.into_iter().any(|(_, token)| is_asserting(token));
    let line = code.get(at)?.line;
    let claim = format!(
        "The only assertion of the test `{}` is always true, so it passes whatever the code does.",
        shown(test)
    );
    Seen::at(&TRUE, changed, line, claim).filter(|_| alone)
}

/// The number of tokens of an assertion that is always true. `L` stands for one literal, the same each time.
fn trivial(code: &[Token<'_>]) -> Option<usize> {
    TRIVIAL.iter().find_map(|form| {
        let form: Vec<&str> = form.split(' ').collect();
        let mut literal = None;
        let fits = form.iter().zip(code).all(|(wanted, token)| match *wanted {
            "L" => is_literal(token) && *literal.get_or_insert(token.text) == token.text,
            wanted => token.text == wanted && token.kind != TokenKind::Str,
        });
        let goes_on = code.get(form.len()).is_some_and(|next| {
            code.first()
                .is_some_and(|first| form.last() != Some(&")") && !matches!(next.text, ",") && next.line == first.line)
        });
        (fits && code.len() >= form.len() && (!goes_on || form.contains(&"("))).then_some(form.len())
    })
}

fn is_literal(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Number | TokenKind::Str) && !token.text.contains(['{', '$'])
        || matches!(token.text, "true" | "false" | "True" | "None" | "null")
}

const TRIVIAL: &[&str] = &[
    "assert ! ( true )",
    "assert ! ( true ,",
    "assert_eq ! ( L , L )",
    "expect ( true ) . toBeTruthy ( )",
    "expect ( true ) . toBeTrue ( )",
    "expect ( true ) . to . be . true",
    "expect ( L ) . toBe ( L )",
    "expect ( L ) . toEqual ( L )",
    "expect ( L ) . toStrictEqual ( L )",
    "expect ( L ) . to . equal ( L )",
    "assert ( true )",
    "assert . ok ( true )",
    "assert . equal ( L , L )",
    "assert . strictEqual ( L , L )",
    "assert True",
    "self . assertTrue ( True )",
    "self . assertEqual ( L , L )",
    "assertTrue ( true )",
    "assertEquals ( L , L )",
    "assert . True ( t , true )",
];

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::lines;

    #[test]
    fn tests_that_cannot_fail_are_seen() {
        for (path, text, line) in [
            ("src/a.rs", "#[test]\nfn a() {}\n", 2),
            ("src/a.rs", "#[test]\nfn a() {\n    run(1);\n    assert!(true);\n}\n", 4),
            (
                "a.test.ts",
                "describe('a', () => {\n  it('b', () => {});\n  it('c', () => {\n    expect(true).toBe(true);\n  });\n});\n",
                2,
            ),
            ("tests/test_a.py", "def test_a():\n    pass\n", 1),
            ("tests/test_a.py", "def test_a():\n    run(1)\n    assert True\n", 3),
            ("a_test.go", "func TestA(t *testing.T) {\n}\n", 1),
            ("src/test/java/ATest.java", "class ATest {\n  @Test\n  void a() {\n    assertTrue(true);\n  }\n}\n", 4),
        ] {
            assert_eq!(lines(super::check, path, text).first(), Some(&line), "{path}: {text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("src/a.rs", "#[test]\nfn a() {\n    // That it links is the point.\n}\n"),
            ("src/a.rs", "#[test]\nfn a() {\n    run(1);\n}\n"),
            (
                "src/a.rs",
                "#[test]\nfn a() {\n    match run(1) {\n        Ok(_) => assert!(true),\n        Err(_) => panic!(),\n    }\n}\n",
            ),
            ("src/a.rs", "#[test]\nfn a() {\n    let x = run(1);\n    assert_eq!(x, x);\n}\n"),
            ("src/a.rs", "fn a() {}\nmacro_rules! m { ($n:ident) => { #[test]\n fn $n() {} } }\n"),
            ("a.test.ts", "it('a', () => {\n  expect(run(true)).toBe(true);\n});\nit('b', run);\nit.todo('c');\n"),
            ("test/runner/a.test.js", "it('a', () => {})\n"),
            ("tests/test_a.py", "def test_a():\n    assert True is run()\ndef helper():\n    pass\n"),
            (
                "tests/test_a.py",
                "class TestB(TestA):\n    def test_a(self):\n        pass\n@skip('later')\ndef test_c():\n    pass\n",
            ),
            ("src/test/java/ATest.java", "class ATest extends Base {\n  @Test\n  void a() {}\n}\n"),
            ("src/a.py", "def test_connection():\n    pass\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [0; 0], "{path}: {text}");
        }
    }
}
