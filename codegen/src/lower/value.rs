//! Lowered forms of values of the IR.

use aiec_aie::ir::{DYNAMIC, MemRefType, Type};
use aiec_vcode::{FloatFormat, MemoryType, Opcode};

use crate::mir::{Scalar, Vector};

/// Type of a scalar, or of the lanes of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elem {
    /// An integer of this many bits (1..=64); index has 64.
    Int(u8),
    Float(FloatFormat),
}

/// Type of a value in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub elem: Elem,
    /// Lanes of a vector; `None` for a scalar.
    pub lanes: Option<u16>,
}

/// The most lanes that a vector may have: a quarter of the vector file.
pub(crate) const MAX_LANES: u64 = 1024;

impl Elem {
    pub(crate) fn of(ty: &Type) -> Option<Elem> {
        match ty {
            Type::Index => Some(Elem::Int(64)),
            Type::Int { width, .. } => u8::try_from(*width)
                .ok()
                .filter(|bits| (1..=64).contains(bits))
                .map(Elem::Int),
            Type::Float(kind) => kind.format().map(Elem::Float),
            _ => None,
        }
    }

    /// Representation in memory; `None` for integers of odd widths.
    pub(crate) fn memory(self) -> Option<MemoryType> {
        Some(match self {
            Elem::Int(1) => MemoryType::I1,
            Elem::Int(8) => MemoryType::I8,
            Elem::Int(16) => MemoryType::I16,
            Elem::Int(32) => MemoryType::I32,
            Elem::Int(64) => MemoryType::I64,
            Elem::Int(_) => return None,
            Elem::Float(FloatFormat::F32) => MemoryType::F32,
            Elem::Float(FloatFormat::F64) => MemoryType::F64,
            Elem::Float(FloatFormat::Bf16) => MemoryType::Bf16,
            Elem::Float(FloatFormat::F16) => MemoryType::F16,
        })
    }

    /// The register value of a constant given as the bits of its memory form, zero-extended.
    pub(crate) fn constant(self, bits: u64) -> u64 {
        match self {
            Elem::Int(width) => sign_extend(bits, width),
            Elem::Float(format) => format.to_register(bits),
        }
    }

    /// The register value of a float constant given as the bits of its f64.
    pub(crate) fn float_constant(self, bits: u64) -> Option<u64> {
        match self {
            Elem::Float(format) => Some(format.to_register(format.from_f64_bits(bits))),
            Elem::Int(_) => None,
        }
    }
}

/// Sign-extends the lower `width` bits (1..=64).
pub(crate) fn sign_extend(bits: u64, width: u8) -> u64 {
    let unused = 64 - u32::from(width);
    (((bits << unused) as i64) >> unused) as u64
}

impl Shape {
    /// The shape of a scalar or a fixed vector.
    pub(crate) fn of(ty: &Type) -> Option<Shape> {
        match ty {
            Type::Vector(vector) => {
                let fixed = !vector.scalable.contains(&true);
                let lanes = vector.shape.iter().try_fold(1u64, |lanes, size| {
                    lanes.checked_mul(u64::try_from(*size).ok()?)
                })?;
                let fits = fixed && (1..=MAX_LANES).contains(&lanes);
                let elem = Elem::of(&vector.elem)?;
                fits.then_some(Shape {
                    elem,
                    lanes: Some(lanes as u16),
                })
            }
            _ => Some(Shape {
                elem: Elem::of(ty)?,
                lanes: None,
            }),
        }
    }
}

/// A value of the IR while a function is lowered.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    /// A scalar known now, in the form of a register.
    Const(u64),
    Scalar(Scalar),
    /// A comparison that is decided where its only user branches.
    Compare {
        op: Opcode,
        left: Box<Val>,
        right: Box<Val>,
    },
    Vector(Vector),
    MemRef(Box<MemRef>),
    /// Something was wrong with it, and that has been reported.
    Bad,
}

/// A byte address: a constant plus perhaps a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Address {
    pub offset: i64,
    pub scalar: Option<Scalar>,
}

/// A number that is known now or is in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Num {
    Const(i64),
    Scalar(Scalar),
}

/// A memref: where its elements are.
#[derive(Clone, Debug)]
pub(crate) struct MemRef {
    /// Address of the buffer it is a part of; `None` of a part that came through a call or a loop in a type that
    /// leaves its offset open.
    pub origin: Option<Address>,
    /// Address of its first element.
    pub start: Address,
    /// Elements in each dimension.
    pub sizes: Vec<Num>,
    /// Distance of neighbours in each dimension, in elements.
    pub strides: Vec<Num>,
    /// Bytes of an element.
    pub elem_bytes: u32,
}

impl MemRef {
    /// The memref of a type whose first element is at an address; `None` if the type leaves sizes or strides open.
    pub(crate) fn of_type(ty: &MemRefType, start: Address) -> Option<MemRef> {
        let (strides, offset) = ty.strides_and_offset()?;
        let fixed = |values: &[i64]| -> Option<Vec<Num>> {
            let open = values.contains(&DYNAMIC);
            (!open).then(|| values.iter().map(|value| Num::Const(*value)).collect())
        };
        let elem_bytes = u32::try_from(ty.elem.elem_bytes()?).ok()?;
        let origin = (offset != DYNAMIC).then(|| {
            let bytes = offset.wrapping_mul(elem_bytes.into());
            Address {
                offset: start.offset.wrapping_sub(bytes),
                ..start
            }
        });
        Some(MemRef {
            origin,
            start,
            sizes: fixed(&ty.shape)?,
            strides: fixed(&strides)?,
            elem_bytes,
        })
    }

    /// Elements in each dimension if all are known.
    pub(crate) fn fixed_sizes(&self) -> Option<Vec<i64>> {
        fixed(&self.sizes)
    }

    /// Strides if all are known.
    pub(crate) fn fixed_strides(&self) -> Option<Vec<i64>> {
        fixed(&self.strides)
    }
}

fn fixed(nums: &[Num]) -> Option<Vec<i64>> {
    let one = |num: &Num| match num {
        Num::Const(value) => Some(*value),
        Num::Scalar(_) => None,
    };
    nums.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_in_register_form() {
        assert_eq!(Elem::Int(8).constant(0xFF), u64::MAX);
        assert_eq!(Elem::Float(FloatFormat::Bf16).constant(0x3F80), 0x3F80_0000);
        let half = |bits| Elem::Float(FloatFormat::F16).constant(bits) as u32;
        assert_eq!(half(0x3C00), 1f32.to_bits());
        assert_eq!(half(0xC000), (-2f32).to_bits());
        assert_eq!(half(0x0001), 2f32.powi(-24).to_bits());
        assert_eq!(half(0x7C00), f32::INFINITY.to_bits());
    }
}
