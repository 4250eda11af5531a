//! The styles of everything that is printed. Colour never carries meaning alone: each styled word says it too.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use review_loop_core::finding::Severity;

/// Headings, paths, claims.
pub const STRONG: Style = Style::new().bold();
/// Frames, line numbers, what is said in passing.
pub const FAINT: Style = Style::new().dimmed();
/// What failed, and what must be mended.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What was not reviewed, and what should be mended.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What went well.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Hints, and what is worth saying.
pub const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// The style of a severity's word, and of the carets under the quoted text.
#[must_use]
pub fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Critical | Severity::High => ERROR,
        Severity::Medium => WARNING,
        Severity::Low => HINT,
    }
}

/// `text` in `style`; as it stands where colour is off or there is no text.
#[must_use]
pub fn paint(color: bool, style: Style, text: impl Display) -> String {
    let text = text.to_string();
    if color && !text.is_empty() { format!("{style}{text}{style:#}") } else { text }
}
