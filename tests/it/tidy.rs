//! The architecture's rules about who may name what, read off the sources.

use std::fs;
use std::path::{Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every Rust source below a folder, with its path from the workspace and its text.
pub(crate) fn sources(folder: &str) -> Vec<(String, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![workspace().join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(workspace()).unwrap().to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// Code lines that hold a word, outside of the folders that may.
fn naming(word: &str, allowed: &[&str]) -> Vec<String> {
    let code = |line: &str| !line.trim_start().starts_with("//");
    let elsewhere = sources("host/src").into_iter().filter(|(path, _)| !allowed.iter().any(|a| path.starts_with(a)));
    let lines = elsewhere.flat_map(|(path, text)| {
        let hits = text.lines().filter(|line| code(line) && line.contains(word)).map(|line| line.trim().to_owned());
        hits.map(|line| format!("{path}: {line}")).collect::<Vec<_>>()
    });
    lines.collect()
}

#[test]
fn each_library_has_one_room() {
    assert_eq!(naming("wasmtime", &["host/src/runtime"]), [""; 0]);
    assert_eq!(naming("git2", &["host/src/scope/hunks.rs"]), [""; 0]);
    assert_eq!(naming("review_loop_git", &["host/src/scope"]), [""; 0]);
    assert_eq!(naming("reqwest", &["host/src/llm"]), [""; 0]);
}

#[test]
fn only_the_printer_prints() {
    for word in ["println!", "eprintln!", "print!(", "stdout()", "stderr()"] {
        let allowed = ["host/src/ui", "host/src/runtime/call.rs"];
        assert_eq!(naming(word, &allowed), [""; 0], "{word}");
    }
}

#[test]
fn the_core_names_nothing_that_does_io() {
    let manifest = fs::read_to_string(workspace().join("host/core/Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    for library in ["tokio", "wasmtime", "git2", "reqwest", "tempfile", "cap-std", "rustix", "rand"] {
        assert!(!dependencies.contains(library), "the core depends on {library}");
    }
}

#[test]
fn components_use_three_modules_of_the_core() {
    let uses = sources("sdk/src").into_iter().chain(sources("lenses"));
    let lines = uses.flat_map(|(_, text)| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let mut modules: Vec<String> = lines
        .filter_map(|line| Some(line.split_once("review_loop_core::")?.1.to_owned()))
        .map(|rest| rest.split([':', ';']).next().unwrap().to_owned())
        .collect();
    modules.sort();
    modules.dedup();
    // The host's build script watches these and no others.
    assert_eq!(modules, ["paths", "secrets", "text"]);
}

#[test]
fn the_entry_stays_small_and_the_flow_on_one_screen() {
    let lines = |path: &str| fs::read_to_string(workspace().join(path)).unwrap().lines().count();
    assert!(lines("host/src/main.rs") < 30);
    assert!(lines("host/src/pipeline.rs") < 250);
}
