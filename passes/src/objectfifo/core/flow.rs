//! Control flow of a core's body: what loops, branches and jumps do to the windows.
//!
//! Each construct is first looked at, to find the entries of the state that it changes in a way
//! that isn't the same on every path; these become loop-carried values, results or block
//! arguments, and then the bodies are rewritten.

use aiec_aie::ir::{Attr, Block, InsertPoint, Module, Op, Region, Type, Value};
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{ArithConstant, OpKind, ScfFor};
use rustc_hash::{FxHashMap, FxHashSet};

use super::state::{Num, State};
use super::unroll::copy_body;
use super::walk::Walker;

/// The type of the entries of the state when values carry them.
const ENTRY: Type = Type::I32;

/// The numbers of the entries that are marked.
fn marked(flags: &[bool]) -> Vec<usize> {
    (0..flags.len()).filter(|i| flags[*i]).collect()
}

/// The entries of the state that are arguments of blocks.
type MergedEntries = FxHashMap<Block, Vec<usize>>;

/// A loop that certainly runs leaves what each of its passes leaves.
fn keep_constants(after: &mut State, end: &State, entries: &[usize], trips: Option<i128>) {
    for i in entries.iter().filter(|_| trips.is_some_and(|t| t > 0)) {
        if let Num::Const(n) = end.0[*i] {
            after.0[*i] = Num::Const(n);
        }
    }
}

/// Effect of a loop's body on the state.
struct LoopEffect {
    /// Entries that differ from pass to pass.
    carried: Vec<bool>,
    /// The state at the start of a pass.
    header: State,
    /// The state at its end.
    end: State,
    /// Acquires in the body whose amounts aren't constant.
    unknown_amounts: usize,
}

impl Walker<'_, '_> {
    /// Walks without rewriting; returns how many amounts weren't constant.
    fn dry_run(&mut self, walk: impl FnOnce(&mut Self)) -> usize {
        let rewriting = std::mem::replace(&mut self.rewriting, false);
        let before = std::mem::replace(&mut self.unknown_amounts, 0);
        walk(self);
        self.rewriting = rewriting;
        std::mem::replace(&mut self.unknown_amounts, before)
    }

    /// Finds what differs from pass to pass of a body that starts with `entry`.
    fn loop_effect(
        &mut self,
        entry: &State,
        mut body: impl FnMut(&mut Self, &mut State),
    ) -> LoopEffect {
        let mut carried = vec![false; entry.0.len()];
        let mut header = entry.clone();
        loop {
            let mut end = header.clone();
            let unknown_amounts = self.dry_run(|walker| body(walker, &mut end));
            let mut changed = false;
            for (i, carried) in carried.iter_mut().enumerate() {
                if !*carried && end.0[i] != header.0[i] {
                    *carried = true;
                    changed = true;
                }
            }
            if !changed {
                return LoopEffect {
                    carried,
                    header,
                    end,
                    unknown_amounts,
                };
            }
            self.havoc(&mut header, &marked(&carried));
        }
    }

    /// Lets entries of the state be numbers that nothing is known of.
    fn havoc(&mut self, state: &mut State, entries: &[usize]) {
        for i in entries {
            state.0[*i] = self.unknown();
        }
    }

    /// Lets entries of the state be new arguments of a block.
    fn promote_to_block_args(&mut self, block: Block, state: &mut State, entries: &[usize]) {
        for i in entries {
            state.0[*i] = Num::Value(self.module.add_block_arg(block, ENTRY));
        }
    }

    /// Makes a copy of a structured operation with further operands, and results for some entries
    /// of the state, that takes over the regions; the old one's results are replaced.
    fn extend(&mut self, op: Op, operands: &[Value], entries: usize) -> Op {
        let module = &mut *self.module;
        let (kind, loc) = (module.kind(op), module.loc(op));
        let attrs = module.attrs(op).map(|(k, v)| (k.to_string(), v.clone()));
        let attrs: Vec<(String, Attr)> = attrs.collect();
        let old_operands: Vec<Value> = module.operands(op).collect();
        let old: Vec<Value> = module.results(op).collect();
        let types: Vec<Type> = old.iter().map(|r| module.ty(*r).clone()).collect();
        let regions = module.regions_of(op).to_vec();
        let mut build = module
            .build(kind, loc)
            .operands(old_operands)
            .operands(operands.iter().copied())
            .results(types)
            .results(vec![ENTRY; entries]);
        for (key, value) in attrs {
            build = build.attr(&key, value);
        }
        for _ in &regions {
            build = build.region();
        }
        let new = build.insert(InsertPoint::Before(op));
        for (n, region) in regions.into_iter().enumerate() {
            if let Some(target) = module.region(new, n) {
                for block in module.blocks_of(region).to_vec() {
                    module.move_block_to_end(block, target);
                }
            }
        }
        for (old, new) in old.into_iter().zip(module.results(new)) {
            module.replace_all_uses(old, new);
        }
        module.erase(op);
        self.touch(new);
        new
    }

    /// Lets entries of the state be the results that an extended operation has for them.
    fn take_results(&self, op: Op, state: &mut State, entries: &[usize]) {
        let before = self.module.num_results(op) - entries.len();
        for (i, result) in entries.iter().zip(self.module.results(op).skip(before)) {
            state.0[*i] = Num::Value(result);
        }
    }

    /// The terminator of a block, made if it is missing.
    fn terminator(&mut self, block: Block, kind: OpKind, around: Op) -> Op {
        let last = self.module.last_op(block);
        if let Some(last) = last.filter(|op| self.module.kind(*op) == kind) {
            return last;
        }
        let loc = self.loc(around);
        self.module.build(kind, loc).insert(InsertPoint::End(block))
    }

    /// Appends the values of these entries to a terminator.
    fn append(&mut self, terminator: Op, state: &State, entries: &[usize]) {
        for entry in entries {
            let value = self.value(state.0[*entry]);
            self.module.add_operand(terminator, value);
        }
    }

    // ---- loops ----

    pub fn for_loop(&mut self, op: Op, state: &mut State) -> Option<Op> {
        let next = self.module.next_op(op);
        let Some(body) = self.module.entry(op, 0) else {
            return next;
        };
        let trips = ScfFor(op).trips(self.module).map(i128::from);
        let effect = self.loop_effect(state, |walker, state| walker.block(body, state));
        if !self.rewriting {
            self.unknown_amounts += effect.unknown_amounts;
            let carried = marked(&effect.carried);
            *state = effect.header;
            self.havoc(state, &carried);
            keep_constants(state, &effect.end, &carried, trips);
            return next;
        }
        if let Some(first) = self.peel(op, body, &effect, state, trips) {
            return Some(first);
        }
        let carried = marked(&effect.carried);
        if carried.is_empty() {
            *state = effect.header;
            self.block(body, state);
            return next;
        }
        let inits: Vec<Value> = carried.iter().map(|i| self.value(state.0[*i])).collect();
        let new = self.extend(op, &inits, carried.len());
        let mut inside = effect.header.clone();
        self.promote_to_block_args(body, &mut inside, &carried);
        self.block(body, &mut inside);
        let yields = self.terminator(body, OpKind::ScfYield, new);
        self.append(yields, &inside, &carried);
        *state = effect.header;
        self.take_results(new, state, &carried);
        keep_constants(state, &inside, &carried, trips);
        self.module.next_op(new)
    }

    /// Takes the first pass out of a loop if that makes more lock amounts constant (a window
    /// that slides takes all its objects in the first pass and one by one later). Returns the
    /// first operation of that pass.
    fn peel(
        &mut self,
        op: Op,
        body: Block,
        effect: &LoopEffect,
        state: &State,
        trips: Option<i128>,
    ) -> Option<Op> {
        let has_inner = || {
            let mut inside = self.module.walk(op).skip(1);
            inside.any(|o| self.module.kind(o) == OpKind::ScfFor && self.touches(o))
        };
        let certain = trips.is_some_and(|t| t >= 2);
        if !self.peel || effect.unknown_amounts == 0 || !certain || has_inner() {
            return None;
        }
        let mut first = state.clone();
        let in_first = self.dry_run(|walker| walker.block(body, &mut first));
        let later = self.loop_effect(&first, |walker, state| walker.block(body, state));
        if in_first + later.unknown_amounts >= effect.unknown_amounts {
            return None;
        }
        let view = ScfFor(op);
        let (lower, step) = (view.lower(self.module)?, view.step(self.module)?);
        let start = const_int(self.module, lower)?;
        let second = start.checked_add(const_int(self.module, step)?)?;
        let loc = self.loc(op);
        let ty = self.module.ty(lower).clone();
        let before = InsertPoint::Before(op);
        let iv = ArithConstant::int(self.module, loc, start, ty.clone(), before);
        let first = self.module.def_op(iv);
        let carried: Vec<Value> = self.module.operands(op).skip(3).collect();
        let values = copy_body(self.module, op, iv, &carried, before, &mut self.windows)?;
        let lower = ArithConstant::int(self.module, loc, second, ty, before);
        self.module.set_operand(op, 0, lower);
        for (n, value) in values.into_iter().enumerate() {
            self.module.set_operand(op, 3 + n, value);
        }
        // The copies are between; mark those with uses inside.
        let mut at = first;
        while let Some(copy) = at.filter(|c| *c != op) {
            self.touch(copy);
            at = self.module.next_op(copy);
        }
        first
    }

    pub fn while_loop(&mut self, op: Op, state: &mut State) {
        let blocks = self.module.entry(op, 0).zip(self.module.entry(op, 1));
        let Some((before, after)) = blocks else {
            return;
        };
        let entry = state.clone();
        let mut at_condition = entry.clone();
        let effect = self.loop_effect(&entry, |walker, state| {
            walker.block(before, state);
            at_condition = state.clone();
            walker.block(after, state);
        });
        // Values computed in the condition region must be passed on to where they are used.
        let passed: Vec<usize> = (0..entry.0.len())
            .filter(|i| {
                !matches!(at_condition.0[*i], Num::Const(_)) && at_condition.0[*i] != entry.0[*i]
            })
            .collect();
        if !self.rewriting {
            self.unknown_amounts += effect.unknown_amounts;
            *state = at_condition;
            self.havoc(state, &passed);
            return;
        }
        let carried = marked(&effect.carried);
        let inits: Vec<Value> = carried.iter().map(|i| self.value(entry.0[*i])).collect();
        let new = if carried.is_empty() && passed.is_empty() {
            op
        } else {
            self.extend(op, &inits, passed.len())
        };
        let mut inside = effect.header;
        self.promote_to_block_args(before, &mut inside, &carried);
        self.block(before, &mut inside);
        let condition = self.terminator(before, OpKind::ScfCondition, new);
        self.append(condition, &inside, &passed);
        *state = inside.clone();
        self.take_results(new, state, &passed);
        self.promote_to_block_args(after, &mut inside, &passed);
        self.block(after, &mut inside);
        let yields = self.terminator(after, OpKind::ScfYield, new);
        self.append(yields, &inside, &carried);
    }

    // ---- branches ----

    pub fn branches(&mut self, op: Op, state: &mut State) {
        let regions = self.module.regions_of(op).len();
        let entry = state.clone();
        let mut ends: Vec<State> = Vec::with_capacity(regions);
        let unknown = self.dry_run(|walker| {
            for n in 0..regions {
                let mut end = entry.clone();
                if let Some(block) = walker.module.entry(op, n) {
                    walker.block(block, &mut end);
                }
                ends.push(end);
            }
        });
        // An scf.if without else: the other path changes nothing.
        if self.module.kind(op) == OpKind::ScfIf && regions < 2 {
            ends.push(entry.clone());
        }
        let Some(first) = ends.first() else { return };
        // Merged are entries that differ on some path, and those whose value is made inside.
        let differs = |i: &usize| {
            let made_inside = !matches!(first.0[*i], Num::Const(_)) && first.0[*i] != entry.0[*i];
            made_inside || ends.iter().any(|end| end.0[*i] != first.0[*i])
        };
        let merged: Vec<usize> = (0..entry.0.len()).filter(differs).collect();
        if !self.rewriting {
            self.unknown_amounts += unknown;
            *state = first.clone();
            self.havoc(state, &merged);
            return;
        }
        let new = if merged.is_empty() {
            op
        } else {
            self.extend(op, &[], merged.len())
        };
        if !merged.is_empty() && self.module.kind(new) == OpKind::ScfIf {
            self.complete_else(new);
        }
        for n in 0..self.module.regions_of(new).len() {
            let Some(block) = self.module.entry(new, n) else {
                continue;
            };
            let mut end = entry.clone();
            self.block(block, &mut end);
            if !merged.is_empty() {
                let yields = self.terminator(block, OpKind::ScfYield, new);
                self.append(yields, &end, &merged);
            }
            *state = end;
        }
        self.take_results(new, state, &merged);
    }

    /// Gives an `scf.if` an else region.
    fn complete_else(&mut self, op: Op) {
        let region = match self.module.region(op, 1) {
            Some(region) => region,
            None => self.module.add_region(op),
        };
        if self.module.blocks_of(region).is_empty() {
            self.module.add_block(region);
        }
    }

    // ---- jumps ----

    /// Walks a region of one or more blocks.
    pub fn region(&mut self, region: Region, mut entry: State) {
        let blocks = reverse_postorder(self.module, region);
        if let [only] = blocks.as_slice() {
            self.block(*only, &mut entry);
            return;
        }
        let merged = self.merge_points(&blocks, &entry);
        for (block, end) in self.blocks(&blocks, &entry, &merged).1 {
            self.pass_to_successors(block, &end, &merged);
        }
    }

    /// Walks blocks, of which those in `merged` start with new values of these entries; returns
    /// the states at their starts and, in order, at their ends.
    fn blocks(
        &mut self,
        blocks: &[Block],
        entry: &State,
        merged: &MergedEntries,
    ) -> (FxHashMap<Block, State>, Vec<(Block, State)>) {
        let first = blocks.first().map(|first| (*first, entry.clone()));
        let mut starts: FxHashMap<Block, State> = first.into_iter().collect();
        let mut ends = Vec::with_capacity(blocks.len());
        for block in blocks {
            let Some(mut state) = starts.get(block).cloned() else {
                continue;
            };
            let entries = merged.get(block).map_or(&[][..], Vec::as_slice);
            if self.rewriting {
                self.promote_to_block_args(*block, &mut state, entries)
            } else {
                self.havoc(&mut state, entries)
            }
            starts.insert(*block, state.clone());
            self.block(*block, &mut state);
            for successor in successors(self.module, *block) {
                starts.entry(successor).or_insert_with(|| state.clone());
            }
            ends.push((*block, state));
        }
        (starts, ends)
    }

    /// The entries of the state for which each block needs an argument.
    fn merge_points(&mut self, blocks: &[Block], entry: &State) -> MergedEntries {
        let mut merged = MergedEntries::default();
        loop {
            let (mut starts, mut ends) = Default::default();
            self.dry_run(|walker| (starts, ends) = walker.blocks(blocks, entry, &merged));
            let mut changed = false;
            for (block, end) in &ends {
                for successor in successors(self.module, *block) {
                    let Some(start) = starts.get(&successor) else {
                        continue;
                    };
                    let known = merged.entry(successor).or_default();
                    for i in 0..end.0.len() {
                        if end.0[i] != start.0[i] && !known.contains(&i) {
                            known.push(i);
                            changed = true;
                        }
                    }
                    known.sort_unstable();
                }
            }
            if !changed {
                return merged;
            }
        }
    }

    /// Appends the arguments that the successors of a block were given to its terminator.
    fn pass_to_successors(&mut self, block: Block, end: &State, merged: &MergedEntries) {
        let Some(jump) = self.module.last_op(block) else {
            return;
        };
        let successors = self.module.successors(jump).to_vec();
        let entries = |n: usize| -> &[usize] {
            let block = successors.get(n).and_then(|b| merged.get(b));
            block.map_or(&[], Vec::as_slice)
        };
        match self.module.kind(jump) {
            OpKind::CfBr => self.append(jump, end, entries(0)),
            OpKind::CfCondBr => {
                let operands: Vec<Value> = self.module.operands(jump).collect();
                let Some((condition, args)) = operands.split_first() else {
                    return;
                };
                let first = successors.first().map_or(0, |b| {
                    let given = self.module.block_args(*b).len();
                    given.saturating_sub(entries(0).len())
                });
                let (to_true, to_false) = args.split_at(first.min(args.len()));
                let mut groups = [vec![*condition], to_true.to_vec(), to_false.to_vec()];
                for (n, group) in groups.iter_mut().skip(1).enumerate() {
                    group.extend(entries(n).iter().map(|i| self.value(end.0[*i])));
                }
                let sizes = [0, 1, 2].map(|n| groups[n].len() as i32);
                self.module.set_operands(jump, &groups.concat());
                let sizes = Attr::i32_array(sizes);
                self.module.set_attr(jump, "operandSegmentSizes", sizes);
            }
            _ => {}
        }
    }
}

/// The blocks that a block jumps to.
fn successors(module: &Module, block: Block) -> Vec<Block> {
    let last = module.last_op(block);
    last.map_or(Vec::new(), |op| module.successors(op).to_vec())
}

/// The blocks of a region that its first one reaches, each before what only it leads to.
fn reverse_postorder(module: &Module, region: Region) -> Vec<Block> {
    let Some(entry) = module.blocks_of(region).first().copied() else {
        return Vec::new();
    };
    let mut seen: FxHashSet<Block> = [entry].into_iter().collect();
    let mut order = Vec::new();
    let mut stack = vec![(entry, successors(module, entry))];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if seen.insert(next) => stack.push((next, successors(module, next))),
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
