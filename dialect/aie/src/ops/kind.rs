//! Kinds of attributes that declarations name: how to read one as a Rust value.

use std::sync::Arc;

use aiec_device::{Bundle as DeviceBundle, DmaDir};

use super::enums;
use crate::ir;
use crate::ir::{Attr, Type as IrType};

/// A kind of attribute.
pub trait AttrKind {
    /// What an accessor answers.
    type Out: Default;
    /// What is expected, in words.
    const EXPECTED: &'static str;

    /// The value, if the attribute is of this kind.
    fn get(attr: &Attr) -> Option<Self::Out>;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $out:ty = $expected:literal, $get:expr;)*) => {$(
        $(#[$doc])*
        pub enum $name {}

        impl AttrKind for $name {
            type Out = $out;
            const EXPECTED: &'static str = $expected;

            fn get(attr: &Attr) -> Option<$out> {
                let get: fn(&Attr) -> Option<$out> = $get;
                get(attr)
            }
        }
    )*};
}

kinds! {
    /// A 32-bit integer.
    I32: i32 = "a 32-bit integer", |a| i32::try_from(a.as_int()?).ok();
    /// A small integer kept as `i8`; values up to 255 are accepted unsigned.
    I8: i64 = "an 8-bit integer", |a| a.as_int().filter(|v| (-128..=255).contains(v));
    /// An integer of up to 64 bits.
    I64: i64 = "an integer", Attr::as_int;
    /// An unsigned 32-bit integer; a negative one is read as its two's complement.
    U32: u32 = "an unsigned 32-bit integer",
        |a| a.as_int().and_then(|v| {
            u32::try_from(v).ok().or_else(|| i32::try_from(v).ok().map(|v| v as u32))
        });
    /// An unsigned 64-bit integer.
    U64: u64 = "an unsigned 64-bit integer", |a| a.as_int().map(|v| v as u64);
    /// A boolean; a bare key is true.
    Bool: bool = "true or false", |a| match a {
        Attr::Bool(_) | Attr::Unit => a.as_bool(),
        Attr::Int(_, t) if *t == IrType::I1 => a.as_bool(),
        _ => None,
    };
    /// A string.
    Str: Arc<str> = "a string", |a| a.as_str().cloned();
    /// A symbol reference; the accessor answers its innermost name.
    Symbol: Arc<str> = "a symbol reference", |a| match a {
        Attr::Symbol(s) => s.path.last().cloned(),
        _ => None,
    };
    /// A type.
    Type: Option<IrType> = "a type", |a| match a {
        Attr::Type(t) => Some(Some(t.clone())),
        _ => None,
    };
    /// A list of attributes.
    Array: Vec<Attr> = "a list", |a| match a {
        Attr::Array(l) => Some(l.to_vec()),
        _ => None,
    };
    /// A list of integers, dense or not.
    Ints: Vec<i64> = "a list of integers", |a| match a {
        Attr::DenseArray(l) => Some(l.values.clone()),
        Attr::Array(l) => l.iter().map(Attr::as_int).collect(),
        _ => None,
    };
    /// A packet type and id.
    Packet: Option<ir::PacketInfo> = "#aie.packet_info<pkt_type = T, pkt_id = N>", |a| match a {
        Attr::Packet(p) => Some(Some(*p)),
        _ => None,
    };
    /// A BD's dimensions, outermost first.
    Dims: Vec<ir::BdDim> = "a list of <size = N, stride = N>", |a| match a {
        Attr::BdDims(l) => Some(l.to_vec()),
        _ => None,
    };
    /// Dimensions per consumer.
    DimsList: Vec<Arc<[ir::BdDim]>> = "a list of lists of <size = N, stride = N>", |a| match a {
        Attr::BdDimsArray(l) => Some(l.to_vec()),
        _ => None,
    };
    /// A BD's padding, outermost first.
    Pads: Vec<ir::BdPad> = "a list of <const_pad_before = N, const_pad_after = N>", |a| match a {
        Attr::BdPads(l) => Some(l.to_vec()),
        _ => None,
    };
    /// Padding per segment.
    PadsList: Vec<Arc<[ir::BdPad]>> = "a list of lists of <const_pad_before = N, const_pad_after = N>", |a| match a {
        Attr::BdPadsArray(l) => Some(l.to_vec()),
        _ => None,
    };
    /// A BD's iteration.
    Iteration: Option<ir::BdIteration> = "#aie.bd_iteration<size, stride, current>", |a| match a {
        Attr::BdIteration(i) => Some(Some(*i)),
        _ => None,
    };
    /// Any attribute.
    Any: Option<Attr> = "an attribute", |a| Some(Some(a.clone()));
    /// A wire bundle.
    Bundle: Option<DeviceBundle> = "a wire bundle",
        |a| a.as_int().and_then(DeviceBundle::by_value).map(Some);
    /// A DMA direction.
    Dir: Option<DmaDir> = "S2MM or MM2S", |a| a.as_int().and_then(DmaDir::by_value).map(Some);
    /// What `aie.use_lock` does.
    LockAction: enums::LockAction = "Acquire, AcquireGreaterEqual or Release",
        |a| a.as_int().and_then(enums::LockAction::of);
    /// An end of an object fifo.
    FifoPort: enums::FifoPort = "Produce or Consume",
        |a| a.as_int().and_then(enums::FifoPort::of);
    /// What an endpoint does to its pool.
    FifoRole: enums::FifoRole = "fills or drains",
        |a| a.as_int().and_then(enums::FifoRole::of);
}
