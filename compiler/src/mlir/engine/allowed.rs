//! What the code of compiled cores may consist of, and what it costs.

use aiec_aie::ir::{Module, Op, Type, Value};
use aiec_sim::core::Costs;
use aiec_vcode::Opcode;

use super::host::host_function;

/// How names begin that are ours.
pub const OURS: &str = "aiec.";

/// Operations that neither reach memory nor leave anything undefined, as long as they make no
/// promises. What costs nothing comes first: it is part of other instructions.
const FREE: &[&str] = &[
    "llvm.mlir.constant",
    "llvm.mlir.zero",
    "llvm.mlir.undef",
    "llvm.mlir.poison",
    "llvm.mlir.addressof",
    "llvm.alloca",
    "llvm.bitcast",
    "llvm.extractvalue",
    "llvm.freeze",
    "llvm.getelementptr",
    "llvm.insertvalue",
    "llvm.inttoptr",
    "llvm.ptrtoint",
];

/// Operations that take time, with those of core programs that cost as much.
const COMPUTING: &[(&str, Opcode)] = &[
    ("llvm.add", Opcode::Add32),
    ("llvm.and", Opcode::And),
    ("llvm.ashr", Opcode::Shrs),
    ("llvm.br", Opcode::Jmp),
    ("llvm.cond_br", Opcode::Jnz),
    ("llvm.extractelement", Opcode::VExtract),
    ("llvm.fadd", Opcode::AddF),
    ("llvm.fcmp", Opcode::CmpF),
    ("llvm.fdiv", Opcode::DivF),
    ("llvm.fmul", Opcode::MulF),
    ("llvm.fneg", Opcode::NegF),
    ("llvm.fpext", Opcode::Mov),
    ("llvm.fptosi", Opcode::FToS),
    ("llvm.fptoui", Opcode::FToU),
    ("llvm.fptrunc", Opcode::NarrowF),
    ("llvm.frem", Opcode::RemF),
    ("llvm.fsub", Opcode::SubF),
    ("llvm.icmp", Opcode::Lts),
    ("llvm.insertelement", Opcode::VInsert),
    ("llvm.lshr", Opcode::Shru),
    ("llvm.mul", Opcode::Mul32),
    ("llvm.or", Opcode::Or),
    ("llvm.return", Opcode::Ret),
    ("llvm.sdiv", Opcode::Divs),
    ("llvm.select", Opcode::Select),
    ("llvm.sext", Opcode::Sext),
    ("llvm.shl", Opcode::Shl32),
    ("llvm.shufflevector", Opcode::VCopy),
    ("llvm.sitofp", Opcode::SToF),
    ("llvm.srem", Opcode::Rems),
    ("llvm.sub", Opcode::Sub32),
    ("llvm.switch", Opcode::Jnz),
    ("llvm.trunc", Opcode::Sext),
    ("llvm.udiv", Opcode::Divu),
    ("llvm.uitofp", Opcode::UToF),
    ("llvm.urem", Opcode::Remu),
    ("llvm.xor", Opcode::Xor),
    ("llvm.zext", Opcode::Zext),
];

/// Intrinsics that compute, without `llvm.intr.`
const INTRINSICS: &[(&str, Opcode)] = &[
    ("abs", Opcode::Maxs),
    ("bitreverse", Opcode::Ctpop),
    ("bswap", Opcode::Ctpop),
    ("copysign", Opcode::Math2F),
    ("ceil", Opcode::MathF),
    ("ctlz", Opcode::Ctlz),
    ("ctpop", Opcode::Ctpop),
    ("cttz", Opcode::Cttz),
    ("fabs", Opcode::MathF),
    ("floor", Opcode::MathF),
    ("fma", Opcode::FmaF),
    ("fmuladd", Opcode::FmaF),
    ("fshl", Opcode::Shl32),
    ("fshr", Opcode::Shru),
    ("maximum", Opcode::MaxF),
    ("maxnum", Opcode::MaxNumF),
    ("minimum", Opcode::MinF),
    ("minnum", Opcode::MinNumF),
    ("sadd.with.overflow", Opcode::Add32),
    ("smax", Opcode::Maxs),
    ("smin", Opcode::Mins),
    ("smul.with.overflow", Opcode::Mul32),
    ("sqrt", Opcode::MathF),
    ("ssub.with.overflow", Opcode::Sub32),
    ("trunc", Opcode::MathF),
    ("uadd.with.overflow", Opcode::Add32),
    ("umax", Opcode::Maxu),
    ("umin", Opcode::Minu),
    ("umul.with.overflow", Opcode::Mul32),
    ("usub.with.overflow", Opcode::Sub32),
    ("vector.deinterleave2", Opcode::VCopy),
    ("vector.extract", Opcode::VCopy),
    ("vector.insert", Opcode::VCopy),
    ("vector.interleave2", Opcode::VCopy),
    ("vector.reduce.add", Opcode::Add32),
    ("vector.reduce.and", Opcode::And),
    ("vector.reduce.fadd", Opcode::AddF),
    ("vector.reduce.fmax", Opcode::MaxNumF),
    ("vector.reduce.fmaximum", Opcode::MaxF),
    ("vector.reduce.fmin", Opcode::MinNumF),
    ("vector.reduce.fminimum", Opcode::MinF),
    ("vector.reduce.fmul", Opcode::MulF),
    ("vector.reduce.mul", Opcode::Mul32),
    ("vector.reduce.or", Opcode::Or),
    ("vector.reduce.smax", Opcode::Maxs),
    ("vector.reduce.smin", Opcode::Mins),
    ("vector.reduce.umax", Opcode::Maxu),
    ("vector.reduce.umin", Opcode::Minu),
    ("vector.reduce.xor", Opcode::Xor),
];

/// What a compiled core must not have.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NotAllowed {
    /// There is no function to begin with.
    #[error("the core is gone")]
    NoEntry,
    /// An operation that isn't known to be harmless.
    #[error("`{0}`")]
    Operation(String),
    /// An operation whose operands or types are others than those that are known.
    #[error("`{0}` of an unexpected form")]
    Form(String),
    /// A call of a function that isn't ours.
    #[error("a call of `{0}`")]
    Callee(String),
    /// A call through a pointer.
    #[error("a call by address")]
    CallByAddress,
}

/// The cycles of an operation.
///
/// # Errors
/// It is none of those that are known to be harmless.
pub fn cost(m: &Module, costs: &Costs, op: Op) -> Result<u64, NotAllowed> {
    let name = m.op_name(op);
    let table = |list: &[(&str, Opcode)], name: &str| {
        list.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, op)| *op)
    };
    if FREE.contains(&name) {
        return Ok(0);
    }
    let opcode = match name.strip_prefix("llvm.intr.") {
        Some(intrinsic) => table(INTRINSICS, intrinsic),
        None => table(COMPUTING, name),
    };
    if let Some(opcode) = opcode {
        let mut values = m.operands(op).chain(m.results(op));
        let lanes = values.find_map(|value| lanes(m.ty(value)));
        return Ok(match lanes {
            Some(lanes) => costs.over_lanes(opcode, lanes),
            None => costs.of(opcode),
        });
    }
    let bytes = |value: Option<Value>| value.and_then(|value| bytes(m.ty(value)));
    let access = |opcode, value| {
        let bytes = u32::try_from(bytes(value).unwrap_or(1)).unwrap_or(u32::MAX);
        Ok(costs.access(opcode, bytes))
    };
    match name {
        "llvm.load" | "llvm.intr.masked.load" => access(Opcode::LdBase, m.result(op, 0)),
        "llvm.store" | "llvm.intr.masked.store" => access(Opcode::StBase, m.operand(op, 0)),
        "llvm.intr.memcpy" | "llvm.intr.memmove" | "llvm.intr.memset" => {
            let length = m.operand(op, 2).and_then(|value| constant(m, value));
            let length = length.and_then(|n| u32::try_from(n).ok()).unwrap_or(1);
            Ok(2 * costs.access(Opcode::Copy, length))
        }
        "llvm.call" => match m.symbol_attr(op, "callee") {
            Some(callee) if is_host(callee) => Ok(0),
            Some(callee) if callee.starts_with(OURS) => Ok(costs.of(Opcode::Call)),
            Some(callee) => Err(NotAllowed::Callee(callee.to_string())),
            None => Err(NotAllowed::CallByAddress),
        },
        "llvm.intr.assume" => Ok(0),
        _ => Err(NotAllowed::Operation(name.to_string())),
    }
}

/// The integer that a constant is.
pub fn constant(m: &Module, value: Value) -> Option<i64> {
    let def = m.def_op(value)?;
    let value = m.attr(def, "value")?;
    (m.op_name(def) == "llvm.mlir.constant")
        .then_some(value)?
        .as_int()
}

/// Whether a function is one of the host's.
fn is_host(name: &str) -> bool {
    name.strip_prefix(OURS).and_then(host_function).is_some()
}

/// The type of a number, or of the lanes of a vector.
pub fn elem(ty: &Type) -> &Type {
    match ty {
        Type::Vector(vector) => &vector.elem,
        ty => ty,
    }
}

/// The type with other elements.
pub fn with_elem(ty: &Type, elem: Type) -> Type {
    match ty {
        Type::Vector(vector) => Type::vector(vector.shape.clone(), elem),
        _ => elem,
    }
}

/// Lanes of a vector.
pub fn lanes(ty: &Type) -> Option<usize> {
    let vector = ty.as_vector()?;
    usize::try_from(vector.shape.iter().product::<i64>()).ok()
}

/// Bytes that a value takes in memory: a number, a vector, or an array of such as upstream keeps
/// vectors of several dimensions. `None` if the parts of an array don't follow one another.
pub fn bytes(ty: &Type) -> Option<u64> {
    if let Type::Opaque(text) = ty {
        return array_bytes(text.strip_prefix("!llvm.")?);
    }
    let bits = u64::from(elem(ty).bit_width()?);
    let count = lanes(ty).unwrap_or(1) as u64;
    Some((bits * count).div_ceil(8))
}

/// [`bytes`] of what is written behind `!llvm.`
fn array_bytes(text: &str) -> Option<u64> {
    if let Some(inner) = text.strip_prefix("array<") {
        let (count, part) = inner.strip_suffix('>')?.split_once(" x ")?;
        return count.parse::<u64>().ok()?.checked_mul(array_bytes(part)?);
    }
    let (lanes, number) = match text.strip_prefix("vector<") {
        Some(inner) => inner.strip_suffix('>')?.split_once('x')?,
        None => ("1", text),
    };
    let bits: u64 = number
        .trim_start_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .ok()?;
    let bits = bits.checked_mul(lanes.parse().ok()?)?;
    (bits % 8 == 0 && bits.is_power_of_two()).then_some(bits / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_vectors_have_sizes() {
        let opaque = |text: &str| bytes(&Type::Opaque(text.into()));
        assert_eq!(opaque("!llvm.array<2 x vector<4xf32>>"), Some(32));
        assert_eq!(
            opaque("!llvm.array<3 x array<2 x vector<8xbf16>>>"),
            Some(96)
        );
        assert_eq!(opaque("!llvm.array<4 x i16>"), Some(8));
        // Such a vector takes 16 bytes in an array, and 12 in the memory of a core.
        assert_eq!(opaque("!llvm.array<2 x vector<3xi32>>"), None);
        assert_eq!(opaque("!llvm.struct<(i32, i32)>"), None);
        assert_eq!(bytes(&Type::vector([3], Type::I32)), Some(12));
        assert_eq!(bytes(&Type::I1), Some(1));
    }
}
