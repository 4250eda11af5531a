//! Text that is not what it looks like: controls of the direction of writing, and characters that nobody sees.
//!
//! Where they stand decides. In code (outside of strings and comments) none has a reason. A direction that is opened and
//! not closed reorders the rest of its line, so it counts in strings and comments too. Rows of invisible characters
//! carry data, wherever they are. Leaves alone: what scripts and emoji need (joiners, variation selectors, the tags of a
//! flag), closed directions in strings, comments and prose, a single zero-width character in prose, a byte order mark at
//! the start of a file or line, escapes such as `\u200b`, and strings of tests.

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::{Language, Token, TokenKind, is_test_path};
use review_loop_sdk::prelude::*;

use super::fresh::{Hit, fresh};
use super::text::Text;

static REORDERED: Rule = Rule {
    category: "supply-chain",
    severity: Severity::High,
    load_bearing: true,
    confidence: 97,
    several: "unclosed controls of the direction of writing",
    follows: "those lines are not shown in the order in which they are run",
    hint: "Remove the character, or write it as an escape.",
};

static INVISIBLE: Rule = Rule {
    category: "supply-chain",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 96,
    several: "invisible characters in code",
    follows: "what is compiled there is not what a reader sees",
    hint: "Remove the character, or write it as an escape where it is meant.",
};

static CARRIED: Rule = Rule {
    category: "supply-chain",
    severity: Severity::High,
    load_bearing: true,
    confidence: 96,
    several: "rows of invisible characters",
    follows: "they carry data that no reader sees",
    hint: "Find out what they spell, and remove them.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let any = changed.added().any(|(_, line)| !line.is_ascii() && line.contains(is_hidden));
    if any { fresh(changed, find) } else { Vec::new() }
}

fn find(text: &Text<'_>) -> Vec<Hit> {
    let suspects: Vec<(u32, &str)> =
        text.touched().filter(|(_, line)| !line.is_ascii() && line.contains(is_hidden)).collect();
    if suspects.is_empty() {
        return Vec::new();
    }
    let tokens = text.tokens();
    let view = View { text, tokens: &tokens, test: is_test_path(text.path) };
    suspects.into_iter().filter_map(|(line, content)| view.worst(line, content)).collect()
}

fn is_hidden(c: char) -> bool {
    is_bidi(c) || is_carrier(c) || is_blank(c)
}

/// The controls that open or close a direction.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// What has been used to carry data: each has no width, and there is more than one of them.
fn is_carrier(c: char) -> bool {
    is_tag(c)
        || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(c, '\u{e0100}'..='\u{e01ef}')
}

/// Letters of Hangul without a shape: they may be names.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// What has no width and no reason in code.
fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

struct View<'a> {
    text: &'a Text<'a>,
    tokens: &'a [Token<'a>],
    test: bool,
}

impl View<'_> {
    /// The gravest thing in a line.
    fn worst(&self, line: u32, content: &str) -> Option<Hit> {
        self.carried(line, content).or_else(|| self.reordered(line, content)).or_else(|| self.invisible(line, content))
    }

    fn hit(&self, line: u32, mark: char, rule: &'static Rule, claim: String) -> Option<Hit> {
        Some(Hit { line, mark: mark.to_string(), rule, claim })
    }

    fn carried(&self, line: u32, content: &str) -> Option<Hit> {
        let (first, length) = longest_row(content)?;
        let shortest = if is_tag(first) { 2 } else { 8 };
        if length < shortest || self.test {
            return None;
        }
        let claim = format!(
            "{length} invisible characters stand here in a row, the first {}, so the line holds data that no reader sees.",
            shown(first)
        );
        self.hit(line, first, &CARRIED, claim)
    }

    fn reordered(&self, line: u32, content: &str) -> Option<Hit> {
        let (at, mark) = unclosed(content)?;
        let overrides = matches!(mark, '\u{202d}' | '\u{202e}');
        let rtl = content.contains(is_right_to_left);
        let token = self.token(self.text.start(line) + at);
        let quoted = token.is_some_and(|token| token.kind == TokenKind::Str);
        // Sloppy right-to-left prose leaves embeddings open; a test of the direction of writing holds them on purpose.
        let meant = (self.test && (quoted || self.text.language.is_none())) || (rtl && !overrides);
        let prose = self.text.language.is_none_or(|language| !language.is_program());
        if meant || (prose && !overrides) || (prose && lists_people(self.text.path)) {
            return None;
        }
        let claim = format!(
            "{} is opened here and not closed on the line, so the line is shown in another order than it is read by the \
             machine.",
            shown(mark)
        );
        self.hit(line, mark, &REORDERED, claim)
    }

    fn invisible(&self, line: u32, content: &str) -> Option<Hit> {
        let wanted = |(_, c): &(usize, char)| is_zero_width(*c) || is_blank(*c) || is_bidi(*c);
        content.char_indices().filter(wanted).find_map(|(at, c)| {
            let (before, after) = (content.get(..at)?.chars().next_back(), content.get(at..)?.chars().nth(1));
            let inside = self.is_code(line, at) && !belongs(c, before, after);
            let claim = || format!("{} stands here in code, so what is compiled is not what a reader sees.", shown(c));
            inside.then(|| self.hit(line, c, &INVISIBLE, claim())).flatten()
        })
    }

    /// Whether the byte of a line stands outside of strings and comments, in a language where that can be told.
    fn is_code(&self, line: u32, at: usize) -> bool {
        let known = self.text.language.is_some_and(|language| language.is_program() && language != Language::Makefile);
        let markup = [".jsx", ".tsx"].iter().any(|end| self.text.path.ends_with(end));
        let token = || self.token(self.text.start(line) + at);
        known && !markup && token().is_some_and(|t| matches!(t.kind, TokenKind::Ident | TokenKind::Punct))
    }

    fn token(&self, at: usize) -> Option<&Token<'_>> {
        let behind = self.tokens.partition_point(|token| token.start <= at);
        self.tokens.get(behind.checked_sub(1)?).filter(|token| at < token.start + token.text.len())
    }
}

/// Whether the character belongs to its neighbours: a script that needs it, an emoji, or the start of a line.
fn belongs(c: char, before: Option<char>, after: Option<char>) -> bool {
    let foreign = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_hidden(c));
    (c == '\u{feff}' && before.is_none()) || (!is_blank(c) && (foreign(before) || foreign(after)))
}

/// People write their names as they like.
fn lists_people(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    ["authors", "contributors", "thanks", "credits", ".mailmap"].iter().any(|list| name.starts_with(list))
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// The first direction that a line opens and does not close, with its place in bytes.
fn unclosed(line: &str) -> Option<(usize, char)> {
    let (mut embeddings, mut isolates) = (Vec::new(), Vec::new());
    for (at, c) in line.char_indices() {
        match c {
            '\u{202a}' | '\u{202b}' | '\u{202d}' | '\u{202e}' => embeddings.push((at, c)),
            '\u{202c}' => drop(embeddings.pop()),
            '\u{2066}'..='\u{2068}' => isolates.push((at, c)),
            '\u{2069}' => drop(isolates.pop()),
            _ => {}
        }
    }
    embeddings.first().into_iter().chain(isolates.first()).min().copied()
}

/// The longest row of carriers, without the tags of flags: its first character and its length.
fn longest_row(line: &str) -> Option<(char, usize)> {
    let mut best: Option<(char, usize)> = None;
    let mut row: Option<(char, usize)> = None;
    let mut before = ' ';
    for c in line.chars().chain([' ']) {
        match row.as_mut().filter(|_| is_carrier(c)) {
            Some((_, length)) => *length += 1,
            None => {
                best = best.max_by_length(row.take());
                row = (is_carrier(c) && before != FLAG).then_some((c, 1));
            }
        }
        // The tags of a flag follow it and one another.
        before = if before == FLAG && is_tag(c) { FLAG } else { c };
    }
    best
}

/// The black flag, which tags make the flag of a region.
const FLAG: char = '\u{1f3f4}';

trait Longest {
    fn max_by_length(self, other: Self) -> Self;
}

impl Longest for Option<(char, usize)> {
    fn max_by_length(self, other: Self) -> Self {
        let length = |row: &Self| row.map_or(0, |(_, length)| length);
        if length(&other) > length(&self) { other } else { self }
    }
}

/// `U+202E (right-to-left override)`.
fn shown(c: char) -> String {
    let name = NAMES.iter().find(|(range, _)| range.contains(&c)).map_or("an invisible character", |(_, name)| name);
    format!("U+{:04X} ({name})", c as u32)
}

const NAMES: &[(std::ops::RangeInclusive<char>, &str)] = &[
    ('\u{200b}'..='\u{200b}', "zero width space"),
    ('\u{200c}'..='\u{200d}', "zero width joiner"),
    ('\u{200e}'..='\u{200f}', "mark of direction"),
    ('\u{202a}'..='\u{202b}', "embedding of a direction"),
    ('\u{202d}'..='\u{202d}', "left-to-right override"),
    ('\u{202e}'..='\u{202e}', "right-to-left override"),
    ('\u{2060}'..='\u{2060}', "word joiner"),
    ('\u{2061}'..='\u{2064}', "invisible operator"),
    ('\u{2066}'..='\u{2068}', "isolate of a direction"),
    ('\u{feff}'..='\u{feff}', "zero width no-break space"),
    ('\u{fe00}'..='\u{fe0f}', "variation selector"),
    ('\u{e0000}'..='\u{e007f}', "tag"),
    ('\u{e0100}'..='\u{e01ef}', "variation selector"),
    ('\u{115f}'..='\u{3164}', "Hangul filler"),
    ('\u{ffa0}'..='\u{ffa0}', "Hangul filler"),
];

#[cfg(test)]
mod tests {
    use super::super::testing::{lines, lines_with};
    use review_loop_sdk::testing::FakeHost;

    #[test]
    fn what_hides_is_seen() {
        for (path, text) in [
            ("a.c", "/*\u{202e} } \u{2066}if (isAdmin)\u{2069} \u{2066} begin admins only */\n"),
            ("a.py", "'''Subtract funds from bank account then \u{2067}''' ;return\n"),
            ("a.js", "if (level != \"user\u{202e} \u{2066}// Check if admin\u{2069} \u{2066}\") {\n"),
            ("a.js", "\u{feff}if (level != \"user\u{202e}\") {\n"),
            ("README.md", "run \u{202e}exe.txt now\n"),
            ("a.js", "const { timeout,\u{3164}} = req.query;\n"),
            ("a.go", "func is\u{200b}Admin() {}\n"),
            ("a.js", "eval(decode(`\u{fe01}\u{fe02}\u{fe03}\u{fe04}\u{fe05}\u{fe06}\u{fe07}\u{e0101}`))\n"),
            ("AGENTS.md", "Be kind.\u{e0049}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\n"),
            ("old.c", "int a;\r/* \u{202e} */\rint b;\r"),
        ] {
            assert_eq!(lines(super::check, path, text), [1], "{path}: {text:?}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("a.js", "\u{feff}const a = '\\u202e';\n"),
            (
                "a.js",
                "const family = '\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}', heart = '\u{2764}\u{fe0f}';\n",
            ),
            ("a.js", "const wales = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}';\n"),
            ("fa.json", "{\"a\": \"\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}\"}\n"),
            ("docs/he.md", "\u{202b}\u{5e9}\u{5dc}\u{5d5}\u{5dd}\n\u{202b}\u{5e9} a\u{202c}\n"),
            ("he.php", "<?php $a = '\u{202b}\u{5e9}\u{5dc}';\n"),
            ("a.js", "const pair = '\u{2068}name\u{2069}';\n"),
            ("tests/bidi.js", "check('\u{202e}abc');\n"),
            ("a.js", "const wide = 'a\u{200b}b';\n"),
            ("AUTHORS.txt", "\u{202e}reka\n"),
            ("README.md", "a\u{200b}b \u{202a}C:\\a\n"),
            ("a.js", "var a;\n\u{feff}var b;\n"),
            ("a.tsx", "return <p>\u{200b}</p>\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [0; 0], "{path}: {text:?}");
        }
    }

    #[test]
    fn what_was_there_is_no_news() {
        let line = "/*\u{202e} a */";
        let edited = FakeHost::new().edited("a.c", &format!("{line} int x;\n"), &format!("{line} int y;\n"));
        assert_eq!(lines_with(super::check, edited), [0; 0]);
        let one_line = FakeHost::new().edited("a.c", &format!("int x;\r{line}\r"), &format!("int y;\r{line}\r"));
        assert_eq!(lines_with(super::check, one_line), [0; 0]);
    }
}
