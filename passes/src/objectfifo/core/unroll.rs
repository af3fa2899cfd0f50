//! Unrolls the loops of a core that access fifos, so that each copy accesses known buffers.
//!
//! A loop is unrolled by the least common multiple of the depths of the fifos accessed directly in
//! it, inner loops first. A loop of at most that many iterations vanishes; otherwise the rest is
//! unrolled after it, or, if the bounds are known at run time only, stays a loop.

use aiec_aie::ir::{InsertPoint, Loc, Module, Op, Type, Value, ValueMap};
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{ArithConstant, OpKind, OpView, ScfFor};
use rustc_hash::FxHashMap;

use super::{CoreWindows, WindowLocks};

/// A loop stays as it is, and indexes its buffers at run time, if unrolling it could give the core
/// more operations than this: it has 16 KiB of program memory (AM020). Uses of fifos count as what
/// they become where the buffer isn't known after all.
const MAX_CORE_OPS: usize = 1536;

/// Unrolls what helps in a core's body; uses in copies are entered into `windows`. Returns the
/// constants that became the bounds of loops.
pub(super) fn unroll(
    module: &mut Module,
    core: Op,
    windows: &mut CoreWindows,
    pass: &'static str,
) -> Vec<Op> {
    let mut bounds = Vec::new();
    let factors = factors(module, core, windows);
    let mut total = size(module, core, windows);
    // Pre-order backwards: inner loops before the loops around them.
    for op in module.find(core, OpKind::ScfFor).into_iter().rev() {
        let Some(factor) = factors.get(&op).copied().filter(|f| *f > 1) else {
            continue;
        };
        let Some(for_loop) = Loop::of(module, op, pass) else {
            continue;
        };
        let copies = further_copies(module, op, factor);
        let growth = size(module, op, windows).saturating_mul(copies);
        if total.saturating_add(growth) > MAX_CORE_OPS {
            continue;
        }
        total += growth;
        for_loop.unroll(module, factor, windows);
        if module.is_live(op) {
            let operands: Vec<Value> = module.operands(op).take(3).collect();
            bounds.extend(operands.into_iter().filter_map(|v| module.def_op(v)));
        }
    }
    // Constants of the device are other cores' too.
    bounds.retain(|op| {
        module.kind(*op) == OpKind::ArithConstant
            && module.ancestor(*op, OpKind::Core) == Some(core)
    });
    bounds
}

/// The operations of a piece of code, uses of fifos counted as those they may become.
fn size(module: &Module, root: Op, windows: &CoreWindows) -> usize {
    /// Operations that track a run-time count or index.
    const FOLLOW: usize = 6;
    let depth = |acquire: Option<Op>| -> usize {
        let used = acquire.and_then(|op| windows.of_op.get(&op));
        used.map_or(0, |u| windows.windows[u.window].buffers.len())
    };
    // A switch has a case of two operations for each buffer.
    let switch = |acquire: Option<Op>| 2 * depth(acquire) + 4;
    let one = |op: Op| match module.kind(op) {
        OpKind::ObjectFifoSubviewAccess => {
            switch(module.operand(op, 0).and_then(|v| module.def_op(v)))
        }
        OpKind::ObjectFifoAcquire => FOLLOW + module.num_results(op) * switch(Some(op)),
        OpKind::ObjectFifoRelease => FOLLOW,
        _ => 1,
    };
    module.walk(root).map(one).sum()
}

/// Number of copies of its body that unrolling adds to a loop.
fn further_copies(module: &Module, op: Op, factor: i128) -> usize {
    let copies = match ScfFor(op).trips(module).map(i128::from) {
        Some(trips) if trips <= factor => trips - 1,
        Some(trips) => factor - 1 + trips % factor,
        None => factor,
    };
    usize::try_from(copies.max(0)).unwrap_or(usize::MAX)
}

/// The unroll factor of each loop with direct accesses.
fn factors(module: &Module, core: Op, windows: &CoreWindows) -> FxHashMap<Op, i128> {
    let mut factors: FxHashMap<Op, i128> = FxHashMap::default();
    for op in module.walk(core) {
        let acquire = match module.kind(op) {
            OpKind::ObjectFifoSubviewAccess => module.operand(op, 0).and_then(|v| module.def_op(v)),
            OpKind::ObjectFifoAcquire if module.num_results(op) > 0 => Some(op),
            OpKind::ObjectFifoRelease => Some(op),
            _ => None,
        };
        let Some(used) = acquire.and_then(|a| windows.of_op.get(&a)) else {
            continue;
        };
        let is_subview = |v: Value| matches!(module.ty(v), Type::ObjectFifoSubview(_));
        // Where each object has a lock of its own, taking and giving back access it too.
        let locks = &windows.windows[used.window].locks;
        let own_locks = matches!(locks, WindowLocks::PerObject { .. });
        let direct = match module.kind(op) {
            OpKind::ObjectFifoSubviewAccess => true,
            OpKind::ObjectFifoRelease => own_locks,
            _ => own_locks || !module.results(op).any(is_subview),
        };
        let around = module.ancestor(op, OpKind::ScfFor).filter(|_| direct);
        if let Some(around) = around {
            let depth = windows.windows[used.window].depth().max(1).into();
            let factor = factors.entry(around).or_insert(1);
            *factor = lcm(*factor, depth);
        }
    }
    factors
}

fn gcd(a: i128, b: i128) -> i128 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

fn lcm(a: i128, b: i128) -> i128 {
    (a / gcd(a, b)).saturating_mul(b)
}

/// A counted loop taken apart.
struct Loop {
    op: Op,
    lower: Value,
    upper: Value,
    step: Value,
    iv: Value,
    loc: Loc,
    ty: Type,
}

impl Loop {
    fn of(module: &mut Module, op: Op, pass: &'static str) -> Option<Loop> {
        let view = ScfFor::cast(module, op)?;
        if view.unsignedCmp(module) == Some(true) {
            return None;
        }
        let block = module.entry(op, 0)?;
        let iv = *module.block_args(block).first()?;
        let last = module.last_op(block)?;
        if module.kind(last) != OpKind::ScfYield {
            return None;
        }
        Some(Loop {
            op,
            lower: view.lower(module)?,
            upper: view.upper(module)?,
            step: view.step(module)?,
            iv,
            loc: module.derived_loc(pass, op),
            ty: module.ty(iv).clone(),
        })
    }

    fn unroll(&self, module: &mut Module, factor: i128, windows: &mut CoreWindows) {
        let lower = const_int(module, self.lower).map(i128::from);
        let step = const_int(module, self.step).map(i128::from);
        match (ScfFor(self.op).trips(module), lower, step) {
            (Some(trips), Some(lower), Some(step)) => {
                self.unroll_known(module, factor, (trips.into(), lower, step), windows);
            }
            _ => self.unroll_unknown(module, factor, windows),
        }
    }

    fn unroll_known(
        &self,
        module: &mut Module,
        factor: i128,
        (trips, lower, step): (i128, i128, i128),
        windows: &mut CoreWindows,
    ) {
        let in_loop = if trips <= factor {
            0
        } else {
            trips - trips % factor
        };
        let block = module.entry(self.op, 0);
        let Some(yields) = block.and_then(|b| module.last_op(b)) else {
            return;
        };
        // The copies after the loop are made while its body is still as it was.
        let mut carried: Vec<Value> = match in_loop {
            0 => module.operands(self.op).skip(3).collect(),
            _ => module.results(self.op).collect(),
        };
        let uses = self.uses_of_results(module);
        let behind = match module.next_op(self.op) {
            Some(next) => InsertPoint::Before(next),
            None => (module.parent_block(self.op)).map_or(InsertPoint::Detached, InsertPoint::End),
        };
        for trip in in_loop..trips {
            let iv = self.constant(module, lower + trip * step, behind);
            if let Some(values) = copy_body(module, self.op, iv, &carried, behind, windows) {
                carried = values;
            }
        }
        redirect(module, &uses, &carried);
        if in_loop == 0 {
            module.erase(self.op);
            return;
        }
        let upper = lower + in_loop * step;
        let before = InsertPoint::Before(self.op);
        let upper = self.constant(module, upper, before);
        let long_step = self.constant(module, step * factor, before);
        self.multiply_body(module, factor, yields, windows);
        module.set_operand(self.op, 1, upper);
        module.set_operand(self.op, 2, long_step);
    }

    /// Bounds known at run time: `main = lower + trips / factor * factor * step` splits the loop
    /// into one with the long step and one that runs the rest. All counts round so that a loop
    /// that doesn't run has both parts not run.
    fn unroll_unknown(&self, module: &mut Module, factor: i128, windows: &mut CoreWindows) {
        let Some(yields) = module.entry(self.op, 0).and_then(|b| module.last_op(b)) else {
            return;
        };
        let before = InsertPoint::Before(self.op);
        let binary = |module: &mut Module, kind, a, b| self.binary(module, kind, a, b, before);
        let many = self.constant(module, factor, before);
        let span = binary(module, OpKind::ArithSubI, self.upper, self.lower);
        let trips = binary(module, OpKind::ArithCeilDivSI, span, self.step);
        let rounds = binary(module, OpKind::ArithDivSI, trips, many);
        let long_step = binary(module, OpKind::ArithMulI, self.step, many);
        let length = binary(module, OpKind::ArithMulI, rounds, long_step);
        let main_end = binary(module, OpKind::ArithAddI, self.lower, length);
        let uses = self.uses_of_results(module);
        let mut map = ValueMap::new();
        let rest = module.clone_op(self.op, &mut map, InsertPoint::After(self.op));
        enter_copies(module, self.op, rest, windows);
        module.set_operand(rest, 0, main_end);
        for (n, result) in module.results(self.op).enumerate() {
            module.set_operand(rest, 3 + n, result);
        }
        let rest_results: Vec<Value> = module.results(rest).collect();
        redirect(module, &uses, &rest_results);
        self.multiply_body(module, factor, yields, windows);
        module.set_operand(self.op, 1, main_end);
        module.set_operand(self.op, 2, long_step);
    }

    /// Uses of the loop's results, which go over to the loop that is put after it.
    fn uses_of_results(&self, module: &Module) -> Vec<Vec<(Op, usize)>> {
        module.results(self.op).map(|r| module.uses(r)).collect()
    }

    /// Appends `factor - 1` copies of the body to it.
    fn multiply_body(
        &self,
        module: &mut Module,
        factor: i128,
        yields: Op,
        windows: &mut CoreWindows,
    ) {
        let Some(block) = module.entry(self.op, 0) else {
            return;
        };
        let body: Vec<Op> = module.ops_in(block);
        let body = &body[..body.len().saturating_sub(1)];
        let args: Vec<Value> = module.block_args(block).to_vec();
        let at = InsertPoint::Before(yields);
        let used = module.has_uses(self.iv);
        let results: Vec<Value> = module.operands(yields).collect();
        let mut carried = results.clone();
        for copy in 1..factor {
            let mut map = ValueMap::new();
            if used {
                let iv = self.later_iv(module, copy, at);
                map.map(self.iv, iv);
            }
            for (arg, value) in args.iter().skip(1).zip(&carried) {
                map.map(*arg, *value);
            }
            copy_ops(module, body, &mut map, at, windows);
            carried = results.iter().map(|v| map.get(*v)).collect();
        }
        module.set_operands(yields, &carried);
    }

    /// The induction variable of a later copy in the body.
    fn later_iv(&self, module: &mut Module, copy: i128, at: InsertPoint) -> Value {
        let distance = match const_int(module, self.step) {
            Some(step) => self.constant(module, i128::from(step) * copy, at),
            None => {
                let copy = self.constant(module, copy, at);
                self.binary(module, OpKind::ArithMulI, self.step, copy, at)
            }
        };
        self.binary(module, OpKind::ArithAddI, self.iv, distance, at)
    }

    fn binary(&self, m: &mut Module, kind: OpKind, a: Value, b: Value, at: InsertPoint) -> Value {
        let build = m.build(kind, self.loc).operands([a, b]);
        build.insert_value(self.ty.clone(), at)
    }

    fn constant(&self, module: &mut Module, value: i128, at: InsertPoint) -> Value {
        // Within the loop's bounds, so it fits the type.
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        ArithConstant::int(module, self.loc, value, self.ty.clone(), at)
    }
}

/// Lets the uses of each result use another value.
fn redirect(module: &mut Module, uses: &[Vec<(Op, usize)>], values: &[Value]) {
    for (uses, value) in uses.iter().zip(values) {
        for (user, n) in uses {
            module.set_operand(*user, *n, *value);
        }
    }
}

/// Copies the body of a loop without its terminator to a point in front of an operation or at the
/// end of a block; returns what the copy yields.
pub(super) fn copy_body(
    module: &mut Module,
    op: Op,
    iv: Value,
    carried: &[Value],
    at: InsertPoint,
    windows: &mut CoreWindows,
) -> Option<Vec<Value>> {
    let block = module.entry(op, 0)?;
    let args = module.block_args(block).to_vec();
    let body = module.ops_in(block);
    let (yields, body) = body.split_last()?;
    let mut map = ValueMap::new();
    for (arg, value) in args.iter().zip([iv].iter().chain(carried)) {
        map.map(*arg, *value);
    }
    copy_ops(module, body, &mut map, at, windows);
    Some(module.operands(*yields).map(|v| map.get(v)).collect())
}

/// Copies operations with values replaced.
fn copy_ops(
    module: &mut Module,
    ops: &[Op],
    map: &mut ValueMap,
    at: InsertPoint,
    windows: &mut CoreWindows,
) {
    for op in ops {
        let new = module.clone_op(*op, map, at);
        enter_copies(module, *op, new, windows);
    }
}

/// The uses in a copy are of the same windows as those in the original.
fn enter_copies(module: &Module, original: Op, copy: Op, windows: &mut CoreWindows) {
    let pairs: Vec<(Op, Op)> = module.walk(original).zip(module.walk(copy)).collect();
    for (from, to) in pairs {
        if let Some(used) = windows.of_op.get(&from).copied() {
            windows.of_op.insert(to, used);
        }
    }
}
