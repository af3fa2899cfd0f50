//! DMA tasks: configure, start, await, free.

use std::collections::VecDeque;

use aiec_aie::ir::{BdDim, BdIteration, Block, Op, PacketInfo};
use aiec_aie::ops::netlist::{BdSlot, chain, operand_group};
use aiec_aie::ops::{
    Buffer, DmaBd, DmaConfigureTask, DmaConfigureTaskFor, ExternalBuffer, OpKind, OpView,
};
use aiec_device::regmap::{BdFields, RegisterRef};
use aiec_device::{ChannelId, TileKind, TileLoc};
use aiec_diag::{Diag, MlirAieReport, Reported};
use rustc_hash::FxHashMap;

use super::codes::*;
use super::scratchpad::length_unit;
use super::task_checks::length_mismatch;
use super::values::KnownValue;
use super::values::{AddressBase, MemoryLocation};
use super::{Lowering, LoweringResult, SEQUENCE_AX_CACHE, channel_name};
use crate::analysis::budget::TileBudget;
use crate::analysis::dma_view::{DmaView, LocalBuffer};
use crate::analysis::transfer::{
    BdError, Transfer, element_bytes, not_constant, set_burst, set_named_bd, set_packet,
};
use crate::regops::RegAction;

/// Holders of BDs that a finding shows.
const SHOWN_OWNERS: usize = 3;

/// A configured task.
pub(super) struct Task {
    channel: ChannelId,
    bds: Vec<u8>,
    repeat: i64,
    token: bool,
    /// Started and not yet awaited.
    running: u32,
    started: bool,
    /// Its BDs are free: it was awaited or freed, or they are needed and it is done.
    freed: bool,
    /// Something freed it by name.
    let_go: bool,
    /// Runs that its starts so far ask for.
    runs: i64,
    /// Waits of the sequence before its last start.
    waits: u64,
    /// Its BDs with an outermost dimension that runs walk, and the runs that walk all of it.
    walked: Vec<(Op, i64)>,
    op: Op,
    /// The device that it is of.
    pub(super) device: Op,
}

/// A task that was pushed.
struct StartedTask {
    /// Its number.
    task: usize,
    /// It sends a token when it is done.
    token: bool,
}

/// Tasks that a channel was given and when they are proven done. A channel ends its tasks in order,
/// first in, first out, so that a token also proves the tasks before its own done.
#[derive(Default)]
pub(super) struct Proofs {
    /// Tasks that were started and aren't proven done.
    running: FxHashMap<ChannelId, VecDeque<StartedTask>>,
    /// Tasks without a token that are done, by tile; their BDs may be free.
    done: FxHashMap<TileLoc, Vec<usize>>,
    /// Tasks that were freed when nothing had been awaited since their start.
    freed_early: Vec<usize>,
    /// Waits so far.
    waits: u64,
    /// A task that was freed early was reported.
    said_early: bool,
}

/// Parts of a task.
pub(super) struct TaskRequest {
    pub(super) channel: ChannelId,
    pub(super) entry: Option<Block>,
    pub(super) repeat: i64,
    pub(super) token: bool,
    pub(super) packet: Option<PacketInfo>,
    /// The headers of the BDs after the first, if each has its own (`interleave`).
    pub(super) interleaved: Vec<Option<PacketInfo>>,
}

impl Lowering<'_> {
    pub(super) fn configure_task(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let mut interleaved = Vec::new();
        let (channel, packet) = if let Some(task) = DmaConfigureTask::cast(module, op) {
            (self.task_channel(op)?, task.packet(module))
        } else {
            let name = DmaConfigureTaskFor(op).alloc(module);
            let (channel, allocation) = self.allocation(&name, op)?;
            interleaved = self.interleaved(DmaConfigureTaskFor(op), channel)?;
            (channel, allocation.packet(module))
        };
        let for_alloc = module.kind(op) == OpKind::DmaConfigureTaskFor;
        let group = usize::from(!for_alloc);
        let repeat = self.optional_operand(op, group, "the repeat count of this task")?;
        let repeat = repeat.or_else(|| module.int_attr(op, "repeat_count"));
        let request = TaskRequest {
            channel,
            entry: module.entry(op, 0),
            repeat: repeat.unwrap_or(0),
            token: module.flag(op, "issue_token"),
            packet,
            interleaved,
        };
        let task = self.new_task(op, request)?;
        if let Some(result) = module.result(op, 0) {
            self.values.set(result, KnownValue::Task(task));
        }
        Ok(())
    }

    fn optional_operand(
        &mut self,
        op: Op,
        group: usize,
        what: &str,
    ) -> LoweringResult<Option<i64>> {
        let operand = operand_group(self.module, op, group).unwrap_or_default();
        let Some(operand) = operand.first().copied() else {
            return Ok(None);
        };
        match self.values.int(self.module, operand) {
            Some(value) => Ok(Some(value)),
            None => self.bd_error(op, not_constant(what)),
        }
    }

    /// Writes the BDs of a task and returns its number.
    pub(super) fn new_task(&mut self, op: Op, request: TaskRequest) -> LoweringResult<usize> {
        let module = self.module;
        self.task_blocks(op, request.entry)?;
        let (slots, next_of_last) = request
            .entry
            .map_or_else(Default::default, |b| chain(module, b));
        if slots.is_empty() {
            let diag = Diag::error(&BAD_TASK, "this task has no buffer descriptor")
                .help("give it an `aie.dma_bd`");
            return self.refuse(op, diag);
        }
        let channel = request.channel;
        if !request.interleaved.is_empty() && request.interleaved.len() + 1 != slots.len() {
            let message = format!(
                "{} BDs for {} interleaved channels",
                slots.len(),
                request.interleaved.len() + 1
            );
            let diag = Diag::error(&BAD_TASK, message)
                .help("give the task a BD for each, in the order of the names");
            return self.refuse(op, diag);
        }
        let ids = self.number_bds(op, channel, &slots)?;
        let mut walked = Vec::new();
        for (at, slot) in slots.iter().enumerate() {
            let next = ids.get(at + 1).or_else(|| ids.get(next_of_last?)).copied();
            let next = self.next_bd(channel, slot, next)?;
            let own = at.checked_sub(1).and_then(|n| request.interleaved.get(n));
            let packet = own.copied().unwrap_or(request.packet);
            let runs = self.walked_by_runs(slot.bd, channel, request.repeat)?;
            walked.extend(runs.map(|runs| (slot.bd.op(), runs)));
            self.task_bd(channel, slot, ids[at], next, packet)?;
        }
        self.tasks.push(Task {
            channel,
            bds: ids,
            repeat: request.repeat,
            token: request.token,
            running: 0,
            started: false,
            freed: false,
            let_go: false,
            runs: 0,
            waits: 0,
            walked,
            op,
            device: self.device,
        });
        Ok(self.tasks.len() - 1)
    }

    /// The runs that walk an outermost dimension that the DMA hasn't. A written length that is that of all of them asks for
    /// them in one start.
    fn walked_by_runs(
        &mut self,
        bd: DmaBd,
        channel: ChannelId,
        repeat: i64,
    ) -> LoweringResult<Option<i64>> {
        let module = self.module;
        let dma = self.model.tile(channel.tile).and_then(|t| t.dma.as_ref());
        let dims = dma.map(|dma| usize::from(dma.bd.dims) + 1);
        if bd.static_sizes(module).map(|sizes| sizes.len()) != dims {
            return Ok(None);
        }
        let ints = |value| self.values.int(module, value);
        // Numbers that aren't known are found with the BD's fields.
        let Ok(transfer) = Transfer::of_bd(module, bd, &ints) else {
            return Ok(None);
        };
        let run = |dims: &[BdDim]| dims.iter().fold(1i64, |n, dim| n.saturating_mul(dim.size));
        let Some((outer, inner)) = transfer.dims.split_first() else {
            return Ok(None);
        };
        let inner = run(inner);
        if outer.size <= 1 {
            return Ok(None);
        }
        let is_whole = bd.static_len(module).is_some() && transfer.length == run(&transfer.dims);
        if !is_whole || repeat.saturating_add(1) >= outer.size {
            return Ok(Some(outer.size));
        }
        let help = format!(
            "write the length of one run, {inner}, and `repeat_count = {} : i32` at the task, which walks the outermost \
             dimension",
            outer.size - 1
        );
        self.refuse(
            bd.op(),
            length_mismatch(module, bd, &transfer, inner).help(help),
        )
    }

    /// A number for each BD: as written, or the lowest free one.
    fn number_bds(
        &mut self,
        op: Op,
        channel: ChannelId,
        slots: &[BdSlot],
    ) -> LoweringResult<Vec<u8>> {
        let mut ids: Vec<Option<u8>> = vec![None; slots.len()];
        // Numbers that are written come first, so that no other BD of the task takes them.
        for (at, slot) in slots.iter().enumerate() {
            let written = slot.bd.bd_id(self.module).map(i64::from);
            let written = match slot.bd.number_value(self.module) {
                Some(value) => match self.values.int(self.module, value) {
                    Some(number) => Some(number),
                    None => {
                        let unknown = not_constant("the number of this buffer descriptor");
                        return self.bd_error(slot.bd.op(), unknown);
                    }
                },
                None => written,
            };
            if let Some(id) = written {
                ids[at] = Some(self.written_bd(channel, slot.bd, id)?);
            }
        }
        let mut list = Vec::with_capacity(slots.len());
        for (id, slot) in ids.into_iter().zip(slots) {
            let id = id.or_else(|| self.pools.free(channel.tile, channel.index));
            let id = id.or_else(|| {
                self.reclaim(channel.tile);
                self.pools.free(channel.tile, channel.index)
            });
            let Some(id) = id else {
                return self.none_left(op, channel);
            };
            self.pools.take(channel.tile, id, slot.bd.op());
            list.push(id);
        }
        Ok(list)
    }

    fn written_bd(&mut self, channel: ChannelId, bd: DmaBd, id: i64) -> LoweringResult<u8> {
        let range = self.pools.range(channel.tile, channel.index);
        let Some(id) = u8::try_from(id).ok().filter(|id| range.contains(id)) else {
            let bd_error = BdError::new(
                format!("{} can't use buffer descriptor {id}", channel_name(channel)),
                format!(
                    "it can use {} to {}; leave `bd_id` out to let the compiler choose",
                    range.start,
                    range.end.saturating_sub(1)
                ),
            );
            return self.bd_error(bd.op(), bd_error);
        };
        if let Some(owner) = self.pools.owner(channel.tile, id) {
            let tile = channel.tile;
            let message = format!("buffer descriptor {id} of tile {tile} is in use");
            let diag = Diag::error(&BAD_BD_ID, message)
                .label(self.module.span(bd.op()), "wanted here")
                .label(self.module.span(owner), "used here")
                .help("await or free that task first, or leave `bd_id` out");
            return self.refuse(bd.op(), diag);
        }
        self.pools.take(channel.tile, id, bd.op());
        Ok(id)
    }

    fn none_left<T>(&mut self, op: Op, channel: ChannelId) -> LoweringResult<T> {
        let range = self.pools.range(channel.tile, channel.index);
        let count = range.len();
        let name = channel_name(channel);
        let message = format!("all {count} buffer descriptors that {name} can use are taken");
        let mut diag = Diag::error(&NO_BD_LEFT, message)
            .label(self.module.span(op), "needed here")
            .help(
                "await or free tasks that are done (`aiex.dma_await_task`, `aiex.dma_free_task`)",
            );
        let owners = |id: &u8| self.pools.owner(channel.tile, *id);
        let sequence = |owner: Op| self.module.ancestor(owner, OpKind::RuntimeSequence);
        let held = range
            .clone()
            .filter_map(|id| owners(&id).and_then(sequence));
        let held = held.count();
        for id in range.take(SHOWN_OWNERS) {
            if let Some(owner) = owners(&id) {
                diag = diag.label(self.module.span(owner), format!("has number {id}"));
            }
        }
        let table = TileBudget::of(self.module, self.device, channel.tile).table();
        let diag = diag.remark(format!(
            "{table}
  tasks    {held} BDs, neither awaited nor freed here"
        ));
        self.refuse(op, diag)
    }

    /// The BD that follows: the next of the chain, or the one that `next_bd_id` names.
    pub(super) fn next_bd(
        &mut self,
        channel: ChannelId,
        slot: &BdSlot,
        next: Option<u8>,
    ) -> LoweringResult<Option<u8>> {
        let op = slot.bd.op();
        let Some(written) = slot.bd.next_bd_id(self.module) else {
            return Ok(next);
        };
        let range = self.pools.range(channel.tile, channel.index);
        let id = u8::try_from(written).ok().filter(|id| range.contains(id));
        let bd_error = match (id, next) {
            (Some(id), None) => return Ok(Some(id)),
            (Some(id), Some(next)) if id == next => return Ok(Some(id)),
            (Some(id), Some(next)) => BdError::new(
                format!("`next_bd_id` names {id}, the chain goes on with {next}"),
                "leave `next_bd_id` out, or end the block with `aie.end`",
            )
            .in_mlir_aie("Cannot specify both next_bd_id attribute and aie.next_bd operation."),
            (None, _) => BdError::new(
                format!(
                    "{} can't use buffer descriptor {written}",
                    channel_name(channel)
                ),
                format!(
                    "it can use {} to {}",
                    range.start,
                    range.end.saturating_sub(1)
                ),
            ),
        };
        self.bd_error(op, bd_error)
    }

    fn task_bd(
        &mut self,
        channel: ChannelId,
        slot: &BdSlot,
        id: u8,
        next: Option<u8>,
        packet: Option<PacketInfo>,
    ) -> LoweringResult {
        let op = slot.bd.op();
        let (kind, packet) = self.task_bd_kind(channel, slot, packet)?;
        let buffer = slot.bd.buffer(self.module);
        let place = self.place(buffer, op)?;
        let element = buffer.and_then(|buffer| element_bytes(self.module.ty(buffer)));
        let updates = self.descriptor_updates(op, channel, element)?;
        let (words, (), reads) = self.words_with_reads(op, &mut |lowering| {
            let mut fields = lowering.task_fields(channel, kind, slot, &place)?;
            let packet = packet.map_or(Ok(()), |packet| set_packet(&mut fields, packet));
            packet
                .and_then(|()| set_named_bd(&mut fields, lowering.module, slot.bd))
                .or_else(|bd_error| lowering.bd_error(op, bd_error))?;
            (fields.use_next, fields.next_bd) = (next.is_some(), next.unwrap_or(0));
            Ok((lowering.bd_words(op, kind, Ok(fields))?, ()))
        })?;
        let what = RegisterRef::BdWord { bd: id, word: 0 };
        let address = self.address(channel.tile, what, op, &format!("buffer descriptor {id}"))?;
        let action = match place.base {
            AddressBase::Argument(argument) => RegAction::PatchedBd {
                address,
                words,
                argument,
            },
            AddressBase::Buffer(_) => RegAction::Block { address, words },
        };
        self.emit_action(op, action);
        self.update_descriptor(op, address, &updates);
        let is_patched = matches!(place.base, AddressBase::Argument(_));
        self.copy_fields(op, (channel, id), is_patched, &reads)
    }

    fn task_fields(
        &mut self,
        channel: ChannelId,
        kind: TileKind,
        slot: &BdSlot,
        place: &MemoryLocation,
    ) -> LoweringResult<BdFields> {
        let module = self.module;
        let op = slot.bd.op();
        let Some(dma) = self.model.tile(channel.tile).and_then(|t| t.dma.as_ref()) else {
            return Err(Reported);
        };
        let read = Transfer::of_bd(module, slot.bd, &|v| self.values.int(module, v));
        let mut transfer = read.or_else(|bd_error| {
            let bd_error = self.task_bd_unknown(kind, slot, bd_error);
            self.bd_error(op, bd_error)
        })?;
        let base = self.base_address(channel, kind, slot.bd, place)?;
        transfer.address = transfer.address.saturating_add(base);
        let written = slot.bd.static_len(module).is_some();
        transfer.outermost_to_iteration(dma.bd.dims.into(), written);
        if let Some(iteration) = self.task_iteration(slot.bd)? {
            // A count without steps is the task's alone.
            transfer.iteration = Some(iteration).filter(|i| i.size > 1 && i.stride != 0);
        }
        let unit = length_unit(module, op);
        // A pattern that grows may say the shape of a unit alone.
        let length = if unit.is_some() && transfer.length == 0 {
            None
        } else {
            self.task_length(slot.bd, &transfer)
        };
        let fields = match unit {
            Some(unit) => {
                self.growing_length(op, transfer.length, transfer.elem_bytes)?;
                transfer.growing_fields(dma, unit)
            }
            None => transfer.fields(dma),
        };
        let fields = fields.and_then(|mut fields| {
            let burst = slot.bd.burst_length(module).unwrap_or(0);
            set_burst(&mut fields, dma, burst.into())?;
            if kind.is_shim() {
                fields.ax_cache = SEQUENCE_AX_CACHE;
            }
            Ok(fields)
        });
        let mut fields = fields.or_else(|bd_error| self.bd_error(op, bd_error))?;
        if let Some(diag) = length {
            return self.refuse(op, diag);
        }
        let view = DmaView::new(self.model, channel.tile, channel.index);
        let values = &self.values;
        let ints = |v| values.int(module, v);
        let locks = view.set_locks(module, slot, &ints, &mut fields);
        locks.or_else(|(at, problem)| self.refuse(op, problem.diag(&BAD_LOCK, module.span(at))))?;
        Ok(fields)
    }

    /// The iteration that a BD of a task has beside its pattern, as it is written.
    fn task_iteration(&mut self, bd: DmaBd) -> LoweringResult<Option<BdIteration>> {
        let module = self.module;
        let Some((size, stride)) = bd.iteration_values(module) else {
            return Ok(bd.iteration(module));
        };
        let ints = |value| self.values.int(module, value);
        match ints(size).zip(ints(stride)) {
            Some((size, stride)) => Ok(Some(BdIteration::new(size, stride))),
            None => self.bd_error(bd.op(), not_constant("the iteration of this transfer")),
        }
    }

    /// First byte of the BD's memory: an offset into an argument, or the address of a buffer.
    fn base_address(
        &mut self,
        channel: ChannelId,
        kind: TileKind,
        bd: DmaBd,
        place: &MemoryLocation,
    ) -> LoweringResult<i64> {
        let (module, op) = (self.module, bd.op());
        match place.base {
            AddressBase::Argument(_) if kind.is_shim() => Ok(place.offset),
            AddressBase::Argument(_) => {
                let message = format!("the DMA of tile {} can't reach host memory", channel.tile);
                let diag = Diag::error(&BAD_MEMORY, message)
                    .help("use a shim tile, or a buffer of the tile");
                self.refuse(op, diag)
            }
            AddressBase::Buffer(memref) => {
                if let Some(external) = ExternalBuffer::of(module, memref) {
                    let address = external.address(module).filter(|_| kind.is_shim());
                    if let Some(address) = address {
                        return Ok(address.saturating_add(place.offset));
                    }
                }
                let view = DmaView::new(self.model, channel.tile, channel.index);
                match LocalBuffer::of(module, memref).and_then(|b| view.local_address(module, b)) {
                    Ok(address) => Ok(address.saturating_add(place.offset)),
                    Err(problem) => {
                        let diag = problem.diag(&BAD_MEMORY, module.span(op));
                        let placed = Buffer::of(module, memref)
                            .is_some_and(|buffer| buffer.address(module).is_some());
                        let text = "Cannot lower buffer without associated address. Run pass \
                                    --aie-assign-buffer-addresses first or manually assign an \
                                    address.";
                        let diag = if placed {
                            diag
                        } else {
                            diag.mlir_aie(MlirAieReport::op(module.op_name(op), text))
                        };
                        self.refuse(op, diag)
                    }
                }
            }
        }
    }

    /// The task that an operand names.
    fn task_of(&mut self, op: Op) -> LoweringResult<usize> {
        let operand = self.module.operand(op, 0);
        match operand.and_then(|v| self.values.get(self.module, v)) {
            Some(KnownValue::Task(task)) => Ok(task),
            _ if operand.is_some_and(|v| self.was_refused(v)) => Err(Reported),
            _ => {
                let diag = Diag::error(&BAD_TASK, "it isn't known which task this is").help(
                    "name the result of `aiex.dma_configure_task` or `aiex.dma_start_bd_chain`",
                );
                self.refuse(op, diag)
            }
        }
    }

    /// A finding about a task and an operation on it.
    fn bad_task(&mut self, op: Op, task: usize, message: &str, help: &str) -> LoweringResult {
        let configured = self.module.span(self.tasks[task].op);
        let diag = Diag::error(&BAD_TASK, message)
            .label(self.module.span(op), "here")
            .label(configured, "the task")
            .help(help);
        self.refuse(op, diag)
    }

    /// Pushes a task. A start may have further runs of its own, and may withhold the task's token.
    pub(super) fn start_task(&mut self, op: Op) -> LoweringResult {
        let task = self.task_of(op)?;
        let written = self.module.int_attr(op, "repeat_count");
        let given = match self.module.operand(op, 1) {
            Some(_) => Some(self.int(op, 1, "the repeat count of this start")?),
            None => None,
        };
        let Task {
            channel,
            repeat,
            token,
            freed,
            ..
        } = self.tasks[task];
        let repeat = given.or(written).unwrap_or(repeat);
        let token = token && !self.module.flag(op, "no_token");
        let Some(head) = self.tasks[task].bds.first().copied() else {
            return Ok(());
        };
        if freed {
            let help = "configure it again, or free it later";
            return self.bad_task(op, task, "this task was freed before", help);
        }
        let is_out_of_order = self.module.flag(self.tasks[task].op, "out_of_order");
        self.set_mode(channel, is_out_of_order, op)?;
        self.enqueue(channel, head.into(), repeat, token, op)?;
        self.tasks[task].started = true;
        self.tasks[task].running += 1;
        let runs = &mut self.tasks[task].runs;
        *runs = runs.saturating_add(repeat.saturating_add(1));
        self.tasks[task].waits = self.proofs.waits;
        let running = self.proofs.running.entry(channel).or_default();
        running.push_back(StartedTask { task, token });
        Ok(())
    }

    /// A token of a channel was taken: its first task with a token is done, and those before it.
    /// Returns the task that sent it.
    fn token_taken(&mut self, channel: ChannelId) -> Option<usize> {
        let queue = self.proofs.running.get_mut(&channel)?;
        while let Some(StartedTask { task, token }) = queue.pop_front() {
            if token {
                return Some(task);
            }
            if self.tasks[task].token {
                // A later start of it sends the token.
                self.tasks[task].running -= 1;
            } else {
                self.proofs.done.entry(channel.tile).or_default().push(task);
            }
        }
        None
    }

    /// A wait for a task took the token of another one, which was started before it: that one is done, not the task
    /// that is awaited.
    fn other_token(&mut self, op: Op, task: usize, first: usize) {
        let channel = self.tasks[task].channel;
        let queue = self.proofs.running.get(&channel);
        if queue.is_none_or(|queue| queue.iter().all(|started| started.task != first)) {
            self.release(first);
        }
        if self.reported.insert(op) {
            let module = self.module;
            let name = channel_name(channel);
            let message =
                format!("this takes the token of another task: {name} was given that one before");
            let diag = Diag::warning(&OTHER_TOKEN, message)
                .label(module.span(op), "goes on when the first task is done")
                .label(module.span(self.tasks[task].op), "awaited here")
                .label(module.span(self.tasks[first].op), "its token comes first")
                .help("await the tasks of a channel in the order in which they were started, or give only the last one `issue_token`");
            self.diags.push(diag);
        }
    }

    /// Frees the BDs of tasks on a tile that are done and that nothing names any more: those that
    /// are started once, where they are configured.
    fn reclaim(&mut self, tile: TileLoc) {
        self.release_early();
        for task in self.proofs.done.remove(&tile).unwrap_or_default() {
            let op = self.tasks[task].op;
            let here = self.module.parent_block(op);
            let started_here = |user: &Op| {
                self.module.kind(*user) == OpKind::DmaStartTask
                    && self.module.parent_block(*user) == here
            };
            let result = self.module.result(op, 0);
            let once = result.is_some_and(
                |value| matches!(self.module.users(value).as_slice(), [user] if started_here(user)),
            );
            if once {
                self.release(task);
            }
        }
    }

    pub(super) fn await_task(&mut self, op: Op) -> LoweringResult {
        let task = self.task_of(op)?;
        let Task {
            channel,
            token,
            running,
            started,
            ..
        } = self.tasks[task];
        if !token {
            let help = "give it `issue_token = true` where it is configured";
            return self.bad_task(op, task, "this task sends no token to wait for", help);
        }
        let queue = self.proofs.running.get(&channel).into_iter().flatten();
        let mut own = queue.filter(|started| started.task == task).peekable();
        if own.peek().is_some() && own.all(|started| !started.token) {
            let help = "leave out `no_token` at the start that is awaited";
            let message = "no start of this task that isn't awaited yet sends its token";
            return self.bad_task(op, task, message, help);
        }
        if running == 0 {
            if started {
                let help = "await it once for each start";
                return self.bad_task(op, task, "this task was awaited before", help);
            }
            let help = "start it with `aiex.dma_start_task`";
            return self.bad_task(op, task, "this task was never started", help);
        }
        self.need_token(channel, op, true)?;
        self.wait(channel, 1, op);
        let sender = self.token_taken(channel).unwrap_or(task);
        self.tasks[task].running -= 1;
        if sender != task {
            self.other_token(op, task, sender);
        } else if self.tasks[task].running == 0 {
            self.release(task);
        }
        Ok(())
    }

    pub(super) fn free_task(&mut self, op: Op) -> LoweringResult {
        let task = self.task_of(op)?;
        // Freeing what is done and awaited is a habit that does no harm.
        if std::mem::replace(&mut self.tasks[task].let_go, true) {
            let message = "the buffer descriptors of this task are free";
            return self.bad_task(op, task, message, "free it once");
        }
        let Task { running, waits, .. } = self.tasks[task];
        if running > 0 && waits == self.proofs.waits {
            self.say_early(op, task);
            self.proofs.freed_early.push(task);
            return Ok(());
        }
        self.release(task);
        Ok(())
    }

    /// Warns of the first task that is freed before anything was awaited. Its BDs are kept until something is, or until
    /// they are needed, so that they aren't written while it may use them.
    fn say_early(&mut self, op: Op, task: usize) {
        if std::mem::replace(&mut self.proofs.said_early, true) {
            return;
        }
        let module = self.module;
        let message = "`aiex.dma_free_task` frees a task that may still run: nothing was awaited since it was started";
        let diag = Diag::warning(&BAD_TASK, message)
            .label(module.span(op), "freed here")
            .label(module.span(self.tasks[task].op), "the task")
            .help(
                "await it before, or a task whose token shows that it is done (`aiex.dma_await_task`)",
            );
        self.diags.push(diag);
    }

    /// Warns of patterns of which the starts of their task walk a part.
    pub(super) fn warn_of_unwalked(&mut self) {
        let module = self.module;
        for task in &self.tasks {
            let runs = task.runs;
            for (bd, wanted) in &task.walked {
                // Copies of an unrolled loop are one place of the text.
                if !(1..*wanted).contains(&runs) || !self.reported.insert(*bd) {
                    continue;
                }
                let message = format!(
                    "the outermost dimension of {wanted} is walked by the task's runs, and there are {runs}"
                );
                let diag = Diag::warning(&BAD_TRANSFER, message)
                    .label(module.span(*bd), "this transfer")
                    .label(module.span(task.op), "the task")
                    .help(format!(
                        "write `repeat_count = {} : i32` at the task",
                        wanted - 1
                    ));
                self.diags.push(diag);
            }
        }
    }

    /// The sequence has waited for a token.
    pub(super) fn waited(&mut self) {
        self.proofs.waits += 1;
        self.release_early();
    }

    fn release_early(&mut self) {
        for task in std::mem::take(&mut self.proofs.freed_early) {
            self.release(task);
        }
    }

    fn release(&mut self, task: usize) {
        let Task { channel, freed, .. } = self.tasks[task];
        if freed {
            return;
        }
        for id in std::mem::take(&mut self.tasks[task].bds) {
            self.pools.give_back(channel.tile, id);
        }
        self.tasks[task].freed = true;
    }
}
