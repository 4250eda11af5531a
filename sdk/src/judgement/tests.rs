use proptest::prelude::*;
use serde_json::json;

use crate::Lens;
use crate::llm::{self, Stop};
use crate::testing::{FakeHost, text_reply};
use crate::types::{Basis, Failure, Finding, Part, Reach, Report, Severity, Side};

struct Tidy;

impl Lens for Tidy {
    const MANIFEST: &'static str = "---\nid: tidy\nversion: 0.1.0\nsummary: Tidy?\nmodes: code\ncap: 2\ncategories:\n  mess: A mess.\n  dust: Dust.\ncredits:\n  neat: Neat.\n---\n\n# Tidy\n\nLook at the mess.\n\n## What the checks see\n\nNothing.\n";

    fn checks() -> Result<Report, Failure> {
        let finding = Finding { basis: Basis::Check, ..finding("seen by a check") };
        Ok(Report { findings: vec![finding], ..Report::default() })
    }
}

fn finding(claim: &str) -> Finding {
    Finding {
        claim: claim.to_owned(),
        category: "mess".to_owned(),
        severity: Severity::Medium,
        confidence: 80,
        load_bearing: true,
        basis: Basis::Judgement,
        anchor: None,
        evidence: None,
        fix_hint: None,
        replacement: None,
        reach: Reach::Tactical,
    }
}

fn host() -> FakeHost {
    FakeHost::new().edited("a.rs", "fn a() {}\n", "fn a() { b() }\n").source("b.rs", "fn b() {}\nfn c() {}\n")
}

/// The judged claims and what was skipped; the host with what was asked.
fn judged(host: FakeHost) -> (Vec<String>, Vec<String>, FakeHost) {
    let (report, host) = host.run(Tidy::review);
    let report = report.unwrap();
    assert_eq!(report.findings.first().unwrap().claim, "seen by a check", "the checks' findings are always there");
    let claims = report.findings.iter().skip(1).map(|finding| finding.claim.clone()).collect();
    let name = |part: &Part| match part {
        Part::Judgement => "judgement".to_owned(),
        Part::Path(name) | Part::Other(name) => name.clone(),
    };
    let skipped = report.skipped.iter().map(|skipped| format!("{}: {}", name(&skipped.what), skipped.why)).collect();
    (claims, skipped, host)
}

fn stopped(text: &str, stop: Stop) -> Result<llm::Reply, llm::Error> {
    Ok(llm::Reply { stop, ..text_reply(text) })
}

fn calls(calls: &[(&str, &str)]) -> Result<llm::Reply, llm::Error> {
    let part = |(id, (name, input)): (usize, &(&str, &str))| {
        llm::Part::ToolCall(llm::ToolCall { id: id.to_string(), name: (*name).to_owned(), input: (*input).to_owned() })
    };
    let parts = calls.iter().enumerate().map(part).collect();
    Ok(llm::Reply { parts, stop: Stop::ToolUse, usage: llm::Usage { input: 0, cached: 0, output: 0 } })
}

const MESS: &str =
    r#"{"claim": "A mess.", "category": "mess", "severity": "major", "confidence": 80, "load_bearing": true}"#;

#[test]
fn without_an_answer_judgement_is_skipped_and_never_empty() {
    let cut = || stopped(r#"{"findings": []}"#, Stop::MaxTokens);
    let cases: [(Vec<_>, &str); 9] = [
        (vec![Err(llm::Error::Unavailable)], "no model is configured"),
        (vec![Err(llm::Error::BudgetExhausted)], "the budget for model calls is spent"),
        (vec![Err(llm::Error::Failed("500".to_owned()))], "the provider failed: 500"),
        (vec![stopped("I cannot.", Stop::Refusal)], "the model declined to answer"),
        (vec![cut(), cut()], "unreadable reply: it was cut off at the token limit"),
        (vec![stopped(" ", Stop::End), stopped("", Stop::End)], "unreadable reply: it is empty"),
        (
            vec![stopped("Fine!", Stop::End), stopped("No findings.", Stop::End)],
            "unreadable reply: there is no JSON object with the fields asked for",
        ),
        (
            vec![stopped("x", Stop::End), stopped(r#"{"findings": NaN}"#, Stop::End)],
            "unreadable reply: a JSON value was expected, near `NaN}`",
        ),
        (
            vec![stopped(r#"{"findings": {}}"#, Stop::End), stopped(r#"{"findings": "none"}"#, Stop::End)],
            "unreadable reply: `findings` is not a list",
        ),
    ];
    for (replies, why) in cases {
        let count = replies.len();
        let (claims, skipped, host) = judged(host().replies(replies));
        assert_eq!((claims.len(), skipped), (0, vec![format!("judgement: {why}")]));
        assert_eq!(host.asked.len(), count, "{why}");
    }
    assert_eq!(judged(host()).1, ["judgement: no model is configured"]);
}

#[test]
fn an_empty_list_is_an_answer() {
    for text in [r#"{"findings": []}"#, "Nothing.\n```json\n{\"findings\": [], \"not_examined\": []}\n```"] {
        let (claims, skipped, _) = judged(host().answers(&[text]));
        assert_eq!((claims.len(), skipped.len()), (0, 0));
    }
}

#[test]
fn a_reply_is_repaired_once() {
    let good = format!("{{\"findings\": [{MESS}]}}");
    let (claims, skipped, host) = judged(host().answers(&["{\"findings\": [", &good]));
    assert_eq!((claims, skipped.len()), (vec!["A mess.".to_owned()], 0));
    let llm::Part::Text(text) = &host.asked[1].messages.last().unwrap().parts[0] else { panic!("no text") };
    assert!(text.starts_with("That was not an answer: unreadable reply: it ends in the middle."), "{text}");
}

#[test]
fn the_model_is_told_the_lens_the_facts_and_the_form() {
    let (_, _, host) = judged(host().answers(&[r#"{"findings": []}"#]));
    let request = &host.asked[0];
    assert!(request.instructions.contains("Look at the mess.") && request.instructions.contains("- `dust`: Dust."));
    assert!(!request.instructions.contains("What the checks see"));
    let [llm::Part::Brief, llm::Part::Text(task)] = &request.messages[0].parts[..] else { panic!("not brief, task") };
    assert!(task.contains("at most 2 findings") && task.contains("- medium mess: seen by a check"), "{task}");
    for tool in &request.tools {
        serde_json::from_str::<serde_json::Value>(&tool.input_schema).unwrap();
    }
}

#[test]
fn a_finding_that_cannot_be_is_named() {
    let with = |key: &str, value: serde_json::Value| {
        let mut finding: serde_json::Value = serde_json::from_str(MESS).unwrap();
        finding[key] = value;
        let reply = json!({ "findings": [finding] }).to_string();
        let (claims, skipped, _) = judged(host().answers(&[&reply]));
        assert_eq!(claims.len() + skipped.len(), 1, "{reply}");
        skipped.first().cloned().unwrap_or_default()
    };
    assert_eq!(with("category", json!("neat")), "finding 1: `neat` is not one of its categories");
    assert_eq!(with("severity", json!("huge")), "finding 1: `huge` is not a severity");
    assert_eq!(with("confidence", json!(101)), "finding 1: `confidence` is not a number from 0 to 100");
    assert_eq!(with("confidence", json!("80")), "finding 1: `confidence` is not a number from 0 to 100");
    assert_eq!(with("load_bearing", json!("yes")), "finding 1: `load_bearing` is not true or false");
    assert_eq!(with("claim", json!(" \n")), "finding 1: `claim` is missing");
    assert_eq!(with("claim", json!(7)), "finding 1: `claim` is not text");
    assert_eq!(with("path", json!("../a")), "finding 1: `path` is not a path from the repository's root");
    assert_eq!(with("path", json!("/etc/passwd")), "finding 1: `path` is not a path from the repository's root");
    assert_eq!(with("path", json!(" a\n:b.rs")), "");
    assert_eq!(with("reach", json!("far")), "finding 1: `reach` is not tactical or directional");
    assert_eq!(with("confidence", json!(0.85)), "");
    assert_eq!(with("line", json!(0)), "");
}

#[test]
fn a_finding_whose_place_cannot_be_is_named() {
    for (place, why) in [
        (r#""line": -1"#, "`line` is not a line number"),
        (r#""line": 1e999"#, "`line` is not a line number"),
        (r#""line": 9, "end_line": 3"#, "`end_line` stands before `line`"),
        (r#""side": "left""#, "`side` is not new or old"),
    ] {
        let finding = MESS.replace('}', &format!(r#", "path": "a.rs", {place}}}"#));
        let (claims, skipped, _) = judged(host().answers(&[&format!("{{\"findings\": [{finding}]}}")]));
        assert_eq!((claims.len(), skipped), (0, vec![format!("finding 1: {why}")]));
    }
}

#[test]
fn the_gravest_findings_are_kept() {
    let item = |severity: &str, confidence: u32| {
        json!({ "claim": format!("{severity} {confidence}"), "category": "dust", "severity": severity,
                "confidence": confidence, "load_bearing": false })
    };
    let reply = json!({ "findings": [item("low", 99), item("Critical", 60), item("minor", 70), item("warning", 90)] });
    let (claims, skipped, host) = judged(host().answers(&[&reply.to_string()]));
    assert_eq!(claims, ["Critical 60", "warning 90"]);
    assert_eq!(skipped, Vec::<String>::new());
    assert_eq!(host.logged[0].1, "kept 2 of the model's 4 findings");
}

#[test]
fn what_the_model_did_not_examine_is_skipped() {
    let reply = r#"{"findings": [], "credits": [{"category": "neat", "claim": "It is."}, {"category": "mess", "claim": "No."}],
        "not_examined": [{"what": "a.rs", "why": "too long"}, {"what": "the tests"}, "docs", 7]}"#;
    let (report, _) = host().answers(&[reply]).run(Tidy::review);
    let report = report.unwrap();
    let what: Vec<_> = report.skipped.iter().map(|skipped| skipped.what.clone()).collect();
    let other = |text: &str| Part::Other(text.to_owned());
    assert_eq!(
        what,
        [Part::Path("a.rs".to_owned()), other("the tests"), other("docs"), other("a part that it does not name")]
    );
    assert_eq!(report.credits.iter().map(|credit| credit.claim.as_str()).collect::<Vec<_>>(), ["It is."]);
}

#[test]
fn the_model_looks_around() {
    let replies = [
        calls(&[
            ("read_file", r#"{"path": "b.rs", "first_line": 2}"#),
            ("read_file", r#"{"path": "a.rs", "side": "old"}"#),
            ("search", r#"{"pattern": "fn \\w+", "syntax": "regex", "glob": "b.*"}"#),
            ("list_files", ""),
            ("read_file", r#"{"path": "no.rs"}"#),
            ("run", "{}"),
            ("search", "pattern"),
        ]),
        stopped(r#"{"findings": []}"#, Stop::End),
    ];
    let (_, skipped, host) = judged(host().replies(replies));
    assert_eq!(skipped, Vec::<String>::new());
    let results = host.asked[1].messages[2].parts.iter().map(|part| match part {
        llm::Part::ToolResult(result) => (result.output.as_str(), result.failed),
        other => panic!("{other:?}"),
    });
    assert_eq!(
        results.collect::<Vec<_>>(),
        [
            ("2 lines in all\n2| fn c() {}\n", false),
            ("1 lines in all\n1| fn a() {}\n", false),
            ("b.rs:1| fn b() {}\nb.rs:2| fn c() {}\n", false),
            ("a.rs\nb.rs\n", false),
            ("there is no such file on this side of the change", true),
            ("there is no such tool; there are read_file, search and list_files", true),
            ("the input is not JSON: a JSON value was expected, near `pattern`", true),
        ]
    );
}

#[test]
fn looking_around_ends() {
    let endless = || (0..50).map(|_| calls(&[("list_files", "{}")]));
    let (_, skipped, asked) = judged(host().replies(endless()));
    assert_eq!(skipped, ["judgement: the model did not answer after 8 rounds of look-ups"]);
    assert_eq!(asked.asked.len(), 10);
    let answer = stopped(r#"{"findings": []}"#, Stop::End);
    let (_, skipped, _) = judged(host().replies(endless().take(9).chain([answer])));
    assert_eq!(skipped, Vec::<String>::new());
}

#[test]
fn a_file_of_any_size_is_shown_in_bounds() {
    let text = "x".repeat(10_000) + "\n" + &"y\n".repeat(100_000);
    let host = host().source("big", &text).replies([
        calls(&[("read_file", r#"{"path": "big"}"#), ("search", r#"{"pattern": "y"}"#)]),
        stopped(r#"{"findings": []}"#, Stop::End),
    ]);
    let (_, _, host) = judged(host);
    for part in &host.asked[1].messages[2].parts {
        let llm::Part::ToolResult(result) = part else { panic!("no result") };
        assert!(result.output.len() < 8_000 && !result.failed, "{}", result.output.len());
    }
}

fn text() -> impl Strategy<Value = String> {
    "\\PC{1,40}".prop_map(|text| text.trim().to_owned()).prop_filter("blank is missing", |text| !text.is_empty())
}

proptest! {
    #[test]
    fn a_report_comes_back_as_it_was_sent(
        claim in text(), quote in prop::option::of(text()), evidence in prop::option::of(text()),
        severity in 0_usize..4, confidence in 0_u8..=100, load_bearing: bool, old: bool, directional: bool,
        lines in prop::option::of((1_u32..9000, 0_u32..50)), prose in "[^{]{0,40}",
    ) {
        let words = ["low", "medium", "high", "critical"];
        let sent = json!({ "findings": [{
            "claim": claim, "category": "dust", "severity": words[severity], "confidence": confidence,
            "load_bearing": load_bearing, "path": "src/a.rs", "side": if old { "old" } else { "new" },
            "line": lines.map(|(first, _)| first), "end_line": lines.map(|(first, more)| first + more),
            "quote": quote, "evidence": evidence, "fix_hint": null, "replacement": null,
            "reach": if directional { "directional" } else { "tactical" },
        }], "credits": [], "not_examined": [] });
        let (report, _) = host().answers(&[&format!("{prose}{sent}{prose}")]).run(Tidy::review);
        let report = report.unwrap();
        prop_assert_eq!(&report.skipped, &Vec::new());
        let got = &report.findings[1];
        let anchor = got.anchor.as_ref().unwrap();
        prop_assert_eq!(&got.claim, &claim.split_whitespace().collect::<Vec<_>>().join(" "));
        prop_assert_eq!((&anchor.quote, &got.evidence), (&quote, &evidence));
        prop_assert_eq!(anchor.lines.map(|range| (range.first, range.last - range.first)), lines);
        prop_assert_eq!((got.confidence, got.load_bearing, anchor.side == Side::Old), (confidence, load_bearing, old));
        prop_assert_eq!((got.severity as usize, got.reach == Reach::Directional), (severity, directional));
        prop_assert_eq!(got.basis, Basis::Judgement);
    }

    #[test]
    fn no_reply_is_a_panic_and_none_is_clean_by_accident(text in any::<String>(), input in any::<String>(), middle in any::<String>()) {
        let replies = [
            calls(&[("read_file", &input), ("search", &input), (&text, &middle)]),
            stopped(&text, Stop::End),
            stopped(&format!("{{\"findings\": [{{{middle}}}]}}"), Stop::End),
        ];
        let (claims, skipped, _) = judged(host().replies(replies));
        prop_assert!(claims.is_empty() && !skipped.is_empty());
    }
}

#[test]
fn what_the_checks_saw_is_handed_over_before_the_model_is_asked() {
    let (_, _, host) = judged(self::host().replies([Err(llm::Error::TimedOut)]));
    let early = host.handed_over.unwrap();
    assert_eq!(early.findings.iter().map(|finding| finding.claim.as_str()).collect::<Vec<_>>(), ["seen by a check"]);
    // Without a model the report is there at once.
    assert_eq!(judged(self::host()).2.handed_over, None);
}
