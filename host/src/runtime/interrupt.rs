//! The user's wish to end a run: whatever is at work stops, and what is finished is shown.

use tokio::sync::watch;

/// Why a component that was at work has no report.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// Tells everything at work that it is to stop.
#[derive(Debug)]
pub struct Interrupter(watch::Sender<bool>);

/// Waits for that. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Interrupt(Option<watch::Receiver<bool>>);

impl Interrupter {
    /// One, and what listens to it.
    #[must_use]
    pub fn new() -> (Self, Interrupt) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Interrupt(Some(receiver)))
    }

    /// Stops what is at work, and what begins later.
    pub fn interrupt(&self) {
        self.0.send_replace(true);
    }
}

impl Interrupt {
    /// One that never comes.
    #[must_use]
    pub fn never() -> Self {
        Self(None)
    }

    /// Whether it came.
    #[must_use]
    pub fn came(&self) -> bool {
        self.0.as_ref().is_some_and(|receiver| *receiver.borrow())
    }

    /// Returns when it comes, which may be never.
    pub async fn wait(&self) {
        if let Some(mut receiver) = self.0.clone()
            && receiver.wait_for(|came| *came).await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn it_comes_once_for_all_who_wait_and_for_who_comes_late() {
        let (interrupter, interrupt) = Interrupter::new();
        let early = interrupt.clone();
        assert!(early.wait().now_or_never().is_none() && !early.came());
        interrupter.interrupt();
        assert!(early.wait().now_or_never().is_some());
        assert!(interrupt.wait().now_or_never().is_some() && interrupt.came());
    }

    #[test]
    fn it_does_not_come_because_nobody_is_left_to_send_it() {
        let (interrupter, interrupt) = Interrupter::new();
        drop(interrupter);
        assert!(interrupt.wait().now_or_never().is_none());
        assert!(Interrupt::never().wait().now_or_never().is_none());
    }
}
