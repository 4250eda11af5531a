//! Every number that the judge decides by. `defaults-judge.toml` holds the measured values, each with its reason.

use serde::{Deserialize, Serialize};

use crate::finding::Severity;

/// The measured defaults, as the text of a TOML document whose one table is `[judge]`.
pub const DEFAULTS_TOML: &str = include_str!("defaults-judge.toml");

/// The judge's thresholds: the table `[judge]` of a configuration. A key that is left out keeps its measured value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Which findings are about this subject at all.
    pub guard: Guard,
    /// Which findings say the same.
    pub cluster: Cluster,
    /// How the votes of falsifiers are counted.
    pub falsify: Falsify,
    /// What is dropped from the second pass on.
    pub filter: Filter,
    /// How a finding is held against earlier iterations.
    pub memory: Memory,
    /// What keeps a change from going on.
    pub classify: Classify,
}

impl Settings {
    /// The numbers that the three workflows prescribe, for comparison and for whoever wants them.
    #[must_use]
    pub fn as_specified() -> Self {
        Self {
            guard: Guard { rule: GuardRule::WholeDiff, min_cosine: 0.3, ..Guard::default() },
            cluster: Cluster { rule: ClusterRule::Cosine, merge_at: 0.85, ..Cluster::default() },
            filter: Filter { from_iteration: 2, min_confidence: 70 },
            memory: Memory { rule: MemoryRule::Cosine, same_at: 0.85, ..Memory::default() },
            classify: Classify { lone_confidence: 0, ..Classify::default() },
            ..Self::default()
        }
    }
}

/// The table `[judge.guard]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Guard {
    /// Which rule tells a claim about this subject from one about something else.
    pub rule: GuardRule,
    /// `topic`: evidence asked for, in nats per unit of the logarithm of the subject's size. 0 keeps everything that names
    /// no absent code.
    pub needed: f64,
    /// `topic`: subjects with fewer words than this are too small to ask for any evidence.
    pub small_subject: f64,
    /// `topic`: a claim of fewer words than this, and without a name of code, is never dropped: it is too short to be
    /// judged by its words.
    pub min_words: usize,
    /// `topic`: what a name of code that the subject holds speaks for a claim. Nats.
    pub found_name: f64,
    /// `topic`: what a name of code that it does not hold speaks against it. Nats.
    pub absent_name: f64,
    /// `topic`: what a place inside of the diff speaks for it. Nats.
    pub in_place: f64,
    /// `whole-diff`: the least cosine of claim and diff. 0 to 1.
    pub min_cosine: f64,
}

/// How the guard decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuardRule {
    /// Names and rare words of the claim, looked up in the subject.
    Topic,
    /// Cosine of the claim and the whole diff, as the workflows prescribe it.
    WholeDiff,
    /// Nothing is dropped.
    Off,
}

/// The table `[judge.cluster]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cluster {
    /// What makes two findings alike.
    pub rule: ClusterRule,
    /// The least average likeness at which two clusters become one. 0 to 1.
    pub merge_at: f64,
    /// What two findings of one lens in one cluster take off the average: a lens seldom says a thing twice. 0 to 1.
    pub same_lens: f64,
    /// Findings of one lens that are at least so alike are taken for repeats all the same. 0 to 1.
    pub repeat_at: f64,
    /// What the likeness is multiplied with where both places are within `near_lines` of each other.
    pub near: f64,
    /// What it is multiplied with where they are further apart than `far_lines` in one file.
    pub far: f64,
    /// What it is multiplied with where they are in different files.
    pub other_file: f64,
    /// Lines.
    pub near_lines: u32,
    /// Lines.
    pub far_lines: u32,
    /// Lenses whose wording is kept where a cluster holds one of theirs, the first named first.
    pub prefer: Vec<String>,
}

/// What makes two findings alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterRule {
    /// Words, names of code and places together.
    Combined,
    /// Cosine of the words alone.
    Cosine,
}

/// The table `[judge.falsify]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Falsify {
    /// How many falsifiers must disprove a finding; they must also outnumber those whom it withstood.
    pub quorum: u32,
    /// Falsifiers that check without a model: one disproof of theirs is enough, and withstanding them proves little.
    pub checks: Vec<String>,
}

/// The table `[judge.filter]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Filter {
    /// The first pass that the floor holds for; the first look at a change is pass 1.
    pub from_iteration: u32,
    /// A model's finding under this confidence is dropped. 0 to 100.
    pub min_confidence: u8,
}

/// The table `[judge.memory]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Memory {
    /// What makes a finding the same as an earlier one.
    pub rule: MemoryRule,
    /// The least likeness for that, where both are in one file or one names no place. 0 to 1.
    pub same_at: f64,
    /// The same where both name one place in one category. 0 to 1.
    pub same_place_at: f64,
    /// The same where they are in different files. 0 to 1.
    pub other_file_at: f64,
}

/// What makes a finding the same as an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryRule {
    /// Words and places together; one that was mended and is still there comes back as a failed fix.
    Combined,
    /// Cosine of the words alone; whatever is the same as a mended one is dropped, as the workflows prescribe it.
    Cosine,
}

/// The table `[judge.classify]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Classify {
    /// The least severity that can keep a change from going on.
    pub actionable_from: Severity,
    /// A judgement that one lens alone reports and nobody verified is advisory under this confidence. 0 to 100.
    pub lone_confidence: u8,
}

impl Default for Guard {
    fn default() -> Self {
        Self {
            rule: GuardRule::Topic,
            needed: 1.9,
            small_subject: 65.0,
            min_words: 4,
            found_name: 8.0,
            absent_name: 6.0,
            in_place: 4.0,
            min_cosine: 0.3,
        }
    }
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            rule: ClusterRule::Combined,
            merge_at: 0.12,
            same_lens: 0.2,
            repeat_at: 0.8,
            near: 1.5,
            far: 0.6,
            other_file: 0.25,
            near_lines: 3,
            far_lines: 20,
            prefer: Vec::new(),
        }
    }
}

impl Default for Falsify {
    fn default() -> Self {
        Self { quorum: 1, checks: vec!["grounding".to_owned()] }
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self { from_iteration: 2, min_confidence: 70 }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self { rule: MemoryRule::Combined, same_at: 0.4, same_place_at: 0.3, other_file_at: 0.8 }
    }
}

impl Default for Classify {
    fn default() -> Self {
        Self { actionable_from: Severity::Medium, lone_confidence: 80 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Document {
        judge: Settings,
    }

    #[test]
    fn defaults_in_code_and_text_agree_and_name_every_key() {
        let text: Document = toml::from_str(DEFAULTS_TOML).unwrap();
        assert_eq!(text.judge, Settings::default());
        let keys = |s: &str| {
            let mut keys: Vec<String> = s
                .lines()
                .filter(|l| !l.starts_with('#'))
                .filter_map(|l| l.split_once(" = "))
                .map(|(k, _)| k.to_owned())
                .collect();
            keys.sort();
            keys
        };
        assert_eq!(keys(DEFAULTS_TOML), keys(&toml::to_string(&Settings::default()).unwrap()));
    }

    #[test]
    fn unknown_keys_are_errors() {
        assert!(toml::from_str::<Document>("[judge.guard]\nmin-cosin = 0.1\n").is_err());
    }
}
