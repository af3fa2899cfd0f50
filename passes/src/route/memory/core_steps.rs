//! Steps of a core's program as far as locks go, found by executing its integers.
//!
//! A loop whose lock operations don't depend on its variable becomes one loop of the steps of a pass. Others are
//! executed pass by pass; a long one for some passes, and further ones repeat the last few, whose period shows.

use aiec_aie::ir::{Block, Module, Op};
use aiec_aie::ops::{OpKind, OpView, ScfFor, UseLock};
use rustc_hash::{FxHashMap, FxHashSet};

use super::steps::{ProcessStep, repeat};
use crate::analysis::known_integers::{
    EXECUTED_PASSES, KnownIntegers, MAX_OPERATIONS, PassPeriod, locks_depend_on, uses_locks,
};

/// The steps of a core, each lock operation by `lock` from its number of units; `None` if they depend on data.
pub(super) fn core_steps(
    module: &Module,
    core: Op,
    lock: impl FnMut(UseLock, i64) -> Option<ProcessStep>,
) -> Option<Vec<ProcessStep>> {
    let Some(entry) = module.entry(core, 0) else {
        return Some(Vec::new());
    };
    let mut executor = StepExecutor {
        module,
        integers: KnownIntegers::new(module),
        left: MAX_OPERATIONS,
        lock,
    };
    executor.blocks(entry)
}

struct StepExecutor<'a, L> {
    module: &'a Module,
    integers: KnownIntegers<'a>,
    /// Operations that may still be executed.
    left: usize,
    lock: L,
}

impl<L: FnMut(UseLock, i64) -> Option<ProcessStep>> StepExecutor<'_, L> {
    /// The steps from a block on.
    fn blocks(&mut self, entry: Block) -> Option<Vec<ProcessStep>> {
        let module = self.module;
        let mut steps = Vec::new();
        // Of each block how many steps were there before it, each time it was come to.
        let mut visits: FxHashMap<Block, Vec<usize>> = FxHashMap::default();
        let mut block = entry;
        loop {
            let earlier = visits.entry(block).or_default();
            earlier.push(steps.len());
            if earlier.len() > EXECUTED_PASSES {
                let passes = earlier
                    .windows(2)
                    .map(|pass| steps[pass[0]..pass[1]].to_vec());
                let passes: Vec<Vec<ProcessStep>> = passes.collect();
                // A loop without locks only passes the time.
                if passes.iter().all(Vec::is_empty) {
                    earlier.drain(..passes.len());
                } else {
                    steps.truncate(earlier[0]);
                    steps.extend(continued(&passes, None)?);
                    return Some(steps);
                }
            }
            steps.extend(self.block(block)?);
            let Some(last) = module.last_op(block) else {
                return Some(steps);
            };
            let Some(successor) = self.integers.follow(last)? else {
                return Some(steps);
            };
            block = successor;
        }
    }

    /// The steps of a block without its successors.
    fn block(&mut self, block: Block) -> Option<Vec<ProcessStep>> {
        let module = self.module;
        let mut steps = Vec::new();
        for op in module.block_ops(block) {
            self.left = self.left.checked_sub(1)?;
            if let Some(used) = UseLock::cast(module, op) {
                let value = self.integers.int(used.value(module)?)?;
                steps.push((self.lock)(used, i64::try_from(value).ok()?)?);
            } else if uses_locks(module, op) {
                steps.extend(self.structured(op)?);
            } else {
                // Nothing to wait for but streams and cascades, which are taken to flow.
                self.integers.execute(op);
            }
        }
        Some(steps)
    }

    fn structured(&mut self, op: Op) -> Option<Vec<ProcessStep>> {
        let module = self.module;
        let (steps, results) = match module.kind(op) {
            OpKind::ScfFor => self.counted_loop(ScfFor::cast(module, op)?)?,
            OpKind::ScfWhile => self.while_loop(op)?,
            OpKind::ScfIf => self.branch(op)?,
            OpKind::ScfExecuteRegion => {
                let block = module.entry(op, 0)?;
                (self.block(block)?, self.integers.yielded(block, 0))
            }
            _ => return None,
        };
        let values: Vec<_> = module.results(op).collect();
        self.integers.bind(&values, results);
        Some(steps)
    }

    /// The steps of an `scf.if`, and its results; both branches do the same if the condition isn't known.
    fn branch(&mut self, op: Op) -> Option<(Vec<ProcessStep>, Vec<Option<i128>>)> {
        let module = self.module;
        let condition = self.integers.int(module.operand(op, 0)?);
        let mut of = |region| match module.entry(op, region) {
            Some(block) => Some((self.block(block)?, self.integers.yielded(block, 0))),
            None => Some((Vec::new(), Vec::new())),
        };
        match condition {
            Some(0) => of(1),
            Some(_) => of(0),
            None => {
                let (steps, others) = (of(0)?.0, of(1)?.0);
                (steps == others).then(|| (steps, Vec::new()))
            }
        }
    }

    fn counted_loop(&mut self, view: ScfFor) -> Option<(Vec<ProcessStep>, Vec<Option<i128>>)> {
        let module = self.module;
        let body = module.entry(view.op(), 0)?;
        let arguments = module.block_args(body);
        let range = self.integers.range(view);
        let mut carried = self.integers.operands(view.op(), 3);
        let trips = self.integers.trips(view)?;
        if trips == 0 {
            return Some((Vec::new(), carried));
        }
        let mut depending: FxHashSet<_> = arguments.iter().copied().collect();
        if carried.is_empty() && !locks_depend_on(module, body, &mut depending) {
            self.integers.bind(arguments, []);
            let pass = self.block(body)?;
            let times = if is_spin(&pass) { trips.min(1) } else { trips };
            let mut steps = Vec::new();
            repeat(&mut steps, Some(times), pass);
            return Some((steps, Vec::new()));
        }
        let mut passes = Vec::new();
        let most = EXECUTED_PASSES as u64;
        for number in 0..trips.min(most) {
            let variable = range.map(|(lower, step)| lower + i128::from(number) * step);
            let given = std::iter::once(variable).chain(carried.iter().copied());
            self.integers.bind(arguments, given);
            passes.push(self.block(body)?);
            carried = self.integers.yielded(body, 0);
        }
        if trips <= most {
            return Some((passes.concat(), carried));
        }
        Some((continued(&passes, Some(trips - most))?, Vec::new()))
    }

    fn while_loop(&mut self, op: Op) -> Option<(Vec<ProcessStep>, Vec<Option<i128>>)> {
        let module = self.module;
        let (before, after) = (module.entry(op, 0)?, module.entry(op, 1)?);
        let mut given = self.integers.operands(op, 0);
        let mut passes = Vec::new();
        for _ in 0..EXECUTED_PASSES {
            self.integers.bind(module.block_args(before), given);
            let mut pass = self.block(before)?;
            let handed = self.integers.yielded(before, 1);
            let condition = module.operand(module.last_op(before)?, 0)?;
            if self.integers.int(condition)? == 0 {
                passes.push(pass);
                return Some((passes.concat(), handed));
            }
            self.integers.bind(module.block_args(after), handed);
            pass.extend(self.block(after)?);
            passes.push(pass);
            given = self.integers.yielded(after, 0);
        }
        Some((continued(&passes, None)?, Vec::new()))
    }
}

/// Passes that were executed, with further ones (`None`: without end); `None` if no period shows.
fn continued(passes: &[Vec<ProcessStep>], further: Option<u64>) -> Option<Vec<ProcessStep>> {
    let PassPeriod { first, period } = PassPeriod::of(passes.len(), |a, b| passes[a] == passes[b])?;
    let mut steps = passes.concat();
    let ring = &passes[passes.len() - period..];
    match further {
        Some(further) => {
            repeat(&mut steps, Some(further / period as u64), ring.concat());
            let rest = (further % period as u64) as usize;
            steps.extend(ring[..rest].concat());
        }
        None => {
            steps = passes[..first].concat();
            repeat(&mut steps, None, passes[first..first + period].concat());
        }
    }
    Some(steps)
}

/// Whether steps only take locks and give them back at once, as often as time is to pass: what others
/// wait for is the same after the first turn.
fn is_spin(steps: &[ProcessStep]) -> bool {
    steps.chunks(2).all(|pair| match pair {
        [
            ProcessStep::Acquire { lock, value, equal },
            ProcessStep::Release {
                lock: given,
                value: back,
            },
        ] => lock == given && value == back && !equal,
        _ => false,
    })
}
