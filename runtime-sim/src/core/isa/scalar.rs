//! Operations of the scalar unit.
//!
//! Source: `llvm-aie`; all but `divs`' new r31 measured on NPU1 silicon (xdna-emu).

/// Operations on two scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AluOp {
    Add,
    /// srCarry stays.
    AddNoCarry,
    Sub,
    AddWithCarry,
    SubWithBorrow,
    Mul,
    And,
    Or,
    Xor,
    ShiftLogical,
    ShiftArithmetic,
    Eq,
    Ne,
    Lt,
    Ltu,
    Ge,
    Geu,
    Eqz,
    Nez,
    Abs,
    CountLeadingZeros,
    CountLeadingSigns,
    PopulationCount,
    SignExtend8,
    SignExtend16,
    ZeroExtend8,
    ZeroExtend16,
    Max,
    MaxUnsigned,
    Min,
    MinUnsigned,
}

impl AluOp {
    /// Whether it writes srCarry.
    pub fn writes_carry(self) -> bool {
        alu(self, 0, 0, false).1.is_some()
    }

    /// Whether its result depends on srCarry.
    pub fn reads_carry(self) -> bool {
        matches!(self, AluOp::AddWithCarry | AluOp::SubWithBorrow)
    }
}

/// Bits of a shift amount that count.
const AMOUNT_MASK: u32 = 31;

/// Shifts left by positive amounts and right by negative ones, by the magnitude modulo 32 (38 of
/// 38 cases with greater amounts on NPU1 silicon).
fn shift(a: u32, by: i32, arithmetic: bool) -> u32 {
    let amount = by.unsigned_abs() & AMOUNT_MASK;
    match (by < 0, arithmetic) {
        (false, _) => a << amount,
        (true, true) => ((a as i32) >> amount) as u32,
        (true, false) => a >> amount,
    }
}

/// The result, and the new srCarry of an operation that writes it.
#[inline(always)]
pub(super) fn alu(op: AluOp, a: u32, b: u32, carry: bool) -> (u32, Option<bool>) {
    let value = match op {
        AluOp::Add => {
            let (value, carry) = a.overflowing_add(b);
            return (value, Some(carry));
        }
        AluOp::Sub => {
            let (value, borrow) = a.overflowing_sub(b);
            return (value, Some(borrow));
        }
        AluOp::AddWithCarry => {
            let sum = u64::from(a) + u64::from(b) + u64::from(carry);
            return (sum as u32, Some(sum >> 32 != 0));
        }
        AluOp::SubWithBorrow => {
            let difference = i64::from(a) - i64::from(b) - i64::from(carry);
            return (difference as u32, Some(difference < 0));
        }
        AluOp::Abs => return ((a as i32).wrapping_abs() as u32, Some(a == 0)),
        AluOp::AddNoCarry => a.wrapping_add(b),
        AluOp::Max => (a as i32).max(b as i32) as u32,
        AluOp::MaxUnsigned => a.max(b),
        AluOp::Min => (a as i32).min(b as i32) as u32,
        AluOp::MinUnsigned => a.min(b),
        AluOp::Mul => a.wrapping_mul(b),
        AluOp::And => a & b,
        AluOp::Or => a | b,
        AluOp::Xor => a ^ b,
        AluOp::ShiftLogical => shift(a, b as i32, false),
        AluOp::ShiftArithmetic => shift(a, b as i32, true),
        AluOp::Eq => (a == b).into(),
        AluOp::Ne => (a != b).into(),
        AluOp::Lt => ((a as i32) < b as i32).into(),
        AluOp::Ltu => (a < b).into(),
        AluOp::Ge => (a as i32 >= b as i32).into(),
        AluOp::Geu => (a >= b).into(),
        AluOp::Eqz => (a == 0).into(),
        AluOp::Nez => (a != 0).into(),
        AluOp::CountLeadingZeros => a.leading_zeros(),
        // The sign bit counts too (17 of 17 cases on NPU1 silicon).
        AluOp::CountLeadingSigns => (a ^ ((a as i32) >> 31) as u32).leading_zeros(),
        AluOp::PopulationCount => a.count_ones(),
        AluOp::SignExtend8 => a as i8 as u32,
        AluOp::SignExtend16 => a as i16 as u32,
        AluOp::ZeroExtend8 => a as u8 as u32,
        AluOp::ZeroExtend16 => a as u16 as u32,
    };
    (value, None)
}

/// A step of an unsigned division: the new remainder and the new r31, which shifts the dividend
/// out at its top and the quotient in at its bottom.
pub(super) fn divide_step(remainder: u32, divisor: u32, r31: u32) -> (u32, u32) {
    let next = remainder << 1 | r31 >> 31;
    if next >= divisor {
        (next - divisor, r31 << 1 | 1)
    } else {
        (next, r31 << 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(op: AluOp, a: u32, b: u32) -> u32 {
        alu(op, a, b, false).0
    }

    #[test]
    fn shifts_by_magnitude() {
        assert_eq!(value(AluOp::ShiftLogical, 1, 31), 1 << 31);
        assert_eq!(value(AluOp::ShiftLogical, 1, 0x7126_B038), 1 << 24);
        assert_eq!(value(AluOp::ShiftLogical, 0x8000_0000, -31i32 as u32), 1);
        assert_eq!(
            value(AluOp::ShiftArithmetic, 0x8000_0000, -31i32 as u32),
            !0
        );
        assert_eq!(value(AluOp::ShiftLogical, 6, -33i32 as u32), 3);
        assert_eq!(value(AluOp::ShiftLogical, 7, 0x8000_0000), 7);
    }

    #[test]
    fn counts_and_carries() {
        assert_eq!(value(AluOp::CountLeadingSigns, 0, 0), 32);
        assert_eq!(value(AluOp::CountLeadingSigns, !0, 0), 32);
        assert_eq!(value(AluOp::CountLeadingSigns, 0xFFFF_0000, 0), 16);
        assert_eq!(alu(AluOp::Add, !0, 1, false), (0, Some(true)));
        assert_eq!(alu(AluOp::AddWithCarry, !0, 0, true), (0, Some(true)));
        assert_eq!(alu(AluOp::SubWithBorrow, 0, 0, true), (!0, Some(true)));
        assert_eq!(alu(AluOp::Sub, 3, 2, true), (1, Some(false)));
        assert_eq!(value(AluOp::Abs, 0x8000_0000, 0), 0x8000_0000);
    }

    #[test]
    fn division_in_32_steps() {
        for (n, d) in [(1000, 7), (u32::MAX, 3), (5, 9), (0, 1)] {
            let (mut remainder, mut r31) = (0, n);
            for _ in 0..32 {
                (remainder, r31) = divide_step(remainder, d, r31);
            }
            assert_eq!((r31, remainder), (n / d, n % d));
        }
    }

    #[test]
    fn extensions() {
        assert_eq!(value(AluOp::SignExtend8, 0x80, 0), 0xFFFF_FF80);
        assert_eq!(value(AluOp::ZeroExtend16, !0, 0), 0xFFFF);
    }
}
