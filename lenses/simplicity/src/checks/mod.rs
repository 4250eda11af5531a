//! What can be seen without a model: repeated code, and private code that nothing names.

mod clones;
mod corpus;
mod dead;
mod duplication;
mod words;
mod worth;

use dead::Unnamed;
use duplication::Repetition;
use review_loop_sdk::cap::capped;
use review_loop_sdk::prelude::*;

/// The report of the checks, at most `max` findings.
pub(crate) fn run(max: usize) -> Report {
    let repeated = by_files(duplication::repetitions());
    let mut findings: Vec<Finding> = repeated.iter().filter_map(|places| repetition(places)).collect();
    findings.extend(dead::unnamed().iter().map(unnamed));
    let several = |category: &str| match category {
        "dead-code" => "private definitions that nothing names",
        _ => "places repeat code that stands elsewhere",
    };
    Report { findings: capped(findings, max, several), ..Report::default() }
}

/// The repetitions between the same two files together, the longest first: they are mended together.
fn by_files(found: Vec<Repetition>) -> Vec<Vec<Repetition>> {
    let mut groups: Vec<Vec<Repetition>> = Vec::new();
    for one in found {
        let same =
            |group: &&mut Vec<Repetition>| group.first().is_some_and(|f| f.path == one.path && f.other == one.other);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// From this many words on, in all, copies are more than a small thing.
const LONG: usize = 200;

fn repetition(places: &[Repetition]) -> Option<Finding> {
    let one = places.first()?;
    let (first, last) = one.lines;
    let place = format!("{}:{}-{}", one.other, one.other_lines.0, one.other_lines.1);
    let function = one.function.as_ref().map_or_else(String::new, |name| format!(" (`{name}`)"));
    let names = if one.same_names == 100 { "" } else { ", some names exchanged" };
    let more = match places.len() {
        0 | 1 => String::new(),
        2 => ", as does one more place in the file".to_owned(),
        all => format!(", as do {} more places in the file", all - 1),
    };
    let shown = |one: &Repetition| {
        let (here, there) = (one.lines, one.other_lines);
        let (words, same) = (one.words, one.same_names);
        format!(
            "{}:{}-{} and {}:{}-{}: {words} words in a row, {same} of 100 names the same",
            one.path, here.0, here.1, one.other, there.0, there.1
        )
    };
    let claim = format!(
        "{} lines repeat {place}{function}{names}{more}: a mistake in one copy has to be found and mended in the other too.",
        last + 1 - first
    );
    let words: usize = places.iter().map(|one| one.words).sum();
    let anchor = anchor(&one.path, (first, last), &one.quote);
    Some(Finding {
        severity: if words >= LONG { Severity::Medium } else { Severity::Low },
        evidence: Some(places.iter().map(shown).collect::<Vec<_>>().join("\n")),
        fix_hint: Some(format!("Call the code at {place}, or give both places one function.")),
        ..finding("duplication", claim, anchor)
    })
}

fn unnamed(one: &Unnamed) -> Finding {
    let claim = format!(
        "Nothing in the repository names the private {} `{}` that this change adds: it is dead, or its use was forgotten.",
        one.noun, one.name
    );
    Finding {
        evidence: Some(format!("`{}` stands in no other line of any file.", one.name)),
        fix_hint: Some("Use it or leave it out.".to_owned()),
        ..finding("dead-code", claim, anchor(&one.path, (one.line, one.line), &one.text))
    }
}

fn finding(category: &str, claim: String, anchor: Anchor) -> Finding {
    Finding {
        claim,
        category: category.to_owned(),
        severity: Severity::Low,
        confidence: 96,
        load_bearing: false,
        basis: Basis::Check,
        anchor: Some(anchor),
        evidence: None,
        fix_hint: None,
        replacement: None,
        reach: Reach::Tactical,
    }
}

fn anchor(path: &str, (first, last): (u32, u32), quote: &str) -> Anchor {
    let quote = (!quote.trim().is_empty()).then(|| quote.to_owned());
    Anchor { path: path.to_owned(), side: Side::New, lines: Some(LineRange { first, last }), quote, section: None }
}
