//! `aie-expand-load-pdi`: a load of a device becomes the load of an empty one, which lets the
//! firmware reset the array, and the writes that configure the device
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEExpandLoadPdi.cpp`).
//!
//! The empty devices `@empty_0` and `@empty_1` take turns: firmware skips a load of what it loaded
//! last. The writes are those of a compilation ([`crate::configure`]).
//!
//! It is a step for hosts with NPU firmware. Control code has no firmware that resets: a
//! compilation makes sections of its loads, which reset what they need ([`crate::reconfigure`]).

use aiec_aie::ir::{InsertPoint, Loc, Module, SymbolTable};
use aiec_aie::ops::{Device, NpuLoadPdi, OpKind, OpView};
use aiec_diag::{Diag, MlirAieReport, Reported};

use crate::configure::device_configuration;
use crate::infra::pass::{PassContext, PassDef};
use crate::mlir_aie_compat::aie_to_transaction::write_here;
use crate::sequence::codes::UNSUPPORTED;
use crate::sequence::device_named;
use aiec_codegen::CorePrograms;

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-expand-load-pdi", run)
    .summary("Make loads of devices resets by an empty device and writes of their configuration")
    .postconditions(&[
        "every load in a runtime sequence is of an empty device, or says `expand_mode = 0`",
    ]);

/// Expansions of a load, as `expand_mode` numbers them (`mlir-aie: AIEX.td`, ExpandMode): none,
/// register writes, control packets.
const KEEP: i64 = 0;
const CONTROL_PACKETS: i64 = 2;
/// Empty devices that take turns.
const TURNS: usize = 2;

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let mut result = Ok(());
    let mut turn = 0;
    for load in module.find_all::<NpuLoadPdi>(module.top()) {
        let mode = module.int_attr(load.op(), "expand_mode");
        let Some(name) = load.device_ref(module).filter(|_| mode != Some(KEEP)) else {
            continue;
        };
        let name = name.to_string();
        if mode == Some(CONTROL_PACKETS) {
            let diag = Diag::error(&UNSUPPORTED, "this load asks for control packets")
                .label(module.span(load.op()), "here")
                .help(
                    "leave `expand_mode` out; --aie-txn-to-control-packet makes control packets \
                     of the writes",
                );
            result = Err(context.fail(diag));
            continue;
        }
        result = result.and(expand(module, load, &name, turn, context));
        turn += 1;
    }
    result
}

fn expand(
    module: &mut Module,
    load: NpuLoadPdi,
    name: &str,
    turn: usize,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let op = load.op();
    let loaded = device_named(module, name).map_err(|diag| {
        let text = format!("Referenced symbol '{name}' is not a device");
        let diag = diag.label(module.span(op), "loaded here");
        context.fail(diag.mlir_aie(MlirAieReport::plain(text)))
    })?;
    let Some(model) = loaded.model(module) else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    let around = Device::around(module, op);
    let sequence = module.ancestor(op, OpKind::RuntimeSequence);
    let (Some(around), Some(sequence)) = (around, sequence) else {
        // The verifier reports loads outside of sequences.
        return Ok(());
    };
    let mut programs = CorePrograms::default();
    let writes = device_configuration(module, loaded.op(), &mut programs, context.diags)?.join();
    let loc = module.derived_loc(context.pass, op);
    let empty = empty_device(module, loaded, turn % TURNS, loc);
    let load = NpuLoadPdi(op);
    let (id, size, address) = (load.id(module), load.size(module), load.address(module));
    NpuLoadPdi::build(module, loc)
        .device_ref(empty)
        .id(id)
        .size(size)
        .address(address)
        .expand_mode(KEEP as i32)
        .insert(InsertPoint::Before(op));
    let mut symbols = SymbolTable::of(module, around.op());
    let data = format!("loadpdi_{turn}_config_blockwrite_data");
    let place = (model, InsertPoint::Before(op));
    let count = write_here(
        module,
        &mut symbols,
        writes,
        (sequence, &data),
        place,
        context.diags,
    )?;
    module.erase(op);
    context.count("operations", count);
    Ok(())
}

/// The name of an empty device of the same kind, made at the start of the module if there is none.
fn empty_device(module: &mut Module, like: Device, turn: usize, loc: Loc) -> String {
    let name = format!("empty_{turn}");
    let devices = module.children::<Device>(module.top());
    if devices.iter().any(|d| d.name(module) == name) {
        return name;
    }
    let start = InsertPoint::Start(module.body());
    let kind = like.device(module);
    let device = Device::build(module, loc, kind).sym_name(name.as_str());
    device.insert_ended(start);
    name
}
