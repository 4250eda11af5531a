//! A stranger's code that is checked out and run with the repository's token: `pull_request_target` or `workflow_run`, a
//! checkout of the pull request's head, and a step after it in the same job that builds or runs what is there.
//!
//! Leaves alone: a checkout that is only read, workflows with nothing to hand out (reading rights alone, no secret), and
//! workflows that ask first who it is.

use review_loop_sdk::check::Rule;
use review_loop_sdk::prelude::*;

use super::reader::{Entry, Workflow};
use crate::checks::fresh::Hit;

static CHECKED_OUT: Rule = Rule {
    category: "supply-chain",
    severity: Severity::Critical,
    load_bearing: true,
    confidence: 96,
    several: "jobs that run a stranger's code with the repository's token",
    follows: "a pull request from a fork can take the token and the secrets",
    hint: "Run the code under `pull_request`, and hand results to a second workflow that runs none of it.",
};

pub(super) fn find(workflow: &Workflow<'_>) -> Vec<Hit> {
    let events = ["pull_request_target", "workflow_run"];
    let started = events.into_iter().find_map(|event| Some((event, workflow.trigger_line(event)?)));
    let Some(started) = started.filter(|_| !workflow.has_nothing_to_hand_out()) else { return Vec::new() };
    workflow.jobs().into_iter().filter_map(|job| in_job(workflow, &workflow.steps(job), started)).collect()
}

fn in_job(workflow: &Workflow<'_>, steps: &[&[Entry<'_>]], (event, trigger): (&str, u32)) -> Option<Hit> {
    let (at, place) = steps.iter().enumerate().find_map(|(at, step)| Some((at, checked_out(step)?)))?;
    let command = steps.iter().skip(at + 1).find_map(|step| runs(step))?;
    let line = workflow.touched(&[place, trigger])?;
    let claim = format!(
        "`{event}` checks out the pull request's own code and then runs it with `{command}`, so a fork takes the \
         token and the secrets of this job."
    );
    Some(Hit { line, mark: format!("{event} checkout"), rule: &CHECKED_OUT, claim })
}

/// The line that says whose code is checked out, where it is a stranger's.
fn checked_out(step: &[Entry<'_>]) -> Option<u32> {
    let uses = step.iter().any(|entry| entry.key == "uses" && entry.value.starts_with("actions/checkout"));
    let beside = step.iter().any(|entry| entry.key == "path");
    let theirs = |entry: &&Entry<'_>| entry.key == "ref" && HEADS.iter().any(|head| entry.value.contains(head));
    step.iter().find(theirs).filter(|_| uses && !beside).map(|entry| entry.line)
}

const HEADS: &[&str] = &[
    "github.event.pull_request.head.sha",
    "github.event.pull_request.head.ref",
    "github.head_ref",
    "refs/pull/",
    "github.event.workflow_run.head_sha",
    "github.event.workflow_run.head_branch",
];

/// The command of a step that runs what the checkout brought: its build, its tests, its scripts.
fn runs<'a>(step: &[Entry<'a>]) -> Option<&'a str> {
    let local = step.iter().find(|entry| entry.key == "uses" && entry.value.starts_with("./")).map(|entry| entry.value);
    let script = step.iter().find(|entry| entry.key == "run")?;
    let lines = std::iter::once(script.value).chain(script.block.iter().map(|(_, line)| line.trim()));
    local.or_else(|| lines.into_iter().find(|line| BUILDS.iter().any(|start| line.starts_with(start))))
}

const BUILDS: &[&str] = &[
    "npm ci",
    "npm install",
    "npm i ",
    "npm run",
    "npm test",
    "yarn",
    "pnpm i",
    "pnpm run",
    "pnpm test",
    "pnpm build",
    "bun install",
    "bun run",
    "make",
    "cargo build",
    "cargo test",
    "cargo run",
    "cargo bench",
    "go test",
    "go run",
    "go generate",
    "pip install -e",
    "pip install .",
    "pip install -r",
    "python setup.py",
    "python -m pytest",
    "pytest",
    "tox",
    "nox",
    "poetry install",
    "uv sync",
    "uv run",
    "pre-commit",
    "bundle install",
    "bundle exec",
    "rake",
    "mvn",
    "./",
    "gradle",
    "docker build",
    "docker compose",
    "bash ",
    "composer install",
];

#[cfg(test)]
mod tests {
    use super::super::super::testing::lines_with;
    use review_loop_sdk::testing::FakeHost;

    fn workflow(head: &str, checkout: &str, step: &str) -> String {
        format!(
            "{head}\njobs:\n  a:\n    runs-on: x\n    steps:\n    - uses: actions/checkout@v4\n      with:\n        {checkout}\n{step}"
        )
    }

    fn lines(text: &str) -> Vec<u32> {
        lines_with(super::super::untrusted_checkout, FakeHost::new().added(".github/workflows/a.yml", text))
    }

    const HEAD: &str = "ref: ${{ github.event.pull_request.head.sha }}";
    const BUILD: &str = "    - run: npm ci\n";

    #[test]
    fn a_strangers_code_that_is_run_is_seen() {
        assert_eq!(lines(&workflow("on: pull_request_target", HEAD, BUILD)), [8]);
        assert_eq!(lines(&workflow("on:\n  pull_request_target:\n    branches: [main]", HEAD, BUILD)), [10]);
        let merge = "ref: refs/pull/${{ github.event.number }}/merge";
        assert_eq!(
            lines(&workflow("on: [pull_request_target]", merge, "    - name: b\n      run: |\n        make test\n")),
            [8]
        );
    }

    #[test]
    fn what_looks_alike_is_not() {
        for text in [
            workflow("on: pull_request", HEAD, BUILD),
            workflow("on: pull_request_target", "fetch-depth: 0", BUILD),
            workflow("on: pull_request_target", HEAD, "    - run: git diff --stat\n"),
            workflow("on: pull_request_target\npermissions:\n  contents: read", HEAD, BUILD),
            workflow(
                "on: pull_request_target",
                HEAD,
                "    - if: github.event.pull_request.head.repo.fork == false\n      run: make\n",
            ),
        ] {
            assert_eq!(lines(&text), [0; 0], "{text}");
        }
    }
}
