//! Locks between channels: order, waiting, ranges, reports.

use aiec_device::regmap::{BdFields, RegisterRef};
use aiec_device::{Bundle, DmaDir::*, LockId, TileLoc};
use aiec_sim::array::FaultKind;

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);
const FREE: u8 = 0;
const FULL: u8 = 1;

fn guarded(fields: BdFields, acquire: (u8, i8), release: (u8, i8)) -> BdFields {
    BdFields {
        lock_acq_enable: true,
        lock_acq_id: acquire.0,
        lock_acq_value: acquire.1,
        lock_rel_id: release.0,
        lock_rel_value: release.1,
        ..fields
    }
}

/// S2MM 1 fills one buffer at 0x1000, MM2S 0 sends it on to S2MM 0; MM2S 1 feeds S2MM 1.
fn relay() -> Bench {
    let mut bench = Bench::new("npu1");
    bench.connect(A, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    bench.connect(A, port(Bundle::Dma, 1), port(Bundle::Dma, 1));
    bench.fill(A, 0, 0..12);
    let this = |id, fields| BdFields {
        use_next: true,
        next_bd: id,
        ..fields
    };
    bench.bd(A, 0, &bd(0, 12));
    bench.bd(
        A,
        1,
        &this(1, guarded(bd(0x1000, 4), (FREE, -1), (FULL, 1))),
    );
    bench.bd(
        A,
        2,
        &this(2, guarded(bd(0x1000, 4), (FULL, -1), (FREE, 1))),
    );
    bench.bd(A, 3, &bd(0x2000, 12));
    bench
}

#[test]
fn two_locks_pass_a_buffer_back_and_forth() {
    let mut bench = relay();
    bench.lock(A, FREE, 1);
    bench.push(A, S2mm, 0, once(3));
    bench.push(A, Mm2s, 0, once(2));
    bench.push(A, S2mm, 1, once(1));
    bench.push(A, Mm2s, 1, once(0));
    bench.run_clean();
    assert_eq!(bench.words(A, 0x2000, 12), (0..12).collect::<Vec<_>>());
    // The filler took the buffer for a fourth time and waits for data.
    assert_eq!(bench.array.lock_value(LockId::new(A, FREE)), Some(0));
    assert_eq!(bench.array.lock_value(LockId::new(A, FULL)), Some(0));
}

#[test]
fn a_lock_that_nobody_releases_is_reported_with_its_history() {
    let mut bench = relay();
    bench.push(A, S2mm, 1, once(1));
    bench.push(A, Mm2s, 1, once(0));
    bench.run_clean();
    let waits = bench.waits();
    assert_eq!(
        waits[0],
        "DMA S2MM 1 of tile (0, 2) waits since cycle 6 for lock 0 of tile (0, 2) ≥ 1 (it is 0, \
         never changed)"
    );
    // The sender fills the ports, then waits: 12 words fit without the receiver.
    assert_eq!(
        bench
            .array
            .view()
            .stats()
            .channels
            .last()
            .unwrap()
            .counts
            .words,
        12
    );
    let status = bench.status(A, S2mm, 1);
    assert!(status.stalled_lock_acquire && status.running);
}

#[test]
fn a_register_write_of_a_lock_wakes_who_waits() {
    let mut bench = relay();
    bench.push(A, S2mm, 1, once(1));
    bench.push(A, Mm2s, 1, once(0));
    bench.run_clean();
    bench.lock(A, FREE, 1);
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 4), [0, 1, 2, 3]);
    assert_eq!(bench.array.lock_value(LockId::new(A, FULL)), Some(1));
    let last = bench
        .waits()
        .into_iter()
        .find(|wait| wait.contains("S2MM 1"))
        .unwrap();
    assert!(last.contains("last changed by -1") && last.ends_with("by DMA S2MM 1 of tile (0, 2))"));
}

#[test]
fn the_request_window_acquires_and_releases_for_the_bus() {
    let mut bench = Bench::new("npu1");
    bench.lock(A, 3, 2);
    let ask = |acquire, value| RegisterRef::LockRequest {
        id: 3,
        acquire,
        value,
    };
    assert_eq!(bench.read(A, ask(true, -3)), 0);
    assert_eq!(bench.read(A, ask(true, -2)), 1);
    assert_eq!(bench.read(A, RegisterRef::LockValue { id: 3 }), 0);
    assert_eq!(bench.read(A, ask(false, 5)), 1);
    assert_eq!(bench.read(A, RegisterRef::LockValue { id: 3 }), 5);
}

#[test]
fn a_release_beyond_the_range_is_a_fault() {
    let mut bench = relay();
    bench.lock(A, FREE, 1);
    bench.lock(A, FULL, 63);
    bench.push(A, S2mm, 1, once(1));
    bench.push(A, Mm2s, 1, once(0));
    bench.run();
    let fault = FaultKind::LockRange {
        lock: LockId::new(A, FULL),
        value: 64,
    };
    assert_eq!(bench.array.faults()[0].kind, fault);
}

#[test]
fn reset_withdraws_the_request() {
    let mut bench = relay();
    bench.push(A, S2mm, 1, once(1));
    bench.run_clean();
    let reset = |reset| aiec_device::regmap::DmaCtrl {
        reset,
        ..Default::default()
    };
    bench.control(A, S2mm, 1, reset(true));
    bench.control(A, S2mm, 1, reset(false));
    bench.lock(A, FREE, 1);
    bench.run_clean();
    assert_eq!(bench.array.lock_value(LockId::new(A, FREE)), Some(1));
}
