//! What a core has loaded and stored since it last did something that others can see.
//!
//! A bit for each byte of each window, and for each granule of 64 bytes the instruction and the cycle of its last
//! access: marking an access costs a few instructions of the host, and only granules that were
//! touched are looked at when the log is drained.

use crate::time::Cycle;

/// Bytes that share an instruction and a cycle, and a word of bits.
const GRANULE: usize = u64::BITS as usize;
const GRANULE_BITS: u32 = GRANULE.trailing_zeros();

/// Bytes in a row that were accessed in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessRange {
    /// First byte in the window.
    pub start: u32,
    /// Bytes.
    pub bytes: u32,
    /// The instruction of the last access to the granule that the range begins in.
    pub instruction: u32,
    /// When that was.
    pub at: Cycle,
    /// Somebody who doesn't say so may have loaded them.
    pub perhaps: bool,
}

/// Bit of the number of an instruction that may have accessed the granule, or not.
const PERHAPS: u32 = 1 << 31;

/// Loads or stores of one window.
#[derive(Clone, Debug, Default)]
struct AccessBits {
    bits: Vec<u64>,
    /// Instruction, and cycles since the log's start, of the last access to each granule.
    last: Vec<(u32, u32)>,
    /// Granules with bits, each once.
    touched: Vec<u32>,
}

impl AccessBits {
    #[inline(always)]
    fn mark(&mut self, inside: usize, bytes: usize, by: (u32, u32)) {
        let granule = inside >> GRANULE_BITS;
        let first = inside % GRANULE;
        let Some(word) = self
            .bits
            .get_mut(granule)
            .filter(|_| first + bytes <= GRANULE)
        else {
            return self.mark_range(inside, bytes, by);
        };
        if *word == 0 {
            self.touched.push(granule as u32);
        }
        *word |= ones(bytes) << first;
        if let Some(last) = self.last.get_mut(granule) {
            *last = by;
        }
    }

    /// Whether all bytes are marked.
    #[inline(always)]
    fn has(&self, inside: usize, bytes: usize) -> bool {
        let first = inside % GRANULE;
        if first + bytes > GRANULE {
            return self.has_range(inside, bytes);
        }
        let word = self.bits.get(inside >> GRANULE_BITS);
        let wanted = ones(bytes) << first;
        word.is_some_and(|word| word & wanted == wanted)
    }

    #[cold]
    fn has_range(&self, inside: usize, bytes: usize) -> bool {
        let end = inside + bytes;
        let mut at = inside;
        while at < end {
            let part = (GRANULE - at % GRANULE).min(end - at);
            if !self.has(at, part) {
                return false;
            }
            at += part;
        }
        true
    }

    #[cold]
    fn mark_range(&mut self, inside: usize, bytes: usize, by: (u32, u32)) {
        let granules = (inside + bytes).div_ceil(GRANULE);
        if self.bits.len() < granules {
            self.bits.resize(granules, 0);
            self.last.resize(granules, (0, 0));
        }
        let (mut at, end) = (inside, inside + bytes);
        while at < end {
            let part = (GRANULE - at % GRANULE).min(end - at);
            self.mark(at, part, by);
            at += part;
        }
    }
}

/// The lowest so many bits, at most 64.
#[inline(always)]
fn ones(count: usize) -> u64 {
    match count >= GRANULE {
        true => u64::MAX,
        false => (1 << count) - 1,
    }
}

/// The log of one core.
#[derive(Clone, Debug, Default)]
pub struct AccessLog {
    loads: [AccessBits; 4],
    stores: [AccessBits; 4],
    /// Cycle that the cycles in the log count from.
    start: Cycle,
    /// When the run began, from `start` on.
    run: u32,
    /// Who accesses: the instruction, and cycles since `start`.
    by: (u32, u32),
}

impl AccessLog {
    /// The cycles of the accesses that follow count from `now` on.
    pub fn begin_run(&mut self, now: Cycle) {
        let empty = |bits: &[AccessBits; 4]| bits.iter().all(|bits| bits.touched.is_empty());
        if empty(&self.loads) && empty(&self.stores) {
            self.start = now;
        }
        self.run = (now - self.start) as u32;
    }

    /// The accesses that follow are those of an instruction, so many cycles after the begin of the run.
    #[inline(always)]
    pub fn set_instruction(&mut self, instruction: u32, elapsed: u64) {
        self.by = (instruction, self.run.wrapping_add(elapsed as u32));
    }

    /// Bytes of a window are loaded. Those that the core has stored itself meanwhile don't count: whatever
    /// is wrong with the load is wrong with the store.
    #[inline(always)]
    pub fn load(&mut self, window: usize, inside: usize, bytes: usize) {
        if let (Some(loads), Some(stores)) = (self.loads.get_mut(window), self.stores.get(window))
            && !stores.has(inside, bytes)
        {
            loads.mark(inside, bytes, self.by);
        }
    }

    /// Bytes of a window are loaded, perhaps not all.
    pub fn perhaps_load(&mut self, window: usize, inside: usize, bytes: usize) {
        let (instruction, at) = self.by;
        if let Some(bits) = self.loads.get_mut(window) {
            bits.mark_range(inside, bytes, (instruction | PERHAPS, at));
        }
    }

    /// Bytes of a window are stored.
    #[inline(always)]
    pub fn store(&mut self, window: usize, inside: usize, bytes: usize) {
        if let Some(bits) = self.stores.get_mut(window) {
            bits.mark(inside, bytes, self.by);
        }
    }

    /// Gives the ranges that were loaded (or stored) since the last call, window by window in ascending
    /// order, and forgets them.
    pub fn drain(&mut self, stores: bool, mut give: impl FnMut(usize, AccessRange)) {
        let start = self.start;
        let windows = match stores {
            true => &mut self.stores,
            false => &mut self.loads,
        };
        for (window, bits) in windows.iter_mut().enumerate() {
            let AccessBits {
                bits,
                last,
                touched,
            } = bits;
            if touched.is_empty() {
                continue;
            }
            touched.sort_unstable();
            let mut open: Option<AccessRange> = None;
            for granule in touched.drain(..) {
                let mut word = std::mem::take(&mut bits[granule as usize]);
                let (instruction, at) = last[granule as usize];
                let mut from = granule * GRANULE as u32;
                while word != 0 {
                    let skip = word.trailing_zeros();
                    word >>= skip;
                    let bytes = word.trailing_ones();
                    word = word.checked_shr(bytes).unwrap_or(0);
                    from += skip;
                    let next = AccessRange {
                        start: from,
                        bytes,
                        instruction: instruction & !PERHAPS,
                        perhaps: instruction & PERHAPS != 0,
                        at: start + Cycle::from(at),
                    };
                    from += bytes;
                    match &mut open {
                        Some(range)
                            if range.start + range.bytes == next.start
                                && (range.instruction, range.perhaps)
                                    == (next.instruction, next.perhaps) =>
                        {
                            range.bytes += bytes;
                        }
                        _ => open.replace(next).into_iter().for_each(|r| give(window, r)),
                    }
                }
            }
            open.into_iter().for_each(|range| give(window, range));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(log: &mut AccessLog, stores: bool) -> Vec<(usize, u32, u32, u32, Cycle)> {
        let mut all = Vec::new();
        log.drain(stores, |window, r| {
            all.push((window, r.start, r.bytes, r.instruction, r.at));
        });
        all
    }

    #[test]
    fn neighbours_unite_and_are_forgotten() {
        let mut log = AccessLog::default();
        log.begin_run(100);
        for word in (0..40u64).rev() {
            log.set_instruction(9, 40 - word);
            log.load(3, 4 * word as usize, 4);
        }
        log.store(3, 1, 1);
        assert_eq!(ranges(&mut log, false), [(3, 0, 160, 9, 140)]);
        assert_eq!(ranges(&mut log, true), [(3, 1, 1, 9, 140)]);
        assert_eq!(ranges(&mut log, false), []);
    }

    #[test]
    fn what_was_stored_is_not_loaded_from_elsewhere() {
        let mut log = AccessLog::default();
        log.store(3, 0, 100);
        log.load(3, 8, 4);
        log.load(3, 60, 8);
        assert_eq!(ranges(&mut log, false), []);
        log.load(3, 98, 4);
        let loads: Vec<_> = ranges(&mut log, false).iter().map(|r| (r.1, r.2)).collect();
        assert_eq!(loads, [(98, 4)]);
    }

    #[test]
    fn long_and_crossing_accesses_are_whole() {
        let mut log = AccessLog::default();
        log.begin_run(0);
        log.load(0, 62, 4);
        log.load(0, 128, 256);
        let lengths: Vec<_> = ranges(&mut log, false).iter().map(|r| (r.1, r.2)).collect();
        assert_eq!(lengths, [(62, 4), (128, 256)]);
    }
}
