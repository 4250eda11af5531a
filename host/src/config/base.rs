//! The project's settings: those from before the change hold, so that no change switches off its own review, and where the
//! change would have them otherwise that is said.

use std::collections::BTreeSet;

use super::project::shown;
use super::{Error, Layer, Origin, PROJECT_FILE, Refused, Setting, narrow};

/// The most bytes of a project's file.
const MOST_BYTES: usize = 256 << 10;

/// The most notices about what a project's file may not set, and keys that are named in one.
const MOST_NAMED: usize = 10;

/// A project's file, on one side of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It is not there.
    Absent,
    /// Its bytes.
    Content(Vec<u8>),
    /// Something is there that is not read, and what.
    Unusable(String),
}

/// What a project's file comes to.
#[derive(Debug, Default)]
pub struct Settled {
    /// What it sets, as far as it may.
    pub layer: Option<Layer>,
    /// What there is to know about it, a sentence each. Holds the project's own words.
    pub notices: Vec<String>,
}

/// Takes the settings from before the change, and says where the change would have others. `settled` are the settings
/// beneath them, `lenses` the names that there are.
#[must_use]
pub fn settle(before: &Found, after: &Found, settled: &[Setting], lenses: &[String]) -> Settled {
    let mut result = Settled::default();
    let mut layer = match parse(before) {
        Ok(layer) => layer,
        Err(why) => {
            result.notices.push(format!("the project's settings are not used: {PROJECT_FILE} {why}"));
            None
        }
    };
    if before != after {
        result.notices.extend(difference(layer.as_ref(), after));
    }
    if let Some(layer) = &mut layer {
        result.notices.extend(told(&narrow(layer, settled, lenses)));
    }
    result.layer = layer;
    result
}

fn parse(found: &Found) -> Result<Option<Layer>, String> {
    let content = match found {
        Found::Absent => return Ok(None),
        Found::Unusable(why) => return Err(format!("cannot be read: {why}")),
        Found::Content(content) if content.len() > MOST_BYTES => {
            return Err(format!("has more than {MOST_BYTES} bytes"));
        }
        Found::Content(content) => std::str::from_utf8(content).map_err(|_| "is not UTF-8".to_owned())?,
    };
    let parsed = Layer::parse(Origin::Project(PROJECT_FILE.to_owned()), content);
    // The first line of what is wrong says where; the rest would repeat the file.
    parsed.map(Some).map_err(|error| match error {
        Error::Syntax { message, .. } => format!("cannot be read: {}", message.lines().next().unwrap_or_default()),
        other => other.to_string(),
    })
}

/// What the change would set otherwise.
fn difference(before: Option<&Layer>, after: &Found) -> Option<String> {
    let holds = if before.is_some() { "those from before it hold" } else { "there were none before it, and none hold" };
    let after = match parse(after) {
        Ok(after) => after,
        Err(why) => return Some(format!("this change touches the project's settings: {PROJECT_FILE} {why}; {holds}")),
    };
    let value = |layer: Option<&Layer>, key: &str| layer.and_then(|layer| layer.values().get(key).cloned());
    let keys: BTreeSet<&String> =
        before.iter().copied().chain(&after).flat_map(|layer| layer.values().keys()).collect();
    let differ: Vec<&str> =
        keys.into_iter().filter(|key| value(before, key) != value(after.as_ref(), key)).map(String::as_str).collect();
    let keys = named(&differ);
    (!differ.is_empty()).then(|| format!("this change sets {keys} in {PROJECT_FILE} otherwise; {holds}"))
}

fn named(keys: &[&str]) -> String {
    let more = keys.len().saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("{more} more"));
    let named = keys.iter().take(MOST_NAMED).map(|key| format!("`{}`", shown(key)));
    named.chain(more).collect::<Vec<_>>().join(", ")
}

fn told(refused: &[Refused]) -> Vec<String> {
    let one =
        |refused: &Refused| format!("{PROJECT_FILE} sets `{}`, which is ignored: {}", shown(&refused.key), refused.why);
    let more = refused.len().saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("{PROJECT_FILE} sets {more} more that are ignored"));
    refused.iter().take(MOST_NAMED).map(one).chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Layers;
    use super::*;

    fn content(text: impl AsRef<[u8]>) -> Found {
        Found::Content(text.as_ref().to_vec())
    }

    /// What holds, and what is said.
    fn check(before: &Found, after: &Found) -> String {
        let settled = Layers::defaults().unwrap().settings();
        let result = settle(before, after, &settled, &["simplicity".to_owned()]);
        let holds = result.layer.map_or_else(
            || "defaults".to_owned(),
            |layer| layer.values().iter().map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join(", "),
        );
        [format!("[{holds}]")].into_iter().chain(result.notices).collect::<Vec<_>>().join("\n")
    }

    const OFF: &str = "[lenses]\ndisabled = [\"simplicity\"]\n";
    const IGNORE: &str = "[scope]\nignore = [\"*\"]\n";

    #[test]
    fn settings_from_before_the_change_hold_without_a_word() {
        insta::assert_snapshot!(check(&content(OFF), &content(OFF)), @r#"[lenses.disabled = ["simplicity"]]"#);
        insta::assert_snapshot!(check(&content(OFF), &content(format!("# why\n{OFF}"))), @r#"[lenses.disabled = ["simplicity"]]"#);
        insta::assert_snapshot!(check(&Found::Absent, &Found::Absent), @"[defaults]");
    }

    #[test]
    fn what_a_change_would_set_is_named_and_does_not_hold() {
        insta::assert_snapshot!(check(&Found::Absent, &content(IGNORE)), @"
        [defaults]
        this change sets `scope.ignore` in .review-loop/config.toml otherwise; there were none before it, and none hold
        ");
        insta::assert_snapshot!(check(&content(OFF), &Found::Absent), @r#"
        [lenses.disabled = ["simplicity"]]
        this change sets `lenses.disabled` in .review-loop/config.toml otherwise; those from before it hold
        "#);
        insta::assert_snapshot!(check(&content(OFF), &content(format!("{OFF}{IGNORE}"))), @r#"
        [lenses.disabled = ["simplicity"]]
        this change sets `scope.ignore` in .review-loop/config.toml otherwise; those from before it hold
        "#);
    }

    #[test]
    fn what_cannot_be_used_is_named_and_the_defaults_hold() {
        let both = |found: Found| check(&found, &found);
        insta::assert_snapshot!(both(content("[lenses")), @"
        [defaults]
        the project's settings are not used: .review-loop/config.toml cannot be read: TOML parse error at line 1, column 8
        ");
        insta::assert_snapshot!(both(content([0xff])), @"
        [defaults]
        the project's settings are not used: .review-loop/config.toml is not UTF-8
        ");
        insta::assert_snapshot!(both(content(vec![b'\n'; MOST_BYTES + 1])), @"
        [defaults]
        the project's settings are not used: .review-loop/config.toml has more than 262144 bytes
        ");
        insta::assert_snapshot!(both(Found::Unusable("it is a link".to_owned())), @"
        [defaults]
        the project's settings are not used: .review-loop/config.toml cannot be read: it is a link
        ");
        insta::assert_snapshot!(check(&content(OFF), &Found::Unusable("a pipe".to_owned())), @r#"
        [lenses.disabled = ["simplicity"]]
        this change touches the project's settings: .review-loop/config.toml cannot be read: a pipe; those from before it hold
        "#);
    }

    #[test]
    fn what_a_project_may_not_set_is_named_and_not_at_length() {
        insta::assert_snapshot!(check(&content("[model]\nbackend = \"openai\""), &content("[model]\nbackend = \"openai\"")), @"
        []
        .review-loop/config.toml sets `model.backend`, which is ignored: only the user may set it
        ");
        let many: String = (0..500).map(|n| format!("{}{n} = 1\n", "k".repeat(300))).collect();
        let said = check(&content(&many), &content(&many));
        assert!(said.lines().count() == 12 && said.len() < 3_000, "{said}");
    }
}
