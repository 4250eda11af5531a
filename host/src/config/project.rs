//! What the reviewed project may set. Its file is part of what is reviewed, so it can only narrow: switch a lens off,
//! leave files out, pick a stricter gate. Endpoints, keys, models, limits and everything else are the user's.

use review_loop_core::finding::Severity;
use review_loop_core::paths::Rules;
use toml::Value;

use super::{Layer, Setting};

/// The most entries of a list.
const MOST_ENTRIES: usize = 1_000;

/// The most characters of a word of the project's that are repeated.
const MOST_CHARS: usize = 100;

/// Something that a project's file tried to set and may not. The words are the project's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The key.
    pub key: String,
    /// Why.
    pub why: String,
}

/// Takes out of a project's layer what it may not set, and what makes no sense, so that nothing of it can stop a review.
/// `settled` are the settings beneath it, `lenses` the names that there are.
pub fn narrow(layer: &mut Layer, settled: &[Setting], lenses: &[String]) -> Vec<Refused> {
    let mut refused: Vec<Refused> = layer
        .values()
        .iter()
        .filter_map(|(key, value)| Some(Refused { key: key.clone(), why: trouble(key, value, settled)? }))
        .collect();
    layer.retain(|key, _| !refused.iter().any(|refused| refused.key == key));
    let unknown = take_unknown(layer, lenses).into_iter();
    let why = |name: String| format!("there is no lens `{}`", shown(&name));
    refused.extend(unknown.map(|name| Refused { key: "lenses.disabled".to_owned(), why: why(name) }));
    refused
}

/// A word of the project's, cut.
pub(super) fn shown(word: &str) -> String {
    word.chars().take(MOST_CHARS).collect()
}

fn trouble(key: &str, value: &Value, settled: &[Setting]) -> Option<String> {
    let why = match key {
        "lenses.disabled" => return texts(value).err(),
        "scope.ignore" => return texts(value).and_then(|globs| check_globs(&globs)).err(),
        "review.fail-on-skipped" if value.as_bool() == Some(true) => return None,
        "review.fail-on-skipped" => "a project may only switch it on",
        "review.fail-on" if severity(value).is_some() && severity(value) <= gate(settled) => return None,
        "review.fail-on" => "a project may only make the gate stricter",
        _ => "only the user may set it",
    };
    Some(why.to_owned())
}

fn texts(value: &Value) -> Result<Vec<String>, String> {
    let entries = value.as_array().filter(|entries| entries.len() <= MOST_ENTRIES);
    let texts = entries.and_then(|entries| entries.iter().map(|entry| entry.as_str().map(str::to_owned)).collect());
    texts.ok_or_else(|| format!("it must be a list of at most {MOST_ENTRIES} texts"))
}

fn check_globs(globs: &[String]) -> Result<(), String> {
    Rules::new(globs).map(drop).map_err(|bad| format!("`{}` is no glob: {}", shown(&bad.glob), bad.reason))
}

/// Takes the names out that no lens has: a lens that went with a version of the program must not stop a review.
fn take_unknown(layer: &mut Layer, lenses: &[String]) -> Vec<String> {
    let Some(Value::Array(disabled)) = layer.value_mut("lenses.disabled") else { return Vec::new() };
    let is_known = |name: &Value| name.as_str().is_some_and(|name| lenses.iter().any(|lens| lens == name));
    let (known, unknown) = std::mem::take(disabled).into_iter().partition(is_known);
    *disabled = known;
    let unknown: Vec<Value> = unknown;
    unknown.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn gate(settled: &[Setting]) -> Option<Severity> {
    settled.iter().find(|setting| setting.key == "review.fail-on").and_then(|setting| severity(&setting.value))
}

fn severity(value: &Value) -> Option<Severity> {
    Some(match value.as_str()? {
        "critical" => Severity::Critical,
        "high" => Severity::High,
        "medium" => Severity::Medium,
        "low" => Severity::Low,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {

    use super::super::{Layers, Origin};
    use super::*;

    fn check(project: &str) -> String {
        let settled = Layers::defaults().unwrap().settings();
        let mut layer = Layer::parse(Origin::Project("config.toml".to_owned()), project).unwrap();
        let lenses = ["simplicity".to_owned(), "adversarial".to_owned()];
        let refused: Vec<_> =
            narrow(&mut layer, &settled, &lenses).into_iter().map(|r| format!("{}: {}", r.key, r.why)).collect();
        let kept: Vec<_> = layer.values().iter().map(|(key, value)| format!("{key} = {value}")).collect();
        format!("kept [{}] refused [{}]", kept.join(", "), refused.join(", "))
    }

    #[test]
    fn a_project_can_only_narrow() {
        insta::assert_snapshot!(check("[lenses]\ndisabled = [\"simplicity\"]\n[scope]\nignore = [\"*.snap\"]"), @r#"kept [lenses.disabled = ["simplicity"], scope.ignore = ["*.snap"]] refused []"#);
        insta::assert_snapshot!(check("[review]\nfail-on = \"low\""), @r#"kept [review.fail-on = "low"] refused []"#);
        insta::assert_snapshot!(check("[review]\nfail-on = \"never\""), @"kept [] refused [review.fail-on: a project may only make the gate stricter]");
        insta::assert_snapshot!(check("[review]\nfail-on-skipped = true"), @"kept [review.fail-on-skipped = true] refused []");
        insta::assert_snapshot!(check("[review]\nfail-on-skipped = false"), @"kept [] refused [review.fail-on-skipped: a project may only switch it on]");
        insta::assert_snapshot!(check("[model]\nbackend = \"none\""), @"kept [] refused [model.backend: only the user may set it]");
    }

    #[test]
    fn what_makes_no_sense_is_left_out_and_the_rest_holds() {
        insta::assert_snapshot!(check("[lenses]\ndisabled = [\"adversarial\", \"gone\"]\n[scope]\nignore = \"*\""), @r#"kept [lenses.disabled = ["adversarial"]] refused [scope.ignore: it must be a list of at most 1000 texts, lenses.disabled: there is no lens `gone`]"#);
        insta::assert_snapshot!(check("[scope]\nignore = [\"a\", 1]"), @"kept [] refused [scope.ignore: it must be a list of at most 1000 texts]");
        let bad = check("[scope]\nignore = [\"a[\"]");
        assert!(bad.starts_with("kept [] refused [scope.ignore: `a[` is no glob: "), "{bad}");
        let many = format!("[scope]\nignore = [{}]", "\"a\",".repeat(MOST_ENTRIES + 1));
        assert!(check(&many).starts_with("kept [] refused [scope.ignore: "));
    }
}
