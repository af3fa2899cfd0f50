//! Which values are live where blocks begin.

use super::{Function, Terminator, Value};
use crate::bits::Bits;
use crate::mir::Vector;

/// The values that are live at the start of each block, its parameters apart, in their order.
pub(crate) fn live_values(function: &Function) -> Vec<Vec<Value>> {
    let size = function.values as usize;
    let mut live = vec![Bits::new(size); function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (number, data) in function.blocks.iter().enumerate().rev() {
            let mut now = Bits::new(size);
            for target in data.terminator.targets() {
                now.merge(&live[target.block.index()]);
                target.args.iter().for_each(|arg| now.insert(arg.index()));
            }
            let operands = data.terminator.operands().iter();
            operands.for_each(|value| now.insert(value.index()));
            for step in data.steps.iter().rev() {
                step.results
                    .iter()
                    .for_each(|value| now.remove(value.index()));
                step.args.iter().for_each(|value| now.insert(value.index()));
            }
            data.params
                .iter()
                .for_each(|value| now.remove(value.index()));
            if now != live[number] {
                live[number] = now;
                changed = true;
            }
        }
    }
    let values = |bits: Bits| bits.iter().map(|number| Value(number as u32)).collect();
    live.into_iter().map(values).collect()
}

/// Where a vector is live: all places from the first to the last. A step at place p reads at 2p + 1 and writes at 2p + 1 or
/// later, so that what it reads is not where it writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VectorRange {
    pub vector: Vector,
    pub start: usize,
    pub end: usize,
}

/// The places of the vectors of a function, over its blocks in their order. Vectors that nothing reads have one too.
pub(crate) fn vector_ranges(function: &Function) -> Vec<VectorRange> {
    let count = function.vectors.len();
    let mut live: Vec<Vec<bool>> = vec![vec![false; count]; function.blocks.len()];
    let at = |vector: Vector| vector.0 as usize;
    let mut changed = count > 0;
    while changed {
        changed = false;
        for (number, data) in function.blocks.iter().enumerate().rev() {
            let mut now = live_after(function, &live, number);
            for step in data.steps.iter().rev() {
                step.vector_writes(|vector| now[at(vector)] = false);
                step.vector_reads(|vector| now[at(vector)] = true);
            }
            changed |= now != live[number];
            live[number] = now;
        }
    }
    let mut ranges: Vec<Option<(usize, usize)>> = vec![None; count];
    let mut cover = |vector: usize, place: usize| {
        let range = ranges[vector].get_or_insert((place, place));
        *range = (range.0.min(place), range.1.max(place));
    };
    function
        .vector_arguments
        .iter()
        .for_each(|vector| cover(at(*vector), 0));
    let mut place = 1;
    for (number, data) in function.blocks.iter().enumerate() {
        let inside = |live: &[bool]| -> Vec<usize> {
            let all = live.iter().enumerate();
            all.filter(|(_, live)| **live).map(|(at, _)| at).collect()
        };
        inside(&live[number])
            .iter()
            .for_each(|at| cover(*at, 2 * place));
        for step in &data.steps {
            place += 1;
            step.vector_reads(|vector| cover(at(vector), 2 * place + 1));
            step.vector_writes(|vector| cover(at(vector), 2 * place + 1));
        }
        place += 1;
        let after = live_after(function, &live, number);
        inside(&after).iter().for_each(|at| cover(*at, 2 * place));
    }
    let ranges = ranges.into_iter().enumerate();
    ranges
        .filter_map(|(vector, range)| {
            let (start, end) = range?;
            Some(VectorRange {
                vector: Vector(vector as u32),
                start,
                end,
            })
        })
        .collect()
}

/// The vectors that are live where a block ends.
fn live_after(function: &Function, live: &[Vec<bool>], number: usize) -> Vec<bool> {
    let mut now = vec![false; function.vectors.len()];
    let terminator = &function.blocks[number].terminator;
    for target in terminator.targets() {
        let after = &live[target.block.index()];
        now.iter_mut()
            .zip(after)
            .for_each(|(now, after)| *now |= after);
    }
    if let Terminator::Return { vectors, .. } = terminator {
        vectors
            .iter()
            .for_each(|vector| now[vector.0 as usize] = true);
    }
    now
}
