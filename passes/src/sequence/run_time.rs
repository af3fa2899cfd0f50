//! Operations with numbers that are known at run time only, for passes that lower a sequence
//! operation by operation: what of them is known, so that the pass can write the rest as
//! arithmetic of the sequence.
//!
//! A compilation has no use for it: control code must know its numbers, except for words that
//! controllers read ([`super::values`]).

use aiec_aie::ir::{Block, Module, Op, PacketInfo, Type, Value, ValueDef};
use aiec_aie::ops::netlist::{BdSlot, chain};
use aiec_aie::ops::{DmaConfigureTask, NpuDmaMemcpyNd, OpKind, OpView};
use aiec_device::regmap::BdFields;
use aiec_device::{ChannelId, TileKind};
use aiec_diag::{Diag, Diags, Reported};

use super::codes::{BAD_MEMORY, BAD_TASK};
use super::values::AddressBase;
use super::values::KnownValue;
use super::{Lowering, LoweringResult, SEQUENCE_AX_CACHE};
use crate::analysis::dma_view::DmaView;
use crate::analysis::transfer::{BdError, set_burst, set_named_bd, set_packet};
use crate::regops::RegOp;

/// Operands of `scf.for` in front of what it carries.
const LOOP_BOUNDS: usize = 3;

/// Lowered form of an operation.
pub(crate) enum RunTimeLowering {
    /// Register operations: everything is known.
    Now(Vec<RegOp>),
    /// Something is known at run time only.
    AtRunTime(AtRunTime),
}

/// Known facts about an operation.
pub(crate) enum AtRunTime {
    /// `aiex.npu.dma_memcpy_nd`.
    Memcpy {
        channel: ChannelId,
        bd: u8,
        memory: HostMemory,
        /// The fields that aren't of the pattern.
        fields: BdFields,
    },
    /// `aiex.dma_configure_task`.
    Task {
        channel: ChannelId,
        bds: Vec<TaskBd>,
    },
    /// `aiex.dma_start_task` of a task whose numbers are known at run time.
    Start { task: Op },
    /// `aiex.dma_await_task` of such a task, or of one that a loop or branch gives.
    Await { channel: ChannelId },
    /// `aiex.dma_free_task` of such a task.
    Free,
    /// `aiex.npu.push_queue`.
    Push { channel: ChannelId, token: bool },
    /// A write of a 32-bit word at an address.
    Write { address: u32 },
}

/// A part of an argument.
pub(crate) struct HostMemory {
    pub(crate) argument: u32,
    /// Bytes from its start.
    pub(crate) offset: i64,
}

/// A BD of a task.
pub(crate) struct TaskBd {
    pub(crate) slot: BdSlot,
    pub(crate) memory: HostMemory,
    /// The fields that aren't of the pattern; of the number of the BD that follows, 0 where `next` is it.
    pub(crate) fields: BdFields,
    /// The number of the BD that follows, where it is known at run time only.
    pub(crate) next: Option<Value>,
}

/// The operations of a sequence that a pass lowers, in textual order, and what they become. What
/// later operations change of earlier ones (address patches) isn't followed; loops and branches
/// aren't executed, their numbers are known at run time only.
pub(crate) fn ops_by_operation(
    module: &Module,
    sequence: Op,
    lowered: &dyn Fn(OpKind) -> bool,
    diags: &mut Diags,
) -> Result<Vec<(Op, RunTimeLowering)>, Reported> {
    let Some(mut lowering) = Lowering::new(module, sequence, diags)? else {
        return Ok(Vec::new());
    };
    lowering.by_name = true;
    let mut list = Vec::new();
    if let Some(body) = module.entry(sequence, 0) {
        lowering.by_operation(body, false, lowered, &mut list);
    }
    diags.check()?;
    Ok(list)
}

/// Whether an operation isn't a matter of transfers: it stays for other passes.
fn is_of_no_transfer(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(
        kind,
        K::NpuPreempt
            | K::NpuLoadPdi
            | K::NpuWriteConfig
            | K::NpuReadReg
            | K::NpuCreateScratchpad
            | K::NpuUpdateFromScratchpad
            | K::SyncScratchpadParametersFromHost
            | K::ControlPacket
            | K::Configure
            | K::Run
            | K::SetLock
            | K::CoreReset
            | K::DmaChannelReset
            | K::DmaChannelResetFor
    )
}

impl Lowering<'_> {
    fn by_operation(
        &mut self,
        block: Block,
        nested: bool,
        lowered: &dyn Fn(OpKind) -> bool,
        list: &mut Vec<(Op, RunTimeLowering)>,
    ) {
        use OpKind as K;
        for op in self.module.ops_in(block) {
            let kind = self.module.kind(op);
            if matches!(kind, K::ScfFor | K::ScfIf | K::ScfWhile) {
                self.tokens.leave_open();
                let regions = self.module.regions_of(op).to_vec();
                for region in regions {
                    for block in self.module.blocks_of(region).to_vec() {
                        self.by_operation(block, true, lowered, list);
                    }
                }
                continue;
            }
            if is_of_no_transfer(kind) {
                continue;
            }
            // A refused operation is reported; the rest is tried for more findings.
            let made = if self.is_at_run_time(op) {
                if kind != K::NpuSync {
                    self.tokens.leave_open();
                }
                self.at_run_time(op)
                    .map(|found| found.map(RunTimeLowering::AtRunTime))
            } else {
                let before = self.ops.len();
                let done = self.run_op(op);
                let made = self.ops.get(before..).unwrap_or_default().to_vec();
                done.map(|()| Some(RunTimeLowering::Now(made)))
            };
            if let Ok(Some(made)) = made
                && lowered(kind)
            {
                list.push((op, made));
            }
            if nested {
                // The next round of a loop finds channels as it left them.
                self.controllers.clear();
            }
        }
    }

    /// Whether an operation can't be executed here: numbers of it aren't known, or it only means
    /// something to later passes.
    fn is_at_run_time(&self, op: Op) -> bool {
        use OpKind as K;
        let m = self.module;
        match m.kind(op) {
            K::NpuSync | K::MemrefLoad | K::DmaBdPoolPop | K::DmaBdPoolPush => true,
            K::CfAssert | K::NpuRequire => true,
            K::DmaStartTask | K::DmaAwaitTask | K::DmaFreeTask => {
                let task = m.operand(op, 0).and_then(|task| self.values.get(m, task));
                let configured = m
                    .operand(op, 0)
                    .and_then(|task| m.def_op(task))
                    .is_some_and(|def| m.kind(def) == K::DmaConfigureTask && self.unknown(def));
                let carried = m.operand(op, 0).is_some_and(|task| {
                    m.def_op(task)
                        .is_none_or(|def| matches!(m.kind(def), K::ScfFor | K::ScfIf | K::ScfWhile))
                });
                configured || (carried && !matches!(task, Some(KnownValue::Task(_))))
            }
            K::NpuDmaMemcpyNd
            | K::DmaConfigureTask
            | K::NpuPushQueue
            | K::NpuRtpWrite
            | K::NpuWrite32
            | K::NpuMaskWrite32
            | K::NpuMaskPoll
            | K::NpuAddressPatch
            | K::NpuAssertBdField
            | K::NpuAssertBdDivisible => self.unknown(op),
            _ => false,
        }
    }

    /// Whether an operation, or one in it, has an integer that isn't known.
    fn unknown(&self, op: Op) -> bool {
        let m = self.module;
        let is_number = |value: &Value| *m.ty(*value) == Type::Index || m.ty(*value).is_int();
        // Handles of tiles, locks and tasks are of type `index` too.
        let is_handle = |value: &Value| {
            m.def_op(*value).is_some_and(|def| {
                matches!(
                    m.kind(def),
                    OpKind::Tile | OpKind::LogicalTile | OpKind::Lock | OpKind::DmaConfigureTask
                )
            })
        };
        m.walk(op).any(|op| {
            m.operands(op)
                .filter(|value| is_number(value) && !is_handle(value))
                .any(|value| self.values.int(m, value).is_none())
        })
    }

    /// Lowers an operation that depends on run-time values; `None` if it stays as it is.
    fn at_run_time(&mut self, op: Op) -> LoweringResult<Option<AtRunTime>> {
        use OpKind as K;
        Ok(Some(match self.module.kind(op) {
            K::NpuDmaMemcpyNd => self.run_time_memcpy(op)?,
            K::DmaConfigureTask => self.run_time_task(op)?,
            K::DmaStartTask => {
                let task = self.module.operand(op, 0);
                let task = task.and_then(|task| self.module.def_op(task));
                let task = task.filter(|task| self.module.kind(*task) == K::DmaConfigureTask);
                let Some(task) = task else {
                    let diag = Diag::error(&BAD_TASK, "it isn't known which task this starts")
                        .help("start a task where it is configured, in the same loop or branch");
                    return self.refuse(op, diag);
                };
                AtRunTime::Start { task }
            }
            K::DmaAwaitTask => {
                let task = self.module.operand(op, 0);
                let Some(task) = task.and_then(|task| self.task_behind(task)) else {
                    let message = "it isn't known for which channel this waits";
                    let help = "await a task where it is configured, or let all tasks that a \
                                loop or branch gives be of one channel";
                    return self.refuse(op, Diag::error(&BAD_TASK, message).help(help));
                };
                let channel = self.task_channel(task)?;
                AtRunTime::Await { channel }
            }
            K::DmaFreeTask => AtRunTime::Free,
            K::NpuPushQueue => {
                let (channel, token) = self.pushed_channel(op)?;
                AtRunTime::Push { channel, token }
            }
            K::NpuRtpWrite => AtRunTime::Write {
                address: self.rtp_address(op)?,
            },
            K::NpuWrite32 | K::NpuMaskWrite32 | K::NpuMaskPoll => {
                let address = self.module.operand(op, 0);
                let Some(address) = address.and_then(|a| self.values.int(self.module, a)) else {
                    return Ok(None);
                };
                let address = self.absolute(op, address, 1)?;
                AtRunTime::Write { address }
            }
            _ => return Ok(None),
        }))
    }

    fn run_time_memcpy(&mut self, op: Op) -> LoweringResult<AtRunTime> {
        let m = self.module;
        let memcpy = NpuDmaMemcpyNd(op);
        self.no_scratchpad_term(op)?;
        let (channel, allocation) = self.allocation(&memcpy.metadata(m), op)?;
        let memory = self.host_memory(memcpy.memref(m), op)?;
        self.no_pads(op)?;
        let bd = self.memcpy_bd(op, memcpy.id(m), &channel)?;
        let packet = memcpy.packet(m);
        let packet = packet.or_else(|| allocation.packet(m));
        let burst = memcpy.burst_length(m).unwrap_or(0);
        let fields = self.shim_fields(op, channel, packet, burst)?;
        Ok(AtRunTime::Memcpy {
            channel,
            bd,
            memory,
            fields,
        })
    }

    fn run_time_task(&mut self, op: Op) -> LoweringResult<AtRunTime> {
        let m = self.module;
        let channel = self.task_channel(op)?;
        let packet = DmaConfigureTask(op).packet(m);
        let entry = m.entry(op, 0);
        self.task_blocks(op, entry)?;
        let (slots, next_of_last) = entry.map_or_else(Default::default, |b| chain(m, b));
        let mut bds: Vec<TaskBd> = Vec::with_capacity(slots.len());
        for (at, slot) in slots.iter().enumerate() {
            let bd = slot.bd.op();
            self.no_scratchpad_term(bd)?;
            let (kind, packet) = self.task_bd_kind(channel, slot, packet)?;
            if kind != TileKind::ShimNoc {
                let message = "a buffer descriptor whose numbers are known at run time only must \
                               be of a shim tile";
                let help = "use constants here: only shim tiles move arguments of the sequence";
                let bd_error = self.task_bd_unknown(kind, slot, BdError::new(message, help));
                return self.bd_error(bd, bd_error);
            }
            let memory = self.host_memory(slot.bd.buffer(m), bd)?;
            let burst = slot.bd.burst_length(m).unwrap_or(0);
            let mut fields = self.shim_fields(bd, channel, packet, burst.into())?;
            let named = set_named_bd(&mut fields, m, slot.bd);
            named.or_else(|bd_error| self.bd_error(bd, bd_error))?;
            let number = |slot: &BdSlot| slot.bd.bd_id(m).and_then(|id| u8::try_from(id).ok());
            let follower = slots.get(at + 1).or_else(|| slots.get(next_of_last?));
            let next_value = follower.and_then(|slot| slot.bd.number_value(m));
            let next = follower.and_then(number);
            if follower.is_some() && next.is_none() && next_value.is_none() {
                let message = "the number of the buffer descriptor that follows isn't known";
                let help = "give it a `bd_id`, or a number from a pool (`bd_id_val`)";
                return self.refuse(bd, Diag::error(&BAD_TASK, message).help(help));
            }
            let next = self.next_bd(channel, slot, next)?;
            let current = slot.bd.iteration(m).map(|iteration| iteration.current);
            fields.iteration_current = current.and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
            fields.use_next = next.is_some() || next_value.is_some();
            fields.next_bd = next.unwrap_or(0);
            let values = &self.values;
            let ints = |v| values.int(m, v);
            let view = DmaView::new(self.model, channel.tile, channel.index);
            if let Err((at, problem)) = view.set_locks(m, slot, &ints, &mut fields) {
                let diag = problem.diag(&super::codes::BAD_LOCK, m.span(at));
                return self.refuse(bd, diag);
            }
            bds.push(TaskBd {
                slot: *slot,
                memory,
                fields,
                next: next_value,
            });
        }
        Ok(AtRunTime::Task { channel, bds })
    }

    /// The fields of a shim BD that don't depend on its pattern.
    fn shim_fields(
        &mut self,
        op: Op,
        channel: ChannelId,
        packet: Option<PacketInfo>,
        burst: i64,
    ) -> LoweringResult<BdFields> {
        let mut fields = BdFields {
            valid: true,
            ax_cache: SEQUENCE_AX_CACHE,
            ..BdFields::default()
        };
        let packet = packet.map_or(Ok(()), |packet| set_packet(&mut fields, packet));
        packet.or_else(|bd_error| self.bd_error(op, bd_error))?;
        let dma = self.model.tile(channel.tile).and_then(|t| t.dma.as_ref());
        let burst = dma.map_or(Ok(()), |dma| set_burst(&mut fields, dma, burst));
        burst.or_else(|bd_error| self.bd_error(op, bd_error))?;
        Ok(fields)
    }

    /// The part of an argument that a memref is.
    fn host_memory(&mut self, memref: Option<Value>, op: Op) -> LoweringResult<HostMemory> {
        let place = self.place(memref, op)?;
        let AddressBase::Argument(argument) = place.base else {
            let message = "a transfer whose numbers are known at run time only must be of an \
                           argument of the sequence";
            let help = "use constants for transfers of the array's buffers";
            return self.refuse(op, Diag::error(&BAD_MEMORY, message).help(help));
        };
        let offset = place.offset;
        Ok(HostMemory { argument, offset })
    }

    pub(super) fn task_channel(&mut self, task: Op) -> LoweringResult<ChannelId> {
        let tile = self.tile_operand(task, 0)?;
        let task = DmaConfigureTask(task);
        let number = task.channel(self.module).into();
        self.channel(tile, task.direction(self.module), number, task.op())
    }

    /// The task that a handle is; for a handle that a loop or branch gives one of those that it
    /// may be, if all are of one channel.
    fn task_behind(&self, handle: Value) -> Option<Op> {
        let m = self.module;
        let mut found: Option<Op> = None;
        let mut seen: Vec<Value> = Vec::new();
        let mut todo = vec![handle];
        let channel = |task: Op| {
            let task = DmaConfigureTask(task);
            (task.tile(m), task.direction(m), task.channel(m))
        };
        while let Some(value) = todo.pop() {
            if seen.contains(&value) {
                continue;
            }
            seen.push(value);
            if let Some(task) = m.def_op(value).and_then(|op| DmaConfigureTask::cast(m, op)) {
                if found.is_some_and(|other| channel(other) != channel(task.op())) {
                    return None;
                }
                found = Some(task.op());
                continue;
            }
            let sources = self.carried_from(value);
            if sources.is_empty() {
                return None;
            }
            todo.extend(sources);
        }
        found
    }

    /// The values that a value of a loop or branch may be.
    fn carried_from(&self, value: Value) -> Vec<Value> {
        let m = self.module;
        let (around, at) = match m.def(value) {
            ValueDef::Result(op, index) => (Some(op), index as usize),
            // The first argument of a loop's body is its counter.
            ValueDef::Argument(block, index) => {
                let parent = m.block_parent(block);
                match (parent, (index as usize).checked_sub(1)) {
                    (parent, Some(at)) => (parent, at),
                    (_, None) => return Vec::new(),
                }
            }
        };
        let Some(around) = around else {
            return Vec::new();
        };
        let kind = m.kind(around);
        if !matches!(kind, OpKind::ScfFor | OpKind::ScfIf) {
            return Vec::new();
        }
        let blocks = (0..m.regions_of(around).len()).filter_map(|n| m.entry(around, n));
        let yields = blocks.filter_map(|block| m.last_op(block));
        let mut sources: Vec<Value> = yields.filter_map(|op| m.operand(op, at)).collect();
        if kind == OpKind::ScfFor {
            sources.extend(m.operand(around, LOOP_BOUNDS + at));
        }
        sources
    }
}
