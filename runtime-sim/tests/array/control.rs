//! The register bus itself, and control packets.

use aiec_device::regmap::{BdFields, RegisterRef, SwitchSlot};
use aiec_device::{Bundle, DmaDir::*, TileLoc};
use aiec_sim::array::{BusFault, PacketHeader};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);

#[test]
fn an_address_of_nothing_is_refused() {
    let mut bench = Bench::new("npu1");
    let fault = bench.array.bus_write(0, 0x0021_BEE0, 1).unwrap_err();
    assert_eq!(
        fault,
        BusFault::Unmapped {
            address: 0x0021_BEE0,
            tile: A,
            offset: 0x1_BEE0
        }
    );
    assert_eq!(
        bench.array.bus_read(0, 9 << 25).unwrap_err().to_string(),
        "address 0x12000000 names tile (9, 0), which npu1 doesn't have"
    );
    let fault = bench.array.bus_write(0, 2, 1).unwrap_err();
    assert_eq!(fault, BusFault::Unaligned { address: 2 });
}

#[test]
fn registers_without_effect_are_named_once() {
    let mut bench = Bench::new("npu1");
    let points = bench.array.device().tile_address(A, 0x1_4100);
    bench.array.bus_write(3, points, 5).unwrap();
    bench.array.bus_write(4, points + 4, 6).unwrap();
    assert_eq!(bench.array.bus_read(5, points).unwrap(), 5);
    let notes: Vec<_> = bench
        .array
        .unmodelled()
        .map(|entry| (entry.register, entry.writes))
        .collect();
    assert_eq!(notes, [("WatchPoint{}", 2)]);
}

#[test]
fn fields_and_bits_without_effect_are_named_once() {
    let mut bench = Bench::new("npu1");
    let shim = TileLoc::new(0, 0);
    // DMA_BD1_3 with Secure_Access (bit 30); DMA_BD1_7 with bit 31, a field, and bit 17, none
    for (offset, value) in [(0x1_d02c, 0x4000_0005), (0x1_d03c, 0x8002_0000)] {
        let address = bench.array.device().tile_address(shim, offset);
        bench.array.bus_write(0, address, value).unwrap();
        bench.array.bus_write(1, address, value).unwrap();
    }
    let notes: Vec<_> = bench.array.unmodelled().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        ["DMA_BDn_3.Secure_Access", "DMA_BDn_7 (bits 0x20000)"]
    );
    assert!(bench.array.unmodelled().all(|part| part.writes == 2));
}

#[test]
fn memory_is_zeroed_on_request() {
    let mut bench = Bench::new("npu1");
    for (place, offset) in [(A, 0x1_6010), (TileLoc::new(0, 1), 0x9_6048)] {
        bench.fill(place, 0x20, [1, 2, 3]);
        let address = bench.array.device().tile_address(place, offset);
        bench.array.bus_write(0, address, 0x3).unwrap();
        assert_eq!(bench.words(place, 0x20, 3), [0, 0, 0]);
        assert_eq!(bench.array.bus_read(0, address).unwrap(), 0x2);
    }
}

#[test]
fn switch_words_read_back() {
    let mut bench = Bench::new("npu1");
    bench.connect(A, port(Bundle::Dma, 1), port(Bundle::North, 3));
    let master = RegisterRef::MasterConfig {
        port: port(Bundle::North, 3),
    };
    assert_eq!(bench.read(A, master), 0x8000_0002);
}

/// MM2S 0 of A sends the data at address 0 as one packet with id 5 to A's packet handler, whose
/// responses go to S2MM 0.
fn handler(words: &[u32]) -> Bench {
    let mut bench = Bench::new("npu1");
    let rule = SwitchSlot {
        enable: true,
        id: 5,
        mask: 31,
        msel: 0,
        arbiter: 2,
    };
    bench.rule(A, port(Bundle::Dma, 0), 0, rule);
    bench.amsel(A, port(Bundle::TileControl, 0), 2, 0b0001, false);
    bench.connect(A, port(Bundle::TileControl, 0), port(Bundle::South, 0));
    bench.fill(A, 0, words.iter().copied());
    let sender = BdFields {
        packet_enable: true,
        packet_id: 5,
        ..bd(0, words.len() as u32)
    };
    bench.bd(A, 0, &sender);
    bench
}

fn control_header(offset: u32, words: u32, operation: u32, answer: u32) -> u32 {
    let word = offset | (words - 1) << 20 | operation << 22 | answer << 24;
    word | u32::from(word.count_ones().is_multiple_of(2)) << 31
}

#[test]
fn a_control_packet_writes_registers() {
    let offset = Bench::new("npu1").offset(A, RegisterRef::DataMemory { byte: 0x400 });
    let mut bench = handler(&[control_header(offset, 3, 0, 0), 11, 22, 33]);
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(A, 0x400, 3), [11, 22, 33]);
}

#[test]
fn a_control_packet_reads_registers_and_answers() {
    let offset = Bench::new("npu1").offset(A, RegisterRef::DataMemory { byte: 0x400 });
    let mut bench = handler(&[control_header(offset, 2, 1, 9)]);
    bench.fill(A, 0x400, [77, 88]);
    // The answer goes down to the mem tile.
    let m = TileLoc::new(0, 1);
    bench.connect(m, port(Bundle::North, 0), port(Bundle::Dma, 0));
    bench.bd(m, 0, &bd(0x8_0000, 3));
    bench.push(m, S2mm, 0, once(0));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    let header = PacketHeader {
        id: 9,
        kind: 0,
        source: A,
    };
    assert_eq!(bench.words(m, 0, 3), [header.word(), 77, 88]);
}

#[test]
fn a_malformed_control_packet_is_a_fault() {
    let mut bench = handler(&[control_header(0x400, 2, 0, 0), 1]);
    bench.push(A, Mm2s, 0, once(0));
    bench.run();
    let fault = bench.array.faults()[0].to_string();
    assert!(
        fault.ends_with("it has 1 data words, its header says 2"),
        "{fault}"
    );
}

#[test]
fn a_write_can_ask_for_an_answer() {
    let offset = Bench::new("npu1").offset(A, RegisterRef::DataMemory { byte: 0x400 });
    let mut bench = handler(&[control_header(offset, 1, 2, 7), 42]);
    let m = TileLoc::new(0, 1);
    bench.connect(m, port(Bundle::North, 0), port(Bundle::Dma, 0));
    bench.bd(m, 0, &bd(0x8_0000, 1));
    bench.push(m, S2mm, 0, once(0));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    let header = PacketHeader {
        id: 7,
        kind: 0,
        source: A,
    };
    assert_eq!(bench.words(m, 0, 1), [header.word()]);
    assert_eq!(bench.words(A, 0x400, 1), [42]);
}

#[test]
fn a_wrong_parity_or_operation_is_a_fault_and_an_event() {
    let offset = Bench::new("npu1").offset(A, RegisterRef::DataMemory { byte: 0x400 });
    for (word, text) in [
        (
            control_header(offset, 1, 0, 0) ^ 1 << 31,
            "its parity is wrong",
        ),
        (
            control_header(offset, 1, 3, 0),
            "operation 3 is not simulated",
        ),
        (
            control_header(0x3_4700, 1, 0, 0),
            "offset 0x34700 isn't a register",
        ),
    ] {
        let mut bench = handler(&[word, 1]);
        bench.push(A, Mm2s, 0, once(0));
        bench.run();
        let fault = bench.array.faults()[0].to_string();
        assert!(fault.contains(text), "{fault}");
        // CONTROL_PKT_ERROR of the core module: event 57.
        let status = bench.array.device().tile_address(A, 0x3_4204);
        let bits = bench.array.bus_read(bench.array.now(), status).unwrap();
        assert_eq!(bits >> (57 - 32) & 1, 1);
    }
}
