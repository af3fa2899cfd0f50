//! `mlir` and `mlir-generic`: the module as text.

use aiec_aie::ir::Module;
use aiec_aie::text::{PrintOptions, print};
use aiec_diag::{Diags, Reported, SourceMap};

/// Today's custom form.
pub fn custom(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    Ok(print(module, PrintOptions::default()).into_bytes())
}

/// Generic form.
pub fn generic(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    Ok(print(module, PrintOptions { generic: true }).into_bytes())
}
