//! One review, from a change to a verdict.
//!
//! ```text
//! scope -> lenses -> locate -> guard -> cluster -> falsify -> filter -> decide -> act
//! ```
//!
//! Each stage is a folder of this crate or a module of the core with the same name. Acting (printing, gating) is the
//! caller's.

use std::sync::Arc;
use std::time::Instant;

use review_loop_core::decide::{self, Facts};
use review_loop_core::index::SubjectIndex;
use review_loop_core::locate::{self, Reported, SourceTexts};
use review_loop_core::narrowed::{self, Narrowed};
use review_loop_core::outcome::{Gap, Judged, LeftOut, ModelUse, Outcome, RunState, SetAside};
use review_loop_core::subject::{File, Subject};
use review_loop_core::{brief, classify, cluster, falsify, filter, guard, secrets};

use crate::config::Config;
use crate::lenses::{self, Run, Selection, Watch};
use crate::llm::choose::Choice;
use crate::llm::meter::Meter;
use crate::runtime::{Interrupt, Runtime};
use crate::scope::{Change, Sources};

/// What a review is made with.
pub struct Tools {
    /// The sandbox.
    pub runtime: Runtime,
    /// Who looks and who attacks.
    pub selection: Selection,
    /// The model.
    pub model: Choice,
    /// Told what the components say while they work.
    pub watch: Watch,
    /// Ends what is at work before its time.
    pub interrupt: Interrupt,
    /// What settings keep from being looked at.
    pub narrowed: Vec<Narrowed>,
    /// What there is to know about the project's settings.
    pub notices: Vec<String>,
}

/// Reviews a change. Never fails: what could not be done is in the outcome, and keeps it from being clean.
pub async fn review(change: Change, tools: Tools, config: &Config) -> Outcome {
    let started = Instant::now();
    let (settings, gate) = (config.judge(), config.review.fail_on.gate());
    let subject = Arc::new(change.subject.in_order());
    let run = prepare(Arc::clone(&subject), change.sources, &tools, config);

    let reviewed = lenses::review(&run, &tools.selection.lenses, &tools.model.model_use).await;
    let texts = fetch(&subject, &run.sources, &reviewed.reported).await;

    let (located, mut set_aside) = locate::locate(&subject, &texts, reviewed.reported);
    let (on_topic, dropped) = guard::guard(&SubjectIndex::new(&subject), subject.mode, &settings.guard, located);
    set_aside.extend(dropped);
    let mut judged = cluster::cluster(&settings.cluster, on_topic);
    let falsifiers = lenses::falsify(&run, &tools.selection.falsifiers, &settings.falsify, &mut judged).await;
    let (standing, dropped) = falsify::settle(&subject, &texts, &settings.falsify, judged);
    set_aside.extend(dropped);
    let (mut findings, dropped) = filter::filter(&subject, &settings, &[], standing);
    set_aside.extend(dropped);
    classify::classify(&settings, gate, &mut findings);

    let mut gaps = gaps(&subject, &run, &tools, reviewed.gaps);
    if config.review.fail_on_skipped {
        gaps.extend(narrowed::gaps(&tools.narrowed).map(|(what, why)| Gap { what, why }));
    }
    let word = decide::decide(&Facts {
        findings: &findings,
        gate,
        gaps: &gaps,
        model: &tools.model.model_use,
        out_of_budget: run.meter.exhausted(),
        in_scope: in_scope(&subject).count(),
        examined: in_scope(&subject).count(),
        lenses_done: reviewed.components.iter().filter(|one| !matches!(one.state, RunState::Failed(_))).count(),
        lenses_failed: reviewed.components.iter().filter(|one| matches!(one.state, RunState::Failed(_))).count(),
    });
    Outcome {
        word,
        scope: subject.scope.clone(),
        branch: subject.branch.clone(),
        mode: subject.mode,
        model: tools.model.model_use,
        files: count(subject.files.len()),
        added: in_scope(&subject).map(|file| file.added).sum(),
        removed: in_scope(&subject).map(|file| file.removed).sum(),
        findings: findings.into_iter().map(inert).collect(),
        set_aside: set_aside.into_iter().map(|aside| SetAside { judged: inert(aside.judged), ..aside }).collect(),
        credits: reviewed.credits,
        components: reviewed.components.into_iter().chain(falsifiers).collect(),
        gaps,
        left_out: left_out(&subject),
        narrowed: tools.narrowed,
        interrupted: tools.interrupt.came(),
        notices: tools.notices,
        usage: run.meter.usage(),
        elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

fn prepare(subject: Arc<Subject>, sources: Sources, tools: &Tools, config: &Config) -> Run {
    let redact = |text: &str| secrets::redact(text).into_owned();
    // Without a model nobody reads the brief.
    let brief = if tools.model.model.available() {
        brief::render(&subject, config.model.brief_bytes, &redact)
    } else {
        brief::Brief::default()
    };
    Run {
        runtime: tools.runtime.clone(),
        subject,
        sources,
        meter: Arc::new(Meter::new(Arc::clone(&tools.model.model), config.llm.budget.clone())),
        brief: Arc::new(brief),
        watch: Arc::clone(&tools.watch),
        interrupt: tools.interrupt.clone(),
    }
}

/// The texts that the findings point at.
async fn fetch(subject: &Arc<Subject>, sources: &Sources, reported: &[Reported]) -> SourceTexts {
    let (wanted, sources) = (locate::wanted(subject, reported), sources.clone());
    let read = move || {
        let mut texts = SourceTexts::default();
        for (path, side) in wanted {
            // A place that cannot be read is no place: locating the finding says so.
            if let Ok(text) = sources.text(&path, side) {
                texts.insert(path, side, text);
            }
        }
        texts
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

/// What was in scope and was not examined, whoever left it.
fn gaps(subject: &Subject, run: &Run, tools: &Tools, from_lenses: Vec<Gap>) -> Vec<Gap> {
    let unread = |file: &File| {
        let why = file.omitted.as_ref().filter(|omitted| omitted.is_gap())?;
        Some(Gap { what: file.path.clone(), why: why.to_string() })
    };
    let unshown = |path: &String| Gap {
        what: path.clone(),
        why: "not shown to the model: no room in the description of the change".to_owned(),
    };
    let mut gaps: Vec<Gap> = subject.files.iter().filter_map(unread).collect();
    gaps.extend(run.brief.left_out.iter().map(unshown));
    gaps.extend(from_lenses);
    let reviewable = in_scope(subject).next().is_some();
    if tools.selection.lenses.is_empty() && reviewable {
        gaps.push(Gap { what: "the whole change".to_owned(), why: "every lens is switched off".to_owned() });
    }
    if tools.model.model_use == ModelUse::Unconfigured && reviewable {
        let why = "no model is configured: only the checks ran".to_owned();
        gaps.push(Gap { what: "judgement of every lens".to_owned(), why });
    }
    gaps
}

/// The files that a reviewer is to look at.
fn in_scope(subject: &Subject) -> impl Iterator<Item = &File> {
    subject.files.iter().filter(|file| file.omitted.is_none())
}

fn left_out(subject: &Subject) -> Vec<LeftOut> {
    let by_rule = |file: &File| {
        let why = file.omitted.clone().filter(|omitted| !omitted.is_gap())?;
        Some(LeftOut { why, path: file.path.clone() })
    };
    subject.files.iter().filter_map(by_rule).collect()
}

/// Sources come back in quotes and excerpts, and a secret of theirs must not.
fn inert(mut judged: Judged) -> Judged {
    let redact = |text: &mut String| *text = secrets::redact(text).into_owned();
    if let Some(excerpt) = &mut judged.excerpt {
        // A key stretches over lines, so they are looked at together.
        let text = excerpt.lines.join("\n");
        excerpt.lines = secrets::redact(&text).split('\n').map(str::to_owned).collect();
    }
    judged.finding.anchor.iter_mut().filter_map(|anchor| anchor.quote.as_mut()).for_each(redact);
    judged
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
