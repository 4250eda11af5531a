//! Letting one request fill the provider's cache before the others that share its prompt are sent: requests sent at
//! the same instant all miss a cold cache, and each pays for the whole brief.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use super::{Brief, Request};

/// One lane per beginning of a prompt.
#[derive(Debug)]
pub struct CacheGate {
    keeps: Duration,
    lanes: Mutex<HashMap<u64, Arc<Lane>>>,
}

#[derive(Debug, Default)]
struct Lane {
    /// Until when the provider is taken to have the prompt.
    warm_until: Mutex<Option<Instant>>,
    /// Held by the request that goes ahead.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// Leave to send one request. Dropped before the reply started, it makes the next in line the first.
#[derive(Debug, Default)]
pub struct Pass {
    lane: Option<(Arc<Lane>, Duration)>,
    turn: Mutex<Option<OwnedMutexGuard<()>>>,
}

impl CacheGate {
    /// A gate in front of a provider that keeps a prompt for `keeps` after its last use.
    #[must_use]
    pub fn new(keeps: Duration) -> Self {
        Self { keeps, lanes: Mutex::default() }
    }

    /// Waits until the prompt is in the cache, or until it is this request's turn to put it there.
    pub async fn enter(&self, prompt: u64) -> Pass {
        let lane = Arc::clone(locked(&self.lanes).entry(prompt).or_default());
        let mut pass = Pass { lane: Some((Arc::clone(&lane), self.keeps)), turn: Mutex::default() };
        if !lane.is_warm() {
            let turn = Arc::clone(&lane.turn).lock_owned().await;
            if !lane.is_warm() {
                pass.turn = Mutex::new(Some(turn));
            }
        }
        pass
    }
}

impl Lane {
    fn is_warm(&self) -> bool {
        locked(&self.warm_until).is_some_and(|until| Instant::now() < until)
    }
}

impl Pass {
    /// The first token is there: the others may go.
    pub fn started(&self) {
        if let Some((lane, keeps)) = &self.lane {
            *locked(&lane.warm_until) = Some(Instant::now() + *keeps);
        }
        drop(locked(&self.turn).take());
    }
}

/// What the provider's cache is keyed by, as far as requests share it: the model, and everything up to the end of the
/// brief. Tools and a schema stand before the brief in a prompt, so requests that differ in them share nothing.
#[must_use]
pub fn prompt(brief: &Brief, request: &Request) -> u64 {
    let mut hasher = DefaultHasher::new();
    (request.tier, &request.schema, &brief.text).hash(&mut hasher);
    for tool in &request.tools {
        (&tool.name, &tool.description, &tool.input_schema).hash(&mut hasher);
    }
    hasher.finish()
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_goes_ahead_and_its_first_token_releases_the_others() {
        let gate = CacheGate::new(Duration::from_secs(60));
        let first = gate.enter(1).await;
        assert!(gate.enter(1).now_or_never().is_none());
        assert!(gate.enter(2).now_or_never().is_some(), "another prompt waits for nobody");
        first.started();
        assert!(gate.enter(1).now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn when_the_first_fails_the_next_becomes_the_first() {
        let gate = CacheGate::new(Duration::from_secs(60));
        let first = gate.enter(1).await;
        drop(first);
        let second = gate.enter(1).await;
        assert!(gate.enter(1).now_or_never().is_none());
        second.started();
        assert!(gate.enter(1).now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_prompt_that_nobody_used_for_long_is_filled_in_again() {
        let gate = CacheGate::new(Duration::from_secs(60));
        gate.enter(1).await.started();
        tokio::time::advance(Duration::from_secs(61)).await;
        let _first = gate.enter(1).await;
        assert!(gate.enter(1).now_or_never().is_none());
    }
}
