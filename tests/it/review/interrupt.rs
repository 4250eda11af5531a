//! A review that its user ends before its time: what is finished is shown, and what was paid for is on the cassette.

use std::fs;
use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::faulty;
use crate::support::Repository;
use crate::support::command::Output;
use crate::support::fake::{Fake, Seen, Steps, reply};

/// A provider that never answers those that `hangs` says.
fn provider(hangs: impl Fn(&Seen) -> bool + Send + Sync + 'static) -> Fake {
    let nothing = json!({"findings": [], "credits": [], "not_examined": []}).to_string();
    Fake::start(move |seen| if hangs(seen) { Steps::hang() } else { reply(seen, &nothing) })
}

fn is_adversarial(seen: &Seen) -> bool {
    seen.body.to_string().contains("wired-not-working")
}

/// A review that records, started.
fn start(repository: &Repository, fake: &Fake) -> Child {
    let program = repository.program().env("ANTHROPIC_API_KEY", "k").env("ANTHROPIC_BASE_URL", fake.url());
    program.start(&["review", "--format", "concise", "--record", "../tape.json"])
}

fn wait_until(condition: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it never came so far");
}

fn interrupt(review: Child) -> Output {
    kill_process(Pid::from_child(&review), Signal::INT).unwrap();
    Output::of(&review.wait_with_output().unwrap())
}

/// Answers on the cassette.
fn recorded(repository: &Repository) -> usize {
    let tape = fs::read(repository.beside("tape.json")).unwrap_or_default();
    serde_json::from_slice::<Value>(&tape).ok().and_then(|tape| Some(tape["entries"].as_array()?.len())).unwrap_or(0)
}

#[test]
fn lenses_that_ended_are_shown_and_the_others_named() {
    let (repository, fake) = (faulty(), provider(is_adversarial));
    let review = start(&repository, &fake);
    wait_until(|| fake.seen().len() >= 6 && recorded(&repository) >= 5);
    // Those five have only their reports left to write.
    std::thread::sleep(Duration::from_secs(2));
    insta::assert_snapshot!(interrupt(review), @"
    src/total.test.js:5:1: high quality-gate: `test.only` focuses 'an empty cart costs nothing', so the other tests of this file no longer run. [ship-readiness, 97]
    not reviewed: adversarial: run: interrupted
    not reviewed: grounding: compile: interrupted
    not reviewed: skeptic: compile: interrupted
    interrupted; 1 high finding, 3 not reviewed; 210 tokens; [time]
    ------- stderr
    model: anthropic (claude-opus-5-5, quick: claude-haiku-5-5), because ANTHROPIC_API_KEY is set
    interrupted: what is finished follows; once more ends this at once
    [exit status: 130]
    ");
    drop(fake);
    let again = repository.program().run(&["review", "--format", "concise", "--model", "replay:../tape.json"]);
    assert_eq!(again.code, Some(1), "{again}");
    assert!(again.stdout.contains("judgement of adversarial") && !again.stdout.contains("judgement of s"), "{again}");
}

#[test]
fn what_checks_found_outlives_a_judgement_that_is_interrupted() {
    let (repository, fake) = (faulty(), provider(|_| true));
    let review = start(&repository, &fake);
    wait_until(|| fake.seen().len() >= 6);
    insta::assert_snapshot!(interrupt(review), @"
    src/total.test.js:5:1: high quality-gate: `test.only` focuses 'an empty cart costs nothing', so the other tests of this file no longer run. [ship-readiness, 97]
    not reviewed: simplicity: run: interrupted
    not reviewed: design-coherence: run: interrupted
    not reviewed: adversarial: run: interrupted
    not reviewed: security: run: interrupted
    not reviewed: ship-readiness: run: interrupted
    not reviewed: statistical-rigor: run: interrupted
    not reviewed: grounding: compile: interrupted
    not reviewed: skeptic: compile: interrupted
    interrupted; 1 high finding, 8 not reviewed; 0 tokens; [time]
    ------- stderr
    model: anthropic (claude-opus-5-5, quick: claude-haiku-5-5), because ANTHROPIC_API_KEY is set
    interrupted: what is finished follows; once more ends this at once
    [exit status: 130]
    ");
    assert_eq!(recorded(&repository), 0);
}
