//! `aie-lower-dynamic-bd-pool`: sequences with loops and branches draw the numbers of their BDs
//! from a pool of the tile at run time
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIELowerDynamicBDPool.cpp`).
//!
//! Each configured task pops a number for each of its BDs, each freed one pushes its numbers back; a wait isn't a release.
//! Numbers go where their task goes: beside each task that a loop carries or a branch yields
//! are its numbers, as further values of the loop or branch. A pool is the part of a tile's BDs that a channel can use.
//!
//! Such a sequence is run by a host with an interpreter; control code has no pools, so that a
//! compilation unrolls loops instead. This pass is for users who go on with mlir-aie's tools.

use aiec_aie::ir::{InsertPoint, Module, Op, Type, Value, ValueDef};
use aiec_aie::ops::netlist::chain;
use aiec_aie::ops::{Device, DmaBdPoolPop, DmaBdPoolPush, OpKind, OpView, RuntimeSequence};
use aiec_device::{ChannelId, DeviceModel};
use aiec_diag::{Diag, MlirAieReport, Reported};
use rustc_hash::FxHashMap;

use super::{copy_attrs, task_channel};
use crate::infra::pass::{PassContext, PassDef};
use crate::sequence::codes::{BAD_BD_ID, BAD_TASK, NO_BD_LEFT, UNSUPPORTED};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-lower-dynamic-bd-pool", run)
    .summary("Let sequences with loops and branches draw their BDs from pools at run time")
    .postconditions(&["tasks of sequences with loops or branches have BD numbers from a pool"]);

/// A task among the values of a loop or branch.
#[derive(Clone, Copy)]
struct CarriedTask {
    /// Its place among the values.
    position: usize,
    /// Its BDs, each with a number beside the values.
    bds: usize,
}

/// A loop or branch with numbers beside the tasks that it carries.
type Grown = (Op, Vec<CarriedTask>);

/// Operands of `scf.for` in front of what it carries.
const BOUNDS: usize = 3;

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    let mut result = Ok(());
    for sequence in module.children::<RuntimeSequence>(device) {
        let ops: Vec<Op> = module.walk(sequence.op()).collect();
        let kind = |op: &Op| module.kind(*op);
        let flows = |op: &Op| {
            let kind = kind(op);
            matches!(kind, OpKind::ScfFor | OpKind::ScfIf | OpKind::ScfWhile)
        };
        let done = ops.iter().any(|op| kind(op) == OpKind::DmaBdPoolPop);
        if done || !ops.iter().any(flows) {
            continue;
        }
        let mut pool = Pool {
            module,
            context,
            model,
            tasks: FxHashMap::default(),
            numbers: FxHashMap::default(),
            origins: FxHashMap::default(),
        };
        result = result.and(pool.lower(&ops));
    }
    result
}

struct Pool<'m, 'c> {
    module: &'m mut Module,
    context: &'m mut PassContext<'c>,
    model: &'static DeviceModel,
    /// The values that are tasks, with the count of their BDs.
    tasks: FxHashMap<Value, usize>,
    /// The numbers that belong to a value that is a task, in the order of its BDs.
    numbers: FxHashMap<Value, Vec<Value>>,
    /// The channel of each value that is a task.
    origins: FxHashMap<Value, ChannelId>,
}

impl Pool<'_, '_> {
    fn lower(&mut self, ops: &[Op]) -> Result<(), Reported> {
        let of_kind = |module: &Module, wanted: OpKind| -> Vec<Op> {
            let ops = ops.iter().copied();
            ops.filter(|op| module.kind(*op) == wanted).collect()
        };
        if let Some(op) = of_kind(self.module, OpKind::ScfWhile).first().copied() {
            let message = "it isn't known when the tasks of this loop can be freed";
            let text = "scf.while in a runtime sequence is not supported by the dynamic BD pool \
                        path; only scf.for and scf.if are supported";
            let diag = Diag::error(&UNSUPPORTED, message)
                .label(self.module.span(op), "this loop")
                .help("use `scf.for` and `scf.if`");
            return Err(self.fail(op, diag, text));
        }
        let tasks = of_kind(self.module, OpKind::DmaConfigureTask);
        let mut result = Ok(());
        for task in &tasks {
            result = result.and(self.pop(*task));
        }
        result?;
        self.find_tasks(&tasks)?;
        // Outer loops and branches first: what they carry is there when inner ones yield it.
        let mut grown = Vec::new();
        for op in ops {
            match self.module.kind(*op) {
                OpKind::ScfFor => grown.push(self.grow_loop(*op)),
                OpKind::ScfIf => grown.extend(self.grow_branch(*op)?),
                _ => {}
            }
        }
        for (op, carried) in grown {
            self.yield_numbers(op, &carried);
        }
        self.find_channels(&tasks)?;
        for op in of_kind(self.module, OpKind::DmaFreeTask) {
            result = result.and(self.push(op));
        }
        result
    }

    fn fail(&mut self, op: Op, diag: Diag, text: &str) -> Reported {
        let mlir_aie = MlirAieReport::op(self.module.op_name(op), text);
        self.context.fail(diag.mlir_aie(mlir_aie))
    }

    /// Gives each BD of a task a number of the pool.
    fn pop(&mut self, task: Op) -> Result<(), Reported> {
        let module = &mut *self.module;
        let Some(handle) = module.result(task, 0) else {
            return Ok(());
        };
        let slots = module
            .entry(task, 0)
            .map_or_else(Vec::new, |entry| chain(module, entry).0);
        let bds: Vec<Op> = slots.iter().map(|slot| slot.bd.op()).collect();
        let pinned = bds
            .iter()
            .copied()
            .find(|bd| module.attr(*bd, "bd_id").is_some());
        if let Some(bd) = pinned {
            let message = "this number may be drawn from the pool at the same time";
            let text = "pins a buffer descriptor ID inside a runtime-bound sequence that draws \
                        IDs from the dynamic pool; a pinned ID would collide with a \
                        runtime-allocated one. Allocate every BD in this sequence from the pool \
                        (drop the bd_id), or make the sequence straight-line so the static \
                        allocator assigns all IDs.";
            let diag = Diag::error(&BAD_BD_ID, message)
                .label(module.span(bd), "written here")
                .help("leave `bd_id` out in sequences with loops or branches");
            return Err(self.fail(bd, diag, text));
        }
        let Some(channel) = task_channel(self.module, task) else {
            let message = "the tile of this task has no place yet";
            let text = "Cannot lower a DMA task whose tile is not placed";
            let diag = Diag::error(&BAD_TASK, message)
                .label(self.module.span(task), "here")
                .help("run --aie-place-tiles first");
            return Err(self.fail(task, diag, text));
        };
        let ChannelId { tile, index, .. } = channel;
        let range = self.range(channel);
        if bds.len() > range.len() {
            let (count, most) = (bds.len(), range.len());
            let message = format!("a chain of {count} buffer descriptors, and the pool has {most}");
            let text = format!(
                "chains {count} buffer descriptors, but channel {index} of tile ({},{}) draws from a pool of only \
                 {most} ids",
                tile.col, tile.row
            );
            let diag = Diag::error(&NO_BD_LEFT, message)
                .label(self.module.span(task), "this task")
                .help("split the chain into several tasks, each freed before the next ones need its BDs");
            return Err(self.fail(task, diag, &text));
        }
        let module = &mut *self.module;
        let loc = module.derived_loc(self.context.pass, task);
        let mut numbers = Vec::with_capacity(bds.len());
        for bd in bds {
            let number = DmaBdPoolPop::build(module, loc, tile.col, tile.row)
                .partition_begin(range.start)
                .partition_end(range.end)
                .insert_value(Type::I32, InsertPoint::Before(task));
            module.set_operand_group(bd, "bd_id_val", &[number]);
            numbers.push(number);
        }
        self.numbers.insert(handle, numbers);
        self.context.count("tasks", 1);
        Ok(())
    }

    /// The BDs that a channel draws from.
    fn range(&self, channel: ChannelId) -> std::ops::Range<u8> {
        let dma = self.model.tile(channel.tile).and_then(|t| t.dma.as_ref());
        dma.map_or(0..0, |dma| dma.bd_range(channel.index))
    }

    /// Finds all values that are tasks: configured ones, and what loops and branches make of them.
    fn find_tasks(&mut self, tasks: &[Op]) -> Result<(), Reported> {
        let module = &*self.module;
        let mut open = Vec::new();
        for task in tasks {
            if let Some(handle) = module.result(*task, 0) {
                open.push((handle, self.numbers.get(&handle).map_or(0, Vec::len)));
            }
        }
        let mut clash = None;
        while let Some((value, bds)) = open.pop() {
            if let Some(known) = self.tasks.insert(value, bds) {
                if known != bds {
                    clash = Some((value, known.min(bds), known.max(bds)));
                    break;
                }
                continue;
            }
            for (user, at) in module.uses(value) {
                let carried = match module.kind(user) {
                    OpKind::ScfFor => carried_arg(module, user, at),
                    OpKind::ScfYield => {
                        let parent = module.parent_op(user);
                        // The next round of a loop has what this one yields.
                        open.extend(parent.and_then(|parent| {
                            let arg = carried_arg(module, parent, at + BOUNDS)?;
                            (module.kind(parent) == OpKind::ScfFor).then_some((arg, bds))
                        }));
                        parent.and_then(|parent| module.result(parent, at))
                    }
                    _ => None,
                };
                open.extend(carried.map(|value| (value, bds)));
            }
        }
        let Some((value, fewer, more)) = clash else {
            return Ok(());
        };
        let around = match module.def(value) {
            ValueDef::Result(op, _) => Some(op),
            ValueDef::Argument(block, _) => module.block_parent(block),
        };
        let message = format!("this gives a task of {fewer} buffer descriptors or one of {more}");
        let text = "carries tasks with different numbers of buffer descriptors at the same result; their ids can't be \
                    carried beside them";
        let diag = Diag::error(&BAD_TASK, message)
            .label(around.and_then(|op| module.span(op)), "here")
            .help("give the tasks chains of one length, or free them inside the loop or branch");
        Err(match around {
            Some(op) => self.fail(op, diag, text),
            None => self.context.fail(diag),
        })
    }

    /// Lets a loop carry the numbers of the tasks that it carries.
    fn grow_loop(&mut self, op: Op) -> Grown {
        let module = &mut *self.module;
        let inits: Vec<Value> = module.operands(op).skip(BOUNDS).collect();
        let mut carried = Vec::new();
        for (position, init) in inits.iter().enumerate() {
            let numbers = self.numbers.get(init);
            if let Some(numbers) = numbers.filter(|_| self.tasks.contains_key(init)) {
                let bds = numbers.len();
                carried.push(CarriedTask { position, bds });
                for number in numbers {
                    module.add_operand(op, *number);
                }
            }
        }
        if carried.is_empty() {
            return (op, carried);
        }
        if let Some(body) = module.entry(op, 0) {
            for task in &carried {
                let numbers = (0..task.bds).map(|_| module.add_block_arg(body, Type::I32));
                let numbers: Vec<Value> = numbers.collect();
                // The counter is the first argument.
                if let Some(arg) = module.block_args(body).get(task.position + 1) {
                    self.numbers.insert(*arg, numbers);
                }
            }
        }
        let new = self.with_results(op, carried.iter().map(|task| task.bds).sum());
        self.pair_results(new, &carried, inits.len());
        (new, carried)
    }

    /// Lets a branch yield the numbers of the tasks that it yields.
    fn grow_branch(&mut self, op: Op) -> Result<Option<Grown>, Reported> {
        let module = &*self.module;
        let yields: Vec<Vec<Value>> = [0, 1]
            .into_iter()
            .filter_map(|region| module.last_op(module.entry(op, region)?))
            .map(|last| module.operands(last).collect())
            .collect();
        let [yes, no] = yields.as_slice() else {
            return Ok(None);
        };
        let mut carried = Vec::new();
        for (position, (yes, no)) in yes.iter().zip(no).enumerate() {
            match (self.tasks.get(yes), self.tasks.get(no)) {
                (Some(bds), Some(_)) => carried.push(CarriedTask {
                    position,
                    bds: *bds,
                }),
                (None, None) => {}
                _ => {
                    let message = "only one way through this branch gives a task";
                    let text = "yields a pool-allocated task on only one branch of an scf.if; \
                                both branches must yield the task (and its buffer descriptor id) \
                                so it can be freed after the if";
                    let diag = Diag::error(&BAD_TASK, message)
                        .label(module.span(op), "this branch")
                        .help("free the task inside, or yield a task both ways");
                    return Err(self.fail(op, diag, text));
                }
            }
        }
        if carried.is_empty() {
            return Ok(None);
        }
        let before = module.num_results(op);
        let new = self.with_results(op, carried.iter().map(|task| task.bds).sum());
        self.pair_results(new, &carried, before);
        Ok(Some((new, carried)))
    }

    /// Replaces a loop or branch by one with `more` 32-bit results.
    fn with_results(&mut self, op: Op, more: usize) -> Op {
        let module = &mut *self.module;
        let operands: Vec<Value> = module.operands(op).collect();
        let old: Vec<Value> = module.results(op).collect();
        let mut types: Vec<Type> = old.iter().map(|v| module.ty(*v).clone()).collect();
        types.extend(std::iter::repeat_n(Type::I32, more));
        let (kind, loc) = (module.kind(op), module.loc(op));
        let build = module.build(kind, loc).operands(operands).results(types);
        let new = build.insert(InsertPoint::Before(op));
        copy_attrs(module, op, new);
        for region in module.regions_of(op).to_vec() {
            let to = module.add_region(new);
            for block in module.blocks_of(region).to_vec() {
                module.move_block_to_end(block, to);
            }
        }
        for (old, new) in old.into_iter().zip(module.results(new)) {
            module.replace_all_uses(old, new);
            if let Some(bds) = self.tasks.get(&old).copied() {
                self.tasks.insert(new, bds);
            }
        }
        module.erase(op);
        new
    }

    /// Pairs the task results of a grown operation with the numbers added for them.
    fn pair_results(&mut self, op: Op, carried: &[CarriedTask], before: usize) {
        let mut first = before;
        for task in carried {
            let numbers = first..first + task.bds;
            first = numbers.end;
            let numbers = numbers.filter_map(|n| self.module.result(op, n));
            let numbers: Vec<Value> = numbers.collect();
            if let Some(handle) = self.module.result(op, task.position) {
                self.numbers.insert(handle, numbers);
            }
        }
    }

    /// Adds the numbers of carried tasks to what a grown operation's blocks yield.
    fn yield_numbers(&mut self, op: Op, carried: &[CarriedTask]) {
        for region in 0..self.module.regions_of(op).len() {
            let last = self
                .module
                .entry(op, region)
                .and_then(|block| self.module.last_op(block));
            let Some(last) = last else { continue };
            for task in carried {
                let handle = self.module.operand(last, task.position);
                let numbers = handle.and_then(|handle| self.numbers.get(&handle));
                for number in numbers.into_iter().flatten() {
                    self.module.add_operand(last, *number);
                }
            }
        }
    }

    /// The channels of all tasks; both ways through a branch must agree.
    fn find_channels(&mut self, tasks: &[Op]) -> Result<(), Reported> {
        let module = &*self.module;
        let mut open = Vec::new();
        for task in tasks {
            open.extend(module.result(*task, 0).zip(task_channel(module, *task)));
        }
        open.reverse();
        let mut clash = None;
        while let Some((value, channel)) = open.pop() {
            match self.origins.get(&value) {
                Some(known) if *known == channel => continue,
                Some(_) => {
                    clash = clash.or_else(|| module.def_op(value));
                    continue;
                }
                None => {}
            }
            self.origins.insert(value, channel);
            for (user, at) in module.uses(value) {
                match module.kind(user) {
                    OpKind::ScfFor => {
                        let found = carried_arg(module, user, at);
                        let result = at.checked_sub(BOUNDS).and_then(|n| module.result(user, n));
                        open.extend(found.into_iter().chain(result).map(|v| (v, channel)));
                    }
                    OpKind::ScfYield => {
                        let parent = module.parent_op(user);
                        let branch = parent.filter(|op| module.kind(*op) == OpKind::ScfIf);
                        let result = branch.and_then(|branch| module.result(branch, at));
                        open.extend(result.map(|v| (v, channel)));
                    }
                    _ => {}
                }
            }
        }
        let Some(op) = clash else {
            return Ok(());
        };
        let message = "the two ways through this branch give tasks of different channels";
        let text = "yields tasks on different physical channels (tile/direction/channel) from its \
                    two branches at the same result; a pooled buffer descriptor id and its \
                    completion sync belong to one channel";
        let diag = Diag::error(&BAD_TASK, message)
            .label(self.module.span(op), "this branch")
            .help("free and await the tasks inside the branch");
        Err(self.fail(op, diag, text))
    }

    /// Gives the numbers of a freed task back.
    fn push(&mut self, free: Op) -> Result<(), Reported> {
        let task = self.module.operand(free, 0);
        let numbers = task.and_then(|task| self.numbers.get(&task)).cloned();
        let channel = task.and_then(|task| self.origins.get(&task)).copied();
        let Some((numbers, channel)) = numbers.zip(channel) else {
            let message = "it isn't known which task this is";
            let text = "does not resolve to a task allocated from the runtime pool; cannot return \
                        its buffer descriptor ID";
            let diag = Diag::error(&BAD_TASK, message)
                .label(self.module.span(free), "freed here")
                .help("name the result of `aiex.dma_configure_task`, or what a loop carries of it");
            return Err(self.fail(free, diag, text));
        };
        let (tile, range) = (channel.tile, self.range(channel));
        let module = &mut *self.module;
        let loc = module.derived_loc(self.context.pass, free);
        for number in numbers {
            DmaBdPoolPush::build(module, loc, number, tile.col, tile.row)
                .partition_begin(range.start)
                .partition_end(range.end)
                .insert(InsertPoint::Before(free));
        }
        module.erase(free);
        Ok(())
    }
}

/// The argument of a loop's body that begins as operand `at` of the loop.
fn carried_arg(module: &Module, op: Op, at: usize) -> Option<Value> {
    // The counter is the first argument.
    let arg = at.checked_sub(BOUNDS)? + 1;
    module.block_args(module.entry(op, 0)?).get(arg).copied()
}
