//! The lens `adversarial`: see `LENS.md`.

use review_loop_sdk::prelude::*;

struct Adversarial;

impl Lens for Adversarial {
    const MANIFEST: &'static str = include_str!("../LENS.md");
}

export_lens!(Adversarial);
