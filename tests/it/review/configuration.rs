//! Settings: who may set what.

use super::{BEFORE, FOCUSED, faulty, harmless};
use crate::support::Repository;
use crate::support::command::Output;

/// A project with these settings committed, then with uncommitted work that a check of `ship-readiness` finds fault with.
fn faulty_with(settings: &str) -> Repository {
    let repository = Repository::with(&[("src/total.test.js", BEFORE), (FILE, settings)]);
    repository.write("src/total.test.js", FOCUSED);
    repository
}

const FILE: &str = ".review-loop/config.toml";

/// Every lens, switched off.
const ALL_OFF: &str = "[lenses]
disabled = [\"simplicity\", \"design-coherence\", \"adversarial\", \"ship-readiness\", \"security\", \"statistical-rigor\"]
";

/// What the review of uncommitted work says and how it ends, with the checks alone.
fn check(repository: &Repository, more: &[&str]) -> Output {
    repository.program().run(&[&["review", "--model", "none", "--format", "concise"], more].concat())
}

#[test]
fn a_project_can_narrow_and_nothing_else() {
    let repository = faulty_with("[lenses]\ndisabled = [\"ship-readiness\"]\n[model]\nbackend = \"openai\"\n");
    insta::assert_snapshot!(check(&repository, &[]), @"
    left out: 1 lens (ship-readiness): not run because of `lenses.disabled` (project file .review-loop/config.toml)
    settings: .review-loop/config.toml sets `model.backend`, which is ignored: only the user may set it
    clean as far as the checks go, no model looked, 1 lens left out by the project; 0 tokens; [time]
    ------- stderr
    no model, as asked for: checks alone
    [exit status: 0]
    ");
}

#[test]
fn a_project_that_narrows_fails_a_run_that_is_to_skip_nothing() {
    let repository = faulty_with("[lenses]\ndisabled = [\"ship-readiness\"]\n");
    insta::assert_snapshot!(check(&repository, &["--fail-on-skipped"]), @"
    not reviewed: 1 lens (ship-readiness): not run because of `lenses.disabled` (project file .review-loop/config.toml)
    left out: 1 lens (ship-readiness): not run because of `lenses.disabled` (project file .review-loop/config.toml)
    incomplete: 1 not reviewed, no finding in the rest, 1 lens left out by the project; 0 tokens; [time]
    ------- stderr
    no model, as asked for: checks alone
    [exit status: 3]
    ");
    let asked = faulty_with("[lenses]\ndisabled = [\"ship-readiness\"]\n[review]\nfail-on-skipped = true\n");
    assert_eq!(check(&asked, &[]).code, Some(3));
    // What the user leaves out is the user's affair.
    assert_eq!(check(&harmless(), &["--fail-on-skipped", "--only", "simplicity"]).code, Some(0));
}

#[test]
fn a_change_cannot_switch_off_its_own_review() {
    let repository = harmless();
    repository.commit_all();
    repository.write("src/total.test.js", FOCUSED);
    repository.write(FILE, "[lenses]\ndisabled = [\"ship-readiness\"]\n[scope]\nignore = [\"*\"]\n");
    insta::assert_snapshot!(check(&repository, &[]), @"
    src/total.test.js:5:1: high quality-gate: `test.only` focuses 'an empty cart costs nothing', so the other tests of this file no longer run. [ship-readiness, 97]
    settings: this change sets `lenses.disabled`, `scope.ignore` in .review-loop/config.toml otherwise; there were none before it, and none hold
    1 high finding, no model looked; 0 tokens; [time]
    ------- stderr
    no model, as asked for: checks alone
    [exit status: 1]
    ");
    repository.git(["add", "--all"]);
    assert_eq!(check(&repository, &["--staged"]).code, Some(1));
    repository.commit_all();
    assert_eq!(check(&repository, &["--commit", "HEAD"]).code, Some(1));
    assert_eq!(check(&repository, &["--range", "HEAD~1..HEAD"]).code, Some(1));
}

#[test]
fn a_project_that_switches_every_lens_off_is_named_and_never_clean() {
    insta::assert_snapshot!(check(&faulty_with(ALL_OFF), &[]), @"
    not reviewed: the whole change: every lens is switched off
    left out: 6 lenses (simplicity, design-coherence, adversarial, security, ship-readiness, statistical-rigor): not run because of `lenses.disabled` (project file .review-loop/config.toml)
    incomplete: 1 not reviewed, no finding in the rest, 6 lenses left out by the project; 0 tokens; [time]
    ------- stderr
    no model, as asked for: checks alone
    [exit status: 3]
    ");
    let text = faulty_with(ALL_OFF).program().run(&["review", "--model", "none"]);
    insta::assert_snapshot!(text, @"
    review-loop: uncommitted work on main, 1 file, +1 -1; no model was asked: checks only

    Not reviewed
      the whole change: every lens is switched off

    By settings
      6 lenses (simplicity, design-coherence, adversarial, security, ship-readiness, statistical-rigor):
        not run because of `lenses.disabled` (project file .review-loop/config.toml)

    incomplete: 1 not reviewed, no finding in the rest, 6 lenses left out by the project; 0 tokens; [time]
    ------- stderr
    no model, as asked for: checks alone
    [exit status: 3]
    ");
}

#[test]
fn settings_that_cannot_be_used_are_named_and_the_review_goes_on() {
    insta::assert_snapshot!(check(&faulty_with("[lenses\ndisabled"), &[]), @"
    src/total.test.js:5:1: high quality-gate: `test.only` focuses 'an empty cart costs nothing', so the other tests of this file no longer run. [ship-readiness, 97]
    settings: the project's settings are not used: .review-loop/config.toml cannot be read: TOML parse error at line 1, column 8
    1 high finding, no model looked; 0 tokens; [time]
    ------- stderr
    no model, as asked for: checks alone
    [exit status: 1]
    ");
    let linked = faulty_with("");
    linked.link(FILE, "/dev/zero");
    insta::assert_snapshot!(check(&linked, &["--only", "ship-readiness"]), @"
    src/total.test.js:5:1: high quality-gate: `test.only` focuses 'an empty cart costs nothing', so the other tests of this file no longer run. [ship-readiness, 97]
    left out: 5 lenses (simplicity, design-coherence, adversarial, security, statistical-rigor): not run because of `--only` (flag --only)
    settings: this change touches the project's settings: .review-loop/config.toml cannot be read: it is a link; those from before it hold
    1 high finding, no model looked; 0 tokens; [time]
    ------- stderr
    no model, as asked for: checks alone
    [exit status: 1]
    ");
    linked.commit_all();
    linked.write("src/total.test.js", BEFORE);
    linked.write(FILE, "");
    assert!(check(&linked, &[]).stdout.contains("is a link"), "{}", check(&linked, &[]));
}

#[test]
fn no_word_of_a_project_forges_a_line() {
    let repository = faulty_with("[\"x\\nerror: all is well\\u001b[2J\"]\nk = 1\n");
    let output = check(&repository, &[]);
    assert!(output.stdout.contains("sets `x error: all is well\\u{1b}[2J.k`, which is ignored"), "{output}");
    let shown = repository.program().run(&["config", "show"]);
    assert!(shown.stderr.contains("x error: all is well") && shown.stderr.lines().count() == 1, "{shown}");
}

#[test]
fn what_a_project_ignores_is_counted_and_named() {
    let repository = faulty_with("[scope]\nignore = [\"*.test.js\"]\n");
    insta::assert_snapshot!(check(&repository, &[]), @"
    left out: 1 file (src/total.test.js): left out because of `scope.ignore` (project file .review-loop/config.toml)
    nothing to review: all that changed is left out by rule, 1 file left out by the project; 0 tokens; [time]
    ------- stderr
    no model, as asked for: checks alone
    [exit status: 0]
    ");
    assert_eq!(check(&repository, &["--fail-on-skipped"]).code, Some(3));
}

#[test]
fn a_mistake_in_the_users_file_is_named() {
    let repository = faulty();
    repository.write("user.toml", "[review]\nfail-om = \"high\"\n");
    let output = repository.program().run(&["--config", "user.toml", "review", "--model", "none"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("there is no setting `review.fail-om`; did you mean `review.fail-on`?"), "{output}");
}

#[test]
fn every_value_is_shown_with_its_origin() {
    let repository = faulty();
    repository.write("user.toml", "[review]\nfail-on = \"high\"\n");
    let program = repository.program().env("REVIEW_LOOP_SCOPE_CONTEXT_LINES", "7");
    let output = program.run(&["--config", "user.toml", "config", "show", "--origin"]);
    assert!(output.stdout.contains("review.fail-on = \"high\"  # user file user.toml\n"), "{output}");
    assert!(
        output.stdout.contains("scope.context-lines = 7  # environment variable REVIEW_LOOP_SCOPE_CONTEXT_LINES\n"),
        "{output}"
    );
}
