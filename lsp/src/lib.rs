//! The language server of `aiec lsp`: diagnostics on each change, hover, definitions, references, renaming,
//! completion, colours, outlines and formatting, for designs (MLIR) and for control code in assembly.
//!
//! * [`serve`] speaks the protocol; what a text means is asked of an [`Analyst`], which the compiler is;
//! * `document` is a text with its positions, `names` its operations and names found on the tokens alone, so that
//!   both are there while a text is being typed and can't be read;
//! * one file for each kind of answer: `diagnostics`, `hover`, `completion`, `colours`, `outline`, `navigate`;
//! * `assembly` and `labels` have those of control code.
//!
//! Invariants: no text panics; what a module is needed for uses the last one that could be read.

mod assembly;
mod colours;
mod completion;
mod diagnostics;
mod document;
mod hover;
mod labels;
mod names;
mod navigate;
mod outline;
mod server;

use std::path::Path;

use aiec_aie::ir::Module;
use aiec_diag::{Diag, FileId, SourceMap};

pub use server::{ServeError, serve};

/// Everything that is known of a text.
#[derive(Debug, Default)]
pub struct Analysis {
    /// The texts that were read.
    pub sources: SourceMap,
    /// That of the document among them.
    pub file: FileId,
    /// The findings, in the order of their places.
    pub diags: Vec<Diag>,
    /// The design as it was read; `None` where that failed.
    pub parsed: Option<Module>,
    /// The design with addresses, numbers and routes; `None` where that failed.
    pub routed: Option<Module>,
}

/// Says what is known of a text.
pub trait Analyst {
    /// Of a design. `is_thorough` asks for findings that take longer, as when a file is saved.
    fn design(&self, path: &Path, text: &str, is_thorough: bool) -> Analysis;

    /// Of control code in assembly.
    fn assembly(&self, path: &Path, text: &str) -> Analysis;

    /// The text of a design in its layout; `None` if it can't be read.
    fn format(&self, text: &str) -> Option<String>;
}
