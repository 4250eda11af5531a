//! What a text is split into.

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind,
    /// The text, word for word.
    pub text: &'a str,
    /// Where it starts, in bytes.
    pub start: usize,
    /// The line that it starts on, from 1.
    pub line: u32,
}

impl Token<'_> {
    /// The line that it ends on.
    #[must_use]
    pub fn end_line(&self) -> u32 {
        self.line + line_feeds(self.text)
    }

    /// Whether it is this operator, bracket or keyword.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, TokenKind::Punct | TokenKind::Keyword) && self.text == text
    }
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A name; a lifetime of Rust.
    Ident,
    /// A word that the language keeps for itself.
    Keyword,
    /// A number, with its suffix.
    Number,
    /// A literal in quotes, with its prefix and quotes and everything inside of it; a regular expression of JavaScript.
    Str,
    /// One operator or bracket, the longest that fits; but `>>` is two, as it closes two brackets more often.
    Punct,
    /// A whole comment; a documentation string of Python.
    Comment,
}

/// The index of the bracket that closes what opens at the index `at`; none where nothing does. Where no bracket stands
/// there, it is `at`.
///
/// ```
/// use review_loop_sdk::code::{Language, closing, tokens};
///
/// let tokens = tokens("f(a[0], (b)) {", Language::Rust);
/// assert_eq!((closing(&tokens, 0), closing(&tokens, 1), closing(&tokens, 11)), (Some(0), Some(10), None));
/// ```
#[must_use]
pub fn closing(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

pub(super) fn line_feeds(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}
