//! Wrong schedules of compiled bodies: the checker refuses each, or it computes the same.

use std::sync::Arc;

use aiec_core::{CoreArch, CoreIsa, Register};
use aiec_sim::core::isa::MachineCodeCore;
use aiec_sim::core::{CoreStop, MemoryTile};
use fastrand::Rng;

use super::assemble::{Scheduled, schedule_program, write};
use super::frame::Value;
use super::layout::CodeBlock;
use super::schedule::Bundle;
use super::{AssembleError, AssembledProgram, MachineProgram};
use crate::MachineCore;
use crate::test_cores::test_core;

/// Mutations of all bodies on one architecture.
const MUTATIONS: usize = 400;
/// Bundles after which a mutated program counts as one that never ends.
const BUDGET: u64 = 100_000;
/// Bundles that an instruction is moved at most.
const MAX_MOVE: usize = 4;

/// Bodies over the buffers `%a`, `%b`, `%d` of 64 × i32, `%w` of 64 × i64.
const BODIES: [&str; 7] = [
    // A vectorised loop whose iterations overlap.
    "scf.for %i = %c0 to %c64 step %c1 {
       %x = memref.load %a[%i] : memref<64xi32>
       %y = arith.muli %x, %k : i32
       memref.store %y, %d[%i] : memref<64xi32>
     }",
    // Two loops: the second one begins while the first one ends.
    "scf.for %i = %c0 to %c64 step %c1 {
       %x = memref.load %a[%i] : memref<64xi32>
       %y = arith.muli %x, %k : i32
       memref.store %y, %d[%i] : memref<64xi32>
     }
     scf.for %i = %c0 to %c64 step %c1 {
       %x = memref.load %b[%i] : memref<64xi32>
       %y = arith.addi %x, %k : i32
       memref.store %y, %a[%i] : memref<64xi32>
     }",
    // A value from one iteration to the next.
    "%s = scf.for %i = %c0 to %c64 step %c1 iter_args(%sum = %k) -> (i32) {
       %x = memref.load %a[%i] : memref<64xi32>
       %y = memref.load %b[%i] : memref<64xi32>
       %p = arith.muli %x, %y : i32
       %n = arith.xori %sum, %p : i32
       %t = arith.addi %n, %x : i32
       scf.yield %t : i32
     }
     memref.store %s, %d[%c0] : memref<64xi32>",
    // Branches, in a loop and after it.
    "scf.for %i = %c0 to %c64 step %c1 {
       %x = memref.load %a[%i] : memref<64xi32>
       %y = memref.load %b[%i] : memref<64xi32>
       %less = arith.cmpi slt, %x, %y : i32
       scf.if %less {
         memref.store %x, %d[%i] : memref<64xi32>
       } else {
         %z = arith.subi %y, %k : i32
         memref.store %z, %d[%i] : memref<64xi32>
       }
     }",
    // Routines.
    "scf.for %i = %c0 to %c8 step %c1 {
       %x = memref.load %a[%i] : memref<64xi32>
       %y = memref.load %b[%i] : memref<64xi32>
       %q = arith.divsi %x, %k : i32
       %r = arith.remsi %y, %k : i32
       %z = arith.subi %q, %r : i32
       memref.store %z, %d[%i] : memref<64xi32>
     }",
    // Pairs of registers.
    "scf.for %i = %c0 to %c8 step %c1 {
       %x = memref.load %w[%i] : memref<64xi64>
       %y = arith.addi %x, %x : i64
       %z = arith.shrsi %y, %one : i64
       memref.store %z, %w[%i] : memref<64xi64>
     }",
    // Nested loops.
    "scf.for %i = %c0 to %c8 step %c1 {
       scf.for %j = %c0 to %c8 step %c1 {
         %base = arith.muli %i, %c8 : index
         %at = arith.addi %base, %j : index
         %s = scf.for %l = %c0 to %c8 step %c1 iter_args(%sum = %k) -> (i32) {
           %left = arith.addi %base, %l : index
           %below = arith.muli %l, %c8 : index
           %right = arith.addi %below, %j : index
           %x = memref.load %a[%left] : memref<64xi32>
           %y = memref.load %b[%right] : memref<64xi32>
           %p = arith.muli %x, %y : i32
           %n = arith.addi %sum, %p : i32
           scf.yield %n : i32
         }
         memref.store %s, %d[%at] : memref<64xi32>
       }
     }",
];

fn core_of(arch: CoreArch, body: &str) -> MachineCore {
    let buffers = "%a = aie.buffer(%tile) {address = 8192 : i32} : memref<64xi32>
           %b = aie.buffer(%tile) {address = 16384 : i32} : memref<64xi32>
           %d = aie.buffer(%tile) {address = 24576 : i32} : memref<64xi32>
           %w = aie.buffer(%tile) {address = 32768 : i32} : memref<64xi64>";
    let constants = "%c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %c8 = arith.constant 8 : index
             %c64 = arith.constant 64 : index
             %k = arith.constant 7 : i32
             %one = arith.constant 1 : i64";
    let (made, diags) = test_core(arch, buffers, &format!("{constants}\n{body}"), 4096);
    made.unwrap_or_else(|_| panic!("{diags:?}"))
}

/// The data memory after a run, or the fault that stopped it.
fn run(core: &MachineCore, code: &AssembledProgram) -> Result<Vec<u8>, String> {
    let mut rng = Rng::with_seed(3);
    let mut tile = MemoryTile((0..0x1_0000).map(|_| rng.u8(..)).collect());
    for segment in &core.data {
        let at = segment.offset as usize;
        tile.0[at..at + segment.bytes.len()].copy_from_slice(&segment.bytes);
    }
    let bytes: Arc<[u8]> = Arc::from(code.bytes.clone());
    let mut machine = MachineCodeCore::new(core.program.arch, bytes, true);
    machine.allow_old_reads(&code.old_reads);
    match machine.run(&mut tile, BUDGET).stop {
        CoreStop::Done => Ok(tile.0),
        stop => Err(format!("{stop:?}")),
    }
}

/// The lists of bundles of a block.
fn lists(block: &mut CodeBlock) -> Vec<&mut Vec<Bundle>> {
    let regions = block.regions.iter_mut().map(|region| &mut region.bundles);
    regions
        .chain([&mut block.prologue, &mut block.epilogue])
        .filter(|bundles| !bundles.is_empty())
        .collect()
}

/// Puts an instruction of one bundle into another one near it, whose slot for it is free.
fn move_instruction(isa: &CoreIsa, block: &mut CodeBlock, rng: &mut Rng) -> bool {
    let slots: Vec<_> = block
        .insts
        .iter()
        .map(|inst| isa.instructions[usize::from(inst.row)].slot)
        .collect();
    let mut lists = lists(block);
    if lists.is_empty() {
        return false;
    }
    let at = rng.usize(..lists.len());
    let bundles = &mut lists[at];
    let from = rng.usize(..bundles.len());
    let least = from.saturating_sub(MAX_MOVE);
    let to = rng.usize(least..(from + MAX_MOVE + 1).min(bundles.len()));
    if bundles[from].is_empty() || to == from {
        return false;
    }
    let moved = bundles[from][rng.usize(..bundles[from].len())];
    let slot = slots[moved as usize];
    if bundles[to].iter().any(|inst| slots[*inst as usize] == slot) {
        return false;
    }
    bundles[from].retain(|inst| *inst != moved);
    bundles[to].push(moved);
    true
}

/// Exchanges two bundles that follow one another.
fn exchange_bundles(block: &mut CodeBlock, rng: &mut Rng) -> bool {
    let mut lists = lists(block);
    if lists.is_empty() {
        return false;
    }
    let at = rng.usize(..lists.len());
    let bundles = &mut lists[at];
    let first = rng.usize(..bundles.len());
    if first + 1 >= bundles.len() || bundles[first] == bundles[first + 1] {
        return false;
    }
    bundles.swap(first, first + 1);
    true
}

/// Leaves an empty bundle out, so that results have a cycle less.
fn shorten(block: &mut CodeBlock, rng: &mut Rng) -> bool {
    let mut lists = lists(block);
    if lists.is_empty() {
        return false;
    }
    let at = rng.usize(..lists.len());
    let bundles = &mut lists[at];
    let place = rng.usize(..bundles.len());
    if !bundles[place].is_empty() {
        return false;
    }
    bundles.remove(place);
    true
}

/// Exchanges a register of an instruction by its neighbour, in the code only, not in its intended
/// meaning.
fn exchange_register(block: &mut CodeBlock, rng: &mut Rng) -> bool {
    if block.insts.is_empty() {
        return false;
    }
    let at = rng.usize(..block.insts.len());
    let operands = &mut block.insts[at].operands;
    let registers = operands.iter_mut().filter_map(|operand| match operand {
        Value::Register(register) => Some(register),
        _ => None,
    });
    let mut registers: Vec<&mut Register> = registers.collect();
    if registers.is_empty() {
        return false;
    }
    let at = rng.usize(..registers.len());
    let old = *registers[at];
    *registers[at] = Register::new(old.file, old.number ^ 1);
    true
}

/// Changes one thing; returns its kind, if there was something of it at the place that was drawn.
fn mutate(isa: &CoreIsa, scheduled: &mut Scheduled, rng: &mut Rng) -> Option<usize> {
    let function = rng.usize(..scheduled.blocks.len());
    let blocks = &mut scheduled.blocks[function];
    let at = rng.usize(..blocks.len());
    let block = &mut blocks[at];
    let kind = rng.usize(..4);
    let is_changed = match kind {
        0 => move_instruction(isa, block, rng),
        1 => exchange_bundles(block, rng),
        2 => shorten(block, rng),
        _ => exchange_register(block, rng),
    };
    is_changed.then_some(kind)
}

fn mutations_of(arch: CoreArch) {
    let isa = CoreIsa::of(arch);
    let mut refused = [0_usize; 4];
    let mut harmless = [0_usize; 4];
    let mut wrong = Vec::new();
    let each = MUTATIONS / BODIES.len() + 1;
    for (number, body) in BODIES.iter().enumerate() {
        let core = core_of(arch, body);
        let program: &MachineProgram = &core.program;
        let scheduled = schedule_program(program, true).expect("a schedule");
        let right = write(isa, program, &scheduled).expect("its code");
        let meant = run(&core, &right).expect("a run");
        let mut rng = Rng::with_seed(number as u64);
        let mut made = 0;
        while made < each {
            let mut mutated = scheduled.clone();
            let Some(kind) = mutate(isa, &mut mutated, &mut rng) else {
                continue;
            };
            made += 1;
            match write(isa, program, &mutated) {
                Err(AssembleError::Unsound(_) | AssembleError::NotEncodable { .. }) => {
                    refused[kind] += 1;
                }
                Err(error) => panic!("{arch} body {number}: {error}"),
                Ok(code) if code.bytes == right.bytes => harmless[kind] += 1,
                Ok(code) => match run(&core, &code) {
                    // Below the buffers is the stack, where spills may lie in another order.
                    Ok(memory) if memory[0x2000..] == meant[0x2000..] => harmless[kind] += 1,
                    Ok(_) => wrong.push(format!("body {number}, {made}, kind {kind}: other data")),
                    Err(stop) => wrong.push(format!("body {number}, {made}, kind {kind}: {stop}")),
                },
            }
        }
    }
    println!(
        "{arch}: moved, exchanged, shortened, registers: refused {refused:?}, harmless {harmless:?}"
    );
    assert!(wrong.is_empty(), "{arch}:\n{}", wrong.join("\n"));
    // Not passed by a checker that refuses nothing.
    assert!(
        refused.iter().all(|refused| *refused > each / 8),
        "{refused:?}"
    );
}

#[test]
fn wrong_schedules_of_aie2_are_refused_or_harmless() {
    mutations_of(CoreArch::Aie2);
}

#[test]
fn wrong_schedules_of_aie2p_are_refused_or_harmless() {
    mutations_of(CoreArch::Aie2p);
}

#[test]
fn wrong_schedules_of_aie2ps_are_refused_or_harmless() {
    mutations_of(CoreArch::Aie2ps);
}
