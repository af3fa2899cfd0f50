//! Compressed streams between channels: the words in the stream and in memory, ends of BDs and packets, times.

use aiec_device::regmap::{BdFields, DmaCtrl, RegisterRef, SwitchSlot};
use aiec_device::{Bundle, DmaDir::*, TileLoc};
use sha2::{Digest, Sha256};

use super::support::*;

const CORE: TileLoc = TileLoc::new(0, 2);
const MEM: TileLoc = TileLoc::new(0, 1);
/// First byte of a mem tile's own memory for its DMA.
const OWN_WINDOW: u64 = 0x8_0000;
/// Where the words come from and go to, in bytes of the tile's memory.
const IN: u32 = 0;
const OUT: u32 = 0x8000;

/// The chain of BDs begins here.
const FIRST: [u8; 2] = [0, 8];

/// A tile whose MM2S 0 feeds its S2MM 0.
struct Loop {
    bench: Bench,
    tile: TileLoc,
}

impl Loop {
    fn new(device: &str, tile: TileLoc, words: &[u32]) -> Loop {
        let mut bench = Bench::new(device);
        bench.connect(tile, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
        bench.fill(tile, IN, words.iter().copied());
        Loop { bench, tile }
    }

    fn address(&self, byte: u32) -> u64 {
        let window = if self.tile == MEM { OWN_WINDOW } else { 0 };
        window + u64::from(byte)
    }

    /// Starts channels that compress, or decompress, the BDs of a chain that ask for it.
    fn start(&mut self, dir: aiec_device::DmaDir, compression: bool, chain: &[BdFields]) {
        let first = FIRST[usize::from(dir == Mm2s)];
        for (at, fields) in chain.iter().enumerate() {
            let id = first + at as u8;
            let fields = BdFields {
                use_next: at + 1 < chain.len(),
                next_bd: id + 1,
                ..fields.clone()
            };
            self.bench.bd(self.tile, id, &fields);
        }
        let ctrl = DmaCtrl {
            compression,
            ..DmaCtrl::default()
        };
        self.bench.control(self.tile, dir, 0, ctrl);
        self.bench.push(self.tile, dir, 0, once(first));
    }

    /// A BD whose data is compressed, or not.
    fn bd(&self, byte: u32, words: u32, compression: bool) -> BdFields {
        BdFields {
            compression,
            ..bd(self.address(byte), words)
        }
    }

    /// Words that the MM2S channel sent.
    fn sent(&self) -> u64 {
        self.bench.array.view().stats().ports[0].words
    }
}

/// The words of a unit and of its mask.
fn format(device: &str) -> (usize, usize) {
    match device {
        "npu1" => (8, 1),
        _ => (16, 2),
    }
}

/// A plain compressor: bytes in bytes out.
fn compressed(device: &str, words: &[u32]) -> Vec<u32> {
    let (unit, mask) = format(device);
    let mut bytes = Vec::new();
    for unit in words.chunks(unit) {
        let unit: Vec<u8> = unit.iter().flat_map(|word| word.to_le_bytes()).collect();
        for bits in 0..4 * mask {
            let bit = |n: usize| unit.get(8 * bits + n).is_some_and(|byte| *byte != 0);
            bytes.push((0..8).fold(0, |byte, n| byte | u8::from(bit(n)) << n));
        }
        bytes.extend(unit.iter().filter(|byte| **byte != 0));
        while bytes.len() % (4 * mask) != 0 {
            bytes.push(0);
        }
    }
    let words = bytes.as_chunks().0.iter();
    words.map(|word| u32::from_le_bytes(*word)).collect()
}

/// Words of which a part of the bytes is 0.
fn sparse(seed: u64, count: usize) -> Vec<u32> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut byte = || random.u32(0..4).saturating_sub(2) * random.u32(1..128);
    let word = |_| (0..4).fold(0, |word, _| word << 8 | byte());
    (0..count).map(word).collect()
}

fn sha256(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

const EACH: [(&str, TileLoc); 4] = [("npu1", CORE), ("npu1", MEM), ("npu2", CORE), ("npu2", MEM)];

/// The designs of mlir-aie's programming_examples/basic/dma_compression with its hashes of NPU1 and NPU2: 4096 words in
/// BDs of 1024, the first of which was loaded before its bit was written.
const LINE: u32 = 1024;
const SENT: u32 = 2944;

#[test]
fn compression_gives_the_words_of_silicon() {
    for (device, tile) in EACH {
        let words: Vec<u32> = (0..4 * LINE).collect();
        let mut it = Loop::new(device, tile, &words);
        let lines = [0, 1, 2, 3].map(|line| it.bd(IN + 4 * LINE * line, LINE, line > 0));
        it.start(S2mm, false, &[it.bd(OUT, SENT, true)]);
        it.start(Mm2s, true, &lines);
        it.bench.run_clean();
        let golden = match device {
            "npu1" => "f30dcae2d175d710e81d8410be5cc980bf06e364de359b6bc6f87194012ebc7d",
            _ => "f947e931d2e3c530be240f4e622d1c3757b2e1d5e23a05be5d21768332420bc5",
        };
        assert_eq!(sha256(&it.bench.words(tile, OUT, SENT)), golden, "{device}");
        assert_eq!(it.sent(), u64::from(SENT));
    }
}

#[test]
fn decompression_gives_the_words_of_silicon() {
    for (device, tile) in EACH {
        let words: Vec<u32> = (0..SENT).collect();
        let mut it = Loop::new(device, tile, &words);
        let lines = [0, 1, 2, 3].map(|line| it.bd(OUT + 4 * LINE * line, LINE, line > 0));
        it.start(S2mm, true, &lines);
        it.start(Mm2s, false, &[it.bd(IN, SENT, true)]);
        it.bench.run_clean();
        let golden = match device {
            "npu1" => "865270a4c87149f42933e7f5aa037891e392812b4338829b3419f320660ea089",
            _ => "1215bcd067bc6097eecdb81fb8ebf45211cb1e9ea00c95674eea4e8d476a7152",
        };
        let out = it.bench.words(tile, OUT, 4 * LINE);
        assert_eq!(sha256(&out), golden, "{device}");
    }
}

#[test]
fn words_come_back_from_a_compressed_stream() {
    for (device, tile) in EACH {
        for length in [1, 7, 8, 9, 16, 100, 640] {
            let words = sparse(length, length as usize);
            let mut it = Loop::new(device, tile, &words);
            it.start(S2mm, true, &[it.bd(OUT, length as u32, true)]);
            it.start(Mm2s, true, &[it.bd(IN, length as u32, true)]);
            it.bench.run_clean();
            assert_eq!(it.bench.words(tile, OUT, length as u32), words);
            assert_eq!(it.sent(), compressed(device, &words).len() as u64);
            let stats = it.bench.array.view().stats();
            let counts = stats.channels.iter().map(|channel| channel.counts);
            assert!(counts.clone().count() == 2);
            assert!(
                counts
                    .into_iter()
                    .all(|counts| (counts.words, counts.tasks) == (length, 1))
            );
        }
    }
}

/// Memory is walked as a BD says; units are of the words in that order.
#[test]
fn a_walk_is_compressed_in_its_order() {
    for (device, tile) in EACH {
        let words = sparse(5, 60);
        let mut it = Loop::new(device, tile, &words);
        // Columns of a matrix of 6 by 10 words.
        let turned = BdFields {
            steps: [10, 1, 1, 1],
            wraps: [6, 10, 0],
            ..it.bd(IN, 60, true)
        };
        it.start(S2mm, false, &[it.bd(OUT, 60, false)]);
        it.start(Mm2s, true, std::slice::from_ref(&turned));
        it.bench.run();
        let order: Vec<u32> = (0..60).map(|at| words[at % 6 * 10 + at / 6]).collect();
        let packed = compressed(device, &order);
        let count = packed.len().min(60);
        assert_eq!(it.bench.words(tile, OUT, count as u32), packed[..count]);

        let mut it = Loop::new(device, tile, &order);
        let back = BdFields {
            base_address: it.address(OUT),
            ..turned
        };
        it.start(S2mm, true, &[back]);
        it.start(Mm2s, true, &[it.bd(IN, 60, true)]);
        it.bench.run_clean();
        assert_eq!(it.bench.words(tile, OUT, 60), words);
    }
}

/// Padding words are compressed as those of memory.
#[test]
fn padding_is_part_of_the_data() {
    let mut it = Loop::new("npu2", MEM, &[1, 2, 3]);
    let padded = BdFields {
        wraps: [3, 0, 0],
        pad_before: [1, 0, 0],
        pad_after: [3, 0, 0],
        ..it.bd(IN, 7, true)
    };
    it.bench
        .write(MEM, RegisterRef::PadValue { channel: 0 }, 9 << 24);
    it.start(S2mm, false, &[it.bd(OUT, 4, false)]);
    it.start(Mm2s, true, &[padded]);
    it.bench.run_clean();
    let p = 9 << 24;
    let expected = compressed("npu2", &[p, 1, 2, 3, p, p, p]);
    assert_eq!(it.bench.words(MEM, OUT, 4), expected);
}

/// The bit of the channel or of the BD alone does nothing.
#[test]
fn both_bits_are_needed() {
    let words = sparse(3, 40);
    for (channel, in_bd) in [(true, false), (false, true)] {
        let mut it = Loop::new("npu1", CORE, &words);
        it.start(S2mm, channel, &[it.bd(OUT, 40, in_bd)]);
        it.start(Mm2s, channel, &[it.bd(IN, 40, in_bd)]);
        it.bench.run_clean();
        assert_eq!(it.bench.words(CORE, OUT, 40), words);
        assert_eq!(it.sent(), 40);
    }
}

/// Each BD of a chain has units of its own.
#[test]
fn units_end_with_their_descriptor() {
    for (device, tile) in EACH {
        let words = sparse(7, 30);
        let mut it = Loop::new(device, tile, &words);
        let parts = |it: &Loop, from: u32| {
            let part = |at: u32, words| it.bd(from + 4 * at, words, true);
            [part(0, 13), part(13, 1), part(14, 16)]
        };
        it.start(S2mm, true, &parts(&it, OUT));
        it.start(Mm2s, true, &parts(&it, IN));
        it.bench.run_clean();
        assert_eq!(it.bench.words(tile, OUT, 30), words);
        let packed = [&words[..13], &words[13..14], &words[14..]];
        let packed = packed.map(|part| compressed(device, part).len());
        assert_eq!(it.sent(), packed.iter().sum::<usize>() as u64);
    }
}

#[test]
fn a_unit_over_the_end_of_a_descriptor_stops_the_channel() {
    let mut it = Loop::new("npu1", CORE, &[1, 2, 3, 4, 5, 6, 7, 8]);
    it.start(S2mm, true, &[it.bd(OUT, 4, true), it.bd(OUT + 16, 4, true)]);
    it.start(Mm2s, true, &[it.bd(IN, 8, true)]);
    it.bench.run();
    let fault = it.bench.array.faults()[0].to_string();
    assert!(
        fault.ends_with("a compressed unit that goes over the end of its BD is not simulated"),
        "{fault}"
    );
}

#[test]
fn a_packet_that_ends_inside_a_unit_stops_the_channel() {
    let mut it = Loop::new("npu2", CORE, &[u32::MAX, u32::MAX, 3]);
    it.start(S2mm, true, &[it.bd(OUT, 16, true)]);
    it.start(Mm2s, false, &[it.bd(IN, 3, false)]);
    it.bench.run();
    let fault = it.bench.array.faults()[0].to_string();
    assert!(fault.contains("ends inside a unit"), "{fault}");
}

/// A channel whose next BD isn't compressed takes the word after the last unit.
#[test]
fn a_plain_descriptor_follows_a_compressed_one() {
    for (device, tile) in EACH {
        let words = sparse(11, 48);
        let mut it = Loop::new(device, tile, &words);
        let chain = |it: &Loop, from: u32| {
            [
                it.bd(from, 20, true),
                it.bd(from + 80, 20, false),
                it.bd(from + 160, 8, true),
            ]
        };
        it.start(S2mm, true, &chain(&it, OUT));
        it.start(Mm2s, true, &chain(&it, IN));
        it.bench.run_clean();
        assert_eq!(it.bench.words(tile, OUT, 48), words);
    }
}

/// Packets: the header is as it was; TLAST ends a BD that has room for more.
#[test]
fn packets_keep_their_header_and_their_end() {
    let words = sparse(13, 24);
    let mut it = Loop::new("npu1", CORE, &words);
    let any = SwitchSlot {
        enable: true,
        id: 0,
        mask: 0,
        arbiter: 0,
        msel: 0,
    };
    let dma = port(Bundle::Dma, 0);
    it.bench.rule(CORE, dma, 0, any);
    it.bench.amsel(CORE, dma, 0, 1, false);
    let packet = BdFields {
        packet_enable: true,
        packet_id: 3,
        out_of_order_id: 5,
        ..it.bd(IN, 24, true)
    };
    it.bench.bd(CORE, 5, &it.bd(OUT, 100, true));
    let ctrl = DmaCtrl {
        out_of_order: true,
        compression: true,
        ..DmaCtrl::default()
    };
    it.bench.control(CORE, S2mm, 0, ctrl);
    it.bench.push(CORE, S2mm, 0, once(0));
    it.start(Mm2s, true, &[packet]);
    it.bench.run_clean();
    assert_eq!(it.bench.words(CORE, OUT, 24), words);
    assert_eq!(it.sent(), 1 + compressed("npu1", &words).len() as u64);
    let stats = it.bench.array.view().stats();
    assert_eq!(stats.channels[0].counts.tasks, 1);
}

/// A word each cycle, in memory or in the stream.
#[test]
fn the_longer_side_of_a_unit_is_its_time() {
    let time = |words: &[u32], compression| {
        let mut it = Loop::new("npu1", CORE, words);
        let length = words.len() as u32;
        it.start(S2mm, compression, &[it.bd(OUT, length, true)]);
        it.start(Mm2s, compression, &[it.bd(IN, length, true)]);
        it.bench.run_clean()
    };
    const UNITS: u64 = 40;
    for words in [[0; 8 * UNITS as usize], [1; 8 * UNITS as usize]] {
        let (plain, packed) = (time(&words, false), time(&words, true));
        assert!(packed.abs_diff(plain) <= 9, "{plain} {packed}");
    }
    let dense = [u32::MAX; 8 * UNITS as usize];
    let (plain, packed) = (time(&dense, false), time(&dense, true));
    assert!((packed - plain).abs_diff(UNITS) <= 9, "{plain} {packed}");
}

/// Neither random latencies nor a short view ahead change the words.
#[test]
fn words_do_not_depend_on_times() {
    for seed in 0..20 {
        let words = sparse(seed, 333);
        let mut it = Loop::new(["npu1", "npu2"][seed as usize % 2], CORE, &words);
        it.bench.array.jitter(seed);
        it.start(S2mm, true, &[it.bd(OUT, 333, true)]);
        it.start(Mm2s, true, &[it.bd(IN, 333, true)]);
        it.bench.run_clean();
        assert_eq!(it.bench.words(CORE, OUT, 333), words, "{seed}");
    }
}
