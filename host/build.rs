//! Builds the components that are shipped inside the host.
//!
//! They are built by cargo itself, with the same lock file, into `target/components`: a folder of their own, since the
//! outer cargo holds the lock of `target`, and one for all profiles, since a component is the same in each.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a build script starts cargo, and speaks and fails as cargo expects"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-wasip2";

/// What components are made of. Of the core they use three modules (the test `tidy` holds them to it) and what those are
/// made with, so that work on the judge does not build them again.
const WATCHED: [&str; 10] = [
    "lenses",
    "sdk",
    "wit",
    "Cargo.lock",
    "Cargo.toml",
    "host/core/src/globs.rs",
    "host/core/src/paths.rs",
    "host/core/src/secrets.rs",
    "host/core/src/text.rs",
    "host/core/src/work.rs",
];

fn main() {
    let workspace = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("..");
    let out = PathBuf::from(variable("OUT_DIR"));
    for watched in WATCHED {
        println!("cargo::rerun-if-changed={}", workspace.join(watched).display());
    }
    require_target();
    let names = component_names(&workspace.join("lenses"));
    let built = build(&workspace, &out, &names);
    for name in &names {
        let from = built.join(format!("lens_{}.wasm", name.replace('-', "_")));
        let to = out.join(format!("{name}.wasm"));
        fs::copy(&from, &to).unwrap_or_else(|error| fail(&format!("{}: {error}", from.display())));
    }
    let rows: Vec<String> = names.iter().map(|name| row(name, &out)).collect();
    write(&out.join("built_in.rs"), &format!("&[\n{}]\n", rows.concat()));
}

/// One line of the table that `src/lenses/built_in.rs` includes.
fn row(name: &str, out: &Path) -> String {
    format!("    ({name:?}, include_bytes!({:?})),\n", out.join(format!("{name}.wasm")))
}

/// Every folder under `lenses/` is a component.
fn component_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| fail(&format!("{}: {error}", folder.display())));
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().join("Cargo.toml").exists())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

fn build(workspace: &Path, out: &Path, names: &[String]) -> PathBuf {
    // OUT_DIR is target/<profile>/build/<package>-<hash>/out.
    let target = out.ancestors().nth(4).unwrap_or(out).join("components");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.current_dir(workspace).args(["build", "--profile", "guest", "--target", TARGET, "--target-dir"]).arg(&target);
    for name in names {
        cargo.args(["--package", &format!("lens-{name}")]);
    }
    // What the outer build was told for the host's machine does not hold for components.
    for (key, _) in env::vars_os() {
        let key = key.to_string_lossy();
        if key.starts_with("CARGO_") && key != "CARGO_HOME" && key != "CARGO_NET_OFFLINE"
            || key.starts_with("RUST") && key.ends_with("FLAGS")
        {
            cargo.env_remove(key.as_ref());
        }
    }
    cargo.env_remove("RUSTC_WORKSPACE_WRAPPER");
    match cargo.status() {
        Ok(status) if status.success() => target.join(TARGET).join("guest"),
        Ok(_) => fail("the built-in components do not build: the messages above say why"),
        Err(error) => fail(&format!("cargo cannot be started: {error}")),
    }
}

/// Without the target every crate would fail with a message that does not name the way out.
fn require_target() {
    let rustc = Command::new(variable("RUSTC")).args(["--print", "target-libdir", "--target", TARGET]).output();
    let folder = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    if !Path::new(&folder).is_dir() {
        fail(&format!("the built-in components need the target {TARGET}: run `rustup target add {TARGET}`"));
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| fail(&format!("{name}: {error}")))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| fail(&format!("{}: {error}", path.display())));
}

/// The outer cargo shows what a build script writes when it fails.
fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1)
}
