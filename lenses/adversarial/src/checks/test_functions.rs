//! Test functions of a text: their names and bodies.

use review_loop_sdk::code::{Language, Token, TokenKind, brackets, indents};

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
    let reader = Reader { tokens, brackets: brackets(tokens), indents: indents(text, tokens) };
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let test = match language {
            Language::Rust => reader.rust(at),
            Language::Go => reader.go(at),
            Language::JavaScript | Language::TypeScript => reader.js(at),
            Language::Python => reader.python(at),
            Language::Java | Language::Kotlin => reader.junit(at),
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

/// So many tokens are looked at for the start of a body: where none follows, each test would be followed to the end.
const FARTHEST: usize = 2_000;

/// No test has more attributes between its own and `fn`.
const MOST_ATTRIBUTES: usize = 64;

type Found<'a> = Option<(TestFunction<'a>, usize)>;

/// A text's tokens, and how they stand to each other.
struct Reader<'a> {
    tokens: &'a [Token<'a>],
    brackets: Vec<Option<usize>>,
    indents: Vec<Option<usize>>,
}

impl<'a> Reader<'a> {
    fn text_at(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn closing(&self, at: usize) -> Option<usize> {
        self.brackets.get(at).copied().flatten().filter(|closing| *closing > at)
    }

    /// The test whose name stands at `name` and whose body opens at `open`.
    fn braced(&self, name: usize, open: usize) -> Found<'a> {
        let close = self.closing(open).filter(|_| self.text_at(open) == "{")?;
        let named = self.tokens.get(name).filter(|token| matches!(token.kind, TokenKind::Ident | TokenKind::Str))?;
        let body = self.tokens.get(open + 1..close)?;
        Some((TestFunction { name: named.text, line: named.line, body }, close + 1))
    }

    /// `#[test]`, `#[tokio::test]`, and more attributes before `fn`.
    fn rust(&self, at: usize) -> Found<'a> {
        let attribute_end = |at: usize| {
            (self.text_at(at) == "#" && self.text_at(at + 1) == "[").then(|| self.closing(at + 1)).flatten()
        };
        let mut end = attribute_end(at)?;
        let last = self.tokens.get(at + 2..end)?.iter().take_while(|token| token.text != "(").last()?;
        if last.text != "test" {
            return None;
        }
        for _ in 0..MOST_ATTRIBUTES {
            let Some(next) = attribute_end(end + 1) else { break };
            if self.tokens.get(end + 1..next)?.iter().any(|token| token.text == "should_panic") {
                return None;
            }
            end = next;
        }
        let function = (end + 1..end + 4).find(|&index| self.text_at(index) == "fn")?;
        let parameters = self.closing(function + 2).filter(|_| self.text_at(function + 2) == "(")?;
        let mut behind = (parameters + 1..self.tokens.len()).take(FARTHEST);
        let open = behind.find(|&index| matches!(self.text_at(index), "{" | ";"))?;
        // With parameters it belongs to a macro that calls it with values of its own.
        self.braced(function + 1, open).filter(|_| parameters == function + 3)
    }

    /// `func TestX(t *testing.T) {`.
    fn go(&self, at: usize) -> Found<'a> {
        let named =
            self.text_at(at) == "func" && self.text_at(at + 1).starts_with("Test") && self.text_at(at + 2) == "(";
        let parameters = self.closing(at + 2).filter(|_| named)?;
        let of_a_test = self.tokens.get(at + 2..parameters)?.iter().any(|token| token.text == "T");
        self.braced(at + 1, parameters + 1).filter(|_| of_a_test)
    }

    /// `it("...", () => {` and `test("...", async function () {`.
    fn js(&self, at: usize) -> Found<'a> {
        let called =
            matches!(self.text_at(at), "it" | "test") && self.text_at(at + 1) == "(" && self.text_at(at + 3) == ",";
        let alone = at.checked_sub(1).is_none_or(|before| !matches!(self.text_at(before), "." | "function"));
        if !called || !alone || self.tokens.get(at + 2)?.kind != TokenKind::Str {
            return None;
        }
        let mut next = at + 4;
        while matches!(self.text_at(next), "async" | "function") {
            next += 1;
        }
        let parameters = if self.text_at(next) == "(" { self.closing(next)? } else { next };
        let arrow = usize::from(self.text_at(parameters + 1) == "=>");
        self.braced(at + 2, parameters + 1 + arrow)
    }

    /// `def test_x(...):` and what is indented below.
    fn python(&self, at: usize) -> Found<'a> {
        let name = self.tokens.get(at + 1).filter(|name| self.text_at(at) == "def" && name.text.starts_with("test"))?;
        let parameters = self.closing(at + 2).filter(|_| self.text_at(at + 2) == "(")?;
        let mut behind = (parameters + 1..self.tokens.len()).take(FARTHEST);
        let colon = behind.find(|&index| self.text_at(index) == ":")?;
        let indent = |index: usize| self.indents.get(index).copied().flatten();
        let start = indent(at).or_else(|| indent(at.checked_sub(1)?))?;
        let is_code = |index: usize| self.tokens.get(index).is_some_and(|token| token.kind != TokenKind::Comment);
        let ends = |&index: &usize| is_code(index) && indent(index).is_some_and(|it| it <= start);
        let end = (colon + 1..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
        let body = self.tokens.get(colon + 1..end)?;
        Some((TestFunction { name: name.text, line: name.line, body }, end))
    }

    /// `@Test` ... `void name() {`.
    fn junit(&self, at: usize) -> Found<'a> {
        let test = self.text_at(at) == "@" && self.text_at(at + 1) == "Test" && self.text_at(at + 2) != "(";
        let open = (at + 2..(at + 40).min(self.tokens.len()))
            .find(|&index| matches!(self.text_at(index), "{" | "}"))
            .filter(|_| test)?;
        let parameters = (at + 2..open).rev().find(|&index| self.text_at(index) == "(")?;
        self.braced(parameters.checked_sub(1)?, open)
    }
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
