//! Sessions of the command line, as text: `tests/cmd/*.md` and the README.

use crate::support::guests;

/// What needs no repository: help, lists, errors. `TRYCMD=overwrite cargo test -p review-loop sessions` writes what is
/// printed into the files; read it before you keep it.
#[test]
fn of_the_command_line() {
    let home = tempfile::tempdir().unwrap();
    trycmd::TestCases::new()
        .register_bin("review-loop", std::path::Path::new(env!("CARGO_BIN_EXE_review-loop")))
        .env("HOME", home.path().to_string_lossy())
        .env("REVIEW_LOOP_CACHE", guests::cache().to_string_lossy())
        // The folders `tests/cmd/<name>.in` and `.out` have trycmd run a session outside of the repository: the cache of
        // compiled components would be refused inside of it.
        .env("COLUMNS", "100")
        .case("../tests/cmd/*.md");
}
