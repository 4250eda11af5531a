//! `subject`: what is under review, as the scope read it.

use review_loop_core::subject as core;
use wasmtime::Result;

use crate::runtime::bindings::v0_1::{subject as wit, types};
use crate::runtime::call::State;

impl types::Host for State {}

impl wit::Host for State {
    async fn mode(&mut self) -> Result<String> {
        self.count_call()?;
        let mode = match self.subject.mode {
            core::Mode::Code => "code",
            core::Mode::Plan => "plan",
            core::Mode::Claim => "claim",
        };
        Ok(mode.to_owned())
    }

    async fn iteration(&mut self) -> Result<u32> {
        self.count_call()?;
        Ok(self.subject.iteration)
    }

    async fn files(&mut self) -> Result<Vec<wit::File>> {
        self.count_call()?;
        Ok(self.subject.files.iter().map(file).collect())
    }

    async fn hunks(&mut self, path: String) -> Result<Result<Vec<wit::Hunk>, wit::Error>> {
        self.count_call()?;
        let found = self.subject.files.binary_search_by(|file| file.path.as_str().cmp(&path)).ok();
        let file = found.and_then(|index| self.subject.files.get(index));
        Ok(file.map(|file| file.hunks.iter().map(hunk).collect()).ok_or(wit::Error::NotInSubject))
    }

    async fn documents(&mut self) -> Result<Vec<wit::Document>> {
        self.count_call()?;
        let document =
            |document: &core::Document| wit::Document { path: document.path.clone(), text: document.text.clone() };
        Ok(self.subject.documents.iter().map(document).collect())
    }

    async fn claims(&mut self) -> Result<Vec<wit::Claim>> {
        self.count_call()?;
        let claim = |claim: &core::Claim| wit::Claim { text: claim.text.clone(), sources: claim.sources.clone() };
        Ok(self.subject.claims.iter().map(claim).collect())
    }

    async fn history(&mut self) -> Result<Vec<wit::Past>> {
        self.count_call()?;
        Ok(self.subject.history.iter().map(past).collect())
    }
}

fn file(file: &core::File) -> wit::File {
    wit::File {
        path: file.path.clone(),
        old_path: file.old_path.clone(),
        status: file.status.into(),
        old_kind: file.old_kind.map(Into::into),
        new_kind: file.new_kind.map(Into::into),
        binary: file.binary,
        omitted: file.omitted.as_ref().map(ToString::to_string),
        added: file.added,
        removed: file.removed,
        size: file.size,
    }
}

fn hunk(hunk: &core::Hunk) -> wit::Hunk {
    let line = |line: &core::Line| wit::Line {
        change: line.change.into(),
        old: line.old,
        new: line.new,
        text: line.text.clone(),
    };
    wit::Hunk { header: hunk.header.clone(), lines: hunk.lines.iter().map(line).collect() }
}

fn past(past: &core::Past) -> wit::Past {
    let outcome = match &past.outcome {
        core::PastOutcome::Open => wit::Outcome::Open,
        core::PastOutcome::Fixed => wit::Outcome::Fixed,
        core::PastOutcome::Declined(reason) => wit::Outcome::Declined(reason.clone()),
        core::PastOutcome::Falsified(evidence) => wit::Outcome::Falsified(evidence.clone()),
    };
    wit::Past { iteration: past.iteration, finding: past.finding.clone().into(), outcome }
}
