//! Components that misbehave: each is stopped, named and told apart, and nothing else comes to harm.

mod misbehaving;
mod refused;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use review_loop::lenses::nothing;
use review_loop::runtime::{Context, Limits, Runtime};
use review_loop::scope::Sources;
use review_loop_core::outcome::Failure;
use review_loop_core::subject::{File, Kind, Status, Subject};

/// Small bounds, so that the tests are quick; every one of them is hit by a test.
fn limits() -> Limits {
    Limits {
        component_bytes: 1 << 20,
        memory_bytes: 32 << 20,
        table_elements: 10_000,
        instances: 16,
        handles: 100,
        compute: Duration::from_secs(2),
        wall_clock: Duration::from_secs(8),
        string_bytes: 8 << 20,
        findings: 200,
        log_bytes: 1 << 16,
        stderr_bytes: 200,
        source_bytes: 1 << 20,
        source_file_bytes: 1 << 18,
        source_matches: 100,
        host_calls: 1_000,
    }
}

fn runtime() -> Runtime {
    Runtime::new(Some(&crate::support::guests::cache()), limits(), limits()).unwrap().0
}

/// A subject whose one file has this path.
fn subject(path: &str) -> Context {
    let file = File {
        path: path.to_owned(),
        old_path: None,
        status: Status::Added,
        old_kind: None,
        new_kind: Some(Kind::Regular),
        binary: false,
        omitted: None,
        added: 0,
        removed: 0,
        size: 0,
        hunks: Vec::new(),
    };
    let sources = BTreeMap::from([("a.txt".to_owned(), b"a\n".to_vec())]);
    Context {
        subject: Arc::new(Subject { files: vec![file], ..Subject::empty() }),
        sources: Sources::from_memory(BTreeMap::new(), sources),
        ..nothing()
    }
}

/// A failure as a person would be told of it.
fn told(failure: &Failure) -> String {
    let mut told = format!("{}: {}", failure.phase, failure.reason);
    if !failure.stderr.is_empty() {
        told += &format!("\nstderr: {}", failure.stderr);
    }
    if let Some(hint) = &failure.hint {
        told += &format!("\nhint: {hint}");
    }
    told
}
