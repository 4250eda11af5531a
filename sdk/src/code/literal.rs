//! How long comments and literals are. Every length is in bytes, ends at a character, and is at least one.

use super::syntax::{Escape, Quote};
use super::token::TokenKind;
use crate::work;

/// Measures a raw literal. The outer none: it is not one; the inner none: it is not closed.
pub(super) type Measure = fn(&str) -> Option<Option<usize>>;

/// Up to the end of the line, without the line feed.
pub(super) fn line_length(rest: &str) -> usize {
    rest.find('\n').map_or(rest.len(), |at| if rest[..at].ends_with('\r') { at - 1 } else { at }).max(1)
}

/// A block comment with both marks; none where it is not closed. With `nested`, that mark opens another one inside. Each
/// byte is looked at once.
pub(super) fn block_length(rest: &str, open: &str, close: &str, nested: Option<&str>) -> Option<usize> {
    let Some(nested) = nested else {
        return rest.get(open.len()..)?.find(close).map(|at| open.len() + at + close.len());
    };
    let (bytes, mut at, mut depth) = (rest.as_bytes(), open.len(), 1_usize);
    while depth > 0 {
        work::add(1);
        let here = bytes.get(at..).filter(|here| !here.is_empty())?;
        if here.starts_with(close.as_bytes()) {
            depth -= 1;
            at += close.len();
        } else if here.starts_with(nested.as_bytes()) {
            depth += 1;
            at += nested.len();
        } else {
            at += 1;
        }
    }
    Some(at)
}

/// A string with its quotes; none where it is not closed. One that may not span lines ends before the line feed.
pub(super) fn quoted_length(body: &str, quote: &Quote, multiline: bool) -> Option<usize> {
    let bytes = body.as_bytes();
    let mut at = quote.open.len();
    loop {
        work::add(1);
        let byte = *bytes.get(at)?;
        if quote.escape == Escape::Backslash && byte == b'\\' {
            at += 2;
        } else if byte == b'\n' && !multiline {
            return Some(if bytes.get(at - 1) == Some(&b'\r') && at > quote.open.len() { at - 1 } else { at });
        } else if bytes[at..].starts_with(quote.close.as_bytes()) {
            at += quote.close.len();
            if quote.escape != Escape::Doubled || !bytes[at..].starts_with(quote.close.as_bytes()) {
                return Some(at);
            }
            at += quote.close.len();
        } else {
            at += 1;
        }
    }
}

/// `r"..."`, `br#"..."#`, `cr"..."`. As [`hashed_length`].
pub(super) fn rust_raw_length(rest: &str) -> Option<Option<usize>> {
    let raw = ["r", "br", "cr"].into_iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let prefix = rest.len() - raw.len();
    hashed_length(raw).map(|closed| closed.map(|length| prefix + length))
}

/// Characters, lifetimes and raw names of Rust.
pub(super) fn rust(rest: &str) -> Option<(TokenKind, usize)> {
    if let Some(character) = rest.strip_prefix('\'').or_else(|| rest.strip_prefix("b'")) {
        let prefix = rest.len() - character.len();
        return rust_character(character).map(|(kind, length)| (kind, prefix + length));
    }
    let length = rest.strip_prefix("r#").map(word_length)?;
    (length > 0).then_some((TokenKind::Ident, 2 + length))
}

/// What stands behind `'`.
fn rust_character(rest: &str) -> Option<(TokenKind, usize)> {
    let mut characters = rest.chars();
    let first = characters.next()?;
    if first == '\\' {
        let escaped = characters.next()?.len_utf8() + 1;
        let close = rest.get(escaped..)?.find(['\'', '\n'])?;
        return Some((TokenKind::Str, escaped + close + 1)).filter(|_| rest[escaped + close..].starts_with('\''));
    }
    if characters.next() == Some('\'') {
        return Some((TokenKind::Str, first.len_utf8() + 1));
    }
    let length = word_length(rest);
    (length > 0).then_some((TokenKind::Ident, length))
}

fn word_length(rest: &str) -> usize {
    rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').map(char::len_utf8).sum()
}

/// `#"..."#` with any number of `#`, also none. The outer none: not one; the inner none: not closed.
pub(super) fn hashed_length(rest: &str) -> Option<Option<usize>> {
    let hashes = rest.bytes().take(MAX_HASHES).take_while(|byte| *byte == b'#').count();
    work::add(hashes);
    let body = rest.get(hashes..)?.strip_prefix('"')?;
    let mut from = 0;
    while let Some(at) = body[from..].find('"') {
        from += at + 1;
        if body[from..].bytes().take(hashes).take_while(|byte| *byte == b'#').count() == hashes {
            return Some(Some(hashes + 1 + from + hashes));
        }
    }
    Some(None)
}

/// No raw literal has more `#` than this; Rust takes no more either.
const MAX_HASHES: usize = 255;

/// `R"x(...)x"`.
pub(super) fn cpp_raw_length(rest: &str) -> Option<Option<usize>> {
    let body = rest.strip_prefix("R\"")?;
    let open = body.bytes().take(17).position(|byte| byte == b'(')?;
    let close = format!("){}\"", body.get(..open)?);
    let end = body[open..].find(&close);
    Some(end.map(|end| 2 + open + end + close.len()))
}

/// `<<NAME`, `<<-NAME`, `<<~NAME`, `<<'NAME'` and everything up to the line that is `NAME`.
pub(super) fn here_length(rest: &str) -> Option<Option<usize>> {
    let mark = rest.strip_prefix("<<")?;
    let quoted = mark.trim_start_matches(['-', '~']);
    let word = quoted.strip_prefix(['\'', '"']).unwrap_or(quoted);
    let length = word.bytes().take_while(|byte| byte.is_ascii_uppercase() || *byte == b'_').count();
    let name = word.get(..length).filter(|name| name.len() > 1)?;
    // Where no line follows there is none that closes, here and anywhere behind.
    let end = rest.find('\n');
    work::add(end.unwrap_or(rest.len()));
    let Some(end) = end else { return Some(None) };
    let mut at = end + 1;
    for line in rest[at..].split_inclusive('\n') {
        if line.trim() == name {
            return Some(Some(at + line.trim_end().len()));
        }
        at += line.len();
    }
    Some(None)
}

/// A template string, with the templates inside of its `${...}`. One that is not closed goes to the end.
pub(super) fn template_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    // How many braces are open in each `${...}` around this point; in a template directly where the last is none.
    let mut nesting: Vec<Option<u32>> = vec![None];
    let mut at = 1;
    while let (Some(byte), Some(innermost)) = (bytes.get(at), nesting.last_mut()) {
        match (innermost, byte) {
            (None, b'\\') => at += 1,
            (None, b'`') => {
                nesting.pop();
            }
            (None, b'$') if bytes.get(at + 1) == Some(&b'{') => {
                nesting.push(Some(0));
                at += 1;
            }
            (Some(_), b'`') => nesting.push(None),
            (Some(braces), b'{') => *braces += 1,
            (Some(0), b'}') => {
                nesting.pop();
            }
            (Some(braces), b'}') => *braces -= 1,
            _ => {}
        }
        at += 1;
        if nesting.is_empty() {
            break;
        }
    }
    floor(rest, at)
}

/// `/.../flags` within one line; none where it is not closed.
pub(super) fn regex_length(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut in_class = false;
    let mut at = 1;
    loop {
        work::add(1);
        match bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => break,
            _ => {}
        }
        at += 1;
    }
    let flags = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    Some(at + 1 + flags)
}

/// The last character boundary up to `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
