//! What can be seen with certainty, without a model. Each check leaves alone what it is not sure of.

mod conflict;
mod credentials;
mod halted;
mod lock;
mod machine_path;
mod manifest;
mod switched_off;

use review_loop_sdk::check;
use review_loop_sdk::prelude::*;

/// All checks over all changed files, at most `max` findings.
pub(crate) fn run(max: usize) -> Report {
    check::report(
        &[conflict::check, credentials::check, switched_off::check, halted::check, lock::check, machine_path::check],
        max,
    )
}

/// Paths whose files show something rather than run: what stands there is often there on purpose.
fn is_shown(path: &str) -> bool {
    path.to_ascii_lowercase().split(['/', '.', '_', '-']).any(|part| SHOWN.contains(&part))
}

const SHOWN: &[&str] = &[
    "cassettes",
    "demo",
    "demos",
    "doc",
    "docs",
    "example",
    "examples",
    "fake",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "sample",
    "samples",
    "snapshot",
    "snapshots",
    "template",
    "templates",
    "tutorial",
    "tutorials",
];
