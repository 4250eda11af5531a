//! The parts of a brief. Each is whole in itself and ends in a line feed.

use std::fmt::Write as _;

use crate::subject::{Change, File, Hunk, Kind, Mode, Omitted, Past, PastOutcome, Status, Subject};

/// A part that is taken whole or left out.
pub(super) struct Section {
    /// What to call it where it is left out.
    pub(super) name: String,
    /// None: too much of it even to be written down.
    pub(super) text: Option<String>,
}

type Redact<'a> = &'a dyn Fn(&str) -> String;

/// No more names than this are spelled out where something is left out of the text.
const MAX_NAMES: usize = 200;

pub(super) fn head(subject: &Subject) -> String {
    let mode = match subject.mode {
        Mode::Code => "a change to code",
        Mode::Plan => "a plan",
        Mode::Claim => "statements",
    };
    let mut text = format!("Under review: {mode}\nScope: {}\n", inert(&subject.scope));
    if subject.iteration > 0 {
        let _ = writeln!(text, "Iteration: {}", subject.iteration);
    }
    text
}

/// The list of changed files, and how many of them it names within `room` bytes.
pub(super) fn list(subject: &Subject, room: usize) -> (String, usize) {
    let mut text = String::new();
    if subject.files.is_empty() {
        return (text, 0);
    }
    text.push_str("\n=== changed files\n");
    for (n, file) in subject.files.iter().enumerate() {
        let line = entry(file);
        if text.len() + line.len() > room {
            let _ = writeln!(text, "and {} more, which are not shown", subject.files.len() - n);
            return (text, n);
        }
        text.push_str(&line);
    }
    (text, subject.files.len())
}

fn entry(file: &File) -> String {
    let status = match file.status {
        Status::Added => "added",
        Status::Modified => "modified",
        Status::Deleted => "deleted",
        Status::Renamed => "renamed",
        Status::Copied => "copied",
        Status::TypeChanged => "type changed",
    };
    let from = file.old_path.as_ref().map_or_else(String::new, |old| format!("{} -> ", inert(old)));
    let why = match &file.omitted {
        None if file.binary => "; binary".to_owned(),
        None => format!(" (+{} -{})", file.added, file.removed),
        Some(why) => format!("; text left out: {}", reason(why)),
    };
    format!("{status} {from}{}{}{why}\n", inert(&file.path), turned(file))
}

/// Says what a file turned into, where it is not what it was.
fn turned(file: &File) -> &'static str {
    match (file.old_kind, file.new_kind) {
        (Some(old), Some(new)) if old != new => match new {
            Kind::Regular => "; now a plain file",
            Kind::Executable => "; now executable",
            Kind::Symlink => "; now a symbolic link",
            Kind::Submodule => "; now a submodule",
        },
        (None, Some(Kind::Executable)) => "; executable",
        (None, Some(Kind::Symlink)) => "; a symbolic link",
        (_, Some(Kind::Submodule)) => "; a submodule",
        _ => "",
    }
}

fn reason(why: &Omitted) -> String {
    match why {
        Omitted::Generated => "generated".to_owned(),
        Omitted::Vendored => "vendored".to_owned(),
        Omitted::LockFile => "lock file".to_owned(),
        Omitted::Binary => "binary".to_owned(),
        Omitted::Ignored => "ignored by the user".to_owned(),
        Omitted::TooLarge => "too large".to_owned(),
        Omitted::Unreadable(why) => format!("unreadable: {}", inert(why)),
        Omitted::OtherRepository(which) => format!("not looked into: {}", inert(which)),
    }
}

/// The hunks of one file; none where there is no text to show, or more of it than `room` bytes.
pub(super) fn file(file: &File, room: usize, redact: Redact<'_>) -> Section {
    let bytes: usize = file.hunks.iter().flat_map(|h| &h.lines).map(|l| l.text.len()).sum();
    let text = if bytes > room { None } else { Some(hunks(file, redact)) };
    Section { name: file.path.clone(), text }
}

/// Whether there is text to show.
pub(super) fn has_text(file: &File) -> bool {
    file.omitted.is_none() && !file.hunks.is_empty()
}

fn hunks(file: &File, redact: Redact<'_>) -> String {
    let returns = ends_in_returns(&file.hunks);
    let mut text = format!("\n=== file {}{}\n", inert(&file.path), if returns { " (lines end in CR LF)" } else { "" });
    for hunk in &file.hunks {
        let _ = writeln!(text, "@@ {}", inert(&redact(&hunk.header)));
        write_lines(&mut text, hunk, returns, redact);
    }
    text
}

fn ends_in_returns(hunks: &[Hunk]) -> bool {
    let mut lines = hunks.iter().flat_map(|h| &h.lines).filter(|l| !l.unterminated).peekable();
    lines.peek().is_some() && lines.all(|l| l.text.ends_with('\r'))
}

fn write_lines(text: &mut String, hunk: &Hunk, returns: bool, redact: Redact<'_>) {
    let number = |n: Option<u32>| n.map_or_else(String::new, |n| n.to_string());
    let raw: Vec<&str> = hunk.lines.iter().map(|l| l.text.as_str()).collect();
    for (line, shown) in hunk.lines.iter().zip(redacted(&raw, redact)) {
        let sign = match line.change {
            Change::Context => ' ',
            Change::Added => '+',
            Change::Removed => '-',
        };
        let shown = if returns { shown.strip_suffix('\r').unwrap_or(&shown) } else { &shown };
        let _ = writeln!(text, "{:>6} {:>6} {sign}{}", number(line.old), number(line.new), inert(shown));
        if line.unterminated {
            text.push_str("       (the file ends without a line feed)\n");
        }
    }
}

/// Secrets may span lines, so lines are cleaned together and then found again. Only what came out of the redaction is
/// ever shown: a mistake here may misplace a line, never give a secret away.
fn redacted(lines: &[&str], redact: Redact<'_>) -> Vec<String> {
    let whole = redact(&lines.join("\n"));
    let clean: Vec<&str> = whole.split('\n').collect();
    if clean.len() == lines.len() {
        return clean.into_iter().map(str::to_owned).collect();
    }
    let (mut shown, mut at) = (Vec::with_capacity(lines.len()), 0);
    while shown.len() < lines.len() {
        let next = shown.len();
        let (until, clean_until) = match (lines.get(next), clean.get(at)) {
            (Some(line), Some(kept)) if line == kept => (next + 1, at + 1),
            _ => meet(lines, &clean, next, at),
        };
        let fresh = clean.get(at..clean_until).unwrap_or_default();
        let hidden = std::iter::repeat("[secret]");
        shown.extend(fresh.iter().copied().chain(hidden).take(until - next).map(str::to_owned));
        at = clean_until;
    }
    shown
}

/// Where the lines behind `next` and the clean ones behind `at` are the same again.
fn meet(lines: &[&str], clean: &[&str], next: usize, at: usize) -> (usize, usize) {
    let near = |list: usize, from: usize, reach: usize| from..list.min(from + reach);
    for clean_until in near(clean.len(), at + 1, 16) {
        let until = near(lines.len(), next + 1, 256).find(|&n| lines.get(n) == clean.get(clean_until));
        if let Some(until) = until {
            return (until, clean_until);
        }
    }
    (lines.len(), clean.len())
}

pub(super) fn documents(subject: &Subject, redact: Redact<'_>) -> Vec<Section> {
    let section = |d: &crate::subject::Document| {
        let mut text = format!("\n=== document {}\n", inert(&d.path));
        let lines: Vec<&str> = d.text.lines().collect();
        for (n, line) in (1..).zip(redacted(&lines, redact)) {
            let _ = writeln!(text, "{n:>6} {}", inert(&line));
        }
        Section { name: d.path.clone(), text: Some(text) }
    };
    subject.documents.iter().map(section).collect()
}

pub(super) fn claims(subject: &Subject, redact: Redact<'_>) -> Vec<Section> {
    let section = |(n, claim): (usize, &crate::subject::Claim)| {
        let mut text = format!("\n=== statement {n}\n  {}\n", inert(&redact(&claim.text)));
        for source in &claim.sources {
            let _ = writeln!(text, "  source: {}", inert(&redact(source)));
        }
        Section { name: format!("statement {n}"), text: Some(text) }
    };
    (1..).zip(&subject.claims).map(section).collect()
}

/// What was found before, newest first: where there is no room for all, the oldest is missed least.
pub(super) fn history(subject: &Subject, redact: Redact<'_>) -> Vec<Section> {
    let section = |(n, past): (usize, &Past)| {
        let anchor = past.finding.anchor.as_ref();
        let line = anchor.and_then(|a| a.lines).map_or_else(String::new, |l| format!(":{}", l.first));
        let place = anchor.map_or_else(String::new, |a| format!(" at {}{line}", inert(&a.path)));
        let claim = inert(&redact(&past.finding.claim));
        let text =
            format!("\n=== found in iteration {}{place}\n  {claim}\n  {}\n", past.iteration, became(past, redact));
        Section { name: format!("earlier finding {n}"), text: Some(text) }
    };
    (1..).zip(subject.history.iter().rev()).map(section).collect()
}

fn became(past: &Past, redact: Redact<'_>) -> String {
    match &past.outcome {
        PastOutcome::Open => "still open".to_owned(),
        PastOutcome::Fixed => "said to be fixed".to_owned(),
        PastOutcome::Declined(why) => format!("declined: {}", inert(&redact(why))),
        PastOutcome::Falsified(why) => format!("disproved: {}", inert(&redact(why))),
    }
}

/// Names what did not fit, so that nobody takes the brief for the whole.
pub(super) fn missing(left_out: &[String]) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n=== not shown, for want of room\n");
    for name in left_out.iter().take(MAX_NAMES) {
        let _ = writeln!(text, "{}", inert(name));
    }
    if left_out.len() > MAX_NAMES {
        let _ = writeln!(text, "and {} more", left_out.len() - MAX_NAMES);
    }
    text
}

/// One line in which nothing hides: control, bidirectional and invisible characters are spelled out.
pub(super) fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hides(c) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn hides(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
