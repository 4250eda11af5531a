//! The lens `simplicity`: see `LENS.md`.

use review_loop_sdk::prelude::*;

struct Simplicity;

impl Lens for Simplicity {
    const MANIFEST: &'static str = include_str!("../LENS.md");
}

export_lens!(Simplicity);

#[cfg(test)]
mod tests {
    #[test]
    fn cases() {
        review_loop_sdk::testing::cases::<super::Simplicity>(env!("CARGO_MANIFEST_DIR"));
    }
}
