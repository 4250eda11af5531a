//! Every lens at once over the subject.

use std::time::Instant;

use futures_util::future::join_all;
use review_loop_core::finding::{Description, Report};
use review_loop_core::locate::Reported;
use review_loop_core::outcome::{ComponentRun, Failure, Gap, LensCredit, ModelUse, RunState};

use super::report::{self, Checked};
use super::{Entry, Run, Step};
use crate::runtime::Unfinished;

/// What the lenses said, and what became of each.
#[derive(Debug, Clone, Default)]
pub struct Reviewed {
    /// The findings, in the order of the lenses.
    pub reported: Vec<Reported>,
    /// What held.
    pub credits: Vec<LensCredit>,
    /// What was not examined.
    pub gaps: Vec<Gap>,
    /// One for each lens that was to run.
    pub components: Vec<ComponentRun>,
}

/// Runs every lens at once. One that fails is named as not reviewed; the others go on.
pub async fn review(run: &Run, lenses: &[Entry], model: &ModelUse) -> Reviewed {
    // Tasks of their own, so that lenses that compute do so on all cores.
    let tasks = lenses.iter().map(|entry| {
        let (run, entry) = (run.clone(), entry.clone());
        tokio::spawn(async move { review_one(&run, &entry).await })
    });
    let mut reviewed = Reviewed::default();
    for (entry, task) in lenses.iter().zip(join_all(tasks).await) {
        let one = task.unwrap_or_else(|error| One {
            version: String::new(),
            started: Instant::now(),
            report: Err(host_failed(&error)),
            early: None,
        });
        reviewed.add(run, entry, one, model);
    }
    reviewed
}

/// One lens's run.
struct One {
    version: String,
    started: Instant,
    report: Result<(Description, Report), Failure>,
    /// What a lens without a report handed over before it failed.
    early: Option<(Description, Report)>,
}

async fn review_one(run: &Run, entry: &Entry) -> One {
    let started = Instant::now();
    (run.watch)(&entry.id, Step::Started);
    let one = match run.runtime.load(&entry.bytes, entry.role, entry.grant, &run.nothing()).await {
        Err(failure) => One { version: String::new(), started, report: Err(failure), early: None },
        Ok(lens) => {
            let reviewed = lens.review(&run.context(&entry.id)).await;
            let (version, description) = (lens.description.version.clone(), lens.description);
            match reviewed {
                Ok(report) => One { version, started, report: Ok((description, report)), early: None },
                Err(Unfinished { failure, handed_over }) => {
                    let early = handed_over.map(|report| (description, report));
                    One { version, started, report: Err(failure), early }
                }
            }
        }
    };
    (run.watch)(&entry.id, Step::Ended);
    one
}

impl Reviewed {
    fn add(&mut self, run: &Run, entry: &Entry, one: One, model: &ModelUse) {
        let state = match one.report {
            Err(failure) => {
                let why = format!("not reviewed: {}: {}", failure.phase, failure.reason);
                self.gaps.push(Gap { what: entry.id.clone(), why });
                if let Some((description, early)) = one.early {
                    self.keep(&entry.id, report::check(&description, early));
                }
                RunState::Failed(failure)
            }
            Ok((description, report)) => self.take(&entry.id, report::check(&description, report), model),
        };
        self.components.push(run.component_run(entry, one.version, state, one.started));
    }

    /// What a lens found, and what it left out; says whether it left anything out.
    fn keep(&mut self, lens: &str, checked: Checked) -> bool {
        let lens = lens.to_owned();
        let partial = !checked.undone.is_empty();
        self.reported.extend(checked.findings.into_iter().map(|finding| Reported { lens: lens.clone(), finding }));
        self.credits.extend(checked.credits.into_iter().map(|credit| LensCredit { lens: lens.clone(), credit }));
        let gap = |(what, why): (String, String)| Gap { what: format!("{lens}: {what}"), why };
        self.gaps.extend(checked.undone.into_iter().map(gap));
        partial
    }

    fn take(&mut self, lens: &str, mut checked: Checked, model: &ModelUse) -> RunState {
        let judgement_left = checked.judgement_skipped.take();
        let asked = matches!(model, ModelUse::Asked(_));
        if let (Some(why), true) = (&judgement_left, asked) {
            self.gaps.push(Gap { what: format!("judgement of {lens}"), why: why.clone() });
        }
        let partial = self.keep(lens, checked) || (judgement_left.is_some() && asked);
        match (partial, judgement_left) {
            (true, _) => RunState::Partial,
            (false, Some(_)) => RunState::ChecksOnly,
            (false, None) => RunState::Done,
        }
    }
}

fn host_failed(error: &tokio::task::JoinError) -> Failure {
    Failure {
        phase: "run".to_owned(),
        reason: format!("the host failed while it ran: {error}"),
        stderr: String::new(),
        hint: Some("this is a bug of the host: please report it".to_owned()),
    }
}
