//! The falsifier `grounding`: see `LENS.md`.

mod cited;
mod place;
mod sources;

use review_loop_sdk::prelude::*;

use crate::place::{Open, Step};
use crate::sources::{Hits, Texts};

/// The falsifier.
#[derive(Debug)]
pub struct Grounding;

impl Falsifier for Grounding {
    const MANIFEST: &'static str = include_str!("../LENS.md");

    /// What the cited places do not settle is searched for in all sources, for all findings at once.
    fn falsify(findings: &[Finding]) -> Result<Vec<Verdict>, Failure> {
        let mut texts = Texts::new();
        let steps: Vec<Step> = findings.iter().map(|finding| place::look(finding, &mut texts)).collect();
        let open = steps.iter().filter_map(|step| if let Step::Open(open) = step { Some(open) } else { None });
        let hits = Hits::search(open.flat_map(Open::patterns).collect());
        Ok(steps.into_iter().map(|step| step.verdict(&hits)).collect())
    }
}

export_falsifier!(Grounding);

#[cfg(test)]
mod tests;
