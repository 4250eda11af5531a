//! What can be seen without a model: repeated code, and private code that nothing names.

mod clones;
mod corpus;
mod duplication;
mod words;
mod worth;

use duplication::Repetition;
use review_loop_sdk::prelude::*;

/// The report of the checks, at most `max` findings.
pub(crate) fn run(_max: usize) -> Report {
    Report {
        findings: duplication::repetitions().iter().map(repeated).collect(),
        ..Report::default()
    }
}

/// From this many words on, a copy is long enough that the change should not go on with it.
const LONG: usize = 200;

fn repeated(one: &Repetition) -> Finding {
    let (first, last) = one.lines;
    let place = format!("{}:{}-{}", one.other, one.other_lines.0, one.other_lines.1);
    let function = one
        .function
        .as_ref()
        .map_or_else(String::new, |name| format!(" (`{name}`)"));
    let names = if one.same_names == 100 {
        ""
    } else {
        ", some names exchanged"
    };
    Finding {
        claim: format!(
            "{} lines repeat {place}{function}{names}: a mistake in one copy has to be found and mended in the other too.",
            last + 1 - first
        ),
        category: "duplication".to_owned(),
        severity: if one.words >= LONG {
            Severity::Medium
        } else {
            Severity::Low
        },
        confidence: 96,
        load_bearing: false,
        basis: Basis::Check,
        anchor: Some(Anchor {
            path: one.path.clone(),
            side: Side::New,
            lines: Some(LineRange { first, last }),
            quote: Some(one.quote.clone()),
            section: None,
        }),
        evidence: Some(format!(
            "{} words of code in a row are the same as at {place}, comments and literals aside; {} of 100 names are the same.",
            one.words, one.same_names
        )),
        fix_hint: Some(format!("Call the code at {place}, or give both one function.")),
        replacement: None,
        reach: Reach::Tactical,
    }
}
