//! Settings: who may set what.

use super::{FOCUSED, faulty, harmless};

#[test]
fn a_project_can_narrow_and_nothing_else() {
    let repository = faulty();
    repository.write(
        ".review-loop/config.toml",
        "[lenses]\ndisabled = [\"ship-readiness\"]\n[model]\nbackend = \"openai\"\n",
    );
    let output = repository.program().run(&["review", "--model", "none"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.contains("sets `model.backend`, which is ignored: only the user may set it"), "{output}");
}

#[test]
fn a_change_cannot_switch_off_its_own_review() {
    let repository = harmless();
    repository.commit_all();
    repository.write("src/total.test.js", FOCUSED);
    repository
        .write(".review-loop/config.toml", "[lenses]\ndisabled = [\"ship-readiness\"]\n[scope]\nignore = [\"*\"]\n");
    repository.commit_all();
    let output = repository.program().run(&["review", "--model", "none", "--commit", "HEAD"]);
    assert_eq!(output.code, Some(1), "{output}");
}

#[test]
fn what_a_project_ignores_is_counted_and_named() {
    let repository = faulty();
    repository.write(".review-loop/config.toml", "[scope]\nignore = [\"*.test.js\", \".review-loop/\"]\n");
    let output = repository.program().run(&["review", "--model", "none"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("src/total.test.js"), "{output}");
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
