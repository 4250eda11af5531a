//! The words that every format shares: the names of things, and the first and the last line.

use review_loop_core::finding::{Basis, Reach, Severity, Side, Verdict};
use review_loop_core::outcome::{
    ComponentRun, Failure, ModelUse, Outcome, Place, Role, RunState, Seen, Stage, Usage, Word,
};
use review_loop_core::subject::{Mode, Omitted};

/// What to do so that a model looks.
pub(super) const MODEL_HINT: &str = "To have a model look, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a back end \
    with --model; `review-loop doctor` says what is found. To ask for the checks alone, say --model none.";

/// What was looked at and by whom: the first line.
pub(super) fn headline(outcome: &Outcome) -> String {
    let mut line = format!("review-loop: {}", outcome.scope);
    match &outcome.branch {
        Some(branch) if !outcome.scope.contains(branch.as_str()) => line += &format!(" on {branch}"),
        _ => {}
    }
    if outcome.files > 0 {
        line += &format!(", {}", count(outcome.files, "file"));
    }
    if !outcome.left_out.is_empty() {
        line += &format!(" ({} left out)", grouped(outcome.left_out.len()));
    }
    if outcome.added > 0 || outcome.removed > 0 {
        line += &format!(", +{} -{}", outcome.added, outcome.removed);
    }
    match &outcome.model {
        _ if super::word(outcome) == Word::NothingToReview => line,
        ModelUse::Asked(name) => line + "; model: " + name,
        ModelUse::ChecksOnly => line + "; no model was asked: checks only",
        ModelUse::Unconfigured => line + "; no model is configured: checks only",
    }
}

/// The verdict and the counts, the tokens, the time: the last line.
pub(super) fn closing(outcome: &Outcome) -> String {
    let tokens = count(outcome.usage.tokens(), "token");
    let interrupted = if outcome.interrupted { "interrupted; " } else { "" };
    format!("{interrupted}{}; {tokens}; {}", verdict(outcome), duration(outcome.elapsed_ms))
}

fn verdict(outcome: &Outcome) -> String {
    let (open, missing) = (open(outcome), missing(outcome));
    let unasked = !matches!(outcome.model, ModelUse::Asked(_));
    let no_model = if unasked { "no model looked" } else { "" };
    let advisory = match outcome.findings.iter().filter(|judged| !judged.actionable).count() {
        0 => String::new(),
        n => format!("{} advisory", grouped(n)),
    };
    let (word, rest) = match super::word(outcome) {
        Word::Clean if unasked => {
            ("clean as far as the checks go, no model looked".to_owned(), [below(open), advisory])
        }
        Word::Clean => ("clean".to_owned(), [below(open), advisory]),
        Word::Findings => (open, [advisory, join(&[&missing, no_model])]),
        Word::Incomplete if open.starts_with("0 ") => {
            (format!("incomplete: {missing}, no finding in the rest"), [advisory, String::new()])
        }
        Word::Incomplete => (format!("incomplete: {missing}"), [below(open), advisory]),
        Word::Exhausted => (format!("stopped by a limit: {open} open"), [advisory, missing]),
        Word::NothingToReview if outcome.left_out.is_empty() => {
            ("nothing to review: no change in this scope".to_owned(), Default::default())
        }
        Word::NothingToReview => {
            ("nothing to review: all that changed is left out by rule".to_owned(), Default::default())
        }
    };
    join(&[&word, &rest[0], &rest[1], &by_project(outcome)])
}

/// What the project's own settings left out: no verdict stands without it.
fn by_project(outcome: &Outcome) -> String {
    let counts: Vec<String> =
        outcome.narrowed.iter().filter(|one| one.by_project).map(|one| one.what.count()).collect();
    if counts.is_empty() { String::new() } else { format!("{} left out by the project", list(&counts)) }
}

/// The parts that are not empty.
fn join(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

/// The findings to mend: `2 findings (1 critical, 1 high)`, `3 medium findings`.
fn open(outcome: &Outcome) -> String {
    let open: Vec<Severity> =
        outcome.findings.iter().filter(|judged| judged.actionable).map(|judged| judged.finding.severity).collect();
    let each = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];
    let each = each.map(|severity| (open.iter().filter(|s| **s == severity).count(), severity_word(severity)));
    let each: Vec<_> = each.into_iter().filter(|(n, _)| *n > 0).collect();
    match each.as_slice() {
        [] => count(0, "finding"),
        [(n, word)] => count(*n, &format!("{word} finding")),
        _ => {
            let each: Vec<String> = each.iter().map(|(n, word)| format!("{} {word}", grouped(*n))).collect();
            format!("{} ({})", count(open.len(), "finding"), each.join(", "))
        }
    }
}

/// Findings that the gate lets pass.
fn below(open: String) -> String {
    if open.starts_with("0 ") { String::new() } else { open + " below the gate" }
}

fn missing(outcome: &Outcome) -> String {
    match gaps(outcome) {
        0 => String::new(),
        n => format!("{} not reviewed", grouped(n)),
    }
}

/// How many things in scope were not examined. A component that failed counts once, also where a gap names it.
pub(super) fn gaps(outcome: &Outcome) -> usize {
    let failed = failures(outcome).count();
    failed + outcome.gaps.iter().filter(|gap| !is_failure(outcome, &gap.what)).count()
}

/// The components that have no report, with the reason.
pub(super) fn failures(outcome: &Outcome) -> impl Iterator<Item = (&ComponentRun, &Failure)> {
    outcome.components.iter().filter_map(|component| match &component.state {
        RunState::Failed(failure) => Some((component, failure)),
        _ => None,
    })
}

/// Whether a gap only repeats that a component failed.
pub(super) fn is_failure(outcome: &Outcome, what: &str) -> bool {
    failures(outcome).any(|(component, _)| {
        what == component.id || what.strip_prefix(role_word(component.role)).map(str::trim) == Some(&component.id)
    })
}

/// `45,120 tokens in 12 calls`.
pub(super) fn tokens(usage: &Usage) -> String {
    let cached = if usage.cached == 0 { String::new() } else { format!(" ({} cached)", grouped(usage.cached)) };
    let calls = if usage.calls == 0 { String::new() } else { format!(" in {}", count(usage.calls, "call")) };
    format!("{}{cached}{calls}", count(usage.tokens(), "token"))
}

/// `0.4s`, `38s`, `2m5s`: without spaces, so that no number parts from its unit at the end of a line.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{}s", ms / 1000, ms % 1000 / 100),
        10_000..60_000 => format!("{}s", ms / 1000),
        _ => format!("{}m{}s", ms / 60_000, ms / 1000 % 60),
    }
}

/// `1 finding`, `2 findings`, `1,200 findings`.
pub(super) fn count(n: impl TryInto<u64>, noun: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// A number with a comma between thousands.
pub(super) fn grouped(n: impl TryInto<u64>) -> String {
    let digits = n.try_into().unwrap_or(u64::MAX).to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(items: &[impl AsRef<str>]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The verdict as the machine outputs carry it.
pub(super) fn verdict_word(word: Word) -> &'static str {
    match word {
        Word::Clean => "review-clean",
        Word::Findings => "findings",
        Word::Incomplete => "incomplete",
        Word::NothingToReview => "nothing-to-review",
        Word::Exhausted => "exhausted",
    }
}

pub(super) fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    }
}

pub(super) fn basis_word(basis: Basis) -> &'static str {
    match basis {
        Basis::Check => "check",
        Basis::Judgement => "judgement",
        Basis::Execution => "execution",
    }
}

pub(super) fn side_word(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}

pub(super) fn reach_word(reach: Reach) -> &'static str {
    match reach {
        Reach::Tactical => "tactical",
        Reach::Directional => "directional",
    }
}

pub(super) fn place_word(place: Place) -> &'static str {
    match place {
        Place::InDiff => "in-diff",
        Place::OutOfDiff => "out-of-diff",
        Place::FileOnly => "file-only",
        Place::Whole => "whole",
    }
}

pub(super) fn seen_word(seen: Seen) -> &'static str {
    match seen {
        Seen::New => "new",
        Seen::Open => "open",
        Seen::FixFailed => "fix-failed",
    }
}

pub(super) fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::Code => "code",
        Mode::Plan => "plan",
        Mode::Claim => "claim",
    }
}

pub(super) fn role_word(role: Role) -> &'static str {
    match role {
        Role::Lens => "lens",
        Role::Falsifier => "falsifier",
    }
}

pub(super) fn state_word(state: &RunState) -> &'static str {
    match state {
        RunState::Done => "done",
        RunState::ChecksOnly => "checks-only",
        RunState::Partial => "partial",
        RunState::Failed(_) => "failed",
        RunState::NotNeeded(_) => "not-needed",
    }
}

pub(super) fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Locate => "locate",
        Stage::Guard => "guard",
        Stage::Falsify => "falsify",
        Stage::Filter => "filter",
    }
}

pub(super) fn falsifier_word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Stands => "stands",
        Verdict::Falsified(_) => "falsified",
        Verdict::Corrected(_) => "corrected",
        Verdict::Undecided(_) => "undecided",
    }
}

pub(super) fn omitted_word(why: &Omitted) -> &'static str {
    match why {
        Omitted::Generated => "generated",
        Omitted::Vendored => "vendored",
        Omitted::LockFile => "lock-file",
        Omitted::Binary => "binary",
        Omitted::Ignored => "ignored",
        Omitted::TooLarge => "too-large",
        Omitted::Unreadable(_) => "unreadable",
        Omitted::OtherRepository(_) => "other-repository",
    }
}
