//! What each component is at, one line for each, while it runs: on a terminal only, and gone afterwards.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use review_loop_core::outcome::Usage;

use crate::ui::sanitise::one_line;

/// The longest message, in characters; the terminal cuts it further.
const MAX_MESSAGE: usize = 200;

/// A line for each component that runs. Shared by reference; every call is safe from any thread.
#[derive(Debug)]
pub struct Progress {
    lines: MultiProgress,
    running: Mutex<HashMap<String, Line>>,
}

/// What stands on one line.
#[derive(Debug)]
struct Line {
    bar: ProgressBar,
    said: String,
    spent: String,
}

impl Line {
    fn draw(&self) {
        let parts: Vec<&str> =
            [&self.said, &self.spent].into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        self.bar.set_message(parts.join("; "));
    }
}

impl Progress {
    /// Draws to stderr where `enabled`, else nowhere.
    #[must_use]
    pub fn new(enabled: bool) -> Self {
        let target = if enabled { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { lines: MultiProgress::with_draw_target(target), running: Mutex::default() }
    }

    /// A component begins. Beginning twice starts its line afresh.
    pub fn start(&self, id: &str) {
        let line = self.lines.add(ProgressBar::new_spinner().with_style(style()));
        line.set_prefix(one_line(id).into_owned());
        if !self.lines.is_hidden() {
            line.enable_steady_tick(Duration::from_millis(120));
        }
        let line = Line { bar: line, said: String::new(), spent: String::new() };
        if let Some(earlier) = self.running().insert(id.to_owned(), line) {
            earlier.bar.finish_and_clear();
        }
    }

    /// What a running component is at. Replaces what it said before; of a component that does not run, nothing.
    pub fn say(&self, id: &str, text: &str) {
        let short: String = text.chars().take(MAX_MESSAGE).collect();
        if let Some(line) = self.running().get_mut(id) {
            line.said = one_line(&short).into_owned();
            line.draw();
        }
    }

    /// What a running component's model calls have cost so far.
    pub fn spent(&self, id: &str, usage: &Usage) {
        if let Some(line) = self.running().get_mut(id) {
            line.spent = spent(usage);
            line.draw();
        }
    }

    /// A component ended: its line goes.
    pub fn done(&self, id: &str) {
        if let Some(line) = self.running().remove(id) {
            line.bar.finish_and_clear();
        }
    }

    /// Runs `print` with the lines out of the way, for what is printed meanwhile.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.lines.suspend(print)
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Line>> {
        // A line that was left half-updated is still a line.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        for (_, line) in self.running().drain() {
            line.bar.finish_and_clear();
        }
    }
}

/// `turn 3, 45120 tokens, 71 % cached`.
fn spent(usage: &Usage) -> String {
    let cached = match usage.cached.saturating_mul(100).checked_div(usage.input.saturating_add(usage.cached)) {
        None | Some(0) => String::new(),
        Some(share) => format!(", {share} % cached"),
    };
    format!("turn {}, {} tokens{cached}", usage.calls, usage.tokens())
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner:.cyan} {prefix:.bold} {elapsed:.dim} {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use indicatif::TermLike;

    use super::*;

    /// A terminal that keeps all that is written to it.
    #[derive(Debug, Clone, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl Screen {
        fn shown(&self) -> String {
            self.0.lock().unwrap().clone()
        }

        #[expect(clippy::disallowed_methods, reason = "a test's own thread")]
        /// Waits until all of `texts` were drawn: lines are drawn a few times a second, by another thread.
        fn wait_for(&self, texts: &[&str]) {
            let drawn = || texts.iter().all(|text| self.shown().contains(text));
            for _ in 0..1_000 {
                if drawn() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            assert!(drawn(), "{texts:?} not in {:?}", self.shown());
        }

        fn put(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
    }

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            60
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, line: &str) -> io::Result<()> {
            self.put(line)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.put(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            self.put("[clear]")
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn on(screen: &Screen) -> Progress {
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        Progress { lines: MultiProgress::with_draw_target(target), running: Mutex::default() }
    }

    #[test]
    fn a_line_for_each_that_runs_and_none_afterwards() {
        let screen = Screen::default();
        let progress = on(&screen);
        progress.start("adversarial");
        progress.start("simplicity");
        progress.say("adversarial", "asking\nthe \x1b]0;model");
        screen.wait_for(&["adversarial", "simplicity", r"asking the \u{1b}]0;model"]);
        progress.spent("adversarial", &Usage { calls: 3, input: 400, cached: 1200, output: 60 });
        screen.wait_for(&["model; turn 3, 1660 tok"]);
        progress.done("simplicity");
        drop(progress);
        let shown = screen.shown();
        let (_, last) = shown.rsplit_once("[clear]").unwrap();
        assert_eq!(last.trim(), "", "{shown}");
    }

    #[test]
    fn what_was_spent_says_how_much_of_it_was_cached() {
        let usage = Usage { calls: 3, input: 400, cached: 1200, output: 60 };
        assert_eq!(spent(&usage), "turn 3, 1660 tokens, 75 % cached");
        assert_eq!(spent(&Usage { cached: 0, ..usage }), "turn 3, 460 tokens");
        assert_eq!(spent(&Usage::default()), "turn 0, 0 tokens");
    }

    #[test]
    fn nothing_is_drawn_where_no_one_watches() {
        let progress = Progress::new(false);
        progress.start("a");
        progress.say("a", "working");
        progress.say("unknown", "working");
        progress.spent("unknown", &Usage::default());
        progress.done("a");
        assert!(progress.lines.is_hidden());
    }
}
