use proptest::prelude::*;

use super::*;
use crate::finding::{Finding, Severity};
use crate::testing::{anchor, located};

const CACHE: &str = "The cache is never emptied, so its memory grows without a bound";
const CACHE_TOO: &str = "Memory of the cache grows without a bound because nothing empties it";
const LOCK: &str = "The lock is held during the request to the server and blocks every other thread";

fn at(lens: &str, claim: &str, path: &str, line: u32) -> Located {
    let l = located(lens, claim);
    let finding = Finding { anchor: Some(anchor(path, Some(line), None)), ..l.finding };
    Located { finding, place: Place::InDiff, fingerprint: format!("{path}:{line}"), ..l }
}

/// The lenses of every cluster.
fn check(run: Vec<Located>, expect: &[&str]) {
    let mut shown: Vec<String> =
        cluster(&Cluster::default(), run).into_iter().map(|j| j.reported_by.join(" ")).collect();
    shown.sort();
    assert_eq!(shown, expect);
}

#[test]
fn what_says_the_same_is_merged_and_what_does_not_is_not() {
    check(vec![located("a", CACHE), located("b", CACHE_TOO), located("c", LOCK)], &["a b", "c"]);
    check(Vec::new(), &[]);
    check(vec![located("a", "")], &["a"]);
    check(vec![located("a", ""), located("b", "")], &["a", "b"]);
}

#[test]
fn a_shared_line_alone_merges_nothing() {
    check(vec![at("a", CACHE, "x.rs", 5), at("b", LOCK, "x.rs", 5)], &["a", "b"]);
}

#[test]
fn one_pattern_at_two_places_stays_two_findings() {
    let both = |lens| [at(lens, CACHE, "x.rs", 5), at(lens, CACHE, "y.rs", 90)];
    check(both("a").into_iter().chain(both("b")).collect(), &["a b", "a b"]);
}

#[test]
fn a_lens_that_says_a_thing_twice_is_heard_once() {
    check(vec![located("a", CACHE), located("a", CACHE), located("b", LOCK)], &["a", "b"]);
}

#[test]
fn no_chain_joins_different_bugs() {
    let bridge = "The cache is never emptied while the lock is held during the request to the server";
    let run = vec![
        located("a", CACHE),
        located("b", CACHE_TOO),
        located("c", LOCK),
        located("a", LOCK),
        located("d", bridge),
    ];
    let judged = cluster(&Cluster::default(), run);
    let holds = |j: &Judged, claim: &str| j.finding.claim == claim || j.merged.iter().any(|m| m.claim == claim);
    assert!(!judged.iter().any(|j| holds(j, CACHE) && holds(j, LOCK)));
}

#[test]
fn the_clearest_wording_is_kept_with_the_highest_severity_and_everything_said() {
    let mut clear = at("b", CACHE_TOO, "x.rs", 5);
    clear.finding.evidence = Some("line 5".to_owned());
    let mut grave = at("a", CACHE, "x.rs", 6);
    (grave.finding.severity, grave.finding.load_bearing) = (Severity::High, true);
    let judged = cluster(&Cluster::default(), vec![grave, clear]);
    let [only] = judged.as_slice() else { panic!("{judged:?}") };
    assert_eq!((only.lens.as_str(), only.finding.severity), ("b", Severity::High));
    let [merged] = only.merged.as_slice() else { panic!("{only:?}") };
    assert_eq!((merged.claim.as_str(), merged.because.distance), (CACHE, Some(1)));
    assert!(merged.because.terms.contains(&"cach".to_owned()) && merged.because.likeness > 12, "{merged:?}");
}

#[test]
fn a_merge_is_explained() {
    let claims = ["`fooBar` never empties the cache", "The cache is never emptied by `fooBar`"];
    let judged = cluster(&Cluster::default(), vec![at("a", claims[0], "x.rs", 5), at("b", claims[1], "x.rs", 7)]);
    let lines: Vec<String> = judged.iter().flat_map(explain).collect();
    let wanted = "a says the same (92 %: cach, never, foo, bar; both name foobar; 2 lines apart): `fooBar` never empties the cache";
    assert_eq!(lines, [wanted]);
}

#[test]
fn a_preferred_lens_keeps_its_wording() {
    let settings = Cluster { prefer: vec!["z".to_owned()], ..Cluster::default() };
    let judged = cluster(&settings, vec![located("a", CACHE), located("z", CACHE_TOO)]);
    assert_eq!(judged.iter().map(|j| j.lens.as_str()).collect::<Vec<_>>(), ["z"]);
}

#[test]
fn the_large_way_agrees_with_the_exact_one() {
    // Pairs of reports of many bugs that share no word.
    let claim = |i: usize, end: &str| format!("the {0}x{0} of {0}y{0} is {0}z{0} {end}", spelled(i));
    let run: Vec<Located> =
        (0..700).flat_map(|i| [located("a", &claim(i, "always")), located("b", &claim(i, "often"))]).collect();
    let judged = cluster(&Cluster::default(), run);
    assert_eq!(judged.len(), 700);
    assert!(judged.iter().all(|j| j.reported_by.len() == 2));
}

/// A number in letters, so that it is one word.
fn spelled(mut n: usize) -> String {
    let mut word = String::new();
    for _ in 0..4 {
        word.push(char::from(b'a' + (n % 26) as u8));
        n /= 26;
    }
    word
}

proptest! {
    #[test]
    fn order_does_not_matter_and_nothing_is_lost(
        run in proptest::collection::vec(("[a-c]", "(cache|lock|token|queue)( (grows|leaks|blocks|fails)){0,3}", 1..4u32), 0..12),
        seed in any::<u64>(),
    ) {
        let run: Vec<Located> = run.iter().map(|(lens, claim, line)| at(lens, claim, "x.rs", line * 10)).collect();
        let mut shuffled = run.clone();
        let n = shuffled.len().max(1);
        (0..shuffled.len()).for_each(|i| shuffled.swap(i, (seed as usize).wrapping_add(i * 7) % n));
        let (one, other) = (cluster(&Cluster::default(), run.clone()), cluster(&Cluster::default(), shuffled));
        prop_assert_eq!(&one, &other);
        prop_assert_eq!(one.iter().map(|j| 1 + j.merged.len()).sum::<usize>(), run.len());
        for lens in run.iter().map(|l| &l.lens) {
            prop_assert!(one.iter().any(|j| j.reported_by.contains(lens)));
        }
    }
}
