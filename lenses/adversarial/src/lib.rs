//! The lens `adversarial`: see `LENS.md`.

use review_loop_sdk::prelude::*;

/// The lens.
#[derive(Debug)]
pub struct Adversarial;

impl Lens for Adversarial {
    const MANIFEST: &'static str = include_str!("../LENS.md");
}

export_lens!(Adversarial);

#[cfg(test)]
mod tests {
    #[test]
    fn cases() {
        review_loop_sdk::testing::cases::<super::Adversarial>(env!("CARGO_MANIFEST_DIR"));
    }
}
