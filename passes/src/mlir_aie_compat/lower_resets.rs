//! `aie-lower-core-reset`, `aie-lower-dma-channel-reset` and `aie-lower-set-lock`: resets and locks of
//! a sequence become register writes
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIELowerCoreReset.cpp`, `AIELowerDmaChannelReset.cpp`,
//! `AIELowerSetLock.cpp`).
//!
//! In a compilation the lowering of sequences writes the registers itself; these passes are for
//! users who lower step by step.

use std::collections::HashSet;

use aiec_aie::ir::{InsertPoint, Module, Op, SymbolTable};
use aiec_aie::ops::netlist::{operand_group, tile_loc};
use aiec_aie::ops::{
    CoreReset, Device, DmaChannelReset, DmaChannelResetFor, Lock, ObjectFifoRearmBinding, OpView,
    SetLock,
};
use aiec_device::regmap::{CoreControl, RegisterRef};
use aiec_device::{ChannelId, DeviceModel, DmaDir, TileLoc};
use aiec_diag::{Diag, MlirAieReport, Reported};

use super::npu_ops::NpuOps;
use crate::infra::pass::{PassContext, PassDef};
use crate::sequence::CHANNEL_RESET;
use crate::sequence::codes::{BAD_LOCK, NO_REGISTER, UNSUPPORTED};

/// The pass for cores.
pub static CORES: PassDef = PassDef::of_device("aie-lower-core-reset", lower_core_resets)
    .summary("Turn resets of cores into writes of their control registers")
    .postconditions(&["no aiex.core_reset remains"]);

/// The pass for DMA channels.
pub static CHANNELS: PassDef =
    PassDef::of_device("aie-lower-dma-channel-reset", lower_channel_resets)
        .summary(
            "Turn resets of DMA channels and of object fifos into register writes and queue pushes",
        )
        .postconditions(&["no aiex.dma_channel_reset and no aiex.dma_channel_reset_for remains"]);

/// The pass for locks.
pub static LOCKS: PassDef = PassDef::of_device("aie-lower-set-lock", lower_set_locks)
    .summary("Turn setting of locks into writes of their registers")
    .postconditions(&["no aiex.set_lock remains"]);

/// Replaces all operations of a kind in a device by those that `lower` writes in front of them.
fn replace<V: OpView>(
    module: &mut Module,
    device: Op,
    context: &mut PassContext<'_>,
    mut lower: impl FnMut(&mut Module, V, &DeviceModel, &mut PassContext<'_>) -> Option<()>,
) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    for view in module.find_all::<V>(device) {
        if lower(module, view, model, context).is_some() {
            module.erase(view.op());
            context.count("operations", 1);
        }
    }
    context.diags.check()
}

fn lower_core_resets(
    module: &mut Module,
    device: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    replace::<CoreReset>(module, device, context, |m, reset, model, context| {
        let tile = tile_loc(m, reset.tile(m)?)?;
        let register = (tile, RegisterRef::CoreControl);
        let bits = CoreControl::IN_RESET.pack();
        pulse(m, reset.op(), model, register, bits, context)
    })
}

fn lower_channel_resets(
    module: &mut Module,
    device: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let mut bindings = HashSet::new();
    replace::<DmaChannelResetFor>(module, device, context, |m, reset, model, context| {
        let binding = binding(m, device, reset.op(), context)?;
        bindings.insert(binding.op());
        rearm(m, reset.op(), binding, model, context)
    })?;
    replace::<DmaChannelReset>(module, device, context, |m, reset, model, context| {
        let tile = tile_loc(m, reset.tile(m)?)?;
        let number = u8::try_from(reset.channel(m)).ok()?;
        let channel = ChannelId::new(tile, reset.direction(m)?, number);
        reset_channel(m, reset.op(), model, channel, context)
    })?;
    for binding in bindings {
        module.erase(binding);
    }
    Ok(())
}

fn lower_set_locks(
    module: &mut Module,
    device: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    replace::<SetLock>(module, device, context, |m, set, model, context| {
        let op = set.op();
        let lock = set.lock(m).and_then(|lock| Lock::cast(m, m.def_op(lock)?));
        let Some(lock) = lock.and_then(|lock| lock.place(m)) else {
            context.report(
                Diag::error(&BAD_LOCK, "this lock has no number yet")
                    .label(m.span(op), "set here")
                    .help("run aie-assign-lock-ids first, and name an `aie.lock`"),
            );
            return None;
        };
        let what = RegisterRef::LockValue { id: lock.index };
        let offset = offset(m, op, model, (lock.tile, what), context)?;
        let value = set.value(m) as u32;
        let mut out = writer(m, op);
        let value = out.constant(value);
        out.write(offset, value, Some(lock.tile));
        Some(())
    })
}

fn writer(module: &mut Module, op: Op) -> NpuOps<'_> {
    let loc = module.loc(op);
    NpuOps::before(module, op, loc)
}

/// Bytes of a register from the beginning of its tile.
fn offset(
    m: &Module,
    op: Op,
    model: &DeviceModel,
    (tile, what): (TileLoc, RegisterRef),
    context: &mut PassContext<'_>,
) -> Option<u32> {
    let address = model.register_address(tile, what);
    if address.is_none() {
        let message = format!("tile {tile} doesn't have what this operation sets");
        context.report(
            Diag::error(&NO_REGISTER, message)
                .label(m.span(op), "this operation")
                .help("`aiec devices NAME` lists what each kind of tile has"),
        );
    }
    Some(address? - model.tile_address(tile, 0))
}

/// Sets bits of a register, then clears them.
fn pulse(
    m: &mut Module,
    op: Op,
    model: &DeviceModel,
    register: (TileLoc, RegisterRef),
    bits: u32,
    context: &mut PassContext<'_>,
) -> Option<()> {
    let offset = offset(m, op, model, register, context)?;
    let mut out = writer(m, op);
    out.mask_in(offset, bits, bits, Some(register.0));
    out.mask_in(offset, 0, bits, Some(register.0));
    Some(())
}

fn reset_channel(
    m: &mut Module,
    op: Op,
    model: &DeviceModel,
    channel: ChannelId,
    context: &mut PassContext<'_>,
) -> Option<()> {
    let register = (channel.tile, channel.control());
    pulse(m, op, model, register, CHANNEL_RESET, context)
}

/// Settings that rearm the fifo of a reset.
fn binding(
    m: &Module,
    device: Op,
    op: Op,
    context: &mut PassContext<'_>,
) -> Option<ObjectFifoRearmBinding> {
    let symbols = SymbolTable::of(m, device);
    let name = DmaChannelResetFor(op).objfifo(m);
    let found = symbols
        .get(&name)
        .and_then(|op| ObjectFifoRearmBinding::cast(m, op));
    let refuse = |context: &mut PassContext<'_>, message: String, help: &str, text: String| {
        context.report(
            Diag::error(&UNSUPPORTED, message)
                .label(m.span(op), "reset here")
                .help(help)
                .mlir_aie(MlirAieReport::op(m.op_name(op), text).at(m.span(op))),
        );
        None
    };
    let Some(binding) = found else {
        let message = format!("it isn't known how to rearm the fifo `@{name}`");
        let help = "run aie-objectFifo-stateful-transform first";
        let text = format!("could not resolve '{name}' to an aie.objectfifo_rearm_binding");
        return refuse(context, message, help, text);
    };
    if binding.head_bd_ids(m).is_none() || binding.repeat_counts(m).is_none() {
        let message = format!("`@{name}` doesn't say which BDs its channels start with");
        let help = "run aie-assign-bd-ids first";
        let text = "has no head_bd_ids/repeat_counts; run --aie-assign-bd-ids before this pass, or \
                    set them on the binding";
        return refuse(context, message, help, text.to_string());
    }
    Some(binding)
}

/// Resets the channels of a fifo outside shim tiles, sets its locks, and starts its BDs again.
fn rearm(
    m: &mut Module,
    op: Op,
    binding: ObjectFifoRearmBinding,
    model: &DeviceModel,
    context: &mut PassContext<'_>,
) -> Option<()> {
    let tiles = operand_group(m, binding.op(), 0).unwrap_or_default();
    let locks = operand_group(m, binding.op(), 1).unwrap_or_default();
    let numbers = binding
        .channel_dirs(m)
        .into_iter()
        .zip(binding.channel_indices(m));
    let heads = binding.head_bd_ids(m).unwrap_or_default();
    let repeats = binding.repeat_counts(m).unwrap_or_default();
    let mut channels = Vec::new();
    for ((tile, (dir, number)), entry) in tiles
        .into_iter()
        .zip(numbers)
        .zip(heads.into_iter().zip(repeats))
    {
        let tile = tile_loc(m, tile)?;
        let shim = model.tile_kind(tile).is_none_or(|kind| kind.is_shim());
        let (dir, number) = (DmaDir::by_value(dir)?, u8::try_from(number).ok()?);
        if !shim {
            channels.push((ChannelId::new(tile, dir, number), entry));
        }
    }
    for (channel, _) in &channels {
        reset_channel(m, op, model, *channel, context)?;
    }
    let loc = m.loc(op);
    for (lock, init) in locks.into_iter().zip(binding.lock_inits(m)) {
        SetLock::build(m, loc, lock, i32::try_from(init).ok()?).insert(InsertPoint::Before(op));
    }
    for (channel, (head, repeat)) in channels {
        if let (Ok(head), Ok(repeat)) = (u8::try_from(head), u8::try_from(repeat)) {
            writer(m, op).push(channel, (head, repeat, false));
        }
    }
    Some(())
}
