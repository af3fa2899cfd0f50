//! The words that a core's program memory is loaded with.

use aiec_dialect::codes;
use aiec_dialect::diag::{Diag, Diags, Reported};
use aiec_dialect::ir::{Module, Op};
use aiec_dialect::ops::{Core, OpKind, OpView};

codes! {
    /// Codes of program memory images.
    pub static CODES;
    NOT_YET = "core::not-supported-yet",
        "The program of this core can't be made by aiec yet.";
}

/// The image of a core; empty for a core that does nothing.
pub fn core_image(
    module: &Module,
    _device: Op,
    core: Core,
    diags: &mut Diags,
) -> Result<Vec<u32>, Reported> {
    let does_something = module
        .walk(core.op())
        .skip(1)
        .any(|op| !matches!(module.kind(op), OpKind::End | OpKind::ArithConstant));
    if does_something || core.elf_file(module).is_some() {
        let diag = Diag::error(&NOT_YET, "cores aren't supported yet")
            .label(module.span(core.op()), "this core");
        return Err(diags.fail(diag));
    }
    Ok(Vec::new())
}
