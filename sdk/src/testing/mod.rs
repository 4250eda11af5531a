//! A host for tests: the subject, the sources and a scripted model, without WebAssembly, a key or a network.
//!
//! ```
//! use review_loop_sdk::testing::FakeHost;
//! use review_loop_sdk::{source, subject, types::Side};
//!
//! FakeHost::new()
//!     .edited("src/a.rs", "fn a() {}\n", "fn a() {}\nfn b() {}\n")
//!     .source("README.md", "About a.\n")
//!     .run(|| {
//!         assert_eq!(subject::files()[0].added, 1);
//!         assert_eq!(source::read("README.md", Side::New).unwrap(), "About a.\n");
//!     });
//! ```

mod cases;

pub use cases::cases;

use crate::check::{self, Changed, Seen};

pub use crate::fake::{FakeHost, text_reply};

/// The lines at which a check sees something in a file that is new.
///
/// # Panics
/// Where the check could not look at it.
pub fn lines(check: fn(&Changed) -> Vec<Seen>, path: &str, text: &str) -> Vec<u32> {
    lines_with(check, FakeHost::new().added(path, text))
}

/// The lines at which a check sees something in what this host shows.
///
/// # Panics
/// Where the check could not look at all of it.
pub fn lines_with(check: fn(&Changed) -> Vec<Seen>, host: FakeHost) -> Vec<u32> {
    let (report, _) = host.run(|| check::report(&[check], 100));
    assert_eq!(report.skipped, []);
    report.findings.iter().filter_map(|found| Some(found.anchor.as_ref()?.lines?.first)).collect()
}
