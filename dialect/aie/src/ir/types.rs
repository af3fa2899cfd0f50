//! Types: plain values, compared by structure, cheap to clone.

use std::sync::Arc;

use aiec_diag::named_enum;
use aiec_vcode::FloatFormat;

use super::Attr;

/// The mark of a dynamic size, stride or offset (`?` in text), as MLIR stores it.
pub const DYNAMIC: i64 = i64::MIN;

/// Whether an integer type says how its sign bit is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Signedness {
    /// `iN`
    Signless,
    /// `siN`
    Signed,
    /// `uiN`
    Unsigned,
}

named_enum! {
    /// Floating-point formats.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum FloatKind {
        /// IEEE half, 16 bits.
        F16 => "f16",
        /// Brain float, 16 bits.
        BF16 => "bf16",
        /// TensorFloat, 19 bits used.
        TF32 => "tf32",
        /// IEEE single, 32 bits.
        F32 => "f32",
        /// IEEE double, 64 bits.
        F64 => "f64",
        /// x87 extended, 80 bits.
        F80 => "f80",
        /// IEEE quadruple, 128 bits.
        F128 => "f128",
        /// 8-bit float, 5 exponent and 2 mantissa bits.
        F8E5M2 => "f8E5M2",
        /// 8-bit float, 4 exponent and 3 mantissa bits, no infinities.
        F8E4M3FN => "f8E4M3FN",
    }
}

impl FloatKind {
    /// The format that cores compute with; `None` for those that they only move.
    pub fn format(self) -> Option<FloatFormat> {
        match self {
            FloatKind::F16 => Some(FloatFormat::F16),
            FloatKind::BF16 => Some(FloatFormat::Bf16),
            FloatKind::F32 => Some(FloatFormat::F32),
            FloatKind::F64 => Some(FloatFormat::F64),
            _ => None,
        }
    }

    /// Storage size in bits.
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::F8E5M2 | FloatKind::F8E4M3FN => 8,
            FloatKind::F16 | FloatKind::BF16 => 16,
            FloatKind::TF32 => 19,
            FloatKind::F32 => 32,
            FloatKind::F64 => 64,
            FloatKind::F80 => 80,
            FloatKind::F128 => 128,
        }
    }
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `index`; also the handle type of tiles, locks, cores and the like.
    Index,
    /// `none`
    None,
    /// `iN`, `siN`, `uiN`.
    Int {
        /// Bits, 1 or more.
        width: u32,
        /// How the sign bit is read.
        sign: Signedness,
    },
    /// A floating-point type.
    Float(FloatKind),
    /// `complex<T>`
    Complex(Arc<Type>),
    /// `memref<…>` of known rank.
    MemRef(Arc<MemRefType>),
    /// `memref<*xT>`
    UnrankedMemRef(Arc<Type>),
    /// `vector<…>`
    Vector(Arc<VectorType>),
    /// `tensor<…>` of known rank.
    Tensor(Arc<TensorType>),
    /// `tensor<*xT>`
    UnrankedTensor(Arc<Type>),
    /// `(A, B) -> (C)`
    Function(Arc<FunctionType>),
    /// `tuple<A, B>`
    Tuple(Arc<[Type]>),
    /// `!aie.objectfifo<T>`
    ObjectFifo(Arc<Type>),
    /// `!aie.objectfifosubview<T>`
    ObjectFifoSubview(Arc<Type>),
    /// Any other dialect's type, text as written with its `!`.
    Opaque(Arc<str>),
}

/// `memref<4x?xi32, layout, space>`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MemRefType {
    /// Sizes in elements, outermost first; [`DYNAMIC`] for `?`.
    pub shape: Vec<i64>,
    /// Element type.
    pub elem: Type,
    /// Layout, if it isn't the identity: [`Attr::AffineMap`] or [`Attr::Strided`].
    pub layout: Option<Attr>,
    /// Memory space, if given.
    pub space: Option<Attr>,
}

/// `vector<4x[8]xf32>`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VectorType {
    /// Sizes in elements.
    pub shape: Vec<i64>,
    /// Which dimensions are scalable; empty when none.
    pub scalable: Vec<bool>,
    /// Element type.
    pub elem: Type,
}

/// `tensor<4x?xf32, encoding>`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TensorType {
    /// Sizes in elements; [`DYNAMIC`] for `?`.
    pub shape: Vec<i64>,
    /// Element type.
    pub elem: Type,
    /// Encoding attribute, if given.
    pub encoding: Option<Attr>,
}

/// `(inputs) -> (results)`
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FunctionType {
    /// Argument types.
    pub inputs: Vec<Type>,
    /// Result types.
    pub results: Vec<Type>,
}

impl Type {
    /// `i1`
    pub const I1: Type = Type::int(1);
    /// `i8`
    pub const I8: Type = Type::int(8);
    /// `i16`
    pub const I16: Type = Type::int(16);
    /// `i32`
    pub const I32: Type = Type::int(32);
    /// `i64`
    pub const I64: Type = Type::int(64);
    /// `ui32`
    pub const UI32: Type = Type::Int {
        width: 32,
        sign: Signedness::Unsigned,
    };
    /// `ui64`
    pub const UI64: Type = Type::Int {
        width: 64,
        sign: Signedness::Unsigned,
    };
    /// `f32`
    pub const F32: Type = Type::Float(FloatKind::F32);
    /// `bf16`
    pub const BF16: Type = Type::Float(FloatKind::BF16);

    /// The signless integer of `width` bits.
    pub const fn int(width: u32) -> Type {
        Type::Int {
            width,
            sign: Signedness::Signless,
        }
    }

    /// A memref of identity layout in the default space.
    pub fn memref(shape: impl Into<Vec<i64>>, elem: Type) -> Type {
        Type::MemRef(Arc::new(MemRefType {
            shape: shape.into(),
            elem,
            layout: None,
            space: None,
        }))
    }

    /// A fixed-size vector.
    pub fn vector(shape: impl Into<Vec<i64>>, elem: Type) -> Type {
        Type::Vector(Arc::new(VectorType {
            shape: shape.into(),
            scalable: Vec::new(),
            elem,
        }))
    }

    /// A function type.
    pub fn function(inputs: Vec<Type>, results: Vec<Type>) -> Type {
        Type::Function(Arc::new(FunctionType { inputs, results }))
    }

    /// `!ptr.ptr_metadata<T>`: what `ptr.get_metadata` gives of a value of this type
    /// (`mlir: include/mlir/Dialect/Ptr/IR/PtrDialect.td`).
    pub fn ptr_metadata(&self) -> Type {
        Type::Opaque(format!("!ptr.ptr_metadata<{self}>").into())
    }

    /// The memref behind a type.
    pub fn as_memref(&self) -> Option<&MemRefType> {
        match self {
            Type::MemRef(m) => Some(m),
            _ => None,
        }
    }

    /// The vector behind a type.
    pub fn as_vector(&self) -> Option<&VectorType> {
        match self {
            Type::Vector(v) => Some(v),
            _ => None,
        }
    }

    /// The width in bits of an integer, index (64) or float type; `None` for others.
    pub fn bit_width(&self) -> Option<u32> {
        match self {
            Type::Int { width, .. } => Some(*width),
            Type::Index => Some(64),
            Type::Float(kind) => Some(kind.bits()),
            _ => None,
        }
    }

    /// Whether it is an integer type of any signedness.
    pub fn is_int(&self) -> bool {
        matches!(self, Type::Int { .. })
    }

    /// Whether it is an integer type without sign, `ui32`.
    pub fn is_unsigned(&self) -> bool {
        let unsigned = Signedness::Unsigned;
        matches!(self, Type::Int { sign, .. } if *sign == unsigned)
    }

    /// Whether it is a floating-point type.
    pub fn is_float(&self) -> bool {
        matches!(self, Type::Float(_))
    }

    /// Bytes that one element of this type takes in tile and host memory: scalars round up to
    /// whole bytes, vectors multiply, block floats (`!aiex.bfp<…>`) count their block. `None` for
    /// types that memory can't hold.
    pub fn elem_bytes(&self) -> Option<u64> {
        match self {
            Type::Int { .. } | Type::Float(_) | Type::Index => {
                self.bit_width().map(|bits| u64::from(bits).div_ceil(8))
            }
            Type::Complex(t) => t.elem_bytes()?.checked_mul(2),
            Type::Vector(v) => count(&v.shape)?.checked_mul(v.elem.elem_bytes()?),
            // Block floats: 8 or 16 lanes of 8 bits and one shared exponent byte
            // (mlir-aie: include/aie/Dialect/AIEX/IR/AIEXTypes.td).
            Type::Opaque(t) if &**t == "!aiex.bfp<\"v8bfp16ebs8\">" => Some(9),
            Type::Opaque(t) if &**t == "!aiex.bfp<\"v16bfp16ebs16\">" => Some(17),
            _ => None,
        }
    }
}

impl MemRefType {
    /// The tensor type of what is in such a memref: its initial value has it.
    pub fn contents(&self) -> Type {
        Type::Tensor(Arc::new(TensorType {
            shape: self.shape.clone(),
            elem: self.elem.clone(),
            encoding: None,
        }))
    }

    /// Number of elements; `None` when a size is dynamic or the product overflows.
    pub fn num_elements(&self) -> Option<u64> {
        count(&self.shape)
    }

    /// Size in bytes, without any layout's gaps; `None` when unknown.
    pub fn num_bytes(&self) -> Option<u64> {
        self.num_elements()?.checked_mul(self.elem.elem_bytes()?)
    }

    /// Strides in elements and offset in elements of the layout (identity or strided); `None` for
    /// layouts that are neither, or dynamic shapes without a strided layout. Entries may be
    /// [`DYNAMIC`].
    pub fn strides_and_offset(&self) -> Option<(Vec<i64>, i64)> {
        match &self.layout {
            Some(Attr::Strided { strides, offset }) => Some((strides.to_vec(), *offset)),
            Some(_) => None,
            None => {
                let mut strides = vec![1i64; self.shape.len()];
                for i in (1..self.shape.len()).rev() {
                    if self.shape[i] == DYNAMIC || strides[i] == DYNAMIC {
                        strides[i - 1] = DYNAMIC;
                    } else {
                        strides[i - 1] = strides[i].checked_mul(self.shape[i])?;
                    }
                }
                Some((strides, 0))
            }
        }
    }
}

fn count(shape: &[i64]) -> Option<u64> {
    shape
        .iter()
        .try_fold(1u64, |n, s| n.checked_mul(u64::try_from(*s).ok()?))
}
