//! The falsifier `grounding`: see `LENS.md`.

use review_loop_sdk::prelude::*;

struct Grounding;

impl Falsifier for Grounding {
    const MANIFEST: &'static str = include_str!("../LENS.md");

    fn falsify(findings: &[Finding]) -> Result<Vec<Verdict>, Failure> {
        Ok(findings.iter().map(|_| Verdict::Stands).collect())
    }
}

export_falsifier!(Grounding);
