//! Which routine computes which operation.

use aiec_vcode::{
    FloatFormat, FloatPredicate, MathFunction, MathFunction2, Narrowing, Opcode, RoundingMode,
};

/// A row: the operation, its number or small immediate where the routine is for one of these only, the
/// name of the routine.
type Row = (Opcode, Option<u8>, &'static str);

const fn predicate(predicate: FloatPredicate) -> Option<u8> {
    Some(predicate.code())
}

const fn function(function: MathFunction) -> Option<u8> {
    Some(function.code())
}

const fn function2(function: MathFunction2) -> Option<u8> {
    Some(function.code())
}

const fn format(format: FloatFormat) -> Option<u8> {
    Some(format.code())
}

const fn narrowing(format: FloatFormat, mode: RoundingMode) -> Option<u8> {
    Some(Narrowing { format, mode }.pack())
}

use FloatFormat::{Bf16, F16, F32, F64};
use FloatPredicate as Is;
use MathFunction as Fn;
use MathFunction2 as Fn2;
use Opcode::*;
use RoundingMode::{Downward, ToNearestAway, ToNearestEven, TowardZero, Upward};

/// Routines that take and return all bits of a register.
const ROUTINES: &[Row] = &[
    // Integers of 64 bits
    (Mul64, None, "aiec_rt_mul_i64"),
    (Muli64, None, "aiec_rt_mul_i64"),
    (Shl64, None, "aiec_rt_shl_i64"),
    (Shrs, None, "aiec_rt_shrs"),
    (Shru, None, "aiec_rt_shru"),
    (Divs, None, "aiec_rt_divs"),
    (Rems, None, "aiec_rt_rems"),
    (Divu, None, "aiec_rt_divu"),
    (Remu, None, "aiec_rt_remu"),
    (DivFloor, None, "aiec_rt_divfloor"),
    (DivCeil, None, "aiec_rt_divceil"),
    (DivuCeil, None, "aiec_rt_divuceil"),
    (Mulhs, None, "aiec_rt_mulhs"),
    (Mulhu, None, "aiec_rt_mulhu"),
    (Pows, None, "aiec_rt_pows"),
    // Integers of which a number of bits counts, that number being the last argument
    (Ctlz, None, "aiec_rt_ctlz"),
    (Cttz, None, "aiec_rt_cttz"),
    (Ctpop, None, "aiec_rt_ctpop"),
    // f32
    (AddF, None, "aiec_rt_add_f32"),
    (SubF, None, "aiec_rt_sub_f32"),
    (MulF, None, "aiec_rt_mul_f32"),
    (DivF, None, "aiec_rt_div_f32"),
    (RemF, None, "aiec_rt_rem_f32"),
    (MinF, None, "aiec_rt_min_f32"),
    (MaxF, None, "aiec_rt_max_f32"),
    (MinNumF, None, "aiec_rt_minnum_f32"),
    (MaxNumF, None, "aiec_rt_maxnum_f32"),
    (FmaF, None, "aiec_rt_fma_f32"),
    (FmaBf16, None, "aiec_rt_fma_bf16"),
    (FmaF16, None, "aiec_rt_fma_f16"),
    (CmpF, predicate(Is::Oeq), "aiec_rt_cmp_f32_oeq"),
    (CmpF, predicate(Is::Ogt), "aiec_rt_cmp_f32_ogt"),
    (CmpF, predicate(Is::Oge), "aiec_rt_cmp_f32_oge"),
    (CmpF, predicate(Is::Olt), "aiec_rt_cmp_f32_olt"),
    (CmpF, predicate(Is::Ole), "aiec_rt_cmp_f32_ole"),
    (CmpF, predicate(Is::One), "aiec_rt_cmp_f32_one"),
    (CmpF, predicate(Is::Ord), "aiec_rt_cmp_f32_ord"),
    (CmpF, predicate(Is::Ueq), "aiec_rt_cmp_f32_ueq"),
    (CmpF, predicate(Is::Ugt), "aiec_rt_cmp_f32_ugt"),
    (CmpF, predicate(Is::Uge), "aiec_rt_cmp_f32_uge"),
    (CmpF, predicate(Is::Ult), "aiec_rt_cmp_f32_ult"),
    (CmpF, predicate(Is::Ule), "aiec_rt_cmp_f32_ule"),
    (CmpF, predicate(Is::Une), "aiec_rt_cmp_f32_une"),
    (CmpF, predicate(Is::Uno), "aiec_rt_cmp_f32_uno"),
    (MathF, function(Fn::Absf), "aiec_rt_math_f32_absf"),
    (MathF, function(Fn::Floor), "aiec_rt_math_f32_floor"),
    (MathF, function(Fn::Ceil), "aiec_rt_math_f32_ceil"),
    (MathF, function(Fn::Trunc), "aiec_rt_math_f32_trunc"),
    (MathF, function(Fn::Round), "aiec_rt_math_f32_round"),
    (MathF, function(Fn::RoundEven), "aiec_rt_math_f32_roundeven"),
    (MathF, function(Fn::Sqrt), "aiec_rt_math_f32_sqrt"),
    (MathF, function(Fn::Rsqrt), "aiec_rt_math_f32_rsqrt"),
    (MathF, function(Fn::Exp), "aiec_rt_math_f32_exp"),
    (MathF, function(Fn::Exp2), "aiec_rt_math_f32_exp2"),
    (MathF, function(Fn::ExpM1), "aiec_rt_math_f32_expm1"),
    (MathF, function(Fn::Tanh), "aiec_rt_math_f32_tanh"),
    (MathF, function(Fn::Log), "aiec_rt_math_f32_log"),
    (MathF, function(Fn::Log2), "aiec_rt_math_f32_log2"),
    (MathF, function(Fn::Log10), "aiec_rt_math_f32_log10"),
    (MathF, function(Fn::Log1p), "aiec_rt_math_f32_log1p"),
    (MathF, function(Fn::Sin), "aiec_rt_math_f32_sin"),
    (MathF, function(Fn::Cos), "aiec_rt_math_f32_cos"),
    (MathF, function(Fn::Tan), "aiec_rt_math_f32_tan"),
    (MathF, function(Fn::Asin), "aiec_rt_math_f32_asin"),
    (MathF, function(Fn::Acos), "aiec_rt_math_f32_acos"),
    (MathF, function(Fn::Atan), "aiec_rt_math_f32_atan"),
    (MathF, function(Fn::Sinh), "aiec_rt_math_f32_sinh"),
    (MathF, function(Fn::Cosh), "aiec_rt_math_f32_cosh"),
    (MathF, function(Fn::Asinh), "aiec_rt_math_f32_asinh"),
    (MathF, function(Fn::Acosh), "aiec_rt_math_f32_acosh"),
    (MathF, function(Fn::Atanh), "aiec_rt_math_f32_atanh"),
    (MathF, function(Fn::Cbrt), "aiec_rt_math_f32_cbrt"),
    (MathF, function(Fn::Erf), "aiec_rt_math_f32_erf"),
    (MathF, function(Fn::Erfc), "aiec_rt_math_f32_erfc"),
    (
        Math2F,
        function2(Fn2::Copysign),
        "aiec_rt_math2_f32_copysign",
    ),
    (Math2F, function2(Fn2::Powf), "aiec_rt_math2_f32_powf"),
    (Math2F, function2(Fn2::Atan2), "aiec_rt_math2_f32_atan2"),
    (Math2F, function2(Fn2::Fpowi), "aiec_rt_math2_f32_fpowi"),
    // f64
    (AddD, None, "aiec_rt_add_f64"),
    (SubD, None, "aiec_rt_sub_f64"),
    (MulD, None, "aiec_rt_mul_f64"),
    (DivD, None, "aiec_rt_div_f64"),
    (RemD, None, "aiec_rt_rem_f64"),
    (MinD, None, "aiec_rt_min_f64"),
    (MaxD, None, "aiec_rt_max_f64"),
    (MinNumD, None, "aiec_rt_minnum_f64"),
    (MaxNumD, None, "aiec_rt_maxnum_f64"),
    (FmaD, None, "aiec_rt_fma_f64"),
    (CmpD, predicate(Is::Oeq), "aiec_rt_cmp_f64_oeq"),
    (CmpD, predicate(Is::Ogt), "aiec_rt_cmp_f64_ogt"),
    (CmpD, predicate(Is::Oge), "aiec_rt_cmp_f64_oge"),
    (CmpD, predicate(Is::Olt), "aiec_rt_cmp_f64_olt"),
    (CmpD, predicate(Is::Ole), "aiec_rt_cmp_f64_ole"),
    (CmpD, predicate(Is::One), "aiec_rt_cmp_f64_one"),
    (CmpD, predicate(Is::Ord), "aiec_rt_cmp_f64_ord"),
    (CmpD, predicate(Is::Ueq), "aiec_rt_cmp_f64_ueq"),
    (CmpD, predicate(Is::Ugt), "aiec_rt_cmp_f64_ugt"),
    (CmpD, predicate(Is::Uge), "aiec_rt_cmp_f64_uge"),
    (CmpD, predicate(Is::Ult), "aiec_rt_cmp_f64_ult"),
    (CmpD, predicate(Is::Ule), "aiec_rt_cmp_f64_ule"),
    (CmpD, predicate(Is::Une), "aiec_rt_cmp_f64_une"),
    (CmpD, predicate(Is::Uno), "aiec_rt_cmp_f64_uno"),
    (MathD, function(Fn::Absf), "aiec_rt_math_f64_absf"),
    (MathD, function(Fn::Floor), "aiec_rt_math_f64_floor"),
    (MathD, function(Fn::Ceil), "aiec_rt_math_f64_ceil"),
    (MathD, function(Fn::Trunc), "aiec_rt_math_f64_trunc"),
    (MathD, function(Fn::Round), "aiec_rt_math_f64_round"),
    (MathD, function(Fn::RoundEven), "aiec_rt_math_f64_roundeven"),
    (MathD, function(Fn::Sqrt), "aiec_rt_math_f64_sqrt"),
    (MathD, function(Fn::Rsqrt), "aiec_rt_math_f64_rsqrt"),
    (
        Math2D,
        function2(Fn2::Copysign),
        "aiec_rt_math2_f64_copysign",
    ),
    // Conversions
    (Widen, None, "aiec_rt_widen"),
    (
        NarrowF,
        narrowing(Bf16, ToNearestEven),
        "aiec_rt_narrow_f32_bf16",
    ),
    (
        NarrowF,
        narrowing(Bf16, Downward),
        "aiec_rt_narrow_f32_bf16_downward",
    ),
    (
        NarrowF,
        narrowing(Bf16, Upward),
        "aiec_rt_narrow_f32_bf16_upward",
    ),
    (
        NarrowF,
        narrowing(Bf16, TowardZero),
        "aiec_rt_narrow_f32_bf16_toward_zero",
    ),
    (
        NarrowF,
        narrowing(Bf16, ToNearestAway),
        "aiec_rt_narrow_f32_bf16_to_nearest_away",
    ),
    (
        NarrowF,
        narrowing(F16, ToNearestEven),
        "aiec_rt_narrow_f32_f16",
    ),
    (
        NarrowF,
        narrowing(F16, Downward),
        "aiec_rt_narrow_f32_f16_downward",
    ),
    (
        NarrowF,
        narrowing(F16, Upward),
        "aiec_rt_narrow_f32_f16_upward",
    ),
    (
        NarrowF,
        narrowing(F16, TowardZero),
        "aiec_rt_narrow_f32_f16_toward_zero",
    ),
    (
        NarrowF,
        narrowing(F16, ToNearestAway),
        "aiec_rt_narrow_f32_f16_to_nearest_away",
    ),
    (
        NarrowD,
        narrowing(F32, ToNearestEven),
        "aiec_rt_narrow_f64_f32",
    ),
    (
        NarrowD,
        narrowing(F32, Downward),
        "aiec_rt_narrow_f64_f32_downward",
    ),
    (
        NarrowD,
        narrowing(F32, Upward),
        "aiec_rt_narrow_f64_f32_upward",
    ),
    (
        NarrowD,
        narrowing(F32, TowardZero),
        "aiec_rt_narrow_f64_f32_toward_zero",
    ),
    (
        NarrowD,
        narrowing(F32, ToNearestAway),
        "aiec_rt_narrow_f64_f32_to_nearest_away",
    ),
    (
        NarrowD,
        narrowing(Bf16, ToNearestEven),
        "aiec_rt_narrow_f64_bf16",
    ),
    (
        NarrowD,
        narrowing(Bf16, Downward),
        "aiec_rt_narrow_f64_bf16_downward",
    ),
    (
        NarrowD,
        narrowing(Bf16, Upward),
        "aiec_rt_narrow_f64_bf16_upward",
    ),
    (
        NarrowD,
        narrowing(Bf16, TowardZero),
        "aiec_rt_narrow_f64_bf16_toward_zero",
    ),
    (
        NarrowD,
        narrowing(Bf16, ToNearestAway),
        "aiec_rt_narrow_f64_bf16_to_nearest_away",
    ),
    (
        NarrowD,
        narrowing(F16, ToNearestEven),
        "aiec_rt_narrow_f64_f16",
    ),
    (
        NarrowD,
        narrowing(F16, Downward),
        "aiec_rt_narrow_f64_f16_downward",
    ),
    (
        NarrowD,
        narrowing(F16, Upward),
        "aiec_rt_narrow_f64_f16_upward",
    ),
    (
        NarrowD,
        narrowing(F16, TowardZero),
        "aiec_rt_narrow_f64_f16_toward_zero",
    ),
    (
        NarrowD,
        narrowing(F16, ToNearestAway),
        "aiec_rt_narrow_f64_f16_to_nearest_away",
    ),
    (SToF, format(F32), "aiec_rt_stof_f32"),
    (SToF, format(F64), "aiec_rt_stof_f64"),
    (SToF, format(Bf16), "aiec_rt_stof_bf16"),
    (SToF, format(F16), "aiec_rt_stof_f16"),
    (UToF, format(F32), "aiec_rt_utof_f32"),
    (UToF, format(F64), "aiec_rt_utof_f64"),
    (UToF, format(Bf16), "aiec_rt_utof_bf16"),
    (UToF, format(F16), "aiec_rt_utof_f16"),
    (FToS, format(F32), "aiec_rt_ftos_f32"),
    (FToS, format(F64), "aiec_rt_ftos_f64"),
    (FToU, format(F32), "aiec_rt_ftou_f32"),
    (FToU, format(F64), "aiec_rt_ftou_f64"),
    (FromBits, format(F16), "aiec_rt_frombits_f16"),
    (ToBits, format(Bf16), "aiec_rt_tobits_bf16"),
    (ToBits, format(F16), "aiec_rt_tobits_f16"),
];

/// Routines for operands and results of 32 bits, see [`narrow_routine_for`].
const NARROW_ROUTINES: &[Row] = &[
    (Divs, None, "aiec_rt_divs_i32"),
    (Rems, None, "aiec_rt_rems_i32"),
    (Divu, None, "aiec_rt_divu_i32"),
    (Remu, None, "aiec_rt_remu_i32"),
    (DivFloor, None, "aiec_rt_divfloor_i32"),
    (DivCeil, None, "aiec_rt_divceil_i32"),
    (DivuCeil, None, "aiec_rt_divuceil_i32"),
    (Pows, None, "aiec_rt_pows_i32"),
    (Ctlz, None, "aiec_rt_ctlz_i32"),
    (Cttz, None, "aiec_rt_cttz_i32"),
    (Ctpop, None, "aiec_rt_ctpop_i32"),
    (SToF, format(F32), "aiec_rt_stof_f32_i32"),
    (SToF, format(F64), "aiec_rt_stof_f64_i32"),
    (SToF, format(Bf16), "aiec_rt_stof_bf16_i32"),
    (SToF, format(F16), "aiec_rt_stof_f16_i32"),
    (UToF, format(F32), "aiec_rt_utof_f32_i32"),
    (UToF, format(F64), "aiec_rt_utof_f64_i32"),
    (UToF, format(Bf16), "aiec_rt_utof_bf16_i32"),
    (UToF, format(F16), "aiec_rt_utof_f16_i32"),
    (FToS, format(F32), "aiec_rt_ftos_f32_i32"),
    (FToS, format(F64), "aiec_rt_ftos_f64_i32"),
    (FToU, format(F32), "aiec_rt_ftou_f32_i32"),
    (FToU, format(F64), "aiec_rt_ftou_f64_i32"),
];

fn find(rows: &[Row], op: Opcode, small: u8) -> Option<&'static str> {
    let of = |row: &&Row| row.0 == op && row.1.is_none_or(|number| number == small);
    rows.iter().find(of).map(|row| row.2)
}

/// The routine that computes an operation in full; `small` is its number or small immediate (format,
/// [`Narrowing`], predicate, function), where it has one. `None`: the operation has no routine, because
/// selection does it in a few instructions, or because none is written.
pub(crate) fn routine_for(op: Opcode, small: u8) -> Option<&'static str> {
    find(ROUTINES, op, small)
}

/// The routine that computes an operation of numbers of 32 bits: signed operations where each operand
/// is in the range of an i32, unsigned ones (`divu`, `remu`, `divuceil`, `utof`, `ctlz`, …) where each is
/// in 0..2^32. A result of 64 bits is cut to its lower 32, so it fits where no more of it is used; floats keep
/// their size.
pub(crate) fn narrow_routine_for(op: Opcode, small: u8) -> Option<&'static str> {
    find(NARROW_ROUTINES, op, small)
}

/// All rows: the operation, its number or small immediate, the routine's name, whether it is a narrow one.
#[cfg(test)]
pub(crate) fn rows() -> impl Iterator<Item = (Opcode, u8, &'static str, bool)> {
    let wide = ROUTINES.iter().map(|row| (row, false));
    let narrow = NARROW_ROUTINES.iter().map(|row| (row, true));
    let all = wide.chain(narrow);
    all.map(|((op, small, name), narrow)| (*op, small.unwrap_or(0), *name, narrow))
}
