//! The report as tables.

use std::fmt::Write as _;

use super::{ByCount, EvalReport, Kept, Point, Scores};

pub(super) fn tables(report: &EvalReport) -> String {
    let mut out = String::new();
    let data = &report.data;
    let judge = data.headline_judge.as_deref().unwrap_or("none");
    line(
        &mut out,
        &format!(
            "{} changes, {} findings, {} ratings; headline judge: {judge}",
            data.changes, data.findings, data.ratings
        ),
    );
    guard(&mut out, report);
    cluster(&mut out, report);
    agreement(&mut out, report);
    placement(&mut out, report);
    report.curves.iter().for_each(|(name, points)| curve(&mut out, name, points));
    out
}

fn guard(out: &mut String, report: &EvalReport) {
    let guard = &report.guard;
    title(out, "Guard: share kept");
    line(out, &format!("{:44}{:>9}{:>9}{:>9}{:>8}", "", "true", "false", "foreign", "true n"));
    kept(out, "all", &guard.all);
    guard.by_repository.iter().for_each(|(name, k)| kept(out, name, k));
    guard.by_judge.iter().for_each(|(name, k)| kept(out, &format!("judge {name}"), k));
    guard.by_set.iter().for_each(|(name, k)| kept(out, &format!("set {name}"), k));
    let ratings = &guard.ratings;
    line(
        out,
        &format!(
            "rated comments: relevance 4 or 5 kept {:.4} of {}; from another change dropped {:.4} of {}",
            ratings.relevant_kept, ratings.relevant_count, ratings.off_topic_dropped, ratings.off_topic_count
        ),
    );
}

fn cluster(out: &mut String, report: &EvalReport) {
    let cluster = &report.cluster;
    title(out, "Clustering: pairs across reviewers, and B-cubed");
    line(out, &format!("{:44}{:>9}{:>9}{:>9}{:>9}{:>8}", "", "precision", "recall", "f1", "b3 f1", "same n"));
    scores(out, "all", &cluster.all);
    cluster.by_repository.iter().for_each(|(name, s)| scores(out, name, s));
    cluster.by_judge.iter().for_each(|(name, s)| scores(out, &format!("judge {name}"), s));
    scores(out, "five reviewers", &cluster.five_reviewers);
    scores(out, "true claims alone", &cluster.true_claims_alone);
}

fn agreement(out: &mut String, report: &EvalReport) {
    let agreement = &report.agreement;
    title(out, "Agreement: area under the ROC curve");
    line(out, &format!("five reviewers, clusters                    {:9.4}", agreement.auc));
    line(out, &format!("five reviewers, clusters, count alone       {:9.4}", agreement.auc_count_alone));
    line(out, &format!("five reviewers, claims                      {:9.4}", agreement.auc_claims));
    line(out, &format!("all reviewers, clusters                     {:9.4}", agreement.auc_all_reviewers));
    agreement.by_repository.iter().for_each(|(name, auc)| line(out, &format!("{name:44}{auc:9.4}")));
    counts(out, "all", &agreement.by_count);
    counts(out, "five", &agreement.by_count_five);
}

fn placement(out: &mut String, report: &EvalReport) {
    let placement = &report.placement;
    title(out, "Placement");
    line(
        out,
        &format!(
            "{} anchors: in a hunk {:.4}, file only {:.4}, no such file {:.4}",
            placement.anchors, placement.in_hunk, placement.file_only, placement.no_such_file
        ),
    );
    line(
        out,
        &format!(
            "lines made wrong and brought back by their quote: {:.4}, by {} lines each",
            placement.corrected, placement.corrected_by
        ),
    );
}

fn kept(out: &mut String, name: &str, k: &Kept) {
    line(out, &format!("{name:44}{:9.4}{:9.4}{:9.4}{:8}", k.true_kept, k.false_kept, k.foreign_kept, k.true_count));
}

fn scores(out: &mut String, name: &str, s: &Scores) {
    line(
        out,
        &format!(
            "{name:44}{:9.4}{:9.4}{:9.4}{:9.4}{:8}",
            s.pairs.precision, s.pairs.recall, s.pairs.f1, s.b_cubed.f1, s.same
        ),
    );
}

fn counts(out: &mut String, who: &str, counts: &[ByCount]) {
    line(out, &format!("precision by number of other reviewers that say the same, {who} reviewers:"));
    let cells = |f: &dyn Fn(&ByCount) -> String| counts.iter().map(f).collect::<Vec<_>>().join("");
    line(out, &format!("  others   {}", cells(&|c| format!("{:>8}", c.others))));
    line(out, &format!("  claims   {}", cells(&|c| format!("{:>8}", c.claims))));
    line(out, &format!("  precision{}", cells(&|c| format!("{:8.4}", c.precision))));
}

fn curve(out: &mut String, name: &str, points: &[Point]) {
    title(out, &format!("Curve of {name}"));
    let Some(first) = points.first() else { return };
    let names: Vec<String> = first.figures.keys().map(|k| format!("{k:>18}")).collect();
    line(out, &format!("{:>8}{}", "at", names.join("")));
    for point in points {
        let figures: Vec<String> = point.figures.values().map(|x| format!("{x:18.4}")).collect();
        let mark = if point.chosen { "  <- chosen" } else { "" };
        line(out, &format!("{:8}{}{mark}", point.at, figures.join("")));
    }
}

fn title(out: &mut String, text: &str) {
    let _ = writeln!(out, "\n{text}");
}

fn line(out: &mut String, text: &str) {
    let _ = writeln!(out, "{text}");
}
