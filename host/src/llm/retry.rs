//! Asking again: when, after how long, and when not.

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use super::Error;
use super::settings::Retry;

/// Numbers in `[0, 1)`, so that many who failed together do not come back together.
pub type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// One attempt that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// What the caller is told if it was the last.
    pub(super) error: Error,
    /// Whether another may do better.
    pub(super) again: Again,
}

/// Whether another attempt may do better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// It would end the same way.
    Never,
    /// After a wait of our own.
    Later,
    /// No sooner than the provider says.
    After(Duration),
}

impl Failure {
    pub(super) fn never(error: Error) -> Self {
        Self { error, again: Again::Never }
    }

    pub(super) fn later(error: Error) -> Self {
        Self { error, again: Again::Later }
    }
}

/// Runs `attempt` until it succeeds, fails for good, or neither attempts nor time are left.
pub(super) async fn run<T, F>(
    policy: &Retry,
    total: Duration,
    jitter: &Jitter,
    attempt: impl FnMut() -> F,
) -> Result<T, Error>
where
    F: Future<Output = Result<T, Failure>>,
{
    let deadline = Instant::now() + total;
    timeout_at(deadline, attempts(policy, deadline, jitter, attempt)).await.unwrap_or(Err(Error::TimedOut))
}

async fn attempts<T, F>(
    policy: &Retry,
    deadline: Instant,
    jitter: &Jitter,
    mut attempt: impl FnMut() -> F,
) -> Result<T, Error>
where
    F: Future<Output = Result<T, Failure>>,
{
    let mut made = 0;
    loop {
        made += 1;
        let failure = match attempt().await {
            Ok(value) => return Ok(value),
            Err(failure) => failure,
        };
        let Some(wait) = wait(policy, made, failure.again, jitter()) else {
            return Err(told(failure.error, made));
        };
        if made >= policy.attempts || Instant::now() + wait >= deadline {
            return Err(told(failure.error, made));
        }
        sleep(wait).await;
    }
}

/// How long to wait after the attempt number `made`; none where waiting is no use.
fn wait(policy: &Retry, made: u32, again: Again, jitter: f64) -> Option<Duration> {
    let doubled = policy.first_wait_ms.saturating_mul(1_u64.checked_shl(made.saturating_sub(1)).unwrap_or(u64::MAX));
    let own = Duration::from_millis(doubled.min(policy.longest_wait_ms)).mul_f64(1.0 - 0.25 * jitter.clamp(0.0, 1.0));
    match again {
        Again::Never => None,
        Again::Later => Some(own),
        Again::After(asked) if asked > Duration::from_millis(policy.longest_retry_after_ms) => None,
        Again::After(asked) => Some(asked.max(own)),
    }
}

fn told(error: Error, made: u32) -> Error {
    match error {
        Error::Failed(why) if made > 1 => Error::Failed(format!("{why} ({made} attempts)")),
        error => error,
    }
}

/// Jitter for real runs. No secret depends on it.
#[must_use]
pub fn random() -> Jitter {
    let (state, count) = (RandomState::new(), AtomicU64::new(0));
    Arc::new(move || {
        let hash = state.hash_one(count.fetch_add(1, Ordering::Relaxed));
        f64::from((hash >> 32) as u32) / (f64::from(u32::MAX) + 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_jitter_takes_off_a_quarter() {
        let policy =
            Retry { attempts: 9, first_wait_ms: 1_000, longest_wait_ms: 5_000, longest_retry_after_ms: 60_000 };
        let waits: Vec<_> = (1..6).map(|n| wait(&policy, n, Again::Later, 0.0).map(|d| d.as_millis())).collect();
        assert_eq!(waits, [Some(1_000), Some(2_000), Some(4_000), Some(5_000), Some(5_000)]);
        assert_eq!(wait(&policy, 1, Again::Later, 1.0), Some(Duration::from_millis(750)));
        assert_eq!(wait(&policy, u32::MAX, Again::Later, 0.0), Some(Duration::from_secs(5)));
    }

    #[test]
    fn the_provider_is_given_the_time_it_asks_for_or_not_asked_again() {
        let policy = Retry::default();
        assert_eq!(wait(&policy, 1, Again::After(Duration::from_secs(30)), 0.0), Some(Duration::from_secs(30)));
        assert_eq!(wait(&policy, 1, Again::After(Duration::from_secs(3_600)), 0.0), None);
        assert_eq!(wait(&policy, 1, Again::Never, 0.0), None);
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_are_bounded_and_never_outlast_the_deadline() {
        let jitter: Jitter = Arc::new(|| 0.0);
        let count = AtomicU64::new(0);
        let failing = || async {
            count.fetch_add(1, Ordering::Relaxed);
            Err::<(), _>(Failure::later(Error::Failed("no".to_owned())))
        };
        let ended = run(&Retry::default(), Duration::from_secs(500), &jitter, failing).await;
        assert_eq!((ended, count.load(Ordering::Relaxed)), (Err(Error::Failed("no (4 attempts)".to_owned())), 4));
        let hanging = || async {
            sleep(Duration::from_secs(1_000)).await;
            Ok::<(), Failure>(())
        };
        assert_eq!(run(&Retry::default(), Duration::from_secs(5), &jitter, hanging).await, Err(Error::TimedOut));
    }

    #[test]
    fn random_stays_in_its_range() {
        let jitter = random();
        assert!((0..1_000).map(|_| jitter()).all(|x| (0.0..1.0).contains(&x)));
    }
}
