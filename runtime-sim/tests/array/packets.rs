//! Packet switching: rules, arbiters, headers.

use aiec_device::regmap::{BdFields, Module, QueueEntry, RegisterRef, SwitchSlot};
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, DeviceModel, DmaDir::*, TileLoc};
use aiec_sim::array::{PacketHeader, Timing};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);
const B: TileLoc = TileLoc::new(0, 3);

fn slot(id: u8, mask: u8, arbiter: u8, msel: u8) -> SwitchSlot {
    SwitchSlot {
        enable: true,
        id,
        mask,
        arbiter,
        msel,
    }
}

fn packet(id: u8, fields: BdFields) -> BdFields {
    BdFields {
        packet_enable: true,
        packet_id: id,
        packet_type: 1,
        ..fields
    }
}

/// Both MM2S channels of A share North 0; B sorts packets 1 and 2 to its two S2MM channels.
fn shared(drop_header: bool) -> Bench {
    shared_on(Bench::new("npu1"), drop_header)
}

fn shared_on(mut bench: Bench, drop_header: bool) -> Bench {
    for channel in 0..2 {
        bench.rule(
            A,
            port(Bundle::Dma, channel),
            0,
            slot(channel + 1, 31, 3, 0),
        );
        bench.rule(
            B,
            port(Bundle::South, 0),
            channel,
            slot(channel + 1, 31, channel, 1),
        );
        bench.amsel(B, port(Bundle::Dma, channel), channel, 0b0010, drop_header);
        bench.fill(
            A,
            0x100 * u32::from(channel),
            (0..12).map(|i| 100 * u32::from(channel) + i),
        );
    }
    bench.amsel(A, port(Bundle::North, 0), 3, 0b0001, false);
    bench
}

/// Three packets of four words from each channel of A.
fn send_three_each(bench: &mut Bench) {
    for channel in 0..2u8 {
        let source = BdFields {
            iteration_step: 4,
            iteration_count: 3,
            ..packet(channel + 1, bd(0x100 * u64::from(channel), 4))
        };
        bench.bd(A, channel, &source);
        bench.bd(B, channel, &bd(0x1000 * u64::from(channel), 12));
        let token = QueueEntry {
            bd: channel,
            repeat: 0,
            token: true,
        };
        bench.push(B, S2mm, channel, token);
        let repeated = QueueEntry {
            bd: channel,
            repeat: 2,
            token: false,
        };
        bench.push(A, Mm2s, channel, repeated);
    }
}

#[test]
fn two_flows_share_a_port_packet_by_packet() {
    let mut bench = shared(true);
    send_three_each(&mut bench);
    bench.run_clean();
    assert_eq!(bench.words(B, 0, 12), (0..12).collect::<Vec<_>>());
    assert_eq!(bench.words(B, 0x1000, 12), (100..112).collect::<Vec<_>>());
    let order: Vec<u8> = bench.tokens(0).iter().map(|token| token.actor).collect();
    assert_eq!(order, [0, 1]);
}

#[test]
fn arbitration_does_not_depend_on_how_far_parts_work_ahead() {
    let run = |lookahead| {
        let device = DeviceModel::by_name("npu1").unwrap();
        let timing = Timing {
            lookahead,
            ..Timing::of(device.arch())
        };
        let mut bench = shared_on(Bench::with(device, timing), false);
        send_three_each(&mut bench);
        bench.run_clean();
        // With the headers kept, memory shows which packets came when.
        (
            bench.tokens(0),
            bench.array.view().stats(),
            bench.words(B, 0, 12),
        )
    };
    let reference = run(512);
    for lookahead in [0, 1, 3, 100_000] {
        assert_eq!(run(lookahead), reference);
    }
}

/// Writes a register of the deterministic merge of an arbiter.
fn merge(bench: &mut Bench, tile: TileLoc, name: &'static str, arbiter: u16, value: u32) {
    let register = RegisterRef::Known {
        module: Module::Core,
        name,
        index: arbiter,
    };
    bench.write(tile, register, value);
}

#[test]
fn a_deterministic_merge_gives_slaves_their_turns() {
    // Both channels of A share arbiter 1, the packets of both go to one receiver of B.
    let mut bench = Bench::new("npu1");
    let mut ports = Vec::new();
    for channel in 0..2u8 {
        let from = port(Bundle::Dma, channel);
        bench.rule(A, from, 0, slot(channel + 1, 31, 1, 0));
        let index = bench.array.device().port_index(A, PortSide::Slave, from);
        ports.push(u32::from(index.unwrap()));
        let words = (0..12).map(|i| 100 * u32::from(channel) + i);
        bench.fill(A, 0x100 * u32::from(channel), words);
    }
    bench.amsel(A, port(Bundle::North, 0), 1, 0b0001, false);
    bench.rule(B, port(Bundle::South, 0), 0, slot(0, 0, 0, 1));
    bench.amsel(B, port(Bundle::Dma, 0), 0, 0b0010, true);
    // Two packets of channel 1, then one of channel 0.
    let order = "Stream_Switch_Deterministic_Merge_arb{}_slave0_1";
    let word = ports[1] | 2 << 8 | ports[0] << 16 | 1 << 24;
    merge(&mut bench, A, order, 1, word);
    let control = "Stream_Switch_Deterministic_Merge_arb{}_ctrl";
    merge(&mut bench, A, control, 1, 1);
    for channel in 0..2u8 {
        let source = BdFields {
            iteration_step: 4,
            iteration_count: 3,
            ..packet(channel + 1, bd(0x100 * u64::from(channel), 4))
        };
        bench.bd(A, channel, &source);
        let thrice = QueueEntry {
            bd: channel,
            repeat: 2,
            token: false,
        };
        bench.push(A, Mm2s, channel, thrice);
    }
    bench.bd(B, 0, &bd(0, 24));
    bench.push(B, S2mm, 0, once(0));
    bench.run_clean();
    // The third packet of channel 1 is followed by none, so the second one of channel 0 waits.
    let expected = [100..108, 0..4, 108..112].into_iter().flatten();
    let expected: Vec<u32> = expected.collect();
    assert_eq!(bench.words(B, 0, 16), expected);
    let waits = bench.waits();
    let wait = waits.iter().find(|wait| wait.contains("arbiter"));
    let reason = "arbiter 1, which takes a packet of slave port DMA : 1 of tile (0, 2)";
    assert_eq!(wait.unwrap().split(" for ").nth(1), Some(reason));
    merge(&mut bench, A, control, 1, 0);
    bench.run_clean();
    assert_eq!(bench.words(B, 16 * 4, 8), (4..12).collect::<Vec<_>>());
}

#[test]
fn a_kept_header_lands_in_memory() {
    let mut bench = shared(false);
    bench.bd(A, 0, &packet(1, bd(0, 2)));
    bench.bd(B, 0, &bd(0, 3));
    bench.push(B, S2mm, 0, once(0));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    let header = PacketHeader {
        id: 1,
        kind: 1,
        source: A,
    };
    assert_eq!(bench.words(B, 0, 3), [header.word(), 0, 1]);
}

#[test]
fn one_packet_goes_to_every_master_of_its_msel() {
    let mut bench = shared(true);
    // Both masters of B also listen to arbiter 5, msel 2; one keeps the header.
    bench.rule(B, port(Bundle::South, 0), 2, slot(9, 31, 5, 2));
    bench.amsel(B, port(Bundle::Dma, 0), 5, 0b0100, true);
    bench.amsel(B, port(Bundle::Dma, 1), 5, 0b0100, false);
    bench.rule(A, port(Bundle::Dma, 0), 1, slot(8, 0b11000, 3, 0));
    bench.bd(A, 0, &packet(9, bd(0, 3)));
    bench.bd(B, 0, &bd(0, 3));
    bench.bd(B, 1, &bd(0x1000, 4));
    bench.push(B, S2mm, 0, once(0));
    bench.push(B, S2mm, 1, once(1));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(B, 0, 3), [0, 1, 2]);
    let header = PacketHeader {
        id: 9,
        kind: 1,
        source: A,
    };
    assert_eq!(bench.words(B, 0x1000, 4), [header.word(), 0, 1, 2]);
}

#[test]
fn a_blocked_packet_holds_its_arbiter_until_tlast() {
    let mut bench = shared(true);
    bench.bd(A, 0, &packet(1, bd(0, 12)));
    bench.bd(A, 1, &packet(2, bd(0x100, 4)));
    bench.bd(B, 1, &bd(0x1000, 4));
    // Channel 0 never suppresses TLAST, but its packet has no receiver yet: the second packet fits
    // only when the first is through.
    bench.fill(A, 0, 0..64);
    bench.bd(A, 0, &packet(1, bd(0, 64)));
    bench.bd(B, 0, &bd(0, 64));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    bench.push(B, S2mm, 1, once(1));
    bench.push(A, Mm2s, 1, once(1));
    bench.run_clean();
    let waits = bench.waits();
    let asking = waits
        .iter()
        .find(|wait| wait.starts_with("slave port DMA : 1"))
        .unwrap();
    assert!(asking.ends_with("for arbiter 3, which serves slave port DMA : 0 of tile (0, 2)"));
    bench.push(B, S2mm, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(B, 0, 64), (0..64).collect::<Vec<_>>());
    assert_eq!(bench.words(B, 0x1000, 4), [100, 101, 102, 103]);
}

#[test]
fn a_packet_without_rule_stands_and_is_reported() {
    let mut bench = shared(true);
    bench.bd(A, 0, &packet(7, bd(0, 4)));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    let waits = bench.waits();
    assert!(
        waits
            .iter()
            .any(|wait| wait.ends_with("for a rule for packet id 7")),
        "{waits:?}"
    );
    // A rule that comes later lets it go on.
    bench.rule(A, port(Bundle::Dma, 0), 3, slot(7, 31, 3, 0));
    bench.rule(B, port(Bundle::South, 0), 3, slot(7, 31, 1, 1));
    bench.bd(B, 1, &bd(0x1000, 4));
    bench.push(B, S2mm, 1, once(1));
    bench.run_clean();
    assert_eq!(bench.words(B, 0x1000, 4), [0, 1, 2, 3]);
}

#[test]
fn a_rule_without_master_is_reported() {
    let mut bench = shared(true);
    bench.rule(A, port(Bundle::Dma, 0), 0, slot(1, 31, 3, 2));
    bench.bd(A, 0, &packet(1, bd(0, 4)));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    let waits = bench.waits();
    assert!(
        waits
            .iter()
            .any(|wait| wait.ends_with("that takes arbiter 3 msel 2")),
        "{waits:?}"
    );
}
