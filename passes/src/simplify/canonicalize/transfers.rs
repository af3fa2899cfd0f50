//! Transfers in their simplest form: contiguous ones of shim tiles as a plain run of elements
//! (whose length has a wider field than the sizes of dimensions), BD chains that repeat a shorter
//! chain as that chain, and no waits for nothing
//! (`mlir-aie: test/dialect/AIEX/canonicalize_linear.mlir`, `test/dialect/AIE/canonicalize-mem.mlir`).

use aiec_aie::ir::{Attr, BdDim, Block, Module, Op, Value};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::netlist::{const_int, mixed_list, tile_loc};
use aiec_aie::ops::{
    Device, DmaBd, DmaConfigureTask, NpuDmaMemcpyNd, OpKind, OpView, ShimDma, UseLock,
};
use aiec_device::{AccessPattern, TileKind};

use super::all_ops;

/// Simplifies everything once; how much.
pub(crate) fn run(m: &mut Module) -> u64 {
    let mut changes = 0;
    for op in all_ops(m) {
        if !m.is_live(op) {
            continue;
        }
        let done = match m.kind(op) {
            OpKind::NpuDmaMemcpyNd => linear_memcpy(m, op),
            OpKind::DmaBd => linear_bd(m, op),
            OpKind::DmaStart => short_chain(m, op),
            OpKind::UseLock => idle_wait(m, op),
            OpKind::NpuLoadPdi => repeated_load(m, op),
            _ => None,
        };
        changes += u64::from(done.is_some());
    }
    changes
}

/// The number of elements of a pattern (outermost first) if they follow one another.
fn linear_run(dims: &[BdDim]) -> Option<i64> {
    let dims = dims.iter().rev().map(|dim| (dim.size, dim.stride));
    // Elements are compared with elements: their width doesn't matter.
    let pattern = AccessPattern::new(1, dims);
    pattern.elements().filter(|_| pattern.is_contiguous())
}

/// `[s, 2, 3, 4][t, 12, 4, 1]` is `[s, 1, 1, 24][t, 0, 0, 1]`.
fn linear_memcpy(m: &mut Module, op: Op) -> Option<()> {
    let copy = NpuDmaMemcpyNd::cast(m, op)?;
    let list =
        |key, group| -> Option<Vec<i64>> { mixed_list(m, op, key, group)?.into_iter().collect() };
    let offsets = list("static_offsets", 1)?;
    let (sizes, strides) = (list("static_sizes", 2)?, list("static_strides", 3)?);
    let ([o3, o2, o1, o0], [s3, s2, s1, s0]) = (
        <[i64; 4]>::try_from(offsets).ok()?,
        <[i64; 4]>::try_from(sizes).ok()?,
    );
    let [t3, t2, t1, t0] = <[i64; 4]>::try_from(strides).ok()?;
    let inner = [(s2, t2), (s1, t1), (s0, t0)].map(|(size, stride)| BdDim::new(size, stride));
    let run = linear_run(&inner)?;
    let step = |offset: i64, stride: i64| offset.checked_mul(stride);
    let start = o0.checked_add(step(o1, t1)?)?.checked_add(step(o2, t2)?)?;
    let linear = [
        ("static_offsets", [o3, 0, 0, start]),
        ("static_sizes", [s3, 1, 1, run]),
        ("static_strides", [t3, 0, 0, 1]),
    ];
    let is_so = linear
        .iter()
        .all(|(key, list)| m.attr(op, key) == Some(&Attr::i64_array(list.iter().copied())));
    if is_so {
        return None;
    }
    let memref = copy.memref(m)?;
    for (key, list) in linear {
        m.set_attr(op, key, Attr::i64_array(list));
    }
    m.set_operands(op, &[memref]);
    if m.attr(op, "operandSegmentSizes").is_some() {
        m.set_attr(op, "operandSegmentSizes", Attr::i32_array([1, 0, 0, 0]));
    }
    Some(())
}

/// A BD of a shim tile whose dimensions are one run of its length.
fn linear_bd(m: &mut Module, op: Op) -> Option<()> {
    let bd = DmaBd::cast(m, op)?;
    let dims = bd.dims(m).filter(|dims| !dims.is_empty())?;
    let padded = bd.pad_dimensions(m).is_some_and(|pads| !pads.is_empty());
    if padded || linear_run(&dims)? != bd.len_elems(m)? || !on_shim(m, op) {
        return None;
    }
    m.set_operand_group(op, "sizes", &[]);
    m.set_operand_group(op, "strides", &[]);
    m.remove_attr(op, "static_sizes");
    m.remove_attr(op, "static_strides");
    Some(())
}

/// Whether a BD belongs to a shim tile's DMA.
fn on_shim(m: &Module, bd: Op) -> bool {
    let mut at = m.parent_op(bd);
    while let Some(op) = at {
        let tile = match m.kind(op) {
            OpKind::ShimDma => ShimDma::cast(m, op).and_then(|dma| dma.tile(m)),
            OpKind::DmaConfigureTask => DmaConfigureTask::cast(m, op).and_then(|t| t.tile(m)),
            // Allocations are of shim tiles.
            OpKind::DmaConfigureTaskFor => return true,
            OpKind::Device => return false,
            _ => None,
        };
        if let Some(loc) = tile.and_then(|tile| tile_loc(m, tile)) {
            let model = Device::around(m, bd).and_then(|device| device.model(m));
            let kind = model.and_then(|model| model.tile_kind(loc));
            return kind.is_some_and(TileKind::is_shim);
        }
        at = m.parent_op(op);
    }
    false
}

/// A ring of BD blocks that goes through the same blocks several times closes after the first. A BD with an
/// iteration counts its runs by itself, so that two of them aren't one that runs twice as often.
fn short_chain(m: &mut Module, start: Op) -> Option<()> {
    let first = *m.successors(start).first()?;
    let mut ring: Vec<Block> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut at = first;
    while seen.insert(at) {
        ring.push(at);
        let last = m.last_op(at).filter(|op| m.kind(*op) == OpKind::NextBd)?;
        at = *m.successors(last).first()?;
    }
    if at != first {
        return None;
    }
    let counts = |block: &Block| {
        let mut ops = m.block_ops(*block);
        ops.any(|op| DmaBd::cast(m, op).is_some_and(|bd| bd.iteration(m).is_some()))
    };
    if ring.iter().any(counts) {
        return None;
    }
    let count = ring.len();
    let repeats = |period: usize| {
        count.is_multiple_of(period)
            && (period..count).all(|n| same_block(m, ring[n], ring[n - period]))
    };
    let period = (1..=count / 2).find(|period| repeats(*period))?;
    let last = m.last_op(ring[period - 1])?;
    m.set_successor(last, 0, first);
    Some(())
}

/// Whether two blocks do the same, wherever they lead.
fn same_block(m: &Module, a: Block, b: Block) -> bool {
    let ops = |block| -> Vec<Op> {
        let all = m.ops_in(block);
        all.into_iter()
            .filter(|op| m.kind(*op) != OpKind::ArithConstant)
            .collect()
    };
    let (a, b) = (ops(a), ops(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same_op(m, *a, *b))
}

fn same_op(m: &Module, a: Op, b: Op) -> bool {
    let same_value = |(a, b): (Value, Value)| {
        let constants = (const_int(m, a), const_int(m, b));
        a == b || (constants.0.is_some() && constants.0 == constants.1)
    };
    m.op_name(a) == m.op_name(b)
        && m.attrs(a).eq(m.attrs(b))
        && m.num_operands(a) == m.num_operands(b)
        && m.operands(a).zip(m.operands(b)).all(same_value)
        && m.regions_of(a).is_empty()
        && m.regions_of(b).is_empty()
}

/// Waiting until a counter is at least 0 waits for nothing.
fn idle_wait(m: &mut Module, op: Op) -> Option<()> {
    let wait = UseLock::cast(m, op)?;
    let idle =
        wait.action(m) == LockAction::AcquireGreaterEqual && const_int(m, wait.value(m)?)? == 0;
    idle.then(|| m.erase(op))
}

/// Loading what has just been loaded changes nothing.
fn repeated_load(m: &mut Module, op: Op) -> Option<()> {
    let before = m.prev_op(op)?;
    let same = m.kind(before) == OpKind::NpuLoadPdi && m.attrs(before).eq(m.attrs(op));
    same.then(|| m.erase(op))
}
