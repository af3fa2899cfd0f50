//! Reasons for which a program stops itself.

use std::fmt;

/// The immediate of a [`Trap`](crate::Opcode::Trap).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrapReason {
    /// A `cf.assert` whose condition doesn't hold.
    Assertion,
    /// A loop whose step is known at run time only, and isn't above 0: it would have no end.
    LoopStep,
}

impl TrapReason {
    /// Number in the program.
    pub const fn code(self) -> u32 {
        match self {
            TrapReason::Assertion => 1,
            TrapReason::LoopStep => 2,
        }
    }

    /// The reason of a number; `None` if programs of this project have none of it.
    pub fn from_code(code: u32) -> Option<TrapReason> {
        [TrapReason::Assertion, TrapReason::LoopStep]
            .into_iter()
            .find(|reason| reason.code() == code)
    }
}

impl fmt::Display for TrapReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrapReason::Assertion => "an assertion (`cf.assert`) doesn't hold",
            TrapReason::LoopStep => "the step of a loop isn't above 0, so the loop has no end",
        })
    }
}
