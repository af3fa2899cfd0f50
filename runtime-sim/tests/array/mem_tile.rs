//! Mem tiles: windows into neighbours, limits of channels, padding.

use aiec_device::regmap::{BdFields, RegisterRef};
use aiec_device::{Bundle, DmaDir::*, LockId, TileLoc};

use super::support::*;

const WEST: TileLoc = TileLoc::new(0, 1);
const M: TileLoc = TileLoc::new(1, 1);
const EAST: TileLoc = TileLoc::new(2, 1);
/// First byte of the windows of a mem tile's DMA.
const OWN_WINDOW: u64 = 0x8_0000;
const EAST_WINDOW: u64 = 0x10_0000;
/// First lock of the windows.
const OWN_LOCKS: u8 = 64;
const EAST_LOCKS: u8 = 128;

fn loopback(channel: u8) -> Bench {
    let mut bench = Bench::new("npu1");
    bench.connect(M, port(Bundle::Dma, channel), port(Bundle::Dma, channel));
    bench
}

#[test]
fn channels_reach_the_tiles_beside() {
    let mut bench = loopback(0);
    bench.fill(WEST, 0x40, [7, 8, 9]);
    bench.lock(EAST, 5, 1);
    bench.bd(M, 0, &bd(0x40, 3));
    let target = BdFields {
        lock_acq_enable: true,
        lock_acq_id: EAST_LOCKS + 5,
        lock_acq_value: -1,
        lock_rel_id: OWN_LOCKS + 63,
        lock_rel_value: 2,
        ..bd(EAST_WINDOW + 0x80, 3)
    };
    bench.bd(M, 1, &target);
    bench.push(M, S2mm, 0, once(1));
    bench.push(M, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(EAST, 0x80, 3), [7, 8, 9]);
    assert_eq!(bench.array.lock_value(LockId::new(EAST, 5)), Some(0));
    assert_eq!(bench.array.lock_value(LockId::new(M, 63)), Some(2));
}

#[test]
fn the_last_channels_see_their_own_tile_only() {
    let mut bench = loopback(4);
    bench.bd(M, 0, &bd(OWN_WINDOW, 1));
    bench.bd(M, 1, &bd(0, 1));
    bench.push(M, Mm2s, 4, once(0));
    bench.run_clean();
    bench.push(M, Mm2s, 4, once(1));
    bench.run();
    assert!(
        bench.array.faults()[0]
            .to_string()
            .contains("byte address 0x0 is out of")
    );
    assert!(bench.status(M, Mm2s, 4).error_memory_unavailable);
}

#[test]
fn the_array_ends_at_its_edge() {
    let mut bench = Bench::new("npu1");
    bench.bd(WEST, 0, &bd(0, 1));
    bench.push(WEST, Mm2s, 0, once(0));
    bench.run();
    assert_eq!(bench.array.faults().len(), 1);
}

#[test]
fn odd_channels_use_the_upper_descriptors() {
    let mut bench = loopback(1);
    bench.bd(M, 3, &bd(OWN_WINDOW, 1));
    bench.push(M, Mm2s, 1, once(3));
    bench.run();
    assert!(
        bench.array.faults()[0]
            .to_string()
            .ends_with("this channel cannot use the BD")
    );
}

#[test]
fn padding_surrounds_a_block() {
    let mut bench = Bench::new("npu2");
    bench.connect(M, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    bench.fill(M, 0, 1..=6);
    // Two rows of 3 words: one pad word before and two after each row, one row below.
    let padded = BdFields {
        steps: [1, 3, 1, 1],
        wraps: [3, 2, 0],
        pad_before: [1, 0, 0],
        pad_after: [2, 1, 0],
        // The length counts the padding: three rows of six.
        ..bd(OWN_WINDOW, 18)
    };
    bench.bd(M, 0, &padded);
    bench.bd(M, 1, &bd(OWN_WINDOW + 0x100, 18));
    bench.write(M, RegisterRef::PadValue { channel: 0 }, 99);
    bench.push(M, S2mm, 0, once(1));
    bench.push(M, Mm2s, 0, once(0));
    bench.run_clean();
    let p = 99;
    let expected = [p, 1, 2, 3, p, p, p, 4, 5, 6, p, p, p, p, p, p, p, p];
    assert_eq!(bench.words(M, 0x100, 18), expected);
}

#[test]
fn four_dimensions() {
    let mut bench = loopback(0);
    bench.fill(M, 0, 0..16);
    let walk = BdFields {
        steps: [8, 4, 2, 1],
        wraps: [2, 2, 2],
        ..bd(OWN_WINDOW, 16)
    };
    bench.bd(M, 0, &walk);
    bench.bd(M, 1, &bd(OWN_WINDOW + 0x100, 16));
    bench.push(M, S2mm, 0, once(1));
    bench.push(M, Mm2s, 0, once(0));
    bench.run_clean();
    // The bits of the address in reverse.
    let expected = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];
    assert_eq!(bench.words(M, 0x100, 16), expected);
}
