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

pub(super) fn line_feeds(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}
