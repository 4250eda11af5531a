//! The terminal's format, and what people paste into a pull request.
//!
//! From top to bottom: what was looked at; what to mend, by file, with the code; what is worth knowing; what was set
//! aside; what was not reviewed and why; what was left out; the verdict. The closing line is always the last one.

use std::collections::BTreeMap;

use anstyle::Style;
use review_loop_core::outcome::{ComponentRun, Judged, ModelUse, Outcome, RunState, Stage, Word};
use review_loop_core::subject::Omitted;

use super::page::Page;
use super::words::{self, count, grouped, list, role_word, state_word};
use super::{Options, finding};
use crate::ui::Verbosity;
use crate::ui::sanitise::{name, one_line};
use crate::ui::style::{ERROR, FAINT, GOOD, HINT, STRONG, WARNING};

/// Entries of a list that are shown unless all are asked for.
const MAX_ENTRIES: usize = 20;
/// Names that are given of many files left out, and of all of them.
const MAX_NAMES: [usize; 2] = [3, 100];
/// Names that are given of many things that were not reviewed.
const MAX_GAPS: [usize; 2] = [8, 100];
/// Terminals from here on show the closing line in one piece.
const ONE_LINE: usize = 80;
/// Lines of a failed component's stderr: the end says most.
const MAX_STDERR: usize = 6;

pub(super) fn render(outcome: &Outcome, options: &Options) -> String {
    let mut page = Page::new(options);
    let verbose = options.verbosity == Verbosity::Verbose;
    let talkative = options.verbosity >= Verbosity::Normal;
    if talkative {
        page.paragraph(&[], 2, (FAINT, &words::headline(outcome)));
    }
    to_mend(&mut page, outcome, options);
    if talkative {
        advisory(&mut page, outcome, options);
        credits(&mut page, outcome, verbose);
        set_aside(&mut page, outcome, verbose);
    }
    not_reviewed(&mut page, outcome, verbose);
    if talkative {
        left_out(&mut page, outcome, verbose);
    }
    by_settings(&mut page, outcome);
    if verbose {
        components(&mut page, outcome);
    }
    way_out(&mut page, outcome);
    closing(&mut page, outcome, options.width);
    page.finish()
}

/// The findings that hold the change up, under the file that they are in.
fn to_mend(page: &mut Page, outcome: &Outcome, options: &Options) {
    let actionable = outcome.findings.iter().filter(|judged| judged.actionable);
    for (path, findings) in by_file(actionable) {
        page.blank();
        match path {
            Some(path) => page.line(&[(STRONG.underline(), &name(path))]),
            None => page.line(&[(STRONG.underline(), "The change as a whole")]),
        }
        for judged in findings {
            page.blank();
            finding::whole(page, judged, options);
        }
    }
}

/// Groups in the order of their first finding, so that the worst file comes first. The order inside stays.
fn by_file<'a>(findings: impl Iterator<Item = &'a Judged>) -> Vec<(Option<&'a str>, Vec<&'a Judged>)> {
    let mut groups: Vec<(Option<&str>, Vec<&Judged>)> = Vec::new();
    let mut index = BTreeMap::new();
    for judged in findings {
        let path = judged.finding.anchor.as_ref().map(|anchor| anchor.path.as_str());
        let at = *index.entry(path).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, group)) => group.push(judged),
            None => groups.push((path, vec![judged])),
        }
    }
    groups
}

fn advisory(page: &mut Page, outcome: &Outcome, options: &Options) {
    let verbose = options.verbosity == Verbosity::Verbose;
    let findings: Vec<&Judged> = outcome.findings.iter().filter(|judged| !judged.actionable).collect();
    section(page, ("Advisory", ", not holding the change up"), &findings, verbose, |page, judged| {
        finding::brief(page, judged, options);
    });
}

fn credits(page: &mut Page, outcome: &Outcome, verbose: bool) {
    section(page, ("Held when attacked", ""), &outcome.credits, verbose, |page, said| {
        let kind = format!("  {}: ", said.credit.category);
        let text = format!("{} ({})", said.credit.claim.trim(), said.lens);
        page.paragraph(&[(STRONG, &kind)], 4, (Style::new(), &text));
    });
}

/// One line of counts; with `verbose` the findings themselves.
fn set_aside(page: &mut Page, outcome: &Outcome, verbose: bool) {
    if verbose {
        section(page, ("Set aside", ""), &outcome.set_aside, true, finding::set_aside);
        return;
    }
    let stages = [Stage::Falsify, Stage::Locate, Stage::Guard, Stage::Filter];
    let parts: Vec<String> = stages
        .into_iter()
        .map(|stage| (outcome.set_aside.iter().filter(|aside| aside.stage == stage).count(), stage))
        .filter(|(n, _)| *n > 0)
        .map(|(n, stage)| format!("{} {}", grouped(n), finding::stage_words(stage)))
        .collect();
    if !parts.is_empty() {
        page.blank();
        let text = format!("{} (--verbose lists them)", parts.join(", "));
        page.paragraph(&[(STRONG, "Set aside: ")], 2, (Style::new(), &text));
    }
}

fn not_reviewed(page: &mut Page, outcome: &Outcome, verbose: bool) {
    if words::gaps(outcome) == 0 {
        return;
    }
    page.blank();
    page.line(&[(WARNING, "Not reviewed")]);
    for (component, failure) in words::failures(outcome) {
        let version = if component.version.is_empty() { String::new() } else { format!(" {}", component.version) };
        let who = format!("  {} {}{version}", role_word(component.role), component.id);
        let phase = format!(" failed ({}): ", failure.phase);
        page.paragraph(&[(STRONG, &who), (Style::new(), &phase)], 4, (Style::new(), &failure.reason));
        stderr(page, &failure.stderr);
        if let Some(hint) = &failure.hint {
            page.paragraph(&[(HINT, "    hint: ")], 6, (Style::new(), hint));
        }
    }
    let gaps = by_reason(outcome);
    let shown = if verbose { gaps.len() } else { MAX_ENTRIES };
    for (why, what) in gaps.iter().take(shown) {
        let text = format!("{}: {why}", parts(what, verbose));
        page.paragraph(&[(Style::new(), "  ")], 4, (Style::new(), &text));
    }
    more(page, gaps.len().saturating_sub(shown));
}

/// The end of what a component said before it failed.
fn stderr(page: &mut Page, text: &str) {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    for line in lines.iter().skip(lines.len().saturating_sub(MAX_STDERR)) {
        page.paragraph(&[(FAINT, "    | ")], 6, (FAINT, line));
    }
}

/// The gaps that no failure explains, those with the same reason together.
fn by_reason(outcome: &Outcome) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut index = BTreeMap::new();
    for gap in outcome.gaps.iter().filter(|gap| !words::is_failure(outcome, &gap.what)) {
        let at = *index.entry(gap.why.as_str()).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, group)) => group.push(&gap.what),
            None => groups.push((&gap.why, vec![&gap.what])),
        }
    }
    groups
}

fn left_out(page: &mut Page, outcome: &Outcome, verbose: bool) {
    let mut rules: BTreeMap<&Omitted, Vec<&str>> = BTreeMap::new();
    for file in &outcome.left_out {
        rules.entry(&file.why).or_default().push(&file.path);
    }
    let parts: Vec<String> = rules
        .into_iter()
        .map(|(why, paths)| format!("{} ({})", rule(why, paths.len()), some(&paths, MAX_NAMES[usize::from(verbose)])))
        .collect();
    if !parts.is_empty() {
        page.blank();
        page.paragraph(&[(STRONG, "Left out by rule: ")], 2, (Style::new(), &parts.join("; ")));
    }
}

/// What settings left out, and what there is to know about the project's: said however quiet the run is.
fn by_settings(page: &mut Page, outcome: &Outcome) {
    let narrowed = outcome.narrowed.iter().map(|one| format!("{}: {}", one.what, one.why()));
    let lines: Vec<String> = narrowed.chain(outcome.notices.iter().cloned()).collect();
    if !lines.is_empty() {
        page.blank();
        page.line(&[(STRONG, "By settings")]);
    }
    for line in lines {
        page.paragraph(&[(Style::new(), "  ")], 4, (Style::new(), &one_line(&line)));
    }
}

fn rule(why: &Omitted, n: usize) -> String {
    match why {
        Omitted::Generated => count(n, "generated file"),
        Omitted::Vendored => count(n, "vendored file"),
        Omitted::LockFile => count(n, "lock file"),
        Omitted::Binary => count(n, "binary file"),
        Omitted::Ignored => count(n, "ignored file"),
        Omitted::TooLarge => count(n, "file") + " over the size limit",
        Omitted::Unreadable(why) => format!("{} that cannot be read: {why}", count(n, "file")),
        Omitted::OtherRepository(which) => format!("{} not looked into: {which}", count(n, "repository")),
    }
}

/// Every component with its version, what became of it, its tokens and its time.
fn components(page: &mut Page, outcome: &Outcome) {
    section(page, ("Components", ""), &outcome.components, true, |page, component| {
        let name = format!("  {} {} {}: ", role_word(component.role), component.id, component.version);
        page.paragraph(&[(Style::new(), &name)], 4, (Style::new(), &account(component)));
    });
}

fn account(component: &ComponentRun) -> String {
    let state = match &component.state {
        RunState::NotNeeded(why) => format!("not needed: {why}"),
        state => state_word(state).replace('-', " "),
    };
    format!("{state}; {}; {}", words::tokens(&component.usage), words::duration(component.elapsed_ms))
}

/// What to set, where the verdict waits for it.
fn way_out(page: &mut Page, outcome: &Outcome) {
    if outcome.model == ModelUse::Unconfigured && outcome.word != Word::NothingToReview {
        page.blank();
        page.paragraph(&[(HINT, "hint: ")], 2, (Style::new(), words::MODEL_HINT));
    }
}

/// A titled list with its count. Says how many entries it does not show.
fn section<T>(
    page: &mut Page,
    (title, remark): (&str, &str),
    entries: &[T],
    all: bool,
    mut show: impl FnMut(&mut Page, &T),
) {
    if entries.is_empty() {
        return;
    }
    page.blank();
    let title = format!("{title} ({})", grouped(entries.len()));
    page.paragraph(&[(STRONG, &title)], 2, (Style::new(), remark));
    let shown = if all { entries.len() } else { MAX_ENTRIES };
    entries.iter().take(shown).for_each(|entry| show(page, entry));
    more(page, entries.len().saturating_sub(shown));
}

fn more(page: &mut Page, hidden: usize) {
    if hidden > 0 {
        page.line(&[(FAINT, &format!("  and {} more (--verbose lists them)", grouped(hidden)))]);
    }
}

/// Names of things that were not reviewed; the words that all begin with are said once.
fn parts(names: &[&str], verbose: bool) -> String {
    let most = MAX_GAPS[usize::from(verbose)];
    let common = names.iter().skip(1).fold(*names.first().unwrap_or(&""), |common, name| {
        let same = common.char_indices().zip(name.chars()).take_while(|((_, a), b)| a == b);
        let end = same.last().map_or(0, |((at, c), _)| at + c.len_utf8());
        common.get(..end).unwrap_or_default()
    });
    match common.rfind(' ') {
        Some(end) if names.len() > 1 => {
            let (shared, _) = common.split_at(end + 1);
            let rest: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix(shared)).collect();
            format!("{shared}{}", some(&rest, most))
        }
        _ => some(names, most),
    }
}

/// The first few of many names.
fn some(names: &[&str], most: usize) -> String {
    let shown = if names.len() <= most + 1 { names.len() } else { most };
    let mut some: Vec<String> = names.iter().take(shown).map(|one| name(one)).collect();
    if shown < names.len() {
        some.push(format!("{} more", grouped(names.len() - shown)));
    }
    list(&some)
}

/// The last line. Only a narrow terminal breaks it.
fn closing(page: &mut Page, outcome: &Outcome, width: usize) {
    page.blank();
    let line = (verdict_style(super::word(outcome)), words::closing(outcome));
    match width >= ONE_LINE {
        true => page.line(&[(line.0, &line.1)]),
        false => page.paragraph(&[], 2, (line.0, &line.1)),
    }
}

fn verdict_style(word: Word) -> Style {
    match word {
        Word::Clean | Word::NothingToReview => GOOD,
        Word::Findings | Word::Exhausted => ERROR,
        Word::Incomplete => WARNING,
    }
}
