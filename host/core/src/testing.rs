//! Values that many tests of this crate start from.

use crate::finding::{Anchor, Basis, Finding, Lines, Reach, Severity, Side};
use crate::locate::Located;
use crate::outcome::{Judged, Place};
use crate::subject::{File, Mode, Subject};

/// A model's finding of medium severity without a place.
pub(crate) fn finding(claim: &str) -> Finding {
    Finding {
        claim: claim.to_owned(),
        category: "edge-case".to_owned(),
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

/// A finding of one lens, as the first stages leave it.
pub(crate) fn located(lens: &str, claim: &str) -> Located {
    Located {
        lens: lens.to_owned(),
        finding: finding(claim),
        place: Place::Whole,
        fingerprint: String::new(),
        excerpt: None,
    }
}

/// A finding as judged before anything was said of it.
pub(crate) fn judged(claim: &str) -> Judged {
    located("lens", claim).into_judged()
}

/// A place in the text after the change.
pub(crate) fn anchor(path: &str, line: Option<u32>, quote: Option<&str>) -> Anchor {
    Anchor {
        path: path.to_owned(),
        side: Side::New,
        lines: line.map(|line| Lines { first: line, last: line }),
        quote: quote.map(str::to_owned),
        section: None,
    }
}

/// A change of these files.
pub(crate) fn subject(files: Vec<File>) -> Subject {
    Subject {
        mode: Mode::Code,
        iteration: 0,
        scope: String::new(),
        branch: None,
        files,
        documents: Vec::new(),
        claims: Vec::new(),
        history: Vec::new(),
    }
}
