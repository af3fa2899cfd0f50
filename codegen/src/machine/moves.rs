//! Rows of the instruction tables for instructions that the back half writes itself: moves,
//! constants, accesses to the stack, branches of counted loops.

use std::sync::LazyLock;

use aiec_core::{
    AddressMode, CoreArch, CoreIsa, Instruction, OperandKind, Register, RegisterFile, Slot,
    TextPart, immediate_range,
};
use smallvec::{SmallVec, smallvec};

use super::register::parts;

/// An instruction with registers at two of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MoveRow {
    row: u16,
    to: u8,
    from: u8,
    /// Cycle in which the result is written.
    written: u8,
}

/// An instruction that accesses `[sp, #imm]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StackRow {
    row: u16,
    is_load: bool,
    bytes: u8,
    register: u8,
    offset: u8,
}

/// The rows of an architecture.
#[derive(Debug)]
pub(super) struct Moves {
    arch: CoreArch,
    moves: Vec<MoveRow>,
    constants: Vec<(u16, u8, u8)>,
    stack: Vec<StackRow>,
    /// `add r, r, #imm`.
    pub add_immediate: Option<u16>,
    /// `jnz r, #address`.
    pub jump_nonzero: Option<u16>,
    /// `add.nc lc, r, #imm`.
    pub set_count: Option<u16>,
    /// `movxm ls, #address` and `movxm le, #address`.
    pub set_loop: Option<(u16, u16)>,
    /// `done`.
    pub done: Option<u16>,
}

/// A move of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    /// The instruction.
    pub row: u16,
    /// Its operands in the order of the row.
    pub operands: [Register; 2],
}

/// An access of the stack by one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StackAccess {
    /// The instruction.
    pub row: u16,
    /// The register.
    pub register: Register,
    /// Which operand is the register; the other one is the offset.
    pub register_operand: u8,
    /// Offset in the register's slot in bytes.
    pub offset: u32,
    /// Bytes.
    pub bytes: u32,
}

static AIE2: LazyLock<Moves> = LazyLock::new(|| Moves::new(CoreArch::Aie2));
static AIE2P: LazyLock<Moves> = LazyLock::new(|| Moves::new(CoreArch::Aie2p));
static AIE2PS: LazyLock<Moves> = LazyLock::new(|| Moves::new(CoreArch::Aie2ps));

/// The operands in the order of the text, if that is just the mnemonic and operands.
fn plain_operands(row: &Instruction) -> Option<SmallVec<[u8; 4]>> {
    let mut order = SmallVec::new();
    for part in &row.text {
        match part {
            TextPart::Operand(index) => order.push(*index),
            TextPart::Literal(literal) => {
                let rest = literal.strip_prefix(row.mnemonic).unwrap_or(literal);
                let is_plain = rest.chars().all(|c| matches!(c, ' ' | ','));
                is_plain.then_some(())?;
            }
        }
    }
    Some(order)
}

impl Moves {
    /// The rows of an architecture.
    pub fn of(arch: CoreArch) -> &'static Moves {
        match arch {
            CoreArch::Aie2 => &AIE2,
            CoreArch::Aie2p => &AIE2P,
            CoreArch::Aie2ps => &AIE2PS,
        }
    }

    fn new(arch: CoreArch) -> Moves {
        let isa = CoreIsa::of(arch);
        let mut moves = Moves {
            arch,
            moves: Vec::new(),
            constants: Vec::new(),
            stack: Vec::new(),
            add_immediate: None,
            jump_nonzero: None,
            set_count: None,
            set_loop: None,
            done: None,
        };
        let mut set_start = None;
        let mut set_end = None;
        for (index, row) in isa.instructions.iter().enumerate() {
            if row.unconfirmed_operand().is_none() {
                moves.add(isa, index as u16, row);
            }
            let control = |file| {
                let register = Register::new(file, 0);
                match row.operands.first().map(|field| field.kind) {
                    Some(OperandKind::Register { class }) => {
                        isa.class(class).code(register).is_some()
                    }
                    _ => row.text.iter().any(|part| {
                        matches!(part, TextPart::Literal(text)
                            if text.contains(&format!(" {}", file.prefix())))
                    }),
                }
            };
            if row.mnemonic == "movxm" {
                let place = |known: &mut Option<u16>, file| {
                    if known.is_none() && control(file) {
                        *known = Some(index as u16);
                    }
                };
                place(&mut set_start, RegisterFile::Ls);
                place(&mut set_end, RegisterFile::Le);
            }
            if row.mnemonic == "add.nc"
                && row.slot
                    == (if arch == CoreArch::Aie2ps {
                        Slot::Alu
                    } else {
                        Slot::Move
                    })
                && moves.set_count.is_none()
                && row.operands.iter().any(|field| field.name == "imm")
            {
                moves.set_count = Some(index as u16);
            }
        }
        moves.set_loop = set_start.zip(set_end);
        // The quickest first; of equals the first of the table.
        moves.moves.sort_by_key(|row| row.written);
        moves
    }

    fn add(&mut self, isa: &CoreIsa, index: u16, row: &Instruction) {
        let is_register = |operand: u8| {
            matches!(
                row.operands[usize::from(operand)].kind,
                OperandKind::Register { .. }
            )
        };
        let plain = plain_operands(row);
        match (row.mnemonic, plain.as_deref()) {
            ("mov" | "movs" | "vmov" | "vmov.d", Some([to, from]))
                if is_register(*to) && is_register(*from) && row.uses.is_empty() =>
            {
                // The cycle doesn't depend on the register.
                let r0 = Register::new(RegisterFile::R, 0);
                let written = isa.written(index, usize::from(*to), r0);
                self.moves.push(MoveRow {
                    row: index,
                    to: *to,
                    from: *from,
                    written: written.map_or(1, |access| access.cycle),
                });
            }
            ("movx", Some([to, from]))
                if is_register(*to) && is_register(*from) && row.uses.is_empty() =>
            {
                self.moves.push(MoveRow {
                    row: index,
                    to: *to,
                    from: *from,
                    written: 1,
                });
            }
            ("mova" | "movx" | "mov" | "movxm", Some([to, value]))
                if is_register(*to) && !is_register(*value) =>
            {
                self.constants.push((index, *to, *value));
            }
            ("add", Some([_, _, value])) if !is_register(*value) => {
                self.add_immediate.get_or_insert(index);
            }
            ("jnz", Some([..])) => self.jump_nonzero = Some(index),
            ("done", _) => self.done = Some(index),
            ("lda" | "vlda" | "st" | "vst", _)
                if row
                    .memory
                    .is_some_and(|access| access.mode == AddressMode::Stack) =>
            {
                let register = (0..row.operands.len() as u8).find(|at| is_register(*at));
                let offset = (0..row.operands.len() as u8).find(|at| !is_register(*at));
                if let (Some(register), Some(offset), Some(memory)) = (register, offset, row.memory)
                {
                    self.stack.push(StackRow {
                        row: index,
                        is_load: row.is_load,
                        bytes: memory.bytes,
                        register,
                        offset,
                    });
                }
            }
            _ => {}
        }
    }

    /// Whether an operand of a row can be a register.
    fn can_be(&self, row: u16, operand: u8, register: Register) -> bool {
        let isa = CoreIsa::of(self.arch);
        let row = &isa.instructions[usize::from(row)];
        match row.operands[usize::from(operand)].kind {
            OperandKind::Register { class } => isa.class(class).code(register).is_some(),
            _ => false,
        }
    }

    /// The instructions that copy a register, in any order: they read and write different parts.
    pub fn copy(&self, to: Register, from: Register) -> Option<SmallVec<[Move; 4]>> {
        let direct = self
            .moves
            .iter()
            .find(|row| self.can_be(row.row, row.to, to) && self.can_be(row.row, row.from, from));
        if let Some(row) = direct {
            let operands = if row.to < row.from {
                [to, from]
            } else {
                [from, to]
            };
            return Some(smallvec![Move {
                row: row.row,
                operands
            }]);
        }
        let (to, from) = (parts(self.arch, to), parts(self.arch, from));
        if to.is_empty() || to.len() != from.len() {
            return None;
        }
        let mut moves = SmallVec::new();
        for (to, from) in to.into_iter().zip(from) {
            moves.extend(self.copy(to, from)?);
        }
        Some(moves)
    }

    /// The instruction that sets a register to a number, with the place of the register among its two
    /// operands.
    pub fn constant(&self, register: Register, value: i32) -> Option<(u16, u8)> {
        let isa = CoreIsa::of(self.arch);
        let found = self.constants.iter().find(|(row, to, from)| {
            let field = &isa.instructions[usize::from(*row)].operands[usize::from(*from)];
            let OperandKind::Immediate {
                sign,
                scale,
                pc_relative,
            } = field.kind
            else {
                return false;
            };
            let (least, greatest, step) = immediate_range(sign, scale, field.width());
            let value = i64::from(value);
            !pc_relative
                && (least..=greatest).contains(&value)
                && value % step == 0
                && self.can_be(*row, *to, register)
        });
        found.map(|(row, to, _)| (*row, *to))
    }

    /// Whether a row sets its first operand in the text to a number.
    pub fn is_constant(&self, row: u16) -> bool {
        self.constants.iter().any(|(known, ..)| *known == row)
    }

    /// The accesses that load or store a register in a slot of its own, and the slot's bytes. None for
    /// registers that memory can't hold.
    pub fn stack(
        &self,
        register: Register,
        is_load: bool,
    ) -> Option<(SmallVec<[StackAccess; 8]>, u32)> {
        let mut accesses = SmallVec::new();
        let bytes = self.add_stack(register, is_load, 0, &mut accesses)?;
        Some((accesses, bytes))
    }

    fn add_stack(
        &self,
        register: Register,
        is_load: bool,
        offset: u32,
        accesses: &mut SmallVec<[StackAccess; 8]>,
    ) -> Option<u32> {
        let direct = self
            .stack
            .iter()
            .find(|row| row.is_load == is_load && self.can_be(row.row, row.register, register));
        // A register that only one direction names as a whole goes in parts both ways.
        let both = |row: &&StackRow| {
            self.stack.iter().any(|other| {
                other.is_load != is_load
                    && other.bytes == row.bytes
                    && self.can_be(other.row, other.register, register)
            })
        };
        if let Some(row) = direct.filter(both) {
            accesses.push(StackAccess {
                row: row.row,
                register,
                register_operand: row.register,
                offset,
                bytes: u32::from(row.bytes),
            });
            return Some(u32::from(row.bytes));
        }
        let parts = parts(self.arch, register);
        if parts.is_empty() {
            return None;
        }
        let mut bytes = 0_u32;
        for part in parts {
            let size = self.slot_bytes(part)?;
            bytes = bytes.next_multiple_of(size.min(64));
            bytes += self.add_stack(part, is_load, offset + bytes, accesses)?;
        }
        Some(bytes)
    }

    fn slot_bytes(&self, register: Register) -> Option<u32> {
        let mut accesses = SmallVec::new();
        self.add_stack(register, true, 0, &mut accesses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::register::numbers;

    #[test]
    fn registers_of_all_files_can_be_copied_and_spilled() {
        use RegisterFile as File;
        for arch in CoreArch::ALL {
            let isa = CoreIsa::of(arch);
            let moves = Moves::of(arch);
            let mut files = vec![
                File::R,
                File::P,
                File::M,
                File::Dn,
                File::Dj,
                File::Dc,
                File::L,
                File::Dim2,
                File::Dim3,
                File::Wl,
                File::Wh,
                File::X,
                File::Y,
            ];
            files.extend(match arch {
                CoreArch::Aie2 => &[File::Amll, File::Bmh, File::Cm][..],
                CoreArch::Aie2p => &[File::Bmlh, File::Cmh, File::Dm, File::Ex][..],
                CoreArch::Aie2ps => &[File::Bmhh, File::Cml, File::Dm, File::Ex, File::Fex][..],
            });
            for file in files {
                let known = numbers(isa, file);
                let of: Vec<Register> = (0..64)
                    .filter(|n| known >> n & 1 != 0)
                    .map(|n| Register::new(file, n))
                    .collect();
                let (first, last) = (of[0], of[of.len() - 1]);
                assert!(moves.copy(first, last).is_some(), "{arch} {first} {last}");
                let (load, bytes) = moves.stack(first, true).unwrap();
                let (store, same) = moves.stack(first, false).unwrap();
                assert_eq!((load.len(), bytes), (store.len(), same), "{arch} {first}");
            }
            let (r, p) = (Register::new(File::R, 1), Register::new(File::P, 1));
            for (to, from) in [
                (r, p),
                (p, r),
                (Register::new(File::S, 1), r),
                (r, Register::new(File::S, 1)),
            ] {
                assert_eq!(moves.copy(to, from).unwrap().len(), 1);
            }
            let lr = Register::new(File::Lr, 0);
            assert!(moves.copy(lr, r).is_some() && moves.copy(r, lr).is_some());
            assert!(moves.constant(p, 0x7_0000).is_some());
            assert!(moves.constant(r, i32::MIN).is_some());
            assert!(
                moves
                    .constant(Register::new(File::Sp, 0), 0x7_0400)
                    .is_some()
            );
            assert!(moves.add_immediate.is_some() && moves.jump_nonzero.is_some());
            assert!(moves.set_count.is_some() && moves.set_loop.is_some() && moves.done.is_some());
        }
    }
}
