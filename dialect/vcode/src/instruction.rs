//! Instructions and the meaning of their immediates.

use super::ops::Opcode;

/// One instruction. Operands that the operation doesn't use are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The operation.
    pub op: Opcode,
    /// First operand.
    pub a: u8,
    /// Second operand.
    pub b: u8,
    /// Third operand.
    pub c: u8,
    /// The second word.
    pub imm: u32,
}

impl Instruction {
    /// An instruction without immediate.
    pub const fn new(op: Opcode, a: u8, b: u8, c: u8) -> Self {
        Instruction {
            op,
            a,
            b,
            c,
            imm: 0,
        }
    }

    /// An instruction with an immediate.
    pub const fn with(op: Opcode, a: u8, b: u8, c: u8, imm: u32) -> Self {
        Instruction { op, a, b, c, imm }
    }
}

macro_rules! coded_enum {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$member:meta])* $variant:ident = $text:literal),* $(,)?
    }) => {
        aiec_diag::named_enum! {
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[repr(u8)]
            pub enum $name {
                $($(#[$member])* $variant => $text),*
            }
        }

        impl $name {
            /// The value with this code.
            pub fn from_code(code: u8) -> Option<$name> {
                Self::ALL.get(usize::from(code)).copied()
            }

            /// The code in an instruction.
            pub const fn code(self) -> u8 {
                self as u8
            }
        }
    };
}

coded_enum! {
    /// Types of data that an access to memory moves.
    MemoryType {
        /// One byte, 0 or 1.
        I1 = "i1",
        /// One byte.
        I8 = "i8",
        /// Two bytes.
        I16 = "i16",
        /// Four bytes.
        I32 = "i32",
        /// Eight bytes.
        I64 = "i64",
        /// Two bytes.
        Bf16 = "bf16",
        /// Two bytes.
        F16 = "f16",
        /// Four bytes.
        F32 = "f32",
        /// Eight bytes.
        F64 = "f64",
    }
}

impl MemoryType {
    /// Bytes in memory.
    pub const fn bytes(self) -> u32 {
        match self {
            MemoryType::I1 | MemoryType::I8 => 1,
            MemoryType::I16 | MemoryType::Bf16 | MemoryType::F16 => 2,
            MemoryType::I32 | MemoryType::F32 => 4,
            MemoryType::I64 | MemoryType::F64 => 8,
        }
    }
}

coded_enum! {
    /// A float format in a conversion.
    FloatFormat {
        /// 32 bits.
        F32 = "f32",
        /// 64 bits.
        F64 = "f64",
        /// 16 bits, exponent of f32.
        Bf16 = "bf16",
        /// 16 bits, IEEE.
        F16 = "f16",
    }
}

coded_enum! {
    /// Rounding of a conversion to a float, with the numbers and names of `arith.truncf`.
    RoundingMode {
        /// To the nearest, halves to even.
        ToNearestEven = "to_nearest_even",
        /// To negative infinity.
        Downward = "downward",
        /// To positive infinity.
        Upward = "upward",
        /// To zero.
        TowardZero = "toward_zero",
        /// To the nearest, halves away from zero.
        ToNearestAway = "to_nearest_away",
    }
}

/// The third operand of a conversion that narrows a float: format in bits 3:0, rounding mode in bits 7:4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrowing {
    /// The format of the result.
    pub format: FloatFormat,
    /// Its rounding.
    pub mode: RoundingMode,
}

impl Narrowing {
    /// The operand.
    pub const fn pack(self) -> u8 {
        self.format.code() | self.mode.code() << 4
    }

    /// The meaning of an operand.
    pub fn unpack(operand: u8) -> Option<Self> {
        Some(Narrowing {
            format: FloatFormat::from_code(operand & 0xF)?,
            mode: RoundingMode::from_code(operand >> 4)?,
        })
    }
}

coded_enum! {
    /// Comparison of floats, with the numbers of `arith.cmpf`.
    FloatPredicate {
        /// Never.
        False = "false",
        /// Equal, neither NaN.
        Oeq = "oeq",
        /// Greater, neither NaN.
        Ogt = "ogt",
        /// Greater or equal, neither NaN.
        Oge = "oge",
        /// Less, neither NaN.
        Olt = "olt",
        /// Less or equal, neither NaN.
        Ole = "ole",
        /// Not equal, neither NaN.
        One = "one",
        /// Neither is NaN.
        Ord = "ord",
        /// Equal or a NaN.
        Ueq = "ueq",
        /// Greater or a NaN.
        Ugt = "ugt",
        /// Greater or equal or a NaN.
        Uge = "uge",
        /// Less or a NaN.
        Ult = "ult",
        /// Less or equal or a NaN.
        Ule = "ule",
        /// Not equal or a NaN.
        Une = "une",
        /// One is NaN.
        Uno = "uno",
        /// Always.
        True = "true",
    }
}

coded_enum! {
    /// A function of one float, named as in the `math` dialect.
    MathFunction {
        /// Absolute value.
        Absf = "absf",
        /// Square root.
        Sqrt = "sqrt",
        /// 1 / square root.
        Rsqrt = "rsqrt",
        /// Cube root.
        Cbrt = "cbrt",
        /// e^x.
        Exp = "exp",
        /// 2^x.
        Exp2 = "exp2",
        /// e^x - 1.
        ExpM1 = "expm1",
        /// Natural logarithm.
        Log = "log",
        /// Logarithm to base 2.
        Log2 = "log2",
        /// Logarithm to base 10.
        Log10 = "log10",
        /// ln(1 + x).
        Log1p = "log1p",
        /// Sine.
        Sin = "sin",
        /// Cosine.
        Cos = "cos",
        /// Tangent.
        Tan = "tan",
        /// Arc sine.
        Asin = "asin",
        /// Arc cosine.
        Acos = "acos",
        /// Arc tangent.
        Atan = "atan",
        /// Hyperbolic sine.
        Sinh = "sinh",
        /// Hyperbolic cosine.
        Cosh = "cosh",
        /// Hyperbolic tangent.
        Tanh = "tanh",
        /// To negative infinity.
        Floor = "floor",
        /// To positive infinity.
        Ceil = "ceil",
        /// To nearest, halves away from zero.
        Round = "round",
        /// To nearest, halves to even.
        RoundEven = "roundeven",
        /// To zero.
        Trunc = "trunc",
        /// Area hyperbolic sine.
        Asinh = "asinh",
        /// Area hyperbolic cosine.
        Acosh = "acosh",
        /// Area hyperbolic tangent.
        Atanh = "atanh",
        /// Error function.
        Erf = "erf",
        /// Complementary error function, 1 - erf.
        Erfc = "erfc",
    }
}

coded_enum! {
    /// A function of two floats, named as in the `math` dialect.
    MathFunction2 {
        /// b^c.
        Powf = "powf",
        /// Angle of the point (c, b).
        Atan2 = "atan2",
        /// b with the sign of c.
        Copysign = "copysign",
        /// b to the power of c, which is a signed integer.
        Fpowi = "fpowi",
    }
}

/// Type and offset of an access: type in bits 31:28, signed offset in bytes in bits 27:0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryImmediate {
    /// The type that is moved.
    pub kind: MemoryType,
    /// Offset in bytes, -2^27..2^27.
    pub offset: i32,
}

impl MemoryImmediate {
    /// Whether an offset can be stored.
    pub const fn fits(offset: i64) -> bool {
        offset >= -(1 << 27) && offset < 1 << 27
    }

    /// The immediate. Bits of the offset that don't fit are cut.
    pub const fn pack(self) -> u32 {
        (self.kind.code() as u32) << 28 | (self.offset as u32 & 0x0FFF_FFFF)
    }

    /// The meaning of an immediate.
    pub fn unpack(imm: u32) -> Option<Self> {
        let kind = MemoryType::from_code((imm >> 28) as u8)?;
        Some(MemoryImmediate {
            kind,
            offset: (imm << 4) as i32 >> 4,
        })
    }
}

/// An operation over lanes: opcode in bits 31:24, its fourth operand in bits 23:16 (a vector
/// register, or a small number), lanes in bits 15:0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapImmediate {
    /// The scalar operation.
    pub op: Opcode,
    /// Its fourth operand.
    pub fourth: u8,
    /// Lanes, 1..=4096.
    pub lanes: u16,
}

impl MapImmediate {
    /// The immediate.
    pub const fn pack(self) -> u32 {
        (self.op.code() as u32) << 24 | (self.fourth as u32) << 16 | self.lanes as u32
    }

    /// The meaning of an immediate.
    pub fn unpack(imm: u32) -> Option<Self> {
        let op = Opcode::from_code((imm >> 24) as u8)?;
        Some(MapImmediate {
            op,
            fourth: (imm >> 16) as u8,
            lanes: imm as u16,
        })
    }
}
