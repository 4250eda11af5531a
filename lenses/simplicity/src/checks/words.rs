//! A text as the words that count for comparing code: without comments, imports, attributes and test items.

use review_loop_sdk::code::{Language, Token, TokenKind, test_lines, tokens};

/// One word of code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    /// Stands for what remains when names are folded into one, and literals into another.
    pub(super) shape: u32,
    /// Stands for the text itself.
    pub(super) text: u32,
    /// The line, from 1.
    pub(super) line: u32,
    pub(super) kind: Kind,
}

/// What matters of a word's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Literal,
    /// A keyword that decides, repeats, leaves or fails: where the work of a function is.
    Logic,
    /// The bracket that opens arguments.
    Call,
    /// A keyword in front of a function's or a type's name.
    Defining,
    /// What only ends or separates.
    Closing,
    Other,
}

/// The words of a text, in its order.
pub(super) fn words(text: &str, language: Language) -> Vec<Word> {
    let tokens = tokens(text, language);
    let tests = test_lines(&tokens, language);
    let in_tests = |line: u32| tests.iter().any(|&(first, last)| (first..=last).contains(&line));
    let mut words = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let skipped = skipped(&tokens, at, language);
        if skipped > 0 {
            at += skipped;
            continue;
        }
        if token.kind != TokenKind::Comment && !in_tests(token.line) {
            let previous = at.checked_sub(1).and_then(|before| tokens.get(before));
            let next = tokens.get(at + 1);
            words.push(word(token, previous, next, language));
        }
        at += 1;
    }
    words
}

fn word(token: &Token<'_>, previous: Option<&Token<'_>>, next: Option<&Token<'_>>, language: Language) -> Word {
    let text = hash(token.text);
    let (shape, kind) = match token.kind {
        TokenKind::Ident => (1, Kind::Name),
        TokenKind::Number | TokenKind::Str => (2, Kind::Literal),
        _ if language == Language::Rust && token.is("for") && !is_loop(previous, next) => (text, Kind::Other),
        _ if DEFINING.contains(&token.text) => (text, Kind::Defining),
        _ if LOGIC.contains(&token.text) => (text, Kind::Logic),
        _ if token.text == "(" && previous.is_some_and(|before| before.kind == TokenKind::Ident) => (text, Kind::Call),
        _ if matches!(token.text, ")" | "]" | "}" | ";" | ",") => (text, Kind::Closing),
        _ => (text, Kind::Other),
    };
    Word { shape, text, line: token.line, kind }
}

/// Whether `for` repeats: it does not in `impl A for B` and `for<'a>`.
fn is_loop(previous: Option<&Token<'_>>, next: Option<&Token<'_>>) -> bool {
    let implements = previous.is_some_and(|token| token.kind == TokenKind::Ident || token.is(">"));
    !implements && !next.is_some_and(|token| token.is("<"))
}

const DEFINING: &[&str] =
    &["fn", "func", "fun", "def", "function", "sub", "class", "struct", "enum", "trait", "interface", "impl"];

const LOGIC: &[&str] = &[
    "if", "elif", "elsif", "else", "unless", "for", "foreach", "while", "until", "loop", "match", "switch", "when",
    "case", "guard", "return", "break", "continue", "next", "yield", "await", "try", "catch", "except", "rescue",
    "finally", "ensure", "throw", "raise", "defer", "?", "with", "&&", "||", "and", "or",
];

/// How many tokens from `at` on say where code comes from, or only decorate it.
fn skipped(tokens: &[Token<'_>], at: usize, language: Language) -> usize {
    let Some(token) = tokens.get(at) else { return 0 };
    let starts_line = at.checked_sub(1).and_then(|before| tokens.get(before)).is_none_or(|b| b.end_line() < token.line);
    if language == Language::Rust && token.is("#") {
        let open = if tokens.get(at + 1).is_some_and(|token| token.is("!")) { at + 2 } else { at + 1 };
        return if tokens.get(open).is_some_and(|token| token.is("[")) { bracketed(tokens, open) - at } else { 0 };
    }
    if !starts_line {
        return 0;
    }
    let import = match language {
        Language::C | Language::Cpp | Language::CSharp if token.is("#") => return line(tokens, at),
        Language::Rust => token.is("use") || (token.is("pub") && tokens.get(at + 1).is_some_and(|next| next.is("use"))),
        Language::CSharp | Language::Cpp => token.is("using"),
        Language::Php => token.is("use") || token.is("namespace"),
        _ => ["import", "from", "package", "require", "require_relative"].iter().any(|word| token.is(word)),
    };
    if import { statement(tokens, at) } else { 0 }
}

/// Up to `;`, or to the end of a line with no bracket open.
fn statement(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match (token.kind, token.text) {
            (TokenKind::Punct, "(" | "{" | "[") => depth += 1,
            (TokenKind::Punct, ")" | "}" | "]") => depth = depth.saturating_sub(1),
            (TokenKind::Punct, ";") if depth == 0 => return index + 1 - at,
            _ => {}
        }
        let ends_line = tokens.get(index + 1).is_none_or(|next| next.line > token.end_line());
        if depth == 0 && ends_line {
            return index + 1 - at;
        }
    }
    tokens.len() - at
}

fn line(tokens: &[Token<'_>], at: usize) -> usize {
    let Some(first) = tokens.get(at) else { return 0 };
    tokens.iter().skip(at).take_while(|token| token.line == first.line).count()
}

/// The index behind the bracket that closes the one at `open`.
fn bracketed(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open).filter(|(_, token)| token.kind == TokenKind::Punct) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// FNV-1a, folded. Numbers 1 and 2 stand for folded words.
fn hash(text: &str) -> u32 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    ((hash >> 32) as u32 ^ hash as u32) | 4
}
