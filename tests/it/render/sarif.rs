//! SARIF: valid by the standard's own schema, within the limits of code scanning, and never clean by omission.

use review_loop::act::render::{Format, Options, render};
use review_loop_core::finding::{Severity, Side};
use review_loop_core::outcome::{Outcome, Place};
use serde_json::{Value, json};

use super::outcomes::{self, judged};

fn log(outcome: &Outcome) -> Value {
    serde_json::from_str(&render(outcome, Format::Sarif, &Options::default())).expect("valid JSON")
}

/// The one result of an outcome with one finding.
fn result(change: impl FnOnce(&mut review_loop_core::outcome::Judged)) -> Value {
    let mut judged = judged("edge-case", Severity::High, "src/a b.rs", 3, 5);
    change(&mut judged);
    log(&Outcome { findings: vec![judged], ..outcomes::findings() })["runs"][0]["results"][0].clone()
}

/// The schema is OASIS's own: see `sarif-2.1.0.NOTICE` beside it.
#[test]
fn every_outcome_fits_the_standards_schema() {
    let schema = include_str!("../../fixtures/sarif-2.1.0.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("valid JSON");
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).expect("a valid schema");
    for (name, outcome) in outcomes::all() {
        let log = log(&outcome);
        let errors: Vec<String> =
            validator.iter_errors(&log).map(|e| format!("{e} at {}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
    assert!(!validator.is_valid(&json!({"version": "2.1.0", "runs": [{"results": []}]})), "a run needs a tool");
}

#[test]
fn severities_become_levels() {
    let level = |severity| result(|judged| judged.finding.severity = severity)["level"].clone();
    assert_eq!(level(Severity::Critical), "error");
    assert_eq!(level(Severity::High), "error");
    assert_eq!(level(Severity::Medium), "warning");
    assert_eq!(level(Severity::Low), "note");
}

#[test]
fn a_place_is_relative_to_the_root_and_encoded() {
    let place = &result(|_| {})["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"], json!({"uri": "src/a%20b.rs", "uriBaseId": "%SRCROOT%"}));
    assert_eq!(place["region"], json!({"startLine": 3, "endLine": 5}));
}

#[test]
fn lines_that_a_service_would_show_wrongly_are_left_out() {
    let region = |result: Value| result["locations"][0]["physicalLocation"]["region"].clone();
    assert_eq!(region(result(|judged| judged.place = Place::FileOnly)), Value::Null);
    let before = |judged: &mut review_loop_core::outcome::Judged| {
        judged.finding.anchor.as_mut().expect("a place").side = Side::Old;
    };
    assert_eq!(region(result(before)), Value::Null);
    let message = result(before)["message"]["text"].as_str().expect("text").to_owned();
    assert!(message.contains("line 3 of src/a b.rs before the change"), "{message}");
}

#[test]
fn a_finding_about_the_whole_change_has_a_location_all_the_same() {
    let whole = result(|judged| (judged.finding.anchor, judged.place) = (None, Place::Whole));
    let place = &whole["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "the-change-as-a-whole");
}

#[test]
fn rules_are_categories_with_the_lenses_that_report_them() {
    let log = log(&outcomes::findings());
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    let rule = rules.iter().find(|rule| rule["id"] == "silent-failure").expect("a rule for each category");
    assert_eq!(rule["properties"]["tags"], json!(["adversarial", "ship-readiness"]));
    for result in log["runs"][0]["results"].as_array().expect("results") {
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("a small one");
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn what_was_not_reviewed_is_an_error_of_the_run() {
    let invocation = |outcome: &Outcome| log(outcome)["runs"][0]["invocations"][0].clone();
    let failed = invocation(&outcomes::failed_lens());
    assert_eq!(failed["executionSuccessful"], false);
    let notifications = failed["toolExecutionNotifications"].as_array().expect("notifications");
    assert_eq!(notifications.len(), 3);
    assert!(notifications.iter().all(|said| said["level"] == "error"));
    assert_eq!(invocation(&outcomes::unconfigured())["executionSuccessful"], false);
    assert_eq!(invocation(&outcomes::exhausted())["executionSuccessful"], false);
    assert_eq!(invocation(&outcomes::findings())["executionSuccessful"], true);
    assert_eq!(invocation(&outcomes::clean_checks_only())["toolExecutionNotifications"], json!([]));
}

#[test]
fn what_settings_left_out_is_told_and_is_no_error() {
    let invocation = &log(&outcomes::narrowed())["runs"][0]["invocations"][0];
    let said = invocation["toolExecutionNotifications"].as_array().unwrap().iter();
    let said: Vec<String> =
        said.map(|one| format!("{} {} {}", one["level"], one["descriptor"]["id"], one["message"]["text"])).collect();
    assert_eq!(invocation["executionSuccessful"], true);
    insta::assert_snapshot!(said.join("\n"), @r#"
    "warning" "left-out-by-settings" "1 lens (adversarial): not run because of `lenses.disabled` (project file .review-loop/config.toml)"
    "warning" "left-out-by-settings" "2 files (a.snap, b.snap): left out because of `scope.ignore` (project file .review-loop/config.toml)"
    "note" "left-out-by-settings" "2 lenses (simplicity, statistical-rigor): not run because of `--only` (flag --only)"
    "warning" "settings" "this change sets `scope.ignore` in .review-loop/config.toml otherwise; those from before it hold"
    "#);
}

#[test]
fn two_results_with_one_fingerprint_stay_two() {
    let twice = vec![judged("edge-case", Severity::Low, "a", 1, 1), judged("edge-case", Severity::Low, "a", 1, 1)];
    let log = log(&Outcome { findings: twice, ..outcomes::findings() });
    let hash = |i: usize| log["runs"][0]["results"][i]["partialFingerprints"]["primaryLocationLineHash"].clone();
    assert_ne!(hash(0), hash(1));
}

#[test]
fn a_suggestion_replaces_whole_lines() {
    let fixed = result(|judged| judged.finding.replacement = Some("let a = 1;\n".to_owned()));
    let replacement = &fixed["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["deletedRegion"], json!({"startLine": 3, "startColumn": 1, "endLine": 5}));
    assert_eq!(replacement["insertedContent"]["text"], "let a = 1;");
}

#[test]
fn no_text_becomes_a_link() {
    let text = render(&outcomes::hostile(), Format::Sarif, &Options::default());
    assert!(text.contains("[the docs] (https://evil.example/)") && !text.contains("]("), "{text}");
}

/// 25,000 results are refused and more than 5,000 not shown; 10 MB may be uploaded, packed.
#[test]
fn a_flood_of_findings_keeps_the_limits() {
    let mut worst = judged("race-condition", Severity::Critical, "src/last.rs", 1, 1);
    worst.finding.claim = "x".repeat(1_000_000);
    let flood = (0..6_000).map(|n| judged(&format!("rule-{n}"), Severity::Low, "src/lib.rs", n, n));
    let flood = Outcome { findings: flood.chain([worst]).collect(), ..outcomes::findings() };
    let run = &log(&flood)["runs"][0];
    assert_eq!(run["results"].as_array().map(Vec::len), Some(5_000));
    assert_eq!(run["results"][0]["ruleId"], "race-condition");
    assert_eq!(run["results"][0]["message"]["text"].as_str().map(str::len), Some(4_000));
    assert!(run["tool"]["driver"]["rules"].as_array().is_some_and(|rules| rules.len() <= 5_000));
    let said = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(said.contains("1,001 results of lower severity are left out"), "{said}");
}
