//! What holds of every protocol's reading of replies.

use super::http::Assemble;
use super::sse::Events;
use super::{Part, Stop};

/// As many tool calls as a reply of these tests may hold.
pub(super) const MAX_CALLS: usize = 4;

/// Reads bytes as a stream and as a whole reply. Whatever they are, nothing panics, and what comes out keeps the
/// promises of [`super::Reply`].
pub(super) fn check<A: Assemble>(bytes: &[u8], assembly: impl Fn() -> A) {
    let (mut events, mut reply) = (Events::default(), assembly());
    if events.feed(bytes, |data| reply.event(data)).is_ok() {
        keeps_its_promises(reply);
    }
    let mut reply = assembly();
    if reply.whole(bytes).is_ok() {
        keeps_its_promises(reply);
    }
}

/// The same of pieces of a stream: all of them in this order, and each as if it were a whole reply.
pub(super) fn check_pieces<A: Assemble>(pieces: &[String], assembly: impl Fn() -> A) {
    check(pieces.concat().as_bytes(), &assembly);
    for piece in pieces {
        check(piece.trim_start_matches("data: ").as_bytes(), &assembly);
    }
}

fn keeps_its_promises(reply: impl Assemble) {
    let Ok(reply) = reply.finish() else { return };
    let calls = reply.parts.iter().filter(|part| matches!(part, Part::ToolCall(_))).count();
    assert!(calls <= MAX_CALLS);
    match reply.stop {
        Stop::End => assert!(!reply.parts.is_empty() && calls == 0),
        Stop::ToolUse => assert!(calls > 0),
        _ => {}
    }
}
