//! The half of a lens that asks a model.
//!
//! [`review`] is what [`Lens::review`](crate::Lens::review) does by default: the model is told what the lens is about
//! and what its checks saw, may look around in the sources, and its reply is read strictly. Whatever keeps it from an
//! answer (no model, a spent budget, a refusal, a reply that cannot be read) is reported as judgement that was skipped,
//! beside the checks' findings, and never as "nothing found".

mod answer;
mod conversation;
mod prompt;
mod tools;

pub use answer::severity;
pub use conversation::{error_words, text_of};
pub use tools::{MAX_LOOKUPS, numbered};

use crate::types::{Description, Part, Report, Skipped};
use crate::{handover, llm, log, manifest};

/// What the checks found, and what the model makes of it and of the rest.
#[must_use]
pub fn review(manifest: &str, checks: Report) -> Report {
    let mut report = checks;
    match judge(manifest, &report) {
        Ok(judged) => {
            report.findings.extend(judged.findings);
            report.credits.extend(judged.credits);
            report.skipped.extend(judged.skipped);
        }
        Err(why) => report.skipped.push(Skipped { what: Part::Judgement, why }),
    }
    report
}

fn judge(manifest: &str, checks: &Report) -> Result<Report, String> {
    if !llm::available() {
        return Err(error_words(&llm::Error::Unavailable));
    }
    let description = manifest::description(manifest);
    // A model may never answer; what the checks saw must not be lost with it.
    handover::keep(checks);
    log::progress("asking the model");
    let request = llm::Request {
        tier: llm::Tier::Deep,
        instructions: prompt::instructions(manifest, &description),
        messages: vec![conversation::told(prompt::task(&description, checks))],
        tools: tools::declared(),
        schema: Some(prompt::SCHEMA.to_owned()),
        max_output_tokens: 8192,
    };
    let report = conversation::hold(request, |text| answer::read(text, &description))?;
    Ok(within_cap(report, &description))
}

/// The gravest and surest findings, as many as the lens may report.
fn within_cap(mut report: Report, description: &Description) -> Report {
    let cap = description.max_findings as usize;
    report.findings.sort_by_key(|finding| std::cmp::Reverse((finding.severity, finding.confidence)));
    if report.findings.len() > cap {
        log::write(log::Level::Info, &format!("kept {cap} of the model's {} findings", report.findings.len()));
        report.findings.truncate(cap);
    }
    report
}

#[cfg(test)]
mod tests;
