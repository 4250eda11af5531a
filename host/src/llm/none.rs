//! No model: every request is turned away.

use futures_util::future::{BoxFuture, ready};

use super::{Brief, Error, Model, Reply, Request, Started};

/// Stands where no model is to be asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unavailable;

impl Model for Unavailable {
    fn name(&self) -> String {
        "none".to_owned()
    }

    fn complete_streaming<'a>(
        &'a self,
        _: &'a Brief,
        _: &'a Request,
        _: Started<'a>,
    ) -> BoxFuture<'a, Result<Reply, Error>> {
        Box::pin(ready(Err(Error::Unavailable)))
    }

    fn available(&self) -> bool {
        false
    }
}
