//! The account that every model call of a run goes through: who may call, how often, how many at once, for how much.
//! What is sent has passed the redaction of credentials here.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use review_loop_core::outcome;
use tokio::sync::{Notify, Semaphore};

use super::cache_gate::{CacheGate, Pass, prompt};
use super::settings::Budget;
use super::{Brief, Error, Model, Part, Reply, Request, Usage};

/// A model with an account. One per run.
pub struct Meter {
    model: Arc<dyn Model>,
    budget: Budget,
    in_flight: Semaphore,
    gate: CacheGate,
    accounts: Mutex<Accounts>,
    /// Told whenever a reservation is settled.
    settled: Notify,
}

#[derive(Debug, Default)]
struct Accounts {
    run: Account,
    components: BTreeMap<String, Account>,
    /// Whether a call was turned away because a budget was spent.
    exhausted: bool,
}

#[derive(Debug, Clone, Default)]
struct Account {
    usage: outcome::Usage,
    /// Calls let through, answered or not.
    calls: u64,
    /// Tokens set aside for calls in flight.
    reserved: u64,
    /// Bounds the component's own calls in flight; none for the run.
    in_flight: Option<Arc<Semaphore>>,
}

/// Tokens set aside for one call. Settles itself when it is dropped, so that a call that is given up cannot leak.
struct Reservation<'m> {
    meter: &'m Meter,
    component: &'m str,
    estimate: Estimate,
    started: AtomicBool,
    actual: Option<Usage>,
}

/// What a call is expected to cost, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Estimate {
    input: u64,
    output: u64,
}

impl Meter {
    /// An account for one run.
    #[must_use]
    pub fn new(model: Arc<dyn Model>, budget: Budget) -> Self {
        let in_flight = Semaphore::new(budget.parallel.clamp(1, Semaphore::MAX_PERMITS));
        let gate = CacheGate::new(Duration::from_millis(budget.cache_keeps_ms));
        Self { model, budget, in_flight, gate, accounts: Mutex::default(), settled: Notify::new() }
    }

    /// Whether [`Meter::complete`] can succeed at all.
    pub fn available(&self) -> bool {
        self.model.available()
    }

    /// The model behind it.
    pub fn model(&self) -> &dyn Model {
        &*self.model
    }

    /// Answers one request of a component.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`] without asking, where the call would not fit; otherwise what the model says.
    pub async fn complete(&self, component: &str, brief: &Brief, request: &Request) -> Result<Reply, Error> {
        if !self.model.available() {
            return Err(Error::Unavailable);
        }
        request.check(brief)?;
        let request = &*request.without_secrets();
        let mut reservation = self.reserve(component, Estimate::of(brief, request)).await?;
        // Whoever waits here holds no permit: the one who is ahead may need it.
        let pass = self.pass(brief, request).await;
        let own = self.permits_of(component);
        let _own = own.acquire().await.map_err(|_| Error::Unavailable)?;
        let _permit = self.in_flight.acquire().await.map_err(|_| Error::Unavailable)?;
        let started = || {
            reservation.started.store(true, Ordering::Relaxed);
            pass.started();
        };
        let mut answer = self.model.complete_streaming(brief, request, &started).await;
        if let Ok(reply) = &mut answer {
            pass.started();
            reply.usage = told_or_estimated(reply, reservation.estimate);
            reservation.actual = Some(reply.usage);
        }
        answer
    }

    /// Answers several at once, in their order.
    pub async fn complete_all(
        &self,
        component: &str,
        brief: &Brief,
        requests: &[Request],
    ) -> Vec<Result<Reply, Error>> {
        join_all(requests.iter().map(|r| self.complete(component, brief, r))).await
    }

    /// What the run has cost so far.
    pub fn usage(&self) -> outcome::Usage {
        self.accounts().run.usage
    }

    /// What one component has cost so far.
    pub fn usage_of(&self, component: &str) -> outcome::Usage {
        self.accounts().components.get(component).map_or_else(outcome::Usage::default, |a| a.usage)
    }

    /// Whether a call was turned away because a budget was spent.
    pub fn exhausted(&self) -> bool {
        self.accounts().exhausted
    }

    /// Waits for calls in flight to settle where only what they might cost stands in the way.
    async fn reserve<'m>(&'m self, component: &'m str, estimate: Estimate) -> Result<Reservation<'m>, Error> {
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            match self.try_reserve(component, estimate) {
                Some(true) => {
                    let started = AtomicBool::new(false);
                    return Ok(Reservation { meter: self, component, estimate, started, actual: None });
                }
                Some(false) => settled.await,
                None => return Err(Error::BudgetExhausted),
            }
        }
    }

    /// Some(true): set aside. Some(false): it may fit later. None: it never will.
    fn try_reserve(&self, component: &str, estimate: Estimate) -> Option<bool> {
        let (ceiling, own_ceiling) = (self.budget.tokens_per_run, self.budget.tokens_per_component);
        let mut accounts = self.accounts();
        let run = accounts.run.fit(estimate, ceiling);
        let own = accounts.components.get(component).cloned().unwrap_or_default();
        let fits = run.max(own.fit(estimate, own_ceiling));
        if fits == Fit::Never || own.calls >= self.budget.calls_per_component {
            accounts.exhausted = true;
            return None;
        }
        if fits == Fit::Now {
            accounts.each(component, |account| {
                account.calls += 1;
                account.reserved += estimate.tokens();
            });
        }
        Some(fits == Fit::Now)
    }

    async fn pass(&self, brief: &Brief, request: &Request) -> Pass {
        let shared = tokens(brief.text.len());
        if self.model.caches() && request.wants_brief() && shared >= self.budget.cache_from_tokens {
            self.gate.enter(prompt(brief, request)).await
        } else {
            Pass::default()
        }
    }

    fn permits_of(&self, component: &str) -> Arc<Semaphore> {
        let most = self.budget.parallel_per_component.clamp(1, Semaphore::MAX_PERMITS);
        let mut accounts = self.accounts();
        let own = accounts.components.entry(component.to_owned()).or_default();
        Arc::clone(own.in_flight.get_or_insert_with(|| Arc::new(Semaphore::new(most))))
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Now,
    Later,
    Never,
}

impl Account {
    fn fit(&self, estimate: Estimate, ceiling: u64) -> Fit {
        let spent = self.usage.tokens().saturating_add(estimate.tokens());
        if spent > ceiling {
            Fit::Never
        } else if spent.saturating_add(self.reserved) > ceiling {
            Fit::Later
        } else {
            Fit::Now
        }
    }
}

impl Accounts {
    fn each(&mut self, component: &str, mut f: impl FnMut(&mut Account)) {
        f(&mut self.run);
        f(self.components.entry(component.to_owned()).or_default());
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let estimate = self.estimate;
        let used = match self.actual {
            Some(u) => outcome::Usage { calls: 1, input: u.input, cached: u.cached, output: u.output },
            // It broke off after the provider had read the prompt: that much is billed.
            None if self.started.load(Ordering::Relaxed) => {
                outcome::Usage { input: estimate.input, ..Default::default() }
            }
            None => outcome::Usage::default(),
        };
        self.meter.accounts().each(self.component, |account| {
            account.reserved = account.reserved.saturating_sub(estimate.tokens());
            account.usage.add(used);
        });
        self.meter.settled.notify_waiters();
    }
}

impl Estimate {
    fn of(brief: &Brief, request: &Request) -> Self {
        Self { input: tokens(request.bytes(brief)), output: u64::from(request.max_output_tokens) }
    }

    fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// Three bytes a token: code takes more tokens a byte than prose, and an estimate that is too high costs nothing.
fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(3)
}

/// Servers that count nothing do not get past a ceiling.
fn told_or_estimated(reply: &Reply, estimate: Estimate) -> Usage {
    if reply.usage.tokens() > 0 {
        return reply.usage;
    }
    let written = |part: &Part| match part {
        Part::Text(text) => text.len(),
        Part::ToolCall(call) => call.name.len() + call.input.len(),
        Part::Brief | Part::ToolResult(_) => 0,
    };
    Usage { input: estimate.input, cached: 0, output: tokens(reply.parts.iter().map(written).sum()) }
}
