//! `aie-materialize-runtime-sequences`: what a sequence runs of other devices is in it
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEMaterializeRuntimeSequences.cpp`):
//!
//! | operation | becomes |
//! | --- | --- |
//! | `aiex.configure @device { … }` | `aiex.npu.load_pdi {device_ref = @device}` and what was in it |
//! | `aiex.run @sequence(…)` | the operations of that sequence |
//!
//! What these operations name of their device (tiles, locks, buffers, channels) is copied into the
//! caller's: tiles that it has already are shared, other names get a number if they are taken.
//! Constants are at the start of the sequence, each once.
//!
//! A compilation executes configures and runs as they are ([`crate::sequence`]), each on its own
//! device; this pass is for users who lower step by step.

mod copies;

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, SymbolTable, Type, Value, ValueMap};
use aiec_aie::ops::{
    ArithConstant, Configure, Device, NpuLoadPdi, OpKind, OpView, Run as RunOp, RuntimeSequence,
};
use aiec_diag::{Diag, MlirAieReport, Reported};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use self::copies::Copies;
use super::body_ops;
use crate::infra::pass::{PassContext, PassDef};
use crate::sequence::codes::{BAD_ARGUMENT, NO_SEQUENCE, RECURSION, UNSUPPORTED};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-materialize-runtime-sequences", run)
    .summary("Put what runtime sequences run of other devices in their place")
    .postconditions(&["no aiex.configure and no aiex.run remains"]);

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let devices = module.children::<Device>(module.top());
    let mut calls = Calls::default();
    let mut result = Ok(());
    let mut sequences = Vec::new();
    for device in &devices {
        for sequence in module.children::<RuntimeSequence>(device.op()) {
            sequences.push(sequence.op());
            result = result.and(calls.find(module, sequence.op(), context));
        }
    }
    result?;
    for sequence in &sequences {
        calls.acyclic(module, *sequence, context)?;
    }
    let mut work = Inlining {
        calls,
        done: FxHashSet::default(),
        last_copy: FxHashMap::default(),
    };
    for sequence in sequences {
        materialize(module, &mut work, sequence, context)?;
    }
    Ok(())
}

/// State of the pass.
struct Inlining {
    calls: Calls,
    /// Sequences that run nothing any more.
    done: FxHashSet<Op>,
    /// The operation that was copied last into each device: the next one follows it.
    last_copy: FxHashMap<Op, Op>,
}

/// The sequences that sequences run, by the `aiex.run`.
#[derive(Default)]
struct Calls {
    callee: FxHashMap<Op, Op>,
}

impl Calls {
    /// Finds what a sequence runs.
    fn find(
        &mut self,
        module: &Module,
        sequence: Op,
        context: &mut PassContext<'_>,
    ) -> Result<(), Reported> {
        let mut result = Ok(());
        for configure in module.find_all::<Configure>(sequence) {
            if let Err(diag) = device_named(module, &configure.symbol(module), configure.op()) {
                result = Err(context.fail(diag));
            }
        }
        for run in module.find_all::<RunOp>(sequence) {
            match callee(module, run) {
                Ok(callee) => {
                    self.callee.insert(run.op(), callee);
                }
                // A configure that names no device is reported already.
                Err(None) => result = Err(Reported),
                Err(Some(diag)) => result = Err(context.fail(diag)),
            }
        }
        result
    }

    /// Refuses a sequence that would run one that it runs already.
    fn acyclic(
        &self,
        module: &Module,
        sequence: Op,
        context: &mut PassContext<'_>,
    ) -> Result<(), Reported> {
        // Sequences that are done hold no cycle; the stack is the way to the one at hand.
        let mut done: FxHashSet<Op> = FxHashSet::default();
        let mut way = vec![(sequence, self.callees(module, sequence))];
        while let Some((at, left)) = way.last_mut() {
            let at = *at;
            let Some(next) = left.pop() else {
                done.insert(at);
                way.pop();
                continue;
            };
            if way.iter().any(|(on_way, _)| *on_way == next) {
                let message = "this sequence runs one that is run already, so it would never end";
                let mlir_aie = MlirAieReport::plain("Runtime sequence call graph contains a cycle");
                let diag = Diag::error(&RECURSION, message)
                    .label(module.span(sequence), "begins here")
                    .label(module.span(next), "is run again")
                    .help("remove one of the `aiex.run`")
                    .mlir_aie(mlir_aie);
                return Err(context.fail(diag));
            }
            if !done.contains(&next) {
                way.push((next, self.callees(module, next)));
            }
        }
        Ok(())
    }

    fn callees(&self, module: &Module, sequence: Op) -> Vec<Op> {
        let runs = module.find(sequence, OpKind::Run).into_iter();
        runs.filter_map(|run| self.callee.get(&run).copied())
            .collect()
    }
}

fn device_named(module: &Module, name: &str, op: Op) -> Result<Device, Diag> {
    crate::sequence::device_named(module, name).map_err(|diag| {
        diag.label(module.span(op), "named here")
            .mlir_aie(MlirAieReport::plain(format!("No such device: '{name}'")))
    })
}

/// The sequence that a run names, if its arguments fit.
fn callee(module: &Module, run: RunOp) -> Result<Op, Option<Diag>> {
    let op = run.op();
    let around = module.ancestor(op, OpKind::Configure).map(Configure);
    let Some(around) = around else {
        let diag = Diag::error(&UNSUPPORTED, "this run is in no `aiex.configure`")
            .label(module.span(op), "here")
            .help("write `aiex.configure @device { aiex.run … }`");
        return Err(Some(diag));
    };
    let device = device_named(module, &around.symbol(module), op).map_err(|_| None)?;
    let wanted = run.runtime_sequence_symbol(module).to_string();
    let sequences = module.children::<RuntimeSequence>(device.op());
    let Some(found) = sequences.iter().find(|s| s.name(module) == wanted) else {
        return Err(Some(no_sequence(module, op, device, &wanted, &sequences)));
    };
    let parameters = parameters(module, found.op());
    let given: Vec<Value> = module.operands(op).collect();
    let bd_error = |message: String, mlir_aie: String| {
        let diag = Diag::error(&BAD_ARGUMENT, message)
            .label(module.span(op), "this run")
            .label(module.span(found.op()), "this sequence")
            .help("give one value of the declared type for each argument of the sequence")
            .mlir_aie(MlirAieReport::op(module.op_name(op), mlir_aie));
        Err(Some(diag))
    };
    if parameters.len() != given.len() {
        let (given, wanted) = (given.len(), parameters.len());
        let message = format!("the sequence takes {wanted} arguments, not {given}");
        let mlir_aie = format!("argument count mismatch: expected {wanted} but got {given}");
        return bd_error(message, mlir_aie);
    }
    let mut pairs = parameters.iter().zip(&given);
    let differ = pairs.position(|(p, g)| module.ty(*p) != module.ty(*g));
    if let Some(at) = differ {
        let (wanted, given) = (module.ty(parameters[at]), module.ty(given[at]));
        let message = format!("argument {at} is {given}, the sequence takes {wanted}");
        let mlir_aie = format!("argument {at} type mismatch: expected {wanted} but got {given}");
        return bd_error(message, mlir_aie);
    }
    Ok(found.op())
}

fn no_sequence(
    module: &Module,
    op: Op,
    device: Device,
    wanted: &str,
    sequences: &[RuntimeSequence],
) -> Diag {
    let name = device.name(module);
    let message = format!("device `@{name}` has no runtime sequence `@{wanted}`");
    let names = sequences.iter().filter_map(|s| s.sym_name(module));
    let names: Vec<String> = names.map(|name| format!("`@{name}`")).collect();
    let help = if names.is_empty() {
        "write an `aie.runtime_sequence` into it".to_string()
    } else {
        format!("it has {}", names.join(", "))
    };
    let other = SymbolTable::of(module, device.op()).get(wanted);
    let mlir_aie = match other {
        Some(_) => MlirAieReport::plain(format!("'{wanted}' is not a runtime sequence")),
        None => MlirAieReport::plain(format!(
            "No such runtime sequence for device '{name}': '{wanted}'"
        ))
        .note(
            module.span(device.op()),
            format!("This device does not have a '{wanted}' runtime sequence"),
        ),
    };
    Diag::error(&NO_SEQUENCE, message)
        .label(module.span(op), "this run")
        .help(help)
        .mlir_aie(mlir_aie)
}

fn parameters(module: &Module, sequence: Op) -> Vec<Value> {
    let entry = module.entry(sequence, 0);
    entry.map_or(&[][..], |e| module.block_args(e)).to_vec()
}

/// Replaces what a sequence runs, the sequences that it runs first.
fn materialize(
    module: &mut Module,
    work: &mut Inlining,
    sequence: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    if !work.done.insert(sequence) {
        return Ok(());
    }
    let runs = module.find(sequence, OpKind::Run);
    let configures = module.find(sequence, OpKind::Configure);
    if runs.is_empty() && configures.is_empty() {
        return Ok(());
    }
    // The call graph has no cycle: this ends.
    for run in &runs {
        if let Some(callee) = work.calls.callee.get(run).copied() {
            materialize(module, work, callee, context)?;
        }
    }
    // The reference takes the last run first, and names show it.
    for run in runs.into_iter().rev() {
        if let Some(callee) = work.calls.callee.get(&run).copied() {
            inline(module, work, sequence, (run, callee), context)?;
        }
    }
    for configure in configures {
        load(module, configure, context.pass);
    }
    hoist_constants(module, sequence);
    Ok(())
}

/// Puts a load of the device in front of what a configure holds, unless that begins with one.
fn load(module: &mut Module, configure: Op, pass: &'static str) {
    let name = Configure(configure).symbol(module).to_string();
    let ops = body_ops(module, configure);
    let first = ops
        .iter()
        .find(|op| ArithConstant::cast(module, **op).is_none());
    let loads = first.and_then(|op| NpuLoadPdi::cast(module, *op)?.device_ref(module));
    if loads.is_none_or(|loaded| *loaded != *name) {
        let loc = module.derived_loc(pass, configure);
        let mode = Configure(configure).expand_mode(module);
        NpuLoadPdi::build(module, loc)
            .device_ref(name)
            .expand_mode(mode)
            .insert(InsertPoint::Before(configure));
    }
    for op in ops {
        if module.kind(op) == OpKind::End {
            continue;
        }
        module.move_to(op, InsertPoint::Before(configure));
    }
    module.erase(configure);
}

/// Puts the operations of a sequence in the place of a run of it.
fn inline(
    module: &mut Module,
    work: &mut Inlining,
    caller: Op,
    (run, callee): (Op, Op),
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let around = |op| Device::around(module, op).map(|device| device.op());
    let (Some(to), Some(from)) = (around(caller), around(callee)) else {
        return Ok(());
    };
    let mut map = ValueMap::new();
    let given: Vec<Value> = module.operands(run).collect();
    for (parameter, value) in parameters(module, callee).into_iter().zip(given) {
        map.map(parameter, value);
    }
    let mut body = body_ops(module, callee);
    body.retain(|op| module.kind(*op) != OpKind::End);
    if to != from {
        let mut copies = Copies::new(module, to, from);
        copies.last = work.last_copy.get(&to).copied();
        // Values first, then names, as the reference has it.
        for def in copies.needed(module, &body, callee) {
            copies.copy(module, def, &mut map, (run, context))?;
        }
        for op in body {
            let copy = module.clone_op(op, &mut map, InsertPoint::Before(run));
            copies.rename(module, copy);
        }
        if let Some(last) = copies.last {
            work.last_copy.insert(to, last);
        }
    } else {
        for op in body {
            module.clone_op(op, &mut map, InsertPoint::Before(run));
        }
    }
    module.erase(run);
    context.count("runs", 1);
    Ok(())
}

/// Puts the constants of a sequence at its start, each value once.
fn hoist_constants(module: &mut Module, sequence: Op) {
    let Some(body) = module.entry(sequence, 0) else {
        return;
    };
    let mut known: IndexMap<(Attr, Type), Value> = IndexMap::new();
    let mut last: Option<Op> = None;
    for constant in module.find_all::<ArithConstant>(sequence) {
        let op = constant.op();
        let pair = constant.value(module).zip(module.result(op, 0));
        let Some((value, result)) = pair else {
            continue;
        };
        let key = (value, module.ty(result).clone());
        if let Some(first) = known.get(&key) {
            module.replace_all_uses(result, *first);
            module.erase(op);
            continue;
        }
        let start = InsertPoint::Start(body);
        module.move_to(op, last.map_or(start, InsertPoint::After));
        last = Some(op);
        known.insert(key, result);
    }
}
