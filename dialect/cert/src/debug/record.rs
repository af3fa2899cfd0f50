//! Records of the debug section as text: fields with blanks between them. A design has thousands, so
//! they are written without `core::fmt`.

use std::borrow::Cow;
use std::fmt::Write;

use crate::program::SourceLoc;

/// A field of a record.
pub(super) trait Field {
    /// Appends it.
    fn append(&self, out: &mut String);
}

/// An address or a checksum: `0x` and at least as many digits as the second number says.
pub(super) struct HexField(pub u32, pub usize);

/// A source location: `FILE:LINE:COLUMN`, or `-` if there is none.
pub(super) struct LocField(pub Option<SourceLoc>);

/// Appends a record of fields, and ends its line.
macro_rules! record {
    ($out:expr, $first:expr $(, $field:expr)*) => {{
        let out: &mut String = $out;
        $crate::debug::record::Field::append(&$first, out);
        $(
            out.push(' ');
            $crate::debug::record::Field::append(&$field, out);
        )*
        out.push('\n');
    }};
}
pub(super) use record;

macro_rules! number_fields {
    ($($ty:ty)*) => {$(
        impl Field for $ty {
            fn append(&self, out: &mut String) {
                out.push_str(itoa::Buffer::new().format(*self));
            }
        }
    )*};
}

number_fields!(u8 u16 u32 u64 usize);

impl Field for &str {
    fn append(&self, out: &mut String) {
        out.push_str(self);
    }
}

impl Field for String {
    fn append(&self, out: &mut String) {
        out.push_str(self);
    }
}

impl Field for Cow<'_, str> {
    fn append(&self, out: &mut String) {
        out.push_str(self);
    }
}

impl<F: Field> Field for &F {
    fn append(&self, out: &mut String) {
        (*self).append(out);
    }
}

impl Field for HexField {
    fn append(&self, out: &mut String) {
        // A `String` takes all that is written.
        let _ = write!(out, "0x{:01$x}", self.0, self.1);
    }
}

impl Field for LocField {
    fn append(&self, out: &mut String) {
        let Some(loc) = self.0 else {
            return out.push('-');
        };
        loc.file.append(out);
        for number in [loc.line, loc.column] {
            out.push(':');
            number.append(out);
        }
    }
}
