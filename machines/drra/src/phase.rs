//! Names of the phases of instructions, as schedulers know them: `Op_ROW_COLUMN_INDEX_k` and, for
//! instructions with a label, `LABEL_k`; k counts from 1.

use aiec_isa::Set;

use crate::program::{DrraProgram, ItemContent};

/// Phases of an instruction that have names; no published set has more than five.
const MAX_PHASES: u32 = 64;

/// The names of all phases of a program.
pub fn phase_names(program: &DrraProgram, set: &Set) -> Vec<String> {
    let mut names = Vec::new();
    for cell in &program.cells {
        let (row, column) = (cell.cell.row, cell.cell.column);
        for (index, item) in cell.items.iter().enumerate() {
            let ItemContent::Instruction(values) = &item.content else {
                continue;
            };
            let phases = set.instructions[values.instruction].phase_count();
            for phase in 1..=phases.min(MAX_PHASES) {
                names.push(format!("Op_{row}_{column}_{index}_{phase}"));
                names.extend(item.label.iter().map(|label| format!("{label}_{phase}")));
            }
        }
    }
    names
}
