//! Diagnostics of every reader and checker: findings, their codes, and the source text that they
//! point at.
//!
//! * [`Diag`] is one finding, [`Diags`] the sink that a stage pushes its findings to;
//! * [`Code`] and [`codes!`] name the kinds of findings, with the text of `aiec explain`;
//! * [`Span`], [`SourceFile`] and [`SourceMap`] say where text came from;
//! * [`internal!`] makes an [`InternalError`], the finding of a broken invariant;
//! * [`named_enum!`] declares enumerations whose cases have names;
//! * [`did_you_mean`] finds the word that a misspelt one probably means.
//!
//! This crate opens no files and writes to no terminal; the `compiler` crate renders findings.

mod code;
mod diag;
mod internal;
mod label;
mod mlir_aie;
mod named_enum;
mod source;
mod suggest;

pub use code::Code;
pub use diag::{Diag, Diags, Reported};
pub use internal::{BROKEN_INVARIANT, INTERNAL_CODES, InternalError};
pub use label::{Label, Severity};
pub use mlir_aie::MlirAieReport;
pub use source::{FileId, SourceFile, SourceMap, Span};
pub use suggest::did_you_mean;
