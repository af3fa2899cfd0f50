//! Wrong schedules of compiled kernels: a bundle moved, or two exchanged. The meaning of bundles is
//! their effect one after another, each finished before the next is issued. Strict execution
//! refuses every schedule that leaves other data than that.

use std::sync::Arc;

use aiec_core::elf::read_program;
use aiec_core::{CoreIsa, CoreProgram, SweptPiece};
use aiec_sim::core::isa::MachineCodeCore;
use aiec_sim::core::{CoreStop, MemoryTile};
use aiec_test::driver::aiec;
use fastrand::Rng;

/// Wrong schedules of each kernel; `AIEC_TEST_SIZE=N` makes N times as many.
const MUTATIONS: u64 = 85;
/// Cycles after which a program counts as one that never ends.
const BUDGET: u64 = 20_000;
/// Bundles that one is moved past at most.
const MAX_MOVE: usize = 4;
/// Bundles in the delay slots of a call.
const DELAY_SLOTS: u32 = 5;

/// Kernels over `%a`, `%b` and `%d` of 64 × i32, whose loops are as long as memory says: iterations of those
/// don't overlap, so that no old value is read on purpose.
const KERNELS: [&str; 4] = [
    // Products and sums of numbers.
    "scf.for %i = %c0 to %n step %c1 {
       %x = memref.load %a[%i] : memref<64xi32>
       %y = memref.load %b[%i] : memref<64xi32>
       %p = arith.muli %x, %y : i32
       %s = arith.addi %p, %k : i32
       %t = arith.xori %s, %x : i32
       memref.store %t, %d[%i] : memref<64xi32>
     }",
    // Branches in a loop.
    "scf.for %i = %c0 to %n step %c1 {
       %x = memref.load %a[%i] : memref<64xi32>
       %y = memref.load %b[%i] : memref<64xi32>
       %less = arith.cmpi slt, %x, %y : i32
       scf.if %less {
         %p = arith.muli %x, %k : i32
         memref.store %p, %d[%i] : memref<64xi32>
       } else {
         %q = arith.subi %y, %k : i32
         memref.store %q, %d[%i] : memref<64xi32>
       }
     }",
    // A routine, and a value from one iteration to the next.
    "%last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %k) -> (i32) {
       %x = memref.load %a[%i] : memref<64xi32>
       %q = arith.divsi %x, %k : i32
       %s = arith.addi %q, %sum : i32
       memref.store %s, %d[%i] : memref<64xi32>
       scf.yield %s : i32
     }
     memref.store %last, %b[%c0] : memref<64xi32>",
    // Vectors.
    "scf.for %i = %c0 to %n step %c1 {
       %at = arith.muli %i, %c16 : index
       %in = arith.remui %at, %c64 : index
       %x = vector.load %a[%in] : memref<64xi32>, vector<16xi32>
       %y = vector.load %b[%in] : memref<64xi32>, vector<16xi32>
       %s = arith.addi %x, %y : vector<16xi32>
       %t = arith.subi %s, %x : vector<16xi32>
       %u = arith.maxsi %t, %s : vector<16xi32>
       vector.store %u, %d[%in] : memref<64xi32>, vector<16xi32>
     }",
];

/// The machine code of a kernel.
fn compiled(device: &str, place: &str, kernel: &str) -> CoreProgram {
    let text = format!(
        "aie.device({device}) {{
           %tile = aie.tile({place})
           %a = aie.buffer(%tile) {{address = 8192 : i32}} : memref<64xi32>
           %b = aie.buffer(%tile) {{address = 16384 : i32}} : memref<64xi32>
           %d = aie.buffer(%tile) {{address = 24576 : i32}} : memref<64xi32>
           %core = aie.core(%tile) {{
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %c16 = arith.constant 16 : index
             %c64 = arith.constant 64 : index
             %k = arith.constant 7 : i32
             %count = memref.load %a[%c0] : memref<64xi32>
             %few = arith.andi %count, %k : i32
             %n = arith.index_cast %few : i32 to index
             {kernel}
             aie.end
           }}
         }}"
    );
    let elf = aiec(["-", "--emit=core-elf", "-o", "-"], text.as_bytes()).output();
    let elf = elf.unwrap_or_else(|said| panic!("{said}\n{text}"));
    read_program(&elf).expect("a program")
}

/// A kernel, with the memory that it runs on.
struct Kernel {
    program: CoreProgram,
    memory: Vec<u8>,
}

impl Kernel {
    fn new(device: &str, place: &str, kernel: &str) -> Kernel {
        let program = compiled(device, place, kernel);
        let mut rng = Rng::with_seed(7);
        let mut memory: Vec<u8> = (0..0x1_0000).map(|_| rng.u8(..)).collect();
        // Five rounds.
        memory[8192] = 5;
        for section in &program.sections {
            if section.kind.is_in_data_memory() {
                let at = section.address as usize & 0xFFFF;
                memory[at..at + section.bytes.len()].copy_from_slice(&section.bytes);
            }
        }
        Kernel { program, memory }
    }

    fn machine(&self, code: &[u8], strict: bool) -> (MachineCodeCore, MemoryTile) {
        let mut machine = MachineCodeCore::new(self.program.arch, Arc::from(code), strict);
        machine.set_pc(self.program.entry);
        machine.allow_old_reads(&self.program.old_reads());
        (machine, MemoryTile(self.memory.clone()))
    }

    /// Data memory after a run, or what stopped it.
    fn run(&self, code: &[u8], strict: bool) -> Result<Vec<u8>, String> {
        let (mut machine, mut tile) = self.machine(code, strict);
        match machine.run(&mut tile, BUDGET).stop {
            CoreStop::Done => Ok(tile.0),
            stop => Err(format!("{stop:?}")),
        }
    }

    /// Data memory after a run in which each bundle is finished before the next is issued, but in the
    /// delay slots of calls: until the call takes place lr is that of the caller.
    fn run_apart(&self, code: &[u8]) -> Option<Vec<u8>> {
        let (mut machine, mut tile) = self.machine(code, false);
        let mut slots = 0;
        for _ in 0..BUDGET {
            let calls = is_call(CoreIsa::of(self.program.arch), code, machine.pc());
            match machine.run(&mut tile, 1).stop {
                CoreStop::Done => return Some(tile.0),
                CoreStop::Budget => {}
                _ => return None,
            }
            slots = if calls { DELAY_SLOTS } else { slots };
            if slots == 0 {
                machine.finish(&mut tile).ok()?;
            } else {
                slots -= 1;
            }
        }
        None
    }
}

fn is_call(isa: &CoreIsa, code: &[u8], pc: u32) -> bool {
    let bundle = code.get(pc as usize..).map(|bytes| isa.decode(bytes));
    let Some(Ok(bundle)) = bundle else {
        return false;
    };
    bundle.slots.iter().any(|(_, instruction)| {
        isa.instructions[usize::from(instruction.instruction)].mnemonic == "jl"
    })
}

/// A bundle moved past some others, or exchanged with the next.
fn mutate(isa: &CoreIsa, code: &[u8], rng: &mut Rng) -> Vec<u8> {
    let bundles: Vec<(usize, usize)> = isa
        .sweep(code, 0)
        .filter(|(_, piece)| matches!(piece, SweptPiece::Bundle(_)))
        .map(|(at, piece)| (at, at + piece.length()))
        .collect();
    let from = rng.usize(0..bundles.len());
    let most = (from + 1 + MAX_MOVE).min(bundles.len() - 1);
    let to = rng.usize(from..=most);
    let mut mutant = code.to_vec();
    let window = &mut mutant[bundles[from].0..bundles[to].1];
    let (first, last) = (bundles[from], bundles[to]);
    if rng.bool() {
        window.rotate_left(first.1 - first.0);
    } else {
        window.rotate_right(last.1 - last.0);
    }
    mutant
}

fn wrong_schedules_of(device: &str, place: &str) {
    let factor = std::env::var("AIEC_TEST_SIZE").ok();
    let factor: u64 = factor.map_or(1, |text| text.parse().expect("a number"));
    let (mut differ, mut made) = (0, 0);
    for (number, text) in KERNELS.iter().enumerate() {
        let kernel = Kernel::new(device, place, text);
        let isa = CoreIsa::of(kernel.program.arch);
        let code = kernel.program.code();
        let right = kernel.run(&code, true);
        let right = right.unwrap_or_else(|stop| panic!("{device}, kernel {number}: {stop}"));
        assert!(
            kernel.run_apart(&code).as_ref() == Some(&right),
            "{device}, kernel {number} means what it does"
        );
        let mut rng = Rng::with_seed(number as u64);
        for _ in 0..MUTATIONS * factor {
            let mutant = mutate(isa, &code, &mut rng);
            made += 1;
            let Ok(left) = kernel.run(&mutant, false) else {
                continue;
            };
            if kernel.run_apart(&mutant) == Some(left) {
                continue;
            }
            differ += 1;
            assert!(
                kernel.run(&mutant, true).is_err(),
                "{device}, kernel {number}: strict execution takes {mutant:02x?}"
            );
        }
    }
    println!("{device}: of {made} schedules {differ} leave other data than they mean, all refused");
    assert!(differ * 20 > made, "{device}: {differ} of {made}");
}

#[test]
fn wrong_schedules_on_aie2_are_refused() {
    wrong_schedules_of("npu1", "0, 2");
}

#[test]
fn wrong_schedules_on_aie2p_are_refused() {
    wrong_schedules_of("npu2", "0, 2");
}

#[test]
fn wrong_schedules_on_aie2ps_are_refused() {
    wrong_schedules_of("xcve3858", "0, 3");
}
