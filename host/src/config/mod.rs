//! Settings: what there is (`defaults.toml`), where a value comes from (`layers`), and what a project may set (`project`).
//!
//! A flag beats the environment, which beats the user's file, which beats the project's file, which beats the defaults.

mod base;
mod layers;
mod narrowed;
mod project;

use std::time::Duration;

use review_loop_core::finding::Severity;
use review_loop_core::settings::Settings as Judge;
use review_loop_core::subject::Mode;
use serde::Deserialize;

use crate::llm::settings::Settings as Llm;
use crate::runtime::Limits as CallLimits;
use crate::scope::Options;

pub use base::{Found, Settled, settle};
pub use layers::{Error, Layer, Layers, Origin, Setting};
pub use narrowed::narrowed;
pub use project::{Refused, narrow};

/// Where a project keeps its own settings, from its root.
pub const PROJECT_FILE: &str = ".review-loop/config.toml";

/// The folder of that file.
pub const PROJECT_FOLDER: &str = ".review-loop";

/// All settings, resolved.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// What fails a run, and by which numbers.
    pub review: Review,
    /// What is read.
    pub scope: Scope,
    /// Who looks.
    pub lenses: Lenses,
    /// Who attacks.
    pub falsifiers: Falsifiers,
    /// Which model is asked.
    pub model: Model,
    /// What one call of a component may use.
    pub limits: Limits,
    /// How the model is called.
    pub llm: Llm,
    /// The judge's numbers.
    pub judge: Judge,
}

/// The table `[review]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Review {
    /// The severity from which findings fail a run.
    pub fail_on: FailOn,
    /// Whether a run fails that the project's own settings narrowed.
    pub fail_on_skipped: bool,
    /// Which of the judge's numbers.
    pub preset: Preset,
}

/// The severity from which findings fail a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the severities' own names, and one that no finding has")]
pub enum FailOn {
    Critical,
    High,
    Medium,
    Low,
    Never,
}

/// Which numbers the judge uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Those of `[judge]`, which were measured.
    Measured,
    /// Those that the three workflows prescribe.
    AsSpecified,
}

/// The table `[scope]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(missing_docs, reason = "said in defaults.toml")]
pub struct Scope {
    pub ignore: Vec<String>,
    pub max_file_bytes: u64,
    pub context_lines: u32,
    pub include_generated: bool,
    pub include_vendored: bool,
    pub include_lock_files: bool,
}

/// The table `[lenses]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Lenses {
    /// The lenses that look at code.
    pub code: Vec<String>,
    /// Lenses that do not run.
    pub disabled: Vec<String>,
}

/// The table `[falsifiers]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Falsifiers {
    /// In the order in which they run.
    pub run: Vec<String>,
}

/// The table `[model]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(missing_docs, reason = "said in defaults.toml")]
pub struct Model {
    pub backend: String,
    pub brief_bytes: usize,
}

/// The table `[limits]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(missing_docs, reason = "said in defaults.toml")]
pub struct Limits {
    pub component_bytes: u64,
    pub memory_bytes: usize,
    pub table_elements: usize,
    pub instances: usize,
    pub handles: usize,
    pub compute_seconds: u64,
    pub lens_seconds: u64,
    pub falsifier_seconds: u64,
    pub string_bytes: usize,
    pub findings: usize,
    pub log_bytes: usize,
    pub stderr_bytes: usize,
    pub source_bytes: u64,
    pub source_file_bytes: u64,
    pub source_matches: usize,
    pub host_calls: u64,
}

impl FailOn {
    /// None where nothing fails a run.
    #[must_use]
    pub fn gate(self) -> Option<Severity> {
        match self {
            Self::Critical => Some(Severity::Critical),
            Self::High => Some(Severity::High),
            Self::Medium => Some(Severity::Medium),
            Self::Low => Some(Severity::Low),
            Self::Never => None,
        }
    }
}

impl Lenses {
    /// The lenses of a mode. A mode never loads another mode's lenses.
    #[must_use]
    pub fn of_mode(&self, mode: Mode) -> &[String] {
        match mode {
            Mode::Code => &self.code,
            Mode::Plan | Mode::Claim => &[],
        }
    }
}

impl Limits {
    /// For one call of a lens.
    #[must_use]
    pub fn lens(&self) -> CallLimits {
        self.call(self.lens_seconds)
    }

    /// For one call of a falsifier.
    #[must_use]
    pub fn falsifier(&self) -> CallLimits {
        self.call(self.falsifier_seconds)
    }

    fn call(&self, seconds: u64) -> CallLimits {
        CallLimits {
            component_bytes: self.component_bytes,
            memory_bytes: self.memory_bytes,
            table_elements: self.table_elements,
            instances: self.instances,
            handles: self.handles,
            compute: Duration::from_secs(self.compute_seconds),
            wall_clock: Duration::from_secs(seconds),
            string_bytes: self.string_bytes,
            findings: self.findings,
            log_bytes: self.log_bytes,
            stderr_bytes: self.stderr_bytes,
            source_bytes: self.source_bytes,
            source_file_bytes: self.source_file_bytes,
            source_matches: self.source_matches,
            host_calls: self.host_calls,
        }
    }
}

impl Config {
    /// The numbers that the judge uses.
    #[must_use]
    pub fn judge(&self) -> Judge {
        match self.review.preset {
            Preset::Measured => self.judge.clone(),
            Preset::AsSpecified => Judge::as_specified(),
        }
    }

    /// How a change is read.
    #[must_use]
    pub fn scope_options(&self) -> Options {
        Options {
            max_file_bytes: self.scope.max_file_bytes,
            ignore: self.scope.ignore.clone(),
            context_lines: self.scope.context_lines,
            include_generated: self.scope.include_generated,
            include_vendored: self.scope.include_vendored,
            include_lock_files: self.scope.include_lock_files,
            ..Options::default()
        }
    }
}
