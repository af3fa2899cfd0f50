//! The device whose sequences hosts start, where several configurations share an array: `aie.device … {aiex.entry_device =
//! {reconfig_method = "…"}}` (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEApplyReconfigMethod.cpp`,
//! `AIESplitConfigureEntries.cpp`; before they had these names, the attribute was `aiex.entrypoint`).
//!
//! * `aie-split-configure-entries` makes a sequence of each `aiex.configure` of a sequence, so that each configuration
//!   is started by itself;
//! * `aie-apply-reconfig-method` decides where the array is reset:
//!
//! | method | resets |
//! | --- | --- |
//! | `loadpdi` | each sequence keeps its load, which resets the array |
//! | `write32` | a sequence `@init` has the load of the first one, and what is before it; the others load nothing |
//! | `ctrlpkt` | `@init` has the load of the first one, and the stream of control packets as its argument; the others load nothing |
//!
//! Both are for users who lower step by step. A compilation resets what a configuration needs by itself
//! ([`crate::reconfigure`]).

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, ValueMap};
use aiec_aie::ops::{Configure, Device, NpuLoadPdi, OpKind, OpView, RuntimeSequence};
use aiec_diag::{Diag, MlirAieReport, Reported, codes, named_enum};

use crate::infra::pass::{PassContext, PassDef};

codes! {
    /// Codes of entry devices.
    pub static CODES;
    BAD_ENTRY = "entry::bad-sequence",
        "The sequences of an entry device (`aiex.entry_device`) are those that hosts start, one for each configuration. The method \
         of reconfiguration decides where they reset the array: `loadpdi` in each of them, `write32` and `ctrlpkt` in a \
         sequence `@init` that is started first. So each loads one device, and to be split a sequence holds configurations only.";
}

/// The pass that splits.
pub static SPLIT: PassDef = PassDef::of_module("aie-split-configure-entries", split)
    .summary("Make a runtime sequence of each configuration that an entry device's sequences run")
    .postconditions(&["a sequence of an entry device has at most one aiex.configure"]);

/// The pass that places resets.
pub static METHOD: PassDef = PassDef::of_module("aie-apply-reconfig-method", apply)
    .summary("Place the resets of an entry device's sequences by its method of reconfiguration")
    .postconditions(&[
        "with the methods write32 and ctrlpkt, an entry device loads in its sequence @init only",
    ]);

/// Names of the attribute, the present one first.
const ENTRY: [&str; 2] = ["aiex.entry_device", "aiex.entrypoint"];
/// Key of the method in it.
const METHOD_KEY: &str = "reconfig_method";
/// The sequence that resets.
const INIT: &str = "init";

named_enum! {
    /// Way in which hosts reconfigure the array.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum ReconfigMethod {
        /// Loads of PDIs.
        LoadPdi => "loadpdi",
        /// Register writes.
        Write32 => "write32",
        /// Control packets.
        ControlPackets => "ctrlpkt",
    }
}

/// The marked devices, each with its mark.
fn entry_devices(module: &Module) -> Vec<(Device, Attr)> {
    let devices = module.children::<Device>(module.top()).into_iter();
    let mark = |device: Device| {
        let mut marks = ENTRY.iter().filter_map(|key| module.attr(device.op(), key));
        Some((device, marks.next()?.clone()))
    };
    devices.filter_map(mark).collect()
}

fn bad(module: &Module, op: Op, message: impl Into<String>, help: &str) -> Diag {
    Diag::error(&BAD_ENTRY, message)
        .label(module.span(op), "here")
        .help(help)
}

// ---- a sequence for each configuration ----

fn split(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let mut result = Ok(());
    for (device, _) in entry_devices(module) {
        for sequence in module.children::<RuntimeSequence>(device.op()) {
            if let Err(diag) = split_sequence(module, sequence, context) {
                result = Err(context.fail(*diag));
            }
        }
    }
    result
}

fn split_sequence(
    module: &mut Module,
    sequence: RuntimeSequence,
    context: &mut PassContext<'_>,
) -> Result<(), Box<Diag>> {
    let Some(body) = module.entry(sequence.op(), 0) else {
        return Ok(());
    };
    let ops = module.ops_in(body);
    let is_configure = |op: &Op| module.kind(*op) == OpKind::Configure;
    if ops.iter().filter(|op| is_configure(op)).count() < 2 {
        return Ok(());
    }
    if let Some(other) = ops.iter().find(|op| !is_configure(op)) {
        let name = module.op_name(*other);
        let message = format!("a sequence that is split holds configurations only, not `{name}`");
        let text = format!(
            "the marked host runtime sequence must contain only aiex.configure ops; found '{name}'"
        );
        let help = "move it into the aiex.configure that needs it";
        let diag = bad(module, *other, message, help);
        return Err(Box::new(diag.mlir_aie(MlirAieReport::plain(text))));
    }
    let parameters = module.block_args(body).to_vec();
    for (n, configure) in ops.into_iter().enumerate() {
        let name = format!("{}_{n}", Configure(configure).symbol(module));
        let loc = module.derived_loc(context.pass, configure);
        let new = RuntimeSequence::build(module, loc)
            .sym_name(name.as_str())
            .body()
            .insert(InsertPoint::Before(sequence.op()));
        let Some(block) = module.entry(new, 0) else {
            continue;
        };
        let mut map = ValueMap::new();
        for parameter in &parameters {
            let ty = module.ty(*parameter).clone();
            map.map(*parameter, module.add_block_arg(block, ty));
        }
        module.move_to(configure, InsertPoint::End(block));
        for op in module.walk(configure).collect::<Vec<_>>() {
            let operands: Vec<_> = module.operands(op).map(|value| map.get(value)).collect();
            for (at, value) in operands.into_iter().enumerate() {
                if module.operand(op, at) != Some(value) {
                    module.set_operand(op, at, value);
                }
            }
        }
        context.count("sequences", 1);
    }
    module.erase(sequence.op());
    Ok(())
}

// ---- where the array is reset ----

fn apply(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let mut result = Ok(());
    for (device, mark) in entry_devices(module) {
        let done = method(module, device, &mark)
            .and_then(|method| place_resets(module, device, method, context));
        if let Err(diag) = done {
            result = Err(context.fail(*diag));
        }
    }
    result
}

fn method(module: &Module, device: Device, mark: &Attr) -> Result<ReconfigMethod, Box<Diag>> {
    let written = match mark {
        Attr::Dict(entries) => entries.iter().find(|(key, _)| &**key == METHOD_KEY),
        _ => None,
    };
    let name = written.and_then(|(_, value)| value.as_str());
    let name = name.map_or("", |name| &**name);
    ReconfigMethod::by_name(name).ok_or_else(|| {
        let message = format!("there is no method of reconfiguration `{name}`");
        let names = ReconfigMethod::NAMES.join(", ");
        let help = format!("write {{{METHOD_KEY} = \"…\"}} with one of {names}");
        let text = format!("unrecognized {METHOD_KEY} '{name}' on the entry-device marker");
        let diag = bad(module, device.op(), message, &help);
        Box::new(diag.mlir_aie(MlirAieReport::plain(text)))
    })
}

/// The loads in the body of a sequence itself.
fn loads(module: &Module, sequence: RuntimeSequence) -> Vec<Op> {
    let body = module.entry(sequence.op(), 0);
    let ops = body.map_or_else(Vec::new, |body| module.ops_in(body));
    let is_load = |op: &Op| NpuLoadPdi::cast(module, *op).is_some();
    ops.into_iter().filter(is_load).collect()
}

fn place_resets(
    module: &mut Module,
    device: Device,
    method: ReconfigMethod,
    context: &mut PassContext<'_>,
) -> Result<(), Box<Diag>> {
    let mut entries = Vec::new();
    for sequence in module.children::<RuntimeSequence>(device.op()) {
        let loads = loads(module, sequence);
        let is_empty = |body| module.first_op(body).is_none();
        let nothing = module.entry(sequence.op(), 0).is_none_or(is_empty);
        // A sequence that loads nothing is started between the others.
        if nothing || loads.is_empty() && method != ReconfigMethod::LoadPdi {
            continue;
        }
        let [load] = loads[..] else {
            let (name, count) = (sequence.name(module), loads.len());
            let message = format!("sequence `@{name}` loads {count} times, not once");
            let help = "let each sequence load one device: --aie-split-configure-entries makes a sequence of each";
            let text = format!(
                "expected exactly one load_pdi in runtime sequence '{name}', found {count}"
            );
            let diag = bad(module, sequence.op(), message, help);
            return Err(Box::new(diag.mlir_aie(MlirAieReport::plain(text))));
        };
        entries.push((sequence, load));
    }
    let Some((first, load)) = entries.first().copied() else {
        return Ok(());
    };
    if method == ReconfigMethod::LoadPdi {
        return Ok(());
    }
    let mut sequences = module.children::<RuntimeSequence>(device.op()).into_iter();
    if let Some(other) = sequences.find(|sequence| sequence.name(module) == INIT) {
        let message = format!("the device has a sequence `@{INIT}` already");
        let help = "name it otherwise: the one that resets the array gets that name";
        return Err(Box::new(bad(module, other.op(), message, help)));
    }
    let at = InsertPoint::Before(first.op());
    if method == ReconfigMethod::ControlPackets {
        stream_only(module, first, load, at, context)?;
    } else {
        let mut map = ValueMap::new();
        let init = module.clone_op(first.op(), &mut map, at);
        RuntimeSequence(init).edit(module).sym_name(INIT);
        let body = module.entry(init, 0);
        let ops = body.map_or_else(Vec::new, |body| module.ops_in(body));
        let kept = ops
            .iter()
            .position(|op| module.kind(*op) == OpKind::NpuLoadPdi);
        let after = ops.into_iter().skip(kept.map_or(0, |kept| kept + 1));
        // Users before what they use.
        for op in after.collect::<Vec<_>>().into_iter().rev() {
            module.erase(op);
        }
    }
    for (_, load) in &entries {
        module.erase(*load);
        context.count("loads", 1);
    }
    Ok(())
}

/// Makes the sequence that loads what the first one loads, with the stream of control packets as its argument: the last
/// one of each sequence, which `aie-ctrl-packet-to-dma` appends.
fn stream_only(
    module: &mut Module,
    first: RuntimeSequence,
    load: Op,
    at: InsertPoint,
    context: &mut PassContext<'_>,
) -> Result<(), Box<Diag>> {
    let parameters = module
        .entry(first.op(), 0)
        .map(|body| module.block_args(body));
    let Some(stream) = parameters.and_then(|parameters| parameters.last().copied()) else {
        let name = first.name(module);
        let message = format!("sequence `@{name}` has no argument that holds its control packets");
        let help = "turn the packets into transfers first: --aie-ctrl-packet-to-dma";
        let text = format!("ctrlpkt entry sequence '{name}' has no block arguments");
        let diag = bad(module, first.op(), message, help);
        return Err(Box::new(diag.mlir_aie(MlirAieReport::plain(text))));
    };
    let ty = module.ty(stream).clone();
    let loc = module.derived_loc(context.pass, first.op());
    let init = RuntimeSequence::build(module, loc)
        .sym_name(INIT)
        .body()
        .insert(at);
    if let Some(body) = module.entry(init, 0) {
        module.add_block_arg(body, ty);
        module.clone_op(load, &mut ValueMap::new(), InsertPoint::End(body));
    }
    Ok(())
}
