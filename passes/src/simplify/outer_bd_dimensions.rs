//! `aie-lower-outer-bd-dimensions`: BDs of DMA programs with one dimension more than the tile's DMA
//! has. The outermost is a repeat: the DMA repeats the inner ones, each time a stride further.
//!
//! A BD without locks that is all of its channel's chain gets the BD's own iteration, and a chain
//! that ends a repeat count for it (AM020, AM025: `Iteration_*` of the BD registers, `Repeat_Count`
//! of the task queues). An iteration takes and gives locks in each run, so a BD with locks, and one
//! among others, becomes a chain of BDs: the first one acquires, the last one releases.

use aiec_aie::ir::{BdDim, BdIteration, InsertPoint, Module, Op, PacketInfo, Value, ValueMap};
use aiec_aie::ops::netlist::{BdSlot, DmaChannel, dma_channels};
use aiec_aie::ops::{Device, DmaBd, DmaStart, NextBd, OpView, UseLock};
use aiec_device::DmaModel;
use aiec_diag::{Diag, Reported, codes, internal};
use rustc_hash::FxHashMap;

use crate::analysis::budget::{dma_containers, tile_of_op};
use crate::analysis::transfer::packet_of_bd;
use crate::infra::pass::{PassContext, PassDef};

codes! {
    /// Codes of `aie-lower-outer-bd-dimensions`.
    pub static CODES;
    OUTER_DIMENSION = "bd::outer-dimension",
        "A BD of a DMA program has one dimension more than the DMA of its tile, and the outermost \
         can't be a repeat: the runs would be packets of their own, more than the tile has BDs, or \
         the length isn't that of the pattern. Move the outermost dimension to a `repeat_count` or \
         `iteration`, or write a chain of BDs.";
}

/// Further runs that an entry of a task queue can ask for (AM020: `Repeat_Count`, 8 bits).
const MAX_FURTHER_RUNS: i64 = 255;

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-lower-outer-bd-dimensions", run)
    .summary("Make the dimension that BDs of DMA programs have too many a repeat")
    .postconditions(&["no BD of a DMA program has more dimensions than its tile's DMA"]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    let mut result = Ok(());
    for container in dma_containers(module, device) {
        let tile = tile_of_op(module, container).and_then(|loc| model.tile(loc));
        let Some(dma) = tile.and_then(|tile| tile.dma.as_ref()) else {
            continue;
        };
        let channels = dma_channels(module, container);
        let mut users: FxHashMap<Op, usize> = FxHashMap::default();
        for slot in channels.iter().flat_map(|channel| &channel.bds) {
            *users.entry(slot.bd.op()).or_default() += 1;
        }
        for channel in &channels {
            for slot in &channel.bds {
                let Some(repeat) = OuterRepeat::of(module, slot.bd, dma) else {
                    continue;
                };
                let alone = channel.bds.len() == 1 && users.get(&slot.bd.op()) == Some(&1);
                match repeat.lower(module, channel, slot, dma, alone, context) {
                    Ok(()) => context.count("dimensions", 1),
                    Err(diag) => result = Err(context.fail(*diag)),
                }
            }
        }
    }
    result
}

/// A pattern whose outermost dimension is one too many.
struct OuterRepeat {
    outer: BdDim,
    inner: Vec<BdDim>,
    /// Elements of the inner dimensions, and of all.
    run: i64,
    whole: i64,
}

impl OuterRepeat {
    fn of(module: &Module, bd: DmaBd, dma: &DmaModel) -> Option<OuterRepeat> {
        let dims = bd.dims(module)?;
        let (outer, inner) = dims.split_first()?;
        if inner.len() != usize::from(dma.bd.dims) {
            return None;
        }
        let run = inner
            .iter()
            .try_fold(1i64, |n, dim| n.checked_mul(dim.size))?;
        Some(OuterRepeat {
            outer: *outer,
            inner: inner.to_vec(),
            run,
            whole: run.checked_mul(outer.size)?,
        })
    }

    fn lower(
        &self,
        module: &mut Module,
        channel: &DmaChannel,
        slot: &BdSlot,
        dma: &DmaModel,
        alone: bool,
        context: &mut PassContext<'_>,
    ) -> Result<(), Box<Diag>> {
        self.check(module, slot)?;
        let runs = self.outer.size;
        if runs == 1 {
            self.shorten(module, slot.bd);
            return Ok(());
        }
        let start = DmaStart::cast(module, channel.op);
        let unlocked = slot.acquire.is_none() && slot.release.is_none();
        let further = (i64::from(channel.repeat_count) + 1).saturating_mul(runs) - 1;
        let ring = channel.next_of_last.is_some();
        if let Some(start) = start.filter(|_| alone && unlocked)
            && (self.outer.stride == 0 || runs <= i64::from(dma.bd.max_iterations()))
            && (ring || further <= MAX_FURTHER_RUNS)
        {
            self.shorten(module, slot.bd);
            if self.outer.stride != 0 {
                let iteration = BdIteration::new(runs, self.outer.stride);
                slot.bd.edit(module).iteration(iteration);
            }
            if !ring {
                start.edit(module).repeat_count(further as i32);
            }
            return Ok(());
        }
        if start.is_none() {
            let help = "write the program with `aie.dma_start` and blocks, or a chain of BDs";
            return Err(refusal(module, slot.bd, self.say(runs), help));
        }
        if runs > i64::from(dma.bds) {
            let message = format!("{}, more than the tile has", self.say(runs));
            let help =
                "use a `repeat_count` or `iteration`, for which the locks are taken in each run";
            return Err(refusal(module, slot.bd, message, help));
        }
        self.unroll(module, slot, context)
    }

    fn say(&self, runs: i64) -> String {
        format!("the outermost dimension would take a chain of {runs} BDs")
    }

    /// Refuses patterns that no lowering supports.
    fn check(&self, module: &Module, slot: &BdSlot) -> Result<(), Box<Diag>> {
        let bd = slot.bd;
        let refuse = |message: &str, help: &str| Err(refusal(module, bd, message.into(), help));
        let length = bd.len_elems(module);
        if length.is_some_and(|n| n != self.whole && n != self.run) {
            let message = format!(
                "a length of {} elements with a pattern of {} runs of {}",
                length.unwrap_or(0),
                self.outer.size,
                self.run
            );
            let help = format!("transfer {} elements, or leave the length out", self.whole);
            return Err(refusal(module, bd, message, &help));
        }
        if bd.iteration(module).is_some() {
            return refuse(
                "both an iteration and a dimension that would become one",
                "leave one of them out",
            );
        }
        let packet: Option<PacketInfo> = packet_of_bd(module, bd, slot.block);
        if packet.is_some() {
            return refuse(
                "each run of the outermost dimension would be a packet of its own",
                "leave the header out, or merge dimensions that are contiguous",
            );
        }
        let pads = bd.pad_dimensions(module).unwrap_or_default();
        if pads.first().is_some_and(|p| p.before != 0 || p.after != 0) {
            return refuse(
                "the outermost dimension is padded, but the DMA doesn't have it",
                "pad inner dimensions only",
            );
        }
        Ok(())
    }

    /// Leaves the inner dimensions and their length.
    fn shorten(&self, module: &mut Module, bd: DmaBd) {
        let op = bd.op();
        for group in ["len", "sizes", "strides"] {
            module.set_operand_group(op, group, &[]);
        }
        let pads = bd.pad_dimensions(module);
        let edit = bd.edit(module);
        edit.static_len(self.run as i32)
            .static_sizes(self.inner.iter().map(|dim| dim.size).collect::<Vec<_>>())
            .static_strides(self.inner.iter().map(|dim| dim.stride).collect::<Vec<_>>());
        if let Some(pads) = pads.filter(|pads| !pads.is_empty()) {
            bd.edit(module).pad_dimensions(pads[1..].to_vec());
        }
    }

    /// One BD for each run; the first one has the number and waits, the last one releases and goes on as the BD did.
    fn unroll(
        &self,
        module: &mut Module,
        slot: &BdSlot,
        context: &mut PassContext<'_>,
    ) -> Result<(), Box<Diag>> {
        let bd = slot.bd;
        let region = module.parent_op(bd.op());
        let region = region.and_then(|program| module.region(program, 0));
        let (Some(region), Some(terminator)) = (region, module.last_op(slot.block)) else {
            return Err(Box::new(internal!("a BD outside of a DMA program").into()));
        };
        self.shorten(module, bd);
        let offset = bd.offset_elems(module).unwrap_or(0);
        let linked = bd.next_bd_id(module);
        module.remove_attr(bd.op(), "next_bd_id");
        let blocks = module.blocks_of(region);
        let here = blocks.iter().position(|block| *block == slot.block);
        let (mut block, mut last) = (slot.block, bd);
        for (n, run) in (1..self.outer.size).enumerate() {
            let next = module.insert_block(region, here.unwrap_or(0) + 1 + n);
            let copy = module.clone_op(bd.op(), &mut ValueMap::new(), InsertPoint::End(next));
            last = DmaBd(copy);
            let start = offset.saturating_add(run.saturating_mul(self.outer.stride));
            set_offset(module, last, start);
            module.remove_attr(copy, "bd_id");
            let loc = module.derived_loc(context.pass, bd.op());
            NextBd::build(module, loc)
                .successor(next)
                .insert(InsertPoint::End(block));
            block = next;
        }
        module.move_to(terminator, InsertPoint::End(block));
        last.edit(module).next_bd_id(linked);
        if let Some(release) = slot.release.map(UseLock::op) {
            move_in_front(module, release, terminator);
        }
        Ok(())
    }
}

/// Moves a release in front of the link of the last block, with the constants that it uses.
fn move_in_front(module: &mut Module, release: Op, next: Op) {
    let from = module.parent_block(release);
    let values: Vec<Value> = module.operands(release).collect();
    for value in values {
        let source = module.def_op(value);
        if let Some(source) = source.filter(|op| module.parent_block(*op) == from) {
            module.move_to(source, InsertPoint::Before(next));
        }
    }
    module.move_to(release, InsertPoint::Before(next));
}

fn set_offset(module: &mut Module, bd: DmaBd, offset: i64) {
    let op = bd.op();
    module.set_operand_group(op, "offset", &[]);
    bd.edit(module).static_offset(offset as i32);
}

fn refusal(module: &Module, bd: DmaBd, message: String, help: &str) -> Box<Diag> {
    let diag = Diag::error(&OUTER_DIMENSION, message)
        .label(module.span(bd.op()), "this BD")
        .help(help);
    Box::new(diag)
}
