use proptest::prelude::*;
use serde_json::json;

use super::conversions::Assembly;
use crate::llm::tests::{MAX_CALLS, check, check_pieces};

fn piece() -> impl Strategy<Value = String> {
    let index = prop_oneof![Just(json!(0)), Just(json!(1)), Just(json!(u64::MAX)), Just(json!(null)), Just(json!("0"))];
    let finish = prop_oneof!["stop", "length", "tool_calls", "content_filter", "\\PC{0,5}"];
    let of = prop_oneof![Just("delta"), Just("message")];
    (index, finish, of, "[{}\"a ]{0,4}", any::<u64>(), any::<bool>()).prop_map(|(index, finish, of, text, n, ends)| {
        let call = json!({"index": index, "id": text, "function": {"name": text, "arguments": text}});
        let calls = if n % 2 == 0 { json!([call, call]) } else { json!(null) };
        let finish = if ends { json!(finish) } else { json!(null) };
        let choice = json!({of: {"content": text, "tool_calls": calls}, "finish_reason": finish});
        let usage =
            json!({"prompt_tokens": n, "completion_tokens": n, "prompt_tokens_details": {"cached_tokens": u64::MAX}});
        format!("data: {}\n\n", json!({"choices": [choice], "usage": usage}))
    })
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes, || Assembly::new(MAX_CALLS));
        check(&[b"data: ", &bytes[..], b"\n\n"].concat(), || Assembly::new(MAX_CALLS));
    }

    #[test]
    fn no_order_of_chunks_breaks_a_promise(pieces in proptest::collection::vec(piece(), 0..12)) {
        check_pieces(&pieces, || Assembly::new(MAX_CALLS));
    }
}
