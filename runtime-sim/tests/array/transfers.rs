//! One channel to another inside a tile: addresses, chains, repeats, iteration, queue, timing.

use aiec_device::regmap::{BdFields, DmaCtrl, DmaState, QueueEntry, RegisterRef};
use aiec_device::{Bundle, ChannelId, DmaDir::*, TileLoc};
use aiec_sim::array::{FaultKind, Token};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);

/// A core tile whose MM2S 0 feeds its S2MM 0, with 0, 1, 2… from address 0 on.
fn loopback(device: &str, words: u32) -> Bench {
    loopback_of(device, A, words)
}

fn loopback_of(device: &str, tile: TileLoc, words: u32) -> Bench {
    let mut bench = Bench::new(device);
    bench.connect(tile, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    bench.fill(tile, 0, 0..words);
    bench
}

#[test]
fn a_linear_copy_takes_the_cycles_of_the_table() {
    let mut bench = loopback("npu1", 8);
    bench.bd(A, 0, &bd(0, 8));
    bench.bd(A, 1, &bd(0x1000, 8));
    bench.control(
        A,
        S2mm,
        0,
        DmaCtrl {
            controller_id: 26,
            ..DmaCtrl::default()
        },
    );
    bench.push(
        A,
        S2mm,
        0,
        QueueEntry {
            bd: 1,
            repeat: 0,
            token: true,
        },
    );
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 9), [0, 1, 2, 3, 4, 5, 6, 7, 0]);
    // Start 2, BD load 4, memory 5: the first word leaves in cycle 11. Slave port 2, master
    // port 1: it arrives in 14, the eighth in 21, the BD ends in 22, its token takes 16.
    let token = Token {
        tile: A,
        actor: 0,
        controller: 26,
        at: 22 + 16,
        routed: false,
        counts: Vec::new(),
    };
    assert_eq!(token.tile_operand(), 2);
    assert_eq!(bench.tokens(0), [token]);
    let stats = bench.array.view().stats();
    let (counts, times) = (stats.channels[0].counts, stats.channels[0].times);
    assert_eq!(
        (counts.words, counts.bds, counts.tasks, times.stream_stall),
        (8, 1, 1, 8)
    );
    assert_eq!(
        stats
            .ports
            .iter()
            .map(|port| port.words)
            .collect::<Vec<_>>(),
        [8, 8]
    );
}

#[test]
fn two_words_a_cycle_on_aie2ps() {
    // Row 2 is of memory tiles.
    let core = TileLoc::new(0, 3);
    let mut bench = loopback_of("xcve3858", core, 8);
    bench.bd(core, 0, &bd(0, 8));
    bench.bd(core, 1, &bd(0x1000, 8));
    bench.push(
        core,
        S2mm,
        0,
        QueueEntry {
            bd: 1,
            repeat: 0,
            token: true,
        },
    );
    bench.push(core, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(core, 0x1000, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
    // The first word arrives in 14 as on AIE2, the last half a cycle before 18.
    assert_eq!(bench.tokens(0)[0].at, 18 + 16);
}

#[test]
fn a_transpose_by_dimensions() {
    // Rows of 3 words read as columns: 4 words a stride of 3 apart, three times.
    let mut bench = loopback("npu1", 12);
    let columns = BdFields {
        steps: [3, 1, 1, 1],
        wraps: [4, 0, 0],
        ..bd(0, 12)
    };
    bench.bd(A, 0, &columns);
    bench.bd(A, 1, &bd(0x1000, 12));
    bench.push(A, S2mm, 0, once(1));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(
        bench.words(A, 0x1000, 12),
        [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]
    );
}

#[test]
fn three_dimensions_on_the_writing_side() {
    // Words go to 2 columns of 2 rows of 2: steps 1, 8 and 4 words.
    let mut bench = loopback("npu1", 8);
    bench.bd(A, 0, &bd(0, 8));
    let blocks = BdFields {
        steps: [1, 8, 4, 1],
        wraps: [2, 2, 0],
        ..bd(0x1000, 8)
    };
    bench.bd(A, 1, &blocks);
    bench.push(A, S2mm, 0, once(1));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    let expected = [0, 1, 0, 0, 4, 5, 0, 0, 2, 3, 0, 0, 6, 7];
    assert_eq!(bench.words(A, 0x1000, 14), expected);
}

#[test]
fn a_chain_runs_its_descriptors_in_order_and_repeats_run_the_chain() {
    let mut bench = loopback("npu1", 8);
    let next = |next_bd, fields| BdFields {
        use_next: true,
        next_bd,
        ..fields
    };
    bench.bd(A, 0, &next(1, bd(0x8, 2)));
    bench.bd(A, 1, &next(2, bd(0x0, 1)));
    bench.bd(A, 2, &bd(0x10, 1));
    bench.bd(A, 3, &bd(0x1000, 8));
    bench.push(A, S2mm, 0, once(3));
    bench.push(
        A,
        Mm2s,
        0,
        QueueEntry {
            bd: 0,
            repeat: 1,
            token: true,
        },
    );
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 8), [2, 3, 0, 4, 2, 3, 0, 4]);
    // One token for the whole task.
    assert_eq!(
        bench
            .tokens(0)
            .iter()
            .map(|token| token.actor)
            .collect::<Vec<_>>(),
        [6]
    );
}

#[test]
fn chained_descriptors_follow_one_another_after_one_cycle() {
    // A ring of two descriptors of 8 words, each with its lock, to one receiver.
    let mut bench = loopback("npu1", 16);
    let locked = |byte, lock, next_bd| BdFields {
        use_next: true,
        next_bd,
        lock_acq_enable: true,
        lock_acq_id: lock,
        lock_acq_value: -1,
        lock_rel_id: lock + 2,
        lock_rel_value: 1,
        ..bd(byte, 8)
    };
    bench.bd(A, 0, &locked(0, 0, 1));
    bench.bd(A, 1, &locked(0x20, 1, 0));
    bench.bd(A, 2, &bd(0x1000, 32));
    bench.lock(A, 0, 2);
    bench.lock(A, 1, 2);
    let token = QueueEntry {
        bd: 2,
        repeat: 0,
        token: true,
    };
    bench.push(A, S2mm, 0, token);
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    let expected: Vec<u32> = (0..16).chain(0..16).collect();
    assert_eq!(bench.words(A, 0x1000, 32), expected);
    // Start 2, load 4, lock 1, memory 5: the first word leaves in 12 and arrives in 15. 32 words and
    // 3 cycles between them later the receiver's descriptor has ended.
    assert_eq!(bench.tokens(0)[0].at, 15 + 32 + 3 + 16);
    // The next one waits for its lock.
    let waits = bench.waits();
    let sender = waits.iter().find(|wait| wait.contains("MM2S 0"));
    assert!(sender.unwrap().contains("lock 0"), "{waits:?}");
}

#[test]
fn short_descriptors_of_a_chain_wait_for_their_load() {
    // A channel loads one descriptor at a time.
    let mut bench = loopback("npu1", 3);
    let next = |next_bd, fields| BdFields {
        use_next: true,
        next_bd,
        ..fields
    };
    bench.bd(A, 0, &next(1, bd(0, 1)));
    bench.bd(A, 1, &next(2, bd(4, 1)));
    bench.bd(A, 2, &bd(8, 1));
    bench.bd(A, 3, &bd(0x1000, 3));
    let token = QueueEntry {
        bd: 3,
        repeat: 0,
        token: true,
    };
    bench.push(A, S2mm, 0, token);
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 3), [0, 1, 2]);
    // Loaded in 6, 12 and 16: the first word was read in 11, so the second load was over long before;
    // the third begins with the end of the second. The words leave in 11, 13 and 16, and arrive 3
    // cycles later.
    assert_eq!(bench.tokens(0)[0].at, 16 + 3 + 1 + 16);
}

#[test]
fn a_descriptor_of_length_0_takes_and_gives_its_locks() {
    let mut bench = loopback("npu1", 4);
    let empty = BdFields {
        use_next: true,
        next_bd: 1,
        lock_acq_enable: true,
        lock_acq_value: -1,
        lock_rel_id: 1,
        lock_rel_value: 1,
        packet_enable: true,
        ..bd(0, 0)
    };
    let receiving = BdFields {
        next_bd: 3,
        ..empty.clone()
    };
    let descriptors = [empty, bd(0, 4), receiving, bd(0x1000, 4)];
    for (number, fields) in (0..).zip(&descriptors) {
        bench.bd(A, number, fields);
    }
    bench.push(A, Mm2s, 0, once(0));
    bench.push(A, S2mm, 0, once(2));
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 4), [0; 4]);
    bench.lock(A, 0, 2);
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 4), [0, 1, 2, 3]);
    let lock = |bench: &mut Bench, id| bench.read(A, RegisterRef::LockValue { id });
    assert_eq!([lock(&mut bench, 0), lock(&mut bench, 1)], [0, 2]);
    let channels = bench.array.view().stats().channels;
    assert!(
        channels
            .iter()
            .all(|ch| (ch.counts.bds, ch.counts.words) == (2, 4))
    );
}

#[test]
fn iteration_walks_with_every_load_and_outlives_the_task() {
    let mut bench = loopback("npu1", 16);
    let walking = BdFields {
        iteration_step: 4,
        iteration_count: 3,
        ..bd(0, 2)
    };
    bench.bd(A, 0, &walking);
    bench.bd(A, 1, &bd(0x1000, 10));
    bench.push(A, S2mm, 0, once(1));
    bench.push(
        A,
        Mm2s,
        0,
        QueueEntry {
            bd: 0,
            repeat: 1,
            token: false,
        },
    );
    bench.push(
        A,
        Mm2s,
        0,
        QueueEntry {
            bd: 0,
            repeat: 2,
            token: false,
        },
    );
    bench.run_clean();
    // Offsets 0, 4 of the first task, 8, 0, 4 of the second.
    assert_eq!(bench.words(A, 0x1000, 10), [0, 1, 4, 5, 8, 9, 0, 1, 4, 5]);
}

#[test]
fn rewriting_a_descriptor_in_use_does_not_change_the_transfer() {
    let mut bench = loopback("npu1", 64);
    bench.bd(A, 0, &bd(0, 32));
    bench.bd(A, 1, &bd(0x1000, 32));
    bench.push(A, S2mm, 0, once(1));
    bench.push(A, Mm2s, 0, once(0));
    bench.at = 20;
    bench.bd(A, 0, &bd(0x80, 32));
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 32), (0..32).collect::<Vec<_>>());
}

#[test]
fn the_fifth_waiting_task_overflows_the_queue() {
    let mut bench = loopback("npu1", 4);
    bench.bd(A, 0, &bd(0, 1));
    // The first is taken out of the queue at once, four wait, the sixth finds no room.
    for _ in 0..6 {
        bench.push(A, Mm2s, 0, once(0));
    }
    let status = bench.status(A, Mm2s, 0);
    assert!(status.queue_overflow && status.queue_size == 4);
    bench.run();
    let lost = FaultKind::TaskQueueOverflow {
        channel: ChannelId::new(A, Mm2s, 0),
        bd: 0,
        depth: 4,
    };
    assert_eq!(
        bench
            .array
            .faults()
            .iter()
            .map(|fault| &fault.kind)
            .collect::<Vec<_>>(),
        [&lost]
    );
    assert_eq!(bench.array.view().stats().channels[0].counts.tasks, 5);
}

#[test]
fn an_invalid_descriptor_stops_the_channel_until_its_reset() {
    let mut bench = loopback("npu1", 4);
    bench.bd(
        A,
        0,
        &BdFields {
            valid: false,
            ..bd(0, 1)
        },
    );
    bench.bd(A, 1, &bd(0, 1));
    bench.push(A, Mm2s, 0, once(0));
    bench.push(A, Mm2s, 0, once(1));
    bench.run();
    assert_eq!(
        bench.array.faults()[0].to_string(),
        "cycle 6: tile (0, 2): DMA MM2S 0 stopped at BD 0: the BD is not valid"
    );
    let status = bench.status(A, Mm2s, 0);
    assert!(status.error_bd_invalid && status.state == DmaState::Idle);
    bench.control(
        A,
        Mm2s,
        0,
        DmaCtrl {
            reset: true,
            ..DmaCtrl::default()
        },
    );
    bench.control(A, Mm2s, 0, DmaCtrl::default());
    bench.push(A, Mm2s, 0, once(1));
    bench.run();
    assert_eq!(bench.array.view().stats().channels[0].counts.tasks, 1);
    assert_eq!(bench.array.faults().len(), 1);
}

#[test]
fn finish_on_tlast_ends_a_descriptor_early() {
    let mut bench = loopback("npu1", 8);
    bench.bd(A, 0, &bd(0, 3));
    bench.bd(
        A,
        1,
        &BdFields {
            use_next: true,
            next_bd: 2,
            ..bd(0x1000, 100)
        },
    );
    bench.bd(A, 2, &bd(0x2000, 100));
    bench.control(
        A,
        S2mm,
        0,
        DmaCtrl {
            finish_on_tlast: 1,
            ..DmaCtrl::default()
        },
    );
    bench.push(
        A,
        S2mm,
        0,
        QueueEntry {
            bd: 1,
            repeat: 0,
            token: true,
        },
    );
    bench.push(
        A,
        Mm2s,
        0,
        QueueEntry {
            bd: 0,
            repeat: 1,
            token: false,
        },
    );
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 4), [0, 1, 2, 0]);
    assert_eq!(bench.words(A, 0x2000, 4), [0, 1, 2, 0]);
    assert_eq!(bench.tokens(0).len(), 1);
}

#[test]
fn memory_beyond_the_tile_is_a_fault() {
    let mut bench = loopback("npu1", 4);
    bench.bd(A, 0, &bd(0xFFFC, 2));
    bench.push(A, Mm2s, 0, once(0));
    bench.run();
    assert!(
        bench.array.faults()[0]
            .to_string()
            .contains("byte address 0x10000 is out of")
    );
}

#[test]
fn the_same_writes_give_the_same_run() {
    let run = || {
        let mut bench = loopback("npu2", 64);
        bench.bd(A, 0, &bd(0, 64));
        bench.bd(A, 1, &bd(0x1000, 64));
        bench.push(A, S2mm, 0, once(1));
        bench.push(A, Mm2s, 0, once(0));
        (bench.run_clean(), bench.array.view().stats())
    };
    assert_eq!(run(), run());
}
