//! Our request as a body of chat completions, and its stream as our reply.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::llm::http::{Assemble, broken, stream_error};
use crate::llm::provider::Shape;
use crate::llm::request::object;
use crate::llm::retry::Failure;
use crate::llm::schema::is_strict;
use crate::llm::{Brief, Error, Message, Part, Reply, Request, Role, Stop, ToolCall, Usage};

/// The body of a request, to OpenAI's `own` service or another one. The brief begins the first message, so that it
/// begins the prompt.
pub(super) fn body(shape: &Shape<'_>, own: bool, brief: &Brief, request: &Request) -> Result<Value, Error> {
    let mut messages = vec![json!({"role": "system", "content": system(shape, brief, request)})];
    for message in &request.messages {
        turn(message, &mut messages);
    }
    let mut body =
        json!({"model": shape.model, "messages": messages, "stream": true, "stream_options": {"include_usage": true}});
    let cap = if own { "max_completion_tokens" } else { "max_tokens" };
    body[cap] = json!(shape.max_tokens);
    if !request.tools.is_empty() {
        let tool = |t: &crate::llm::Tool| {
            let parameters = object(&t.input_schema, "a tool's input schema")?;
            let function = json!({"name": t.name, "description": t.description, "parameters": parameters});
            Ok(json!({"type": "function", "function": function}))
        };
        body["tools"] = request.tools.iter().map(tool).collect::<Result<Vec<_>, Error>>()?.into();
    }
    if let (true, Some(schema)) = (shape.structured, &request.schema) {
        let schema = object(schema, "the schema")?;
        let strict = is_strict(&schema);
        let named = json!({"name": "reply", "schema": schema, "strict": strict});
        body["response_format"] = json!({"type": "json_schema", "json_schema": named});
    }
    Ok(body)
}

fn system(shape: &Shape<'_>, brief: &Brief, request: &Request) -> String {
    let mut text = String::new();
    if request.wants_brief() {
        text.push_str(&brief.text);
        text.push_str("\n\n");
    }
    text.push_str(&request.instructions);
    if let (false, Some(schema)) = (shape.structured, &request.schema) {
        text.push_str("\n\nAnswer with one JSON value that fits this JSON schema, and nothing else:\n");
        text.push_str(schema);
    }
    text
}

fn turn(message: &Message, messages: &mut Vec<Value>) {
    let before = messages.len();
    let mut words = Vec::new();
    let mut calls = Vec::new();
    for part in &message.parts {
        match part {
            Part::Brief => {}
            Part::Text(text) => words.push(text.as_str()),
            Part::ToolCall(c) => {
                let function = json!({"name": c.name, "arguments": c.input});
                calls.push(json!({"id": c.id, "type": "function", "function": function}));
            }
            // The protocol has no word for a tool that failed.
            Part::ToolResult(r) if r.failed => {
                messages.push(json!({"role": "tool", "tool_call_id": r.id, "content": format!("Error: {}", r.output)}));
            }
            Part::ToolResult(r) => messages.push(json!({"role": "tool", "tool_call_id": r.id, "content": r.output})),
        }
    }
    let words = words.join("\n\n");
    match message.role {
        Role::Assistant if calls.is_empty() => messages.push(json!({"role": "assistant", "content": words})),
        Role::Assistant => {
            let content = if words.is_empty() { Value::Null } else { words.into() };
            messages.push(json!({"role": "assistant", "content": content, "tool_calls": calls}));
        }
        Role::User if !words.trim().is_empty() => messages.push(json!({"role": "user", "content": words})),
        Role::User if messages.len() == before => messages.push(json!({"role": "user", "content": "Begin."})),
        Role::User => {}
    }
}

/// A reply as far as it has come.
pub(in crate::llm) struct Assembly {
    words: String,
    refusal: String,
    calls: BTreeMap<u64, ToolCall>,
    max_tool_calls: usize,
    finish: Option<String>,
    usage: Usage,
    started: bool,
    ended: bool,
}

impl Assembly {
    pub(super) fn new(max_tool_calls: usize) -> Self {
        let (words, refusal, calls) = (String::new(), String::new(), BTreeMap::new());
        let (finish, usage) = (None, Usage::default());
        Self { words, refusal, calls, max_tool_calls, finish, usage, started: false, ended: false }
    }

    fn take(&mut self, chunk: &Value) -> Result<(), Failure> {
        if chunk.get("error").is_some_and(|e| !e.is_null()) {
            return Err(stream_error(chunk));
        }
        self.count(&chunk["usage"]);
        let choice = &chunk["choices"][0];
        if choice.is_null() {
            return Ok(());
        }
        self.started = true;
        let more = if choice["message"].is_object() { &choice["message"] } else { &choice["delta"] };
        self.words.push_str(more["content"].as_str().unwrap_or_default());
        self.refusal.push_str(more["refusal"].as_str().unwrap_or_default());
        let calls = more["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (place, call) in (0..).zip(calls) {
            self.grow(call["index"].as_u64().unwrap_or(place), call)?;
        }
        self.finish = choice["finish_reason"].as_str().map(str::to_owned).or(self.finish.take());
        Ok(())
    }

    fn grow(&mut self, index: u64, more: &Value) -> Result<(), Failure> {
        let new = || ToolCall { id: String::new(), name: String::new(), input: String::new() };
        let call = self.calls.entry(index).or_insert_with(new);
        if let Some(id) = more["id"].as_str().filter(|_| call.id.is_empty()) {
            id.clone_into(&mut call.id);
        }
        call.name.push_str(more["function"]["name"].as_str().unwrap_or_default());
        match &more["function"]["arguments"] {
            Value::String(piece) => call.input.push_str(piece),
            Value::Null => {}
            whole => call.input.push_str(&whole.to_string()),
        }
        if self.calls.len() > self.max_tool_calls {
            return Err(broken(&format!("more than {} tool calls", self.max_tool_calls)));
        }
        Ok(())
    }

    fn count(&mut self, usage: &Value) {
        let Some(prompt) = usage["prompt_tokens"].as_u64() else {
            return;
        };
        self.usage.cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0).min(prompt);
        self.usage.input = prompt - self.usage.cached;
        self.usage.output = usage["completion_tokens"].as_u64().unwrap_or(0);
    }

    fn stop(&self) -> Stop {
        match self.finish.as_deref() {
            _ if !self.refusal.is_empty() => Stop::Refusal,
            Some("length") => Stop::MaxTokens,
            Some("content_filter") => Stop::Refusal,
            Some("stop" | "tool_calls") if !self.calls.is_empty() => Stop::ToolUse,
            Some("stop") => Stop::End,
            _ => Stop::Other,
        }
    }
}

impl Assemble for Assembly {
    fn event(&mut self, data: &[u8]) -> Result<(), Failure> {
        if data.trim_ascii() == b"[DONE]" {
            self.ended = true;
            return Ok(());
        }
        let chunk = serde_json::from_slice::<Value>(data).map_err(|e| broken(&e.to_string()))?;
        self.take(&chunk)
    }

    fn whole(&mut self, body: &[u8]) -> Result<(), Failure> {
        let reply = serde_json::from_slice::<Value>(body).map_err(|e| broken(&e.to_string()))?;
        self.take(&reply)?;
        if reply["choices"][0]["message"].is_object() { Ok(()) } else { Err(broken("it holds no message")) }
    }

    fn started(&self) -> bool {
        self.started
    }

    fn ended(&self) -> bool {
        self.ended
    }

    fn finish(self) -> Result<Reply, Failure> {
        if self.finish.is_none() {
            return Err(Failure::later(Error::Failed("the reply was cut off".to_owned())));
        }
        let (stop, usage) = (self.stop(), self.usage);
        let mut parts = Vec::new();
        let words = if self.words.is_empty() { self.refusal } else { self.words };
        if !words.is_empty() {
            parts.push(Part::Text(words));
        }
        for (index, mut call) in self.calls {
            if call.id.is_empty() {
                call.id = format!("call-{index}");
            }
            if call.input.trim().is_empty() {
                "{}".clone_into(&mut call.input);
            }
            match object(&call.input, "input") {
                Ok(_) => parts.push(Part::ToolCall(call)),
                // A call that was cut off is no call.
                Err(_) if stop != Stop::ToolUse => {}
                Err(_) => return Err(broken("the input of a tool call is not a JSON object")),
            }
        }
        if stop == Stop::End && parts.iter().all(|p| matches!(p, Part::Text(t) if t.trim().is_empty())) {
            return Err(Failure::never(Error::Failed("the model's reply is empty".to_owned())));
        }
        Ok(Reply { parts, stop, usage })
    }
}
