//! `eval`: the judge measured from the command line, on a small data set of its own.

use std::fs;
use std::path::Path;

use crate::support::command::Program;

const DIFF: &str = "\
diff --git a/src/total.js b/src/total.js
--- a/src/total.js
+++ b/src/total.js
@@ -1,3 +1,3 @@
 export function total(prices) {
-  return prices.reduce((sum, price) => sum + price, 0);
+  return prices.reduce((sum, price) => sum + price);
 }
";

fn finding(reviewer: &str, claim: &str, label: bool) -> String {
    let golden = if label { "\"empty-cart\"" } else { "null" };
    format!(
        r#"{{"set":"martian","change":"shop-1","reviewer":"{reviewer}","claim":"{claim}","label":{label},"judge":"j","golden":{golden}}}"#
    )
}

fn data(folder: &Path, findings: &[String]) {
    fs::create_dir(folder.join("changes")).unwrap();
    fs::write(folder.join("changes/shop-1.diff"), DIFF).unwrap();
    fs::write(folder.join("findings.jsonl"), findings.join("\n")).unwrap();
}

#[test]
fn the_same_data_gives_the_same_figures_under_stable_keys() {
    let folder = tempfile::tempdir().unwrap();
    data(
        folder.path(),
        &[
            finding("a", "`total` throws on an empty list of prices, since `reduce` has no initial value.", true),
            finding("b", "Without an initial value `reduce` throws when `prices` is empty.", true),
            finding("c", "The readme lacks a section about deployment.", false),
        ],
    );
    let run = || Program::new(folder.path()).run(&["eval", "--data", ".", "--format", "json"]);
    let (first, second) = (run(), run());
    assert_eq!((first.code, &first.stdout), (Some(0), &second.stdout), "{first}");
    let report: serde_json::Value = serde_json::from_str(&first.stdout).unwrap();
    for key in
        ["/guard/true_kept", "/guard/false_kept", "/guard/foreign_kept", "/cluster/pairs/f1", "/cluster/b_cubed/f1"]
    {
        assert!(report.pointer(key).is_some_and(serde_json::Value::is_number), "{key} is missing");
    }
    assert_eq!(report["cluster"]["pairs"]["f1"], 1.0, "{first}");
    for key in ["/agreement/auc", "/placement/in_hunk"] {
        assert!(report.pointer(key).is_some(), "{key} is missing");
    }
}

#[test]
fn a_record_that_cannot_be_read_is_named_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), &[finding("a", "A claim.", true), "{\"set\": 1}".to_owned()]);
    let output = Program::new(folder.path()).run(&["eval", "--data", "."]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("findings.jsonl:2: "), "{output}");
}
