//! Agreement: how well the score of a cluster tells true from false.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cluster::{Run, windows};
use super::data::{Dataset, repository};
use super::{round, share};
use crate::cluster::groups;
use crate::locate::Located;
use crate::settings::Cluster;

/// How well agreement tells true from false. A cluster is true where one of its claims is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgreementReport {
    /// Area under the ROC curve of the clusters' scores, in runs of five reviewers: the chance that a true cluster
    /// scores higher than a false one.
    pub auc: f64,
    /// The same of claims, each with the score of its cluster.
    pub auc_claims: f64,
    /// The same of clusters, by the number of reviewers alone.
    pub auc_count_alone: f64,
    /// The same of clusters, in runs of all reviewers.
    pub auc_all_reviewers: f64,
    /// By repository, five reviewers.
    pub by_repository: BTreeMap<String, f64>,
    /// Precision of claims by how many other reviewers say the same; all reviewers.
    pub by_count: Vec<ByCount>,
    /// The same in runs of five reviewers.
    pub by_count_five: Vec<ByCount>,
}

/// Claims that so many others agree with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ByCount {
    /// How many other reviewers say the same.
    pub others: usize,
    /// How many claims.
    pub claims: usize,
    /// How many of them are true. 0 to 1.
    pub precision: f64,
}

/// One cluster.
struct Unit {
    score: f64,
    reviewers: usize,
    right: usize,
    wrong: usize,
    repository: String,
}

pub(super) fn measure(data: &Dataset, settings: &Cluster) -> AgreementReport {
    let headline = data.headline_judge();
    let runs: Vec<Run<'_>> = data.by_change(headline.as_deref()).into_values().collect();
    let all: Vec<Unit> = runs.iter().flat_map(|run| units(settings, run)).collect();
    let five: Vec<Unit> = windows(&runs, 5).iter().flat_map(|run| units(settings, run)).collect();
    let cluster = |u: &Unit| (u.score, usize::from(u.right > 0), usize::from(u.right == 0));
    let homes: BTreeSet<&String> = five.iter().map(|u| &u.repository).collect();
    let at_home = |home: &String| auc(five.iter().filter(|u| u.repository == *home).map(cluster));
    AgreementReport {
        auc: auc(five.iter().map(cluster)),
        auc_claims: auc(five.iter().map(|u| (u.score, u.right, u.wrong))),
        auc_count_alone: auc(five.iter().map(|u| (u.reviewers as f64, cluster(u).1, cluster(u).2))),
        auc_all_reviewers: auc(all.iter().map(cluster)),
        by_repository: homes.iter().map(|home| ((*home).clone(), at_home(home))).collect(),
        by_count: by_count(&all),
        by_count_five: by_count(&five),
    }
}

fn units(settings: &Cluster, run: &Run<'_>) -> Vec<Unit> {
    let located: Vec<Located> = run.iter().map(|f| f.located()).collect();
    let (groups, scores) = groups(settings, &located);
    let unit = |(group, score): (&Vec<usize>, f64)| {
        let members = || group.iter().filter_map(|&i| run.get(i));
        let right = members().filter(|f| f.label).count();
        Unit {
            score,
            reviewers: members().map(|f| &f.reviewer).collect::<BTreeSet<_>>().len(),
            right,
            wrong: group.len() - right,
            repository: members().next().map(|f| repository(&f.change).to_owned()).unwrap_or_default(),
        }
    };
    groups.iter().zip(scores).map(unit).collect()
}

fn by_count(units: &[Unit]) -> Vec<ByCount> {
    let mut counts = BTreeMap::<usize, (usize, usize)>::new();
    for unit in units {
        let (right, all) = counts.entry(unit.reviewers.saturating_sub(1)).or_default();
        *right += unit.right;
        *all += unit.right + unit.wrong;
    }
    let row = |(others, (right, all))| ByCount { others, claims: all, precision: share(right, all) };
    counts.into_iter().map(row).collect()
}

/// The area under the ROC curve of scores that each stand for so many right and so many wrong ones; half for ties.
fn auc(scored: impl Iterator<Item = (f64, usize, usize)>) -> f64 {
    let mut scored: Vec<(f64, usize, usize)> = scored.collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut area, mut right_all) = (0.0, 0.0, 0.0);
    for tied in scored.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let right: usize = tied.iter().map(|t| t.1).sum();
        let wrong: usize = tied.iter().map(|t| t.2).sum();
        area += right as f64 * (below + wrong as f64 / 2.0);
        below += wrong as f64;
        right_all += right as f64;
    }
    if below * right_all > 0.0 { round(area / (below * right_all)) } else { 0.0 }
}
