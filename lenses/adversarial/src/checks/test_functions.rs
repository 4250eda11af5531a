//! Test functions of a text: their names and bodies.

use review_loop_sdk::code::{Language, Token, TokenKind, closing};

/// One test.
#[derive(Debug, Clone)]
pub(crate) struct TestFunction<'a> {
    /// Its name, or the words that it is called by, in their quotes.
    pub(crate) name: &'a str,
    /// The line of the name.
    pub(crate) line: u32,
    /// What stands between its brackets, or indented below it; comments too.
    pub(crate) body: &'a [Token<'a>],
}

impl<'a> TestFunction<'a> {
    /// The body without comments.
    pub(crate) fn code(&self) -> impl Iterator<Item = &'a Token<'a>> {
        self.body.iter().filter(|token| token.kind != TokenKind::Comment)
    }

    /// Whether anything in it can make the test fail by its own words: an assertion, a panic, an unwrapped error.
    pub(crate) fn can_fail(&self) -> bool {
        self.code().any(|token| is_asserting(token))
    }
}

/// Whether a token looks as if it decided over a test.
pub(crate) fn is_asserting(token: &Token<'_>) -> bool {
    let word = matches!(token.kind, TokenKind::Ident | TokenKind::Keyword);
    let lower = token.text.to_ascii_lowercase();
    (word && ASSERTING.iter().any(|part| lower.contains(part))) || token.is("?")
}

/// Parts of names that tests decide by. Wide on purpose: what is among them is left alone.
const ASSERTING: &[&str] = &[
    "assert",
    "check",
    "compare",
    "done",
    "ensure",
    "equal",
    "err",
    "expect",
    "fail",
    "fatal",
    "golden",
    "insta",
    "match",
    "must",
    "panic",
    "plan",
    "raise",
    "reject",
    "require",
    "resolve",
    "should",
    "snapshot",
    "success",
    "test",
    "throw",
    "todo",
    "unreachable",
    "unwrap",
    "valid",
    "verif",
];

/// The tests of a text, in order, none inside another. Languages without a known form of tests: none.
pub(crate) fn test_functions<'a>(text: &str, tokens: &'a [Token<'a>], language: Language) -> Vec<TestFunction<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let test = match language {
            Language::Rust => rust(tokens, at),
            Language::Go => go(tokens, at),
            Language::JavaScript | Language::TypeScript => js(tokens, at),
            Language::Python => python(text, tokens, at),
            Language::Java | Language::Kotlin => junit(tokens, at),
            _ => None,
        };
        at = match test {
            Some((test, end)) => {
                found.push(test);
                end
            }
            None => at + 1,
        };
    }
    found
}

type Found<'a> = Option<(TestFunction<'a>, usize)>;

fn text_at<'a>(tokens: &[Token<'a>], at: usize) -> &'a str {
    tokens.get(at).map_or("", |token| token.text)
}

/// The test whose name stands at `name` and whose body opens at `open`.
fn braced<'a>(tokens: &'a [Token<'a>], name: usize, open: usize) -> Found<'a> {
    let close = closing(tokens, open).filter(|_| text_at(tokens, open) == "{")?;
    let named = tokens.get(name).filter(|token| matches!(token.kind, TokenKind::Ident | TokenKind::Str))?;
    let body = tokens.get(open + 1..close)?;
    Some((TestFunction { name: named.text, line: named.line, body }, close + 1))
}

/// `#[test]`, `#[tokio::test]`, and more attributes before `fn`.
fn rust<'a>(tokens: &'a [Token<'a>], at: usize) -> Found<'a> {
    let attribute_end = |at: usize| {
        (text_at(tokens, at) == "#" && text_at(tokens, at + 1) == "[").then(|| closing(tokens, at + 1)).flatten()
    };
    let mut end = attribute_end(at)?;
    let last = tokens.get(at + 2..end)?.iter().take_while(|token| token.text != "(").last()?;
    if last.text != "test" {
        return None;
    }
    while let Some(next) = attribute_end(end + 1) {
        if tokens.get(end + 1..next)?.iter().any(|token| token.text == "should_panic") {
            return None;
        }
        end = next;
    }
    let function = (end + 1..end + 4).find(|&index| text_at(tokens, index) == "fn")?;
    let parameters = closing(tokens, function + 2).filter(|_| text_at(tokens, function + 2) == "(")?;
    let open = (parameters + 1..tokens.len()).find(|&index| matches!(text_at(tokens, index), "{" | ";"))?;
    // With parameters it belongs to a macro that calls it with values of its own.
    braced(tokens, function + 1, open).filter(|_| parameters == function + 3)
}

/// `func TestX(t *testing.T) {`.
fn go<'a>(tokens: &'a [Token<'a>], at: usize) -> Found<'a> {
    let named =
        text_at(tokens, at) == "func" && text_at(tokens, at + 1).starts_with("Test") && text_at(tokens, at + 2) == "(";
    let parameters = closing(tokens, at + 2).filter(|_| named)?;
    let of_a_test = tokens.get(at + 2..parameters)?.iter().any(|token| token.text == "T");
    braced(tokens, at + 1, parameters + 1).filter(|_| of_a_test)
}

/// `it("...", () => {` and `test("...", async function () {`.
fn js<'a>(tokens: &'a [Token<'a>], at: usize) -> Found<'a> {
    let called = matches!(text_at(tokens, at), "it" | "test")
        && text_at(tokens, at + 1) == "("
        && text_at(tokens, at + 3) == ",";
    let alone = at.checked_sub(1).is_none_or(|before| !matches!(text_at(tokens, before), "." | "function"));
    if !called || !alone || tokens.get(at + 2)?.kind != TokenKind::Str {
        return None;
    }
    let mut next = at + 4;
    while matches!(text_at(tokens, next), "async" | "function") {
        next += 1;
    }
    let parameters = if text_at(tokens, next) == "(" { closing(tokens, next)? } else { next };
    let arrow = usize::from(text_at(tokens, parameters + 1) == "=>");
    braced(tokens, at + 2, parameters + 1 + arrow)
}

/// `def test_x(...):` and what is indented below.
fn python<'a>(text: &str, tokens: &'a [Token<'a>], at: usize) -> Found<'a> {
    let name = tokens.get(at + 1).filter(|name| text_at(tokens, at) == "def" && name.text.starts_with("test"))?;
    let parameters = closing(tokens, at + 2).filter(|_| text_at(tokens, at + 2) == "(")?;
    let colon = (parameters + 1..tokens.len()).find(|&index| text_at(tokens, index) == ":")?;
    let indent = |token: &Token<'_>| {
        let before = text.get(..token.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        before.chars().all(char::is_whitespace).then_some(before.len())
    };
    let start = tokens.get(at).and_then(indent).or_else(|| tokens.get(at.checked_sub(1)?).and_then(indent))?;
    let ends = |token: &Token<'_>| token.kind != TokenKind::Comment && indent(token).is_some_and(|it| it <= start);
    let end = (colon + 1..tokens.len()).find(|&index| tokens.get(index).is_some_and(ends)).unwrap_or(tokens.len());
    let body = tokens.get(colon + 1..end)?;
    Some((TestFunction { name: name.text, line: name.line, body }, end))
}

/// `@Test` ... `void name() {`.
fn junit<'a>(tokens: &'a [Token<'a>], at: usize) -> Found<'a> {
    let test = text_at(tokens, at) == "@" && text_at(tokens, at + 1) == "Test" && text_at(tokens, at + 2) != "(";
    let open = (at + 2..(at + 40).min(tokens.len()))
        .find(|&index| matches!(text_at(tokens, index), "{" | "}"))
        .filter(|_| test)?;
    let parameters = (at + 2..open).rev().find(|&index| text_at(tokens, index) == "(")?;
    braced(tokens, parameters.checked_sub(1)?, open)
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::code::tokens;

    use super::*;

    fn shown(text: &str, language: Language) -> String {
        let tokens = tokens(text, language);
        let tests = test_functions(text, &tokens, language);
        tests.iter().map(|t| format!("{}:{}/{}", t.name, t.line, t.body.len())).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tests_are_found_with_their_bodies() {
        let check = |language, text, expect: &str| assert_eq!(shown(text, language), expect);
        check(
            Language::Rust,
            "#[test]\n#[cfg(unix)]\nasync fn a() -> R {\n  b();\n}\nfn c() {}\n#[tokio::test]\nfn d() {}\n#[test]\n#[should_panic]\nfn e() { f() }\n",
            "a:3/4 d:8/0",
        );
        check(
            Language::Go,
            "func TestA(t *testing.T) {\n\tb()\n}\nfunc Testing() {}\nfunc TestMain(m *testing.M) { c() }\n",
            "TestA:1/3",
        );
        check(
            Language::JavaScript,
            "it('a', async () => {\n  b();\n})\ntest(\"c\", function (done) {});\nx.test('d', () => { e() })\nit('f', g)\n",
            "'a':1/4 \"c\":4/0",
        );
        check(
            Language::Python,
            "class T:\n    def test_a(self) -> None:\n        b()\n        # c\n\n    async def test_d(self):\n        pass\nx()\n",
            "test_a:2/4 test_d:6/1",
        );
        check(Language::Java, "class T {\n  @Test\n  public void a() throws E {\n    b();\n  }\n}\n", "a:3/4");
    }
}
