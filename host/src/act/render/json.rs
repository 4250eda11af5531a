//! The outcome as JSON, with a published schema: `docs/schema/outcome-v1.schema.json`.
//!
//! The types here are the format. They are apart from the core's, so that those can change without breaking whoever
//! reads this. Within a version keys are only ever added; every key is always present.

use review_loop_core::finding::{Anchor, Verdict};
use review_loop_core::narrowed::{self, Omission};
use review_loop_core::outcome::{ComponentRun, Excerpt, Judged, ModelUse, Outcome, RunState, Usage};
use review_loop_core::subject::Omitted;
use schemars::JsonSchema;
use serde::Serialize;

use super::place::spot;
use super::words::{
    basis_word, falsifier_word, mode_word, omitted_word, place_word, reach_word, role_word, seen_word, severity_word,
    side_word, stage_word, state_word, verdict_word,
};
use crate::ui::sanitise::{Piece, pieces};

/// The version of this format. Raised when a key is removed or changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;
const SCHEMA_URL: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/raw/main/docs/schema/outcome-v1.schema.json");

pub(super) fn render(outcome: &Outcome) -> String {
    to_json(&Report::from(outcome))
}

/// The schema that every rendered outcome fits.
#[must_use]
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Report);
    schema.insert("$id".to_owned(), SCHEMA_URL.into());
    schema.to_value()
}

/// Readable JSON in which no character can drive or fool a terminal. The data is exact: what is escaped here reads back
/// as what it was. Also keeps a quoted promise tag from being taken for ours by whoever searches the raw text.
pub(super) fn to_json(value: &impl Serialize) -> String {
    // These types hold no map with keys that are not strings, the only thing that serialising to memory can fail on.
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = String::with_capacity(json.len() + 1);
    for (_, piece) in pieces(&json) {
        match piece {
            Piece::Plain(c) => out.push(c),
            // Outside of its strings JSON has none of these characters, so this is always inside of one.
            Piece::Escaped(c) => {
                let mut units = [0; 2];
                c.encode_utf16(&mut units).iter().for_each(|unit| out += &format!("\\u{unit:04x}"));
            }
        }
    }
    out + "\n"
}

/// What a review by review-loop ended with.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "review-loop outcome")]
struct Report<'a> {
    /// Where this format's schema is published.
    #[serde(rename = "$schema")]
    schema: &'static str,
    /// The version of this format. Keys may be added within a version, never removed or changed.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    schema_version: u32,
    /// What made this report.
    tool: Tool,
    /// The verdict. `review-clean` is only said when everything in scope was examined.
    #[schemars(extend("enum" = ["review-clean", "findings", "incomplete", "nothing-to-review", "exhausted"]))]
    verdict: &'static str,
    /// The exit code of the process: 0 clean or nothing to review, 1 findings, 3 incomplete, 4 stopped by a budget,
    /// 130 interrupted.
    exit_code: u8,
    /// Whether everything in scope was examined.
    complete: bool,
    /// What was reviewed.
    scope: Scope<'a>,
    /// Which model looked, if any.
    model: Model<'a>,
    /// What is left to mend: actionable findings first, then by severity, path and line.
    findings: Vec<Finding<'a>>,
    /// What was reported and left the list.
    set_aside: Vec<SetAside<'a>>,
    /// What held when it was attacked.
    credits: Vec<Credit<'a>>,
    /// Every lens and falsifier that was to run.
    components: Vec<Component<'a>>,
    /// What was in scope and was not examined.
    gaps: Vec<Gap<'a>>,
    /// Changed files left out by rule.
    left_out: Vec<LeftOut<'a>>,
    /// What settings kept from being looked at.
    narrowed: Vec<Narrowed<'a>>,
    /// What there is to know about the project's own settings, a sentence each.
    notices: &'a [String],
    /// Whether the user ended the run before its time.
    interrupted: bool,
    /// What the model calls of the whole run cost.
    usage: Tokens,
    /// Milliseconds from start to verdict.
    elapsed_ms: u64,
}

/// A program and its version.
#[derive(Debug, Serialize, JsonSchema)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

/// What was reviewed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Scope<'a> {
    /// In words: `uncommitted work`, `commit 1a2b3c4`.
    description: &'a str,
    /// The branch that is checked out, where there is one.
    branch: Option<&'a str>,
    #[schemars(extend("enum" = ["code", "plan", "claim"]))]
    mode: &'static str,
    /// Changed files, left-out ones included.
    files: u32,
    /// Added lines of the files that were examined.
    added: u32,
    /// Removed lines of the files that were examined.
    removed: u32,
}

/// Which model looked, if any.
#[derive(Debug, Serialize, JsonSchema)]
struct Model<'a> {
    /// `checks-only`: the user asked for no model. `unconfigured`: there was none to ask.
    #[serde(rename = "use")]
    #[schemars(extend("enum" = ["asked", "checks-only", "unconfigured"]))]
    used: &'static str,
    /// The back end and its models, where one was asked.
    name: Option<&'a str>,
}

/// One defect. What several lenses say of the same thing is one.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Finding<'a> {
    /// Stable over moved lines, renamed files and reworded claims.
    fingerprint: &'a str,
    /// The rule: an id that the lens declares.
    category: &'a str,
    #[schemars(extend("enum" = ["critical", "high", "medium", "low"]))]
    severity: &'static str,
    /// 0 to 100.
    #[schemars(range(max = 100))]
    confidence: u8,
    /// Whether the change should not go on as it is, by the lens's word.
    load_bearing: bool,
    /// Whether it keeps the change from going on, as judged. The others are advisory.
    actionable: bool,
    /// Why it is advisory, where it is.
    advisory_because: Option<&'a str>,
    /// What is wrong, and what follows from it.
    claim: &'a str,
    /// What shows it.
    evidence: Option<&'a str>,
    /// What to do about it.
    fix_hint: Option<&'a str>,
    /// Text to stand in place of the lines of `location`.
    replacement: Option<&'a str>,
    /// `directional`: no fix in place will do.
    #[schemars(extend("enum" = ["tactical", "directional"]))]
    reach: &'static str,
    /// How it was reached: seen with certainty, a model's judgement, or a program that was run.
    #[schemars(extend("enum" = ["check", "judgement", "execution"]))]
    basis: &'static str,
    /// The lens whose wording it is.
    lens: &'a str,
    /// Every lens that reported it.
    reported_by: &'a [String],
    /// How far reports of other lenses bear it out: 0 (nobody else said it) to 100.
    #[schemars(range(max = 100))]
    agreement: u8,
    /// The findings that were merged into this one.
    merged: Vec<Merged<'a>>,
    /// How it stands to what earlier iterations found. `fix-failed`: said to be mended, and still there.
    #[schemars(extend("enum" = ["new", "open", "fix-failed"]))]
    seen: &'static str,
    /// How its place holds up: its lines touch the change; they exist elsewhere; only the file does; it names none,
    /// or (where there is a location) one that was not found.
    #[schemars(extend("enum" = ["in-diff", "out-of-diff", "file-only", "whole"]))]
    place: &'static str,
    /// Where it points; null for a finding about the change as a whole.
    location: Option<Location<'a>>,
    /// What each falsifier that looked at it said.
    verdicts: Vec<FalsifierVerdict<'a>>,
    /// The lines around its place.
    excerpt: Option<Lines<'a>>,
}

/// A finding that says the same as the one that was kept.
#[derive(Debug, Serialize, JsonSchema)]
struct Merged<'a> {
    lens: &'a str,
    fingerprint: &'a str,
    claim: &'a str,
    path: Option<&'a str>,
    /// 1-based.
    line: Option<u32>,
    /// How alike the two are: 0 to 100.
    #[schemars(range(max = 100))]
    likeness: u8,
}

/// A place in a file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Location<'a> {
    /// From the repository's root, `/` between parts.
    path: &'a str,
    /// `old`: the text before the change; `new`: after it.
    #[schemars(extend("enum" = ["old", "new"]))]
    side: &'static str,
    /// 1-based.
    first_line: Option<u32>,
    /// 1-based, included.
    last_line: Option<u32>,
    /// The line that holds the quoted text, where it was found within one.
    quote_line: Option<u32>,
    /// The first character of the quoted text, 1-based, in characters.
    column: Option<u32>,
    /// The character after the quoted text.
    end_column: Option<u32>,
    /// The text there, word for word.
    quote: Option<&'a str>,
    /// The heading above it, in a plan or a claim.
    section: Option<&'a str>,
}

/// What one falsifier said.
#[derive(Debug, Serialize, JsonSchema)]
struct FalsifierVerdict<'a> {
    falsifier: &'a str,
    #[schemars(extend("enum" = ["stands", "falsified", "corrected", "undecided"]))]
    verdict: &'static str,
    /// The evidence, the reason or the corrected place.
    detail: Option<String>,
}

/// Consecutive lines of a source.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Lines<'a> {
    /// 1-based.
    first_line: u32,
    lines: &'a [String],
}

/// A finding that left the list.
#[derive(Debug, Serialize, JsonSchema)]
struct SetAside<'a> {
    /// The stage that took it out.
    #[schemars(extend("enum" = ["locate", "guard", "falsify", "filter"]))]
    stage: &'static str,
    /// Why, with the evidence.
    reason: &'a str,
    finding: Finding<'a>,
}

/// Praise, and who gave it.
#[derive(Debug, Serialize, JsonSchema)]
struct Credit<'a> {
    lens: &'a str,
    category: &'a str,
    /// What held.
    claim: &'a str,
}

/// One lens or falsifier.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Component<'a> {
    id: &'a str,
    /// Empty where it did not come far enough to say.
    version: &'a str,
    #[schemars(extend("enum" = ["lens", "falsifier"]))]
    role: &'static str,
    /// `partial` and `failed` keep a verdict from being clean.
    #[schemars(extend("enum" = ["done", "checks-only", "partial", "failed", "not-needed"]))]
    state: &'static str,
    /// Why it was not needed.
    reason: Option<&'a str>,
    /// Why it has no report.
    failure: Option<Failure<'a>>,
    usage: Tokens,
    /// Milliseconds from its start to its end.
    elapsed_ms: u64,
}

/// Why a component has no report.
#[derive(Debug, Serialize, JsonSchema)]
struct Failure<'a> {
    /// How far it came: `read`, `compile`, `link`, `instantiate`, `run`.
    phase: &'a str,
    reason: &'a str,
    /// The end of what it wrote to stderr.
    stderr: &'a str,
    /// What to do about it.
    hint: Option<&'a str>,
}

/// Something in scope that was not examined.
#[derive(Debug, Serialize, JsonSchema)]
struct Gap<'a> {
    what: &'a str,
    why: &'a str,
}

/// A changed file that is left out by rule.
#[derive(Debug, Serialize, JsonSchema)]
struct LeftOut<'a> {
    path: &'a str,
    #[schemars(extend("enum" = [
        "generated", "vendored", "lock-file", "binary", "ignored", "too-large", "unreadable",
        "other-repository"
    ]))]
    why: &'static str,
    /// Why it cannot be read, where it cannot.
    reason: Option<&'a str>,
}

/// Something that one setting kept from being looked at.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Narrowed<'a> {
    /// `lenses`: they did not run. `files`: no lens saw them.
    #[schemars(extend("enum" = ["lenses", "files"]))]
    kind: &'static str,
    /// Names of lenses, or paths.
    names: &'a [String],
    /// The setting that did it.
    setting: &'a str,
    /// Where that stands.
    origin: &'a str,
    /// Whether the reviewed project asked for it; else its user did.
    by_project: bool,
}

/// What model calls cost.
#[derive(Debug, Serialize, JsonSchema)]
struct Tokens {
    /// Calls that were answered.
    calls: u64,
    /// Tokens read at full price.
    input: u64,
    /// Tokens read from the provider's cache; not part of `input`.
    cached: u64,
    /// Tokens written by the model.
    output: u64,
}

impl<'a> From<&'a Outcome> for Report<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        let word = super::word(outcome);
        Self {
            schema: SCHEMA_URL,
            schema_version: SCHEMA_VERSION,
            tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            verdict: verdict_word(word),
            exit_code: super::exit_code(outcome),
            complete: super::is_complete(outcome),
            scope: Scope {
                description: &outcome.scope,
                branch: outcome.branch.as_deref(),
                mode: mode_word(outcome.mode),
                files: outcome.files,
                added: outcome.added,
                removed: outcome.removed,
            },
            model: Model::from(&outcome.model),
            findings: outcome.findings.iter().map(Finding::from).collect(),
            set_aside: outcome.set_aside.iter().map(SetAside::from).collect(),
            credits: outcome.credits.iter().map(Credit::from).collect(),
            components: outcome.components.iter().map(Component::from).collect(),
            gaps: outcome.gaps.iter().map(|gap| Gap { what: &gap.what, why: &gap.why }).collect(),
            left_out: outcome.left_out.iter().map(LeftOut::from).collect(),
            narrowed: outcome.narrowed.iter().map(Narrowed::from).collect(),
            notices: &outcome.notices,
            interrupted: outcome.interrupted,
            usage: Tokens::from(outcome.usage),
            elapsed_ms: outcome.elapsed_ms,
        }
    }
}

impl<'a> From<&'a ModelUse> for Model<'a> {
    fn from(model: &'a ModelUse) -> Self {
        match model {
            ModelUse::Asked(name) => Self { used: "asked", name: Some(name) },
            ModelUse::ChecksOnly => Self { used: "checks-only", name: None },
            ModelUse::Unconfigured => Self { used: "unconfigured", name: None },
        }
    }
}

impl<'a> From<&'a narrowed::Narrowed> for Narrowed<'a> {
    fn from(narrowed: &'a narrowed::Narrowed) -> Self {
        let (kind, names) = match &narrowed.what {
            Omission::Lenses(names) => ("lenses", names),
            Omission::Files(paths) => ("files", paths),
        };
        let (setting, origin) = (&narrowed.setting, &narrowed.origin);
        Self { kind, names, setting, origin, by_project: narrowed.by_project }
    }
}

impl<'a> From<&'a Judged> for Finding<'a> {
    fn from(judged: &'a Judged) -> Self {
        let finding = &judged.finding;
        Self {
            fingerprint: &judged.fingerprint,
            category: &finding.category,
            severity: severity_word(finding.severity),
            confidence: finding.confidence,
            load_bearing: finding.load_bearing,
            actionable: judged.actionable,
            advisory_because: judged.advisory_because.as_deref(),
            claim: &finding.claim,
            evidence: finding.evidence.as_deref(),
            fix_hint: finding.fix_hint.as_deref(),
            replacement: finding.replacement.as_deref(),
            reach: reach_word(finding.reach),
            basis: basis_word(finding.basis),
            lens: &judged.lens,
            reported_by: &judged.reported_by,
            agreement: judged.agreement,
            merged: judged.merged.iter().map(Merged::from).collect(),
            seen: seen_word(judged.seen),
            place: place_word(judged.place),
            location: finding.anchor.as_ref().map(|anchor| location(anchor, judged)),
            verdicts: judged.verdicts.iter().map(|said| verdict(&said.falsifier, &said.verdict)).collect(),
            excerpt: judged.excerpt.as_ref().map(Lines::from),
        }
    }
}

impl<'a> From<&'a review_loop_core::outcome::Merged> for Merged<'a> {
    fn from(other: &'a review_loop_core::outcome::Merged) -> Self {
        Self {
            lens: &other.lens,
            fingerprint: &other.fingerprint,
            claim: &other.claim,
            path: other.anchor.as_ref().map(|anchor| anchor.path.as_str()),
            line: other.anchor.as_ref().and_then(|anchor| anchor.lines).map(|lines| lines.first),
            likeness: other.because.likeness,
        }
    }
}

fn location<'a>(anchor: &'a Anchor, judged: &Judged) -> Location<'a> {
    let spot = spot(judged);
    Location {
        path: &anchor.path,
        side: side_word(anchor.side),
        first_line: anchor.lines.map(|lines| lines.first),
        last_line: anchor.lines.map(|lines| lines.last),
        quote_line: spot.as_ref().map(|spot| spot.line),
        column: spot.as_ref().map(|spot| spot.column),
        end_column: spot.as_ref().map(|spot| spot.end_column),
        quote: anchor.quote.as_deref(),
        section: anchor.section.as_deref(),
    }
}

fn verdict<'a>(falsifier: &'a str, verdict: &Verdict) -> FalsifierVerdict<'a> {
    let detail = match verdict {
        Verdict::Stands => None,
        Verdict::Falsified(why) | Verdict::Undecided(why) => Some(why.clone()),
        Verdict::Corrected(to) => Some(match to.lines {
            Some(lines) => format!("{}:{}", to.path, lines.first),
            None => to.path.clone(),
        }),
    };
    FalsifierVerdict { falsifier, verdict: falsifier_word(verdict), detail }
}

impl<'a> From<&'a Excerpt> for Lines<'a> {
    fn from(excerpt: &'a Excerpt) -> Self {
        Self { first_line: excerpt.first_line, lines: &excerpt.lines }
    }
}

impl<'a> From<&'a review_loop_core::outcome::SetAside> for SetAside<'a> {
    fn from(aside: &'a review_loop_core::outcome::SetAside) -> Self {
        Self { stage: stage_word(aside.stage), reason: &aside.reason, finding: Finding::from(&aside.judged) }
    }
}

impl<'a> From<&'a review_loop_core::outcome::LensCredit> for Credit<'a> {
    fn from(said: &'a review_loop_core::outcome::LensCredit) -> Self {
        Self { lens: &said.lens, category: &said.credit.category, claim: &said.credit.claim }
    }
}

impl<'a> From<&'a ComponentRun> for Component<'a> {
    fn from(run: &'a ComponentRun) -> Self {
        let (reason, failure) = match &run.state {
            RunState::NotNeeded(why) => (Some(why.as_str()), None),
            RunState::Failed(failure) => (None, Some(Failure::from(failure))),
            RunState::Done | RunState::ChecksOnly | RunState::Partial => (None, None),
        };
        Self {
            id: &run.id,
            version: &run.version,
            role: role_word(run.role),
            state: state_word(&run.state),
            reason,
            failure,
            usage: Tokens::from(run.usage),
            elapsed_ms: run.elapsed_ms,
        }
    }
}

impl<'a> From<&'a review_loop_core::outcome::Failure> for Failure<'a> {
    fn from(failure: &'a review_loop_core::outcome::Failure) -> Self {
        Self { phase: &failure.phase, reason: &failure.reason, stderr: &failure.stderr, hint: failure.hint.as_deref() }
    }
}

impl<'a> From<&'a review_loop_core::outcome::LeftOut> for LeftOut<'a> {
    fn from(file: &'a review_loop_core::outcome::LeftOut) -> Self {
        let reason = match &file.why {
            Omitted::Unreadable(why) | Omitted::OtherRepository(why) => Some(why.as_str()),
            _ => None,
        };
        Self { path: &file.path, why: omitted_word(&file.why), reason }
    }
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        Self { calls: usage.calls, input: usage.input, cached: usage.cached, output: usage.output }
    }
}
