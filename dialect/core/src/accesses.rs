//! Registers, ports and memory stages that instructions use, by the timing of their instruction
//! set.

use crate::bundle::{Operand, SlotInstruction};
use crate::isa::CoreIsa;
use crate::register::{Register, RegisterFile};
use crate::timing::{Access, Accesses, OperandCycle, OperandTiming, PortRule, by_file};

impl CoreIsa {
    /// When the instruction of this index writes its operand of this index, if that is `register`.
    pub fn written(&self, instruction: u16, operand: usize, register: Register) -> Option<Access> {
        let row = self.timing.rows.get(usize::from(instruction))?;
        let cycle = row.operands.get(operand)?.written?;
        Some(self.timing.access(register, cycle))
    }

    /// When it reads it.
    pub fn read(&self, instruction: u16, operand: usize, register: Register) -> Option<Access> {
        let row = self.timing.rows.get(usize::from(instruction))?;
        let cycle = row.operands.get(operand)?.read?;
        Some(self.timing.access(register, cycle))
    }

    /// When the instruction of this index reads and writes a register that is none of its operands:
    /// what the table says, whether or not the instruction's row names the register.
    pub fn implicit(&self, instruction: u16, register: Register) -> (Option<u8>, Option<u8>) {
        let rows = self.timing.rows.get(usize::from(instruction));
        let found = rows.and_then(|row| {
            let mut registers = row.registers.iter();
            registers.find(|(known, _)| *known == register)
        });
        found.map_or((None, None), |(_, timing)| {
            (
                timing.read.map(|read| read.cycle),
                timing.written.map(|written| written.cycle),
            )
        })
    }

    /// Stages in which the instruction of this index accesses memory.
    pub fn stages(&self, instruction: u16) -> &[u8] {
        let row = self.timing.rows.get(usize::from(instruction));
        row.map_or(&[], |row| &row.stages)
    }

    /// Registers that an instruction reads and writes, and ports that it holds.
    pub fn accesses(&self, instruction: &SlotInstruction) -> Accesses {
        let index = usize::from(instruction.instruction);
        let mut accesses = Accesses::default();
        let (Some(row), Some(timing)) = (self.instructions.get(index), self.timing.rows.get(index))
        else {
            return accesses;
        };
        for (operand, timing) in instruction.operands.iter().zip(&timing.operands) {
            if let Operand::Register(register) = operand {
                self.add(&mut accesses, *register, *timing);
            }
        }
        let sp = Register::new(RegisterFile::Sp, 0);
        for (register, timing) in &timing.registers {
            if *register == sp && row.addresses_stack() {
                continue;
            }
            let timing = OperandTiming {
                read: timing.read.filter(|_| row.uses.contains(register)),
                written: timing.written.filter(|_| row.defs.contains(register)),
            };
            self.add(&mut accesses, *register, timing);
        }
        if row.addresses_stack() {
            let walk = Some(OperandCycle::plain(self.timing.walk));
            let timing = OperandTiming {
                read: Some(OperandCycle::plain(1)),
                written: walk.filter(|_| row.memory.is_none()),
            };
            self.add(&mut accesses, sp, timing);
        }
        for (rule, first, last) in &timing.ports {
            let port = match *rule {
                PortRule::Always(port) => Some(port),
                PortRule::ByFile(family, operand) => {
                    let family = self.timing.port_families.get(usize::from(family));
                    let register = instruction.operands.get(usize::from(operand));
                    match (family, register) {
                        (Some((_, files)), Some(Operand::Register(register))) => {
                            by_file(files, register.file)
                        }
                        _ => None,
                    }
                }
            };
            if let Some(port) = port.filter(|port| !self.timing.waited_for.contains(port)) {
                accesses.ports.push((port, *first, *last));
            }
        }
        accesses.stages.extend_from_slice(&timing.stages);
        accesses
    }

    /// Adds a register; of address generators the registers that they are of.
    fn add(&self, accesses: &mut Accesses, register: Register, timing: OperandTiming) {
        use RegisterFile::{Dc, Dim2, Dim3, Dj, Dn, M};
        let dimensions: &[u8] = match register.file {
            Dim2 => &[0],
            Dim3 => &[0, 4],
            _ => &[],
        };
        for upper in dimensions {
            let of = |file| Register::new(file, register.number + upper);
            let parts: &[RegisterFile] = if *upper == 0 {
                &[M, Dn, Dj, Dc]
            } else {
                &[Dn, Dj, Dc]
            };
            for file in parts {
                let read = self.timing.access(of(*file), OperandCycle::plain(1));
                accesses.reads.push(read);
            }
            let walk = OperandCycle::plain(self.timing.walk);
            accesses.writes.push(self.timing.access(of(Dc), walk));
        }
        if !dimensions.is_empty() {
            return;
        }
        if let Some(read) = timing.read {
            accesses.reads.push(self.timing.access(register, read));
        }
        if let Some(written) = timing.written {
            accesses.writes.push(self.timing.access(register, written));
        }
    }
}
