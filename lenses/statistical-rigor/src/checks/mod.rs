//! What can be seen with certainty, without a model.

mod loosened;

use review_loop_sdk::check;
use review_loop_sdk::prelude::*;

/// All checks over all changed files, at most `max` findings.
pub(crate) fn run(max: usize) -> Report {
    check::report(&[loosened::check], max)
}
