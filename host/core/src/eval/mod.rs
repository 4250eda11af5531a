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

#[cfg(test)]
mod tests {
    use super::*;

    fn record(change: &str, reviewer: &str, claim: &str, golden: Option<&str>) -> FindingRecord {
        FindingRecord {
            set: "s".to_owned(),
            change: change.to_owned(),
            reviewer: reviewer.to_owned(),
            claim: claim.to_owned(),
            label: golden.is_some(),
            judge: Some("j".to_owned()),
            golden: golden.map(str::to_owned),
            path: Some(format!("{change}.rs")),
            side: None,
            line: Some(1),
            end_line: None,
        }
    }

    fn data() -> Dataset {
        let diff =
            |name: &str, word: &str| format!("--- a/{name}.rs\n+++ b/{name}.rs\n@@ -0,0 +1 @@\n+let {word} = 1;\n");
        Dataset {
            changes: [("one-pull-1", "kettle"), ("two-pull-2", "anchor")]
                .map(|(change, word)| (change.to_owned(), diff(change, word)))
                .into(),
            findings: vec![
                record("one-pull-1", "a", "The kettle boils over without its lid", Some("g")),
                record("one-pull-1", "b", "Without a lid the kettle boils over", Some("g")),
                record("one-pull-1", "c", "Naming of the constant could be better here", None),
                record("two-pull-2", "a", "The `shipAnchor` drags in a storm", Some("h")),
            ],
            ratings: vec![RatingRecord {
                diff: "@@ -0,0 +1 @@\n+let kettle = 1;".to_owned(),
                reviewer: "msg".to_owned(),
                claim: "Is this needed?".to_owned(),
                relevance: 5.0,
            }],
        }
    }

    #[test]
    fn the_stable_keys_are_there_and_two_runs_agree() {
        let report = run(&data(), &Settings::default());
        assert_eq!(report, run(&data(), &Settings::default()));
        let json = serde_json::to_value(&report).unwrap();
        for key in [
            "/guard/true_kept",
            "/guard/false_kept",
            "/guard/foreign_kept",
            "/guard/by_repository/one/true_kept",
            "/guard/by_set/s/true_kept",
            "/guard/by_judge/j/true_kept",
            "/guard/ratings/relevant_kept",
            "/cluster/pairs/precision",
            "/cluster/pairs/recall",
            "/cluster/pairs/f1",
            "/cluster/b_cubed/precision",
            "/cluster/b_cubed/recall",
            "/cluster/b_cubed/f1",
            "/cluster/by_repository/one/pairs/f1",
            "/agreement/auc",
            "/placement/in_hunk",
            "/curves/guard.needed/0/figures/true_kept",
        ] {
            assert!(json.pointer(key).is_some_and(serde_json::Value::is_number), "{key}");
        }
        assert_eq!((report.cluster.all.pairs.f1, report.placement.in_hunk), (1.0, 1.0));
        assert!(report.to_text().contains("Curve of cluster.merge-at"));
    }

    #[test]
    fn nothing_yields_zeros() {
        let report = run(&Dataset::default(), &Settings::default());
        assert_eq!((report.guard.all.true_kept, report.agreement.auc), (0.0, 0.0));
    }
}
