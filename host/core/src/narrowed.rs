//! What settings kept from being looked at. A project may narrow its own review, and its user may; neither does so unseen.

use serde::{Deserialize, Serialize};

/// Names that are given of many.
const NAMES: usize = 3;

/// Something that one setting kept from being looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Narrowed {
    /// What it was.
    pub what: Omission,
    /// The setting that did it: `lenses.disabled`.
    pub setting: String,
    /// Where that stands: `project file .review-loop/config.toml`.
    pub origin: String,
    /// Whether the reviewed project asked for it; else its user did.
    pub by_project: bool,
}

/// What was not looked at, or did not look. Names may be anybody's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Omission {
    /// Lenses that did not run.
    Lenses(Vec<String>),
    /// Changed files that no lens saw.
    Files(Vec<String>),
}

/// What a user who wants nothing skipped unseen takes for unexamined: all that the project left out. What the user left
/// out was the user's wish. What it is, and why.
pub fn gaps(narrowed: &[Narrowed]) -> impl Iterator<Item = (String, String)> {
    let by_project = narrowed.iter().filter(|narrowed| narrowed.by_project);
    by_project.map(|narrowed| (narrowed.what.to_string(), narrowed.why()))
}

impl Narrowed {
    /// Which setting did it, in words.
    #[must_use]
    pub fn why(&self) -> String {
        let done = match &self.what {
            Omission::Lenses(_) => "not run",
            Omission::Files(_) => "left out",
        };
        format!("{done} because of `{}` ({})", self.setting, self.origin)
    }
}

impl Omission {
    /// How many there are, in words: `1 lens`, `2 files`.
    #[must_use]
    pub fn count(&self) -> String {
        match self {
            Self::Lenses(names) if names.len() == 1 => "1 lens".to_owned(),
            Self::Lenses(names) => format!("{} lenses", names.len()),
            Self::Files(paths) if paths.len() == 1 => "1 file".to_owned(),
            Self::Files(paths) => format!("{} files", paths.len()),
        }
    }
}

/// `2 lenses (adversarial, simplicity)`, `5 files (a, b, c, 2 more)`. Lenses are few, and all named.
impl std::fmt::Display for Omission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (names, most) = match self {
            Self::Lenses(names) => (names, usize::MAX),
            Self::Files(paths) => (paths, NAMES),
        };
        let more = names.len().saturating_sub(most);
        let more = (more > 0).then(|| format!("{more} more"));
        let named: Vec<&str> = names.iter().take(most).map(String::as_str).chain(more.as_deref()).collect();
        write!(f, "{} ({})", self.count(), named.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrowed(what: Omission, by_project: bool) -> Narrowed {
        let origin = if by_project { "project file config.toml" } else { "flag --only" }.to_owned();
        Narrowed { what, setting: "a.setting".to_owned(), origin, by_project }
    }

    fn names(n: usize) -> Vec<String> {
        (1..=n).map(|n| format!("n{n}")).collect()
    }

    #[test]
    fn what_a_project_left_out_is_a_gap_and_what_its_user_left_out_is_none() {
        let all = [
            narrowed(Omission::Lenses(names(5)), true),
            narrowed(Omission::Lenses(names(1)), false),
            narrowed(Omission::Files(names(1)), true),
            narrowed(Omission::Files(names(5)), true),
        ];
        let said: Vec<String> = gaps(&all).map(|(what, why)| format!("{what}: {why}")).collect();
        insta::assert_snapshot!(said.join("\n"), @r"
        5 lenses (n1, n2, n3, n4, n5): not run because of `a.setting` (project file config.toml)
        1 file (n1): left out because of `a.setting` (project file config.toml)
        5 files (n1, n2, n3, 2 more): left out because of `a.setting` (project file config.toml)
        ");
    }
}
