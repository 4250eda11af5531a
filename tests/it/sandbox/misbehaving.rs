//! Lenses that load, and misbehave when they are called.

use review_loop::runtime::Grant;
use review_loop_core::outcome::Role;

use super::{runtime, subject, told};
use crate::support::guests;

/// What a person is told of a lens that behaves like `how`.
fn check(how: &str) -> String {
    let executor = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    executor.block_on(async {
        let (runtime, bytes) = (runtime(), guests::misbehaving());
        let lens = runtime.load(&bytes, Role::Lens, Grant::default(), &review_loop::lenses::nothing()).await.unwrap();
        match lens.review(&subject(how)).await {
            Err(failure) => told(&failure),
            Ok(report) => {
                let claims: Vec<String> = report.findings.into_iter().map(|finding| finding.claim).collect();
                format!("report: {}", claims.join("; "))
            }
        }
    })
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
fn none_sees_anything_of_the_machine() {
    insta::assert_snapshot!(check("environment"), @"report: 0 variables, 0 arguments, root readable: false");
    insta::assert_snapshot!(check("read-outside"), @"report: ../secret: Err(Error::NotFound), /etc/passwd: Err(Error::NotFound), .git/config: Err(Error::NotFound), ignored.txt: Err(Error::NotFound)");
}
