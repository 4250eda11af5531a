//! A model provider on loopback, written on bare TCP so that it can also break the protocol.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::WriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// A server in a thread of its own, usable from any test. It stops when it is dropped.
pub(crate) struct Fake {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// Which protocol a request speaks, by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Anthropic,
    OpenAi,
}

pub(crate) const BOTH: [Protocol; 2] = [Protocol::Anthropic, Protocol::OpenAi];

/// A request as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// Counted from 0, in the order in which they were read.
    pub(crate) number: usize,
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

/// What the server does with a request, piece by piece. The connection is closed behind the last one.
#[derive(Clone, Default)]
pub(crate) struct Steps(Vec<Step>);

#[derive(Clone)]
enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    /// Sends the bytes again and again, for good.
    Forever(Vec<u8>, Duration),
    Hang,
    Until(Arc<dyn Fn(usize) -> bool + Send + Sync>),
}

type Script = dyn Fn(&Seen) -> Steps + Send + Sync;

struct Shared {
    script: Box<Script>,
    seen: Mutex<Vec<Seen>>,
    /// Now, and at most.
    in_flight: Mutex<(usize, usize)>,
}

impl Fake {
    /// Answers every request with what the script says.
    pub(crate) fn start(script: impl Fn(&Seen) -> Steps + Send + Sync + 'static) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared { script: Box::new(script), seen: Mutex::default(), in_flight: Mutex::default() });
        let (stop, stopped) = oneshot::channel();
        let serving = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                tokio::select! { () = serve(listener, serving) => {}, _ = stopped => {} }
            });
        });
        Self { address, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// Answers every request with a text, in whichever protocol it was asked, after a while.
    pub(crate) fn answering(after: Duration, answer: impl Fn(&Seen) -> String + Send + Sync + 'static) -> Self {
        Self::start(move |seen| Steps::wait(after).then(reply(seen, &answer(seen))))
    }

    /// To be set as the base URL of either protocol.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What has come in so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// The most requests that were being answered at the same time.
    pub(crate) fn most_in_flight(&self) -> usize {
        self.shared.in_flight.lock().unwrap().1
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Seen {
    pub(crate) fn protocol(&self) -> Protocol {
        if self.path.ends_with("/messages") { Protocol::Anthropic } else { Protocol::OpenAi }
    }
}

impl Steps {
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self(vec![Step::Send(bytes.into())])
    }

    pub(crate) fn wait(time: Duration) -> Self {
        Self(vec![Step::Wait(time)])
    }

    /// A whole response.
    pub(crate) fn response(status: u16, headers: &str, body: &str) -> Self {
        let length = body.len();
        Self::raw(format!(
            "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
        ))
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::response(status, "content-type: application/json\r\n", &body.to_string())
    }

    /// The head of a stream that ends with its connection.
    pub(crate) fn stream() -> Self {
        Self::raw("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
    }

    /// A stream with these events.
    pub(crate) fn events(events: &[Value]) -> Self {
        events.iter().fold(Self::stream(), |steps, event| steps.then(Self::event(event)))
    }

    pub(crate) fn event(event: &Value) -> Self {
        let kind = event["type"].as_str().map_or_else(String::new, |k| format!("event: {k}\n"));
        Self::raw(format!("{kind}data: {event}\n\n"))
    }

    /// Waits until the condition holds; it is told how many requests have come in.
    pub(crate) fn until(condition: impl Fn(usize) -> bool + Send + Sync + 'static) -> Self {
        Self(vec![Step::Until(Arc::new(condition))])
    }

    /// Waits until so many requests have come in, this one included.
    pub(crate) fn until_seen(requests: usize) -> Self {
        Self::until(move |seen| seen >= requests)
    }

    pub(crate) fn hang() -> Self {
        Self(vec![Step::Hang])
    }

    pub(crate) fn forever(bytes: impl Into<Vec<u8>>, every: Duration) -> Self {
        Self(vec![Step::Forever(bytes.into(), every)])
    }

    pub(crate) fn then(mut self, next: Self) -> Self {
        self.0.extend(next.0);
        self
    }
}

/// A whole reply with a text, in the protocol of the request.
pub(crate) fn reply(seen: &Seen, text: &str) -> Steps {
    match seen.protocol() {
        Protocol::Anthropic => Steps::events(&anthropic(&[json!({"type": "text", "text": text})], "end_turn")),
        Protocol::OpenAi => openai(&json!({"content": text}), "stop"),
    }
}

/// The events of a reply of the Messages API: 10 fresh tokens, 5 written to the cache, 20 read from it, 7 written.
pub(crate) fn anthropic(blocks: &[Value], stop: &str) -> Vec<Value> {
    let usage = json!({"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 20, "output_tokens": 1});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": null, "usage": usage});
    let mut events = vec![json!({"type": "message_start", "message": message}), json!({"type": "ping"})];
    for (index, block) in (0..).zip(blocks) {
        let (mut empty, deltas) = pieces(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": empty.take()}));
        events.extend(deltas.iter().map(|d| json!({"type": "content_block_delta", "index": index, "delta": d})));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 7}}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// A content block as it begins, and what it grows by.
fn pieces(block: &Value) -> (Value, Vec<Value>) {
    let mut empty = block.clone();
    let deltas = match block["type"].as_str().unwrap() {
        "text" => {
            empty["text"] = json!("");
            halves(block["text"].as_str().unwrap()).map(|t| json!({"type": "text_delta", "text": t})).to_vec()
        }
        "tool_use" => {
            empty["input"] = json!({});
            let input = block["input"].as_str().map_or_else(|| block["input"].to_string(), str::to_owned);
            halves(&input).map(|t| json!({"type": "input_json_delta", "partial_json": t})).to_vec()
        }
        _ => {
            (empty["thinking"], empty["signature"]) = (json!(""), json!(""));
            let thinking = json!({"type": "thinking_delta", "thinking": block["thinking"]});
            vec![thinking, json!({"type": "signature_delta", "signature": block["signature"]})]
        }
    };
    (empty, deltas)
}

fn halves(text: &str) -> [&str; 2] {
    let (a, b) = text.split_at(text.floor_char_boundary(text.len() / 2));
    [a, b]
}

/// A reply of chat completions, streamed: 30 tokens of prompt, 20 of them from the cache, 7 written.
pub(crate) fn openai(delta: &Value, finish: &str) -> Steps {
    let choice = |delta: &Value, finish: Option<&str>| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 20}}});
    let role = choice(&json!({"role": "assistant", "content": ""}), None);
    Steps::events(&[role, choice(delta, None), choice(&json!({}), Some(finish)), usage])
        .then(Steps::raw("data: [DONE]\n\n"))
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((connection, _)) = listener.accept().await {
        tokio::spawn(handle(connection, Arc::clone(&shared)));
    }
}

async fn handle(mut connection: TcpStream, shared: Arc<Shared>) {
    let Some((path, headers, body)) = read(&mut connection).await else {
        return;
    };
    let steps = {
        let mut seen = shared.seen.lock().unwrap();
        let request = Seen { number: seen.len(), path, headers, body };
        seen.push(request.clone());
        let mut in_flight = shared.in_flight.lock().unwrap();
        in_flight.0 += 1;
        in_flight.1 = in_flight.1.max(in_flight.0);
        (shared.script)(&request)
    };
    // Whoever hangs up ends the script.
    let (mut from, mut to) = connection.split();
    let mut byte = [0];
    let done = Done(&shared);
    tokio::select! { _ = play(&mut to, steps, &shared, done) => {}, _ = from.read(&mut byte) => {} }
}

/// Counts a request out, at the latest when its connection ends.
struct Done<'a>(&'a Shared);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.in_flight.lock().unwrap().0 -= 1;
    }
}

async fn play(to: &mut WriteHalf<'_>, steps: Steps, shared: &Shared, done: Done<'_>) -> std::io::Result<()> {
    let mut done = Some(done);
    let last = steps.0.len().saturating_sub(1);
    for (n, step) in steps.0.into_iter().enumerate() {
        if n == last {
            // Whoever reads the last piece may send the next request before we get to count this one out.
            drop(done.take());
        }
        match step {
            Step::Send(bytes) => to.write_all(&bytes).await?,
            Step::Wait(time) => sleep(time).await,
            Step::Forever(bytes, every) => loop {
                to.write_all(&bytes).await?;
                sleep(every).await;
            },
            Step::Hang => std::future::pending().await,
            Step::Until(enough) => {
                while !enough(shared.seen.lock().unwrap().len()) {
                    sleep(Duration::from_millis(2)).await;
                }
            }
        }
    }
    to.shutdown().await
}

async fn read(connection: &mut TcpStream) -> Option<(String, BTreeMap<String, String>, Value)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break end + 4;
        }
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let header = |l: &str| l.split_once(": ").map(|(k, v)| (k.to_ascii_lowercase(), v.to_owned()));
    let headers: BTreeMap<_, _> = lines.filter_map(header).collect();
    let length = end + headers.get("content-length")?.parse::<usize>().ok()?;
    while bytes.len() < length {
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some((path, headers, serde_json::from_slice(&bytes[end..]).unwrap_or(Value::Null)))
}
