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
mod tests {
    use review_loop_sdk::check::{Changed, Seen};

    use review_loop_sdk::testing::lines;

    type Check = fn(&Changed) -> Vec<Seen>;

    #[test]
    fn neither_a_byte_order_mark_nor_old_line_ends_hide_what_a_check_sees() {
        let token = format!("ghp_{}\n", "q7Rk2ZpV9sLx4TnB8mHc3WdJ6fGyUa1eQoI5");
        let cases: [(Check, &str, &str); 7] = [
            (super::halted::check, "a.py", "breakpoint()\n"),
            (super::halted::check, "src/a.js", "debugger;\n"),
            (super::halted::check, "src/a.rs", "fn a() { dbg!(1); }\n"),
            (super::switched_off::check, "a.test.js", "it.only('x', () => {\n  a();\n});\n"),
            (super::credentials::check, "deploy/token", &token),
            (super::conflict::check, "a.json", "<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n"),
            (super::machine_path::check, "a.py", "x = \"/Users/mkowalski/Documents/a\"\n"),
        ];
        for (check, path, text) in cases {
            assert_eq!(lines(check, path, text), [1], "{path}");
            assert_eq!(lines(check, path, &format!("\u{feff}{text}")), [1], "{path} behind a mark");
            let old = text.replace('\n', "\r");
            assert_eq!(lines(check, path, &format!("\u{feff}{old}")), [1], "{path} with old line ends");
            assert_eq!(lines(check, path, &format!("\r\n\r{old}\n")), [2], "{path} with both");
        }
    }

    #[test]
    fn a_line_as_long_as_a_file_and_many_short_ones_are_seen_whole() {
        assert_eq!(lines(super::halted::check, "a.rb", &"byebug;".repeat(5_000)).len(), 1, "told together");
        assert_eq!(lines(super::halted::check, "a.py", &"f()\nbyebug\nbreakpoint()\n".repeat(2_000)).len(), 1);
        assert_eq!(lines(super::halted::check, "a.rs", &"dbg!(1);\n".repeat(5_000)).len(), 1);
        assert_eq!(lines(super::credentials::check, "a.py", &"password = ".repeat(80_000)), [0; 0]);
    }
}
