//! Rows of tokens to look for, written as text: `verify = False`.
//!
//! Words are separated by a space; `a|b` is either; `'a'` is a string of that content, whatever its quotes; `*` is any
//! one token; `(...)` is a pair of brackets with anything in it.

use review_loop_sdk::code::{Token, TokenKind};

/// The index behind the row of tokens that starts at `at`, where it is the pattern's.
pub(crate) fn matches(tokens: &[&Token<'_>], at: usize, pattern: &str) -> Option<usize> {
    let mut next = at;
    for word in pattern.split(' ') {
        let token = tokens.get(next)?;
        next = match word {
            "(...)" if token.text == "(" => closing(tokens, next)? + 1,
            "*" => next + 1,
            _ if word.split('|').any(|one| is(token, one)) => next + 1,
            _ => return None,
        };
    }
    Some(next)
}

fn is(token: &Token<'_>, wanted: &str) -> bool {
    match wanted.strip_prefix('\'').and_then(|wanted| wanted.strip_suffix('\'')) {
        Some(content) => token.kind == TokenKind::Str && unquoted(token.text) == content,
        None => token.kind != TokenKind::Str && token.text == wanted,
    }
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}

/// The index of the bracket that closes the one at `at`, not too far away.
fn closing(tokens: &[&Token<'_>], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at).take(FAR) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => continue,
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

/// The index of the bracket that is open at `at`, not too far away.
pub(crate) fn opening(tokens: &[&Token<'_>], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for index in (at.saturating_sub(FAR)..at).rev() {
        match tokens.get(index)?.text {
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth == 0 => return Some(index),
            "(" | "[" | "{" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// How many tokens a look for a bracket takes: it bounds the time in a text without one.
const FAR: usize = 400;
