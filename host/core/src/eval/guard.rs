//! Guard: how much of what is true, false and about something else is kept.

use std::collections::BTreeMap;

use serde::Serialize;

use super::data::{Dataset, FindingRecord, related, repository, subject};
use super::{Point, share};
use crate::guard::{Topic, topic};
use crate::index::SubjectIndex;
use crate::locate::{SourceTexts, locate};
use crate::outcome::Place;
use crate::settings::{Guard, GuardRule};
use crate::subject::Subject;

/// What the guard keeps. The three shares at the top are the headline grader's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GuardReport {
    /// Over all repositories that the headline grader graded.
    #[serde(flatten)]
    pub all: Kept,
    /// The same by repository.
    pub by_repository: BTreeMap<String, Kept>,
    /// By data set, text alone; `NAME-placed` where places are recorded and used.
    pub by_set: BTreeMap<String, Kept>,
    /// By grader.
    pub by_judge: BTreeMap<String, Kept>,
    /// Short comments with human ratings.
    pub ratings: RatingsKept,
}

/// Shares that are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Kept {
    /// Of the true claims, held against their own change.
    pub true_kept: f64,
    /// Of the false ones, likewise.
    pub false_kept: f64,
    /// Of all claims, each held against every change of every other repository in its data set.
    pub foreign_kept: f64,
    /// How many true claims.
    pub true_count: usize,
    /// How many false claims.
    pub false_count: usize,
    /// How many pairs of a claim and a foreign change.
    pub foreign_count: usize,
}

/// What is kept of rated comments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RatingsKept {
    /// Of the comments with a relevance of 4 or 5.
    pub relevant_kept: f64,
    /// Of the comments taken from another change (`knn_pred`) and rated 1.
    pub off_topic_dropped: f64,
    /// How many of relevance 4 or 5.
    pub relevant_count: usize,
    /// How many taken from another change.
    pub off_topic_count: usize,
}

/// One claim against one change.
struct Case<'a> {
    finding: &'a FindingRecord,
    own: bool,
    topic: Topic,
    /// Whether its place was found in the diff.
    placed: bool,
}

/// One rated comment against its hunk.
struct Rated {
    relevant: bool,
    topic: Topic,
}

pub(super) fn measure(
    data: &Dataset,
    subjects: &BTreeMap<&str, Subject>,
    settings: &Guard,
) -> (GuardReport, BTreeMap<String, Vec<Point>>) {
    let cases = cases(data, subjects);
    let rated = rated(data);
    let headline = data.headline_judge();
    let main: Vec<&Case<'_>> =
        cases.iter().filter(|c| c.finding.judge.is_some() && c.finding.judge == headline).collect();
    let keep = |c: &&Case<'_>| c.topic.holds(settings, false);
    let mut by_set = BTreeMap::new();
    for set in data.sets() {
        let of: Vec<&Case<'_>> = cases
            .iter()
            .filter(|c| c.finding.set == set && (c.finding.judge.is_none() || c.finding.judge == headline))
            .collect();
        by_set.insert(set.to_owned(), kept(&of, keep));
        if of.iter().any(|c| c.finding.path.is_some()) {
            by_set.insert(format!("{set}-placed"), kept(&of, |c| c.topic.holds(settings, c.placed)));
        }
    }
    let report = GuardReport {
        all: kept(&main, keep),
        by_repository: group(&main, |c| repository(&c.finding.change).to_owned(), keep),
        by_set,
        by_judge: group(&cases.iter().collect::<Vec<_>>(), |c| c.finding.judge.clone().unwrap_or_default(), keep),
        ratings: ratings(&rated, settings),
    };
    (report, curves(&main, &rated, settings))
}

fn cases<'a>(data: &'a Dataset, subjects: &BTreeMap<&str, Subject>) -> Vec<Case<'a>> {
    let indices: BTreeMap<&str, SubjectIndex> = subjects.iter().map(|(c, s)| (*c, SubjectIndex::new(s))).collect();
    let mut changes = BTreeMap::<&str, Vec<&str>>::new();
    for set in data.sets() {
        let mut of: Vec<&str> = data.findings.iter().filter(|f| f.set == set).map(|f| f.change.as_str()).collect();
        of.sort_unstable();
        of.dedup();
        changes.insert(set, of);
    }
    let mut cases = Vec::new();
    for finding in &data.findings {
        let home = repository(&finding.change);
        for change in changes.get(finding.set.as_str()).into_iter().flatten() {
            let own = *change == finding.change;
            let Some(index) = indices.get(change) else { continue };
            if own || !related(home, repository(change)) {
                let placed = subjects.get(change).is_some_and(|s| placed(s, finding));
                cases.push(Case { finding, own, topic: topic(index, &finding.claim), placed });
            }
        }
    }
    cases
}

fn placed(subject: &Subject, finding: &FindingRecord) -> bool {
    let (located, _) = locate(subject, &SourceTexts::default(), vec![finding.reported()]);
    located.iter().any(|l| l.place == Place::InDiff)
}

fn rated(data: &Dataset) -> Vec<Rated> {
    let mut indices = BTreeMap::<&str, SubjectIndex>::new();
    let mut rated = Vec::new();
    for rating in &data.ratings {
        let off_topic = rating.reviewer == "knn_pred";
        if rating.relevance >= 4.0 && !off_topic || off_topic && rating.relevance <= 1.0 {
            let index = indices
                .entry(&rating.diff)
                .or_insert_with(|| SubjectIndex::new(&subject(&format!("--- a/file\n+++ b/file\n{}", rating.diff))));
            rated.push(Rated { relevant: !off_topic, topic: topic(index, &rating.claim) });
        }
    }
    rated
}

fn kept(cases: &[&Case<'_>], keep: impl Fn(&&Case<'_>) -> bool) -> Kept {
    let count = |which: &dyn Fn(&Case<'_>) -> bool| {
        let of: Vec<&&Case<'_>> = cases.iter().filter(|c| which(c)).collect();
        (share(of.iter().filter(|c| keep(c)).count(), of.len()), of.len())
    };
    let (true_kept, true_count) = count(&|c| c.own && c.finding.label);
    let (false_kept, false_count) = count(&|c| c.own && !c.finding.label);
    let (foreign_kept, foreign_count) = count(&|c| !c.own);
    Kept { true_kept, false_kept, foreign_kept, true_count, false_count, foreign_count }
}

fn group<'a>(
    cases: &[&'a Case<'a>],
    key: impl Fn(&Case<'_>) -> String,
    keep: impl Fn(&&Case<'_>) -> bool + Copy,
) -> BTreeMap<String, Kept> {
    let mut groups = BTreeMap::<String, Vec<&Case<'_>>>::new();
    cases.iter().for_each(|c| groups.entry(key(c)).or_default().push(c));
    groups.remove("");
    groups.into_iter().map(|(name, of)| (name, kept(&of, keep))).collect()
}

fn ratings(rated: &[Rated], settings: &Guard) -> RatingsKept {
    let count = |relevant: bool| {
        let of: Vec<&Rated> = rated.iter().filter(|r| r.relevant == relevant).collect();
        (of.iter().filter(|r| r.topic.holds(settings, false)).count(), of.len())
    };
    let ((kept, relevant_count), (stayed, off_topic_count)) = (count(true), count(false));
    RatingsKept {
        relevant_kept: share(kept, relevant_count),
        off_topic_dropped: share(off_topic_count - stayed, off_topic_count),
        relevant_count,
        off_topic_count,
    }
}

/// One threshold: its name, its values, where it stands among the settings.
type Knob = (&'static str, &'static [f64], fn(&mut Guard, f64));

const KNOBS: &[Knob] = &[
    ("guard.needed", &[0.0, 0.5, 1.0, 1.25, 1.5, 1.75, 1.9, 2.0, 2.25, 2.5, 3.0, 4.0], |g, x| g.needed = x),
    ("guard.small-subject", &[20.0, 35.0, 50.0, 65.0, 80.0, 100.0, 150.0], |g, x| g.small_subject = x),
    ("guard.min-words", &[0.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0], |g, x| g.min_words = x as usize),
    ("guard.found-name", &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0], |g, x| g.found_name = x),
    ("guard.absent-name", &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], |g, x| g.absent_name = x),
    ("guard.min-cosine", &[0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4], |g, x| g.min_cosine = x),
];

fn curves(cases: &[&Case<'_>], rated: &[Rated], settings: &Guard) -> BTreeMap<String, Vec<Point>> {
    let curve = |&(name, values, set): &Knob| {
        let point = |&at: &f64| {
            let mut changed = settings.clone();
            // The curve of the workflows' rule is that rule's.
            changed.rule = if name == "guard.min-cosine" { GuardRule::WholeDiff } else { GuardRule::Topic };
            set(&mut changed, at);
            let chosen = changed == *settings;
            let (kept, ratings) = (kept(cases, |c| c.topic.holds(&changed, false)), ratings(rated, &changed));
            let figures = [
                ("true_kept", kept.true_kept),
                ("false_kept", kept.false_kept),
                ("foreign_kept", kept.foreign_kept),
                ("relevant_kept", ratings.relevant_kept),
                ("off_topic_dropped", ratings.off_topic_dropped),
            ];
            Point { at, chosen, figures: figures.into() }
        };
        (name.to_owned(), values.iter().map(point).collect())
    };
    KNOBS.iter().map(curve).collect()
}
