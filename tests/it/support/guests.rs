//! Components for tests, built as the shipped ones are.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::{env, fs};

/// The component of the package `guest-misbehaving`, built once a run.
pub(crate) fn misbehaving() -> Arc<[u8]> {
    static BUILT: OnceLock<Arc<[u8]>> = OnceLock::new();
    Arc::clone(BUILT.get_or_init(|| Arc::from(build("guest-misbehaving"))))
}

/// A component in text form.
pub(crate) fn text(wat: &str) -> Arc<[u8]> {
    Arc::from(wat::parse_str(wat).unwrap())
}

/// Where compiled components of tests are kept: between tests and between runs, so that each is compiled once.
pub(crate) fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled")
}

fn build(package: &str) -> Vec<u8> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // The folder that the build script uses: the SDK is built there already.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../components");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(&workspace)
        .args([
            "build",
            "--quiet",
            "--profile",
            "guest",
            "--target",
            "wasm32-wasip2",
            "--package",
            package,
            "--target-dir",
        ])
        .arg(&target)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_TARGET_DIR")
        .status()
        .unwrap();
    assert!(status.success(), "{package} does not build");
    fs::read(target.join("wasm32-wasip2/guest").join(format!("{}.wasm", package.replace('-', "_")))).unwrap()
}
