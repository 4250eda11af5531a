//! What the host adds to a model that takes one second: five lenses over a change, and a falsifier over a hundred findings.
//! The model is a timer, so whatever is over one second is the host.
//!
//! `cargo bench --bench overhead`
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use review_loop::config::{Config, Layers};
use review_loop::lenses::{self, Run, Selection};
use review_loop::llm::meter::Meter;
use review_loop::llm::{Brief, Error, Model, Part, Reply, Request, Started, Stop, Usage};
use review_loop::runtime::{Interrupt, Runtime};
use review_loop::scope::Sources;
use review_loop_core::finding::{Anchor, Basis, Finding, Lines, Reach, Severity, Side};
use review_loop_core::locate::{Reported, SourceTexts, locate};
use review_loop_core::outcome::{Judged, ModelUse};
use review_loop_core::subject::{Change, File, Hunk, Kind, Line, Mode, Status, Subject};

/// Answers every lens with no finding and every doubt with "stands", after a second.
struct Slow;

impl Model for Slow {
    fn name(&self) -> String {
        "a timer".to_owned()
    }

    fn complete_streaming<'a>(
        &'a self,
        _: &'a Brief,
        request: &'a Request,
        _: Started<'a>,
    ) -> BoxFuture<'a, Result<Reply, Error>> {
        async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let doubt = request.schema.as_ref().is_some_and(|schema| schema.contains("verdict"));
            let answer = if doubt {
                r#"{"verdict": "stands", "evidence": "It is as it says."}"#
            } else {
                r#"{"findings": [], "credits": [], "not_examined": []}"#
            };
            Ok(Reply { parts: vec![Part::Text(answer.to_owned())], stop: Stop::End, usage: Usage::default() })
        }
        .boxed()
    }
}

fn config() -> Config {
    let mut config = Layers::defaults().unwrap().resolve().unwrap();
    (config.llm.budget.parallel, config.llm.budget.parallel_per_component) = (128, 128);
    config.llm.budget.calls_per_component = u64::MAX;
    (config.llm.budget.tokens_per_run, config.llm.budget.tokens_per_component) = (u64::MAX / 4, u64::MAX / 4);
    config
}

/// Ten files of a hundred added lines each.
fn subject() -> (Subject, BTreeMap<String, String>) {
    let path = |f: u32| format!("src/part_{f}.rs");
    let text = |f: u32, n: u32| format!("    total_{f} = add_{f}(total_{f}, weight_{n});");
    let line = |f, n| Line { change: Change::Added, old: None, new: Some(n), text: text(f, n), unterminated: false };
    let file = |f| File {
        path: path(f),
        old_path: None,
        status: Status::Added,
        old_kind: None,
        new_kind: Some(Kind::Regular),
        binary: false,
        omitted: None,
        added: 100,
        removed: 0,
        size: 4_000,
        hunks: vec![Hunk { header: String::new(), lines: (1..=100).map(|n| line(f, n)).collect() }],
    };
    let texts = (0..10).map(|f| (path(f), (1..=100).map(|n| text(f, n) + "\n").collect())).collect();
    (Subject { files: (0..10).map(file).collect(), ..Subject::empty() }, texts)
}

fn findings(subject: &Subject, texts: &BTreeMap<String, String>) -> Vec<Judged> {
    let finding = |n: u32| Finding {
        claim: format!("`add_{}` overflows when `weight_{n}` is large, so the total is wrong.", n % 10),
        category: "edge-case".to_owned(),
        severity: Severity::Medium,
        confidence: 80,
        load_bearing: true,
        basis: Basis::Judgement,
        anchor: Some(Anchor {
            path: format!("src/part_{}.rs", n % 10),
            side: Side::New,
            lines: Some(Lines { first: n, last: n }),
            quote: None,
            section: None,
        }),
        evidence: None,
        fix_hint: None,
        replacement: None,
        reach: Reach::Tactical,
    };
    let reported = (1..=100).map(|n| Reported { lens: "adversarial".to_owned(), finding: finding(n) }).collect();
    let mut sources = SourceTexts::default();
    for (path, text) in texts {
        sources.insert(path.clone(), Side::New, text.clone());
    }
    let (located, _) = locate(subject, &sources, reported);
    located.into_iter().map(review_loop_core::locate::Located::into_judged).collect()
}

fn bench(criterion: &mut Criterion) {
    let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (config, folder) = (config(), tempfile::tempdir().unwrap());
    let (subject, texts) = subject();
    let judged = findings(&subject, &texts);
    let selection = lenses::select(&config, Mode::Code, &[]).unwrap();
    let run = Run {
        runtime: Runtime::new(Some(folder.path()), config.limits.lens(), config.limits.falsifier()).unwrap().0,
        subject: Arc::new(subject),
        sources: Sources::from_memory(
            BTreeMap::new(),
            texts.into_iter().map(|(path, text)| (path, text.into_bytes())).collect(),
        ),
        meter: Arc::new(Meter::new(Arc::new(Slow), config.llm.budget.clone())),
        brief: Arc::default(),
        watch: Arc::new(|_, _| {}),
        interrupt: Interrupt::never(),
    };
    // The first run compiles; what is measured is every later one.
    executor.block_on(look(&run, &selection));
    executor.block_on(attack(&run, &selection, &config, judged.clone()));

    let mut group = criterion.benchmark_group("a model that takes 1 s");
    group.sample_size(10).measurement_time(Duration::from_secs(20));
    group.bench_function("5 lenses", |b| b.iter(|| executor.block_on(look(&run, &selection))));
    group.bench_function("2 falsifiers, 100 findings", |b| {
        b.iter(|| executor.block_on(attack(&run, &selection, &config, judged.clone())));
    });
    group.finish();
}

async fn look(run: &Run, selection: &Selection) {
    let reviewed = lenses::review(run, &selection.lenses, &ModelUse::Asked("a timer".to_owned())).await;
    assert_eq!(reviewed.gaps, [], "the lenses did not do all of their work");
}

async fn attack(run: &Run, selection: &Selection, config: &Config, mut judged: Vec<Judged>) {
    lenses::falsify(run, &selection.falsifiers, &config.judge.falsify, &mut judged).await;
    assert!(judged.iter().all(|judged| judged.verdicts.len() == 2), "a falsifier left findings out");
}

criterion_group!(benches, bench);
criterion_main!(benches);
