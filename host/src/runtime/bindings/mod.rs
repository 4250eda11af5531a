//! One module per contract version that this host speaks.

pub(super) mod v0_1;
