//! A checker of allocation: interprets the function with the registers that it was given, over its
//! control flow, and looks whether each operand finds what was last written to its virtual register.
//!
//! The state is, for each unit, whose value is in it: of a lane of a virtual register, of a physical
//! register, or unknown. Where ways meet that disagree it is unknown. It knows nothing of live ranges
//! or of how registers were chosen (after `regalloc2: src/checker.rs`).

use aiec_core::{CoreIsa, Register};

use super::liveness::{AccessedUnits, CalleeUnits, places};
use super::prepare::Allocation;
use super::register::{UNITS, Unit, units};
use super::{MachineInst, VirtualRegister};

/// Whose value a unit has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    /// Of a lane of a virtual register.
    Virtual(VirtualRegister, u8),
    /// Not written yet: an argument, or no value.
    Start,
    /// Of a physical register.
    Physical,
    /// It depends on the way.
    Unknown,
}

/// An operand that finds another value than its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WrongRegister {
    pub block: usize,
    pub step: usize,
    pub unit: Unit,
}

struct Checker<'a> {
    isa: &'a CoreIsa,
    allocation: &'a Allocation,
    callees: &'a CalleeUnits,
    registers: Vec<Option<super::register::Units>>,
}

impl Checker<'_> {
    /// Visits the units of a place, with the holder of each while the place has its value.
    fn of(&self, place: AccessedUnits, visit: &mut dyn FnMut(Unit, Holder)) {
        match place {
            AccessedUnits::Unit(unit) => visit(unit, Holder::Physical),
            AccessedUnits::Virtual(register, lanes) => {
                let units = self.registers[register.0 as usize].as_ref();
                for (lane, unit) in units.into_iter().flatten().enumerate() {
                    if lanes >> lane & 1 != 0 {
                        visit(*unit, Holder::Virtual(register, lane as u8));
                    }
                }
            }
        }
    }

    /// Executes a step; the unit that has another value than it should.
    fn step(&self, inst: &MachineInst, state: &mut [Holder], check: bool) -> Option<Unit> {
        let function = &self.allocation.function;
        let mut wrong = None;
        places(
            self.isa,
            function,
            self.callees,
            inst,
            |place, is_read, _| {
                if is_read && check {
                    self.of(place, &mut |unit, holder| {
                        // A lane that has no value yet may be read: the front half reads vectors as a whole of
                        // which it uses a part.
                        let held = state[usize::from(unit)];
                        if held != holder && held != Holder::Start {
                            wrong = wrong.or(Some(unit));
                        }
                    });
                }
            },
        );
        places(
            self.isa,
            function,
            self.callees,
            inst,
            |place, _, is_written| {
                if is_written {
                    self.of(place, &mut |unit, holder| state[usize::from(unit)] = holder);
                }
            },
        );
        wrong
    }
}

/// Checks the registers of a function.
pub(super) fn check_allocation(
    isa: &CoreIsa,
    allocation: &Allocation,
    callees: &CalleeUnits,
) -> Result<(), WrongRegister> {
    let of = |register: &Option<Register>| register.map(|register| units(isa.arch, register));
    let checker = Checker {
        isa,
        allocation,
        callees,
        registers: allocation.registers.iter().map(of).collect(),
    };
    let blocks = &allocation.function.blocks;
    let mut entry: Vec<Option<Vec<Holder>>> = vec![None; blocks.len()];
    if let Some(first) = entry.first_mut() {
        *first = Some(vec![Holder::Start; UNITS]);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (at, block) in blocks.iter().enumerate() {
            let Some(mut state) = entry[at].clone() else {
                continue;
            };
            for inst in &block.insts {
                checker.step(inst, &mut state, false);
            }
            for successor in &block.successors {
                let into = &mut entry[successor.0 as usize];
                let Some(known) = into else {
                    *into = Some(state.clone());
                    changed = true;
                    continue;
                };
                for (known, holder) in known.iter_mut().zip(&state) {
                    let joined = match (*known, *holder) {
                        (a, b) if a == b => a,
                        // No value on one way is any value.
                        (Holder::Start, other) | (other, Holder::Start) => other,
                        _ => Holder::Unknown,
                    };
                    changed |= *known != joined;
                    *known = joined;
                }
            }
        }
    }
    for (at, block) in blocks.iter().enumerate() {
        // An unreachable block isn't executed.
        let Some(mut state) = entry[at].take() else {
            continue;
        };
        for (step, inst) in block.insts.iter().enumerate() {
            if let Some(unit) = checker.step(inst, &mut state, true) {
                return Err(WrongRegister {
                    block: at,
                    step,
                    unit,
                });
            }
        }
    }
    Ok(())
}
