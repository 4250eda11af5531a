//! Which code is there to test other code.

use super::{Language, Token, TokenKind};

/// Whether the file at `path` is a test or serves tests: by its folder (`tests/`, `fixtures/`, ...) or its name
/// (`a_test.go`, `a.spec.ts`, `test_a.py`, `ATest.java`, ...).
#[must_use]
pub fn is_test_path(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    parts.iter().any(|part| FOLDERS.contains(&part.to_ascii_lowercase().as_str())) || is_test_name(name)
}

const FOLDERS: &[&str] = &[
    "t",
    "test",
    "tests",
    "__tests__",
    "__mocks__",
    "__snapshots__",
    "__fixtures__",
    "spec",
    "specs",
    "testdata",
    "test-data",
    "test_data",
    "fixtures",
    "fixture",
    "testing",
    "e2e",
    "integration-tests",
    "integration_tests",
    "unittests",
    "cypress",
    "androidtest",
    "benches",
    "testlib",
    "testsuite",
];

fn is_test_name(name: &str) -> bool {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let inner = name.rsplit_once('.').map_or("", |(rest, _)| rest);
    let lower = stem.to_ascii_lowercase();
    let marked = [".test", ".tests", ".spec", ".e2e", ".cy", ".bench"].iter().any(|mark| inner.ends_with(mark));
    let worded = lower.starts_with("test_") || ["_test", "_tests", "_spec"].iter().any(|end| lower.ends_with(end));
    let camel = ["Test", "Tests", "TestCase", "Spec"].iter().any(|end| stem.len() > end.len() && stem.ends_with(end));
    marked || worded || camel || ["test", "tests", "conftest"].contains(&lower.as_str())
}

/// The lines, both ends included, of the items of a Rust file that are compiled for tests alone: under `#[cfg(test)]` or
/// `#[test]`. In other languages tests stand in files of their own: none.
#[must_use]
pub fn test_lines(tokens: &[Token<'_>], language: Language) -> Vec<(u32, u32)> {
    if language != Language::Rust {
        return Vec::new();
    }
    let code: Vec<&Token<'_>> = tokens.iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = code.get(at) {
        let end = attribute_end(&code, at);
        at = match end {
            Some(end) if is_test_attribute(code.get(at..end).unwrap_or_default()) => {
                let last = item_end(&code, end);
                found.push((token.line, code.get(last).or(code.last()).map_or(token.line, |token| token.end_line())));
                last + 1
            }
            Some(end) => end,
            None => at + 1,
        };
    }
    found
}

/// The index behind the attribute that starts at `at`.
fn attribute_end(code: &[&Token<'_>], at: usize) -> Option<usize> {
    let opens = code.get(at)?.is("#") && code.get(at + 1)?.is("[");
    opens.then(|| (closing(code, at + 1) + 1).min(code.len()))
}

fn is_test_attribute(attribute: &[&Token<'_>]) -> bool {
    let names = |text: &str| attribute.iter().any(|token| token.kind == TokenKind::Ident && token.text == text);
    let last_name = attribute.iter().take_while(|token| !token.is("(")).filter(|token| token.kind == TokenKind::Ident);
    (names("cfg") && names("test") && !names("not")) || last_name.last().is_some_and(|token| token.text == "test")
}

/// The index of the last token of the item that starts at `at`: its `;`, or the end of its braces.
fn item_end(code: &[&Token<'_>], mut at: usize) -> usize {
    while let Some(token) = code.get(at) {
        match token.text {
            ";" => return at,
            "{" => return closing(code, at),
            "(" | "[" => at = closing(code, at) + 1,
            _ => at += 1,
        }
    }
    at
}

/// The index of the bracket that closes the one at `at`.
fn closing(code: &[&Token<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in code.iter().enumerate().skip(at).filter(|(_, token)| token.kind == TokenKind::Punct) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return index;
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tokens;

    #[test]
    fn a_path_tells_a_test() {
        let tests = [
            "tests/a.rs",
            "src/__tests__/a.js",
            "pkg/a_test.go",
            "src/a.spec.ts",
            "test_a.py",
            "src/FooTest.java",
            "conftest.py",
            "spec/a_spec.rb",
            "src/parser/tests.rs",
            "a/fixtures/x.json",
        ];
        for path in tests {
            assert!(is_test_path(path), "{path}");
        }
        for path in
            ["src/a.rs", "src/testament.rs", "src/latest.py", "contest/a.go", "src/attest.ts", "spec.md", "Test"]
        {
            assert_eq!(is_test_path(path), path == "Test", "{path}");
        }
    }

    #[test]
    fn rust_items_for_tests_are_found_with_their_ends() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() { {} }\n}\n#[cfg(not(test))]\nfn c() {}\n#[tokio::test]\nasync fn d() {\n}\n#[cfg(test)]\nuse x::y;\n";
        assert_eq!(test_lines(&tokens(text, Language::Rust), Language::Rust), [(2, 5), (8, 10), (11, 12)]);
        assert_eq!(test_lines(&tokens("#[cfg(test)]\nmod a {", Language::Rust), Language::Rust), [(1, 2)]);
    }
}
