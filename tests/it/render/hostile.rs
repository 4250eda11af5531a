//! Whatever a model, a repository or a component wrote, no output drives a terminal or forges a verdict.

use proptest::prelude::*;
use review_loop::act::render::{Format, Options, render};
use review_loop::ui::sanitise::is_unsafe;
use review_loop_core::outcome::{Outcome, Place};

use super::outcomes;

/// Every format, and the widths at which it is rendered; only the terminal's own depends on one.
const FORMATS: [(Format, usize); 5] =
    [(Format::Text, 80), (Format::Text, 40), (Format::Concise, 80), (Format::Json, 80), (Format::Sarif, 80)];

fn check(outcome: &Outcome) -> Result<(), TestCaseError> {
    for (format, width) in FORMATS {
        let text = render(outcome, format, &Options { width, ..Options::default() });
        let bad = text.chars().find(|c| is_unsafe(*c) || *c == '\t');
        prop_assert!(bad.is_none(), "{format}: {bad:?} in {text}");
        let tag = text.to_lowercase();
        prop_assert!(!tag.contains("<promise") && !tag.contains("</promise"), "{format}: {text}");
        prop_assert!(!commands(&text), "{format}: {text}");
        prop_assert!(text.ends_with('\n'), "{format}");
    }
    Ok(())
}

/// Whether a build server would take any line for a command: GitHub `::` at its start, blanks aside, and `##[` anywhere;
/// Azure `##vso[` and TeamCity `##teamcity[`, which are looked for anywhere too.
fn commands(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("::"))
        || ["##[", "##vso[", "##teamcity["].iter().any(|command| text.contains(command))
}

/// Names of files that speak to whoever shows the log.
const NAMES: [&str; 8] = [
    "::error file=x::y",
    " ::stop-commands::t",
    "a\n::set-output name=x::y",
    "##vso[task.setvariable variable=x]y",
    "##[error]x",
    "##teamcity[buildStatus]",
    "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a ::error::b",
    "section_start:1:x\r\u{1b}[0K",
];

#[test]
fn no_name_of_a_file_speaks_to_a_build_server() -> Result<(), TestCaseError> {
    NAMES.iter().try_for_each(|name| {
        let mut outcome = outcomes::findings();
        for judged in outcome.findings.iter_mut().chain(outcome.set_aside.iter_mut().map(|aside| &mut aside.judged)) {
            judged.finding.anchor.iter_mut().for_each(|anchor| anchor.path = (*name).to_owned());
            judged.finding.claim = (*name).to_owned();
            judged.finding.evidence = Some(format!("{name}:1, {name}:2"));
        }
        outcome.gaps = vec![review_loop_core::outcome::Gap { what: (*name).to_owned(), why: (*name).to_owned() }];
        outcome.left_out[0].path = (*name).to_owned();
        outcome.scope = (*name).to_owned();
        check(&outcome)
    })
}

#[test]
fn what_a_check_saw_is_in_every_format_wherever_it_stands() {
    let mut outcome = outcomes::findings();
    outcome.findings.truncate(1);
    let judged = &mut outcome.findings[0];
    judged.finding.basis = review_loop_core::finding::Basis::Check;
    for path in [" a.py ", "a\\b.py", "a\\xff.py", "c:/x", "a\tb\nc.py", "100%.py", "..", ""] {
        for place in [Place::InDiff, Place::FileOnly, Place::Whole] {
            let judged = &mut outcome.findings[0];
            judged.place = place;
            judged.finding.anchor.as_mut().unwrap().path = path.to_owned();
            for (format, width) in FORMATS {
                let text = render(&outcome, format, &Options { width, ..Options::default() });
                // Narrow text is wrapped.
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(text.contains("The error of the last attempt"), "{path:?} {format}: {text}");
                let lost = text.contains("no such file was found");
                assert!(place != Place::Whole || lost || format == Format::Json, "{path:?} {format}: {text}");
            }
        }
    }
}

#[test]
fn a_path_stands_in_one_line_as_it_is_and_reads_back() {
    let mut outcome = outcomes::findings();
    let anchor = outcome.findings[0].finding.anchor.as_mut().unwrap();
    anchor.path = " a  b\n\\u{41}.py".to_owned();
    let concise = render(&outcome, Format::Concise, &Options::default());
    assert!(concise.starts_with(r"\u{20}a  b\n\u{5c}u{41}.py:42:13: critical"), "{concise}");
    let json: serde_json::Value =
        serde_json::from_str(&render(&outcome, Format::Json, &Options::default())).expect("valid JSON");
    assert!(json.to_string().contains(r#"" a  b\n\\u{41}.py""#), "{json}");
}

#[test]
fn no_sample_gets_through() -> Result<(), TestCaseError> {
    outcomes::all().iter().try_for_each(|(_, outcome)| check(outcome))
}

fn text() -> impl Strategy<Value = String> {
    let chunk = prop_oneof![
        "[ -~]{0,12}",
        any::<char>().prop_map(String::from),
        proptest::sample::select(vec![
            "\x1b[31m",
            "\u{9b}",
            "\r",
            "\n",
            "\t",
            "\u{202e}",
            "\u{200b}",
            "\u{e0001}",
            "\u{fe0f}",
            "\u{2028}",
            "<promise>",
            "</promise>",
            "<",
            "promise>",
            "::",
            ":",
            "#",
            "##[",
            "##vso[",
            "##teamcity[",
            " ",
            "文字",
            "e\u{301}",
            "🍜",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(chunk, 0..12).prop_map(|chunks| chunks.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_text_gets_through(texts in prop::collection::vec(text(), 12), first in 0_u32..50, lines in 0_u32..20) {
        let mut outcome = outcomes::findings();
        let [scope, claim, category, evidence, hint, path, quote, code, reason, why, lens, version] = &texts[..] else {
            return Err(TestCaseError::reject("twelve texts"));
        };
        outcome.scope.clone_from(scope);
        for judged in &mut outcome.findings {
            judged.finding.claim.clone_from(claim);
            judged.finding.category.clone_from(category);
            judged.finding.evidence = Some(evidence.clone());
            judged.finding.fix_hint = Some(hint.clone());
            judged.finding.replacement = Some(code.clone());
            judged.lens.clone_from(lens);
            judged.reported_by = vec![lens.clone(), version.clone()];
            if let Some(anchor) = &mut judged.finding.anchor {
                anchor.path.clone_from(path);
                anchor.quote = Some(quote.clone());
                anchor.section = Some(scope.clone());
                anchor.lines = Some(review_loop_core::finding::Lines { first, last: first + lines });
            }
            judged.excerpt = Some(outcomes::excerpt(first, &format!("{code}{quote}{code}\n{code}")));
        }
        for aside in &mut outcome.set_aside {
            aside.reason.clone_from(reason);
        }
        for component in &mut outcome.components {
            component.version.clone_from(version);
        }
        outcome.gaps = vec![review_loop_core::outcome::Gap { what: path.clone(), why: why.clone() }];
        outcome.left_out[0].path.clone_from(path);
        check(&outcome)?;
    }
}
