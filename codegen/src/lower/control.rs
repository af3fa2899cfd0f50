//! Control flow: blocks, the `scf` and `cf` dialects, calls.

use aiec_aie::ir::{Block, Op, Region, Value};
use aiec_aie::ops::OpKind;
use aiec_aie::ops::netlist::operand_group;
use aiec_diag::Reported;
use aiec_vcode::{Opcode, Signature, TrapReason};

use super::Lowered;
use super::function::{Function, Merged};
use super::pure::load_constant;
use super::value::{Shape, Val};
use crate::codes::TOO_LARGE;
use crate::mir::{Arg, Imm, Label, MoveOperand, Node, Scalar, Virtual};
use crate::signature;

/// Bits in which loops count.
const INDEX_BITS: u8 = 64;

/// Nodes that the search for the definition of a yielded value goes back at most.
const RETARGET_WINDOW: usize = 64;

/// Registers or granules that arguments and results of a call may take.
const MAX_ARGUMENTS: usize = 128;

impl Function<'_, '_, '_> {
    /// Lowers the blocks of a region; the arguments of the first are set already.
    pub(crate) fn blocks(&mut self, region: Region) {
        let blocks = self.low.module.blocks_of(region).to_vec();
        for block in blocks.iter().skip(1) {
            let label = self.code.label();
            let arguments = self.low.module.block_args(*block).to_vec();
            let parent = self.low.module.region_parent(region);
            let merged = match parent {
                Some(parent) => self.merged(parent, &arguments).unwrap_or_default(),
                None => Vec::new(),
            };
            self.targets.insert(*block, (label, merged));
        }
        for block in blocks {
            if let Some((label, _)) = self.targets.get(&block) {
                let label = *label;
                self.code.place(label);
            }
            self.block(block);
        }
    }

    /// `cf.br`, `cf.cond_br`, `cf.assert`.
    pub(crate) fn branch(&mut self, op: Op) -> Lowered<()> {
        let module = self.low.module;
        match module.kind(op) {
            OpKind::CfBr => {
                let arguments: Vec<Value> = module.operands(op).collect();
                self.jump_to(op, 0, &arguments)
            }
            OpKind::CfCondBr => {
                let condition = self.operand(op, 0)?;
                let on_false = self.code.label();
                let yes = operand_group(module, op, 1).unwrap_or_default();
                let no = operand_group(module, op, 2).unwrap_or_default();
                self.branch_unless(&condition, on_false)?;
                self.jump_to(op, 0, &yes)?;
                self.code.place(on_false);
                self.jump_to(op, 1, &no)
            }
            _ => {
                let condition = self.operand(op, 0)?;
                let (fails, goes_on) = (self.code.label(), self.code.label());
                self.branch_unless(&condition, fails)?;
                self.code.jump(goes_on);
                self.code.place(fails);
                let reason = Imm::Word(TrapReason::Assertion.code());
                self.code.op(Opcode::Trap, [Arg::None; 3], reason);
                self.code.place(goes_on);
                Ok(())
            }
        }
    }

    fn jump_to(&mut self, op: Op, successor: usize, arguments: &[Value]) -> Lowered<()> {
        let block = self
            .low
            .module
            .successors(op)
            .get(successor)
            .copied()
            .ok_or(Reported)?;
        let (label, merged) = self.targets.get(&block).cloned().ok_or(Reported)?;
        let moves = self.merge_moves(&merged, arguments)?;
        self.code.moves(moves);
        self.code.jump(label);
        Ok(())
    }

    /// Goes to a label if a condition doesn't hold.
    fn branch_unless(&mut self, condition: &Val, label: Label) -> Lowered<()> {
        match condition {
            Val::Const(0) => self.code.jump(label),
            Val::Const(_) => {}
            Val::Compare { op, left, right } => {
                let (left, right) = (self.scalar(left)?, self.scalar(right)?);
                let (opcode, left, right) = match op {
                    Opcode::Eq => (Opcode::Bne, left, right),
                    Opcode::Ne => (Opcode::Beq, left, right),
                    // not a < b is b <= a.
                    Opcode::Lts => (Opcode::Bles, right, left),
                    Opcode::Les => (Opcode::Blts, right, left),
                    Opcode::Ltu => (Opcode::Bleu, right, left),
                    _ => (Opcode::Bltu, right, left),
                };
                let args = [Arg::Scalar(left), Arg::Scalar(right), Arg::None];
                self.code.branch(opcode, args, label);
            }
            _ => {
                let condition = self.scalar(condition)?;
                let args = [Arg::Scalar(condition), Arg::None, Arg::None];
                self.code.branch(Opcode::Jz, args, label);
            }
        }
        Ok(())
    }

    /// Values that the `scf.yield` at the end of a block passes on.
    fn yielded(&self, block: Block) -> Vec<Value> {
        let module = self.low.module;
        let last = module
            .last_op(block)
            .filter(|op| module.kind(*op) == OpKind::ScfYield);
        last.map(|op| module.operands(op).collect())
            .unwrap_or_default()
    }

    /// Lowers a block and moves the values that it yields.
    fn yielding_block(&mut self, block: Block, into: &[Merged]) -> Lowered<()> {
        let begin = self.code.nodes.len();
        self.block(block);
        let moves = self.merge_moves(into, &self.yielded(block))?;
        let moves = self.retarget(begin, moves);
        self.code.moves(moves);
        Ok(())
    }

    /// Drops moves whose source can be computed in its destination right away: it is defined in the
    /// block, whose code begins with node `begin`, since the last label, and nothing reads the
    /// destination in between. A value defined before the block may be read after it.
    fn retarget(
        &mut self,
        begin: usize,
        mut moves: Vec<(MoveOperand, MoveOperand)>,
    ) -> Vec<(MoveOperand, MoveOperand)> {
        let mut at = 0;
        while at < moves.len() {
            let done = match moves[at] {
                (MoveOperand::Scalar(to), MoveOperand::Scalar(from)) if to != from => {
                    let alone = moves.iter().enumerate().all(|(other, (_, source))| {
                        other == at
                            || (*source != MoveOperand::Scalar(from)
                                && *source != MoveOperand::Scalar(to))
                    });
                    alone && self.define_in(begin, to, from)
                }
                _ => false,
            };
            if done {
                moves.remove(at);
            } else {
                at += 1;
            }
        }
        moves
    }

    /// Makes the operation that defines `from` define `to` instead, if that changes nothing else.
    fn define_in(&mut self, begin: usize, to: Scalar, from: Scalar) -> bool {
        let window = self.code.nodes.len().saturating_sub(RETARGET_WINDOW);
        let since = window.max(begin);
        let (mut found, to, from) = (None, Virtual::Scalar(to), Virtual::Scalar(from));
        for (at, node) in self.code.nodes.iter().enumerate().skip(since).rev() {
            let (mut defines, mut touches) = (false, false);
            node.defs(|value| {
                defines |= value == from;
                touches |= value == to;
            });
            if defines {
                found = Some(at);
                break;
            }
            node.uses(|value| touches |= value == from || value == to);
            if touches || matches!(node, Node::Label(_)) {
                return false;
            }
        }
        let Some(Node::Op { op, args, .. }) = found.and_then(|at| self.code.nodes.get_mut(at))
        else {
            return false;
        };
        if op.shape().operands[0] != aiec_vcode::Operand::Dest {
            return false;
        }
        if let Virtual::Scalar(to) = to {
            args[0] = Arg::Scalar(to);
        }
        true
    }

    /// Gives the results of an operation the values of a block's arguments.
    fn alias(&mut self, results: impl Iterator<Item = Value>, arguments: &[Value]) {
        for (result, argument) in results.zip(arguments) {
            if let Ok(val) = self.val(*argument) {
                self.set(result, val);
            }
        }
    }

    pub(crate) fn scf_for(&mut self, op: Op) -> Lowered<()> {
        let module = self.low.module;
        let body = module.entry(op, 0).ok_or(Reported)?;
        let (iv, arguments) = match module.block_args(body) {
            [iv, arguments @ ..] => (*iv, arguments.to_vec()),
            [] => return Err(Reported),
        };
        let (mut lower, mut upper) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let mut step = self.operand(op, 2)?;
        let shape = self.shape(op, iv)?;
        // Numbers without the sign bit are the same either way.
        let positive = |val: &Val| matches!(val, Val::Const(bits) if *bits as i64 >= 0);
        let unsigned =
            module.flag(op, "unsignedCmp") && ![&lower, &upper, &step].into_iter().all(positive);
        if unsigned {
            // Registers hold narrow integers with their sign: the loop counts without.
            for bound in [&mut lower, &mut upper, &mut step] {
                *bound = self.unsigned(shape, bound)?;
            }
        }
        let inits: Vec<Value> = module.operands(op).skip(3).collect();
        let merged = self.merged(op, &arguments)?;
        let moves = self.merge_moves(&merged, &inits)?;
        self.code.moves(moves);
        self.alias(module.results(op), &arguments);
        let counter = self.code.scalar();
        let runs = match (&lower, &upper) {
            (Val::Const(lower), Val::Const(upper)) if unsigned => Some(lower < upper),
            (Val::Const(lower), Val::Const(upper)) => Some((*lower as i64) < *upper as i64),
            _ => None,
        };
        if runs == Some(false) {
            return Ok(());
        }
        match &lower {
            Val::Const(bits) => self.code.nodes.extend(load_constant(counter, *bits)),
            _ => {
                let lower = self.scalar(&lower)?;
                let args = [Arg::Scalar(counter), Arg::Scalar(lower), Arg::None];
                self.code.op(Opcode::Mov, args, Imm::None);
            }
        }
        let upper = self.scalar(&upper)?;
        let (head, exit) = (self.code.label(), self.code.label());
        if runs.is_none() {
            let opcode = if unsigned { Opcode::Bleu } else { Opcode::Bles };
            let args = [Arg::Scalar(upper), Arg::Scalar(counter), Arg::None];
            self.code.branch(opcode, args, exit);
        }
        if !matches!(step, Val::Const(_)) {
            self.refuse_standing_still(&step, unsigned)?;
        }
        // Loaded before the loop, not in it.
        let step_register = match &step {
            Val::Const(1..=255) if !unsigned => None,
            _ => Some(self.scalar(&step)?),
        };
        self.code.place(head);
        let mut number = Val::Scalar(counter);
        if unsigned {
            number = self.wrap(shape, INDEX_BITS, &number)?;
        }
        self.set(iv, number);
        self.yielding_block(body, &merged)?;
        match step_register {
            Some(step) if unsigned => self.close_unsigned_loop(counter, step, upper, head, exit)?,
            _ => self.close_loop(counter, &step, step_register, upper, head),
        }
        self.code.place(exit);
        Ok(())
    }

    /// Stops the core where a step that is known only at run time isn't above 0: the loop would have no end.
    fn refuse_standing_still(&mut self, step: &Val, unsigned: bool) -> Lowered<()> {
        let (step, zero) = (self.scalar(step)?, self.constant_scalar(0));
        let goes_on = self.code.label();
        let opcode = if unsigned { Opcode::Bne } else { Opcode::Blts };
        let args = [Arg::Scalar(zero), Arg::Scalar(step), Arg::None];
        self.code.branch(opcode, args, goes_on);
        let reason = Imm::Word(TrapReason::LoopStep.code());
        self.code.op(Opcode::Trap, [Arg::None; 3], reason);
        self.code.place(goes_on);
        Ok(())
    }

    /// The step is compared with the remaining distance, as the sum of counter and step may be more
    /// than 64 bits.
    fn close_unsigned_loop(
        &mut self,
        counter: Scalar,
        step: Scalar,
        upper: Scalar,
        head: Label,
        exit: Label,
    ) -> Lowered<()> {
        let (from, to) = (Val::Scalar(counter), Val::Scalar(upper));
        let left = self.binary(None, Opcode::Sub64, &to, &from)?;
        let left = self.scalar(&left)?;
        let args = [Arg::Scalar(left), Arg::Scalar(step), Arg::None];
        self.code.branch(Opcode::Bleu, args, exit);
        let counter = Arg::Scalar(counter);
        let args = [counter, counter, Arg::Scalar(step)];
        self.code.op(Opcode::Add64, args, Imm::None);
        self.code.jump(head);
        Ok(())
    }

    fn close_loop(
        &mut self,
        counter: Scalar,
        step: &Val,
        step_register: Option<Scalar>,
        upper: Scalar,
        head: Label,
    ) {
        let (counter, upper) = (Arg::Scalar(counter), Arg::Scalar(upper));
        match (step, step_register) {
            (_, Some(step)) => {
                self.code
                    .branch(Opcode::Loop, [counter, Arg::Scalar(step), upper], head);
            }
            (Val::Const(step), None) => {
                let args = [counter, Arg::Number(*step as u8), upper];
                self.code.branch(Opcode::Loopi, args, head);
            }
            // A step that isn't a constant has a register.
            (_, None) => {}
        }
    }

    pub(crate) fn scf_if(&mut self, op: Op) -> Lowered<()> {
        let module = self.low.module;
        let condition = self.operand(op, 0)?;
        let results: Vec<Value> = module.results(op).collect();
        let merged = self.merged(op, &results)?;
        let (then, other) = (module.entry(op, 0), module.entry(op, 1));
        if let Val::Const(bits) = condition {
            let taken = if bits != 0 { then } else { other };
            return match taken {
                Some(block) => self.yielding_block(block, &merged),
                None => Ok(()),
            };
        }
        let (otherwise, end) = (self.code.label(), self.code.label());
        self.branch_unless(&condition, otherwise)?;
        if let Some(block) = then {
            self.yielding_block(block, &merged)?;
        }
        if let Some(block) = other {
            self.code.jump(end);
            self.code.place(otherwise);
            self.yielding_block(block, &merged)?;
        } else {
            self.code.place(otherwise);
        }
        self.code.place(end);
        Ok(())
    }

    pub(crate) fn scf_while(&mut self, op: Op) -> Lowered<()> {
        let module = self.low.module;
        let (before, after) = (
            module.entry(op, 0).ok_or(Reported)?,
            module.entry(op, 1).ok_or(Reported)?,
        );
        let arguments = module.block_args(before).to_vec();
        let carried = module.block_args(after).to_vec();
        let inits: Vec<Value> = module.operands(op).collect();
        let merged = self.merged(op, &arguments)?;
        let moves = self.merge_moves(&merged, &inits)?;
        self.code.moves(moves);
        let passed = self.merged(op, &carried)?;
        self.alias(module.results(op), &carried);
        let (head, exit) = (self.code.label(), self.code.label());
        self.code.place(head);
        self.block(before);
        let condition = module
            .last_op(before)
            .filter(|last| module.kind(*last) == OpKind::ScfCondition)
            .ok_or(Reported)?;
        let values: Vec<Value> = module.operands(condition).skip(1).collect();
        let holds = self.operand(condition, 0)?;
        let moves = self.merge_moves(&passed, &values)?;
        self.code.moves(moves);
        self.branch_unless(&holds, exit)?;
        self.yielding_block(after, &merged)?;
        self.code.jump(head);
        self.code.place(exit);
        Ok(())
    }

    pub(crate) fn index_switch(&mut self, op: Op) -> Lowered<()> {
        let module = self.low.module;
        let cases = aiec_aie::ops::ScfIndexSwitch(op).cases(module);
        let chosen = self.operand(op, 0)?;
        let results: Vec<Value> = module.results(op).collect();
        let merged = self.merged(op, &results)?;
        if let Val::Const(bits) = chosen {
            let case = cases.iter().position(|case| *case as u64 == bits);
            let block = module
                .entry(op, case.map_or(0, |case| case + 1))
                .ok_or(Reported)?;
            return self.yielding_block(block, &merged);
        }
        let chosen = self.scalar(&chosen)?;
        let end = self.code.label();
        let labels: Vec<Label> = cases.iter().map(|_| self.code.label()).collect();
        for (case, label) in cases.iter().zip(&labels) {
            let case = self.constant_scalar(*case as u64);
            let args = [Arg::Scalar(chosen), Arg::Scalar(case), Arg::None];
            self.code.branch(Opcode::Beq, args, *label);
        }
        let default = module.entry(op, 0).ok_or(Reported)?;
        self.yielding_block(default, &merged)?;
        for (case, label) in labels.iter().enumerate() {
            self.code.jump(end);
            self.code.place(*label);
            let block = module.entry(op, case + 1).ok_or(Reported)?;
            self.yielding_block(block, &merged)?;
        }
        self.code.place(end);
        Ok(())
    }

    pub(crate) fn execute_region(&mut self, op: Op) -> Lowered<()> {
        let module = self.low.module;
        let region = module.region(op, 0).ok_or(Reported)?;
        let [block] = module.blocks_of(region) else {
            return Err(self.unsupported(op));
        };
        self.block(*block);
        let values = self.yielded(*block);
        self.alias(module.results(op), &values);
        Ok(())
    }

    // ---- functions ----

    /// The places of values that are passed to or from a function, in its window.
    fn passed(
        &mut self,
        op: Op,
        values: &[Value],
        scalar: fn(u8) -> MoveOperand,
        vector: fn(u8, u16) -> MoveOperand,
    ) -> Lowered<(Vec<MoveOperand>, usize, usize)> {
        let (mut registers, mut granules) = (0, 0);
        let mut places = Vec::new();
        for value in values {
            let ty = self.low.module.ty(*value);
            let lanes = match ty.as_memref() {
                Some(_) => None,
                None => self.shape(op, *value)?.lanes,
            };
            match lanes {
                None => {
                    places.push(scalar(registers.min(MAX_ARGUMENTS) as u8));
                    registers += 1;
                }
                Some(lanes) => {
                    places.push(vector(granules.min(MAX_ARGUMENTS) as u8, lanes));
                    granules += usize::from(crate::mir::granules(lanes));
                }
            }
        }
        if registers > MAX_ARGUMENTS || granules > MAX_ARGUMENTS {
            let message = "too many arguments or results of a function".to_string();
            return Err(self
                .low
                .report(&TOO_LARGE, op, message, "pass them in a buffer"));
        }
        Ok((places, registers, granules))
    }

    /// Takes the parameters of a function from its window.
    pub(crate) fn parameters(&mut self, op: Op) -> Lowered<()> {
        let Some(entry) = self.low.module.entry(op, 0) else {
            return Ok(());
        };
        let arguments = self.low.module.block_args(entry).to_vec();
        let (places, ..) = self.passed(
            op,
            &arguments,
            MoveOperand::Window,
            MoveOperand::WindowVector,
        )?;
        let merged = self.merged(op, &arguments)?;
        let moves = merged
            .iter()
            .zip(places)
            .map(|(merged, from)| (merged.place, from));
        self.code.moves(moves.collect());
        Ok(())
    }

    pub(crate) fn call(&mut self, op: Op) -> Lowered<()> {
        let module = self.low.module;
        let name = module
            .symbol_attr(op, "callee")
            .unwrap_or_default()
            .to_string();
        let callee = self.callee(op, &name)?;
        let arguments: Vec<Value> = module.operands(op).collect();
        let results: Vec<Value> = module.results(op).collect();
        let (places, registers, granules) = self.passed(
            op,
            &arguments,
            MoveOperand::Callee,
            MoveOperand::CalleeVector,
        )?;
        let (result_places, result_registers, result_granules) =
            self.passed(op, &results, MoveOperand::Callee, MoveOperand::CalleeVector)?;
        let sources: Lowered<Vec<MoveOperand>> =
            arguments.iter().map(|value| self.source(*value)).collect();
        self.code.moves(places.into_iter().zip(sources?).collect());
        if module.entry(callee, 0).is_some() {
            let number = self.low.function_number(self.number, callee, op);
            let args = [Arg::Frame, Arg::FrameVector, Arg::None];
            self.code.op(Opcode::Call, args, Imm::Word(number as u32));
        } else {
            let Some(signature) = self.signature(&name, &arguments, &results) else {
                return Err(self.unsupported_kernel(op, &name));
            };
            let number = self.low.kernel_number(&signature.to_string());
            let args = [Arg::Frame, Arg::Number(registers as u8), Arg::None];
            self.code
                .op(Opcode::CallKernel, args, Imm::Word(number as u32));
        }
        let most = |now: u8, more: usize| now.max(more.min(MAX_ARGUMENTS) as u8);
        self.code.callee_registers = most(
            self.code.callee_registers,
            registers.max(result_registers).max(1),
        );
        self.code.callee_granules = most(self.code.callee_granules, granules.max(result_granules));
        let merged = self.merged(op, &results)?;
        let moves = merged
            .iter()
            .zip(result_places)
            .map(|(merged, from)| (merged.place, from));
        self.code.moves(moves.collect());
        Ok(())
    }

    /// Signature by which a program names a function that isn't part of it; `None` for operands or
    /// results that only functions of the program can have.
    fn signature<'v>(
        &self,
        name: &str,
        arguments: &'v [Value],
        results: &'v [Value],
    ) -> Option<Signature> {
        let module = self.low.module;
        let types = |values: &'v [Value]| values.iter().map(|value| module.ty(*value));
        signature::signature(name, types(arguments), types(results))
    }

    fn unsupported_kernel(&mut self, op: Op, name: &str) -> Reported {
        let message = format!(
            "the external function `{name}` takes or gives what only functions of the program can"
        );
        let help = "pass numbers and buffers of them, vectors in a buffer, and return one number at \
                    most; or give the function a body with --link FILE.mlir";
        self.low.report(&super::UNSUPPORTED_OP, op, message, help)
    }

    pub(crate) fn function_return(&mut self, op: Op) -> Lowered<()> {
        let values: Vec<Value> = self.low.module.operands(op).collect();
        let (places, ..) =
            self.passed(op, &values, MoveOperand::Window, MoveOperand::WindowVector)?;
        let sources: Lowered<Vec<MoveOperand>> =
            values.iter().map(|value| self.source(*value)).collect();
        self.code.moves(places.into_iter().zip(sources?).collect());
        self.code.op(Opcode::Ret, [Arg::None; 3], Imm::None);
        Ok(())
    }

    /// Whether a value is a scalar of registers.
    pub(crate) fn is_scalar(&self, value: Value) -> bool {
        Shape::of(self.low.module.ty(value)).is_some_and(|shape| shape.lanes.is_none())
    }
}
