//! Places of memory that values may name: for each value a few intervals of numbers, from the addresses of
//! buffers in the code, through sums, choices and parameters of blocks, and from callers to those they call.
//!
//! It is coarser than [`super::width`] in loops and finer at choices: a pointer to one of two buffers has two
//! intervals, not all that is between them. Accesses whose intervals are apart never touch the same bytes.

use aiec_vcode::Opcode;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::width::{ADDRESS_BITS, Range};
use super::{Action, Function, Graph, Step, Value, VectorAction};

/// Intervals of a set; of more the nearest ones are joined.
const MAX_INTERVALS: usize = 8;
/// Rounds after which a parameter that still grows gets the range that is known of it.
const EXACT_ROUNDS: usize = 4;

/// The numbers that a value may be: ascending intervals that don't touch. Without any, none is known yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AddressSet {
    intervals: SmallVec<[Range; 2]>,
}

impl AddressSet {
    pub(crate) fn of(range: Range) -> AddressSet {
        AddressSet {
            intervals: smallvec![range],
        }
    }

    /// The single number that the value is.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        match self.intervals[..] {
            [Range { low, high }] if low == high => Some(low),
            _ => None,
        }
    }

    /// The least range with all of them.
    pub(crate) fn hull(&self) -> Option<Range> {
        let (first, last) = (self.intervals.first()?, self.intervals.last()?);
        Some(Range::new(first.low, last.high))
    }

    /// Adds another set; whether that changed anything.
    pub(crate) fn join(&mut self, other: &AddressSet) -> bool {
        let before = self.intervals.len();
        let covered = |range: &Range| self.intervals.iter().any(|known| range.is_in(*known));
        if other.intervals.iter().all(covered) {
            return false;
        }
        self.intervals.extend(other.intervals.iter().copied());
        debug_assert!(self.intervals.len() > before);
        self.normalize();
        true
    }

    fn normalize(&mut self) {
        self.intervals.sort_by_key(|range| range.low);
        let mut joined: SmallVec<[Range; 2]> = SmallVec::new();
        for range in &self.intervals {
            match joined.last_mut() {
                Some(last) if range.low <= last.high.saturating_add(1) => {
                    last.high = last.high.max(range.high);
                }
                _ => joined.push(*range),
            }
        }
        while joined.len() > MAX_INTERVALS {
            let gap = |at: usize| i128::from(joined[at + 1].low) - i128::from(joined[at].high);
            let nearest = (0..joined.len() - 1).min_by_key(|at| gap(*at)).unwrap_or(0);
            joined[nearest].high = joined[nearest + 1].high;
            joined.remove(nearest + 1);
        }
        self.intervals = joined;
    }

    /// The part within a range that holds too.
    fn within(&self, range: Range) -> AddressSet {
        let parts = self.intervals.iter().filter_map(|part| part.meet(range));
        let parts: SmallVec<[Range; 2]> = parts.collect();
        if parts.is_empty() {
            AddressSet::of(range)
        } else {
            AddressSet { intervals: parts }
        }
    }

    /// Whether no number is in both.
    pub(crate) fn is_apart(&self, other: &AddressSet) -> bool {
        let mut pairs = self
            .intervals
            .iter()
            .flat_map(|a| other.intervals.iter().map(move |b| a.meet(*b)));
        pairs.all(|both| both.is_none())
    }

    /// The set with a constant added to each number.
    pub(crate) fn moved(&self, by: i64) -> AddressSet {
        let moved =
            |range: &Range| Range::new(range.low.saturating_add(by), range.high.saturating_add(by));
        AddressSet {
            intervals: self.intervals.iter().map(moved).collect(),
        }
    }

    /// All results of an operation on a number of each set.
    fn combine(&self, other: &AddressSet, op: impl Fn(Range, Range) -> Range) -> AddressSet {
        let pairs = self.intervals.iter().flat_map(|a| {
            let op = &op;
            other.intervals.iter().map(move |b| op(*a, *b))
        });
        let mut set = AddressSet {
            intervals: pairs.collect(),
        };
        set.normalize();
        set
    }

    /// The bytes that an access at an offset may touch; `None` if they may be anywhere.
    pub(crate) fn touched(&self, offset: i64, bytes: u32) -> Option<AddressSet> {
        let hull = self.hull()?;
        let memory = Range::new(0, (1 << ADDRESS_BITS) - 1);
        if !hull.is_in(memory) || hull == memory {
            return None;
        }
        let mut set = self.moved(offset);
        for range in &mut set.intervals {
            range.high = range.high.saturating_add(i64::from(bytes.max(1)) - 1);
        }
        set.normalize();
        Some(set)
    }
}

/// The sets of a function's values. `ranges` are those of the values, `arguments` the sets of the arguments.
pub(crate) fn address_sets(
    function: &Function,
    graph: &Graph,
    ranges: &[Range],
    arguments: &[AddressSet],
) -> Vec<AddressSet> {
    let mut sets = vec![AddressSet::default(); function.values as usize];
    for (argument, set) in function.arguments.iter().zip(arguments) {
        sets[argument.index()] = set.within(ranges[argument.index()]);
    }
    for argument in function.arguments.iter().skip(arguments.len()) {
        sets[argument.index()] = AddressSet::of(ranges[argument.index()]);
    }
    let mut round = 0;
    loop {
        let mut changed = false;
        for block in &graph.order {
            let data = function.block(*block);
            for (at, param) in data.params.iter().enumerate() {
                let range = ranges[param.index()];
                for before in &graph.predecessors[block.index()] {
                    let targets = function.block(*before).terminator.targets().iter();
                    for target in targets.filter(|target| target.block == *block) {
                        let passed = sets[target.args[at].index()].clone();
                        if passed.intervals.is_empty() {
                            continue;
                        }
                        let passed = passed.within(range);
                        let set = &mut sets[param.index()];
                        if set.join(&passed) {
                            changed = true;
                            if round >= EXACT_ROUNDS {
                                *set = AddressSet::of(range);
                            }
                        }
                    }
                }
            }
            for step in &data.steps {
                for result in &step.results {
                    let range = ranges[result.index()];
                    let Some(set) = result_of(step, &sets) else {
                        continue;
                    };
                    let set = set.within(range);
                    changed |= sets[result.index()].join(&set);
                }
            }
        }
        round += 1;
        if !changed {
            break;
        }
        if round > 4 * EXACT_ROUNDS {
            // Sums may still grow: the facts about each value hold at once.
            return ranges.iter().map(|range| AddressSet::of(*range)).collect();
        }
    }
    sets
}

/// The set of a step's result; `None` as long as that of an argument isn't known.
fn result_of(step: &Step, sets: &[AddressSet]) -> Option<AddressSet> {
    let any = || Some(AddressSet::of(Range::FULL));
    let Action::Pure { op, number } = step.action else {
        return match step.action {
            Action::Const(bits) => Some(AddressSet::of(Range::of(bits as i64))),
            _ => any(),
        };
    };
    let arg = |at: usize| {
        let value: &Value = step.args.get(at)?;
        let set = &sets[value.index()];
        (!set.intervals.is_empty()).then_some(set)
    };
    match op {
        Opcode::Mov => arg(0).cloned(),
        Opcode::Add32
        | Opcode::Add64
        | Opcode::Sub32
        | Opcode::Sub64
        | Opcode::Mul32
        | Opcode::Mul64
        | Opcode::Shl32
        | Opcode::Shl64 => {
            let (a, b) = (arg(0)?, arg(1)?);
            Some(a.combine(b, |a, b| super::width::pure(op, &[a, b], number)))
        }
        Opcode::Select => {
            let mut set = arg(1)?.clone();
            set.join(arg(2)?);
            Some(set)
        }
        _ => any(),
    }
}

/// Objects of memory: accesses of different ones never touch the same bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryObjects {
    /// Ascending intervals that don't overlap, each with its object.
    intervals: Vec<(Range, u32)>,
    /// The highest number of each object.
    ends: FxHashMap<u32, i64>,
}

impl MemoryObjects {
    /// The objects that a function's steps access.
    pub(crate) fn of(function: &Function, sets: &[AddressSet]) -> MemoryObjects {
        let mut touched: Vec<AddressSet> = Vec::new();
        for step in function.blocks.iter().flat_map(|block| &block.steps) {
            let set = |value: Value, offset: i32, bytes| {
                sets[value.index()].touched(offset.into(), bytes)
            };
            match &step.action {
                Action::Load { kind, offset } => {
                    touched.extend(set(step.args[0], *offset, kind.bytes()));
                }
                Action::Store { kind, offset } => {
                    touched.extend(set(step.args[1], *offset, kind.bytes()));
                }
                Action::Copy { bytes } => {
                    touched.extend(set(step.args[0], 0, *bytes));
                    touched.extend(set(step.args[1], 0, *bytes));
                }
                Action::Vector(
                    VectorAction::Load {
                        kind,
                        lanes,
                        offset,
                        ..
                    }
                    | VectorAction::Store {
                        kind,
                        lanes,
                        offset,
                        ..
                    },
                ) => {
                    let bytes = u32::from(*lanes) * kind.bytes();
                    touched.extend(set(step.args[0], *offset, bytes));
                }
                _ => {}
            }
        }
        MemoryObjects::join(&touched)
    }

    fn join(touched: &[AddressSet]) -> MemoryObjects {
        let mut parents: Vec<usize> = (0..touched.len()).collect();
        let root = |parents: &[usize], mut at: usize| {
            while parents[at] != at {
                at = parents[at];
            }
            at
        };
        let parts = touched.iter().enumerate();
        let mut parts: Vec<(Range, usize)> = parts
            .flat_map(|(at, set)| set.intervals.iter().map(move |range| (*range, at)))
            .collect();
        parts.sort_by_key(|(range, at)| (range.low, range.high, *at));
        let mut joined: Vec<(Range, usize)> = Vec::new();
        for (range, at) in parts {
            match joined.last_mut() {
                Some((last, other)) if range.low <= last.high => {
                    last.high = last.high.max(range.high);
                    let (a, b) = (root(&parents, at), root(&parents, *other));
                    parents[a.max(b)] = a.min(b);
                }
                _ => joined.push((range, at)),
            }
        }
        let joined = joined.into_iter();
        let intervals: Vec<(Range, u32)> = joined
            .map(|(range, at)| (range, root(&parents, at) as u32))
            .collect();
        let ends = intervals
            .iter()
            .map(|(range, object)| (*object, range.high));
        MemoryObjects {
            // Ascending: the last one of an object stays.
            ends: ends.collect(),
            intervals,
        }
    }

    /// The object of an access of a value plus an offset; `None` if it may be any.
    pub(crate) fn object(&self, set: &AddressSet, offset: i64, bytes: u32) -> Option<u32> {
        let touched = set.touched(offset, bytes)?;
        let first = touched.intervals.first()?;
        let at = self
            .intervals
            .partition_point(|(range, _)| range.high < first.low);
        let (range, object) = self.intervals.get(at)?;
        let hull = touched.hull()?;
        (range.low <= first.low && hull.high <= *self.ends.get(object)?).then_some(*object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(i64, i64)]) -> AddressSet {
        let mut set = AddressSet::default();
        for (low, high) in ranges {
            set.join(&AddressSet::of(Range::new(*low, *high)));
        }
        set
    }

    #[test]
    fn pairs_of_buffers_are_apart() {
        let (input, output) = (
            set(&[(0x400, 0x43f), (0x800, 0x83f)]),
            set(&[(0x600, 0x63f)]),
        );
        let objects =
            MemoryObjects::join(&[input.touched(0, 4).unwrap(), output.touched(0, 4).unwrap()]);
        let of = |set: &AddressSet| objects.object(set, 0, 4).unwrap();
        assert_ne!(of(&input), of(&output));
        assert_eq!(of(&input), of(&set(&[(0x810, 0x810)])));
    }

    #[test]
    fn overlapping_accesses_share_an_object() {
        let (a, b) = (set(&[(0x400, 0x43f)]), set(&[(0x43e, 0x500)]));
        let objects = MemoryObjects::join(&[a.touched(0, 4).unwrap(), b.touched(0, 4).unwrap()]);
        assert_eq!(objects.object(&a, 0, 4), objects.object(&b, 0, 4));
        assert_eq!(objects.object(&AddressSet::of(Range::FULL), 0, 4), None);
    }

    #[test]
    fn many_intervals_become_few() {
        let ranges: Vec<(i64, i64)> = (0..40).map(|at| (at * 100, at * 100 + 9)).collect();
        let joined = set(&ranges);
        assert!(joined.intervals.len() <= MAX_INTERVALS);
        assert_eq!(joined.hull(), Some(Range::new(0, 3909)));
    }
}
