//! What a request must be before it is sent, and how much it weighs.

use std::borrow::Cow;

use review_loop_core::secrets::redact;
use serde_json::Value;

use super::{Brief, Error, Message, Part, Request, Role};

/// No request larger than this is sent, brief included, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// No more tools than this in one request.
const MAX_TOOLS: usize = 64;

impl Request {
    /// Whether it asks for the brief at all.
    pub(super) fn wants_brief(&self) -> bool {
        self.messages.iter().flat_map(|m| &m.parts).any(|p| matches!(p, Part::Brief))
    }

    /// Bytes of text in the prompt. The brief counts where it is asked for.
    pub(super) fn bytes(&self, brief: &Brief) -> usize {
        let parts = self.messages.iter().flat_map(|m| &m.parts).map(Part::bytes).sum::<usize>();
        let tools = self.tools.iter().map(|t| t.name.len() + t.description.len() + t.input_schema.len()).sum::<usize>();
        let brief = if self.wants_brief() { brief.text.len() } else { 0 };
        brief + self.instructions.len() + parts + tools + self.schema.as_ref().map_or(0, String::len)
    }

    /// Says what is wrong with it before a provider does, in the component's own terms.
    pub(super) fn check(&self, brief: &Brief) -> Result<(), Error> {
        if self.bytes(brief) > MAX_BYTES {
            return Err(Error::TooLarge(format!("{} bytes; at most {MAX_BYTES} are sent", self.bytes(brief))));
        }
        if self.max_output_tokens == 0 {
            return Err(Error::Invalid("max-output-tokens is 0".to_owned()));
        }
        if self.messages.last().is_none_or(|m| m.role != Role::User) {
            return Err(Error::Invalid("the last message is not the user's".to_owned()));
        }
        self.messages.iter().try_for_each(check_message)?;
        self.check_tools()?;
        self.schema.as_deref().map_or(Ok(()), |s| object(s, "the schema").map(drop))
    }

    /// The request without credentials of known shape: a component may have read them anywhere. What the assistant said
    /// stays as it is: the provider wants to see its own words again.
    pub(super) fn without_secrets(&self) -> Cow<'_, Self> {
        let said = |m: &&Message| m.role == Role::User;
        let texts = self.messages.iter().filter(said).flat_map(|m| &m.parts).filter_map(Part::text);
        let clean = |text: &str| matches!(redact(text), Cow::Borrowed(_));
        if clean(&self.instructions) && texts.into_iter().all(clean) {
            return Cow::Borrowed(self);
        }
        let mut request = self.clone();
        request.instructions = redact(&request.instructions).into_owned();
        let users = request.messages.iter_mut().filter(|m| m.role == Role::User);
        for text in users.flat_map(|m| &mut m.parts).filter_map(Part::text_mut) {
            *text = redact(text).into_owned();
        }
        Cow::Owned(request)
    }

    fn check_tools(&self) -> Result<(), Error> {
        if self.tools.len() > MAX_TOOLS {
            return Err(Error::Invalid(format!("{} tools; at most {MAX_TOOLS} are sent", self.tools.len())));
        }
        for tool in &self.tools {
            let plain = tool.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
            if !plain || tool.name.is_empty() || tool.name.len() > 64 {
                return Err(Error::Invalid(format!("{:?} is not a name of a tool", tool.name)));
            }
            object(&tool.input_schema, &format!("the input schema of `{}`", tool.name))?;
        }
        Ok(())
    }
}

impl Part {
    fn text(&self) -> Option<&str> {
        match self {
            Part::Text(text) => Some(text),
            Part::ToolResult(result) => Some(&result.output),
            Part::Brief | Part::ToolCall(_) => None,
        }
    }

    fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Part::Text(text) => Some(text),
            Part::ToolResult(result) => Some(&mut result.output),
            Part::Brief | Part::ToolCall(_) => None,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Part::Brief => 0,
            Part::Text(text) => text.len(),
            Part::ToolCall(call) => call.id.len() + call.name.len() + call.input.len(),
            Part::ToolResult(result) => result.id.len() + result.output.len(),
        }
    }
}

fn check_message(message: &Message) -> Result<(), Error> {
    if message.parts.is_empty() {
        return Err(Error::Invalid("a message has no parts".to_owned()));
    }
    for part in &message.parts {
        match (message.role, part) {
            (Role::User, Part::ToolCall(_)) => return Err(Error::Invalid("a user's message calls a tool".to_owned())),
            (Role::Assistant, Part::ToolResult(_) | Part::Brief) => {
                return Err(Error::Invalid("an assistant's message holds a tool result or the brief".to_owned()));
            }
            (_, Part::ToolCall(call)) => drop(object(&call.input, &format!("the input of call `{}`", call.id))?),
            _ => {}
        }
    }
    Ok(())
}

/// Reads a JSON object.
pub(super) fn object(text: &str, what: &str) -> Result<Value, Error> {
    match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Error::Invalid(format!("{what} is not a JSON object"))),
        Err(e) => Err(Error::Invalid(format!("{what} is not JSON: {e}"))),
    }
}
