//! Kinds of attributes that declarations name: how to read one as a Rust value.

use std::sync::Arc;

use aiec_device::{Bundle as DeviceBundle, DmaDir};

use super::enums;
use crate::ir;
use crate::ir::{Attr, Type};

/// A kind of attribute, which decides the types of the typed views' accessors.
pub trait AttrKind {
    /// Contents of an attribute of this kind.
    type Value;
    /// Return type of the accessor of a required attribute: the value, zero or empty if it is
    /// missing; an `Option` where nothing is a natural zero.
    type Required;
    /// The expectation, in words.
    const EXPECTED: &'static str;
    /// The type of the attribute, where it is an integer.
    const INTEGER: Option<Type> = None;

    /// The value, if the attribute is of this kind.
    fn get(attr: &Attr) -> Option<Self::Value>;

    /// The accessor's result for a required attribute.
    fn required(found: Option<Self::Value>) -> Self::Required;
}

/// A value that an attribute of kind `K` can be made of, for the setters of a builder.
pub trait IntoAttr<K> {
    /// The attribute; `None` removes it.
    fn into_attr(self) -> Option<Attr>;
}

impl<K, T: IntoAttr<K>> IntoAttr<K> for Option<T> {
    fn into_attr(self) -> Option<Attr> {
        self.and_then(T::into_attr)
    }
}

/// In place of a value: the attribute is removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoAttr;

impl<K> IntoAttr<K> for NoAttr {
    fn into_attr(self) -> Option<Attr> {
        None
    }
}

/// `Name: value type = "what is expected", getter, types it can be made of => common type: how;`. A
/// value type in brackets has no zero; `<T>` says the type of an integer attribute.
macro_rules! kinds {
    (@required [$value:ty]) => {
        type Value = $value;
        type Required = Option<$value>;

        fn required(found: Option<$value>) -> Option<$value> {
            found
        }
    };
    (@required ($value:ty)) => { kinds!(@default $value); };
    (@required $value:ident) => { kinds!(@default $value); };
    (@default $value:ty) => {
        type Value = $value;
        type Required = $value;

        fn required(found: Option<$value>) -> $value {
            found.unwrap_or_default()
        }
    };
    ($(
        $(#[$doc:meta])*
        $name:ident $(<$integer:ident>)?: $value:tt = $expected:literal, $get:expr, $($from:ty),* => $wide:ty: $make:expr;
    )*) => {$(
        $(#[$doc])*
        pub enum $name {}

        impl AttrKind for $name {
            const EXPECTED: &'static str = $expected;
            $(const INTEGER: Option<Type> = Some(Type::$integer);)?

            kinds!(@required $value);

            fn get(attr: &Attr) -> Option<Self::Value> {
                let get: fn(&Attr) -> Option<Self::Value> = $get;
                get(attr)
            }
        }

        $(impl IntoAttr<$name> for $from {
            fn into_attr(self) -> Option<Attr> {
                let make: fn($wide) -> Attr = $make;
                Some(make(self.into()))
            }
        })*
    )*};
}

kinds! {
    /// A 32-bit integer.
    I32<I32>: i32 = "a 32-bit integer", |a| i32::try_from(a.as_int()?).ok(),
        i32, i8, u8, u16 => i32: Attr::i32;
    /// A 32-bit word stored as a signed integer, read unsigned.
    Word<I32>: u32 = "an unsigned 32-bit integer", word, u32, u8, u16 => u32: |v| Attr::i32(v as i32);
    /// An unsigned 32-bit integer; a negative one is read as its two's complement.
    U32<UI32>: u32 = "an unsigned 32-bit integer", word, u32, u8, u16 => u32: Attr::ui32;
    /// A small integer kept as `i8`; values up to 255 are accepted unsigned.
    I8<I8>: i64 = "an 8-bit integer", |a| a.as_int().filter(|v| (-128..=255).contains(v)),
        i8, u8 => i64: |v| Attr::Int(v, Type::I8);
    /// An integer kept as `i16`.
    I16<I16>: i64 = "an integer", Attr::as_int, i16, u8 => i64: |v| Attr::Int(v, Type::I16);
    /// An integer of up to 64 bits.
    I64<I64>: i64 = "an integer", Attr::as_int, i64, i32, u32, u16, u8 => i64: Attr::i64;
    /// An unsigned 64-bit integer.
    U64<UI64>: u64 = "an unsigned 64-bit integer", |a| a.as_int().map(|v| v as u64),
        u64, u32 => u64: |v| Attr::Int(v as i64, Type::UI64);
    /// An integer of the type `index`.
    Index<Index>: i64 = "an integer", Attr::as_int, i64, u32, u8 => i64: Attr::index;
    /// A boolean; a bare key is true.
    Bool: bool = "true or false", boolean, bool => bool: Attr::Bool;
    /// A string.
    Str: (Arc<str>) = "a string", |a| a.as_str().cloned(),
        &str, String, Arc<str> => Arc<str>: Attr::Str;
    /// A symbol reference; the accessor returns its innermost name.
    Symbol: (Arc<str>) = "a symbol reference", |a| match a {
        Attr::Symbol(s) => s.path.last().cloned(),
        _ => None,
    }, &str, String, Arc<str> => Arc<str>: Attr::symbol;
    /// A type.
    TypeAttr: [Type] = "a type", |a| match a {
        Attr::Type(t) => Some(t.clone()),
        _ => None,
    }, Type => Type: Attr::Type;
    /// A list of attributes.
    Array: (Vec<Attr>) = "a list", |a| match a {
        Attr::Array(l) => Some(l.to_vec()),
        _ => None,
    }, Vec<Attr> => Arc<[Attr]>: Attr::Array;
    /// A list of integers, dense or not; kept as a dense list of `i64`.
    Ints: (Vec<i64>) = "a list of integers", ints, Vec<i64> => Vec<i64>: Attr::i64_array;
    /// A list of integers, dense or not; kept as a dense list of `i32`.
    Ints32: (Vec<i64>) = "a list of integers", ints, Vec<i32> => Vec<i32>: Attr::i32_array;
    /// A packet type and id.
    Packet: [ir::PacketInfo] = "#aie.packet_info<pkt_type = T, pkt_id = N>", |a| match a {
        Attr::Packet(p) => Some(*p),
        _ => None,
    }, ir::PacketInfo => ir::PacketInfo: Attr::Packet;
    /// A BD's dimensions, outermost first.
    Dims: (Vec<ir::BdDim>) = "a list of <size = N, stride = N>", |a| match a {
        Attr::BdDims(l) => Some(l.to_vec()),
        _ => None,
    }, Vec<ir::BdDim> => Arc<[ir::BdDim]>: Attr::BdDims;
    /// Dimensions per consumer.
    DimsList: (Vec<Arc<[ir::BdDim]>>) = "a list of lists of <size = N, stride = N>", |a| match a {
        Attr::BdDimsArray(l) => Some(l.to_vec()),
        _ => None,
    }, Vec<Arc<[ir::BdDim]>> => Arc<[Arc<[ir::BdDim]>]>: Attr::BdDimsArray;
    /// A BD's padding, outermost first.
    Pads: (Vec<ir::BdPad>) = "a list of <const_pad_before = N, const_pad_after = N>", |a| match a {
        Attr::BdPads(l) => Some(l.to_vec()),
        _ => None,
    }, Vec<ir::BdPad> => Arc<[ir::BdPad]>: Attr::BdPads;
    /// Padding per segment.
    PadsList: (Vec<Arc<[ir::BdPad]>>) = "a list of lists of <const_pad_before = N, const_pad_after = N>", |a| match a {
        Attr::BdPadsArray(l) => Some(l.to_vec()),
        _ => None,
    }, Vec<Arc<[ir::BdPad]>> => Arc<[Arc<[ir::BdPad]>]>: Attr::BdPadsArray;
    /// A BD's iteration.
    Iteration: [ir::BdIteration] = "#aie.bd_iteration<size, stride, current>", |a| match a {
        Attr::BdIteration(i) => Some(*i),
        _ => None,
    }, ir::BdIteration => ir::BdIteration: Attr::BdIteration;
    /// Any attribute.
    Any: [Attr] = "an attribute", |a| Some(a.clone()), Attr => Attr: |a| a;
    /// A wire bundle.
    Bundle<I32>: [DeviceBundle] = "a wire bundle",
        |a| a.as_int().and_then(DeviceBundle::by_value), DeviceBundle => DeviceBundle: |v| Attr::i32(v.value().into());
    /// A DMA direction.
    Dir<I32>: [DmaDir] = "S2MM or MM2S", |a| a.as_int().and_then(DmaDir::by_value), DmaDir => DmaDir: |v| Attr::i32(v as i32);
    /// Action of `aie.use_lock`.
    LockAction<I32>: (enums::LockAction) = "Acquire, AcquireGreaterEqual or Release",
        |a| a.as_int().and_then(enums::LockAction::of), enums::LockAction => enums::LockAction: |v| Attr::i32(v as i32);
    /// An end of an object fifo.
    FifoPort<I32>: (enums::FifoPort) = "Produce or Consume",
        |a| a.as_int().and_then(enums::FifoPort::of), enums::FifoPort => enums::FifoPort: |v| Attr::i32(v as i32);
    /// Access of an endpoint to its pool.
    FifoRole<I32>: (enums::FifoRole) = "fills or drains",
        |a| a.as_int().and_then(enums::FifoRole::of), enums::FifoRole => enums::FifoRole: |v| Attr::i32(v as i32);
    /// A bare key: true when it is there.
    Unit: bool = "true or false", boolean, => (): ();
}

impl IntoAttr<Unit> for bool {
    fn into_attr(self) -> Option<Attr> {
        self.then_some(Attr::Unit)
    }
}

impl<const N: usize> IntoAttr<Ints> for [i64; N] {
    fn into_attr(self) -> Option<Attr> {
        Some(Attr::i64_array(self))
    }
}

fn word(attr: &Attr) -> Option<u32> {
    let value = attr.as_int()?;
    let signed = || i32::try_from(value).map(|v| v as u32);
    u32::try_from(value).or_else(|_| signed()).ok()
}

fn boolean(attr: &Attr) -> Option<bool> {
    match attr {
        Attr::Bool(_) | Attr::Unit => attr.as_bool(),
        Attr::Int(_, t) if *t == Type::I1 => attr.as_bool(),
        _ => None,
    }
}

fn ints(attr: &Attr) -> Option<Vec<i64>> {
    match attr {
        Attr::DenseArray(list) => Some(list.values.clone()),
        Attr::Array(list) => list.iter().map(Attr::as_int).collect(),
        _ => None,
    }
}
