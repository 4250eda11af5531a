//! Words and names: what claims and code are compared by.

use std::collections::BTreeSet;

/// No more than this many bytes of one text are read: enough for any claim, and a bound for a hostile one.
pub const MAX_CLAIM: usize = 16 * 1024;

/// The words of a text in the order in which they stand: lower case, names split at their humps, underscores and
/// dots, endings cut, words of grammar left out.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_part(text, |part| {
        let lower = part.to_lowercase();
        if lower.chars().nth(1).is_some() && GRAMMAR.binary_search(&lower.as_str()).is_err() {
            words.push(stem(&lower));
        }
    });
    words
}

/// The names of code that a text mentions, in lower case: what stands in back ticks, and [`compounds`].
#[must_use]
pub fn names(text: &str) -> BTreeSet<String> {
    let ticked = text.split('`').skip(1).step_by(2).flat_map(tokens).filter(|t| t.chars().nth(1).is_some());
    let mut names = compounds(text);
    names.extend(ticked.filter(|t| t.chars().any(char::is_alphabetic)).map(str::to_lowercase));
    names
}

/// The words of a text that only code has, in lower case: made of several parts by humps or underscores. Names of
/// products that are spelt so are none.
#[must_use]
pub fn compounds(text: &str) -> BTreeSet<String> {
    let names = tokens(text).filter(|t| is_compound(t)).map(str::to_lowercase);
    names.filter(|n| PRODUCTS.binary_search(&n.as_str()).is_err()).collect()
}

/// The runs of letters, digits, `_` and `$` of a text.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|t| !t.is_empty())
}

/// White space folded: every run of it is one space, none at the ends.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

/// The longest start of a text that is no longer than `max` bytes and ends between characters.
#[must_use]
pub fn head(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max)).unwrap_or(text)
}

fn is_compound(token: &str) -> bool {
    let mut parts = 0;
    for_each_part(token, |part| parts += usize::from(part.chars().nth(1).is_some()));
    token.chars().any(char::is_alphabetic) && (parts > 1 || token.trim_matches('_').contains('_'))
}

/// Calls `f` with every run of letters or of digits; a name is cut where a small letter meets a capital one, and
/// before the last capital of a run of them (`HTTPServer` is `HTTP` and `Server`).
fn for_each_part(text: &str, mut f: impl FnMut(&str)) {
    for token in text.split(|c: char| !c.is_alphanumeric()) {
        let mut start = 0;
        let mut before: Option<char> = None;
        let mut chars = token.char_indices().peekable();
        while let Some((cut, b)) = chars.next() {
            let next = chars.peek().map(|&(_, c)| c);
            if before.is_some_and(|a| parts_meet(a, b, next)) {
                f(token.get(start..cut).unwrap_or_default());
                start = cut;
            }
            before = Some(b);
        }
        if start < token.len() {
            f(token.get(start..).unwrap_or_default());
        }
    }
}

fn parts_meet(a: char, b: char, next: Option<char>) -> bool {
    let hump = a.is_lowercase() && b.is_uppercase();
    let acronym = a.is_uppercase() && b.is_uppercase() && next.is_some_and(char::is_lowercase);
    hump || acronym || a.is_numeric() != b.is_numeric()
}

/// Cuts the commonest English endings, so that `handles`, `handled` and `handling` are one word.
fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    if let Some(s) = word.strip_suffix("ies").filter(|s| s.len() > 2) {
        return format!("{s}y");
    }
    let cut = |ending: &&str| {
        let rest = word.strip_suffix(*ending)?;
        (rest.len() > 2 && !(*ending == "s" && rest.ends_with('s'))).then_some(rest)
    };
    let bare = ENDINGS.iter().find_map(cut).unwrap_or(word);
    let mut letters = bare.bytes().rev();
    let doubled = bare.len() > 3
        && matches!((letters.next(), letters.next()),
        (Some(a), Some(b)) if a == b && !matches!(a, b'l' | b's' | b'z'));
    bare.get(..bare.len() - usize::from(doubled)).unwrap_or(bare).trim_end_matches('e').to_owned()
}

const ENDINGS: &[&str] = &["sses", "ing", "edly", "ed", "ly", "es", "s"];

/// English words that carry no topic, in order.
#[rustfmt::skip]
const GRAMMAR: &[&str] = &[
    "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because", "been", "before", "being",
    "both", "but", "by", "can", "could", "did", "do", "does", "each", "even", "for", "from", "had", "has", "have",
    "here", "how", "if", "in", "instead", "into", "is", "it", "its", "just", "may", "might", "more", "most", "no",
    "not", "now", "of", "on", "only", "or", "other", "our", "out", "over", "same", "should", "since", "so", "some",
    "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too",
    "up", "via", "was", "we", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with",
    "within", "without", "would", "you", "your",
];

/// Names of products that look like names of code, in order.
#[rustfmt::skip]
const PRODUCTS: &[&str] = &[
    "bitbucket", "devops", "ecmascript", "github", "gitlab", "graphql", "ios", "javascript", "macos", "mariadb",
    "mongodb", "mysql", "nodejs", "nosql", "oauth", "oauth2", "openapi", "openssl", "postgresql", "powershell",
    "pytorch", "sqlite", "tensorflow", "typescript", "websocket", "websockets", "youtube",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_and_words_stemmed() {
        assert_eq!(words("The HTTPServer handles userIds"), ["http", "server", "handl", "user", "ids"]);
        assert_eq!(words("handled, handling, stopped"), ["handl", "handl", "stop"]);
        assert_eq!(words(""), Vec::<String>::new());
    }

    #[test]
    fn names_need_ticks_or_the_look_of_code() {
        let names: Vec<String> =
            names("The `foo` of userId in some_place, not Word of JavaScript").into_iter().collect();
        assert_eq!(names, ["foo", "some_place", "userid"]);
    }

    #[test]
    fn a_head_ends_between_characters() {
        assert_eq!(head("aä", 2), "a");
        assert_eq!(head("aä", 9), "aä");
    }

    #[test]
    fn lists_are_in_order() {
        assert!(GRAMMAR.is_sorted());
        assert!(PRODUCTS.is_sorted());
    }
}
