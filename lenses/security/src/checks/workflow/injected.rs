//! Script injection: what a stranger writes (a title, a comment, the name of a branch) becomes part of a script.
//!
//! Only in workflows whose trigger gives strangers' events a token that can write or secrets, and only where the whole
//! expression is the stranger's text. Leaves alone: plain `pull_request` (its token can only read), expressions in `if`,
//! `env` and `with` (they are values, not code), functions around the text, and workflows that ask who it is.

use review_loop_sdk::check::Rule;
use review_loop_sdk::prelude::*;

use super::reader::{Entry, Workflow};
use crate::checks::fresh::Hit;

static INJECTED: Rule = Rule {
    category: "injection",
    severity: Severity::High,
    load_bearing: true,
    confidence: 96,
    several: "scripts with a stranger's text in them",
    follows: "whoever writes that text runs commands with the workflow's token",
    hint: "Put the expression into `env:` and use the variable, in quotes, in the script.",
};

pub(super) fn find(workflow: &Workflow<'_>) -> Vec<Hit> {
    let triggers = workflow.triggers();
    let scripts = workflow.entries.iter().filter(|entry| entry.key == "run" || is_script(workflow, entry));
    scripts
        .flat_map(|entry| lines(entry))
        .flat_map(|(line, text)| {
            let expressions = text.split("${{").skip(1).filter_map(|rest| rest.split_once("}}"));
            let found = expressions.filter_map(|(expression, _)| source(expression.trim(), &triggers));
            found.map(move |(name, event)| hit(line, name, event)).collect::<Vec<_>>()
        })
        .collect()
}

fn hit(line: u32, name: &str, event: &str) -> Hit {
    let claim = format!(
        "`{name}` becomes part of a script, and `{event}` runs it for strangers, so whoever writes that text runs \
         commands with the workflow's token."
    );
    Hit { line, mark: name.to_owned(), rule: &INJECTED, claim }
}

/// `script` of `actions/github-script` is code too.
fn is_script(workflow: &Workflow<'_>, entry: &Entry<'_>) -> bool {
    let index = || workflow.entries.partition_point(|other| other.line < entry.line);
    let uses = |other: &Entry<'_>| other.key == "uses" && other.value.contains("actions/github-script");
    entry.key == "script" && {
        let at = index();
        workflow
            .entries
            .get(at.saturating_sub(8)..at + 3)
            .or(workflow.entries.get(at.saturating_sub(8)..))
            .is_some_and(|near| near.iter().any(uses))
    }
}

fn lines<'a>(entry: &'a Entry<'a>) -> impl Iterator<Item = (u32, &'a str)> {
    std::iter::once((entry.line, entry.value)).chain(entry.block.iter().copied())
}

/// A stranger's text and the event that brings it with rights; none for anything else.
fn source<'a>(expression: &'a str, triggers: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let parts = expression.split("||").map(str::trim);
    parts.into_iter().find_map(|part| {
        let row = SOURCES.iter().find(|row| row.texts.contains(&part))?;
        let event = triggers.iter().find(|trigger| row.events.contains(trigger))?;
        Some((part, *event))
    })
}

struct Source {
    texts: &'static [&'static str],
    /// The events that come from strangers and run with the rights of the repository.
    events: &'static [&'static str],
}

const SOURCES: &[Source] = &[
    Source { texts: &["github.event.issue.title", "github.event.issue.body"], events: &["issues", "issue_comment"] },
    Source { texts: &["github.event.comment.body"], events: &["issue_comment", "discussion_comment"] },
    Source {
        texts: &["github.event.discussion.title", "github.event.discussion.body"],
        events: &["discussion", "discussion_comment"],
    },
    Source {
        texts: &[
            "github.event.pull_request.title",
            "github.event.pull_request.body",
            "github.event.pull_request.head.ref",
            "github.event.pull_request.head.label",
            "github.event.pull_request.head.repo.default_branch",
            "github.head_ref",
        ],
        events: &["pull_request_target"],
    },
    Source {
        texts: &[
            "github.event.workflow_run.head_branch",
            "github.event.workflow_run.display_title",
            "github.event.workflow_run.head_commit.message",
            "github.event.workflow_run.head_commit.author.name",
            "github.event.workflow_run.head_commit.author.email",
            "github.event.workflow_run.pull_requests[0].head.ref",
        ],
        events: &["workflow_run"],
    },
];

#[cfg(test)]
mod tests {
    use super::super::super::testing::lines;

    const PATH: &str = ".github/workflows/a.yml";

    fn workflow(on: &str, step: &str) -> String {
        format!("on: {on}\njobs:\n  a:\n    runs-on: x\n    steps:\n{step}")
    }

    #[test]
    fn a_strangers_text_in_a_script_is_seen() {
        for (on, step) in [
            ("issues", "      - run: echo \"${{ github.event.issue.title }}\"\n"),
            ("[push, issue_comment]", "      - run: |\n          echo '${{ github.event.comment.body }}'\n"),
            (
                "pull_request_target",
                "      - name: a\n        run: git fetch origin ${{github.head_ref || github.ref_name}}\n",
            ),
            (
                "\n  workflow_run:\n    workflows: [a]",
                "      - run: echo ${{ github.event.workflow_run.head_branch }}\n",
            ),
            (
                "issues",
                "      - uses: actions/github-script@v7\n        with:\n          script: |\n            log(`${{ github.event.issue.body }}`)\n",
            ),
        ] {
            assert_eq!(lines(super::super::injected, PATH, &workflow(on, step)).len(), 1, "{on}: {step}");
        }
        let old = workflow("issues", "      - run: echo ${{ github.event.issue.title }}\n").replace('\n', "\r");
        assert_eq!(lines(super::super::injected, PATH, &format!("\u{feff}{old}")), [1]);
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (on, step) in [
            ("pull_request", "      - run: echo ${{ github.head_ref }}\n"),
            (
                "issues",
                "      - run: echo \"$TITLE\"\n        env:\n          TITLE: ${{ github.event.issue.title }}\n",
            ),
            ("issues", "      - run: echo ${{ github.event.issue.number }}\n"),
            ("issue_comment", "      - run: echo ${{ contains(github.event.comment.body, '/x') }}\n"),
            (
                "issue_comment",
                "      - if: github.event.comment.author_association == 'OWNER'\n        run: echo ${{ github.event.comment.body }}\n",
            ),
            ("issues", "      # - run: echo ${{ github.event.issue.title }}\n      - run: a\n"),
            ("issues", "      - uses: x/y@v1\n        with:\n          title: ${{ github.event.issue.title }}\n"),
        ] {
            assert_eq!(lines(super::super::injected, PATH, &workflow(on, step)), [0; 0], "{on}: {step}");
        }
        let elsewhere = workflow("issues", "      - run: echo ${{ github.event.issue.title }}\n");
        assert_eq!(lines(super::super::injected, "docs/a.yml", &elsewhere), [0; 0]);
    }
}
