//! What the model is shown of one finding: the claim, the change at its place, the code around it, and where the
//! names in it are used. About 8,000 tokens at most.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use review_loop_sdk::judgement::numbered;
use review_loop_sdk::prelude::*;
use review_loop_sdk::source::{Match, Query, Syntax};
use review_loop_sdk::subject::{Change, Hunk, Line};
use review_loop_sdk::text::{clip, fold, names, words};

/// Bytes: of the change, of the code around, and of the uses. Three to four make a token.
const MAX_CHANGE: usize = 7_000;
const MAX_CODE: usize = 13_000;
const MAX_USES: usize = 5_000;
/// Lines that are looked through upwards and downwards for where a definition begins and ends.
const REACH: usize = 120;
/// Lines shown on both sides in any case.
const NEAR: usize = 12;
/// Names of one finding that are searched for, and matches of all.
const MAX_NAMES: usize = 6;
const MAX_MATCHES: u32 = 1000;

/// One finding with its code.
pub(crate) struct Exhibit {
    anchor: Option<Anchor>,
    /// The whole message to the model.
    text: String,
    /// All that is code in it, white space folded.
    code: String,
    paths: BTreeSet<String>,
}

impl Exhibit {
    /// The exhibits of all findings, with one search for all of their names.
    pub(crate) fn of_all(findings: &[&Finding]) -> Vec<Self> {
        let wanted: Vec<BTreeSet<String>> = findings.iter().map(|finding| searched_names(finding)).collect();
        let uses = search(wanted.iter().flatten().cloned().collect());
        findings.iter().zip(&wanted).map(|(finding, wanted)| Self::of(finding, wanted, &uses)).collect()
    }

    fn of(finding: &Finding, wanted: &BTreeSet<String>, uses: &BTreeMap<String, Vec<Match>>) -> Self {
        let mut exhibit =
            Self { anchor: finding.anchor.clone(), text: told(finding), code: String::new(), paths: BTreeSet::new() };
        let mut around = 0..0;
        if let Some(anchor) = &finding.anchor {
            let hunks = subject::hunks(&anchor.path).unwrap_or_default();
            exhibit.show("The change there (- before, + after):", &anchor.path, change(&hunks, anchor));
            if let Ok(file) = source::read(&anchor.path, anchor.side) {
                let lines: Vec<&str> = file.lines().collect();
                around = enclosing(&lines, line_of(&lines, anchor));
                let title = if anchor.side == Side::Old { "The file before the change:" } else { "The file now:" };
                exhibit.show(title, &anchor.path, excerpt(&lines, &around, line_of(&lines, anchor)));
            }
        }
        let elsewhere = |found: &&Match| {
            let here = exhibit.anchor.as_ref().is_some_and(|anchor| anchor.path == found.path);
            !(here && around.contains(&((found.line as usize).saturating_sub(1))))
        };
        let found: Vec<Match> = wanted
            .iter()
            .filter_map(|name| uses.get(name))
            .flat_map(|found| found.iter().filter(elsewhere).take(12))
            .cloned()
            .collect();
        exhibit.show_uses(&found);
        exhibit
    }

    /// The message.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The place that the finding gives.
    pub(crate) fn anchor(&self) -> Option<&Anchor> {
        self.anchor.as_ref()
    }

    /// Whether there is anything to judge by.
    pub(crate) fn shows_code(&self) -> bool {
        !self.code.is_empty()
    }

    /// Whether a quote is part of what was shown. Half a word is no quote.
    pub(crate) fn shows(&self, quote: &str) -> bool {
        let quote = fold(quote);
        words(&quote).next().is_some() && quote.len() > 3 && self.code.contains(&quote)
    }

    /// Whether anything of a file was shown.
    pub(crate) fn shows_path(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    fn show(&mut self, title: &str, path: &str, lines: Vec<(String, &str)>) {
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(self.text, "\n{title} {path:?}");
        for (mark, line) in lines {
            self.text.push_str(&mark);
            let _ = writeln!(self.text, "| {}", clip(line, 400));
            self.remember(line);
        }
        self.paths.insert(path.to_owned());
    }

    fn show_uses(&mut self, found: &[Match]) {
        let mut shown = String::new();
        for found in found {
            if shown.len() > MAX_USES {
                break;
            }
            let _ = write!(shown, "{:?} ", found.path);
            numbered(&mut shown, found.line as usize, &found.text);
            self.remember(&found.text);
            self.paths.insert(found.path.clone());
        }
        if !shown.is_empty() {
            let _ = write!(self.text, "\nWhere its names stand elsewhere:\n{shown}");
        }
    }

    fn remember(&mut self, line: &str) {
        self.code.push_str(&fold(line));
        self.code.push(' ');
    }
}

fn told(finding: &Finding) -> String {
    let mut text = format!("The finding ({}): {}\n", finding.category, clip(&fold(&finding.claim), 800));
    if let Some(anchor) = &finding.anchor {
        let line = anchor.lines.map_or_else(String::new, |lines| format!(", line {}", lines.first));
        let _ = writeln!(text, "Its place: {:?}{line}", anchor.path);
        if let Some(quote) = &anchor.quote {
            let _ = writeln!(text, "It quotes: {:?}", clip(quote, 600));
        }
    }
    if let Some(evidence) = &finding.evidence {
        let _ = writeln!(text, "Its evidence: {}", clip(&fold(evidence), 1500));
    }
    text
}

fn searched_names(finding: &Finding) -> BTreeSet<String> {
    names(&finding.claim).into_iter().filter(|name| name.is_ascii()).take(MAX_NAMES).collect()
}

/// Where names stand after the change, all looked for at once.
fn search(names: BTreeSet<String>) -> BTreeMap<String, Vec<Match>> {
    let mut uses: BTreeMap<String, Vec<Match>> = BTreeMap::new();
    if names.is_empty() {
        return uses;
    }
    let patterns: Vec<String> = names.into_iter().collect();
    let query = Query { patterns, syntax: Syntax::Word, globs: Vec::new(), side: Side::New, max: MAX_MATCHES };
    if let Ok(matches) = source::search(&query) {
        for found in matches.found {
            let Some(name) = query.patterns.get(found.pattern as usize) else {
                continue;
            };
            uses.entry(name.clone()).or_default().push(found);
        }
    }
    uses
}

/// The index of the line that a finding is about: by its quote where that is there, else by its number.
fn line_of(lines: &[&str], anchor: &Anchor) -> usize {
    let quoted = anchor.quote.as_deref().and_then(|quote| quote.lines().map(fold).find(|line| line.len() > 3));
    let numbered = anchor.lines.map_or(0, |range| range.first.saturating_sub(1) as usize);
    let is_quoted = |index: &usize| {
        lines.get(*index).zip(quoted.as_ref()).is_some_and(|(line, quoted)| fold(line).contains(quoted))
    };
    let by_quote = (0..lines.len()).filter(is_quoted).min_by_key(|index| index.abs_diff(numbered));
    by_quote.unwrap_or(numbered).min(lines.len().saturating_sub(1))
}

/// The definition around a line: from the last line above it that is not indented to the first one below, both
/// included, and never fewer than a few lines.
fn enclosing(lines: &[&str], at: usize) -> Range<usize> {
    let begins = |index: &usize| lines.get(*index).is_some_and(|line| line.starts_with(|c: char| !c.is_whitespace()));
    let opens =
        |index: &usize| begins(index) && lines.get(*index).is_some_and(|line| !line.starts_with(['}', ')', ']']));
    let first = (at.saturating_sub(REACH)..=at).rev().find(opens).unwrap_or(at);
    let last = (at + 1..(at + REACH).min(lines.len())).find(begins).unwrap_or(at);
    first.min(at.saturating_sub(NEAR))..(last + 1).max(at + NEAR + 1).min(lines.len())
}

/// Numbered lines of a range, as many around `at` as there is room for.
fn excerpt<'a>(lines: &[&'a str], range: &Range<usize>, at: usize) -> Vec<(String, &'a str)> {
    let mut room = MAX_CODE;
    let mut fits = |index: usize| {
        let cost = lines.get(index).map_or(0, |line| line.len().min(400) + 8);
        room = room.saturating_sub(cost);
        room > 0
    };
    let (mut first, mut last) = (at, at);
    loop {
        let up = first > range.start && fits(first - 1);
        first -= usize::from(up);
        let down = last + 1 < range.end && fits(last + 1);
        last += usize::from(down);
        if !up && !down {
            break;
        }
    }
    let shown = lines.iter().enumerate().skip(first).take(last + 1 - first);
    shown.map(|(index, line)| ((index + 1).to_string(), *line)).collect()
}

/// The lines of the hunks, nearest to the place first to be kept.
fn change<'a>(hunks: &'a [Hunk], anchor: &Anchor) -> Vec<(String, &'a str)> {
    let at = anchor.lines.map_or(1, |range| range.first);
    let lines: Vec<&Line> = hunks.iter().flat_map(|hunk| &hunk.lines).collect();
    let number = |line: &Line| if anchor.side == Side::Old { line.old } else { line.new };
    let nearest = (0..lines.len()).min_by_key(|index| {
        lines.get(*index).and_then(|line| number(line)).map_or(u32::MAX, |number| number.abs_diff(at))
    });
    let Some(nearest) = nearest else { return Vec::new() };
    let mut room = MAX_CHANGE;
    let mut kept = BTreeSet::new();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|index| index.abs_diff(nearest));
    for index in order {
        let cost = lines.get(index).map_or(0, |line| line.text.len().min(400) + 8);
        if cost > room {
            break;
        }
        room -= cost;
        kept.insert(index);
    }
    kept.into_iter().filter_map(|index| lines.get(index)).map(|line| (mark(line), line.text.as_str())).collect()
}

fn mark(line: &Line) -> String {
    let number = line.new.or(line.old).unwrap_or(0);
    match line.change {
        Change::Context => format!(" {number}"),
        Change::Added => format!("+{number}"),
        Change::Removed => format!("-{number}"),
    }
}
