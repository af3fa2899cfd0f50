//! Symbols: unique in their table, and references to them.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{VerifyMode, codes};
use crate::ir::{Attr, Module, Op, SymbolTable};
use crate::ops::{Device, OpKind, OpView, Traits};
use aiec_diag::{Diag, Diags, MlirAieReport, did_you_mean};

pub(super) fn check(module: &Module, mode: VerifyMode, diags: &mut Diags) {
    for device in module.find(module.top(), OpKind::Device) {
        references(module, device, mode, diags);
    }
}

/// Checks that the names in each table are unique.
pub(super) fn unique_names(module: &Module, diags: &mut Diags) {
    for table in module.walk(module.top()) {
        if module.kind(table).has(Traits::SYMBOL_TABLE) {
            unique(module, table, diags);
        }
    }
}

fn unique(module: &Module, table: Op, diags: &mut Diags) {
    let mut seen: IndexMap<String, Op, FxBuildHasher> = IndexMap::default();
    for op in module.ops_inside(table) {
        let Some(name) = symbol_name(module, op) else {
            continue;
        };
        let Some(first) = seen.get(&name).copied() else {
            seen.insert(name, op);
            continue;
        };
        if goes_with(module, first, op) || goes_with(module, op, first) {
            continue;
        }
        let message = format!("`@{name}` is defined twice");
        let text = format!("redefinition of symbol named '{name}'");
        diags.push(
            Diag::error(&codes::DUPLICATE_SYMBOL, message)
                .label(module.span(op), "defined again here")
                .label(module.span(first), "first defined here")
                .help("rename one of the two")
                .mlir_aie(MlirAieReport::plain(text).at(module.span(op))),
        );
    }
}

/// Whether `op` may have the name of `other`.
fn goes_with(module: &Module, op: Op, other: Op) -> bool {
    let named_by_fifo =
        module.kind(op) == OpKind::ShimDmaAllocation && module.kind(other) == OpKind::ObjectFifo;
    // Which end of the fifo it is for is found when fifos are lowered.
    named_by_fifo || types_an_allocation(module, op, other)
}

/// Whether `global` is the bare global that gives `channel`, a shim allocation or fifo of the same
/// name, its type, as designs of early 2025 write it.
fn types_an_allocation(module: &Module, global: Op, channel: Op) -> bool {
    module.kind(global) == OpKind::MemrefGlobal
        && module
            .attr(global, "initial_value")
            .is_none_or(|v| *v == Attr::Unit)
        && matches!(
            module.kind(channel),
            OpKind::ShimDmaAllocation | OpKind::ObjectFifo
        )
}

/// The name by which an operation is known in its table, written or by default.
fn symbol_name(module: &Module, op: Op) -> Option<String> {
    let default = match module.kind(op) {
        OpKind::Device => Some("main"),
        OpKind::RuntimeSequence => Some("sequence"),
        _ => None,
    };
    module
        .str_attr(op, "sym_name")
        .or(default)
        .map(str::to_string)
}

/// A reference's attribute, and the operations that it may name.
struct Reference {
    attr: &'static str,
    what: &'static str,
    kinds: &'static [OpKind],
}

/// The symbol references of operations, by kind of operation.
fn reference_of(kind: OpKind) -> Option<Reference> {
    use OpKind::*;
    const CHANNEL: &[OpKind] = &[ShimDmaAllocation, ObjectFifo, RouteEndpoint];
    let of = |attr, what, kinds| Some(Reference { attr, what, kinds });
    match kind {
        ObjectFifoAcquire | ObjectFifoRelease => of(
            "objFifo_name",
            "an object fifo",
            &[ObjectFifo, CoreEndpoint],
        ),
        ObjectFifoAllocate | ObjectFifoRegisterExternalBuffers | ObjectFifoRegisterProcess => {
            of("objFifo_name", "an object fifo", &[ObjectFifo])
        }
        NpuDmaMemcpyNd => of("metadata", "a shim DMA allocation or object fifo", CHANNEL),
        NpuDmaWait => of("symbol", "a shim DMA allocation or object fifo", CHANNEL),
        DmaConfigureTaskFor | DmaStartBdChainFor => {
            of("alloc", "a shim DMA allocation or object fifo", CHANNEL)
        }
        DmaStartBdChain => of("symbol", "a BD chain", &[BdChain]),
        NpuRtpWrite => of("buffer", "a buffer", &[Buffer]),
        MemrefGetGlobal => of("name", "a global", &[MemrefGlobal]),
        FuncCall => of("callee", "a function", &[FuncFunc]),
        _ => None,
    }
}

fn references(module: &Module, device: Op, mode: VerifyMode, diags: &mut Diags) {
    let symbols = SymbolTable::of(module, device);
    let outer = SymbolTable::of(module, module.top());
    let devices = module.children::<Device>(module.top());
    let mut others: BTreeMap<String, SymbolTable> = BTreeMap::new();
    for op in module.walk(device) {
        let Some(reference) = reference_of(module.kind(op)) else {
            continue;
        };
        let Some(Attr::Symbol(symbol)) = module.attr(op, reference.attr) else {
            continue;
        };
        let name = symbol.leaf();
        let target = match symbol.path.len() {
            1 => symbols.get(name).or_else(|| outer.get(name)),
            _ => {
                let root = symbol.root();
                let Some(other) = devices.iter().find(|d| d.name(module) == root) else {
                    let names = devices.iter().map(|d| format!("`@{}`", d.name(module)));
                    let names: Vec<String> = names.collect();
                    let message = format!("`{symbol}` names no device of this module");
                    let diag = Diag::error(&codes::SYMBOL, message)
                        .label(module.span(op), "referred to here")
                        .help(format!("devices of this module: {}", names.join(", ")));
                    diags.push(diag);
                    continue;
                };
                let table = others
                    .entry(root.to_string())
                    .or_insert_with(|| SymbolTable::of(module, other.op()));
                table.get(name)
            }
        };
        match target {
            Some(target) if reference.kinds.contains(&module.kind(target)) => {}
            Some(target) => {
                let message = format!("`@{name}` isn't {}", reference.what);
                let diag = Diag::error(&codes::SYMBOL, message)
                    .label(module.span(op), "referred to here")
                    .label(module.span(target), format!("`{}`", module.op_name(target)))
                    .help(format!("name {}", reference.what));
                // mlir-aie looks for the symbol's channel when it lowers sequences.
                match module.kind(target) {
                    OpKind::MemrefGlobal => diags.extend(mode.of_whole(diag)),
                    _ => diags.push(diag),
                }
            }
            None => {
                let of_kind = symbols
                    .iter()
                    .filter(|(_, op)| reference.kinds.contains(&module.kind(*op)))
                    .map(|(name, _)| name);
                let help = match did_you_mean(name, of_kind) {
                    Some(close) => format!("did you mean `@{close}`?"),
                    None => format!("define {} of that name in the device", reference.what),
                };
                let text = "couldn't find symbol in parent device";
                let mlir_aie = MlirAieReport::op(module.op_name(op), text).at(module.span(op));
                let diag = Diag::error(&codes::SYMBOL, format!("`@{name}` names nothing"))
                    .label(module.span(op), "referred to here")
                    .help(help)
                    .mlir_aie(mlir_aie);
                match module.kind(op) {
                    OpKind::DmaConfigureTaskFor
                    | OpKind::DmaStartBdChain
                    | OpKind::DmaStartBdChainFor
                    | OpKind::NpuDmaMemcpyNd
                    | OpKind::NpuRtpWrite => diags.extend(mode.of_whole(diag)),
                    _ => diags.push(diag),
                }
            }
        }
    }
}
