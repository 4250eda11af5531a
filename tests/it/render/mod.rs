//! What a review says, in every format, over the same few outcomes.

mod concise;
mod hostile;
mod json;
mod outcomes;
mod sarif;
mod snippet;
mod text;
