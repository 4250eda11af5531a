use review_loop_sdk::llm::Stop;
use review_loop_sdk::prelude::*;
use review_loop_sdk::testing::{FakeHost, text_reply};

use super::Skeptic;

const NEW: &str = "use std::fs;\n\n/// Loads.\npub fn load_all(path: &str) -> Config {\n    let text = fs::read_to_string(path).unwrap();\n    parse(&text)\n}\n\nfn parse(text: &str) -> Config { todo!() }\n";

fn host() -> FakeHost {
    FakeHost::new()
        .edited("src/load.rs", &NEW.replace(".unwrap()", "?"), NEW)
        .source("src/main.rs", "fn main() {\n    load_all(\"a\");\n}\n")
}

fn finding(basis: Basis, path: &str) -> Finding {
    Finding {
        claim: "`load_all` panics when the file is missing.".to_owned(),
        category: "edge-case".to_owned(),
        severity: Severity::High,
        confidence: 80,
        load_bearing: true,
        basis,
        anchor: (!path.is_empty()).then(|| Anchor {
            path: path.to_owned(),
            side: Side::New,
            lines: Some(LineRange { first: 5, last: 5 }),
            quote: Some("fs::read_to_string(path).unwrap()".to_owned()),
            section: None,
        }),
        evidence: Some("line 5 unwraps".to_owned()),
        fix_hint: None,
        replacement: None,
        reach: Reach::Tactical,
    }
}

fn verdict(reply: Result<llm::Reply, llm::Error>) -> String {
    let host = host().replies([reply]);
    let (verdicts, _) = host.run(|| Skeptic::falsify(&[finding(Basis::Judgement, "src/load.rs")]).unwrap());
    match &verdicts[..] {
        [Verdict::Stands] => "stands".to_owned(),
        [Verdict::Falsified(evidence)] => format!("falsified: {evidence}"),
        [Verdict::Undecided(reason)] => format!("undecided: {reason}"),
        [Verdict::Corrected(anchor)] => format!("corrected: {} {}", anchor.path, anchor.lines.map_or(0, |l| l.first)),
        other => panic!("{other:?}"),
    }
}

fn answered(json: &str) -> String {
    verdict(Ok(text_reply(json)))
}

#[test]
fn a_verdict_needs_a_line_that_was_shown() {
    let cases = [
        (r#"{"verdict": "stands", "evidence": "", "quote": "fs::read_to_string(path).unwrap();"}"#, "stands"),
        (
            r#"{"verdict": "falsified", "evidence": "It\nreturns.", "quote": "parse(&text)"}"#,
            "falsified: It returns. (`parse(&text)`)",
        ),
        (
            r#"{"verdict": "falsified", "evidence": "A guard.", "quote": "if path.exists()"}"#,
            "undecided: the model said `falsified` and pointed at no line that it was shown: A guard.",
        ),
        (
            r#"{"verdict": "falsified", "evidence": "", "quote": "parse(&text)"}"#,
            "undecided: the model disproved it without a reason",
        ),
        (
            r#"{"verdict": "stands", "evidence": "Sure.", "quote": null}"#,
            "undecided: the model said `stands` and pointed at no line that it was shown: Sure.",
        ),
        (
            r#"{"verdict": "corrected", "evidence": "", "quote": "load_all(\"a\");", "path": "src/main.rs", "line": 2}"#,
            "corrected: src/main.rs 2",
        ),
        (
            r#"{"verdict": "corrected", "evidence": "", "quote": "load_all(\"a\");", "path": "/etc/passwd", "line": 2}"#,
            "undecided: the model corrected it to a file that it was not shown",
        ),
        (r#"{"verdict": "undecided", "evidence": "The caller is not shown."}"#, "undecided: The caller is not shown."),
    ];
    for (reply, expected) in cases {
        assert_eq!(answered(reply), expected, "{reply}");
    }
}

#[test]
fn without_an_answer_nothing_is_disproved() {
    let falsified = r#"{"verdict": "falsified", "evidence": "x", "quote": "parse(&text)"}"#;
    let stopped = |stop| verdict(Ok(llm::Reply { stop, ..text_reply(falsified) }));
    assert_eq!(stopped(Stop::MaxTokens), "undecided: unreadable reply: it was cut off at the token limit");
    assert_eq!(stopped(Stop::Refusal), "undecided: the model declined to answer");
    assert_eq!(answered(""), "undecided: unreadable reply: it is empty");
    assert_eq!(answered("falsified"), "undecided: unreadable reply: there is no JSON object with the fields asked for");
    assert_eq!(answered(r#"{"verdict": "false"}"#), "undecided: unreadable reply: `verdict` is not one of its words");
    assert_eq!(verdict(Err(llm::Error::BudgetExhausted)), "undecided: the budget for model calls is spent");
}

#[test]
fn what_is_certain_is_not_asked_about_and_answers_keep_their_order() {
    let findings = [
        finding(Basis::Check, "src/load.rs"),
        finding(Basis::Judgement, "src/load.rs"),
        finding(Basis::Execution, ""),
        finding(Basis::Judgement, ""),
    ];
    let stands = r#"{"verdict": "stands", "evidence": "", "quote": "load_all(\"a\");"}"#;
    let unsure = r#"{"verdict": "undecided", "evidence": "No."}"#;
    let (verdicts, host) = host().answers(&[unsure, stands]).run(|| Skeptic::falsify(&findings).unwrap());
    assert_eq!(host.asked.len(), 2);
    let undecided = Verdict::Undecided("No.".to_owned());
    assert!(verdicts == [Verdict::Stands, undecided, Verdict::Stands, Verdict::Stands], "{verdicts:?}");
}

#[test]
fn without_a_model_or_a_place_nothing_is_settled() {
    let (verdicts, _) = host().run(|| Skeptic::falsify(&[finding(Basis::Judgement, "src/load.rs")]).unwrap());
    assert!(verdicts == [Verdict::Undecided("no model is configured".to_owned())]);
    let nowhere = Finding { claim: "It is bad.".to_owned(), ..finding(Basis::Judgement, "gone.rs") };
    let (verdicts, host) = host().answers(&[]).run(|| Skeptic::falsify(&[nowhere]).unwrap());
    assert!(verdicts == [Verdict::Undecided("there is no code at its place to show".to_owned())]);
    assert!(host.asked.is_empty());
}

#[test]
fn the_model_sees_the_change_the_definition_and_the_callers() {
    let (_, host) =
        host().answers(&["{}"]).run(|| Skeptic::falsify(&[finding(Basis::Judgement, "src/load.rs")]).unwrap());
    let llm::Part::Text(text) = &host.asked[0].messages[0].parts[0] else { panic!("no text") };
    for expected in [
        "The finding (edge-case): `load_all` panics when the file is missing.\n",
        "Its place: \"src/load.rs\", line 5\n",
        "-5|     let text = fs::read_to_string(path)?;\n+5|     let text = fs::read_to_string(path).unwrap();\n",
        "The file now: \"src/load.rs\"\n1| use std::fs;\n",
        "\nWhere its names stand elsewhere:\n\"src/main.rs\" 2|     load_all(\"a\");\n",
    ] {
        assert!(text.contains(expected), "{expected}\n---\n{text}");
    }
}

#[test]
fn a_huge_place_is_shown_in_bounds() {
    let new = format!("fn load_all() {{\n{}}}\n", "    load_all(path_to_something_long, and_more);\n".repeat(20_000));
    let host = FakeHost::new().added("src/load.rs", &new).answers(&["{}"]);
    let at = |line| {
        let mut finding = finding(Basis::Judgement, "src/load.rs");
        finding.anchor.as_mut().unwrap().lines = Some(LineRange { first: line, last: line });
        finding
    };
    let (_, host) = host.run(|| Skeptic::falsify(&[at(9_000), at(u32::MAX), at(0)]).unwrap());
    for request in &host.asked {
        let llm::Part::Text(text) = &request.messages[0].parts[0] else { panic!("no text") };
        assert!(text.len() < 28_000 && text.len() > 5_000, "{}", text.len());
    }
}
