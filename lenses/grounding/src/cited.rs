//! What a finding cites: the lines of its quote, and whether its claim is about what is there.

use std::collections::BTreeSet;

use review_loop_sdk::text::{fold, words};

/// Further down a file than this, only an exact quote is found.
const MAX_LINES: usize = 20_000;

/// The lines of a quote, white space folded, as they would stand in a file. Lines too short to mean a place are left
/// out, unless there are no others.
pub(crate) fn quoted_lines(quote: &str) -> Vec<String> {
    let pieces = quote.lines().flat_map(|line| line.split("...")).flat_map(|line| line.split('\u{2026}'));
    let lines: Vec<String> = pieces.map(|line| fold(bare(line))).filter(|line| !line.is_empty()).collect();
    let telling: Vec<String> = lines.iter().filter(|line| words(line).count() > 1).cloned().collect();
    if telling.is_empty() { lines } else { telling }
}

/// Whether a claim is about something that is missing, or names what should stand there instead.
pub(crate) fn speaks_of_absence(claim: &str) -> bool {
    const WORDS: [&str; 22] = [
        "missing",
        "misses",
        "lacks",
        "lack",
        "lacking",
        "absent",
        "absence",
        "without",
        "instead",
        "should",
        "could",
        "rather",
        "undefined",
        "defined",
        "declared",
        "exist",
        "exists",
        "nonexistent",
        "nowhere",
        "typo",
        "misspelled",
        "standard",
    ];
    words(claim).any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// The share, in percent, of a quote's words that stand on a few neighbouring lines of a text.
pub(crate) fn closest(quote: &[String], text: &str) -> usize {
    let wanted: BTreeSet<&str> = quote.iter().flat_map(|line| words(line)).collect();
    let lines: Vec<&str> = text.lines().take(MAX_LINES).collect();
    let share = |window: &[&str]| {
        let there: BTreeSet<&str> = window.iter().flat_map(|line| words(line)).collect();
        wanted.intersection(&there).count() * 100 / wanted.len().max(1)
    };
    let size = (quote.len() + 1).min(lines.len()).max(1);
    lines.windows(size).map(share).max().unwrap_or(0)
}

/// A line without the mark of a diff, or the number, that the model may have copied along.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = if unnumbered.len() < line.len() { unnumbered.strip_prefix('|').unwrap_or(line) } else { line };
    line.strip_prefix("+ ").or_else(|| line.strip_prefix("- ")).unwrap_or(line)
}
