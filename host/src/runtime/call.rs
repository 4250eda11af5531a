//! One call of a component: a fresh store, its bounds, and what became of it.

use std::sync::Arc;

use review_loop_core::finding::Report;
use review_loop_core::outcome::{Failure, Usage};
use review_loop_core::subject::Subject;
use wasmtime::component::{HasData, ResourceTable};
use wasmtime::{Engine, Store, Trap};
use wasmtime_wasi::{I32Exit, WasiCtx, WasiCtxView, WasiView};

use super::interrupt::{INTERRUPTED, Interrupt};
use super::limits::{Allowance, Compute, Growth, Hit, Limits};
use super::stdio::Tail;
use crate::llm::meter::Meter;
use crate::llm::{self, Brief};
use crate::scope::Sources;

/// What a component gets for one call: the subject, its sources, a model, and someone who listens.
#[derive(Clone)]
pub struct Context {
    /// What is under review.
    pub subject: Arc<Subject>,
    /// The files around it.
    pub sources: Sources,
    /// The model, and this component's account with it.
    pub model: Access,
    /// Told what the component says while it works.
    pub observe: Observe,
    /// Ends the call before its time.
    pub interrupt: Interrupt,
}

/// One component's way to the model.
#[derive(Clone)]
pub struct Access {
    /// The run's account.
    pub meter: Arc<Meter>,
    /// What stands at the front of every prompt that asks for it.
    pub brief: Arc<Brief>,
    /// Whose calls these are.
    pub component: String,
}

impl Access {
    pub(super) fn available(&self) -> bool {
        self.meter.available()
    }

    pub(super) async fn complete(&self, request: &llm::Request) -> Result<llm::Reply, llm::Error> {
        self.meter.complete(&self.component, &self.brief, request).await
    }

    /// What this component's calls have cost so far.
    fn usage(&self) -> Usage {
        self.meter.usage_of(&self.component)
    }
}

/// Told what a component says while it works. Must not block.
pub type Observe = Arc<dyn Fn(Event<'_>) + Send + Sync>;

/// Something that a component says while it works. Untrusted text.
#[derive(Debug)]
pub enum Event<'a> {
    /// What it is at, in a few words.
    Progress(&'a str),
    /// The model answered it: what it has spent so far. The host's own words.
    Spent(Usage),
    /// A message.
    Log {
        /// How much it matters.
        level: Level,
        /// What it says.
        message: &'a str,
    },
}

/// How much a message matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the usual levels")]
pub enum Level {
    Debug,
    Info,
    Warn,
}

/// What a store holds: the component's view of the world, and what it has left.
pub(crate) struct State {
    pub(super) subject: Arc<Subject>,
    pub(super) sources: Sources,
    pub(super) model: Access,
    pub(super) observe: Observe,
    pub(super) limits: Arc<Limits>,
    pub(super) source_left: Allowance,
    handed_over: Option<Report>,
    log_left: Allowance,
    calls_left: Allowance,
    growth: Growth,
    hit: Hit,
    wasi: WasiCtx,
    table: ResourceTable,
}

/// Lends a store's state to the contract's interfaces.
pub(super) struct Lend;

impl HasData for Lend {
    type Data<'a> = &'a mut State;
}

impl State {
    fn new(context: &Context, limits: &Arc<Limits>, hit: &Hit, tail: &Tail) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles);
        Self {
            subject: Arc::clone(&context.subject),
            sources: context.sources.clone(),
            model: context.model.clone(),
            observe: Arc::clone(&context.observe),
            limits: Arc::clone(limits),
            source_left: Allowance::new(limits.source_bytes),
            handed_over: None,
            log_left: Allowance::new(limits.log_bytes as u64),
            calls_left: Allowance::new(limits.host_calls),
            growth: Growth::new(limits, hit.clone()),
            hit: hit.clone(),
            // Nothing is inherited: no arguments, no environment, no folder, no network.
            wasi: WasiCtx::builder().stdout(tail.clone()).stderr(tail.clone()).build(),
            table,
        }
    }

    /// Says what the component has spent so far.
    pub(super) fn tell_usage(&self) {
        (self.observe)(Event::Spent(self.model.usage()));
    }

    /// Counts a call into the host.
    pub(super) fn count_call(&mut self) -> wasmtime::Result<()> {
        let limit = self.limits.host_calls;
        if self.calls_left.take(1) {
            return Ok(());
        }
        Err(self.stop(format!("it called the host more than {limit} times")))
    }

    /// Takes from the allowance for log messages. An empty message counts too.
    pub(super) fn take_log(&mut self, bytes: usize) -> wasmtime::Result<()> {
        let limit = self.limits.log_bytes;
        if self.log_left.take(bytes as u64 + 1) {
            return Ok(());
        }
        Err(self.stop(format!("it logged more than {limit} bytes")))
    }

    /// Keeps a report as far as it goes, in place of the one before.
    pub(super) fn keep_report(&mut self, so_far: Report) -> wasmtime::Result<()> {
        match over_the_limit(&so_far, &self.limits) {
            Some(why) => Err(self.stop(why)),
            None => {
                self.handed_over = Some(so_far);
                Ok(())
            }
        }
    }

    fn stop(&self, why: String) -> wasmtime::Error {
        self.hit.set(|| why.clone());
        wasmtime::Error::msg(why)
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// A store for one call, and what is needed to say how the call ended.
pub(super) struct Call {
    pub(super) store: Store<State>,
    limits: Arc<Limits>,
    hit: Hit,
    tail: Tail,
    interrupt: Interrupt,
}

impl Call {
    pub(super) fn new(engine: &Engine, context: &Context, limits: &Arc<Limits>) -> Self {
        let (hit, tail) = (Hit::default(), Tail::new(limits.stderr_bytes));
        let mut store = Store::new(engine, State::new(context, limits, &hit, &tail));
        store.limiter(|state| &mut state.growth);
        store.set_hostcall_fuel(limits.string_bytes);
        store.set_max_component_handles(limits.handles);
        store.set_epoch_deadline(1);
        let compute = Compute::new(limits, hit.clone());
        store.epoch_deadline_callback(move |_| Ok(compute.tick()));
        Self { store, limits: Arc::clone(limits), hit, tail, interrupt: context.interrupt.clone() }
    }

    /// Runs one step of the call under its wall clock.
    ///
    /// # Errors
    /// The step failed or took too long; the store must not be used again.
    pub(super) async fn within<T>(
        &mut self,
        phase: &str,
        step: impl AsyncFnOnce(&mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, Failure> {
        let stepping = tokio::time::timeout(self.limits.wall_clock, step(&mut self.store));
        let stepped = tokio::select! {
            stepped = stepping => stepped,
            () = self.interrupt.wait() => return Err(self.failed(phase, INTERRUPTED.to_owned())),
        };
        match stepped {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(self.failure(phase, &error)),
            Err(_) => {
                let seconds = self.limits.wall_clock.as_secs_f32();
                Err(self.failed(phase, format!("it took longer than {seconds} s")))
            }
        }
    }

    /// What the component handed over before the call ended. The store is not run again for it.
    pub(super) fn handed_over(&mut self) -> Option<Report> {
        self.store.data_mut().handed_over.take()
    }

    fn failure(&self, phase: &str, error: &wasmtime::Error) -> Failure {
        let reason = self.hit.get().unwrap_or_else(|| reason(error));
        self.failed(phase, reason)
    }

    fn failed(&self, phase: &str, reason: String) -> Failure {
        Failure { phase: phase.to_owned(), reason, stderr: self.tail.text(), hint: None }
    }
}

/// Why a report has too many findings, if it has.
pub(super) fn over_the_limit(report: &Report, limits: &Limits) -> Option<String> {
    let (count, most) = (report.findings.len(), limits.findings);
    (count > most).then(|| format!("it reported {count} findings; {most} is the limit"))
}

/// What happened, in one line, for a person who does not know the runtime's words.
fn reason(error: &wasmtime::Error) -> String {
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        return format!("it ended its process with code {} instead of answering", exit.0);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::UnreachableCodeReached) => "it panicked".to_owned(),
        Some(Trap::StackOverflow) => "it used up its stack".to_owned(),
        Some(trap) => format!("it trapped: {trap}"),
        None => one_line(&format!("{error:#}")),
    }
}

/// The runtime's messages carry back traces behind their first lines.
pub(super) fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take_while(|line| !line.starts_with("wasm backtrace")).collect::<Vec<_>>().join(" ")
}
