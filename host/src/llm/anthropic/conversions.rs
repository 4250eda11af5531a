//! Our request as a body of the Messages API, and its stream as our reply.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::echo::Echo;
use crate::llm::http::{Assemble, broken, stream_error};
use crate::llm::provider::Shape;
use crate::llm::request::object;
use crate::llm::retry::Failure;
use crate::llm::schema::for_anthropic;
use crate::llm::{Brief, Error, Message, Part, Reply, Request, Role, Stop, ToolCall, Usage};

/// The most content blocks of one reply.
const MAX_BLOCKS: usize = 1_024;

/// The body of a request. Brief first and marked to be cached: everything before it (the tools) and the brief itself
/// must be byte-identical for the provider to find it again.
pub(super) fn body(shape: &Shape<'_>, brief: &Brief, request: &Request, echo: &Echo) -> Result<Value, Error> {
    let cached = json!({"type": "ephemeral"});
    let mut system = Vec::new();
    if request.wants_brief() && !brief.text.is_empty() {
        system.push(json!({"type": "text", "text": brief.text, "cache_control": cached}));
    }
    let instructions = instructions(shape, request);
    if !instructions.trim().is_empty() {
        system.push(json!({"type": "text", "text": instructions}));
    }
    let mut messages = request.messages.iter().map(|m| message(m, echo)).collect::<Result<Vec<_>, _>>()?;
    if !request.tools.is_empty() {
        // The conversation will come back longer: what there is of it is read from the cache then.
        if let Some(last) = messages.last_mut().and_then(|m| m["content"].as_array_mut()?.last_mut()?.as_object_mut()) {
            last.insert("cache_control".to_owned(), cached);
        }
    }
    let mut body = json!({"model": shape.model, "max_tokens": shape.max_tokens, "stream": true});
    put(&mut body, "system", system);
    put(&mut body, "messages", messages);
    put(&mut body, "tools", tools(request)?);
    if let (true, Some(schema)) = (shape.structured, &request.schema) {
        let schema = for_anthropic(object(schema, "the schema")?);
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    }
    Ok(body)
}

fn put(body: &mut Value, key: &str, list: Vec<Value>) {
    if !list.is_empty() {
        body[key] = Value::Array(list);
    }
}

fn instructions(shape: &Shape<'_>, request: &Request) -> String {
    match &request.schema {
        Some(schema) if !shape.structured => {
            format!(
                "{}\n\nAnswer with one JSON value that fits this JSON schema, and nothing else:\n{schema}",
                request.instructions
            )
        }
        _ => request.instructions.clone(),
    }
}

fn tools(request: &Request) -> Result<Vec<Value>, Error> {
    let tool = |t: &crate::llm::Tool| {
        let schema = object(&t.input_schema, "a tool's input schema")?;
        Ok(json!({"name": t.name, "description": t.description, "input_schema": schema}))
    };
    request.tools.iter().map(tool).collect()
}

fn message(message: &Message, echo: &Echo) -> Result<Value, Error> {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    if let (Role::Assistant, Some(content)) = (message.role, echo.recall(&message.parts)) {
        return Ok(json!({"role": role, "content": content}));
    }
    let mut content = message.parts.iter().filter_map(|p| block(p).transpose()).collect::<Result<Vec<_>, _>>()?;
    // The provider wants results before words.
    content.sort_by_key(|b| b["type"] != "tool_result");
    if content.is_empty() {
        content.push(json!({"type": "text", "text": "Begin."}));
    }
    Ok(json!({"role": role, "content": content}))
}

fn block(part: &Part) -> Result<Option<Value>, Error> {
    Ok(match part {
        Part::Brief => None,
        Part::Text(text) if text.trim().is_empty() => None,
        Part::Text(text) => Some(json!({"type": "text", "text": text})),
        Part::ToolCall(call) => {
            let input = object(&call.input, "a tool call's input")?;
            Some(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}))
        }
        Part::ToolResult(r) if r.failed => {
            Some(json!({"type": "tool_result", "tool_use_id": r.id, "content": r.output, "is_error": true}))
        }
        Part::ToolResult(r) => Some(json!({"type": "tool_result", "tool_use_id": r.id, "content": r.output})),
    })
}

/// A reply as far as it has come.
pub(in crate::llm) struct Assembly<'a> {
    blocks: BTreeMap<u64, Block>,
    max_tool_calls: usize,
    stop: Option<String>,
    usage: Usage,
    started: bool,
    ended: bool,
    echo: &'a Echo,
}

enum Block {
    Text(String),
    Call {
        id: String,
        name: String,
        input: String,
    },
    /// Thoughts: kept, never shown.
    Other(Map<String, Value>),
}

impl<'a> Assembly<'a> {
    pub(super) fn new(max_tool_calls: usize, echo: &'a Echo) -> Self {
        let (blocks, stop, usage) = (BTreeMap::new(), None, Usage::default());
        Self { blocks, max_tool_calls, stop, usage, started: false, ended: false, echo }
    }

    fn take(&mut self, event: &Value) -> Result<(), Failure> {
        match text(event, "type") {
            "message_start" => {
                let message = &event["message"];
                self.count(&message["usage"]);
                let content = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
                for (index, block) in (0..).zip(content) {
                    self.begin(index, block)?;
                }
            }
            "content_block_start" => self.begin(index(event)?, &event["content_block"])?,
            "content_block_delta" => self.grow(index(event)?, &event["delta"])?,
            "message_delta" => {
                self.count(&event["usage"]);
                self.stop = event["delta"]["stop_reason"].as_str().map(str::to_owned).or(self.stop.take());
            }
            "message_stop" => self.ended = true,
            "error" => return Err(stream_error(event)),
            // Pings, ends of blocks, and whatever is invented later.
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, index: u64, block: &Value) -> Result<(), Failure> {
        self.started = true;
        let new = match text(block, "type") {
            "text" => Block::Text(text(block, "text").to_owned()),
            "tool_use" => {
                // While streaming the input is an empty object here, and comes in pieces.
                let given = block["input"].as_object().filter(|o| !o.is_empty());
                let input = given.map_or_else(String::new, |_| block["input"].to_string());
                Block::Call { id: text(block, "id").to_owned(), name: text(block, "name").to_owned(), input }
            }
            _ => Block::Other(block.as_object().cloned().unwrap_or_default()),
        };
        self.blocks.insert(index, new);
        let calls = self.blocks.values().filter(|b| matches!(b, Block::Call { .. })).count();
        if self.blocks.len() > MAX_BLOCKS || calls > self.max_tool_calls {
            return Err(broken(&format!("more than {} tool calls, or {MAX_BLOCKS} parts", self.max_tool_calls)));
        }
        Ok(())
    }

    fn grow(&mut self, index: u64, delta: &Value) -> Result<(), Failure> {
        self.started = true;
        let Some(block) = self.blocks.get_mut(&index) else {
            return Err(broken("a part grows that never began"));
        };
        match (block, text(delta, "type")) {
            (Block::Text(all), "text_delta") => all.push_str(text(delta, "text")),
            (Block::Call { input, .. }, "input_json_delta") => input.push_str(text(delta, "partial_json")),
            (Block::Other(all), "thinking_delta") => append(all, "thinking", text(delta, "thinking")),
            (Block::Other(all), "signature_delta") => append(all, "signature", text(delta, "signature")),
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, usage: &Value) {
        let read = |key: &str| usage.get(key).and_then(Value::as_u64);
        // Later counts are totals and take the place of earlier ones.
        if let Some(fresh) = read("input_tokens") {
            self.usage.input = fresh.saturating_add(read("cache_creation_input_tokens").unwrap_or(0));
        }
        self.usage.cached = read("cache_read_input_tokens").unwrap_or(self.usage.cached);
        self.usage.output = read("output_tokens").unwrap_or(self.usage.output);
    }

    fn stop(&self, calls: bool) -> Stop {
        match self.stop.as_deref() {
            Some("end_turn" | "tool_use") if calls => Stop::ToolUse,
            Some("end_turn") => Stop::End,
            Some("max_tokens" | "model_context_window_exceeded") => Stop::MaxTokens,
            Some("refusal") => Stop::Refusal,
            _ => Stop::Other,
        }
    }
}

impl Assemble for Assembly<'_> {
    fn event(&mut self, data: &[u8]) -> Result<(), Failure> {
        let event = serde_json::from_slice::<Value>(data).map_err(|e| broken(&e.to_string()))?;
        self.take(&event)
    }

    fn whole(&mut self, body: &[u8]) -> Result<(), Failure> {
        let message = serde_json::from_slice::<Value>(body).map_err(|e| broken(&e.to_string()))?;
        if message["type"] == "error" {
            return Err(stream_error(&message));
        }
        if !message["content"].is_array() {
            return Err(broken("it holds no message"));
        }
        let stop = json!({"type": "message_delta", "delta": {"stop_reason": message["stop_reason"]}});
        self.take(&json!({"type": "message_start", "message": message}))?;
        self.take(&stop)?;
        self.take(&json!({"type": "message_stop"}))
    }

    fn started(&self) -> bool {
        self.started
    }

    fn ended(&self) -> bool {
        self.ended
    }

    fn finish(self) -> Result<Reply, Failure> {
        if !self.ended {
            return Err(Failure::later(Error::Failed("the reply was cut off".to_owned())));
        }
        let calls = self.blocks.values().any(|b| matches!(b, Block::Call { .. }));
        let stop = self.stop(calls);
        let (mut parts, mut content, mut thought) = (Vec::new(), Vec::new(), false);
        for block in self.blocks.into_values() {
            match block {
                Block::Text(text) if text.is_empty() => {}
                Block::Text(text) => {
                    content.push(json!({"type": "text", "text": text}));
                    parts.push(Part::Text(text));
                }
                Block::Call { id, name, input } => {
                    let input = if input.trim().is_empty() { "{}".to_owned() } else { input };
                    match object(&input, "input") {
                        Ok(value) => content.push(json!({"type": "tool_use", "id": id, "name": name, "input": value})),
                        // A call that was cut off is no call.
                        Err(_) if stop != Stop::ToolUse => continue,
                        Err(_) => return Err(broken("the input of a tool call is not a JSON object")),
                    }
                    parts.push(Part::ToolCall(ToolCall { id, name, input }));
                }
                Block::Other(block) => {
                    thought |=
                        matches!(block.get("type").and_then(Value::as_str), Some("thinking" | "redacted_thinking"));
                    content.push(Value::Object(block));
                }
            }
        }
        if stop == Stop::End && parts.iter().all(|p| matches!(p, Part::Text(t) if t.trim().is_empty())) {
            return Err(Failure::never(Error::Failed("the model's reply is empty".to_owned())));
        }
        if stop == Stop::ToolUse && thought {
            self.echo.remember(&parts, content);
        }
        Ok(Reply { parts, stop, usage: self.usage })
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn index(event: &Value) -> Result<u64, Failure> {
    event.get("index").and_then(Value::as_u64).ok_or_else(|| broken("a part without a number"))
}

fn append(object: &mut Map<String, Value>, key: &str, more: &str) {
    match object.entry(key).or_insert_with(|| Value::String(String::new())) {
        Value::String(all) => all.push_str(more),
        other => *other = Value::String(more.to_owned()),
    }
}
