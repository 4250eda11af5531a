//! What the settings of a run keep from being looked at, and which setting of whose does it.

use review_loop_core::narrowed::{Narrowed, Omission};
use review_loop_core::subject::{Omitted, Subject};

use super::{Config, Origin, Setting};

/// Everything that settings take out of the review of a subject: lenses that are switched off, lenses that `only` does not
/// name, files that are ignored.
#[must_use]
pub fn narrowed(settings: &[Setting], config: &Config, subject: &Subject, only: &[String]) -> Vec<Narrowed> {
    let disabled = &config.lenses.disabled;
    let lenses = config.lenses.of_mode(subject.mode).iter();
    let (off, on): (Vec<&String>, Vec<&String>) = lenses.partition(|lens| disabled.contains(lens));
    let passed_over = on.into_iter().filter(|lens| !only.is_empty() && !only.contains(lens));
    let ignored = subject.files.iter().filter(|file| file.omitted == Some(Omitted::Ignored));

    let by_flag = by("--only", &Origin::Flag("--only".to_owned()), Omission::Lenses(passed_over.cloned().collect()));
    let off = Omission::Lenses(off.into_iter().cloned().collect());
    let ignored = Omission::Files(ignored.map(|file| file.path.clone()).collect());
    let by_setting = [("lenses.disabled", off), ("scope.ignore", ignored)].into_iter().filter_map(|(key, what)| {
        let setting = settings.iter().find(|setting| setting.key == key)?;
        by(key, &setting.origin, what)
    });
    by_setting.chain(by_flag).collect()
}

fn by(setting: &str, origin: &Origin, what: Omission) -> Option<Narrowed> {
    let (Omission::Lenses(names) | Omission::Files(names)) = &what;
    let by_project = matches!(origin, Origin::Project(_));
    let (setting, origin) = (setting.to_owned(), origin.to_string());
    (!names.is_empty()).then_some(Narrowed { what, setting, origin, by_project })
}

#[cfg(test)]
mod tests {
    use super::super::{Layer, Layers};
    use super::*;

    /// What is narrowed by a project's settings, a user's file and `--only`.
    fn check(project: &str, user: &str, only: &[&str]) -> String {
        let mut layers = Layers::defaults().unwrap();
        layers.push(Layer::parse(Origin::Project("project.toml".to_owned()), project).unwrap()).unwrap();
        layers.push(Layer::parse(Origin::User("user.toml".into()), user).unwrap()).unwrap();
        let only: Vec<String> = only.iter().map(|lens| (*lens).to_owned()).collect();
        let found = narrowed(&layers.settings(), &layers.resolve().unwrap(), &Subject::empty(), &only);
        let said = found.iter().map(|one| format!("{}: {} [{}]", one.what, one.why(), one.by_project));
        said.collect::<Vec<_>>().join("\n")
    }

    const OFF: &str = "[lenses]\ndisabled = [\"simplicity\", \"adversarial\"]";

    #[test]
    fn each_is_told_with_the_setting_that_did_it_and_whose_that_is() {
        insta::assert_snapshot!(check("", "", &[]), @"");
        insta::assert_snapshot!(check(OFF, "", &[]), @"2 lenses (simplicity, adversarial): not run because of `lenses.disabled` (project file project.toml) [true]");
        insta::assert_snapshot!(check("", OFF, &[]), @"2 lenses (simplicity, adversarial): not run because of `lenses.disabled` (user file user.toml) [false]");
        insta::assert_snapshot!(check(OFF, "[lenses]\ndisabled = []", &[]), @"");
        insta::assert_snapshot!(check("", "", &["simplicity", "adversarial", "ship-readiness"]), @"3 lenses (design-coherence, security, statistical-rigor): not run because of `--only` (flag --only) [false]");
    }
}
