//! The selection of one function: registers of values, blocks and instructions under construction.

use std::collections::VecDeque;

use aiec_aie::ir::Op;
use aiec_core::{Register, RegisterFile};
use aiec_vcode::Opcode;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::memory::MemoryKnowledge;
use super::number::{Halves, Number, NumberPlace, Wanted};
use super::rows::{Row, Rows};
use super::vector::{Alignment, Packed, StoredProduct};
use super::{Missing, Program};
use crate::machine::{
    BlockId, FrameSlot, MachineAccess, MachineBlock, MachineFunction, MachineInst, MachineOp,
    MachineOperand, VirtualRegister,
};
use crate::ssa::width::{Range, Upper, Widths};
use crate::ssa::{self, Action, Block, Graph, Value};

/// The register that [`Row::Select`] reads its condition from.
pub(super) const CONDITION: Register = Register::new(RegisterFile::R, 27);

/// Constants that are loaded before a loop for all of it. More are loaded where they are used, so that values keep
/// registers.
const MAX_HOISTED_CONSTANTS: usize = 6;

/// Values made once for a block, or for a loop before it.
#[derive(Default)]
struct Shared {
    constants: FxHashMap<(u32, RegisterFile), VirtualRegister>,
    hoisted: usize,
}

pub(super) struct Selector<'a> {
    pub program: &'a mut Program,
    pub rows: &'static Rows,
    pub ssa: &'a ssa::Function,
    pub graph: Graph,
    pub widths: Widths,
    pub out: MachineFunction,
    /// The blocks in the order in which they are made.
    pub open: Vec<MachineBlock>,
    /// The blocks in the order of the code.
    pub order: Vec<BlockId>,
    /// The first block of each block of the form.
    pub entries: Vec<BlockId>,
    /// Where each block of the form ends: the block, and the first of the instructions that end it.
    ends: Vec<Option<(BlockId, usize)>>,
    /// The block that instructions go to.
    pub current: BlockId,
    /// The block of the form that is selected.
    pub block: Block,
    pub source: Op,
    pub numbers: Vec<Option<Number>>,
    /// Which values are kept as 1 or 0 for -1 or 0.
    flags: Vec<bool>,
    /// The values that are live where each block begins, its parameters apart.
    pub live: Vec<Vec<Value>>,
    /// Number of uses of each value, without accesses that name the parts of its sum.
    pub uses: Vec<u32>,
    /// Block and place of the step that gives each value.
    pub steps: Vec<Option<(u32, u32)>>,
    /// Pointers and indices of addresses, made in the current block.
    pub pointers: FxHashMap<(Value, RegisterFile), VirtualRegister>,
    /// General registers with constants, loaded in the current block.
    local: FxHashMap<u32, VirtualRegister>,
    /// Shared values, by the block of the form before whose end they are made.
    shared: FxHashMap<Block, Shared>,
    pub memory: MemoryKnowledge,
    /// Known alignment of addresses.
    pub alignment: Alignment,
    /// The vectors that are in registers.
    pub packed: Vec<Option<Packed>>,
    /// Which vectors are one number in all lanes, and no NaN.
    pub constant_numbers: Vec<bool>,
    /// Products that are made lanes when they are stored, by vector, with their sums once these are computed.
    pub stored_products: Vec<Option<StoredProduct>>,
    /// The accumulators by way of which factors come to blocks, the last one used last, by block of the form.
    pub ways_to_blocks: FxHashMap<Block, VecDeque<VirtualRegister>>,
    /// The vector registers that right factors of a loop are loaded to on their way to blocks, by its block of the form.
    pub loaded_on_the_way: FxHashMap<Block, [VirtualRegister; 2]>,
    /// Where the lanes of each vector are.
    pub slots: Vec<Option<FrameSlot>>,
    /// Addresses that the caller passed for results: of each vector, then of words that fit no registers.
    pub result_addresses: Vec<VirtualRegister>,
}

impl<'a> Selector<'a> {
    /// The machine form of a function.
    pub(super) fn select(
        program: &'a mut Program,
        name: String,
        ssa: &'a ssa::Function,
        graph: Graph,
        widths: Widths,
        memory: MemoryKnowledge,
    ) -> MachineFunction {
        let mut selector = Selector {
            rows: Rows::of(program.arch),
            program,
            ssa,
            out: MachineFunction {
                name,
                source: ssa.source,
                blocks: Vec::new(),
                registers: Vec::new(),
                slots: Vec::new(),
                arguments: Vec::new(),
            },
            open: Vec::new(),
            order: Vec::new(),
            entries: Vec::new(),
            ends: vec![None; ssa.blocks.len()],
            current: BlockId(0),
            block: Block(0),
            source: ssa.source,
            numbers: vec![None; ssa.values as usize],
            flags: flags(ssa, &graph, &widths),
            graph,
            widths,
            live: ssa::live_values(ssa),
            uses: uses(ssa),
            steps: steps(ssa),
            pointers: FxHashMap::default(),
            local: FxHashMap::default(),
            shared: FxHashMap::default(),
            memory,
            alignment: Alignment::default(),
            packed: Vec::new(),
            constant_numbers: Vec::new(),
            stored_products: Vec::new(),
            ways_to_blocks: FxHashMap::default(),
            loaded_on_the_way: FxHashMap::default(),
            slots: vec![None; ssa.vectors.len()],
            result_addresses: Vec::new(),
        };
        selector.function();
        selector.finish()
    }

    fn function(&mut self) {
        let ssa = self.ssa;
        self.entries = ssa.blocks.iter().map(|_| self.new_block()).collect();
        self.place_packed();
        self.place_vectors();
        for data in &ssa.blocks {
            for param in &data.params {
                let number = self.fresh_number(*param);
                self.numbers[param.index()] = Some(number);
            }
            for step in &data.steps {
                if let (Action::Const(bits), [result]) = (&step.action, &step.results[..]) {
                    self.numbers[result.index()] = Some(Number::constant(*bits));
                }
            }
        }
        self.fold_addresses();
        for (block, data) in ssa.numbered_blocks() {
            self.block = block;
            self.source = data.steps.first().map_or(data.source, |step| step.source);
            self.begin(self.entries[block.index()]);
            if block == Block(0) {
                self.parameters();
                self.set_modes();
            }
            // The decrement of a counted loop is a part of its branch.
            let counted = self.counted(&data.terminator).map(|(_, next)| next);
            let mut steps = &data.steps[..];
            while let [step, rest @ ..] = steps {
                self.source = step.source;
                let is_end = counted.is_some() && step.results.first().copied() == counted;
                let at_once = self.multiply_at_once(steps);
                if at_once == 0 && !is_end {
                    self.step(step);
                }
                steps = rest.get(at_once.saturating_sub(1)..).unwrap_or_default();
            }
            self.source = data.source;
            self.terminator(data);
        }
    }

    /// Takes the sums that accesses do without out of the uses.
    fn fold_addresses(&mut self) {
        let steps = self.ssa.blocks.iter().flat_map(|block| &block.steps);
        for step in steps {
            let (kind, address, offset) = match step.action {
                Action::Load { kind, offset } => (kind, step.args[0], offset),
                Action::Store { kind, offset } => (kind, step.args[1], offset),
                _ => continue,
            };
            if self.folds_address(kind, address, offset.into()) {
                self.uses[address.index()] -= 1;
            }
        }
    }

    fn step(&mut self, step: &ssa::Step) {
        match &step.action {
            Action::Const(_) => {}
            Action::Pure { .. } if self.uses[step.results[0].index()] == 0 => {}
            Action::Pure {
                op: Opcode::Add64, ..
            } if self.move_pointer(step) => {}
            Action::Pure { op, number } => self.pure_step(*op, *number, step),
            Action::Load { kind, offset } => {
                self.load(*kind, step.args[0], *offset, step.results[0]);
            }
            Action::Store { kind, offset } => {
                self.store(*kind, step.args[0], step.args[1], *offset);
            }
            Action::Copy { bytes } => self.copy_bytes(step.args[0], step.args[1], *bytes),
            Action::Acquire { lock, value } => self.lock(Row::Acquire, *lock, *value),
            Action::Release { lock, value } => self.lock(Row::Release, *lock, *value),
            Action::StreamGet { channel } => self.stream_get(*channel, step.results[0]),
            Action::StreamPut { channel, last } => {
                self.stream_put(*channel, *last, step.args[0]);
            }
            Action::Event(number) => self.event(*number),
            // Silicon has no output for a core's text.
            Action::Print => {}
            Action::Call {
                callee,
                arguments,
                results,
            } => self.call_step(*callee, step, arguments, results),
            Action::Vector(action) => self.vector_step(action, step),
        }
    }

    /// The function with its blocks in the order of the code.
    fn finish(mut self) -> MachineFunction {
        let mut numbers = vec![BlockId(0); self.open.len()];
        for (number, block) in self.order.iter().enumerate() {
            numbers[block.0 as usize] = BlockId(number as u32);
        }
        let mut open: Vec<Option<MachineBlock>> = self.open.into_iter().map(Some).collect();
        let placed = self.order.iter().map(|block| open[block.0 as usize].take());
        self.out.blocks = placed.flatten().collect();
        for block in &mut self.out.blocks {
            let named = block.insts.iter_mut().flat_map(|inst| &mut inst.operands);
            for operand in named {
                if let MachineOperand::Block(block) = operand {
                    *block = numbers[block.0 as usize];
                }
            }
            let successors = block.successors.iter_mut();
            successors.for_each(|block| *block = numbers[block.0 as usize]);
        }
        super::flow::shorten_jumps(&mut self.out, self.rows);
        self.out
    }

    // ---- blocks ----

    pub(super) fn new_block(&mut self) -> BlockId {
        self.open.push(MachineBlock::default());
        BlockId((self.open.len() - 1) as u32)
    }

    /// Places a block after the others; instructions go to it from now on.
    pub(super) fn begin(&mut self, block: BlockId) {
        self.order.push(block);
        self.current = block;
        self.pointers.clear();
        self.local.clear();
    }

    pub(super) fn block_mut(&mut self) -> &mut MachineBlock {
        &mut self.open[self.current.0 as usize]
    }

    pub(super) fn successors(&mut self, blocks: &[BlockId]) {
        self.block_mut().successors = blocks.into();
    }

    // ---- instructions ----

    pub(super) fn register(&mut self, file: RegisterFile) -> VirtualRegister {
        self.out.register(file)
    }

    /// A new general register.
    pub(super) fn general(&mut self) -> VirtualRegister {
        self.out.register(RegisterFile::R)
    }

    pub(super) fn inst(
        &self,
        op: MachineOp,
        operands: SmallVec<[MachineOperand; 5]>,
    ) -> MachineInst {
        MachineInst {
            op,
            operands,
            reads: smallvec![],
            clobbers: smallvec![],
            access: None,
            source: self.source,
        }
    }

    /// The instruction of a row; its operands in the order of its text. Notes that the operation has no machine code if
    /// the architecture has no such row.
    fn row(&mut self, row: Row, operands: &[MachineOperand]) -> MachineInst {
        let Some(found) = self.rows.get(row) else {
            self.lacks(format!("there is no instruction for `{row:?}`"));
            return self.inst(MachineOp::Copy, smallvec![]);
        };
        debug_assert_eq!(found.places.len(), operands.len(), "{row:?}");
        let mut placed: SmallVec<[MachineOperand; 5]> =
            smallvec![MachineOperand::Immediate(0); operands.len()];
        for (place, operand) in found.places.iter().zip(operands) {
            if let Some(slot) = placed.get_mut(usize::from(*place)) {
                *slot = *operand;
            }
        }
        self.inst(MachineOp::Row(found.index), placed)
    }

    pub(super) fn push(&mut self, inst: MachineInst) -> &mut MachineInst {
        let insts = &mut self.block_mut().insts;
        insts.push(inst);
        let last = insts.len() - 1;
        &mut insts[last]
    }

    pub(super) fn emit(&mut self, row: Row, operands: &[MachineOperand]) -> &mut MachineInst {
        let inst = self.row(row, operands);
        self.push(inst)
    }

    /// An access to memory.
    pub(super) fn emit_access(
        &mut self,
        row: Row,
        operands: &[MachineOperand],
        access: MachineAccess,
    ) {
        self.emit(row, operands).access = Some(access);
    }

    /// A row whose first operand is a new general register.
    pub(super) fn result(&mut self, row: Row, operands: &[MachineOperand]) -> VirtualRegister {
        let to = self.general();
        let mut all: SmallVec<[MachineOperand; 5]> = smallvec![MachineOperand::Virtual(to)];
        all.extend_from_slice(operands);
        self.emit(row, &all);
        to
    }

    pub(super) fn unary(&mut self, row: Row, a: VirtualRegister) -> VirtualRegister {
        self.result(row, &[MachineOperand::Virtual(a)])
    }

    pub(super) fn binary(
        &mut self,
        row: Row,
        a: VirtualRegister,
        b: VirtualRegister,
    ) -> VirtualRegister {
        self.result(
            row,
            &[MachineOperand::Virtual(a), MachineOperand::Virtual(b)],
        )
    }

    pub(super) fn copy(&mut self, to: MachineOperand, from: MachineOperand) {
        let inst = self.inst(MachineOp::Copy, smallvec![to, from]);
        self.push(inst);
    }

    /// A pointer to a byte of the frame.
    pub(super) fn frame_address(&mut self, slot: FrameSlot, offset: i32) -> VirtualRegister {
        let pointer = self.register(RegisterFile::P);
        let inst = self.inst(
            MachineOp::FrameAddress(slot),
            smallvec![
                MachineOperand::Virtual(pointer),
                MachineOperand::Immediate(offset)
            ],
        );
        self.push(inst);
        pointer
    }

    /// Decrements a register and goes to a block unless it is 0 then.
    pub(super) fn counted_branch(&mut self, count: VirtualRegister, block: BlockId) {
        let inst = self.inst(
            MachineOp::CountedBranch,
            smallvec![MachineOperand::Virtual(count), MachineOperand::Block(block)],
        );
        self.push(inst);
    }

    pub(super) fn lacks(&mut self, what: String) {
        self.lacks_but(
            what,
            "simulate the design with the model's cores, or write it without",
        );
    }

    /// Same as [`Self::lacks`], with a way out of its own.
    pub(super) fn lacks_but(&mut self, what: String, help: &'static str) {
        self.program.lacks(self.source, Missing { what, help });
    }

    // ---- constants ----

    /// Loads a constant into a register.
    pub(super) fn load_constant(&mut self, to: MachineOperand, bits: u32) {
        let inst = self.constant_load(to, bits);
        self.push(inst);
    }

    fn constant_load(&mut self, to: MachineOperand, bits: u32) -> MachineInst {
        let value = bits as i32;
        let general = match to {
            MachineOperand::Virtual(register) => {
                self.out.registers[register.0 as usize] == RegisterFile::R
            }
            MachineOperand::Physical(register) => register.file == RegisterFile::R,
            _ => false,
        };
        let row = if general && self.rows.fits(Row::MoveShort, 1, value.into()) {
            Row::MoveShort
        } else {
            Row::MoveLong
        };
        self.row(row, &[to, MachineOperand::Immediate(value)])
    }

    /// A general register that holds a constant. It is not to be written.
    pub(super) fn word(&mut self, bits: u32) -> VirtualRegister {
        self.constant_in(RegisterFile::R, bits)
    }

    /// A register of a file that holds a constant: loaded before the outermost loop, or in this block.
    pub(super) fn constant_in(&mut self, file: RegisterFile, bits: u32) -> VirtualRegister {
        let key = (bits, file);
        let home = self.home();
        if let Some(home) = home {
            let shared = self.shared.entry(home).or_default();
            if let Some(known) = shared.constants.get(&key) {
                return *known;
            }
            if shared.hoisted < MAX_HOISTED_CONSTANTS {
                shared.hoisted += 1;
                let register = self.out.register(file);
                self.shared
                    .entry(home)
                    .or_default()
                    .constants
                    .insert(key, register);
                let inst = self.constant_load(MachineOperand::Virtual(register), bits);
                self.insert_at_end(home, inst);
                return register;
            }
        }
        if file == RegisterFile::R
            && let Some(known) = self.local.get(&bits)
        {
            return *known;
        }
        let register = self.out.register(file);
        self.load_constant(MachineOperand::Virtual(register), bits);
        if file == RegisterFile::R {
            self.local.insert(bits, register);
        }
        register
    }

    /// A register for conversions of sums that shifts by nothing: set before the outermost loop, or in this block.
    pub(super) fn no_shift(&mut self) -> VirtualRegister {
        let zero = self.word(0);
        let key = |file| (0, file);
        let shared = self
            .home()
            .map(|home| (home, self.shared.entry(home).or_default()));
        if let Some((home, shared)) = shared {
            if let Some(known) = shared.constants.get(&key(RegisterFile::S)) {
                return *known;
            }
            if shared.constants.get(&key(RegisterFile::R)) == Some(&zero) {
                let shift = self.out.register(RegisterFile::S);
                shared.constants.insert(key(RegisterFile::S), shift);
                let operands = [shift, zero].map(MachineOperand::Virtual);
                let inst = self.inst(MachineOp::Copy, operands.into_iter().collect());
                self.insert_at_end(home, inst);
                return shift;
            }
        }
        let shift = self.register(RegisterFile::S);
        self.copy(
            MachineOperand::Virtual(shift),
            MachineOperand::Virtual(zero),
        );
        shift
    }

    /// A pair of vector registers of which each lane of 16 bits is a number: set before the outermost loop, or in this block.
    pub(super) fn splat_pair(&mut self, bits: u32) -> VirtualRegister {
        let home = self.home();
        let key = (bits, RegisterFile::Y);
        let shared = self.shared.entry(home.unwrap_or(self.block)).or_default();
        if let Some(known) = shared.constants.get(&key) {
            return *known;
        }
        let pair = self.out.register(RegisterFile::Y);
        shared.constants.insert(key, pair);
        let number = MachineOperand::Virtual(self.out.register(RegisterFile::R));
        let halves = [0, 1].map(|half| MachineOperand::Nth(pair, RegisterFile::X, half));
        let splats = halves.map(|half| self.row(Row::VectorSplat16, &[half, number]));
        let steps = [self.constant_load(number, bits)].into_iter().chain(splats);
        match home {
            Some(home) => steps.for_each(|step| self.insert_at_end(home, step)),
            None => self.block_mut().insts.extend(steps),
        }
        pair
    }

    /// Clears a vector register before the loop of one block that is selected; `false` outside of such a loop.
    pub(super) fn clear_before_loop(&mut self, register: VirtualRegister) -> bool {
        let number = self.graph.innermost[self.block.index()];
        let found = number.filter(|number| self.graph.loops[*number].blocks.len() == 1);
        let before = found.and_then(|number| self.graph.preheader(self.ssa, number));
        let Some(before) = before.filter(|before| *before < self.block) else {
            return false;
        };
        let zero = self.general();
        let load = self.constant_load(MachineOperand::Virtual(zero), 0);
        let clear = self.row(
            Row::VectorSplat32,
            &[register, zero].map(MachineOperand::Virtual),
        );
        self.insert_at_end(before, load);
        self.insert_at_end(before, clear);
        true
    }

    /// The block before the outermost loop around the current block.
    fn home(&self) -> Option<Block> {
        let mut number = self.graph.innermost[self.block.index()]?;
        while let Some(outer) = self.graph.loops[number].parent {
            number = outer;
        }
        let home = self.graph.preheader(self.ssa, number)?;
        // It is complete, as it dominates this block.
        (home < self.block).then_some(home)
    }

    /// Inserts an instruction before those that end a block of the form.
    fn insert_at_end(&mut self, block: Block, inst: MachineInst) {
        let Some((last, at)) = self.ends[block.index()] else {
            return;
        };
        let insts = &mut self.open[last.0 as usize].insts;
        let at = at.min(insts.len());
        insts.insert(at, inst);
        self.ends[block.index()] = Some((last, at + 1));
    }

    /// Says that the instructions that follow end the current block of the form.
    pub(super) fn begin_end(&mut self) {
        let at = self.block_mut().insts.len();
        self.ends[self.block.index()] = Some((self.current, at));
    }

    // ---- numbers ----

    pub(super) fn number(&mut self, value: Value) -> Number {
        match self.numbers[value.index()] {
            Some(number) => number,
            None => {
                debug_assert!(false, "{value} has no register");
                Number::constant(0)
            }
        }
    }

    /// Form in which a value is kept.
    pub(super) fn wanted(&self, value: Value) -> Wanted {
        Wanted {
            upper: self.widths.upper(value),
            as_flag: self.flags[value.index()],
        }
    }

    /// New registers for a value.
    pub(super) fn fresh_number(&mut self, value: Value) -> Number {
        let wanted = self.wanted(value);
        let low = if self.memory.walks(value) {
            self.register(RegisterFile::P)
        } else {
            self.general()
        };
        let high = wanted.is_wide().then(|| self.general());
        self.number_in(value, Halves { low, high })
    }

    /// A value in registers as it is wanted.
    fn number_in(&self, value: Value, halves: Halves) -> Number {
        let wanted = self.wanted(value);
        Number {
            range: self.widths.ranges[value.index()],
            upper: wanted.upper,
            place: if wanted.as_flag {
                NumberPlace::Flag(halves.low)
            } else {
                NumberPlace::Registers(halves)
            },
        }
    }

    /// Says where a value is.
    pub(super) fn define(&mut self, value: Value, halves: Halves) {
        self.numbers[value.index()] = Some(self.number_in(value, halves));
    }

    /// The lower half in a register.
    pub(super) fn low(&mut self, number: Number) -> VirtualRegister {
        match number.place {
            NumberPlace::Constant(bits) => self.word(bits as u32),
            NumberPlace::Registers(halves) if self.is_pointer(halves.low) => {
                let low = self.general();
                self.copy(
                    MachineOperand::Virtual(low),
                    MachineOperand::Virtual(halves.low),
                );
                low
            }
            NumberPlace::Registers(halves) => halves.low,
            NumberPlace::Flag(flag) => {
                let zero = self.word(0);
                self.binary(Row::Sub, zero, flag)
            }
        }
    }

    /// The upper half in a register.
    pub(super) fn high(&mut self, number: Number) -> VirtualRegister {
        match (number.place, number.upper) {
            (NumberPlace::Constant(bits), _) => self.word((bits >> 32) as u32),
            (
                NumberPlace::Registers(Halves {
                    high: Some(high), ..
                }),
                _,
            ) => high,
            (NumberPlace::Flag(_), _) => self.low(number),
            (NumberPlace::Registers(halves), Upper::Sign) => self.shift_right(halves.low, 31, true),
            (NumberPlace::Registers(_), _) => self.word(0),
        }
    }

    /// 1 for -1, 0 for 0.
    pub(super) fn flag(&mut self, number: Number) -> VirtualRegister {
        match number.place {
            NumberPlace::Constant(bits) => self.word((bits & 1) as u32),
            NumberPlace::Flag(flag) => flag,
            NumberPlace::Registers(halves) => {
                let one = self.word(1);
                self.binary(Row::And, halves.low, one)
            }
        }
    }

    /// The registers of a number as it is wanted.
    pub(super) fn halves(&mut self, number: Number, wanted: Wanted) -> Halves {
        if wanted.as_flag {
            let low = self.flag(number);
            return Halves { low, high: None };
        }
        let low = self.low(number);
        let high = wanted.is_wide().then(|| self.high(number));
        Halves { low, high }
    }

    /// The lower half shifted right by a constant of less than 32.
    pub(super) fn shift_right(
        &mut self,
        value: VirtualRegister,
        amount: u32,
        arithmetic: bool,
    ) -> VirtualRegister {
        if amount == 0 {
            return value;
        }
        let row = if arithmetic {
            Row::ShiftArithmetic
        } else {
            Row::ShiftLogical
        };
        // Negative amounts shift right.
        let amount = self.word(amount.wrapping_neg());
        self.binary(row, value, amount)
    }

    /// The lower half shifted left by a constant of less than 32.
    pub(super) fn shift_left(&mut self, value: VirtualRegister, amount: u32) -> VirtualRegister {
        if amount == 0 {
            return value;
        }
        let amount = self.word(amount);
        self.binary(Row::ShiftLogical, value, amount)
    }
}

/// The values that are -1 or 0 and come from comparisons, or are combined from such values.
fn flags(function: &ssa::Function, graph: &Graph, widths: &Widths) -> Vec<bool> {
    use Opcode::*;
    let constants = function.constants();
    let mut flags: Vec<bool> = widths
        .ranges
        .iter()
        .map(|range| range.is_in(Range::BOOL))
        .collect();
    for block in &graph.order {
        for step in &function.block(*block).steps {
            let Action::Pure { op, number } = step.action else {
                continue;
            };
            let fits = match op {
                Eq | Ne | Lts | Les | Ltu | Leu | CmpF | CmpD | Mov | Select => true,
                And | Or | Xor => {
                    let mut args = step.args.iter().map(|arg| arg.index());
                    args.all(|arg| flags[arg] || constants[arg].is_some())
                }
                Sext => number == 1 || step.args.iter().all(|arg| flags[arg.index()]),
                _ => false,
            };
            let result = step.results[0].index();
            flags[result] &= fits;
        }
    }
    flags
}

/// Block and place of the step that gives each value.
fn steps(function: &ssa::Function) -> Vec<Option<(u32, u32)>> {
    let mut places = vec![None; function.values as usize];
    for (block, data) in function.blocks.iter().enumerate() {
        for (step, results) in data.steps.iter().map(|step| &step.results).enumerate() {
            for value in results {
                places[value.index()] = Some((block as u32, step as u32));
            }
        }
    }
    places
}

/// Number of uses of each value.
fn uses(function: &ssa::Function) -> Vec<u32> {
    let mut uses = vec![0; function.values as usize];
    for block in &function.blocks {
        let steps = block.steps.iter().flat_map(|step| &step.args);
        let passed = block.terminator.targets().iter();
        let passed = passed.flat_map(|target| &target.args);
        for value in steps.chain(block.terminator.operands()).chain(passed) {
            uses[value.index()] += 1;
        }
    }
    uses
}
