//! Attributes and types: plain values, compared by structure, cheap to clone. They share a file as each holds the
//! other: an attribute has its type, a memref its layout and its memory space.

use std::sync::Arc;

use aiec_device::AccessDim;
use aiec_diag::named_enum;
use aiec_vcode::FloatFormat;

/// An attribute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Attr {
    /// A bare key.
    Unit,
    /// `true`, `false`.
    Bool(bool),
    /// An integer with its type (integer or index), sign-extended; unsigned types zero-extended.
    /// Enumerations of the dialect are `i32` integers, as in MLIR's generic form.
    Int(i64, Type),
    /// An integer of a type of more than 64 bits that 64 bits don't hold, extended likewise to 128.
    WideInt(Arc<i128>, Type),
    /// A float with its type, as the bits of the value in double precision.
    Float(u64, Type),
    /// A string.
    Str(Arc<str>),
    /// `@a` or `@a::@b`.
    Symbol(SymbolRef),
    /// A type.
    Type(Type),
    /// `[a, b]`
    Array(Arc<[Attr]>),
    /// `{k = v}`, sorted by key.
    Dict(Arc<[(Arc<str>, Attr)]>),
    /// `array<i32: 1, 2>`
    DenseArray(Arc<DenseArray>),
    /// `dense<…> : type`
    Dense(Arc<DenseElements>),
    /// `dense_resource<key> : type`; the blob itself is not kept.
    DenseResource(Arc<str>, Type),
    /// `affine_map<…>`
    AffineMap(Arc<AffineMap>),
    /// `affine_set<…>`, text between the angle brackets.
    AffineSet(Arc<str>),
    /// `strided<[…], offset: …>`, in elements; entries may be [`super::DYNAMIC`].
    Strided {
        /// One stride per dimension.
        strides: Arc<[i64]>,
        /// Offset of the first element.
        offset: i64,
    },
    /// `#aie.packet_info<…>`
    Packet(PacketInfo),
    /// `#aie<bd_dim_layout_array[…]>`, outermost first.
    BdDims(Arc<[BdDim]>),
    /// `#aie<bd_dim_layout_array_array[…]>`, one per consumer.
    BdDimsArray(Arc<[Arc<[BdDim]>]>),
    /// `#aie<bd_pad_layout_array[…]>`, outermost first.
    BdPads(Arc<[BdPad]>),
    /// `#aie<bd_pad_layout_array_array[…]>`, one per segment.
    BdPadsArray(Arc<[Arc<[BdPad]>]>),
    /// `#aie.bd_iteration<…>`
    BdIteration(BdIteration),
    /// Any other dialect's attribute, text as written with its `#`.
    Opaque(Arc<str>),
}

/// A symbol reference: a root and the names nested below it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SymbolRef {
    /// Names from the outermost to the innermost; never empty.
    pub path: Arc<[Arc<str>]>,
}

impl SymbolRef {
    /// `@name`
    pub fn flat(name: impl Into<Arc<str>>) -> SymbolRef {
        SymbolRef {
            path: Arc::new([name.into()]),
        }
    }

    /// The innermost name.
    pub fn leaf(&self) -> &str {
        self.path.last().map_or("", |s| s)
    }

    /// The outermost name.
    pub fn root(&self) -> &str {
        self.path.first().map_or("", |s| s)
    }
}

/// Packet type 0..=7 and id 0..=31 as written (ranges are the verifier's business).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PacketInfo {
    /// Packet type.
    pub pkt_type: i64,
    /// Packet id.
    pub pkt_id: i64,
}

impl PacketInfo {
    /// A header of type 0.
    pub fn of_id(pkt_id: i64) -> PacketInfo {
        PacketInfo {
            pkt_type: 0,
            pkt_id,
        }
    }
}

/// One dimension of a BD's access pattern, in elements; lists of them are outermost first.
pub type BdDim = AccessDim<i64>;

/// Constant padding of one dimension, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BdPad {
    /// Elements before.
    pub before: i64,
    /// Elements after.
    pub after: i64,
}

/// Iteration of a BD over its runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BdIteration {
    /// Runs before it starts again, 1..=64.
    pub size: i64,
    /// Distance of two runs, in elements.
    pub stride: i64,
    /// The run it starts with.
    pub current: i64,
}

impl BdIteration {
    /// An iteration that begins with its first run.
    pub fn new(size: i64, stride: i64) -> BdIteration {
        BdIteration {
            size,
            stride,
            current: 0,
        }
    }
}

/// `array<elem: values>`: floats as the bits of their double value, `i1` as 0 or 1.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DenseArray {
    /// Element type.
    pub elem: Type,
    /// The values.
    pub values: Vec<i64>,
}

/// `dense<…>`: element bytes in little-endian order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DenseElements {
    /// The memref, tensor or vector type of the whole.
    pub ty: Type,
    /// Whether `bytes` holds a single element, the value of all.
    pub splat: bool,
    /// Elements one after the other, each of [`Type::elem_bytes`] bytes.
    pub bytes: Vec<u8>,
}

/// `affine_map<(d0)[s0] -> (…)>`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AffineMap {
    /// Number of dimensions (`d0`…).
    pub dims: u32,
    /// Number of symbols (`s0`…).
    pub symbols: u32,
    /// The results.
    pub results: Vec<AffineExpr>,
}

/// An affine expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AffineExpr {
    /// `dN`
    Dim(u32),
    /// `sN`
    Symbol(u32),
    /// A constant.
    Const(i64),
    /// `a + b`
    Add(Box<AffineExpr>, Box<AffineExpr>),
    /// `a * b`
    Mul(Box<AffineExpr>, Box<AffineExpr>),
    /// `a mod b`
    Mod(Box<AffineExpr>, Box<AffineExpr>),
    /// `a floordiv b`
    FloorDiv(Box<AffineExpr>, Box<AffineExpr>),
    /// `a ceildiv b`
    CeilDiv(Box<AffineExpr>, Box<AffineExpr>),
}

impl Attr {
    /// An `i32`; also how the dialect's enumerations are kept.
    pub fn i32(value: i32) -> Attr {
        Attr::Int(value.into(), Type::I32)
    }

    /// An `i64`.
    pub fn i64(value: i64) -> Attr {
        Attr::Int(value, Type::I64)
    }

    /// An `i8`.
    pub fn i8(value: i8) -> Attr {
        Attr::Int(value.into(), Type::I8)
    }

    /// A `ui8`.
    pub fn ui8(value: u8) -> Attr {
        Attr::Int(value.into(), Type::UI8)
    }

    /// A `ui32`.
    pub fn ui32(value: u32) -> Attr {
        Attr::Int(value.into(), Type::UI32)
    }

    /// An `index`.
    pub fn index(value: i64) -> Attr {
        Attr::Int(value, Type::Index)
    }

    /// An `f32`.
    pub fn f32(value: f32) -> Attr {
        Attr::Float(f64::from(value).to_bits(), Type::F32)
    }

    /// A string.
    pub fn str(value: impl Into<Arc<str>>) -> Attr {
        Attr::Str(value.into())
    }

    /// `@name`
    pub fn symbol(name: impl Into<Arc<str>>) -> Attr {
        Attr::Symbol(SymbolRef::flat(name))
    }

    /// `array<i32: …>`
    pub fn i32_array(values: impl IntoIterator<Item = i32>) -> Attr {
        let values = values.into_iter().map(i64::from).collect();
        Attr::DenseArray(Arc::new(DenseArray {
            elem: Type::I32,
            values,
        }))
    }

    /// `array<i64: …>`
    pub fn i64_array(values: impl IntoIterator<Item = i64>) -> Attr {
        let values = values.into_iter().collect();
        Attr::DenseArray(Arc::new(DenseArray {
            elem: Type::I64,
            values,
        }))
    }

    /// An integer of any width, extended as [`Attr::Int`] says.
    pub fn int_of_type(value: i128, ty: Type) -> Attr {
        match (i64::try_from(value), ty.bit_width()) {
            (Err(_), Some(width)) if width > 64 => Attr::WideInt(Arc::new(value), ty),
            _ => Attr::Int(value as i64, ty),
        }
    }

    /// The integer (or boolean) value, if 64 bits hold it.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Attr::Int(v, _) => Some(*v),
            Attr::Bool(b) => Some((*b).into()),
            _ => None,
        }
    }

    /// The boolean value; a unit attribute is true.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Attr::Bool(b) => Some(*b),
            Attr::Unit => Some(true),
            Attr::Int(v, _) => Some(*v != 0),
            _ => None,
        }
    }

    /// The string.
    pub fn as_str(&self) -> Option<&Arc<str>> {
        match self {
            Attr::Str(s) => Some(s),
            _ => None,
        }
    }

    /// The float value.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Attr::Float(bits, _) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }
}

impl DenseElements {
    /// Bytes of one element.
    pub fn elem_bytes(&self) -> Option<u64> {
        let elem = match &self.ty {
            Type::MemRef(m) => &m.elem,
            Type::Tensor(t) => &t.elem,
            Type::Vector(v) => &v.elem,
            _ => return None,
        };
        elem.elem_bytes()
    }

    /// All elements as integers, extended with their sign; `None` where [`expand`](Self::expand) gives none.
    pub fn int_values(&self) -> Option<Vec<i64>> {
        let bytes = usize::try_from(self.elem_bytes()?).ok()?;
        let unused = 64usize.checked_sub(bytes.checked_mul(8)?)?;
        let extended = |element: &[u8]| {
            let bits = element
                .iter()
                .rev()
                .fold(0, |all, byte| all << 8 | u64::from(*byte));
            ((bits << unused) as i64) >> unused
        };
        let all = self.expand()?;
        Some(all.chunks_exact(bytes.max(1)).map(extended).collect())
    }

    /// All elements' bytes, splats written out; `None` for types of unknown size, and for splats of
    /// more than 64 MiB: a number of the text doesn't become that much memory, and no device holds it.
    pub fn expand(&self) -> Option<Vec<u8>> {
        const MAX_BYTES: usize = 1 << 26;
        if !self.splat {
            return Some(self.bytes.clone());
        }
        let shape = match &self.ty {
            Type::MemRef(m) => &m.shape,
            Type::Tensor(t) => &t.shape,
            Type::Vector(v) => &v.shape,
            _ => return None,
        };
        let count = shape
            .iter()
            .try_fold(1usize, |n, s| n.checked_mul(usize::try_from(*s).ok()?))?;
        let bytes = count.checked_mul(self.bytes.len())?;
        (bytes <= MAX_BYTES).then(|| self.bytes.repeat(count))
    }
}

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
        /// Meaning of the sign bit.
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
    /// `ui8`
    pub const UI8: Type = Type::Int {
        width: 8,
        sign: Signedness::Unsigned,
    };
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

    /// `!ptr.ptr_metadata<T>`: the result of `ptr.get_metadata` for a value of this type (`mlir:
    /// include/mlir/Dialect/Ptr/IR/PtrDialect.td`).
    pub fn ptr_metadata(&self) -> Type {
        Type::Opaque(format!("!ptr.ptr_metadata<{self}>").into())
    }

    /// The memref type, if it is one.
    pub fn as_memref(&self) -> Option<&MemRefType> {
        match self {
            Type::MemRef(m) => Some(m),
            _ => None,
        }
    }

    /// The vector type, if it is one.
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
    /// The tensor type of the contents of such a memref: its initial value has it.
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
