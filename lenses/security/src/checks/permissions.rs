//! Rights that the change widens to everybody: files that all may write, tokens that may write everything, a cloud policy
//! without a bound, remote logins open to the world, any site with a user's cookies.
//!
//! Leaves alone: sticky folders (`1777`), folders made under a umask, `--privileged` and published ports (a virtual
//! machine or a sandbox may need them), policies of a resource (they name who), documents, examples, tests.

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::{Language, Token, TokenKind};
use review_loop_sdk::prelude::*;

use super::commands::{Command, commands, holds_commands};
use super::fresh::{Hit, fresh};
use super::pattern::matches;
use super::text::Text;
use super::{cloud, is_built, is_shown};

pub(crate) static WIDENED: Rule = Rule {
    category: "access",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 96,
    several: "rights that are given to everybody",
    follows: "more people than meant can change or reach what is there",
    hint: "Give the least that is needed, to those who need it.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let path = changed.file.path.as_str();
    if changed.test || is_shown(path) || is_built(path) {
        return Vec::new();
    }
    let when = |words: &[&str], find: fn(&Text<'_>) -> Vec<Hit>| {
        if changed.adds_any(words) { fresh(changed, find) } else { Vec::new() }
    };
    let mut seen = when(&["write-all"], write_all);
    if holds_commands(path, changed.language) {
        seen.extend(when(&["chmod"], chmod));
    }
    if changed.language.is_some_and(Language::is_program) {
        seen.extend(when(&["777", "origin"], in_code));
    }
    seen.extend(when(&["\"*\"", "'*'", "0.0.0.0/0", "::/0"], cloud::find));
    seen.retain(|seen| !changed.is_test_line(seen.line));
    seen
}

fn write_all(text: &Text<'_>) -> Vec<Hit> {
    let flow = text.path.contains(".github/") && (text.path.ends_with(".yml") || text.path.ends_with(".yaml"));
    let lines = text
        .touched()
        .filter(|(_, line)| flow && line.split(" #").next().unwrap_or_default().trim() == "permissions: write-all");
    let claim = "The job's token may write everything in the repository, so whatever runs in the job can.";
    lines.map(|(line, _)| hit(line, "permissions: write-all", claim.to_owned())).collect()
}

fn hit(line: u32, mark: &str, claim: String) -> Hit {
    Hit { line, mark: mark.to_owned(), rule: &WIDENED, claim }
}

fn chmod(text: &Text<'_>) -> Vec<Hit> {
    let all = commands(text);
    let widening = all.iter().filter(|command| command.program() == "chmod").filter_map(|c| Some((c, widened(c)?)));
    widening
        .map(|(command, mode)| {
            let claim = format!("`chmod {mode}` lets every user of the machine change it, so whatever reads or runs it trusts all of them.");
            hit(command.line, &format!("chmod {mode}"), claim)
        })
        .collect()
}

/// The mode that lets everybody write.
fn widened<'a>(command: &Command<'a>) -> Option<&'a str> {
    let mode = command.words.iter().skip(1).find(|word| !word.starts_with('-'))?;
    let all = matches!(*mode, "777" | "0777" | "a+rwx" | "ugo+rwx" | "a=rwx" | "a+w" | "o+w" | "ugo+w" | "o+rwx");
    all.then_some(*mode)
}

fn in_code(text: &Text<'_>) -> Vec<Hit> {
    let all = text.tokens();
    let tokens: Vec<&Token<'_>> = all.iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let sites = |at| any_site(&tokens, at).filter(|hit| !text.says_around(hit.line, (8, 4), DEVELOPMENT));
    (0..tokens.len()).filter_map(|at| world_writable(&tokens, at).or_else(|| sites(at))).collect()
}

/// Any site is welcome on the machine of whoever develops it.
const DEVELOPMENT: &[&str] = &["development", "production", "is_dev", "isdev", "debug"];

fn world_writable(tokens: &[&Token<'_>], at: usize) -> Option<Hit> {
    let token = tokens.get(at).filter(|token| CHMODS.contains(&token.text))?;
    tokens.get(at + 1).filter(|token| token.text == "(")?;
    let inside = (at + 2..at + 14).take_while(|at| tokens.get(*at).is_some_and(|token| token.text != ";"));
    // Between a comma and the end: with a mask behind it, the mode is another.
    let modes = inside.filter_map(|at| MODES.iter().find(|mode| matches(tokens, at, &format!(", {mode} )")).is_some()));
    let mode = modes.into_iter().next()?;
    let claim = format!(
        "The mode `{}` lets every user of the machine change it, so whatever reads or runs it trusts all of them.",
        mode.trim_matches('\'')
    );
    Some(hit(token.line, &format!("{} {mode}", token.text), claim))
}

const CHMODS: &[&str] = &["chmod", "chmodSync", "Chmod", "fchmod", "lchmod"];
const MODES: &[&str] = &["0o777", "0777", "'777'", "'0777'"];

/// Any site, with the cookies of whoever visits it.
fn any_site(tokens: &[&Token<'_>], at: usize) -> Option<Hit> {
    let (pattern, with) = SITES.iter().find_map(|site| Some((matches(tokens, at, site.0)?, site.1)))?;
    let rest = tokens.get(pattern..pattern + 40).or_else(|| tokens.get(pattern..)).unwrap_or_default();
    let before = tokens.get(at.saturating_sub(40)..at).unwrap_or_default();
    let mut inside = same_depth(before.iter().rev(), [")", "]", "}"], ["(", "[", "{"]);
    inside.reverse();
    inside.extend(same_depth(rest.iter(), ["(", "[", "{"], [")", "]", "}"]));
    let credentials = (0..inside.len()).any(|at| matches(&inside, at, with).is_some());
    let claim = "Every site may send requests with the cookies of whoever visits it and read the answers, so each can act for them.";
    credentials
        .then(|| hit(tokens.get(at).map_or(1, |token| token.line), "any site with credentials", claim.to_owned()))
}

/// The tokens up to where the brackets around them end, without what stands in brackets of their own.
fn same_depth<'a>(
    tokens: impl Iterator<Item = &'a &'a Token<'a>>,
    opens: [&str; 3],
    closes: [&str; 3],
) -> Vec<&'a Token<'a>> {
    let mut depth = 0_i32;
    let mut found = Vec::new();
    for token in tokens {
        depth += i32::from(opens.contains(&token.text)) - i32::from(closes.contains(&token.text));
        if depth < 0 {
            break;
        }
        if depth == 0 {
            found.push(*token);
        }
    }
    found
}

const SITES: &[(&str, &str)] = &[
    ("allow_origins = [ '*' ]", "allow_credentials = True"),
    ("allow_origin_regex = '.*'", "allow_credentials = True"),
    ("origin : true", "credentials : true"),
];

#[cfg(test)]
mod tests {
    use super::super::testing::lines;

    #[test]
    fn what_is_widened_is_seen() {
        for (path, text, line) in [
            ("Dockerfile", "RUN mkdir /app && chmod -R 777 /app\n", 1),
            ("a.sh", "sudo chmod a+w /etc/x\n", 1),
            ("a.py", "import os\nos.chmod(path, 0o777)\n", 2),
            ("a.go", "os.Chmod(path, 0777)\n", 1),
            (".github/workflows/a.yml", "on: push\npermissions: write-all\n", 2),
            (
                "a.py",
                "app.add_middleware(\n    CORSMiddleware,\n    allow_origins=[\"*\"],\n    allow_credentials=True,\n)\n",
                3,
            ),
            ("a.js", "app.use(cors({ origin: true, credentials: true }));\n", 1),
        ] {
            assert_eq!(lines(super::check, path, text), [line], "{path}: {text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("a.sh", "chmod 1777 /tmp\nchmod 755 a\necho chmod 777 a\n# chmod 777 a\n"),
            ("a.go", "os.MkdirAll(path, 0777)\n"),
            ("a.py", "os.chmod(path, 0o777 & ~umask())\nos.chmod(path, (0o777 - umask | 0o111))\n"),
            ("a.py", "allow_origins=['*']\nf(allow_credentials=True)\n"),
            ("a.js", "if (production) {\n} else {\n  cors({ origin: true, credentials: true });\n}\n"),
            ("a.js", "cors({ origin: true });\nf({ credentials: true });\n"),
            ("tests/a.sh", "chmod 777 a\n"),
            ("README.md", "chmod 777 a\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [0; 0], "{path}: {text}");
        }
    }
}
