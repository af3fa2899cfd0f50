//! Loads, stores and copies.

use aiec_core::RegisterFile;
use aiec_vcode::{FloatFormat, MemoryType, Opcode};

use super::emit::Selector;
use super::number::{Halves, Number, NumberPlace, Wanted};
use super::rows::Row;
use crate::machine::{
    AccessWalk, FIRST_OUTSIDE, FrameSlot, MachineAccess, MachineOperand as Operand, OUTSIDE,
    VirtualRegister,
};
use crate::ssa::width::{ADDRESS_BITS, Range, Upper};
use crate::ssa::{Action, AddressSet, Function, MemoryObjects, Step, Value, Walks};

/// Units that are copied one after another without a loop.
const MAX_UNROLLED_UNITS: u32 = 4;

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Address {
    /// A pointer and an offset in bytes.
    Offset(VirtualRegister, i64),
    /// A pointer and a register of offsets, for accesses of up to 4 bytes.
    Indexed(VirtualRegister, VirtualRegister),
}

/// An access: its address and the facts about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accessed {
    pub address: Address,
    pub place: AccessPlace,
}

/// The bytes that are accessed, as far as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AccessPlace {
    pub object: Option<u32>,
    /// The byte in the object.
    pub offset: Option<i64>,
    pub walk: Option<AccessWalk>,
}

impl AccessPlace {
    /// Bytes of a frame slot.
    pub(super) fn frame(slot: FrameSlot) -> AccessPlace {
        AccessPlace {
            object: Some(slot.0 + 1),
            ..AccessPlace::default()
        }
    }

    /// An access of a part of it, some bytes from its begin.
    pub(super) fn part(self, further: i64, bytes: u32) -> MachineAccess {
        MachineAccess {
            object: self.object,
            offset: self.offset.map(|offset| offset + further),
            walk: self.walk.map(|walk| AccessWalk {
                offset: walk.offset + further,
                ..walk
            }),
            bytes,
        }
    }
}

/// Facts about the memory that a function accesses.
pub(super) struct MemoryKnowledge {
    sets: Vec<AddressSet>,
    objects: MemoryObjects,
    walks: Walks,
    /// Zero bits at the end of each argument.
    argument_zeros: Vec<u32>,
}

impl MemoryKnowledge {
    pub(super) fn new(
        function: &Function,
        sets: Vec<AddressSet>,
        walks: Walks,
        argument_zeros: Vec<u32>,
    ) -> MemoryKnowledge {
        MemoryKnowledge {
            argument_zeros,
            objects: MemoryObjects::of(function, &sets),
            sets,
            walks,
        }
    }

    /// Zero bits at the end of each argument of the function.
    pub(super) fn argument_zeros(&self) -> &[u32] {
        &self.argument_zeros
    }

    /// Whether a value is a pointer that walks.
    pub(super) fn walks(&self, value: Value) -> bool {
        self.walks.contains_key(&value)
    }

    /// The place of an access of some bytes at an address plus an offset.
    pub(super) fn place(&self, address: Value, offset: i64, bytes: u32) -> AccessPlace {
        let set = self.sets.get(address.index());
        let object = set.and_then(|set| self.objects.object(set, offset, bytes));
        let constant = set.and_then(AddressSet::as_constant);
        AccessPlace {
            object: Some(object.map_or(OUTSIDE, |object| FIRST_OUTSIDE + object)),
            offset: constant.map(|address| address.wrapping_add(offset)),
            walk: self.walks.get(&address).map(|walk| AccessWalk {
                offset: walk.offset.wrapping_add(offset),
                ..*walk
            }),
        }
    }
}

/// The rows of accesses of a size: with an offset, with an index, and moving the pointer.
#[derive(Clone, Copy)]
pub(super) struct AccessRows {
    pub offset: Row,
    pub indexed: Row,
    pub post: Row,
}

const WORD_LOADS: AccessRows = AccessRows {
    offset: Row::Load32,
    indexed: Row::Load32Indexed,
    post: Row::Load32Post,
};

const WORD_STORES: AccessRows = AccessRows {
    offset: Row::Store32,
    indexed: Row::Store32Indexed,
    post: Row::Store32Post,
};

/// The rows that load a type's lower 4 bytes.
pub(super) fn load_rows(kind: MemoryType) -> AccessRows {
    match kind {
        MemoryType::I1 => AccessRows {
            offset: Row::LoadUnsigned8,
            indexed: Row::LoadUnsigned8Indexed,
            post: Row::LoadUnsigned8Post,
        },
        MemoryType::I8 => AccessRows {
            offset: Row::LoadSigned8,
            indexed: Row::LoadSigned8Indexed,
            post: Row::LoadSigned8Post,
        },
        MemoryType::I16 => AccessRows {
            offset: Row::LoadSigned16,
            indexed: Row::LoadSigned16Indexed,
            post: Row::LoadSigned16Post,
        },
        MemoryType::Bf16 | MemoryType::F16 => AccessRows {
            offset: Row::LoadUnsigned16,
            indexed: Row::LoadUnsigned16Indexed,
            post: Row::LoadUnsigned16Post,
        },
        MemoryType::I32 | MemoryType::F32 | MemoryType::I64 | MemoryType::F64 => WORD_LOADS,
    }
}

/// The rows that store a type's lower 4 bytes.
pub(super) fn store_rows(kind: MemoryType) -> AccessRows {
    match kind.bytes() {
        1 => AccessRows {
            offset: Row::Store8,
            indexed: Row::Store8Indexed,
            post: Row::Store8Post,
        },
        2 => AccessRows {
            offset: Row::Store16,
            indexed: Row::Store16Indexed,
            post: Row::Store16Post,
        },
        _ => WORD_STORES,
    }
}

/// A number as it is loaded.
pub(super) fn loaded(
    kind: MemoryType,
    low: VirtualRegister,
    high: Option<VirtualRegister>,
) -> Number {
    let range = Range::of_memory(kind);
    Number {
        range,
        upper: Upper::of(range),
        place: if kind == MemoryType::I1 {
            NumberPlace::Flag(low)
        } else {
            NumberPlace::Registers(Halves { low, high })
        },
    }
}

impl Selector<'_> {
    // ---- addresses ----

    /// The step that gives a value.
    pub(super) fn definition(&self, value: Value) -> Option<&Step> {
        let (block, step) = self.steps[value.index()]?;
        self.ssa.blocks[block as usize].steps.get(step as usize)
    }

    /// The parts of an address that is the sum of a value and a constant.
    fn address_parts(&self, address: Value) -> Option<(Value, i64)> {
        let step = self.definition(address)?;
        let Action::Pure {
            op: Opcode::Add64, ..
        } = step.action
        else {
            return None;
        };
        let [base, constant] = step.args[..] else {
            return None;
        };
        // A pointer that walks is moved in its register: its sums are what it is after the moves.
        if self.memory.walks(base) {
            return None;
        }
        Some((base, self.constant_of(constant)? as i64))
    }

    /// Whether an access at an address names the parts of it, so that the sum isn't needed.
    pub(super) fn folds_address(&self, kind: MemoryType, address: Value, offset: i64) -> bool {
        let Some((_, constant)) = self.address_parts(address) else {
            return false;
        };
        let offset = constant.wrapping_add(offset);
        kind.bytes() <= 4 && (self.fits_offset(kind, offset) || is_address(offset))
    }

    fn fits_offset(&self, kind: MemoryType, offset: i64) -> bool {
        let (load, store) = (load_rows(kind).offset, store_rows(kind).offset);
        let last = offset + i64::from(kind.bytes().saturating_sub(4).min(4));
        [offset, last]
            .into_iter()
            .all(|offset| self.rows.fits(load, 2, offset) && self.rows.fits(store, 2, offset))
    }

    /// Where an access goes.
    pub(super) fn accessed(&mut self, kind: MemoryType, address: Value, offset: i64) -> Accessed {
        let place = self.memory.place(address, offset, kind.bytes());
        let at = |address| Accessed { address, place };
        if let Some(bits) = self.constant_of(address) {
            let place = (bits as i64).wrapping_add(offset);
            let pointer = self.constant_in(RegisterFile::P, place as u32);
            return at(Address::Offset(pointer, 0));
        }
        if self.folds_address(kind, address, offset)
            && let Some((base, constant)) = self.address_parts(address)
        {
            let offset = constant.wrapping_add(offset);
            if self.fits_offset(kind, offset) {
                let pointer = self.pointer(base);
                return at(Address::Offset(pointer, offset));
            }
            let pointer = self.constant_in(RegisterFile::P, offset as u32);
            let index = self.index(base);
            return at(Address::Indexed(pointer, index));
        }
        if self.fits_offset(kind, offset) {
            let pointer = self.pointer(address);
            return at(Address::Offset(pointer, offset));
        }
        let number = self.number(address);
        let (low, more) = (self.low(number), self.word(offset as u32));
        let sum = self.binary(Row::Add, low, more);
        let pointer = self.pointer_to(sum);
        at(Address::Offset(pointer, 0))
    }

    /// A pointer to the address that is in a general register.
    pub(super) fn pointer_to(&mut self, address: VirtualRegister) -> VirtualRegister {
        let pointer = self.register(RegisterFile::P);
        self.copy(Operand::Virtual(pointer), Operand::Virtual(address));
        pointer
    }

    /// The pointer of an address. It is not to be moved.
    pub(super) fn pointer(&mut self, address: Value) -> VirtualRegister {
        if let Some(known) = self.pointers.get(&(address, RegisterFile::P)) {
            return *known;
        }
        let number = self.number(address);
        if let NumberPlace::Registers(halves) = number.place
            && self.is_pointer(halves.low)
        {
            return halves.low;
        }
        let pointer = match number.as_constant() {
            Some(bits) => self.constant_in(RegisterFile::P, bits as u32),
            None => {
                let low = self.low(number);
                self.pointer_to(low)
            }
        };
        self.pointers.insert((address, RegisterFile::P), pointer);
        pointer
    }

    /// Whether a register is one of pointers.
    pub(super) fn is_pointer(&self, register: VirtualRegister) -> bool {
        self.out.registers[register.0 as usize] == RegisterFile::P
    }

    /// Moves a pointer that walks, if a step is its sum at the end of an iteration.
    pub(super) fn move_pointer(&mut self, step: &Step) -> bool {
        let (Some(&pointer), [result]) = (step.args.first(), &step.results[..]) else {
            return false;
        };
        let by = step.args.get(1).and_then(|by| self.constant_of(*by));
        let (Some(by), true) = (by, self.memory.walks(pointer)) else {
            return false;
        };
        let number = self.number(pointer);
        let NumberPlace::Registers(halves) = number.place else {
            return false;
        };
        let register = Operand::Virtual(halves.low);
        if self.rows.fits(Row::MovePointer, 1, by as i64) {
            let by = Operand::Immediate(by as i32);
            self.emit(Row::MovePointer, &[register, by]);
        } else {
            let by = Operand::Virtual(self.constant_in(RegisterFile::M, by as u32));
            self.emit(Row::MovePointerBy, &[register, by]);
        }
        self.define(*result, halves);
        true
    }

    /// An address plus an offset as a pointer that can be moved.
    pub(super) fn walking_pointer(&mut self, address: Value, offset: i64) -> VirtualRegister {
        let number = self.number(address);
        if let Some(bits) = number.as_constant() {
            let pointer = self.register(RegisterFile::P);
            let place = (bits as i64).wrapping_add(offset) as u32;
            self.load_constant(Operand::Virtual(pointer), place);
            return pointer;
        }
        let low = self.low(number);
        let low = if offset == 0 {
            low
        } else {
            let more = self.word(offset as u32);
            self.binary(Row::Add, low, more)
        };
        self.pointer_to(low)
    }

    /// An offset in a register for indexed accesses.
    fn index(&mut self, offset: Value) -> VirtualRegister {
        if let Some(known) = self.pointers.get(&(offset, RegisterFile::Dj)) {
            return *known;
        }
        let number = self.number(offset);
        let low = self.low(number);
        let index = self.register(RegisterFile::Dj);
        self.copy(Operand::Virtual(index), Operand::Virtual(low));
        self.pointers.insert((offset, RegisterFile::Dj), index);
        index
    }

    // ---- accesses ----

    /// Emits an access of a register.
    pub(super) fn access(
        &mut self,
        rows: AccessRows,
        bytes: u32,
        register: VirtualRegister,
        at: Accessed,
        further: i64,
    ) {
        let access = at.place.part(further, bytes);
        let register = Operand::Virtual(register);
        match at.address {
            Address::Offset(pointer, offset) => {
                let offset = Operand::Immediate((offset + further) as i32);
                let operands = [register, Operand::Virtual(pointer), offset];
                self.emit_access(rows.offset, &operands, access);
            }
            Address::Indexed(pointer, index) => {
                let operands = [register, Operand::Virtual(pointer), Operand::Virtual(index)];
                self.emit_access(rows.indexed, &operands, access);
            }
        }
    }

    pub(super) fn load(&mut self, kind: MemoryType, address: Value, offset: i32, result: Value) {
        let at = self.accessed(kind, address, offset.into());
        let wanted = self.wanted(result);
        let number = self.load_number(kind, at, wanted);
        let halves = self.halves(number, wanted);
        self.define(result, halves);
    }

    /// Loads a number.
    pub(super) fn load_number(&mut self, kind: MemoryType, at: Accessed, wanted: Wanted) -> Number {
        let low = self.general();
        self.access(load_rows(kind), kind.bytes().min(4), low, at, 0);
        let high = (kind.bytes() == 8 && wanted.is_wide()).then(|| {
            let high = self.general();
            self.access(WORD_LOADS, 4, high, at, 4);
            high
        });
        self.number_from_memory(kind, low, high, wanted)
    }

    /// The number in registers for bytes that were loaded from memory.
    pub(super) fn number_from_memory(
        &mut self,
        kind: MemoryType,
        low: VirtualRegister,
        high: Option<VirtualRegister>,
        wanted: Wanted,
    ) -> Number {
        let low = match kind {
            MemoryType::Bf16 => self.shift_left(low, 16),
            MemoryType::F16 => {
                let bits = loaded(MemoryType::I32, low, None);
                let format = FloatFormat::F16.code();
                self.pure(Opcode::FromBits, format, &[bits], wanted).low
            }
            _ => low,
        };
        let number = loaded(kind, low, high);
        match (number.upper, high) {
            // Nothing asks for the upper half.
            (Upper::Own, None) => Number {
                upper: Upper::Any,
                ..number
            },
            _ => number,
        }
    }

    pub(super) fn store(&mut self, kind: MemoryType, value: Value, address: Value, offset: i32) {
        let number = self.number(value);
        let (low, high) = self.memory_form(kind, number);
        let at = self.accessed(kind, address, offset.into());
        self.access(store_rows(kind), kind.bytes().min(4), low, at, 0);
        if let Some(high) = high {
            self.access(WORD_STORES, 4, high, at, 4);
        }
    }

    /// The bytes of a number as memory holds them, in one or two registers.
    pub(super) fn memory_form(
        &mut self,
        kind: MemoryType,
        number: Number,
    ) -> (VirtualRegister, Option<VirtualRegister>) {
        match kind {
            MemoryType::I1 => (self.flag(number), None),
            // Values of the format have zeros below.
            MemoryType::Bf16 => {
                let low = self.low(number);
                (self.shift_right(low, 16, false), None)
            }
            MemoryType::F16 => {
                let wanted = Wanted {
                    upper: Upper::Sign,
                    as_flag: false,
                };
                let format = FloatFormat::F16.code();
                (
                    self.pure(Opcode::ToBits, format, &[number], wanted).low,
                    None,
                )
            }
            MemoryType::I64 | MemoryType::F64 => {
                let low = self.low(number);
                (low, Some(self.high(number)))
            }
            _ => (self.low(number), None),
        }
    }

    // ---- copies ----

    /// Copies bytes from one address to another.
    pub(super) fn copy_bytes(&mut self, to: Value, from: Value, bytes: u32) {
        let alignment = self.alignment(to).min(self.alignment(from));
        let unit = [4u32, 2, 1]
            .into_iter()
            .find(|unit| alignment >= unit.trailing_zeros() && bytes.is_multiple_of(*unit))
            .unwrap_or(1);
        let kind = match unit {
            4 => MemoryType::I32,
            2 => MemoryType::I16,
            _ => MemoryType::I8,
        };
        let source = self.memory.place(from, 0, bytes).object;
        let target = self.memory.place(to, 0, bytes).object;
        let (from, to) = (self.walking_pointer(from, 0), self.walking_pointer(to, 0));
        let (loads, stores) = (load_rows(kind), store_rows(kind));
        self.repeat(bytes / unit, MAX_UNROLLED_UNITS, |selector, _| {
            let word = selector.general();
            selector.walk(loads, unit, word, from, source);
            selector.walk(stores, unit, word, to, target);
        });
    }

    /// An access that moves its pointer to the next unit.
    pub(super) fn walk(
        &mut self,
        rows: AccessRows,
        unit: u32,
        register: VirtualRegister,
        pointer: VirtualRegister,
        object: Option<u32>,
    ) {
        let operands = [
            Operand::Virtual(register),
            Operand::Virtual(pointer),
            Operand::Immediate(unit as i32),
        ];
        let access = MachineAccess {
            object,
            offset: None,
            walk: None,
            bytes: unit,
        };
        self.emit_access(rows.post, &operands, access);
    }

    /// Does something a number of times: written out for a few, else in a loop. Registers that live on from one time
    /// to the next are written in place.
    pub(super) fn repeat(
        &mut self,
        times: u32,
        unrolled: u32,
        mut body: impl FnMut(&mut Self, u32),
    ) {
        if times <= unrolled {
            for time in 0..times {
                body(self, time);
            }
            return;
        }
        let count = self.general();
        self.load_constant(Operand::Virtual(count), times);
        let (head, after) = (self.new_block(), self.new_block());
        self.successors(&[head]);
        self.begin(head);
        body(self, 0);
        self.counted_branch(count, head);
        self.successors(&[head, after]);
        self.begin(after);
    }

    /// Number of lower bits of a value that are known to be 0.
    fn alignment(&self, value: Value) -> u32 {
        const DEPTH: u32 = 6;
        self.low_zeros(value, DEPTH)
    }

    fn low_zeros(&self, value: Value, depth: u32) -> u32 {
        if let Some(bits) = self.constant_of(value) {
            return bits.trailing_zeros();
        }
        let step = match self.definition(value) {
            Some(step) if depth > 0 => step,
            _ => return 0,
        };
        let Action::Pure { op, .. } = step.action else {
            return 0;
        };
        let arg = |at: usize| {
            let arg = step.args.get(at);
            arg.map_or(0, |arg| self.low_zeros(*arg, depth - 1))
        };
        match op {
            Opcode::Add64 | Opcode::Sub64 | Opcode::Or => arg(0).min(arg(1)),
            Opcode::Mul64 => (arg(0) + arg(1)).min(ADDRESS_BITS.into()),
            Opcode::Shl64 => {
                let amount = step.args.get(1).and_then(|arg| self.constant_of(*arg));
                arg(0) + amount.unwrap_or(0).min(ADDRESS_BITS.into()) as u32
            }
            _ => 0,
        }
    }
}

/// Whether a number is an address.
fn is_address(number: i64) -> bool {
    (0..1 << ADDRESS_BITS).contains(&number)
}
