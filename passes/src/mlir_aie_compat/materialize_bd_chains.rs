//! `aie-materialize-bd-chains`: each start of an `aie.bd_chain` becomes a task with a copy of the
//! chain, its parameters replaced by the arguments, and the start of that task
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEMaterializeBDChains.cpp`). The chains themselves go.
//!
//! In a compilation the lowering of sequences binds the parameters itself; this pass is for users
//! who lower step by step.

use aiec_aie::ir::{InsertPoint, Module, Op, SymbolTable, Type, Value, ValueMap};
use aiec_aie::ops::{
    BdChain, DmaConfigureTask, DmaStartBdChain, DmaStartBdChainFor, DmaStartTask, OpKind, OpView,
    RuntimeSequence,
};
use aiec_diag::{Diag, MlirAieReport, Reported};

use crate::infra::pass::{PassContext, PassDef};
use crate::mlir_aie_compat::substitute_shim_dma_allocations::{AllocatedChannel, channel, replace};
use crate::sequence::codes::BAD_TASK;

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-materialize-bd-chains", run)
    .summary("Make tasks of BD chains where they are started")
    .postconditions(&["no aie.bd_chain and no start of one remains"]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let symbols = SymbolTable::of(module, device);
    let mut result = Ok(());
    for sequence in module.children::<RuntimeSequence>(device) {
        for op in module.walk(sequence.op()).collect::<Vec<_>>() {
            let start = match module.kind(op) {
                OpKind::DmaStartBdChain => direct(module, op),
                OpKind::DmaStartBdChainFor => by_name(module, &symbols, op, context),
                _ => continue,
            };
            let done = start.and_then(|start| materialize(module, &symbols, op, start, context));
            result = result.and(done);
        }
    }
    if result.is_ok() {
        for chain in module.children::<BdChain>(device) {
            module.erase(chain.op());
        }
    }
    result
}

/// The start of a chain.
struct ChainStart {
    /// Where it runs; `None` if the text has no such tile, which the verifier reports.
    channel: Option<AllocatedChannel>,
    args: Vec<Value>,
    issue_token: Option<bool>,
    repeat_count: Option<i32>,
}

fn direct(module: &Module, op: Op) -> Result<ChainStart, Reported> {
    // The tile is the last operand.
    let start = DmaStartBdChain(op);
    let mut args: Vec<Value> = module.operands(op).collect();
    let channel = args.pop().and_then(|tile| {
        Some(AllocatedChannel {
            tile,
            direction: start.direction(module)?,
            number: start.channel(module),
            packet: None,
        })
    });
    Ok(ChainStart {
        channel,
        args,
        issue_token: start.issue_token(module),
        repeat_count: start.repeat_count(module),
    })
}

fn by_name(
    module: &Module,
    symbols: &SymbolTable,
    op: Op,
    context: &mut PassContext<'_>,
) -> Result<ChainStart, Reported> {
    let start = DmaStartBdChainFor(op);
    let channel = channel(module, symbols, &start.alloc(module), op, context)?;
    Ok(ChainStart {
        channel: Some(channel),
        args: module.operands(op).collect(),
        issue_token: start.issue_token(module),
        repeat_count: start.repeat_count(module),
    })
}

fn materialize(
    module: &mut Module,
    symbols: &SymbolTable,
    op: Op,
    start: ChainStart,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let Some(channel) = start.channel else {
        return Ok(());
    };
    let chain = declaration(module, symbols, op, context)?;
    let parameters = parameters(module, chain, op, &start.args, context)?;
    let loc = module.derived_loc(context.pass, op);
    let task =
        DmaConfigureTask::build(module, loc, channel.tile, channel.direction, channel.number)
            .issue_token(start.issue_token)
            .repeat_count(start.repeat_count)
            .packet(channel.packet)
            .segment_sizes([1, 0, 0])
            .region()
            .result(Type::Index)
            .insert(InsertPoint::Before(op));
    let mut map = ValueMap::new();
    for (parameter, arg) in parameters.iter().zip(&start.args) {
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
