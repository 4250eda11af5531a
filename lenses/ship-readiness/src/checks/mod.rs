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

#[cfg(test)]
mod testing {
    use review_loop_sdk::check::{self, Changed, Seen};
    use review_loop_sdk::testing::FakeHost;

    /// The lines at which a check sees something in a file that is new.
    pub(crate) fn lines(check: fn(&Changed) -> Vec<Seen>, path: &str, text: &str) -> Vec<u32> {
        lines_with(check, FakeHost::new().added(path, text))
    }

    /// The lines at which a check sees something.
    pub(crate) fn lines_with(check: fn(&Changed) -> Vec<Seen>, host: FakeHost) -> Vec<u32> {
        let (report, _) = host.run(|| check::report(&[check], 100));
        assert_eq!(report.skipped, []);
        report.findings.iter().filter_map(|found| Some(found.anchor.as_ref()?.lines?.first)).collect()
    }
}
