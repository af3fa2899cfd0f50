//! Changes of locks by a core's operations, found by executing its integers.
//!
//! Bounds of loops, conditions and counts of units are often computed, and windows over a fifo carry how many
//! objects they have from pass to pass, so blocks are executed with the integers that are known. Loops are executed for
//! some passes: further ones repeat the last, or, where bounds and conditions depend on the number of the pass, the last
//! few in turn. That they repeat follows from the loop, or from changes of its first passes.

use aiec_aie::ir::{Block, Module, Op, Value};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::{OpKind, OpView, ScfFor, UseLock};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{LockChanges, LockOperations, add, add_units};
use crate::analysis::known_integers::{
    EXECUTED_PASSES, KnownIntegers, MAX_OPERATIONS, PassPeriod, locks_depend_on, uses_locks,
};

/// Passes of a loop from which on it counts as endless: `0` to the largest `i32` or more.
pub(super) const ENDLESS: i128 = i32::MAX as i128;
/// Passes of a loop without any that are executed as if it had them.
const IDLE_PASSES: usize = 12;

/// Lock operations that are done one after the other.
#[derive(Clone, Default)]
pub(super) struct LockSegment {
    /// Units that are given less those that are taken.
    pub changes: LockChanges,
    /// The operations.
    pub operations: LockOperations,
}

impl LockSegment {
    pub(super) fn sum(&self) -> i64 {
        self.changes.values().sum()
    }

    pub(super) fn append(&mut self, more: &LockSegment, times: i64) {
        add(&mut self.changes, &more.changes, times);
        self.operations.extend(&more.operations);
    }

    fn changes_nothing(&self) -> bool {
        self.changes.values().all(|units| *units == 0)
    }
}

/// Changes of locks by a core's operations.
#[derive(Default)]
pub(super) struct CoreLocks {
    /// Before the first endless loop, or all if there is none.
    pub before: LockSegment,
    /// Each endless loop, with an operation of it.
    pub endless: Vec<(Op, LockSegment)>,
    /// After them.
    pub behind: LockSegment,
    /// Changes by a pass of each loop without passes, and by a branch that is never taken in excess
    /// of the other branch.
    pub idle: Vec<(Op, LockSegment)>,
    /// Whether all of it is known.
    pub complete: bool,
}

/// Executes a core as far as its locks need it; what isn't known is left out.
pub(super) fn core_locks(module: &Module, core: Op) -> CoreLocks {
    let mut executor = IntegerExecutor {
        module,
        integers: KnownIntegers::new(module),
        left: MAX_OPERATIONS,
        endless: Vec::new(),
        before: None,
        executed: FxHashSet::default(),
        idle: IndexMap::new(),
        idle_left: MAX_OPERATIONS,
        is_idle: false,
    };
    let entry = module.entry(core, 0);
    let outside = entry.and_then(|entry| executor.blocks(entry));
    let IntegerExecutor {
        endless,
        before,
        executed,
        mut idle,
        ..
    } = executor;
    idle.retain(|block, _| !executed.contains(block));
    // Code after an endless loop isn't executed.
    let complete = outside.is_some() || !endless.is_empty();
    let (before, behind) = match (outside, before) {
        (Some(all), None) => (all, LockSegment::default()),
        (Some(all), Some(before)) => {
            let mut behind = all;
            add(&mut behind.changes, &before.changes, -1);
            behind
                .operations
                .retain(|used| !before.operations.contains(used));
            (before, behind)
        }
        (None, before) => (before.unwrap_or_default(), LockSegment::default()),
    };
    CoreLocks {
        before,
        endless,
        behind,
        idle: idle.into_values().collect(),
        complete,
    }
}

struct IntegerExecutor<'a> {
    module: &'a Module,
    integers: KnownIntegers<'a>,
    /// Operations that may still be executed.
    left: usize,
    endless: Vec<(Op, LockSegment)>,
    /// Changes before the first endless loop, once one has been met.
    before: Option<LockSegment>,
    /// Blocks of operations that were executed.
    executed: FxHashSet<Block>,
    /// Changes by code that isn't executed (unless it is later), by its block, with the operation
    /// around it.
    idle: IndexMap<Block, (Op, LockSegment)>,
    /// Operations of such code that may still be executed as if it were.
    idle_left: usize,
    /// Such code is executed.
    is_idle: bool,
}

/// State of a loop that has been executed for some passes.
enum LoopEnd {
    /// It ended.
    Ended,
    /// It continues, for a known number of further iterations or an unknown one.
    GoesOn(Option<i128>),
    /// Continues for `n` further iterations with identical effect.
    Repeats(i128),
}

impl IntegerExecutor<'_> {
    /// The blocks of a core from its first one on; endless loops change nothing.
    fn blocks(&mut self, entry: Block) -> Option<LockSegment> {
        let module = self.module;
        let mut sum = LockSegment::default();
        // Of each block what was changed before it, each time it was come to.
        let mut visits: FxHashMap<Block, Vec<LockSegment>> = FxHashMap::default();
        let mut block = entry;
        loop {
            let earlier = visits.entry(block).or_default();
            earlier.push(sum.clone());
            if let [first, .., now] = earlier.as_slice()
                && earlier.len() > EXECUTED_PASSES
            {
                let pass = |pair: &[LockSegment]| {
                    let mut pass = pair[1].clone();
                    add(&mut pass.changes, &pair[0].changes, -1);
                    pass
                };
                let passes: Vec<LockSegment> = earlier.windows(2).map(pass).collect();
                let mut ring = RepeatedPasses::of(&passes)?.changes(&passes);
                ring.operations = now.operations.clone();
                ring.operations
                    .retain(|used| !first.operations.contains(used));
                let at = *module.ops_in(block).first()?;
                if self.endless.is_empty() {
                    self.before = Some(first.clone());
                }
                self.endless.push((at, ring));
                return Some(first.clone());
            }
            self.block(block, &mut sum)?;
            let last = module.last_op(block)?;
            let Some(successor) = self.integers.follow(last)? else {
                return Some(sum);
            };
            block = successor;
        }
    }

    /// Executes a block up to its terminator.
    fn block(&mut self, block: Block, sum: &mut LockSegment) -> Option<()> {
        let module = self.module;
        if !self.is_idle {
            self.executed.insert(block);
        }
        for op in module.ops_in(block) {
            self.left = self.left.checked_sub(1)?;
            if let Some(used) = UseLock::cast(module, op) {
                let (lock, units) = self.change(used)?;
                add_units(&mut sum.changes, lock, units);
                sum.operations.insert(op);
            } else if uses_locks(module, op) {
                let met = self.endless.len();
                let before = sum.clone();
                self.structured(op, sum)?;
                if met == 0 && self.endless.len() > met {
                    self.before.get_or_insert(before);
                }
            } else {
                self.integers.execute(op);
            }
        }
        Some(())
    }

    /// The lock that a lock operation changes, and by how many units; `None` if that isn't known.
    fn change(&self, used: UseLock) -> Option<(Op, i64)> {
        let lock = used.lock_op(self.module)?.op();
        let units = i64::try_from(self.integers.int(used.value(self.module)?)?).ok()?;
        match used.action(self.module) {
            LockAction::Release => Some((lock, units)),
            LockAction::AcquireGreaterEqual => Some((lock, -units)),
            LockAction::Acquire => None,
        }
    }

    /// Units of the largest acquire of operations.
    fn largest_acquire(&self, segment: &LockSegment) -> i64 {
        let operations = segment.operations.iter().map(|op| UseLock(*op));
        let changes = operations.filter_map(|used| self.change(used));
        let taken = changes.map(|(_, units)| -units);
        taken.max().unwrap_or(0)
    }

    /// Executes code as if the program came to it, unless that was done before or the program did come to it. Nothing but
    /// what `changes` gives remains of it.
    fn as_if(
        &mut self,
        (op, block): (Op, Block),
        changes: impl FnOnce(&mut Self) -> Option<LockSegment>,
    ) {
        if self.executed.contains(&block) || self.idle.contains_key(&block) {
            return;
        }
        let outermost = !std::mem::replace(&mut self.is_idle, true);
        if outermost {
            std::mem::swap(&mut self.left, &mut self.idle_left);
        }
        let (met, before) = (self.endless.len(), self.before.clone());
        if let Some(changes) = changes(self) {
            self.idle.insert(block, (op, changes));
        }
        self.endless.truncate(met);
        self.before = before;
        if outermost {
            std::mem::swap(&mut self.left, &mut self.idle_left);
            self.is_idle = false;
        }
    }

    /// Records the changes that repeated passes of a loop without passes would make.
    fn idle_loop(&mut self, op: Op, body: Block, range: Option<(i128, i128)>) {
        let module = self.module;
        let mut carried = self.integers.operands(op, 3);
        self.as_if((op, body), |executor| {
            let mut passes = Vec::new();
            for number in 0..IDLE_PASSES as i128 {
                let induction = range.map(|(lower, step)| lower + number * step);
                let given = std::iter::once(induction).chain(carried);
                executor.integers.bind(module.block_args(body), given);
                let mut one = LockSegment::default();
                executor.block(body, &mut one)?;
                carried = executor.integers.yielded(body, 0);
                passes.push(one);
            }
            Some(RepeatedPasses::of(&passes)?.changes(&passes))
        });
    }

    fn structured(&mut self, op: Op, sum: &mut LockSegment) -> Option<()> {
        let module = self.module;
        let region = |number| module.entry(op, number);
        let results: Vec<Value> = module.results(op).collect();
        match module.kind(op) {
            OpKind::ScfFor => {
                let values = self.counted_loop(op, sum)?;
                self.integers.bind(&results, values);
            }
            OpKind::ScfWhile => {
                let values = self.while_loop(op, sum)?;
                self.integers.bind(&results, values);
            }
            OpKind::ScfIf => {
                let branches = [region(0), region(1)];
                match self.integers.int(module.operand(op, 0)?) {
                    Some(condition) => {
                        let [taken, other] = match condition {
                            0 => [branches[1], branches[0]],
                            _ => branches,
                        };
                        let before = sum.clone();
                        if let Some(taken) = taken {
                            self.block(taken, sum)?;
                            let values = self.integers.yielded(taken, 0);
                            self.integers.bind(&results, values);
                        }
                        if let Some(other) = other {
                            let mut own = sum.clone();
                            add(&mut own.changes, &before.changes, -1);
                            self.as_if((op, other), |executor| {
                                let mut difference = LockSegment::default();
                                executor.block(other, &mut difference)?;
                                add(&mut difference.changes, &own.changes, -1);
                                let window = executor.largest_acquire(&difference);
                                let sum = difference.sum();
                                // The first pass of a window takes more than it gives.
                                let judged = !difference.operations.is_empty()
                                    && (sum >= 0 || -sum >= window);
                                judged.then_some(difference)
                            });
                        }
                    }
                    None => {
                        let mut sums = [LockSegment::default(), LockSegment::default()];
                        for (branch, sum) in branches.into_iter().zip(&mut sums) {
                            if let Some(branch) = branch {
                                self.block(branch, sum)?;
                            }
                        }
                        let mut difference = sums[0].clone();
                        add(&mut difference.changes, &sums[1].changes, -1);
                        if !difference.changes_nothing() {
                            return None;
                        }
                        sum.append(&sums[0], 1);
                        sum.append(&sums[1], 0);
                        self.integers.bind(&results, []);
                    }
                }
            }
            OpKind::ScfExecuteRegion => {
                let block = region(0)?;
                self.block(block, sum)?;
                let values = self.integers.yielded(block, 0);
                self.integers.bind(&results, values);
            }
            _ => return None,
        }
        Some(())
    }

    /// Executes passes of a loop, each by `pass`, which says whether it goes on.
    fn passes(
        &mut self,
        op: Op,
        sum: &mut LockSegment,
        mut pass: impl FnMut(&mut Self, &mut LockSegment) -> Option<LoopEnd>,
    ) -> Option<()> {
        let mut last: Vec<LockSegment> = Vec::new();
        let met = self.endless.len();
        loop {
            let mut one = LockSegment::default();
            let end = pass(self, &mut one)?;
            if self.endless.len() > met {
                // a loop in it never ends
                sum.append(&one, 1);
                return Some(());
            }
            last.push(one);
            let (rest, repeated) = match end {
                LoopEnd::Ended => break,
                LoopEnd::Repeats(rest) => (Some(rest), RepeatedPasses::EACH),
                LoopEnd::GoesOn(_) if last.len() < EXECUTED_PASSES => continue,
                LoopEnd::GoesOn(rest) => (rest, RepeatedPasses::of(&last)?),
            };
            let executed = last.len() as i128;
            match rest {
                Some(rest) if rest + executed - (EXECUTED_PASSES as i128) < ENDLESS => {
                    last.iter().for_each(|one| sum.append(one, 1));
                    repeated.append_more(&last, i64::try_from(rest).ok()?, sum);
                }
                _ => {
                    // The passes before those that repeat belong to what comes before.
                    let first = &last[..repeated.0.first];
                    first.iter().for_each(|one| sum.append(one, 1));
                    if self.endless.is_empty() {
                        self.before = Some(sum.clone());
                    }
                    self.endless.push((op, repeated.changes(&last)));
                }
            }
            return Some(());
        }
        last.iter().for_each(|one| sum.append(one, 1));
        Some(())
    }

    fn counted_loop(&mut self, op: Op, sum: &mut LockSegment) -> Option<Vec<Option<i128>>> {
        let module = self.module;
        let view = ScfFor::cast(module, op)?;
        let body = module.entry(op, 0)?;
        let arguments = module.block_args(body);
        let range = self.integers.range(view);
        let mut carried = self.integers.operands(op, 3);
        let Some(trips) = self.integers.trips(view).map(i128::from) else {
            // It isn't known how often it runs.
            let mut one = LockSegment::default();
            self.integers.bind(arguments, []);
            self.block(body, &mut one)?;
            sum.append(&one, 0);
            return one.changes_nothing().then(Vec::new);
        };
        if trips == 0 {
            self.idle_loop(op, body, range);
            return Some(carried);
        }
        let alike = carried.is_empty()
            && !locks_depend_on(module, body, &mut arguments.iter().copied().collect());
        let mut number = 0;
        self.passes(op, sum, |executor, one| {
            let induction = range.map(|(lower, step)| lower + number * step);
            let given = std::iter::once(induction).chain(carried.iter().copied());
            executor.integers.bind(arguments, given);
            executor.block(body, one)?;
            carried = executor.integers.yielded(body, 0);
            number += 1;
            Some(match trips - number {
                0 => LoopEnd::Ended,
                rest if alike => LoopEnd::Repeats(rest),
                rest => LoopEnd::GoesOn(Some(rest)),
            })
        })?;
        Some(if trips == number { carried } else { Vec::new() })
    }

    fn while_loop(&mut self, op: Op, sum: &mut LockSegment) -> Option<Vec<Option<i128>>> {
        let module = self.module;
        let (before, after) = (module.entry(op, 0)?, module.entry(op, 1)?);
        let mut given = self.integers.operands(op, 0);
        let mut results = Vec::new();
        self.passes(op, sum, |executor, one| {
            executor
                .integers
                .bind(module.block_args(before), given.iter().copied());
            executor.block(before, one)?;
            let handed = executor.integers.yielded(before, 1);
            let condition = executor
                .integers
                .int(module.operand(module.last_op(before)?, 0)?)?;
            if condition == 0 {
                results = handed;
                return Some(LoopEnd::Ended);
            }
            executor.integers.bind(module.block_args(after), handed);
            executor.block(after, one)?;
            given = executor.integers.yielded(after, 0);
            Some(LoopEnd::GoesOn(None))
        })?;
        Some(results)
    }
}

/// Effect of the passes of a loop.
struct RepeatedPasses(PassPeriod);

impl RepeatedPasses {
    /// Each pass changes the same.
    const EACH: RepeatedPasses = RepeatedPasses(PassPeriod {
        first: 0,
        period: 1,
    });

    /// `None`: no period shows.
    fn of(passes: &[LockSegment]) -> Option<RepeatedPasses> {
        let same = |a: usize, b: usize| passes[a].changes == passes[b].changes;
        PassPeriod::of(passes.len(), same).map(RepeatedPasses)
    }

    /// Changes in one period, the last of those that were executed.
    fn changes(&self, passes: &[LockSegment]) -> LockSegment {
        let mut sum = LockSegment::default();
        let last = &passes[passes.len() - self.0.period..];
        last.iter().for_each(|pass| sum.append(pass, 1));
        sum
    }

    /// Adds `count` passes more than were executed.
    fn append_more(&self, passes: &[LockSegment], count: i64, sum: &mut LockSegment) {
        let last = &passes[passes.len() - self.0.period..];
        let period = last.len() as i64;
        for (at, pass) in (0..).zip(last) {
            sum.append(pass, count / period + i64::from(at < count % period));
        }
    }
}
