//! `aie-expand-load-pdi`: a load of a device becomes the load of an empty one, which lets the
//! firmware reset the array, and the writes that configure the device
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEExpandLoadPdi.cpp`).
//!
//! The empty devices `@empty_0` and `@empty_1` take turns: firmware skips a load of what it loaded
//! last. Hosts run a sequence again and again, so one that would end with the load it begins with ends with
//! a load of the other. The writes are those of a compilation ([`crate::configure`]); with
//! `inline-config=false`, the default of mlir-aie, they stay one `aiex.npu.write_config`.
//!
//! It is a step for hosts with NPU firmware. Control code has no firmware that resets: a
//! compilation makes sections of its loads, which reset what they need ([`crate::reconfigure`]).

use aiec_aie::ir::{InsertPoint, Loc, Module, Op, SymbolTable};
use aiec_aie::ops::{Device, NpuLoadPdi, NpuWriteConfig, OpKind, OpView};
use aiec_diag::{Diag, MlirAieReport, Reported};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::configure::device_configuration;
use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};
use crate::mlir_aie_compat::aie_to_transaction::write_here;
use crate::sequence::codes::UNSUPPORTED;
use crate::sequence::device_named;
use aiec_codegen::CorePrograms;

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-expand-load-pdi", |module, context| {
    run(module, &context.options()?, context)
})
.summary("Make loads of devices resets by an empty device and writes of their configuration")
.postconditions(&[
    "every load in a runtime sequence is of an empty device, or says `expand_mode = 0`",
])
.options(<ExpandOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-expand-load-pdi`.
    pub(crate) struct ExpandOptions {
        /// Whether configurations are register writes.
        pub(crate) inline_config: bool = OptionDef::flag(
        "inline-config",
        true,
        "write configurations as register writes instead of aiex.npu.write_config",
    ),
    }
}

/// Expansions of a load, as `expand_mode` numbers them (`mlir-aie: AIEX.td`, ExpandMode): none,
/// register writes, control packets.
const KEEP: i64 = 0;
const CONTROL_PACKETS: i64 = 2;
/// Empty devices that take turns.
const TURNS: usize = 2;

/// Turns of the empty devices that a sequence loads first and last, and a device of their kind.
struct Turns {
    first: usize,
    last: usize,
    like: Device,
}

fn run(
    module: &mut Module,
    options: &ExpandOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let mut result = Ok(());
    let mut turn = 0;
    let mut sequences: IndexMap<Op, Turns, FxBuildHasher> = IndexMap::default();
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
        match expand(module, load, &name, turn % TURNS, context) {
            Ok(Some((sequence, like))) => {
                let turns = sequences.entry(sequence).or_insert(Turns {
                    first: turn % TURNS,
                    last: turn % TURNS,
                    like,
                });
                turns.last = turn % TURNS;
            }
            // The verifier reports unknown devices and loads outside of sequences.
            Ok(None) => {}
            Err(Reported) => result = Err(Reported),
        }
        turn += 1;
    }
    result?;
    for (sequence, turns) in sequences {
        if turns.first == turns.last
            && let Some(body) = module.entry(sequence, 0)
        {
            let loc = module.derived_loc(context.pass, sequence);
            let other = empty_device(module, turns.like, (turns.last + 1) % TURNS, loc);
            NpuLoadPdi::build(module, loc)
                .device_ref(other)
                .expand_mode(KEEP as i32)
                .insert(InsertPoint::End(body));
        }
    }
    if options.inline_config {
        write_out(module, context)?;
    }
    Ok(())
}

/// Puts a reset and `aiex.npu.write_config` in the place of a load. Returns the sequence, and the loaded device.
fn expand(
    module: &mut Module,
    load: NpuLoadPdi,
    name: &str,
    turn: usize,
    context: &mut PassContext<'_>,
) -> Result<Option<(Op, Device)>, Reported> {
    let op = load.op();
    let loaded = device_named(module, name).map_err(|diag| {
        let text = format!("Referenced symbol '{name}' is not a device");
        let diag = diag.label(module.span(op), "loaded here");
        context.fail(diag.mlir_aie(MlirAieReport::plain(text)))
    })?;
    let sequence = module.ancestor(op, OpKind::RuntimeSequence);
    let Some(sequence) = sequence.filter(|_| loaded.model(module).is_some()) else {
        return Ok(None);
    };
    let loc = module.derived_loc(context.pass, op);
    let empty = empty_device(module, loaded, turn, loc);
    let (id, size, address) = (load.id(module), load.size(module), load.address(module));
    NpuLoadPdi::build(module, loc)
        .device_ref(empty)
        .id(id)
        .size(size)
        .address(address)
        .expand_mode(KEEP as i32)
        .insert(InsertPoint::Before(op));
    NpuWriteConfig::build(module, loc, name).insert(InsertPoint::Before(op));
    module.erase(op);
    context.count("operations", 2);
    Ok(Some((sequence, loaded)))
}

/// Writes out all configurations as register writes.
fn write_out(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let mut result = Ok(());
    for (n, written) in (module.find_all::<NpuWriteConfig>(module.top()).into_iter()).enumerate() {
        let op = written.op();
        let device = device_named(module, &written.device_ref(module));
        let device =
            device.map_err(|diag| context.fail(diag.label(module.span(op), "written here")))?;
        let around = Device::around(module, op);
        let sequence = module.ancestor(op, OpKind::RuntimeSequence);
        let (Some(model), Some(around), Some(sequence)) = (device.model(module), around, sequence)
        else {
            // The verifier reports unknown devices and operations outside of sequences.
            continue;
        };
        let mut programs = CorePrograms::default();
        let writes = device_configuration(module, device.op(), &mut programs, context.diags);
        let Ok(writes) = writes else {
            result = Err(Reported);
            continue;
        };
        let mut symbols = SymbolTable::of(module, around.op());
        let data = format!("loadpdi_{n}_config_blockwrite_data");
        let place = (model, InsertPoint::Before(op));
        let count = write_here(
            module,
            &mut symbols,
            writes.join(),
            (sequence, &data),
            place,
            context.diags,
        )?;
        module.erase(op);
        context.count("operations", count);
    }
    result
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
