//! `aie-register-objectFifos`: a function registered as the process of an object fifo's end
//! becomes loops in the core of that end (`mlir-aie: lib/Dialect/AIE/Transforms/
//! AIEObjectFifoRegisterProcess.cpp`).
//!
//! The patterns say how many objects each pass acquires and releases; a pattern of one entry holds
//! for all passes. A longer pattern is the whole process, one entry for each pass, whatever the
//! length says. Equal consecutive passes make one loop. The function gets the acquired objects as
//! arguments if it takes any.

use std::ops::Range;
use std::sync::Arc;

use aiec_aie::ir::{Attr, InsertPoint, Loc, Module, Op, SymbolTable, Type, Value};
use aiec_aie::ops::enums::FifoPort;
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{
    ArithConstant, Core, FuncCall, ObjectFifo, ObjectFifoAcquire, ObjectFifoRegisterProcess,
    ObjectFifoRelease, ObjectFifoSubviewAccess, OpView, ScfFor, ScfYield,
};
use aiec_diag::{Diag, Reported, codes};
use rustc_hash::FxHashMap;

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-register-objectFifos", run)
    .summary("Turn registered processes of object fifos into core bodies")
    .postconditions(&["no aie.objectfifo.register_process is left"]);

codes! {
    /// Codes of `aie-register-objectFifos`.
    pub static CODES;
    BAD_PROCESS = "process::bad-registration",
        "A registered process names a fifo and a function of the device, and two constant \
         patterns: one number, or one for each pass (both patterns of the same length).";
    LENGTH = "process::length",
        "A pattern of several numbers has one for each pass, so that it says how many there are; \
         the length of the process is not used.";
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let symbols = SymbolTable::of(module, device);
    // Each consumer process takes the fifo's next consumer tile.
    let mut consumers: FxHashMap<Op, usize> = FxHashMap::default();
    for process in module.children::<ObjectFifoRegisterProcess>(device) {
        let here = module.span(process.op());
        match read(module, process, &symbols, &mut consumers) {
            Ok(work) => {
                if let Some(passes) = work.other_length {
                    let callee = &work.callee;
                    let message = format!(
                        "the patterns of `@{callee}` say {passes} passes, not what the length says"
                    );
                    let help = format!("make the length {passes}, or write one number each");
                    let diag = Diag::warning(&LENGTH, message).label(here, "this process");
                    context.report(diag.help(help));
                }
                write(module, device, process, &work, context.pass);
            }
            Err((message, help)) => {
                let diag = Diag::error(&BAD_PROCESS, message).label(here, "this process");
                context.report(diag.help(help));
            }
        }
        module.erase(process.op());
    }
    context.diags.check()
}

/// Arguments of a process's function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arguments {
    /// Nothing.
    None,
    /// The acquired objects, one after the other.
    Objects,
    /// All of them as one view.
    Subview,
}

/// A process: on which tile, with which objects, and how many in each pass.
struct ObjectProcess {
    tile: Value,
    fifo: Arc<str>,
    port: FifoPort,
    object: Type,
    callee: Arc<str>,
    arguments: Arguments,
    /// Objects acquired and released, and the passes that do so.
    phases: Vec<(i32, i32, Range<i64>)>,
    /// The passes that the patterns say, if the length says otherwise.
    other_length: Option<i64>,
}

fn read(
    module: &Module,
    process: ObjectFifoRegisterProcess,
    symbols: &SymbolTable,
    consumers: &mut FxHashMap<Op, usize>,
) -> Result<ObjectProcess, (String, &'static str)> {
    let name = process.objFifo_name(module);
    let fifo = symbols.get(&name);
    let fifo = fifo.and_then(|op| ObjectFifo::cast(module, op));
    let fifo = fifo.ok_or_else(|| {
        let message = format!("there is no object fifo `@{name}`");
        (message, "declare it with aie.objectfifo in the same device")
    })?;
    let port = process.port(module);
    let tile = match port {
        FifoPort::Produce => fifo.producerTile(module),
        FifoPort::Consume | FifoPort::Endpoint => {
            let next = consumers.entry(fifo.op()).or_insert(0);
            *next += 1;
            module.operand(fifo.op(), *next)
        }
    };
    let tile = tile.ok_or_else(|| {
        let message = format!("all consumers of `@{name}` have their process already");
        (message, "register one process for each consumer tile")
    })?;
    let callee = process.callee(module);
    let arguments = symbols
        .get(&callee)
        .and_then(|op| match module.attr(op, "function_type")? {
            Attr::Type(Type::Function(f)) => Some(match f.inputs.first() {
                None => Arguments::None,
                Some(Type::ObjectFifoSubview(_)) => Arguments::Subview,
                Some(_) => Arguments::Objects,
            }),
            _ => None,
        });
    let arguments = arguments.ok_or_else(|| {
        let message = format!("there is no function `@{callee}`");
        (message, "declare it with func.func in the same device")
    })?;
    let object = match fifo.elemType(module) {
        Some(Type::ObjectFifo(object)) => (*object).clone(),
        Some(other) => other,
        None => Type::None,
    };
    let length = process.length(module).and_then(|v| const_int(module, v));
    let passes = length.and_then(|length| {
        let acquires = pattern(module, process.acquirePattern(module)?)?;
        let releases = pattern(module, process.releasePattern(module)?)?;
        let passes = match (acquires.len(), releases.len()) {
            (1, 1) => length,
            (n, 1) | (1, n) => i64::try_from(n).ok()?,
            (n, m) => i64::try_from(n).ok().filter(|_| n == m)?,
        };
        let phases = phases(&acquires, &releases, passes)?;
        Some((phases, (passes != length).then_some(passes)))
    });
    let (phases, other_length) = passes.ok_or_else(|| {
        let message = format!("the patterns of `@{callee}` don't fit each other");
        let help = "use constants that aren't negative: one number, or one for each pass";
        (message, help)
    })?;
    Ok(ObjectProcess {
        tile,
        fifo: name,
        port,
        object,
        callee,
        arguments,
        phases,
        other_length,
    })
}

/// A constant tensor's numbers, at least one.
fn pattern(module: &Module, value: Value) -> Option<Vec<i32>> {
    let op = ArithConstant::cast(module, module.def_op(value)?)?;
    let Some(Attr::Dense(dense)) = op.value(module) else {
        return None;
    };
    let bytes = dense.expand()?;
    let words = bytes.as_chunks().0.iter();
    let numbers: Vec<i32> = words.map(|b| i32::from_le_bytes(*b)).collect();
    (!numbers.is_empty() && numbers.iter().all(|n| *n >= 0)).then_some(numbers)
}

/// Runs of equal passes.
fn phases(acquires: &[i32], releases: &[i32], length: i64) -> Option<Vec<(i32, i32, Range<i64>)>> {
    let at = |list: &[i32], pass: i64| -> Option<i32> {
        match list {
            [all] => Some(*all),
            list => list.get(usize::try_from(pass).ok()?).copied(),
        }
    };
    if acquires.len() == 1 && releases.len() == 1 {
        return Some(vec![(acquires[0], releases[0], 0..length)]);
    }
    let mut list: Vec<(i32, i32, Range<i64>)> = Vec::new();
    for pass in 0..length {
        let (acquire, release) = (at(acquires, pass)?, at(releases, pass)?);
        match list.last_mut() {
            Some((a, r, passes)) if (*a, *r) == (acquire, release) => passes.end = pass + 1,
            _ => list.push((acquire, release, pass..pass + 1)),
        }
    }
    Some(list)
}

fn write(
    module: &mut Module,
    device: Op,
    process: ObjectFifoRegisterProcess,
    work: &ObjectProcess,
    pass: &'static str,
) {
    let loc = module.derived_loc(pass, process.op());
    let mut cores = module.children::<Core>(device).into_iter();
    let core = match cores.find(|core| core.tile(module) == Some(work.tile)) {
        Some(core) => core.op(),
        None => {
            let core = Core::build(module, loc, work.tile).result(Type::Index);
            core.insert_ended(InsertPoint::After(process.op()))
        }
    };
    let region = module.region(core, 0);
    let block = region.and_then(|r| module.blocks_of(r).last().copied());
    let Some(first) = block.and_then(|b| module.first_op(b)) else {
        return;
    };
    for (acquire, release, passes) in &work.phases {
        let count = passes.end - passes.start;
        let mut at = InsertPoint::Before(first);
        if count > 1 {
            let [lower, upper, step] =
                [0, count, 1].map(|n| ArithConstant::int(module, loc, n, Type::Index, at));
            let op = ScfFor::build(module, loc, lower, upper, step)
                .body()
                .insert(at);
            if let Some(body) = module.entry(op, 0) {
                module.add_block_arg(body, Type::Index);
                let end = ScfYield::build(module, loc).insert(InsertPoint::End(body));
                at = InsertPoint::Before(end);
            }
        }
        if count > 0 {
            one_pass(module, work, *acquire, *release, loc, at);
        }
    }
}

fn one_pass(
    module: &mut Module,
    work: &ObjectProcess,
    acquire: i32,
    release: i32,
    loc: Loc,
    at: InsertPoint,
) {
    let (port, fifo) = (work.port, work.fifo.as_ref());
    let mut objects = Vec::new();
    if acquire > 0 {
        let ty = Type::ObjectFifoSubview(Arc::new(work.object.clone()));
        let view = ObjectFifoAcquire::build(module, loc, port, fifo, acquire).insert_value(ty, at);
        match work.arguments {
            Arguments::Subview => objects.push(view),
            arguments => {
                for n in 0..acquire {
                    let access = ObjectFifoSubviewAccess::build(module, loc, view, n);
                    objects.push(access.insert_value(work.object.clone(), at));
                }
                if arguments == Arguments::None {
                    objects.clear();
                }
            }
        }
        FuncCall::build(module, loc, work.callee.clone())
            .operands(objects)
            .insert(at);
    }
    if release > 0 {
        ObjectFifoRelease::build(module, loc, port, fifo, release).insert(at);
    }
}
