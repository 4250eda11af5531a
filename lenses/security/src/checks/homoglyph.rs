//! Names that mix scripts: a Cyrillic or Greek letter that looks like a Latin one, inside of a name of Latin letters.
//!
//! Leaves alone: names with any letter that has no Latin twin (somebody writes in that language), the Greek of
//! formulas (`Δx`, `µs`, `αβ`), strings, comments, prose, and markup in JavaScript.

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::TokenKind;
use review_loop_sdk::prelude::*;

use super::fresh::{Hit, fresh};
use super::text::Text;

static MIXED: Rule = Rule {
    category: "supply-chain",
    severity: Severity::High,
    load_bearing: true,
    confidence: 96,
    several: "names that mix scripts",
    follows: "each looks like another name and is not it",
    hint: "Write the name in one script.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let program = changed.language.is_some_and(|language| language.is_program());
    let markup = [".jsx", ".tsx"].iter().any(|end| changed.file.path.ends_with(end));
    let any = || changed.added().any(|(_, line)| !line.is_ascii() && line.contains(|c| twin(c).is_some()));
    if program && !markup && any() { fresh(changed, find) } else { Vec::new() }
}

fn find(text: &Text<'_>) -> Vec<Hit> {
    let tokens = text.tokens();
    let names = tokens.iter().filter(|token| token.kind == TokenKind::Ident && !token.text.is_ascii());
    names.filter_map(|name| Some((name, mixed(name.text)?))).map(|(name, odd)| hit(name.line, name.text, odd)).collect()
}

fn hit(line: u32, name: &str, odd: char) -> Hit {
    let claim = format!(
        "A name here that reads `{}` holds U+{:04X} in place of `{}`, so it is another name than it looks like.",
        name.chars().map(|c| twin(c).unwrap_or(c)).collect::<String>(),
        odd as u32,
        twin(odd).unwrap_or(odd)
    );
    Hit { line, mark: name.to_owned(), rule: &MIXED, claim }
}

/// The first letter from another script in a name that looks Latin all over.
fn mixed(name: &str) -> Option<char> {
    let latin = name.chars().any(|c| c.is_ascii_alphabetic());
    let all = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$' || twin(c).is_some());
    name.chars().find(|c| twin(*c).is_some()).filter(|_| latin && all)
}

/// The Latin letter that a Cyrillic or Greek one cannot be told from.
fn twin(c: char) -> Option<char> {
    let at = TWINS.chars().position(|twin| twin == c).filter(|_| !c.is_ascii())?;
    LATIN.chars().nth(at)
}

const TWINS: &str = "\u{430}\u{435}\u{43e}\u{440}\u{441}\u{443}\u{445}\u{456}\u{458}\u{455}\u{501}\u{51b}\u{51d}\u{4bb}\
                     \u{410}\u{412}\u{415}\u{41a}\u{41c}\u{41d}\u{41e}\u{420}\u{421}\u{422}\u{425}\u{406}\u{408}\u{405}\
                     \u{391}\u{392}\u{395}\u{396}\u{397}\u{399}\u{39a}\u{39c}\u{39d}\u{39f}\u{3a1}\u{3a4}\u{3a5}\u{3a7}\u{3bf}";
const LATIN: &str = "aeopcyxijsdqwhABEKMHOPCTXIJSABEZHIKMNOPTYXo";

#[cfg(test)]
mod tests {
    use super::super::testing::lines;

    #[test]
    fn the_twins_pair_up() {
        assert_eq!(super::TWINS.chars().count(), super::LATIN.len());
    }

    #[test]
    fn a_mixed_name_is_seen() {
        for text in ["def v\u{435}rify(a):\n    pass\n", "\u{415}NABLED = 1\n", "is_\u{430}dmin = True\n"] {
            assert_eq!(lines(super::check, "a.py", text), [1], "{text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("a.py", "\u{394}x = 1\n\u{3bc}s = 2\n\u{b5}s = 2\n\u{3b1}_max = 3\nlog\u{3c1} = 1\n"),
            ("a.py", "get_\u{434}\u{430}\u{43d}\u{43d}\u{44b}\u{435} = 1\n\u{441}\u{43e}\u{440} = 1\n"),
            ("a.py", "a = 'v\u{435}rify'  # v\u{435}rify\n"),
            ("a.tsx", "return <p>\u{412}c\u{435}</p>\n"),
            ("a.md", "v\u{435}rify\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [0; 0], "{path}: {text}");
        }
    }
}
