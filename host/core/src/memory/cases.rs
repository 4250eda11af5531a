//! The set that the thresholds are measured on: one line a case. `docs/judge.md` gives the figures.

use super::*;
use crate::finding::{Basis, Lines, Reach, Severity, Side};
use crate::locate::Located;
use crate::outcome::Place;
use crate::settings::Memory;
use crate::subject::{File, Kind, Mode, Status};

/// path:line category claim, before and now. A file named `old.rs` became `new.rs`.
type Case = (&'static str, &'static str);

/// The same bug in other words, at moved lines, in renamed files.
const SAME: &[Case] = &[
    (
        "src/cart.rs:40 edge-case The discount is applied twice when a cart is restored from a session",
        "src/cart.rs:44 edge-case Restoring a cart from its session applies the discount a second time",
    ),
    (
        "src/cart.rs:88 race-condition Two requests may read the stock before either one writes it",
        "src/cart.rs:88 race-condition Stock is read and written in separate steps, so two requests can both sell the last item",
    ),
    (
        "src/auth.rs:12 silent-failure A token that cannot be parsed is treated as an anonymous user",
        "src/auth.rs:19 silent-failure Parse errors of the token fall through to the anonymous user instead of an error",
    ),
    ("old.rs:10 dead-code `flush_all` is never called", "new.rs:10 dead-code Nothing calls `flush_all` any more"),
    (
        "old.rs:77 edge-case `split_last` panics on an empty list of parts",
        "new.rs:92 edge-case An empty list of parts makes `split_last` panic",
    ),
    (
        "src/db.rs:5 missing-rollback The migration drops the column before the copy is known to be complete",
        "src/db.rs:9 missing-rollback Column is dropped although the copy may not have completed",
    ),
    (
        "src/db.rs:31 partial-write A crash between the two writes leaves the index without its row",
        "src/db.rs:30 partial-write If the process dies between both writes, the index points at a row that was never written",
    ),
    (
        "src/http.rs:140 hardcoded The timeout of 30 seconds is hard-coded and cannot be configured",
        "src/http.rs:141 hardcoded Timeout is fixed to 30 seconds in code; make it configurable",
    ),
    (
        "src/http.rs:60 silent-failure The retry loop swallows the last error and returns an empty body",
        "src/http.rs:66 silent-failure After the last retry the error is lost and an empty body is returned",
    ),
    (
        "web/list.ts:22 edge-case `items.reduce` throws on an empty array because no initial value is given",
        "web/list.ts:25 edge-case reduce without an initial value throws a TypeError when `items` is empty",
    ),
    (
        "web/list.ts:70 race-condition `forEach` with an async callback does not wait for the deletions",
        "web/list.ts:71 race-condition Deletions run unawaited since forEach ignores the promises of its async callback",
    ),
    (
        "web/form.ts:15 naming `isValid` returns an error message, not a boolean",
        "web/form.ts:15 naming The name isValid suggests a boolean but the function returns an error message",
    ),
    (
        "web/form.ts:48 escape-hatch-broken The cancel button submits the form because its type is missing",
        "web/form.ts:50 escape-hatch-broken Cancel has no type attribute, so pressing it submits the form",
    ),
    (
        "api/user.py:33 secrets-risk The password hash is written to the debug log",
        "api/user.py:36 secrets-risk Debug logging of the user prints the password hash",
    ),
    (
        "api/user.py:90 untyped-boundary The JSON body is used without validation of its fields",
        "api/user.py:90 untyped-boundary Fields of the JSON body are trusted without being validated",
    ),
    (
        "api/jobs.py:12 edge-case Naive and aware datetimes are compared, which raises a TypeError",
        "api/jobs.py:14 edge-case Comparing a naive datetime with an aware one raises TypeError",
    ),
    (
        "api/jobs.py:55 vacuous-test The test asserts on the mock it has just configured",
        "api/jobs.py:58 vacuous-test This test only asserts what its own mock was configured to return",
    ),
    (
        "ci/build.yml:9 quality-gate The lint step ends in `|| true`, so it cannot fail",
        "ci/build.yml:9 quality-gate `|| true` behind the lint command keeps the step from ever failing",
    ),
    (
        "docs/plan.md:14 test-undefined The goal of fast start-up names no number to be measured",
        "docs/plan.md:15 test-undefined Start-up should be fast, but the goal names no number that could be measured",
    ),
    (
        "docs/plan.md:60 scope-creep The plan adds a billing page that the charter rules out",
        "docs/plan.md:66 scope-creep A billing page is planned although the charter rules it out",
    ),
];

/// Other bugs: beside the first one, of its kind, or brought in by its fix.
const OTHER: &[Case] = &[
    (
        "src/cart.rs:40 edge-case The discount is applied twice when a cart is restored from a session",
        "src/cart.rs:43 edge-case A negative quantity makes the total of the line negative",
    ),
    (
        "src/cart.rs:88 race-condition Two requests may read the stock before either one writes it",
        "src/cart.rs:91 missing-rollback The lock is never released when the payment fails",
    ),
    (
        "src/auth.rs:12 silent-failure A token that cannot be parsed is treated as an anonymous user",
        "src/auth.rs:14 silent-failure An expired session is renewed without asking for credentials",
    ),
    ("old.rs:10 dead-code `flush_all` is never called", "new.rs:12 dead-code The constant `MAX_PENDING` is not used"),
    (
        "old.rs:77 edge-case `split_last` panics on an empty list of parts",
        "new.rs:80 edge-case The index wraps around when more than 255 parts are given",
    ),
    (
        "src/db.rs:5 missing-rollback The migration drops the column before the copy is known to be complete",
        "src/db.rs:8 missing-rollback The new index is built without `concurrently` and locks the table",
    ),
    (
        "src/db.rs:31 partial-write A crash between the two writes leaves the index without its row",
        "src/db.rs:35 silent-failure The error of `sync_all` is ignored",
    ),
    (
        "src/http.rs:140 hardcoded The timeout of 30 seconds is hard-coded and cannot be configured",
        "src/http.rs:144 hardcoded The host name of the staging server is in the code",
    ),
    (
        "src/http.rs:60 silent-failure The retry loop swallows the last error and returns an empty body",
        "src/http.rs:64 edge-case The delay between attempts grows without a bound",
    ),
    (
        "web/list.ts:22 edge-case `items.reduce` throws on an empty array because no initial value is given",
        "web/list.ts:24 edge-case Prices are summed as floating point numbers and drift by a cent",
    ),
    (
        "web/list.ts:70 race-condition `forEach` with an async callback does not wait for the deletions",
        "web/list.ts:74 silent-failure One failed deletion leaves the spinner running for ever",
    ),
    (
        "web/form.ts:15 naming `isValid` returns an error message, not a boolean",
        "web/form.ts:16 edge-case Addresses with a plus sign are refused",
    ),
    (
        "web/form.ts:48 escape-hatch-broken The cancel button submits the form because its type is missing",
        "web/form.ts:52 doc-gap The new keyboard shortcut is documented nowhere",
    ),
    (
        "api/user.py:33 secrets-risk The password hash is written to the debug log",
        "api/user.py:34 pii-risk The user's e-mail address is sent to the analytics service",
    ),
    (
        "api/user.py:90 untyped-boundary The JSON body is used without validation of its fields",
        "api/user.py:95 edge-case A page number of zero is passed on to the query",
    ),
    (
        "api/jobs.py:12 edge-case Naive and aware datetimes are compared, which raises a TypeError",
        "api/jobs.py:13 edge-case Jobs due at midnight on the last day of a month are skipped",
    ),
    (
        "api/jobs.py:55 vacuous-test The test asserts on the mock it has just configured",
        "api/report.py:55 vacuous-test The test of the report has no assertion at all",
    ),
    (
        "src/a.rs:20 dead-code The import of `HashMap` is unused",
        "src/b.rs:20 dead-code The import of `BTreeMap` is unused",
    ),
    (
        "docs/plan.md:14 test-undefined The goal of fast start-up names no number to be measured",
        "docs/plan.md:18 test-undefined It is not said who decides when the beta has ended",
    ),
    (
        "docs/plan.md:60 scope-creep The plan adds a billing page that the charter rules out",
        "docs/plan.md:64 dangling-reference The section on rollout refers to an appendix that is not there",
    ),
];

fn finding(text: &str) -> Finding {
    let mut parts = text.splitn(3, ' ');
    let (place, category) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let (path, line) = place.split_once(':').unwrap();
    let line = line.parse().unwrap();
    Finding {
        claim: parts.next().unwrap_or_default().to_owned(),
        category: category.to_owned(),
        severity: Severity::Medium,
        confidence: 80,
        load_bearing: true,
        basis: Basis::Judgement,
        anchor: Some(Anchor {
            path: path.to_owned(),
            side: Side::New,
            lines: Some(Lines { first: line, last: line }),
            quote: None,
            section: None,
        }),
        evidence: None,
        fix_hint: None,
        replacement: None,
        reach: Reach::Tactical,
    }
}

fn subject(past: &str) -> Subject {
    let renamed = File {
        path: "new.rs".to_owned(),
        old_path: Some("old.rs".to_owned()),
        status: Status::Renamed,
        old_kind: Some(Kind::Regular),
        new_kind: Some(Kind::Regular),
        binary: false,
        omitted: None,
        added: 0,
        removed: 0,
        size: 0,
        hunks: Vec::new(),
    };
    Subject {
        mode: Mode::Code,
        iteration: 1,
        scope: String::new(),
        branch: None,
        files: vec![renamed],
        documents: Vec::new(),
        claims: Vec::new(),
        history: vec![Past { iteration: 0, finding: finding(past), outcome: PastOutcome::Fixed }],
    }
}

fn recognised(settings: &Memory, (past, now): &Case) -> bool {
    let now = Located {
        lens: "l".to_owned(),
        finding: finding(now),
        place: Place::InDiff,
        fingerprint: String::new(),
        excerpt: None,
    };
    let subject = subject(past);
    History::new(&subject).recall(settings, &now.into_judged()) != Recall::New
}

fn counts(settings: &Memory) -> (usize, usize) {
    let count = |cases: &[Case]| cases.iter().filter(|case| recognised(settings, case)).count();
    (count(SAME), count(OTHER))
}

#[test]
fn reworded_moved_and_renamed_findings_are_recognised_and_others_are_not() {
    assert_eq!((SAME.len(), OTHER.len()), (20, 20));
    assert_eq!(counts(&Memory::default()), (20, 0));
}

#[test]
fn the_workflows_own_number_recognises_few() {
    let specified = crate::settings::Settings::as_specified().memory;
    assert_eq!(counts(&specified), (3, 0));
}

#[test]
fn curve() {
    let row = |same_place_at: f64| {
        let (same, other) = counts(&Memory { same_place_at, ..Memory::default() });
        format!("{same_place_at:.2} {same} {other}")
    };
    let rows: Vec<String> = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5].into_iter().map(row).collect();
    insta::assert_snapshot!(rows.join("\n"), @"
    0.05 20 2
    0.10 20 2
    0.15 20 2
    0.20 20 0
    0.25 20 0
    0.30 20 0
    0.40 20 0
    0.50 19 0
    ");
}
