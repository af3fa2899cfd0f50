//! Forms in which registers hold vectors: lanes one after another in vector registers, or sums in accumulators.

use aiec_core::{CoreArch, RegisterFile};
use aiec_vcode::MemoryType;
use smallvec::SmallVec;

use crate::machine::{MachineOperand as Operand, VirtualRegister};
use crate::ssa::width::Range;

/// Bits of a vector register.
pub(super) const REGISTER_BITS: u32 = 512;

/// A lane in a vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::select) enum LaneFormat {
    Bits8,
    Bits16,
    Bits32,
    /// The upper half of an f32 whose lower half is 0.
    Bf16,
    F32,
}

impl LaneFormat {
    pub(super) fn of(kind: MemoryType) -> Option<LaneFormat> {
        Some(match kind {
            MemoryType::I8 => LaneFormat::Bits8,
            MemoryType::I16 => LaneFormat::Bits16,
            MemoryType::I32 => LaneFormat::Bits32,
            MemoryType::Bf16 => LaneFormat::Bf16,
            MemoryType::F32 => LaneFormat::F32,
            _ => return None,
        })
    }

    /// The narrowest one for integers of some bits.
    pub(super) fn of_bits(bits: u8) -> Option<LaneFormat> {
        Some(match bits {
            0..=8 => LaneFormat::Bits8,
            9..=16 => LaneFormat::Bits16,
            17..=32 => LaneFormat::Bits32,
            _ => return None,
        })
    }

    /// The narrowest one for all integers of a range.
    pub(super) fn of_range(range: Range) -> Option<LaneFormat> {
        LaneFormat::of_bits(range_bits(range))
    }

    /// The form in memory.
    pub(super) fn kind(self) -> MemoryType {
        match self {
            LaneFormat::Bits8 => MemoryType::I8,
            LaneFormat::Bits16 => MemoryType::I16,
            LaneFormat::Bits32 => MemoryType::I32,
            LaneFormat::Bf16 => MemoryType::Bf16,
            LaneFormat::F32 => MemoryType::F32,
        }
    }

    pub(super) fn bits(self) -> u32 {
        8 * self.kind().bytes()
    }

    /// Lanes of a vector register.
    pub(super) fn lanes(self) -> u32 {
        REGISTER_BITS / self.bits()
    }

    /// The one of three rows that is for integers of this width.
    pub(super) fn of_rows<R: Copy>(self, rows: [R; 3]) -> R {
        match self.bits() {
            8 => rows[0],
            16 => rows[1],
            _ => rows[2],
        }
    }
}

/// A lane in an accumulator. Of lanes of 64 bits only the lower half counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::select) struct SumFormat {
    /// 32 or 64.
    pub bits: u32,
    /// The registers, all of one file.
    pub file: RegisterFile,
    /// Lanes of a register, the lowest ones.
    pub lanes: u32,
    pub is_float: bool,
}

impl SumFormat {
    /// Sums that fill whole registers.
    pub(super) fn whole(bits: u32, file: RegisterFile, is_float: bool) -> SumFormat {
        SumFormat {
            bits,
            file,
            lanes: file.bits() / bits,
            is_float,
        }
    }

    /// f32 that instructions add, and to which they add products of bf16 lane by lane. Those of AIE2P name whole
    /// accumulators, of which products fill the lower half.
    pub(super) fn floats(arch: CoreArch) -> SumFormat {
        match arch {
            CoreArch::Aie2 => SumFormat::whole(32, RegisterFile::Bml, true),
            CoreArch::Aie2p => SumFormat {
                lanes: RegisterFile::Cml.bits() / 32,
                ..SumFormat::whole(32, RegisterFile::Dm, true)
            },
            CoreArch::Aie2ps => SumFormat::whole(32, RegisterFile::Cml, true),
        }
    }

    /// Bits of a register that hold lanes.
    fn used_bits(self) -> u32 {
        self.lanes * self.bits
    }

    /// The lane of a vector register that a part of an accumulator can be moved to.
    pub(super) fn as_lanes(self) -> LaneFormat {
        if self.is_float {
            LaneFormat::F32
        } else {
            LaneFormat::Bits32
        }
    }

    /// The parts of a register that have the size of a vector register, the lowest first.
    pub(super) fn parts(self, register: VirtualRegister) -> SmallVec<[Operand; 4]> {
        use RegisterFile::*;
        let files: &[RegisterFile] = match self.file {
            Cm => &[Bml, Bmh],
            Dm => &[Bmll, Bmlh, Bmhl, Bmhh],
            Cml => &[Bmll, Bmlh],
            _ => &[],
        };
        if files.is_empty() {
            return [Operand::Virtual(register)].into_iter().collect();
        }
        let count = self.used_bits().div_ceil(REGISTER_BITS) as usize;
        let part = |file: &RegisterFile| Operand::Part(register, *file);
        files.iter().take(count).map(part).collect()
    }

    /// The parts of a register with 32 lanes of f32 each, on architectures that move as many at once.
    pub(super) fn pairs(self, register: VirtualRegister) -> SmallVec<[Operand; 2]> {
        let RegisterFile::Dm = self.file else {
            return [Operand::Virtual(register)].into_iter().collect();
        };
        let count = self.used_bits().div_ceil(RegisterFile::Cml.bits()) as usize;
        let files = [RegisterFile::Cml, RegisterFile::Cmh].into_iter();
        files
            .take(count)
            .map(|file| Operand::Part(register, file))
            .collect()
    }

    /// The parts of a register that loads and stores of AIE2 move, the lowest first.
    pub(super) fn quarters(self, register: VirtualRegister) -> SmallVec<[Operand; 4]> {
        use RegisterFile::*;
        let all = [Amll, Amlh, Amhl, Amhh];
        let count = (self.file.bits() / Amll.bits()) as usize;
        let part = |file: &RegisterFile| Operand::Part(register, *file);
        all[..count.min(all.len())].iter().map(part).collect()
    }
}

/// A vector in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::select) enum Form {
    Lanes(LaneFormat),
    Sums(SumFormat),
    /// bf16 in the lower halves of vector registers with zeros above: AIE2 adds the products of both halves.
    Spread,
    /// bf16 of a matrix of 8 by 8, rounded to blocks with one exponent each. Nothing but products in blocks reads such vectors.
    Blocks(Side),
}

/// Which factor of a product a matrix in blocks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::select) enum Side {
    /// The first one: its rows are blocks.
    Left,
    /// The second one: its columns are blocks.
    Right,
}

/// Numbers of a register of blocks.
const BLOCK_LANES: u32 = 64;

/// Lanes of bf16 in half a vector register.
pub(super) const SPREAD_LANES: u32 = 16;

impl Form {
    /// The lane that a vector register would have.
    pub(super) fn as_lanes(self) -> LaneFormat {
        match self {
            Form::Lanes(format) => format,
            Form::Sums(format) => format.as_lanes(),
            Form::Spread | Form::Blocks(_) => LaneFormat::Bf16,
        }
    }

    fn file(self) -> RegisterFile {
        match self {
            Form::Lanes(_) | Form::Spread => RegisterFile::X,
            Form::Sums(format) => format.file,
            Form::Blocks(_) => RegisterFile::Ex,
        }
    }

    /// Registers and their file for a number of lanes.
    pub(super) fn registers(self, lanes: u32) -> (u32, RegisterFile) {
        let each = match self {
            Form::Lanes(format) => REGISTER_BITS / format.bits(),
            Form::Sums(format) => format.lanes,
            Form::Spread => SPREAD_LANES,
            Form::Blocks(_) => BLOCK_LANES,
        };
        (lanes.div_ceil(each).max(1), self.file())
    }
}

/// A vector and the registers that hold it.
#[derive(Clone, Debug)]
pub(in crate::select) struct Packed {
    pub form: Form,
    pub lanes: u32,
    pub registers: SmallVec<[VirtualRegister; 2]>,
}

impl Packed {
    /// The pieces of each register, as a bit set of its units of some bits, that hold no lanes.
    pub(super) fn unused_units(&self, unit_bits: u32) -> Vec<(VirtualRegister, u32)> {
        let (whole, each, lane) = match self.form {
            Form::Lanes(format) => (REGISTER_BITS, REGISTER_BITS, format.bits()),
            Form::Sums(format) => (format.file.bits(), format.used_bits(), format.bits),
            // Zeros fill the rest, or nothing is left.
            Form::Spread | Form::Blocks(_) => return Vec::new(),
        };
        let used = self.lanes * lane;
        let mut unused = Vec::new();
        for (n, register) in self.registers.iter().enumerate() {
            let here = used.saturating_sub(n as u32 * each).min(each);
            let (units, taken) = (whole / unit_bits, here.div_ceil(unit_bits));
            if taken < units {
                unused.push((*register, ((1 << units) - 1) & !((1 << taken) - 1)));
            }
        }
        unused
    }

    /// Bytes of the lanes in memory.
    pub(super) fn bytes(&self) -> u32 {
        self.lanes * self.form.as_lanes().bits() / 8
    }
}

/// Bits of a whole lane.
pub(super) const WHOLE: u8 = 64;

/// Bits that all numbers of a range fit into, with a sign.
pub(super) fn range_bits(range: Range) -> u8 {
    let fits = |bits: &u8| range.is_in(Range::of_bits(*bits));
    [8, 16, 32].into_iter().find(fits).unwrap_or(WHOLE)
}
