//! Targets of jumps, and loops.

use aiec_diag::{Diag, Diags};

use super::CheckedCell;
use crate::codes;
use crate::operation::{DrraOperation, LoopSetup, Setting};

/// A loop around an instruction.
struct OpenLoop {
    item: usize,
    slot: u8,
    end: u8,
}

/// Checks control flow of a cell.
pub fn check(cell: &CheckedCell<'_>, diags: &mut Diags) {
    let mut open: Vec<OpenLoop> = Vec::new();
    for (item, placed) in cell.code.operations().iter().enumerate() {
        open.retain(|outer| outer.end >= placed.address);
        match placed.operation {
            Some(DrraOperation::Jump(pc)) => target(cell, item, "pc", pc, diags),
            Some(DrraOperation::Branch { false_pc, .. }) => {
                target(cell, item, "false_pc", false_pc, diags);
            }
            Some(DrraOperation::Loop(setup)) => {
                one_loop(cell, item, placed.address, setup, &mut open, diags);
            }
            _ => {}
        }
    }
}

fn target(cell: &CheckedCell<'_>, item: usize, field: &str, address: u8, diags: &mut Diags) {
    if cell.code.index_at(address).is_none() {
        diags.push(no_target(cell, item, field, address));
    }
}

fn no_target(cell: &CheckedCell<'_>, item: usize, field: &str, address: u8) -> Diag {
    let operations = cell.code.operations();
    let before = operations
        .iter()
        .rev()
        .find(|placed| placed.address < address);
    let end = operations
        .last()
        .map_or(0, |last| last.address + last.chunks);
    let help = match before {
        Some(before) if address < end => format!(
            "the instruction there begins at {}: name its label, and the assembler counts",
            before.address
        ),
        _ => format!("addresses go up to {}", end.saturating_sub(1)),
    };
    let message = format!("no instruction begins at {field}={address}");
    cell.error(&codes::TARGET, item, message, help)
}

fn one_loop(
    cell: &CheckedCell<'_>,
    item: usize,
    address: u8,
    setup: LoopSetup,
    open: &mut Vec<OpenLoop>,
    diags: &mut Diags,
) {
    if setup.iterations == Setting::Static(0) {
        let message = "the loop has no iterations";
        let help = "iter is the number of iterations itself: 1 or more";
        diags.push(cell.error(&codes::LOOP, item, message, help));
    }
    if let Some(outer) = open.iter().find(|outer| outer.slot == setup.slot) {
        let message = format!(
            "a loop of slot {} is inside one of the same slot",
            setup.slot
        );
        let help = "give it another loopid, 0 to 3";
        let diag = cell.error(&codes::LOOP, item, message, help);
        diags.push(diag.label(cell.span(outer.item), "the outer one"));
    }
    if setup.end == 0 {
        let help = "give endpc=@LABEL of the last instruction of the body";
        let mut diag = cell.error(&codes::OPEN_LOOP, item, "the loop has no endpc", help);
        diag.severity = aiec_diag::Severity::Warning;
        diags.push(diag);
        return;
    }
    let Some(last) = cell.code.index_at(setup.end) else {
        diags.push(no_target(cell, item, "endpc", setup.end));
        return;
    };
    if setup.end <= address {
        let message = format!("the loop ends at {}, before its body begins", setup.end);
        let help = "endpc is the address of the last instruction of the body";
        diags.push(cell.error(&codes::LOOP, item, message, help));
        return;
    }
    let operation = cell.code.operations()[last].operation;
    if let Some(
        last_operation @ (DrraOperation::Halt
        | DrraOperation::Jump(_)
        | DrraOperation::Branch { .. }
        | DrraOperation::Loop(_)),
    ) = operation
    {
        let message = format!("the body of the loop ends with {}", last_operation.name());
        let help = "let it end with an instruction that the next one follows, such as WAIT";
        let diag = cell.error(&codes::LOOP, item, message, help);
        diags.push(diag.label(cell.span(last), "the last of the body"));
    }
    if let Some(outer) = open.iter().find(|outer| outer.end < setup.end) {
        let message = format!(
            "the loop ends at {}, the one around it at {}",
            setup.end, outer.end
        );
        let help = "let the inner one end first, or both at the same instruction";
        let diag = cell.error(&codes::LOOP, item, message, help);
        diags.push(diag.label(cell.span(outer.item), "the outer one"));
    }
    open.push(OpenLoop {
        item,
        slot: setup.slot,
        end: setup.end,
    });
}
