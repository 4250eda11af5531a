//! One line of a file of attributes.

use super::super::lines;
use super::super::pattern::Pattern;
use super::Value;

/// What a line says.
pub(super) enum Line<'a> {
    /// `[attr]name …`
    Macro(Vec<u8>, Vec<(&'a [u8], Value)>),
    /// `pattern …`
    Rule(Pattern, Vec<(&'a [u8], Value)>),
}

/// Lines from this length on say nothing to git.
const TOO_LONG: usize = 2048;

/// Says what each line says; those that git warns about and ignores are left out.
pub(super) fn all(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    lines(bytes).filter(|line| line.len() < TOO_LONG).filter_map(line)
}

fn line(line: &[u8]) -> Option<Line<'_>> {
    let line = without_blanks(line);
    if line.is_empty() || line.starts_with(b"#") {
        return None;
    }
    match quoted(line) {
        Some((text, rest)) => rule_or_macro(&text, rest),
        None => {
            let (text, rest) = word(line);
            rule_or_macro(text, rest)
        }
    }
}

/// Says what a line says by its first word, and the rest of it.
fn rule_or_macro<'a>(text: &[u8], rest: &'a [u8]) -> Option<Line<'a>> {
    let name = text.strip_prefix(b"[attr]").filter(|name| !name.is_empty());
    // Quotes may hold more than a word, and a zero byte, where git stops to read.
    let until_zero = |text: &'_ [u8]| text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    match name {
        Some(name) => definition(name.get(..until_zero(name))?, rest),
        None => rule(text.get(..until_zero(text))?, rest),
    }
}

fn definition<'a>(name: &[u8], rest: &'a [u8]) -> Option<Line<'a>> {
    let (name, _) = word(without_blanks(name));
    Some(Line::Macro(valid(name)?.to_vec(), assignments(rest)?))
}

/// A pattern with nothing to say, and one that git does not take since it is negative, are as good as none.
fn rule<'a>(pattern: &[u8], rest: &'a [u8]) -> Option<Line<'a>> {
    let pattern = Pattern::new(pattern).filter(|pattern| !pattern.negative)?;
    Some(Line::Rule(pattern, assignments(rest).filter(|assignments| !assignments.is_empty())?))
}

/// One name that is not valid spoils the line.
fn assignments(mut rest: &[u8]) -> Option<Vec<(&[u8], Value)>> {
    let mut all = Vec::new();
    loop {
        rest = without_blanks(rest);
        if rest.is_empty() {
            return Some(all);
        }
        let (assigned, after) = word(rest);
        all.push(assignment(assigned)?);
        rest = after;
    }
}

fn assignment(word: &[u8]) -> Option<(&[u8], Value)> {
    let mut parts = word.splitn(2, |&byte| byte == b'=');
    let (name, value) = (parts.next()?, parts.next());
    let (name, value) = match (name, value) {
        ([b'-', name @ ..], _) => (name, Value::Unset),
        ([b'!', name @ ..], _) => (name, Value::Unspecified),
        (name, Some(value)) => (name, Value::Is(value.to_vec())),
        (name, None) => (name, Value::Set),
    };
    Some((valid(name)?, value))
}

fn valid(name: &[u8]) -> Option<&[u8]> {
    let plain = name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(byte));
    let free = !name.is_empty() && !name.starts_with(b"-") && !name.starts_with(b"builtin_");
    (plain && free).then_some(name)
}

/// Up to the next blank, and the rest.
fn word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(is_blank).unwrap_or(line.len());
    line.split_at_checked(end).unwrap_or((line, b""))
}

fn without_blanks(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|byte| !is_blank(byte)).unwrap_or(line.len());
    line.get(start..).unwrap_or_default()
}

fn is_blank(byte: &u8) -> bool {
    b" \t\r\n".contains(byte)
}

/// What a string in double quotes stands for, as C writes it, and what comes after it; none where it is not one.
fn quoted(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = line.strip_prefix(b"\"")?;
    let mut text = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = match byte {
            b'"' => return Some((text, after)),
            b'\\' => {
                let (byte, after) = escaped(after)?;
                text.push(byte);
                after
            }
            _ => {
                text.push(byte);
                after
            }
        };
    }
}

fn escaped(rest: &[u8]) -> Option<(u8, &[u8])> {
    let (&byte, after) = rest.split_first()?;
    let byte = match byte {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' | b'"' => byte,
        b'0'..=b'3' => return octal(rest),
        _ => return None,
    };
    Some((byte, after))
}

fn octal(rest: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, after) = rest.split_at_checked(3)?;
    let value = digits.iter().try_fold(0u8, |value, digit| match digit {
        b'0'..=b'7' => Some(value << 3 | (digit - b'0')),
        _ => None,
    })?;
    Some((value, after))
}
