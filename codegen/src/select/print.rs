//! Listings of the machine form.

use std::fmt::{self, Display, Formatter};

use aiec_core::{CoreIsa, TextPart};

use crate::machine::{MachineFunction, MachineInst, MachineOp, MachineOperand, MachineProgram};

/// A function with the instruction set that its rows are of.
struct Listed<'a>(&'a MachineFunction, &'static CoreIsa);

impl Display for MachineProgram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, function) in self.functions.iter().enumerate() {
            writeln!(f, "f{number} {}:", function.name)?;
            write!(f, "{}", Listed(function, CoreIsa::of(self.arch)))?;
        }
        Ok(())
    }
}

impl Display for Listed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Listed(function, isa) = self;
        for (number, slot) in function.slots.iter().enumerate() {
            writeln!(
                f,
                "  s{number}: {} bytes, aligned {}",
                slot.bytes, slot.align
            )?;
        }
        for (number, block) in function.blocks.iter().enumerate() {
            write!(f, "b{number}:")?;
            for (at, successor) in block.successors.iter().enumerate() {
                let arrow = if at == 0 { " -> " } else { ", " };
                write!(f, "{arrow}b{}", successor.0)?;
            }
            writeln!(f)?;
            for inst in &block.insts {
                f.write_str("  ")?;
                instruction(f, function, isa, inst)?;
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

fn instruction(
    f: &mut Formatter<'_>,
    function: &MachineFunction,
    isa: &CoreIsa,
    inst: &MachineInst,
) -> fmt::Result {
    let list = |f: &mut Formatter<'_>| {
        for (at, operand) in inst.operands.iter().enumerate() {
            f.write_str(if at == 0 { " " } else { ", " })?;
            show(f, function, operand)?;
        }
        Ok(())
    };
    match inst.op {
        MachineOp::Row(row) => {
            for part in &isa.instructions[usize::from(row)].text {
                match part {
                    TextPart::Literal(text) => f.write_str(text)?,
                    TextPart::Operand(at) => match inst.operands.get(usize::from(*at)) {
                        Some(operand) => show(f, function, operand)?,
                        None => f.write_str("?")?,
                    },
                }
            }
        }
        MachineOp::Copy => {
            f.write_str("copy")?;
            list(f)?;
        }
        MachineOp::FrameAddress(slot) => {
            write!(f, "frame s{}", slot.0)?;
            list(f)?;
        }
        MachineOp::CountedBranch => {
            f.write_str("count")?;
            list(f)?;
        }
        MachineOp::Spill(slot) => {
            write!(f, "spill s{}", slot.0)?;
            list(f)?;
        }
        MachineOp::Reload(slot) => {
            write!(f, "reload s{}", slot.0)?;
            list(f)?;
        }
        MachineOp::Hold => {
            f.write_str("hold")?;
            list(f)?;
        }
    }
    for (word, registers) in [("reads", &inst.reads), ("destroys", &inst.clobbers)] {
        for (at, register) in registers.iter().enumerate() {
            if at == 0 {
                write!(f, " {word} {register}")?;
            } else {
                write!(f, " {register}")?;
            }
        }
    }
    Ok(())
}

fn show(
    f: &mut Formatter<'_>,
    function: &MachineFunction,
    operand: &MachineOperand,
) -> fmt::Result {
    match operand {
        MachineOperand::Virtual(register) => {
            let file = function.registers.get(register.0 as usize);
            let prefix = file.map_or("?", |file| file.prefix());
            write!(f, "%{prefix}{}", register.0)
        }
        MachineOperand::Part(register, file) => write!(f, "%{}{}", file.prefix(), register.0),
        MachineOperand::Nth(register, file, at) => {
            write!(f, "%{}{}.{at}", file.prefix(), register.0)
        }
        MachineOperand::Physical(register) => write!(f, "{register}"),
        MachineOperand::Immediate(value) => write!(f, "#{value}"),
        MachineOperand::Block(block) => write!(f, "b{}", block.0),
        MachineOperand::BlockEnd(block) => write!(f, "end of b{}", block.0),
        MachineOperand::Function(number) => write!(f, "f{}", number.0),
    }
}
