//! What several features' tests share.

pub(crate) mod guests;
