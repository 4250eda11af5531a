//! SARIF 2.1.0, as code scanning services take it.
//!
//! Three decisions. A rule's id is the category alone: which lens words a finding may change from run to run, and an
//! alert must not be closed and opened for that. What was set aside is left out: services that take these files show a
//! suppressed result as an open alert. And whatever was not examined is an error notification with
//! `executionSuccessful: false`, so that no one takes an empty list for a clean one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use review_loop_core::finding::{Anchor, Severity, Side};
use review_loop_core::outcome::{Judged, Outcome, Place};
use serde::Serialize;

use super::place::{lost_path, spot};
use super::uri;
use super::words::{self, basis_word, mode_word, place_word, reach_word, severity_word, verdict_word};
use crate::ui::sanitise::name;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Of more results than this a code scanning service keeps the first ones by severity; over 25,000 it refuses the file.
const MAX_RESULTS: usize = 5_000;
/// Each message, in characters: with the most results a file stays under the 10 MB that may be uploaded, packed.
const MAX_MESSAGE: usize = 4_000;
const MAX_NOTIFICATIONS: usize = 1_000;
/// Shown of a rule; over 20 the file is refused.
const MAX_TAGS: usize = 10;
/// Characters of a rule's name.
const MAX_NAME: usize = 255;
/// A result without a file is refused, so one about the whole change names none that exists.
const NO_FILE: &str = "the-change-as-a-whole";

pub(super) fn render(outcome: &Outcome) -> String {
    super::json::to_json(&Log { schema: SCHEMA, version: "2.1.0", runs: [run(outcome)] })
}

fn run(outcome: &Outcome) -> Run<'_> {
    let mut worst: Vec<&Judged> = outcome.findings.iter().collect();
    worst.sort_by_key(|judged| (!judged.actionable, std::cmp::Reverse(judged.finding.severity)));
    worst.truncate(MAX_RESULTS);
    let rules = rules(&worst);
    let index: HashMap<&str, usize> = rules.iter().enumerate().map(|(i, rule)| (rule.id, i)).collect();
    let mut seen = HashMap::new();
    Run {
        results: worst.iter().map(|judged| result(judged, &index, &mut seen)).collect(),
        tool: Tool {
            driver: Driver {
                name: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
                semantic_version: env!("CARGO_PKG_VERSION"),
                information_uri: env!("CARGO_PKG_REPOSITORY"),
                rules,
            },
        },
        automation_details: AutomationDetails { id: format!("review-loop/{}/", mode_word(outcome.mode)) },
        invocations: [invocation(outcome)],
        original_uri_base_ids: BTreeMap::from([(
            "%SRCROOT%",
            BaseId { description: text("The root of the reviewed repository.") },
        )]),
        column_kind: "unicodeCodePoints",
        properties: RunProperties {
            verdict: verdict_word(super::word(outcome)),
            scope: &outcome.scope,
            set_aside: outcome.set_aside.len(),
            left_out: outcome.left_out.len(),
            tokens: outcome.usage.tokens(),
        },
    }
}

/// The categories that were reported, each once, with the lenses that reported it and its highest severity.
fn rules<'a>(findings: &[&'a Judged]) -> Vec<Rule<'a>> {
    let mut by_id: BTreeMap<&str, (Severity, BTreeSet<&str>)> = BTreeMap::new();
    for judged in findings {
        let rule = by_id.entry(&judged.finding.category).or_insert((Severity::Low, BTreeSet::new()));
        rule.0 = rule.0.max(judged.finding.severity);
        rule.1.insert(&judged.lens);
        rule.1.extend(judged.reported_by.iter().map(String::as_str));
    }
    by_id.into_iter().map(|(id, (worst, lenses))| rule(id, worst, &lenses)).collect()
}

fn rule<'a>(id: &'a str, worst: Severity, lenses: &BTreeSet<&'a str>) -> Rule<'a> {
    let names: Vec<&str> = lenses.iter().copied().take(MAX_TAGS).collect();
    let title = id.replace('-', " ");
    let described = cut(&format!("{title}, reported by {}", words::list(&names)), MAX_NAME);
    Rule {
        id,
        name: cut(id, MAX_NAME),
        short_description: text(&cut(&title, MAX_NAME)),
        full_description: text(&described),
        help: text(&described),
        default_configuration: Configuration { level: level(worst) },
        properties: RuleProperties { tags: names, problem_severity: problem_severity(worst) },
    }
}

fn result<'a>(judged: &'a Judged, index: &HashMap<&str, usize>, seen: &mut HashMap<&'a str, u32>) -> ResultEntry<'a> {
    let finding = &judged.finding;
    let occurrence = seen.entry(&judged.fingerprint).and_modify(|n| *n += 1).or_insert(1);
    ResultEntry {
        rule_id: &finding.category,
        rule_index: index.get(finding.category.as_str()).copied(),
        level: level(finding.severity),
        message: text(&message(judged)),
        locations: [Location { physical_location: physical_location(judged) }],
        partial_fingerprints: Fingerprints {
            own: &judged.fingerprint,
            primary_location_line_hash: format!("{}:{occurrence}", judged.fingerprint),
        },
        fixes: fix(judged).into_iter().collect(),
        properties: ResultProperties {
            severity: severity_word(finding.severity),
            confidence: finding.confidence,
            actionable: judged.actionable,
            basis: basis_word(finding.basis),
            reach: reach_word(finding.reach),
            place: place_word(judged.place),
            lens: &judged.lens,
            reported_by: &judged.reported_by,
        },
    }
}

/// The claim and what a reader needs beside it.
fn message(judged: &Judged) -> String {
    let finding = &judged.finding;
    let mut parts = vec![finding.claim.trim().to_owned()];
    let before = finding.anchor.as_ref().filter(|anchor| anchor.side == Side::Old);
    if let Some((anchor, lines)) = before.and_then(|anchor| anchor.lines.map(|lines| (anchor, lines))) {
        parts.push(format!("Place: line {} of {} before the change", lines.first, name(&anchor.path)));
    }
    parts.extend(lost_path(judged).map(|path| format!("Place: {}; no such file was found", name(path))));
    parts.extend(finding.fix_hint.as_ref().map(|hint| format!("Fix: {hint}")));
    parts.extend(finding.evidence.as_ref().map(|evidence| format!("Evidence: {evidence}")));
    parts.extend(judged.advisory_because.as_ref().map(|because| format!("Advisory: {because}")));
    parts.push(format!("Reported by {} (confidence {})", words::list(&judged.reported_by), finding.confidence));
    cut(&parts.join("\n\n"), MAX_MESSAGE)
}

fn physical_location(judged: &Judged) -> PhysicalLocation {
    match judged.finding.anchor.as_ref().filter(|_| lost_path(judged).is_none()) {
        Some(anchor) => PhysicalLocation { artifact_location: artifact(&anchor.path), region: region(anchor, judged) },
        None => PhysicalLocation { artifact_location: artifact(NO_FILE), region: Some(Region::line(1)) },
    }
}

/// The lines after the change: a service would show any other number at the wrong place.
fn region(anchor: &Anchor, judged: &Judged) -> Option<Region> {
    let lines = anchor.lines.filter(|_| anchor.side == Side::New && judged.place != Place::FileOnly)?;
    if let Some(spot) = spot(judged) {
        return Some(Region {
            start_line: spot.line,
            start_column: Some(spot.column),
            end_line: spot.line,
            end_column: Some(spot.end_column),
        });
    }
    Some(Region { end_line: lines.last.max(lines.first).max(1), ..Region::line(lines.first.max(1)) })
}

fn fix(judged: &Judged) -> Option<Fix> {
    let (finding, anchor) = (&judged.finding, judged.finding.anchor.as_ref()?);
    let lines = anchor.lines.filter(|_| anchor.side == Side::New && judged.place != Place::FileOnly)?;
    let inserted = finding.replacement.as_deref()?.trim_end_matches('\n');
    let deleted = Region {
        start_column: Some(1),
        end_line: lines.last.max(lines.first).max(1),
        ..Region::line(lines.first.max(1))
    };
    Some(Fix {
        description: text(&cut(finding.fix_hint.as_deref().unwrap_or("Replace these lines."), MAX_MESSAGE)),
        artifact_changes: [ArtifactChange {
            artifact_location: artifact(&anchor.path),
            replacements: [Replacement {
                deleted_region: deleted,
                inserted_content: Message { text: inserted.to_owned() },
            }],
        }],
    })
}

fn invocation(outcome: &Outcome) -> Invocation {
    let failures = words::failures(outcome)
        .map(|(component, failure)| format!("{} failed ({}): {}", component.id, failure.phase, failure.reason));
    let gaps = outcome.gaps.iter().filter(|gap| !words::is_failure(outcome, &gap.what));
    let gaps = gaps.map(|gap| format!("{}: {}", gap.what, gap.why));
    let missing =
        failures.chain(gaps).map(|what| notification("not-reviewed", "error", &format!("Not reviewed: {what}")));
    let mut notifications: Vec<Notification> = missing.take(MAX_NOTIFICATIONS).collect();
    let level = |by_project| if by_project { "warning" } else { "note" };
    let narrowed = outcome.narrowed.iter();
    let narrowed = narrowed.map(|one| {
        notification("left-out-by-settings", level(one.by_project), &format!("{}: {}", one.what, one.why()))
    });
    let notices = outcome.notices.iter().map(|notice| notification("settings", "warning", notice));
    notifications.extend(narrowed.chain(notices).take(MAX_NOTIFICATIONS));
    let dropped = outcome.findings.len().saturating_sub(MAX_RESULTS);
    if dropped > 0 {
        let what = format!("{} of lower severity are left out of this file", words::count(dropped, "result"));
        notifications.push(notification("results-left-out", "warning", &what));
    }
    let word = super::word(outcome);
    Invocation {
        execution_successful: super::is_complete(outcome),
        exit_code: super::exit_code(outcome),
        exit_code_description: verdict_word(word),
        tool_execution_notifications: notifications,
    }
}

fn notification(id: &'static str, level: &'static str, what: &str) -> Notification {
    Notification { descriptor: Descriptor { id }, level, message: text(&cut(what, MAX_MESSAGE)) }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low => "note",
    }
}

fn problem_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low => "recommendation",
    }
}

fn artifact(path: &str) -> ArtifactLocation {
    ArtifactLocation { uri: uri::of(path), uri_base_id: "%SRCROOT%" }
}

/// A message that no viewer takes for a link: `[text](target)` is one in SARIF.
fn text(text: &str) -> Message {
    Message { text: text.replace("](", "] (") }
}

/// The first `most` characters, with dots where there were more.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most.saturating_sub(3)).chain("...".chars()).collect(),
    }
}

impl Region {
    fn line(line: u32) -> Self {
        Self { start_line: line, start_column: None, end_line: line, end_column: None }
    }
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    automation_details: AutomationDetails,
    invocations: [Invocation; 1],
    original_uri_base_ids: BTreeMap<&'static str, BaseId>,
    column_kind: &'static str,
    results: Vec<ResultEntry<'a>>,
    properties: RunProperties<'a>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<Rule<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'a> {
    id: &'a str,
    name: String,
    short_description: Message,
    full_description: Message,
    help: Message,
    default_configuration: Configuration,
    properties: RuleProperties<'a>,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct RuleProperties<'a> {
    tags: Vec<&'a str>,
    #[serde(rename = "problem.severity")]
    problem_severity: &'static str,
}

#[derive(Serialize)]
struct AutomationDetails {
    id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    exit_code: u8,
    exit_code_description: &'static str,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    descriptor: Descriptor,
    level: &'static str,
    message: Message,
}

#[derive(Serialize)]
struct Descriptor {
    id: &'static str,
}

#[derive(Serialize)]
struct BaseId {
    description: Message,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultEntry<'a> {
    rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    partial_fingerprints: Fingerprints<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
    properties: ResultProperties<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
    end_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fingerprints<'a> {
    #[serde(rename = "reviewLoop/v1")]
    own: &'a str,
    primary_location_line_hash: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix {
    description: Message,
    artifact_changes: [ArtifactChange; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: ArtifactLocation,
    replacements: [Replacement; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultProperties<'a> {
    severity: &'static str,
    confidence: u8,
    actionable: bool,
    basis: &'static str,
    reach: &'static str,
    place: &'static str,
    lens: &'a str,
    reported_by: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunProperties<'a> {
    verdict: &'static str,
    scope: &'a str,
    set_aside: usize,
    left_out: usize,
    tokens: u64,
}
