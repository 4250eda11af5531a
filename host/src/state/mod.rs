//! The tool's own files. Nothing else writes them.
//!
//! ```text
//! place (where they may lie) -> folder (private to its user, replaced whole) -> seal (is this content our own?)
//! ```
//!
//! So far there is one kind: compiled components under the user's cache folder.

mod folder;
mod place;
mod seal;

pub use folder::Folder;
pub use place::{Unusable, cache_folder};
pub use seal::Seal;

/// Has a write over the limit for a file's size fail like one to a full disk. Left alone, the system ends the process on
/// the spot, with half a file behind it.
pub fn survive_the_file_size_limit() {
    #[cfg(unix)]
    #[expect(unsafe_code, reason = "the standard library has no word for signals")]
    // SAFETY: ignoring a signal installs no handler, and no other thread runs yet.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
