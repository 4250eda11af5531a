//! JSON as it must be read from a model: strict, bounded, and without a parser generator's weight.
//!
//! A component is compiled again on every machine that runs it, and a general library would more than double the size
//! of a small one. What this reader refuses beyond the grammar: a key that stands twice in an object, nesting deeper
//! than [`MAX_DEPTH`], an object of more than [`MAX_FIELDS`] fields, an escape that is half of a surrogate pair. `NaN`
//! and infinities are not JSON in the first place.

use std::fmt;

/// Lists and objects may stand this deep inside each other.
pub const MAX_DEPTH: usize = 32;

/// An object may have this many fields.
pub const MAX_FIELDS: usize = 256;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it was written: how large it may be is for the field that holds it.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// An object, in the order in which it was written. No key stands in it twice.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// A field of an object. None where this is no object, the field is missing, or it is `null`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(fields) = self else { return None };
        let (_, value) = fields.iter().find(|(name, _)| name == key)?;
        (*value != Self::Null).then_some(value)
    }

    /// The text, where this is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The items, where this is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// The value, where this is `true` or `false`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The number, where this is a whole one that fits.
    #[must_use]
    pub fn as_u32(&self) -> Option<u32> {
        if let Self::Number(number) = self { number.parse().ok() } else { None }
    }
}

/// Why a text is not the JSON that was wanted. Its words are fit to be shown to the model that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    what: &'static str,
    /// The text at the place, a few characters of it.
    near: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)?;
        if self.near.is_empty() { Ok(()) } else { write!(f, ", near `{}`", self.near) }
    }
}

impl std::error::Error for Error {}

/// Reads a text that is JSON and nothing else.
///
/// # Errors
/// The text is not JSON, or more than this reader takes.
pub fn read(text: &str) -> Result<Value, Error> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    if reader.rest().is_empty() { Ok(value) } else { Err(reader.error("there is text behind the JSON")) }
}

/// Finds the one object that has the field `key` in a text that may hold prose and code fences around it.
///
/// An object inside of another, or inside of one that is broken, is not looked at: a cut-off reply that quotes a whole
/// one must not pass for it.
///
/// # Errors
/// There is no such object, or more than one.
pub fn extract(text: &str, key: &str) -> Result<Value, Error> {
    let mut found = None;
    let mut broken = None;
    let mut rest = text;
    while let Some(start) = object_start(rest) {
        let object = rest.get(start..).unwrap_or_default();
        let mut reader = Reader { text: object, at: 0 };
        let end = match reader.value(0) {
            Ok(value) => {
                if value.get(key).is_some() && found.replace(value).is_some() {
                    return Err(Error { what: "there is more than one answer", near: String::new() });
                }
                Some(reader.at)
            }
            Err(error) => {
                broken.get_or_insert(error);
                balanced_end(object)
            }
        };
        let Some(end) = end else { break };
        rest = object.get(end..).unwrap_or_default();
    }
    found.ok_or_else(|| {
        broken.unwrap_or(Error { what: "there is no JSON object with the fields asked for", near: String::new() })
    })
}

/// Where the first `{` stands that looks like an object's and not like prose's.
fn object_start(text: &str) -> Option<usize> {
    text.match_indices('{').map(|(at, _)| at).find(|at| {
        let inside = text.get(at + 1..).unwrap_or_default().trim_start_matches(SPACE);
        inside.starts_with(['"', '}'])
    })
}

/// Where the object that starts a text ends, counting brackets outside of strings.
fn balanced_end(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

struct Reader<'a> {
    text: &'a str,
    /// In bytes, always between characters.
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches(SPACE).len();
    }

    fn eat(&mut self, token: &str) -> bool {
        let there = self.rest().starts_with(token);
        self.at += if there { token.len() } else { 0 };
        there
    }

    fn error(&self, what: &'static str) -> Error {
        Error { what, near: self.rest().chars().take(24).collect() }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Error> {
        if depth > MAX_DEPTH {
            return Err(self.error("it is nested too deep"));
        }
        self.space();
        match self.rest().bytes().next() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            None => Err(self.error("it ends in the middle")),
            _ => {
                let words = [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
                let word = words.into_iter().find(|(word, _)| self.eat(word));
                word.map(|(_, value)| value).ok_or_else(|| self.error("a JSON value was expected"))
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Error> {
        let mut fields: Vec<(String, Value)> = Vec::new();
        self.at += 1;
        self.space();
        if self.eat("}") {
            return Ok(Value::Object(fields));
        }
        loop {
            self.space();
            if !self.rest().starts_with('"') {
                return Err(self.error("a field's name in quotes was expected"));
            }
            let name = self.string()?;
            if fields.iter().any(|(other, _)| *other == name) {
                return Err(self.error("a field stands twice"));
            }
            self.space();
            if !self.eat(":") {
                return Err(self.error("a `:` was expected"));
            }
            fields.push((name, self.value(depth + 1)?));
            if fields.len() > MAX_FIELDS {
                return Err(self.error("an object has too many fields"));
            }
            self.space();
            if self.eat("}") {
                return Ok(Value::Object(fields));
            }
            if !self.eat(",") {
                return Err(self.error("a `,` or `}` was expected"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Error> {
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        if self.eat("]") {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.eat("]") {
                return Ok(Value::List(items));
            }
            if !self.eat(",") {
                return Err(self.error("a `,` or `]` was expected"));
            }
        }
    }

    fn number(&mut self) -> Result<Value, Error> {
        let start = self.at;
        self.eat("-");
        let whole = self.digits();
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        let fraction_empty = self.eat(".") && self.digits().is_empty();
        let mut exponent_empty = false;
        if self.eat("e") || self.eat("E") {
            let _sign = self.eat("+") || self.eat("-");
            exponent_empty = self.digits().is_empty();
        }
        if whole.is_empty() || leading_zero || fraction_empty || exponent_empty {
            return Err(self.error("a number is not written as JSON writes one"));
        }
        Ok(Value::Number(self.text.get(start..self.at).unwrap_or_default().to_owned()))
    }

    fn digits(&mut self) -> &'a str {
        let rest = self.rest();
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        rest.get(..count).unwrap_or_default()
    }

    fn string(&mut self) -> Result<String, Error> {
        let mut out = String::new();
        self.at += 1;
        loop {
            let rest = self.rest();
            let plain = rest.find(|c: char| c == '"' || c == '\\' || c < ' ').unwrap_or(rest.len());
            out.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            if self.eat("\"") {
                return Ok(out);
            }
            if !self.eat("\\") {
                let what =
                    if self.rest().is_empty() { "a string does not end" } else { "a string holds a control character" };
                return Err(self.error(what));
            }
            out.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let Some(byte) = self.rest().bytes().next() else {
            return Err(self.error("a string does not end"));
        };
        let plain = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.code_point(),
            _ => return Err(self.error("a string holds an escape that JSON does not have")),
        };
        self.at += 1;
        Ok(plain)
    }

    fn code_point(&mut self) -> Result<char, Error> {
        let high = self.unit()?;
        let code = if (0xD800..0xDC00).contains(&high) && self.eat("\\") {
            let low = self.unit()?;
            (0xDC00..0xE000).contains(&low).then(|| 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        } else {
            Some(high)
        };
        code.and_then(char::from_u32).ok_or_else(|| self.error("a string holds half of a surrogate pair"))
    }

    /// `uXXXX`.
    fn unit(&mut self) -> Result<u32, Error> {
        let digits = self.rest().strip_prefix('u').and_then(|rest| rest.get(..4));
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.error("a string holds an escape that JSON does not have"))?;
        self.at += 5;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests;
