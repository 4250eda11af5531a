//! A review with a model, over the wire: a fake provider on loopback that answers each lens and each doubt.

use std::time::Duration;

use serde_json::json;

use super::harmless;
use crate::support::command::{Output, Program};
use crate::support::fake::{Fake, Seen, Steps, anthropic};

/// Says of every lens that it found nothing, except of the one whose prompt holds `word`.
fn provider(word: &'static str, finding: serde_json::Value, verdict: serde_json::Value) -> Fake {
    Fake::answering(Duration::ZERO, move |seen| {
        if is_doubt(seen) {
            return verdict.to_string();
        }
        let found = if seen.body.to_string().contains(word) { vec![finding.clone()] } else { Vec::new() };
        json!({"findings": found, "credits": [], "not_examined": []}).to_string()
    })
}

fn is_doubt(seen: &Seen) -> bool {
    seen.body.to_string().contains("undecided")
}

fn finding() -> serde_json::Value {
    json!({
        "claim": "`total` adds each price times one, so a price that is a string is no longer concatenated.",
        "category": "edge-case", "severity": "high", "confidence": 85, "load_bearing": true,
        "path": "src/total.js", "side": "new", "line": 9, "end_line": 9,
        "quote": "return prices.reduce((sum, price) => sum + price * 1, 0);",
        "evidence": "Multiplying coerces.", "fix_hint": "Say which types are prices.", "replacement": null,
        "reach": "tactical"
    })
}

fn with_model(program: Program, fake: &Fake) -> Program {
    program.env("ANTHROPIC_API_KEY", "k").env("ANTHROPIC_BASE_URL", fake.url())
}

/// What the review of harmless work says with this provider.
fn check(fake: &Fake) -> Output {
    let repository = harmless();
    with_model(repository.program(), fake).run(&["review"])
}

#[test]
fn a_finding_that_stands_is_shown_at_its_real_place() {
    let fake =
        provider("wired-not-working", finding(), json!({"verdict": "stands", "evidence": "", "quote": "price * 1"}));
    insta::assert_snapshot!(check(&fake), @r"
    review-loop: uncommitted work on main, 1 file, +1 -1; model: anthropic (claude-opus-5-5, quick:
      claude-haiku-5-5)

    src/total.js

    high[edge-case]: `total` adds each price times one, so a price that is a string is no longer
      concatenated.
      --> src/total.js:2:3
       |
     1 | export function total(prices) {
     2 |   return prices.reduce((sum, price) => sum + price * 1, 0);
       |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
     3 | }
       |
       = evidence: Multiplying coerces.
       = fix: Say which types are prices.
       = reported by: adversarial (judgement, confidence 85)
       = held against: grounding and skeptic

    1 high finding; 294 tokens; [time]
    ------- stderr
    model: anthropic (claude-opus-5-5, quick: claude-haiku-5-5), because ANTHROPIC_API_KEY is set
    [exit status: 1]
    ");
    // Six lenses, one doubt about the one finding.
    assert_eq!(fake.seen().len(), 7);
}

#[test]
fn a_finding_that_is_disproved_leaves_the_list() {
    let evidence = json!({"verdict": "falsified", "evidence": "No caller passes strings.", "quote": "price * 1"});
    let output = check(&provider("wired-not-working", finding(), evidence));
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn a_finding_that_cites_code_which_is_not_there_costs_no_doubt() {
    let mut invented = finding();
    invented["quote"] = json!("prices.forEach(validate_price_list)");
    invented["claim"] = json!("`validate_price_list` throws inside `forEach_price`, so the total is lost.");
    let fake = provider("wired-not-working", invented, json!({"verdict": "stands", "evidence": "", "quote": ""}));
    let output = check(&fake);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(fake.seen().iter().filter(|seen| is_doubt(seen)).count(), 0);
}

#[test]
fn the_front_of_every_prompt_is_the_same_bytes() {
    let fake = provider("no lens says this", finding(), json!({}));
    assert_eq!(check(&fake).code, Some(0));
    let mut fronts: Vec<String> = fake.seen().iter().map(|seen| seen.body["system"][0].to_string()).collect();
    fronts.dedup();
    assert_eq!(fronts.len(), 1);
    assert!(fronts[0].contains("src/total.js"), "{}", fronts[0]);
}

#[test]
fn a_lens_whose_model_refuses_is_not_reviewed() {
    let fake = Fake::start(|_| Steps::events(&anthropic(&[json!({"type": "text", "text": "No."})], "refusal")));
    let output = check(&fake);
    assert_eq!(output.code, Some(3), "{output}");
    let said = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("and statistical-rigor: the model declined to answer"), "{output}");
    assert!(output.stdout.contains("incomplete: 6 not reviewed"), "{output}");
}

#[test]
fn a_key_that_is_refused_is_named_and_never_printed() {
    let fake = Fake::start(|_| {
        Steps::json(
            401,
            &json!({"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}),
        )
    });
    let repository = harmless();
    let program = repository.program().env("ANTHROPIC_API_KEY", "sk-canary-77").env("ANTHROPIC_BASE_URL", fake.url());
    let output = program.run(&["review", "--verbose"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stdout.contains("invalid x-api-key"), "{output}");
    assert!(!output.to_string().contains("canary"), "{output}");
}

#[test]
fn a_recorded_review_is_repeated_without_the_provider() {
    let fake =
        provider("wired-not-working", finding(), json!({"verdict": "stands", "evidence": "", "quote": "price * 1"}));
    let repository = harmless();
    let recorded = with_model(repository.program(), &fake).run(&["review", "--record", "../tape.json"]);
    drop(fake);
    let repeated = repository.program().run(&["review", "--model", "replay:../tape.json"]);
    assert_eq!((recorded.code, repeated.code), (Some(1), Some(1)), "{recorded}\n{repeated}");
    let body = |output: &Output| {
        output.stdout.lines().skip(2).take_while(|line| !line.contains("tokens")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(body(&recorded), body(&repeated));
}
