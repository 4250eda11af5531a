use review_loop_sdk::prelude::*;
use review_loop_sdk::testing::FakeHost;

use super::Grounding;

const OLD: &str = "fn load() -> Config {\n    let text = read(\"a\");\n    parse(&text)\n}\n";
const NEW: &str = "fn load() -> Config {\n    let text = read_all(\"a\");\n    parse(&text).unwrap()\n}\n";

fn host() -> FakeHost {
    FakeHost::new()
        .edited("src/load.rs", OLD, NEW)
        .renamed("src/was.rs", "src/is.rs", "fn was_here() {}\nfn same() {}\n", "fn is_here() {}\nfn same() {}\n")
        .source(
            "src/other.rs",
            "fn only_here() -> u32 {\n    compute_once(7)\n}\nfn twice() { go(1) }\nfn again() { go(1) }\n",
        )
}

/// A verdict, on one line.
fn verdict(claim: &str, anchor: Option<(&str, Side, &str)>, basis: Basis) -> String {
    let anchor = anchor.map(|(path, side, quote)| Anchor {
        path: path.to_owned(),
        side,
        lines: None,
        quote: (!quote.is_empty()).then(|| quote.to_owned()),
        section: None,
    });
    let finding = Finding {
        claim: claim.to_owned(),
        category: "edge-case".to_owned(),
        severity: Severity::High,
        confidence: 90,
        load_bearing: true,
        basis,
        anchor,
        evidence: None,
        fix_hint: None,
        replacement: None,
        reach: Reach::Tactical,
    };
    let (verdicts, _) = host().run(|| Grounding::falsify(&[finding]).unwrap());
    match &verdicts[..] {
        [Verdict::Stands] => "stands".to_owned(),
        [Verdict::Falsified(evidence)] => format!("falsified: {evidence}"),
        [Verdict::Undecided(reason)] => format!("undecided: {reason}"),
        [Verdict::Corrected(anchor)] => {
            let line = anchor.lines.map_or(0, |lines| lines.first);
            format!("corrected: {} {} {line}", anchor.path, if anchor.side == Side::Old { "Old" } else { "New" })
        }
        other => panic!("{other:?}"),
    }
}

fn quoted(path: &str, side: Side, quote: &str) -> String {
    verdict("It breaks.", Some((path, side, quote)), Basis::Judgement)
}

#[test]
fn a_quote_that_is_there_stands() {
    for quote in [
        "parse(&text).unwrap()",
        "  let   text = read_all(\"a\");\n  parse(&text).unwrap()",
        "+ parse(&text).unwrap()",
        "3| parse(&text).unwrap()",
        "fn load() -> Config { ... parse(&text).unwrap()",
        "let text = read_all(\"a\"); // reads",
        "}",
    ] {
        assert_eq!(quoted("src/load.rs", Side::New, quote), "stands", "{quote}");
    }
}

#[test]
fn a_quote_that_is_elsewhere_corrects_the_place() {
    let corrected = [
        ("src/load.rs", Side::New, "let text = read(\"a\");", "corrected: src/load.rs Old 2"),
        ("src/load.rs", Side::New, "compute_once(7)", "corrected: src/other.rs New 2"),
        ("src/is.rs", Side::New, "fn was_here() {}", "corrected: src/was.rs Old 1"),
        ("nowhere.rs", Side::New, "fn  only_here()", "corrected: src/other.rs New 1"),
        ("load.rs", Side::New, "", "corrected: src/load.rs New 0"),
    ];
    for (path, side, quote, expected) in corrected {
        assert_eq!(quoted(path, side, quote), expected);
    }
    assert_eq!(
        quoted("src/load.rs", Side::New, "{ go(1) }"),
        "undecided: `{ go(1) }` is not in src/load.rs, and stands in 2 other places."
    );
}

#[test]
fn what_stands_nowhere_is_disproved_with_what_was_looked_for() {
    assert_eq!(
        quoted("src/load.rs", Side::New, "cache.invalidate(key)"),
        "falsified: The quoted text `cache.invalidate(key)` stands nowhere: not in src/load.rs, and in no other file, \
         before or after the change."
    );
    assert_eq!(
        quoted("src/cache.rs", Side::New, ""),
        "falsified: There is no file `src/cache.rs`, neither before nor after the change."
    );
    assert_eq!(
        verdict("`invalidate_cache` leaks `cacheKey`.", Some(("src/load.rs", Side::New, "")), Basis::Judgement),
        "falsified: `cacheKey`, `invalidate_cache`: found neither in the change nor in any file, before or after it."
    );
    assert_eq!(
        verdict("The flushQueue call hangs.", None, Basis::Judgement),
        "falsified: `flushQueue`: found neither in the change nor in any file, before or after it."
    );
}

#[test]
fn names_disprove_only_when_none_of_them_is_there() {
    let at = |claim| verdict(claim, Some(("src/load.rs", Side::New, "")), Basis::Judgement);
    assert_eq!(at("`load` panics in `parse_strict`."), "stands");
    assert_eq!(at("`compute_once` is the same."), "stands");
    assert_eq!(at("An empty file is a panic."), "stands");
    assert_eq!(
        at("It should use `try_parse` instead."),
        "undecided: `try_parse`: found neither in the change nor in any file, before or after it."
    );
    let quoted = Some(("src/load.rs", Side::New, "parse(&text).unwrap()"));
    assert_eq!(verdict("`invent_this` panics.", quoted, Basis::Judgement), "stands");
}

#[test]
fn a_check_answers_for_its_quote_alone_and_a_run_for_nothing() {
    let invented = Some(("src/load.rs", Side::New, "cache.invalidate(key)"));
    assert!(verdict("It breaks.", invented, Basis::Check).starts_with("falsified: The quoted text"));
    assert_eq!(verdict("`invent_this` panics.", Some(("src/load.rs", Side::New, "")), Basis::Check), "stands");
    assert_eq!(verdict("It breaks.", invented, Basis::Execution), "stands");
}

#[test]
fn there_is_a_verdict_for_each_finding() {
    assert_eq!(host().run(|| Grounding::falsify(&[]).unwrap()).0.len(), 0);
}

#[test]
fn what_a_check_saw_is_not_disproved_by_its_path() {
    let of = |path, quote| verdict("It breaks.", Some((path, Side::New, quote)), Basis::Check);
    assert!(of("nowhere.rs", "").starts_with("undecided: There is no file"), "{}", of("nowhere.rs", ""));
    assert_eq!(of("src/load.rs", "compute_once(7)"), "corrected: src/other.rs New 2");
}
