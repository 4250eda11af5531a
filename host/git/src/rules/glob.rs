//! One pattern against one path: git's `wildmatch` with `WM_PATHNAME`.
//!
//! Git answers by recursion, which a pattern of thirty `**/` makes run for hours. This is a loop with two places to go
//! back to, the last `*` and the last `**`. Earlier ones are never worth going back to: a `*` stays in its folder, so
//! that where a later `*` or `**` starts is settled by the number of slashes before it, or can be reached by the later
//! one too. A match takes at most the square of the length of the path, times that of the longest folder's pattern.

/// Whether the pattern matches all of the text; `fold` ignores the case of ASCII letters in both.
///
/// A `**` at the very start counts as one after a slash, as in git, also where a caller has cut off what came before it.
pub(crate) fn matches(pattern: &[u8], text: &[u8], fold: bool) -> bool {
    let mut walk = Walk { pattern, text, fold, at: Place::default(), star: None, stars: None };
    loop {
        match walk.step() {
            Step::Matched => return true,
            Step::Failed => return false,
            Step::Differs if !walk.back() => return false,
            Step::Differs => {}
            Step::Next(place) => walk.at = place,
            Step::Star(pattern) => walk.star = Some(walk.pass(pattern)),
            Step::Stars(pattern, reach) => {
                walk.star = None;
                walk.stars = Some((walk.pass(pattern), reach));
            }
        }
    }
}

/// The pairs of bytes that every text has in it that a pattern matches, see [`pairs`]; none where it matches no text.
///
/// Slashes are in no pair: `**/` needs none.
pub(crate) fn pairs_of_pattern(pattern: &[u8], fold: bool) -> Option<u128> {
    let (mut all, mut before, mut at) = (0, None, 0);
    while let Some(&byte) = pattern.get(at) {
        let literal = !b"*?[\\/".contains(&byte);
        at = match byte {
            b'[' => class(pattern, at + 1, b'/', fold).map(|(_, end)| end)?,
            b'\\' => pattern.get(at + 1).map(|_| at + 2)?,
            _ => at + 1,
        };
        let byte = if fold { byte.to_ascii_lowercase() } else { byte };
        all |= before.filter(|_| literal).map_or(0, |before| pair(before, byte));
        before = literal.then_some(byte);
    }
    Some(all)
}

/// Which pairs of bytes a text has in it, each as one bit of many, which it may share.
///
/// A pattern that needs a pair that a text does not have cannot match it, which is told much faster than by trying.
pub(crate) fn pairs(text: &[u8]) -> u128 {
    text.iter().zip(text.iter().skip(1)).fold(0, |all, (&before, &byte)| all | pair(before, byte))
}

fn pair(before: u8, byte: u8) -> u128 {
    let both = u32::from(before) << 8 | u32::from(byte);
    1 << (both.wrapping_mul(0x9e37_79b1) >> 25)
}

/// How far a pattern and a text are read.
#[derive(Clone, Copy, Default)]
struct Place {
    pattern: usize,
    text: usize,
}

/// What a `**` may stand for.
#[derive(Clone, Copy)]
enum Reach {
    /// Nothing, or folders with the slash after them: `**/`.
    Folders,
    /// Any bytes: before an escaped slash, which git does not take for the one of `**/`.
    Bytes,
}

/// What comes next.
enum Step {
    /// All is read.
    Matched,
    /// Nothing that was read differently would help.
    Failed,
    /// The pattern wants another text here.
    Differs,
    /// One more byte is matched.
    Next(Place),
    /// A `*`, and what comes after it.
    Star(usize),
    /// A `**`, and what comes after it.
    Stars(usize, Reach),
}

struct Walk<'a> {
    pattern: &'a [u8],
    text: &'a [u8],
    fold: bool,
    at: Place,
    star: Option<Place>,
    stars: Option<(Place, Reach)>,
}

impl Walk<'_> {
    fn step(&self) -> Step {
        let Place { pattern, text } = self.at;
        let Some(&wanted) = self.pattern.get(pattern) else {
            return if text == self.text.len() { Step::Matched } else { Step::Differs };
        };
        if wanted == b'*' {
            return self.run_of_stars();
        }
        // What is left of a pattern never needs less text when it starts later.
        let Some(&byte) = self.text.get(text) else { return Step::Failed };
        self.one(wanted, if self.fold { byte.to_ascii_lowercase() } else { byte })
    }

    /// Everything that stands for exactly one byte.
    fn one(&self, wanted: u8, byte: u8) -> Step {
        let next = self.at.pattern + 1;
        match wanted {
            b'?' => self.next_if(byte != b'/', next),
            b'[' => match class(self.pattern, next, byte, self.fold) {
                Some((matched, next)) => self.next_if(matched && byte != b'/', next),
                None => Step::Failed,
            },
            // Git does not fold what is escaped: `\A` matches neither case then.
            b'\\' => match self.pattern.get(next) {
                Some(&escaped) => self.next_if(escaped == byte, next + 1),
                None => Step::Failed,
            },
            _ => self.next_if(wanted == byte || self.fold && wanted.to_ascii_lowercase() == byte, next),
        }
    }

    fn next_if(&self, matched: bool, pattern: usize) -> Step {
        if matched { Step::Next(Place { pattern, text: self.at.text + 1 }) } else { Step::Differs }
    }

    /// One `*` or several: two or more are special only when they are all that is between two slashes.
    fn run_of_stars(&self) -> Step {
        let start = self.at.pattern;
        let rest = self.pattern.get(start..).unwrap_or_default();
        let run = rest.iter().take_while(|&&byte| byte == b'*').count();
        let end = start + run;
        let whole = start.checked_sub(1).is_none_or(|before| self.pattern.get(before) == Some(&b'/'));
        match rest.get(run..) {
            Some([]) if whole && run > 1 => Step::Matched,
            Some([b'/', ..]) if whole && run > 1 => Step::Stars(end + 1, Reach::Folders),
            Some([b'\\', b'/', ..]) if whole && run > 1 => Step::Stars(end, Reach::Bytes),
            _ => Step::Star(end),
        }
    }

    /// Goes on in the pattern with nothing of the text used up.
    fn pass(&mut self, pattern: usize) -> Place {
        self.at.pattern = pattern;
        self.at
    }

    /// Lets the last `*`, or else the last `**`, take more of the text.
    fn back(&mut self) -> bool {
        if let Some(star) = self.star.as_mut().filter(|star| self.text.get(star.text).is_some_and(|&byte| byte != b'/'))
        {
            star.text += 1;
            self.at = *star;
            return true;
        }
        self.star = None;
        let Some((place, reach)) = &mut self.stars else { return false };
        let left = self.text.get(place.text..).unwrap_or_default();
        let taken = match reach {
            Reach::Folders => left.iter().position(|&byte| byte == b'/').map(|slash| slash + 1),
            Reach::Bytes => (!left.is_empty()).then_some(1),
        };
        place.text += taken.unwrap_or_default();
        self.at = *place;
        taken.is_some()
    }
}

/// Whether a byte is in the class that starts after a `[`, and where the class ends; none where it does not end.
fn class(pattern: &[u8], start: usize, byte: u8, fold: bool) -> Option<(bool, usize)> {
    let negated = matches!(pattern.get(start)?, b'!' | b'^');
    let mut item = Item { matched: false, low: 0, next: start + usize::from(negated) };
    let mut found = false;
    loop {
        item = item_of_class(pattern, &item, byte, fold)?;
        found |= item.matched;
        if *pattern.get(item.next)? == b']' {
            return Some((found != negated, item.next + 1));
        }
    }
}

/// One item of a class.
struct Item {
    matched: bool,
    /// Where a range would start, zero for nowhere.
    low: u8,
    next: usize,
}

fn item_of_class(pattern: &[u8], before: &Item, byte: u8, fold: bool) -> Option<Item> {
    let at = before.next;
    match (*pattern.get(at)?, pattern.get(at + 1)) {
        (b'\\', escaped) => escaped.map(|&low| Item { matched: low == byte, low, next: at + 2 }),
        (b'-', Some(&high)) if before.low != 0 && high != b']' => {
            let (high, next) = if high == b'\\' { (*pattern.get(at + 2)?, at + 3) } else { (high, at + 2) };
            let range = before.low..=high;
            let other = fold && byte.is_ascii_lowercase() && range.contains(&byte.to_ascii_uppercase());
            Some(Item { matched: range.contains(&byte) || other, low: 0, next })
        }
        (b'[', Some(b':')) => named(pattern, at, byte, fold),
        (low, _) => Some(Item { matched: low == byte, low, next: at + 1 }),
    }
}

/// `[:alpha:]` and its like; what only looks like one is a `[` among others.
fn named(pattern: &[u8], at: usize, byte: u8, fold: bool) -> Option<Item> {
    let rest = pattern.get(at + 2..)?;
    let end = rest.iter().position(|&byte| byte == b']')?;
    match rest.get(..end)?.split_last() {
        Some((b':', name)) => Some(Item { matched: is_named(name, byte, fold)?, low: 0, next: at + 3 + end }),
        _ => Some(Item { matched: byte == b'[', low: b'[', next: at + 1 }),
    }
}

fn is_named(name: &[u8], byte: u8, fold: bool) -> Option<bool> {
    Some(match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => matches!(byte, b' '..=b'~'),
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => byte.is_ascii_uppercase() || fold && byte.is_ascii_lowercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same without any going back: which prefixes of the text each part of the pattern can have matched.
    fn slowly(pattern: &[u8], text: &[u8]) -> bool {
        let mut reached = vec![false; text.len() + 1];
        reached[0] = true;
        let mut at = 0;
        while at < pattern.len() {
            let walk = Walk { pattern, text, fold: false, at: Place { pattern: at, text: 0 }, star: None, stars: None };
            let mut next = vec![false; text.len() + 1];
            for start in (0..=text.len()).filter(|&start| reached[start]) {
                let take = |next: &mut Vec<bool>, ends: &dyn Fn(usize) -> bool| {
                    (start..=text.len()).filter(|&end| ends(end)).for_each(|end| next[end] = true);
                };
                match pattern[at] {
                    b'*' => match walk.run_of_stars() {
                        Step::Matched => return true,
                        Step::Stars(_, Reach::Folders) => take(&mut next, &|end| end == start || text[end - 1] == b'/'),
                        Step::Stars(_, Reach::Bytes) => take(&mut next, &|_| true),
                        _ => take(&mut next, &|end| !text[start..end].contains(&b'/')),
                    },
                    wanted if start < text.len() => {
                        next[start + 1] |= matches!(walk.one(wanted, text[start]), Step::Next(_));
                    }
                    _ => {}
                }
            }
            reached = next;
            at = match (pattern[at], walk.run_of_stars()) {
                (b'*', Step::Star(end) | Step::Stars(end, _)) => end,
                (b'\\', _) => at + 2,
                (b'[', _) => match class(pattern, at + 1, b'a', false) {
                    Some((_, end)) => end,
                    None => return false,
                },
                _ => at + 1,
            };
        }
        reached[text.len()]
    }

    #[test]
    fn stars_stop_at_slashes_and_two_do_not() {
        for (pattern, text, expected) in [
            ("*", "a", true),
            ("*", "a/b", false),
            ("**", "a/b", true),
            ("a/**", "a/", true),
            ("a/**", "a", false),
            ("**/b", "b", true),
            ("**/b", "a/c/b", true),
            ("**/b", "ab", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/c/d/b", true),
            ("a/***/b", "a/c/d/b", true),
            ("a**b", "a/b", false),
            ("a**b", "acb", true),
            (r"a/**\/b", "a/b", false),
            (r"a/**\/b", "a/c/b", true),
            ("**/*a/**/b*c", "x/ya/z/bxc", true),
            ("*/*/c", "a/b/c", true),
            ("*/c", "a/b/c", false),
            ("a?c", "a/c", false),
            ("a[/]c", "a/c", false),
            ("a[!x]c", "a/c", false),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes(), false), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn classes_are_those_of_git() {
        for (pattern, text, expected) in [
            ("[]a]", "]", true),
            ("[!]a]", "]", false),
            ("[^a]", "b", true),
            ("[a-c]", "b", true),
            (r"[\a-c]", "b", true),
            (r"[a-\c]", "b", true),
            ("[a-]", "-", true),
            ("[-a]", "-", true),
            ("[[:digit:]x]", "7", true),
            ("[[:a]", ":", true),
            ("[[:a]*b", ":xb", true),
            ("[[:bogus:]a]", "a", false),
            ("[a", "a", false),
            ("[[:alpha:", "a", false),
            (r"[a\", "a", false),
            (r"a\", "a", false),
            (r"\*", "*", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes(), false), expected, "{pattern} {text}");
        }
        assert!(matches(b"[[:a]*b", b"[xb", false));
        assert!(matches(b"[\x80-\xff]", b"\xe9", false));
    }

    #[test]
    fn case_is_folded_where_git_folds_it() {
        for (pattern, text, expected) in [
            ("aB*", "AbC", true),
            ("[A-Z]", "b", true),
            ("[A-Z]", "B", true),
            ("[A-z]", "_", true),
            ("[A]", "a", false),
            ("[A]", "A", false),
            ("[a]", "A", true),
            (r"\A", "A", false),
            (r"\a", "A", true),
            ("[[:upper:]]", "a", true),
            ("[[:UPPER:]]", "a", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes(), true), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn no_pattern_takes_forever() {
        let deep = "a/".repeat(2000) + "b";
        assert!(!matches(("**/".repeat(1000) + "x").as_bytes(), deep.as_bytes(), false));
        assert!(!matches(("**/a/".repeat(500) + "x").as_bytes(), deep.as_bytes(), false));
        assert!(!matches(("*a".repeat(1000) + "b").as_bytes(), "a".repeat(4000).as_bytes(), false));
        assert!(!matches(("**/*a*a*a".repeat(100) + "/c").as_bytes(), "aaaa/".repeat(800).as_bytes(), false));
    }

    proptest! {
        #[test]
        fn going_back_finds_what_trying_all_finds(
            pattern in r"([ab/?]|\*\*/|/\*\*|\*|\[ab\]|\[!a\]|\\/|\\a|/\*\*\\/){0,10}",
            text in "[ab/]{0,12}",
        ) {
            prop_assert_eq!(matches(pattern.as_bytes(), text.as_bytes(), false), slowly(pattern.as_bytes(), text.as_bytes()));
        }

        #[test]
        fn what_matches_has_the_pairs(
            pattern in r"([abB]{1,3}|/|\?|\*\*/|/\*\*|\*|\[ab\]|\[!a\]|\\a|\[a){0,6}",
            text in "([ab]{0,3}|[abB/]){0,6}",
            fold: bool,
        ) {
            let text = if fold { text.to_ascii_lowercase() } else { text };
            if matches(pattern.as_bytes(), text.as_bytes(), fold) {
                let needed = pairs_of_pattern(pattern.as_bytes(), fold);
                prop_assert_eq!(needed.map(|needed| needed & !pairs(text.as_bytes())), Some(0));
            }
        }

        #[test]
        fn any_bytes_are_a_pattern(pattern: Vec<u8>, text: Vec<u8>, fold: bool) {
            prop_assert!(pairs_of_pattern(&pattern, fold).is_some() || !matches(&pattern, &text, fold));
        }
    }
}
