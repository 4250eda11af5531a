//! Debugging leftovers: statements that stop the program in a debugger, and Rust's `dbg!`.
//!
//! Only a whole statement without a comment on its line counts. Leaves alone: printing (`console.log`, `fmt.Println`,
//! `print`, `var_dump`: programs print on purpose), files about debugging, examples, and a break under a condition that
//! asks for debugging.

use std::collections::BTreeSet;

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::{Language, Token, TokenKind};
use review_loop_sdk::prelude::*;

use super::is_shown;

static STOPS: Rule = Rule {
    category: "quality-gate",
    severity: Severity::High,
    load_bearing: true,
    confidence: 97,
    several: "statements that stop the program in a debugger",
    follows: "the program halts there and waits for input",
    hint: "Remove the statement.",
};

static PRINTS: Rule = Rule {
    category: "quality-gate",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 96,
    several: "`dbg!` calls",
    follows: "each prints its source line to standard error whenever it runs",
    hint: "Remove `dbg!` and keep its argument.",
};

/// A leftover: the tokens of the whole statement.
struct Leftover {
    languages: &'static [Language],
    statement: &'static [&'static str],
}

const LEFTOVERS: &[Leftover] = &[
    Leftover { languages: &[Language::JavaScript, Language::TypeScript], statement: &["debugger"] },
    Leftover { languages: &[Language::Python], statement: &["breakpoint", "(", ")"] },
    Leftover { languages: &[Language::Python], statement: &["pdb", ".", "set_trace", "(", ")"] },
    Leftover { languages: &[Language::Python], statement: &["ipdb", ".", "set_trace", "(", ")"] },
    Leftover { languages: &[Language::Python], statement: &["pudb", ".", "set_trace", "(", ")"] },
    Leftover { languages: &[Language::Ruby], statement: &["binding", ".", "pry"] },
    Leftover { languages: &[Language::Ruby], statement: &["byebug"] },
    Leftover { languages: &[Language::Elixir], statement: &["IEx", ".", "pry"] },
    Leftover { languages: &[Language::Elixir], statement: &["IEx", ".", "pry", "(", ")"] },
];

const WORDS: &[&str] = &["debugger", "breakpoint", "set_trace", "binding.pry", "byebug", "IEx.pry", "dbg!"];

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let path = changed.file.path.to_ascii_lowercase();
    let about = ["debug", "pdb", "trace", "breakpoint"].iter().any(|word| path.contains(word));
    if about || is_shown(&path) || !changed.adds_any(WORDS) {
        return Vec::new();
    }
    let tokens = changed.new_tokens();
    match changed.language {
        Some(Language::Rust) => dbg(changed, &tokens),
        Some(language) => stops(changed, &tokens, language),
        None => Vec::new(),
    }
}

fn stops(changed: &Changed, tokens: &[Token<'_>], language: Language) -> Vec<Seen> {
    let comments = tokens.iter().filter(|token| token.kind == TokenKind::Comment);
    // On its line, or on the one below.
    let commented: BTreeSet<u32> = comments.flat_map(|comment| [comment.line, comment.end_line() + 1]).collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| !commented.contains(&token.line)) {
        for leftover in LEFTOVERS.iter().filter(|leftover| leftover.languages.contains(&language)) {
            if is_statement(tokens, at, leftover.statement) && !is_asked_for(tokens, at) {
                let shown = leftover.statement.concat();
                let claim = format!("`{shown}` stops the program in a debugger, so it halts here and waits for input.");
                found.extend(Seen::at(&STOPS, changed, token.line, claim));
            }
        }
    }
    found
}

/// Whether the statement at `at` consists of exactly these tokens.
fn is_statement(tokens: &[Token<'_>], at: usize, statement: &[&str]) -> bool {
    let here = tokens.get(at..).unwrap_or_default();
    let line = here.first().map_or(0, |token| token.line);
    let same = here.len() >= statement.len() && here.iter().zip(statement).all(|(token, text)| token.text == *text);
    let code = here.iter().zip(statement).all(|(token, _)| !matches!(token.kind, TokenKind::Str | TokenKind::Comment));
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let starts = before.is_none_or(|token| token.end_line() < line || matches!(token.text, ";" | "{"));
    let after = here.get(statement.len());
    let ends = after.is_none_or(|token| token.line > line || matches!(token.text, ";" | "}"));
    let goes_on = before.is_some_and(|token| matches!(token.text, "." | "?." | "," | "(" | "[" | "="))
        || after.is_some_and(|token| matches!(token.text, "." | "?." | "=" | "(" | ":"));
    same && code && starts && ends && !goes_on
}

/// So many tokens before a statement are looked at: a line may be a whole file.
const NEAR: usize = 500;

/// Whether the program was asked to stop: the line before, or the start of this one, speaks of debugging.
fn is_asked_for(tokens: &[Token<'_>], at: usize) -> bool {
    let line = tokens.get(at).map_or(0, |token| token.line);
    let near = tokens.iter().take(at).rev().take(NEAR).take_while(|token| token.line + 1 >= line);
    near.map(|token| token.text.to_ascii_lowercase()).any(|text| {
        ["debug", "pdb", "interactive", "break"]
            .iter()
            .any(|word| text.contains(word) && text != "ipdb" && text != "pdb")
    })
}

fn dbg(changed: &Changed, tokens: &[Token<'_>]) -> Vec<Seen> {
    let code: Vec<&Token<'_>> = tokens.iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let is_call = |at: usize| code.get(at + 1).is_some_and(|next| next.text == "!");
    let mut calls = Vec::new();
    for (at, token) in
        code.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Ident && token.text == "dbg")
    {
        let before = at.checked_sub(1).and_then(|before| code.get(before)).map_or("", |token| token.text);
        // Named without being called: another macro of this name is defined, imported or allowed here.
        if !is_call(at) || before == "!" {
            return Vec::new();
        }
        if before != "::" && !changed.is_test_line(token.line) {
            calls.push(token.line);
        }
    }
    let claim =
        || "`dbg!` is left in the code, so its source line is printed to standard error whenever it runs.".to_owned();
    calls.into_iter().filter_map(|line| Seen::at(&PRINTS, changed, line, claim())).collect()
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::lines;

    #[test]
    fn leftovers_are_seen() {
        for (path, text, line) in [
            ("src/a.js", "function a() {\n  debugger;\n  b()\n}\n", 2),
            ("src/a.ts", "if (x) { debugger }\n", 1),
            ("a.py", "def a():\n    breakpoint()\n    return 1\n", 2),
            ("a.py", "import pdb; pdb.set_trace()\n", 1),
            ("tests/test_a.py", "def test_a():\n    import ipdb; ipdb.set_trace()\n", 2),
            ("app/a.rb", "def a\n  binding.pry\nend\n", 2),
            ("a_spec.rb", "it 'a' do\n  byebug\nend\n", 2),
            ("lib/a.ex", "def a do\n  require IEx; IEx.pry()\nend\n", 2),
            ("src/a.rs", "fn a() {\n    let x = dbg!(b());\n}\n", 2),
        ] {
            assert_eq!(lines(super::check, path, text), [line], "{path}: {text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("src/a.js", "const a = 'debugger;'; // debugger;\n"),
            ("src/a.js", "// eslint-disable-next-line no-debugger\ndebugger;\n"),
            ("src/a.js", "const o = {\n  debugger: true,\n};\no.debugger;\n"),
            ("src/debugger/a.js", "debugger;\n"),
            ("src/a.js", "console.log('here')\n"),
            ("a.py", "\"\"\"Call it:\n    breakpoint()\n\"\"\"\n"),
            ("a.py", "if args.debug:\n    breakpoint()\n"),
            ("a.py", "if os.environ.get('DEBUG'): pdb.set_trace()\n"),
            ("a.py", "breakpoint()  # noqa: T100\n"),
            ("a.py", "self.breakpoint()\ndef breakpoint(): pass\nf = breakpoint\n"),
            ("pytest_pdb.py", "pdb.set_trace()\n"),
            ("a.rb", "x = binding.pry_mode\n"),
            ("src/a.rs", "macro_rules! dbg { () => {} }\nfn a() { dbg!(); }\n"),
            ("src/a.rs", "use crate::log::dbg;\nfn a() { dbg!(1); }\n"),
            ("src/a.rs", "/// dbg!(x)\nfn a() { log::dbg!(1); }\n"),
            ("src/a.rs", "#[cfg(test)]\nmod tests {\n    fn a() { dbg!(1); }\n}\n"),
            ("examples/a.py", "breakpoint()\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [0; 0], "{path}: {text}");
        }
    }
}
