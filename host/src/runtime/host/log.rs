//! `log`: messages and progress, for the person who runs the host. Flooding ends the call.

use wasmtime::Result;

use crate::runtime::bindings::v0_1::log as wit;
use crate::runtime::call::State;
use crate::runtime::{Event, Level};

impl wit::Host for State {
    async fn write(&mut self, level: wit::Level, message: String) -> Result<()> {
        self.take_log(message.len())?;
        let level = match level {
            wit::Level::Debug => Level::Debug,
            wit::Level::Info => Level::Info,
            wit::Level::Warn => Level::Warn,
        };
        (self.observe)(Event::Log { level, message: &message });
        Ok(())
    }

    async fn progress(&mut self, message: String) -> Result<()> {
        self.take_log(message.len())?;
        (self.observe)(Event::Progress(&message));
        Ok(())
    }
}
