//! Listings of programs.

use std::fmt;

use super::CoreProgram;
use super::decode::lanes_of;
use super::instruction::{Instruction, MapImmediate, MemoryImmediate};
use super::ops::{Immediate, Operand};

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.op.shape();
        write!(f, "{:<10}", self.op.mnemonic())?;
        let mut separator = " ";
        for (kind, value) in shape.operands.into_iter().zip([self.a, self.b, self.c]) {
            match kind {
                Operand::No => continue,
                Operand::Dest | Operand::Source | Operand::Both => {
                    write!(f, "{separator}r{value}")?;
                }
                Operand::VDest | Operand::VSource => write!(f, "{separator}v{value}")?,
                Operand::Number => write!(f, "{separator}{value}")?,
                Operand::Signed => write!(f, "{separator}{}", value as i8)?,
                Operand::Lanes => write!(f, "{separator}x{}", lanes_of(value))?,
            }
            separator = ", ";
        }
        match shape.immediate {
            Immediate::No => Ok(()),
            Immediate::Int => write!(f, "{separator}{}", self.imm as i32),
            Immediate::Target => write!(f, "{separator}@{}", self.imm),
            Immediate::Function => write!(f, "{separator}fn{}", self.imm),
            Immediate::Kernel => write!(f, "{separator}kernel{}", self.imm),
            Immediate::Source => write!(f, "{separator}r{}", self.imm),
            Immediate::Small => write!(f, "{separator}{}", self.imm),
            Immediate::LanePair => {
                write!(
                    f,
                    "{separator}[{}], [{}]",
                    self.imm >> 16,
                    self.imm & 0xFFFF
                )
            }
            Immediate::Memory => match MemoryImmediate::unpack(self.imm) {
                Some(memory) => {
                    write!(f, "{separator}{} {:+#x}", memory.kind.name(), memory.offset)
                }
                None => write!(f, "{separator}{:#x}", self.imm),
            },
            Immediate::Map => match MapImmediate::unpack(self.imm) {
                Some(map) => write!(
                    f,
                    "{separator}{} x{} {}",
                    map.op.mnemonic(),
                    map.lanes,
                    map.fourth
                ),
                None => write!(f, "{separator}{:#x}", self.imm),
            },
        }
    }
}

impl fmt::Display for CoreProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, name) in self.kernels.iter().enumerate() {
            writeln!(f, "kernel{number}: {name}")?;
        }
        for (at, instruction) in self.code.iter().enumerate() {
            let entered = self
                .functions
                .iter()
                .enumerate()
                .filter(|(_, code)| code.entry as usize == at);
            for (number, function) in entered {
                writeln!(
                    f,
                    "fn{number}: {} registers, {} granules",
                    function.registers, function.granules
                )?;
            }
            writeln!(f, "  {at:>5}  {instruction}")?;
        }
        Ok(())
    }
}
