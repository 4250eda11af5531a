//! Splits a text into tokens.

use super::Language;
use super::literal;
use super::syntax::{Quote, Syntax, Trait};
use super::token::{Token, TokenKind, line_feeds};
use crate::work;

/// The tokens of a text, in order, without white space. Takes any text: what cannot be read becomes [`TokenKind::Punct`],
/// and what is not closed ends with its line. Takes time linear in the text.
#[must_use]
pub fn tokens(text: &str, language: Language) -> Vec<Token<'_>> {
    let mut lexer = Lexer {
        text,
        syntax: language.syntax(),
        keywords: sorted(language.keywords().collect()),
        tokens: Vec::with_capacity(text.len() / 5),
        at: 0,
        line: 1,
        depth: 0,
        unclosed: Vec::new(),
        last: None,
        slashes: (0, 0),
    };
    // A byte order mark is no part of the first statement.
    lexer.skip(text.len() - text.trim_start_matches('\u{feff}').len());
    lexer.skip_to_php();
    while lexer.step() {}
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    syntax: &'static Syntax,
    /// Sorted.
    keywords: Vec<&'static str>,
    tokens: Vec<Token<'a>>,
    at: usize,
    line: u32,
    /// Open brackets.
    depth: usize,
    /// Opening marks that were found to have no closing one in the rest of the text. Not looked for again: that keeps
    /// the time linear.
    unclosed: Vec<&'static str>,
    /// The last token that is no comment.
    last: Option<Token<'a>>,
    /// The line on which expressions between slashes were begun and not closed, and how often.
    slashes: (u32, u32),
}

/// So many slashes of one line may begin an expression that is not closed on it; the others divide. Each is followed to
/// the end of the line, and a line may be a whole file.
const MAX_OPEN_SLASHES: u32 = 64;

impl<'a> Lexer<'a> {
    /// Reads one token or skips one character; false at the end.
    fn step(&mut self) -> bool {
        work::add(1);
        let Some(first) = self.rest().chars().next() else {
            return false;
        };
        if self.leaves_php() {
            return true;
        }
        if let Some(length) = self.comment() {
            self.push(TokenKind::Comment, length);
        } else if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else if let Some((kind, length)) = self.literal(first) {
            self.push(kind, length);
        } else if first.is_ascii_digit() {
            self.push(TokenKind::Number, number_length(self.rest()));
        } else if let Some(length) = self.name_length(first) {
            let kind = if self.is_keyword(length) { TokenKind::Keyword } else { TokenKind::Ident };
            self.push(kind, length);
        } else {
            self.punct(first);
        }
        true
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn has(&self, wanted: Trait) -> bool {
        self.syntax.traits.contains(&wanted)
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let text = self.rest().get(..length).unwrap_or(self.rest());
        let token = Token { kind, text, start: self.at, line: self.line };
        // A block comment that starts with a line, as in Ruby, begins with the line feed before it.
        let leading = text.len() - text.trim_start_matches('\n').len();
        let line = self.line + leading as u32;
        let token = Token { text: &text[leading..], start: self.at + leading, line, ..token };
        self.tokens.push(token);
        if kind != TokenKind::Comment {
            self.last = Some(token);
        }
        self.skip(text.len());
    }

    fn skip(&mut self, length: usize) {
        self.line += line_feeds(self.rest().get(..length).unwrap_or_default());
        self.at += length;
    }

    fn before(&self) -> Option<char> {
        self.text.get(..self.at).and_then(|text| text.chars().next_back())
    }

    /// Whether nothing but white space stands before this point in its line.
    fn starts_line(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default();
        before.chars().rev().take_while(|c| *c != '\n').inspect(|_| work::add(1)).all(char::is_whitespace)
    }

    fn comment(&mut self) -> Option<usize> {
        let rest = self.rest();
        for (open, close) in self.syntax.block_comments {
            if rest.starts_with(open) && !self.unclosed.contains(open) {
                let nested = self.has(Trait::NestedComments).then_some(*open);
                let length = literal::block_length(rest, open, close, nested);
                if length.is_none() {
                    self.unclosed.push(open);
                }
                if length.is_some() || !open.starts_with('\n') {
                    return Some(length.unwrap_or_else(|| literal::line_length(rest)));
                }
            }
        }
        let opens = self.syntax.line_comments.iter().any(|open| rest.starts_with(open));
        (opens && self.may_start_comment()).then(|| literal::line_length(rest))
    }

    fn may_start_comment(&self) -> bool {
        if self.has(Trait::CommentAtLineStart) {
            return self.starts_line();
        }
        !self.has(Trait::CommentAtWordStart) || self.before().is_none_or(|c| c.is_whitespace() || ";(){}&|".contains(c))
    }

    fn literal(&mut self, first: char) -> Option<(TokenKind, usize)> {
        if let Some(length) = self.raw_length(first) {
            return Some((TokenKind::Str, length));
        }
        if self.has(Trait::RustLiterals)
            && let Some(found) = literal::rust(self.rest())
        {
            return Some(found);
        }
        if self.has(Trait::JsLiterals) {
            match first {
                '`' => return Some((TokenKind::Str, literal::template_length(self.rest()))),
                '/' if self.value_may_start() => return self.regex_length().map(|length| (TokenKind::Str, length)),
                _ => {}
            }
        }
        let length = self.string_length()?;
        let kind = if self.is_doc_string(length) { TokenKind::Comment } else { TokenKind::Str };
        Some((kind, length))
    }

    fn raw_length(&mut self, first: char) -> Option<usize> {
        let (name, length): (_, literal::Measure) = match first {
            'r' | 'b' | 'c' if self.has(Trait::RustLiterals) => ("r\"", literal::rust_raw_length),
            'R' if self.has(Trait::CppRawStrings) => ("R\"", literal::cpp_raw_length),
            '#' if self.has(Trait::SwiftRawStrings) => ("#\"", literal::hashed_length),
            '<' if self.has(Trait::HereDocuments) => ("<<", literal::here_length),
            _ => return None,
        };
        if self.unclosed.contains(&name) {
            return None;
        }
        let closed = length(self.rest())?;
        if closed.is_none() {
            self.unclosed.push(name);
        }
        closed
    }

    fn string_length(&mut self) -> Option<usize> {
        let rest = self.rest();
        let prefix = self.prefix_length(rest);
        let body = rest.get(prefix..)?;
        let quote = self.syntax.strings.iter().find(|quote| body.starts_with(quote.open))?;
        if self.has(Trait::QuoteAtValueStart) && !self.yaml_value_starts() {
            return None;
        }
        Some(prefix + self.quoted_length(body, quote))
    }

    fn prefix_length(&self, rest: &str) -> usize {
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let word = rest.get(..length).unwrap_or_default();
        let known = length > 0 && length < 4 && self.syntax.prefixes.split(' ').any(|prefix| prefix == word);
        if known { length } else { 0 }
    }

    fn quoted_length(&mut self, body: &str, quote: &'static Quote) -> usize {
        let multiline = quote.multiline && !self.unclosed.contains(&quote.open);
        let length = literal::quoted_length(body, quote, multiline);
        if length.is_none() && multiline {
            self.unclosed.push(quote.open);
        }
        length.unwrap_or_else(|| literal::quoted_length(body, quote, false).unwrap_or(literal::line_length(body)))
    }

    fn is_doc_string(&self, length: usize) -> bool {
        let text = self.rest().get(..length).unwrap_or_default();
        let starts_block = || self.last.is_none_or(|token| token.text == ":");
        self.has(Trait::DocStrings)
            && self.depth == 0
            && self.starts_line()
            && starts_block()
            && text.trim_start_matches(|c: char| c.is_ascii_alphabetic()).starts_with(['"', '\''])
    }

    /// Whether `/` starts a regular expression and does not divide.
    fn value_may_start(&self) -> bool {
        match self.last {
            None => true,
            Some(last) => match last.kind {
                TokenKind::Punct => !matches!(last.text, ")" | "]" | "}" | "++" | "--" | "<"),
                TokenKind::Keyword => !matches!(last.text, "this" | "super" | "null" | "true" | "false" | "undefined"),
                _ => false,
            },
        }
    }

    /// The length of an expression between slashes; none where it is not closed on its line.
    fn regex_length(&mut self) -> Option<usize> {
        if self.slashes.0 != self.line {
            self.slashes = (self.line, 0);
        }
        if self.slashes.1 >= MAX_OPEN_SLASHES {
            return None;
        }
        let length = literal::regex_length(self.rest());
        self.slashes.1 += u32::from(length.is_none());
        length
    }

    fn yaml_value_starts(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default();
        let before = before.trim_end_matches([' ', '\t']).chars().next_back();
        before.is_none_or(|c| ":-[{,\n".contains(c))
    }

    fn name_length(&self, first: char) -> Option<usize> {
        let extra = self.syntax.name_characters;
        let starts = first.is_alphabetic() || first == '_' || (first != '-' && first != '.' && extra.contains(first));
        let goes_on = |c: &char| c.is_alphanumeric() || *c == '_' || extra.contains(*c);
        starts.then(|| self.rest().chars().take_while(goes_on).map(char::len_utf8).sum())
    }

    fn is_keyword(&self, length: usize) -> bool {
        let word = self.rest().get(..length).unwrap_or_default();
        if self.has(Trait::KeywordsIgnoreCase) {
            return self.keywords.binary_search(&word.to_ascii_lowercase().as_str()).is_ok();
        }
        self.keywords.binary_search(&word).is_ok()
    }

    fn punct(&mut self, first: char) {
        match first {
            '(' | '[' | '{' => self.depth += 1,
            ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        let rest = self.rest();
        let operator = OPERATORS.iter().find(|operator| rest.starts_with(*operator));
        self.push(TokenKind::Punct, operator.map_or(first.len_utf8(), |operator| operator.len()));
    }

    fn leaves_php(&mut self) -> bool {
        let leaves = self.has(Trait::PhpTags) && self.rest().starts_with("?>");
        if leaves {
            self.skip(2);
            self.skip_to_php();
        }
        leaves
    }

    /// Skips what is not PHP. A text without any opening mark is taken for a piece of code.
    fn skip_to_php(&mut self) {
        if self.has(Trait::PhpTags) && (self.at > 0 || self.text.contains("<?")) {
            let opening = self.rest().find("<?");
            let word = |at: usize| if self.rest()[at..].starts_with("<?php") { 5 } else { 2 };
            self.skip(opening.map_or(self.rest().len(), |at| (at + word(at)).min(self.rest().len())));
        }
    }
}

/// Longest first.
const OPERATORS: &[&str] = &[
    "...", "..=", "===", "!==", "**=", "??=", "&&=", "||=", "<=>", "->", "=>", "::", ":=", "==", "!=", "<=", ">=",
    "&&", "||", "??", "?.", "..", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "=~",
];

fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut length = 0;
    while let Some(byte) = bytes.get(length) {
        let next = bytes.get(length + 1);
        let previous = length.checked_sub(1).and_then(|at| bytes.get(at));
        let decimal = !rest.starts_with("0x") && !rest.starts_with("0X");
        let goes_on = match byte {
            b'.' => next.is_some_and(u8::is_ascii_digit),
            b'+' | b'-' => decimal && matches!(previous, Some(b'e' | b'E')) && next.is_some_and(u8::is_ascii_digit),
            other => other.is_ascii_alphanumeric() || *other == b'_',
        };
        if !goes_on {
            break;
        }
        length += 1;
    }
    length
}

fn sorted(mut words: Vec<&'static str>) -> Vec<&'static str> {
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::{definitions, test_lines};

    /// Kind and text of every token, one a line.
    fn show(text: &str, language: Language) -> String {
        let letter = |kind| match kind {
            TokenKind::Ident => 'i',
            TokenKind::Keyword => 'k',
            TokenKind::Number => 'n',
            TokenKind::Str => 's',
            TokenKind::Punct => 'p',
            TokenKind::Comment => 'c',
        };
        let shown =
            tokens(text, language).into_iter().map(|t| format!("{}:{}", letter(t.kind), t.text.replace('\n', "~")));
        shown.collect::<Vec<_>>().join(" ")
    }

    fn check(language: Language, text: &str, expect: &str) {
        assert_eq!(show(text, language), expect, "{} of {text:?}", language.name());
    }

    #[test]
    fn rust_literals_and_comments() {
        check(Language::Rust, "let a = r#\"x\"y\"#;", "k:let i:a p:= s:r#\"x\"y\"# p:;");
        check(
            Language::Rust,
            "f::<'a>('a', '\\'', b'\"')",
            "i:f p::: p:< i:'a p:> p:( s:'a' p:, s:'\\'' p:, s:b'\"' p:)",
        );
        check(Language::Rust, "/* a /* b */ c */ x // y\nz", "c:/* a /* b */ c */ i:x c:// y i:z");
        check(Language::Rust, "0..1_000u32 1.5e-3 r#type br\"\\\"", "n:0 p:.. n:1_000u32 n:1.5e-3 i:r#type s:br\"\\\"");
        check(Language::Rust, "\"a~b\\\"\" x", "s:\"a~b\\\"\" i:x");
        check(Language::Rust, "r#\"never closed\nfn a", "i:r p:# s:\"never closed k:fn i:a");
    }

    #[test]
    fn javascript_templates_and_regular_expressions() {
        check(Language::JavaScript, "x = /[/'\"]/g.test(y) / 2", "i:x p:= s:/[/'\"]/g p:. i:test p:( i:y p:) p:/ n:2");
        check(Language::TypeScript, "`a ${b ? `c}` : {d}} e` f", "s:`a ${b ? `c}` : {d}} e` i:f");
        check(Language::JavaScript, "<b>don't</b>\nnext", "p:< i:b p:> i:don s:'t</b> i:next");
        check(Language::JavaScript, "a?.b ?? c === $d", "i:a p:?. i:b p:?? i:c p:=== i:$d");
    }

    #[test]
    fn python_strings_and_documentation() {
        check(
            Language::Python,
            "def f():\n  \"\"\"doc\"\"\"\n  return rb'x'",
            "k:def i:f p:( p:) p:: c:\"\"\"doc\"\"\" k:return s:rb'x'",
        );
        check(Language::Python, "'''module'''\nx = '''a\nb'''", "c:'''module''' i:x p:= s:'''a~b'''");
        check(Language::Python, "f(\n  'a',\n  \"b\" # c\n)", "i:f p:( s:'a' p:, s:\"b\" c:# c p:)");
    }

    #[test]
    fn comments_only_where_they_may_start() {
        check(Language::Shell, "echo $# a#b 'c # d' # e", "i:echo p:$ p:# i:a p:# i:b s:'c # d' c:# e");
        check(Language::Yaml, "a: don't # b\nc: 'd # e'", "i:a p:: i:don p:' i:t c:# b i:c p:: s:'d # e'");
        check(Language::Ini, "; a\nb = c;d # e", "c:; a i:b p:= i:c p:; i:d p:# i:e");
        check(
            Language::Css,
            "a{b:url(http://x)} // c",
            "i:a p:{ i:b p:: i:url p:( i:http p:: p:/ p:/ i:x p:) p:} c:// c",
        );
    }

    #[test]
    fn whole_literals_of_other_languages() {
        check(Language::Go, "s := `a\n\"`", "i:s p::= s:`a~\"`");
        check(Language::Cpp, "R\"x(a)\")x\" b", "s:R\"x(a)\")x\" i:b");
        check(Language::CSharp, "@\"a\\\" + $\"b\\\"\"", "s:@\"a\\\" p:+ s:$\"b\\\"\"");
        check(Language::Swift, "#\"a\"b\"# c", "s:#\"a\"b\"# i:c");
        check(Language::Ruby, "a = <<~SQL\n  it's\nSQL\nb", "i:a p:= s:<<~SQL~  it's~SQL i:b");
        check(Language::Ruby, "a\n=begin\nit's\n=end\nb", "i:a c:=begin~it's~=end i:b");
        check(Language::Php, "<p>don't</p><?php $a = 'b'; ?>it's<?= $c ?>", "i:$a p:= s:'b' p:; p:= i:$c");
        check(Language::Sql, "select 'it''s' -- x\nFrom t", "k:select s:'it''s' c:-- x k:From i:t");
        check(Language::Lua, "--[[ a\nb ]] c = [[d]]", "c:--[[ a~b ]] i:c p:= s:[[d]]");
        check(Language::Html, "<!-- a --><p>it's</p>", "c:<!-- a --> p:< i:p p:> i:it p:' i:s p:< p:/ i:p p:>");
        check(Language::Toml, "a-b = '''c\n''' # d", "i:a-b p:= s:'''c~''' c:# d");
    }

    fn any_language() -> impl Strategy<Value = Language> {
        const ALL: &[&str] = &[
            "rs",
            "js",
            "ts",
            "py",
            "go",
            "java",
            "kt",
            "scala",
            "c",
            "cc",
            "cs",
            "swift",
            "rb",
            "php",
            "sh",
            "lua",
            "pl",
            "dart",
            "ex",
            "hs",
            "r",
            "sql",
            "css",
            "html",
            "toml",
            "yaml",
            "json",
            "ini",
            "mk",
            "dockerfile",
            "tf",
        ];
        prop::sample::select(ALL).prop_filter_map("a language", |extension| Language::of(&format!("a.{extension}")))
    }

    proptest! {
        /// Whatever the text: no panic, tokens in order that are pieces of it, and nothing but white space between them
        /// (a template language's own text aside).
        #[test]
        fn any_text_is_covered(
            language in any_language(),
            parts in prop::collection::vec(prop_oneof![
                prop::sample::select(vec![
                    "\"", "'", "`", "\\", "\n", "\r\n", "/*", "*/", "//", "#", "--", "${", "}", "r#\"", "\"#", "R\"x(", "<<EOF\n", "EOF",
                    "\"\"\"", "\'\'\'", "=begin", "def a", "fn b(", "#[test]", "<?php", "?>", "[[", "{-", "é", "日本", "0x1e+5", "b'", "@\"", "/[", "def", ":", " ",
                ]).prop_map(str::to_owned),
                any::<char>().prop_map(String::from),
            ], 0..60),
        ) {
            let text = parts.concat();
            let all = tokens(&text, language);
            let lines = 1 + text.matches('\n').count() as u32;
            prop_assert!(definitions(&text, &all, language).iter().all(|found| found.last_line <= lines));
            prop_assert!(test_lines(&all, language).iter().all(|(first, last)| first <= last && *last <= lines));
            let mut at = 0;
            for token in all {
                prop_assert!(token.start >= at && !token.text.is_empty());
                prop_assert_eq!(text.get(token.start..token.start + token.text.len()), Some(token.text));
                let between = text[at..token.start].trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
                prop_assert!(language == Language::Php || between.is_empty());
                prop_assert_eq!(token.line as usize, 1 + text[..token.start].matches('\n').count());
                at = token.start + token.text.len();
            }
        }
    }

    #[test]
    fn the_work_grows_with_the_text_whatever_stands_in_it() {
        for (extension, piece) in [
            ("py", "\"a\"\n"),
            ("py", "'"),
            ("py", "password = "),
            ("js", "=/["),
            ("js", "/**/ /"),
            ("js", "`${"),
            ("rs", "/*"),
            ("rs", "r#\""),
            ("rs", "'\\"),
            ("swift", "#"),
            ("sh", "<<AB "),
            ("cpp", "R\"("),
            ("json", "(["),
        ] {
            let language = Language::of(&format!("a.{extension}")).unwrap();
            work::assert_linear(&format!("{piece} in {extension}"), 2_000, |n| {
                let _ = tokens(&piece.repeat(n), language);
            });
        }
        work::assert_linear("comments inside of comments", 2_000, |n| {
            let _ = tokens(&("/*".repeat(n) + &"*/".repeat(n)), Language::Rust);
        });
    }

    #[test]
    fn lines_are_counted_inside_of_tokens() {
        let text = "a\n/* b\n */ c \"\nd\"\ne";
        let lines: Vec<_> = tokens(text, Language::Rust).iter().map(|t| (t.line, t.end_line())).collect();
        assert_eq!(lines, [(1, 1), (2, 3), (3, 3), (3, 4), (5, 5)]);
        let after_comment: Vec<_> = tokens("=begin\n", Language::Ruby).iter().map(|t| t.line).collect();
        assert_eq!(after_comment, [1, 1]);
    }
}
