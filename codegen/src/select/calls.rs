//! Arguments, results and calls; the rules are in [`super`].

use aiec_core::{Register, RegisterFile};
use aiec_vcode::Opcode;
use smallvec::SmallVec;

use super::emit::Selector;
use super::number::{Halves, Number, NumberPlace, Wanted};
use super::rows::Row;
use crate::machine::{FunctionId, MachineAccess, MachineOperand as Operand, VirtualRegister};
use crate::mir::Vector;
use crate::ssa::width::{Range, Upper, scalar_types};
use crate::ssa::{Callee, FunctionType, PassedType, ScalarType, Step};

/// Words of arguments or of results that are in registers, from r0 on.
pub(crate) const MAX_REGISTER_WORDS: usize = 8;

/// Bytes of a word.
pub(super) const WORD_BYTES: u32 = 4;

/// Bytes of a lane of a vector that is passed.
pub(super) const PASSED_LANE_BYTES: u32 = 8;

/// Words of a scalar.
fn words(ty: ScalarType) -> usize {
    match ty {
        ScalarType::Int(33..) | ScalarType::Double => 2,
        _ => 1,
    }
}

fn scalar_words(types: &[PassedType]) -> usize {
    scalar_types(types).map(words).sum()
}

fn vector_lanes(types: &[PassedType]) -> impl Iterator<Item = u16> {
    types.iter().filter_map(|ty| match ty {
        PassedType::Vector(lanes) => Some(*lanes),
        PassedType::Scalar(_) => None,
    })
}

fn general(number: usize) -> Register {
    Register::new(RegisterFile::R, number as u8)
}

/// Number of words that are in registers; the last of these is the address of the rest if there is
/// one.
fn register_words(count: usize) -> usize {
    if count > MAX_REGISTER_WORDS {
        MAX_REGISTER_WORDS - 1
    } else {
        count
    }
}

impl Selector<'_> {
    // ---- the function itself ----

    /// Takes the arguments.
    pub(super) fn parameters(&mut self) {
        let ty = self.ssa.ty.clone();
        let mut vectors = vector_lanes(&ty.arguments).count() + vector_lanes(&ty.results).count();
        if scalar_words(&ty.results) > MAX_REGISTER_WORDS {
            vectors += 1;
        }
        let count = scalar_words(&ty.arguments) + vectors;
        let in_registers = register_words(count);
        let mut taken: Vec<VirtualRegister> = Vec::new();
        let registers = count.min(MAX_REGISTER_WORDS);
        for number in 0..registers {
            let to = self.general();
            self.copy(Operand::Virtual(to), Operand::Physical(general(number)));
            self.out.arguments.push(general(number));
            taken.push(to);
        }
        if count > registers {
            let rest = taken.split_off(in_registers);
            let pointer = self.pointer_to(rest[0]);
            for _ in in_registers..count {
                taken.push(self.load_word(pointer, 0));
            }
        }
        let mut taken = taken.into_iter();
        let arguments = self.ssa.arguments.clone();
        for (value, ty) in arguments.into_iter().zip(scalar_types(&ty.arguments)) {
            let number = taken_number(&mut taken, ty);
            if let Some(number) = number {
                let wanted = self.wanted(value);
                let halves = self.halves(number, wanted);
                self.define(value, halves);
            }
        }
        let lanes: Vec<u16> = vector_lanes(&ty.arguments).collect();
        let arguments = self.ssa.vector_arguments.clone();
        for (at, lanes) in lanes.into_iter().enumerate() {
            let Some(address) = taken.next() else { return };
            if let Some(vector) = arguments.get(at) {
                self.take_passed(*vector, address, lanes);
            }
        }
        self.result_addresses = taken.collect();
    }

    /// Passes the results.
    pub(super) fn pass_results(&mut self, scalars: &[crate::ssa::Value], vectors: &[Vector]) {
        let ty = self.ssa.ty.clone();
        let addresses = self.result_addresses.clone();
        for (vector, address) in vectors.iter().zip(&addresses) {
            self.give_passed(*vector, *address);
        }
        let mut words = Vec::new();
        for (value, ty) in scalars.iter().zip(scalar_types(&ty.results)) {
            let number = self.number(*value);
            words.extend(self.words_of(number, ty));
        }
        let in_registers = words.len().min(MAX_REGISTER_WORDS);
        if let (Some(address), true) = (addresses.get(vectors.len()), words.len() > in_registers) {
            let pointer = self.pointer_to(*address);
            for word in words.split_off(in_registers) {
                self.store_word(pointer, word, 0);
            }
        }
        let mut registers: SmallVec<[Register; 4]> = SmallVec::new();
        for (number, word) in words.into_iter().enumerate() {
            self.copy(Operand::Physical(general(number)), Operand::Virtual(word));
            registers.push(general(number));
        }
        self.emit(Row::Return, &[]).reads = registers;
    }

    // ---- calls ----

    pub(super) fn call_step(
        &mut self,
        callee: Callee,
        step: &Step,
        arguments: &[Vector],
        results: &[Vector],
    ) {
        let Callee::Function(number) = callee else {
            self.lacks("the function is not part of the program".to_string());
            return self.define_nothing(step);
        };
        let Some(ty) = self.program.types.get(number as usize).cloned() else {
            return self.define_nothing(step);
        };
        let mut words = Vec::new();
        for (value, ty) in step.args.iter().zip(scalar_types(&ty.arguments)) {
            let passed = self.number(*value);
            words.extend(self.words_of(passed, ty));
        }
        for vector in arguments {
            words.push(self.passed_lanes(*vector));
        }
        // The lanes of results, which are taken when the function has returned.
        let mut places = Vec::new();
        for lanes in vector_lanes(&ty.results) {
            let slot = self
                .out
                .slot(u32::from(lanes) * PASSED_LANE_BYTES, PASSED_LANE_BYTES);
            places.push(slot);
            words.push(self.slot_address(slot));
        }
        let returned = self.call(number, &ty, words);
        let mut returned = returned.into_iter();
        for (value, ty) in step.results.iter().zip(scalar_types(&ty.results)) {
            if let Some(number) = taken_number(&mut returned, ty) {
                let wanted = self.wanted(*value);
                let halves = self.halves(number, wanted);
                self.define(*value, halves);
            }
        }
        for ((vector, slot), lanes) in results.iter().zip(places).zip(vector_lanes(&ty.results)) {
            let address = self.slot_address(slot);
            self.take_passed(*vector, address, lanes);
        }
    }

    /// Gives the results of a step that can't be selected some registers.
    fn define_nothing(&mut self, step: &Step) {
        for value in &step.results {
            let number = self.fresh_number(*value);
            self.numbers[value.index()] = Some(number);
        }
    }

    /// Calls a function with words; the words that it returns.
    fn call(
        &mut self,
        function: u32,
        ty: &FunctionType,
        mut words: Vec<VirtualRegister>,
    ) -> Vec<VirtualRegister> {
        let returned = scalar_words(&ty.results);
        let overflow = (returned > MAX_REGISTER_WORDS).then(|| {
            let rest = (returned - MAX_REGISTER_WORDS) as u32;
            self.out.slot(rest * WORD_BYTES, WORD_BYTES)
        });
        if let Some(slot) = overflow {
            words.push(self.slot_address(slot));
        }
        let in_registers = register_words(words.len());
        if words.len() > in_registers {
            let rest = words.split_off(in_registers);
            let slot = self.out.slot(rest.len() as u32 * WORD_BYTES, WORD_BYTES);
            let pointer = self.frame_address(slot, 0);
            for word in rest {
                self.store_word(pointer, word, 0);
            }
            words.push(self.slot_address(slot));
        }
        let mut reads: SmallVec<[Register; 4]> = SmallVec::new();
        for (number, word) in words.into_iter().enumerate() {
            self.copy(Operand::Physical(general(number)), Operand::Virtual(word));
            reads.push(general(number));
        }
        let results = returned.min(MAX_REGISTER_WORDS);
        let inst = self.emit(Row::Call, &[Operand::Function(FunctionId(function))]);
        inst.reads = reads;
        inst.clobbers = (0..results).map(general).collect();
        let mut taken = Vec::new();
        for number in 0..results {
            let to = self.general();
            self.copy(Operand::Virtual(to), Operand::Physical(general(number)));
            taken.push(to);
        }
        if let Some(slot) = overflow {
            let pointer = self.frame_address(slot, 0);
            for _ in MAX_REGISTER_WORDS..returned {
                taken.push(self.load_word(pointer, 0));
            }
        }
        taken
    }

    /// Calls the routine of an operation; `None` if there is none.
    pub(super) fn call_routine(
        &mut self,
        op: Opcode,
        number: u8,
        args: &[Number],
        wanted: Wanted,
    ) -> Option<Halves> {
        let name = self.routine_name(op, number, args, wanted)?;
        let (callee, ty) = self.program.routine(name)?;
        let mut words = Vec::new();
        let mut passed = args.to_vec();
        // The count of bits, which is a number of the instruction.
        if scalar_types(&ty.arguments).count() == passed.len() + 1 {
            passed.push(Number::constant(number.into()));
        }
        for (number, ty) in passed.into_iter().zip(scalar_types(&ty.arguments)) {
            words.extend(self.words_of(number, ty));
        }
        let returned = self.call(callee, &ty, words);
        let result = scalar_types(&ty.results).next()?;
        match (result, &returned[..]) {
            (ScalarType::Int(1), [flag]) => {
                let number = Number {
                    range: Range::BOOL,
                    upper: Upper::Sign,
                    place: NumberPlace::Flag(*flag),
                };
                Some(self.halves(number, wanted))
            }
            // The upper half of a narrow result follows from the operation.
            (_, [low]) => Some(self.narrow(*low, wanted)),
            (_, [low, high]) => Some(Halves {
                low: *low,
                high: wanted.is_wide().then_some(*high),
            }),
            _ => None,
        }
    }

    /// The routine of an operation: one of 32 bits where that is enough.
    fn routine_name(
        &self,
        op: Opcode,
        number: u8,
        args: &[Number],
        wanted: Wanted,
    ) -> Option<&'static str> {
        use Opcode::*;
        let unsigned = matches!(
            op,
            Divu | Remu | DivuCeil | UToF | FToU | Ctlz | Cttz | Ctpop
        );
        let class = if unsigned { Range::U32 } else { Range::I32 };
        let floats = matches!(op, FToS | FToU);
        // Zeros and ones of an upper word count, however small the number is.
        let small = match op {
            Ctlz | Cttz | Ctpop => number <= 32,
            _ => floats || args.iter().all(|arg| arg.range.is_in(class)),
        };
        // A float result has its own size.
        let result = matches!(op, SToF | UToF) || !wanted.is_wide();
        let narrow = (small && result)
            .then(|| crate::routines::narrow_routine_for(op, number))
            .flatten();
        narrow.or_else(|| crate::routines::routine_for(op, number))
    }

    /// The words of a number of a type.
    fn words_of(&mut self, number: Number, ty: ScalarType) -> SmallVec<[VirtualRegister; 2]> {
        let mut found = SmallVec::new();
        if ty == ScalarType::Int(1) {
            found.push(self.flag(number));
            return found;
        }
        found.push(self.low(number));
        if words(ty) == 2 {
            found.push(self.high(number));
        }
        found
    }

    /// A word at a pointer, which moves to the next one.
    pub(super) fn load_word(&mut self, pointer: VirtualRegister, object: u32) -> VirtualRegister {
        let to = self.general();
        let operands = [
            Operand::Virtual(to),
            Operand::Virtual(pointer),
            Operand::Immediate(WORD_BYTES as i32),
        ];
        self.emit_access(Row::Load32Post, &operands, word_access(object));
        to
    }

    pub(super) fn store_word(
        &mut self,
        pointer: VirtualRegister,
        word: VirtualRegister,
        object: u32,
    ) {
        let operands = [
            Operand::Virtual(word),
            Operand::Virtual(pointer),
            Operand::Immediate(WORD_BYTES as i32),
        ];
        self.emit_access(Row::Store32Post, &operands, word_access(object));
    }
}

/// A word of an object of the frame, or of any memory if that is 0.
fn word_access(object: u32) -> MachineAccess {
    MachineAccess {
        object: (object != 0).then_some(object),
        walk: None,
        offset: None,
        bytes: WORD_BYTES,
    }
}

/// A number of a type out of words.
fn taken_number(
    taken: &mut impl Iterator<Item = VirtualRegister>,
    ty: ScalarType,
) -> Option<Number> {
    let range = Range::of_type(ty);
    let low = taken.next()?;
    let high = if words(ty) == 2 {
        Some(taken.next()?)
    } else {
        None
    };
    Some(Number {
        range,
        upper: Upper::of(range),
        place: if ty == ScalarType::Int(1) {
            NumberPlace::Flag(low)
        } else {
            NumberPlace::Registers(Halves { low, high })
        },
    })
}
