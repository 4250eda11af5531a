//! What can be set about model calls: the table `[llm]` of a configuration, without keys and addresses, which only
//! the environment has.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The table `[llm]`. A key that is left out keeps its default. Times in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Model names for the Messages API.
    pub anthropic: Anthropic,
    /// Model names for chat completions.
    pub openai: OpenAi,
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// When to ask again.
    pub retry: Retry,
    /// What a reply may be.
    pub reply: ReplyLimits,
    /// What a run may use.
    pub budget: Budget,
}

/// The table `[llm.anthropic]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Anthropic {
    /// The model for reviews.
    pub deep: String,
    /// The model for narrow questions.
    pub quick: String,
    /// Tokens for thinking, on top of what a component asks for its answer. Current models always think, and the
    /// provider counts it against the same cap.
    pub thinking_tokens: u32,
}

/// The table `[llm.openai]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct OpenAi {
    /// The model for reviews.
    pub deep: String,
    /// The model for narrow questions.
    pub quick: String,
    /// Tokens for reasoning, on top of what a component asks for its answer. Asked of OpenAI's own service only: a
    /// local server would have to hold the room free in a small context.
    pub thinking_tokens: u32,
}

/// The table `[llm.timeouts]`. Milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Timeouts {
    /// Until there is a connection.
    pub connect_ms: u64,
    /// Until the first byte of a reply's body.
    pub first_byte_ms: u64,
    /// Between two pieces of a reply.
    pub idle_ms: u64,
    /// For one request, retries included.
    pub total_ms: u64,
}

/// The table `[llm.retry]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Retry {
    /// How often a request is sent, the first time included.
    pub attempts: u32,
    /// Before the second attempt; doubles from there, and up to a quarter is taken off at random. Milliseconds.
    pub first_wait_ms: u64,
    /// No wait of our own is longer. Milliseconds.
    pub longest_wait_ms: u64,
    /// A provider that asks for a longer wait than this is not asked again. Milliseconds.
    pub longest_retry_after_ms: u64,
}

/// The table `[llm.reply]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct ReplyLimits {
    /// The most bytes read of one reply, as sent.
    pub max_bytes: usize,
    /// The most tool calls in one reply.
    pub max_tool_calls: usize,
    /// The most tokens that any model is asked for, thinking included, whatever a component wants. For models that
    /// write less than that at most.
    pub max_output_tokens: u32,
}

/// The table `[llm.budget]`. Tokens are input, cached and output together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Budget {
    /// The most tokens of a run.
    pub tokens_per_run: u64,
    /// The most tokens of one lens or falsifier.
    pub tokens_per_component: u64,
    /// The most calls of one lens or falsifier.
    pub calls_per_component: u64,
    /// The most requests in flight at any time.
    pub parallel: usize,
    /// The most of them that one lens or falsifier has.
    pub parallel_per_component: usize,
    /// From this many tokens of prompt on, by estimate, one request goes ahead of the others that share it, to fill
    /// the provider's cache. Providers cache nothing shorter than 512 to 4,096 tokens, by model.
    pub cache_from_tokens: u64,
    /// How long the provider is taken to keep a prompt after its last use. Milliseconds.
    pub cache_keeps_ms: u64,
}

impl Default for Anthropic {
    fn default() -> Self {
        let (deep, quick) = ("claude-opus-5-5".to_owned(), "claude-haiku-5-5".to_owned());
        Self { deep, quick, thinking_tokens: 16_000 }
    }
}

impl Default for OpenAi {
    fn default() -> Self {
        let (deep, quick) = ("gpt-5.5".to_owned(), "gpt-5.4-mini".to_owned());
        Self { deep, quick, thinking_tokens: 16_000 }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect_ms: 10_000, first_byte_ms: 180_000, idle_ms: 120_000, total_ms: 540_000 }
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 4, first_wait_ms: 1_000, longest_wait_ms: 20_000, longest_retry_after_ms: 120_000 }
    }
}

impl Default for ReplyLimits {
    fn default() -> Self {
        Self { max_bytes: 8 << 20, max_tool_calls: 64, max_output_tokens: 64_000 }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            tokens_per_run: 4_000_000,
            tokens_per_component: 2_000_000,
            calls_per_component: 200,
            parallel: 8,
            parallel_per_component: 8,
            cache_from_tokens: 4_096,
            cache_keeps_ms: 240_000,
        }
    }
}

impl ReplyLimits {
    /// What to ask a provider for, where an answer may have `answer` tokens and the thinking before it `thinking`.
    pub(super) fn output_tokens(&self, answer: u32, thinking: u32) -> u32 {
        answer.saturating_add(thinking).min(self.max_output_tokens)
    }
}

impl Timeouts {
    pub(super) fn connect(&self) -> Duration {
        Duration::from_millis(self.connect_ms)
    }

    pub(super) fn first_byte(&self) -> Duration {
        Duration::from_millis(self.first_byte_ms)
    }

    pub(super) fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }

    pub(super) fn total(&self) -> Duration {
        Duration::from_millis(self.total_ms)
    }
}
