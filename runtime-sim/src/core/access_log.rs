//! Loads and stores of a core since it last did something that others can see.
//!
//! A bit for each byte of each window, and for each granule of 64 bytes the instruction and the cycle of its last
//! access: marking an access costs a few instructions of the host, and only granules that were
//! touched are looked at when the log is drained.

use super::step_log::{CoreAccess, CoreStep, CoreStepKind, StepLog};
use crate::time::Cycle;

/// Bytes that share an instruction and a cycle, and a word of bits.
const GRANULE: usize = u64::BITS as usize;
const GRANULE_BITS: u32 = GRANULE.trailing_zeros();
/// Bytes of a word.
const WORD: usize = 4;

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
    /// A borrower may have loaded them without saying so.
    pub perhaps: bool,
}

/// Bit of the number of an instruction that may have accessed the granule, or not.
const PERHAPS: u32 = 1 << 31;

/// Loads or stores of a granule.
#[derive(Clone, Copy, Debug, Default)]
struct GranuleAccesses {
    /// A bit for each byte.
    bits: u64,
    /// Instruction, and cycles since the log's start, of the last.
    last: (u32, u32),
}

/// Loads and stores of a granule.
#[derive(Clone, Copy, Debug, Default)]
struct Granule {
    loads: GranuleAccesses,
    stores: GranuleAccesses,
}

impl Granule {
    #[inline(always)]
    fn side(&mut self, store: bool) -> &mut GranuleAccesses {
        if store {
            &mut self.stores
        } else {
            &mut self.loads
        }
    }
}

/// Loads and stores of one window.
#[derive(Clone, Debug, Default)]
struct WindowLog {
    granules: Vec<Granule>,
    /// Granules with bits of loads, each once.
    loaded: Vec<u32>,
    /// Granules with bits of stores, each once.
    stored: Vec<u32>,
}

impl WindowLog {
    /// Marks bytes. A load of bytes that are all marked as stored isn't, if it isn't `always`.
    #[inline(always)]
    fn mark(&mut self, store: bool, always: bool, (inside, bytes): (usize, usize), by: (u32, u32)) {
        let number = inside >> GRANULE_BITS;
        let first = inside % GRANULE;
        let granule = self.granules.get_mut(number);
        let Some(granule) = granule.filter(|_| first + bytes <= GRANULE) else {
            return self.mark_range(store, always, (inside, bytes), by);
        };
        let bits = ones(bytes) << first;
        if !store && !always && granule.stores.bits & bits == bits {
            return;
        }
        let side = granule.side(store);
        if side.bits == 0 {
            if store {
                self.stored.push(number as u32)
            } else {
                self.loaded.push(number as u32)
            }
        }
        side.bits |= bits;
        side.last = by;
    }

    /// Whether all bytes are marked as stored.
    fn has_stored(&self, range: (usize, usize)) -> bool {
        parts(range).all(|(inside, bytes)| {
            let granule = self.granules.get(inside >> GRANULE_BITS);
            let bits = ones(bytes) << (inside % GRANULE);
            granule.is_some_and(|granule| granule.stores.bits & bits == bits)
        })
    }

    #[cold]
    fn mark_range(&mut self, store: bool, always: bool, range: (usize, usize), by: (u32, u32)) {
        if !store && !always && self.has_stored(range) {
            return;
        }
        let granules = (range.0 + range.1).div_ceil(GRANULE);
        if self.granules.len() < granules {
            self.granules.resize(granules, Granule::default());
        }
        for part in parts(range) {
            self.mark(store, true, part, by);
        }
    }
}

/// The parts of a range that are in a granule each.
fn parts((inside, bytes): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    let (mut at, end) = (inside, inside + bytes);
    std::iter::from_fn(move || {
        let part = (at, (GRANULE - at % GRANULE).min(end - at));
        at += part.1;
        (part.1 > 0).then_some(part)
    })
}

/// The bits of aligned words that are full: each byte of such a word has a bit.
fn whole_words(bytes: u64) -> u64 {
    /// The first byte of each word.
    const FIRST: u64 = 0x1111_1111_1111_1111;
    let pairs = bytes & bytes >> 1;
    (pairs & pairs >> 2 & FIRST) * 0xF
}

/// Whether a cycle of a log, whose numbers wrap around, is before another.
fn is_before(at: u32, other: u32) -> bool {
    (at.wrapping_sub(other) as i32) < 0
}

/// The lowest `count` bits, at most 64.
#[inline(always)]
fn ones(count: usize) -> u64 {
    if count >= GRANULE {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

/// The log of one core.
#[derive(Clone, Debug, Default)]
pub struct AccessLog {
    windows: [WindowLog; 4],
    /// Cycle that the cycles in the log count from.
    start: Cycle,
    /// When the run began, from `start` on.
    run: u32,
    /// Who accesses: the instruction, and cycles since `start`.
    by: (u32, u32),
    /// Memory that was lent: window, first byte and bytes, each once.
    lent: Vec<(usize, u32, u32)>,
    /// Each access, for a trace or where memory is watched.
    pub steps: Option<Box<StepLog>>,
}

impl AccessLog {
    /// The cycles of the accesses that follow count from `now` on.
    pub fn begin_run(&mut self, now: Cycle) {
        let mut windows = self.windows.iter();
        if windows.all(|window| window.loaded.is_empty() && window.stored.is_empty()) {
            self.start = now;
        }
        self.run = (now - self.start) as u32;
    }

    /// Attributes the accesses that follow to an instruction, `elapsed` cycles after the begin of the run.
    #[inline(always)]
    pub fn set_instruction(&mut self, instruction: u32, elapsed: u64) {
        self.by = (instruction, self.run.wrapping_add(elapsed as u32));
    }

    /// Adds a step for a trace.
    #[cold]
    fn add_step(&mut self, (pc, at): (u32, u32), kind: CoreStepKind) {
        let at = self.start + Cycle::from(at);
        if let Some(steps) = &mut self.steps {
            steps.add(CoreStep { at, pc, kind });
        }
    }

    #[cold]
    fn add_access(&mut self, store: bool, place: (usize, usize, usize), by: (u32, u32)) {
        let access = CoreAccess {
            window: place.0 as u8,
            inside: place.1 as u32,
            bytes: place.2 as u32,
        };
        let kind = if store {
            CoreStepKind::Store(access)
        } else {
            CoreStepKind::Load(access)
        };
        self.add_step(by, kind);
    }

    /// Execution goes on at `to` after the bundle at `pc`, `elapsed` cycles after the begin of the run.
    #[inline(always)]
    pub fn jump(&mut self, pc: u32, to: u32, elapsed: u64) {
        if self.steps.is_some() {
            let at = self.run.wrapping_add(elapsed as u32);
            self.add_step((pc, at), CoreStepKind::Jump(to));
        }
    }

    /// Bytes of a window are loaded. Those that the core has stored itself meanwhile don't count: whatever
    /// is wrong with the load is wrong with the store.
    #[inline(always)]
    pub fn load(&mut self, window: usize, inside: usize, bytes: usize) {
        if self.steps.is_some() {
            self.add_access(false, (window, inside, bytes), self.by);
        }
        if let Some(log) = self.windows.get_mut(window) {
            log.mark(false, false, (inside, bytes), self.by);
        }
    }

    /// A word of a window, at a multiple of its size, is loaded or stored by an instruction at some cycle after the
    /// begin of the run.
    #[inline(always)]
    pub fn word(
        &mut self,
        store: bool,
        window: usize,
        inside: usize,
        (instruction, elapsed): (u32, u64),
    ) {
        let by = (instruction, self.run.wrapping_add(elapsed as u32));
        if self.steps.is_some() {
            self.add_access(store, (window, inside, 4), by);
        }
        let Some(log) = self.windows.get_mut(window) else {
            return;
        };
        let bits = 0xF << (inside % GRANULE);
        if let Some(granule) = log.granules.get_mut(inside >> GRANULE_BITS) {
            let both = [granule.loads.bits, granule.stores.bits];
            let side = granule.side(store);
            if !store && both[1] & bits == bits {
                return;
            }
            if both[usize::from(store)] != 0 {
                side.bits |= bits;
                side.last = by;
                return;
            }
        }
        log.mark(store, store, (inside, 4), by);
    }

    /// Words of a window that follow one another, `count` from `inside` on, are loaded or stored by an instruction: the first at some
    /// cycle after the begin of the run, the others `spacing` cycles apart. Instructions whose accesses alternate may be logged
    /// one after the other, as of a granule's accesses the one of the latest cycle counts.
    pub fn words(
        &mut self,
        store: bool,
        window: usize,
        (inside, count): (usize, usize),
        (instruction, elapsed, spacing): (u32, u64, u64),
    ) {
        let Some(log) = self.windows.get_mut(window) else {
            return;
        };
        let end = inside + WORD * count;
        let granules = end.div_ceil(GRANULE);
        if log.granules.len() < granules {
            log.granules.resize(granules, Granule::default());
        }
        for (at, bytes) in parts((inside, end - inside)) {
            let number = at >> GRANULE_BITS;
            let granule = &mut log.granules[number];
            let mut bits = ones(bytes) << (at % GRANULE);
            if !store {
                bits &= !whole_words(granule.stores.bits);
            }
            if bits == 0 {
                continue;
            }
            let last = GRANULE * number + bits.ilog2() as usize;
            let elapsed = elapsed + spacing * ((last - inside) / WORD) as u64;
            let by = (instruction, self.run.wrapping_add(elapsed as u32));
            let side = granule.side(store);
            if side.bits == 0 {
                let touched = match store {
                    true => &mut log.stored,
                    false => &mut log.loaded,
                };
                touched.push(number as u32);
            }
            if side.bits == 0 || !is_before(by.1, side.last.1) {
                side.last = by;
            }
            side.bits |= bits;
        }
    }

    /// Bytes of a window are loaded, perhaps not all.
    pub fn perhaps_load(&mut self, window: usize, inside: usize, bytes: usize) {
        let (instruction, at) = self.by;
        if self.steps.is_some() {
            self.add_access(false, (window, inside, bytes), self.by);
        }
        if let Some(log) = self.windows.get_mut(window) {
            log.mark(false, true, (inside, bytes), (instruction | PERHAPS, at));
        }
    }

    /// Logs bytes of a window that are lent to a caller whose accesses aren't reported: they count
    /// as loaded, perhaps not all, and they no longer count as unwritten.
    pub fn lend(&mut self, window: usize, inside: usize, bytes: usize) {
        self.perhaps_load(window, inside, bytes);
        let range = (window, inside as u32, bytes as u32);
        if !self.lent.contains(&range) {
            self.lent.push(range);
        }
    }

    /// Memory lent since the last call: window, first byte and bytes.
    pub fn take_lent(&mut self) -> Vec<(usize, u32, u32)> {
        std::mem::take(&mut self.lent)
    }

    /// Bytes of a window are stored.
    #[inline(always)]
    pub fn store(&mut self, window: usize, inside: usize, bytes: usize) {
        if self.steps.is_some() {
            self.add_access(true, (window, inside, bytes), self.by);
        }
        if let Some(log) = self.windows.get_mut(window) {
            log.mark(true, true, (inside, bytes), self.by);
        }
    }

    /// Gives the ranges that were loaded (or stored) since the last call, window by window in ascending
    /// order, and forgets them.
    pub fn drain(&mut self, stores: bool, mut give: impl FnMut(usize, AccessRange)) {
        let start = self.start;
        for (window, log) in self.windows.iter_mut().enumerate() {
            let touched = if stores {
                &mut log.stored
            } else {
                &mut log.loaded
            };
            if touched.is_empty() {
                continue;
            }
            if !touched.is_sorted() {
                touched.sort_unstable();
            }
            let mut open: Option<AccessRange> = None;
            for granule in touched.drain(..) {
                let side = log.granules[granule as usize].side(stores);
                let mut word = std::mem::take(&mut side.bits);
                let (instruction, at) = side.last;
                let mut from = granule * GRANULE as u32;
                while word != 0 {
                    let skip = word.trailing_zeros();
                    word >>= skip;
                    let bytes = word.trailing_ones();
                    // All bits may be ones.
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

    /// Words in a row, and the same words one by one, over what other accesses have left.
    #[test]
    fn words_in_a_row_are_as_words_one_by_one() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..500 {
            let mut logs = [AccessLog::default(), AccessLog::default()];
            logs.iter_mut().for_each(|log| log.begin_run(7));
            for _ in 0..random.u32(..6) {
                let (at, bytes) = (random.usize(..300), random.usize(1..9));
                for log in &mut logs {
                    log.set_instruction(1, 0);
                    log.store(3, at, bytes);
                }
            }
            // The instructions of a round, and the word that each accesses in the first.
            let accesses: Vec<(bool, usize)> = (0..random.u32(1..4))
                .map(|_| (random.bool(), 4 * random.usize(..60)))
                .collect();
            let (rounds, cost) = (random.usize(1..40), 4);
            let [in_rows, one_by_one] = &mut logs;
            for (place, &(store, inside)) in (0..).zip(&accesses) {
                let by = (10 + place, u64::from(place), cost);
                in_rows.words(store, 3, (inside, rounds), by);
            }
            let is_apart = |&(store, inside): &(bool, usize)| {
                let others = accesses.iter().filter(|other| other.1 != inside);
                !store
                    || others
                        .into_iter()
                        .all(|other| other.1.abs_diff(inside) >= 4 * rounds)
            };
            if !accesses.iter().all(is_apart) {
                continue;
            }
            for round in 0..rounds {
                for (place, &(store, inside)) in (0..).zip(&accesses) {
                    let by = (10 + place, cost * round as u64 + u64::from(place));
                    one_by_one.word(store, 3, inside + 4 * round, by);
                }
            }
            for stores in [false, true] {
                assert_eq!(ranges(in_rows, stores), ranges(one_by_one, stores));
            }
        }
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
