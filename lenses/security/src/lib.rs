//! The lens `security`: see `LENS.md`.

mod checks;

use review_loop_sdk::prelude::*;

/// The lens.
#[derive(Debug)]
pub struct Security;

impl Lens for Security {
    const MANIFEST: &'static str = include_str!("../LENS.md");

    fn checks() -> Result<Report, Failure> {
        Ok(checks::run(Self::describe().max_findings as usize))
    }
}

export_lens!(Security);

#[cfg(test)]
mod tests {
    #[test]
    fn cases() {
        review_loop_sdk::testing::cases::<super::Security>(env!("CARGO_MANIFEST_DIR"));
    }
}
