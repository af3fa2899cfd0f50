//! Attributes: plain values, compared by structure, cheap to clone.

use std::sync::Arc;

use aiec_device::AccessDim;

use super::Type;

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
    /// Runs before it starts anew, 1..=64.
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
    /// Whether `bytes` holds a single element that stands for all.
    pub splat: bool,
    /// Elements one after the other, each of [`Type::elem_bytes`] bytes.
    pub bytes: Vec<u8>,
}

/// `affine_map<(d0)[s0] -> (…)>`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AffineMap {
    /// How many dimensions (`d0`…).
    pub dims: u32,
    /// How many symbols (`s0`…).
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
