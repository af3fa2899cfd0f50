//! F and D: floating point of 32 and 64 bits (RISC-V Unprivileged ISA, version 20191213, chapters 11 and 12).
//!
//! Results are rounded to nearest even; conversions to integers round as they say. What rounds otherwise, and the
//! accrued exceptions of `fcsr`, are refused by name.

use super::NONE;

/// Bits above a single in its register.
const BOX: u64 = 0xFFFF_FFFF_0000_0000;
/// The NaN that operations give.
const NAN32: u32 = 0x7FC0_0000;
const NAN64: u64 = 0x7FF8_0000_0000_0000;

/// Rounding mode of an instruction that takes it from `frm`.
const DYNAMIC: u32 = 7;
/// Modes in the field `rm` and in `frm`.
const NEAREST: u32 = 0;
const TO_ZERO: u32 = 1;
const DOWN: u32 = 2;
const UP: u32 = 3;
const NEAREST_AWAY: u32 = 4;

/// Registers of floats, with the rounding mode.
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatRegisters {
    f: [u64; 32],
    /// `frm`
    mode: u32,
}

/// Fields of an instruction.
#[derive(Clone, Copy)]
struct Fields {
    rd: usize,
    rs1: usize,
    rs2: usize,
    rs3: usize,
    rm: u32,
    double: bool,
    operation: u32,
}

impl Fields {
    fn of(word: u32) -> Fields {
        let register = |low: u32| (word >> low & 31) as usize;
        Fields {
            rd: register(7),
            rs1: register(15),
            rs2: register(20),
            rs3: register(27),
            rm: word >> 12 & 7,
            double: word >> 25 & 3 == 1,
            operation: word >> 27,
        }
    }
}

/// Says why a word of the major opcodes of floats isn't executed.
pub(super) fn check(word: u32) -> Result<(), &'static str> {
    let fields = Fields::of(word);
    if word >> 25 & 3 > 1 {
        return Err("Zfh or Q (floats of 16 and 128 bits)");
    }
    if word & 0x7F != 0x53 {
        return Ok(());
    }
    let known = match fields.operation {
        0..=3 => true,
        0x0B => fields.rs2 == 0,
        0x04 => fields.rm < 3,
        0x05 => fields.rm < 2,
        0x14 => fields.rm < 3,
        0x08 => fields.rs2 < 2 && (fields.rs2 == 1) != fields.double,
        0x18 | 0x1A => fields.rs2 < 4,
        0x1C => fields.rs2 == 0 && fields.rm < 2,
        0x1E => fields.rs2 == 0 && fields.rm == 0,
        _ => false,
    };
    if known { Ok(()) } else { Err(NONE) }
}

/// A format's operations, on the bits of its values.
trait Format: Copy {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn operate(operation: u32, a: Self, b: Self) -> Self;
    fn fused(a: Self, b: Self, c: Self) -> Self;
    fn negated(self) -> Self;
    fn wide(self) -> f64;
    fn of_unsigned(value: u64) -> Self;
    fn of_signed(value: i64) -> Self;
    fn sign() -> u64;
}

/// Whether the bits above a narrower value are set, as NaN boxing has them.
fn is_boxed(bits: u64, above: u64) -> bool {
    bits & above == above
}

macro_rules! float_format {
    ($float:ty, $bits:ty, $nan:expr, $above:expr) => {
        impl Format for $float {
            fn of(bits: u64) -> Self {
                // A value that isn't boxed reads as NaN.
                let boxed = is_boxed(bits, $above);
                <$float>::from_bits(if boxed { bits as $bits } else { $nan })
            }

            fn bits(self) -> u64 {
                u64::from(if self.is_nan() { $nan } else { self.to_bits() }) | $above
            }

            fn operate(operation: u32, a: Self, b: Self) -> Self {
                match operation {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    3 => a / b,
                    _ => a.sqrt(),
                }
            }

            fn fused(a: Self, b: Self, c: Self) -> Self {
                a.mul_add(b, c)
            }

            fn negated(self) -> Self {
                -self
            }

            fn wide(self) -> f64 {
                f64::from(self)
            }

            fn of_unsigned(value: u64) -> Self {
                value as $float
            }

            fn of_signed(value: i64) -> Self {
                value as $float
            }

            fn sign() -> u64 {
                1 << (<$bits>::BITS - 1)
            }
        }
    };
}

float_format!(f32, u32, NAN32, BOX);
float_format!(f64, u64, NAN64, 0u64);

/// The register that an instruction writes.
pub enum FloatResult {
    /// A register of floats, which is written already.
    Float,
    /// The register `rd` of integers, with this value.
    Integer(u64),
}

impl FloatRegisters {
    /// The bits of a register.
    pub fn get(&self, register: u8) -> u64 {
        self.f[usize::from(register & 31)]
    }

    /// Takes what was loaded: of 4 bytes, boxed.
    pub fn load(&mut self, register: u8, bits: u64, double: bool) {
        let above = if double { 0 } else { BOX };
        self.f[usize::from(register & 31)] = bits | above;
    }

    /// Reads and perhaps writes `frm`, for an instruction of Zicsr. `operand` is what the register or the field says.
    ///
    /// # Errors
    /// The register keeps accrued exceptions.
    pub fn exchange_mode(&mut self, word: u32, operand: u64) -> Result<u64, &'static str> {
        let whole = match word >> 20 {
            2 => false,
            3 => true,
            _ => return Err("fflags: accrued exceptions of floats aren't kept"),
        };
        let shift = if whole { 5 } else { 0 };
        let old = u64::from(self.mode) << shift;
        let rs1_is_zero = word >> 15 & 31 == 0;
        let new = match word >> 12 & 3 {
            1 => operand,
            2 if rs1_is_zero => old,
            2 => old | operand,
            _ if rs1_is_zero => old,
            _ => old & !operand,
        };
        if whole && word >> 12 & 3 != 1 && rs1_is_zero {
            return Err("fcsr: accrued exceptions of floats aren't kept");
        }
        self.mode = (new >> shift) as u32 & 7;
        Ok(old)
    }

    /// Executes a word that [`check`] took; `x` is the integer register that it reads.
    ///
    /// # Errors
    /// A rounding mode that isn't modelled.
    pub fn execute(&mut self, word: u32, x: u64) -> Result<FloatResult, String> {
        if Fields::of(word).double {
            self.run::<f64>(word, x)
        } else {
            self.run::<f32>(word, x)
        }
    }

    fn rounding(&self, fields: Fields) -> u32 {
        if fields.rm == DYNAMIC {
            self.mode
        } else {
            fields.rm
        }
    }

    /// Only results rounded to nearest even are computed.
    fn nearest(&self, fields: Fields) -> Result<(), String> {
        match self.rounding(fields) {
            NEAREST => Ok(()),
            mode => Err(format!(
                "a float operation with rounding mode {mode}: only 0, to nearest even, is modelled"
            )),
        }
    }

    fn run<F: Format>(&mut self, word: u32, x: u64) -> Result<FloatResult, String> {
        let fields = Fields::of(word);
        let raw = |register: usize| self.f[register];
        let value = |register: usize| F::of(self.f[register]);
        let (a, b) = (value(fields.rs1), value(fields.rs2));
        let result = match (word & 0x7F, fields.operation) {
            (0x53, 0..=3 | 0x0B) => {
                self.nearest(fields)?;
                F::operate(fields.operation, a, b).bits()
            }
            (0x53, 0x04) => {
                let (a, b) = (F::of(raw(fields.rs1)), F::of(raw(fields.rs2)));
                self.signed_like(
                    fields,
                    plain(a, raw(fields.rs1)),
                    plain(b, raw(fields.rs2)),
                    F::sign(),
                )
            }
            (0x53, 0x05) => extreme(a, b, fields.rm == 1).bits(),
            (0x53, 0x14) => {
                let (a, b) = (a.wide(), b.wide());
                let holds = match fields.rm {
                    0 => a <= b,
                    1 => a < b,
                    _ => a == b,
                };
                return Ok(FloatResult::Integer(holds.into()));
            }
            (0x53, 0x08) => {
                self.nearest(fields)?;
                // The source has the other format.
                if fields.double {
                    f64::from(f32::of(raw(fields.rs1))).bits()
                } else {
                    (f64::of(raw(fields.rs1)) as f32).bits()
                }
            }
            (0x53, 0x18) => {
                let value = to_integer(a.wide(), fields.rs2, self.rounding(fields))?;
                return Ok(FloatResult::Integer(value));
            }
            (0x53, 0x1A) => {
                self.nearest(fields)?;
                match fields.rs2 {
                    0 => F::of_signed(i64::from(x as i32)),
                    1 => F::of_unsigned(u64::from(x as u32)),
                    2 => F::of_signed(x as i64),
                    _ => F::of_unsigned(x),
                }
                .bits()
            }
            (0x53, 0x1C) => {
                let bits = raw(fields.rs1);
                let value = match (fields.rm, fields.double) {
                    (0, true) => bits,
                    (0, false) => i64::from(bits as i32) as u64,
                    (_, true) => class(bits, 52, 11),
                    (_, false) if bits & BOX != BOX => class(u64::from(NAN32), 23, 8),
                    (_, false) => class(bits & !BOX, 23, 8),
                };
                return Ok(FloatResult::Integer(value));
            }
            (0x53, _) => x | if fields.double { 0 } else { BOX },
            (major, _) => {
                self.nearest(fields)?;
                // FMADD, FMSUB, FNMSUB, FNMADD
                let (product, sum) = match major {
                    0x43 => (false, false),
                    0x47 => (false, true),
                    0x4B => (true, false),
                    _ => (true, true),
                };
                let sign = |negate: bool, value: F| if negate { value.negated() } else { value };
                let c = sign(sum, value(fields.rs3));
                F::fused(sign(product, a), b, c).bits()
            }
        };
        self.f[fields.rd] = result;
        Ok(FloatResult::Float)
    }

    /// FSGNJ, FSGNJN, FSGNJX: the first value with another sign.
    fn signed_like(&self, fields: Fields, a: u64, b: u64, sign: u64) -> u64 {
        let new = match fields.rm {
            0 => b,
            1 => !b,
            _ => a ^ b,
        };
        a & !sign | new & sign
    }
}

/// The bits of a value that is moved: as they are, NaNs too, if they are boxed.
fn plain<F: Format>(value: F, raw: u64) -> u64 {
    let single = F::sign() == 1 << 31;
    if single && raw & BOX != BOX {
        value.bits()
    } else {
        raw
    }
}

/// The larger or smaller of two values: a NaN counts as missing, -0 as below +0.
fn extreme<F: Format>(a: F, b: F, largest: bool) -> F {
    let (x, y) = (a.wide(), b.wide());
    if x.is_nan() || y.is_nan() {
        return if x.is_nan() { b } else { a };
    }
    let first_is_less = x < y || (x == y && x.is_sign_negative());
    if first_is_less != largest { a } else { b }
}

/// A float as an integer: NaN and what is too large give the largest, what is too small the least.
fn to_integer(value: f64, kind: usize, mode: u32) -> Result<u64, String> {
    let rounded = match mode {
        NEAREST => value.round_ties_even(),
        TO_ZERO => value.trunc(),
        DOWN => value.floor(),
        UP => value.ceil(),
        NEAREST_AWAY => value.round(),
        mode => return Err(format!("rounding mode {mode} doesn't exist")),
    };
    let rounded = if value.is_nan() {
        f64::INFINITY
    } else {
        rounded
    };
    Ok(match kind {
        0 => i64::from(rounded as i32) as u64,
        1 => i64::from(rounded as u32 as i32) as u64,
        2 => (rounded as i64) as u64,
        _ => rounded as u64,
    })
}

/// The class of a value as a bit: -inf, -normal, -subnormal, -0, +0, +subnormal, +normal, +inf, signalling NaN,
/// quiet NaN.
fn class(bits: u64, fraction_bits: u32, exponent_bits: u32) -> u64 {
    let fraction = bits & ((1 << fraction_bits) - 1);
    let exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    let negative = bits >> (fraction_bits + exponent_bits) & 1 == 1;
    let all_ones = (1 << exponent_bits) - 1;
    let quiet = fraction >> (fraction_bits - 1) & 1 == 1;
    let place = match (exponent, fraction) {
        (exponent, 0) if exponent == all_ones => 7,
        (exponent, _) if exponent == all_ones => return if quiet { 1 << 9 } else { 1 << 8 },
        (0, 0) => 4,
        (0, _) => 5,
        _ => 6,
    };
    1 << if negative { 7 - place } else { place }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `rd` = f3 of an operation on f1 and f2.
    fn word(operation: u32, double: bool, rm: u32, rs2: u32) -> u32 {
        operation << 27 | u32::from(double) << 25 | rs2 << 20 | 1 << 15 | rm << 12 | 3 << 7 | 0x53
    }

    fn run(word: u32, a: u64, b: u64, x: u64) -> (u64, Option<u64>) {
        assert_eq!(check(word), Ok(()));
        let mut registers = FloatRegisters::default();
        (registers.f[1], registers.f[2]) = (a, b);
        let result = registers.execute(word, x).expect("a mode that is modelled");
        let integer = match result {
            FloatResult::Integer(value) => Some(value),
            FloatResult::Float => None,
        };
        (registers.f[3], integer)
    }

    fn single(value: f32) -> u64 {
        u64::from(value.to_bits()) | BOX
    }

    #[test]
    fn arithmetic_rounds_to_nearest_and_gives_the_one_nan() {
        let (a, b) = (1.5f64.to_bits(), 0.1f64.to_bits());
        for (operation, wanted) in [(0, 1.6), (1, 1.4), (2, 1.5 * 0.1), (3, 1.5 / 0.1)] {
            let found = run(word(operation, true, 0, 2), a, b, 0).0;
            assert_eq!(f64::from_bits(found), wanted);
        }
        assert_eq!(
            run(word(3, false, 7, 2), single(1.0), single(3.0), 0).0,
            single(1.0 / 3.0)
        );
        assert_eq!(
            run(word(3, false, 0, 2), single(0.0), single(0.0), 0).0,
            u64::from(NAN32) | BOX
        );
        // A value that isn't boxed is a NaN.
        assert_eq!(
            run(word(0, false, 0, 2), 0, single(1.0), 0).0,
            u64::from(NAN32) | BOX
        );
        assert_eq!(
            run(word(0x0B, true, 0, 0), 2f64.to_bits(), 0, 0).0,
            2f64.sqrt().to_bits()
        );
    }

    #[test]
    fn products_and_sums_are_rounded_once() {
        let mut registers = FloatRegisters::default();
        let (a, b, c) = (1.0f32 + f32::EPSILON, 1.0f32 - f32::EPSILON, -1.0f32);
        (registers.f[1], registers.f[2], registers.f[3]) = (single(a), single(b), single(c));
        for (major, wanted) in [
            (0x43, a.mul_add(b, c)),
            (0x47, a.mul_add(b, -c)),
            (0x4B, (-a).mul_add(b, c)),
            (0x4F, (-a).mul_add(b, -c)),
        ] {
            let word = 3 << 27 | 2 << 20 | 1 << 15 | 4 << 7 | major;
            assert!(registers.execute(word, 0).is_ok());
            assert_eq!(registers.f[4], single(wanted));
        }
    }

    #[test]
    fn integers_are_saturated_and_rounded_as_the_instruction_says() {
        let convert =
            |value: f64, kind, mode| run(word(0x18, true, mode, kind), value.to_bits(), 0, 0).1;
        for (mode, wanted) in [
            (NEAREST, 2),
            (TO_ZERO, 2),
            (DOWN, 2),
            (UP, 3),
            (NEAREST_AWAY, 3),
        ] {
            assert_eq!(convert(2.5, 2, mode), Some(wanted), "mode {mode}");
        }
        assert_eq!(convert(-2.5, 0, DOWN), Some(-3i64 as u64));
        assert_eq!(
            convert(f64::NAN, 0, TO_ZERO),
            Some(i64::from(i32::MAX) as u64)
        );
        assert_eq!(
            convert(3e9, 1, TO_ZERO),
            Some(i64::from(3_000_000_000u32 as i32) as u64)
        );
        assert_eq!(convert(-1.0, 3, TO_ZERO), Some(0));
        assert_eq!(convert(1e30, 2, TO_ZERO), Some(i64::MAX as u64));
        assert_eq!(
            run(word(0x1A, false, 0, 0), 0, 0, -7i64 as u64).0,
            single(-7.0)
        );
        assert_eq!(
            run(word(0x1A, true, 0, 3), 0, 0, u64::MAX).0,
            (u64::MAX as f64).to_bits()
        );
    }

    #[test]
    fn signs_extremes_comparisons_and_classes() {
        let (zero, minus) = (0f64.to_bits(), (-0f64).to_bits());
        assert_eq!(run(word(0x05, true, 0, 2), zero, minus, 0).0, minus);
        assert_eq!(run(word(0x05, true, 1, 2), minus, zero, 0).0, zero);
        assert_eq!(run(word(0x05, true, 1, 2), NAN64, zero, 0).0, zero);
        assert_eq!(run(word(0x04, true, 1, 2), zero, zero, 0).0, minus);
        for (rm, wanted) in [(0, 1), (1, 0), (2, 1)] {
            assert_eq!(run(word(0x14, true, rm, 2), zero, minus, 0).1, Some(wanted));
        }
        let classes = [
            (f32::NEG_INFINITY.to_bits(), 0),
            ((-1.0f32).to_bits(), 1),
            (0x8000_0001, 2),
            ((-0.0f32).to_bits(), 3),
            (0, 4),
            (1, 5),
            (1.0f32.to_bits(), 6),
            (f32::INFINITY.to_bits(), 7),
            (0x7F80_0001, 8),
            (NAN32, 9),
        ];
        for (bits, place) in classes {
            let found = run(word(0x1C, false, 1, 0), u64::from(bits) | BOX, 0, 0).1;
            assert_eq!(found, Some(1 << place), "{bits:#x}");
        }
    }

    #[test]
    fn other_rounding_and_exceptions_are_named() {
        let mut registers = FloatRegisters::default();
        let refused = registers.execute(word(0, true, TO_ZERO, 2), 0).err();
        let refused = refused.unwrap_or_default();
        assert!(refused.contains("rounding mode 1"), "{refused}");
        // csrrs x1, fflags, x0
        assert!(registers.exchange_mode(0x0010_20F3, 0).is_err());
        // csrrw x0, frm, x1
        assert_eq!(registers.exchange_mode(0x0020_9073, 1), Ok(0));
        assert!(registers.execute(word(0, true, DYNAMIC, 2), 0).is_err());
        assert!(check(2 << 25 | 0x53).is_err());
    }
}
