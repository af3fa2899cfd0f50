//! `mlir` and `mlir-generic`: the module as text.

use aiec_dialect::diag::{Diags, Reported};
use aiec_dialect::ir::Module;
use aiec_dialect::source::SourceMap;
use aiec_dialect::text::{PrintOptions, print};

/// Today's custom form.
pub fn custom(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    Ok(print(module, PrintOptions::default()).into_bytes())
}

/// Generic form.
pub fn generic(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    Ok(print(module, PrintOptions { generic: true }).into_bytes())
}
