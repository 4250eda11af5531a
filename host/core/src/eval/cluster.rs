//! Clustering: pairs of true claims by different reviewers, and whole clusters.

use std::collections::BTreeMap;

use serde::Serialize;

use super::data::{Dataset, FindingRecord, repository};
use super::{Point, round, share};
use crate::cluster::groups;
use crate::locate::Located;
use crate::settings::{Cluster, ClusterRule};

/// How well findings that name one bug are brought together. All findings of a run are clustered, true and false;
/// only the true ones are scored, since only of these it is known what they name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusterReport {
    /// Over all repositories that the headline grader graded.
    #[serde(flatten)]
    pub all: Scores,
    /// By repository.
    pub by_repository: BTreeMap<String, Scores>,
    /// By grader.
    pub by_judge: BTreeMap<String, Scores>,
    /// Runs of five reviewers instead of all: see `windows`.
    pub five_reviewers: Scores,
    /// The true claims alone, clustered without the false ones.
    pub true_claims_alone: Scores,
}

/// Scores of clusters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Scores {
    /// Over pairs of true claims of one change by different reviewers: in one cluster, and naming one bug?
    pub pairs: Triple,
    /// Over true claims: how much of a claim's cluster names its bug, how much of its bug is in its cluster.
    pub b_cubed: Triple,
    /// Pairs that name one bug.
    pub same: usize,
    /// Pairs that do not.
    pub different: usize,
}

/// Precision, recall, and their harmonic mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Triple {
    /// Of what was joined, how much belongs together.
    pub precision: f64,
    /// Of what belongs together, how much was joined.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

/// The findings of one run and the cluster of each.
pub(super) type Run<'a> = Vec<&'a FindingRecord>;

pub(super) fn measure(data: &Dataset, settings: &Cluster) -> (ClusterReport, BTreeMap<String, Vec<Point>>) {
    let headline = data.headline_judge();
    let runs: Vec<Run<'_>> = data.by_change(headline.as_deref()).into_values().collect();
    let mut by_repository = BTreeMap::<String, Vec<Run<'_>>>::new();
    for run in &runs {
        let home = run.first().map(|f| repository(&f.change).to_owned()).unwrap_or_default();
        by_repository.entry(home).or_default().push(run.clone());
    }
    let of_judge = |judge: &str| scores(settings, &data.by_change(Some(judge)).into_values().collect::<Vec<_>>());
    let alone: Vec<Run<'_>> = runs.iter().map(|run| run.iter().copied().filter(|f| f.label).collect()).collect();
    let report = ClusterReport {
        all: scores(settings, &runs),
        by_repository: by_repository.into_iter().map(|(name, runs)| (name, scores(settings, &runs))).collect(),
        by_judge: data.judges().into_iter().map(|judge| (judge.clone(), of_judge(&judge))).collect(),
        five_reviewers: scores(settings, &windows(&runs, 5)),
        true_claims_alone: scores(settings, &alone),
    };
    (report, curves(settings, &runs))
}

/// Every run again with `size` of its reviewers: of all reviewers in the order of their names, in a ring, each in turn
/// with the next ones, and each in turn with every third.
pub(super) fn windows<'a>(runs: &[Run<'a>], size: usize) -> Vec<Run<'a>> {
    let mut names: Vec<&str> = runs.iter().flatten().map(|f| f.reviewer.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut all = Vec::new();
    for (first, stride) in (0..names.len()).flat_map(|first| [(first, 1), (first, 3)]) {
        let chosen: Vec<&str> =
            (0..size).filter_map(|k| names.get((first + k * stride) % names.len()).copied()).collect();
        for run in runs {
            all.push(run.iter().copied().filter(|f| chosen.contains(&f.reviewer.as_str())).collect());
        }
    }
    all
}

/// Sums over pairs and over claims.
#[derive(Default)]
struct Tally {
    joined_same: usize,
    joined_different: usize,
    apart_same: usize,
    apart_different: usize,
    claims: usize,
    precision: f64,
    recall: f64,
}

fn scores(settings: &Cluster, runs: &[Run<'_>]) -> Scores {
    let mut tally = Tally::default();
    runs.iter().for_each(|run| count(&mut tally, run, &clusters(settings, run)));
    let pairs = triple(
        share(tally.joined_same, tally.joined_same + tally.joined_different),
        share(tally.joined_same, tally.joined_same + tally.apart_same),
    );
    let claims = tally.claims.max(1) as f64;
    Scores {
        pairs,
        b_cubed: triple(round(tally.precision / claims), round(tally.recall / claims)),
        same: tally.joined_same + tally.apart_same,
        different: tally.joined_different + tally.apart_different,
    }
}

/// For every finding of a run the number of its cluster.
fn clusters(settings: &Cluster, run: &Run<'_>) -> Vec<usize> {
    let located: Vec<Located> = run.iter().map(|f| f.located()).collect();
    let mut cluster = vec![0; run.len()];
    for (number, group) in groups(settings, &located).0.iter().enumerate() {
        group.iter().for_each(|&i| cluster[i] = number);
    }
    cluster
}

fn count(tally: &mut Tally, run: &Run<'_>, cluster: &[usize]) {
    let labelled: Vec<(&FindingRecord, usize)> =
        run.iter().copied().zip(cluster.iter().copied()).filter(|(f, _)| f.label && f.golden.is_some()).collect();
    for (i, (a, in_a)) in labelled.iter().enumerate() {
        for (b, in_b) in labelled.iter().take(i).filter(|(b, _)| b.reviewer != a.reviewer) {
            match (a.golden == b.golden, in_a == in_b) {
                (true, true) => tally.joined_same += 1,
                (false, true) => tally.joined_different += 1,
                (true, false) => tally.apart_same += 1,
                (false, false) => tally.apart_different += 1,
            }
        }
        let together = labelled.iter().filter(|(_, c)| c == in_a).count() as f64;
        let golden = labelled.iter().filter(|(f, _)| f.golden == a.golden).count() as f64;
        let both = labelled.iter().filter(|(f, c)| c == in_a && f.golden == a.golden).count() as f64;
        tally.claims += 1;
        tally.precision += both / together;
        tally.recall += both / golden;
    }
}

fn triple(precision: f64, recall: f64) -> Triple {
    let sum = precision + recall;
    Triple { precision, recall, f1: if sum > 0.0 { round(2.0 * precision * recall / sum) } else { 0.0 } }
}

/// One threshold: its name, its values, where it stands among the settings.
type Knob = (&'static str, ClusterRule, &'static [f64], fn(&mut Cluster) -> &mut f64);

const KNOBS: &[Knob] = &[
    (
        "cluster.merge-at",
        ClusterRule::Combined,
        &[0.04, 0.06, 0.08, 0.1, 0.11, 0.12, 0.13, 0.14, 0.16, 0.18, 0.2, 0.25, 0.3],
        |c| &mut c.merge_at,
    ),
    ("cluster.same-lens", ClusterRule::Combined, &[0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 1.0], |c| &mut c.same_lens),
    (
        "cluster.merge-at (rule = cosine)",
        ClusterRule::Cosine,
        &[0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.3, 0.5, 0.85],
        |c| &mut c.merge_at,
    ),
];

fn curves(settings: &Cluster, runs: &[Run<'_>]) -> BTreeMap<String, Vec<Point>> {
    let curve = |&(name, rule, values, field): &Knob| {
        let point = |&at: &f64| {
            let mut changed = Cluster { rule, ..settings.clone() };
            let chosen = rule == settings.rule && *field(&mut changed) == at;
            *field(&mut changed) = at;
            let scores = scores(&changed, runs);
            let figures = [
                ("precision", scores.pairs.precision),
                ("recall", scores.pairs.recall),
                ("f1", scores.pairs.f1),
                ("b_cubed_f1", scores.b_cubed.f1),
            ];
            Point { at, chosen, figures: figures.into() }
        };
        (name.to_owned(), values.iter().map(point).collect())
    };
    KNOBS.iter().map(curve).collect()
}
