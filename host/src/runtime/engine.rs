//! The engine that compiles and runs components, and the clock that interrupts them.

use std::thread;
use std::time::Duration;

use wasmtime::{Config, Engine};

/// How often a running component is interrupted to be counted.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// An engine with nothing on that a component does not need, and its ticker.
///
/// The ticker is a thread of the operating system, since a component that spins can starve an executor's own timers.
/// It ends with the engine.
#[expect(clippy::disallowed_methods, reason = "the ticker's own thread, not an executor's")]
pub(crate) fn start() -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config.epoch_interruption(true);
    config.concurrency_support(false);
    // A guest's back trace says where in the guest it failed; the host's own frames would say nothing to anyone.
    config.native_unwind_info(false);
    let engine = Engine::new(&config)?;
    let ticking = engine.weak();
    thread::Builder::new().name("epochs".to_owned()).spawn(move || {
        while let Some(engine) = ticking.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(TICK);
        }
    })?;
    Ok(engine)
}
