//! Numbers that come out as the built-in engine computes them.
//!
//! Upstream leaves open what the machine that runs the code decides: how often a bf16 is rounded, the
//! last bit of a sine, which of two zeros is greater. Here each such operation gets the form in
//! which nothing is open: narrow floats are computed in f32 and rounded after each operation,
//! functions come from the host.

use aiec_aie::ir::{Attr, FloatKind, InsertPoint, Op, Type, Value};
use aiec_vcode::{MathFunction, MathFunction2};

use super::allowed::{elem, with_elem};
use super::body::BodyBuilder;

/// Functions that every machine computes exactly.
const EXACT: [&str; 6] = ["absf", "sqrt", "floor", "ceil", "trunc", "copysign"];

/// Operations that are computed in f32 if their floats are narrower.
const WIDENED: &[&str] = &[
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.remf",
    "arith.maximumf",
    "arith.minimumf",
    "arith.cmpf",
    "arith.fptosi",
    "arith.fptoui",
    "math.absf",
    "math.sqrt",
    "math.floor",
    "math.ceil",
    "math.trunc",
    "math.copysign",
];

/// The greater or lesser of two floats, where a number wins over what is none; and the operation
/// where it loses.
const NUMBERS_WIN: [(&str, &str); 2] = [
    ("arith.maxnumf", "arith.maximumf"),
    ("arith.minnumf", "arith.minimumf"),
];

/// Integers of up to so many bits are exact in f32.
const EXACT_IN_F32: u32 = 16;

/// `arith.cmpf uno`: one of the two is no number.
const UNORDERED: i64 = 14;

fn is_narrow(ty: &Type) -> bool {
    matches!(elem(ty), Type::Float(FloatKind::BF16 | FloatKind::F16))
}

/// Gives an operation the form in which nothing is open; `None` if there is none.
pub fn lower(maker: &mut BodyBuilder<'_>, op: Op) -> Option<()> {
    let name = maker.out.op_name(op).to_string();
    if let Some((_, propagating)) = NUMBERS_WIN.iter().find(|(wins, _)| *wins == name) {
        return number_wins(maker, op, propagating);
    }
    if let Some(function) = name.strip_prefix("math.")
        && !EXACT.contains(&function)
    {
        return match function {
            "fpowi" => power_of_float(maker, op),
            "ipowi" => whole_power(maker, op),
            _ => function_of_host(maker, op, function),
        };
    }
    match name.as_str() {
        "arith.truncf" => {
            let (value, ty) = (maker.out.operand(op, 0)?, result_type(maker, op)?);
            let moded = maker.out.attr(op, "roundingmode").is_some();
            if *elem(maker.out.ty(value)) == Type::F32 && is_narrow(&ty) && !moded {
                let narrow = narrow(maker, value, ty, op)?;
                maker.replace(op, narrow)?;
            }
            Some(())
        }
        "arith.sitofp" | "arith.uitofp" => from_integer(maker, op, &name),
        "vector.reduction" => reduction(maker, op),
        "vector.fma" => fused(maker, op),
        name if WIDENED.contains(&name) => widen(maker, op),
        _ => Some(()),
    }
}

fn result_type(maker: &BodyBuilder<'_>, op: Op) -> Option<Type> {
    Some(maker.out.ty(maker.out.result(op, 0)?).clone())
}

/// Computes an operation in f32 if it is one of narrower floats.
fn widen(maker: &mut BodyBuilder<'_>, op: Op) -> Option<()> {
    for (n, value) in maker
        .out
        .operands(op)
        .collect::<Vec<_>>()
        .into_iter()
        .enumerate()
    {
        let ty = maker.out.ty(value).clone();
        if is_narrow(&ty) {
            let wide = maker.make("arith.extf", &[value], with_elem(&ty, Type::F32), op)?;
            maker.out.set_operand(op, n, wide);
        }
    }
    let ty = result_type(maker, op)?;
    if !is_narrow(&ty) {
        return Some(());
    }
    // Its twin in f32 takes the place.
    let name = maker.out.op_name(op).to_string();
    let operands: Vec<Value> = maker.out.operands(op).collect();
    let wide = maker.make(&name, &operands, with_elem(&ty, Type::F32), op)?;
    let narrow = narrow(maker, wide, ty, op)?;
    maker.replace(op, narrow)
}

/// A value of f32, or a vector of such, rounded to a narrower type: to the nearest, to even ones
/// if two are. Machines that round to bf16 by an instruction take tiny numbers for zero; these are
/// the integers that do it right everywhere.
pub fn narrow(maker: &mut BodyBuilder<'_>, value: Value, ty: Type, op: Op) -> Option<Value> {
    if *elem(&ty) != Type::BF16 {
        return maker.make("arith.truncf", &[value], ty, op);
    }
    let (word, half) = (with_elem(&ty, Type::I32), with_elem(&ty, Type::I16));
    let truth = with_elem(&ty, Type::I1);
    let constant = |maker: &mut BodyBuilder<'_>, n: i64| splat(maker, n, &word, op);
    let upper_bits = constant(maker, 16)?;
    let (one, almost_half) = (constant(maker, 1)?, constant(maker, 0x7FFF)?);
    let quiet = constant(maker, 0x40)?;
    let bits = maker.make("arith.bitcast", &[value], word.clone(), op)?;
    let upper = maker.make("arith.shrui", &[bits, upper_bits], word.clone(), op)?;
    let odd = maker.make("arith.andi", &[upper, one], word.clone(), op)?;
    let up = maker.make("arith.addi", &[odd, almost_half], word.clone(), op)?;
    let rounded = maker.make("arith.addi", &[bits, up], word.clone(), op)?;
    let rounded = maker.make("arith.shrui", &[rounded, upper_bits], word.clone(), op)?;
    let no_number = maker.make("arith.ori", &[upper, quiet], word.clone(), op)?;
    let unordered = [("predicate", Attr::i64(UNORDERED))];
    let is_none = maker.make_with("arith.cmpf", &[value, value], truth, &unordered, op)?;
    let chosen = maker.make("arith.select", &[is_none, no_number, rounded], word, op)?;
    let chosen = maker.make("arith.trunci", &[chosen], half, op)?;
    maker.make("arith.bitcast", &[chosen], ty, op)
}

/// An integer as a number or in all lanes.
fn splat(maker: &mut BodyBuilder<'_>, n: i64, ty: &Type, op: Op) -> Option<Value> {
    let number = maker.constant(n, elem(ty).clone(), InsertPoint::Before(op))?;
    match ty {
        Type::Vector(_) => maker.make("vector.broadcast", &[number], ty.clone(), op),
        _ => Some(number),
    }
}

fn number_wins(maker: &mut BodyBuilder<'_>, op: Op, propagating: &str) -> Option<()> {
    let ty = result_type(maker, op)?;
    let (mut left, mut right) = (maker.out.operand(op, 0)?, maker.out.operand(op, 1)?);
    let wide = match is_narrow(&ty) {
        true => with_elem(&ty, Type::F32),
        false => ty.clone(),
    };
    if is_narrow(&ty) {
        left = maker.make("arith.extf", &[left], wide.clone(), op)?;
        right = maker.make("arith.extf", &[right], wide.clone(), op)?;
    }
    let truth = with_elem(&ty, Type::I1);
    let unordered = [("predicate", Attr::i64(UNORDERED))];
    let extreme = maker.make(propagating, &[left, right], wide.clone(), op)?;
    let no_right = maker.make_with("arith.cmpf", &[right, right], truth.clone(), &unordered, op)?;
    let without = maker.make("arith.select", &[no_right, left, extreme], wide.clone(), op)?;
    let no_left = maker.make_with("arith.cmpf", &[left, left], truth, &unordered, op)?;
    let chosen = maker.make("arith.select", &[no_left, right, without], wide, op)?;
    let chosen = match is_narrow(&ty) {
        true => narrow(maker, chosen, ty, op)?,
        false => chosen,
    };
    maker.replace(op, chosen)
}

/// Integers become narrow floats in one rounding: by way of f32 if that is exact, else of f64, from
/// where the host rounds.
fn from_integer(maker: &mut BodyBuilder<'_>, op: Op, name: &str) -> Option<()> {
    let ty = result_type(maker, op)?;
    if !is_narrow(&ty) {
        return Some(());
    }
    let value = maker.out.operand(op, 0)?;
    let bits = elem(maker.out.ty(value)).bit_width()?;
    let by_way_of = match bits <= EXACT_IN_F32 {
        true => Type::F32,
        false => Type::Float(FloatKind::F64),
    };
    let wide = maker.make(name, &[value], with_elem(&ty, by_way_of.clone()), op)?;
    let narrow = match by_way_of == Type::F32 {
        true => narrow(maker, wide, ty, op)?,
        false => maker.make("arith.truncf", &[wide], ty, op)?,
    };
    maker.replace(op, narrow)
}

/// The lanes of a value, or the value.
fn lanes(maker: &mut BodyBuilder<'_>, value: Value, op: Op) -> Option<Vec<Value>> {
    let Type::Vector(vector) = maker.out.ty(value).clone() else {
        return Some(vec![value]);
    };
    let count = vector.shape.iter().product::<i64>();
    let row = match vector.shape.len() {
        1 => value,
        _ => {
            let ty = Type::vector([count], vector.elem.clone());
            maker.make("vector.shape_cast", &[value], ty, op)?
        }
    };
    let lane = |lane| {
        let at = [("static_position", Attr::i64_array([lane]))];
        maker.make_with("vector.extract", &[row], vector.elem.clone(), &at, op)
    };
    (0..count).map(lane).collect()
}

/// The inverse of [`lanes`].
fn of_lanes(maker: &mut BodyBuilder<'_>, lanes: &[Value], ty: &Type, op: Op) -> Option<Value> {
    let Type::Vector(vector) = ty else {
        return lanes.first().copied();
    };
    let row = Type::vector([i64::try_from(lanes.len()).ok()?], vector.elem.clone());
    let value = maker.make("vector.from_elements", lanes, row, op)?;
    match vector.shape.len() {
        1 => Some(value),
        _ => maker.make("vector.shape_cast", &[value], ty.clone(), op),
    }
}

/// A value of another type of floats, lane by lane exact: narrower ones become wider.
fn as_double(maker: &mut BodyBuilder<'_>, value: Value, op: Op) -> Option<Value> {
    let ty = maker.out.ty(value).clone();
    match ty.bit_width() {
        Some(64) => Some(value),
        _ => maker.make("arith.extf", &[value], Type::Float(FloatKind::F64), op),
    }
}

/// The double that a function of the host gave, in a type of floats: rounded to f32, and from there
/// to what is narrower.
fn of_double(maker: &mut BodyBuilder<'_>, value: Value, ty: &Type, op: Op) -> Option<Value> {
    if ty.bit_width() == Some(64) {
        return Some(value);
    }
    let single = maker.make("arith.truncf", &[value], Type::F32, op)?;
    match *ty == Type::F32 {
        true => Some(single),
        false => narrow(maker, single, ty.clone(), op),
    }
}

/// Functions of the math dialect whose last bit differs from machine to machine.
fn function_of_host(maker: &mut BodyBuilder<'_>, op: Op, name: &str) -> Option<()> {
    let (one, two) = (MathFunction::by_name(name), MathFunction2::by_name(name));
    let (host, code) = match (one, two) {
        (Some(function), _) => ("math", function.code()),
        (_, Some(function)) => ("math2", function.code()),
        _ if name == "fma" => return fused(maker, op),
        // Those of integers, and what is exact anyway.
        _ => return Some(()),
    };
    let ty = result_type(maker, op)?;
    let operands: Vec<Value> = maker.out.operands(op).collect();
    let operands: Option<Vec<Vec<Value>>> = operands
        .into_iter()
        .map(|value| lanes(maker, value, op))
        .collect();
    let value = by_lane(maker, host, code, &operands?, &ty, op)?;
    maker.replace(op, value)
}

/// A fused product and sum of narrow floats, which in f32 would be rounded twice.
fn fused(maker: &mut BodyBuilder<'_>, op: Op) -> Option<()> {
    let ty = result_type(maker, op)?;
    let format = match elem(&ty) {
        Type::Float(kind) if is_narrow(&ty) => kind.format()?,
        _ => return Some(()),
    };
    let operands: Vec<Value> = maker.out.operands(op).collect();
    let operands: Option<Vec<Vec<Value>>> = operands
        .into_iter()
        .map(|value| lanes(maker, value, op))
        .collect();
    let value = by_lane(maker, "fma", format.code(), &operands?, &ty, op)?;
    maker.replace(op, value)
}

/// Calls a function of floats of the host for each lane.
fn by_lane(
    maker: &mut BodyBuilder<'_>,
    host: &str,
    code: u8,
    operands: &[Vec<Value>],
    ty: &Type,
    op: Op,
) -> Option<Value> {
    let double = Type::Float(FloatKind::F64);
    let code = maker.constant(code.into(), Type::I32, InsertPoint::Before(op))?;
    let count = operands.first()?.len();
    let mut results = Vec::new();
    for lane in 0..count {
        let mut arguments = vec![code];
        for operand in operands {
            arguments.push(as_double(maker, *operand.get(lane)?, op)?);
        }
        let result = maker.host_value(host, &arguments, double.clone(), op)?;
        results.push(of_double(maker, result, elem(ty), op)?);
    }
    of_lanes(maker, &results, ty, op)
}

/// `math.fpowi`: the exponent goes to the host as an f64, which holds every i32.
fn power_of_float(maker: &mut BodyBuilder<'_>, op: Op) -> Option<()> {
    let ty = result_type(maker, op)?;
    let (base, exponent) = (maker.out.operand(op, 0)?, maker.out.operand(op, 1)?);
    let base = lanes(maker, base, op)?;
    let wide = Type::Float(FloatKind::F64);
    let exponents = lanes(maker, exponent, op)?;
    let exponents = exponents.into_iter();
    let exponents: Option<Vec<Value>> = exponents
        .map(|value| maker.make("arith.sitofp", &[value], wide.clone(), op))
        .collect();
    let code = MathFunction2::Fpowi.code();
    let value = by_lane(maker, "math2", code, &[base, exponents?], &ty, op)?;
    maker.replace(op, value)
}

/// `math.ipowi`
fn whole_power(maker: &mut BodyBuilder<'_>, op: Op) -> Option<()> {
    let ty = result_type(maker, op)?;
    let (base, exponent) = (maker.out.operand(op, 0)?, maker.out.operand(op, 1)?);
    let (base, exponent) = (lanes(maker, base, op)?, lanes(maker, exponent, op)?);
    let mut results = Vec::new();
    for (base, exponent) in base.into_iter().zip(exponent) {
        let mut wide = [base, exponent];
        for value in &mut wide {
            if elem(&ty).bit_width() != Some(64) {
                *value = maker.make("arith.extsi", &[*value], Type::I64, op)?;
            }
        }
        let result = maker.host_value("power", &wide, Type::I64, op)?;
        results.push(match elem(&ty).bit_width() {
            Some(64) => result,
            _ => maker.make("arith.trunci", &[result], elem(&ty).clone(), op)?,
        });
    }
    let value = of_lanes(maker, &results, &ty, op)?;
    maker.replace(op, value)
}

/// A reduction of narrow floats: sums and products are rounded after each step, extremes need
/// no rounding.
fn reduction(maker: &mut BodyBuilder<'_>, op: Op) -> Option<()> {
    let vector = maker.out.operand(op, 0)?;
    if !is_narrow(maker.out.ty(vector)) {
        return Some(());
    }
    let kind = maker.out.attr(op, "kind").map(ToString::to_string)?;
    let step = [("<add>", "arith.addf"), ("<mul>", "arith.mulf")];
    let Some((_, step)) = step.iter().find(|(of, _)| kind.contains(of)) else {
        return widen_reduction(maker, op);
    };
    let ty = result_type(maker, op)?;
    let mut lanes = lanes(maker, vector, op)?.into_iter();
    let mut sum = match maker.out.operand(op, 1) {
        Some(start) => start,
        None => lanes.next()?,
    };
    for lane in lanes {
        let left = maker.make("arith.extf", &[sum], Type::F32, op)?;
        let right = maker.make("arith.extf", &[lane], Type::F32, op)?;
        let wide = maker.make(step, &[left, right], Type::F32, op)?;
        sum = narrow(maker, wide, ty.clone(), op)?;
    }
    maker.replace(op, sum)
}

fn widen_reduction(maker: &mut BodyBuilder<'_>, op: Op) -> Option<()> {
    let kind = maker.out.attr(op, "kind")?.clone();
    let mut operands = Vec::new();
    for value in maker.out.operands(op).collect::<Vec<_>>() {
        let ty = with_elem(maker.out.ty(value), Type::F32);
        operands.push(maker.make("arith.extf", &[value], ty, op)?);
    }
    let ty = result_type(maker, op)?;
    let kind = [("kind", kind)];
    let wide = maker.make_with("vector.reduction", &operands, Type::F32, &kind, op)?;
    let narrow = narrow(maker, wide, ty, op)?;
    maker.replace(op, narrow)
}
