use proptest::prelude::*;

use super::*;
use crate::testing::{anchor, finding, subject};
use crate::{brief, diff, work};

const DIFF: &str = "\
diff --git a/src/old.rs b/src/new.rs
rename from src/old.rs
rename to src/new.rs
--- a/src/old.rs
+++ b/src/new.rs
@@ -10,4 +10,5 @@ fn f() {
 let a = 1;
-let b = two(a);
+let b = two(a, a);
+let c = three( b );
 use_it(b);
 done();
diff --git a/b/mod.rs b/b/mod.rs
--- a/b/mod.rs
+++ b/b/mod.rs
@@ -1 +1 @@
-x
+y
";

fn at(path: &str, line: Option<u32>, quote: Option<&str>) -> Anchor {
    anchor(path, line, quote)
}

/// `path side lines place`, or why it was set aside.
fn check(anchor: Anchor, expect: &str) {
    let mut sources = SourceTexts::default();
    let whole: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    sources.insert("lib/elsewhere.rs".to_owned(), Side::New, whole);
    let reported = Reported { lens: "l".to_owned(), finding: Finding { anchor: Some(anchor), ..finding("c") } };
    let (located, aside) = locate(&subject(diff::parse(DIFF)), &sources, vec![reported]);
    let shown = match (located.first(), aside.first()) {
        (Some(l), _) => {
            let a = l.finding.anchor.as_ref().unwrap();
            let lines = a.lines.map_or("none".to_owned(), |l| format!("{}-{}", l.first, l.last));
            format!("{} {:?} {lines} {:?}", a.path, a.side, l.place)
        }
        (None, Some(s)) => s.reason.clone(),
        (None, None) => "lost".to_owned(),
    };
    assert_eq!(shown, expect);
}

#[test]
fn quotes_find_their_line() {
    check(at("src/new.rs", Some(99), Some("let c=three(b);")), "src/new.rs New 12-12 InDiff");
    check(at("src/new.rs", None, Some("let b = two(a, a);\n  let c = three(b);")), "src/new.rs New 11-12 InDiff");
    check(at("src/new.rs", None, Some("+let b = two(a, a);")), "src/new.rs New 11-11 InDiff");
    // On the other side only.
    check(at("src/new.rs", None, Some("let b = two(a);")), "src/new.rs Old 11-11 InDiff");
    check(at("src/new.rs", Some(11), Some("not there")), "src/new.rs New none FileOnly");
    check(at("lib/elsewhere.rs", Some(17), Some("line 1")), "lib/elsewhere.rs New 17-17 OutOfDiff");
}

#[test]
fn lines_are_checked() {
    check(at("src/new.rs", Some(12), None), "src/new.rs New 12-12 InDiff");
    check(at("src/new.rs", Some(0), None), "src/new.rs New none FileOnly");
    check(at("lib/elsewhere.rs", Some(20), None), "lib/elsewhere.rs New 20-20 OutOfDiff");
    check(at("lib/elsewhere.rs", Some(21), None), "lib/elsewhere.rs New none FileOnly");
    check(at("src/new.rs", None, None), "src/new.rs New none FileOnly");
}

#[test]
fn paths_are_followed_and_may_not_escape() {
    check(at("src/old.rs", Some(11), None), "src/new.rs New 11-11 InDiff");
    check(at("./src//new.rs", Some(11), None), "src/new.rs New 11-11 InDiff");
    check(at("b/src/new.rs", Some(11), None), "src/new.rs New 11-11 InDiff");
    check(at("new.rs", Some(11), None), "src/new.rs New 11-11 InDiff");
    check(at("b/mod.rs", Some(1), None), "b/mod.rs New 1-1 InDiff");
    check(at("nowhere.rs", Some(1), None), "its path `nowhere.rs` is neither in the subject nor in its sources");
    check(at("../x", Some(1), None), "its path `../x` leaves the repository");
    check(at("/etc/passwd", Some(1), None), "its path `/etc/passwd` is not relative to the repository");
    check(at("C:\\x", None, None), "its path `C:\\\\x` is not relative to the repository");
    check(at("a/.GIT/config", None, None), "its path `a/.GIT/config` is inside git's own folder");
    check(at("", None, None), "its path `` is empty");
}

#[test]
fn a_path_is_compared_as_it_is_before_it_is_tidied() {
    let subject = subject([" a.py", "a.py", "dir\\b.py", "dir/b.py", "c:/x"].map(added).into_iter().collect());
    for (said, meant) in [
        (" a.py", " a.py"),
        ("a.py ", "a.py"),
        ("dir\\b.py", "dir\\b.py"),
        ("dir\\\\b.py", "dir/b.py"),
        ("c:/x", "c:/x"),
        ("c:\\x", "c:/x"),
    ] {
        let reported = Reported {
            lens: "l".to_owned(),
            finding: Finding { anchor: Some(at(said, Some(1), None)), ..finding("c") },
        };
        let (located, _) = locate(&subject, &SourceTexts::default(), vec![reported]);
        let found = located.first().and_then(|l| l.finding.anchor.as_ref()).map(|a| a.path.as_str());
        assert_eq!(found, Some(meant), "{said}");
    }
}

#[test]
fn the_work_grows_with_the_findings_and_the_hunks_and_not_with_both() {
    work::assert_linear(200, |n| {
        let hunk = |at: usize| format!("@@ -0,0 +{},1 @@\n+x{at}\n", 10 * at);
        let text: String = (1..=n).map(hunk).collect();
        let reported = |at: usize| Reported {
            lens: "l".to_owned(),
            finding: Finding { anchor: Some(at_line("x", 10 * at as u32)), ..finding("c") },
        };
        let subject = subject(diff::parse(&format!("--- a/x\n+++ b/x\n{text}")));
        let (located, _) = locate(&subject, &SourceTexts::default(), (1..=n).map(reported).collect());
        assert_eq!(located.iter().filter(|found| found.place == Place::InDiff).count(), n);
    });
}

fn at_line(path: &str, line: u32) -> Anchor {
    anchor(path, Some(line), None)
}

#[test]
fn a_line_of_megabytes_is_not_shown_whole() {
    let text = quote::Text::whole(&"é".repeat(1 << 20));
    let excerpt = text.excerpt(Lines { first: 1, last: 1 }).unwrap();
    assert_eq!(excerpt.lines.iter().map(String::len).collect::<Vec<_>>(), [64 << 10]);
}

#[test]
fn texts_are_asked_for_on_the_sides_where_they_are() {
    let reported = ["src/old.rs", "../x", "lib/e.rs"].map(|path| Reported {
        lens: String::new(),
        finding: Finding { anchor: Some(at(path, None, None)), ..finding("c") },
    });
    let wanted: Vec<String> = wanted(&subject(diff::parse(DIFF)), &reported)
        .into_iter()
        .map(|(path, side)| format!("{side:?} {path}"))
        .collect();
    assert_eq!(
        wanted,
        ["Old lib/e.rs", "New lib/e.rs", "New src/new.rs", "Old src/old.rs"]
            .map(str::to_owned)
            .into_iter()
            .collect::<Vec<_>>()
    );
}

#[test]
fn an_excerpt_holds_the_place_and_does_not_cross_a_gap() {
    let text = quote::Text::pieces([(1, "a"), (2, "b"), (40, "c"), (41, "d")].into_iter());
    let excerpt = text.excerpt(Lines { first: 40, last: 40 }).unwrap();
    assert_eq!((excerpt.first_line, excerpt.lines.join(",")), (40, "c,d".to_owned()));
}

/// What [`Spans`] answers by a binary search.
fn stands_in_a_hunk(file: &File, side: Side, lines: Lines) -> bool {
    file.hunks.iter().flat_map(|hunk| hunk.lines.iter()).any(|line| {
        let number = if side == Side::Old { line.old } else { line.new };
        number.is_some_and(|number| (lines.first..=lines.last).contains(&number))
    })
}

/// The parts of which odd paths are made.
fn odd_path() -> impl Strategy<Value = String> {
    let part = proptest::sample::select(vec![
        " ", "\t", "\n", "\r", "\\", "\\xff", "c:", "a:b", ".", "..", "/", "//", "%", "\u{1b}", "\u{202e}", "é",
        "x.py", "::", "\"",
    ]);
    proptest::collection::vec(part, 1..6).prop_map(|parts| parts.concat())
}

fn certain(path: &str) -> Reported {
    let anchor = Some(at(path, Some(1), Some("breakpoint()")));
    Reported { lens: "l".to_owned(), finding: Finding { anchor, basis: Basis::Check, ..finding("c") } }
}

fn added(path: &str) -> File {
    let mut file = diff::parse("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+breakpoint()\n").remove(0);
    file.path = path.to_owned();
    file
}

proptest! {
    #[test]
    fn what_a_check_saw_is_found_at_any_path_and_never_lost(paths in proptest::collection::btree_set(odd_path(), 1..6)) {
        let subject = subject(paths.iter().map(|path| added(path)).collect());
        let reported: Vec<Reported> = paths.iter().map(|path| certain(path)).collect();
        let (located, aside) = locate(&subject, &SourceTexts::default(), reported.clone());
        prop_assert_eq!(aside.len(), 0);
        for (path, found) in paths.iter().zip(&located) {
            let anchor = found.finding.anchor.as_ref().unwrap();
            prop_assert_eq!((&anchor.path, found.place), (path, Place::InDiff));
            prop_assert_eq!(anchor.lines, Some(Lines { first: 1, last: 1 }));
        }
        // Of files with one text only the paths differ, so the fingerprints tell whether each keeps its own.
        let prints: BTreeSet<&String> = located.iter().map(|found| &found.fingerprint).collect();
        prop_assert_eq!(prints.len(), paths.len());

        let (nowhere, aside) = locate(&Subject::empty(), &SourceTexts::default(), reported);
        prop_assert_eq!((nowhere.len(), aside.len()), (paths.len(), 0));
        for (path, found) in paths.iter().zip(&nowhere) {
            let anchor = found.finding.anchor.as_ref().unwrap();
            prop_assert_eq!((&anchor.path, found.place, anchor.lines), (path, Place::Whole, None));
        }
    }

    #[test]
    fn a_path_as_the_model_was_shown_it_is_the_file(path in odd_path()) {
        let file = added(&path);
        let anchor = at(&brief::shown(&path), Some(1), None);
        let reported = Reported { lens: "l".to_owned(), finding: Finding { anchor: Some(anchor), ..finding("c") } };
        let (located, _) = locate(&subject(vec![file]), &SourceTexts::default(), vec![reported]);
        let found = located.first().and_then(|l| l.finding.anchor.as_ref()).map(|a| a.path.as_str());
        prop_assert_eq!(found, Some(path.as_str()));
    }

    #[test]
    fn the_lines_of_hunks_are_those_that_a_walk_through_them_finds(
        hunks in proptest::collection::vec((1..60u32, 1..6u32), 0..12),
        first in 0..70u32,
        more in 0..9u32,
    ) {
        let hunk = |(from, count): &(u32, u32)| {
            let lines: String = (0..*count).map(|n| format!("+{n}\n")).collect();
            format!("@@ -0,0 +{from},{count} @@\n{lines}")
        };
        let text: String = hunks.iter().map(hunk).collect();
        let lines = Lines { first, last: first + more };
        for file in diff::parse(&format!("--- a/x\n+++ b/x\n{text}")) {
            for side in [Side::Old, Side::New] {
                prop_assert_eq!(Spans::of(&file, side).touch(lines), stands_in_a_hunk(&file, side, lines));
            }
        }
    }

    #[test]
    fn a_place_in_the_diff_touches_a_hunk_and_nothing_is_lost(
        path in "(src/new\\.rs|src/old\\.rs|[a-z./]{0,8})",
        line in proptest::option::of(0..60u32),
        quote in proptest::option::of("[a-z ()=;\n]{0,20}"),
    ) {
        let subject = subject(diff::parse(DIFF));
        let anchor = Anchor { quote, ..at(&path, line, None) };
        let reported = Reported { lens: "l".to_owned(), finding: Finding { anchor: Some(anchor), ..finding("c") } };
        let (located, aside) = locate(&subject, &SourceTexts::default(), vec![reported]);
        prop_assert_eq!(located.len() + aside.len(), 1);
        for l in located.iter().filter(|l| l.place == Place::InDiff) {
            let a = l.finding.anchor.as_ref().unwrap();
            let file = subject.files.iter().find(|f| f.path == a.path).unwrap();
            prop_assert!(stands_in_a_hunk(file, a.side, a.lines.unwrap()));
        }
    }

    #[test]
    fn a_line_of_the_text_is_found_from_anywhere_and_the_nearest_wins(
        lines in proptest::collection::vec("[a-z]{1,6}", 1..30),
        pick in any::<proptest::sample::Index>(),
        said in 1..40u32,
    ) {
        let text = quote::Text::whole(&lines.join("\n"));
        let picked = pick.get(&lines);
        let found = text.find(picked, Some(Lines { first: said, last: said }), |_| false).unwrap();
        let distance = |n: u32| n.abs_diff(said);
        let exact = (1u32..).zip(&lines).filter(|(_, l)| *l == picked).map(|(n, _)| n);
        prop_assert!(distance(found.first) <= exact.map(distance).min().unwrap() || found.last > found.first);
    }
}
