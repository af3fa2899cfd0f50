//! Runs the plain checker of a pass on what the pass made, in debug builds: a defect of the
//! compiler is a finding like any other, not a panic.

use aiec_diag::{Diag, Reported, codes};

use crate::infra::pass::PassContext;

codes! {
    /// Codes of self checks.
    pub static CODES;
    DEFECT = "internal::check-failed",
        "A pass made something that its own checker refuses. This is a defect of the compiler, not \
         of the design: please report it with the design.";
}

/// Holds the result of a pass to its checker; does nothing in release builds.
pub fn verify_in_debug(
    context: &mut PassContext<'_>,
    check: impl FnOnce() -> Result<(), String>,
) -> Result<(), Reported> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    check().map_err(|problem| {
        let message = format!("{} made something wrong: {problem}", context.pass);
        context.fail(Diag::error(&DEFECT, message).help("report this with the design"))
    })
}
