//! The text of a file of settings.

use std::sync::Arc;

use super::{Level, MAX_BYTES, MAX_SETTINGS, Setting};
use crate::error::Malformed;

/// All settings of a file, and nothing of the files that it includes.
pub(super) fn settings(bytes: &[u8], level: Level, depth: usize) -> Result<Vec<Setting>, Malformed> {
    if bytes.len() > MAX_BYTES {
        return Err(Malformed::new(format!("settings of more than {MAX_BYTES} bytes")));
    }
    let mut reader = Reader::new(bytes);
    let mut section: Arc<[u8]> = Arc::default();
    let mut settings = Vec::new();
    while let Some(byte) = reader.significant() {
        if byte == b'[' {
            section = reader.section()?.into();
            continue;
        }
        let (name, value) = reader.setting(byte)?;
        settings.push(Setting { section: Arc::clone(&section), name, value, level, depth });
        if settings.len() > MAX_SETTINGS {
            return Err(reader.malformed(&format!("more than {MAX_SETTINGS} settings")));
        }
    }
    Ok(settings)
}

/// What a section and the name of a setting are written with.
pub(super) fn is_of_key(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'-'
}

/// What is written of a value: none without a `=`.
type Value = Option<Box<[u8]>>;

/// Reads byte for byte. Lines end with a line feed, with or without a carriage return before it, and so does the file.
struct Reader<'a> {
    rest: &'a [u8],
    /// The line of the byte that was read last.
    line: usize,
    ended_line: bool,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Reader { rest, line: 1, ended_line: false }
    }

    /// The next byte; a line feed at the end of the file, and as often as it is asked for there.
    fn next(&mut self) -> u8 {
        self.line += usize::from(self.ended_line);
        let (byte, rest) = match self.rest {
            [b'\r', b'\n', rest @ ..] => (b'\n', rest),
            &[byte, ref rest @ ..] => (byte, rest),
            [] => (b'\n', self.rest),
        };
        self.rest = rest;
        self.ended_line = byte == b'\n';
        byte
    }

    fn malformed(&self, what: &str) -> Malformed {
        Malformed::new(format!("line {}: {what}", self.line))
    }

    /// The next byte that is neither a blank nor in a comment; none at the end of the file.
    fn significant(&mut self) -> Option<u8> {
        while !self.rest.is_empty() {
            match self.next() {
                byte if is_blank(byte) => {}
                b'#' | b';' => self.comment(),
                byte => return Some(byte),
            }
        }
        None
    }

    /// The rest of a line.
    fn comment(&mut self) {
        while self.next() != b'\n' {}
    }

    /// The rest of `[section]`, `[section.subsection]` or `[section "subsection"]`.
    fn section(&mut self) -> Result<Vec<u8>, Malformed> {
        let mut name = Vec::new();
        loop {
            match self.next() {
                b']' if name.is_empty() => return Err(self.malformed("a section without a name")),
                b']' => return Ok(name),
                byte if is_blank(byte) => return self.subsection(name, byte),
                byte if is_of_key(&byte) || byte == b'.' => name.push(byte.to_ascii_lowercase()),
                _ => return Err(self.malformed("a section with a character that is not allowed in its name")),
            }
        }
    }

    /// The rest of `[section "subsection"]` from the blank on. A `\` takes the next character as it is, whatever it is.
    fn subsection(&mut self, mut name: Vec<u8>, mut byte: u8) -> Result<Vec<u8>, Malformed> {
        while is_blank(byte) && byte != b'\n' {
            byte = self.next();
        }
        if byte != b'"' {
            return Err(self.malformed("a section with something after its name that is not in quotes"));
        }
        name.push(b'.');
        loop {
            match self.next() {
                b'"' => break,
                b'\\' => name.push(self.next()),
                byte => name.push(byte),
            }
            // Git would keep a part of a name with a zero byte, which nobody means.
            if matches!(name.last(), Some(b'\n' | 0)) {
                return Err(self.malformed("a section whose quotes are not closed"));
            }
        }
        if self.next() == b']' { Ok(name) } else { Err(self.malformed("a section that is not closed")) }
    }

    /// `name`, `name =` or `name = value`, of which the first byte is read.
    fn setting(&mut self, first: u8) -> Result<(Box<[u8]>, Value), Malformed> {
        if !first.is_ascii_alphabetic() {
            return Err(self.malformed("neither a section nor the name of a setting"));
        }
        let mut name = vec![first.to_ascii_lowercase()];
        let mut byte = self.next();
        while is_of_key(&byte) {
            name.push(byte.to_ascii_lowercase());
            byte = self.next();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.next();
        }
        let value = match byte {
            b'\n' => None,
            b'=' => Some(self.value()?),
            _ => return Err(self.malformed("a setting with a character that is not allowed in its name")),
        };
        Ok((name.into(), value))
    }

    fn value(&mut self) -> Result<Box<[u8]>, Malformed> {
        // Blanks after `end` are dropped: nothing came after them.
        let (mut value, mut end, mut quoted) = (Vec::new(), 0, false);
        loop {
            let byte = self.next();
            match byte {
                b'\n' if quoted => return Err(self.malformed("a value whose quotes are not closed")),
                b'\n' => break,
                b'#' | b';' if !quoted => {
                    self.comment();
                    break;
                }
                b'\\' => value.extend(self.escaped()?),
                b'"' => quoted = !quoted,
                _ if !value.is_empty() || quoted || !is_blank(byte) => value.push(byte),
                _ => {}
            }
            end = if quoted || !is_blank(byte) { value.len() } else { end };
        }
        value.truncate(end);
        // To git a value is a string of C.
        Ok(value.split(|&byte| byte == 0).next().unwrap_or_default().into())
    }

    /// What a `\` makes of the next character: nothing at the end of a line, so that the value goes on in the next.
    fn escaped(&mut self) -> Result<Option<u8>, Malformed> {
        match self.next() {
            b'\n' => Ok(None),
            b't' => Ok(Some(b'\t')),
            b'b' => Ok(Some(0x08)),
            b'n' => Ok(Some(b'\n')),
            byte @ (b'\\' | b'"') => Ok(Some(byte)),
            _ => Err(self.malformed("a value with an escape that git does not know")),
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let settings = settings(text.as_bytes(), Level::Local, 0).map_err(|Malformed(why)| why)?;
        let shown = settings.into_iter().map(|setting| {
            let value = setting.value.map(|value| format!("={}", value.escape_ascii())).unwrap_or_default();
            format!("{}.{}{value}", setting.section.escape_ascii(), setting.name.escape_ascii())
        });
        Ok(shown.collect())
    }

    #[test]
    fn settings_are_those_of_git_config_1() {
        for (text, expected) in [
            ("", ""),
            ("[a]", ""),
            ("[a]b", "a.b"),
            ("[a]b=", "a.b="),
            ("[a]b = c", "a.b=c"),
            ("[A]\n\tB-1 = c d \t\n", "a.b-1=c d"),
            ("[a \"B\"]c=1", "a.B.c=1"),
            ("[a \t \"B\"]c=1", "a.B.c=1"),
            (r#"[a "b\"\\\x"]c=1"#, r#"a.b\"\\x.c=1"#),
            ("[a \"\"]c=1", "a..c=1"),
            ("[a.B]c=1", "a.b.c=1"),
            ("[a.B \"C\"]d=1", "a.b.C.d=1"),
            ("b=1", ".b=1"),
            ("[a]b=1 # c", "a.b=1"),
            ("[a]b=1;c", "a.b=1"),
            ("[a]b=\"1;#\" ; c", "a.b=1;#"),
            ("[a] ; x\n# y\nb=1", "a.b=1"),
            ("[a]b=\" c \"", "a.b= c "),
            ("[a]b=\"c\"d\" e\"", "a.b=cd e"),
            ("[a]b=c  d", "a.b=c  d"),
            (r"[a]b=\t\n\b\\\q", "line 1: a value with an escape that git does not know"),
            (r#"[a]b=x\t\n\b\\\""#, r#"a.b=x\t\n\x08\\\""#),
            ("[a]b=c\\\n d", "a.b=c d"),
            ("[a]b=c \\\nd", "a.b=c d"),
            ("[a]b=c \\\n", "a.b=c "),
            ("[a]b=c\\\r\nd", "a.b=cd"),
            ("[a]b=\"c\\\nd\"", "a.b=cd"),
            ("[a]b=c\\", "a.b=c"),
            ("[a]b=1 # c\\\nd=2", "a.b=1 a.d=2"),
            ("[a]\r\nb=1\r\nc\r\n", "a.b=1 a.c"),
            ("[a]b=1\r", "a.b=1"),
            ("[a]b=1\rc", "a.b=1\\rc"),
            ("\u{feff}[a]b=1", "a.b=1"),
            ("[a]b=1\0c", "a.b=1"),
            ("[a]b\0=1", "line 1: a setting with a character that is not allowed in its name"),
            ("[a]\n\n1=b", "line 3: neither a section nor the name of a setting"),
            ("[a]\nb c", "line 2: a setting with a character that is not allowed in its name"),
            ("[a]\nb=\"c\nd=\"", "line 2: a value whose quotes are not closed"),
            ("[]", "line 1: a section without a name"),
            ("[a", "line 1: a section with something after its name that is not in quotes"),
            ("[a\n]", "line 1: a section with something after its name that is not in quotes"),
            ("[a b]", "line 1: a section with something after its name that is not in quotes"),
            ("[a_b]", "line 1: a section with a character that is not allowed in its name"),
            ("\n[a \"b", "line 2: a section whose quotes are not closed"),
            ("[a \"b\\\nc\"]", "line 1: a section whose quotes are not closed"),
            ("[a \"b\" ]", "line 1: a section that is not closed"),
        ] {
            let found = read(text).map_or_else(|why| why, |settings| settings.join(" "));
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_too_long_is_not_read() {
        let long = |text: &str, times| settings(text.repeat(times).as_bytes(), Level::Local, 0);
        assert!(long("#", MAX_BYTES).is_ok());
        assert_eq!(long("#", MAX_BYTES + 1), Err(Malformed::new("settings of more than 4194304 bytes")));
        assert!(long("a\n", MAX_SETTINGS).is_ok());
        assert_eq!(long("a\n", MAX_SETTINGS + 1), Err(Malformed::new("line 100001: more than 100000 settings")));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = settings(&bytes, Level::Local, 0);
        }

        #[test]
        fn any_text_of_settings_is_read_or_refused(text in r#"(\[a\]|\[a "|[a\[\]"\\=#;\r\n\t. ]){0,30}"#) {
            let _ = settings(text.as_bytes(), Level::Local, 0);
        }
    }
}
