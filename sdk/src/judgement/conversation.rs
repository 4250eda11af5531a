//! Asking until there is an answer that can be read: the model's look-ups, and one request to repair.

use super::tools::{Lookups, MAX_LOOKUPS};
use crate::llm::{self, Message, Part, Reply, Request, Role, Stop};

/// A longer reply is not read.
const MAX_REPLY: usize = 1 << 20;

/// Asks, answers the model's tool calls from the sources, and reads the reply. A reply that `read` refuses is sent back
/// once, with the reason.
///
/// # Errors
/// There is no answer, with the reason in words.
pub(super) fn hold<T>(mut request: Request, read: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
    let mut lookups = Lookups::default();
    let mut repaired = false;
    loop {
        let reply = llm::complete(&request).map_err(|error| error_words(&error))?;
        if let Some(results) = look_around(&reply, &mut lookups)? {
            request.messages.push(Message { role: Role::Assistant, parts: said(&reply, true) });
            request.messages.push(Message { role: Role::User, parts: results });
            continue;
        }
        let problem = match text_of(&reply).and_then(|text| read(&text)) {
            Ok(answer) => return Ok(answer),
            Err(problem) => problem,
        };
        if repaired || reply.stop == Stop::Refusal {
            return Err(problem);
        }
        repaired = true;
        ask_again(&mut request, &reply, &problem);
    }
}

/// The text of a reply that was brought to its end.
///
/// # Errors
/// The model declined, was cut off, or said nothing, or far too much.
pub fn text_of(reply: &Reply) -> Result<String, String> {
    let texts =
        reply.parts.iter().filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None });
    let text: String = texts.collect();
    match reply.stop {
        Stop::Refusal => Err("the model declined to answer".to_owned()),
        Stop::MaxTokens => Err("unreadable reply: it was cut off at the token limit".to_owned()),
        _ if text.trim().is_empty() => Err("unreadable reply: it is empty".to_owned()),
        _ if text.len() > MAX_REPLY => Err(format!("unreadable reply: it is {} bytes long", text.len())),
        _ => Ok(text),
    }
}

/// The first message: the subject as the host describes it, then the task.
pub(super) fn told(task: String) -> Message {
    Message { role: Role::User, parts: vec![Part::Brief, Part::Text(task)] }
}

/// What an error of the model's means, for the person who reads the report.
#[must_use]
pub fn error_words(error: &llm::Error) -> String {
    let (words, detail) = match error {
        llm::Error::Unavailable => ("no model is configured", None),
        llm::Error::BudgetExhausted => ("the budget for model calls is spent", None),
        llm::Error::RateLimited => ("the provider limits the rate of calls", None),
        llm::Error::TimedOut => ("the model did not answer in time", None),
        llm::Error::TooLarge(why) => ("the request is too large", Some(why)),
        llm::Error::Denied(why) => ("the provider turned the request down", Some(why)),
        llm::Error::Invalid(why) => ("the request cannot be read", Some(why)),
        llm::Error::Failed(why) => ("the provider failed", Some(why)),
    };
    detail.map_or_else(|| words.to_owned(), |detail| format!("{words}: {detail}"))
}

/// The results of a reply's tool calls; none where it has no call, or is no whole reply.
fn look_around(reply: &Reply, lookups: &mut Lookups) -> Result<Option<Vec<Part>>, String> {
    let whole = !matches!(reply.stop, Stop::MaxTokens | Stop::Refusal);
    let calls = reply.parts.iter().filter_map(|part| if let Part::ToolCall(call) = part { Some(call) } else { None });
    let mut results: Vec<Part> = Vec::new();
    for call in calls.filter(|_| whole) {
        results.push(Part::ToolResult(lookups.answer(call)));
    }
    if results.is_empty() {
        return Ok(None);
    }
    lookups.rounds += 1;
    if lookups.rounds > MAX_LOOKUPS + 1 {
        return Err(format!("the model did not answer after {MAX_LOOKUPS} rounds of look-ups"));
    }
    if lookups.rounds >= MAX_LOOKUPS {
        results.push(Part::Text("There are no look-ups left. Answer now, with what you have seen.".to_owned()));
    }
    Ok(Some(results))
}

fn ask_again(request: &mut Request, reply: &Reply, problem: &str) {
    let parts = said(reply, false);
    if !parts.is_empty() {
        request.messages.push(Message { role: Role::Assistant, parts });
    }
    let text = format!(
        "That was not an answer: {problem}. Answer again, as one whole JSON object in the form described, with nothing \
         around it. Be brief if it was cut off. If nothing was found, say so with empty lists."
    );
    match request.messages.last_mut() {
        Some(last) if last.role == Role::User => last.parts.push(Part::Text(text)),
        _ => request.messages.push(Message { role: Role::User, parts: vec![Part::Text(text)] }),
    }
}

/// What the model said, to be shown to it again. Providers refuse empty texts and calls that nobody answered.
fn said(reply: &Reply, with_calls: bool) -> Vec<Part> {
    let keep = |part: &&Part| match part {
        Part::Text(text) => !text.trim().is_empty() && text.len() <= MAX_REPLY,
        Part::ToolCall(_) => with_calls,
        Part::Brief | Part::ToolResult(_) => false,
    };
    reply.parts.iter().filter(keep).cloned().collect()
}
