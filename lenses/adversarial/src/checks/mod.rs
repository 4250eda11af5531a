//! What can be seen with certainty, without a model. Each check leaves alone what it is not sure of.

mod code;
mod gutted;
mod hollow;
mod swallowed;
mod test_functions;

use review_loop_sdk::check;
use review_loop_sdk::prelude::*;

/// All checks over all changed files, at most `max` findings.
pub(crate) fn run(max: usize) -> Report {
    check::report(&[swallowed::check, gutted::check, hollow::check], max)
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::lines;

    #[test]
    fn neither_a_byte_order_mark_nor_old_line_ends_hide_what_a_check_sees() {
        let handler = "try {\n  save(a);\n} catch (e) {\n}\n";
        let test = "def test_a():\n    pass\n";
        for (mark, line_end) in [("\u{feff}", "\n"), ("", "\r"), ("\u{feff}", "\r")] {
            let made = |text: &str| format!("{mark}{}", text.replace('\n', line_end));
            let host_line = |line| if line_end == "\n" { line } else { 1 };
            assert_eq!(lines(super::swallowed::check, "src/a.js", &made(handler)), [host_line(3)]);
            assert_eq!(lines(super::hollow::check, "tests/test_a.py", &made(test)), [1]);
        }
    }

    #[test]
    fn chains_and_blocks_inside_of_blocks_are_followed_once() {
        let count = |text: String| lines(super::swallowed::check, "src/a.js", &text).len();
        assert_eq!(count("save(a)".to_owned() + &".catch(() => {})".repeat(5_000)), 1, "the first link takes all");
        assert_eq!(count("try {".repeat(5_000) + "save(a)" + &"} catch {}".repeat(5_000)), 1, "the innermost");
        let flat = "try:\n  save(a)\nexcept:\n  pass\n".repeat(5_000);
        assert_eq!(lines(super::swallowed::check, "src/a.py", &flat).len(), 1, "told together");
        assert_eq!(lines(super::hollow::check, "tests/a.rs", &"#[test]\n".repeat(5_000)), [0; 0]);
        assert_eq!(lines(super::hollow::check, "a.test.js", &"it('a', (".repeat(5_000)), [0; 0]);
    }
}
