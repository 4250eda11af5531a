//! Words and names in claims and in code.

use std::borrow::Cow;
use std::collections::BTreeSet;

pub use review_loop_core::text::fold;

/// Runs of letters, digits and underscores, in order.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The names of code that a sentence is about, as they are spelled: what stands in back ticks, from three letters on,
/// and words that only code has (`a_b`, `aB`).
#[must_use]
pub fn names(sentence: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (index, span) in sentence.split('`').enumerate() {
        let ticked = index % 2 == 1;
        let named = words(span).filter(|word| if ticked { word.len() > 2 } else { looks_like_code(word) });
        names.extend(named.filter(|word| word.chars().any(char::is_alphabetic)).map(str::to_owned));
    }
    names
}

/// The longest start of a text within `max` bytes; an ellipsis says that there was more.
#[must_use]
pub fn clip(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    format!("{}\u{2026}", text.get(..text.floor_char_boundary(max)).unwrap_or_default())
}

/// A name in one line: control characters but the tab are shown as `\u{..}`, as in the description of the change.
#[must_use]
pub fn in_line(name: &str) -> Cow<'_, str> {
    let breaks = |c: char| c.is_control() && c != '\t';
    if !name.contains(breaks) {
        return Cow::Borrowed(name);
    }
    let shown = |c: char| if breaks(c) { c.escape_unicode().to_string() } else { c.to_string() };
    Cow::Owned(name.chars().map(shown).collect())
}

fn looks_like_code(word: &str) -> bool {
    let humps = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    humps || word.trim_matches('_').contains('_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_spelling() {
        let found = names("`Foo::bar(x)` and user_id, userId, _private, the Word, `a`, `12_3`");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["Foo", "bar", "userId", "user_id"]);
    }

    #[test]
    fn a_name_is_in_one_line() {
        assert_eq!(in_line("a\n\u{1b}\tb\r"), "a\\u{a}\\u{1b}\tb\\u{d}");
        assert!(matches!(in_line("größe a"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(clip("aé", 2), "a\u{2026}");
        assert_eq!(clip("aé", 3), "aé");
    }
}
