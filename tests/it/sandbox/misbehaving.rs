//! Lenses that load, and misbehave when they are called.

use std::sync::Arc;

use review_loop::lenses::{self, Entry, Run};
use review_loop::runtime::{Context, Grant, Unfinished};
use review_loop_core::finding::Report;
use review_loop_core::outcome::{Failure, ModelUse, Role, RunState};

use super::{runtime, subject, told};
use crate::support::guests;

/// What a person is told of a lens that behaves like `how`.
fn check(how: &str) -> String {
    let executor = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    executor.block_on(async {
        let (runtime, bytes) = (runtime(), guests::misbehaving());
        let lens = runtime.load(&bytes, Role::Lens, Grant::default(), &review_loop::lenses::nothing()).await.unwrap();
        match lens.review(&subject(how)).await {
            Err(Unfinished { failure, handed_over: None }) => told(&failure),
            Err(Unfinished { failure, handed_over: Some(early) }) => {
                // Which bytes of stderr came through is another test's affair.
                let told = told(&Failure { stderr: String::new(), ..failure });
                format!("{told}\nhanded over: {}", claims(early))
            }
            Ok(report) => format!("report: {}", claims(report)),
        }
    })
}

fn claims(report: Report) -> String {
    report.findings.into_iter().map(|finding| finding.claim).collect::<Vec<_>>().join("; ")
}

#[test]
fn one_that_spins_is_stopped() {
    insta::assert_snapshot!(check("spin"), @"run: it computed for more than 2 s");
}

#[test]
fn one_that_sleeps_is_stopped() {
    insta::assert_snapshot!(check("sleep"), @"run: it took longer than 8 s");
}

#[test]
fn one_that_takes_all_memory_is_stopped() {
    let told = check("allocate");
    assert!(told.starts_with("run: it asked for more than 32 MiB of memory\nstderr: memory allocation of "), "{told}");
}

#[test]
fn one_that_recurses_without_end_is_stopped() {
    let told = check("recurse");
    assert!(told.starts_with("run: it trapped: ") || told.starts_with("run: it used up its stack"), "{told}");
}

#[test]
fn one_that_panics_is_told_with_its_words() {
    let told = check("panic");
    assert!(told.starts_with("run: it panicked\nstderr: "), "{told}");
    assert!(told.contains("out of cheese"), "{told}");
}

#[test]
fn one_that_ends_its_process_is_told_so() {
    insta::assert_snapshot!(check("exit"), @"run: it ended its process with code 1 instead of answering");
}

#[test]
fn one_that_floods_the_log_is_stopped() {
    insta::assert_snapshot!(check("flood-log"), @"run: it logged more than 65536 bytes");
}

#[test]
fn of_a_flood_on_stderr_the_end_is_shown() {
    let told = check("flood-stderr");
    assert!(told.ends_with(&"z".repeat(100)) && told.len() < 400, "{told}");
}

#[test]
fn one_that_calls_the_host_without_end_is_stopped() {
    insta::assert_snapshot!(check("flood-host"), @"run: it called the host more than 1000 times");
}

#[test]
fn one_that_hands_over_too_much_is_stopped() {
    assert!(check("huge-message").starts_with("run: "), "{}", check("huge-message"));
    assert!(check("many-findings").starts_with("run: "), "{}", check("many-findings"));
    insta::assert_snapshot!(check("over-the-limit"), @"run: it reported 201 findings; 200 is the limit");
}

#[test]
fn one_that_gives_up_is_told_with_its_reason() {
    insta::assert_snapshot!(check("fail"), @"run: it gave up");
}

#[test]
fn what_one_handed_over_outlives_its_call() {
    insta::assert_snapshot!(check("keep-then-spin"), @r"
    run: it computed for more than 2 s
    handed over: Finding 0.; Finding 1.
    ");
    insta::assert_snapshot!(check("keep-then-sleep"), @r"
    run: it took longer than 8 s
    handed over: Finding 0.; Finding 1.
    ");
    insta::assert_snapshot!(check("keep-then-panic"), @r"
    run: it panicked
    handed over: Finding 0.; Finding 1.
    ");
    insta::assert_snapshot!(check("keep-twice-then-exit"), @r"
    run: it ended its process with code 1 instead of answering
    handed over: Finding 0.
    ");
    insta::assert_snapshot!(check("keep-then-fail"), @r"
    run: it gave up
    handed over: Finding 0.; Finding 1.
    ");
}

#[test]
fn handing_over_has_its_bounds_and_never_stands_beside_a_report() {
    insta::assert_snapshot!(check("keep-too-many"), @"run: it reported 201 findings; 200 is the limit");
    insta::assert_snapshot!(check("keep-without-end"), @r"
    run: it called the host more than 1000 times
    handed over: Finding 0.
    ");
    insta::assert_snapshot!(check("keep-then-report"), @"report: The report.");
}

/// What a review keeps of a lens that behaves like `how`: the claims, and what became of the lens.
fn review(how: &str) -> (Vec<String>, RunState, usize) {
    let Context { subject, sources, model, interrupt, .. } = subject(how);
    let watch: lenses::Watch = Arc::new(|_, _| {});
    let run = Run { runtime: runtime(), subject, sources, meter: model.meter, brief: model.brief, watch, interrupt };
    let (bytes, grant) = (guests::misbehaving(), Grant::default());
    let entry = Entry { id: "misbehaving".to_owned(), role: Role::Lens, bytes, grant };
    let executor = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut reviewed = executor.block_on(lenses::review(&run, &[entry], &ModelUse::ChecksOnly));
    let claims = reviewed.reported.into_iter().map(|reported| reported.finding.claim).collect();
    (claims, reviewed.components.remove(0).state, reviewed.gaps.len())
}

#[test]
fn a_lens_that_failed_keeps_its_findings_and_is_named_as_not_reviewed() {
    let (claims, state, gaps) = review("keep-then-panic");
    assert_eq!(claims, ["Finding 0.", "Finding 1."]);
    assert!(matches!(&state, RunState::Failed(failure) if failure.reason == "it panicked"), "{state:?}");
    assert_eq!(gaps, 1);
    let (claims, state, _) = review("panic");
    assert!(claims.is_empty() && matches!(state, RunState::Failed(_)));
}

#[test]
fn none_sees_anything_of_the_machine() {
    insta::assert_snapshot!(check("environment"), @"report: 0 variables, 0 arguments, root readable: false");
    insta::assert_snapshot!(check("read-outside"), @"report: ../secret: Err(Error::NotFound), /etc/passwd: Err(Error::NotFound), .git/config: Err(Error::NotFound), ignored.txt: Err(Error::NotFound)");
}
