//! Values that fit their fields but mean nothing.

use aiec_diag::Diags;

use super::CheckedCell;
use crate::codes;
use crate::fabric::{
    CellId, LOOP_SLOTS, RACCU_REGISTERS, REGISTER_FILE_BLOCKS, REGISTER_FILE_WORDS, SRAM_ROWS,
    SWITCH_REACH,
};
use crate::operation::{DrraOperation, RouteSetup, Setting, SwitchSetup, WalkSetup};
use crate::walk::{AddressWalk, WalkLevel};

/// Widths that BW can name.
const WIDTHS: u8 = 3;
/// Inputs that a switchbox connects.
const SWITCH_INPUTS: u8 = 6;

/// Checks each instruction of a cell by itself.
pub fn check(cell: &CheckedCell<'_>, diags: &mut Diags) {
    for (item, placed) in cell.code.operations().iter().enumerate() {
        let Some(operation) = placed.operation else {
            continue;
        };
        for register in registers(&operation) {
            if usize::from(register) >= RACCU_REGISTERS {
                let message = format!("there is no RACCU register {register}");
                let help = "registers go from 0 to 15; those of iterators are 15 - slot";
                diags.push(cell.error(&codes::SETTING, item, message, help));
            }
        }
        match operation {
            DrraOperation::Bw(config) if config >= WIDTHS => {
                let message = format!("BW config={config} isn't a width");
                let help = "0 is 4 bits, 1 is 8 bits, 2 is 16 bits";
                diags.push(cell.error(&codes::SETTING, item, message, help));
            }
            DrraOperation::Raccu(raccu)
                if usize::from(raccu.result) >= RACCU_REGISTERS - LOOP_SLOTS =>
            {
                let message = format!("register {} takes no results", raccu.result);
                let help = "registers 12 to 15 are the iterators of loops: use a lower one";
                diags.push(cell.error(&codes::SETTING, item, message, help));
            }
            DrraOperation::Swb(setup) => switch(cell, item, setup, diags),
            DrraOperation::Route(setup) => route(cell, item, setup, diags),
            DrraOperation::Refi(refi) => {
                if let Some(walk) = static_walk(&refi.walk, refi.negative) {
                    register_file_range(cell, item, refi.dimarch, &walk, diags);
                }
            }
            DrraOperation::Sram(sram) => {
                if let Some(walk) = static_walk(&sram.walk, false) {
                    sram_range(cell, item, &walk, diags);
                }
            }
            _ => {}
        }
    }
}

/// The registers that an instruction reads.
fn registers(operation: &DrraOperation) -> Vec<u8> {
    let settings = match operation {
        DrraOperation::Wait(cycle) => vec![*cycle],
        DrraOperation::Loop(setup) => vec![setup.start, setup.iterations, setup.step],
        DrraOperation::Raccu(setup) => vec![setup.operand1, setup.operand2],
        DrraOperation::Refi(refi) => walk_settings(&refi.walk),
        DrraOperation::Sram(sram) => walk_settings(&sram.walk),
        _ => Vec::new(),
    };
    let register = |setting| match setting {
        Setting::Register(register) => Some(register),
        Setting::Static(_) => None,
    };
    settings.into_iter().filter_map(register).collect()
}

fn walk_settings(walk: &WalkSetup) -> Vec<Setting> {
    vec![
        walk.first,
        walk.initial_delay,
        walk.inner_iterations,
        walk.inner_step,
        walk.inner_delay,
        walk.outer_iterations,
        walk.outer_step,
        walk.outer_delay,
    ]
}

fn switch(cell: &CheckedCell<'_>, item: usize, setup: SwitchSetup, diags: &mut Diags) {
    let own = cell.cell();
    let distance = i32::from(setup.hb_index) - SWITCH_REACH;
    let column = u8::try_from(i32::from(own.column) + distance).ok();
    let source = column.and_then(|column| {
        let row = setup.source_row;
        cell.shape.cell_index(CellId { row, column })
    });
    if distance > SWITCH_REACH {
        let message = format!("hb_index={} reaches too far", setup.hb_index);
        let help = "0 is two columns to the left, 2 the same column, 4 two to the right";
        diags.push(cell.error(&codes::SETTING, item, message, help));
    } else if source.is_none() {
        let message = format!(
            "the source, row {} and {} columns from {own}, is outside the fabric",
            setup.source_row, distance
        );
        let help = format!("there are {}", cell.shape);
        diags.push(cell.error(&codes::SETTING, item, message, help));
    }
    if setup.to_other_row != (setup.source_row != own.row) {
        let rows = format!(
            "source in row {}, destination in {}",
            setup.source_row, own.row
        );
        let message = format!("send_to_other_row doesn't fit the rows: {rows}");
        let help = "it is y if the rows differ, else n";
        diags.push(cell.error(&codes::SETTING, item, message, help));
    }
    if setup.v_index >= SWITCH_INPUTS {
        let message = format!("v_index={} names no input", setup.v_index);
        let help = "0 and 1 are write ports of the register file, 2 to 5 inputs of the DPU";
        diags.push(cell.error(&codes::SETTING, item, message, help));
    }
}

fn route(cell: &CheckedCell<'_>, item: usize, setup: RouteSetup, diags: &mut Diags) {
    let column = i32::from(cell.cell().column);
    let hops = i32::from(setup.horizontal_hops);
    let column = if setup.east {
        column + hops
    } else {
        column - hops
    };
    let row = i32::from(setup.vertical_hops) - 1;
    let sram = u8::try_from(row).ok().zip(u8::try_from(column).ok());
    let sram = sram.filter(|(row, column)| {
        let at = CellId {
            row: *row,
            column: *column,
        };
        setup.north && cell.shape.sram_index(at).is_some()
    });
    if sram.is_none() {
        let message = "the route leads to no SRAM";
        let help = "the SRAMs are north of the cells: vertical_dir=n, vertical_hops=1, and columns \
                    inside the fabric";
        diags.push(cell.error(&codes::SETTING, item, message, help));
    }
    if setup.cell_row >= cell.shape.rows {
        let message = format!("there is no row {} of cells", setup.cell_row);
        let help = format!("there are {}", cell.shape);
        diags.push(cell.error(&codes::SETTING, item, message, help));
    }
}

/// A walk of which all that matters for its addresses is static.
fn static_walk(setup: &WalkSetup, negative: bool) -> Option<AddressWalk> {
    let value = |setting| match setting {
        Setting::Static(value) => Some(value),
        Setting::Register(_) => None,
    };
    let count = |setting| Some(value(setting)?.unsigned_abs().saturating_add(1));
    let step = value(setup.inner_step)?;
    Some(AddressWalk {
        first: value(setup.first)?,
        initial_delay: 0,
        inner: WalkLevel {
            iterations: count(setup.inner_iterations)?,
            step: if negative { -step } else { step },
            delay: 0,
        },
        outer: WalkLevel {
            iterations: count(setup.outer_iterations)?,
            step: value(setup.outer_step)?,
            delay: 0,
        },
    })
}

/// A walk of a port stays in the register file.
pub fn register_file_range(
    cell: &CheckedCell<'_>,
    item: usize,
    dimarch: bool,
    walk: &AddressWalk,
    diags: &mut Diags,
) {
    let (most, unit) = if dimarch {
        (REGISTER_FILE_BLOCKS, "blocks")
    } else {
        (REGISTER_FILE_WORDS, "words")
    };
    range(cell, item, walk, most, unit, diags);
}

/// A walk of an SRAM stays in it.
pub fn sram_range(cell: &CheckedCell<'_>, item: usize, walk: &AddressWalk, diags: &mut Diags) {
    range(cell, item, walk, SRAM_ROWS, "rows", diags);
}

fn range(
    cell: &CheckedCell<'_>,
    item: usize,
    walk: &AddressWalk,
    most: usize,
    unit: &str,
    diags: &mut Diags,
) {
    let (low, high) = walk.range();
    if low < 0 || high >= most as i64 {
        let message = format!("the walk goes over {unit} {low} to {high}");
        let help = format!("{unit} go from 0 to {}", most - 1);
        diags.push(cell.error(&codes::ADDRESS, item, message, help));
    }
}
