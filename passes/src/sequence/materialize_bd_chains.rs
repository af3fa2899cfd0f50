//! `aie-materialize-bd-chains`: each start of an `aie.bd_chain` becomes a task with a copy of the
//! chain, its parameters replaced by the arguments, and the start of that task
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEMaterializeBDChains.cpp`). The chains themselves go.
//!
//! Whatever looks at the locks and BDs of a design sees those of chains as those of other tasks.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, SymbolTable, Type, Value, ValueMap};
use aiec_aie::ops::{
    BdChain, Device, DmaConfigureTask, DmaConfigureTaskFor, DmaStartBdChain, DmaStartBdChainFor,
    DmaStartTask, OpKind, OpView, RuntimeSequence,
};
use aiec_diag::{Diag, MlirAieReport, Reported};

use super::allocated_channel::{AllocatedChannel, channel, replace};
use super::codes::{BAD_TASK, NOT_LOADED};
use super::device_named;
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-materialize-bd-chains", run)
    .summary("Make tasks of BD chains where they are started")
    .postconditions(&["no aie.bd_chain and no start of one remains"]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let starts = STARTS.iter().any(|kind| module.count(*kind) > 0);
    if !starts && module.count(OpKind::BdChain) == 0 {
        return Ok(());
    }
    let mut result = Ok(());
    for sequence in module.children::<RuntimeSequence>(device) {
        let ops = module.walk(sequence.op());
        let starts: Vec<Op> = ops.filter(|op| is_start(module.kind(*op))).collect();
        for op in starts {
            result = result.and(materialize(module, device, op, context));
        }
    }
    if result.is_ok() {
        erase_chains(module, device);
    }
    result
}

/// Operations that start chains.
const STARTS: [OpKind; 2] = [OpKind::DmaStartBdChain, OpKind::DmaStartBdChainFor];

fn is_start(kind: OpKind) -> bool {
    STARTS.contains(&kind)
}

/// Takes away the chains of a device but for those that sequences of other devices start
/// (`@device::@chain`).
fn erase_chains(module: &mut Module, device: Op) {
    let name = Device(device).name(module);
    let starts = module.walk(module.top());
    let elsewhere = starts.filter(|op| is_start(module.kind(*op)));
    let elsewhere = elsewhere.filter(|op| module.nested_root(*op) == Some(&*name));
    let named: Vec<_> = elsewhere
        .filter_map(|op| module.symbol_attr(op, "symbol").map(str::to_string))
        .collect();
    for chain in module.children::<BdChain>(device) {
        if !named.iter().any(|name| **name == *chain.sym_name(module)) {
            module.erase(chain.op());
        }
    }
}

/// The device that has a chain and its channel: the one around its start, or the one that the start
/// names.
fn device_of_start(
    module: &Module,
    device: Op,
    op: Op,
    context: &mut PassContext<'_>,
) -> Result<Op, Reported> {
    let Some(name) = module.nested_root(op) else {
        return Ok(device);
    };
    let here = |diag: Diag| diag.label(module.span(op), "started here");
    let there = device_named(module, name).map_err(|diag| context.fail(here(diag)))?;
    if there.op() != device && module.kind(op) == OpKind::DmaStartBdChain {
        let message = format!("this BD chain is one of device `@{name}`");
        let diag = here(Diag::error(&NOT_LOADED, message)).help(format!(
            "name its channel as well: aiex.dma_start_bd_chain_for … for @{name}::@CHANNEL"
        ));
        return Err(context.fail(diag));
    }
    Ok(there.op())
}

/// Puts a task, and its start, in the place of the start of a chain.
fn materialize(
    module: &mut Module,
    device: Op,
    op: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let home = device_of_start(module, device, op, context)?;
    let symbols = SymbolTable::of(module, home);
    let mut args: Vec<Value> = module.operands(op).collect();
    let (channel, issue_token, repeat_count);
    if let Some(start) = DmaStartBdChain::cast(module, op) {
        // The tile is the last operand.
        let (Some(tile), Some(direction)) = (args.pop(), start.direction(module)) else {
            return Ok(());
        };
        channel = Some(AllocatedChannel {
            tile,
            direction,
            number: start.channel(module),
            packet: None,
        });
        (issue_token, repeat_count) = (start.issue_token(module), start.repeat_count(module));
    } else {
        let start = DmaStartBdChainFor(op);
        // A task of another device is found by its name when that is loaded.
        channel = if home == device {
            let name = start.alloc(module);
            Some(self::channel(module, &symbols, &name, op, context)?)
        } else {
            None
        };
        (issue_token, repeat_count) = (start.issue_token(module), start.repeat_count(module));
    }
    let chain = declaration(module, &symbols, op, context)?;
    let parameters = parameters(module, chain, op, &args, context)?;
    let loc = module.derived_loc(context.pass, op);
    let task = match (channel, module.attr(op, "alloc")) {
        (Some(channel), _) => {
            DmaConfigureTask::build(module, loc, channel.tile, channel.direction, channel.number)
                .packet(channel.packet)
                .issue_token(issue_token)
                .repeat_count(repeat_count)
                .segment_sizes([1, 0, 0])
                .region()
                .result(Type::Index)
                .insert(InsertPoint::Before(op))
        }
        (None, Some(Attr::Symbol(alloc))) => {
            let alloc = alloc.clone();
            let task = DmaConfigureTaskFor::build(module, loc, alloc.leaf())
                .issue_token(issue_token)
                .repeat_count(repeat_count)
                .region()
                .result(Type::Index)
                .insert(InsertPoint::Before(op));
            module.set_attr(task, "alloc", Attr::Symbol(alloc));
            task
        }
        (None, _) => return Ok(()),
    };
    let mut map = ValueMap::new();
    for (parameter, arg) in parameters.iter().zip(&args) {
        map.map(*parameter, *arg);
    }
    copy_blocks(module, chain.op(), task, &mut map);
    if let Some(handle) = module.result(task, 0) {
        DmaStartTask::build(module, loc, handle).insert(InsertPoint::Before(op));
    }
    replace(module, op, task);
    context.count("tasks", 1);
    Ok(())
}

fn declaration(
    module: &Module,
    symbols: &SymbolTable,
    op: Op,
    context: &mut PassContext<'_>,
) -> Result<BdChain, Reported> {
    let name = module.symbol_attr(op, "symbol").unwrap_or_default();
    let found = symbols.get(name).and_then(|op| BdChain::cast(module, op));
    found.ok_or_else(|| {
        let diag = Diag::error(&BAD_TASK, format!("there is no BD chain `@{name}`"))
            .label(module.span(op), "started here")
            .help("declare it with `aie.bd_chain` in the device")
            .mlir_aie(MlirAieReport::op(
                module.op_name(op),
                "symbol does not reference valid BD chain",
            ));
        context.fail(diag)
    })
}

/// The parameters of a chain, if the arguments fit them.
fn parameters(
    module: &Module,
    chain: BdChain,
    op: Op,
    args: &[Value],
    context: &mut PassContext<'_>,
) -> Result<Vec<Value>, Reported> {
    let entry = module.entry(chain.op(), 0);
    let parameters = entry
        .map_or(&[][..], |entry| module.block_args(entry))
        .to_vec();
    let name = chain.sym_name(module).to_string();
    let mut fail = |message: String, mlir_aie: String| {
        let diag = Diag::error(&BAD_TASK, message)
            .label(module.span(op), "started here")
            .label(module.span(chain.op()), "declared here")
            .help("pass one value of the declared type for each parameter")
            .mlir_aie(MlirAieReport::op(module.op_name(op), mlir_aie));
        Err(context.fail(diag))
    };
    let (wanted, given) = (parameters.len(), args.len());
    if wanted != given {
        let message = format!("`@{name}` takes {wanted} arguments, not {given}");
        return fail(message, "Number of arguments mismatches".to_string());
    }
    let mut pairs = parameters.iter().zip(args);
    if let Some(at) = pairs.position(|(p, a)| module.ty(*p) != module.ty(*a)) {
        let number = at + 1;
        let message = format!("argument {number} of `@{name}` has another type");
        return fail(message, format!("Argument {number} types mismatch"));
    }
    Ok(parameters)
}

/// Copies the blocks of one operation's region into that of another; the entry loses its
/// parameters, for which `map` has values.
fn copy_blocks(module: &mut Module, from: Op, to: Op, map: &mut ValueMap) {
    let (Some(from), Some(to)) = (module.region(from, 0), module.region(to, 0)) else {
        return;
    };
    let blocks = module.blocks_of(from).to_vec();
    for block in &blocks {
        let copy = module.add_block(to);
        map.map_block(*block, copy);
    }
    for block in blocks {
        let copy = map.get_block(block);
        for op in module.ops_in(block) {
            module.clone_op(op, map, InsertPoint::End(copy));
        }
    }
}
