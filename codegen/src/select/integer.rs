//! Operations of integers.

use aiec_vcode::Opcode;

use super::emit::{CONDITION, Selector};
use super::number::{Halves, Number, NumberPlace, Wanted, half_order};
use super::rows::Row;
use crate::machine::{MachineOperand as Operand, VirtualRegister};
use crate::ssa::width::{HalfOrder, Range, Upper};

impl Selector<'_> {
    /// Sums, differences, products of 32 bits, bits.
    pub(super) fn arithmetic(
        &mut self,
        op: Opcode,
        a: Number,
        b: Number,
        wanted: Wanted,
    ) -> Option<Halves> {
        use Opcode::*;
        let bits = matches!(op, And | Or | Xor);
        if bits && wanted.as_flag && a.is_flag() && b.is_flag() {
            let row = bit_row(op);
            let (a, b) = (self.flag(a), self.flag(b));
            let low = self.binary(row, a, b);
            return Some(Halves { low, high: None });
        }
        if !wanted.is_wide() {
            let low = self.arithmetic_low(op, a, b);
            return Some(self.narrow(low, wanted));
        }
        let (al, bl) = (self.low(a), self.low(b));
        let (ah, bh) = (self.high(a), self.high(b));
        let (row, upper) = match op {
            Add64 => (Row::Add, Row::AddWithCarry),
            Sub64 => (Row::Sub, Row::SubWithBorrow),
            _ => (bit_row(op), bit_row(op)),
        };
        // Nothing may come between a sum and the one that takes its carry.
        let low = self.binary(row, al, bl);
        let high = self.binary(upper, ah, bh);
        Some(Halves {
            low,
            high: Some(high),
        })
    }

    fn arithmetic_low(&mut self, op: Opcode, a: Number, b: Number) -> VirtualRegister {
        use Opcode::*;
        let low = self.low(a);
        if let Some(bits) = b.as_constant() {
            let value = bits as i32;
            let added = match op {
                Add32 | Add64 => Some(value),
                Sub32 | Sub64 => Some(value.wrapping_neg()),
                _ => None,
            };
            if let Some(added) = added
                && self.rows.fits(Row::AddImmediate, 2, added.into())
            {
                let operands = [Operand::Virtual(low), Operand::Immediate(added)];
                return self.result(Row::AddImmediate, &operands);
            }
            match (op, bits as u32) {
                (And, 0xFF) => return self.unary(Row::ExtendUnsigned8, low),
                (And, 0xFFFF) => return self.unary(Row::ExtendUnsigned16, low),
                _ => {}
            }
        }
        let other = self.low(b);
        let row = match op {
            Add32 | Add64 => Row::Add,
            Sub32 | Sub64 => Row::Sub,
            Mul32 | Mul64 => Row::Mul,
            _ => bit_row(op),
        };
        self.binary(row, low, other)
    }

    // ---- shifts ----

    /// `a << b`; `None` if that takes a routine.
    pub(super) fn shift_left_by(
        &mut self,
        op: Opcode,
        a: Number,
        b: Number,
        wanted: Wanted,
    ) -> Option<Halves> {
        let Some(amount) = b.as_constant() else {
            if wanted.is_wide() {
                return None;
            }
            // More than 31 leave nothing of the lower half; the instruction takes amounts modulo 32.
            let (low, by) = (self.low(a), self.low(b));
            let shifted = self.binary(Row::ShiftLogical, low, by);
            let fits = b.range.is_in(Range::new(0, 31));
            let low = if fits {
                shifted
            } else {
                self.if_amount_fits(b, shifted, None)
            };
            return Some(self.narrow(low, wanted));
        };
        let limit = if op == Opcode::Shl32 { 32 } else { 64 };
        if amount >= limit {
            return Some(self.halves(Number::constant(0), wanted));
        }
        let amount = amount as u32;
        let zero = |selector: &mut Self| selector.word(0);
        if !wanted.is_wide() {
            let low = if amount >= 32 {
                zero(self)
            } else {
                let low = self.low(a);
                self.shift_left(low, amount)
            };
            return Some(self.narrow(low, wanted));
        }
        let low = self.low(a);
        let (low, high) = match amount {
            0 => (low, self.high(a)),
            1..32 => {
                let high = self.high(a);
                let high = self.shift_left(high, amount);
                let carried = self.shift_right(low, 32 - amount, false);
                let high = self.binary(Row::Or, high, carried);
                (self.shift_left(low, amount), high)
            }
            _ => {
                let high = self.shift_left(low, amount - 32);
                (zero(self), high)
            }
        };
        Some(Halves {
            low,
            high: Some(high),
        })
    }

    /// `a >> b`; `None` if that takes a routine.
    pub(super) fn shift_right_by(
        &mut self,
        op: Opcode,
        a: Number,
        b: Number,
        wanted: Wanted,
    ) -> Option<Halves> {
        let arithmetic = op == Opcode::Shrs;
        let Some(amount) = b.as_constant() else {
            return self.shift_right_variable(arithmetic, a, b, wanted);
        };
        if amount >= 64 && !arithmetic {
            return Some(self.halves(Number::constant(0), wanted));
        }
        let amount = amount.min(63) as u32;
        if amount == 0 {
            return Some(self.halves(a, wanted));
        }
        // A lower half that nothing above it matters to.
        if a.upper == Upper::Any || (a.upper == Upper::Zero && amount < 32) {
            let low = self.low(a);
            let low = if amount < 32 {
                self.shift_right(low, amount, false)
            } else {
                self.word(0)
            };
            return Some(self.narrow(low, wanted));
        }
        if a.upper == Upper::Sign && arithmetic {
            let low = self.low(a);
            let low = self.shift_right(low, amount.min(31), true);
            return Some(self.narrow(low, wanted));
        }
        let high = self.high(a);
        let low = if amount < 32 {
            let low = self.low(a);
            let low = self.shift_right(low, amount, false);
            let carried = self.shift_left(high, 32 - amount);
            self.binary(Row::Or, low, carried)
        } else {
            self.shift_right(high, amount - 32, arithmetic)
        };
        if !wanted.is_wide() {
            return Some(self.narrow(low, wanted));
        }
        let high = match (amount < 32, arithmetic) {
            (true, _) => self.shift_right(high, amount, arithmetic),
            (false, true) => self.shift_right(high, 31, true),
            (false, false) => self.word(0),
        };
        Some(Halves {
            low,
            high: Some(high),
        })
    }

    fn shift_right_variable(
        &mut self,
        arithmetic: bool,
        a: Number,
        b: Number,
        wanted: Wanted,
    ) -> Option<Halves> {
        let narrow = match a.upper {
            Upper::Sign => arithmetic,
            Upper::Zero => true,
            Upper::Any | Upper::Own => false,
        };
        if !narrow || wanted.is_wide() {
            return None;
        }
        let arithmetic = arithmetic && a.upper == Upper::Sign;
        let row = if arithmetic {
            Row::ShiftArithmetic
        } else {
            Row::ShiftLogical
        };
        let (low, by, zero) = (self.low(a), self.low(b), self.word(0));
        let by = self.binary(Row::Sub, zero, by);
        let shifted = self.binary(row, low, by);
        let low = if b.range.is_in(Range::new(0, 31)) {
            shifted
        } else {
            let beyond = arithmetic.then(|| self.shift_right(low, 31, true));
            self.if_amount_fits(b, shifted, beyond)
        };
        Some(self.narrow(low, wanted))
    }

    /// `below` if an amount is below 32, or else `beyond`: 0 without one.
    fn if_amount_fits(
        &mut self,
        amount: Number,
        below: VirtualRegister,
        beyond: Option<VirtualRegister>,
    ) -> VirtualRegister {
        let beyond = beyond.unwrap_or_else(|| self.word(0));
        let limit = Number::constant(32);
        let flag = self.compare(Opcode::Ltu, amount, limit);
        self.copy(Operand::Physical(CONDITION), Operand::Virtual(flag));
        self.choose(below, beyond)
    }

    // ---- comparisons ----

    /// 1 if a comparison holds, else 0.
    pub(super) fn compare(&mut self, op: Opcode, a: Number, b: Number) -> VirtualRegister {
        use Opcode::*;
        let flags = a.is_flag() && b.is_flag();
        if matches!(op, Eq | Ne) {
            if flags
                && (matches!(a.place, NumberPlace::Flag(_))
                    || matches!(b.place, NumberPlace::Flag(_)))
            {
                let (a, b) = (self.flag(a), self.flag(b));
                return self.compare_registers(op, a, b);
            }
            if half_order(&a, &b).is_some() {
                if b.as_constant() == Some(0) {
                    let row = if op == Eq {
                        Row::EqualZero
                    } else {
                        Row::NotEqualZero
                    };
                    let a = self.low(a);
                    return self.result(row, &[Operand::Virtual(a)]);
                }
                let (a, b) = (self.low(a), self.low(b));
                return self.compare_registers(op, a, b);
            }
            let (al, bl, ah, bh) = (self.low(a), self.low(b), self.high(a), self.high(b));
            let low = self.binary(Row::Xor, al, bl);
            let high = self.binary(Row::Xor, ah, bh);
            let any = self.binary(Row::Or, low, high);
            let row = if op == Eq {
                Row::EqualZero
            } else {
                Row::NotEqualZero
            };
            return self.unary(row, any);
        }
        if let Some(order) = half_order(&a, &b) {
            let op = match (op, order) {
                (Lts, HalfOrder::Unsigned) => Ltu,
                (Les, HalfOrder::Unsigned) => Leu,
                (op, _) => op,
            };
            let (a, b) = (self.low(a), self.low(b));
            return self.compare_registers(op, a, b);
        }
        // By the upper halves; if these are equal, by the lower ones.
        let (al, bl, ah, bh) = (self.low(a), self.low(b), self.high(a), self.high(b));
        let (upper, lower) = match op {
            Lts => (Lts, Ltu),
            Les => (Lts, Leu),
            Ltu => (Ltu, Ltu),
            _ => (Ltu, Leu),
        };
        let less = self.compare_registers(upper, ah, bh);
        let same = self.compare_registers(Eq, ah, bh);
        let below = self.compare_registers(lower, al, bl);
        let both = self.binary(Row::And, same, below);
        self.binary(Row::Or, less, both)
    }

    fn compare_registers(
        &mut self,
        op: Opcode,
        a: VirtualRegister,
        b: VirtualRegister,
    ) -> VirtualRegister {
        use Opcode::*;
        let (row, a, b) = match op {
            Eq => (Row::Equal, a, b),
            Ne => (Row::NotEqual, a, b),
            Lts => (Row::LessSigned, a, b),
            Ltu => (Row::LessUnsigned, a, b),
            // a <= b is b >= a.
            Les => (Row::GreaterEqualSigned, b, a),
            _ => (Row::GreaterEqualUnsigned, b, a),
        };
        self.binary(row, a, b)
    }

    // ---- selection ----

    pub(super) fn select_number(
        &mut self,
        condition: Number,
        yes: Number,
        no: Number,
        wanted: Wanted,
    ) -> Halves {
        let condition = match condition.place {
            NumberPlace::Flag(flag) => flag,
            NumberPlace::Registers(Halves {
                low,
                high: Some(high),
            }) => self.binary(Row::Or, low, high),
            _ => self.low(condition),
        };
        self.choose_number(condition, yes, no, wanted)
    }

    /// One of two numbers by a register that is not 0, or 0.
    fn choose_number(
        &mut self,
        condition: VirtualRegister,
        yes: Number,
        no: Number,
        wanted: Wanted,
    ) -> Halves {
        let (yes, no) = (self.halves(yes, wanted), self.halves(no, wanted));
        self.copy(Operand::Physical(CONDITION), Operand::Virtual(condition));
        let low = self.choose(yes.low, no.low);
        let high = match (yes.high, no.high) {
            (Some(yes), Some(no)) => Some(self.choose(yes, no)),
            _ => None,
        };
        Halves { low, high }
    }

    /// One of two registers by [`CONDITION`].
    fn choose(&mut self, yes: VirtualRegister, no: VirtualRegister) -> VirtualRegister {
        self.binary(Row::Select, yes, no)
    }

    /// The lesser or the greater of two numbers.
    pub(super) fn extreme(&mut self, op: Opcode, a: Number, b: Number, wanted: Wanted) -> Halves {
        use Opcode::*;
        let (compared, first, second) = match op {
            Mins => (Lts, a, b),
            Maxs => (Lts, b, a),
            Minu => (Ltu, a, b),
            _ => (Ltu, b, a),
        };
        let less = self.compare(compared, first, second);
        self.choose_number(less, a, b, wanted)
    }

    // ---- parts of numbers ----

    pub(super) fn sign_extend(&mut self, a: Number, bits: u8, wanted: Wanted) -> Halves {
        if a.range.is_in(Range::of_bits(bits)) {
            return self.halves(a, wanted);
        }
        if bits > 32 {
            let low = self.low(a);
            if !wanted.is_wide() {
                return self.narrow(low, wanted);
            }
            let unused = 64 - u32::from(bits);
            let high = self.high(a);
            let high = self.shift_left(high, unused);
            let high = self.shift_right(high, unused, true);
            return Halves {
                low,
                high: Some(high),
            };
        }
        let low = self.low(a);
        let low = match bits {
            32 => low,
            8 => self.unary(Row::ExtendSigned8, low),
            16 => self.unary(Row::ExtendSigned16, low),
            1 if wanted.as_flag => return self.narrow(low, wanted),
            _ => {
                let unused = 32 - u32::from(bits);
                let low = self.shift_left(low, unused);
                self.shift_right(low, unused, true)
            }
        };
        self.narrow(low, wanted)
    }

    pub(super) fn zero_extend(&mut self, a: Number, bits: u8, wanted: Wanted) -> Halves {
        if bits == 1 && a.is_flag() {
            let low = self.flag(a);
            return self.narrow(low, wanted);
        }
        let all = if bits >= 63 {
            Range::new(0, i64::MAX)
        } else {
            Range::new(0, (1 << bits) - 1)
        };
        if a.range.is_in(all) {
            return self.halves(a, wanted);
        }
        let low = self.low(a);
        if bits > 32 {
            if !wanted.is_wide() {
                return self.narrow(low, wanted);
            }
            let high = self.high(a);
            let high = if bits >= 64 {
                high
            } else {
                let mask = self.word((1 << (bits - 32)) - 1);
                self.binary(Row::And, high, mask)
            };
            return Halves {
                low,
                high: Some(high),
            };
        }
        let low = match bits {
            32 => low,
            8 => self.unary(Row::ExtendUnsigned8, low),
            16 => self.unary(Row::ExtendUnsigned16, low),
            _ => {
                let mask = self.word((1 << bits) - 1);
                self.binary(Row::And, low, mask)
            }
        };
        self.narrow(low, wanted)
    }

    /// Leading zeros in up to 32 bits.
    pub(super) fn leading_zeros(&mut self, a: Number, bits: u8, wanted: Wanted) -> Halves {
        let plain = Wanted {
            upper: Upper::Any,
            as_flag: false,
        };
        let low = self.zero_extend(a, bits, plain).low;
        let zeros = self.unary(Row::CountLeadingZeros, low);
        let low = if bits == 32 {
            zeros
        } else {
            let more = i32::from(bits) - 32;
            let operands = [Operand::Virtual(zeros), Operand::Immediate(more)];
            self.result(Row::AddImmediate, &operands)
        };
        self.narrow(low, wanted)
    }
}

fn bit_row(op: Opcode) -> Row {
    match op {
        Opcode::And => Row::And,
        Opcode::Or => Row::Or,
        _ => Row::Xor,
    }
}
