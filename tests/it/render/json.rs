//! The JSON format: its published schema is the one that the types have, and every outcome fits it.

use std::path::Path;

use review_loop::act::render::{Format, Options, json, render};
use review_loop_core::outcome::{Outcome, RunState, Word};
use serde_json::Value;

use super::outcomes;

fn report(outcome: &Outcome) -> Value {
    serde_json::from_str(&render(outcome, Format::Json, &Options::default())).expect("valid JSON")
}

/// After a change of the format: `UPDATE_EXPECT=1 cargo test --test it render::json` writes the schema anew. If a key
/// was removed or means something else, raise `SCHEMA_VERSION` and publish it under another name.
#[test]
fn the_published_schema_is_the_current_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema/outcome-v1.schema.json");
    let current = serde_json::to_string_pretty(&json::schema()).expect("a schema is JSON") + "\n";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &current).expect("docs/schema is writable");
    }
    let published = std::fs::read_to_string(&path).expect("docs/schema/outcome-v1.schema.json");
    assert!(published == current, "{} is out of date: run this test with UPDATE_EXPECT=1", path.display());
}

#[test]
fn every_outcome_fits_the_schema() {
    let validator = jsonschema::validator_for(&json::schema()).expect("a valid schema");
    for (name, outcome) in outcomes::all() {
        let report = report(&outcome);
        let errors: Vec<String> =
            validator.iter_errors(&report).map(|e| format!("{e} at {}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

#[test]
fn the_schema_refuses_what_is_not_a_report() {
    let validator = jsonschema::validator_for(&json::schema()).expect("a valid schema");
    let mut other = report(&outcomes::findings());
    other["findings"][0]["severity"] = "huge".into();
    assert!(!validator.is_valid(&other));
    other = report(&outcomes::findings());
    other["schema-version"] = 2.into();
    assert!(!validator.is_valid(&other));
    other = report(&outcomes::findings());
    other.as_object_mut().expect("an object").remove("complete");
    assert!(!validator.is_valid(&other));
}

#[test]
fn verdict_exit_code_and_completeness_agree() {
    let check = |outcome: &Outcome, verdict: &str, exit: u8, complete: bool| {
        let report = report(outcome);
        assert_eq!((&report["verdict"], &report["exit-code"]), (&verdict.into(), &exit.into()));
        assert_eq!(report["complete"], complete, "{verdict}");
    };
    check(&outcomes::clean(), "review-clean", 0, true);
    check(&outcomes::clean_checks_only(), "review-clean", 0, true);
    check(&outcomes::findings(), "findings", 1, true);
    check(&outcomes::failed_lens(), "findings", 1, false);
    check(&outcomes::unconfigured(), "incomplete", 3, false);
    check(&outcomes::nothing_to_review(), "nothing-to-review", 0, true);
    check(&outcomes::exhausted(), "exhausted", 4, false);
    let mut lying = outcomes::failed_lens();
    (lying.word, lying.gaps) = (Word::Clean, Vec::new());
    assert!(lying.components.iter().any(|component| matches!(component.state, RunState::Failed(_))));
    check(&lying, "incomplete", 3, false);
}

#[test]
fn the_data_is_exact() {
    let outcome = outcomes::hostile();
    let report = report(&outcome);
    let finding = &outcome.findings[0].finding;
    assert_eq!(report["findings"][0]["claim"], finding.claim.as_str());
    assert_eq!(report["findings"][0]["location"]["path"], finding.anchor.as_ref().expect("a place").path.as_str());
}

#[test]
fn a_quote_has_its_columns() {
    let location = &report(&outcomes::findings())["findings"][2]["location"];
    assert_eq!(location["path"], "web/i18n/メニュー.go");
    assert_eq!(
        (&location["quote-line"], &location["column"], &location["end-column"]),
        (&12.into(), &16.into(), &22.into())
    );
}
