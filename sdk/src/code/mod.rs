//! Code as tokens: enough of some thirty languages to tell names from comments and strings, for checks that look at text.
//!
//! Nothing here parses. What is read is one table ([`Language`] names the rows), so that a language is a row, and a
//! component that checks code stays small.
//!
//! ```
//! use review_loop_sdk::code::{Language, TokenKind, tokens};
//!
//! let language = Language::of("src/main.rs").unwrap();
//! let names: Vec<&str> = tokens("let x = \"y\"; // z", language)
//!     .iter()
//!     .filter(|token| token.kind == TokenKind::Ident)
//!     .map(|token| token.text)
//!     .collect();
//! assert_eq!(names, ["x"]);
//! ```

mod definitions;
mod language;
mod layout;
mod lexer;
mod literal;
mod naming;
mod syntax;
mod test_code;
mod token;

pub use definitions::{Definition, DefinitionKind, definitions};
pub use language::Language;
pub use layout::{brackets, indents};
pub use lexer::tokens;
pub use naming::{Naming, naming, stands_alone};
pub use review_loop_core::paths::{generated_header, is_generated, is_lock_file, is_vendored};
pub use test_code::{is_test_path, test_lines};
pub use token::{Token, TokenKind, closing};
