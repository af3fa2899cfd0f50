//! Execution of a core's integers as far as its lock operations need it: bounds of loops, conditions and counts of
//! units are often computed, and windows over a fifo carry how many objects they have from pass to pass.

use aiec_aie::ir::{Attr, Block, Module, Op, Type, Value};
use aiec_aie::ops::{ArithConstant, CfCondBr, OpKind, OpView, ScfFor};
use rustc_hash::{FxHashMap, FxHashSet};

use super::integers::{compare, compute, signed, unsigned};

/// Bits of an index.
const INDEX_BITS: u32 = 64;

/// Passes of a loop that are executed: further ones repeat the last few.
pub(crate) const EXECUTED_PASSES: usize = 48;
/// Operations of a core that are executed.
pub(crate) const MAX_OPERATIONS: usize = 200_000;

/// Passes repeat after as many as come so often among those that are executed.
const MIN_PERIODS: usize = 3;

/// Integers that are known at a place of a program, by value.
pub(crate) struct KnownIntegers<'a> {
    module: &'a Module,
    known: FxHashMap<Value, i128>,
}

impl<'a> KnownIntegers<'a> {
    /// Only constants.
    pub fn new(module: &'a Module) -> KnownIntegers<'a> {
        KnownIntegers {
            module,
            known: FxHashMap::default(),
        }
    }

    /// Gives values their integers; those without one aren't known any more.
    pub fn bind(&mut self, values: &[Value], given: impl IntoIterator<Item = Option<i128>>) {
        let given = given.into_iter().chain(std::iter::repeat(None));
        for (value, int) in values.iter().zip(given) {
            match int {
                Some(int) => self.known.insert(*value, int),
                None => self.known.remove(value),
            };
        }
    }

    /// The integer that a value is, with its sign.
    pub fn int(&self, value: Value) -> Option<i128> {
        if let Some(int) = self.known.get(&value) {
            return Some(*int);
        }
        let constant = ArithConstant::cast(self.module, self.module.def_op(value)?)?;
        let int = constant
            .value(self.module)
            .as_ref()
            .and_then(Attr::as_int)?;
        Some(signed(int.into(), self.bits(value)?))
    }

    fn bits(&self, value: Value) -> Option<u32> {
        match self.module.ty(value) {
            Type::Index => Some(INDEX_BITS),
            ty if ty.is_int() => ty.bit_width().filter(|bits| (1..=64).contains(bits)),
            _ => None,
        }
    }

    /// Executes an operation without regions.
    pub fn execute(&mut self, op: Op) {
        let result = self.result(op);
        if let Some(value) = self.module.result(op, 0) {
            self.bind(&[value], [result]);
        }
    }

    /// The integer that an operation computes, if it is known.
    fn result(&self, op: Op) -> Option<i128> {
        let module = self.module;
        let result = module.result(op, 0)?;
        let bits = self.bits(result)?;
        let int = |n| self.int(module.operand(op, n)?);
        let value = match module.kind(op) {
            OpKind::ArithConstant => return self.int(result),
            OpKind::ArithIndexCast | OpKind::ArithExtSI | OpKind::ArithTruncI => int(0)?,
            OpKind::ArithExtUI | OpKind::ArithIndexCastUI => {
                unsigned(int(0)?, self.bits(module.operand(op, 0)?)?)
            }
            OpKind::ArithSelect => match int(0)? {
                0 => int(2)?,
                _ => int(1)?,
            },
            OpKind::ArithCmpI => {
                let (a, b) = (int(0)?, int(1)?);
                let width = self.bits(module.operand(op, 0)?)?;
                let predicate = module.int_attr(op, "predicate")?;
                let (ua, ub) = (unsigned(a, width), unsigned(b, width));
                i128::from(compare(predicate, a, b, ua, ub)?)
            }
            kind => compute(kind, int(0)?, int(1)?, bits)?,
        };
        Some(signed(value, bits))
    }

    /// Follows the terminator of a block and gives the arguments of the block that it goes to, which is returned: `None` if that
    /// depends on what isn't known, `Some(None)` at an end.
    pub fn follow(&mut self, last: Op) -> Option<Option<Block>> {
        let module = self.module;
        let (successor, given) = match (module.kind(last), module.successors(last)) {
            (_, []) => return Some(None),
            (OpKind::CfCondBr, [yes, no]) => {
                let count = CfCondBr(last).true_args(module).len();
                let mut to_yes = self.operands(last, 1);
                let to_no = to_yes.split_off(count.min(to_yes.len()));
                match self.int(module.operand(last, 0)?)? {
                    0 => (*no, to_no),
                    _ => (*yes, to_yes),
                }
            }
            (_, [only]) => (*only, self.operands(last, 0)),
            _ => return None,
        };
        self.bind(module.block_args(successor), given);
        Some(Some(successor))
    }

    /// Trip count of a loop.
    pub fn trips(&self, view: ScfFor) -> Option<u64> {
        view.trips_of(self.module, |value| self.int(value))
    }

    /// The first integer of a loop's variable, and its step.
    pub fn range(&self, view: ScfFor) -> Option<(i128, i128)> {
        let bound = |value: Option<Value>| self.int(value?);
        bound(view.lower(self.module)).zip(bound(view.step(self.module)))
    }

    /// An operation's operands from `from` on.
    pub fn operands(&self, op: Op, from: usize) -> Vec<Option<i128>> {
        let operands = self.module.operands(op).skip(from);
        operands.map(|value| self.int(value)).collect()
    }

    /// Values that the terminator of a region passes on, from operand `from` on.
    pub fn yielded(&self, block: Block, from: usize) -> Vec<Option<i128>> {
        let last = self.module.last_op(block);
        last.map_or(Vec::new(), |op| self.operands(op, from))
    }
}

/// The passes of a loop that repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PassPeriod {
    /// Passes before those that repeat.
    pub first: usize,
    /// Number of passes after which they are the same again.
    pub period: usize,
}

impl PassPeriod {
    /// The smallest period of the last of `count` passes, of which `same` says whether two are; `None` if none shows.
    pub fn of(count: usize, same: impl Fn(usize, usize) -> bool) -> Option<PassPeriod> {
        (1..=count / MIN_PERIODS).find_map(|period| {
            let differs = (0..count - period).rfind(|at| !same(*at, at + period));
            let first = differs.map_or(0, |at| at + 1);
            let found = count - first >= MIN_PERIODS * period;
            found.then_some(PassPeriod { first, period })
        })
    }
}

/// Whether an operation is around lock operations.
pub(crate) fn uses_locks(module: &Module, op: Op) -> bool {
    let mut inside = module.walk(op);
    !module.regions_of(op).is_empty() && inside.any(|op| module.kind(op) == OpKind::UseLock)
}

/// Whether what the lock operations of a block change may depend on values; those computed from them are added.
pub(crate) fn locks_depend_on(
    module: &Module,
    block: Block,
    values: &mut FxHashSet<Value>,
) -> bool {
    module.ops_in(block).into_iter().any(|op| {
        let depends = module.operands(op).any(|operand| values.contains(&operand));
        if module.kind(op) == OpKind::UseLock {
            return depends;
        }
        if uses_locks(module, op) {
            let known = [OpKind::ScfFor, OpKind::ScfIf, OpKind::ScfExecuteRegion];
            let simple = known.contains(&module.kind(op)) && module.results(op).next().is_none();
            let regions = module.regions_of(op).iter();
            let mut blocks = regions.flat_map(|region| module.blocks_of(*region));
            return depends
                || !simple
                || blocks.any(|block| locks_depend_on(module, *block, values));
        }
        if depends {
            values.extend(module.results(op));
        }
        false
    })
}
