//! The README's session, run for real: the commands that it shows, in the repository that it describes.

use std::fs;

use crate::support::command::Program;
use crate::support::{Repository, workspace};

/// The text of the block behind a marker, without its fence.
fn block(readme: &str, marker: &str) -> String {
    let after = readme.split(&format!("<!-- {marker} -->\n")).nth(1).unwrap_or_else(|| panic!("no block `{marker}`"));
    after.split("```").nth(1).unwrap().split_once('\n').unwrap().1.to_owned()
}

#[test]
fn what_it_shows_is_what_is_printed() {
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let (before, after) = (block(&readme, "before"), block(&readme, "after"));
    let repository =
        Repository::with(&[("src/session.py", &before), ("docs/sessions.md", &block(&readme, "document"))]);
    repository.write("src/session.py", after);

    let shown = block(&readme, "session");
    let (command, printed) = shown.split_once('\n').unwrap();
    let arguments: Vec<&str> = command.strip_prefix("$ review-loop ").unwrap().split(' ').collect();
    let output = repository.program().run(&arguments);
    let timeless = |text: &str| text.trim_end().rsplit_once("; ").map(|(text, _)| text.to_owned()).unwrap();
    assert_eq!(timeless(&output.stdout), timeless(printed), "{output}");
}

#[test]
fn its_demo_runs_anywhere() {
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let command = block(&readme, "demo command");
    let (_, arguments) = command.trim_end().rsplit_once("cargo run -- ").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let output = Program::new(folder.path()).run(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn its_commands_are_those_that_ci_runs() {
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let test = block(&readme, "test command");
    assert!(test.contains("cargo test --workspace"), "{test}");
    let ci = fs::read_to_string(workspace().join(".ci/run")).unwrap();
    assert!(ci.contains("<!-- test command -->"), "CI does not take the command from the README");
}
