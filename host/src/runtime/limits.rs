//! What one call of a component may use, and the word for what it ran into.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wasmtime::{ResourceLimiter, StoreLimits, StoreLimitsBuilder, UpdateDeadline};

use super::engine::TICK;

/// The bounds of one call. Every one of them is a key under `[limits]` in the configuration.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of a component file.
    pub component_bytes: u64,
    /// Bytes of linear memory, all memories of a component together.
    pub memory_bytes: usize,
    /// Elements of all tables.
    pub table_elements: usize,
    /// Core instances, and memories and tables likewise.
    pub instances: usize,
    /// Handles that a component may hold at once.
    pub handles: usize,
    /// Time that the component itself computes; waiting for a model or a file is not part of it.
    pub compute: Duration,
    /// Wall clock of one call, waiting included.
    pub wall_clock: Duration,
    /// Bytes that may cross from the component to the host in one go.
    pub string_bytes: usize,
    /// Findings of one report, whatever the component's own cap.
    pub findings: usize,
    /// Bytes of log messages of one call.
    pub log_bytes: usize,
    /// Bytes of stderr and stdout that are kept; what is over that is dropped.
    pub stderr_bytes: usize,
    /// Bytes of sources that one call may read in all.
    pub source_bytes: u64,
    /// Bytes of one `source.read`.
    pub source_file_bytes: u64,
    /// Matches or paths of one `source` call.
    pub source_matches: usize,
    /// Calls into the host, of all interfaces together.
    pub host_calls: u64,
}

/// What a call ran into, said by whichever bound was hit first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hit(Arc<Mutex<Option<String>>>);

impl Hit {
    /// Records what was hit; the first word stands.
    pub(crate) fn set(&self, what: impl FnOnce() -> String) {
        if let Ok(mut hit) = self.0.lock() {
            hit.get_or_insert_with(what);
        }
    }

    pub(crate) fn get(&self) -> Option<String> {
        self.0.lock().ok().and_then(|hit| hit.clone())
    }
}

/// Memory and tables: refuses to grow over the bound, and remembers that it did.
pub(crate) struct Growth {
    inner: StoreLimits,
    memory_bytes: usize,
    used: usize,
    hit: Hit,
}

impl Growth {
    pub(crate) fn new(limits: &Limits, hit: Hit) -> Self {
        let inner = StoreLimitsBuilder::new()
            .memory_size(limits.memory_bytes)
            .table_elements(limits.table_elements)
            .instances(limits.instances)
            .memories(limits.instances)
            .tables(limits.instances)
            .build();
        Self { inner, memory_bytes: limits.memory_bytes, used: 0, hit }
    }
}

impl ResourceLimiter for Growth {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        // The library's bound is per memory; a component with nine hundred memories must not get nine hundred bounds.
        let total = self.used.saturating_add(desired.saturating_sub(current));
        if total > self.memory_bytes || !self.inner.memory_growing(current, desired, maximum)? {
            let mib = self.memory_bytes >> 20;
            self.hit.set(|| format!("it asked for more than {mib} MiB of memory"));
            return Ok(false);
        }
        self.used = total;
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let granted = self.inner.table_growing(current, desired, maximum)?;
        if !granted {
            self.hit.set(|| "it asked for a table larger than the limit".to_owned());
        }
        Ok(granted)
    }

    fn instances(&self) -> usize {
        self.inner.instances()
    }

    fn tables(&self) -> usize {
        self.inner.tables()
    }

    fn memories(&self) -> usize {
        self.inner.memories()
    }
}

/// Counts the ticks that pass while the component itself runs. A component that waits in the host is not interrupted,
/// so waiting costs it nothing; the wall clock bounds that.
pub(crate) struct Compute {
    ticks: AtomicU64,
    allowed: u64,
    hit: Hit,
}

impl Compute {
    pub(crate) fn new(limits: &Limits, hit: Hit) -> Self {
        let allowed = limits.compute.as_millis().div_ceil(TICK.as_millis());
        Self { ticks: AtomicU64::new(0), allowed: u64::try_from(allowed).unwrap_or(u64::MAX), hit }
    }

    /// Called once a tick while the component runs: lets the others have a turn, and stops it when its time is up.
    pub(crate) fn tick(&self) -> UpdateDeadline {
        if self.ticks.fetch_add(1, Ordering::Relaxed) >= self.allowed {
            let seconds = (TICK * u32::try_from(self.allowed).unwrap_or(u32::MAX)).as_secs_f32();
            self.hit.set(|| format!("it computed for more than {seconds} s"));
            return UpdateDeadline::Interrupt;
        }
        UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now()))
    }
}

/// A cumulative allowance of one call: what no single call to the host goes over, many together would.
#[derive(Debug)]
pub(crate) struct Allowance {
    left: u64,
}

impl Allowance {
    pub(crate) fn new(amount: u64) -> Self {
        Self { left: amount }
    }

    /// Takes `amount` and says whether it was there.
    pub(crate) fn take(&mut self, amount: u64) -> bool {
        let enough = self.left >= amount;
        self.left = self.left.saturating_sub(amount);
        enough
    }
}
