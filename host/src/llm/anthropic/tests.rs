use proptest::prelude::*;
use serde_json::json;

use super::conversions::Assembly;
use super::echo::Echo;
use crate::llm::tests::{MAX_CALLS, check, check_pieces};

fn piece() -> impl Strategy<Value = String> {
    let index = prop_oneof![Just(json!(0)), Just(json!(1)), Just(json!(u64::MAX)), Just(json!(-1)), Just(json!("0"))];
    let kind = prop_oneof![
        "text",
        "tool_use",
        "thinking",
        "text_delta",
        "input_json_delta",
        "thinking_delta",
        "end_turn",
        "tool_use",
        "max_tokens",
        "\\PC{0,5}"
    ];
    let event = prop_oneof![
        "message_start",
        "content_block_start",
        "content_block_delta",
        "message_delta",
        "message_stop",
        "error",
        "ping"
    ];
    (event, index, kind, "[{}\"a ]{0,4}", any::<u64>()).prop_map(|(event, index, kind, text, n)| {
        let block = json!({"type": kind, "text": text, "id": text, "name": text, "input": {}, "partial_json": text, "thinking": n});
        let usage = json!({"input_tokens": n, "cache_creation_input_tokens": n, "cache_read_input_tokens": text, "output_tokens": n});
        let event = json!({"type": event, "index": index, "content_block": block, "delta": {"type": kind, "text": text, "partial_json": text, "stop_reason": kind},
            "message": {"content": [block], "usage": usage}, "usage": usage, "content": [block, block], "stop_reason": kind, "error": {"type": kind, "message": text}});
        format!("data: {event}\n\n")
    })
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let echo = Echo::default();
        check(&bytes, || Assembly::new(MAX_CALLS, &echo));
        check(&[b"data: ", &bytes[..], b"\n\n"].concat(), || Assembly::new(MAX_CALLS, &echo));
    }

    #[test]
    fn no_order_of_events_breaks_a_promise(pieces in proptest::collection::vec(piece(), 0..12)) {
        let echo = Echo::default();
        check_pieces(&pieces, || Assembly::new(MAX_CALLS, &echo));
    }
}
