//! What the reviewed project may set. Its file is part of what is reviewed, so it can only narrow: switch a lens off,
//! leave files out, pick a stricter gate. Endpoints, keys, models, limits and everything else are the user's.

use review_loop_core::finding::Severity;
use toml::Value;

use super::{Layer, Setting};

/// Something that a project's file tried to set and may not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The key.
    pub key: String,
    /// Why.
    pub why: &'static str,
}

/// Takes out of a project's layer what it may not set; `settled` are the settings beneath it.
pub fn narrow(layer: &mut Layer, settled: &[Setting]) -> Vec<Refused> {
    let gate =
        settled.iter().find(|setting| setting.key == "review.fail-on").and_then(|setting| severity(&setting.value));
    let mut refused = Vec::new();
    for (key, value) in layer.values() {
        let why = match key.as_str() {
            "lenses.disabled" | "scope.ignore" => continue,
            "review.fail-on" if severity(value) <= gate && severity(value).is_some() => continue,
            "review.fail-on" => "a project may only make the gate stricter",
            _ => "only the user may set it",
        };
        refused.push(Refused { key: key.clone(), why });
    }
    layer.retain(|key, _| !refused.iter().any(|refused| refused.key == key));
    refused
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
        let refused: Vec<_> =
            narrow(&mut layer, &settled).into_iter().map(|r| format!("{}: {}", r.key, r.why)).collect();
        let kept: Vec<_> = layer.values().keys().cloned().collect();
        format!("kept [{}] refused [{}]", kept.join(", "), refused.join(", "))
    }

    #[test]
    fn a_project_can_only_narrow() {
        insta::assert_snapshot!(check("[lenses]\ndisabled = [\"simplicity\"]\n[scope]\nignore = [\"*.snap\"]"), @"kept [lenses.disabled, scope.ignore] refused []");
        insta::assert_snapshot!(check("[review]\nfail-on = \"low\""), @"kept [review.fail-on] refused []");
        insta::assert_snapshot!(check("[review]\nfail-on = \"never\""), @"kept [] refused [review.fail-on: a project may only make the gate stricter]");
        insta::assert_snapshot!(check("[model]\nbackend = \"none\""), @"kept [] refused [model.backend: only the user may set it]");
    }
}
