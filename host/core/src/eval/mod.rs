//! Measures the judge on recorded findings with labels. It calls the very code that a review calls.
//!
//! Pure: records in, figures out; the same records give the same figures to the digit. `docs/judge.md` defines every
//! figure and says what they were on the data that the defaults come from.

mod agreement;
mod cluster;
mod data;
mod guard;
mod placement;
mod text;

use std::collections::BTreeMap;

use serde::Serialize;

pub use self::agreement::{AgreementReport, ByCount};
pub use self::cluster::{ClusterReport, Scores};
pub use self::data::{Dataset, FindingRecord, RatingRecord, repository};
pub use self::guard::{GuardReport, Kept, RatingsKept};
pub use self::placement::PlacementReport;
use crate::settings::Settings;

/// Everything that was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalReport {
    /// What the data set holds.
    pub data: Counts,
    /// On topic or not.
    pub guard: GuardReport,
    /// The same or not.
    pub cluster: ClusterReport,
    /// Borne out by others or not.
    pub agreement: AgreementReport,
    /// Found in the change or not.
    pub placement: PlacementReport,
    /// By threshold, in its configuration's own name: what each of its values would give.
    pub curves: BTreeMap<String, Vec<Point>>,
}

/// What a data set holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counts {
    /// Changes.
    pub changes: usize,
    /// Recorded findings, those of every grader.
    pub findings: usize,
    /// Rated claims.
    pub ratings: usize,
    /// The grader whose labels the headline figures go by: the one who graded the most reviewers.
    pub headline_judge: Option<String>,
}

/// One value of a threshold, and the figures it gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// The value.
    pub at: f64,
    /// Whether it is the one that the settings hold.
    pub chosen: bool,
    /// By name.
    pub figures: BTreeMap<&'static str, f64>,
}

/// Measures the judge with these settings.
#[must_use]
pub fn run(data: &Dataset, settings: &Settings) -> EvalReport {
    let subjects = data.subjects();
    let (guard, mut curves) = guard::measure(data, &subjects, &settings.guard);
    let (cluster, cluster_curves) = cluster::measure(data, &settings.cluster);
    curves.extend(cluster_curves);
    EvalReport {
        data: Counts {
            changes: data.changes.len(),
            findings: data.findings.len(),
            ratings: data.ratings.len(),
            headline_judge: data.headline_judge(),
        },
        guard,
        cluster,
        agreement: agreement::measure(data, &settings.cluster),
        placement: placement::measure(data, &subjects),
        curves,
    }
}

impl EvalReport {
    /// The report as tables, for a person to read.
    #[must_use]
    pub fn to_text(&self) -> String {
        text::tables(self)
    }
}

/// Four digits after the point: what is measured here is not surer than that.
fn round(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

/// `part` of `whole`; 0 of nothing.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { round(part as f64 / whole as f64) }
}
