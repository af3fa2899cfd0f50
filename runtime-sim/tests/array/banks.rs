//! Conflicts in the banks of data memories, counted by hand.

use aiec_device::regmap::{CoreControl, RegisterRef};
use aiec_device::{Bundle, DmaDir::*, TileLoc};
use aiec_sim::array::HwEvent;
use aiec_vcode::{Instruction, MemoryImmediate, MemoryType, Opcode};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);

/// Both MM2S channels of A send 64 words from these addresses out of the array's way.
fn two_senders(first: u64, second: u64) -> Bench {
    two_senders_of(Bench::new("npu1"), first, second)
}

fn two_senders_of(mut bench: Bench, first: u64, second: u64) -> Bench {
    let above = tile(0, 3);
    for channel in 0..2u8 {
        bench.connect(A, port(Bundle::Dma, channel), port(Bundle::North, channel));
        bench.connect(
            above,
            port(Bundle::South, channel),
            port(Bundle::Dma, channel),
        );
        let address = [first, second][usize::from(channel)];
        bench.bd(A, channel, &bd(address, 64));
        bench.bd(above, channel, &bd(0x1000 * u64::from(channel), 64));
        bench.push(above, S2mm, channel, once(channel));
        bench.push(A, Mm2s, channel, once(channel));
    }
    bench.run_clean();
    bench
}

#[test]
fn channels_on_different_banks_never_meet() {
    // 0x0000 begins in bank 0, 0x4000 in bank 2: 16 lines each, none in common.
    let bench = two_senders(0, 0x4000);
    assert_eq!(bench.array.bank_conflicts(A), [0; 8]);
}

#[test]
fn channels_on_one_pair_of_banks_meet_once() {
    // Both start in one cycle with a line of bank 0: the second goes one cycle later. The next
    // lines are 4 cycles on, again together: bank 1, then 0, and so on, 16 lines in all.
    let bench = two_senders(0, 0x100);
    assert_eq!(bench.array.bank_conflicts(A)[..2], [8, 8]);
    // Each delay is one cycle, less than a channel fetches ahead: nothing is slower.
    let apart = two_senders(0, 0x4000);
    assert_eq!(bench.array.now(), apart.array.now());
}

#[test]
fn each_cycle_lost_to_a_bank_is_an_event() {
    // Of the memory module (AM025): Performance_Control0, Performance_Counter0, Event_Status2.
    const CONTROL: u32 = 0x1_1000;
    const COUNTER: u32 = 0x1_1020;
    const STATUS_2: u32 = 0x1_4208;
    const CONFLICT_BANK_0: u32 = 77;
    let mut bench = Bench::new("npu1");
    let register = |bench: &Bench, offset| bench.array.device().tile_address(A, offset);
    let control = register(&bench, CONTROL);
    let event = CONFLICT_BANK_0 | CONFLICT_BANK_0 << 8;
    bench.array.bus_write(0, control, event).unwrap();
    bench.observe();
    let mut bench = two_senders_of(bench, 0, 0x100);
    let (now, counter) = (bench.array.now(), register(&bench, COUNTER));
    assert_eq!(bench.array.bus_read(now, counter), Ok(8));
    // Banks 0 and 1, nothing else of the group.
    let status = register(&bench, STATUS_2);
    let bits = bench.array.bus_read(now, status).unwrap();
    assert_eq!(bits >> (CONFLICT_BANK_0 % 32) & 0xFF, 0b11);
    let seen = bench.take_observed();
    let of_bank = |bank| {
        let what = HwEvent::BankConflict(bank);
        let here = seen.iter().filter(|seen| seen.tile == A);
        here.filter(|seen| seen.event == what).count()
    };
    assert_eq!([of_bank(0), of_bank(1), of_bank(2)], [8, 8, 0]);
}

#[test]
fn mem_tiles_have_sixteen_interleaved_banks() {
    let mut bench = Bench::new("npu1");
    let m = tile(0, 1);
    for channel in 0..2u8 {
        bench.connect(m, port(Bundle::Dma, channel), port(Bundle::North, channel));
        let above = tile(0, 2);
        bench.connect(
            above,
            port(Bundle::South, channel),
            port(Bundle::Dma, channel),
        );
        bench.bd(
            m,
            24 * channel,
            &bd(0x8_0000 + 0x100 * u64::from(channel), 8),
        );
        bench.bd(above, channel, &bd(0x1000 * u64::from(channel), 8));
        bench.push(above, S2mm, channel, once(channel));
        bench.push(m, Mm2s, channel, once(24 * channel));
    }
    bench.run_clean();
    // Addresses 0x100 apart share banks 0 and 1, a line of four words each.
    let mut expected = [0; 16];
    expected[..2].fill(1);
    assert_eq!(bench.array.bank_conflicts(m), expected);
}

#[test]
fn a_core_waits_for_a_bank_that_another_core_uses() {
    // Two cores load the same word of the lower one's memory, 100 times, in step.
    let loads = |window: u32| {
        let imm = MemoryImmediate {
            kind: MemoryType::I32,
            offset: window as i32,
        };
        vec![
            Instruction::with(Opcode::Li, 0, 0, 0, 0),
            Instruction::with(Opcode::Li, 1, 0, 0, 100),
            Instruction::with(Opcode::LdAbs, 2, 0, 0, imm.pack()),
            Instruction::with(Opcode::Loopi, 0, 1, 1, 2),
            Instruction::new(Opcode::End, 0, 0, 0),
        ]
    };
    let run = |both: bool| {
        let mut bench = Bench::new("npu1");
        let enabled = CoreControl {
            enable: true,
            reset: false,
        };
        // Its own memory is the lower core's east window, and the upper core's south one.
        load(&mut bench, A, loads(0x7_0000));
        load(&mut bench, tile(0, 3), loads(0x4_0000));
        bench.write(A, RegisterRef::CoreControl, enabled.pack());
        if both {
            bench.write(tile(0, 3), RegisterRef::CoreControl, enabled.pack());
        }
        bench.run_clean();
        let conflicts = bench.array.bank_conflicts(A)[0];
        let busy: Vec<u64> = bench
            .array
            .view()
            .stats()
            .cores
            .iter()
            .map(|c| c.times.busy)
            .collect();
        (conflicts, busy)
    };
    // Li, Li, 100 loads and loops.
    assert_eq!(run(false), (0, vec![202]));
    // In step they meet once; one cycle late, each finds the bank free from then on.
    assert_eq!(run(true), (1, vec![202, 203]));
}
