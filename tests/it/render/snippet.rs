//! The code around a finding: which lines and columns of it are shown, and what is marked.

use insta::assert_snapshot;
use review_loop::act::render::{Format, Options, render};
use review_loop_core::finding::Severity;
use review_loop_core::outcome::{Judged, Outcome};

use super::outcomes::{self, excerpt, judged, quote};

/// The lines of one finding's excerpt, without what stands around it.
fn code(width: usize, judged: Judged) -> String {
    let outcome = Outcome { findings: vec![judged], ..outcomes::findings() };
    let text = render(&outcome, Format::Text, &Options { width, ..Options::default() });
    let framed = text.lines().skip_while(|line| !line.trim_end().ends_with(" |"));
    framed.take_while(|line| !line.contains(" = ")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_long_line_is_cut_around_its_caret() {
    let mut long = judged("edge-case", Severity::Low, "app.min.js", 1, 1);
    long.excerpt = Some(excerpt(1, &format!("{}eval(input){}", "var a=1;".repeat(50), ";var b=2".repeat(50))));
    quote(&mut long, "eval(input)");
    assert_snapshot!(code(60, long), @"
      |
    1 | ...ar a=1;var a=1;eval(input);var b=2;var b=2;var b=...
      |                   ^^^^^^^^^^^
      |
    ");
}

#[test]
fn shared_indentation_goes_where_a_line_is_too_long() {
    let mut deep = judged("edge-case", Severity::Low, "deep.py", 3, 3);
    deep.excerpt =
        Some(excerpt(2, "                    if ready:\n                        return order.total * (1 + rate)\n"));
    quote(&mut deep, "rate");
    assert_snapshot!(code(40, deep), @"
      |
    2 | if ready:
    3 |     return order.total * (1 + rate)
      |                               ^^^^
      |
    ");
}

#[test]
fn of_many_lines_the_ends_are_shown() {
    let mut many = judged("duplication", Severity::Low, "long.rs", 103, 130);
    let text: Vec<String> = (100..=133).map(|n| format!("line {n}")).collect();
    many.excerpt = Some(excerpt(100, &text.join("\n")));
    assert_snapshot!(code(80, many), @"
        |
    101 | line 101
    102 | line 102
    103 > line 103
    104 > line 104
    105 > line 105
    106 > line 106
    107 > line 107
    108 > line 108
       ...
    128 > line 128
    129 > line 129
    130 > line 130
    131 | line 131
    132 | line 132
        |
    ");
}

#[test]
fn without_a_quote_the_line_is_underlined() {
    let mut plain = judged("edge-case", Severity::Low, "a.c", 9, 9);
    plain.excerpt = Some(excerpt(9, "\treturn 0;  \r"));
    assert_snapshot!(code(80, plain), @"
      |
    9 |     return 0;
      |     ^^^^^^^^^
      |
    ");
}
