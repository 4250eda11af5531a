//! `review-loop:lens@0.1`, and what of it is called what in the core.

use review_loop_core::finding as core;

pub(crate) use lens::review_loop::lens::{handover, llm, log, source, subject, types};

/// The version that a component's type names.
pub(crate) const VERSION: &str = "0.1";

/// World `lens`: what every reviewer exports, and all imports there are.
#[allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]
pub(crate) mod lens {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "lens",
        imports: { default: async | trappable },
        exports: { default: async },
    });
}

/// World `falsifier`, with the types of world `lens`.
#[allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]
pub(crate) mod falsifier {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "falsifier",
        imports: { default: async | trappable },
        exports: { default: async },
        with: {
            "review-loop:lens/types": super::lens::review_loop::lens::types,
            "review-loop:lens/subject": super::lens::review_loop::lens::subject,
            "review-loop:lens/source": super::lens::review_loop::lens::source,
            "review-loop:lens/llm": super::lens::review_loop::lens::llm,
            "review-loop:lens/log": super::lens::review_loop::lens::log,
        },
    });
}

pub(crate) use falsifier::exports::review_loop::lens::disprover::Verdict;

impl From<types::Report> for core::Report {
    fn from(report: types::Report) -> Self {
        Self {
            findings: report.findings.into_iter().map(Into::into).collect(),
            credits: report.credits.into_iter().map(Into::into).collect(),
            skipped: report.skipped.into_iter().map(Into::into).collect(),
            approves: report.approves,
        }
    }
}

impl From<types::Finding> for core::Finding {
    fn from(finding: types::Finding) -> Self {
        Self {
            claim: finding.claim,
            category: finding.category,
            severity: finding.severity.into(),
            confidence: finding.confidence,
            load_bearing: finding.load_bearing,
            basis: finding.basis.into(),
            anchor: finding.anchor.map(Into::into),
            evidence: finding.evidence,
            fix_hint: finding.fix_hint,
            replacement: finding.replacement,
            reach: finding.reach.into(),
        }
    }
}

impl From<core::Finding> for types::Finding {
    fn from(finding: core::Finding) -> Self {
        Self {
            claim: finding.claim,
            category: finding.category,
            severity: finding.severity.into(),
            confidence: finding.confidence,
            load_bearing: finding.load_bearing,
            basis: finding.basis.into(),
            anchor: finding.anchor.map(Into::into),
            evidence: finding.evidence,
            fix_hint: finding.fix_hint,
            replacement: finding.replacement,
            reach: finding.reach.into(),
        }
    }
}

impl From<types::Anchor> for core::Anchor {
    fn from(anchor: types::Anchor) -> Self {
        Self {
            path: anchor.path,
            side: anchor.side.into(),
            lines: anchor.lines.map(|lines| core::Lines { first: lines.first, last: lines.last }),
            quote: anchor.quote,
            section: anchor.section,
        }
    }
}

impl From<core::Anchor> for types::Anchor {
    fn from(anchor: core::Anchor) -> Self {
        Self {
            path: anchor.path,
            side: anchor.side.into(),
            lines: anchor.lines.map(|lines| types::LineRange { first: lines.first, last: lines.last }),
            quote: anchor.quote,
            section: anchor.section,
        }
    }
}

impl From<types::Credit> for core::Credit {
    fn from(credit: types::Credit) -> Self {
        Self { category: credit.category, claim: credit.claim }
    }
}

impl From<types::Skipped> for core::Skipped {
    fn from(skipped: types::Skipped) -> Self {
        let what = match skipped.what {
            types::Part::Judgement => core::Part::Judgement,
            types::Part::Path(path) => core::Part::Path(path),
            types::Part::Other(other) => core::Part::Other(other),
        };
        Self { what, why: skipped.why }
    }
}

impl From<types::Description> for core::Description {
    fn from(description: types::Description) -> Self {
        let category = |category: types::Category| core::Category {
            id: category.id,
            summary: category.summary,
            credit: category.credit,
        };
        Self {
            id: description.id,
            version: description.version,
            summary: description.summary,
            modes: description.modes,
            categories: description.categories.into_iter().map(category).collect(),
            max_findings: description.max_findings,
        }
    }
}

impl From<Verdict> for core::Verdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Stands => Self::Stands,
            Verdict::Falsified(evidence) => Self::Falsified(evidence),
            Verdict::Corrected(anchor) => Self::Corrected(anchor.into()),
            Verdict::Undecided(reason) => Self::Undecided(reason),
        }
    }
}

/// The two sides of an enumeration whose cases have the same names on both.
macro_rules! same_cases {
    ($($wit:ty = $core:ty { $($case:ident),+ })+) => {$(
        impl From<$wit> for $core {
            fn from(value: $wit) -> Self {
                match value { $(<$wit>::$case => Self::$case),+ }
            }
        }

        impl From<$core> for $wit {
            fn from(value: $core) -> Self {
                match value { $(<$core>::$case => Self::$case),+ }
            }
        }
    )+};
}

same_cases! {
    types::Severity = core::Severity { Low, Medium, High, Critical }
    types::Side = core::Side { Old, New }
    types::Reach = core::Reach { Tactical, Directional }
    types::Basis = core::Basis { Check, Judgement, Execution }
    subject::Kind = review_loop_core::subject::Kind { Regular, Executable, Symlink, Submodule }
    subject::Change = review_loop_core::subject::Change { Context, Added, Removed }
    subject::Status = review_loop_core::subject::Status { Added, Modified, Deleted, Renamed, Copied, TypeChanged }
}
