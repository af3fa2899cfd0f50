//! `aie-lower-dynamic-bd-pool`: sequences with loops and branches draw the numbers of their BDs
//! from a pool of the tile at run time
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIELowerDynamicBDPool.cpp`).
//!
//! Each configured task pops a number, each freed one pushes its number back; a wait isn't a release.
//! A number goes where its task goes: beside each task that a loop carries or a branch yields
//! is its number, as a further value of the loop or branch.
//!
//! Such a sequence is run by a host with an interpreter; control code has no pools, so that a
//! compilation unrolls loops instead. This pass is for users who go on with mlir-aie's tools.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, Type, Value};
use aiec_aie::ops::{DmaBdPoolPop, DmaBdPoolPush, OpKind, OpView, RuntimeSequence};
use aiec_device::ChannelId;
use aiec_diag::{Diag, MlirAieReport, Reported};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{copy_attrs, task_channel};
use crate::infra::pass::{PassContext, PassDef};
use crate::sequence::codes::{BAD_BD_ID, BAD_TASK, UNSUPPORTED};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-lower-dynamic-bd-pool", run)
    .summary("Let sequences with loops and branches draw their BDs from pools at run time")
    .postconditions(&["tasks of sequences with loops or branches have BD numbers from a pool"]);

/// Operands of `scf.for` in front of what it carries.
const BOUNDS: usize = 3;

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
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
            tasks: FxHashSet::default(),
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
    /// The values that are tasks.
    tasks: FxHashSet<Value>,
    /// The number that belongs to a value that is a task.
    numbers: FxHashMap<Value, Value>,
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
        self.tasks = self.task_values(&tasks);
        // Outer loops and branches first: what they carry is there when inner ones yield it.
        let mut grown = Vec::new();
        for op in ops {
            match self.module.kind(*op) {
                OpKind::ScfFor => grown.push(self.grow_loop(*op)),
                OpKind::ScfIf => grown.extend(self.grow_branch(*op)?),
                _ => {}
            }
        }
        for (op, positions) in grown {
            self.yield_numbers(op, &positions);
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

    /// Gives a task a number of the pool.
    fn pop(&mut self, task: Op) -> Result<(), Reported> {
        let module = &mut *self.module;
        let Some(handle) = module.result(task, 0) else {
            return Ok(());
        };
        let bds = module.find(task, OpKind::DmaBd);
        if bds.len() != 1 {
            let message = "a task with a number of a pool has one buffer descriptor";
            let text = "dynamic BD pool lowering supports single-BD tasks only; a multi-BD chain \
                        under a runtime-bound loop needs runtime next_bd chaining (not yet \
                        implemented)";
            let count = bds.len();
            let diag = Diag::error(&UNSUPPORTED, message)
                .label(module.span(task), format!("this one has {count}"))
                .help("make a task of each, or give the loop constant bounds");
            return Err(self.fail(task, diag, text));
        }
        let pinned = bds
            .into_iter()
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
        let Some(ChannelId { tile, .. }) = task_channel(self.module, task) else {
            let message = "the tile of this task has no place yet";
            let text = "Cannot lower a DMA task whose tile is not placed";
            let diag = Diag::error(&BAD_TASK, message)
                .label(self.module.span(task), "here")
                .help("run --aie-place-tiles first");
            return Err(self.fail(task, diag, text));
        };
        let module = &mut *self.module;
        let loc = module.derived_loc(self.context.pass, task);
        let pop = DmaBdPoolPop::build(module, loc, tile.col, tile.row)
            .result(Type::I32)
            .insert(InsertPoint::Before(task));
        let Some(number) = module.result(pop, 0) else {
            return Ok(());
        };
        let repeats = module.operand_group(task, "repeat_count_val").len() as i32;
        module.add_operand(task, number);
        let sizes = Attr::i32_array([1, repeats, 1]);
        module.set_attr(task, "operandSegmentSizes", sizes);
        self.numbers.insert(handle, number);
        self.context.count("tasks", 1);
        Ok(())
    }

    /// All values that are tasks: configured ones, and what loops and branches make of them.
    fn task_values(&self, tasks: &[Op]) -> FxHashSet<Value> {
        let module = &*self.module;
        let mut found = FxHashSet::default();
        let mut open: Vec<Value> = tasks
            .iter()
            .filter_map(|op| module.result(*op, 0))
            .collect();
        while let Some(value) = open.pop() {
            if !found.insert(value) {
                continue;
            }
            for (user, at) in module.uses(value) {
                match module.kind(user) {
                    OpKind::ScfFor => open.extend(carried_arg(module, user, at)),
                    OpKind::ScfYield => {
                        let parent = module.parent_op(user);
                        open.extend(parent.and_then(|parent| module.result(parent, at)));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// Lets a loop carry the numbers of the tasks that it carries; returns the new loop and the
    /// positions of those tasks.
    fn grow_loop(&mut self, op: Op) -> (Op, Vec<usize>) {
        let module = &mut *self.module;
        let inits: Vec<Value> = module.operands(op).skip(BOUNDS).collect();
        let mut positions = Vec::new();
        let mut numbers = Vec::new();
        for (at, init) in inits.iter().enumerate() {
            if self.tasks.contains(init)
                && let Some(number) = self.numbers.get(init)
            {
                positions.push(at);
                numbers.push(*number);
            }
        }
        if positions.is_empty() {
            return (op, positions);
        }
        let args = module.entry(op, 0).map(|body| {
            let args: Vec<Value> = positions
                .iter()
                .filter_map(|at| module.block_args(body).get(at + 1).copied())
                .collect();
            let new: Vec<Value> = positions
                .iter()
                .map(|_| module.add_block_arg(body, Type::I32))
                .collect();
            (args, new)
        });
        for number in &numbers {
            module.add_operand(op, *number);
        }
        let new = self.with_results(op, positions.len());
        let (args, new_args) = args.unwrap_or_default();
        self.numbers.extend(args.into_iter().zip(new_args));
        self.pair_results(new, &positions, inits.len());
        (new, positions)
    }

    /// Lets a branch yield the numbers of the tasks that it yields.
    fn grow_branch(&mut self, op: Op) -> Result<Option<(Op, Vec<usize>)>, Reported> {
        let module = &*self.module;
        let yields: Vec<Vec<Value>> = [0, 1]
            .into_iter()
            .filter_map(|region| module.last_op(module.entry(op, region)?))
            .map(|last| module.operands(last).collect())
            .collect();
        let [yes, no] = yields.as_slice() else {
            return Ok(None);
        };
        let mut positions = Vec::new();
        for (at, (yes, no)) in yes.iter().zip(no).enumerate() {
            match (self.tasks.contains(yes), self.tasks.contains(no)) {
                (true, true) => positions.push(at),
                (false, false) => {}
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
        if positions.is_empty() {
            return Ok(None);
        }
        let before = module.num_results(op);
        let new = self.with_results(op, positions.len());
        self.pair_results(new, &positions, before);
        Ok(Some((new, positions)))
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
            if self.tasks.contains(&old) {
                self.tasks.insert(new);
            }
        }
        module.erase(op);
        new
    }

    /// Pairs the task results of a grown operation with the numbers added for them.
    fn pair_results(&mut self, op: Op, positions: &[usize], before: usize) {
        for (n, at) in positions.iter().enumerate() {
            let result = |n| self.module.result(op, n);
            if let (Some(task), Some(number)) = (result(*at), result(before + n)) {
                self.numbers.insert(task, number);
            }
        }
    }

    /// Adds the numbers of the tasks at some positions to what a grown operation's blocks yield.
    fn yield_numbers(&mut self, op: Op, positions: &[usize]) {
        for region in 0..self.module.regions_of(op).len() {
            let last = self
                .module
                .entry(op, region)
                .and_then(|block| self.module.last_op(block));
            let Some(last) = last else { continue };
            for at in positions {
                let task = self.module.operand(last, *at);
                if let Some(number) = task.and_then(|task| self.numbers.get(&task)) {
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

    /// Gives the number of a freed task back.
    fn push(&mut self, free: Op) -> Result<(), Reported> {
        let task = self.module.operand(free, 0);
        let number = task.and_then(|task| self.numbers.get(&task)).copied();
        let channel = task.and_then(|task| self.origins.get(&task)).copied();
        let Some((number, ChannelId { tile, .. })) = number.zip(channel) else {
            let message = "it isn't known which task this is";
            let text = "does not resolve to a task allocated from the runtime pool; cannot return \
                        its buffer descriptor ID";
            let diag = Diag::error(&BAD_TASK, message)
                .label(self.module.span(free), "freed here")
                .help("name the result of `aiex.dma_configure_task`, or what a loop carries of it");
            return Err(self.fail(free, diag, text));
        };
        let module = &mut *self.module;
        let loc = module.derived_loc(self.context.pass, free);
        DmaBdPoolPush::build(module, loc, number, tile.col, tile.row)
            .insert(InsertPoint::Before(free));
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
