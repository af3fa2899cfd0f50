//! Circuit switching: several hops, multicast, back-pressure, connections that come late.

use aiec_device::regmap::{BdFields, QueueEntry};
use aiec_device::{Bundle, DmaDir::*, TileLoc};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);
const B: TileLoc = TileLoc::new(0, 3);
const C: TileLoc = TileLoc::new(0, 4);

/// DMA 0 of A to DMA 0 of C, through B.
fn path(bench: &mut Bench) {
    path_along(bench, [A, B, C]);
}

/// DMA 0 of the first of three tiles, each north of the one before, to DMA 0 of the last.
fn path_along(bench: &mut Bench, [from, through, to]: [TileLoc; 3]) {
    bench.connect(from, port(Bundle::Dma, 0), port(Bundle::North, 2));
    bench.connect(through, port(Bundle::South, 2), port(Bundle::North, 2));
    bench.connect(to, port(Bundle::South, 2), port(Bundle::Dma, 0));
}

#[test]
fn three_switches_add_their_latencies() {
    let mut bench = Bench::new("npu1");
    path(&mut bench);
    bench.fill(A, 0, 100..104);
    bench.bd(A, 0, &bd(0, 4));
    bench.bd(C, 0, &bd(0, 4));
    bench.push(
        C,
        S2mm,
        0,
        QueueEntry {
            bd: 0,
            repeat: 0,
            token: true,
        },
    );
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(C, 0, 4), [100, 101, 102, 103]);
    // First word out in 11; local to external 4, external to external 4, external to local 3
    // cycles; so it arrives in 22, the fourth in 25, and the BD ends in 26.
    assert_eq!(bench.tokens(0)[0].at, 26 + 16);
    let stats = bench.array.view().stats();
    // A: DMA slave; B and C: South slave; C: DMA master.
    let ports: Vec<_> = stats
        .ports
        .iter()
        .map(|port| (port.port.tile(), port.port.is_slave_port(), port.words))
        .collect();
    assert_eq!(
        ports,
        [(A, true, 4), (B, true, 4), (C, true, 4), (C, false, 4)]
    );
}

#[test]
fn words_wait_for_a_switch_that_is_configured_later() {
    let mut bench = Bench::new("npu1");
    bench.fill(A, 0, 0..100);
    bench.bd(A, 0, &bd(0, 100));
    bench.bd(C, 0, &bd(0, 100));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(
        bench.waits(),
        [
            "DMA MM2S 0 of tile (0, 2) waits since cycle 27 for room in the stream to slave port \
             DMA : 0 of tile (0, 2)",
            "slave port DMA : 0 of tile (0, 2) waits since cycle 13 for a connection of its \
             stream switch",
        ]
    );
    bench.connect(A, port(Bundle::Dma, 0), port(Bundle::North, 2));
    bench.run_clean();
    bench.connect(C, port(Bundle::South, 2), port(Bundle::Dma, 0));
    bench.push(C, S2mm, 0, once(0));
    bench.run_clean();
    bench.connect(B, port(Bundle::South, 2), port(Bundle::North, 2));
    bench.run_clean();
    assert_eq!(bench.words(C, 0, 100), (0..100).collect::<Vec<_>>());
}

/// A sends to its own S2MM 1 is illegal, so: DMA 0 of A to DMA 0 of B and DMA 0 of C.
fn multicast(bench: &mut Bench) {
    path(bench);
    bench.connect(B, port(Bundle::South, 2), port(Bundle::Dma, 0));
    bench.fill(A, 0, 0..200);
    bench.bd(A, 0, &bd(0, 200));
    bench.bd(B, 0, &bd(0, 200));
    bench.bd(C, 0, &bd(0, 200));
}

#[test]
fn multicast_reaches_all() {
    let mut bench = Bench::new("npu1");
    multicast(&mut bench);
    bench.push(A, Mm2s, 0, once(0));
    bench.push(B, S2mm, 0, once(0));
    bench.push(C, S2mm, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(B, 0, 200), (0..200).collect::<Vec<_>>());
    assert_eq!(bench.words(C, 0, 200), (0..200).collect::<Vec<_>>());
}

#[test]
fn one_receiver_that_is_not_ready_stops_all() {
    let mut bench = Bench::new("npu1");
    multicast(&mut bench);
    bench.push(A, Mm2s, 0, once(0));
    bench.push(B, S2mm, 0, once(0));
    bench.run_clean();
    // B takes only what fits on the way to C after the fork: North master and South slave 8, and
    // 5 words before the FIFO of the channel, which has no BD for them.
    let taken = bench
        .array
        .view()
        .stats()
        .channels
        .iter()
        .find(|ch| ch.channel.tile == B)
        .unwrap()
        .counts
        .words;
    assert_eq!(taken, 8 + 5);
    let waits = bench.waits();
    assert!(
        waits[0].ends_with(
            "room in the stream to DMA S2MM 0 of tile (0, 3), DMA S2MM 0 of tile (0, 4)"
        )
    );
    bench.push(C, S2mm, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(B, 0, 200), bench.words(C, 0, 200));
    assert_eq!(bench.words(C, 0, 200), (0..200).collect::<Vec<_>>());
}

#[test]
fn a_fifo_port_makes_room() {
    let mut bench = Bench::new("npu1");
    bench.connect(A, port(Bundle::Dma, 0), port(Bundle::Fifo, 0));
    bench.connect(A, port(Bundle::Fifo, 0), port(Bundle::Dma, 0));
    bench.fill(A, 0, 0..100);
    bench.bd(A, 0, &bd(0, 100));
    bench.bd(A, 1, &bd(0x1000, 100));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    // Slave port 4 and the channel's 12, FIFO port 2 + 16 + 4, 5 before the receiver.
    assert_eq!(
        bench.array.view().stats().channels[0].counts.words,
        16 + 22 + 5
    );
    bench.push(A, S2mm, 0, once(1));
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 100), (0..100).collect::<Vec<_>>());
}

/// The words that MM2S 0 of a tile has sent.
fn sent(bench: &Bench, tile: TileLoc) -> u64 {
    let stats = bench.array.view().stats();
    let mut channels = stats.channels.iter();
    let sender = channels.find(|ch| ch.channel.tile == tile && ch.channel.dir == Mm2s);
    sender.unwrap().counts.words
}

#[test]
fn a_receiver_takes_ahead_what_its_bds_need() {
    for (device, beat, channel_fifo) in [("npu1", 1, 12), ("npu2", 1, 4), ("xcve3858", 2, 12)] {
        let mut bench = Bench::new(device);
        // Row 2 is of memory tiles on AIE2PS.
        let (a, c) = (B, TileLoc::new(0, 5));
        path_along(&mut bench, [a, C, c]);
        bench.fill(a, 0, 0..200);
        bench.bd(a, 0, &bd(0, 200));
        bench.push(a, Mm2s, 0, once(0));
        bench.run_clean();
        // Slave port 4 beats and the channel's own words, two wires of 8 beats, and 5 words before
        // the receiver.
        let way = channel_fifo + (4 + 8 + 8) * beat;
        assert_eq!(sent(&bench, a), way + 5);
        // 7 words go to memory; the rest stays where it is.
        bench.bd(c, 0, &bd(0, 7));
        bench.push(c, S2mm, 0, once(0));
        bench.run_clean();
        assert_eq!(sent(&bench, a), 7 + way + 5);
        // A BD that waits for its lock has its words in the FIFO: 9 of 9, and 16 of 100, which
        // with the master port's FIFO of 2 beats are more than 5 before it.
        let locked = |length| BdFields {
            lock_acq_enable: true,
            lock_acq_value: -1,
            ..bd(0x400, length)
        };
        bench.bd(c, 1, &locked(9));
        bench.push(c, S2mm, 0, once(1));
        bench.run_clean();
        assert_eq!(sent(&bench, a), 7 + way + 5 + 9);
        bench.bd(c, 2, &locked(100));
        bench.push(c, S2mm, 0, once(2));
        bench.lock(c, 0, 1);
        bench.run_clean();
        assert_eq!(bench.words(c, 0x400, 9), (7..16).collect::<Vec<_>>());
        assert_eq!(sent(&bench, a), 16 + way + 2 * beat + 16);
    }
}

#[test]
fn words_of_a_bd_enter_from_its_load_on() {
    // The sender's words wait in all places; the receiver has its BD in cycle 100 + 2 + 4.
    let mut bench = Bench::new("npu1");
    bench.connect(A, port(Bundle::Dma, 0), port(Bundle::North, 2));
    bench.connect(B, port(Bundle::South, 2), port(Bundle::Dma, 0));
    bench.fill(A, 0, 0..200);
    let token = QueueEntry {
        bd: 0,
        repeat: 0,
        token: true,
    };
    // 16 at the sender, 8 on the wire, 5 before the receiver, and 2.
    bench.bd(A, 0, &bd(0, 31));
    bench.push(A, Mm2s, 0, token);
    bench.run_clean();
    assert_eq!(bench.tokens(0), []);
    bench.at = 100;
    bench.bd(B, 0, &bd(0, 2));
    bench.push(B, S2mm, 0, once(0));
    bench.run_clean();
    // The last word leaves one cycle after the one before it, the BD ends in the next one.
    assert_eq!(bench.tokens(0)[0].at, 106 + 1 + 1 + 16);
}

#[test]
fn starved_and_blocked_ends_name_each_other() {
    let mut bench = Bench::new("npu1");
    path(&mut bench);
    bench.bd(C, 0, &bd(0, 4));
    bench.push(C, S2mm, 0, once(0));
    bench.run_clean();
    assert_eq!(
        bench.waits(),
        [
            "DMA S2MM 0 of tile (0, 4) waits since cycle 6 for stream data from DMA MM2S 0 of tile \
          (0, 2)"
        ]
    );
}

#[test]
fn the_reset_of_a_switch_drops_words_and_connections() {
    use aiec_device::regmap::{Module, RegisterRef};
    let mut bench = Bench::new("npu1");
    path(&mut bench);
    bench.fill(A, 0, 0..100);
    bench.bd(A, 0, &bd(0, 100));
    bench.push(A, Mm2s, 0, once(0));
    // Words wait in all three switches; nothing takes them.
    bench.run_clean();
    let control = RegisterRef::DmaCtrl {
        dir: Mm2s,
        channel: 0,
    };
    bench.write(A, control, 1 << 1);
    bench.write(A, control, 0);
    let mut resets = Vec::new();
    // Against the stream: what the one before lets go is lost with the next.
    for tile in [C, B, A] {
        let reset = RegisterRef::Known {
            module: Module::Core,
            name: "Module_Reset_Control",
            index: 0,
        };
        bench.write(tile, reset, 1);
        resets.push((tile, reset));
    }
    for (tile, reset) in resets {
        bench.write(tile, reset, 0);
    }
    bench.fill(A, 0, 500..600);
    bench.bd(C, 0, &bd(0, 100));
    bench.push(C, S2mm, 0, once(0));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(C, 0, 100), [0; 100]);
    path(&mut bench);
    bench.run_clean();
    assert_eq!(bench.words(C, 0, 100), (500..600).collect::<Vec<_>>());
}
