//! Static checks: faults of a program that show before it runs.
//!
//! * each instruction: values without a meaning, static walks that leave their memory
//!   ([`mod@settings`]);
//! * control flow: targets, loops, the end of the code ([`mod@control`]);
//! * time: as nothing but BRANCH depends on data, the sequencer of a cell is run up to the first
//!   one; a port or SRAM that is given a walk while its last one is under way is found
//!   ([`mod@timing`]).

mod control;
mod settings;
mod timing;

use aiec_diag::{Diag, Diags, Severity, Span};
use aiec_isa::Set;

use crate::encode::cell_code;
use crate::fabric::{CellId, FabricShape};
use crate::program::{CellProgram, DrraProgram};
use crate::sequencer::CellCode;

/// A cell under inspection.
struct CheckedCell<'a> {
    program: &'a CellProgram,
    code: CellCode,
    shape: FabricShape,
}

impl CheckedCell<'_> {
    fn cell(&self) -> CellId {
        self.program.cell
    }

    /// The place of an instruction in the text.
    fn span(&self, item: usize) -> Option<Span> {
        self.program.items.get(item)?.span
    }

    /// An error about an instruction.
    fn error(
        &self,
        code: &'static aiec_diag::Code,
        item: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diag {
        let diag = Diag::error(code, message);
        let diag = match self.span(item) {
            Some(span) => diag.label(span, ""),
            None => diag.remark(format!("instruction {item} of cell {}", self.cell())),
        };
        diag.help(help)
    }
}

/// Checks all cells of a program. With `compat` findings are only warnings.
pub fn check(
    program: &DrraProgram,
    set: &Set,
    shape: FabricShape,
    compat: bool,
    diags: &mut Diags,
) {
    let mut found = Diags::new();
    for cell in &program.cells {
        let cell = CheckedCell {
            program: cell,
            code: cell_code(cell, set),
            shape,
        };
        let mut own = Diags::new();
        settings::check(&cell, &mut own);
        control::check(&cell, &mut own);
        // times mean nothing as long as control flow is wrong
        if !own.has_errors() {
            timing::check(&cell, &mut own);
        }
        found.append(own);
    }
    let found = found.into_vec().into_iter().map(|mut diag| {
        if compat {
            diag.severity = Severity::Warning;
        }
        diag
    });
    diags.extend(found);
}
