//! Broken invariants of the program itself: errors of the family `internal`, which no input may
//! cause.

use std::fmt;
use std::panic::Location;

use crate::Diag;

crate::codes! {
    /// Codes of broken invariants.
    pub static INTERNAL_CODES;
    BROKEN_INVARIANT = "internal::broken-invariant",
        "Something that the program relies on doesn't hold. This is a defect of aiec, not of the \
         input, and the message names the place in its source. Please report it with the input.";
}

/// A broken invariant and the place in the source that found it; made by [`internal!`](macro@crate::internal).
///
/// It becomes a finding of the code [`BROKEN_INVARIANT`] ([`Diag::from`]), so that it can be given
/// to [`Diags::push`](crate::Diags::push) and [`Diags::fail`](crate::Diags::fail) as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InternalError {
    /// The violated invariant, without a final stop.
    pub message: String,
    /// Where that was found.
    pub place: &'static Location<'static>,
}

impl InternalError {
    /// The error of the caller's place.
    #[track_caller]
    pub fn new(message: String) -> InternalError {
        let place = Location::caller();
        InternalError { message, place }
    }
}

impl fmt::Display for InternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line) = (self.place.file(), self.place.line());
        write!(f, "internal error: {} ({file}:{line})", self.message)
    }
}

impl std::error::Error for InternalError {}

impl From<InternalError> for Diag {
    fn from(error: InternalError) -> Diag {
        Diag::error(&BROKEN_INVARIANT, error.to_string())
            .help("this is a defect of aiec, not of the input: please report it with the input")
    }
}

/// An [`InternalError`] of this place, with a message as of `format!`.
///
/// ```
/// let words: Option<u32> = Some(8);
/// let words = words.ok_or_else(|| aiec_diag::internal!("tile {} has no BD words", 3));
/// assert_eq!(words, Ok(8));
/// ```
#[macro_export]
macro_rules! internal {
    ($($message:tt)+) => {
        $crate::InternalError::new(format!($($message)+))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_the_place() {
        let (error, line) = (crate::internal!("{} is odd", 3), line!());
        let expected = format!("internal error: 3 is odd ({}:{line})", file!());
        assert_eq!(Diag::from(error).message, expected);
    }
}
