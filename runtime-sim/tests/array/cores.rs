//! Core programs on the array: locks, streams, cascade, neighbours' memory, enable and reset.

use aiec_device::regmap::{BdFields, CascadeControl, CoreControl, RegisterRef};
use aiec_device::{Bundle, DmaDir::*, LockId, TileLoc};
use aiec_vcode::{Instruction, MemoryImmediate, MemoryType, Opcode};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);
const B: TileLoc = TileLoc::new(0, 3);
/// A core's windows to the south and to its own memory, and the numbers of their locks.
const SOUTH: u32 = 0x4_0000;
const OWN: u32 = 0x7_0000;
const OWN_LOCKS: u8 = 48;

const fn op(op: Opcode, a: u8, b: u8, c: u8) -> Instruction {
    Instruction::new(op, a, b, c)
}

fn li(register: u8, value: u32) -> Instruction {
    Instruction::with(Opcode::Li, register, 0, 0, value)
}

fn to(mut instruction: Instruction, target: u32) -> Instruction {
    instruction.imm = target;
    instruction
}

/// An access to i32 at the address in register `base`.
fn access(opcode: Opcode, value: u8, base: u8, lanes: u8) -> Instruction {
    let imm = MemoryImmediate {
        kind: MemoryType::I32,
        offset: 0,
    }
    .pack();
    Instruction::with(opcode, value, base, lanes, imm)
}

fn acquire(lock: u8, operand: i8) -> Instruction {
    op(Opcode::Acquire, lock, operand as u8, 0)
}

fn release(lock: u8, change: i8) -> Instruction {
    op(Opcode::Release, lock, change as u8, 0)
}

const END: Instruction = op(Opcode::End, 0, 0, 0);

fn control(bench: &mut Bench, tile: TileLoc, enable: bool, reset: bool) {
    bench.write(
        tile,
        RegisterRef::CoreControl,
        CoreControl { enable, reset }.pack(),
    );
}

fn start(bench: &mut Bench, tile: TileLoc, code: Vec<Instruction>) {
    load(bench, tile, code);
    control(bench, tile, true, false);
}

/// Forever: take lock `full`, increment the word at `address`, give lock `empty`.
fn incrementer(address: u32, full: u8, empty: u8) -> Vec<Instruction> {
    vec![
        li(0, address),
        acquire(full, -1),
        access(Opcode::LdBase, 1, 0, 0),
        to(op(Opcode::Addi32, 1, 1, 0), 1),
        access(Opcode::StBase, 1, 0, 0),
        release(empty, 1),
        to(op(Opcode::Jmp, 0, 0, 0), 1),
    ]
}

fn guarded(fields: BdFields, acquire: u8, release: u8) -> BdFields {
    BdFields {
        lock_acq_enable: true,
        lock_acq_id: acquire,
        lock_acq_value: -1,
        lock_rel_id: release,
        lock_rel_value: 1,
        ..fields
    }
}

/// MM2S 1 → S2MM 1 into one word at 0x1000 → core → MM2S 0 → S2MM 0. Locks: 0 free, 1 filled,
/// 2 computed.
fn pipeline(bench: &mut Bench) {
    for channel in 0..2 {
        bench.connect(A, port(Bundle::Dma, channel), port(Bundle::Dma, channel));
    }
    let this = |id, fields| BdFields {
        use_next: true,
        next_bd: id,
        ..fields
    };
    bench.fill(A, 0, [10, 20, 30]);
    bench.lock(A, 0, 1);
    bench.bd(A, 0, &bd(0, 3));
    bench.bd(A, 1, &this(1, guarded(bd(0x1000, 1), 0, 1)));
    bench.bd(A, 2, &this(2, guarded(bd(0x1000, 1), 2, 0)));
    bench.bd(A, 3, &bd(0x2000, 3));
    bench.push(A, S2mm, 0, once(3));
    bench.push(A, Mm2s, 0, once(2));
    bench.push(A, S2mm, 1, once(1));
    bench.push(A, Mm2s, 1, once(0));
}

#[test]
fn a_core_works_between_two_channels() {
    for device in ["npu1", "npu2"] {
        let mut bench = Bench::new(device);
        pipeline(&mut bench);
        let program = incrementer(OWN + 0x1000, OWN_LOCKS + 1, OWN_LOCKS + 2);
        start(&mut bench, A, program);
        bench.run_clean();
        assert_eq!(bench.words(A, 0x2000, 3), [11, 21, 31], "{device}");
        let stats = bench.array.view().stats().cores[0];
        assert!(stats.times.busy > 0 && stats.times.lock_stall > 0 && !stats.done);
    }
}

#[test]
fn a_core_that_waits_for_a_lock_says_so() {
    let mut bench = Bench::new("npu1");
    start(&mut bench, A, vec![acquire(OWN_LOCKS + 5, -2), END]);
    bench.lock(A, 5, 1);
    bench.run_clean();
    assert_eq!(
        bench.waits(),
        [
            "core (0, 2) waits since cycle 1 for lock 5 of tile (0, 2) ≥ 2 (it is 1, set by a \
          register write in cycle 0)"
        ]
    );
    let status = bench.read(A, RegisterRef::CoreStatus);
    // Enable and Lock_Stall_E: the own locks are east.
    assert_eq!(status, 1 | 1 << 9);
    bench.lock(A, 5, 2);
    bench.run_clean();
    assert_eq!(bench.waits(), [] as [&str; 0]);
    // Core_Done.
    assert_eq!(bench.read(A, RegisterRef::CoreStatus), 1 << 20);
}

#[test]
fn a_core_reaches_the_memory_and_the_locks_of_the_tile_below() {
    let mut bench = Bench::new("npu1");
    bench.fill(A, 0x40, [5]);
    bench.lock(A, 3, 1);
    let once_only = incrementer(SOUTH + 0x40, 3, 4)
        .into_iter()
        .take(6)
        .chain([END])
        .collect();
    start(&mut bench, B, once_only);
    bench.run_clean();
    assert_eq!(bench.words(A, 0x40, 1), [6]);
    assert_eq!(
        (
            bench.array.lock_value(LockId::new(A, 3)),
            bench.array.lock_value(LockId::new(A, 4))
        ),
        (Some(0), Some(1))
    );
    assert!(bench.array.view().stats().cores[0].done);
}

#[test]
fn a_lock_is_released_at_the_cores_own_time() {
    let mut bench = Bench::new("npu1");
    // 1000 turns of a one-cycle loop before the release.
    let code = vec![
        li(0, 0),
        li(1, 1000),
        to(op(Opcode::Loopi, 0, 1, 1), 2),
        release(OWN_LOCKS, 1),
        END,
    ];
    start(&mut bench, A, code);
    bench.array.advance(1002);
    assert_eq!(bench.array.lock_value(LockId::new(A, 0)), Some(0));
    // Start 1, two loads of constants, 1000 turns: the release happens in cycle 1003.
    bench.array.advance(1003);
    assert_eq!(bench.array.lock_value(LockId::new(A, 0)), Some(1));
}

#[test]
fn streams_connect_cores() {
    let mut bench = Bench::new("npu1");
    bench.connect(A, port(Bundle::Core, 0), port(Bundle::North, 0));
    bench.connect(B, port(Bundle::South, 0), port(Bundle::Core, 0));
    // A sends 0..100; B adds them up.
    let sender = vec![
        li(0, 0),
        li(1, 100),
        op(Opcode::StreamPut, 0, 0, 0),
        to(op(Opcode::Loopi, 0, 1, 1), 2),
        END,
    ];
    let receiver = vec![
        li(0, 0),
        li(1, 100),
        li(3, 0),
        li(4, OWN),
        op(Opcode::StreamGet, 2, 0, 0),
        op(Opcode::Add32, 3, 3, 2),
        to(op(Opcode::Loopi, 0, 1, 1), 4),
        access(Opcode::StBase, 3, 4, 0),
        END,
    ];
    start(&mut bench, A, sender);
    start(&mut bench, B, receiver);
    bench.run_clean();
    assert_eq!(bench.words(B, 0, 1), [4950]);
    assert!(
        bench
            .array
            .view()
            .stats()
            .cores
            .iter()
            .all(|core| core.done)
    );
}

#[test]
fn a_core_whose_stream_is_full_waits_for_its_receiver() {
    let mut bench = Bench::new("npu1");
    bench.connect(A, port(Bundle::Core, 0), port(Bundle::North, 0));
    bench.connect(B, port(Bundle::South, 0), port(Bundle::Core, 0));
    let sender = vec![
        op(Opcode::StreamPut, 0, 0, 0),
        to(op(Opcode::Jmp, 0, 0, 0), 0),
    ];
    start(&mut bench, A, sender);
    bench.run_clean();
    let waits = bench.waits();
    assert!(
        waits[0].ends_with("for room in the stream to core (0, 3)"),
        "{waits:?}"
    );
    // Core slave 4, North master and South slave 8, Core master 2.
    let passed: Vec<u64> = bench
        .array
        .view()
        .stats()
        .ports
        .iter()
        .map(|port| port.words)
        .collect();
    assert_eq!(passed, [14, 14, 14]);
}

#[test]
fn cascades_lead_south_and_east() {
    let mut bench = Bench::new("npu1");
    // B sends four vectors of 16 words down to A.
    bench.fill(B, 0, 0..64);
    let walk = |transfer: Instruction, memory: Instruction, first: bool| {
        let (one, two) = if first {
            (memory, transfer)
        } else {
            (transfer, memory)
        };
        vec![
            li(0, OWN),
            li(1, OWN + 256),
            one,
            two,
            to(op(Opcode::Loopi, 0, 64, 1), 2),
            END,
        ]
    };
    let kind = MemoryType::I32.code();
    let put = op(Opcode::CascadePut, 0, kind, 16);
    let get = op(Opcode::CascadeGet, 0, kind, 16);
    start(
        &mut bench,
        B,
        walk(put, access(Opcode::VLd, 0, 0, 16), true),
    );
    bench.run_clean();
    assert!(
        bench.array.view().stats().cores[0].done,
        "four transfers fit"
    );
    start(
        &mut bench,
        A,
        walk(get, access(Opcode::VSt, 0, 0, 16), false),
    );
    bench.run_clean();
    assert_eq!(bench.words(A, 0, 64), (0..64).collect::<Vec<_>>());
}

#[test]
fn a_cascade_that_leads_nowhere_is_reported() {
    let mut bench = Bench::new("npu1");
    let kind = MemoryType::I32.code();
    start(
        &mut bench,
        A,
        vec![op(Opcode::CascadePut, 0, kind, 16), END],
    );
    start(
        &mut bench,
        B,
        vec![op(Opcode::CascadeGet, 0, kind, 16), END],
    );
    bench.run_clean();
    let waits = bench.waits();
    assert!(
        waits[0].ends_with("for a cascade, but no core takes it on that side"),
        "{waits:?}"
    );
    assert!(
        waits[1].ends_with("for cascade data from core (0, 4)"),
        "{waits:?}"
    );
    // Turned east, it reaches the core to the right when that listens to the west.
    let right = TileLoc::new(1, 2);
    let sides = |from_west, to_east| CascadeControl { from_west, to_east }.pack();
    bench.write(A, RegisterRef::CascadeControl, sides(false, true));
    bench.write(right, RegisterRef::CascadeControl, sides(true, false));
    start(
        &mut bench,
        right,
        vec![op(Opcode::CascadeGet, 0, kind, 16), END],
    );
    bench.run_clean();
    assert_eq!(
        bench
            .array
            .view()
            .stats()
            .cores
            .iter()
            .filter(|core| core.done)
            .count(),
        2
    );
}

#[test]
fn what_is_no_core_program_is_refused() {
    let mut bench = Bench::new("npu1");
    bench.write(A, RegisterRef::ProgramMemory { byte: 0 }, 0x1234_5678);
    assert!(bench.waits()[0].contains("the end of its pause or reset"));
    control(&mut bench, A, true, false);
    bench.run();
    let fault = bench.array.faults()[0].to_string();
    assert!(
        fault.contains("tile (0, 2): core stopped: at 0x0: no "),
        "{fault}"
    );
}

#[test]
fn a_core_without_a_program_does_nothing_until_it_is_enabled_anew() {
    let mut bench = Bench::new("npu2");
    control(&mut bench, A, true, false);
    bench.run_clean();
    assert!(bench.waits()[0].contains("for a program"));
    let code = vec![li(0, OWN), li(1, 7), access(Opcode::StBase, 1, 0, 0), END];
    load(&mut bench, A, code);
    bench.run_clean();
    assert_eq!(bench.words(A, 0, 1), [0]);
    control(&mut bench, A, true, true);
    control(&mut bench, A, true, false);
    bench.run_clean();
    assert_eq!(bench.words(A, 0, 1), [7]);
}

#[test]
fn the_reset_of_a_core_takes_back_its_fault() {
    let mut bench = Bench::new("npu1");
    let wrong = vec![li(0, 0x1000), access(Opcode::LdBase, 1, 0, 0), END];
    start(&mut bench, A, wrong.clone());
    start(&mut bench, B, wrong);
    bench.run();
    control(&mut bench, A, false, true);
    let faults = bench.array.faults();
    assert_eq!(faults.len(), 1);
    assert!(faults[0].to_string().contains("tile (0, 3)"));
}

#[test]
fn an_access_beyond_every_window_stops_the_core() {
    let mut bench = Bench::new("npu1");
    // The row below A holds mem tiles: there is no south window.
    start(
        &mut bench,
        A,
        vec![li(0, SOUTH), access(Opcode::LdBase, 1, 0, 0), END],
    );
    bench.run();
    assert!(bench.array.faults()[0].to_string().contains("0x40000"));
    assert!(bench.waits()[0].ends_with("for a reset after a fault"));
}

#[test]
fn reset_starts_a_program_over() {
    let mut bench = Bench::new("npu1");
    bench.fill(A, 0, [0]);
    bench.lock(A, 0, 1);
    start(&mut bench, A, incrementer(OWN, OWN_LOCKS, OWN_LOCKS + 1));
    bench.run_clean();
    control(&mut bench, A, false, true);
    // In reset the core no longer takes the lock.
    bench.lock(A, 0, 1);
    bench.run_clean();
    assert_eq!(bench.words(A, 0, 1), [1]);
    control(&mut bench, A, true, false);
    bench.run_clean();
    assert_eq!(bench.words(A, 0, 1), [2]);
    assert_eq!(bench.array.lock_value(LockId::new(A, 1)), Some(2));
}

#[test]
fn a_cascade_that_is_turned_to_a_running_core_is_a_hazard() {
    let right = TileLoc::new(1, 2);
    let sides = |from_west, to_east| CascadeControl { from_west, to_east }.pack();
    for late in [false, true] {
        let mut bench = Bench::new("npu1");
        bench.write(A, RegisterRef::CascadeControl, sides(false, true));
        if !late {
            bench.write(right, RegisterRef::CascadeControl, sides(true, false));
        }
        let kind = MemoryType::I32.code();
        let put = op(Opcode::CascadePut, 0, kind, 16);
        start(&mut bench, A, vec![put, END]);
        bench.write(right, RegisterRef::CascadeControl, sides(true, false));
        let notes: Vec<String> = bench
            .array
            .hazards()
            .map(|hazard| hazard.kind.to_string())
            .collect();
        assert_eq!(notes.len(), usize::from(late), "{notes:?}");
    }
}

/// A drawn program for one of two cores that hand two locks of the southern one to each other, with work in between.
fn drawn_handover(
    draw: &mut fastrand::Rng,
    address: u32,
    takes: u8,
    gives: u8,
    rounds: u32,
) -> Vec<Instruction> {
    let mut code = vec![li(0, 0), li(1, rounds)];
    for _ in 0..draw.usize(0..3) {
        code.push(to(op(Opcode::Addi32, 4, 4, 0), draw.u32(1..9)));
    }
    let first = code.len() as u32;
    code.push(acquire(takes, -1));
    if draw.bool() {
        let start = code.len() as u32 + 2;
        let words = MemoryImmediate {
            kind: MemoryType::I32,
            offset: address as i32,
        };
        let words = words.pack();
        code.extend([
            li(2, 0),
            li(3, draw.u32(1..40)),
            Instruction::with(Opcode::LdIdx, 5, 2, 0, words),
            op(Opcode::Add32, 5, 5, 0),
            Instruction::with(Opcode::StIdx, 5, 2, 0, words),
            to(op(Opcode::Loopi, 2, 1, 3), start),
        ]);
    }
    code.push(release(gives, 1));
    for _ in 0..draw.usize(0..5) {
        code.push(to(op(Opcode::Addi32, 4, 4, 0), draw.u32(1..9)));
    }
    code.push(to(op(Opcode::Loopi, 0, 1, 1), first));
    code.push(END);
    code
}

/// Cores that go on at once at an operation on a lock, as nothing else happens before, do the same in the same cycles as if each
/// operation was a run of its own.
#[test]
fn operations_on_locks_need_no_run_of_their_own() {
    for seed in 0..60 {
        let end = |exact: bool, races: bool| {
            let mut draw = fastrand::Rng::with_seed(seed);
            let mut bench = Bench::new("npu2");
            if exact {
                bench.array.disable_bursts();
            }
            if races {
                bench.array.watch_races();
            }
            bench.fill(A, 0, 0..64);
            bench.lock(A, 0, draw.u32(1..4));
            let rounds = draw.u32(1..30);
            let south = drawn_handover(&mut draw, OWN, OWN_LOCKS, OWN_LOCKS + 1, rounds);
            let address = if draw.bool() { SOUTH } else { OWN };
            let north = drawn_handover(&mut draw, address, 1, 0, rounds);
            start(&mut bench, A, south);
            start(&mut bench, B, north);
            // In steps, within which cores may go on at once.
            let mut states = Vec::new();
            for _ in 0..20 {
                let now = bench.array.now() + draw.u64(1..500);
                bench.array.advance(now);
                let words = [A, B].map(|tile| bench.words(tile, 0, 64));
                let locks = [0, 1].map(|id| bench.array.lock_value(LockId::new(A, id)));
                states.push((now, words, locks, bench.waits()));
            }
            let stats = format!("{:?}", bench.array.view().stats());
            (states, stats)
        };
        for races in [false, true] {
            assert_eq!(end(false, races), end(true, races), "seed {seed}");
        }
    }
}
