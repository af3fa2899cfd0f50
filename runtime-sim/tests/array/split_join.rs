//! A design that keeps a whole array busy by DMA alone, for scenarios and for the bench.
//!
//! Each column splits a host buffer over four core tiles and joins it again through its mem tile:
//! objects of 4 × 256 words, every hop double-buffered with locks.

use aiec_core::link::{LinkOptions, link};
use aiec_core::{CoreArch, asm};
use aiec_device::regmap::{BdFields, CoreControl, QueueEntry, RegisterRef};
use aiec_device::{Arch, Bundle, DmaDir::*, TileLoc};
use aiec_diag::FileId;
use aiec_vcode::{Instruction, MemoryImmediate, MemoryType, Opcode};

use super::support::*;

/// Core tiles of a column.
pub const WORKERS: u8 = 4;
/// 32-bit words of an object that each of them gets.
pub const SLICE_WORDS: u32 = 256;
const SLICE_BYTES: u64 = SLICE_WORDS as u64 * 4;
const OWN_WINDOW: u64 = 0x8_0000;
const OWN_LOCKS: u8 = 64;
const FIRST_CORE_ROW: u8 = 2;

/// A BD that takes one of `acquire`, moves a slice, gives one to `release`, and goes on.
fn step(address: u64, acquire: u8, release: u8, next_bd: u8) -> BdFields {
    BdFields {
        lock_acq_enable: true,
        lock_acq_id: acquire,
        lock_acq_value: -1,
        lock_rel_id: release,
        lock_rel_value: 1,
        use_next: true,
        next_bd,
        ..bd(address, SLICE_WORDS)
    }
}

/// A ping-pong of two slices: `bd` and `bd + 1`.
fn ping_pong(bench: &mut Bench, tile: TileLoc, bd: u8, address: u64, acquire: u8, release: u8) {
    bench.bd(tile, bd, &step(address, acquire, release, bd + 1));
    bench.bd(
        tile,
        bd + 1,
        &step(address + SLICE_BYTES, acquire, release, bd),
    );
}

/// Locks of a worker: room for input, input, room for output, output.
const INPUT_FREE: u8 = 0;
const INPUT: u8 = 1;
const OUTPUT_FREE: u8 = 2;
const OUTPUT: u8 = 3;
/// Where a worker with a core keeps its output.
const OUTPUT_ADDRESS: u64 = 0x8000;

/// Programs of the workers' cores.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Workers {
    /// Nothing: the DMAs pass objects on.
    Idle,
    /// A core program adds 1 to each word.
    CoreProgram,
    /// Machine code does.
    MachineCode,
}

fn worker(bench: &mut Bench, col: u8, k: u8, workers: Workers) {
    let core = tile(col, FIRST_CORE_ROW + k);
    bench.lock(core, INPUT_FREE, 2);
    ping_pong(bench, core, 0, 0, INPUT_FREE, INPUT);
    if workers == Workers::Idle {
        ping_pong(bench, core, 2, 0, INPUT, INPUT_FREE);
    } else {
        bench.lock(core, OUTPUT_FREE, 2);
        ping_pong(bench, core, 2, OUTPUT_ADDRESS, OUTPUT, OUTPUT_FREE);
        match workers {
            Workers::MachineCode => {
                let words = machine_code(bench.arch());
                for (byte, word) in (0u32..).step_by(4).zip(words) {
                    bench.write(core, RegisterRef::ProgramMemory { byte }, word);
                }
            }
            _ => load(bench, core, increment_all()),
        }
        bench.write(core, RegisterRef::CoreControl, ENABLED.pack());
    }
    bench.connect(core, port(Bundle::South, k), port(Bundle::Dma, 0));
    bench.connect(core, port(Bundle::Dma, 0), port(Bundle::South, k));
    for row in 0..k {
        let below = tile(col, FIRST_CORE_ROW + row);
        bench.connect(below, port(Bundle::South, k), port(Bundle::North, k));
        bench.connect(below, port(Bundle::North, k), port(Bundle::South, k));
    }
    bench.push(core, S2mm, 0, once(0));
    bench.push(core, Mm2s, 0, once(2));
}

const ENABLED: CoreControl = CoreControl {
    enable: true,
    reset: false,
};
/// The core's window to its own memory, and the number of its own lock 0.
const OWN_MEMORY: u32 = 0x7_0000;
const OWN_CORE_LOCKS: u8 = 48;

/// Forever: a slice of the output is a slice of the input plus 1.
fn increment_all() -> Vec<Instruction> {
    let lock = |opcode, id, n: i8| Instruction::new(opcode, OWN_CORE_LOCKS + id, n as u8, 0);
    let access = |opcode, address: u32| {
        let offset = (OWN_MEMORY + address) as i32;
        let imm = MemoryImmediate {
            kind: MemoryType::I32,
            offset,
        }
        .pack();
        Instruction::with(opcode, 2, 0, 0, imm)
    };
    let mut code = vec![Instruction::with(Opcode::Li, 1, 0, 0, SLICE_WORDS)];
    for half in 0..2 {
        let first = code.len() as u32;
        let address = half * SLICE_BYTES as u32;
        code.extend([
            lock(Opcode::Acquire, INPUT, -1),
            lock(Opcode::Acquire, OUTPUT_FREE, -1),
            Instruction::with(Opcode::Li, 0, 0, 0, 0),
            access(Opcode::LdIdx, address),
            Instruction::with(Opcode::Addi32, 2, 2, 0, 1),
            access(Opcode::StIdx, address + OUTPUT_ADDRESS as u32),
            Instruction::with(Opcode::Loopi, 0, 1, 1, first + 3),
            lock(Opcode::Release, INPUT_FREE, 1),
            lock(Opcode::Release, OUTPUT, 1),
        ]);
    }
    code.push(Instruction::with(Opcode::Jmp, 0, 0, 0, 1));
    code
}

/// Bundles of [`machine_code`] for each word.
pub const BUNDLES_PER_WORD: u64 = 9;

/// Machine code that does the same as [`increment_all`].
fn machine_code(arch: Arch) -> Vec<u32> {
    let arch = match arch {
        Arch::Aie2 => CoreArch::Aie2,
        Arch::Aie2p => CoreArch::Aie2p,
        other => panic!("no machine code for {other:?}"),
    };
    let lock = |id: u8| OWN_CORE_LOCKS + id;
    let mut text = "mova r10, #-1\nmova r11, #1\nagain:\n".to_string();
    for half in 0..2 {
        let from = OWN_MEMORY + half * SLICE_BYTES as u32;
        text += &format!(
            "acq #{}, r10\nacq #{}, r10\nmovxm p0, #{from}\nmovxm p1, #{}\n\
             mova r0, #{SLICE_WORDS}\nhalf{half}:\nlda r1, [p0], #4\nadd r0, r0, #-1\nnop\n\
             jnz r0, #half{half}\nnop\nnop\nnop\nadd r1, r1, #1\nst r1, [p1], #4\n\
             rel #{}, r11\nrel #{}, r11\n",
            lock(INPUT),
            lock(OUTPUT_FREE),
            from + OUTPUT_ADDRESS as u32,
            lock(INPUT_FREE),
            lock(OUTPUT),
        );
    }
    text += "j #again\nnop\nnop\nnop\nnop\nnop\n";
    let options = LinkOptions {
        start_code: false,
        ..LinkOptions::default()
    };
    let program = asm::assemble(arch, "increment", FileId::default(), &text)
        .and_then(|object| link(&[object], &options))
        .unwrap();
    let mut code = program.code();
    code.resize(code.len().next_multiple_of(4), 0);
    let words = code.as_chunks::<4>().0.iter();
    words.map(|word| u32::from_le_bytes(*word)).collect()
}

fn mem_tile(bench: &mut Bench, col: u8) {
    let mem = tile(col, 1);
    bench.connect(mem, port(Bundle::South, 0), port(Bundle::Dma, 0));
    bench.connect(mem, port(Bundle::Dma, 5), port(Bundle::South, 0));
    // Even channels use BDs 0..24, odd ones 24..48.
    let bds_of = |channel: u8, at: u8| {
        if channel.is_multiple_of(2) {
            at
        } else {
            24 + at
        }
    };
    for k in 0..WORKERS {
        let address = |half: u64| OWN_WINDOW + (2 * u64::from(k) + half) * SLICE_BYTES;
        let out = |half: u64| address(half) + 0x1_0000;
        let (free, full) = (OWN_LOCKS + 4 * k, OWN_LOCKS + 4 * k + 1);
        let (out_free, out_full) = (free + 2, full + 2);
        bench.lock(mem, 4 * k, 2);
        bench.lock(mem, 4 * k + 2, 2);
        // The splitter fills slice k, first halves then second halves.
        for half in 0..2u8 {
            let at = half * WORKERS + k;
            let next = (at + 1) % (2 * WORKERS);
            bench.bd(mem, at, &step(address(half.into()), free, full, next));
            bench.bd(
                mem,
                24 + at,
                &step(out(half.into()), out_full, out_free, 24 + next),
            );
        }
        let send = bds_of(k, 8 + 2 * k);
        ping_pong(bench, mem, send, address(0), full, free);
        bench.connect(mem, port(Bundle::Dma, k), port(Bundle::North, k));
        bench.push(mem, Mm2s, k, once(send));
        let take = bds_of(k + 1, 16 + 2 * k);
        ping_pong(bench, mem, take, out(0), out_free, out_full);
        bench.connect(mem, port(Bundle::North, k), port(Bundle::Dma, k + 1));
        bench.push(mem, S2mm, k + 1, once(take));
    }
    bench.push(mem, S2mm, 0, once(0));
    bench.push(mem, Mm2s, 5, once(24));
}

/// The design on `columns` columns for `objects` objects each; the workers' cores add 1 to each
/// word, or the DMAs pass it on. Host buffers: in and out of column 0, of column 1, and so on.
pub fn build(mut bench: Bench, columns: u8, objects: u32, workers: Workers) -> Bench {
    let words = objects * u32::from(WORKERS) * SLICE_WORDS;
    for col in 0..columns {
        let shim = tile(col, 0);
        let data: Vec<u8> = (0..words).flat_map(u32::to_le_bytes).collect();
        let input = bench.array.host.map("in", data).base;
        let output = bench
            .array
            .host
            .map("out", vec![0; words as usize * 4])
            .base;
        let (into, out) = (bench.shim(col, Mm2s, 0), bench.shim(col, S2mm, 0));
        bench.connect(shim, into, port(Bundle::North, 0));
        bench.connect(shim, port(Bundle::North, 0), out);
        mem_tile(&mut bench, col);
        for k in 0..WORKERS {
            worker(&mut bench, col, k, workers);
        }
        bench.bd(shim, 0, &bd(input, words));
        bench.bd(shim, 1, &bd(output, words));
        bench.push(
            shim,
            S2mm,
            0,
            QueueEntry {
                bd: 1,
                repeat: 0,
                token: true,
            },
        );
        bench.push(shim, Mm2s, 0, once(0));
    }
    bench
}
