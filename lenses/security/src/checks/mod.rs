//! What can be seen with certainty, without a model. Each check leaves alone what it is not sure of.

mod cloud;
mod commands;
mod fetch_and_run;
mod fresh;
mod homoglyph;
mod invisible;
mod mutable;
mod pattern;
mod permissions;
mod text;
mod verification;
mod verification_commands;
mod verification_table;
mod workflow;

use review_loop_sdk::check;
use review_loop_sdk::prelude::*;

/// All checks over all changed files, at most `max` findings.
pub(crate) fn run(max: usize) -> Report {
    check::report(
        &[
            invisible::check,
            homoglyph::check,
            verification::check,
            workflow::injected,
            workflow::untrusted_checkout,
            fetch_and_run::check,
            mutable::check,
            permissions::check,
        ],
        max,
    )
}

/// Paths whose files show something rather than run: what stands there is often there on purpose.
fn is_shown(path: &str) -> bool {
    path.to_ascii_lowercase().split(['/', '.', '_', '-']).any(|part| SHOWN.contains(&part))
}

const SHOWN: &[&str] = &[
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "demos",
    "doc",
    "docs",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "perf",
    "playground",
    "repro",
    "sample",
    "samples",
    "sandbox",
    "snapshots",
    "template",
    "templates",
    "tutorial",
    "tutorials",
];

/// What bundlers write, and what comes from elsewhere, is nobody's to mend here.
fn is_built(path: &str) -> bool {
    path.split('/').any(|part| ["dist", "build", "vendor", "third_party", "node_modules", "bundled"].contains(&part))
        || path.contains(".min.")
}

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

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::FakeHost;

    /// Each has to be looked at to its end, the first is one line of more than a megabyte: a look around at every place that
    /// grew with the text would take minutes.
    #[test]
    fn large_texts_take_time_that_is_linear() {
        let many = |text: &str| text.repeat(10_000);
        for (path, text) in [
            ("a.c", "/*\u{202e} a */ ".repeat(80_000)),
            ("a.c", many("/*\u{202e} a */\n")),
            ("a.md", many("\u{e0041}\u{fe01}a")),
            ("a.py", many("v\u{435}rify ")),
            ("a.py", format!("import requests\n{}", many("get(verify = False, "))),
            ("a.py", format!("import requests\n{}", many("get(u, verify=False)\n"))),
            ("a.sh", many("curl -k https://a.org/x | sh ; ")),
            (".ci/install.sh", many("curl https://a.org/x | \\\n")),
            ("a.sh", many("chmod 777 a\n")),
            (".github/workflows/a.yml", format!("on: issues\nrun: {}", many("${{ github.event.issue.title }} "))),
            (".github/workflows/a.yml", format!("on: pull_request_target\njobs:\n{}", many("  - a: refs/pull\n"))),
            (".github/workflows/a.yml", many("- uses: x/y@main\n")),
            ("a.tf", many("ingress { cidr_blocks = [\"0.0.0.0/0\"] ")),
            ("a.json", many("{\"Action\": \"*\", ")),
        ] {
            let (report, _) = FakeHost::new().added(path, &text).run(|| super::run(5));
            assert!(report.findings.len() <= 5, "{path}");
        }
    }
}
