//! Whatever a model, a repository or a component wrote, no output drives a terminal or forges a verdict.

use proptest::prelude::*;
use review_loop::act::render::{Format, Options, render};
use review_loop::ui::sanitise::is_unsafe;
use review_loop_core::outcome::Outcome;

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
        prop_assert!(text.ends_with('\n'), "{format}");
    }
    Ok(())
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
