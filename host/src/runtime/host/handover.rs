//! `handover`: the report as far as it goes, for the case that the call ends without one.

use wasmtime::Result;

use crate::runtime::bindings::v0_1::{handover as wit, types};
use crate::runtime::call::State;

impl wit::Host for State {
    async fn keep(&mut self, so_far: types::Report) -> Result<()> {
        self.count_call()?;
        self.keep_report(so_far.into())
    }
}
