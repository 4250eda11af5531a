//! What can be seen without a model: documents, comments and settings that tell of what the change took away.

mod links;
mod mentions;
mod prose;
mod removed;

use mentions::Mention;
use review_loop_sdk::cap::capped;
use review_loop_sdk::prelude::*;

/// The report of the checks, at most `max` findings.
pub(crate) fn run(max: usize) -> Report {
    let names = mentions::of(&removed::names());
    let files = links::to(&removed::files());
    let of_names = names.iter().filter_map(|(gone, places)| {
        let new_name = gone.renamed.as_ref().map_or_else(String::new, |name| format!(" (now `{name}`)"));
        let subject = format!("the {} `{}`{new_name}, which this change removed", gone.thing.noun(), gone.name);
        let origin = format!("`{}` was defined at {}:{} before the change", gone.name, gone.path, gone.line);
        finding(&subject, &origin, gone.renamed.as_deref(), places)
    });
    let of_files = files.iter().filter_map(|(gone, places)| {
        let subject = match &gone.renamed {
            Some(to) => format!("`{}`, which this change moved or replaced (`{to}` is there now)", gone.path),
            None => format!("`{}`, which this change deleted", gone.path),
        };
        finding(&subject, &format!("`{}` was there before the change", gone.path), gone.renamed.as_deref(), places)
    });
    let findings = of_names.chain(of_files).collect();
    Report {
        findings: capped(findings, max, |_| "names and files that are gone are still told of"),
        ..Report::default()
    }
}

fn finding(subject: &str, origin: &str, renamed: Option<&str>, places: &[Mention]) -> Option<Finding> {
    let first = places.first()?;
    let more = if places.len() > 1 {
        format!(" and {} more {}", places.len() - 1, if places.len() == 2 { "place" } else { "places" })
    } else {
        String::new()
    };
    let follows = match first.what {
        "script" => "what is run gets something that nothing takes",
        "setting" => "it points to nothing",
        _ => "readers are sent to what is not there",
    };
    let names = if places.len() > 1 { "name" } else { "names" };
    let listed: Vec<String> = places.iter().map(|place| format!("{}:{}", place.path, place.line)).collect();
    Some(Finding {
        claim: format!("A {}{more} still {names} {subject}: {follows}.", first.what),
        category: "doc-drift".to_owned(),
        severity: if first.what == "comment" { Severity::Low } else { Severity::Medium },
        confidence: 96,
        load_bearing: false,
        basis: Basis::Check,
        anchor: Some(Anchor {
            path: first.path.clone(),
            side: Side::New,
            lines: Some(LineRange { first: first.line, last: first.line }),
            quote: Some(first.text.clone()),
            section: None,
        }),
        evidence: Some(format!("{origin}; it is named at {}.", listed.join(", "))),
        fix_hint: Some(
            renamed.map_or_else(|| "Say what is there now, or leave it out.".to_owned(), |to| format!("Write `{to}`.")),
        ),
        replacement: None,
        reach: Reach::Tactical,
    })
}
