//! A workflow's file as lines with their depth: as much of YAML as tells triggers, jobs, steps and scripts.

use crate::checks::text::Text;

/// One line that is not part of a block of text, and the block that it opens.
pub(super) struct Entry<'a> {
    pub(super) line: u32,
    /// Columns before the key.
    pub(super) indent: usize,
    /// Whether a list's item begins here.
    pub(super) item: bool,
    /// Empty for a plain item of a list.
    pub(super) key: &'a str,
    pub(super) value: &'a str,
    /// The lines of the block of text behind `|` or `>`.
    pub(super) block: Vec<(u32, &'a str)>,
}

/// A whole file.
pub(super) struct Workflow<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    text: &'a Text<'a>,
}

impl<'a> Workflow<'a> {
    pub(super) fn read(text: &'a Text<'a>) -> Self {
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let mut in_block = false;
        for (line, content) in text.lines() {
            let indent = content.len() - content.trim_start_matches(' ').len();
            if let Some(last) =
                entries.last_mut().filter(|last| in_block && (content.trim().is_empty() || indent > last.indent))
            {
                last.block.push((line, content));
                continue;
            }
            if content.trim().is_empty() || content.trim_start().starts_with('#') {
                continue;
            }
            let entry = entry(line, indent, content.trim());
            in_block = entry.value.starts_with(['|', '>']) && !entry.key.is_empty();
            entries.push(entry);
        }
        Self { entries, text }
    }

    /// The events that start it.
    pub(super) fn triggers(&self) -> Vec<&'a str> {
        let Some(at) = self.entries.iter().position(|e| e.indent == 0 && matches!(e.key, "on" | "\"on\"" | "'on'"))
        else {
            return Vec::new();
        };
        let inline = self.entries.get(at).map_or("", |entry| entry.value);
        let inline = inline.split(['[', ']', ',', ' ', '{', '}', ':']).filter(|word| !word.is_empty());
        let below = self.below(at);
        let first = below.first().map_or(0, |entry| entry.indent);
        let named = below.iter().filter(|entry| entry.indent == first);
        inline.chain(named.map(|entry| if entry.key.is_empty() { entry.value } else { entry.key })).collect()
    }

    /// The line that names the event as a trigger.
    pub(super) fn trigger_line(&self, event: &str) -> Option<u32> {
        let started = self.triggers().contains(&event);
        let names = |entry: &&Entry<'_>| entry.key == event || entry.value.contains(event);
        self.entries.iter().find(names).filter(|_| started).map(|entry| entry.line)
    }

    /// The first of the lines that the change touched.
    pub(super) fn touched(&self, lines: &[u32]) -> Option<u32> {
        lines.iter().find(|line| self.text.is_touched(**line)).copied()
    }

    /// The entries that belong to the one at `at`.
    pub(super) fn below(&self, at: usize) -> &[Entry<'a>] {
        let Some(head) = self.entries.get(at) else { return &[] };
        let rest = self.entries.get(at + 1..).unwrap_or_default();
        let inside = |entry: &&Entry<'_>| entry.indent > head.indent;
        let length = rest.iter().take_while(inside).count();
        rest.get(..length).unwrap_or_default()
    }

    /// The jobs: the index of each one's name.
    pub(super) fn jobs(&self) -> Vec<usize> {
        let Some(at) = self.entries.iter().position(|entry| entry.indent == 0 && entry.key == "jobs") else {
            return Vec::new();
        };
        let depth = self.entries.get(at + 1).map_or(0, |entry| entry.indent);
        let count = self.below(at).len();
        (at + 1..=at + count).filter(|at| self.entries.get(*at).is_some_and(|entry| entry.indent == depth)).collect()
    }

    /// The steps of a job: each the entries of one item.
    pub(super) fn steps(&self, job: usize) -> Vec<&[Entry<'a>]> {
        let below = self.below(job);
        let Some(at) = below.iter().position(|entry| entry.key == "steps") else { return Vec::new() };
        let rest = below.get(at + 1..).unwrap_or_default();
        let Some(depth) = rest.first().filter(|entry| entry.item).map(|entry| entry.indent) else { return Vec::new() };
        let length = rest.iter().take_while(|entry| entry.indent >= depth).count();
        let rest = rest.get(..length).unwrap_or_default();
        let starts: Vec<usize> =
            (0..rest.len()).filter(|at| rest.get(*at).is_some_and(|e| e.item && e.indent == depth)).collect();
        let ends = starts.iter().skip(1).copied().chain([rest.len()]);
        starts.iter().zip(ends).filter_map(|(start, end)| rest.get(*start..end)).collect()
    }

    /// Whether somebody who may write to the repository has a say before it runs.
    pub(super) fn is_gated(&self) -> bool {
        const GATES: &[&str] = &[
            "author_association",
            "github.actor ==",
            "github.actor,",
            "github.actor)",
            "user.login",
            "head.repo.full_name",
            "head.repo.fork",
            "head.repo.owner",
            "head_repository",
            "github.triggering_actor",
            "getCollaboratorPermission",
            "/permission",
            "labeled",
            "label.name",
            ".labels",
            "environment:",
            "sender.",
            "permission-check",
            "isCollaborator",
            "github.repository_owner ==",
            "comment.user",
            "is-organization-member",
            "team-member",
            "has-permission",
            "actor-permission",
        ];
        self.text
            .whole()
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'))
            .any(|line| GATES.iter().any(|gate| line.contains(gate)))
    }

    /// Whether nothing in it but the reading of code may be done, and no secret is named.
    pub(super) fn has_nothing_to_hand_out(&self) -> bool {
        let at = self.entries.iter().position(|entry| entry.indent == 0 && entry.key == "permissions");
        let reads = |entry: &Entry<'_>| matches!(entry.value, "read" | "none");
        let narrow = at.is_some_and(|at| {
            let head = self.entries.get(at).map_or("", |entry| entry.value);
            matches!(head, "{}" | "read-all") || (head.is_empty() && self.below(at).iter().all(reads))
        });
        let widened = self.entries.iter().any(|entry| entry.indent > 0 && entry.value == "write");
        let secrets = self.text.whole().contains("secrets.") || self.text.whole().contains("secrets: inherit");
        narrow && !widened && !secrets
    }
}

fn entry(line: u32, indent: usize, content: &str) -> Entry<'_> {
    let mut rest = content;
    let (mut indent, mut item) = (indent, false);
    while let Some(inner) = rest.strip_prefix("- ") {
        indent += rest.len() - inner.trim_start().len();
        rest = inner.trim_start();
        item = true;
    }
    let pair = rest.split_once(": ").or_else(|| rest.strip_suffix(':').map(|key| (key, "")));
    let is_key = |key: &&str| key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.'\"/".contains(&b));
    let (key, value) = pair.filter(|(key, _)| is_key(key)).unwrap_or(("", rest));
    let value = if value.starts_with('#') { "" } else { value.split(" #").next().unwrap_or(value) };
    Entry { line, indent, item, key, value: value.trim(), block: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_an_entry() {
        let entry = entry(1, 6, "- name: a # b");
        assert_eq!((entry.indent, entry.item, entry.key, entry.value), (8, true, "name", "a"));
    }
}
