//! The falsifier `skeptic`: see `LENS.md`.
//!
//! One skeptic's word is not a majority, and a finding that is dropped is gone: so in doubt the verdict is *undecided*,
//! which keeps the finding without vouching for it. Both *falsified* and *stands* have to point at a line that the
//! model was shown. How many skeptics it takes is the host's arithmetic.

mod answer;
mod exhibit;

use review_loop_sdk::judgement::error_words;
use review_loop_sdk::manifest;
use review_loop_sdk::prelude::*;

use crate::exhibit::Exhibit;

/// The falsifier.
#[derive(Debug)]
pub struct Skeptic;

impl Falsifier for Skeptic {
    const MANIFEST: &'static str = include_str!("../LENS.md");

    /// Asks about all of a model's findings at once. What was seen with certainty stands without a question.
    fn falsify(findings: &[Finding]) -> Result<Vec<Verdict>, Failure> {
        let judged: Vec<&Finding> = findings.iter().filter(|finding| finding.basis == Basis::Judgement).collect();
        let mut verdicts = if llm::available() { ask(&judged) } else { unavailable(judged.len()) }.into_iter();
        let missing = || Verdict::Undecided("there was no answer".to_owned());
        let verdict = |finding: &Finding| match finding.basis {
            Basis::Judgement => verdicts.next().unwrap_or_else(missing),
            Basis::Check | Basis::Execution => Verdict::Stands,
        };
        Ok(findings.iter().map(verdict).collect())
    }
}

export_falsifier!(Skeptic);

fn unavailable(count: usize) -> Vec<Verdict> {
    vec![Verdict::Undecided(error_words(&llm::Error::Unavailable)); count]
}

fn ask(findings: &[&Finding]) -> Vec<Verdict> {
    log::progress("asking the model to disprove findings");
    let exhibits = Exhibit::of_all(findings);
    let shown = || exhibits.iter().filter(|exhibit| exhibit.shows_code());
    let requests: Vec<llm::Request> = shown().map(request).collect();
    let replies = if requests.is_empty() { Vec::new() } else { llm::complete_all(&requests) };
    let mut replies = replies.into_iter();
    let verdict = |exhibit: &Exhibit| {
        if !exhibit.shows_code() {
            return Verdict::Undecided("there is no code at its place to show".to_owned());
        }
        let reply = replies.next().unwrap_or_else(|| Err(llm::Error::Failed("no reply".to_owned())));
        reply.map_or_else(|error| Verdict::Undecided(error_words(&error)), |reply| answer::read(&reply, exhibit))
    };
    exhibits.iter().map(verdict).collect()
}

fn request(exhibit: &Exhibit) -> llm::Request {
    llm::Request {
        tier: llm::Tier::Quick,
        instructions: manifest::prompt(Skeptic::MANIFEST).to_owned(),
        messages: vec![llm::Message { role: llm::Role::User, parts: vec![llm::Part::Text(exhibit.text().to_owned())] }],
        tools: Vec::new(),
        schema: Some(answer::SCHEMA.to_owned()),
        max_output_tokens: 2048,
    }
}

#[cfg(test)]
mod tests;
