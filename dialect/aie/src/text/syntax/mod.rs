//! The grammar at work: [`matcher`] runs its rules on texts and says what a text that doesn't match
//! should have had, and [`mod@form`] how an operation is written.

mod form;
mod matcher;
#[cfg(all(debug_assertions, feature = "oracle"))]
mod oracle;
mod tree;

pub(super) use form::form;
pub(crate) use matcher::{Mismatch, matched};
pub(crate) use tree::{Pair, Pairs, Tree};
