//! Conflict markers: an added `<<<<<<< `, `=======` and `>>>>>>> ` at the start of their lines, in this order.
//!
//! Leaves alone: a single such line (headings are underlined with `=`), markers inside of string literals and comments
//! of a known language, prose, patches, and whatever serves tests.

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::TokenKind;
use review_loop_sdk::prelude::*;

static MARKERS: Rule = Rule {
    category: "quality-gate",
    severity: Severity::High,
    load_bearing: true,
    confidence: 99,
    several: "unresolved merge conflicts",
    follows: "both versions of the same lines stand in these files",
    hint: "Resolve the conflict and remove the three marker lines.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let extension = changed.file.path.rsplit('.').next().unwrap_or_default();
    if changed.test || PROSE.contains(&extension) || !changed.adds_any(&["<<<<<<< "]) {
        return Vec::new();
    }
    triples(changed).into_iter().filter_map(|triple| seen(changed, triple)).collect()
}

/// Extensions of files that quote markers in order to explain or to transport them.
const PROSE: &[&str] =
    &["md", "markdown", "mdx", "rst", "adoc", "asciidoc", "txt", "org", "tex", "diff", "patch", "snap"];

/// The lines of an opening, a middle and a closing marker.
fn triples(changed: &Changed) -> Vec<[u32; 3]> {
    let mut found = Vec::new();
    let (mut open, mut middle) = (None, None);
    for (number, text) in changed.added() {
        let text = text.trim_end_matches('\r');
        if is_marker(text, "<<<<<<< ") {
            (open, middle) = (Some(number), None);
        } else if text == "=======" && open.is_some() && middle.is_none() {
            middle = Some(number);
        } else if is_marker(text, ">>>>>>> ")
            && let (Some(first), Some(second)) = (open.take(), middle.take())
        {
            found.push([first, second, number]);
        }
    }
    found
}

fn is_marker(text: &str, marker: &str) -> bool {
    text.strip_prefix(marker).is_some_and(|label| !label.trim().is_empty())
}

fn seen(changed: &Changed, [open, middle, close]: [u32; 3]) -> Option<Seen> {
    let tokens = changed.new_tokens();
    let quoted = tokens.iter().any(|token| {
        matches!(token.kind, TokenKind::Str | TokenKind::Comment) && token.line < open && token.end_line() >= close
    });
    if quoted || changed.is_test_line(open) {
        return None;
    }
    let claim =
        "A merge conflict is committed unresolved, so both versions of these lines stand in the file.".to_owned();
    let mut seen = Seen::at(&MARKERS, changed, open, claim)?;
    seen.evidence =
        Some(format!("The markers `<<<<<<<`, `=======` and `>>>>>>>` stand at lines {open}, {middle} and {close}."));
    Some(seen)
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::lines;

    const CONFLICT: &str = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n";

    #[test]
    fn a_triple_is_seen() {
        assert_eq!(lines(super::check, "src/a.rs", CONFLICT), [2]);
        assert_eq!(lines(super::check, "a.json", &CONFLICT.replace('\n', "\r\n")), [2]);
        assert_eq!(lines(super::check, "conf/a", &format!("{CONFLICT}{CONFLICT}")), [2, 8]);
        let three_way = "<<<<<<< ours\nb\n||||||| base\nx\n=======\nc\n>>>>>>> theirs\n";
        assert_eq!(lines(super::check, "a.py", three_way), [1]);
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("README.md", CONFLICT.to_owned()),
            ("tests/merge.rs", CONFLICT.to_owned()),
            ("src/merge.rs", format!("const TEXT: &str = \"\n{CONFLICT}\";\n")),
            ("src/merge.py", format!("\"\"\"How it looks\n{CONFLICT}\"\"\"\n")),
            ("src/merge.rs", format!("#[cfg(test)]\nmod tests {{\n{CONFLICT}\n}}\n")),
            ("a.c", "Heading\n=======\n".to_owned()),
            ("a.c", "<<<<<<< HEAD\nb\n=======\n".to_owned()),
            ("a.c", ">>>>>>> a\n=======\n<<<<<<< b\n".to_owned()),
            ("a.c", " <<<<<<< HEAD\n =======\n >>>>>>> b\n".to_owned()),
        ] {
            assert_eq!(lines(super::check, path, &text), [0; 0], "{path}: {text}");
        }
    }
}
