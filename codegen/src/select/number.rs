//! Numbers in registers: operands and results of the form's operations during selection.

use crate::machine::VirtualRegister;
use crate::ssa::width::{HalfOrder, Range, Upper};

/// A number of 64 bits in registers of 32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub range: Range,
    pub upper: Upper,
    pub place: NumberPlace,
}

/// Where a number is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberPlace {
    /// Nowhere yet: it is this constant.
    Constant(u64),
    /// In a register, with the upper half in another one if [`Upper::Own`].
    Registers(Halves),
    /// -1 or 0, in a register that holds 1 or 0 for it.
    Flag(VirtualRegister),
}

/// The registers of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halves {
    pub low: VirtualRegister,
    pub high: Option<VirtualRegister>,
}

/// Wanted form of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub upper: Upper,
    /// As 1 or 0 for -1 or 0.
    pub as_flag: bool,
}

impl Wanted {
    pub(crate) fn is_wide(self) -> bool {
        self.upper == Upper::Own
    }
}

impl Number {
    pub(crate) fn constant(bits: u64) -> Number {
        let range = Range::of(bits as i64);
        Number {
            range,
            upper: Upper::of(range),
            place: NumberPlace::Constant(bits),
        }
    }

    pub(crate) fn as_constant(&self) -> Option<u64> {
        match self.place {
            NumberPlace::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// Whether it is -1 or 0 and known as a flag, or as a constant.
    pub(crate) fn is_flag(&self) -> bool {
        match self.place {
            NumberPlace::Flag(_) => true,
            NumberPlace::Constant(bits) => bits == 0 || bits == u64::MAX,
            NumberPlace::Registers(_) => false,
        }
    }
}

/// Comparison of the lower halves of two numbers, if it is enough.
pub(crate) fn half_order(a: &Number, b: &Number) -> Option<HalfOrder> {
    HalfOrder::of(a.range, b.range)
}
