//! Every verdict with its exit code.

use std::time::Duration;

use super::{faulty, harmless};
use crate::support::Repository;
use crate::support::command::Program;
use crate::support::fake::{Fake, Steps};

#[test]
fn checks_alone_that_find_nothing_end_clean_and_say_what_that_means() {
    let repository = harmless();
    insta::assert_snapshot!(repository.program().run(&["review", "--model", "none"]), @r"
    review-loop: uncommitted work on main, 1 file, +1 -1; no model was asked: checks only

    clean as far as the checks go, no model looked; 0 tokens; [time]
    ------- stderr
    no model, as asked for: checks alone
    [exit status: 0]
    ");
}

#[test]
fn a_finding_at_the_gate_fails_the_run() {
    let repository = faulty();
    insta::assert_snapshot!(repository.program().run(&["review", "--model", "none"]), @r"
    review-loop: uncommitted work on main, 1 file, +1 -1; no model was asked: checks only

    src/total.test.js

    high[quality-gate]: `test.only` focuses 'an empty cart costs nothing', so the other tests of this
      file no longer run.
      --> src/total.test.js:5:1
       |
     2 | import assert from 'node:assert';
     3 | import { total } from './total.js';
     4 |
     5 | test.only('an empty cart costs nothing', () => {
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
     6 |   assert.equal(total([]), 0);
     7 | });
       |
       = fix: Take the focus off before this is merged.
       = reported by: ship-readiness (check, confidence 97)
       = held against: grounding

    1 high finding, no model looked; 0 tokens; [time]
    ------- stderr
    no model, as asked for: checks alone
    [exit status: 1]
    ");
}

#[test]
fn a_finding_below_the_gate_does_not() {
    let repository = faulty();
    for gate in ["critical", "never"] {
        let output = repository.program().run(&["review", "--model", "none", "--fail-on", gate]);
        assert_eq!(output.code, Some(0), "{output}");
    }
}

#[test]
fn without_a_model_the_review_is_incomplete_and_says_what_to_set() {
    let repository = harmless();
    insta::assert_snapshot!(repository.program().run(&["review"]), @r"
    review-loop: uncommitted work on main, 1 file, +1 -1; no model is configured: checks only

    Not reviewed
      judgement of every lens: no model is configured: only the checks ran

    hint: To have a model look, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a back end with
      --model; `review-loop doctor` says what is found. To ask for the checks alone, say --model none.

    incomplete: 1 not reviewed, no finding in the rest; 0 tokens; [time]
    ------- stderr
    no model: set ANTHROPIC_API_KEY, or OPENAI_API_KEY and/or OPENAI_BASE_URL, or ask for checks alone with --model none
    [exit status: 3]
    ");
}

#[test]
fn no_change_is_nothing_to_review() {
    let repository = Repository::with(&[("a.txt", "a\n")]);
    insta::assert_snapshot!(repository.program().run(&[]), @r"
    review-loop: uncommitted work on main

    nothing to review: no change in this scope; 0 tokens; [time]
    ------- stderr
    no model: set ANTHROPIC_API_KEY, or OPENAI_API_KEY and/or OPENAI_BASE_URL, or ask for checks alone with --model none
    [exit status: 0]
    ");
}

#[test]
fn a_wrong_call_says_what_is_wrong_and_ends_with_2() {
    let outside = tempfile::tempdir().unwrap();
    let output = Program::new(outside.path()).run(&["review", "--model", "none"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("is not in a git repository"), "{output}");
    for (arguments, complaint) in [
        (["review", "--commit", "nowhere"].as_slice(), "no revision `nowhere`"),
        (&["review", "--only", "tidy", "--model", "none"], "there is no lens `tidy`; there are simplicity,"),
        (&["review", "--model", "gpt"], "\"gpt\" is not a model back end"),
        (&["review", "--model", "anthropic"], "ANTHROPIC_API_KEY is not set"),
        (&["review", "--output", "sarif"], "write FORMAT=FILE"),
        (&["review", "--output", "sarif=no/folder/x", "--model", "none"], "no/folder/x cannot be written"),
        (&["lens", "show", "tidy"], "there is no component `tidy`"),
        (&["--config", "none.toml", "doctor"], "none.toml cannot be read"),
    ] {
        let repository = harmless();
        let output = repository.program().run(arguments);
        assert_eq!(output.code, Some(2), "{arguments:?}\n{output}");
        assert!(output.stderr.contains(complaint), "{arguments:?}\n{output}");
        assert_eq!(output.stdout, "", "{arguments:?}");
    }
}

#[test]
fn a_spent_budget_with_findings_open_ends_with_4() {
    let fake = Fake::answering(Duration::ZERO, |_| "{}".to_owned());
    let repository = faulty();
    let program = repository.program().env("ANTHROPIC_API_KEY", "k").env("ANTHROPIC_BASE_URL", fake.url());
    let output = program.env("REVIEW_LOOP_LLM_BUDGET_TOKENS_PER_RUN", "10").run(&["review"]);
    assert_eq!(output.code, Some(4), "{output}");
    assert_eq!(fake.seen().len(), 0, "a call was made that the budget did not cover");
}

#[test]
fn an_interrupted_review_ends_with_130() {
    let fake = Fake::start(|_| Steps::hang());
    let repository = harmless();
    let program = repository.program().env("ANTHROPIC_API_KEY", "k").env("ANTHROPIC_BASE_URL", fake.url());
    let mut child = program.start(&["review"]);
    while fake.seen().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it asked the model");
        std::thread::yield_now();
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
