//! `aie-decompose-large-dma-bd`: transfers of shim tiles with sizes that no register field holds
//! become transfers that fit (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEDecomposeLargeDmaBd.cpp`).
//!
//! A size that is too large becomes two dimensions if it has a divisor that fits and there is a
//! dimension left. Else the transfer is cut into several: a memcpy into memcpys with BDs of their
//! own, a task into a chain. The words come in the same order, which the reference doesn't keep
//! where outer dimensions go around the one that is cut; here those are cut too. Transfers without
//! gaps stay, as they need no dimensions, and so do those whose numbers aren't known.
//!
//! A memcpy into host memory always sends a token: when it is cut, the next wait for its channel
//! waits for all parts.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, SymbolTable, ValueMap};
use aiec_aie::ops::netlist::{mixed_list, tile_loc};
use aiec_aie::ops::{
    Device, DmaBd, DmaConfigureTask, DmaConfigureTaskFor, NextBd, NoAttr, NpuDmaMemcpyNd,
    NpuDmaWait, OpKind, OpView, RuntimeSequence, ShimDmaAllocation,
};
use aiec_device::{AccessPattern, DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_diag::{Diag, Reported};
use rustc_hash::FxHashSet;

use crate::analysis::transfer::{WORD_BYTES, element_bytes};
use crate::infra::pass::{PassContext, PassDef};
use crate::sequence::codes::NO_BD_LEFT;

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-decompose-large-dma-bd", run)
    .summary("Divide transfers of shim tiles whose sizes no buffer descriptor holds")
    .postconditions(&[
        "sizes of transfers of shim tiles fit buffer descriptors where that can be reached",
    ]);

/// Dimensions of a pattern.
const DIMS: usize = 4;
/// The outermost dimension, which hardware iterates.
const ITERATION: usize = DIMS - 1;
/// Most transfers that one becomes, as in the reference.
const MAX_PARTS: usize = 64;

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    let symbols = SymbolTable::of(module, device);
    let mut result = Ok(());
    for sequence in module.children::<RuntimeSequence>(device) {
        let mut divide = Divide {
            module,
            model,
            symbols: &symbols,
            sequence: sequence.op(),
        };
        for op in divide.module.walk(sequence.op()).collect::<Vec<_>>() {
            let done = match divide.module.kind(op) {
                OpKind::NpuDmaMemcpyNd => divide.memcpy(NpuDmaMemcpyNd(op), context),
                OpKind::DmaBd => {
                    divide.task(DmaBd(op), context);
                    Ok(())
                }
                _ => Ok(()),
            };
            result = result.and(done);
        }
    }
    result
}

/// A transfer, innermost dimension first, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pattern {
    offsets: [i64; DIMS],
    sizes: [i64; DIMS],
    strides: [i64; DIMS],
}

/// Limits of a tile's BDs.
#[derive(Clone, Copy)]
struct Limits {
    /// Steps of dimensions 0 (in words) and 1.
    wrap: i64,
    /// Iterations.
    iterations: i64,
    /// Bytes of an element.
    elem_bytes: i64,
}

impl Limits {
    fn of(model: &DeviceModel, tile: TileLoc, elem_bytes: u64) -> Option<Limits> {
        let shim = model.tile_kind(tile) == Some(TileKind::ShimNoc);
        let dma = model.tile(tile)?.dma.as_ref().filter(|_| shim)?;
        Some(Limits {
            wrap: dma.bd.max_wrap().into(),
            iterations: dma.bd.max_iterations().into(),
            elem_bytes: i64::try_from(elem_bytes).ok()?,
        })
    }

    /// Most elements of a dimension: 0 counts words, the third one has no limit of its own.
    fn most(self, dim: usize) -> i64 {
        match dim {
            0 => (self.wrap * WORD_BYTES as i64 / self.elem_bytes.max(1)).max(1),
            1 => self.wrap,
            ITERATION => self.iterations,
            _ => i64::MAX,
        }
    }

    /// Whether this number of elements is whole words.
    fn whole(self, elements: i64) -> bool {
        elements * self.elem_bytes % WORD_BYTES as i64 == 0
    }
}

impl Pattern {
    /// The first dimension that doesn't fit.
    fn too_large(&self, limits: Limits) -> Option<usize> {
        let repeats = self.strides[ITERATION] == 0;
        (0..DIMS).find(|dim| {
            let free = *dim == ITERATION && repeats;
            self.sizes[*dim] > limits.most(*dim) && !free
        })
    }

    /// Whether the elements of a run follow one another.
    fn is_linear(&self) -> bool {
        let dims = self.sizes.into_iter().zip(self.strides);
        let pattern = AccessPattern::new(WORD_BYTES, dims);
        pattern.inner(ITERATION).is_contiguous()
    }

    /// One size as two, the inner one as large as it can be.
    fn factored(&self, dim: usize, limits: Limits) -> Option<Pattern> {
        let last = ITERATION - 1;
        if dim >= last || self.sizes[last] != 1 {
            return None;
        }
        let size = self.sizes[dim];
        let most = limits.most(dim).min(size);
        let fits = |n: &i64| size % n == 0 && (dim > 0 || limits.whole(*n));
        let inner = (2..=most).rev().find(fits)?;
        let mut new = *self;
        for at in (dim + 2..=last).rev() {
            new.offsets[at] = self.offsets[at - 1];
            new.sizes[at] = self.sizes[at - 1];
            new.strides[at] = self.strides[at - 1];
        }
        new.sizes[dim] = inner;
        new.offsets[dim + 1] = 0;
        new.sizes[dim + 1] = size / inner;
        new.strides[dim + 1] = self.strides[dim].checked_mul(inner)?;
        // The old last dimension is dropped: with a size of 1 and no offset it moves nothing.
        (self.offsets[last] == 0).then_some(new)
    }

    /// Parts that fit, in order; `None` if there would be too many. Dimensions from `kept` on are
    /// gone through by all parts together.
    fn parts(&self, limits: Limits, kept: usize) -> Option<Vec<Pattern>> {
        let mut done = Vec::new();
        let mut todo = vec![*self];
        while let Some(pattern) = todo.pop() {
            if done.len() + todo.len() >= MAX_PARTS {
                return None;
            }
            let Some(dim) = pattern.too_large(limits) else {
                done.push(pattern);
                continue;
            };
            if let Some(factored) = pattern.factored(dim, limits) {
                todo.push(factored);
                continue;
            }
            // Dimensions around the one that is cut are cut into single steps first.
            let around = (dim + 1..kept).rev().find(|at| pattern.sizes[*at] > 1);
            let (dim, most) = match around {
                Some(at) => (at, 1),
                None => (dim, limits.most(dim)),
            };
            let size = pattern.sizes[dim];
            let most = match dim {
                0 => (1..=most).rev().find(|n| limits.whole(*n))?,
                _ => most,
            };
            let count = usize::try_from((size + most - 1) / most).ok()?;
            if count > MAX_PARTS {
                return None;
            }
            for at in (0..count as i64).rev() {
                let mut part = pattern;
                part.offsets[dim] += at * most;
                part.sizes[dim] = most.min(size - at * most);
                todo.push(part);
            }
        }
        Some(done)
    }

    /// A list as the text has it, outermost first.
    fn outermost_first(mut list: [i64; DIMS]) -> [i64; DIMS] {
        list.reverse();
        list
    }
}

struct Divide<'m> {
    module: &'m mut Module,
    model: &'static DeviceModel,
    symbols: &'m SymbolTable,
    sequence: Op,
}

impl Divide<'_> {
    /// A list of constants with four entries, innermost first.
    fn list(&self, op: Op, attr: &str, group: usize) -> Option<[i64; DIMS]> {
        let list: Option<Vec<i64>> = mixed_list(self.module, op, attr, group)?
            .into_iter()
            .rev()
            .collect();
        list?.try_into().ok()
    }

    fn allocation(&self, name: &str) -> Option<(TileLoc, DmaDir)> {
        let allocation = ShimDmaAllocation::cast(self.module, self.symbols.get(name)?)?;
        let dir = allocation.channel_dir(self.module)?;
        Some((allocation.tile_loc(self.module)?, dir))
    }

    /// The pattern of a memcpy, its tile and its direction.
    fn of_memcpy(&self, memcpy: NpuDmaMemcpyNd) -> Option<(Pattern, Limits, TileLoc, DmaDir)> {
        let (module, op) = (&*self.module, memcpy.op());
        let pattern = Pattern {
            offsets: self.list(op, "static_offsets", 1)?,
            sizes: self.list(op, "static_sizes", 2)?,
            strides: self.list(op, "static_strides", 3)?,
        };
        let (tile, dir) = self.allocation(&memcpy.metadata(module))?;
        let elem = element_bytes(module.ty(memcpy.memref(module)?))?;
        let limits = Limits::of(self.model, tile, elem)?;
        Some((pattern, limits, tile, dir))
    }

    fn memcpy(
        &mut self,
        memcpy: NpuDmaMemcpyNd,
        context: &mut PassContext<'_>,
    ) -> Result<(), Reported> {
        let op = memcpy.op();
        let Some((pattern, limits, tile, dir)) = self.of_memcpy(memcpy) else {
            return Ok(());
        };
        if pattern.is_linear() || pattern.too_large(limits).is_none() {
            return Ok(());
        }
        // A pattern that doesn't fit is refused where it is lowered.
        let Some(parts) = pattern.parts(limits, DIMS) else {
            return Ok(());
        };
        let mut ids = self.free_ids(memcpy, tile).into_iter();
        let loc = self.module.derived_loc(context.pass, op);
        let count = parts.len();
        for (at, part) in parts.into_iter().enumerate() {
            let Some(id) = ids.next() else {
                let message = format!(
                    "this transfer becomes {count}, and tile {tile} has no buffer descriptors left"
                );
                let diag = Diag::error(&NO_BD_LEFT, message)
                    .label(self.module.span(op), "this transfer")
                    .help("use a task (`aiex.dma_configure_task_for`), or divide it by hand");
                return Err(context.fail(diag));
            };
            let before = InsertPoint::Before(op);
            let copy = self.module.clone_op(op, &mut ValueMap::new(), before);
            self.module.set_loc(copy, loc);
            self.set_memcpy(NpuDmaMemcpyNd(copy), &part);
            NpuDmaMemcpyNd(copy).edit(self.module).id(id);
            if at + 1 < count && self.module.attr(copy, "issue_token").is_some() {
                NpuDmaMemcpyNd(copy).edit(self.module).issue_token(false);
            }
        }
        if dir == DmaDir::S2mm {
            self.wait_for_all(memcpy, count - 1);
        }
        self.module.erase(op);
        context.count("transfers", count as u64);
        Ok(())
    }

    fn set_memcpy(&mut self, memcpy: NpuDmaMemcpyNd, pattern: &Pattern) {
        let op = memcpy.op();
        let Some(memref) = memcpy.memref(self.module) else {
            return;
        };
        NpuDmaMemcpyNd(op)
            .edit(self.module)
            .static_offsets(Pattern::outermost_first(pattern.offsets))
            .static_sizes(Pattern::outermost_first(pattern.sizes))
            .static_strides(Pattern::outermost_first(pattern.strides));
        self.module.set_operands(op, &[memref]);
        if self.module.attr(op, "operandSegmentSizes").is_some() {
            let sizes = Attr::i32_array([1, 0, 0, 0]);
            self.module.set_attr(op, "operandSegmentSizes", sizes);
        }
    }

    /// The BD of a memcpy, then those that no transfer of the sequence names on its tile.
    fn free_ids(&self, memcpy: NpuDmaMemcpyNd, tile: TileLoc) -> Vec<i64> {
        let module = &*self.module;
        let dma = self.model.tile(tile).and_then(|t| t.dma.as_ref());
        let mut used = FxHashSet::default();
        for other in module.find_all::<NpuDmaMemcpyNd>(self.sequence) {
            let there = self.allocation(&other.metadata(module));
            if there.is_some_and(|(there, _)| there == tile) {
                used.insert(other.id(module));
            }
        }
        for bd in module.find_all::<DmaBd>(self.sequence) {
            used.extend(bd.bd_id(module).map(i64::from));
        }
        let own = memcpy.id(module);
        let free = (0..dma.map_or(0, |dma| i64::from(dma.bds))).filter(|id| !used.contains(id));
        std::iter::once(own).chain(free).collect()
    }

    /// Makes the next wait for a memcpy's channel wait for `more` further tokens.
    fn wait_for_all(&mut self, memcpy: NpuDmaMemcpyNd, more: usize) {
        let name = memcpy.metadata(self.module).to_string();
        let mut at = self.module.next_op(memcpy.op());
        while let Some(op) = at {
            let wait = NpuDmaWait::cast(self.module, op);
            if wait.is_some_and(|wait| *wait.symbol(self.module) == *name) {
                for _ in 0..more {
                    let before = InsertPoint::Before(op);
                    self.module.clone_op(op, &mut ValueMap::new(), before);
                }
                return;
            }
            at = self.module.next_op(op);
        }
    }

    /// The pattern of the only BD of a task.
    fn of_task(&self, bd: DmaBd) -> Option<(Op, Pattern, Limits, i64)> {
        let module = &*self.module;
        let task = module.parent_op(bd.op())?;
        let tile = match module.kind(task) {
            OpKind::DmaConfigureTask => tile_loc(module, DmaConfigureTask(task).tile(module)?)?,
            OpKind::DmaConfigureTaskFor => {
                self.allocation(&DmaConfigureTaskFor(task).alloc(module))?.0
            }
            _ => return None,
        };
        if module.find(task, OpKind::DmaBd).len() != 1 {
            return None;
        }
        let padded = bd
            .pad_dimensions(module)
            .is_some_and(|pads| !pads.is_empty());
        let start = bd.offset_elems(module).filter(|_| !padded)?;
        bd.len_elems(module)?;
        let all = |attr, group| -> Option<Vec<i64>> {
            mixed_list(module, bd.op(), attr, group)?
                .into_iter()
                .collect()
        };
        let (sizes, strides) = (all("static_sizes", 3)?, all("static_strides", 4)?);
        if sizes.is_empty() || sizes.len() > DIMS || sizes.len() != strides.len() {
            return None;
        }
        let mut pattern = Pattern {
            offsets: [0; DIMS],
            sizes: [1; DIMS],
            strides: [0; DIMS],
        };
        for (at, (size, stride)) in sizes.into_iter().zip(strides).rev().enumerate() {
            (pattern.sizes[at], pattern.strides[at]) = (size, stride);
        }
        let elem = element_bytes(module.ty(bd.buffer(module)?))?;
        let limits = Limits::of(self.model, tile, elem)?;
        Some((task, pattern, limits, start))
    }

    fn task(&mut self, bd: DmaBd, context: &mut PassContext<'_>) {
        let Some((task, pattern, limits, start)) = self.of_task(bd) else {
            return;
        };
        if pattern.is_linear() || pattern.too_large(limits).is_none() {
            return;
        }
        let Some(parts) = pattern.parts(limits, ITERATION) else {
            return;
        };
        // A chain needs several numbers, which a pool doesn't give.
        let around = self.module.parent_op(task);
        if parts.len() > 1 && around != Some(self.sequence) {
            return;
        }
        let (Some(block), Some(region)) = (
            self.module.parent_block(bd.op()),
            self.module.region(task, 0),
        ) else {
            return;
        };
        let mut ops = self.module.ops_in(block).into_iter();
        let uses_locks = ops.any(|op| self.module.kind(op) == OpKind::UseLock);
        if parts.len() > 1 && uses_locks {
            return;
        }
        let loc = self.module.derived_loc(context.pass, bd.op());
        context.count("transfers", parts.len() as u64);
        let mut at = block;
        let Some((first, rest)) = parts.split_first() else {
            return;
        };
        for part in rest {
            let next = self.module.add_block(region);
            let (end, inside) = (self.module.last_op(at), InsertPoint::End(next));
            let copy = self.module.clone_op(bd.op(), &mut ValueMap::new(), inside);
            self.module.set_loc(copy, loc);
            DmaBd(copy).edit(self.module).bd_id(NoAttr);
            self.set_bd(copy, part, start, true);
            // The end of the task goes after the last BD.
            if let Some(end) = end {
                NextBd::build(self.module, loc)
                    .successor(next)
                    .insert(InsertPoint::Before(end));
                self.module.move_to(end, InsertPoint::End(next));
            }
            at = next;
        }
        self.set_bd(bd.op(), first, start, !rest.is_empty());
    }

    /// Writes a pattern into a BD; with the length of a part.
    fn set_bd(&mut self, bd: Op, pattern: &Pattern, start: i64, is_part: bool) {
        let Some(buffer) = DmaBd(bd).buffer(self.module) else {
            return;
        };
        let moved = pattern.offsets.iter().zip(pattern.strides);
        let offset = moved.fold(start, |sum, (count, unit)| sum + count * unit);
        let word = |n: i64| i32::try_from(n).unwrap_or(i32::MAX);
        let length = if is_part {
            pattern.sizes.iter().take(ITERATION).product()
        } else {
            DmaBd(bd).len_elems(self.module).unwrap_or(0)
        };
        self.module.set_operands(bd, &[buffer]);
        DmaBd(bd)
            .edit(self.module)
            .static_offset(word(offset))
            .static_len(word(length))
            .static_sizes(Pattern::outermost_first(pattern.sizes))
            .static_strides(Pattern::outermost_first(pattern.strides))
            .segment_sizes([1, 0, 0, 0, 0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: Limits = Limits {
        wrap: 1023,
        iterations: 64,
        elem_bytes: 4,
    };

    fn addresses(pattern: &Pattern) -> Vec<i64> {
        let [s0, s1, s2, s3] = pattern.sizes;
        let mut list = Vec::new();
        for d in 0..s3 {
            for c in 0..s2 {
                for b in 0..s1 {
                    for a in 0..s0 {
                        let at = [a, b, c, d];
                        let terms = at.iter().zip(pattern.offsets).zip(pattern.strides);
                        list.push(
                            terms
                                .map(|((n, offset), stride)| (n + offset) * stride)
                                .sum(),
                        );
                    }
                }
            }
        }
        list
    }

    fn pattern(sizes: [i64; DIMS], strides: [i64; DIMS]) -> Pattern {
        Pattern {
            offsets: [0; DIMS],
            sizes,
            strides,
        }
    }

    #[test]
    fn parts_fit_and_move_the_same_words_in_the_same_order() {
        let whole = [
            pattern([1920, 4, 1, 1], [1, 1921, 0, 0]),
            pattern([2, 1031, 1, 1], [1, 3, 0, 0]),
            pattern([2, 1031, 3, 2], [1, 3, 5000, 20000]),
            pattern([1031, 2, 2, 1], [2, 5000, 20000, 0]),
            pattern([2, 2048, 1, 3], [1, 3, 0, 9000]),
            pattern([2, 3, 5, 70], [1, 3, 16, 100]),
        ];
        for whole in whole {
            let parts = whole.parts(WORDS, DIMS).unwrap_or_default();
            assert!(!parts.is_empty(), "{whole:?}");
            assert!(
                parts.iter().all(|part| part.too_large(WORDS).is_none()),
                "{parts:?}"
            );
            let moved: Vec<i64> = parts.iter().flat_map(addresses).collect();
            assert_eq!(moved, addresses(&whole), "{whole:?}");
        }
    }

    #[test]
    fn bytes_are_cut_at_words() {
        let bytes = Limits {
            elem_bytes: 1,
            ..WORDS
        };
        let whole = pattern([4 * 1031, 2, 2, 1], [1, 5000, 20000, 0]);
        let parts = whole.parts(bytes, DIMS).unwrap_or_default();
        assert!(parts.len() > 1);
        assert!(parts.iter().all(|part| part.sizes[0] % 4 == 0), "{parts:?}");
        let moved: Vec<i64> = parts.iter().flat_map(addresses).collect();
        assert_eq!(moved, addresses(&whole));
    }

    #[test]
    fn too_many_parts_are_left_alone() {
        let whole = pattern([2, 1031, 100, 1], [1, 3, 5000, 0]);
        assert_eq!(whole.parts(WORDS, DIMS), None);
    }
}
