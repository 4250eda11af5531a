//! What a review ended with: the value that every output is made of.

use serde::{Deserialize, Serialize};

use crate::finding::{Anchor, Credit, Finding, Verdict};
use crate::narrowed::Narrowed;
use crate::subject::{Mode, Omitted};

/// Everything there is to say at the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Outcome {
    /// The verdict.
    pub word: Word,
    /// What was reviewed, in words: `uncommitted work`, `commit 1a2b3c4`.
    pub scope: String,
    /// The branch that is checked out, where there is one.
    pub branch: Option<String>,
    /// What kind of thing was reviewed.
    pub mode: Mode,
    /// Which model looked.
    pub model: ModelUse,
    /// Changed files of the scope, left-out ones included.
    pub files: u32,
    /// Added lines of the files that were examined.
    pub added: u32,
    /// Removed lines of the files that were examined.
    pub removed: u32,
    /// What is left to mend: actionable ones first, then by severity, path and line.
    pub findings: Vec<Judged>,
    /// What was reported and left the list, with the stage and the reason.
    pub set_aside: Vec<SetAside>,
    /// What held when it was attacked, with the lens that says so.
    pub credits: Vec<LensCredit>,
    /// Every lens and falsifier that was to run, and what became of it.
    pub components: Vec<ComponentRun>,
    /// What was in scope and was not examined. Not empty: the word is never `Clean`.
    pub gaps: Vec<Gap>,
    /// Files left out by rule.
    pub left_out: Vec<LeftOut>,
    /// What settings kept from being looked at.
    #[serde(default)]
    pub narrowed: Vec<Narrowed>,
    /// Whether the user ended it before its time. What was at work then is among the failures.
    #[serde(default)]
    pub interrupted: bool,
    /// What there is to know about the project's own settings, a sentence each. Holds the project's own words.
    #[serde(default)]
    pub notices: Vec<String>,
    /// What the model calls cost.
    pub usage: Usage,
    /// Milliseconds from start to verdict.
    pub elapsed_ms: u64,
}

/// The verdict, one word. The machine outputs carry it; the exit code is derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// Everything in scope was examined and nothing at or above the gate is left.
    #[serde(rename = "review-clean")]
    Clean,
    /// Findings at or above the gate are left.
    Findings,
    /// Something in scope was not examined, and nothing at or above the gate was found.
    Incomplete,
    /// The scope holds no change, or only files that are left out by rule.
    NothingToReview,
    /// A budget or a limit ended the review with findings open.
    Exhausted,
}

/// Which model looked, if any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelUse {
    /// The name of the back end and of its models.
    Asked(String),
    /// The user asked for checks alone: the verdict speaks of the checks.
    ChecksOnly,
    /// Nothing was configured: the judgement half of every lens is a gap.
    Unconfigured,
}

/// One defect, judged: what several lenses say of the same thing stands here once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Judged {
    /// Stable over moved lines, renamed files and reworded claims: 32 hex digits.
    pub fingerprint: String,
    /// The clearest of the findings that were merged, with the highest severity among them and the place as located.
    pub finding: Finding,
    /// The lens whose wording it is.
    pub lens: String,
    /// Every lens that reported it, that one included, in the order of their names.
    pub reported_by: Vec<String>,
    /// Where it stands.
    pub place: Place,
    /// Whether it keeps the change from going on; the others are advisory.
    pub actionable: bool,
    /// Why it is advisory, where it is.
    pub advisory_because: Option<String>,
    /// What each falsifier that looked at it said.
    pub verdicts: Vec<FalsifierVerdict>,
    /// The lines around its place, for a person to read.
    pub excerpt: Option<Excerpt>,
    /// The other findings that were merged into this one, with what did it. Empty for a lone one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<Merged>,
    /// How far reports of other lenses bear it out: 0 (nobody else said it) to 100.
    #[serde(default)]
    pub agreement: u8,
    /// How it stands to what earlier iterations found.
    #[serde(default)]
    pub seen: Seen,
}

/// A finding that says the same as the one that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Merged {
    /// Which lens reported it.
    pub lens: String,
    /// Its own fingerprint: a suppression that names this one holds for the whole.
    pub fingerprint: String,
    /// Its own words.
    pub claim: String,
    /// Its own place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// What it shares with the closest of the others.
    pub because: Bond,
}

/// What two findings share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Bond {
    /// How alike they are, 0 to 100.
    pub likeness: u8,
    /// The shared words that weigh most, the weightiest first.
    pub terms: Vec<String>,
    /// The names of things in the code that both mention.
    pub identifiers: Vec<String>,
    /// Lines between their places; none where they name different files or one names no line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
}

/// How a finding stands to what earlier iterations found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// Not found before.
    #[default]
    New,
    /// Found before, and nothing was done about it yet.
    Open,
    /// Found before, said to be mended, and still there: the fix failed.
    FixFailed,
}

/// How a finding's place holds up against the subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Its lines touch a hunk. Only these may be posted in line.
    InDiff,
    /// The file and the lines exist; no hunk touches them.
    OutOfDiff,
    /// The file exists; the lines could not be found.
    FileOnly,
    /// It named no place.
    Whole,
}

/// What one falsifier said of one finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FalsifierVerdict {
    /// Which falsifier.
    pub falsifier: String,
    /// What it said.
    pub verdict: Verdict,
}

/// Consecutive lines of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Excerpt {
    /// The number of the first line, 1-based.
    pub first_line: u32,
    /// The lines, without their line feeds.
    pub lines: Vec<String>,
}

/// A finding that left the list. It stays in the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SetAside {
    /// The finding as judged so far.
    pub judged: Judged,
    /// Which stage took it out.
    pub stage: Stage,
    /// Why, with the evidence.
    pub reason: String,
}

/// The stages that may take a finding out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Its place does not exist or escapes the repository.
    Locate,
    /// It is not about this subject.
    Guard,
    /// A falsifier disproved it.
    Falsify,
    /// A rule of the filter: low confidence, addressed before, suppressed.
    Filter,
}

/// Praise, and who gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LensCredit {
    /// Which lens.
    pub lens: String,
    /// What held.
    pub credit: Credit,
}

/// One lens or falsifier of a run, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ComponentRun {
    /// Its id.
    pub id: String,
    /// Its version; empty where it did not come far enough to say.
    pub version: String,
    /// What it is.
    pub role: Role,
    /// What became of it.
    pub state: RunState,
    /// What its model calls cost.
    pub usage: Usage,
    /// Milliseconds from its start to its end.
    pub elapsed_ms: u64,
}

/// What a component is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the vocabulary's own words")]
pub enum Role {
    Lens,
    Falsifier,
}

/// What became of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// It did all of its work.
    Done,
    /// It did its checks; no model was to be asked.
    ChecksOnly,
    /// It reported, and left a part of its work undone: what and why is among the gaps.
    Partial,
    /// It has no report: not reviewed.
    Failed(Failure),
    /// There was nothing for it to do, with the reason.
    NotNeeded(String),
}

/// Why a component has no report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Failure {
    /// How far it came: `read`, `compile`, `link`, `instantiate`, `run`.
    pub phase: String,
    /// What happened, with its causes, in one line.
    pub reason: String,
    /// The end of what it wrote to stderr. May be empty.
    pub stderr: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Something in scope that was not examined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// What: a path, a lens, the judgement of a lens.
    pub what: String,
    /// Why.
    pub why: String,
}

/// A changed file that is left out by rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOut {
    /// The rule.
    pub why: Omitted,
    /// The file.
    pub path: String,
}

/// What model calls cost. Tokens; cached ones are not part of `input`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Usage {
    /// Calls that were answered.
    pub calls: u64,
    /// Read at full price, what was written to the cache included.
    pub input: u64,
    /// Read from the provider's cache.
    pub cached: u64,
    /// Written by the model.
    pub output: u64,
}

impl Usage {
    /// What counts against a token ceiling: all of it.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.cached).saturating_add(self.output)
    }

    /// Adds another account to this one.
    pub fn add(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
    }
}

impl Word {
    /// The process's exit code for this verdict.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Word::Clean | Word::NothingToReview => 0,
            Word::Findings => 1,
            Word::Incomplete => 3,
            Word::Exhausted => 4,
        }
    }
}
