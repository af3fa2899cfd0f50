//! Vectors in memory: each has a slot of the frame with its lanes one after another, in 4 bytes if their upper halves follow
//! from the lower ones, else in 8. What is done in each lane is done by scalar instructions.

use aiec_core::RegisterFile;
use aiec_vcode::{MemoryType, Opcode};

use super::calls::PASSED_LANE_BYTES;
use super::emit::Selector;
use super::memory::{load_rows, store_rows};
use super::number::{Number, NumberPlace, Wanted};
use super::rows::Row;
use crate::machine::{FrameSlot, MachineOperand as Operand, VirtualRegister};
use crate::mir::Vector;
use crate::ssa::width::{Range, Upper, pure};
use crate::ssa::{Step, Value, VectorAction};

/// Lanes of operations that are written out.
const MAX_UNROLLED_LANES: u32 = 2;

/// Bytes of a vector's alignment in the frame: a vector register.
const VECTOR_ALIGNMENT: u32 = 64;

/// Representation of a lane.
#[derive(Clone, Copy, Debug)]
struct LaneShape {
    range: Range,
    upper: Upper,
}

impl LaneShape {
    fn bytes(self) -> u32 {
        if self.upper == Upper::Own { 8 } else { 4 }
    }

    fn wanted(self) -> Wanted {
        Wanted {
            upper: self.upper,
            as_flag: false,
        }
    }
}

impl Selector<'_> {
    /// Gives each vector that is used a place in the frame.
    pub(super) fn place_vectors(&mut self) {
        for (vector, bytes) in self.vector_places() {
            let slot = self.out.slot(bytes, VECTOR_ALIGNMENT);
            for vector in vector {
                self.slots[vector.0 as usize] = Some(slot);
            }
        }
    }

    /// The vectors that share a place, as none of them is live where another one is written; and the bytes of the place.
    fn vector_places(&self) -> Vec<(Vec<Vector>, u32)> {
        let mut ranges = crate::ssa::vector_ranges(self.ssa);
        ranges.retain(|range| !self.is_packed(range.vector));
        ranges.sort_by_key(|range| (range.start, range.vector.0));
        let mut places: Vec<(Vec<Vector>, u32, usize)> = Vec::new();
        for range in ranges {
            let lanes = u32::from(self.ssa.vectors[range.vector.0 as usize].max(1));
            let bytes = lanes * self.lane_shape(range.vector).bytes();
            let free = places.iter_mut().filter(|(_, _, end)| *end < range.start);
            match free.min_by_key(|(_, size, _)| size.abs_diff(bytes)) {
                Some((vectors, size, end)) => {
                    vectors.push(range.vector);
                    *size = bytes.max(*size);
                    *end = range.end;
                }
                None => places.push((vec![range.vector], bytes, range.end)),
            }
        }
        let places = places.into_iter();
        places.map(|(vectors, bytes, _)| (vectors, bytes)).collect()
    }

    fn lane_shape(&self, vector: Vector) -> LaneShape {
        let range = self.widths.lanes[vector.0 as usize];
        LaneShape {
            range,
            upper: self.widths.lane_upper(vector),
        }
    }

    fn slot(&mut self, vector: Vector) -> FrameSlot {
        match self.slots[vector.0 as usize] {
            Some(slot) => slot,
            None => {
                // A vector that nothing reads.
                let lanes = u32::from(self.ssa.vectors[vector.0 as usize].max(1));
                let slot = self.out.slot(lanes * PASSED_LANE_BYTES, VECTOR_ALIGNMENT);
                self.slots[vector.0 as usize] = Some(slot);
                slot
            }
        }
    }

    /// A pointer to a lane.
    pub(super) fn lane_pointer(&mut self, vector: Vector, lane: u16) -> VirtualRegister {
        if let Some(pointer) = self.packed_lane(vector, lane) {
            return pointer;
        }
        let bytes = self.lane_shape(vector).bytes();
        let slot = self.slot(vector);
        self.frame_address(slot, (u32::from(lane) * bytes) as i32)
    }

    /// The object of a vector's lanes.
    fn object(&mut self, vector: Vector) -> Option<u32> {
        Some(self.slot(vector).0 + 1)
    }

    /// The lane at a pointer, which moves to the next one.
    pub(super) fn next_lane(&mut self, vector: Vector, pointer: VirtualRegister) -> Number {
        if let Some(kind) = self.packed_kind(vector) {
            return self.next_element(kind, pointer);
        }
        let shape = self.lane_shape(vector);
        let object = self.object(vector);
        let rows = load_rows(MemoryType::I32);
        let low = self.general();
        self.walk(rows, 4, low, pointer, object);
        let high = (shape.upper == Upper::Own).then(|| {
            let high = self.general();
            self.walk(rows, 4, high, pointer, object);
            high
        });
        Number {
            range: shape.range,
            upper: shape.upper,
            place: NumberPlace::Registers(super::number::Halves { low, high }),
        }
    }

    /// The element at a pointer as memory has it; the pointer moves to the next one.
    pub(super) fn next_element(&mut self, kind: MemoryType, pointer: VirtualRegister) -> Number {
        let wanted = Wanted {
            upper: Upper::of(Range::of_memory(kind)),
            as_flag: false,
        };
        self.walk_element(kind, pointer, wanted)
    }

    /// Sets the lane at a pointer, which moves to the next one.
    pub(super) fn set_next_lane(
        &mut self,
        vector: Vector,
        pointer: VirtualRegister,
        number: Number,
    ) {
        let shape = self.lane_shape(vector);
        let object = self.object(vector);
        let halves = self.halves(number, shape.wanted());
        let rows = store_rows(MemoryType::I32);
        self.walk(rows, 4, halves.low, pointer, object);
        if let Some(high) = halves.high {
            self.walk(rows, 4, high, pointer, object);
        }
    }

    // ---- steps ----

    pub(super) fn vector_step(&mut self, action: &VectorAction, step: &Step) {
        use VectorAction::*;
        if self.packed_step(action, step) {
            return;
        }
        match action {
            Load {
                to,
                kind,
                lanes,
                offset,
            } => self.load_lanes(*to, *kind, *lanes, step.args[0], *offset),
            Store {
                from,
                kind,
                lanes,
                offset,
            } => self.store_lanes(*from, *kind, *lanes, step.args[0], *offset),
            Map {
                op,
                to,
                operands,
                number,
                lanes,
            } => self.map_lanes(*op, *to, operands, *number, *lanes),
            Reduce {
                op,
                from,
                number,
                lanes,
            } => self.reduce_lanes(*op, *from, *number, *lanes, step),
            Splat { to, lanes } => {
                let shape = self.lane_shape(*to);
                let number = self.number(step.args[0]);
                let halves = self.halves(number, shape.wanted());
                let number = Number {
                    range: shape.range,
                    upper: shape.upper,
                    place: NumberPlace::Registers(halves),
                };
                let pointer = self.lane_pointer(*to, 0);
                self.repeat((*lanes).into(), MAX_UNROLLED_LANES, |selector, _| {
                    selector.set_next_lane(*to, pointer, number);
                });
            }
            Extract { from, lane } => {
                let pointer = self.lane_pointer(*from, *lane);
                let number = self.next_lane(*from, pointer);
                self.define_number(step.results[0], number);
            }
            ExtractAt { from, .. } => {
                let pointer = self.lane_pointer_at(*from, step.args[0]);
                let number = self.next_lane(*from, pointer);
                self.define_number(step.results[0], number);
            }
            Insert { to, lane } => {
                let number = self.number(step.args[0]);
                let pointer = self.lane_pointer(*to, *lane);
                self.set_next_lane(*to, pointer, number);
            }
            InsertAt { to, .. } => {
                let number = self.number(step.args[0]);
                let pointer = self.lane_pointer_at(*to, step.args[1]);
                self.set_next_lane(*to, pointer, number);
            }
            Copy {
                to,
                to_lane,
                from,
                from_lane,
                lanes,
            } => self.copy_lanes((*to, *to_lane), (*from, *from_lane), *lanes),
            Move(moves) => {
                let rest = self.move_packed(moves);
                self.move_vectors(&rest);
            }
            // Lanes are unchanged; contractions and windows are in registers.
            Define(_) | Contract { .. } | Window { .. } => {}
            CascadeGet { to, kind, lanes } => self.cascade_get(*to, *kind, *lanes),
            CascadePut { from, kind, lanes } => self.cascade_put(*from, *kind, *lanes),
        }
    }

    fn define_number(&mut self, value: Value, number: Number) {
        let wanted = self.wanted(value);
        let halves = self.halves(number, wanted);
        self.define(value, halves);
    }

    /// A pointer to the lane that a value names.
    fn lane_pointer_at(&mut self, vector: Vector, lane: Value) -> VirtualRegister {
        let bytes = self.lane_shape(vector).bytes();
        let number = self.number(lane);
        let lane = self.low(number);
        let offset = self.shift_left(lane, bytes.trailing_zeros());
        let slot = self.slot(vector);
        let base = self.slot_address(slot);
        let address = self.binary(Row::Add, base, offset);
        self.pointer_to(address)
    }

    /// The address of a slot of the frame in a general register.
    pub(super) fn slot_address(&mut self, slot: FrameSlot) -> VirtualRegister {
        let pointer = self.frame_address(slot, 0);
        let address = self.general();
        self.copy(Operand::Virtual(address), Operand::Virtual(pointer));
        address
    }

    fn load_lanes(
        &mut self,
        to: Vector,
        kind: MemoryType,
        lanes: u16,
        address: Value,
        offset: i32,
    ) {
        let source = self.walking_pointer(address, offset.into());
        let target = self.lane_pointer(to, 0);
        let shape = self.lane_shape(to);
        self.repeat(lanes.into(), MAX_UNROLLED_LANES, |selector, _| {
            let number = selector.walk_element(kind, source, shape.wanted());
            selector.set_next_lane(to, target, number);
        });
    }

    /// The element at a pointer, which moves to the next one.
    fn walk_element(
        &mut self,
        kind: MemoryType,
        pointer: VirtualRegister,
        wanted: Wanted,
    ) -> Number {
        let low = self.general();
        self.walk(load_rows(kind), kind.bytes().min(4), low, pointer, None);
        let high = (kind.bytes() == 8).then(|| {
            let high = self.general();
            self.walk(load_rows(kind), 4, high, pointer, None);
            high
        });
        self.number_from_memory(kind, low, high, wanted)
    }

    fn store_lanes(
        &mut self,
        from: Vector,
        kind: MemoryType,
        lanes: u16,
        address: Value,
        offset: i32,
    ) {
        let target = self.walking_pointer(address, offset.into());
        let source = self.lane_pointer(from, 0);
        self.repeat(lanes.into(), MAX_UNROLLED_LANES, |selector, _| {
            let number = selector.next_lane(from, source);
            selector.store_element(kind, target, number);
        });
    }

    /// Stores an element at a pointer, which moves to the next one.
    pub(super) fn store_element(
        &mut self,
        kind: MemoryType,
        pointer: VirtualRegister,
        number: Number,
    ) {
        let (low, high) = self.memory_form(kind, number);
        self.walk(store_rows(kind), kind.bytes().min(4), low, pointer, None);
        if let Some(high) = high {
            self.walk(store_rows(kind), 4, high, pointer, None);
        }
    }

    fn map_lanes(&mut self, op: Opcode, to: Vector, operands: &[Vector], number: u8, lanes: u16) {
        let sources: Vec<VirtualRegister> = operands
            .iter()
            .map(|vector| self.lane_pointer(*vector, 0))
            .collect();
        let target = self.lane_pointer(to, 0);
        let shape = self.lane_shape(to);
        self.repeat(lanes.into(), MAX_UNROLLED_LANES, |selector, _| {
            let mut args = Vec::new();
            for (vector, pointer) in operands.iter().zip(&sources) {
                args.push(selector.next_lane(*vector, *pointer));
            }
            let number = selector.pure_number(op, number, &args, shape);
            selector.set_next_lane(to, target, number);
        });
    }

    /// The result of an operation in a lane.
    fn pure_number(&mut self, op: Opcode, number: u8, args: &[Number], shape: LaneShape) -> Number {
        let ranges: Vec<Range> = args.iter().map(|arg| arg.range).collect();
        let range = pure(op, &ranges, number);
        // The vector may hold wider lanes besides these.
        let upper = match Upper::of(range) {
            Upper::Own => shape.upper,
            upper => upper,
        };
        let wanted = Wanted {
            upper,
            as_flag: false,
        };
        let halves = self.pure(op, number, args, wanted);
        Number {
            range,
            upper,
            place: NumberPlace::Registers(halves),
        }
    }

    fn reduce_lanes(&mut self, op: Opcode, from: Vector, number: u8, lanes: u16, step: &Step) {
        let result = step.results[0];
        let wanted = Wanted {
            as_flag: false,
            ..self.wanted(result)
        };
        let range = self.widths.ranges[result.index()];
        let start = self.number(step.args[0]);
        let start = self.halves(start, wanted);
        // The sum so far is in registers of its own, which each lane writes.
        let low = self.general();
        self.copy(Operand::Virtual(low), Operand::Virtual(start.low));
        let high = start.high.map(|start| {
            let high = self.general();
            self.copy(Operand::Virtual(high), Operand::Virtual(start));
            high
        });
        let sum = Number {
            range,
            upper: wanted.upper,
            place: NumberPlace::Registers(super::number::Halves { low, high }),
        };
        let pointer = self.lane_pointer(from, 0);
        self.repeat(lanes.into(), MAX_UNROLLED_LANES, |selector, _| {
            let lane = selector.next_lane(from, pointer);
            let next = selector.pure(op, number, &[sum, lane], wanted);
            selector.copy(Operand::Virtual(low), Operand::Virtual(next.low));
            if let (Some(high), Some(next)) = (high, next.high) {
                selector.copy(Operand::Virtual(high), Operand::Virtual(next));
            }
        });
        self.define_number(result, sum);
    }

    fn copy_lanes(&mut self, to: (Vector, u16), from: (Vector, u16), lanes: u16) {
        let source = self.lane_pointer(from.0, from.1);
        let target = self.lane_pointer(to.0, to.1);
        self.repeat(lanes.into(), MAX_UNROLLED_LANES, |selector, _| {
            let number = selector.next_lane(from.0, source);
            selector.set_next_lane(to.0, target, number);
        });
    }

    /// Whole vectors at once: those that are both read and written go by way of copies.
    fn move_vectors(&mut self, moves: &[(Vector, Vector)]) {
        let mut sources = Vec::new();
        for (at, (_, from)) in moves.iter().enumerate() {
            let slot = self.slot(*from);
            let overwritten = moves[..at]
                .iter()
                .any(|(to, _)| self.slots[to.0 as usize] == Some(slot));
            let lanes = self.ssa.vectors[from.0 as usize];
            if !overwritten {
                sources.push(None);
                continue;
            }
            let bytes = self.lane_shape(*from).bytes();
            let kept = self.out.slot(u32::from(lanes) * bytes, VECTOR_ALIGNMENT);
            let (source, target) = (self.lane_pointer(*from, 0), self.frame_address(kept, 0));
            let rows = (load_rows(MemoryType::I32), store_rows(MemoryType::I32));
            let words = u32::from(lanes) * bytes / 4;
            self.repeat(words, MAX_UNROLLED_LANES, |selector, _| {
                let word = selector.general();
                selector.walk(rows.0, 4, word, source, None);
                selector.walk(rows.1, 4, word, target, None);
            });
            sources.push(Some(kept));
        }
        for ((to, from), kept) in moves.iter().zip(sources) {
            let lanes = self.ssa.vectors[from.0 as usize].min(self.ssa.vectors[to.0 as usize]);
            let source = match kept {
                Some(slot) => self.frame_address(slot, 0),
                None => self.lane_pointer(*from, 0),
            };
            let target = self.lane_pointer(*to, 0);
            self.repeat(lanes.into(), MAX_UNROLLED_LANES, |selector, _| {
                let number = selector.next_lane(*from, source);
                selector.set_next_lane(*to, target, number);
            });
        }
    }

    // ---- vectors of calls ----

    /// Takes a vector that was passed at an address.
    pub(super) fn take_passed(&mut self, to: Vector, address: VirtualRegister, lanes: u16) {
        let source = self.pointer_to(address);
        let target = self.lane_pointer(to, 0);
        let shape = self.lane_shape(to);
        self.repeat(lanes.into(), MAX_UNROLLED_LANES, |selector, _| {
            let number = selector.walk_element(MemoryType::I64, source, shape.wanted());
            selector.set_next_lane(to, target, number);
        });
    }

    /// Writes a vector to where it is to be passed.
    pub(super) fn give_passed(&mut self, from: Vector, address: VirtualRegister) {
        let target = self.pointer_to(address);
        let source = self.lane_pointer(from, 0);
        let lanes = self.ssa.vectors[from.0 as usize];
        self.repeat(lanes.into(), MAX_UNROLLED_LANES, |selector, _| {
            let number = selector.next_lane(from, source);
            selector.store_element(MemoryType::I64, target, number);
        });
    }

    /// The address of a copy of a vector's lanes as they are passed.
    pub(super) fn passed_lanes(&mut self, vector: Vector) -> VirtualRegister {
        if self.lane_shape(vector).bytes() == PASSED_LANE_BYTES {
            let slot = self.slot(vector);
            return self.slot_address(slot);
        }
        let lanes = u32::from(self.ssa.vectors[vector.0 as usize]);
        let slot = self.out.slot(lanes * PASSED_LANE_BYTES, PASSED_LANE_BYTES);
        let address = self.slot_address(slot);
        self.give_passed(vector, address);
        address
    }

    // ---- the cascade ----

    fn cascade_get(&mut self, to: Vector, kind: MemoryType, lanes: u16) {
        let slot = self.cascade_slot();
        let vector = self.register(RegisterFile::X);
        self.emit(Row::CascadeGet, &[Operand::Virtual(vector)]);
        self.cascade_halves(Row::StoreHalf, vector, slot);
        let source = self.frame_address(slot, 0);
        let target = self.lane_pointer(to, 0);
        let shape = self.lane_shape(to);
        self.repeat(lanes.into(), MAX_UNROLLED_LANES, |selector, _| {
            let number = selector.walk_element(kind, source, shape.wanted());
            selector.set_next_lane(to, target, number);
        });
    }

    fn cascade_put(&mut self, from: Vector, kind: MemoryType, lanes: u16) {
        let slot = self.cascade_slot();
        let target = self.frame_address(slot, 0);
        let source = self.lane_pointer(from, 0);
        self.repeat(lanes.into(), MAX_UNROLLED_LANES, |selector, _| {
            let number = selector.next_lane(from, source);
            selector.store_element(kind, target, number);
        });
        let vector = self.register(RegisterFile::X);
        self.cascade_halves(Row::LoadHalf, vector, slot);
        self.emit(Row::CascadePut, &[Operand::Virtual(vector)]);
    }

    /// Memory for the contents of a vector register.
    fn cascade_slot(&mut self) -> FrameSlot {
        self.out.slot(RegisterFile::X.bits() / 8, VECTOR_ALIGNMENT)
    }

    /// Loads or stores both halves of a vector register.
    fn cascade_halves(&mut self, row: Row, vector: VirtualRegister, slot: FrameSlot) {
        let pointer = self.frame_address(slot, 0);
        for (half, at) in [(RegisterFile::Wl, 0), (RegisterFile::Wh, half_bytes())] {
            let operands = [
                Operand::Part(vector, half),
                Operand::Virtual(pointer),
                Operand::Immediate(at as i32),
            ];
            let access = crate::machine::MachineAccess {
                object: None,
                walk: None,
                offset: None,
                bytes: half_bytes(),
            };
            self.emit_access(row, &operands, access);
        }
    }
}

fn half_bytes() -> u32 {
    RegisterFile::Wl.bits() / 8
}
