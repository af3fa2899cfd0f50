//! A checker of the changes to the steps of a block before its registers are given away: sums get
//! one register ([`super::sums`]), and a loop whose schedule was found over virtual registers gets
//! an order in which registers can be shared ([`super::overlap`]). The checker of finished code
//! takes what these leave as what was meant.
//!
//! The block is executed twice, as it was and as it is, with symbols for values: each place that a step reads has the same
//! symbol both ways, and so has at the end each place that is read beyond the block. Accesses of memory that may touch the
//! same bytes keep their order.

use aiec_core::CoreIsa;
use rustc_hash::{FxHashMap, FxHashSet};

use super::check::apart;
use super::frame::Memory;
use super::liveness::{AccessedUnits, places};
use super::register::Unit;
use super::schedule::{Effect, effect_of};
use super::{MachineFunction, MachineInst, MachineOp, VirtualRegister};

/// A unit of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum SymbolicUnit {
    Virtual(VirtualRegister, u8),
    Physical(Unit),
}

/// A value: of a place at the start of the block, or the result of a step, which is numbered as in the block as it was, and
/// the place of it among those that the step writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Start(SymbolicUnit),
    Result(usize, usize),
}

/// The places that a step reads and writes, in the order of its operands.
fn accessed(
    isa: &CoreIsa,
    function: &MachineFunction,
    inst: &MachineInst,
) -> (Vec<SymbolicUnit>, Vec<SymbolicUnit>) {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    places(isa, function, &[], inst, |units, is_read, is_written| {
        let mut add = |place: SymbolicUnit| {
            if is_read {
                read.push(place);
            }
            if is_written {
                written.push(place);
            }
        };
        match units {
            AccessedUnits::Unit(unit) => add(SymbolicUnit::Physical(unit)),
            AccessedUnits::Virtual(register, lanes) => (0..16)
                .filter(|lane| lanes >> lane & 1 != 0)
                .for_each(|lane| add(SymbolicUnit::Virtual(register, lane))),
        }
    });
    (read, written)
}

/// The values that the steps of a block read, and the places that have other values at its end.
struct Executed {
    read: Vec<Vec<Symbol>>,
    end: FxHashMap<SymbolicUnit, Symbol>,
}

/// Executes a block; `number` is the number of each step in the block as it was.
fn execute(isa: &CoreIsa, function: &MachineFunction, block: usize, number: &[usize]) -> Executed {
    let insts = &function.blocks[block].insts;
    let mut executed = Executed {
        read: vec![Vec::new(); insts.len()],
        end: FxHashMap::default(),
    };
    for (inst, number) in insts.iter().zip(number) {
        let (read, written) = accessed(isa, function, inst);
        let value = |place| executed.end.get(place).copied();
        let symbols = read
            .iter()
            .map(|place| value(place).unwrap_or(Symbol::Start(*place)))
            .collect();
        executed.read[*number] = symbols;
        for (nth, place) in written.iter().enumerate() {
            executed.end.insert(*place, Symbol::Result(*number, nth));
        }
    }
    executed
}

/// The memory that a step accesses, and whether it stores; an effect besides it counts as a store of anything.
fn memory(isa: &CoreIsa, inst: &MachineInst) -> Option<(Memory, bool)> {
    match inst.op {
        MachineOp::Row(row) => {
            if effect_of(isa, row) != Effect::None {
                return Some((Memory::Any, true));
            }
            let instruction = &isa.instructions[usize::from(row)];
            let touches = !isa.stages(row).is_empty() || instruction.memory.is_some();
            let accessed = inst.access.map_or(Memory::Any, Memory::Object);
            touches.then_some((accessed, instruction.is_store))
        }
        MachineOp::Spill(_) | MachineOp::Reload(_) => Some((Memory::Any, true)),
        _ => None,
    }
}

/// Checks a block of a function against its former state; `order` has, for each step, its number
/// there. Otherwise returns the first step that is wrong.
pub(super) fn check_steps(
    isa: &CoreIsa,
    before: &MachineFunction,
    after: &MachineFunction,
    block: usize,
    order: &[usize],
) -> Result<(), usize> {
    let count = before.blocks[block].insts.len();
    let mut is_there = vec![false; count];
    order.iter().for_each(|step| is_there[*step] = true);
    if order.len() != count || after.blocks[block].insts.len() != count || is_there.contains(&false)
    {
        return Err(0);
    }
    let plain: Vec<usize> = (0..count).collect();
    let meant = execute(isa, before, block, &plain);
    let done = execute(isa, after, block, order);
    if let Some(at) = order
        .iter()
        .position(|step| meant.read[*step] != done.read[*step])
    {
        return Err(at);
    }
    // Places that another block, or the next execution of this one, reads.
    let mut read_beyond: FxHashSet<SymbolicUnit> = FxHashSet::default();
    for other in (0..before.blocks.len()).filter(|other| *other != block) {
        for inst in &before.blocks[other].insts {
            read_beyond.extend(accessed(isa, before, inst).0);
        }
    }
    for symbol in meant.read.iter().flatten() {
        if let Symbol::Start(place) = symbol {
            read_beyond.insert(*place);
        }
    }
    if read_beyond
        .iter()
        .any(|place| meant.end.get(place) != done.end.get(place))
    {
        return Err(count.saturating_sub(1));
    }
    let insts = &after.blocks[block].insts;
    let accesses: Vec<(usize, Memory, bool)> = insts
        .iter()
        .enumerate()
        .filter_map(|(at, inst)| {
            let (memory, stores) = memory(isa, inst)?;
            Some((at, memory, stores))
        })
        .collect();
    for (n, (second, second_memory, second_stores)) in accesses.iter().enumerate() {
        let is_early = accesses[..n].iter().any(|(first, first_memory, stores)| {
            order[*first] > order[*second]
                && (*stores || *second_stores)
                && !apart(*first_memory, *second_memory)
        });
        if is_early {
            return Err(*second);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use aiec_core::{CoreArch, CoreIsa};

    use super::*;
    use crate::test_cores::test_core;

    /// A loop with a load, sums of it, and a store.
    const BODY: &str = "
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c64 = arith.constant 64 : index
        %k = arith.constant 7 : i32
        scf.for %i = %c0 to %c64 step %c1 {
          %x = memref.load %a[%i] : memref<64xi32>
          %y = arith.muli %x, %k : i32
          %z = arith.addi %y, %x : i32
          memref.store %z, %a[%i] : memref<64xi32>
        }";

    #[test]
    fn exchanged_steps_are_right_only_if_neither_needs_the_other() {
        let buffers = "%a = aie.buffer(%tile) {address = 8192 : i32} : memref<64xi32>";
        for arch in CoreArch::ALL {
            let isa = CoreIsa::of(arch);
            let (made, diags) = test_core(arch, buffers, BODY, 1024);
            let made = made.unwrap_or_else(|_| panic!("{diags:?}"));
            let (mut refused, mut taken) = (0, 0);
            for function in &made.program.functions {
                for block in 0..function.blocks.len() {
                    let count = function.blocks[block].insts.len();
                    let mut order: Vec<usize> = (0..count).collect();
                    assert_eq!(check_steps(isa, function, function, block, &order), Ok(()));
                    for at in 1..count {
                        let insts = &function.blocks[block].insts;
                        let [first, second] = [&insts[at - 1], &insts[at]].map(|inst| {
                            let (read, written) = accessed(isa, function, inst);
                            (read, written, memory(isa, inst))
                        });
                        let meets = |a: &[SymbolicUnit], b: &[SymbolicUnit]| {
                            a.iter().any(|p| b.contains(p))
                        };
                        let depends = meets(&first.1, &second.0)
                            || meets(&first.0, &second.1)
                            || matches!((first.2, second.2), (Some((a, x)), Some((b, y)))
                                if (x || y) && !apart(a, b));
                        let mut exchanged = function.clone();
                        exchanged.blocks[block].insts.swap(at - 1, at);
                        order.swap(at - 1, at);
                        let found = check_steps(isa, function, &exchanged, block, &order);
                        order.swap(at - 1, at);
                        if depends {
                            assert!(found.is_err(), "{arch}: {at} of block {block}");
                            refused += 1;
                        } else if !meets(&first.1, &second.1) {
                            assert_eq!(found, Ok(()), "{arch}: {at} of block {block}");
                            taken += 1;
                        }
                    }
                }
            }
            assert!(refused > 3 && taken > 3, "{arch}: {refused}, {taken}");
        }
    }
}
