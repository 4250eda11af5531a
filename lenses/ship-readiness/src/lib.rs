//! The lens `ship-readiness`: see `LENS.md`.

use review_loop_sdk::prelude::*;

struct ShipReadiness;

impl Lens for ShipReadiness {
    const MANIFEST: &'static str = include_str!("../LENS.md");
}

export_lens!(ShipReadiness);
