//! What a model thought before it called a tool. The provider wants it back word for word with the tool's result, and
//! signs it; components never see it. So it is kept here and put back where the component returns the same calls.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::llm::Part;

/// The most bytes that are kept. The oldest go first: a conversation that comes back later than that goes on without
/// its thoughts.
const MAX_BYTES: usize = 8 << 20;

/// Contents of assistant messages as the provider sent them.
#[derive(Debug, Default)]
pub(super) struct Echo(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    entries: VecDeque<(Vec<Part>, Vec<Value>, usize)>,
    bytes: usize,
}

impl Echo {
    /// Keeps what stood behind `parts`.
    pub(super) fn remember(&self, parts: &[Part], content: Vec<Value>) {
        let weight = content.iter().map(|v| v.to_string().len()).sum::<usize>() * 2;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += weight;
        kept.entries.push_back((parts.to_vec(), content, weight));
        while kept.bytes > MAX_BYTES {
            let Some((_, _, gone)) = kept.entries.pop_front() else {
                break;
            };
            kept.bytes -= gone;
        }
    }

    /// What stood behind `parts`, if they are exactly what the provider's reply was read as.
    pub(super) fn recall(&self, parts: &[Part]) -> Option<Vec<Value>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entries.iter().rev().find(|(p, _, _)| p == parts).map(|(_, content, _)| content.clone())
    }
}
