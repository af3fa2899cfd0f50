//! Operations that compute a number from others.

use aiec_vcode::{FloatFormat, FloatPredicate, MathFunction, MathFunction2, Opcode};

use super::emit::Selector;
use super::number::{Halves, Number, NumberPlace, Wanted};
use super::rows::Row;
use crate::ssa::Step;
use crate::ssa::width::{Range, Upper};

/// The sign of an f32, or of the upper half of an f64.
const SIGN: u32 = 1 << 31;

impl Selector<'_> {
    pub(super) fn pure_step(&mut self, op: Opcode, number: u8, step: &Step) {
        let result = step.results[0];
        let args: Vec<Number> = step.args.iter().map(|arg| self.number(*arg)).collect();
        let wanted = self.wanted(result);
        let halves = self.pure(op, number, &args, wanted);
        self.define(result, halves);
    }

    /// The result of an operation. The arguments are as many as it takes.
    pub(super) fn pure(
        &mut self,
        op: Opcode,
        number: u8,
        args: &[Number],
        wanted: Wanted,
    ) -> Halves {
        use Opcode::*;
        let found = match (op, args) {
            (Mov, [a]) => Some(self.halves(*a, wanted)),
            (Add32 | Sub32 | Mul32 | Add64 | Sub64 | And | Or | Xor, [a, b]) => {
                self.arithmetic(op, *a, *b, wanted)
            }
            (Mul64, [a, b]) if !wanted.is_wide() => self.arithmetic(Mul32, *a, *b, wanted),
            (Shl32 | Shl64, [a, b]) => self.shift_left_by(op, *a, *b, wanted),
            (Shrs | Shru, [a, b]) => self.shift_right_by(op, *a, *b, wanted),
            (Eq | Ne | Lts | Les | Ltu | Leu, [a, b]) => {
                let flag = self.compare(op, *a, *b);
                Some(self.flag_as_number(flag, wanted))
            }
            (Select, [condition, yes, no]) => {
                Some(self.select_number(*condition, *yes, *no, wanted))
            }
            (Mins | Maxs | Minu | Maxu, [a, b]) => Some(self.extreme(op, *a, *b, wanted)),
            (Sext, [a]) => Some(self.sign_extend(*a, number, wanted)),
            (Zext, [a]) => Some(self.zero_extend(*a, number, wanted)),
            (Ctlz, [a]) if number <= 32 => Some(self.leading_zeros(*a, number, wanted)),
            _ => self.float(op, number, args, wanted),
        };
        if let Some(halves) = found {
            return halves;
        }
        if let Some(halves) = self.call_routine(op, number, args, wanted) {
            return halves;
        }
        if matches!(op, MathD | Math2D) {
            let what = "there is no routine for f64, only for f32, bf16 and f16".to_owned();
            self.lacks_but(what, "compute it in f32, between `arith.truncf` and `arith.extf`, or simulate the design with the model's cores");
        } else {
            self.lacks(format!("there is no routine for {}", op.mnemonic()));
        }
        let low = self.word(0);
        Halves {
            low,
            high: wanted.is_wide().then_some(low),
        }
    }

    /// A flag as a number.
    pub(super) fn flag_as_number(
        &mut self,
        flag: crate::machine::VirtualRegister,
        wanted: Wanted,
    ) -> Halves {
        let number = Number {
            range: Range::BOOL,
            upper: Upper::Sign,
            place: NumberPlace::Flag(flag),
        };
        self.halves(number, wanted)
    }

    /// Operations of floats that need no more than their bits.
    fn float(&mut self, op: Opcode, number: u8, args: &[Number], wanted: Wanted) -> Option<Halves> {
        use Opcode::*;
        let never = FloatPredicate::False.code();
        let always = FloatPredicate::True.code();
        match (op, args) {
            (NegF, [a]) => {
                let (low, sign) = (self.low(*a), self.word(SIGN));
                let low = self.binary(Row::Xor, low, sign);
                Some(self.narrow(low, wanted))
            }
            (NegD, [a]) => {
                let (low, high, sign) = (self.low(*a), self.high(*a), self.word(SIGN));
                let high = self.binary(Row::Xor, high, sign);
                Some(Halves {
                    low,
                    high: wanted.is_wide().then_some(high),
                })
            }
            (MathF, [a]) if number == MathFunction::Absf.code() => {
                let (low, mask) = (self.low(*a), self.word(!SIGN));
                let low = self.binary(Row::And, low, mask);
                Some(self.narrow(low, wanted))
            }
            (MathD, [a]) if number == MathFunction::Absf.code() => {
                let (low, high, mask) = (self.low(*a), self.high(*a), self.word(!SIGN));
                let high = self.binary(Row::And, high, mask);
                Some(Halves {
                    low,
                    high: wanted.is_wide().then_some(high),
                })
            }
            (Math2F, [a, b]) if number == MathFunction2::Copysign.code() => {
                let (a, b) = (self.low(*a), self.low(*b));
                let low = self.with_sign(a, b);
                Some(self.narrow(low, wanted))
            }
            (Math2D, [a, b]) if number == MathFunction2::Copysign.code() => {
                let low = self.low(*a);
                let (a, b) = (self.high(*a), self.high(*b));
                let high = self.with_sign(a, b);
                Some(Halves {
                    low,
                    high: wanted.is_wide().then_some(high),
                })
            }
            (CmpF | CmpD, _) if number == never || number == always => {
                let flag = self.word(u32::from(number == always));
                Some(self.flag_as_number(flag, wanted))
            }
            (FromBits, [a]) => match FloatFormat::from_code(number)? {
                FloatFormat::F32 => Some(self.zero_extend(*a, 32, wanted)),
                FloatFormat::F64 => Some(self.halves(*a, wanted)),
                FloatFormat::Bf16 => {
                    let low = self.low(*a);
                    let low = self.shift_left(low, 16);
                    Some(self.narrow(low, wanted))
                }
                FloatFormat::F16 => None,
            },
            (ToBits, [a]) => match FloatFormat::from_code(number)? {
                FloatFormat::F32 => Some(self.sign_extend(*a, 32, wanted)),
                FloatFormat::F64 => Some(self.halves(*a, wanted)),
                // Values of the format have zeros below.
                FloatFormat::Bf16 => {
                    let low = self.low(*a);
                    let low = self.shift_right(low, 16, true);
                    Some(self.narrow(low, wanted))
                }
                FloatFormat::F16 => None,
            },
            _ => None,
        }
    }

    fn with_sign(
        &mut self,
        magnitude: crate::machine::VirtualRegister,
        sign: crate::machine::VirtualRegister,
    ) -> crate::machine::VirtualRegister {
        let mask = self.word(!SIGN);
        let magnitude = self.binary(Row::And, magnitude, mask);
        let bit = self.word(SIGN);
        let sign = self.binary(Row::And, sign, bit);
        self.binary(Row::Or, magnitude, sign)
    }

    /// A result whose upper half follows from the lower one.
    pub(super) fn narrow(
        &mut self,
        low: crate::machine::VirtualRegister,
        wanted: Wanted,
    ) -> Halves {
        if wanted.as_flag {
            let one = self.word(1);
            let low = self.binary(Row::And, low, one);
            return Halves { low, high: None };
        }
        // A result of 32 bits has a range of 32 bits, so that no use wants its upper half in a
        // register.
        debug_assert!(!wanted.is_wide());
        Halves { low, high: None }
    }
}
