//! `aie-lower-scratchpad-parameters`: named values that the host gives for each run become words of
//! the table that NPU firmware keeps (`mlir-aie:
//! lib/Dialect/AIEX/Transforms/AIELowerScratchpadParameters.cpp`).
//!
//! | operation | becomes |
//! | --- | --- |
//! | `aiex.scratchpad_parameter` | itself, with the number of its word and its kind |
//! | `aiex.read_scratchpad_parameter` | a load from a buffer of the core's tile, shifted right by 2 |
//! | `offset_parameter`, `length_parameter` of a transfer | `offset_state_table_idx`, `length_state_table_idx`, the number of the word |
//! | `aiex.sync_scratchpad_parameters_from_host` | the creation of the table, an update of each buffer from it, and a release of each core |
//!
//! The firmware adds a word to an address of 48 bits in two registers and clears bits 0 and 1. That
//! is why a buffer has two words, is zero before, and holds the value of a core times four, which
//! the host multiplies. A core waits for a lock before its body, so that it reads no value of the run
//! before. Words are numbered in the order of declarations in the module, because one table serves all
//! devices of it.

use aiec_aie::ir::{
    Attr, Block, FloatKind, InsertPoint, Module, Op, Signedness, SymbolTable, Type,
};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::{
    ArithBitcast, ArithConstant, ArithShRUI, ArithTruncI, Buffer, Core, Device, Lock, MemrefLoad,
    NpuCreateScratchpad, NpuUpdateFromScratchpad, NpuWrite32, OpKind, OpView,
    ReadScratchpadParameter, RuntimeSequence, ScratchpadParameter, SetLock,
    SyncScratchpadParametersFromHost, UseLock,
};
use aiec_device::TileLoc;
use aiec_diag::{Diag, Reported, codes};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::transfer::{ScratchpadTerm, WORD_BYTES, scratchpad_term};
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-lower-scratchpad-parameters", run)
    .summary("Lower parameters of runs to the table of NPU firmware")
    .postconditions(&[
        "every aiex.scratchpad_parameter has the number of its word and its kind",
        "no core reads a parameter but from a buffer, and no transfer names one",
        "no aiex.sync_scratchpad_parameters_from_host is left",
    ]);

codes! {
    /// Codes of `aie-lower-scratchpad-parameters`.
    pub static CODES;
    BAD_PARAMETER = "scratchpad::bad-parameter",
        "A scratchpad parameter is one of 32 words that the host gives NPU firmware for a run. It is an \
         integer of at most 32 bits or a bf16, as only 30 bits reach a core, and either cores read it or \
         transfers add it to their addresses: the two are written in different ways by the host. Lengths of \
         transfers take both.";
    UNKNOWN_PARAMETER = "scratchpad::unknown-parameter",
        "`offset_parameter` and `length_parameter` name an `aiex.scratchpad_parameter` of the module.";
    NEVER_GIVEN = "scratchpad::never-given",
        "Cores that read parameters wait until a runtime sequence of their device gives them. Each \
         sequence does so at its begin, or where it has `aiex.sync_scratchpad_parameters_from_host`, but \
         not with `emit_parameter_sync_preamble = false` alone.";
}

/// Most words of a scratchpad: those of the firmware's state table (`mlir-aie: lib/Dialect/AIEX/IR/AIEXDialect.cpp`).
pub(super) const STATE_TABLE_WORDS: i64 = 32;

/// Mark of a transfer whose length's parameter is one that cores read, too.
pub(super) const CORE_ENCODED: &str = "length_core_encoded";

/// Bits that the firmware clears.
pub(super) const CLEARED_BITS: i32 = 2;

/// Words that the firmware writes at once.
const UPDATED_WORDS: i64 = 2;

/// Who uses a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Cores read it: the host writes it shifted left by 2.
    Core = 0,
    /// Transfers add it to their addresses, in elements, or to their lengths, in units, and no core reads it.
    Address = 1,
}

impl ParameterKind {
    /// The kind of a parameter, after the pass.
    pub fn of(module: &Module, parameter: ScratchpadParameter) -> ParameterKind {
        if parameter.kind(module) == Some(ParameterKind::Address as i32) {
            ParameterKind::Address
        } else {
            ParameterKind::Core
        }
    }
}

/// The name of the module's parameter in a word of the table, where the pass has run.
pub(super) fn parameter_at(module: &Module, index: i64) -> Option<&str> {
    let parameters = module.children::<ScratchpadParameter>(module.top());
    let mut parameters = parameters.into_iter();
    let found = parameters.find(|p| p.state_table_idx(module) == Some(index))?;
    module.str_attr(found.op(), "sym_name")
}

/// The type that a parameter is declared with.
pub fn declared_type(module: &Module, parameter: ScratchpadParameter) -> Option<&Type> {
    match module.attr(parameter.op(), "type") {
        Some(Attr::Type(ty)) => Some(ty),
        _ => None,
    }
}

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let parameters = number(module, context)?;
    let mut named = Ok(());
    let ops = module.walk(module.top());
    let transfers: Vec<Op> = ops.filter(|op| is_transfer(module, *op)).collect();
    for op in transfers {
        for term in ScratchpadTerm::ALL {
            if module.attr(op, term.parameter()).is_some() {
                named = named.and(name_word(module, op, term, &parameters, context));
            }
        }
    }
    named?;
    for read in module.find_all::<ReadScratchpadParameter>(module.top()) {
        check_read(module, read, &parameters, context);
    }
    context.diags.check()?;
    for device in module.find_all::<Device>(module.top()) {
        lower_device(module, device, &parameters, context);
    }
    Ok(())
}

/// Words by the names of parameters.
struct Parameters {
    by_name: FxHashMap<String, (u8, ScratchpadParameter)>,
}

/// Gives each parameter its word and kind.
fn number(module: &mut Module, context: &mut PassContext<'_>) -> Result<Parameters, Reported> {
    let declared = module.find_all::<ScratchpadParameter>(module.top());
    let most = STATE_TABLE_WORDS as usize;
    if let Some(extra) = declared.get(most) {
        let message = format!("{} parameters, the table has {most} words", declared.len());
        let diag = Diag::error(&BAD_PARAMETER, message)
            .label(module.span(extra.op()), "the first without a word")
            .help("pass the rest in a buffer that a transfer moves into the tile");
        return Err(context.fail(diag));
    }
    let mut by_name = FxHashMap::default();
    if declared.is_empty() {
        return Ok(Parameters { by_name });
    }
    let uses = Uses::of(module);
    for (index, parameter) in (0u8..).zip(declared) {
        let name = parameter.sym_name(module).to_string();
        check_type(module, parameter, &name, context);
        let earlier = by_name.insert(name.clone(), (index, parameter));
        if let Some((_, earlier)) = earlier {
            let diag = Diag::error(
                &BAD_PARAMETER,
                format!("two parameters are called `@{name}`"),
            )
            .label(module.span(parameter.op()), "this one")
            .label(module.span(earlier.op()), "and this one")
            .help("the host knows them by their names: give each its own");
            context.report(diag);
        }
        let (read, added) = (uses.reads.get(&name), uses.offsets.get(&name));
        let is_length = uses.lengths.contains(&name);
        if let (Some(read), Some(added)) = (read, added) {
            let message = format!("`@{name}` is read by a core and added to an address");
            let diag = Diag::error(&BAD_PARAMETER, message)
                .label(module.span(parameter.op()), "declared here")
                .label(module.span(*read), "read here")
                .label(module.span(*added), "added here")
                .help(
                    "declare two: the host writes one as it is, the other shifted left by 2 bits",
                );
            context.report(diag);
        }
        let kind = match (read, added) {
            (_, Some(_)) => ParameterKind::Address,
            (Some(_), None) => ParameterKind::Core,
            (None, None) if is_length => ParameterKind::Address,
            // After an earlier run transfers name words, not parameters.
            (None, None) => ParameterKind::of(module, parameter),
        };
        module.set_attr(parameter.op(), "state_table_idx", Attr::ui8(index));
        module.set_attr(parameter.op(), "kind", Attr::i32(kind as i32));
        context.count("parameters", 1);
    }
    Ok(Parameters { by_name })
}

/// Whether an operation can name parameters as its numbers.
fn is_transfer(module: &Module, op: Op) -> bool {
    matches!(module.kind(op), OpKind::NpuDmaMemcpyNd | OpKind::DmaBd)
}

/// First uses of parameters by their names.
#[derive(Default)]
struct Uses {
    reads: FxHashMap<String, Op>,
    offsets: FxHashMap<String, Op>,
    /// Parameters that lengths name.
    lengths: FxHashSet<String>,
}

impl Uses {
    fn of(module: &Module) -> Uses {
        let mut uses = Uses::default();
        let named = |op, key| module.symbol_attr(op, key).map(str::to_string);
        for op in module.walk(module.top()) {
            if module.kind(op) == OpKind::ReadScratchpadParameter {
                if let Some(name) = named(op, "parameter") {
                    uses.reads.entry(name).or_insert(op);
                }
            } else if is_transfer(module, op) {
                if let Some(name) = named(op, ScratchpadTerm::Offset.parameter()) {
                    uses.offsets.entry(name).or_insert(op);
                }
                uses.lengths
                    .extend(named(op, ScratchpadTerm::Length.parameter()));
            }
        }
        uses
    }
}

/// Whether the 30 bits that reach a core hold the type, or 32 with the highest two clear.
fn fits(ty: &Type) -> bool {
    match ty {
        Type::Int { width, sign } => (1..=32).contains(width) && *sign == Signedness::Signless,
        ty => *ty == Type::Float(FloatKind::BF16),
    }
}

fn check_type(
    module: &Module,
    parameter: ScratchpadParameter,
    name: &str,
    context: &mut PassContext<'_>,
) {
    let ty = declared_type(module, parameter);
    if ty.is_some_and(fits) {
        return;
    }
    let ty = ty.map_or_else(|| "unknown".to_string(), Type::to_string);
    let diag = Diag::error(&BAD_PARAMETER, format!("`@{name}` is of type {ty}"))
        .label(module.span(parameter.op()), "declared here")
        .help("parameters are integers, i1 to i32, or bf16");
    context.report(diag);
}

/// Checks that a core reads a type that parameters have; its bits are those of the declared type.
fn check_read(
    module: &Module,
    read: ReadScratchpadParameter,
    parameters: &Parameters,
    context: &mut PassContext<'_>,
) {
    let name = read.parameter(module).to_string();
    let Some(ty) = module.result(read.op(), 0).map(|value| module.ty(value)) else {
        return;
    };
    let declared = parameters
        .by_name
        .get(&name)
        .map(|(_, parameter)| *parameter);
    let declared_ty = declared.and_then(|parameter| declared_type(module, parameter));
    if !fits(ty) {
        let diag = Diag::error(&BAD_PARAMETER, format!("`@{name}` is read as {ty}"))
            .label(module.span(read.op()), "here")
            .help("read an integer, i1 to i32, or a bf16, and convert it");
        context.report(diag);
    } else if let Some(declared_ty) = declared_ty.filter(|declared| *declared != ty) {
        let message = format!("`@{name}` is read as {ty} and declared as {declared_ty}");
        let diag = Diag::warning(&BAD_PARAMETER, message)
            .label(module.span(read.op()), "read here")
            .label(declared.and_then(|p| module.span(p.op())), "declared here")
            .help("the core gets the lowest bits as they are: read the declared type");
        context.report(diag);
    }
}

/// Names the word of a transfer's parameter.
fn name_word(
    module: &mut Module,
    op: Op,
    term: ScratchpadTerm,
    parameters: &Parameters,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let name = module.symbol_attr(op, term.parameter()).unwrap_or_default();
    let Some((index, parameter)) = parameters.by_name.get(name).copied() else {
        let message = format!("there is no scratchpad parameter `@{name}`");
        let diag = Diag::error(&UNKNOWN_PARAMETER, message)
            .label(module.span(op), "named here")
            .help(format!(
                "declare it in the module, before its devices: aiex.scratchpad_parameter @{name} : i32"
            ));
        return Err(context.fail(diag));
    };
    let ty = declared_type(module, parameter);
    if let Some(ty) = ty.filter(|ty| **ty != Type::I32) {
        let (number, unit) = match term {
            ScratchpadTerm::Offset => ("an address", "offsets count elements of the transfer"),
            ScratchpadTerm::Length => ("a length", "lengths count units of the transfer"),
        };
        let message = format!("`@{name}` of type {ty} is added to {number}");
        let diag = Diag::error(&BAD_PARAMETER, message)
            .label(module.span(op), "here")
            .label(module.span(parameter.op()), "declared here")
            .help(format!("{unit}: declare the parameter as i32"));
        return Err(context.fail(diag));
    }
    let by_core = ParameterKind::of(module, parameter) == ParameterKind::Core;
    module.remove_attr(op, term.parameter());
    module.set_attr(op, term.index(), Attr::ui8(index));
    if term == ScratchpadTerm::Length && by_core {
        module.set_attr(op, CORE_ENCODED, Attr::Unit);
    }
    Ok(())
}

/// A buffer that the firmware writes a word into.
struct Destination {
    index: u8,
    buffer: String,
}

fn lower_device(
    module: &mut Module,
    device: Device,
    parameters: &Parameters,
    context: &mut PassContext<'_>,
) {
    let reads = module.find_all::<ReadScratchpadParameter>(device.op());
    // Without a parameter there is nothing to give, whatever words transfers name.
    let with_terms = !parameters.by_name.is_empty()
        && module
            .walk(device.op())
            .any(|op| is_transfer(module, op) && scratchpad_term(module, op).is_some());
    let (cores, sequences) = (
        module.find_all::<Core>(device.op()),
        module.find_all::<RuntimeSequence>(device.op()),
    );
    let waiting: Vec<Core> = cores
        .into_iter()
        .filter(|core| {
            let asked = core.emit_parameter_sync_preamble(module);
            let reads = || {
                !module
                    .find(core.op(), OpKind::ReadScratchpadParameter)
                    .is_empty()
            };
            asked.unwrap_or_else(reads)
        })
        .collect();
    let giving: Vec<RuntimeSequence> = sequences
        .into_iter()
        .filter(|sequence| {
            let asked = sequence.emit_parameter_sync_preamble(module);
            let marker = OpKind::SyncScratchpadParametersFromHost;
            let marked = !module.find(sequence.op(), marker).is_empty();
            asked.unwrap_or((with_terms || !reads.is_empty()) && !marked)
        })
        .collect();
    let mut destinations = Vec::new();
    lower_reads(
        module,
        device,
        &reads,
        parameters,
        (&mut destinations, context),
    );
    let locks: Vec<Op> = waiting
        .iter()
        .filter_map(|core| wait_in(module, *core, context))
        .collect();
    for sequence in giving {
        let loc = module.derived_loc(context.pass, sequence.op());
        if let Some(body) = body_of(module, sequence) {
            SyncScratchpadParametersFromHost::build(module, loc).insert(InsertPoint::Start(body));
        }
        let load = module
            .find(sequence.op(), OpKind::NpuLoadPdi)
            .first()
            .copied();
        if let (Some(load), false) = (load, reads.is_empty()) {
            let message = "parameters are given at the begin of the sequence, and a load after it resets the array";
            let diag = Diag::warning(&NEVER_GIVEN, message)
                .label(module.span(load), "this load")
                .help("put aiex.sync_scratchpad_parameters_from_host after the load");
            context.report(diag);
        }
        sequence.edit(module).emit_parameter_sync_preamble(false);
    }
    let markers = module.find_all::<SyncScratchpadParametersFromHost>(device.op());
    if let (Some(first), true) = (waiting.first(), markers.is_empty()) {
        let message = "cores wait for parameters that no runtime sequence of the device gives";
        let diag = Diag::warning(&NEVER_GIVEN, message)
            .label(module.span(first.op()), "this core waits")
            .help("put aiex.sync_scratchpad_parameters_from_host into the sequence, after loads");
        context.report(diag);
    }
    let bytes = parameters.by_name.len() as u32 * WORD_BYTES as u32;
    for marker in markers {
        give(
            module,
            marker.op(),
            bytes,
            (&destinations, &locks),
            context.pass,
        );
    }
}

/// The block of a sequence; an empty sequence gets one.
fn body_of(module: &mut Module, sequence: RuntimeSequence) -> Option<Block> {
    let region = *module.regions_of(sequence.op()).first()?;
    let first = module.blocks_of(region).first().copied();
    Some(first.unwrap_or_else(|| module.add_block(region)))
}

/// Turns reads of cores into loads; `destinations` gets the buffers, one for each parameter and tile.
fn lower_reads(
    module: &mut Module,
    device: Device,
    reads: &[ReadScratchpadParameter],
    parameters: &Parameters,
    (destinations, context): (&mut Vec<Destination>, &mut PassContext<'_>),
) {
    if reads.is_empty() {
        return;
    }
    let mut symbols = SymbolTable::of(module, device.op());
    let mut counter = 0usize;
    let mut buffers = FxHashMap::default();
    for read in reads {
        let name = read.parameter(module).to_string();
        let core = module.ancestor(read.op(), OpKind::Core);
        let tile = core.and_then(|core| Core(core).tile(module));
        let Some((index, _)) = parameters.by_name.get(&name).copied() else {
            // The verifier reports unknown names.
            continue;
        };
        let Some((tile, tile_op)) = tile.and_then(|tile| Some((tile, module.def_op(tile)?))) else {
            continue;
        };
        let buffer = match buffers.get(&(name.clone(), tile)) {
            Some(buffer) => *buffer,
            None => {
                let place = core.and_then(|core| Core(core).tile_loc(module));
                let symbol = buffer_name(&symbols, &name, place, &mut counter);
                let loc = module.derived_loc(context.pass, read.op());
                let buffer = Buffer::build(module, loc, tile)
                    .sym_name(symbol.clone())
                    .insert_value(
                        Type::memref([UPDATED_WORDS], Type::I32),
                        InsertPoint::After(tile_op),
                    );
                if let Some(op) = module.def_op(buffer) {
                    symbols.insert(symbol.clone(), op);
                }
                destinations.push(Destination {
                    index,
                    buffer: symbol,
                });
                buffers.insert((name, tile), buffer);
                context.count("buffers", 1);
                buffer
            }
        };
        let loc = module.derived_loc(context.pass, read.op());
        let at = InsertPoint::Before(read.op());
        let zero = ArithConstant::int(module, loc, 0, Type::Index, at);
        let raw = MemrefLoad::build(module, loc, buffer)
            .operand(zero)
            .insert_value(Type::I32, at);
        let shift = ArithConstant::i32(module, loc, CLEARED_BITS, at);
        let whole = ArithShRUI::build(module, loc, raw, shift).insert_value(Type::I32, at);
        let Some(result) = module.result(read.op(), 0) else {
            continue;
        };
        let value = match module.ty(result).clone() {
            Type::I32 => whole,
            Type::Float(kind) => {
                let bits = ArithTruncI::build(module, loc, whole).insert_value(Type::I16, at);
                ArithBitcast::build(module, loc, bits).insert_value(Type::Float(kind), at)
            }
            narrow => ArithTruncI::build(module, loc, whole).insert_value(narrow, at),
        };
        module.replace_all_uses(result, value);
        module.erase(read.op());
    }
}

/// A free name, as mlir-aie makes it: parameter, column, row, and a number that counts on.
fn buffer_name(
    symbols: &SymbolTable,
    parameter: &str,
    place: Option<TileLoc>,
    counter: &mut usize,
) -> String {
    let place = place.map_or_else(String::new, |tile| format!("{}_{}_", tile.col, tile.row));
    loop {
        let name = format!("__param_{parameter}_{place}{counter}");
        *counter += 1;
        if symbols.get(&name).is_none() {
            return name;
        }
    }
}

/// Lets a core wait for its parameters; the lock.
fn wait_in(module: &mut Module, core: Core, context: &mut PassContext<'_>) -> Option<Op> {
    let tile = core.tile(module)?;
    let tile_op = module.def_op(tile)?;
    let body = module.entry(core.op(), 0)?;
    let loc = module.derived_loc(context.pass, core.op());
    let lock = Lock::build(module, loc, tile)
        .init(0)
        .insert_value(Type::Index, InsertPoint::After(tile_op));
    let one = ArithConstant::i32(module, loc, 1, InsertPoint::Start(body));
    let at = module
        .def_op(one)
        .map_or(InsertPoint::Start(body), InsertPoint::After);
    UseLock::build(module, loc, lock, one, LockAction::Acquire).insert(at);
    core.edit(module).emit_parameter_sync_preamble(false);
    context.count("waiting cores", 1);
    module.def_op(lock)
}

/// Puts the operations that give parameters in place of their marker.
fn give(
    module: &mut Module,
    marker: Op,
    bytes: u32,
    (destinations, locks): (&[Destination], &[Op]),
    pass: &'static str,
) {
    let loc = module.derived_loc(pass, marker);
    let at = InsertPoint::Before(marker);
    if bytes > 0 {
        NpuCreateScratchpad::build(module, loc, bytes).insert(at);
    }
    for Destination { index, buffer } in destinations {
        let [address, value] = [0, 0].map(|word| ArithConstant::i32(module, loc, word, at));
        NpuWrite32::build(module, loc, address, value)
            .buffer(buffer.as_str())
            .insert(at);
        NpuUpdateFromScratchpad::build(module, loc, i64::from(*index), 0u32)
            .attr("state_table_idx", Attr::ui8(*index))
            .buffer(buffer.as_str())
            .insert(at);
    }
    for lock in locks {
        if let Some(lock) = module.result(*lock, 0) {
            SetLock::build(module, loc, lock, 1).insert(at);
        }
    }
    module.erase(marker);
}
