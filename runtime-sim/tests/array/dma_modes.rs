//! Out-of-order reception and finish-on-TLAST.

use aiec_device::regmap::{BdFields, DmaCtrl, QueueEntry, SwitchSlot};
use aiec_device::{Bundle, DmaDir::*, TileLoc};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);
const B: TileLoc = TileLoc::new(0, 3);

/// MM2S 0 of A to S2MM 0 of B, by packets whose headers are kept or dropped, with 0, 1, 2… in A.
fn packets(drop_header: bool) -> Bench {
    let mut bench = Bench::new("npu1");
    let any = SwitchSlot {
        enable: true,
        id: 0,
        mask: 0,
        arbiter: 0,
        msel: 0,
    };
    bench.rule(A, port(Bundle::Dma, 0), 0, any);
    bench.amsel(A, port(Bundle::North, 0), 0, 1, false);
    bench.rule(B, port(Bundle::South, 0), 0, any);
    bench.amsel(B, port(Bundle::Dma, 0), 0, 1, drop_header);
    bench.fill(A, 0, 0..64);
    bench
}

/// A packet of `words` words from word `from` on that names a BD of the receiver.
fn to_bd(named: u8, from: u32, words: u32) -> BdFields {
    BdFields {
        packet_enable: true,
        packet_id: 1,
        out_of_order_id: named,
        ..bd(4 * u64::from(from), words)
    }
}

fn receive(bench: &mut Bench, ctrl: DmaCtrl, entry: QueueEntry) {
    bench.control(B, S2mm, 0, ctrl);
    bench.push(B, S2mm, 0, entry);
}

const OUT_OF_ORDER: DmaCtrl = DmaCtrl {
    controller_id: 0,
    reset: false,
    out_of_order: true,
    finish_on_tlast: 0,
    compression: false,
    pause_memory: false,
    pause_stream: false,
};

#[test]
fn packets_choose_their_descriptor_in_out_of_order_mode() {
    let mut bench = packets(false);
    // Three packets, for BDs 7, 5 and 6; the task is over after three.
    for (i, named) in [7, 5, 6].into_iter().enumerate() {
        bench.bd(A, i as u8, &to_bd(named, 10 * i as u32, 4));
    }
    for i in 5..8u8 {
        bench.bd(B, i, &bd(0x1000 * u64::from(i - 4), 4));
    }
    let task = QueueEntry {
        bd: 0,
        repeat: 2,
        token: true,
    };
    receive(&mut bench, OUT_OF_ORDER, task);
    for i in 0..3 {
        bench.push(A, Mm2s, 0, once(i));
    }
    bench.run_clean();
    assert_eq!(bench.words(B, 0x3000, 5), [0, 1, 2, 3, 0]);
    assert_eq!(bench.words(B, 0x1000, 5), [10, 11, 12, 13, 0]);
    assert_eq!(bench.words(B, 0x2000, 5), [20, 21, 22, 23, 0]);
    assert_eq!(bench.tokens(0).len(), 1);
}

#[test]
fn a_packet_for_an_invalid_descriptor_stops_the_channel() {
    let mut bench = packets(false);
    bench.bd(A, 0, &to_bd(9, 0, 4));
    receive(&mut bench, OUT_OF_ORDER, once(0));
    bench.push(A, Mm2s, 0, once(0));
    bench.run();
    let fault = bench.array.faults()[0].to_string();
    assert!(
        fault.ends_with("stopped at BD 9: the BD is not valid"),
        "{fault}"
    );
}

#[test]
fn a_packet_longer_than_its_descriptor_is_a_fault() {
    let mut bench = packets(false);
    bench.bd(A, 0, &to_bd(5, 0, 6));
    bench.bd(B, 5, &bd(0x1000, 4));
    receive(&mut bench, OUT_OF_ORDER, once(0));
    bench.push(A, Mm2s, 0, once(0));
    bench.run();
    let fault = bench.array.faults()[0].to_string();
    assert!(
        fault.ends_with("the packet is longer than the BD"),
        "{fault}"
    );
}

/// Two packets of 3 and 5 words into a chain of two BDs of 8 words.
fn finish_on_tlast(mode: u8) -> Bench {
    let mut bench = packets(true);
    bench.bd(A, 0, &to_bd(0, 0, 3));
    bench.bd(A, 1, &to_bd(0, 20, 5));
    let chained = BdFields {
        use_next: true,
        next_bd: 3,
        ..bd(0x1000, 8)
    };
    bench.bd(B, 2, &chained);
    bench.bd(B, 3, &bd(0x2000, 8));
    let ctrl = DmaCtrl {
        finish_on_tlast: mode,
        ..DmaCtrl::default()
    };
    let task = QueueEntry {
        bd: 2,
        repeat: 0,
        token: true,
    };
    receive(&mut bench, ctrl, task);
    bench.push(A, Mm2s, 0, once(0));
    bench.push(A, Mm2s, 0, once(1));
    bench.run_clean();
    assert_eq!(bench.words(B, 0x1000, 4), [0, 1, 2, 0]);
    assert_eq!(bench.words(B, 0x2000, 6), [20, 21, 22, 23, 24, 0]);
    bench
}

#[test]
fn counts_come_with_the_token_in_mode_2() {
    let mut bench = finish_on_tlast(2);
    let tokens = bench.tokens(0);
    assert_eq!(tokens.len(), 1);
    assert_eq!(tokens[0].counts, [3, 5]);
    assert!(finish_on_tlast(1).tokens(0)[0].counts.is_empty());
}

#[test]
fn counts_are_read_one_by_one_in_mode_3() {
    let mut bench = finish_on_tlast(3);
    let pop = bench.array.device().tile_address(B, 0x1_DF20);
    let read = |bench: &mut Bench| bench.array.bus_read(bench.array.now(), pop).unwrap();
    // Valid, last in task, BD, count.
    assert_eq!(read(&mut bench), 1 << 31 | 2 << 24 | 3);
    assert_eq!(read(&mut bench), 1 << 31 | 1 << 30 | 3 << 24 | 5);
    assert_eq!(read(&mut bench), 0);
}

#[test]
fn a_full_count_fifo_stalls_the_channel() {
    let mut bench = packets(true);
    bench.bd(A, 0, &to_bd(0, 0, 1));
    bench.bd(B, 2, &bd(0x1000, 8));
    let ctrl = DmaCtrl {
        finish_on_tlast: 3,
        ..DmaCtrl::default()
    };
    let tasks = |runs: u8, bd| QueueEntry {
        bd,
        repeat: runs - 1,
        token: false,
    };
    receive(&mut bench, ctrl, tasks(9, 2));
    bench.push(A, Mm2s, 0, tasks(9, 0));
    bench.run_clean();
    // Eight counts fit; the ninth BD waits for room.
    assert!(bench.status(B, S2mm, 0).stalled_token);
    assert!(
        bench
            .waits()
            .iter()
            .any(|wait| wait.contains("room in its count FIFO"))
    );
    let pop = bench.array.device().tile_address(B, 0x1_DF20);
    bench.array.bus_read(bench.array.now(), pop).unwrap();
    bench.run_clean();
    assert!(!bench.status(B, S2mm, 0).stalled_token);
    assert_eq!(bench.array.view().stats().channels[1].counts.tasks, 1);
}

#[test]
fn the_length_without_tlast_is_a_fault_where_counts_are_kept() {
    let mut bench = packets(true);
    bench.bd(A, 0, &to_bd(0, 0, 9));
    bench.bd(B, 2, &bd(0x1000, 8));
    let ctrl = DmaCtrl {
        finish_on_tlast: 2,
        ..DmaCtrl::default()
    };
    receive(&mut bench, ctrl, once(2));
    bench.push(A, Mm2s, 0, once(0));
    bench.run();
    assert!(
        bench.array.faults()[0]
            .to_string()
            .contains("longer than the BD")
    );
}

#[test]
fn the_current_write_count_can_be_read() {
    let mut bench = packets(true);
    bench.bd(A, 0, &to_bd(0, 0, 5));
    bench.bd(B, 2, &bd(0x1000, 8));
    bench.push(B, S2mm, 0, once(2));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    let count = bench.array.device().tile_address(B, 0x1_DF18);
    assert_eq!(bench.array.bus_read(bench.array.now(), count).unwrap(), 5);
}
