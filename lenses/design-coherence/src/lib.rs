//! The lens `design-coherence`: see `LENS.md`.

use review_loop_sdk::prelude::*;

struct DesignCoherence;

impl Lens for DesignCoherence {
    const MANIFEST: &'static str = include_str!("../LENS.md");
}

export_lens!(DesignCoherence);

#[cfg(test)]
mod tests {
    #[test]
    fn cases() {
        review_loop_sdk::testing::cases::<super::DesignCoherence>(env!("CARGO_MANIFEST_DIR"));
    }
}
