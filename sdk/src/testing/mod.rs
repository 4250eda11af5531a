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

pub use crate::fake::{FakeHost, text_reply};
