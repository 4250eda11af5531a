//! A page of text for people: wrapped by display width, and safe, since all that is put on it is sanitised here.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::Options;
use crate::ui::sanitise::{clean, command_start};
use crate::ui::style::paint;

/// Lines longer than this are hard to read, however wide the terminal.
const WIDEST: usize = 100;
/// Below this no layout holds; the terminal wraps the rest.
const NARROWEST: usize = 32;

/// Text in a style.
pub(super) type Span<'a> = (Style, &'a str);

/// Lines, from top to bottom.
pub(super) struct Page {
    out: String,
    /// Columns that there are.
    width: usize,
    /// Columns that text is wrapped to.
    text_width: usize,
    color: bool,
}

impl Page {
    pub(super) fn new(options: &Options) -> Self {
        let width = options.width.max(NARROWEST);
        Self { out: String::new(), width, text_width: width.min(WIDEST), color: options.color }
    }

    /// Columns, for what is not text: code may use all of them.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Everything so far.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// An empty line, unless the page is at its top or there is one already.
    pub(super) fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// One line, as long as it is: for what must not be broken, such as a path and its line number.
    pub(super) fn line(&mut self, spans: &[Span<'_>]) {
        let spans: Vec<(Style, String)> = spans.iter().map(|(style, text)| (*style, single(text))).collect();
        self.push(&spans);
    }

    /// A paragraph: what leads it in, then text that goes on `indent` columns in where it does not fit the line.
    pub(super) fn paragraph(&mut self, lead: &[Span<'_>], indent: usize, (style, text): Span<'_>) {
        let lead: Vec<(Style, String)> = lead.iter().map(|(style, text)| (*style, single(text))).collect();
        let taken: usize = lead.iter().map(|(_, text)| text.width()).sum();
        let text = text.replace("\r\n", "\n");
        let lines = wrap(&clean(&text), self.text_width.saturating_sub(taken), self.text_width.saturating_sub(indent));
        let mut before = lead;
        for line in lines {
            before.push((style, line));
            self.push(&before);
            before = vec![(Style::new(), " ".repeat(indent))];
        }
    }

    /// A line of safe texts. Where they begin it with a command to a build server, that is broken.
    fn push(&mut self, spans: &[(Style, String)]) {
        let plain: String = spans.iter().map(|(_, text)| text.as_str()).collect();
        let command = command_start(&plain);
        let (mut line, mut at) = (String::new(), 0);
        for (style, text) in spans {
            let inside = command.and_then(|command| command.checked_sub(at)).filter(|inside| *inside < text.len());
            match inside.and_then(|inside| text.split_at_checked(inside)) {
                Some((blank, rest)) => {
                    let broken = format!("{blank}{}{}", r"\u{3a}", rest.get(1..).unwrap_or_default());
                    line += &paint(self.color, *style, broken);
                }
                None => line += &paint(self.color, *style, text),
            }
            at += text.len();
        }
        self.out += line.trim_end();
        self.out.push('\n');
    }
}

/// Text that belongs in one line: safe, and its line feeds and tabs visible.
fn single(text: &str) -> String {
    clean(text).replace('\n', r"\n").replace('\t', r"\t")
}

/// Breaks text at spaces into lines of at most `first` and `rest` columns. Line feeds break too; a line that fits is
/// left as it is, so that aligned text and code stay aligned. A word that fits no line is cut.
fn wrap(text: &str, first: usize, rest: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for source in text.trim_end().split('\n') {
        let source = source.trim_end().replace('\t', "    ");
        let room = if lines.is_empty() { first } else { rest };
        if source.width() <= room {
            lines.push(source);
        } else {
            fold(&source, room, rest, &mut lines);
        }
    }
    lines
}

/// One source line that is too long, word by word.
fn fold(source: &str, first: usize, rest: usize, lines: &mut Vec<String>) {
    let rest = rest.max(8);
    let mut line = Line { text: String::new(), used: 0, room: first };
    if first < 8 {
        lines.push(line.next(rest));
    }
    for word in source.split(' ').filter(|word| !word.is_empty()) {
        let space = usize::from(line.used > 0);
        let fits = line.used + space + word.width() <= line.room;
        if fits && space == 1 {
            line.push(' ');
        } else if !fits && (space == 1 || word.width() <= rest) {
            lines.push(line.next(rest));
        }
        for c in word.chars() {
            if line.used > 0 && line.used + c.width().unwrap_or(0) > line.room {
                lines.push(line.next(rest));
            }
            line.push(c);
        }
    }
    lines.push(line.text);
}

/// A line that is being filled. Its width is counted along, since measuring it for each character would not be linear.
struct Line {
    text: String,
    used: usize,
    room: usize,
}

impl Line {
    fn push(&mut self, c: char) {
        self.text.push(c);
        self.used += c.width().unwrap_or(0);
    }

    /// Hands out the line and begins the next one.
    fn next(&mut self, room: usize) -> String {
        (self.used, self.room) = (0, room);
        std::mem::take(&mut self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_at_spaces_by_its_width() {
        let check = |text, first, rest, expect: &[&str]| assert_eq!(wrap(text, first, rest), expect);
        check("one two three", 8, 9, &["one two", "three"]);
        check("a  b", 10, 10, &["a  b"]);
        check("ab\n  cd\n", 10, 10, &["ab", "  cd"]);
        check("", 10, 10, &[""]);
        check("文字 文字", 8, 9, &["文字", "文字"]);
        check("one two", 4, 9, &["", "one two"]);
    }

    #[test]
    fn no_line_begins_with_a_command_however_it_came_there() {
        let plain = Style::new();
        let mut page = Page::new(&Options { width: 32, ..Options::default() });
        page.line(&[(plain, "  :"), (plain, ":error::x")]);
        page.line(&[(plain, "::a")]);
        page.paragraph(&[], 2, (plain, "::b\n  ::c"));
        page.paragraph(&[(plain, "lead: ")], 2, (plain, "words that fill the line ::d"));
        page.paragraph(&[(plain, "  ")], 2, (plain, &format!("{}::e", "x".repeat(30))));
        let text = page.finish();
        assert_eq!(
            text,
            "  \\u{3a}:error::x\n\\u{3a}:a\n\\u{3a}:b\n    \\u{3a}:c\nlead: words that fill the line\n  \\u{3a}:d\n  \
             xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n  \\u{3a}:e\n"
        );
    }

    #[test]
    fn a_word_that_fits_no_line_is_cut() {
        assert_eq!(wrap("abcdefghijkl", 8, 9), ["abcdefgh", "ijkl"]);
        assert_eq!(wrap("x abcdefghij", 8, 8), ["x", "abcdefgh", "ij"]);
        assert_eq!(wrap("文文文文文文", 9, 10), ["文文文文", "文文"]);
    }
}
