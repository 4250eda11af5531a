//! Every falsifier over what was found: one after the other, cheap ones first, so that what one has disproved costs the
//! next nothing.

use std::time::Instant;

use futures_util::future::join_all;
use review_loop_core::finding::{Finding, Verdict};
use review_loop_core::outcome::{ComponentRun, Failure, FalsifierVerdict, Judged, RunState};
use review_loop_core::secrets;
use review_loop_core::{falsify as tally, settings};

use super::{Entry, Run, Step};
use crate::runtime::Component;

/// Findings in one call. A call has a wall clock, and one that fails must not leave every finding unattacked.
const BATCH: usize = 20;

/// Has every finding attacked. Verdicts are added to the findings; counting them is the judge's.
pub async fn falsify(
    run: &Run,
    falsifiers: &[Entry],
    settings: &settings::Falsify,
    judged: &mut [Judged],
) -> Vec<ComponentRun> {
    let mut components = Vec::new();
    for entry in falsifiers {
        let started = Instant::now();
        let open: Vec<&mut Judged> = judged.iter_mut().filter(|judged| is_open(settings, judged)).collect();
        let (version, state) = if open.is_empty() {
            (String::new(), RunState::NotNeeded("nothing was left to attack".to_owned()))
        } else {
            (run.watch)(&entry.id, Step::Started);
            let attacked = attack(run, entry, open).await;
            (run.watch)(&entry.id, Step::Ended);
            attacked
        };
        components.push(run.component_run(entry, version, state, started));
    }
    components
}

fn is_open(settings: &settings::Falsify, judged: &Judged) -> bool {
    tally::attackable(judged) && !matches!(tally::tally(settings, &judged.verdicts), Verdict::Falsified(_))
}

async fn attack(run: &Run, entry: &Entry, mut open: Vec<&mut Judged>) -> (String, RunState) {
    let falsifier = match run.runtime.load(&entry.bytes, entry.role, entry.grant, &run.nothing()).await {
        Ok(falsifier) => falsifier,
        Err(failure) => return (String::new(), failed(entry, &mut open, failure)),
    };
    let version = falsifier.description.version.clone();
    if falsifier.shape.imports.iter().any(|import| import == "llm") && !run.meter.available() {
        return (version, RunState::NotNeeded("it asks a model, and there is none".to_owned()));
    }
    let calls = open.chunks(BATCH).map(|batch| falsify_batch(run, entry, &falsifier, batch));
    let answers = join_all(calls).await;
    let mut state = RunState::Done;
    for (batch, answer) in open.chunks_mut(BATCH).zip(answers) {
        match answer {
            Ok(verdicts) => note(entry, batch, verdicts),
            Err(failure) => state = failed(entry, batch, failure),
        }
    }
    (version, state)
}

async fn falsify_batch(
    run: &Run,
    entry: &Entry,
    falsifier: &Component,
    batch: &[&mut Judged],
) -> Result<Vec<Verdict>, Failure> {
    let findings: Vec<Finding> = batch.iter().map(|judged| judged.finding.clone()).collect();
    falsifier.falsify(&run.context(&entry.id), &findings).await
}

fn note(entry: &Entry, batch: &mut [&mut Judged], verdicts: Vec<Verdict>) {
    for (judged, verdict) in batch.iter_mut().zip(verdicts) {
        let verdict = match verdict {
            Verdict::Falsified(evidence) => Verdict::Falsified(secrets::redact(&evidence).into_owned()),
            Verdict::Undecided(reason) => Verdict::Undecided(secrets::redact(&reason).into_owned()),
            other => other,
        };
        judged.verdicts.push(FalsifierVerdict { falsifier: entry.id.clone(), verdict });
    }
}

/// A falsifier that fails disproves nothing: the findings stay, and it is shown that it did not look.
fn failed(entry: &Entry, batch: &mut [&mut Judged], failure: Failure) -> RunState {
    let undecided = batch.iter().map(|_| Verdict::Undecided(failure.reason.clone())).collect();
    note(entry, batch, undecided);
    RunState::Failed(failure)
}
