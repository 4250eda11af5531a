//! A text's tokens with what a check asks of each: found for all of them in one pass, so that asking costs nothing.

use std::collections::BTreeMap;

use review_loop_sdk::code::{Token, TokenKind, brackets, indents};

/// Tokens and how they stand to each other.
pub(super) struct Code<'a> {
    pub(super) tokens: &'a [Token<'a>],
    brackets: Vec<Option<usize>>,
    indents: Vec<Option<usize>>,
    /// For each token that starts a line, the one before it that starts a line of the same indentation.
    peers: Vec<Option<usize>>,
    /// For each token that starts a line, the last `def` before it of a smaller indentation.
    functions: Vec<Option<usize>>,
    /// How many words that change the flow stand before each token.
    turns: Vec<usize>,
}

/// Words that stand for a way on when something fails, or that begin what stands for itself.
const TURNS: &[&str] =
    &["return", "yield", "break", "continue", "throw", "raise", "import", "del", "catch", "except", "finally", "new"];

impl<'a> Code<'a> {
    pub(super) fn new(text: &str, tokens: &'a [Token<'a>]) -> Self {
        let indents = indents(text, tokens);
        let (peers, functions) = lines(tokens, &indents);
        let turn = |count: &mut usize, token: &Token<'_>| {
            let before = *count;
            *count += usize::from(token.kind != TokenKind::Str && TURNS.contains(&token.text));
            Some(before)
        };
        let turns = tokens.iter().scan(0, turn).collect();
        Self { tokens, brackets: brackets(tokens), indents, peers, functions, turns }
    }

    pub(super) fn text_at(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    pub(super) fn line(&self, at: usize) -> u32 {
        self.tokens.get(at).map_or(0, |token| token.line)
    }

    /// Bytes before the token in its line; none where another token stands before it.
    pub(super) fn indent(&self, at: usize) -> Option<usize> {
        self.indents.get(at).copied().flatten()
    }

    /// The index of the bracket that opens what closes at `at`.
    pub(super) fn opening(&self, at: usize) -> Option<usize> {
        self.brackets.get(at).copied().flatten().filter(|opening| *opening < at)
    }

    /// The index of the bracket that closes what opens at `at`.
    pub(super) fn closing(&self, at: usize) -> Option<usize> {
        self.brackets.get(at).copied().flatten().filter(|closing| *closing > at)
    }

    /// Of a token that starts a line, the last one before it that starts a line of the same indentation.
    pub(super) fn peer(&self, at: usize) -> Option<usize> {
        self.peers.get(at).copied().flatten()
    }

    /// Of a token that starts a line, the last `def` before it of a smaller indentation.
    pub(super) fn function(&self, at: usize) -> Option<usize> {
        self.functions.get(at).copied().flatten()
    }

    /// Whether a word stands among the tokens that changes the flow.
    pub(super) fn turns(&self, from: usize, to: usize) -> bool {
        let before = |at: usize| self.turns.get(at).copied();
        before(from).zip(before(to)).is_some_and(|(first, last)| last > first)
    }
}

type Indices = Vec<Option<usize>>;

/// For each token that starts a line, its peer and its function.
fn lines(tokens: &[Token<'_>], indents: &[Option<usize>]) -> (Indices, Indices) {
    let mut last = BTreeMap::new();
    // The `def`s that may enclose what follows, each deeper than the one before.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let both = |((at, token), indent): ((usize, &Token<'_>), &Option<usize>)| {
        let Some(indent) = *indent else { return (None, None) };
        let shallower = open.partition_point(|(other, _)| *other < indent);
        let function = shallower.checked_sub(1).and_then(|index| open.get(index)).map(|(_, def)| *def);
        if token.text == "def" {
            open.truncate(shallower);
            open.push((indent, at));
        }
        (last.insert(indent, at), function)
    };
    tokens.iter().enumerate().zip(indents).map(both).unzip()
}
