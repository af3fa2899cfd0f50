//! Products of matrices in blocks of 8 numbers that share an exponent: the only products of matrices of floats that the array of
//! AIE2P has. A factor is converted when it is loaded, so that all products that read it share the conversion. The array multiplies
//! rows by rows: the second factor is transposed on the way.

use aiec_core::RegisterFile;
use rustc_hash::FxHashSet;

use super::super::emit::Selector;
use super::super::rows::Row;
use super::arrays::ArrayProduct;
use super::floats::{BY_LANES, ONE};
use super::format::{Form, LaneFormat, Packed, Side};
use super::shuffles::Shuffle;
use super::{AccessPieces, VECTOR_BYTES};
use crate::machine::{AIE2P_ACCUMULATORS, MachineOperand as Operand, VirtualRegister};
use crate::mir::Vector;
use crate::ssa::{Action, Value, VectorAction};

/// Bytes of a block of bf16, of 8 by 8.
const BLOCK_BYTES: usize = 128;

impl Selector<'_> {
    /// Loads a factor on the way to blocks, the first one as f32; `false` if the address has too little alignment, or it is the second
    /// one outside of a loop.
    pub(super) fn load_blocks(&mut self, home: &Packed, address: Value, offset: i32) -> bool {
        let is_aligned = self.alignment.is_multiple(address, offset, VECTOR_BYTES);
        let Form::Blocks(side) = home.form else {
            return false;
        };
        if !is_aligned || side == Side::Right && !self.is_loop() {
            return false;
        }
        // A block of the first factor is one load of both halves; the second one takes as many bytes.
        for (register, offset) in home.registers.iter().zip((offset..).step_by(BLOCK_BYTES)) {
            let floats = match side {
                Side::Left => {
                    let floats = self.way_to_blocks();
                    let halves = [RegisterFile::Cml, RegisterFile::Cmh];
                    let halves = halves.map(|half| Operand::Part(floats, half));
                    self.load_halves(Row::LoadWidenedWhole, halves, address, offset);
                    floats
                }
                Side::Right => {
                    let halves = self.halves_on_the_way();
                    let operands = halves.map(Operand::Virtual);
                    self.load_halves(Row::LoadWhole, operands, address, offset);
                    self.widened_columns(halves)
                }
            };
            let operands = [*register, floats].map(Operand::Virtual);
            self.emit(Row::FloatsToBlocks, &operands);
        }
        true
    }

    fn load_halves(&mut self, row: Row, halves: [Operand; 2], address: Value, offset: i32) {
        let pieces = AccessPieces {
            row,
            bytes: VECTOR_BYTES,
            operands: halves.to_vec(),
            shift: None,
        };
        self.move_outside(&pieces, address, offset);
    }

    /// Whether the block of the form is a loop.
    fn is_loop(&self) -> bool {
        let targets = self.ssa.blocks[self.block.index()].terminator.targets();
        targets.iter().any(|target| target.block == self.block)
    }

    /// The registers that the halves of right factors of a loop are loaded to one after another: between a load and the transposition
    /// are few bundles, and blocks, columns and the ones that they are multiplied by take nearly all others.
    fn halves_on_the_way(&mut self) -> [VirtualRegister; 2] {
        if let Some(known) = self.loaded_on_the_way.get(&self.block) {
            return *known;
        }
        let halves = [RegisterFile::X; 2].map(|file| self.register(file));
        self.loaded_on_the_way.insert(self.block, halves);
        halves
    }

    /// bf16 of a matrix of 8 by 8 in blocks.
    pub(super) fn blocks_of_lanes(&mut self, lanes: &Packed, side: Side) -> Packed {
        let result = self.fresh(Form::Blocks(side), lanes.lanes);
        for (register, halves) in result.registers.iter().zip(lanes.registers.chunks(2)) {
            let [low, high] = *halves else { continue };
            let floats = match side {
                Side::Left => self.widened_halves([low, high]),
                Side::Right => self.widened_columns([low, high]),
            };
            let operands = [*register, floats].map(Operand::Virtual);
            self.emit(Row::FloatsToBlocks, &operands);
        }
        result
    }

    /// The next accumulator for f32 that become blocks: those that the sums of the block of the form leave take turns, so that schedules
    /// need no more of them than there are.
    fn way_to_blocks(&mut self) -> VirtualRegister {
        let block = self.block;
        if !self.ways_to_blocks.contains_key(&block) {
            let left = AIE2P_ACCUMULATORS.saturating_sub(self.block_sums()).max(1);
            let ways = (0..left).map(|_| self.out.register(RegisterFile::Dm));
            let ways = ways.collect();
            self.ways_to_blocks.insert(block, ways);
        }
        let ways = self.ways_to_blocks.entry(block).or_default();
        ways.rotate_left(1);
        match ways.back() {
            Some(next) => *next,
            None => self.out.register(RegisterFile::Dm),
        }
    }

    /// The sums of products in blocks that the block of the form has at a time: as many as follow no other product.
    fn block_sums(&self) -> usize {
        let mut results = FxHashSet::default();
        let steps = &self.ssa.blocks[self.block.index()].steps;
        let contractions = steps.iter().filter_map(|step| match &step.action {
            Action::Vector(VectorAction::Contract {
                product, to, sums, ..
            }) if product.in_blocks => Some((*to, *sums)),
            _ => None,
        });
        let mut count = 0;
        for (to, sums) in contractions {
            let follows = sums.is_some_and(|sums| results.contains(&sums));
            count += usize::from(!follows);
            results.insert(to);
        }
        count
    }

    fn widened_halves(&mut self, halves: [VirtualRegister; 2]) -> VirtualRegister {
        let floats = self.way_to_blocks();
        let parts = [RegisterFile::Cml, RegisterFile::Cmh];
        for (part, half) in parts.into_iter().zip(halves) {
            let operands = [Operand::Part(floats, part), Operand::Virtual(half)];
            self.emit(Row::FloatWidenWhole, &operands);
        }
        floats
    }

    /// The columns of a matrix of 8 by 8 one after another as f32: multiplied by 1, which takes the slot of products, as conversions
    /// would take the port by which accumulators are loaded.
    fn widened_columns(&mut self, halves: [VirtualRegister; 2]) -> VirtualRegister {
        let columns = self.register(RegisterFile::Y);
        let shuffles = [Shuffle::FirstColumns, Shuffle::LastColumns];
        for (half, shuffle) in (0..).zip(shuffles) {
            let mode = self.word(shuffle.mode(self.program.arch, LaneFormat::Bf16.bits()));
            let [low, high, mode] = [halves[0], halves[1], mode].map(Operand::Virtual);
            let half = Operand::Nth(columns, RegisterFile::X, half);
            self.emit(Row::VectorShuffle, &[half, low, high, mode]);
        }
        let ones = self.splat_pair(ONE);
        let word = self.word(BY_LANES);
        let floats = self.way_to_blocks();
        let operands = [floats, columns, ones, word].map(Operand::Virtual);
        self.emit(Row::FloatProductOfPairs, &operands);
        floats
    }

    /// A product of matrices in blocks, added to sums if there are any.
    pub(super) fn multiply_blocks(
        &mut self,
        array: ArrayProduct,
        to: Vector,
        [left, right]: [Vector; 2],
        sums: Option<Vector>,
    ) {
        let left = self.vector_in(left, Form::Blocks(Side::Left));
        let right = self.vector_in(right, Form::Blocks(Side::Right));
        let form = Form::Sums(array.sums);
        let sums = sums.map(|sums| self.vector_in(sums, form));
        let word = self.word(array.word);
        let target = self.target(to, form);
        let (result, left, right) = (target.registers[0], left.registers[0], right.registers[0]);
        match sums {
            Some(sums) => {
                let operands = [result, sums.registers[0], left, right, word];
                self.emit(array.add, &operands.map(Operand::Virtual));
            }
            None => {
                let operands = [result, left, right, word].map(Operand::Virtual);
                self.emit(Row::BlockProduct, &operands);
            }
        }
        self.set(to, &target);
    }
}
