//! What a call of a lens costs before it does anything of its own: compile, map a compiled one, instantiate and describe,
//! review a small change.
//!
//! `cargo bench --bench lens`
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use review_loop::config::Layers;
use review_loop::lenses::{BUILT_IN, nothing};
use review_loop::runtime::{Context, Grant, Runtime};
use review_loop::scope::Sources;
use review_loop_core::outcome::Role;
use review_loop_core::subject::{Change, File, Hunk, Kind, Line, Status, Subject};

fn runtime(cache: Option<&std::path::Path>) -> Runtime {
    let limits = Layers::defaults().unwrap().resolve().unwrap().limits;
    Runtime::new(cache, limits.lens(), limits.falsifier()).unwrap().0
}

/// One added file of this many lines.
fn subject(lines: u32) -> Context {
    let text = |n: u32| format!("    let value_{n} = compute({n});");
    let line = |n| Line { change: Change::Added, old: None, new: Some(n), text: text(n), unterminated: false };
    let file = File {
        path: "src/added.rs".to_owned(),
        old_path: None,
        status: Status::Added,
        old_kind: None,
        new_kind: Some(Kind::Regular),
        binary: false,
        omitted: None,
        added: lines,
        removed: 0,
        size: u64::from(lines) * 30,
        hunks: vec![Hunk { header: String::new(), lines: (1..=lines).map(line).collect() }],
    };
    let content: String = (1..=lines).map(|n| text(n) + "\n").collect();
    let sources = BTreeMap::from([("src/added.rs".to_owned(), content.into_bytes())]);
    Context {
        subject: Arc::new(Subject { files: vec![file], ..Subject::empty() }),
        sources: Sources::from_memory(BTreeMap::new(), sources),
        ..nothing()
    }
}

fn bench(criterion: &mut Criterion) {
    let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let bytes: Arc<[u8]> =
        BUILT_IN.iter().find(|(name, _)| *name == "adversarial").map(|(_, b)| Arc::from(*b)).unwrap();
    let load = |runtime: &Runtime| {
        executor.block_on(runtime.load(&bytes, Role::Lens, Grant { model: true }, &nothing())).unwrap()
    };

    let mut group = criterion.benchmark_group("lens");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    let uncached = runtime(None);
    group.bench_function("compile and describe", |b| b.iter(|| load(&uncached)));
    group.sample_size(50);
    let cached = runtime(Some(folder.path()));
    load(&cached);
    group.bench_function("map compiled and describe", |b| b.iter(|| load(&cached)));
    let lens = load(&cached);
    for lines in [10, 1_000] {
        let context = subject(lines);
        group.bench_function(format!("instantiate and review {lines} lines"), |b| {
            b.iter(|| black_box(executor.block_on(lens.review(&context)).unwrap()));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
