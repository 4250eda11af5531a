//! Which components run, and running them: every lens at once over the subject, every falsifier over what was found.

mod built_in;
mod falsify;
mod registry;
mod report;
mod review;

use std::sync::Arc;
use std::time::Instant;

use review_loop_core::outcome::{ComponentRun, RunState};
use review_loop_core::subject::Subject;

use crate::llm::meter::Meter;
use crate::llm::{Brief, none};
use crate::runtime::{Access, Context, Event, Interrupt, Observe, Runtime};
use crate::scope::Sources;

pub use built_in::BUILT_IN;
pub use falsify::falsify;
pub use registry::{Entry, Selection, Unknown, all, select};
pub use review::{Reviewed, review};

/// What all components of a run share.
#[derive(Clone)]
pub struct Run {
    /// The sandbox.
    pub runtime: Runtime,
    /// What is under review.
    pub subject: Arc<Subject>,
    /// The files around it.
    pub sources: Sources,
    /// The model and the run's account.
    pub meter: Arc<Meter>,
    /// The front of every prompt.
    pub brief: Arc<Brief>,
    /// Told what the components say while they work.
    pub watch: Watch,
    /// Ends what is at work before its time.
    pub interrupt: Interrupt,
}

/// Told what a component, by its id, says while it works.
pub type Watch = Arc<dyn Fn(&str, Step<'_>) + Send + Sync>;

/// A step of a component's run.
#[derive(Debug)]
pub enum Step<'a> {
    /// It begins.
    Started,
    /// It says something. Untrusted text.
    Said(Event<'a>),
    /// It ended, one way or the other.
    Ended,
}

impl Run {
    fn context(&self, component: &str) -> Context {
        Context {
            subject: Arc::clone(&self.subject),
            sources: self.sources.clone(),
            model: Access {
                meter: Arc::clone(&self.meter),
                brief: Arc::clone(&self.brief),
                component: component.to_owned(),
            },
            observe: self.observer(component),
            interrupt: self.interrupt.clone(),
        }
    }

    /// What a component is loaded with: nothing to see, and an end before its time.
    fn nothing(&self) -> Context {
        Context { interrupt: self.interrupt.clone(), ..nothing() }
    }

    fn observer(&self, component: &str) -> Observe {
        let (watch, component) = (Arc::clone(&self.watch), component.to_owned());
        Arc::new(move |event| watch(&component, Step::Said(event)))
    }

    fn component_run(&self, entry: &Entry, version: String, state: RunState, started: Instant) -> ComponentRun {
        ComponentRun {
            id: entry.id.clone(),
            version,
            role: entry.role,
            state,
            usage: self.meter.usage_of(&entry.id),
            elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// A context without anything in it: what a component is asked `describe` with.
#[must_use]
pub fn nothing() -> Context {
    let budget = crate::llm::settings::Budget::default();
    Context {
        subject: Arc::new(Subject::empty()),
        sources: Sources::from_memory(Default::default(), Default::default()),
        model: Access {
            meter: Arc::new(Meter::new(Arc::new(none::Unavailable), budget)),
            brief: Arc::default(),
            component: String::new(),
        },
        observe: Arc::new(|_| {}),
        interrupt: Interrupt::never(),
    }
}
