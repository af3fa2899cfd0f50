//! Kinds of findings and the macro that declares those of a stage.

/// A kind of finding: its stable name and the text of `aiec explain`.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The name, `stage::what-is-wrong`.
    pub id: &'static str,
    /// Its meaning, the reason for the refusal, and the way out: a few sentences.
    pub explanation: &'static str,
}

/// Declares the diagnostic codes of a stage as constants plus the table of all of them.
///
/// ```
/// aiec_diag::codes! {
///     /// Codes of an example stage.
///     pub static EXAMPLE_CODES;
///     TOO_BIG = "example::too-big", "The thing is larger than its place. Make it smaller.";
/// }
/// assert_eq!(EXAMPLE_CODES[0].id, TOO_BIG.id);
/// ```
#[macro_export]
macro_rules! codes {
    ($(#[$doc:meta])* pub static $table:ident;
     $($name:ident = $id:literal, $explanation:expr;)*) => {
        $(#[doc = concat!("`", $id, "`: ", $explanation)]
          pub static $name: $crate::Code =
              $crate::Code { id: $id, explanation: $explanation };)*
        $(#[$doc])*
        pub static $table: &[&$crate::Code] = &[$(&$name),*];
    };
}
