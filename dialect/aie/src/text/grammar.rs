//! The grammar: `grammar/*.pest`, one file for the structure of MLIR text and one per dialect.
#![allow(missing_docs)] // the rules are documented in the grammar files

use pest_derive::Parser;

/// The generated matcher.
#[derive(Parser)]
#[grammar = "text/grammar/mlir.pest"]
#[grammar = "text/grammar/aie.pest"]
#[grammar = "text/grammar/aiex.pest"]
#[grammar = "text/grammar/upstream.pest"]
#[grammar = "text/grammar/compute.pest"]
#[grammar = "text/grammar/aievec.pest"]
pub struct Grammar;

/// The same files as text: what they say is shown to users whose text doesn't match.
pub const TEXTS: &[&str] = &[
    include_str!("grammar/mlir.pest"),
    include_str!("grammar/aie.pest"),
    include_str!("grammar/aiex.pest"),
    include_str!("grammar/upstream.pest"),
    include_str!("grammar/compute.pest"),
    include_str!("grammar/aievec.pest"),
];
