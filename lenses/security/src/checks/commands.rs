//! Shell commands, one after the other, out of scripts, container files and the steps of CI: as much of a shell's grammar
//! as tells which program gets which words, and whose output it reads.

use std::collections::VecDeque;

use review_loop_sdk::code::Language;

use super::text::Text;

/// One command.
pub(crate) struct Command<'a> {
    /// The line that it starts on, in its [`Text`].
    pub(crate) line: u32,
    /// The program and its arguments, without quotes around them.
    pub(crate) words: Vec<&'a str>,
    /// Whether it reads what the command before it writes.
    pub(crate) piped: bool,
}

impl Command<'_> {
    /// The program's name, without its folder.
    pub(crate) fn program(&self) -> &str {
        self.words.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word))
    }

    /// Whether a word is this option, alone or among short ones: `-k` in `-sSk`.
    pub(crate) fn has_short(&self, letter: char) -> bool {
        let is_group = |word: &str| word.starts_with('-') && !word.starts_with("--") && !word.contains('=');
        self.words.iter().any(|word| is_group(word) && word.contains(letter))
    }

    /// Whether a word is this one.
    pub(crate) fn has(&self, wanted: &str) -> bool {
        self.words.contains(&wanted)
    }

    /// The first literal web address of a public host among the words.
    pub(crate) fn public_url(&self) -> Option<&str> {
        self.words.iter().find_map(|word| {
            let start = word.find("https://").or_else(|| word.find("http://"))?;
            let url = word.get(start..)?.trim_end_matches(['"', '\'', ')', ';', '`', ',']);
            is_public(host(url)).then_some(url)
        })
    }
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    host.split(':').next().unwrap_or(host)
}

/// A name with a public ending: neither an address, a variable, a machine of one's own, nor a made-up name.
fn is_public(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let named = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-');
    let ending = host.rsplit('.').next().unwrap_or_default();
    let ours =
        ["local", "localhost", "internal", "intranet", "lan", "test", "example", "invalid", "svc", "corp", "home"];
    let example = ["example.com", "example.org", "example.net"].iter().any(|name| host.ends_with(name));
    named
        && host.contains('.')
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && !ours.contains(&ending)
        && !example
}

/// Whether the file holds commands that this module can read.
pub(crate) fn holds_commands(path: &str, language: Option<Language>) -> bool {
    match language {
        Some(Language::Shell | Language::Dockerfile | Language::Makefile) => true,
        Some(Language::Yaml) => is_ci(path),
        None => path.ends_with("Jenkinsfile") || path.starts_with(".husky/"),
        _ => false,
    }
}

/// Whether the file is part of how the project is built by machines, by its path.
pub(crate) fn is_ci(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let folder = |wanted: &str| path.starts_with(wanted) || path.contains(&format!("/{wanted}"));
    [".github/", ".circleci/", ".buildkite/", ".gitlab/", ".ci/", "ci/", ".azure-pipelines/", ".woodpecker/"]
        .iter()
        .any(|wanted| folder(wanted))
        || [
            ".gitlab-ci",
            "azure-pipelines",
            ".travis",
            "action.y",
            "cloudbuild",
            ".drone",
            "bitbucket-pipelines",
            "appveyor",
        ]
        .iter()
        .any(|start| name.starts_with(start) || name.trim_start_matches('.').starts_with(start))
}

/// The commands of a text, in order.
pub(crate) fn commands<'a>(text: &'a Text<'_>) -> Vec<Command<'a>> {
    let mut found = Vec::new();
    let mut open: Option<Open<'a>> = None;
    for (line, content) in text.lines().filter(|(_, content)| !content.trim_start().starts_with('#')) {
        let mut current = open.take().unwrap_or(Open { line, words: Vec::new(), piped: false, quote: None });
        let goes_on = content.ends_with('\\');
        let mut pieces: VecDeque<Piece<'a>> = pieces(content.trim_end_matches('\\'), &mut current.quote).into();
        while let Some(piece) = pieces.pop_front() {
            match piece {
                Piece::Word(word) if current.words.is_empty() => {
                    current.line = line;
                    current.words.push(word);
                }
                Piece::Word(word) => current.words.push(word),
                Piece::End { pipe } => {
                    let next = Open { line, words: Vec::new(), piped: pipe, quote: current.quote };
                    found.extend(std::mem::replace(&mut current, next).closed());
                }
            }
        }
        // A pipe at the end of a line goes on in the next one; so does a quoted argument, but only as text.
        if goes_on || (current.piped && current.words.is_empty()) {
            open = Some(current);
        } else {
            found.extend(Open { quote: None, ..current }.closed());
        }
    }
    found
}

struct Open<'a> {
    line: u32,
    words: Vec<&'a str>,
    piped: bool,
    quote: Option<char>,
}

impl<'a> Open<'a> {
    fn closed(self) -> Option<Command<'a>> {
        let lead = self.words.iter().take_while(|word| is_lead(word)).count();
        let mut words: Vec<&str> = self.words.into_iter().skip(lead).collect();
        if let Some(program) = words.first_mut() {
            *program = program.trim_start_matches(['$', '(', '`', '@', '"', '{']);
        }
        (!words.is_empty()).then_some(Command { line: self.line, words, piped: self.piped })
    }
}

/// What may stand before the program.
fn is_lead(word: &str) -> bool {
    const LEAD: &[&str] = &[
        "-", "RUN", "sudo", "-E", "-H", "if", "!", "then", "do", "else", "while", "until", "time", "exec", "command",
        "env", "{", "(", "@", "nohup", "&&", "[\"sh\",", "ONBUILD",
    ];
    let assigns = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    LEAD.contains(&word) || assigns || (word.ends_with(':') && !word.contains('/')) || word.starts_with("--mount=")
}

enum Piece<'a> {
    Word(&'a str),
    End { pipe: bool },
}

/// Words and the operators between commands. `quote` is the quote that is open, before and after.
fn pieces<'a>(line: &'a str, quote: &mut Option<char>) -> Vec<Piece<'a>> {
    let mut found = Vec::new();
    let (mut start, mut skip) = (None, false);
    let bytes = line.as_bytes();
    for (at, c) in line.char_indices() {
        if std::mem::take(&mut skip) {
            continue;
        }
        let next = bytes.get(at + 1).copied();
        match c {
            _ if *quote == Some(c) => *quote = None,
            _ if quote.is_some() => {}
            '\\' => skip = true,
            '\'' | '"' => *quote = Some(c),
            ' ' | '\t' => {
                found.extend(word(line, start.take(), at));
                continue;
            }
            '#' if start.is_none() => break,
            '|' | ';' | '&' => {
                let redirects = c == '&' && (next == Some(b'>') || line.get(..at).is_some_and(|t| t.ends_with('>')));
                if !redirects {
                    found.extend(word(line, start.take(), at));
                    let double = next == Some(c as u8);
                    skip = double || (c == '|' && next == Some(b'&'));
                    found.push(Piece::End { pipe: c == '|' && !double });
                    continue;
                }
            }
            _ => {}
        }
        start.get_or_insert(at);
    }
    let end = line.find(" #").filter(|_| quote.is_none()).unwrap_or(line.len());
    found.extend(word(line, start.filter(|start| *start < end), end.max(start.unwrap_or(0))));
    found
}

fn word(line: &str, start: Option<usize>, end: usize) -> Option<Piece<'_>> {
    let raw = line.get(start?..end)?;
    let bare = raw.trim_matches(['"', '\'']);
    (!bare.is_empty()).then_some(Piece::Word(bare))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces_of(line: &str) -> String {
        let mut quote = None;
        let shown = |piece: Piece<'_>| match piece {
            Piece::Word(word) => word.to_owned(),
            Piece::End { pipe: true } => "<pipe>".to_owned(),
            Piece::End { pipe: false } => "<end>".to_owned(),
        };
        pieces(line, &mut quote).into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_line_becomes_commands() {
        assert_eq!(
            pieces_of("curl -sSf 'https://a.org/x' | sudo sh -s -- -y # now"),
            "curl -sSf https://a.org/x <pipe> sudo sh -s -- -y"
        );
        assert_eq!(pieces_of("a && b || c; d 2>&1 &"), "a <end> b <end> c <end> d 2>&1 <end>");
        assert_eq!(pieces_of("echo \"a | sh\""), "echo a | sh");
    }

    #[test]
    fn public_hosts() {
        for (host, public) in [
            ("sh.rustup.rs", true),
            ("localhost", false),
            ("127.0.0.1", false),
            ("$HOST", false),
            ("registry.svc.cluster.local", false),
            ("www.example.com", false),
        ] {
            assert_eq!(is_public(host), public, "{host}");
        }
    }
}
