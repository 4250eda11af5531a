//! `llm`: a metered model call. The component says what is asked and how hard to think; nothing else.

use futures_util::future::join_all;
use wasmtime::Result;

use crate::llm;
use crate::runtime::bindings::v0_1::llm as wit;
use crate::runtime::call::State;

impl wit::Host for State {
    async fn available(&mut self) -> Result<bool> {
        self.count_call()?;
        Ok(self.model.available())
    }

    async fn complete(&mut self, request: wit::Request) -> Result<Result<wit::Reply, wit::Error>> {
        self.count_call()?;
        let answer = self.model.complete(&request.into()).await;
        self.tell_usage();
        Ok(answer.map(Into::into).map_err(Into::into))
    }

    async fn complete_all(&mut self, requests: Vec<wit::Request>) -> Result<Vec<Result<wit::Reply, wit::Error>>> {
        for _ in &requests {
            self.count_call()?;
        }
        let requests: Vec<llm::Request> = requests.into_iter().map(Into::into).collect();
        let answers = join_all(requests.iter().map(|request| self.model.complete(request))).await;
        self.tell_usage();
        Ok(answers.into_iter().map(|answer| answer.map(Into::into).map_err(Into::into)).collect())
    }
}

impl From<wit::Request> for llm::Request {
    fn from(request: wit::Request) -> Self {
        let tool = |tool: wit::Tool| llm::Tool {
            name: tool.name,
            description: tool.description,
            input_schema: tool.input_schema,
        };
        Self {
            tier: match request.tier {
                wit::Tier::Quick => llm::Tier::Quick,
                wit::Tier::Deep => llm::Tier::Deep,
            },
            instructions: request.instructions,
            messages: request.messages.into_iter().map(Into::into).collect(),
            tools: request.tools.into_iter().map(tool).collect(),
            schema: request.schema,
            max_output_tokens: request.max_output_tokens,
        }
    }
}

impl From<wit::Message> for llm::Message {
    fn from(message: wit::Message) -> Self {
        let role = match message.role {
            wit::Role::User => llm::Role::User,
            wit::Role::Assistant => llm::Role::Assistant,
        };
        Self { role, parts: message.parts.into_iter().map(Into::into).collect() }
    }
}

impl From<wit::Part> for llm::Part {
    fn from(part: wit::Part) -> Self {
        match part {
            wit::Part::Brief => Self::Brief,
            wit::Part::Text(text) => Self::Text(text),
            wit::Part::ToolCall(call) => {
                Self::ToolCall(llm::ToolCall { id: call.id, name: call.name, input: call.input })
            }
            wit::Part::ToolResult(result) => {
                Self::ToolResult(llm::ToolResult { id: result.id, output: result.output, failed: result.failed })
            }
        }
    }
}

impl From<llm::Part> for wit::Part {
    fn from(part: llm::Part) -> Self {
        match part {
            llm::Part::Brief => Self::Brief,
            llm::Part::Text(text) => Self::Text(text),
            llm::Part::ToolCall(call) => {
                Self::ToolCall(wit::ToolCall { id: call.id, name: call.name, input: call.input })
            }
            llm::Part::ToolResult(result) => {
                Self::ToolResult(wit::ToolResult { id: result.id, output: result.output, failed: result.failed })
            }
        }
    }
}

impl From<llm::Reply> for wit::Reply {
    fn from(reply: llm::Reply) -> Self {
        Self {
            parts: reply.parts.into_iter().map(Into::into).collect(),
            stop: match reply.stop {
                llm::Stop::End => wit::Stop::End,
                llm::Stop::ToolUse => wit::Stop::ToolUse,
                llm::Stop::MaxTokens => wit::Stop::MaxTokens,
                llm::Stop::Refusal => wit::Stop::Refusal,
                llm::Stop::Other => wit::Stop::Other,
            },
            usage: wit::Usage { input: reply.usage.input, cached: reply.usage.cached, output: reply.usage.output },
        }
    }
}

impl From<llm::Error> for wit::Error {
    fn from(error: llm::Error) -> Self {
        match error {
            llm::Error::Unavailable => Self::Unavailable,
            llm::Error::BudgetExhausted => Self::BudgetExhausted,
            llm::Error::RateLimited => Self::RateLimited,
            llm::Error::TimedOut => Self::TimedOut,
            llm::Error::TooLarge(why) => Self::TooLarge(why),
            llm::Error::Denied(why) => Self::Denied(why),
            llm::Error::Invalid(why) => Self::Invalid(why),
            llm::Error::Failed(why) => Self::Failed(why),
        }
    }
}
