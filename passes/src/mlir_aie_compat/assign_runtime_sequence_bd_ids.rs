//! `aie-assign-runtime-sequence-bd-ids`: numbers the BDs of the tasks that a sequence configures
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEAssignRuntimeSequenceBDIDs.cpp`).
//!
//! Operations are taken in program order: a configured task takes the lowest free numbers of its
//! tile, an awaited or freed task gives its numbers back. Numbers that are written stay, and so do
//! those of the tile's DMA program. The tokens that are awaited are counted too: a wait for one
//! that nothing sends would never end.
//!
//! In a compilation the lowering of sequences numbers BDs itself, by the same pools; this pass is
//! for users who lower step by step.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::chain;
use aiec_aie::ops::{Device, DmaBd, OpKind, OpView, RuntimeSequence};
use aiec_device::{ChannelId, TileLoc};
use aiec_diag::{Diag, MlirAieReport, Reported, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{body_ops, task_channel};
use crate::infra::pass::{PassContext, PassDef};
use crate::sequence::bd_pool::BdPools;
use crate::sequence::codes::{BAD_BD_ID, BAD_TASK, NO_BD_LEFT, NO_TOKEN, NOT_CONSTANT};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-assign-runtime-sequence-bd-ids", run)
    .summary("Number the buffer descriptors of tasks in runtime sequences")
    .postconditions(&["each aie.dma_bd of an aiex.dma_configure_task has a bd_id"]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    let mut result = Ok(());
    for sequence in module.children::<RuntimeSequence>(device) {
        // Its tasks draw their numbers from pools at run time.
        if !module.find(sequence.op(), OpKind::DmaBdPoolPop).is_empty() {
            continue;
        }
        let mut numbering = Numbering {
            pools: BdPools::of(module, device, model, sequence.op()),
            tasks: FxHashMap::default(),
            tokens: FxHashMap::default(),
            numbers: Vec::new(),
            without_token: FxHashSet::default(),
            context,
        };
        for op in body_ops(module, sequence.op()) {
            result = result.and(numbering.operation(module, op));
        }
        let numbers = numbering.numbers;
        context.count("descriptors", numbers.len() as u64);
        for (bd, id) in numbers {
            DmaBd(bd).edit(module).bd_id(id);
        }
    }
    result
}

/// Whether an operation is about a task.
fn is_of_task(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(
        kind,
        K::DmaConfigureTask | K::DmaStartTask | K::DmaAwaitTask | K::DmaFreeTask
    )
}

/// State of a configured task.
#[derive(Default)]
struct Task {
    bds: Vec<u8>,
    freed: bool,
    awaited: bool,
}

struct Numbering<'a, 'c> {
    pools: BdPools,
    tasks: FxHashMap<Op, Task>,
    /// Tokens that were asked for and not awaited yet.
    tokens: FxHashMap<ChannelId, u64>,
    numbers: Vec<(Op, u8)>,
    /// Where waits without a token are reported.
    without_token: FxHashSet<Option<Span>>,
    context: &'a mut PassContext<'c>,
}

impl Numbering<'_, '_> {
    fn operation(&mut self, module: &Module, op: Op) -> Result<(), Reported> {
        match module.kind(op) {
            OpKind::DmaConfigureTask => self.configure(module, op),
            OpKind::DmaStartTask | OpKind::DmaAwaitTask | OpKind::DmaFreeTask => {
                self.use_task(module, op)
            }
            OpKind::ScfFor | OpKind::ScfIf | OpKind::ScfWhile | OpKind::ScfIndexSwitch
                if module.walk(op).any(|inner| is_of_task(module.kind(inner))) =>
            {
                let message = "tasks can be numbered in straight lines of operations only";
                let mlir_aie = "Runtime-valued control flow in a runtime sequence is not supported by \
                            this static BD-ID allocation pass.";
                let diag = Diag::error(&NOT_CONSTANT, message)
                    .label(module.span(op), "this one loops or branches")
                    .help(
                        "write the operations out, or compile the design as a whole: constant \
                           loops are unrolled there",
                    )
                    .mlir_aie(MlirAieReport::op(module.op_name(op), mlir_aie));
                Err(self.context.fail(diag))
            }
            _ => Ok(()),
        }
    }

    fn configure(&mut self, module: &Module, op: Op) -> Result<(), Reported> {
        let Some(ChannelId { tile, index, .. }) = task_channel(module, op) else {
            return Ok(());
        };
        let slots = module
            .entry(op, 0)
            .map_or_else(Vec::new, |entry| chain(module, entry).0);
        let mut task = Task::default();
        let mut open = Vec::new();
        // Numbers that are written come first, so that no other BD of the task takes them.
        for slot in &slots {
            match slot.bd.bd_id(module) {
                Some(id) => {
                    let id = self.written(module, op, tile, slot.bd, id)?;
                    task.bds.push(id);
                }
                // Numbers from pools come when the sequence runs.
                None if slot.bd.number_value(module).is_some() => {}
                None => open.push(slot.bd.op()),
            }
        }
        for bd in open {
            let Some(id) = self.pools.free(tile, index) else {
                return Err(self.none_left(module, op, tile));
            };
            self.pools.take(tile, id, bd);
            task.bds.push(id);
            self.numbers.push((bd, id));
        }
        self.tasks.insert(op, task);
        Ok(())
    }

    fn written(
        &mut self,
        module: &Module,
        op: Op,
        tile: TileLoc,
        bd: DmaBd,
        id: i32,
    ) -> Result<u8, Reported> {
        let owner = |id: &u8| self.pools.owner(tile, *id);
        let count = self.pools.count(tile);
        let number = u8::try_from(id).ok().filter(|id| *id < count);
        if let Some(id) = number.filter(|id| owner(id).is_none()) {
            self.pools.take(tile, id, bd.op());
            return Ok(id);
        }
        let diag = match number.and_then(|id| owner(&id)) {
            Some(user) => {
                let message = format!("buffer descriptor {id} of tile {tile} is in use");
                let mlir_aie = format!("Specified buffer descriptor ID {id} is already in use.");
                Diag::error(&BAD_BD_ID, message)
                    .label(module.span(bd.op()), "wanted here")
                    .label(module.span(user), "used here")
                    .help("await or free that task first, or leave `bd_id` out")
                    .mlir_aie(MlirAieReport::op(module.op_name(op), mlir_aie).at(module.span(op)))
            }
            None => Diag::error(
                &BAD_BD_ID,
                format!("tile {tile} has no buffer descriptor {id}"),
            )
            .label(module.span(bd.op()), "wanted here")
            .help(format!(
                "its buffer descriptors are 0 to {}",
                count.saturating_sub(1)
            )),
        };
        Err(self.context.fail(diag))
    }

    fn none_left(&mut self, module: &Module, op: Op, tile: TileLoc) -> Reported {
        let count = self.pools.count(tile);
        let message = format!("all {count} buffer descriptors of tile {tile} are taken");
        let mlir_aie = format!(
            "Too many simultaneously active buffer descriptors on tile ({},{}), which supports up \
             to {count}.",
            tile.col, tile.row
        );
        let diag = Diag::error(&NO_BD_LEFT, message)
            .label(module.span(op), "this task needs more")
            .help("await or free tasks that are done (`aiex.dma_await_task`, `aiex.dma_free_task`)")
            .mlir_aie(MlirAieReport::op(module.op_name(op), mlir_aie));
        self.context.fail(diag)
    }

    fn use_task(&mut self, module: &Module, op: Op) -> Result<(), Reported> {
        let definition = module.operand(op, 0).and_then(|task| module.def_op(task));
        let configured = definition.filter(|op| module.kind(*op) == OpKind::DmaConfigureTask);
        let Some(configured) = configured else {
            let flow = definition.map(|definition| module.kind(definition));
            return match flow {
                // The loop or branch that it comes out of is refused.
                Some(OpKind::ScfFor | OpKind::ScfIf | OpKind::ScfWhile) => Err(Reported),
                _ => Err(self.no_task(module, op, definition)),
            };
        };
        let token = module.flag(configured, "issue_token");
        let channel = task_channel(module, configured);
        match module.kind(op) {
            OpKind::DmaStartTask => {
                if let Some(channel) = channel.filter(|_| token) {
                    *self.tokens.entry(channel).or_default() += 1;
                }
                Ok(())
            }
            OpKind::DmaAwaitTask => {
                if let Some(channel) = channel.filter(|_| token) {
                    self.take_token(module, op, configured, channel)?;
                }
                self.release(configured, channel, true);
                Ok(())
            }
            _ => self.free(module, op, configured, channel),
        }
    }

    fn take_token(
        &mut self,
        module: &Module,
        op: Op,
        task: Op,
        channel: ChannelId,
    ) -> Result<(), Reported> {
        let pending = self.tokens.entry(channel).or_default();
        if let Some(left) = pending.checked_sub(1) {
            *pending = left;
            return Ok(());
        }
        // Copies of an unrolled loop are one place of the text.
        if !self.without_token.insert(module.span(op)) {
            return Err(Reported);
        }
        let mlir_aie = "awaits a task-completion token on a channel where no outstanding token is \
                    guaranteed to have been produced; the runtime sequence would block here \
                    forever.";
        let diag = Diag::error(&NO_TOKEN, "nothing sends the token that this waits for")
            .label(module.span(op), "here")
            .label(module.span(task), "the task")
            .help("start the task before, and await it once for each start")
            .mlir_aie(MlirAieReport::op(module.op_name(op), mlir_aie));
        Err(self.context.fail(diag))
    }

    fn free(
        &mut self,
        module: &Module,
        op: Op,
        task: Op,
        channel: Option<ChannelId>,
    ) -> Result<(), Reported> {
        if let Some(twice) = self.tasks.get(&task)
            && twice.freed
            && !twice.awaited
        {
            let id = twice.bds.first().copied().unwrap_or(0);
            let mlir_aie =
                format!("frees buffer descriptor ID {id}, which is not currently in use");
            let diag = Diag::error(&BAD_TASK, "the buffer descriptors of this task are free")
                .label(module.span(op), "freed again")
                .label(module.span(task), "the task")
                .help("free a task once")
                .mlir_aie(MlirAieReport::op(module.op_name(op), mlir_aie));
            return Err(self.context.fail(diag));
        }
        self.release(task, channel, false);
        Ok(())
    }

    fn release(&mut self, task: Op, channel: Option<ChannelId>, awaited: bool) {
        let (Some(task), Some(ChannelId { tile, .. })) = (self.tasks.get_mut(&task), channel)
        else {
            return;
        };
        if !task.freed {
            for id in &task.bds {
                self.pools.give_back(tile, *id);
            }
        }
        task.freed = true;
        task.awaited |= awaited;
    }

    fn no_task(&mut self, module: &Module, op: Op, definition: Option<Op>) -> Reported {
        let first = definition.and_then(|definition| match module.kind(definition) {
            OpKind::DmaStartBdChain => Some("--aie-materialize-bd-chains"),
            OpKind::DmaConfigureTaskFor | OpKind::DmaStartBdChainFor => {
                Some("--aie-substitute-shim-dma-allocations")
            }
            _ => None,
        });
        let help = match first {
            Some(pass) => format!("run {pass} first"),
            None => "name the result of `aiex.dma_configure_task`".to_string(),
        };
        let mlir_aie = "does not reference a valid configure_task operation.";
        let mut mlir_aie = MlirAieReport::op(module.op_name(op), mlir_aie);
        if let (Some(pass), Some(definition)) = (first, definition) {
            let note = format!("Lower this operation first using the {pass} pass.");
            mlir_aie = mlir_aie.note(module.span(definition), note);
        }
        let diag = Diag::error(&BAD_TASK, "this isn't a configured task")
            .label(module.span(op), "here")
            .help(help)
            .mlir_aie(mlir_aie);
        self.context.fail(diag)
    }
}
