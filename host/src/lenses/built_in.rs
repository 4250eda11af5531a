//! The components inside the binary. Nothing sets them apart from anyone else's: same contract, same limits.

/// Name and component, in the order of the names. The build script fills it from `lenses/`.
pub const BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/built_in.rs"));
