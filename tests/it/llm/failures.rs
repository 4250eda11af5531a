//! Everything that can go wrong on the way, over both protocols.

use std::sync::Arc;
use std::time::Duration;

use review_loop::llm::openai::OpenAi;
use review_loop::llm::settings::Settings;
use review_loop::llm::{Config, Model};
use serde_json::{Value, json};

use super::fake::{BOTH, Fake, Protocol, Seen, Steps, anthropic, reply};
use super::{KEY, ask, brief, request, settings, told};

/// The answer and the number of requests it took, which must be the same over both protocols.
async fn check_with(
    settings: &Settings,
    script: impl Fn(&Seen) -> Steps + Send + Sync + Clone + 'static,
) -> (String, usize) {
    let mut answers = Vec::new();
    for protocol in BOTH {
        let fake = Fake::start(script.clone());
        let answer = told(&ask(protocol, &fake, settings, &request()).await);
        assert!(!answer.contains(KEY), "{answer}");
        let short = answer.split(" [\"ok\"]").next().unwrap_or_default().to_owned();
        answers.push((short, fake.seen().len()));
    }
    assert_eq!(answers[0], answers[1]);
    answers.remove(0)
}

async fn check(script: impl Fn(&Seen) -> Steps + Send + Sync + Clone + 'static) -> (String, usize) {
    check_with(&settings(), script).await
}

fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

/// Fails the first time, then answers.
fn once(failure: Steps) -> impl Fn(&Seen) -> Steps + Send + Sync + Clone + 'static {
    move |seen| {
        if seen.number == 0 { failure.clone() } else { reply(seen, "ok") }
    }
}

#[tokio::test]
async fn what_the_provider_turns_down_is_told_once_and_without_the_key() {
    let said = format!("invalid x-api-key {KEY}\nsecond line");
    let refused = Steps::json(401, &error("authentication_error", &said));
    let expect = "error: the provider refused the request: HTTP 401: invalid x-api-key [key] second line";
    assert_eq!(check(move |_| refused.clone()).await, (expect.to_owned(), 1));
    for status in [400, 403, 404] {
        let (answer, requests) = check(move |_| Steps::json(status, &error("x", "no"))).await;
        assert_eq!((&*answer, requests), (&*format!("error: the provider refused the request: HTTP {status}: no"), 1));
    }
    let page = Steps::response(403, "content-type: text/html\r\n", &format!("<html>{}</html>", "x".repeat(9_999)));
    assert!(check(move |_| page.clone()).await.0.len() < 600);
}

#[tokio::test]
async fn too_long_prompts_are_told_apart() {
    let long = Steps::json(400, &error("invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum"));
    let (answer, requests) = check(move |_| long.clone()).await;
    assert!(answer.starts_with("error: the request is too large: HTTP 400: prompt is too long") && requests == 1);
}

#[tokio::test]
async fn rate_limits_are_waited_out_as_told() {
    let busy = |headers: &str| Steps::response(429, headers, "{}");
    assert_eq!(check(once(busy(""))).await, ("End".to_owned(), 2));
    assert_eq!(check(once(busy("retry-after: 0\r\n"))).await, ("End".to_owned(), 2));
    let date = "date: Wed, 21 Oct 2015 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
    assert_eq!(check(once(busy(date))).await, ("End".to_owned(), 2));
    let limited = "error: the provider limits the rate of requests".to_owned();
    assert_eq!(check(once(busy("retry-after: 3600\r\n"))).await, (limited.clone(), 1), "too long to wait");
    assert_eq!(
        check(once(busy("retry-after: 100\r\n"))).await,
        (limited.clone(), 1),
        "longer than the whole call may take"
    );
    let always = busy("");
    assert_eq!(check(move |_| always.clone()).await, (limited, 3));
}

#[tokio::test]
async fn servers_in_trouble_are_asked_again() {
    for status in [500, 502, 503, 529] {
        let down = Steps::json(status, &error("api_error", "down"));
        assert_eq!(check(once(down.clone())).await, ("End".to_owned(), 2));
        let expect = format!("error: HTTP {status}: down (3 attempts)");
        assert_eq!(check(move |_| down.clone()).await, (expect, 3));
    }
}

#[tokio::test]
async fn errors_inside_a_stream_count_like_those_before_it() {
    let overloaded = Steps::stream().then(Steps::event(&error("overloaded_error", "Overloaded")));
    assert_eq!(check(once(overloaded)).await, ("End".to_owned(), 2));
    let denied = Steps::stream().then(Steps::event(&error("permission_error", "no")));
    assert_eq!(check(once(denied)).await, ("error: the provider refused the request: no".to_owned(), 1));
}

#[tokio::test]
async fn replies_that_cannot_be_read_are_errors() {
    let broken = |answer: (String, usize)| {
        assert!(answer.0.starts_with("error: the reply cannot be read: ") && answer.1 == 1, "{answer:?}");
    };
    let json_type = "content-type: application/json\r\n";
    for body in ["", "{", "[]", "null", "<html>", "{\"choices\":7,\"content\":7}", "{\"choices\":[{}]}"] {
        let steps = Steps::response(200, json_type, body);
        broken(check(move |_| steps.clone()).await);
    }
    for data in ["data: {\n\n", "data: \u{7f}\n\n"] {
        let steps = Steps::stream().then(Steps::raw(data));
        broken(check(move |_| steps.clone()).await);
    }
    let deep = Steps::stream().then(Steps::raw(format!("data: {}\n\n", "[".repeat(100_000))));
    broken(check(move |_| deep.clone()).await);
}

#[tokio::test]
async fn cut_off_replies_are_asked_for_again_and_never_taken_for_whole() {
    let short =
        Steps::raw("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{\"choices\":[");
    assert_eq!(check(once(short)).await, ("End".to_owned(), 2));
    let nothing = Steps::default();
    assert_eq!(check(once(nothing)).await, ("End".to_owned(), 2));
    let begun = |seen: &Seen| match seen.protocol() {
        Protocol::Anthropic => {
            let events = anthropic(&[json!({"type": "text", "text": "No findings."})], "end_turn");
            Steps::events(&events[..events.len() - 1])
        }
        Protocol::OpenAi => Steps::events(&[json!({"choices": [{"delta": {"content": "No findings."}}]})]),
    };
    assert_eq!(check(begun).await, ("error: the reply was cut off (3 attempts)".to_owned(), 3));
}

#[tokio::test]
async fn nothing_hangs() {
    let late = || ("error: the model did not answer in time".to_owned(), 3);
    let mut hasty = settings();
    (hasty.timeouts.first_byte_ms, hasty.timeouts.idle_ms) = (100, 100);
    assert_eq!(check_with(&hasty, |_| Steps::hang()).await, late(), "no response");
    assert_eq!(check_with(&hasty, |_| Steps::stream().then(Steps::hang())).await, late(), "no first byte");
    let stalled = |_: &Seen| Steps::stream().then(Steps::raw(": ping\n\n")).then(Steps::hang());
    assert_eq!(check_with(&hasty, stalled).await, late(), "silence in the middle");
}

#[tokio::test]
async fn a_slow_drip_ends_with_the_time_for_the_whole_call() {
    let mut hasty = settings();
    hasty.timeouts.total_ms = 300;
    let drip = |_: &Seen| Steps::stream().then(Steps::forever(": x\n\n", Duration::from_millis(5)));
    assert_eq!(check_with(&hasty, drip).await, ("error: the model did not answer in time".to_owned(), 1));
}

#[tokio::test]
async fn an_endless_reply_ends_at_its_size() {
    let mut small = settings();
    small.reply.max_bytes = 1 << 20;
    let endless =
        |piece: &'static str| move |_: &Seen| Steps::stream().then(Steps::forever(piece.repeat(1_000), Duration::ZERO));
    let expect = ("error: the reply is longer than 1048576 bytes".to_owned(), 1);
    assert_eq!(check_with(&small, endless(": ping\n\n")).await, expect);
    assert_eq!(check_with(&small, endless("data: no end of line")).await, expect);
}

#[tokio::test]
async fn too_many_tool_calls_are_an_error() {
    let many = |seen: &Seen| match seen.protocol() {
        Protocol::Anthropic => {
            let call = json!({"type": "tool_use", "id": "t", "name": "n", "input": {}});
            Steps::events(&anthropic(&vec![call; 65], "tool_use"))
        }
        Protocol::OpenAi => {
            let calls: Vec<Value> =
                (0..65).map(|n| json!({"index": n, "id": "t", "function": {"name": "n"}})).collect();
            Steps::events(&[json!({"choices": [{"delta": {"tool_calls": calls}}]})])
        }
    };
    for protocol in BOTH {
        let fake = Fake::start(many);
        let answer = told(&ask(protocol, &fake, &settings(), &request()).await);
        assert!(answer.starts_with("error: the reply cannot be read: more than 64 tool calls"), "{answer}");
    }
}

#[tokio::test]
async fn redirects_are_named_and_not_followed() {
    let elsewhere = Fake::start(|seen| reply(seen, "stolen"));
    let to = format!("location: {}\r\n", elsewhere.url());
    let (answer, requests) = check(move |_| Steps::response(307, &to, "")).await;
    assert_eq!(requests, 1);
    assert!(answer.contains("redirected to http://127.0.0.1") && answer.contains("not followed"), "{answer}");
    assert!(elsewhere.seen().is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = Config { key: None, base_url: Some(format!("http://{address}/v1")) };
    let model = OpenAi::new(&config, &settings(), Arc::new(|| 0.0)).unwrap();
    let answer = told(&model.complete(&brief(), &request()).await);
    assert!(answer.starts_with("error: 127.0.0.1 cannot be reached: ") && answer.ends_with("(3 attempts)"), "{answer}");
}
