//! Loops whose rounds have nothing to do with one another, many rounds at once.
//!
//! Of a strip of rounds the accesses come first, round by round, as far as banks and an observer see them. Then each
//! instruction is executed for all of its rounds, in loops of a fixed length that the compiler vectorises. The plain execution
//! ([`LoopBody::rounds`]) does the same, and does all that isn't done here; tests compare both.

use aiec_vcode::{PureOp, WINDOW_REGISTERS};

use super::{BodyInstruction, Kind, LoopBody, LoopEnd, Registers};
use crate::bank::{BankCycles, Spacing, SteadyAccesses};
use crate::core::bus::CoreMemory;
use crate::core::scalar::pure;

/// Rounds of a strip.
const STRIP_ROUNDS: usize = 32;
/// Registers that a body may write besides the number of its loop, at most.
const MAX_WRITTEN: usize = 8;
/// Accesses of a body, at most: each pair of them is compared when the loop begins.
const MAX_ACCESSES: usize = 6;
/// Loops with fewer rounds left are executed plainly.
const LEAST_ROUNDS: u64 = 8;
/// Groups of cycles of banks that the rounds of a strip take mostly, at most.
const TAKEN_AT_ONCE: usize = 64;
/// Bytes of a word, which all accesses have.
const WORD_BYTES: usize = 4;

/// A value in each round of a strip.
type RoundValues = [u64; STRIP_ROUNDS];

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A register that no instruction of the body writes.
    Fixed(u8),
    /// The number of the loop.
    Number,
    /// A register that an instruction before wrote in the same round, by its place among those.
    Written(u8),
}

impl Source {
    /// The values, if an instruction wrote them; others are in `room`.
    fn among<'v>(self, values: &'v [RoundValues], room: &'v RoundValues) -> &'v RoundValues {
        match self {
            Source::Written(at) => &values[usize::from(at)],
            Source::Fixed(_) | Source::Number => room,
        }
    }
}

/// An instruction of a body.
#[derive(Clone, Copy, Debug)]
enum StripStep {
    Load {
        to: u8,
        access: u8,
    },
    Store {
        value: Source,
        access: u8,
    },
    Compute {
        kind: Kind,
        to: u8,
        b: Source,
        c: Source,
        number: i64,
        /// The third operand where that is a number.
        small: u8,
    },
}

/// An access of a body, at an address that grows with the number of the loop.
#[derive(Clone, Copy, Debug)]
struct StripAccess {
    /// Its place in the body.
    instruction: u8,
    is_store: bool,
    /// Bytes by which the address grows for each unit of the number.
    scale: u16,
}

/// The words of an access: that of the next round, and the bytes from round to round.
#[derive(Clone, Copy, Debug, Default)]
struct Words {
    window: usize,
    inside: usize,
    stride: usize,
}

/// The rounds of a loop so far.
pub(super) struct LoopProgress {
    /// The cycle of the array at which the next round begins.
    pub since: u64,
    /// The cycle at which the run began.
    pub run_start: u64,
    /// The cycle from which on no other round begins.
    pub budget: u64,
    /// Rounds that came to their end.
    pub rounds: u64,
    /// Cycles of banks that the rounds of a strip take, in a list that is used again.
    pub taken: Vec<BankCycles>,
}

impl LoopProgress {
    /// Rounds of `cost` cycles until the budget is used up, from 1 to `most`.
    fn rounds_in_budget(&self, cost: u64, most: usize) -> usize {
        let rounds = self.budget.saturating_sub(self.since).div_ceil(cost.max(1));
        usize::try_from(rounds).unwrap_or(most).clamp(1, most)
    }
}

/// The instructions of a body whose rounds may be executed side by side.
#[derive(Clone, Debug)]
pub(super) struct Strip {
    steps: Box<[StripStep]>,
    accesses: Box<[StripAccess]>,
    /// The registers that it writes.
    written: Box<[u8]>,
    /// The cycles of a round, if no two accesses of it are in the same one.
    spacing: Option<Spacing>,
}

impl Strip {
    /// Those of a body that takes `cost` cycles, the last of which is the back edge; `None` if a round may need what the one before computed, or
    /// does something else than access words and compute what can't fail.
    pub fn new(all: &[BodyInstruction], cost: u64) -> Option<Strip> {
        let (edge, body) = all.split_last()?;
        let mut writes = [false; WINDOW_REGISTERS];
        for instruction in body.iter().filter(|it| !it.kind.is_store()) {
            writes[usize::from(instruction.a)] = true;
        }
        let is_fixed = |register: u8| !writes[usize::from(register)];
        let steps_by_register = matches!(edge.kind, Kind::Repeat);
        if !is_fixed(edge.a)
            || !is_fixed(edge.c)
            || edge.c == edge.a
            || steps_by_register && (!is_fixed(edge.b) || edge.b == edge.a)
        {
            return None;
        }
        let mut strip = (Vec::new(), Vec::new(), Vec::new());
        let (steps, accesses, written) = &mut strip;
        for (place, instruction) in body.iter().enumerate() {
            let source = |register: u8, written: &[u8]| {
                if register == edge.a {
                    return Some(Source::Number);
                }
                if is_fixed(register) {
                    return Some(Source::Fixed(register));
                }
                let known = written.iter().position(|known| *known == register)?;
                Some(Source::Written(known as u8))
            };
            if instruction.kind.is_access() {
                let is_indexed = matches!(
                    instruction.kind,
                    Kind::LoadI32Indexed | Kind::StoreI32Indexed
                );
                if matches!(instruction.kind, Kind::Load | Kind::Store)
                    || accesses.len() == MAX_ACCESSES
                {
                    return None;
                }
                let mut scale = 0;
                let operands = [(instruction.b, true), (instruction.c, is_indexed)];
                for ((register, has), bytes) in operands.into_iter().zip(instruction.scale) {
                    if !has || bytes == 0 {
                        continue;
                    }
                    if register == edge.a {
                        scale += u16::from(bytes);
                    } else if !is_fixed(register) {
                        return None;
                    }
                }
                let is_store = instruction.kind.is_store();
                let access = accesses.len() as u8;
                accesses.push(StripAccess {
                    instruction: u8::try_from(place).ok()?,
                    is_store,
                    scale,
                });
                if is_store {
                    let value = source(instruction.a, written)?;
                    steps.push(StripStep::Store { value, access });
                } else {
                    let to = place_of(written, instruction.a)?;
                    steps.push(StripStep::Load { to, access });
                }
                continue;
            }
            let has_other = matches!(
                instruction.kind,
                Kind::Pure | Kind::UpperImmediate | Kind::Repeat | Kind::RepeatImmediate
            );
            if has_other {
                return None;
            }
            // Operands that it doesn't have take no room.
            let none = Source::Written(0);
            let (b, c) = match instruction.kind {
                Kind::Immediate => (none, none),
                kind if kind.has_number() => (source(instruction.b, written)?, none),
                _ => (
                    source(instruction.b, written)?,
                    source(instruction.c, written)?,
                ),
            };
            let to = place_of(written, instruction.a)?;
            steps.push(StripStep::Compute {
                kind: instruction.kind,
                to,
                b,
                c,
                number: instruction.number,
                small: instruction.c,
            });
        }
        let (steps, accesses, written) = strip;
        let before = |access: &StripAccess| body[usize::from(access.instruction)].before;
        let are_apart = accesses.is_sorted_by(|a, b| before(a) < before(b));
        let in_round = accesses
            .last()
            .is_none_or(|last| u64::from(before(last)) < cost);
        Some(Strip {
            steps: steps.into(),
            accesses: accesses.into(),
            written: written.into(),
            spacing: Spacing::new(cost).filter(|_| are_apart && in_round),
        })
    }

    /// Executes the rounds of a loop that is in front of its first instruction, as many as there are left or the budget has room for; `None`, and
    /// nothing is done, if they have to be executed plainly. Waits are added to the cycles of the accesses that are counted.
    // In the loop of plain execution it would take the registers of the host.
    #[inline(never)]
    pub fn run<const LOGGED: bool, const TIMED: bool>(
        &self,
        body: &LoopBody,
        r: &mut Registers,
        memory: &mut CoreMemory<'_>,
        progress: &mut LoopProgress,
        counts: &mut [u64],
    ) -> Option<LoopEnd> {
        let edge = body.instructions.last()?;
        let step = match edge.kind {
            Kind::RepeatImmediate => edge.number,
            _ => edge.b(r) as i64,
        };
        let first = edge.a(r) as i64;
        let total = rounds_left(first, step, edge.c(r) as i64)?;
        let mut words = [Words::default(); MAX_ACCESSES];
        let words = &mut words[..self.accesses.len()];
        for (words, access) in words.iter_mut().zip(&self.accesses) {
            let stride = usize::from(access.scale).checked_mul(usize::try_from(step).ok()?)?;
            let address = body.instructions[usize::from(access.instruction)].indexed_address(r);
            *words = Words::new(memory, address, (stride, total))?;
        }
        if !self.is_independent(words, total) {
            return None;
        }
        let mut values = [[0; STRIP_ROUNDS]; MAX_WRITTEN];
        let mut number = first;
        let mut left = total;
        loop {
            let most = left.min(STRIP_ROUNDS as u64) as usize;
            let counted = (&mut *progress, &mut *counts);
            let count = self.time::<LOGGED, TIMED>(body, memory, words, most, counted);
            self.execute(r, memory, words, (number, step, count), &mut values);
            for words in words.iter_mut() {
                words.inside += words.stride * count;
            }
            // The last number is known not to overflow.
            number = number.wrapping_add(step.wrapping_mul(count as i64));
            left -= count as u64;
            if left > 0 && progress.since < progress.budget {
                continue;
            }
            r[usize::from(edge.a)] = number as u64;
            for (register, values) in self.written.iter().zip(&values) {
                r[usize::from(*register)] = values[count - 1];
            }
            return Some(if left > 0 {
                LoopEnd::Budget
            } else {
                body.after()
            });
        }
    }

    /// Whether no word that a round stores is accessed in another one, in a loop with as many rounds.
    fn is_independent(&self, words: &[Words], rounds: u64) -> bool {
        let all = || self.accesses.iter().zip(words);
        all()
            .filter(|(access, _)| access.is_store)
            .all(|(_, store)| {
                store.stride >= WORD_BYTES
                    && all().all(|(_, other)| {
                        let is_same = (store.inside, store.stride) == (other.inside, other.stride);
                        store.window != other.window || is_same || store.is_apart(other, rounds)
                    })
            })
    }

    /// Lets the accesses of some rounds, `most` at most, take place in their banks, and logs them. Returns the number of rounds until
    /// the budget is used up, at least 1.
    #[inline(always)]
    fn time<const LOGGED: bool, const TIMED: bool>(
        &self,
        body: &LoopBody,
        memory: &mut CoreMemory<'_>,
        words: &[Words],
        most: usize,
        (progress, counts): (&mut LoopProgress, &mut [u64]),
    ) -> usize {
        if let Some(spacing) = self.spacing {
            let rounds = progress.rounds_in_budget(body.cost, most);
            let strip = (spacing, progress.since, rounds);
            if !TIMED || self.take_banks(body, memory, words, strip, &mut progress.taken) {
                if LOGGED {
                    self.log(body, memory, words, (progress, rounds));
                }
                progress.since += body.cost * rounds as u64;
                progress.rounds += rounds as u64;
                return rounds;
            }
        }
        self.wait::<LOGGED>(body, memory, words, most, (progress, counts))
    }

    /// Lets the accesses of rounds from a cycle on take place in their banks, if none has to wait; without an effect otherwise.
    #[inline]
    fn take_banks(
        &self,
        body: &LoopBody,
        memory: &mut CoreMemory<'_>,
        words: &[Words],
        (spacing, since, rounds): (Spacing, u64, usize),
        taken: &mut Vec<BankCycles>,
    ) -> bool {
        let Some(banks) = &mut memory.conflicts else {
            return true;
        };
        taken.clear();
        taken.reserve(TAKEN_AT_ONCE);
        let mut ends = [0; MAX_ACCESSES];
        for ((access, words), end) in self.accesses.iter().zip(words).zip(&mut ends) {
            if let Some(banks) = banks.of_window(words.window) {
                let instruction = &body.instructions[usize::from(access.instruction)];
                let accesses = SteadyAccesses {
                    address: words.inside as u32,
                    stride: words.stride as u32,
                    at: since + u64::from(instruction.before),
                    spacing,
                    count: rounds as u32,
                };
                if !banks.are_free(&accesses, taken) {
                    return false;
                }
            }
            *end = taken.len();
        }
        let mut start = 0;
        for (words, end) in words.iter().zip(ends) {
            if let Some(banks) = banks.of_window(words.window) {
                banks.take(&taken[start..end]);
            }
            start = end;
        }
        true
    }

    /// Logs the accesses of rounds in which none waits.
    fn log(
        &self,
        body: &LoopBody,
        memory: &mut CoreMemory<'_>,
        words: &[Words],
        (progress, rounds): (&LoopProgress, usize),
    ) {
        let Some(log) = &mut memory.accesses else {
            return;
        };
        let in_rows = |words: &Words| matches!(words.stride, 0 | WORD_BYTES);
        if log.steps.is_none() && words.iter().all(in_rows) {
            let begin = progress.since - progress.run_start;
            for (access, words) in self.accesses.iter().zip(words) {
                let instruction = &body.instructions[usize::from(access.instruction)];
                let at = begin + u64::from(instruction.before);
                // Of a word that all rounds load the last access counts.
                let (count, at) = match words.stride {
                    0 => (1, at + body.cost * (rounds as u64 - 1)),
                    _ => (rounds, at),
                };
                let by = (instruction.at, at, body.cost);
                log.words(access.is_store, words.window, (words.inside, count), by);
            }
            return;
        }
        for round in 0..rounds {
            let elapsed = progress.since - progress.run_start + body.cost * round as u64;
            for (access, words) in self.accesses.iter().zip(words) {
                let instruction = &body.instructions[usize::from(access.instruction)];
                let by = (instruction.at, elapsed + u64::from(instruction.before));
                let inside = words.inside + words.stride * round;
                log.word(access.is_store, words.window, inside, by);
            }
        }
    }

    /// Lets the accesses of some rounds wait for their banks one by one, see [`Strip::time`].
    #[inline(never)]
    fn wait<const LOGGED: bool>(
        &self,
        body: &LoopBody,
        memory: &mut CoreMemory<'_>,
        words: &[Words],
        most: usize,
        (progress, counts): (&mut LoopProgress, &mut [u64]),
    ) -> usize {
        for round in 0..most {
            for (access, words) in self.accesses.iter().zip(words) {
                let instruction = &body.instructions[usize::from(access.instruction)];
                let at = progress.since + u64::from(instruction.before);
                let inside = words.inside + words.stride * round;
                if LOGGED && let Some(log) = &mut memory.accesses {
                    let by = (instruction.at, at - progress.run_start);
                    log.word(access.is_store, words.window, inside, by);
                }
                if let Some(banks) = &mut memory.conflicts
                    && let Some(banks) = banks.of_window(words.window)
                {
                    let wait = banks.access(inside as u32, at) - at;
                    progress.since += wait;
                    if wait > 0
                        && let Some(count) = counts.get_mut(instruction.at as usize - body.first)
                    {
                        *count += wait;
                    }
                }
            }
            progress.since += body.cost;
            progress.rounds += 1;
            if progress.since >= progress.budget {
                return round + 1;
            }
        }
        most
    }

    /// Executes the instructions of `count` rounds, the first of which has a number.
    fn execute(
        &self,
        r: &Registers,
        memory: &mut CoreMemory<'_>,
        words: &[Words],
        (number, step, count): (i64, i64, usize),
        values: &mut [RoundValues; MAX_WRITTEN],
    ) {
        let mut room = [[0; STRIP_ROUNDS]; 2];
        let [room_b, room_c] = &mut room;
        let fill = |source: Source, room: &mut RoundValues| match source {
            Source::Fixed(register) => room.fill(r[usize::from(register)]),
            Source::Number => number_rounds(room, (number, step)),
            Source::Written(_) => {}
        };
        for instruction in &self.steps {
            match *instruction {
                StripStep::Load { to, access } => {
                    let words = words[usize::from(access)];
                    let values = &mut values[usize::from(to)][..count];
                    words.load(memory, values);
                }
                StripStep::Store { value, access } => {
                    fill(value, room_b);
                    let values = value.among(values, room_b);
                    words[usize::from(access)].store(memory, &values[..count]);
                }
                StripStep::Compute {
                    kind,
                    to,
                    b,
                    c,
                    number,
                    small,
                } => {
                    fill(b, room_b);
                    fill(c, room_c);
                    let (b, c) = (b.among(values, room_b), c.among(values, room_c));
                    values[usize::from(to)] = computed(kind, b, c, (number, small));
                }
            }
        }
    }
}

/// The numbers of rounds from one on. Not inlined, as its products would be computed for all strips.
#[inline(never)]
fn number_rounds(numbers: &mut RoundValues, (first, step): (i64, i64)) {
    let mut number = first;
    for to in numbers {
        *to = number as u64;
        number = number.wrapping_add(step);
    }
}

/// The place of a register among those that are written.
fn place_of(written: &mut Vec<u8>, register: u8) -> Option<u8> {
    let known = written.iter().position(|known| *known == register);
    let place = known.unwrap_or(written.len());
    if place == written.len() {
        if place == MAX_WRITTEN {
            return None;
        }
        written.push(register);
    }
    Some(place as u8)
}

/// Rounds of a loop in front of its first instruction, at whose end a step is added to the number and compared with the limit; `None` where
/// they are few, or the number gets too great.
fn rounds_left(number: i64, step: i64, limit: i64) -> Option<u64> {
    let step = u64::try_from(step).ok().filter(|step| *step > 0)?;
    let way = u64::try_from(limit.checked_sub(number)?).ok()?;
    let rounds = way.div_ceil(step);
    let last = i64::try_from(rounds.checked_mul(step)?).ok()?;
    number.checked_add(last)?;
    (rounds >= LEAST_ROUNDS).then_some(rounds)
}

/// The values of an operation of the array of operands.
fn computed(
    kind: Kind,
    b: &RoundValues,
    c: &RoundValues,
    (number, small): (i64, u8),
) -> RoundValues {
    macro_rules! of_number {
        (|$b:ident| $value:expr) => {
            b.map(|$b| $value)
        };
    }
    macro_rules! compute {
        ($($op:ident)*) => {
            match kind {
                Kind::Immediate => [number as u64; STRIP_ROUNDS],
                Kind::AddImmediate32 => {
                    of_number!(|b| i64::from((b as i32).wrapping_add(number as i32)) as u64)
                }
                Kind::AddImmediate64 => of_number!(|b| b.wrapping_add_signed(number)),
                Kind::MultiplyImmediate32 => {
                    of_number!(|b| i64::from((b as i32).wrapping_mul(number as i32)) as u64)
                }
                Kind::MultiplyImmediate64 => {
                    of_number!(|b| (b as i64).wrapping_mul(number) as u64)
                }
                Kind::AndImmediate => of_number!(|b| b & number as u64),
                Kind::OrImmediate => of_number!(|b| b | number as u64),
                Kind::XorImmediate => of_number!(|b| b ^ number as u64),
                // None of these can fail.
                $(Kind::$op => std::array::from_fn(|at| {
                    pure(PureOp::$op, b[at], c[at], 0, small, 0).unwrap_or_default()
                }),)*
                // Not in a strip.
                _ => [0; STRIP_ROUNDS],
            }
        };
    }
    with_usual_ops!(compute)
}

impl Words {
    /// Those of an access in as many rounds, from an address on; `None` if they aren't aligned words of one window.
    fn new(memory: &CoreMemory<'_>, address: u64, (stride, rounds): (usize, u64)) -> Option<Words> {
        let (window, inside) = memory.window_at(address)?;
        let way = usize::try_from(rounds - 1).ok()?.checked_mul(stride)?;
        let end = inside.checked_add(way)?.checked_add(WORD_BYTES)?;
        let bytes = memory.windows[window].len().min(1 << memory.window_bits);
        let is_aligned = inside % WORD_BYTES == 0 && stride % WORD_BYTES == 0;
        (is_aligned && end <= bytes).then_some(Words {
            window,
            inside,
            stride,
        })
    }

    /// Whether none of the words is one of another access's of the same window.
    fn is_apart(&self, other: &Words, rounds: u64) -> bool {
        let end = |words: &Words| words.inside + words.stride * (rounds as usize - 1) + WORD_BYTES;
        end(self) <= other.inside || end(other) <= self.inside
    }

    /// The words of a window from the next round's on.
    fn window<'m>(&self, memory: &'m mut CoreMemory<'_>) -> &'m mut [[u8; WORD_BYTES]] {
        let bytes = memory.windows[self.window].get_mut(self.inside..);
        bytes.unwrap_or_default().as_chunks_mut().0
    }

    /// Loads the word of each round.
    fn load(&self, memory: &mut CoreMemory<'_>, values: &mut [u64]) {
        let value = |word: &[u8; WORD_BYTES]| i64::from(i32::from_le_bytes(*word)) as u64;
        let words = &*self.window(memory);
        match self.stride / WORD_BYTES {
            0 => values.fill(words.first().map_or(0, value)),
            1 => {
                for (to, word) in values.iter_mut().zip(words) {
                    *to = value(word);
                }
            }
            words_a_round => {
                for (to, word) in values.iter_mut().zip(words.iter().step_by(words_a_round)) {
                    *to = value(word);
                }
            }
        }
    }

    /// Stores the word of each round.
    fn store(&self, memory: &mut CoreMemory<'_>, values: &[u64]) {
        let words = self.window(memory);
        if self.stride == WORD_BYTES {
            for (word, value) in words.iter_mut().zip(values) {
                *word = (*value as u32).to_le_bytes();
            }
            return;
        }
        let words = words.iter_mut().step_by((self.stride / WORD_BYTES).max(1));
        for (word, value) in words.zip(values) {
            *word = (*value as u32).to_le_bytes();
        }
    }
}

#[cfg(test)]
mod tests;
