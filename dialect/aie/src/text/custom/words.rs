//! The enumerations of the dialect as words, and the simple types that custom syntax implies.

use aiec_device::{Bundle, DeviceModel, DmaDir};

use crate::ir::Type;
use crate::ops::enums::{FifoPort, FifoRole, LockAction, LogicalTileType};
use crate::text::print::{escape, is_bare_id};

/// A simple type that custom syntax implies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScalarType {
    I1,
    I8,
    I16,
    I32,
    I64,
    UI32,
    Index,
}

impl ScalarType {
    /// The type.
    pub(crate) fn ty(self) -> Type {
        match self {
            ScalarType::I1 => Type::I1,
            ScalarType::I8 => Type::I8,
            ScalarType::I16 => Type::I16,
            ScalarType::I32 => Type::I32,
            ScalarType::I64 => Type::I64,
            ScalarType::UI32 => Type::UI32,
            ScalarType::Index => Type::Index,
        }
    }
}

/// The words of an enumeration, kept as `i32` attributes.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    /// Name of the enumeration, for diagnostics.
    pub(crate) what: &'static str,
    /// The value of a word.
    pub(crate) value: fn(&str) -> Option<i64>,
    /// The word of a value.
    pub(crate) text: fn(i64) -> Option<&'static str>,
    /// All words.
    pub(crate) all: fn() -> Vec<&'static str>,
}

impl Words {
    /// A value as printed: bare, or quoted if it isn't an identifier.
    pub(crate) fn print(&self, value: i64) -> String {
        match (self.text)(value) {
            Some(word) if is_bare_id(word) => word.to_string(),
            Some(word) => format!("\"{}\"", escape(word)),
            None => value.to_string(),
        }
    }
}

pub(super) static BUNDLE: Words = Words {
    what: "wire bundle",
    // Old texts write some in capitals.
    value: |w| {
        let in_capitals = |b: &&Bundle| b.name().to_ascii_uppercase() == w;
        let bundle = Bundle::by_name(w).or_else(|| Bundle::ALL.iter().find(in_capitals).copied());
        bundle.map(|b| b.value().into())
    },
    text: |v| Bundle::by_value(v).map(Bundle::name),
    all: || Bundle::ALL.iter().map(|b| b.name()).collect(),
};

pub(super) static DIRECTION: Words = Words {
    what: "DMA direction",
    value: |w| DmaDir::by_name(w).map(|d| d as i64),
    text: |v| DmaDir::by_value(v).map(DmaDir::name),
    all: || DmaDir::ALL.iter().map(|d| d.name()).collect(),
};

pub(super) static DEVICE: Words = Words {
    what: "device",
    value: |w| DeviceModel::by_name(w).map(|d| d.value().into()),
    text: |v| DeviceModel::by_value(v).map(DeviceModel::name),
    all: || DeviceModel::all().map(DeviceModel::name).collect(),
};

pub(super) static LOCK_ACTION: Words = Words {
    what: "lock action",
    value: |w| LockAction::parse(w).map(|a| a as i64),
    text: |v| LockAction::of(v).map(LockAction::text),
    all: || LockAction::ALL.iter().map(|(_, w)| *w).collect(),
};

pub(super) static FIFO_PORT: Words = Words {
    what: "port of an object fifo",
    value: |w| FifoPort::parse(w).map(|p| p as i64),
    text: |v| FifoPort::of(v).map(FifoPort::text),
    all: || FifoPort::ALL.iter().map(|(_, w)| *w).collect(),
};

pub(super) static FIFO_ROLE: Words = Words {
    what: "role of an endpoint",
    value: |w| FifoRole::parse(w).map(|r| r as i64),
    text: |v| FifoRole::of(v).map(FifoRole::text),
    all: || FifoRole::ALL.iter().map(|(_, w)| *w).collect(),
};

pub(super) static TILE_TYPE: Words = Words {
    what: "tile type",
    value: |w| LogicalTileType::parse(w).map(|t| t as i64),
    text: |v| LogicalTileType::of(v).map(LogicalTileType::text),
    all: || LogicalTileType::ALL.iter().map(|(_, w)| *w).collect(),
};

/// A list of words whose value is given beside them.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $what:literal { $($word:literal = $value:literal),* })*) => {$(
        $(#[$doc])*
        pub(super) static $name: Words = Words {
            what: $what,
            value: |w| match w {
                $($word => Some($value),)*
                _ => None,
            },
            text: |v| match v {
                $($value => Some($word),)*
                _ => None,
            },
            all: || vec![$($word),*],
        };
    )*};
}

words! {
    BLOCKING = "lock blocking mode" { "NonBlocking" = 0, "Blocking" = 1 }
    CASCADE_SIDE = "cascade side" { "South" = 3, "West" = 4, "North" = 5, "East" = 6 }
    TRACE_MODE = "trace mode" { "Event-Time" = 0, "Event-PC" = 1, "Execution" = 2 }
    TRACE_PACKET = "trace packet type" { "core" = 0, "mem" = 1, "shimtile" = 2, "memtile" = 3 }
    COMBO_LOGIC = "combination" { "AND" = 0, "AND_NOT" = 1, "OR" = 2, "OR_NOT" = 3 }
    EDGE_TRIGGER = "edge" { "RISING" = 1, "FALLING" = 2, "BOTH" = 3 }
    INDEX_CMP = "index comparison" {
        "eq" = 0, "ne" = 1, "slt" = 2, "sle" = 3, "sgt" = 4, "sge" = 5,
        "ult" = 6, "ule" = 7, "ugt" = 8, "uge" = 9
    }
    STATE_FUNCTION = "scratchpad function" { "mul" = 0, "incr" = 1, "decr" = 2 }
    SHUFFLE_MODE = "shuffle mode" {
        "t8_64x2_lo" = 0, "t8_64x2_hi" = 1, "t16_32x2_lo" = 2, "t16_32x2_hi" = 3,
        "t32_16x2_lo" = 4, "t32_16x2_hi" = 5, "t64_8x2_lo" = 6, "t64_8x2_hi" = 7,
        "t128_4x2_lo" = 8, "t128_4x2_hi" = 9, "t256_2x2_lo" = 10, "t256_2x2_hi" = 11,
        "t128_2x4_lo" = 12, "t128_2x4_hi" = 13, "t64_2x8_lo" = 14, "t64_2x8_hi" = 15,
        "t32_2x16_lo" = 16, "t32_2x16_hi" = 17, "t16_2x32_lo" = 18, "t16_2x32_hi" = 19,
        "t8_2x64_lo" = 20, "t8_2x64_hi" = 21, "t512_1x2_lo" = 22, "t512_1x2_hi" = 23,
        "t16_16x4_lo" = 24, "t16_16x4_hi" = 25, "t16_4x16_lo" = 26, "t16_4x16_hi" = 27,
        "t16_8x4" = 28, "t16_4x8" = 29, "t32_8x4_lo" = 30, "t32_8x4_hi" = 31, "t32_4x8_lo" = 32,
        "t32_4x8_hi" = 33, "t32_4x4" = 34, "t8_8x8" = 35, "t8_16x4" = 36, "t8_4x16" = 37,
        "t16_1x2_flip" = 38, "t16_4x4" = 39, "t16_4x2" = 40, "t16_2x4" = 41, "t16_8x2" = 42,
        "t16_2x8" = 43, "t16_16x2" = 44, "t16_2x16" = 45, "t8_8x4" = 46, "t8_4x8" = 47
    }
    CMP_I = "integer comparison" {
        "eq" = 0, "ne" = 1, "slt" = 2, "sle" = 3, "sgt" = 4, "sge" = 5,
        "ult" = 6, "ule" = 7, "ugt" = 8, "uge" = 9
    }
    CMP_F = "float comparison" {
        "false" = 0, "oeq" = 1, "ogt" = 2, "oge" = 3, "olt" = 4, "ole" = 5, "one" = 6, "ord" = 7,
        "ueq" = 8, "ugt" = 9, "uge" = 10, "ult" = 11, "ule" = 12, "une" = 13, "uno" = 14,
        "true" = 15
    }
}
