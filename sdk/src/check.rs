//! What checks share: one changed file after the other, and findings that stay within a lens's cap.
//!
//! A check is a function from a [`Changed`] file to the places that it saw ([`Seen`]), each by a [`Rule`]. [`report`]
//! leaves out what only moved, and puts places of one rule together where there are more than a report may hold.

use std::collections::BTreeSet;

pub use crate::changed::Changed;
use crate::types::{Anchor, Basis, Finding, LineRange, Part, Reach, Report, Severity, Side, Skipped};
use crate::{secrets, subject, text, work};

/// What is the same for every place that a check sees.
#[derive(Debug)]
pub struct Rule {
    /// One of the categories that the lens declares.
    pub category: &'static str,
    /// How much one place matters.
    pub severity: Severity,
    /// Whether a change with such a place should not go on.
    pub load_bearing: bool,
    /// 0 to 100, as measured on real changes.
    pub confidence: u8,
    /// What several places hold, as a plural: `conflict markers`.
    pub several: &'static str,
    /// What follows from them: `the files do not compile`.
    pub follows: &'static str,
    /// What to do about it.
    pub hint: &'static str,
}

/// One place that a check saw. It is on the new side, and its line was added.
#[derive(Debug, Clone)]
pub struct Seen {
    /// By which rule.
    pub rule: &'static Rule,
    /// One sentence: what is wrong, and what follows from it.
    pub claim: String,
    /// Where.
    pub path: String,
    /// The first line, from 1.
    pub line: u32,
    /// The last line.
    pub last: u32,
    /// The first line's text, word for word.
    pub text: String,
    /// Whether the text may be shown.
    pub quote: bool,
    /// What shows it.
    pub evidence: Option<String>,
}

impl Seen {
    /// A place of one line. None where the change did not add that line.
    #[must_use]
    pub fn at(rule: &'static Rule, changed: &Changed, line: u32, claim: String) -> Option<Self> {
        let text = changed.added_line(line)?.to_owned();
        let path = changed.file.path.clone();
        Some(Self { rule, claim, path, line, last: line, text, quote: true, evidence: None })
    }
}

/// Runs the checks of a lens over every changed text, one file at a time, and reports at most `max` findings.
#[must_use]
pub fn report(checks: &[fn(&Changed) -> Vec<Seen>], max: usize) -> Report {
    let mut report = Report::default();
    let mut seen = Vec::new();
    for file in subject::files() {
        let changed = Changed::read(file);
        if changed.hunks.is_empty() {
            continue;
        }
        let here = |one: Seen| Seen { line: changed.host_line(one.line), last: changed.host_line(one.last), ..one };
        seen.extend(checks.iter().flat_map(|check| check(&changed)).map(here));
        if let Some(why) = changed.unread() {
            report.skipped.push(Skipped { what: Part::Path(changed.file.path), why });
        }
    }
    report.findings = bounded(without_moved(seen), max);
    report
}

/// Leaves out the places whose line the same change removes somewhere: they are older than the change.
fn without_moved(seen: Vec<Seen>) -> Vec<Seen> {
    if seen.is_empty() {
        return seen;
    }
    let wanted: BTreeSet<&str> = seen.iter().map(|seen| seen.text.trim()).collect();
    let mut moved = BTreeSet::new();
    for file in subject::files() {
        let changed = Changed::read(file);
        moved.extend(changed.removed().filter_map(|(_, text)| wanted.get(text.trim()).map(|text| (*text).to_owned())));
    }
    seen.into_iter().filter(|seen| !moved.contains(seen.text.trim())).collect()
}

/// One finding a place while there are few. The rule with the most places is told in one finding first, then the next,
/// then the rules of one category together: nothing is left out in silence.
fn bounded(seen: Vec<Seen>, max: usize) -> Vec<Finding> {
    let mut groups: Vec<Vec<Seen>> = seen.into_iter().map(|seen| vec![seen]).collect();
    while groups.len() > max.max(1) {
        let same_rule = fullest(&groups, |a, b| std::ptr::eq(a.rule, b.rule));
        let Some(key) = same_rule.or_else(|| fullest(&groups, |a, b| a.rule.category == b.rule.category)) else {
            break;
        };
        let (together, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| {
            group.first().is_some_and(|one| match same_rule {
                Some(_) => std::ptr::eq(one.rule, key),
                None => one.rule.category == key.category,
            })
        });
        groups = apart;
        groups.push(together.into_iter().flatten().collect());
    }
    groups.sort_by_key(|group| group.first().map(|one| std::cmp::Reverse(one.rule.severity)));
    groups.iter().filter_map(|group| finding(group)).collect()
}

/// The rule of the groups that are most alike by `same`, the first of equals; none where no two are. Takes as many steps
/// as there are groups, times the few rules of a lens.
fn fullest(groups: &[Vec<Seen>], same: impl Fn(&Seen, &Seen) -> bool) -> Option<&'static Rule> {
    let mut counts: Vec<(&Seen, usize)> = Vec::new();
    for one in groups.iter().filter_map(|group| group.first()) {
        work::add(counts.len() + 1);
        match counts.iter_mut().find(|(first, _)| same(first, one)) {
            Some((_, count)) => *count += 1,
            None => counts.push((one, 1)),
        }
    }
    let (first, count) = counts.into_iter().rev().max_by_key(|(_, count)| *count)?;
    (count > 1).then_some(first.rule)
}

fn finding(group: &[Seen]) -> Option<Finding> {
    let first = group.iter().max_by_key(|one| (one.rule.severity, std::cmp::Reverse((&one.path, one.line))))?;
    let alone = group.len() == 1;
    let anchor = Anchor {
        path: first.path.clone(),
        side: Side::New,
        lines: Some(LineRange { first: first.line, last: first.last }),
        quote: first.quote.then(|| shown(&first.text)).flatten(),
        section: None,
    };
    Some(Finding {
        claim: if alone { first.claim.clone() } else { together(group) },
        category: first.rule.category.to_owned(),
        severity: first.rule.severity,
        confidence: group.iter().map(|one| one.rule.confidence).min().unwrap_or(first.rule.confidence),
        load_bearing: group.iter().any(|one| one.rule.load_bearing),
        basis: Basis::Check,
        anchor: Some(anchor),
        evidence: if alone { first.evidence.clone() } else { Some(places(group)) },
        fix_hint: Some(first.rule.hint.to_owned()),
        replacement: None,
        reach: Reach::Tactical,
    })
}

/// A line to quote: none where it holds a credential or is too long to be of use.
fn shown(text: &str) -> Option<String> {
    (!text.trim().is_empty() && text.len() <= MAX_QUOTE && secrets::find(text).is_empty()).then(|| text.to_owned())
}

/// Longest quoted line, in bytes: longer ones are generated, and their place is told by their number.
const MAX_QUOTE: usize = 400;

fn together(group: &[Seen]) -> String {
    let files: BTreeSet<&str> = group.iter().map(|one| one.path.as_str()).collect();
    let mut rules: Vec<&Rule> = Vec::new();
    for one in group {
        if !rules.iter().any(|rule| std::ptr::eq(*rule, one.rule)) {
            rules.push(one.rule);
        }
    }
    let what: Vec<&str> = rules.iter().map(|rule| rule.several).collect();
    let files = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
    let follows = match rules.as_slice() {
        [rule] => rule.follows,
        _ => "each of them is listed in the evidence",
    };
    format!("{} places in {files} hold {}: {follows}.", group.len(), what.join(", "))
}

fn places(group: &[Seen]) -> String {
    let place = |one: &Seen| format!("{}:{}", text::in_line(&one.path), one.line);
    let mut lines: Vec<String> = group.iter().take(LISTED).map(place).collect();
    if group.len() > LISTED {
        lines.push(format!("and {} more", group.len() - LISTED));
    }
    lines.join(", ")
}

/// Places listed in the evidence of a finding that stands for many.
const LISTED: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::FakeHost;

    static LOUD: Rule = rule("quality-gate", Severity::High, "loud words");
    static QUIET: Rule = rule("quality-gate", Severity::Low, "quiet words");
    static OTHER: Rule = rule("test-gap", Severity::Medium, "other words");

    const fn rule(category: &'static str, severity: Severity, several: &'static str) -> Rule {
        Rule { category, severity, load_bearing: false, confidence: 97, several, follows: "so what", hint: "Do not." }
    }

    fn words(changed: &Changed) -> Vec<Seen> {
        let rule_of = |text: &str| match text.split(' ').next() {
            Some("loud") => Some(&LOUD),
            Some("quiet") => Some(&QUIET),
            Some("other") => Some(&OTHER),
            _ => None,
        };
        let seen = |(line, text): (u32, &str)| Seen::at(rule_of(text)?, changed, line, format!("`{text}` is said."));
        changed.added().filter_map(seen).collect()
    }

    fn claims(host: FakeHost, max: usize) -> Vec<String> {
        host.run(|| report(&[words], max)).0.findings.into_iter().map(|finding| finding.claim).collect()
    }

    #[test]
    fn few_places_are_findings_of_their_own_the_gravest_first() {
        let host = FakeHost::new().added("a.txt", "quiet 1\nloud 1\nother 1\n");
        assert_eq!(claims(host, 3), ["`loud 1` is said.", "`other 1` is said.", "`quiet 1` is said."]);
    }

    #[test]
    fn many_places_are_told_together_by_rule_then_by_category() {
        let text = "loud 1\nloud 2\nloud 3\nquiet 1\nquiet 2\nother 1\n";
        let host = || FakeHost::new().added("a.txt", text).added("b.txt", "loud 4\n");
        assert_eq!(claims(host(), 4).first().unwrap(), "4 places in 2 files hold loud words: so what.");
        assert_eq!(claims(host(), 4).len(), 4);
        assert_eq!(claims(host(), 3).len(), 3);
        assert_eq!(
            claims(host(), 2),
            [
                "6 places in 2 files hold loud words, quiet words: each of them is listed in the evidence.",
                "`other 1` is said."
            ]
        );
    }

    #[test]
    fn a_line_that_only_moved_is_older_than_the_change() {
        let host = FakeHost::new().edited("a.txt", "loud 1\n", "").added("b.txt", "  loud 1\nloud 2\n");
        assert_eq!(claims(host, 5), ["`loud 2` is said."]);
    }

    #[test]
    fn neither_a_byte_order_mark_nor_old_line_ends_hide_a_line() {
        let places = |host: FakeHost| -> Vec<String> {
            let findings = host.run(|| report(&[words], 9)).0.findings;
            let place = |one: Finding| {
                let anchor = one.anchor.unwrap();
                format!("{}:{}", anchor.lines.unwrap().first, anchor.quote.unwrap().trim_end())
            };
            findings.into_iter().map(place).collect()
        };
        assert_eq!(places(FakeHost::new().added("a.txt", "\u{feff}loud 1\r\nx\r\n")), ["1:loud 1"]);
        assert_eq!(places(FakeHost::new().added("a.txt", "x\rloud 1\rloud 2\r")), ["1:loud 1", "1:loud 2"]);
        assert_eq!(places(FakeHost::new().added("a.txt", "x\ry\nz\rloud 1\nloud 2\r\n")), ["2:loud 1", "3:loud 2"]);
        let old_lines = FakeHost::new().edited("a.txt", "loud 1\rx\r", "x\rloud 1\rloud 2\r");
        assert_eq!(places(old_lines), ["1:loud 2"], "what only moved is older");
    }

    #[test]
    fn the_texts_of_a_file_with_old_line_ends_have_lines_too() {
        let looks = |changed: &Changed| -> Vec<Seen> {
            assert_eq!(changed.new_text(), "a\nloud 1\n");
            assert_eq!(changed.added().collect::<Vec<_>>(), [(1, "a"), (2, "loud 1\r")]);
            Vec::new()
        };
        let _ = FakeHost::new().added("a.txt", "\u{feff}a\rloud 1\r").run(|| report(&[looks], 5));
    }

    #[test]
    fn a_place_is_told_in_one_line_whatever_the_name() {
        let host = FakeHost::new().added("a\n::b.txt", "loud 1\nloud 2\n");
        let findings = host.run(|| report(&[words], 1)).0.findings;
        assert_eq!(findings[0].anchor.as_ref().unwrap().path, "a\n::b.txt");
        assert_eq!(findings[0].evidence.as_deref(), Some(r"a\u{a}::b.txt:1, a\u{a}::b.txt:2"));
    }

    #[test]
    fn the_work_of_telling_places_together_grows_with_their_number() {
        work::assert_linear("places", 1_000, |n| {
            let text: String = (0..n).map(|n| format!("loud {n}\n")).collect();
            let told = claims(FakeHost::new().added("a.txt", &text), 5);
            assert_eq!(told, [format!("{n} places in 1 file hold loud words: so what.")]);
        });
    }

    #[test]
    fn a_deleted_file_is_not_missing() {
        let looks = |changed: &Changed| -> Vec<Seen> {
            assert_eq!((changed.new_text(), changed.old_text()), ("", "loud 1\n"));
            Vec::new()
        };
        let report = FakeHost::new().deleted("a.txt", "loud 1\n").run(|| report(&[looks], 5)).0;
        assert_eq!(report.skipped, []);
    }

    #[test]
    fn a_line_with_a_credential_is_never_quoted() {
        let secret = format!("loud ghp_{}\n", "q7Rk2ZpV9sLx4TnB8mHc3WdJ6fGyUa1eQoI5");
        let host = FakeHost::new().added("a.txt", &secret);
        let findings = host.run(|| report(&[words], 5)).0.findings;
        assert_eq!(findings[0].anchor.as_ref().unwrap().quote, None);
    }
}
