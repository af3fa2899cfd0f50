//! `aie-dma-tasks-to-npu`: tasks become BD writes, queue pushes and waits
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEDMATasksToNPU.cpp`):
//!
//! | operation | becomes |
//! | --- | --- |
//! | `aiex.dma_configure_task` | for each BD `aiex.npu.writebd`, and what sets its address: `aiex.npu.address_patch` for an argument, `aiex.npu.maskwrite32` for a buffer |
//! | `aiex.dma_start_task` | `aiex.npu.push_queue` |
//! | `aiex.dma_await_task` | `aiex.npu.sync` |
//! | `aiex.dma_free_task` | nothing |
//!
//! The writes are those of the lowering of sequences ([`crate::sequence`]); this pass makes them
//! operations, for users who lower step by step. Numbers that are known at run time only, also
//! those that loops and branches give, become arithmetic ([`crate::mlir_aie_compat::run_time`]).
//! Two things of a compilation are left to the caller, as the reference leaves them: BDs must have
//! their numbers (`aie-assign-runtime-sequence-bd-ids`), and nothing waits for room in a queue.

use aiec_aie::ir::{InsertPoint, Module, Op, Type};
use aiec_aie::ops::netlist::{BdSlot, chain, operand_group};
use aiec_aie::ops::{ArithConstant, Device, DmaBd, OpKind, OpView, RuntimeSequence};
use aiec_device::regmap::{BdFields, BdLayout, RegisterRef};
use aiec_device::{ChannelId, DeviceModel};
use aiec_diag::{Diag, MlirAieReport, Reported};
use rustc_hash::FxHashMap;

use crate::analysis::transfer::BdError;
use crate::analysis::transfer::WORD_BYTES;
use crate::infra::pass::{PassContext, PassDef};
use crate::mlir_aie_compat::npu_ops::NpuOps;
use crate::mlir_aie_compat::run_time::arith::{Arith, Num};
use crate::mlir_aie_compat::run_time::{self, WholeBdWrite};
use crate::regops::{RegAction, RegOp};
use crate::sequence::codes::BAD_TASK;
use crate::sequence::out_of_order_bit;
use crate::sequence::queues::queue_entry;
use crate::sequence::run_time::{AtRunTime, RunTimeLowering, TaskBd, ops_by_operation};
use crate::sequence::task_checks::bad_block;

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-dma-tasks-to-npu", run)
    .summary("Lower DMA tasks of runtime sequences to BD writes, queue pushes and waits")
    .postconditions(&["no task is configured, started, awaited or freed in a runtime sequence"]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    let mut result = Ok(());
    for sequence in module.children::<RuntimeSequence>(device) {
        let done = lower(module, model, sequence.op(), context);
        result = result.and(done);
    }
    result
}

fn lower(
    module: &mut Module,
    model: &'static DeviceModel,
    sequence: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    check(module, sequence, context)?;
    let tasks = ops_by_operation(module, sequence, &is_task, context.diags)?;
    let mut result = Ok(());
    let mut handles = Handles::default();
    for (op, made) in &tasks {
        let done = match made {
            RunTimeLowering::Now(made) => {
                now(module, model, *op, made, context);
                Ok(())
            }
            RunTimeLowering::AtRunTime(known) => {
                at_run_time(module, model, *op, known, &mut handles, context)
            }
        };
        result = result.and(done);
    }
    result?;
    // Users before what they use.
    for (op, _) in tasks.iter().rev() {
        forget(module, *op, context.pass);
        module.erase(*op);
    }
    Ok(())
}

/// Lowers a task operation where all its numbers are known.
fn now(
    module: &mut Module,
    model: &'static DeviceModel,
    op: Op,
    made: &[RegOp],
    context: &mut PassContext<'_>,
) {
    let slots = match module.kind(op) {
        OpKind::DmaConfigureTask => module.entry(op, 0).map(|entry| chain(module, entry).0),
        _ => None,
    };
    let loc = module.derived_loc(context.pass, op);
    let mut out = NpuOps::before(module, op, loc);
    let mut slots = slots.unwrap_or_default().into_iter();
    for made in made {
        write(&mut out, model, &made.action, &mut slots);
        context.count("operations", 1);
    }
}

/// Start of each task whose numbers are known at run time: its channel, first BD and repeat count.
type Handles = FxHashMap<Op, (ChannelId, Num, Num)>;

/// Same as [`now`], where numbers are known at run time only.
fn at_run_time(
    module: &mut Module,
    model: &'static DeviceModel,
    op: Op,
    known: &AtRunTime,
    handles: &mut Handles,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let loc = module.derived_loc(context.pass, op);
    let mut arith = Arith::new(module, InsertPoint::Before(op), loc);
    match known {
        AtRunTime::Task { channel, bds } => {
            let repeat = operand_group(arith.module, op, 1).unwrap_or_default();
            let repeat = match repeat.first() {
                Some(value) => arith.number(*value),
                None => Num::Known(arith.module.int_attr(op, "repeat_count").unwrap_or(0)),
            };
            let mut head = None;
            for bd in bds {
                let written = bd.slot.bd.bd_id(arith.module);
                let drawn = bd.slot.bd.number_value(arith.module);
                let number = match drawn {
                    Some(value) => Some(arith.number(value)),
                    None => written.map(|id| Num::Known(id.into())),
                };
                let Some(number) = number else {
                    // Found by `check`.
                    continue;
                };
                head.get_or_insert(number);
                if let Err(bd_error) = run_time_bd(&mut arith, model, *channel, number, bd) {
                    let at = bd.slot.bd.op();
                    return Err(run_time::refused(context, arith.module, at, bd_error));
                }
            }
            if let Some(head) = head {
                handles.insert(op, (*channel, head, repeat));
            }
        }
        AtRunTime::Start { task } => {
            if let Some((channel, bd, repeat)) = handles.get(task) {
                let withheld = arith.module.flag(op, "no_token");
                let token = arith.module.flag(*task, "issue_token") && !withheld;
                let written = arith.module.int_attr(op, "repeat_count");
                let own = match arith.module.operand(op, 1) {
                    Some(value) => Some(arith.number(value)),
                    None => written.map(Num::Known),
                };
                if arith.module.flag(*task, "out_of_order") {
                    enable_mode(&mut arith, model, *channel);
                }
                run_time::push(&mut arith, *channel, *bd, own.unwrap_or(*repeat), token);
            }
        }
        AtRunTime::Await { channel } => {
            let mut out = arith.ops();
            out.sync(*channel, 1, 1);
        }
        // Other operations aren't of tasks.
        AtRunTime::Free
        | AtRunTime::Memcpy { .. }
        | AtRunTime::Push { .. }
        | AtRunTime::Write { .. } => {}
    }
    context.count("operations", 1);
    Ok(())
}

/// Lets packets choose the descriptors of a channel. Branches may have set it or not.
fn enable_mode(arith: &mut Arith<'_>, model: &'static DeviceModel, channel: ChannelId) {
    let address = model.register_address(channel.tile, channel.control());
    if let Some((address, bit)) = address.zip(out_of_order_bit(model, channel)) {
        arith.ops().mask(address, bit, bit);
    }
}

/// Whether a write of bits sets the mode in which packets choose a channel's descriptors, or ends it.
fn is_mode(model: &'static DeviceModel, address: u32, mask: u32) -> bool {
    let Some((tile, RegisterRef::DmaCtrl { dir, channel })) = model.register_at(address) else {
        return false;
    };
    out_of_order_bit(model, ChannelId::new(tile, dir, channel)) == Some(mask)
}

fn run_time_bd(
    arith: &mut Arith<'_>,
    model: &'static DeviceModel,
    channel: ChannelId,
    number: Num,
    bd: &TaskBd,
) -> Result<(), BdError> {
    let template = run_time::template(model, &bd.fields)?;
    let burst = bd.slot.bd.burst_length(arith.module).unwrap_or(0);
    let bd = run_time::of_task(arith, channel, number, bd, template)?;
    run_time::write_descriptor(arith, model, &bd, WholeBdWrite::Fields(burst)).map(|_| ())
}

/// Loops and branches may carry the handle of a task that nothing reads any more: it becomes 0.
fn forget(module: &mut Module, op: Op, pass: &'static str) {
    let handle = module
        .result(op, 0)
        .filter(|handle| module.has_uses(*handle));
    let Some(handle) = handle else { return };
    let loc = module.derived_loc(pass, op);
    let zero = ArithConstant::int(module, loc, 0, Type::Index, InsertPoint::Before(op));
    module.replace_all_uses(handle, zero);
}

fn is_task(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::DmaConfigureTask
            | OpKind::DmaStartTask
            | OpKind::DmaAwaitTask
            | OpKind::DmaFreeTask
    )
}

/// Refuses operations that must be lowered before.
fn check(module: &Module, sequence: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let mut result = Ok(());
    for op in module.walk(sequence).collect::<Vec<_>>() {
        let diags = match module.kind(op) {
            OpKind::DmaConfigureTaskFor => {
                vec![first(module, op, "aie-substitute-shim-dma-allocations")]
            }
            OpKind::DmaStartBdChain | OpKind::DmaStartBdChainFor => {
                vec![first(module, op, "aie-materialize-bd-chains")]
            }
            OpKind::DmaConfigureTask => blocks(module, op),
            _ => continue,
        };
        for diag in diags {
            result = Err(context.fail(diag));
        }
    }
    result
}

/// The problem of a task's blocks: each has one descriptor, with its number.
fn blocks(module: &Module, task: Op) -> Vec<Diag> {
    let region = module.region(task, 0);
    let blocks = region.map_or(&[][..], |region| module.blocks_of(region));
    let found = blocks.iter().enumerate().flat_map(|(at, block)| {
        let bad = bad_block(module, task, *block, at == 0).map(|(_, diag)| diag);
        let bds = module.block_ops(*block);
        let bds = bds.filter(|op| module.kind(*op) == OpKind::DmaBd);
        match bad {
            Some(diag) => vec![diag],
            None => bds.filter_map(|bd| without_number(module, bd)).collect(),
        }
    });
    found.collect()
}

fn first(module: &Module, op: Op, pass: &str) -> Diag {
    let message = format!("`{}` is lowered by another pass", module.op_name(op));
    Diag::error(&BAD_TASK, message)
        .label(module.span(op), "here")
        .help(format!("run --{pass} first"))
}

fn without_number(module: &Module, bd: Op) -> Option<Diag> {
    let task = module
        .parent_op(bd)
        .filter(|op| module.kind(*op) == OpKind::DmaConfigureTask)?;
    if module.attr(bd, "bd_id").is_some() || DmaBd(bd).number_value(module).is_some() {
        return None;
    }
    let run = "Run the `--aie-assign-runtime-sequence-bd-ids` pass first or manually assign an ID \
               to this buffer descriptor.";
    let mlir_aie = MlirAieReport::op(
        module.op_name(bd),
        "Cannot lower buffer descriptor without assigned ID.",
    )
    .note(module.span(bd), run)
    .note(
        module.span(task),
        "Error encountered while lowering this BD configuration.",
    );
    let diag = Diag::error(&BAD_TASK, "this buffer descriptor has no number")
        .label(module.span(bd), "here")
        .help("run --aie-assign-runtime-sequence-bd-ids first, or give it a `bd_id`")
        .mlir_aie(mlir_aie);
    Some(diag)
}

/// One register operation as an operation of the sequence.
fn write(
    out: &mut NpuOps<'_>,
    model: &'static DeviceModel,
    action: &RegAction,
    slots: &mut impl Iterator<Item = BdSlot>,
) {
    match action {
        RegAction::Write { address, value } => push(out, model, *address, *value),
        RegAction::Block { address, words } => {
            descriptor(out, model, *address, words, None, slots.next());
        }
        RegAction::PatchedBd {
            address,
            words,
            argument,
        } => {
            descriptor(out, model, *address, words, Some(*argument), slots.next());
        }
        RegAction::Wait { channel, tokens } => {
            for _ in 0..*tokens {
                out.sync(*channel, 1, 1);
            }
        }
        // The mode of a channel.
        RegAction::Mask {
            address,
            mask,
            value,
        } if is_mode(model, *address, *mask) => out.mask(*address, *value, *mask),
        // The controller's number is set where a push is lowered; polls for room in a queue have
        // no operation.
        RegAction::Mask { .. } | RegAction::Poll { .. } | RegAction::Copy { .. } => {}
        RegAction::Sync { .. } | RegAction::Patch { .. } | RegAction::Preempt { .. } => {}
        RegAction::CreateScratchpad { .. } | RegAction::Read { .. } => {}
        RegAction::UpdateFromScratchpad { .. } => {
            // Updates have a form of their own, without data.
            let _ = out.action(model, action, None);
        }
    }
}

fn push(out: &mut NpuOps<'_>, model: &'static DeviceModel, address: u32, value: u32) {
    if let Some((channel, entry)) = queue_entry(model, address, value) {
        out.push(channel, (entry.bd, entry.repeat, entry.token));
    }
}

fn descriptor(
    out: &mut NpuOps<'_>,
    model: &'static DeviceModel,
    address: u32,
    words: &[u32],
    argument: Option<u32>,
    slot: Option<BdSlot>,
) {
    let Some((tile, RegisterRef::BdWord { bd, .. })) = model.register_at(address) else {
        return;
    };
    let kind = model.tile_kind(tile);
    let Some(layout) = kind.and_then(|kind| BdLayout::of(model.arch(), kind)) else {
        return;
    };
    let fields = layout.unpack(words);
    let at = address + layout.address_offset();
    let burst = slot.and_then(|slot| slot.bd.burst_length(out.module));
    let burst = burst.unwrap_or(0);
    match argument {
        Some(argument) => {
            let offset = fields.base_address as u32;
            out.write_bd(tile, bd, &fields, offset, burst);
            fourth_dimension(out, layout, address, &fields);
            out.patch(at, argument, offset);
        }
        None => {
            // As the reference has it, the descriptor holds the offset alone until its address
            // is set.
            let offset = slot.map_or(0, |slot| byte_offset(out.module, &slot));
            out.write_bd(tile, bd, &fields, offset, burst);
            fourth_dimension(out, layout, address, &fields);
            let word = words.get(usize::from(layout.address_word()));
            let mask = layout.address_mask();
            out.mask(at, word.copied().unwrap_or(0) & mask, mask);
        }
    }
}

/// `aiex.npu.writebd` has no room for the step of the fourth dimension that mem tiles have: its bits are set afterwards.
fn fourth_dimension(out: &mut NpuOps<'_>, layout: &BdLayout, address: u32, fields: &BdFields) {
    let [first, second, third, _] = fields.steps;
    let lacking = BdFields {
        steps: [first, second, third, BdFields::default().steps[3]],
        ..fields.clone()
    };
    let (Ok(whole), Ok(lacking)) = (layout.pack(fields), layout.pack(&lacking)) else {
        return;
    };
    let mut at = address;
    for (word, lacking) in whole.iter().zip(lacking) {
        let mask = word ^ lacking;
        if mask != 0 {
            out.mask(at, word & mask, mask);
        }
        at += WORD_BYTES as u32;
    }
}

/// Bytes from the start of its buffer at which a BD begins.
fn byte_offset(module: &Module, slot: &BdSlot) -> u32 {
    let elements = slot.bd.offset_elems(module).unwrap_or(0);
    let buffer = slot.bd.buffer(module);
    let bytes = buffer.and_then(|buffer| module.ty(buffer).as_memref()?.elem.elem_bytes());
    let elements = u32::try_from(elements).unwrap_or(0);
    elements.wrapping_mul(bytes.unwrap_or(1) as u32)
}
