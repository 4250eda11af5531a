//! One finding a line.

use insta::assert_snapshot;
use review_loop::act::render::{Format, Options, render};
use review_loop_core::outcome::Outcome;

use super::outcomes;

fn concise(outcome: &Outcome) -> String {
    render(outcome, Format::Concise, &Options::default())
}

#[test]
fn findings() {
    assert_snapshot!(concise(&outcomes::findings()), @r#"
    src/retry.rs:42:13: critical silent-failure: The error of the last attempt is dropped, so a caller sees success after five failures. [adversarial+ship-readiness, 92]
    src/retry.rs:97: high race-condition: Two workers can both see the lock as stale and both take it. [adversarial, 78]
    web/i18n/メニュー.go:12:16: medium hardcoded: The price is part of a translated text and will not follow the price list. [ship-readiness, 100]
    README.md:88:26: medium doc-drift: README still tells users to pass `--max-tries`, which this change renames to `--attempts`. [design-coherence, 100]
    (the change as a whole): medium test-gap: The change adds a retry policy and no test that makes an attempt fail. [ship-readiness, 92]
    src/retry.rs:31: low naming: `tmp2` says nothing of what it holds. [simplicity, 61, advisory]
    docs/tuning.md: high vibe-stat: "Retries cut failures by 90 %" has no measurement behind it. [statistical-rigor, 55, advisory]
    5 findings (1 critical, 1 high, 3 medium), 2 advisory; 132,120 tokens; 38s
    "#);
}

#[test]
fn what_was_not_reviewed_has_its_own_lines() {
    assert_snapshot!(concise(&outcomes::failed_lens()), @"
    README.md:88:26: medium doc-drift: README still tells users to pass `--max-tries`, which this change renames to `--attempts`. [design-coherence, 100]
    not reviewed: acme-style: run: wasm trap: out of bounds memory access, in `parse_hunk`
    not reviewed: assets/dump.sql: its 12 MB are more than the 1 MB taken of one file
    not reviewed: judgement of simplicity: the provider refused: rate limit, 3 retries
    1 medium finding, 3 not reviewed; 132,120 tokens; 38s
    ");
}

#[test]
fn clean_as_far_as_the_checks_go() {
    assert_snapshot!(concise(&outcomes::clean_checks_only()), @"clean as far as the checks go, no model looked; 0 tokens; 0.4s");
}

#[test]
fn an_interruption_stands_in_front_of_the_verdict() {
    let last = concise(&outcomes::interrupted()).lines().last().unwrap().to_owned();
    assert_snapshot!(last, @"interrupted; 1 medium finding, 3 not reviewed; 132,120 tokens; 38s");
    let nothing_missing = concise(&Outcome { interrupted: true, ..outcomes::clean() });
    assert!(!nothing_missing.contains("clean"), "{nothing_missing}");
}

#[test]
fn what_settings_left_out_has_its_own_lines() {
    assert_snapshot!(concise(&outcomes::narrowed()), @"
    left out: 1 lens (adversarial): not run because of `lenses.disabled` (project file .review-loop/config.toml)
    left out: 2 files (a.snap, b.snap): left out because of `scope.ignore` (project file .review-loop/config.toml)
    left out: 2 lenses (simplicity, statistical-rigor): not run because of `--only` (flag --only)
    settings: this change sets `scope.ignore` in .review-loop/config.toml otherwise; those from before it hold
    clean, 1 lens and 2 files left out by the project; 132,120 tokens; 38s
    ");
}

#[test]
fn a_finding_is_one_line_whatever_it_holds() {
    let text = concise(&outcomes::hostile());
    assert_eq!(text.lines().count(), 5, "{text}");
}
