//! One finding, for people: whole where it must be mended, in a few lines where it is advisory.

use anstyle::Style;
use review_loop_core::finding::{Anchor, Reach, Verdict};
use review_loop_core::outcome::{Judged, Merged, Seen, SetAside, Stage};

use super::Options;
use super::page::Page;
use super::place::{position, remark};
use super::snippet;
use super::words::{basis_word, list, severity_word};
use crate::ui::Verbosity;
use crate::ui::sanitise::{name, one_line};
use crate::ui::style::{FAINT, STRONG, severity};

/// Lines of evidence, or of a suggested text, that are shown unless all is asked for.
const MAX_LINES: usize = 12;

/// A finding with everything that helps to mend it.
pub(super) fn whole(page: &mut Page, judged: &Judged, options: &Options) {
    let verbose = options.verbosity == Verbosity::Verbose;
    let finding = &judged.finding;
    let kind = format!("[{}]: ", finding.category);
    let level = severity(finding.severity);
    let claim = one_line(&finding.claim);
    page.paragraph(&[(level, severity_word(finding.severity)), (STRONG, &kind)], 2, (STRONG, &claim));
    let gutter = snippet::gutter(judged);
    if finding.anchor.is_some() {
        let arrow = format!("{:gutter$}--> ", "");
        let place = format!("{} ", position(judged));
        let remark = Some(remark(judged)).filter(|remark| !remark.is_empty()).map(|remark| format!("({remark})"));
        page.paragraph(
            &[(FAINT, &arrow), (Style::new(), &place)],
            gutter + 4,
            (FAINT, remark.as_deref().unwrap_or_default()),
        );
    }
    let suggested = finding.replacement.as_ref().map(|text| shortened(text, verbose));
    snippet::draw(page, judged, gutter, suggested.as_deref());
    for (note, text) in notes(judged, verbose, options.explain) {
        let lead = format!("{:gutter$} = ", "");
        let note = format!("{note}: ");
        page.paragraph(&[(FAINT, &lead), (STRONG, &note)], gutter + 5, (Style::new(), &text));
    }
}

/// A finding that holds nothing up: its place, its claim, what to do, and why it is here.
pub(super) fn brief(page: &mut Page, judged: &Judged, options: &Options) {
    head(page, judged);
    let finding = &judged.finding;
    if let Some(hint) = &finding.fix_hint {
        page.paragraph(&[(STRONG, "    fix: ")], 6, (Style::new(), hint));
    }
    let because = judged.advisory_because.as_deref().map_or_else(String::new, |because| format!("{because}; "));
    page.paragraph(&[(STRONG, "    advisory: ")], 6, (Style::new(), &(because + &source(judged))));
    for other in judged.merged.iter().filter(|_| options.explain) {
        page.paragraph(&[(STRONG, "    also said: ")], 6, (Style::new(), &merged(other, true)));
    }
}

/// A finding that left the list, and what took it out.
pub(super) fn set_aside(page: &mut Page, aside: &SetAside) {
    head(page, &aside.judged);
    let stage = format!("    {}: ", stage_words(aside.stage));
    page.paragraph(&[(STRONG, &stage)], 6, (Style::new(), &aside.reason));
}

/// What a stage's verdict is called in a sentence.
pub(super) fn stage_words(stage: Stage) -> &'static str {
    match stage {
        Stage::Locate => "without a valid place",
        Stage::Guard => "off the subject",
        Stage::Falsify => "disproved",
        Stage::Filter => "filtered out",
    }
}

fn head(page: &mut Page, judged: &Judged) {
    let finding = &judged.finding;
    let place = format!("  {}: ", position(judged));
    let kind = format!("[{}]: ", finding.category);
    let level = (severity(finding.severity), severity_word(finding.severity));
    page.paragraph(&[(Style::new(), &place), level, (STRONG, &kind)], 4, (Style::new(), &one_line(&finding.claim)));
}

/// The notes under a finding, each a name and a text.
fn notes(judged: &Judged, verbose: bool, explain: bool) -> Vec<(&'static str, String)> {
    let finding = &judged.finding;
    let mut notes = Vec::new();
    notes.extend(finding.evidence.as_ref().map(|text| ("evidence", shortened(text, verbose))));
    notes.extend(finding.fix_hint.as_ref().map(|text| ("fix", shortened(text, verbose))));
    notes.extend(finding.replacement.as_ref().and_then(|text| suggestion(judged, &shortened(text, verbose))));
    if finding.reach == Reach::Directional {
        notes.push(("reach", "no fix in place will do; another design is needed".to_owned()));
    }
    match judged.seen {
        Seen::New => {}
        Seen::Open => notes.push(("seen before", "it was found in an earlier iteration and is still open".to_owned())),
        Seen::FixFailed => notes.push(("seen before", "it was said to be mended and is still there".to_owned())),
    }
    notes.push(("reported by", source(judged)));
    if verbose || explain {
        notes.extend(judged.merged.iter().map(|other| ("also said", merged(other, explain))));
    }
    notes.extend(attacks(judged));
    notes.extend(judged.advisory_because.as_ref().map(|because| ("advisory", because.clone())));
    notes
}

/// What another lens said of the same thing; with `explain`, what made the two one.
fn merged(other: &Merged, explain: bool) -> String {
    let said = format!("{}: {}", other.lens, other.claim);
    if !explain {
        return said;
    }
    let because = &other.because;
    let shares = |what: &str, words: &[String]| (!words.is_empty()).then(|| format!("{what} {}", words.join(", ")));
    let apart = because.distance.map(|lines| format!("{lines} lines apart"));
    let likeness = Some(format!("likeness {}", because.likeness));
    let parts = [likeness, shares("words", &because.terms), shares("names", &because.identifiers), apart];
    format!("{said} ({})", parts.into_iter().flatten().collect::<Vec<_>>().join("; "))
}

/// `adversarial, ship-readiness (judgement, confidence 92)`.
fn source(judged: &Judged) -> String {
    let lenses = if judged.reported_by.is_empty() { judged.lens.clone() } else { judged.reported_by.join(", ") };
    format!("{lenses} ({}, confidence {})", basis_word(judged.finding.basis), judged.finding.confidence)
}

/// The text that could stand in place of the anchored lines, where the excerpt cannot show it.
fn suggestion(judged: &Judged, text: &str) -> Option<(&'static str, String)> {
    let lines = judged.finding.anchor.as_ref()?.lines?;
    let place = match lines.first == lines.last {
        true => format!("line {}", lines.first),
        false => format!("lines {}-{}", lines.first, lines.last),
    };
    if text.trim().is_empty() {
        return Some(("suggested", format!("remove {place}")));
    }
    let shown = snippet::takes_suggestion(judged);
    (!shown).then(|| ("suggested", format!("in place of {place}:\n{}", text.trim_end())))
}

/// What the falsifiers made of it.
fn attacks(judged: &Judged) -> Vec<(&'static str, String)> {
    let held: Vec<&str> = judged
        .verdicts
        .iter()
        .filter(|said| said.verdict == Verdict::Stands)
        .map(|said| said.falsifier.as_str())
        .collect();
    let mut notes = Vec::new();
    if !held.is_empty() {
        notes.push(("held against", list(&held)));
    }
    for said in &judged.verdicts {
        match &said.verdict {
            Verdict::Stands => {}
            Verdict::Falsified(why) => notes.push(("attacked", format!("{}: {why}", said.falsifier))),
            Verdict::Undecided(why) => notes.push(("not settled", format!("{}: {why}", said.falsifier))),
            Verdict::Corrected(to) => notes.push(("place corrected", format!("{}: now {}", said.falsifier, place(to)))),
        }
    }
    notes
}

fn place(anchor: &Anchor) -> String {
    let path = name(&anchor.path);
    anchor.lines.map_or_else(|| path.clone(), |lines| format!("{path}:{}", lines.first))
}

/// The beginning of a text that goes on for long, or all of it.
fn shortened(text: &str, whole: bool) -> String {
    let lines: Vec<&str> = text.trim_end().split('\n').collect();
    match lines.get(..MAX_LINES) {
        Some(first) if !whole && lines.len() > MAX_LINES + 1 => {
            format!("{}\n... ({} more lines; --verbose shows them)", first.join("\n"), lines.len() - MAX_LINES)
        }
        _ => lines.join("\n"),
    }
}
