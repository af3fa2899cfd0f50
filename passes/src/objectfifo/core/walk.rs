//! Follows the windows through a core's body and rewrites the operations.
//!
//! The same walk looks ahead (to find what a loop or branch changes) and rewrites: looking ahead,
//! unknown numbers are fresh names; rewriting, they are values. Control flow is in
//! [`super::flow`].

use aiec_aie::ir::{Block, FifoAction, FifoUse, InsertPoint, Loc, Module, Op, Type, Value};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{
    ArithIndexCast, ObjectFifoSubviewAccess, OpKind, ScfIndexSwitch, ScfYield, UseLock,
};
use aiec_diag::{Diag, Severity, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::{OVER_RELEASE, UNSUPPORTED};
use super::state::{Num, State};
use super::{CoreWindows, WindowLocks, WindowUse};
use crate::infra::pass::PassContext;

/// Uses that decide the order of a core's constants: see [`super::constants`].
#[derive(Default)]
pub(super) struct ConstantUses {
    /// The amount of the first acquire that is in no loop or branch.
    pub first: Option<i64>,
    /// The `i32` numbers that the uses involve, in textual order.
    pub numbers: Vec<i64>,
}

/// Rewrites all uses in a core; returns the numbers they involve.
pub(super) fn rewrite(
    module: &mut Module,
    core: Op,
    windows: CoreWindows,
    (peel, whole_design): (bool, bool),
    context: &mut PassContext<'_>,
) -> ConstantUses {
    let count = windows.windows.len();
    let mut touched = FxHashSet::default();
    mark_uses(module, core, &mut touched);
    let mut walker = Walker {
        touched,
        module,
        windows,
        context,
        peel,
        whole_design,
        rewriting: true,
        fresh: 0,
        unknown_amounts: 0,
        acquired: FxHashMap::default(),
        dead: Vec::new(),
        constants: FxHashMap::default(),
        core,
        reported: FxHashSet::default(),
        mentioned: ConstantUses::default(),
        acquired_last: FxHashMap::default(),
    };
    let Some(region) = walker.module.region(core, 0) else {
        return walker.mentioned;
    };
    walker.region(region, State::start(count));
    for op in std::mem::take(&mut walker.dead).into_iter().rev() {
        if walker.module.results(op).any(|r| walker.module.has_uses(r)) {
            let diag = Diag::error(
                &UNSUPPORTED,
                "the acquired objects are used in an unknown way",
            )
            .label(walker.module.span(op), "acquired here")
            .help("use them through aie.objectfifo.subview.access only");
            walker.report(op, diag);
            continue;
        }
        walker.module.erase(op);
    }
    walker.mentioned
}

/// Marks the operations around the uses of fifos in a piece of code.
fn mark_uses(module: &Module, root: Op, found: &mut FxHashSet<Op>) {
    for op in module.walk(root) {
        if matches!(
            module.kind(op),
            OpKind::ObjectFifoAcquire | OpKind::ObjectFifoRelease | OpKind::ObjectFifoSubviewAccess
        ) {
            let mut at = module.parent_op(op);
            while let Some(op) = at.filter(|op| found.insert(*op)) {
                at = module.parent_op(op);
            }
        }
    }
}

pub(super) struct Walker<'a, 'c> {
    pub module: &'a mut Module,
    pub windows: CoreWindows,
    pub context: &'a mut PassContext<'c>,
    /// Whether a first pass of a loop may be taken out to make amounts constant.
    pub peel: bool,
    /// Whether a release before the first acquire is an error; see [`super::super::WHOLE_DESIGN`].
    pub whole_design: bool,
    /// Whether operations are rewritten, or only looked at.
    pub rewriting: bool,
    /// Acquires met with an amount that isn't constant.
    pub unknown_amounts: usize,
    fresh: u32,
    /// The operations with uses of fifos inside.
    touched: FxHashSet<Op>,
    /// The index at each acquire that was rewritten.
    acquired: FxHashMap<Op, (usize, Num)>,
    /// Acquires that go when their accesses are gone.
    dead: Vec<Op>,
    /// `i32` constants at the start of the core.
    pub(super) constants: FxHashMap<i64, Value>,
    pub(super) core: Op,
    /// Places already reported (an unrolled loop has several operations at each).
    reported: FxHashSet<Span>,
    mentioned: ConstantUses,
    /// The acquire of each window that was walked over last.
    acquired_last: FxHashMap<usize, Op>,
}

impl Walker<'_, '_> {
    /// Walks a block from its first to its last operation.
    pub fn block(&mut self, block: Block, state: &mut State) {
        let mut at = self.module.first_op(block);
        while let Some(op) = at {
            at = self.op(op, state);
        }
    }

    /// Handles an operation; returns the next one.
    fn op(&mut self, op: Op, state: &mut State) -> Option<Op> {
        let next = self.module.next_op(op);
        match self.module.kind(op) {
            OpKind::ObjectFifoAcquire => self.acquire(op, state),
            OpKind::ObjectFifoRelease => self.release(op, state),
            OpKind::ObjectFifoSubviewAccess => self.access(op),
            _ if !self.touched.contains(&op) => {}
            OpKind::ScfFor => return self.for_loop(op, state),
            OpKind::ScfIf | OpKind::ScfIndexSwitch => self.branches(op, state),
            OpKind::ScfExecuteRegion if self.has_one_block(op) => self.branches(op, state),
            OpKind::ScfWhile => self.while_loop(op, state),
            _ => {
                let name = self.module.op_name(op);
                let message =
                    format!("the uses of an object fifo inside `{name}` can't be lowered");
                let diag = Diag::error(&UNSUPPORTED, message)
                    .label(self.module.span(op), "this operation")
                    .help("use scf.for, scf.if, scf.while, scf.index_switch or cf branches");
                self.report(op, diag);
            }
        }
        next
    }

    fn has_one_block(&self, op: Op) -> bool {
        let region = self.module.region(op, 0);
        region.is_some_and(|r| self.module.blocks_of(r).len() == 1)
    }

    /// Reports once for each place in the source, though it may be walked several times.
    pub fn report(&mut self, op: Op, diag: Diag) {
        let place = self.module.span(op);
        if place.is_none_or(|place| self.reported.insert(place)) {
            self.context.report(diag);
        }
    }

    /// Whether an operation has uses inside.
    pub fn touches(&self, op: Op) -> bool {
        self.touched.contains(&op)
    }

    /// Makes the uses inside new operations known.
    pub fn touch(&mut self, op: Op) {
        mark_uses(self.module, op, &mut self.touched);
    }

    /// A number that is equal to no other.
    pub fn unknown(&mut self) -> Num {
        self.fresh += 1;
        Num::Some(self.fresh)
    }

    pub fn loc(&mut self, op: Op) -> Loc {
        self.module.derived_loc(self.context.pass, op)
    }

    /// A location for what an acquire or release of a window becomes.
    fn use_loc(&mut self, op: Op, WindowUse { window, count }: WindowUse) -> Loc {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let window = &self.windows.windows[window];
        let of = FifoUse {
            fifo: self
                .module
                .str_attr(window.declared, "sym_name")
                .unwrap_or_default()
                .into(),
            produces: window.produces,
            action: match self.module.kind(op) {
                OpKind::ObjectFifoAcquire => FifoAction::Acquire(count),
                _ => FifoAction::Release(count),
            },
        };
        let from = self.module.loc(op);
        self.module
            .locs
            .derived_for_fifo(self.context.pass, from, of)
    }

    // ---- uses ----

    fn acquire(&mut self, op: Op, state: &mut State) {
        let Some(WindowUse { window, count }) = self.windows.of_op.get(&op).copied() else {
            return;
        };
        let (index, held) = (state.index(window), state.held(window));
        self.acquired_last.insert(window, op);
        let missing = self.missing(count, held, op);
        if !matches!(missing, Num::Const(_)) {
            self.unknown_amounts += 1;
        }
        if self.rewriting {
            self.mentioned.numbers.extend([0, count]);
            self.take(op, window, (index, held, missing), count);
            self.acquired.insert(op, (window, index));
            self.replace_memrefs(op, window, index);
            self.dead.push(op);
        }
        let held = self.at_least(count, held, missing, op);
        state.set_held(window, held);
    }

    /// Emits what waits for the missing objects.
    fn take(&mut self, op: Op, window: usize, known: (Num, Num, Num), count: i64) {
        let (index, held, missing) = known;
        match self.windows.windows[window].locks.clone() {
            WindowLocks::None => {}
            WindowLocks::Counting { take, tokens, .. } => {
                let amount = match missing {
                    Num::Const(0) => return,
                    Num::Const(n) => self.number(n.saturating_mul(tokens)),
                    other => {
                        let objects = self.value(other);
                        match tokens {
                            1 => objects,
                            _ => {
                                let tokens = self.number(tokens);
                                self.compute(OpKind::ArithMulI, [objects, tokens], op)
                            }
                        }
                    }
                };
                let loc = self.use_loc(op, WindowUse { window, count });
                let action = LockAction::AcquireGreaterEqual;
                if self.module.parent_op(op) == Some(self.core) && self.mentioned.first.is_none() {
                    self.mentioned.first = const_int(self.module, amount);
                }
                self.use_lock((op, loc), take, amount, action);
            }
            WindowLocks::PerObject { locks, take, .. } => {
                let Num::Const(held) = held else {
                    self.report_per_object(op);
                    return;
                };
                let loc = self.use_loc(op, WindowUse { window, count });
                for k in held.max(0)..count {
                    self.one_lock((op, loc), &locks, (index, k), LockAction::Acquire, take);
                }
            }
        }
    }

    /// Uses the lock of the n-th object from an index.
    fn one_lock(
        &mut self,
        (op, loc): (Op, Loc),
        locks: &[Value],
        (index, n): (Num, i64),
        action: LockAction,
        value: i64,
    ) {
        if let Some(lock) = self.choose(op, locks, index, n) {
            let value = self.number(value);
            self.use_lock((op, loc), lock, value, action);
        }
    }

    /// An `aie.use_lock` in front of what it is for.
    fn use_lock(&mut self, (op, loc): (Op, Loc), lock: Value, value: Value, action: LockAction) {
        UseLock::build(self.module, loc, lock, value, action).insert(InsertPoint::Before(op));
    }

    fn report_per_object(&mut self, op: Op) {
        let message = "how many objects are held here depends on run-time conditions, but each \
                       object of this device has a lock of its own";
        let diag = Diag::error(&UNSUPPORTED, message)
            .label(self.module.span(op), "used here")
            .help("acquire and release the same number of objects in each branch and loop pass");
        self.report(op, diag);
    }

    fn release(&mut self, op: Op, state: &mut State) {
        let Some(WindowUse { window, count }) = self.windows.of_op.get(&op).copied() else {
            return;
        };
        let (index, mut held) = (state.index(window), state.held(window));
        let locks = self.windows.windows[window].locks.clone();
        let counted = !matches!(locks, WindowLocks::None);
        if let Num::Const(holds) = held
            && holds < count
            && counted
        {
            self.report_over_release(op, window, holds, count);
            held = Num::Const(count);
        }
        if self.rewriting {
            let depth = self.windows.windows[window].depth();
            self.mentioned.numbers.extend([0, count, depth]);
            match locks {
                WindowLocks::None => {}
                WindowLocks::Counting { give, tokens, .. } => {
                    let amount = self.number(count.saturating_mul(tokens));
                    let loc = self.use_loc(op, WindowUse { window, count });
                    self.use_lock((op, loc), give, amount, LockAction::Release);
                }
                WindowLocks::PerObject { locks, give, .. } => {
                    let loc = self.use_loc(op, WindowUse { window, count });
                    for k in 0..count {
                        self.one_lock((op, loc), &locks, (index, k), LockAction::Release, give);
                    }
                }
            }
        }
        let depth = self.windows.windows[window].depth();
        let held = self.minus(held, count, op);
        let index = self.advance(index, count, depth, op);
        state.set_held(window, held);
        state.set_index(window, index);
        if self.rewriting {
            self.module.erase(op);
        }
    }

    fn report_over_release(&mut self, op: Op, window: usize, held: i64, count: i64) {
        let side = if self.windows.windows[window].produces {
            "producer"
        } else {
            "consumer"
        };
        let message = format!(
            "cannot release more elements than are already acquired: {count} released, {} held",
            held.max(0)
        );
        let declared = self.module.span(self.windows.windows[window].declared);
        let acquire = self.acquired_last.get(&window).copied();
        let mut diag = Diag::error(&OVER_RELEASE, message);
        if acquire.is_none() && !self.whole_design {
            diag.severity = Severity::Warning;
        }
        let acquired = acquire.and_then(|acquire| self.module.span(acquire));
        let diag = diag
            .label(acquired, "acquired here")
            .label(self.module.span(op), format!("released here as {side}"))
            .label(declared, "this object fifo")
            .help("acquire before releasing, and release each object once");
        self.report(op, diag);
    }

    // ---- accesses ----

    fn access(&mut self, op: Op) {
        if !self.rewriting {
            return;
        }
        let subview = self.module.operand(op, 0);
        let acquire = subview.and_then(|v| self.module.def_op(v));
        let known = acquire.and_then(|a| self.acquired.get(&a)).copied();
        let of_endpoint = |op: Op| {
            self.module.kind(op) == OpKind::ObjectFifoAcquire
                && !self.windows.of_op.contains_key(&op)
        };
        if known.is_none() && acquire.is_some_and(of_endpoint) {
            return;
        }
        let Some((window, index)) = known else {
            let diag = Diag::error(&UNSUPPORTED, "the accessed object isn't directly acquired")
                .label(self.module.span(op), "this access")
                .help("access the result of aie.objectfifo.acquire in the same core");
            self.report(op, diag);
            return;
        };
        let element = ObjectFifoSubviewAccess(op).index(self.module);
        let buffer = self.buffer(op, window, index, element.into());
        if let (Some(result), Some(buffer)) = (self.module.result(op, 0), buffer) {
            self.module.replace_all_uses(result, buffer);
        }
        self.module.erase(op);
    }

    /// The form of acquire that yields its objects directly.
    fn replace_memrefs(&mut self, op: Op, window: usize, index: Num) {
        let results: Vec<Value> = self.module.results(op).collect();
        for (element, result) in results.into_iter().enumerate() {
            let is_memref = self.module.ty(result).as_memref().is_some();
            if is_memref
                && self.module.has_uses(result)
                && let Some(buffer) = self.buffer(op, window, index, element as i64)
            {
                self.module.replace_all_uses(result, buffer);
            }
        }
    }

    /// The buffer of the n-th object from an index: known, or chosen at run time.
    fn buffer(&mut self, op: Op, window: usize, index: Num, element: i64) -> Option<Value> {
        let buffers = self.windows.windows[window].buffers.clone();
        self.choose(op, &buffers, index, element)
    }

    /// The n-th of a ring of values from an index: known, or chosen at run time.
    fn choose(&mut self, op: Op, ring: &[Value], index: Num, n: i64) -> Option<Value> {
        let depth = ring.len() as i64;
        let at = |k: i64| {
            let k = (k + n).rem_euclid(depth.max(1));
            ring.get(usize::try_from(k).ok()?).copied()
        };
        let index = match index {
            Num::Const(index) => return at(index),
            _ if depth == 1 => return at(0),
            index => self.value(index),
        };
        let loc = self.loc(op);
        let before = InsertPoint::Before(op);
        let cast = ArithIndexCast::build(self.module, loc, index);
        let chosen = cast.insert_value(Type::Index, before);
        let ty = self.module.ty(at(0)?).clone();
        let cases: Vec<i64> = (0..depth).collect();
        let mut build = ScfIndexSwitch::build(self.module, loc, chosen, cases).result(ty);
        for _ in 0..=depth {
            build = build.body();
        }
        let switch = build.insert(before);
        // The first region is the default, which no index reaches.
        for (region, k) in [0].into_iter().chain(0..depth).enumerate() {
            let block = self.module.entry(switch, region)?;
            ScfYield::build(self.module, loc)
                .operand(at(k)?)
                .insert(InsertPoint::End(block));
        }
        self.module.result(switch, 0)
    }
}
