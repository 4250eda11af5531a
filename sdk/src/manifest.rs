//! `LENS.md`: front matter that says what a component is, then its prompt, then, under the heading
//! `## What the checks see`, what its checks see and what they leave.
//!
//! ```text
//! ---
//! id: simplicity
//! version: 0.1.0
//! summary: Is there a smaller change that does the same?
//! modes: code
//! cap: 5
//! categories:
//!   duplication: Code that the repository already has.
//!   dead-code: Code that nothing reaches any more.
//! credits:
//!   well-factored: A part that is as small as it can be.
//! ---
//! ```
//!
//! The front matter is read by line, not as YAML: `key: value`, and under `categories:` and `credits:` one indented
//! `id: summary` a line.

use crate::types::{Category, Description};

/// What the front matter says. What it leaves out is empty; the host refuses a description that lacks an id.
#[must_use]
pub fn description(manifest: &str) -> Description {
    let mut description = Description {
        id: String::new(),
        version: String::new(),
        summary: String::new(),
        modes: Vec::new(),
        categories: Vec::new(),
        max_findings: 5,
    };
    let mut credit = false;
    for line in front_matter(manifest).lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim().to_owned();
        if key.starts_with(' ') {
            description.categories.push(Category { id: key.trim().to_owned(), summary: value, credit });
            continue;
        }
        match key {
            "id" => description.id = value,
            "version" => description.version = value,
            "summary" => description.summary = value,
            "modes" => description.modes = value.split(',').map(|mode| mode.trim().to_owned()).collect(),
            "cap" => description.max_findings = value.parse().unwrap_or(description.max_findings),
            "categories" => credit = false,
            "credits" => credit = true,
            _ => {}
        }
    }
    description
}

/// The text behind the front matter.
#[must_use]
pub fn body(manifest: &str) -> &str {
    parts(manifest).map_or(manifest, |(_, body)| body).trim()
}

/// The part of the body that the model is told: all of it but what the checks see, which is for people.
#[must_use]
pub fn prompt(manifest: &str) -> &str {
    let body = body(manifest);
    body.split_once("\n## What the checks see").map_or(body, |(prompt, _)| prompt).trim()
}

fn front_matter(manifest: &str) -> &str {
    parts(manifest).map_or("", |(front, _)| front)
}

fn parts(manifest: &str) -> Option<(&str, &str)> {
    manifest.strip_prefix("---\n")?.split_once("\n---\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "---\nid: tidy\nversion: 1.2.3\nsummary: Is it tidy?\nmodes: code, plan\ncap: 7\ncategories:\n  mess: A mess.\ncredits:\n  neat: It is neat.\n---\n\n# Tidy\n";

    #[test]
    fn front_matter_becomes_the_description() {
        let description = description(MANIFEST);
        assert_eq!((description.id.as_str(), description.version.as_str()), ("tidy", "1.2.3"));
        assert_eq!(description.modes, ["code", "plan"]);
        assert_eq!(description.max_findings, 7);
        let categories: Vec<_> = description.categories.iter().map(|c| (c.id.as_str(), c.credit)).collect();
        assert_eq!(categories, [("mess", false), ("neat", true)]);
        assert_eq!(body(MANIFEST), "# Tidy");
        assert_eq!(prompt("---\nid: a\n---\n\n# A\n\nLook.\n\n## What the checks see\n\nThat."), "# A\n\nLook.");
    }

    #[test]
    fn a_text_without_front_matter_is_all_body() {
        assert_eq!(body("# Tidy"), "# Tidy");
        assert_eq!(description("# Tidy").id, "");
    }
}
