//! A lens's report, held against what the lens declared. Nothing of it is trusted: texts are cut and redacted, and what
//! breaks the contract is left out and named, so that it cannot pass for a clean report.

use review_loop_core::finding::{Basis, Category, Credit, Description, Finding, Part, Report};
use review_loop_core::secrets;

/// The longest claim that is shown, in characters. A claim is one sentence.
const CLAIM_CHARS: usize = 1_000;

/// The longest evidence, hint, quote or replacement, in characters.
const TEXT_CHARS: usize = 8_000;

/// A report that keeps the contract, and what was left out of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Checked {
    pub(super) findings: Vec<Finding>,
    pub(super) credits: Vec<Credit>,
    /// Why no model was asked, if none was.
    pub(super) judgement_skipped: Option<String>,
    /// What else was not done, and why.
    pub(super) undone: Vec<(String, String)>,
}

pub(super) fn check(description: &Description, report: Report) -> Checked {
    let mut checked = Checked::default();
    for (number, finding) in (1..).zip(report.findings) {
        match broken(description, &finding) {
            Some(why) => checked.undone.push((format!("finding {number}"), why)),
            None => checked.findings.push(inert(finding)),
        }
    }
    cap(description, &mut checked);
    let praise = |credit: &Credit| declared(description, &credit.category).is_some_and(|category| category.credit);
    checked.credits = report.credits.into_iter().filter(praise).map(inert_credit).collect();
    for skipped in report.skipped {
        let why = text(&skipped.why, CLAIM_CHARS);
        match skipped.what {
            Part::Judgement => checked.judgement_skipped = Some(why),
            Part::Path(path) => checked.undone.push((text(&path, CLAIM_CHARS), why)),
            Part::Other(what) => checked.undone.push((text(&what, CLAIM_CHARS), why)),
        }
    }
    checked
}

/// Keeps the gravest findings of each basis, and says what was left out.
fn cap(description: &Description, checked: &mut Checked) {
    let most = description.max_findings as usize;
    checked.findings.sort_by_key(|finding| std::cmp::Reverse((finding.severity, finding.confidence)));
    for basis in [Basis::Check, Basis::Judgement] {
        let mut count = 0;
        checked.findings.retain(|finding| {
            count += usize::from(finding.basis == basis);
            finding.basis != basis || count <= most
        });
        if count > most {
            let why = format!("it reported {count} and declared {most} at most; the weakest were left out");
            checked.undone.push(("findings over its cap".to_owned(), why));
        }
    }
}

/// Why a finding breaks the contract, if it does.
fn broken(description: &Description, finding: &Finding) -> Option<String> {
    if finding.claim.trim().is_empty() {
        return Some("it claims nothing".to_owned());
    }
    match declared(description, &finding.category) {
        None => Some(format!("its category `{}` is not declared", text(&finding.category, 64))),
        Some(category) if category.credit => Some(format!("its category `{}` is praise", category.id)),
        Some(_) => None,
    }
}

fn declared<'a>(description: &'a Description, id: &str) -> Option<&'a Category> {
    description.categories.iter().find(|category| category.id == id)
}

fn inert(mut finding: Finding) -> Finding {
    finding.claim = text(&finding.claim, CLAIM_CHARS);
    finding.confidence = finding.confidence.min(100);
    // Nothing that runs today may execute a program, so nothing may speak with an execution's certainty.
    if finding.basis == Basis::Execution {
        finding.basis = Basis::Judgement;
    }
    for long in [&mut finding.evidence, &mut finding.fix_hint, &mut finding.replacement].into_iter().flatten() {
        *long = text(long, TEXT_CHARS);
    }
    if let Some(anchor) = &mut finding.anchor {
        for long in [&mut anchor.quote, &mut anchor.section].into_iter().flatten() {
            // A quote is searched for word for word, so it is cut and not redacted; outputs show the located lines.
            *long = cut(long, TEXT_CHARS);
        }
    }
    finding
}

fn inert_credit(credit: Credit) -> Credit {
    Credit { claim: text(&credit.claim, CLAIM_CHARS), ..credit }
}

fn text(text: &str, most: usize) -> String {
    cut(&secrets::redact(text), most)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use review_loop_core::finding::{Reach, Severity, Skipped};

    use super::*;

    fn description() -> Description {
        let category = |id: &str, credit| Category { id: id.to_owned(), summary: String::new(), credit };
        Description {
            id: "tidy".to_owned(),
            version: "1.0.0".to_owned(),
            summary: String::new(),
            modes: vec!["code".to_owned()],
            categories: vec![category("mess", false), category("neat", true)],
            max_findings: 2,
        }
    }

    fn finding(category: &str, claim: &str) -> Finding {
        Finding {
            claim: claim.to_owned(),
            category: category.to_owned(),
            severity: Severity::Medium,
            confidence: 90,
            load_bearing: true,
            basis: Basis::Judgement,
            anchor: None,
            evidence: None,
            fix_hint: None,
            replacement: None,
            reach: Reach::Tactical,
        }
    }

    #[test]
    fn what_breaks_the_contract_is_left_out_and_named() {
        let findings =
            vec![finding("mess", "A mess."), finding("other", "What?"), finding("neat", "Fine."), finding("mess", " ")];
        let checked = check(&description(), Report { findings, ..Report::default() });
        assert_eq!(checked.findings.len(), 1);
        let undone: Vec<String> = checked.undone.iter().map(|(what, why)| format!("{what}: {why}")).collect();
        assert_eq!(
            undone,
            [
                "finding 2: its category `other` is not declared",
                "finding 3: its category `neat` is praise",
                "finding 4: it claims nothing",
            ]
        );
    }

    #[test]
    fn a_report_over_its_cap_keeps_the_gravest_and_says_so() {
        let mut findings = vec![finding("mess", "One."), finding("mess", "Two."), finding("mess", "Three.")];
        findings[2].severity = Severity::High;
        let checked = check(&description(), Report { findings, ..Report::default() });
        assert_eq!(checked.findings.iter().map(|f| f.claim.as_str()).collect::<Vec<_>>(), ["Three.", "One."]);
        assert_eq!(checked.undone.len(), 1);
    }

    #[test]
    fn no_component_speaks_with_the_certainty_of_a_program_that_ran() {
        let executed = Finding { basis: Basis::Execution, confidence: 255, ..finding("mess", "It fails.") };
        let checked = check(&description(), Report { findings: vec![executed], ..Report::default() });
        assert_eq!((checked.findings[0].basis, checked.findings[0].confidence), (Basis::Judgement, 100));
    }

    #[test]
    fn a_skipped_judgement_is_told_from_other_skipped_parts() {
        let skipped = vec![
            Skipped { what: Part::Judgement, why: "no model".to_owned() },
            Skipped { what: Part::Path("a.rs".to_owned()), why: "too long".to_owned() },
        ];
        let checked = check(&description(), Report { skipped, ..Report::default() });
        assert_eq!(checked.judgement_skipped.as_deref(), Some("no model"));
        assert_eq!(checked.undone, [("a.rs".to_owned(), "too long".to_owned())]);
    }
}
