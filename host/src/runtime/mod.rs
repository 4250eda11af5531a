//! Components in their sandboxes. The only place that names wasmtime.
//!
//! ```text
//! bytes -> cache (compile once) -> permissions (imports against grant) -> component (probe) -> call (store, limits) -> report
//! ```
//!
//! A component is never trusted. It gets a fresh store for each call, an address space with a bound, a share of the
//! processor with a bound, and of the machine nothing: no file, no environment, no network. What it asks of the host goes
//! through `host/`, one file an interface.

mod bindings;
mod cache;
mod call;
mod component;
mod engine;
mod host;
mod interrupt;
mod limits;
mod permissions;
mod stdio;

use std::path::Path;
use std::sync::Arc;

use review_loop_core::outcome::{Failure, Role};
use wasmtime::Engine;

pub use cache::digest;
pub use call::{Access, Context, Event, Level, Observe};
pub use component::{Component, Unfinished};
pub use interrupt::{Interrupt, Interrupter};
pub use limits::Limits;
pub use permissions::{Grant, Shape};

use cache::Cache;
use component::failure;
use interrupt::INTERRUPTED;

/// Compiles components and makes them callable.
#[derive(Clone)]
pub struct Runtime {
    engine: Engine,
    cache: Cache,
    lens_limits: Arc<Limits>,
    falsifier_limits: Arc<Limits>,
}

impl Runtime {
    /// Starts an engine. `cache` is the folder for compiled components; the second value says why they are not kept,
    /// where they are not.
    ///
    /// # Errors
    /// This machine cannot run the engine at all.
    pub fn new(
        cache: Option<&Path>,
        lens_limits: Limits,
        falsifier_limits: Limits,
    ) -> Result<(Self, Option<String>), Failure> {
        let engine = engine::start().map_err(|error| failure("compile", format!("{error:#}"), None))?;
        let (cache, complaint) = Cache::open(cache, &engine);
        let (lens_limits, falsifier_limits) = (Arc::new(lens_limits), Arc::new(falsifier_limits));
        Ok((Self { engine, cache, lens_limits, falsifier_limits }, complaint))
    }

    /// Compiles a component, or finds it compiled, holds its imports against `grant`, and asks it what it is.
    ///
    /// # Errors
    /// It is too large, no component, wants more than it is granted, or does not answer.
    pub async fn load(
        &self,
        bytes: &Arc<[u8]>,
        role: Role,
        grant: Grant,
        nothing: &Context,
    ) -> Result<Component, Failure> {
        let limits = match role {
            Role::Lens => &self.lens_limits,
            Role::Falsifier => &self.falsifier_limits,
        };
        if bytes.len() as u64 > limits.component_bytes {
            let reason = format!("it has {} bytes; {} is the limit", bytes.len(), limits.component_bytes);
            return Err(failure("read", reason, None));
        }
        let (cache, engine, bytes) = (self.cache.clone(), self.engine.clone(), Arc::clone(bytes));
        let compiling = tokio::task::spawn_blocking(move || cache.compile(&engine, &bytes));
        let compiled = tokio::select! {
            biased;
            () = nothing.interrupt.wait() => return Err(failure("compile", INTERRUPTED.to_owned(), None)),
            compiled = compiling => compiled,
        };
        let compiled = compiled
            .map_err(|error| failure("compile", format!("the compiler failed: {error}"), None))?
            .map_err(|error| failure("compile", call::one_line(&format!("{error:#}")), None))?;
        let component = Component::probe(&self.engine, &compiled, grant, limits, nothing).await?;
        if component.shape.role == role {
            return Ok(component);
        }
        let wanted = if role == Role::Lens { "a lens" } else { "a falsifier" };
        Err(failure("link", format!("it is not {wanted}"), None))
    }
}
