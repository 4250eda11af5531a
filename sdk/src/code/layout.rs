//! Where tokens stand to each other: which brackets belong together, which tokens start a line. Each is found for all tokens
//! in one pass, so that a check may ask for every token of a file.

use super::Token;

/// For each token the bracket that it opens or closes together with; none for other tokens, and for brackets without
/// their other half. Brackets are paired in their order, whatever their kinds.
#[must_use]
pub fn brackets(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let (mut pairs, mut open) = (vec![None; tokens.len()], Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => open.push(at),
            ")" | "]" | "}" => {
                let Some(opening) = open.pop() else { continue };
                pairs[at] = Some(opening);
                pairs[opening] = Some(at);
            }
            _ => {}
        }
    }
    pairs
}

/// For each token the bytes of white space before it in its line; none where something else stands before it.
#[must_use]
pub fn indents(text: &str, tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut end = 0;
    let mut first = true;
    let indent = |token: &Token<'_>| {
        let between = text.get(end..token.start).unwrap_or_default();
        let line = between.rsplit_once('\n').map(|(_, line)| line).or(first.then_some(between));
        (end, first) = (token.start + token.text.len(), false);
        line.filter(|line| line.chars().all(char::is_whitespace)).map(str::len)
    };
    tokens.iter().map(indent).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Language, tokens};
    use super::*;

    #[test]
    fn brackets_are_paired_in_their_order() {
        let tokens = tokens("a ( [ b } ) ) {", Language::Rust);
        let pairs: Vec<_> =
            brackets(&tokens).into_iter().enumerate().filter_map(|(at, pair)| Some((at, pair?))).collect();
        assert_eq!(pairs, [(1, 5), (2, 4), (4, 2), (5, 1)]);
    }

    #[test]
    fn what_starts_a_line_has_an_indentation() {
        let text = "  a b\n\n\tc \"x\ny\" d\n";
        let tokens = tokens(text, Language::Rust);
        let found: Vec<_> =
            tokens.iter().zip(indents(text, &tokens)).filter_map(|(t, it)| Some((t.text, it?))).collect();
        assert_eq!(found, [("a", 2), ("c", 1)]);
    }
}
