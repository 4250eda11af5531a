//! More findings than a report may hold: the least of them are told in one.

use crate::types::Finding;

/// At most `max` findings, the gravest first. Where there are more, the last ones of the category that has the most
/// become one, which names every one of them: nothing is left out in silence. `several` says what findings of a
/// category have in common, as a plural: `repeated pieces of code`.
#[must_use]
pub fn capped(findings: Vec<Finding>, max: usize, several: fn(&str) -> &'static str) -> Vec<Finding> {
    let mut findings = findings;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    while findings.len() > max.max(1) {
        let Some((category, count)) = commonest(&findings).filter(|(_, count)| *count > 1) else { break };
        let surplus = (findings.len() + 1 - max.max(1)).clamp(2, count);
        let mut folded = Vec::new();
        while folded.len() < surplus {
            let Some(last) = findings.iter().rposition(|finding| finding.category == category) else { break };
            folded.insert(0, findings.remove(last));
        }
        findings.extend(together(&folded, several(&category)));
    }
    findings
}

fn commonest(findings: &[Finding]) -> Option<(String, usize)> {
    let count = |category: &str| findings.iter().filter(|finding| finding.category == category).count();
    let counts = findings.iter().map(|finding| (finding.category.clone(), count(&finding.category)));
    counts.max_by_key(|(_, count)| *count)
}

/// How many findings the evidence of one that stands for many lists.
const LISTED: usize = 30;

fn together(folded: &[Finding], several: &str) -> Option<Finding> {
    let first = folded.first()?;
    let mut listed: Vec<String> =
        folded.iter().take(LISTED).map(|finding| format!("{}: {}", place(finding), finding.claim)).collect();
    if folded.len() > LISTED {
        listed.push(format!("and {} more", folded.len() - LISTED));
    }
    Some(Finding {
        claim: format!(
            "{} more {several}, each named in the evidence: every one of them is to be looked at.",
            folded.len()
        ),
        evidence: Some(listed.join("\n")),
        confidence: folded.iter().map(|finding| finding.confidence).min().unwrap_or(first.confidence),
        load_bearing: folded.iter().any(|finding| finding.load_bearing),
        ..first.clone()
    })
}

fn place(finding: &Finding) -> String {
    let Some(anchor) = &finding.anchor else { return "the change".to_owned() };
    anchor.lines.map_or_else(|| anchor.path.clone(), |lines| format!("{}:{}", anchor.path, lines.first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Basis, Reach, Severity};

    fn finding(claim: &str, category: &str, severity: Severity) -> Finding {
        Finding {
            claim: claim.to_owned(),
            category: category.to_owned(),
            severity,
            confidence: 96,
            load_bearing: false,
            basis: Basis::Check,
            anchor: None,
            evidence: None,
            fix_hint: None,
            replacement: None,
            reach: Reach::Tactical,
        }
    }

    fn check(findings: &[(&str, &str, Severity)], max: usize, expect: &[&str]) {
        let findings = findings.iter().map(|(claim, category, severity)| finding(claim, category, *severity)).collect();
        let claims: Vec<String> =
            capped(findings, max, |_| "things").into_iter().map(|finding| finding.claim).collect();
        assert_eq!(claims, expect);
    }

    #[test]
    fn the_least_of_the_commonest_category_are_told_together() {
        let [low, high] = [Severity::Low, Severity::High];
        check(&[("1", "a", low), ("2", "b", high)], 2, &["2", "1"]);
        let more = |count: usize| {
            format!("{count} more things, each named in the evidence: every one of them is to be looked at.")
        };
        check(&[("1", "a", low), ("2", "a", high), ("3", "b", low), ("4", "a", low)], 3, &["2", "3", &more(2)]);
        check(&[("1", "a", low), ("2", "a", low), ("3", "a", low)], 1, &[&more(3)]);
        check(&[("1", "a", low), ("2", "b", low)], 1, &["1", "2"]);
    }

    #[test]
    fn each_of_them_is_named() {
        let findings = (0..40).map(|n| finding(&n.to_string(), "a", Severity::Low)).collect();
        let evidence = capped(findings, 5, |_| "things").pop().and_then(|finding| finding.evidence).unwrap_or_default();
        assert!(
            evidence.starts_with("the change: 4\nthe change: 5\n") && evidence.ends_with("and 6 more"),
            "{evidence}"
        );
    }
}
