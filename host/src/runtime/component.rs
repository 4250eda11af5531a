//! A component, compiled, examined and tried once: ready to be called.

use std::sync::Arc;

use review_loop_core::finding::{Description, Finding, Report, Verdict};
use review_loop_core::outcome::{Failure, Role};
use wasmtime::Engine;
use wasmtime::component::{Component as Compiled, Linker};

use super::bindings::v0_1::falsifier::FalsifierPre;
use super::bindings::v0_1::lens::LensPre;
use super::bindings::v0_1::{lens::review_loop::lens as imports, types};
use super::call::{Call, Context, Lend, State, one_line, over_the_limit};
use super::limits::Limits;
use super::permissions::{self, Grant, Shape};

/// Ready to be called, as often and from as many tasks as one likes: each call has a store of its own.
#[derive(Clone)]
pub struct Component {
    /// What it says it is.
    pub description: Description,
    /// What its type says it is and wants.
    pub shape: Shape,
    engine: Engine,
    limits: Arc<Limits>,
    exports: Exports,
}

/// A call of a lens that ended without a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished {
    /// Why.
    pub failure: Failure,
    /// The report as far as the lens handed it over before.
    pub handed_over: Option<Report>,
}

#[derive(Clone)]
enum Exports {
    Lens(LensPre<State>),
    Falsifier(FalsifierPre<State>),
}

impl Component {
    /// Examines a compiled component and tries it: types of interfaces are only checked when a component is
    /// instantiated, so it is instantiated here, once, and asked what it is.
    pub(super) async fn probe(
        engine: &Engine,
        compiled: &Compiled,
        grant: Grant,
        limits: &Arc<Limits>,
        nothing: &Context,
    ) -> Result<Self, Failure> {
        let shape = permissions::examine(engine, &compiled.component_type(), grant)
            .map_err(|refusal| failure("link", refusal.to_string(), refusal.hint()))?;
        let exports = link(engine, compiled, grant, shape.role)
            .map_err(|error| failure("link", one_line(&format!("{error:#}")), None))?;
        let mut component = Self {
            description: Description {
                id: String::new(),
                version: String::new(),
                summary: String::new(),
                modes: Vec::new(),
                categories: Vec::new(),
                max_findings: 0,
            },
            shape,
            engine: engine.clone(),
            limits: Arc::clone(limits),
            exports,
        };
        component.description = component.describe(nothing).await?;
        check_description(&component.description)?;
        Ok(component)
    }

    async fn describe(&self, nothing: &Context) -> Result<Description, Failure> {
        let mut call = Call::new(&self.engine, nothing, &self.limits);
        let described = match &self.exports {
            Exports::Lens(pre) => {
                let lens = call.within("instantiate", async |store| pre.instantiate_async(store).await).await?;
                call.within("run", async |store| lens.review_loop_lens_reviewer().call_describe(store).await).await?
            }
            Exports::Falsifier(pre) => {
                let falsifier = call.within("instantiate", async |store| pre.instantiate_async(store).await).await?;
                call.within("run", async |store| falsifier.review_loop_lens_disprover().call_describe(store).await)
                    .await?
            }
        };
        Ok(described.into())
    }

    /// Has a lens review the context's subject.
    ///
    /// # Errors
    /// It has no report: it is no lens, it failed, or it went over a bound. What it handed over before that is there.
    pub async fn review(&self, context: &Context) -> Result<Report, Unfinished> {
        let Exports::Lens(pre) = &self.exports else {
            return Err(Unfinished { failure: wrong_role("a lens"), handed_over: None });
        };
        let mut call = Call::new(&self.engine, context, &self.limits);
        match self.review_in(&mut call, pre).await {
            Ok(report) => Ok(report),
            Err(failure) => Err(Unfinished { failure, handed_over: call.handed_over() }),
        }
    }

    async fn review_in(&self, call: &mut Call, pre: &LensPre<State>) -> Result<Report, Failure> {
        let lens = call.within("instantiate", async |store| pre.instantiate_async(store).await).await?;
        let report: Report = call
            .within("run", async |store| lens.review_loop_lens_reviewer().call_review(store).await)
            .await?
            .map_err(said)?
            .into();
        match over_the_limit(&report, &self.limits) {
            None => Ok(report),
            Some(reason) => Err(failure("run", reason, None)),
        }
    }

    /// Has a falsifier try to disprove findings: one verdict for each, in order.
    ///
    /// # Errors
    /// There are no verdicts: it is no falsifier, it failed, it went over a bound, or it answered for another number of
    /// findings than it was given.
    pub async fn falsify(&self, context: &Context, findings: &[Finding]) -> Result<Vec<Verdict>, Failure> {
        let Exports::Falsifier(pre) = &self.exports else {
            return Err(wrong_role("a falsifier"));
        };
        let findings: Vec<types::Finding> = findings.iter().cloned().map(Into::into).collect();
        let mut call = Call::new(&self.engine, context, &self.limits);
        let falsifier = call.within("instantiate", async |store| pre.instantiate_async(store).await).await?;
        let verdicts = call
            .within("run", async |store| falsifier.review_loop_lens_disprover().call_falsify(store, &findings).await)
            .await?
            .map_err(said)?;
        if verdicts.len() != findings.len() {
            let reason = format!("it gave {} verdicts on {} findings", verdicts.len(), findings.len());
            return Err(failure("run", reason, None));
        }
        Ok(verdicts.into_iter().map(Into::into).collect())
    }
}

/// Links what is granted and no more.
fn link(engine: &Engine, compiled: &Compiled, grant: Grant, role: Role) -> wasmtime::Result<Exports> {
    let mut linker = Linker::<State>::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    imports::types::add_to_linker::<_, Lend>(&mut linker, |state| state)?;
    imports::subject::add_to_linker::<_, Lend>(&mut linker, |state| state)?;
    imports::source::add_to_linker::<_, Lend>(&mut linker, |state| state)?;
    imports::log::add_to_linker::<_, Lend>(&mut linker, |state| state)?;
    imports::handover::add_to_linker::<_, Lend>(&mut linker, |state| state)?;
    if grant.model {
        imports::llm::add_to_linker::<_, Lend>(&mut linker, |state| state)?;
    }
    let pre = linker.instantiate_pre(compiled)?;
    Ok(match role {
        Role::Lens => Exports::Lens(LensPre::new(pre)?),
        Role::Falsifier => Exports::Falsifier(FalsifierPre::new(pre)?),
    })
}

/// Ids become file names, rule ids and words on a terminal.
fn check_description(description: &Description) -> Result<(), Failure> {
    let well_formed = |id: &str| {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        !id.is_empty() && id.len() <= 64 && id.chars().all(allowed)
    };
    let ids = description.categories.iter().map(|category| &category.id).chain([&description.id]);
    match ids.into_iter().find(|id| !well_formed(id)) {
        None => Ok(()),
        Some(id) => {
            let reason = format!("it calls itself or a category `{}`", id.escape_debug());
            let hint = "ids are lower case letters, digits and `-`, at most 64".to_owned();
            Err(failure("run", reason, Some(hint)))
        }
    }
}

fn said(said: types::Failure) -> Failure {
    let reason = match said {
        types::Failure::Model(why) => format!("the model: {why}"),
        types::Failure::Unreadable(why) => format!("the model's reply could not be read: {why}"),
        types::Failure::Other(why) => why,
    };
    failure("run", one_line(&reason), None)
}

fn wrong_role(wanted: &str) -> Failure {
    failure("link", format!("it is not {wanted}"), None)
}

pub(super) fn failure(phase: &str, reason: String, hint: Option<String>) -> Failure {
    Failure { phase: phase.to_owned(), reason, stderr: String::new(), hint }
}
