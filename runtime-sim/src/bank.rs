//! Banks of a data memory: each serves one access a cycle (AM020, AM027).
//!
//! Who accesses works ahead of the clock, so a bank keeps which cycles of a window are taken, and
//! an access gets the first free one from its own cycle on. The loser of a conflict therefore is
//! the second one in the order of simulation. The manuals give round robin (AM020) and fixed
//! groups (AM027); measurements on Phoenix saw cores win against DMAs (xdna-emu).
//!
//! | memory | bank of a byte address |
//! | --- | --- |
//! | core tile, AIE-ML | 2 · bits 15:14 + bit 4 |
//! | core tile, AIE-ML v2 | 2 · bits 15:14 + bit 5 |
//! | mem tile, AIE-ML | bits 7:4, 16 banks of 128 bits |
//! | mem tile, AIE-ML v2 | bits 7:5, 8 banks of 256 bits |

use aiec_device::{Arch, TileKind};

use crate::time::Cycle;

/// Cycles of one word of the window.
const WORD_CYCLES: u64 = u64::BITS as u64;
/// Words of the window: twice the distance that any actor works ahead.
const WINDOW_WORDS: usize = 32;
/// Bits of an address that choose one of the four 16 KiB parts of a core tile's memory.
const PART_SHIFT: u32 = 14;
const PARTS: u32 = 4;
/// Banks of a part.
const PART_BANKS: u32 = 2;
/// Bytes over which a mem tile's banks are interleaved.
const MEM_TILE_TURN: u32 = 256;

/// Logarithm of the bytes of the least access.
const LEAST_LINE_BITS: u32 = 4;
/// Shift that brings the bits of a part to their place, above those of a line.
const PART_PLACE_SHIFT: u32 = 12;
/// Places of banks.
const PLACES: usize = 16;

/// 64 cycles of one bank: their number, counted in 64 cycles from the start, and which are taken.
type TakenCycles = (u64, u64);

/// The distance of accesses that follow one another in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spacing {
    /// Cycles from one to the next, at least 1.
    cycles: u64,
    /// The bits of as many as [`TakenCycles`] has room for, from the lowest on.
    bits: u64,
}

impl Spacing {
    /// That of accesses `cycles` apart; `None` if they are in one cycle.
    pub fn new(cycles: u64) -> Option<Spacing> {
        let step = usize::try_from(cycles).ok().filter(|step| *step > 0)?;
        let bits = (0..WORD_CYCLES).step_by(step);
        let bits = bits.fold(0, |bits, cycle| bits | 1 << cycle);
        Some(Spacing { cycles, bits })
    }
}

/// Accesses to a memory at a steady rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SteadyAccesses {
    /// Byte address of the first, and bytes from one to the next.
    pub address: u32,
    pub stride: u32,
    /// Cycle of the first.
    pub at: Cycle,
    pub spacing: Spacing,
    pub count: u32,
}

/// Cycles of a bank that accesses take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BankCycles {
    place: usize,
    number: u64,
    bits: u64,
}

/// The banks of one memory.
#[derive(Clone, Debug)]
pub struct Banks {
    /// Logarithm of the bytes of one access.
    line_bits: u32,
    /// The bank of an address: these bits of it for its line, and of its part.
    line_mask: u32,
    part_mask: u32,
    /// The same bits where [`Banks::place`] has them.
    line_place: u32,
    part_place: u32,
    /// The windows of the banks by place; none where banks aren't modelled.
    taken: Vec<[TakenCycles; WINDOW_WORDS]>,
    /// Accesses that had to wait, by bank.
    pub conflicts: Vec<u64>,
    /// Cycles in which an access had to wait, and for which bank, that were not reported yet
    /// (`array::tile_context::TileContext::report_conflicts`).
    pub lost: Vec<(Cycle, u8)>,
}

impl Banks {
    /// The banks of a tile's memory; none where there is no memory, or if `on` is false.
    pub fn new(arch: Arch, kind: TileKind, on: bool) -> Banks {
        let line_bits = match arch {
            Arch::Aie1 | Arch::Aie2 => 4,
            Arch::Aie2p | Arch::Aie2ps => 5,
        };
        let banks = match kind {
            _ if !on => 0,
            TileKind::Core => PARTS * PART_BANKS,
            TileKind::Mem => MEM_TILE_TURN >> line_bits,
            TileKind::ShimNoc | TileKind::ShimPl => 0,
        };
        // counts of banks are powers of two
        let (line_mask, part_mask) = match kind {
            TileKind::Mem => (banks.wrapping_sub(1), 0),
            _ => (PART_BANKS - 1, (PARTS - 1) * PART_BANKS),
        };
        Banks {
            line_bits,
            line_mask,
            part_mask,
            line_place: line_mask << (line_bits - LEAST_LINE_BITS),
            part_place: part_mask << (PART_SHIFT - PART_PLACE_SHIFT - PART_BANKS.trailing_zeros()),
            taken: vec![[(0, 0); WINDOW_WORDS]; if banks > 0 { PLACES } else { 0 }],
            conflicts: vec![0; banks as usize],
            lost: Vec::new(),
        }
    }

    /// Whether conflicts are modelled here.
    pub fn is_on(&self) -> bool {
        !self.taken.is_empty()
    }

    /// Bytes of one access.
    pub fn line_bytes(&self) -> u32 {
        1 << self.line_bits
    }

    /// Number of the line that a byte address is in.
    pub fn line(&self, address: u32) -> u32 {
        address >> self.line_bits
    }

    /// The bank of a byte address.
    #[inline]
    pub fn bank(&self, address: u32) -> usize {
        let line = (address >> self.line_bits) & self.line_mask;
        let part = (address >> (PART_SHIFT - PART_BANKS.trailing_zeros())) & self.part_mask;
        (part | line) as usize
    }

    /// The place of the bank of a byte address: its number with gaps, so that it takes two shifts by numbers that are
    /// the same for all memories.
    #[inline(always)]
    fn place(&self, address: u32) -> usize {
        let line = (address >> LEAST_LINE_BITS) & self.line_place;
        let part = (address >> PART_PLACE_SHIFT) & self.part_place;
        (line | part) as usize
    }

    /// An access to a byte address that wants to happen at a cycle; the cycle at which it does.
    #[inline(always)]
    pub fn access(&mut self, address: u32, wanted: Cycle) -> Cycle {
        if self.access_at(address, wanted) {
            return wanted;
        }
        self.search(address, wanted)
    }

    /// An access to a byte address at a cycle, if its bank isn't taken then: whether it takes place.
    #[inline(always)]
    pub fn access_at(&mut self, address: u32, cycle: Cycle) -> bool {
        let place = self.place(address);
        let Some(window) = self.taken.get_mut(place) else {
            return true;
        };
        let number = cycle / WORD_CYCLES;
        let (known, taken) = &mut window[number as usize % WINDOW_WORDS];
        let bit = 1 << (cycle % WORD_CYCLES);
        if *known != number {
            // If the window has moved past the cycle, that counts as free: no access looks that far back.
            if *known < number {
                (*known, *taken) = (number, bit);
            }
            return true;
        }
        let is_free = *taken & bit == 0;
        *taken |= bit;
        is_free
    }

    /// Whether all of some accesses take place in their cycles; if so, `cycles` gets those of each bank, for [`Banks::take`].
    #[inline(always)]
    pub(crate) fn are_free(&self, accesses: &SteadyAccesses, cycles: &mut Vec<BankCycles>) -> bool {
        let SteadyAccesses {
            mut address,
            stride,
            mut at,
            spacing,
            count,
        } = *accesses;
        let line_bytes = self.line_bytes();
        let mut left = count;
        while left > 0 {
            let place = self.place(address);
            let Some(window) = self.taken.get(place) else {
                // Banks aren't modelled.
                return true;
            };
            // Those in the same line and the same 64 cycles.
            let bit = at % WORD_CYCLES;
            let mut group = left.min(((WORD_CYCLES - 1 - bit) / spacing.cycles + 1) as u32);
            let to_line_end = line_bytes - 1 - address % line_bytes;
            if let Some(more) = to_line_end.checked_div(stride) {
                group = group.min(more + 1);
            }
            let last = u64::from(group - 1) * spacing.cycles;
            let bits = (spacing.bits & u64::MAX >> (WORD_CYCLES - 1 - last)) << bit;
            let number = at / WORD_CYCLES;
            let (known, taken) = window[number as usize % WINDOW_WORDS];
            if known == number && taken & bits != 0 {
                return false;
            }
            cycles.push(BankCycles {
                place,
                number,
                bits,
            });
            left -= group;
            address = address.wrapping_add(group * stride);
            at += u64::from(group) * spacing.cycles;
        }
        true
    }

    /// Accesses that [`Banks::are_free`] has found free take place.
    #[inline]
    pub(crate) fn take(&mut self, cycles: &[BankCycles]) {
        for cycles in cycles {
            let window = &mut self.taken[cycles.place];
            let (known, taken) = &mut window[cycles.number as usize % WINDOW_WORDS];
            if *known == cycles.number {
                *taken |= cycles.bits;
            } else if *known < cycles.number {
                (*known, *taken) = (cycles.number, cycles.bits);
            }
        }
    }

    /// [`Banks::access`] to a bank that is taken in the cycle.
    #[cold]
    #[inline(never)]
    fn search(&mut self, address: u32, wanted: Cycle) -> Cycle {
        let place = self.place(address);
        let mut cycle = wanted;
        loop {
            let number = cycle / WORD_CYCLES;
            let (known, taken) = &mut self.taken[place][number as usize % WINDOW_WORDS];
            if *known != number {
                if *known > number {
                    // The window has moved past the cycle, which counts as free: no access looks
                    // that far back.
                    break;
                }
                (*known, *taken) = (number, 0);
            }
            let free = !*taken >> (cycle % WORD_CYCLES);
            if free != 0 {
                cycle += u64::from(free.trailing_zeros());
                *taken |= 1 << (cycle % WORD_CYCLES);
                break;
            }
            cycle = (number + 1) * WORD_CYCLES;
        }
        if cycle > wanted {
            let bank = self.bank(address);
            self.conflicts[bank] += 1;
            self.lost
                .extend((wanted..cycle).map(|cycle| (cycle, bank as u8)));
        }
        cycle
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn addresses_have_the_banks_of_the_manuals() {
        let bank = |arch, kind, address| Banks::new(arch, kind, true).bank(address);
        let core = |arch, address| bank(arch, TileKind::Core, address);
        assert_eq!(core(Arch::Aie2, 0x0000), 0);
        assert_eq!(core(Arch::Aie2, 0x0010), 1);
        assert_eq!(core(Arch::Aie2, 0x0020), 0);
        assert_eq!(core(Arch::Aie2, 0x4000), 2);
        assert_eq!(core(Arch::Aie2, 0xFFF0), 7);
        assert_eq!(core(Arch::Aie2p, 0x0010), 0);
        assert_eq!(core(Arch::Aie2p, 0x8020), 5);
        let mem = |arch, address| bank(arch, TileKind::Mem, address);
        assert_eq!(mem(Arch::Aie2, 0x00F0), 15);
        assert_eq!(mem(Arch::Aie2, 0x0100), 0);
        assert_eq!(mem(Arch::Aie2ps, 0x00F0), 7);
    }

    #[test]
    fn each_bank_has_one_place() {
        for (arch, kind) in [
            (Arch::Aie2, TileKind::Core),
            (Arch::Aie2p, TileKind::Core),
            (Arch::Aie2, TileKind::Mem),
            (Arch::Aie2ps, TileKind::Mem),
        ] {
            let banks = Banks::new(arch, kind, true);
            let lines = (0..0x1_0000).step_by(16);
            let places: BTreeSet<_> = lines.map(|at| (banks.bank(at), banks.place(at))).collect();
            let count = banks.conflicts.len();
            assert_eq!(places.len(), count, "a bank has two places, or none");
            let distinct: BTreeSet<_> = places.iter().map(|(_, place)| place).collect();
            assert_eq!(distinct.len(), count, "two banks have one place");
            assert!(distinct.iter().all(|place| **place < PLACES));
        }
    }

    #[test]
    fn one_access_a_cycle_and_bank() {
        let mut banks = Banks::new(Arch::Aie2, TileKind::Core, true);
        assert_eq!(banks.access(0, 63), 63);
        assert_eq!(banks.access(4, 63), 64);
        assert_eq!(banks.access(0x10, 63), 63);
        // Who comes later in the simulation may still be earlier in time.
        assert_eq!(banks.access(0, 62), 62);
        assert_eq!(banks.access(0, 62), 65);
        assert_eq!(banks.conflicts, [2, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(banks.lost, [(63, 0), (62, 0), (63, 0), (64, 0)]);
    }

    #[test]
    fn memories_that_are_off_never_wait() {
        let mut banks = Banks::new(Arch::Aie2, TileKind::Core, false);
        assert!(!banks.is_on());
        assert_eq!((banks.access(0, 5), banks.access(0, 5)), (5, 5));
    }
}
