//! Trace units in event-time mode: frames of which events come when, packed into stream packets.
//!
//! A packet is a header and seven words, the last with TLAST; frames are bytes, most significant
//! first, and none crosses a word (`mlir-aie: python/utils/trace/parse.py` reads them).
//!
//! | frame | bits |
//! | --- | --- |
//! | start | 0xF0 and the timer, 56 bits |
//! | one event | 0EEE TTTT; 100E EETT and a byte; 101E EETT and two bytes |
//! | several | 1100 and a mask of 8, T of 4; 1101 00 and mask, T of 10; 1101 01 and mask, T of 18 |
//! | repeat of the last frame | 1110 RRRR; 1101 10RR and a byte |
//! | sync: 0x3FFFF cycles without event | 0xFF |
//! | filler | 0xFE |
//!
//! T is the number of cycles since the frame before, less one.

use std::collections::VecDeque;

use crate::array::stream_switch::packet::PacketHeader;
use crate::time::Cycle;

/// Words of a packet after its header.
const PAYLOAD: usize = 7;
const START: u8 = 0xF0;
const FILLER: u8 = 0xFE;
const SYNC: u8 = 0xFF;
/// Cycles that a sync frame represents.
const SYNC_CYCLES: Cycle = 0x3_FFFF;
/// Largest counts of the repeat frames.
const SHORT_REPEAT: Cycle = 0xF;
const LONG_REPEAT: Cycle = 0x3FF;

/// The trace unit of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct TraceUnit {
    pub start: u8,
    pub stop: u8,
    /// Events of the eight slots; 0 for none.
    pub slots: [u8; 8],
    pub packet_id: u8,
    pub packet_type: u8,
    pub running: bool,
    /// Cycle of the last frame.
    last: Cycle,
    /// Bytes of the packet that is being filled.
    bytes: Vec<u8>,
    /// Words that wait for the stream, with TLAST.
    pub out: VecDeque<(u32, bool)>,
    header: u32,
}

impl TraceUnit {
    /// Tracing begins: the start frame holds the timer.
    pub fn begin(&mut self, now: Cycle, timer: Cycle, header: PacketHeader) {
        self.running = true;
        self.last = now;
        self.header = header.word();
        let time = timer.to_be_bytes();
        let mut frame = vec![START];
        frame.extend(&time[1..]);
        self.put(&frame[..4]);
        self.put(&frame[4..]);
    }

    /// Tracing ends: the packet that was begun is filled up and sent.
    pub fn end(&mut self) {
        self.running = false;
        while !self.bytes.is_empty() {
            self.byte(FILLER);
        }
    }

    /// The slots in `mask` are on from `from` to before `to`.
    pub fn record(&mut self, mask: u8, from: Cycle, to: Cycle) {
        if mask == 0 || from >= to {
            return;
        }
        let mut gap = from.saturating_sub(self.last).saturating_sub(1);
        while gap >= SYNC_CYCLES {
            self.put(&[SYNC]);
            gap -= SYNC_CYCLES;
        }
        self.frame(mask, gap);
        let mut more = to - from - 1;
        if more > 0 {
            // A repeat would repeat the gap as well.
            if gap > 0 {
                self.frame(mask, 0);
                more -= 1;
            }
            while more > 0 {
                let count = more.min(LONG_REPEAT);
                if count <= SHORT_REPEAT {
                    self.put(&[0b1110_0000 | count as u8]);
                } else {
                    self.put(&[0b1101_1000 | (count >> 8) as u8, count as u8]);
                }
                more -= count;
            }
        }
        self.last = to - 1;
    }

    fn frame(&mut self, mask: u8, gap: Cycle) {
        let (gap, mask) = (gap as u32, u32::from(mask));
        let slot = mask.trailing_zeros();
        let (frame, bytes) = match (mask.is_power_of_two(), gap) {
            (true, 0..=0xF) => (slot << 4 | gap, 1),
            (true, 0x10..=0x3FF) => (0b100 << 13 | slot << 10 | gap, 2),
            (true, _) => (0b101 << 21 | slot << 18 | gap, 3),
            (false, 0..=0xF) => (0b1100 << 12 | mask << 4 | gap, 2),
            (false, 0x10..=0x3FF) => (0b11_0100 << 18 | mask << 10 | gap, 3),
            (false, _) => (0b11_0101 << 26 | mask << 18 | gap, 4),
        };
        self.put(&frame.to_be_bytes()[4 - bytes..]);
    }

    /// Adds a frame, after fillers if it would cross a word.
    fn put(&mut self, frame: &[u8]) {
        while self.bytes.len() % 4 + frame.len() > 4 {
            self.byte(FILLER);
        }
        for &byte in frame {
            self.byte(byte);
        }
    }

    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
        if self.bytes.len() < 4 * PAYLOAD {
            return;
        }
        self.out.push_back((self.header, false));
        for (i, word) in self.bytes.as_chunks::<4>().0.iter().enumerate() {
            let last = i + 1 == PAYLOAD;
            self.out.push_back((u32::from_be_bytes(*word), last));
        }
        self.bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_device::TileLoc;

    fn words(run: impl FnOnce(&mut TraceUnit)) -> Vec<u32> {
        let mut trace = TraceUnit::default();
        let header = PacketHeader {
            id: 1,
            kind: 0,
            source: TileLoc::new(0, 2),
        };
        trace.begin(100, 0x1234, header);
        run(&mut trace);
        trace.end();
        assert_eq!(trace.out.len(), 8);
        assert!(trace.out[7].1 && !trace.out[6].1);
        trace.out.iter().map(|(word, _)| *word).collect()
    }

    #[test]
    fn a_packet_starts_with_the_timer() {
        let words = words(|_| {});
        assert_eq!(words[0], 0x8002_0001);
        assert_eq!(words[1..3], [0xF000_0000, 0x0000_1234]);
        assert_eq!(words[3..], [0xFEFE_FEFE; 5]);
    }

    #[test]
    fn gaps_choose_the_frame() {
        // Slot 2 after 4 cycles, slot 3 after 0x100, slots 0 and 1 after 5.
        let words = words(|trace| {
            trace.record(0b100, 105, 106);
            trace.record(0b1000, 105 + 0x101, 105 + 0x102);
            trace.record(0b11, 105 + 0x107, 105 + 0x108);
        });
        // 0 010 0100 | 100 011 01 0000 0000 | filler | 1100 0000 0011 0101
        assert_eq!(words[3..5], [0x248D_00FE, 0xC035_FEFE]);
    }

    #[test]
    fn levels_are_repeats() {
        // Slot 0 at once for 1 + 20 cycles.
        let words = words(|trace| trace.record(1, 101, 122));
        // 0 000 0000 | 1101 10 00 0001 0100
        assert_eq!(words[3], 0x00D8_14FE);
        // After a gap of 3 a second frame without gap comes first.
        let words = self::words(|trace| trace.record(1, 104, 108));
        assert_eq!(words[3], 0x0300_E2FE);
    }

    #[test]
    fn long_silence_is_synced() {
        let words = words(|trace| trace.record(1, 101 + SYNC_CYCLES + 2, 104 + SYNC_CYCLES));
        assert_eq!(words[3], 0xFF02_FEFE);
    }
}
