//! Events: status, timers, performance counters, broadcasts, traces, and actions of events.

use aiec_device::regmap::{CoreControl, RegisterRef, SwitchSlot};
use aiec_device::{Bundle, ChannelId, DmaDir::*, TileLoc};
use aiec_sim::array::{HwEvent, PacketHeader};
use aiec_vcode::{Instruction, Opcode};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);

// Offsets of AM025: core module, memory module.
const CORE_GENERATE: u32 = 0x3_4008;
const CORE_BROADCAST: u32 = 0x3_4010;
const CORE_STATUS: u32 = 0x3_4200;
const MEMORY_COUNTER_CONTROL: u32 = 0x1_1000;
const MEMORY_COUNTER_RESET: u32 = 0x1_1008;
const MEMORY_COUNTER: u32 = 0x1_1020;
const MEMORY_COUNTER_VALUE: u32 = 0x1_1080;
const MEMORY_STATUS: u32 = 0x1_4200;
const MEMORY_TIMER_CONTROL: u32 = 0x1_4000;
const MEMORY_TIMER: u32 = 0x1_40F8;
const MEMORY_TRACE: u32 = 0x1_40D0;

// Event numbers.
const USER_EVENT_0: u32 = 124;
const BROADCAST_0: u32 = 107;
const S2MM_0_START: u32 = 19;
const S2MM_0_FINISHED_BD: u32 = 23;
const S2MM_0_FINISHED_TASK: u32 = 27;
const MM2S_0_STALLED_LOCK: u32 = 33;

fn write(bench: &mut Bench, tile: TileLoc, offset: u32, value: u32) {
    let address = bench.array.device().tile_address(tile, offset);
    bench.array.bus_write(bench.at, address, value).unwrap();
}

fn read(bench: &mut Bench, tile: TileLoc, offset: u32) -> u32 {
    let address = bench.array.device().tile_address(tile, offset);
    bench.array.bus_read(bench.array.now(), address).unwrap()
}

/// Whether the event's bit is set in a module's status.
fn has(bench: &mut Bench, tile: TileLoc, status: u32, event: u32) -> bool {
    read(bench, tile, status + 4 * (event / 32)) >> (event % 32) & 1 == 1
}

/// MM2S 0 of A to its S2MM 0, eight words.
fn loopback(bench: &mut Bench) {
    bench.connect(A, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    bench.bd(A, 0, &bd(0, 8));
    bench.bd(A, 1, &bd(0x1000, 8));
    bench.push(A, S2mm, 0, once(1));
    bench.push(A, Mm2s, 0, once(0));
}

#[test]
fn events_leave_their_bits_and_a_write_clears_them() {
    let mut bench = Bench::new("npu1");
    loopback(&mut bench);
    bench.run_clean();
    for event in [S2MM_0_START, S2MM_0_FINISHED_BD, S2MM_0_FINISHED_TASK] {
        assert!(has(&mut bench, A, MEMORY_STATUS, event), "{event}");
    }
    assert!(!has(&mut bench, A, MEMORY_STATUS, MM2S_0_STALLED_LOCK));
    write(&mut bench, A, MEMORY_STATUS, 1 << S2MM_0_START);
    assert!(!has(&mut bench, A, MEMORY_STATUS, S2MM_0_START));
    assert!(has(&mut bench, A, MEMORY_STATUS, S2MM_0_FINISHED_BD));
}

#[test]
fn a_counter_counts_from_one_event_to_another() {
    let mut bench = Bench::new("npu1");
    // From the start of the task to its end.
    let control = S2MM_0_START | S2MM_0_FINISHED_TASK << 8;
    write(&mut bench, A, MEMORY_COUNTER_CONTROL, control);
    loopback(&mut bench);
    bench.run_clean();
    // The S2MM task starts in cycle 0 and is over in 22 (see the linear copy).
    assert_eq!(read(&mut bench, A, MEMORY_COUNTER), 22);
}

#[test]
fn a_counter_of_one_event_counts_its_occurrences() {
    let mut bench = Bench::new("npu1");
    let control = S2MM_0_FINISHED_BD | S2MM_0_FINISHED_BD << 8;
    write(&mut bench, A, MEMORY_COUNTER_CONTROL, control);
    loopback(&mut bench);
    bench.push(A, S2mm, 0, once(1));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    bench.array.advance(500);
    assert_eq!(read(&mut bench, A, MEMORY_COUNTER), 2);
}

#[test]
fn a_counter_tells_its_value_and_is_reset_by_an_event() {
    let mut bench = Bench::new("npu1");
    /// PERF_CNT_0 of the memory module.
    const COUNTER_0: u32 = 5;
    write(&mut bench, A, MEMORY_COUNTER_VALUE, 10);
    write(&mut bench, A, MEMORY_COUNTER_RESET, COUNTER_0);
    write(
        &mut bench,
        A,
        MEMORY_COUNTER_CONTROL,
        S2MM_0_START | S2MM_0_FINISHED_TASK << 8,
    );
    loopback(&mut bench);
    bench.run_clean();
    assert!(has(&mut bench, A, MEMORY_STATUS, COUNTER_0));
    // It runs for 22 cycles and begins again at 10 and at 20.
    assert_eq!(read(&mut bench, A, MEMORY_COUNTER), 2);
}

#[test]
fn a_timer_is_reset_by_its_bit_and_by_an_event() {
    let mut bench = Bench::new("npu1");
    bench.array.advance(100);
    assert_eq!(read(&mut bench, A, MEMORY_TIMER), 100);
    bench.at = 100;
    write(&mut bench, A, MEMORY_TIMER_CONTROL, 1 << 31);
    bench.array.advance(130);
    assert_eq!(read(&mut bench, A, MEMORY_TIMER), 30);
    bench.at = 200;
    write(&mut bench, A, MEMORY_TIMER_CONTROL, USER_EVENT_0 << 8);
    write(&mut bench, A, 0x1_4008, USER_EVENT_0);
    bench.array.advance(210);
    assert_eq!(read(&mut bench, A, MEMORY_TIMER), 10);
}

#[test]
fn a_broadcast_reaches_the_modules_around() {
    let mut bench = Bench::new("npu1");
    // Channel 3 is driven by a user event of A's core module.
    write(&mut bench, A, CORE_BROADCAST + 4 * 3, USER_EVENT_0);
    // It doesn't leave B to the north.
    let b = tile(0, 3);
    write(&mut bench, b, 0x3_4070, 1 << 3);
    write(&mut bench, A, CORE_GENERATE, USER_EVENT_0);
    bench.run_clean();
    let event = BROADCAST_0 + 3;
    assert!(has(&mut bench, A, MEMORY_STATUS, event));
    assert!(has(&mut bench, b, CORE_STATUS, event));
    assert!(has(&mut bench, tile(1, 2), CORE_STATUS, event));
    assert!(!has(&mut bench, tile(0, 4), CORE_STATUS, event));
    // One column further, then down: only what comes from the side goes straight on.
    assert!(has(&mut bench, tile(2, 2), MEMORY_STATUS, event));
    assert!(has(&mut bench, tile(1, 3), CORE_STATUS, event));
    // Other channels are not touched.
    assert!(!has(&mut bench, b, CORE_STATUS, BROADCAST_0));
    // Mem tile and shim have their own numbers.
    assert!(has(&mut bench, tile(0, 1), 0x9_4200, 142 + 3));
    assert!(has(&mut bench, tile(0, 0), 0x3_4200, 110 + 3));
}

#[test]
fn an_event_enables_a_core() {
    let mut bench = Bench::new("npu1");
    let code = vec![
        Instruction::new(Opcode::Event, 1, 0, 0),
        Instruction::new(Opcode::End, 0, 0, 0),
    ];
    load(&mut bench, A, code);
    let off = CoreControl {
        enable: false,
        reset: false,
    };
    bench.write(A, RegisterRef::CoreControl, off.pack());
    // Enable_Events.
    write(&mut bench, A, 0x3_2008, USER_EVENT_0);
    bench.run_clean();
    assert!(bench.array.view().stats().cores.is_empty());
    write(&mut bench, A, CORE_GENERATE, USER_EVENT_0);
    bench.run_clean();
    assert!(bench.array.view().stats().cores[0].done);
    // INSTR_EVENT_1.
    assert!(has(&mut bench, A, CORE_STATUS, 34));
}

#[test]
fn combinations_and_edges_are_events() {
    let mut bench = Bench::new("npu1");
    // Combo 0: start and finish of a task of S2MM 0 in one cycle never happens; combo 1: one or
    // the other does. Edge 0: the rise of the start.
    let inputs = S2MM_0_START | S2MM_0_FINISHED_TASK << 8;
    write(&mut bench, A, 0x1_4400, inputs | inputs << 16);
    write(&mut bench, A, 0x1_4404, 2 << 8);
    write(&mut bench, A, 0x1_4408, S2MM_0_START | 1 << 9);
    loopback(&mut bench);
    bench.run_clean();
    assert!(!has(&mut bench, A, MEMORY_STATUS, 7));
    assert!(has(&mut bench, A, MEMORY_STATUS, 8));
    assert!(has(&mut bench, A, MEMORY_STATUS, 11));
}

#[test]
fn a_trace_unit_sends_packets() {
    let mut bench = Bench::new("npu1");
    // Trace port 1 (memory module) of A to S2MM 1, which stores packets of 8 words.
    let any = SwitchSlot {
        enable: true,
        id: 0,
        mask: 0,
        arbiter: 0,
        msel: 0,
    };
    bench.rule(A, port(Bundle::Trace, 1), 0, any);
    bench.amsel(A, port(Bundle::Dma, 0), 0, 1, false);
    bench.bd(A, 0, &bd(0x1000, 8));
    bench.push(A, S2mm, 0, once(0));
    bench.run();
    // Id 5, type 1; slot 0 is MM2S 0's start, slot 1 its finished task. Start and stop by user
    // events 0 and 1.
    write(&mut bench, A, MEMORY_TRACE + 4, 1 << 12 | 5);
    write(&mut bench, A, MEMORY_TRACE + 0x10, 22 | 30 << 8);
    write(
        &mut bench,
        A,
        MEMORY_TRACE,
        USER_EVENT_0 << 16 | (USER_EVENT_0 + 1) << 24,
    );
    bench.at = 100;
    write(&mut bench, A, 0x1_4008, USER_EVENT_0);
    // MM2S 1 sends 8 words to the north, where B takes them.
    let b = tile(0, 3);
    bench.connect(A, port(Bundle::Dma, 1), port(Bundle::North, 0));
    bench.connect(b, port(Bundle::South, 0), port(Bundle::Dma, 0));
    bench.bd(b, 0, &bd(0, 8));
    bench.push(b, S2mm, 0, once(0));
    bench.bd(A, 1, &bd(0, 8));
    bench.at = 105;
    bench.push(A, Mm2s, 1, once(1));
    bench.array.advance(200);
    bench.at = 200;
    write(&mut bench, A, 0x1_4008, USER_EVENT_0 + 1);
    bench.run_clean();
    let header = PacketHeader {
        id: 5,
        kind: 1,
        source: A,
    };
    let words = bench.words(A, 0x1000, 8);
    assert_eq!(words[..3], [header.word(), 0xF000_0000, 100]);
    // The task starts in cycle 105: 5 after the start, T 4. Its first word leaves in 116 (start 2,
    // load 4, memory 5), its last in 123, it is over in 124: 19 cycles later, T 18, two bytes.
    assert_eq!(words[3], 0x0484_12FE);
    assert_eq!(words[4..], [0xFEFE_FEFE; 4]);
}

#[test]
fn watched_ports_run_and_see_tlast() {
    let mut bench = Bench::new("npu1");
    // Selector 0 looks at slave port DMA 0, index 1 of the core tile's switch.
    let slave = bench
        .array
        .device()
        .port_index(
            A,
            aiec_device::switch::PortSide::Slave,
            port(Bundle::Dma, 0),
        )
        .unwrap();
    write(&mut bench, A, 0x3_FF00, u32::from(slave));
    // Counter 0 of the core module counts the cycles of PORT_RUNNING_0.
    const PORT_RUNNING_0: u32 = 75;
    write(
        &mut bench,
        A,
        0x3_1500,
        PORT_RUNNING_0 | PORT_RUNNING_0 << 8,
    );
    loopback(&mut bench);
    bench.run_clean();
    bench.array.advance(500);
    assert_eq!(read(&mut bench, A, 0x3_1520), 8);
    assert!(has(&mut bench, A, CORE_STATUS, 77));
}

#[test]
fn an_observer_sees_everything_in_order_of_simulation() {
    let mut bench = Bench::new("npu1");
    bench.observe();
    loopback(&mut bench);
    bench.run_clean();
    let seen: Vec<(u64, HwEvent)> = bench
        .take_observed()
        .into_iter()
        .map(|seen| (seen.at, seen.event))
        .collect();
    let (receiver, sender) = (ChannelId::new(A, S2mm, 0), ChannelId::new(A, Mm2s, 0));
    let expected = [
        (0, HwEvent::StartTask(receiver)),
        (0, HwEvent::StartTask(sender)),
        (19, HwEvent::FinishedBd(sender)),
        (19, HwEvent::FinishedTask(sender)),
        (22, HwEvent::FinishedBd(receiver)),
        (22, HwEvent::FinishedTask(receiver)),
    ];
    assert_eq!(seen, expected);
    assert!(bench.take_observed().is_empty());
}

#[test]
fn registers_of_event_units_are_not_called_without_effect() {
    let mut bench = Bench::new("npu1");
    write(&mut bench, A, CORE_BROADCAST, USER_EVENT_0);
    write(&mut bench, A, MEMORY_COUNTER_CONTROL, 1);
    assert_eq!(bench.array.unmodelled().count(), 0);
    // Group events are not modelled, and said so.
    write(&mut bench, A, 0x3_4500, 1);
    let names: Vec<&str> = bench.array.unmodelled().map(|u| u.register).collect();
    assert_eq!(names, ["Event_Group_0_Enable"]);
}
