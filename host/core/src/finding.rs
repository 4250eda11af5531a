//! What a lens says: findings, credits, and what it did not look at.

use serde::{Deserialize, Serialize};

/// One defect, as a lens reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// One sentence: what is wrong, and what follows from it.
    pub claim: String,
    /// One of the ids that the lens declared; the rule id of every output.
    pub category: String,
    /// How much it matters.
    pub severity: Severity,
    /// 0 to 100.
    pub confidence: u8,
    /// Whether the change should not go on as it is.
    pub load_bearing: bool,
    /// How it was reached.
    pub basis: Basis,
    /// Where it points; none for a finding about the change as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// What shows it: facts, not opinion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// What to do about it, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_hint: Option<String>,
    /// Text to stand in place of the anchored lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    /// Whether the fix stays inside today's design.
    pub reach: Reach,
}

/// A place: a path, a side, lines, and the text that is said to be there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Anchor {
    /// From the repository's root, `/` between parts.
    pub path: String,
    /// The text before the change, or after it.
    pub side: Side,
    /// Which lines; none where the lens named only the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// The text there, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The heading above it, in a plan or a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
}

/// Lines, 1-based, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Lines {
    /// The first line.
    pub first: u32,
    /// The last line; the same as `first` for a single one.
    pub last: u32,
}

/// How much a finding matters. Ordered: a gate at `Medium` lets `Low` pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth saying.
    Low,
    /// Should be mended.
    Medium,
    /// Breaks something.
    High,
    /// Breaks correctness, safety or a contract for many.
    Critical,
}

/// Which text of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Before.
    Old,
    /// After.
    New,
}

/// Whether a fix stays inside today's design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// A fix in place.
    Tactical,
    /// Another design is needed.
    Directional,
}

/// How a finding was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Seen with certainty, without a model.
    Check,
    /// A model's judgement.
    Judgement,
    /// The outcome of a program that the host ran.
    Execution,
}

/// Something that was attacked and held. Never a defect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credit {
    /// One of the ids that the lens declared as praise.
    pub category: String,
    /// What held.
    pub claim: String,
}

/// What a lens did not look at, and why. Keeps a verdict from being clean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// What.
    pub what: Part,
    /// Why.
    pub why: String,
}

/// A part of a lens's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The half that asks a model.
    Judgement,
    /// One path of the subject.
    Path(String),
    /// Anything else, in words.
    Other(String),
}

/// Everything that one lens said about one subject.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The defects.
    pub findings: Vec<Finding>,
    /// What held.
    pub credits: Vec<Credit>,
    /// What was not looked at.
    pub skipped: Vec<Skipped>,
    /// A reviewer's own verdict, where its workflow asks for one.
    pub approves: Option<bool>,
}

/// One kind of finding that a component declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Category {
    /// Lower case, digits and `-`.
    pub id: String,
    /// What it means, in a sentence.
    pub summary: String,
    /// True where it is praise, not a defect.
    pub credit: bool,
}

/// What a component says it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Description {
    /// Lower case, digits and `-`; unique among the components of a run.
    pub id: String,
    /// Its own version.
    pub version: String,
    /// What it looks for, in a sentence.
    pub summary: String,
    /// `code`, `plan`, `claim`.
    pub modes: Vec<String>,
    /// What it may report.
    pub categories: Vec<Category>,
    /// The most findings that one report may hold.
    pub max_findings: u32,
}

/// What a falsifier makes of one finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It could not be disproved.
    Stands,
    /// Disproved, with the evidence.
    Falsified(String),
    /// The defect is real, the place is wrong.
    Corrected(Anchor),
    /// Could not be settled, with the reason. The finding stays.
    Undecided(String),
}
