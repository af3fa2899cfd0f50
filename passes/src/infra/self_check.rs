//! Runs the plain checker of a pass on its result, in debug builds: a defect of the compiler is a
//! finding like any other, not a panic.

use aiec_aie::ir::{Module, Op};
use aiec_diag::{Diag, Reported, codes};

use crate::infra::pass::PassContext;

codes! {
    /// Codes of self checks.
    pub static CODES;
    DEFECT = "internal::check-failed",
        "A pass made something that its own checker refuses. This is a defect of the compiler, not \
         of the design: please report it with the design.";
}

/// A defect that a checker found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The operation that is wrong.
    pub op: Op,
    /// The problem, as the end of a sentence.
    pub problem: String,
}

impl Defect {
    /// A defect of an operation.
    pub fn new(op: Op, problem: impl Into<String>) -> Defect {
        let problem = problem.into();
        Defect { op, problem }
    }
}

/// Holds the result of a pass to its checker; does nothing in release builds.
pub fn verify_in_debug(
    context: &mut PassContext<'_>,
    module: &Module,
    check: impl FnOnce() -> Result<(), Defect>,
) -> Result<(), Reported> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    check().map_err(|Defect { op, problem }| {
        let message = format!("{} made something wrong: {problem}", context.pass);
        let diag = Diag::error(&DEFECT, message).label(module.span(op), "made wrong");
        context.fail(diag.help("report this with the design"))
    })
}
