//! Shim DMA: host buffers, the mux, latencies, faults.

use aiec_device::regmap::{BdFields, QueueEntry};
use aiec_device::{Bundle, DmaDir::*, TileLoc};

use super::support::*;

const S: TileLoc = TileLoc::new(0, 0);
const M: TileLoc = TileLoc::new(0, 1);
const OWN_WINDOW: u64 = 0x8_0000;

fn host_words(bench: &mut Bench, name: &str, words: impl IntoIterator<Item = u32>) -> u64 {
    let bytes = words.into_iter().flat_map(u32::to_le_bytes).collect();
    bench.array.host.map(name, bytes).base
}

/// Host to mem tile by MM2S 0, and back by S2MM 1.
fn through_mem_tile(device: &str) -> Bench {
    let mut bench = Bench::new(device);
    let into = bench.shim(0, Mm2s, 0);
    let out = bench.shim(0, S2mm, 1);
    bench.connect(S, into, port(Bundle::North, 0));
    bench.connect(M, port(Bundle::South, 0), port(Bundle::Dma, 0));
    bench.connect(M, port(Bundle::Dma, 1), port(Bundle::South, 1));
    bench.connect(S, port(Bundle::North, 1), out);
    bench
}

#[test]
fn offsets_and_strides_reach_host_addresses_on_every_generation() {
    for device in ["npu1", "npu2", "xcve3858"] {
        let mut bench = through_mem_tile(device);
        let input = host_words(&mut bench, "in", 0..64);
        let output = host_words(&mut bench, "out", [0; 32]);
        // Every other word from the tenth on.
        let read = BdFields {
            steps: [2, 1, 1, 1],
            wraps: [8, 0, 0],
            ..bd(input + 40, 8)
        };
        bench.bd(S, 3, &read);
        bench.bd(M, 0, &bd(OWN_WINDOW, 8));
        bench.push(M, S2mm, 0, once(0));
        bench.push(
            S,
            Mm2s,
            0,
            QueueEntry {
                bd: 3,
                repeat: 0,
                token: true,
            },
        );
        bench.run_clean();
        assert_eq!(
            bench.words(M, 0, 8),
            [10, 12, 14, 16, 18, 20, 22, 24],
            "{device}"
        );
        // Odd channels of a mem tile use BDs 24 and up.
        bench.bd(M, 24, &bd(OWN_WINDOW, 8));
        bench.bd(S, 4, &bd(output + 8, 8));
        bench.push(
            S,
            S2mm,
            1,
            QueueEntry {
                bd: 4,
                repeat: 0,
                token: true,
            },
        );
        bench.push(M, Mm2s, 1, once(24));
        bench.run_clean();
        let id = bench.array.host.locate(output).unwrap().0;
        let bytes = bench.array.host.bytes(id);
        let words: Vec<u32> = bytes
            .chunks(4)
            .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
            .collect();
        assert_eq!(
            words[..11],
            [0, 0, 10, 12, 14, 16, 18, 20, 22, 24, 0],
            "{device}"
        );
        let actors: Vec<u8> = bench.tokens(0).iter().map(|token| token.actor).collect();
        assert_eq!(actors, [6, 1], "{device}");
    }
}

#[test]
fn the_first_task_pays_the_way_to_memory() {
    let mut bench = through_mem_tile("npu1");
    let input = host_words(&mut bench, "in", 0..4);
    bench.bd(S, 0, &bd(input, 4));
    bench.bd(M, 0, &bd(OWN_WINDOW, 4));
    bench.push(M, S2mm, 0, once(0));
    bench.push(
        S,
        Mm2s,
        0,
        QueueEntry {
            bd: 0,
            repeat: 0,
            token: true,
        },
    );
    bench.run_clean();
    // Start 2, BD load 4, memory 1330; four words; the BD ends after the last is accepted.
    assert_eq!(bench.tokens(0)[0].at, 6 + 1330 + 4 + 16);
}

#[test]
fn a_channel_that_the_mux_leaves_out_waits() {
    let mut bench = Bench::new("npu1");
    let input = host_words(&mut bench, "in", 0..4);
    bench.bd(S, 0, &bd(input, 4));
    bench.push(S, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(
        bench.waits(),
        ["DMA MM2S 0 of tile (0, 0) waits since cycle 1336 for a connection by the shim mux"]
    );
    bench.shim(0, Mm2s, 0);
    bench.run_clean();
    assert_eq!(bench.array.view().stats().channels[0].counts.words, 4);
}

#[test]
fn an_access_outside_every_buffer_names_the_nearest() {
    let mut bench = through_mem_tile("npu2");
    let input = host_words(&mut bench, "weights", 0..4);
    bench.bd(S, 0, &bd(input + 8, 4));
    bench.push(S, Mm2s, 0, once(0));
    bench.run();
    let fault = bench.array.faults()[0].to_string();
    assert!(
        fault.contains("offset 0x8 of buffer `weights` (16 bytes"),
        "{fault}"
    );
    assert!(bench.status(S, Mm2s, 0).error_axi_decode);
}

#[test]
fn the_controllers_shim_queues_are_deeper_for_reading() {
    let mut bench = through_mem_tile("xcve3858");
    let input = host_words(&mut bench, "in", 0..17);
    bench.bd(
        S,
        0,
        &BdFields {
            iteration_step: 1,
            iteration_count: 17,
            ..bd(input, 1)
        },
    );
    bench.bd(M, 0, &bd(OWN_WINDOW, 17));
    bench.push(M, S2mm, 0, once(0));
    for _ in 0..17 {
        bench.push(S, Mm2s, 0, once(0));
    }
    assert_eq!(bench.status(S, Mm2s, 0).queue_size, 16);
    bench.run_clean();
    assert_eq!(bench.words(M, 0, 17), (0..17).collect::<Vec<_>>());
}
