//! What can be seen with certainty, without a model. Each check leaves alone what it is not sure of.

mod gutted;
mod hollow;
mod swallowed;
mod test_functions;

use review_loop_sdk::check;
use review_loop_sdk::prelude::*;

/// All checks over all changed files, at most `max` findings.
pub(crate) fn run(max: usize) -> Report {
    check::report(&[swallowed::check, gutted::check, hollow::check], max)
}
