//! A lens that misbehaves on demand: the first path of the subject says how.
#![allow(clippy::disallowed_methods, clippy::panic, clippy::print_stderr, reason = "that is what it is for")]

use std::time::Duration;

use review_loop_sdk::prelude::*;

/// Does what a lens must not do.
pub struct Misbehaving;

impl Lens for Misbehaving {
    const MANIFEST: &'static str = include_str!("../LENS.md");

    fn review() -> Result<Report, Failure> {
        let how = subject::files().first().map(|file| file.path.clone()).unwrap_or_default();
        match how.as_str() {
            "spin" => spin(),
            "sleep" => std::thread::sleep(Duration::from_secs(3600)),
            "allocate" => allocate(),
            "recurse" => drop(recurse(0)),
            "panic" => panic_loudly(),
            "exit" => std::process::exit(3),
            "flood-log" => flood_log(),
            "flood-stderr" => flood_stderr(),
            "flood-host" => flood_host(),
            "huge-message" => log::write(log::Level::Info, &"x".repeat(64 << 20)),
            "many-findings" => return Ok(many(250_000)),
            "over-the-limit" => return Ok(many(201)),
            "over-its-cap" => return Ok(many(4)),
            "undeclared" => return Ok(of_category("undeclared")),
            "keep-then-spin" => keep_then(2, spin),
            "keep-then-sleep" => keep_then(2, || std::thread::sleep(Duration::from_secs(3600))),
            "keep-then-panic" => keep_then(2, panic_loudly),
            "keep-twice-then-exit" => keep_then(3, || keep_then(1, || std::process::exit(3))),
            "keep-too-many" => keep_then(201, || {}),
            "keep-without-end" => loop {
                handover::keep(&many(1));
            },
            "keep-then-fail" => {
                handover::keep(&many(2));
                return Err(Failure::Other("it gave up".to_owned()));
            }
            "keep-then-report" => {
                handover::keep(&many(2));
                return Ok(claiming("The report."));
            }
            "fail" => return Err(Failure::Other("it gave up".to_owned())),
            "environment" => return Ok(claiming(&environment())),
            "read-outside" => return Ok(claiming(&read_outside())),
            _ => {}
        }
        Ok(Report::default())
    }
}

export_lens!(Misbehaving);

fn keep_then(findings: usize, go_on: impl FnOnce()) {
    handover::keep(&many(findings));
    go_on();
}

fn spin() {
    let mut n = 0_u64;
    loop {
        n = std::hint::black_box(n.wrapping_add(1));
    }
}

fn allocate() {
    let mut kept = Vec::new();
    loop {
        kept.push(std::hint::black_box(vec![1_u8; 1 << 20]));
    }
}

fn recurse(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 64]);
    if depth == u64::MAX { 0 } else { recurse(depth + 1) + frame[0] }
}

fn panic_loudly() {
    panic!("out of cheese");
}

fn flood_log() {
    loop {
        log::write(log::Level::Info, &"y".repeat(1000));
    }
}

fn flood_stderr() {
    for n in 0..100 {
        eprintln!("line {n}: {}", "z".repeat(100));
    }
    std::process::exit(1);
}

fn flood_host() {
    loop {
        subject::mode();
    }
}

fn environment() -> String {
    let variables = std::env::vars().count();
    let arguments = std::env::args().count();
    let root = std::fs::read_dir("/").map(Iterator::count);
    format!("{variables} variables, {arguments} arguments, root readable: {}", root.is_ok())
}

fn read_outside() -> String {
    let paths = ["../secret", "/etc/passwd", ".git/config", "ignored.txt"];
    let read = paths.map(|path| format!("{path}: {:?}", source::read(path, Side::New).map(|_| "read")));
    read.join(", ")
}

fn claiming(claim: &str) -> Report {
    Report { findings: vec![finding("mess", claim)], ..Report::default() }
}

fn of_category(category: &str) -> Report {
    Report { findings: vec![finding(category, "A finding.")], ..Report::default() }
}

fn many(count: usize) -> Report {
    let findings = (0..count).map(|n| finding("mess", &format!("Finding {n}."))).collect();
    Report { findings, ..Report::default() }
}

fn finding(category: &str, claim: &str) -> Finding {
    Finding {
        claim: claim.to_owned(),
        category: category.to_owned(),
        severity: Severity::Low,
        confidence: 100,
        load_bearing: false,
        basis: Basis::Check,
        anchor: None,
        evidence: None,
        fix_hint: None,
        replacement: None,
        reach: Reach::Tactical,
    }
}
