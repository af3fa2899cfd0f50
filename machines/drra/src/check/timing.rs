//! Runs the sequencer of a cell up to its end or the first BRANCH, and finds walks that are issued
//! too early.

use std::collections::HashSet;

use aiec_diag::{Diags, Severity};

use super::CheckedCell;
use super::settings::{register_file_range, sram_range};
use crate::codes;
use crate::operation::{DrraOperation, Setting};
use crate::sequencer::{IssuedOperation, Sequencer, SequencerFault};

/// Instructions that are run at most.
const MAX_ISSUES: u32 = 1 << 16;
/// Ports of a register file, and their names.
const PORTS: [&str; 4] = ["w0", "w1", "r0", "r1"];

/// A walk under way.
#[derive(Clone, Copy)]
struct WalkUnderWay {
    item: usize,
    issued: u64,
    last: u64,
}

/// State of a run of one cell's sequencer.
struct TimingChecker<'c, 'a> {
    cell: &'c CheckedCell<'a>,
    ports: [Option<WalkUnderWay>; PORTS.len()],
    srams: [Option<WalkUnderWay>; 2],
    /// Instructions about which something was found.
    reported: HashSet<usize>,
}

/// Runs a cell.
pub fn check(cell: &CheckedCell<'_>, diags: &mut Diags) {
    let mut checker = TimingChecker {
        cell,
        ports: [None; PORTS.len()],
        srams: [None; 2],
        reported: HashSet::new(),
    };
    let mut sequencer = Sequencer::new(&cell.code);
    for _ in 0..MAX_ISSUES {
        let Some(due) = sequencer.due() else { return };
        let at = cell.code.index_at(sequencer.pc());
        match sequencer.step(&cell.code, 0) {
            Err(fault) => return fault_of(cell, at, fault, diags),
            Ok(IssuedOperation {
                operation: DrraOperation::Branch { .. },
                ..
            }) => return,
            Ok(issued) => checker.issued(&issued, due, diags),
        }
    }
}

fn fault_of(cell: &CheckedCell<'_>, at: Option<usize>, fault: SequencerFault, diags: &mut Diags) {
    let last = cell.program.items.len().saturating_sub(1);
    let item = at.unwrap_or(last);
    match fault {
        // an unknown instruction was reported when it was read
        SequencerFault::Unknown => {}
        SequencerFault::NoInstruction => {
            let message = format!("the code of cell {} runs past its end", cell.cell());
            let help = "put HALT at its end";
            let mut diag = cell.error(&codes::NO_END, item, message, help);
            diag.severity = Severity::Warning;
            diags.push(diag);
        }
        SequencerFault::NoIterations | SequencerFault::SlotInUse(_) | SequencerFault::Slot(_) => {
            let help = "the values of registers decide it: follow RACCU up to here";
            diags.push(cell.error(&codes::LOOP, item, fault.to_string(), help));
        }
        SequencerFault::Register(_) => {
            let help = "results go to registers 0 to 11";
            diags.push(cell.error(&codes::SETTING, item, fault.to_string(), help));
        }
    }
}

impl TimingChecker<'_, '_> {
    fn issued(&mut self, issued: &IssuedOperation, now: u64, diags: &mut Diags) {
        let Some(walk) = issued.walk else { return };
        let item = issued.index;
        let mut found = Diags::new();
        let (slot, name, begins) = match issued.operation {
            DrraOperation::Refi(refi) => {
                if !is_static(refi.walk.first) {
                    register_file_range(self.cell, item, refi.dimarch, &walk, &mut found);
                }
                let port = usize::from(refi.port);
                let Some(slot) = self.ports.get_mut(port) else {
                    return;
                };
                (slot, format!("port {}", PORTS[port]), now)
            }
            DrraOperation::Sram(sram) => {
                if !is_static(sram.walk.first) {
                    sram_range(self.cell, item, &walk, &mut found);
                }
                let name = if sram.write { "writing" } else { "reading" };
                let begins = now + u64::from(sram.hops) + 1;
                let slot = &mut self.srams[usize::from(sram.write)];
                (slot, format!("the SRAM for {name}"), begins)
            }
            _ => return,
        };
        if let Some(before) = slot.filter(|before| now <= before.last) {
            let message = format!(
                "{name} gets a walk in cycle {now}, its last one goes on until cycle {}",
                before.last
            );
            let wait = before.last - now;
            let help = format!("issue it {} cycles later, with a WAIT", wait + 1);
            let diag = self.cell.error(&codes::TIMING, item, message, help);
            let text = format!("issued in cycle {}", before.issued);
            found.push(diag.label(self.cell.span(before.item), text));
        }
        *slot = Some(WalkUnderWay {
            item,
            issued: now,
            last: begins + walk.last_cycle(),
        });
        if !found.is_empty() && self.reported.insert(item) {
            diags.append(found);
        }
    }
}

fn is_static(setting: Setting) -> bool {
    matches!(setting, Setting::Static(_))
}
