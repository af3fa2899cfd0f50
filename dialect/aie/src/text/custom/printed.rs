//! Choices of the printer: attributes with their default values are left out, and results get
//! suggested names.

use aiec_device::{DeviceModel, TileKind, TileLoc};

use crate::ir::{Attr, Module, Op, Type};
use crate::ops::OpKind;
use crate::ops::netlist::DEFAULT_DEVICE;

/// A default that is dropped in print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DefaultAttr {
    /// `false` or `true`.
    Bool(bool),
    /// An integer of any width.
    Int(i64),
    /// A string.
    Str(&'static str),
}

const NO: DefaultAttr = DefaultAttr::Bool(false);
const YES: DefaultAttr = DefaultAttr::Bool(true);
const ZERO: DefaultAttr = DefaultAttr::Int(0);

/// The attributes of a kind that are not printed when they have these values.
pub(crate) fn defaults(kind: OpKind) -> &'static [(&'static str, DefaultAttr)] {
    match kind {
        OpKind::Device => &[("sym_name", DefaultAttr::Str("main"))],
        OpKind::RuntimeSequence => &[("sym_name", DefaultAttr::Str("sequence"))],
        OpKind::ShimDmaAllocation => &[("plio", NO)],
        OpKind::UseLock => &[("acq_en", YES)],
        OpKind::Buffer => &[("aligned", YES)],
        OpKind::DmaBd | OpKind::NpuWriteBd => &[("burst_length", ZERO)],
        OpKind::DmaStart => &[("repeat_count", ZERO), ("pad_value", ZERO)],
        OpKind::Dma => &[("loop", YES), ("repeat_count", ZERO), ("pad_value", ZERO)],
        OpKind::ObjectFifo => &[
            ("via_DMA", NO),
            ("plio", NO),
            ("disable_synchronization", NO),
            ("padValue", ZERO),
        ],
        OpKind::NpuDmaMemcpyNd => &[
            ("issue_token", NO),
            ("burst_length", ZERO),
            ("d0_zero_before", ZERO),
            ("d1_zero_before", ZERO),
            ("d2_zero_before", ZERO),
            ("d0_zero_after", ZERO),
            ("d1_zero_after", ZERO),
            ("d2_zero_after", ZERO),
        ],
        OpKind::NpuLoadPdi => &[("id", ZERO), ("size", ZERO), ("address", ZERO)],
        OpKind::NpuCreateScratchpad => &[("usage_type", ZERO)],
        OpKind::NpuUpdateFromScratchpad => &[("func", DefaultAttr::Int(1)), ("func_arg", ZERO)],
        OpKind::DmaConfigureTask
        | OpKind::DmaConfigureTaskFor
        | OpKind::DmaStartBdChain
        | OpKind::DmaStartBdChainFor => &[("issue_token", NO), ("repeat_count", ZERO)],
        OpKind::TraceHostConfig => &[
            ("reuse_output_buffer", NO),
            ("routing", ZERO),
            ("egress_shim_col", ZERO),
        ],
        _ => &[],
    }
}

/// Whether an attribute has its default value.
pub(crate) fn is_default(defaults: &[(&str, DefaultAttr)], key: &str, value: &Attr) -> bool {
    let default = defaults.iter().find(|(k, _)| *k == key);
    default.is_some_and(|(_, default)| match default {
        DefaultAttr::Bool(b) => *value == Attr::Bool(*b),
        DefaultAttr::Int(n) => matches!(value, Attr::Int(v, _) if v == n),
        DefaultAttr::Str(s) => value.as_str().is_some_and(|v| **v == **s),
    })
}

/// The name that an operation suggests for its first result; without one it gets a number.
pub(crate) fn hint(m: &Module, op: Op) -> Option<String> {
    let symbol = || m.str_attr(op, "sym_name").map(str::to_string);
    let fixed = match m.kind(op) {
        OpKind::Tile => return tile(m, op),
        OpKind::LogicalTile => match m.int_attr(op, "tile_type")? {
            0 => "logical_core",
            1 => "logical_mem",
            2 => "logical_shim_noc",
            _ => "logical_shim_pl",
        },
        OpKind::ExternalBuffer | OpKind::Dma => return symbol(),
        OpKind::Lock => return symbol().or_else(|| on_tile(m, op, "lock")),
        OpKind::Buffer => return symbol().or_else(|| on_tile(m, op, "buffer")),
        OpKind::Switchbox
        | OpKind::ShimMux
        | OpKind::Core
        | OpKind::Mem
        | OpKind::MemTileDma
        | OpKind::ShimDma => {
            let name = m.kind(op).name();
            return on_tile(m, op, name.trim_start_matches("aie."));
        }
        OpKind::ArithConstant | OpKind::IndexBoolConstant => return constant(m, op),
        OpKind::IndexConstant => return m.int_attr(op, "value").map(|n| format!("idx{n}")),
        OpKind::MemrefAlloc => "alloc",
        OpKind::MemrefAlloca => "alloca",
        OpKind::MemrefSubview => "subview",
        OpKind::MemrefReinterpretCast => "reinterpret_cast",
        OpKind::MemrefCast | OpKind::TensorCast => "cast",
        OpKind::MemrefCollapseShape => "collapse_shape",
        OpKind::MemrefExpandShape => "expand_shape",
        OpKind::MemrefView => "view",
        OpKind::MemrefDim | OpKind::TensorDim => "dim",
        OpKind::MemrefAssumeAlignment => "assume_align",
        OpKind::TensorExtract => "extracted",
        OpKind::TensorInsert => "inserted",
        OpKind::TensorCollapseShape => "collapsed",
        OpKind::TensorExpandShape => "expanded",
        OpKind::FuncConstant => "f",
        _ => return None,
    };
    Some(fixed.to_string())
}

/// `prefix_c_r` of the tile that the first operand is.
fn on_tile(m: &Module, op: Op, prefix: &str) -> Option<String> {
    let tile = m.def_op(m.operand(op, 0)?)?;
    if m.kind(tile) != OpKind::Tile {
        return None;
    }
    let (col, row) = (m.int_attr(tile, "col")?, m.int_attr(tile, "row")?);
    Some(format!("{prefix}_{col}_{row}"))
}

fn tile(m: &Module, op: Op) -> Option<String> {
    let (col, row) = (m.int_attr(op, "col")?, m.int_attr(op, "row")?);
    let model = match m.ancestor(op, OpKind::Device) {
        Some(device) => DeviceModel::by_value(m.int_attr(device, "device")?)?,
        None => DeviceModel::by_name(DEFAULT_DEVICE)?,
    };
    let loc = TileLoc::new(u8::try_from(col).ok()?, u8::try_from(row).ok()?);
    let prefix = match model.tile_kind(loc) {
        Some(TileKind::Mem) => "mem_tile",
        Some(TileKind::ShimNoc) => "shim_noc_tile",
        Some(TileKind::ShimPl) => "shim_pl_tile",
        _ => "tile",
    };
    Some(format!("{prefix}_{col}_{row}"))
}

/// `c5`, `c5_i32`, `true`, `cst`.
fn constant(m: &Module, op: Op) -> Option<String> {
    Some(match m.attr(op, "value")? {
        Attr::Bool(true) => "true".to_string(),
        Attr::Bool(false) => "false".to_string(),
        Attr::Int(value, Type::Index) => format!("c{value}"),
        Attr::Int(value, ty) => format!("c{value}_{ty}"),
        _ => "cst".to_string(),
    })
}
