//! Ends of blocks: comparisons, branches, the copies that pass values to blocks.

use aiec_vcode::Opcode;
use smallvec::SmallVec;

use super::emit::Selector;
use super::number::{Halves, Number, NumberPlace};
use super::rows::{Row, Rows};
use crate::machine::{
    BlockId, MachineFunction, MachineOp, MachineOperand as Operand, VirtualRegister,
};
use crate::ssa::{Action, BlockData, Target, Terminator, Value};

/// A register that gets a value when a block is entered.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    to: VirtualRegister,
    from: Source,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Register(VirtualRegister),
    Constant(u32),
}

impl Selector<'_> {
    pub(super) fn terminator(&mut self, data: &BlockData) {
        match &data.terminator {
            Terminator::Jump(target) => {
                self.begin_end();
                let transfers = self.transfers(target, None);
                self.transfer(transfers);
                let to = self.entries[target.block.index()];
                self.jump(to);
                self.successors(&[to]);
            }
            Terminator::Branch { op, args, targets } => match self.counted(&data.terminator) {
                Some((counter, next)) => self.counted_loop(counter, next, data),
                None => self.branch(*op, *args, targets),
            },
            Terminator::Return { scalars, vectors } => {
                self.begin_end();
                self.pass_results(scalars, vectors);
            }
            // A core that stops with a fault stops: its program is done.
            Terminator::End | Terminator::Trap => {
                self.begin_end();
                self.emit(Row::Done, &[]);
            }
        }
    }

    pub(super) fn jump(&mut self, to: BlockId) {
        self.emit(Row::Jump, &[Operand::Block(to)]);
    }

    fn branch(&mut self, op: Opcode, args: [Value; 2], targets: &[Target; 2]) {
        self.begin_end();
        let [a, b] = args.map(|value| self.number(value));
        let (condition, if_true) = self.condition(op, a, b);
        // The parameters of the first target are copied before the branch where that doesn't harm
        // the second.
        let transfers = targets
            .each_ref()
            .map(|target| self.transfers(target, None));
        let blocks = targets
            .each_ref()
            .map(|target| self.entries[target.block.index()]);
        let [first, second] = transfers;
        let early = self.is_harmless(&first, &targets[1], &second);
        let (yes, mut condition) = if first.is_empty() || early {
            (blocks[0], condition)
        } else {
            (self.new_block(), condition)
        };
        if early && !first.is_empty() {
            if first.iter().any(|transfer| transfer.to == condition) {
                let kept = self.general();
                self.copy(Operand::Virtual(kept), Operand::Virtual(condition));
                condition = kept;
            }
            self.transfer(first.clone());
        }
        let no = if second.is_empty() {
            blocks[1]
        } else {
            self.new_block()
        };
        let row = if if_true {
            Row::JumpNotZero
        } else {
            Row::JumpZero
        };
        self.emit(row, &[Operand::Virtual(condition), Operand::Block(yes)]);
        self.jump(no);
        self.successors(&[yes, no]);
        for (edge, to, transfers, made) in [
            (no, blocks[1], second, no != blocks[1]),
            (yes, blocks[0], first, yes != blocks[0]),
        ] {
            if made {
                self.begin(edge);
                self.transfer(transfers);
                self.jump(to);
                self.successors(&[to]);
            }
        }
    }

    /// A register that is not 0 if a comparison holds, or that is 0 if it holds.
    fn condition(&mut self, op: Opcode, a: Number, b: Number) -> (VirtualRegister, bool) {
        let zero = b.as_constant() == Some(0);
        if zero && matches!(op, Opcode::Eq | Opcode::Ne) {
            let if_true = op == Opcode::Ne;
            if let NumberPlace::Flag(flag) = a.place {
                return (flag, if_true);
            }
            let low = match a.place {
                NumberPlace::Registers(Halves {
                    low,
                    high: Some(high),
                }) => self.binary(Row::Or, low, high),
                _ => self.low(a),
            };
            return (low, if_true);
        }
        (self.compare(op, a, b), true)
    }

    // ---- counted loops ----

    /// The counter of a loop whose last block this is: a parameter that goes down by 1 to 0 and isn't used otherwise;
    /// and its value for the next turn.
    pub(super) fn counted(&self, terminator: &Terminator) -> Option<(Value, Value)> {
        let Terminator::Branch {
            op: Opcode::Ne,
            args: [next, zero],
            targets,
        } = terminator
        else {
            return None;
        };
        if self.constant_of(*zero) != Some(0) {
            return None;
        }
        let back = &targets[0];
        let params = &self.ssa.block(back.block).params;
        let at = back.args.iter().position(|arg| arg == next)?;
        let counter = *params.get(at)?;
        // The decrement is a step of this block; it is used by the branch and by the jump back.
        let data = self.ssa.block(self.block);
        let step = data.steps.iter().find(|step| step.results[..] == [*next])?;
        let decrements = matches!(
            step.action,
            Action::Pure {
                op: Opcode::Add64 | Opcode::Add32,
                ..
            }
        );
        let wanted = self.wanted(counter);
        let fits = decrements
            && step.args[0] == counter
            && self.constant_of(step.args[1]) == Some(u64::MAX)
            && self.uses[next.index()] == 2
            && self.uses[counter.index()] == 1
            && !wanted.is_wide()
            && !wanted.as_flag;
        fits.then_some((counter, *next))
    }

    /// Whether what the next turn of a loop gets can be copied before it is known if there is one: when all values have
    /// registers.
    fn is_loop_free(&self, [back, exit]: &[Target; 2]) -> bool {
        let live = self.live_registers(exit);
        let passed = exit.args.iter().flat_map(|value| self.registers_of(*value));
        let read: Vec<VirtualRegister> = live.into_iter().chain(passed).collect();
        let params = self.ssa.block(back.block).params.iter();
        let mut written = params.flat_map(|param| self.registers_of(*param));
        written.all(|register| !read.contains(&register))
    }

    fn counted_loop(&mut self, counter: Value, next: Value, data: &BlockData) {
        let Terminator::Branch { op, args, targets } = &data.terminator else {
            return;
        };
        let Some(&count) = self.registers_of(counter).first() else {
            return;
        };
        if !self.is_loop_free(targets) {
            let operands = [Operand::Virtual(count), Operand::Immediate(-1)];
            let low = self.result(Row::AddImmediate, &operands);
            self.define(next, Halves { low, high: None });
            return self.branch(*op, *args, targets);
        }
        self.begin_end();
        let transfers = self.transfers(&targets[0], Some(counter));
        let second = self.transfers(&targets[1], None);
        self.transfer(transfers);
        let back = self.entries[targets[0].block.index()];
        let exit = self.entries[targets[1].block.index()];
        let after = if second.is_empty() {
            exit
        } else {
            self.new_block()
        };
        self.counted_branch(count, back);
        self.jump(after);
        self.successors(&[back, after]);
        if after != exit {
            self.begin(after);
            self.transfer(second);
            self.jump(exit);
            self.successors(&[exit]);
        }
    }

    pub(super) fn constant_of(&self, value: Value) -> Option<u64> {
        self.numbers[value.index()]?.as_constant()
    }

    // ---- values of blocks ----

    /// Copies into the parameters of a target, except one.
    fn transfers(&mut self, target: &Target, except: Option<Value>) -> Vec<Transfer> {
        let params = self.ssa.block(target.block).params.clone();
        let mut transfers = Vec::new();
        for (param, arg) in params.into_iter().zip(&target.args) {
            if Some(param) == except {
                continue;
            }
            let to = self.number(param);
            let wanted = self.wanted(param);
            let from = self.number(*arg);
            let (low, high) = match to.place {
                NumberPlace::Registers(halves) => (halves.low, halves.high),
                NumberPlace::Flag(flag) => (flag, None),
                NumberPlace::Constant(_) => continue,
            };
            let mut add = |to, from| {
                if from != Source::Register(to) {
                    transfers.push(Transfer { to, from });
                }
            };
            match from.as_constant() {
                Some(bits) if wanted.as_flag => add(low, Source::Constant((bits & 1) as u32)),
                Some(bits) => {
                    add(low, Source::Constant(bits as u32));
                    if let Some(high) = high {
                        add(high, Source::Constant((bits >> 32) as u32));
                    }
                }
                None if self.is_pointer(low) => {
                    let from = match from.place {
                        NumberPlace::Registers(halves) => halves.low,
                        _ => self.low(from),
                    };
                    add(low, Source::Register(from));
                }
                None => {
                    let halves = self.halves(from, wanted);
                    add(low, Source::Register(halves.low));
                    if let (Some(to), Some(from)) = (high, halves.high) {
                        add(to, Source::Register(from));
                    }
                }
            }
        }
        transfers
    }

    /// Copies all at once: a register is written when nothing is to be read from it any more.
    fn transfer(&mut self, mut open: Vec<Transfer>) {
        while !open.is_empty() {
            let free = open.iter().position(|transfer| {
                let read = Source::Register(transfer.to);
                open.iter().all(|other| other.from != read)
            });
            let at = match free {
                Some(at) => at,
                None => {
                    // All are in cycles: one register is kept elsewhere.
                    let kept = self.general();
                    let to = open[0].to;
                    self.copy(Operand::Virtual(kept), Operand::Virtual(to));
                    for transfer in &mut open {
                        if transfer.from == Source::Register(to) {
                            transfer.from = Source::Register(kept);
                        }
                    }
                    0
                }
            };
            let Transfer { to, from } = open.remove(at);
            match from {
                Source::Register(from) => {
                    self.copy(Operand::Virtual(to), Operand::Virtual(from));
                }
                Source::Constant(bits) => self.load_constant(Operand::Virtual(to), bits),
            }
        }
    }

    /// Whether copies can be made although a branch may go to another target: nothing there reads
    /// their destinations.
    fn is_harmless(&self, transfers: &[Transfer], other: &Target, passed: &[Transfer]) -> bool {
        let written = |register: VirtualRegister| transfers.iter().any(|t| t.to == register);
        let reads = passed
            .iter()
            .any(|transfer| matches!(transfer.from, Source::Register(from) if written(from)));
        !reads
            && !self
                .live_registers(other)
                .iter()
                .any(|register| written(*register))
    }

    /// The registers of values that are live where a block begins, its parameters apart.
    fn live_registers(&self, target: &Target) -> Vec<VirtualRegister> {
        let live = self.live[target.block.index()].iter();
        live.flat_map(|value| self.registers_of(*value)).collect()
    }

    fn registers_of(&self, value: Value) -> SmallVec<[VirtualRegister; 2]> {
        match self.numbers[value.index()].map(|number| number.place) {
            Some(NumberPlace::Registers(halves)) => {
                [halves.low].into_iter().chain(halves.high).collect()
            }
            Some(NumberPlace::Flag(flag)) => [flag].into_iter().collect(),
            _ => SmallVec::new(),
        }
    }
}

/// Leaves out jumps to the next block, and turns branches around so that they go on to it.
pub(super) fn shorten_jumps(function: &mut MachineFunction, rows: &Rows) {
    let index = |row: Row| rows.get(row).map(|found| MachineOp::Row(found.index));
    let (jump, zero, not_zero) = (
        index(Row::Jump),
        index(Row::JumpZero),
        index(Row::JumpNotZero),
    );
    for number in 0..function.blocks.len() {
        let next = Operand::Block(BlockId(number as u32 + 1));
        let insts = &mut function.blocks[number].insts;
        let count = insts.len();
        let Some(last) = insts.last().filter(|last| Some(last.op) == jump) else {
            continue;
        };
        let to = last.operands[0];
        if to == next {
            insts.pop();
            continue;
        }
        let Some(branch) = count.checked_sub(2).map(|at| &mut insts[at]) else {
            continue;
        };
        let turned = match Some(branch.op) {
            op if op == zero => not_zero,
            op if op == not_zero => zero,
            _ => continue,
        };
        let target = branch.operands.iter_mut().find(|operand| **operand == next);
        if let (Some(target), Some(turned)) = (target, turned) {
            *target = to;
            branch.op = turned;
            insts.pop();
        }
    }
}
