//! Operations on vectors: values in consecutive lanes of the vector file.

use aiec_vcode::{
    GRANULE_LANES, Immediate, Instruction, MapImmediate, MemoryType, Operand, PureOp, WINDOW_LANES,
};

use super::bus::{CoreFault, CoreMemory};
use super::cost::{Costs, access_extra};
use super::immediate::access_type;
use super::memory::{decode_lanes, encode_lanes, no_memory};
use super::scalar::pure;

/// The lanes that a function can name.
pub(super) type Lanes = [u64; WINDOW_LANES];

/// First lane of a vector register. That a vector is in its window has been checked by the decoder
/// (`CoreProgram::decode`) wherever the program fixes it, and by [`checked_lane`] elsewhere.
pub(super) const fn first(register: u8) -> usize {
    register as usize * GRANULE_LANES
}

/// Lanes that an operand means.
pub(super) const fn count(operand: u8) -> usize {
    if operand == 0 { 256 } else { operand as usize }
}

/// Loads a vector; returns the extra cycles.
pub(super) fn load(
    instruction: Instruction,
    address: u64,
    memory: &mut CoreMemory<'_>,
    lanes: &mut Lanes,
) -> Result<u64, CoreFault> {
    let (kind, n, base) = accessed(instruction);
    let bytes = memory.load_bytes(address, n * kind.bytes() as usize);
    let bytes = bytes.ok_or_else(|| no_memory(address))?;
    decode_lanes(kind, bytes, &mut lanes[base..base + n]);
    Ok(access_extra(kind, n))
}

/// Stores a vector; returns the extra cycles.
pub(super) fn store(
    instruction: Instruction,
    address: u64,
    memory: &mut CoreMemory<'_>,
    lanes: &Lanes,
) -> Result<u64, CoreFault> {
    let (kind, n, base) = accessed(instruction);
    let bytes = memory.store_bytes(address, n * kind.bytes() as usize);
    let bytes = bytes.ok_or_else(|| no_memory(address))?;
    encode_lanes(kind, &lanes[base..base + n], bytes);
    Ok(access_extra(kind, n))
}

/// Type, number of lanes and first lane of a vector that is loaded or stored.
fn accessed(instruction: Instruction) -> (MemoryType, usize, usize) {
    let kind = access_type(instruction.imm);
    (kind, count(instruction.c), first(instruction.a))
}

/// Where a vector operation finds its operands: first lanes.
#[derive(Clone, Copy)]
struct OperandLanes {
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    n: usize,
}

/// A granule of the lanes. Vectors begin with one, so that operands have a granule in common or none of its lanes.
type Granule = [u64; GRANULE_LANES];

/// The granules of lanes. Their numbers wrap round at the end of the window, which never happens, as the decoder has
/// checked: it saves the check of each access.
fn granule(lanes: &Lanes, first: usize) -> &Granule {
    const GRANULES: usize = WINDOW_LANES / GRANULE_LANES;
    &lanes.as_chunks().0[first / GRANULE_LANES % GRANULES]
}

/// Applies a function to the lanes of three operands.
#[inline(always)]
fn each(
    lanes: &mut Lanes,
    at: OperandLanes,
    apply: impl Fn(u64, u64, u64) -> Option<u64>,
) -> Option<()> {
    for lane in (0..at.n).step_by(GRANULE_LANES) {
        let [b, c, d] = [at.b, at.c, at.d].map(|first| granule(lanes, first + lane));
        let operands = b.iter().zip(c).zip(d);
        let mut values = *granule(lanes, at.a + lane);
        if at.n - lane >= GRANULE_LANES {
            // Of a length that the compiler knows.
            for (value, ((b, c), d)) in values.iter_mut().zip(operands) {
                *value = apply(*b, *c, *d)?;
            }
        } else {
            let values = values.iter_mut().zip(operands).take(at.n - lane);
            for (value, ((b, c), d)) in values {
                *value = apply(*b, *c, *d)?;
            }
        }
        let to = (at.a + lane) % WINDOW_LANES;
        lanes[to..to + GRANULE_LANES].copy_from_slice(&values);
    }
    Some(())
}

/// The operation over lanes of an instruction.
fn mapped(instruction: Instruction) -> Option<(MapImmediate, PureOp)> {
    let map = MapImmediate::unpack(instruction.imm)?;
    Some((map, map.op.pure()?))
}

/// Applies a scalar operation in each lane; returns the extra cycles.
pub(super) fn map(
    instruction: Instruction,
    lanes: &mut Lanes,
    costs: &Costs,
) -> Result<u64, CoreFault> {
    use PureOp::*;
    // The decoder has checked that it means a pure operation.
    let Some((map, pure_op)) = mapped(instruction) else {
        return Ok(0);
    };
    let (a, b) = (first(instruction.a), first(instruction.b));
    let shape = map.op.shape();
    let third = matches!(shape.operands[2], Operand::Source);
    let fourth = shape.immediate == Immediate::Source;
    let at = OperandLanes {
        a,
        b,
        c: if third { first(instruction.c) } else { b },
        d: if fourth { first(map.fourth) } else { b },
        n: usize::from(map.lanes),
    };
    let (number, small) = (instruction.c, map.fourth);
    // With the operation known, the loop has no branch but its own.
    macro_rules! hot {
        ($($op:ident)*) => {
            match pure_op {
                $($op => each(lanes, at, |b, c, d| pure($op, b, c, d, number, small)),)*
                op => each(lanes, at, |b, c, d| pure(op, b, c, d, number, small)),
            }
        };
    }
    let done = hot!(Mov Add32 Sub32 Mul32 And Or Xor Shrsi Sext Mins Maxs Lts AddF SubF MulF FmaF
        Select NarrowF);
    done.ok_or(CoreFault::DivisionByZero)?;
    Ok(costs.lanes_extra(map.op, at.n))
}

/// Combines the lanes in order, beginning with `start`; returns the value and the extra cycles.
pub(super) fn reduce(
    instruction: Instruction,
    start: u64,
    lanes: &Lanes,
    costs: &Costs,
) -> Result<(u64, u64), CoreFault> {
    let Some((map, op)) = mapped(instruction) else {
        return Ok((start, 0));
    };
    let b = first(instruction.b);
    let n = usize::from(map.lanes);
    let value = (0..n).try_fold(start, |value, lane| {
        pure(op, value, lanes[b + lane], 0, 0, 0).ok_or(CoreFault::DivisionByZero)
    })?;
    Ok((value, costs.lanes_extra(map.op, n)))
}

/// Copies lanes between vectors, or within one.
pub(super) fn copy(instruction: Instruction, lanes: &mut Lanes) {
    let to = first(instruction.a) + (instruction.imm >> 16) as usize;
    let from = first(instruction.b) + (instruction.imm & 0xFFFF) as usize;
    let n = count(instruction.c);
    lanes.copy_within(from..from + n, to);
}

/// Sets all lanes of a vector to one value.
pub(super) fn splat(instruction: Instruction, value: u64, lanes: &mut Lanes) {
    let first = first(instruction.a);
    lanes[first..first + count(instruction.c)].fill(value);
}

/// A lane whose number is a value.
pub(super) fn checked_lane(number: u64, lanes: u32) -> Result<usize, CoreFault> {
    if number < u64::from(lanes) {
        Ok(number as usize)
    } else {
        Err(CoreFault::Lane {
            lane: number,
            lanes,
        })
    }
}

/// Reads or writes one lane: the extract and insert operations.
pub(super) fn extract(register: u8, lane: usize, lanes: &Lanes) -> u64 {
    lanes[first(register) + lane]
}

/// See [`extract`].
pub(super) fn insert(register: u8, lane: usize, value: u64, lanes: &mut Lanes) {
    lanes[first(register) + lane] = value;
}
