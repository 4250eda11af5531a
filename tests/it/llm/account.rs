//! The account of a run: budgets, bounds, and the order in which requests that share a brief are sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{BoxFuture, join, join_all, select};
use review_loop::llm::meter::Meter;
use review_loop::llm::settings::Budget;
use review_loop::llm::{Brief, Error, Model, Part, Reply, Request, Started, Stop, Usage};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::fake::{BOTH, Fake, Protocol, Steps, reply};
use super::{brief, model, request, settings};

/// Answers after a while and counts.
struct Counting {
    reply: Result<Usage, Error>,
    after: Duration,
    in_flight: AtomicUsize,
    most: AtomicUsize,
    calls: AtomicUsize,
}

impl Counting {
    fn new(reply: Result<Usage, Error>, after: Duration) -> Arc<Self> {
        let zero = || AtomicUsize::new(0);
        Arc::new(Self { reply, after, in_flight: zero(), most: zero(), calls: zero() })
    }
}

impl Model for Counting {
    fn name(&self) -> String {
        "counting".to_owned()
    }

    fn complete_streaming<'a>(
        &'a self,
        _: &'a Brief,
        _: &'a Request,
        _: Started<'a>,
    ) -> BoxFuture<'a, Result<Reply, Error>> {
        Box::pin(async {
            self.calls.fetch_add(1, Ordering::Relaxed);
            self.most.fetch_max(self.in_flight.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            tokio::time::sleep(self.after).await;
            self.in_flight.fetch_sub(1, Ordering::Relaxed);
            let parts = vec![Part::Text("123456".to_owned())];
            self.reply.clone().map(|usage| Reply { parts, stop: Stop::End, usage })
        })
    }
}

const SECOND: Duration = Duration::from_secs(1);

fn usage(input: u64, cached: u64, output: u64) -> Usage {
    Usage { input, cached, output }
}

#[tokio::test(start_paused = true)]
async fn never_more_in_flight_than_allowed() {
    let model = Counting::new(Ok(usage(1, 0, 1)), SECOND);
    let meter =
        Meter::new(Arc::clone(&model) as _, Budget { parallel: 4, parallel_per_component: 3, ..Budget::default() });
    let (brief, requests) = (brief(), vec![request(); 10]);
    meter.complete_all("a", &brief, &requests).await;
    assert_eq!(model.most.load(Ordering::Relaxed), 3);
    join_all(["a", "b", "c"].map(|c| meter.complete_all(c, &brief, &requests))).await;
    assert_eq!((model.most.load(Ordering::Relaxed), model.calls.load(Ordering::Relaxed)), (4, 40));
}

#[tokio::test(start_paused = true)]
async fn tokens_are_charged_before_the_call_and_corrected_after() {
    let model = Counting::new(Ok(usage(500, 300, 100)), SECOND);
    // One call is estimated at 100 tokens of output and a few of input.
    let meter = Meter::new(Arc::clone(&model) as _, Budget { tokens_per_run: 2_000, ..Budget::default() });
    let (brief, request) = (brief(), request());
    assert!(meter.complete("a", &brief, &request).await.is_ok());
    assert_eq!((meter.usage().tokens(), meter.usage().cached, meter.usage().calls), (900, 300, 1));
    assert!(meter.complete("b", &brief, &request).await.is_ok());
    assert_eq!((meter.usage_of("b").tokens(), meter.usage().tokens(), meter.exhausted()), (900, 1_800, false));
    let mut long = request.clone();
    long.max_output_tokens = 200;
    assert_eq!(meter.complete("b", &brief, &long).await, Err(Error::BudgetExhausted));
    assert_eq!((model.calls.load(Ordering::Relaxed), meter.exhausted()), (2, true));
    assert!(meter.complete("b", &brief, &request).await.is_ok(), "a smaller one still fits");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_may_fit_later_waits_for_those_in_flight() {
    let model = Counting::new(Ok(usage(10, 0, 10)), SECOND);
    let meter = Meter::new(Arc::clone(&model) as _, Budget { tokens_per_run: 300, ..Budget::default() });
    let answers = meter.complete_all("a", &brief(), &vec![request(); 8]).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!((model.most.load(Ordering::Relaxed), meter.usage().tokens()), (2, 160));
}

#[tokio::test(start_paused = true)]
async fn a_component_has_its_own_ceiling_and_its_own_count() {
    let model = Counting::new(Ok(usage(10, 0, 10)), SECOND);
    let budget = Budget { calls_per_component: 2, tokens_per_component: 150, ..Budget::default() };
    let meter = Meter::new(model as _, budget);
    let (brief, mut request) = (brief(), request());
    request.max_output_tokens = 400;
    assert_eq!(meter.complete("a", &brief, &request).await, Err(Error::BudgetExhausted));
    request.max_output_tokens = 50;
    for expect in [true, true, false] {
        assert_eq!(meter.complete("a", &brief, &request).await.is_ok(), expect);
    }
    assert!(meter.complete("b", &brief, &request).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn servers_that_count_nothing_are_charged_by_estimate() {
    let meter = Meter::new(Counting::new(Ok(Usage::default()), SECOND) as _, Budget::default());
    let reply = meter.complete("a", &brief(), &request()).await.unwrap();
    // 9 + 10 + 3 bytes of prompt, 6 of reply, three to a token.
    assert_eq!((reply.usage, meter.usage().tokens()), (usage(8, 0, 2), 10));
}

#[tokio::test(start_paused = true)]
async fn what_was_given_up_gives_its_place_and_its_tokens_back() {
    let model = Counting::new(Ok(usage(1, 0, 1)), Duration::from_secs(1_000));
    let budget = Budget { parallel: 1, tokens_per_run: 150, ..Budget::default() };
    let meter = Meter::new(model as _, budget);
    let (brief, request) = (brief(), request());
    assert!(timeout(SECOND, meter.complete("a", &brief, &request)).await.is_err());
    assert!(meter.complete("b", &brief, &request).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn failures_cost_nothing_where_no_token_came() {
    let meter = Meter::new(Counting::new(Err(Error::RateLimited), SECOND) as _, Budget::default());
    assert_eq!(meter.complete("a", &brief(), &request()).await, Err(Error::RateLimited));
    assert_eq!((meter.usage().tokens(), meter.usage().calls), (0, 0));
}

#[tokio::test]
async fn credentials_that_a_component_has_read_are_not_sent() {
    let secret = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    for protocol in BOTH {
        let fake = Fake::start(|seen| reply(seen, "ok"));
        let meter = Meter::new(model(protocol, &fake, &settings()), Budget::default());
        let mut asked = request();
        asked.instructions = format!("The token is {secret}.");
        asked.messages[0].parts.push(Part::Text(format!("let token = {secret:?};")));
        meter.complete("a", &brief(), &asked).await.unwrap();
        let sent = fake.seen()[0].body.to_string();
        assert!(!sent.contains(&secret) && sent.matches("[secret: ").count() == 2, "{sent}");
    }
}

#[tokio::test]
async fn on_the_wire_too_never_more_in_flight_than_allowed() {
    for protocol in BOTH {
        let fake =
            Fake::start(|seen| Steps::until_seen((seen.number + 1).min(9).next_multiple_of(3)).then(reply(seen, "ok")));
        let budget = Budget { parallel: 3, ..Budget::default() };
        let meter = Meter::new(model(protocol, &fake, &settings()), budget);
        let answers = meter.complete_all("a", &brief(), &vec![request(); 12]).await;
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
        assert_eq!((fake.seen().len(), fake.most_in_flight()), (12, 3));
    }
}

fn long_brief() -> Brief {
    Brief { text: "x".repeat(30_000), left_out: vec![] }
}

#[tokio::test]
async fn one_request_fills_the_cache_and_its_first_token_releases_the_others() {
    for protocol in BOTH {
        let go = Arc::new(AtomicBool::new(false));
        let gone = Arc::clone(&go);
        let fake = Fake::start(move |seen| {
            if seen.number > 0 {
                return reply(seen, "ok");
            }
            let (first, end) = halves_of_a_reply(seen.protocol());
            let gone = Arc::clone(&gone);
            let begin = Steps::until(move |_| gone.load(Ordering::SeqCst)).then(Steps::events(&[first]));
            begin.then(Steps::until_seen(2)).then(Steps::event(&end[0])).then(Steps::event(&end[1]))
        });
        let meter = Meter::new(model(protocol, &fake, &settings()), Budget::default());
        let (brief, request) = (long_brief(), request());
        let mut first = Box::pin(meter.complete("a", &brief, &request));
        let mut second = Box::pin(meter.complete("b", &brief, &request));
        let _ = timeout(Duration::from_millis(200), select(&mut first, &mut second)).await;
        assert!(fake.seen().len() < 2, "the second overtook the first, which has no token yet");
        go.store(true, Ordering::SeqCst);
        // The first ends only when the second has come: it must be sent before that.
        let (first, second) = join(first, second).await;
        assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
    }
}

/// The first token, and two events that end the reply.
fn halves_of_a_reply(protocol: Protocol) -> (Value, [Value; 2]) {
    match protocol {
        Protocol::Anthropic => {
            let text = json!({"type": "text", "text": "o"});
            let stop = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
            let first = json!({"type": "content_block_start", "index": 0, "content_block": text});
            (first, [stop, json!({"type": "message_stop"})])
        }
        Protocol::OpenAi => {
            let stop = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
            (json!({"choices": [{"delta": {"content": "o"}}]}), [stop, json!({"choices": []})])
        }
    }
}

#[tokio::test]
async fn when_the_first_fails_the_next_goes_ahead_and_short_briefs_wait_for_nobody() {
    for protocol in BOTH {
        let fake = Fake::start(|seen| {
            let denied =
                Steps::wait(Duration::from_millis(50)).then(Steps::json(403, &json!({"error": {"message": "no"}})));
            if seen.number == 0 { denied } else { reply(seen, "ok") }
        });
        let meter = Meter::new(model(protocol, &fake, &settings()), Budget::default());
        let answers = meter.complete_all("a", &long_brief(), &vec![request(); 4]).await;
        assert_eq!(answers.iter().filter(|a| a.is_ok()).count(), 3, "{answers:?}");
        let fake = Fake::start(|seen| Steps::until_seen(4).then(reply(seen, "ok")));
        let meter = Meter::new(model(protocol, &fake, &settings()), Budget::default());
        meter.complete_all("a", &brief(), &vec![request(); 4]).await;
        assert_eq!(fake.most_in_flight(), 4);
    }
}
