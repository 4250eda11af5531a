//! Workflows of GitHub that hand a token or secrets to somebody who may not have them.

mod injected;
mod reader;
mod untrusted_checkout;

use review_loop_sdk::check::{Changed, Seen};

use self::reader::Workflow;
use super::fresh::{Hit, fresh};
use super::text::Text;

/// Text from outside that becomes part of a script.
pub(crate) fn injected(changed: &Changed) -> Vec<Seen> {
    let any = is_workflow(&changed.file.path)
        && changed.adds_any(&["github.event", "github.head_ref", "_target", "run", "issue"]);
    if any { fresh(changed, |text| read(text, injected::find)) } else { Vec::new() }
}

/// Code from outside that is run with more than it may have.
pub(crate) fn untrusted_checkout(changed: &Changed) -> Vec<Seen> {
    let any = is_workflow(&changed.file.path)
        && changed.adds_any(&["pull_request_target", "workflow_run", "github.event", "github.head_ref", "refs/pull"]);
    if any { fresh(changed, |text| read(text, untrusted_checkout::find)) } else { Vec::new() }
}

fn is_workflow(path: &str) -> bool {
    let yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    yaml && (path.starts_with(".github/workflows/") || path.contains("/.github/workflows/"))
}

fn read<'a>(text: &'a Text<'a>, find: fn(&Workflow<'_>) -> Vec<Hit>) -> Vec<Hit> {
    let workflow = Workflow::read(text);
    // Somebody who may write decides first: a label, a comparison of the author, an environment with reviewers.
    if workflow.is_gated() { Vec::new() } else { find(&workflow) }
}
