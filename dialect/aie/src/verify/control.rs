//! Resets, locks and configurations from runtime sequences; scratchpad parameters; rearm bindings.

use std::collections::BTreeMap;

use aiec_device::{Arch, TileKind};

use super::{Context, Report, codes};
use crate::ir::{FloatKind, Module, Op, SymbolTable, Type, Value};
use crate::ops::netlist::const_int;
use crate::ops::{
    Configure, CoreReset, Device, DmaChannelReset, DmaChannelResetFor, NpuLoadPdi, NpuMaskPoll,
    NpuReadReg, NpuWriteConfig, ObjectFifoRearmBinding, OpKind, OpView, ReadScratchpadParameter,
    RuntimeSequence, SetLock,
};

/// Bytes of a register.
const REGISTER_BYTES: i32 = 4;

pub(super) fn check(cx: &mut Context<'_>) {
    let m = cx.module;
    for set in cx.all::<SetLock>() {
        not_on_aie1_as(cx, set.op(), "SetLockOp is not supported on AIE1.");
        let max = i32::from(cx.model.arch_model().max_lock_value);
        if !(0..=max).contains(&set.value(m)) {
            let message = format!("lock value {} is out of range", set.value(m));
            let text = format!("Lock value exceeds the maximum value of {max}");
            let help = format!("locks hold 0..={max}");
            cx.shared(set.op(), &codes::SEQUENCE, (message, help), &text);
        }
    }
    cx.each(channel_reset);
    for reset in cx.all::<DmaChannelResetFor>() {
        not_on_aie1(cx, reset.op());
        let name = reset.objfifo(m);
        let target = cx.symbols.get(&name).map(|op| m.kind(op));
        let known = matches!(
            target,
            Some(OpKind::ObjectFifo | OpKind::ObjectFifoRearmBinding)
        );
        if target.is_some() && !known {
            let message = format!("`@{name}` isn't an object fifo");
            let text = format!("'{name}' must reference an aie.objectfifo");
            let help = "name a fifo of this device";
            cx.shared(reset.op(), &codes::SEQUENCE, (message, help), &text);
        }
    }
    for reset in cx.all::<CoreReset>() {
        not_on_aie1(cx, reset.op());
        let tile = reset.tile(m);
        if cx.kind_of(tile).is_some_and(|kind| kind != TileKind::Core) {
            let place = cx.place_text(tile);
            let text = format!(
                "tile {place} has no core to reset (only core tiles have a CORE_CONTROL register)"
            );
            let message = format!("{place} has no core");
            let help = "name a core tile";
            cx.shared(reset.op(), &codes::SEQUENCE, (message, help), &text);
        }
    }
    cx.each(register_read);
    cx.each(poll);
    cx.each(parameter);
    cx.each(configuration);
    written_configurations(cx);
    for binding in cx.all::<ObjectFifoRearmBinding>() {
        if let Some((message, help, text)) = bad_binding(cx, binding) {
            cx.shared(binding.op(), &codes::SEQUENCE, (message, help), text);
        }
    }
}

fn not_on_aie1(cx: &mut Context<'_>, op: Op) {
    not_on_aie1_as(cx, op, "is not supported on AIE1 devices");
}

/// `text` is the message of mlir-aie.
fn not_on_aie1_as(cx: &mut Context<'_>, op: Op, text: &str) {
    if cx.model.arch() == Arch::Aie1 {
        let message = format!("`{}` needs AIE2 or later", cx.module.op_name(op));
        let help = "AIE1 has no controllers that run sequences";
        cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
}

fn channel_reset(cx: &mut Context<'_>, reset: DmaChannelReset) {
    let m = cx.module;
    let op = reset.op();
    not_on_aie1(cx, op);
    let tile = reset.tile(m);
    let (Some(kind), Some(dir)) = (cx.kind_of(tile), reset.direction(m)) else {
        return;
    };
    let place = cx.place_text(tile);
    if kind.is_shim() {
        let text = format!(
            "tile {place} has no DMA channel reset (only core and mem tiles do; shim NOC DMA has \
             no reset bit)"
        );
        let message = format!("the DMA channels of {place} can't be reset");
        let help = "only core and mem tiles have that register";
        return cx.shared(op, &codes::SEQUENCE, (message, help), &text);
    }
    let count = cx.dma_of(tile).map_or(0, |(_, dma)| dma.channels.get(dir));
    let channel = reset.channel(m);
    if !(0..i32::from(count)).contains(&channel) {
        let message = format!("{dir} channel {channel} of {place} doesn't exist");
        let help = format!("this tile has {count} {dir} channels, counted from 0");
        let text = format!("channel {channel} out of range for this tile and direction");
        cx.shared(op, &codes::SEQUENCE, (message, &help), &text);
    }
}

/// A read for the host names a tile and the byte offset of a 32-bit register in it.
fn register_read(cx: &mut Context<'_>, read: NpuReadReg) {
    let m = cx.module;
    let op = read.op();
    let of = read.tile(m).and_then(|tile| m.def_op(tile));
    let is_tile = of.is_some_and(|of| {
        matches!(
            m.kind(of),
            OpKind::Tile | OpKind::LogicalTile | OpKind::Unknown
        )
    });
    if !is_tile {
        let text = "tile operand must be produced by an aie.tile op";
        let said = ("this isn't a tile", "name the result of an aie.tile");
        return cx.shared(op, &codes::SEQUENCE, said, text);
    }
    let (offset, bytes) = (read.offset(m), cx.model.arch().tile_bytes());
    let within = u32::try_from(offset).is_ok_and(|offset| offset < bytes);
    if !within || offset % REGISTER_BYTES != 0 {
        let message = format!("no register of a tile begins at {offset:#x}");
        let help = format!("write the offset in the tile: a multiple of 4 below {bytes:#x}");
        cx.problem(op, &codes::SEQUENCE, message, help);
    }
}

/// Bits of a register that aren't compared count as 0.
fn poll(cx: &mut Context<'_>, poll: NpuMaskPoll) {
    let m = cx.module;
    let number = |value: Option<Value>| const_int(m, value?).map(|number| number as u32);
    let (Some(value), Some(mask)) = (number(poll.value(m)), number(poll.mask(m))) else {
        return;
    };
    if value & !mask != 0 {
        let message =
            format!("value {value:#x} has bits that mask {mask:#x} clears: this never ends");
        let help = "compare the bits of the value too, or leave them out of it";
        cx.problem(poll.op(), &codes::SEQUENCE, message, help);
    }
}

/// The configurations that sequences write over what the array holds.
fn written_configurations(cx: &mut Context<'_>) {
    let m = cx.module;
    let all = cx.all::<NpuWriteConfig>();
    if all.is_empty() {
        return;
    }
    let outer = m.parent_op(cx.device);
    let devices = outer.map(|outer| m.children::<Device>(outer));
    let devices: BTreeMap<String, Device> = (devices.into_iter().flatten())
        .map(|device| (device.name(m), device))
        .collect();
    for written in all {
        let op = written.op();
        let parent = m.parent_op(op).map(|parent| m.kind(parent));
        // Outside of sequences it is reported as that.
        if parent != Some(OpKind::RuntimeSequence)
            && m.ancestor(op, OpKind::RuntimeSequence).is_some()
        {
            let said = (
                "a configuration can't be written in a loop, a branch or a configure",
                "write it in the sequence itself",
            );
            let text = "expects parent op 'aie.runtime_sequence'";
            cx.shared(op, &codes::PARENT, said, text);
        }
    }
    for sequence in cx.all::<RuntimeSequence>() {
        let Some(body) = m.entry(sequence.op(), 0) else {
            continue;
        };
        let ops: Vec<Op> = m.ops_in(body);
        let mut loads = ops.iter().rev().filter_map(|op| NpuLoadPdi::cast(m, *op));
        // Hosts run sequences again and again: the first load follows the last one.
        let mut before = loads.next();
        let mut reset = None;
        for op in ops {
            if let Some(load) = NpuLoadPdi::cast(m, op) {
                before = reset.or(before);
                reset = Some(load);
            } else if let Some(written) = NpuWriteConfig::cast(m, op) {
                written_configuration(cx, written, (before, reset), &devices);
            }
        }
    }
}

/// The firmware must have reset the array before a configuration is written: by a load of an empty device that isn't
/// the one it loaded last, whose load it skips.
fn written_configuration(
    cx: &mut Context<'_>,
    written: NpuWriteConfig,
    (before, reset): (Option<NpuLoadPdi>, Option<NpuLoadPdi>),
    devices: &BTreeMap<String, Device>,
) {
    let m = cx.module;
    let op = written.op();
    let name = written.device_ref(m).to_string();
    if !devices.contains_key(&name) {
        let message = format!("there is no device `@{name}`");
        let help = "name an aie.device of this module";
        let text = format!("@{name} is not a device");
        return cx.shared(op, &codes::SEQUENCE, (message, help), &text);
    }
    let Some(reset) = reset else {
        let said = (
            "nothing resets the array before its configuration is written",
            "load an empty device before: aiex.npu.load_pdi {device_ref = @empty}",
        );
        let text = "must follow the load_pdi that resets the array";
        return cx.shared(op, &codes::SEQUENCE, said, text);
    };
    let loaded = reset.device_ref(m).and_then(|name| devices.get(&*name));
    let is_empty = |device: &Device| {
        let mut inside = m.ops_inside(device.op());
        inside.all(|op| m.kind(op) == OpKind::End)
    };
    if !loaded.is_some_and(is_empty) {
        let message =
            "the load before this isn't of an empty device, so it doesn't only reset the array";
        return cx
            .error(op, &codes::SEQUENCE, message)
            .label(m.span(reset.op()), "the load before")
            .help("load an empty device between the two: `aie.device(…) @empty {}`")
            .mlir_aie(cx.mlir_aie(op, "must follow a load_pdi of an empty device"))
            .push(cx);
    }
    let pdi = |load: NpuLoadPdi| {
        let device = load.device_ref(m).map(|name| name.to_string());
        let number = |key| m.int_attr(load.op(), key).unwrap_or(0);
        (device, [number("id"), number("size"), number("address")])
    };
    let Some(before) = before.filter(|before| pdi(*before) == pdi(reset)) else {
        return;
    };
    let message = "firmware skips the load before this, as it is of what it loaded last: the array isn't reset";
    let text = "follows a load_pdi the firmware skips, as it loads the PDI loaded just before it";
    let other = m.span(before.op()).filter(|_| before.op() != reset.op());
    cx.error(op, &codes::SEQUENCE, message)
        .label(m.span(reset.op()), "the load that is skipped")
        .label(other, "what is loaded then")
        .help(
            "let two empty devices take turns, and end the sequence with the load of another than it \
             begins with: hosts run sequences again and again",
        )
        .mlir_aie(cx.mlir_aie(op, text))
        .push(cx);
}

/// A symbol in the device, or in a module around it.
fn look_up(m: &Module, from: Op, name: &str) -> Option<Op> {
    let mut at = m.parent_op(from);
    while let Some(op) = at {
        let is_table = m.kind(op).has(crate::ops::Traits::SYMBOL_TABLE);
        if is_table && let Some(found) = SymbolTable::of(m, op).get(name) {
            return Some(found);
        }
        at = m.parent_op(op);
    }
    None
}

fn parameter(cx: &mut Context<'_>, read: ReadScratchpadParameter) {
    let m = cx.module;
    let op = read.op();
    if m.ancestor(op, OpKind::Core).is_none() {
        let message = "scratchpad parameters are read in cores".to_string();
        let help = "put it into an aie.core";
        let text = "must be inside an aie.core";
        return cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    let name = read.parameter(m);
    let found = look_up(m, op, &name).map(|op| m.kind(op));
    if found != Some(OpKind::ScratchpadParameter) {
        let message = format!("there is no scratchpad parameter `@{name}`");
        let help = "declare it in the module: aiex.scratchpad_parameter @name : i32";
        let text = format!("references unknown parameter '{name}'");
        return cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    if let Some(Type::Float(FloatKind::F32)) = m.result(op, 0).map(|v| m.ty(v)) {
        let name = FloatKind::F32.name();
        let message = format!("scratchpad parameters of type {name} can't be read");
        let text = format!("{name} parameters are not supported");
        let help = "use an integer, and arith.bitcast";
        cx.shared(op, &codes::SEQUENCE, (message, help), &text);
    }
}

fn configuration(cx: &mut Context<'_>, configure: Configure) {
    let m = cx.module;
    let op = configure.op();
    let name = configure.symbol(m);
    let outer = m.parent_op(cx.device);
    let named = outer.and_then(|outer| SymbolTable::of(m, outer).get(&name));
    // A device without a name is `main`.
    let target = named.or_else(|| {
        let mut devices = outer
            .map(|outer| m.children::<Device>(outer))
            .unwrap_or_default();
        devices.retain(|device| device.name(m) == *name);
        devices.first().map(|device| device.op())
    });
    let help = "name an aie.device of this module";
    let Some(target) = target else {
        let message = format!("there is no device `@{name}`");
        let text = format!("No such device: '@{name}'");
        return cx.shared(op, &codes::SEQUENCE, (message, help), text);
    };
    let Some(device) = Device::cast(m, target) else {
        let message = format!("`@{name}` isn't a device");
        let text = format!("Not a device: '@{name}'");
        return cx.shared(op, &codes::SEQUENCE, (message, help), text);
    };
    let Some(other) = device
        .model(m)
        .filter(|other| other.name() != cx.model.name())
    else {
        return;
    };
    let (ours, theirs) = (cx.model.name(), other.name());
    let text = format!("Device types do not match: '{ours}' vs. '{theirs}'");
    let message = format!("`@{name}` is for {theirs}, this device is {ours}");
    cx.error(op, &codes::SEQUENCE, message)
        .label(m.span(target), format!("a device for {theirs}"))
        .help("a sequence configures devices of its own kind only")
        .mlir_aie(cx.mlir_aie(op, text))
        .push(cx);
}

/// The problem with a rearm binding, what to do, and the words of mlir-aie.
fn bad_binding(
    cx: &Context<'_>,
    binding: ObjectFifoRearmBinding,
) -> Option<(&'static str, &'static str, &'static str)> {
    let m = cx.module;
    let op = binding.op();
    let tiles = m.operand_group(op, "channel_tiles");
    let locks = m.operand_group(op, "locks");
    let is = |kinds: &[OpKind], value: &Value| {
        m.def_op(*value)
            .is_some_and(|op| kinds.contains(&m.kind(op)))
    };
    const ONE_EACH: &str = "the lists go with the tiles and locks, one entry for each";
    let (heads, repeats) = (binding.head_bd_ids(m), binding.repeat_counts(m));
    let per_tile = |list: &Option<Vec<i64>>| list.as_ref().is_none_or(|l| l.len() == tiles.len());
    let rules = [
        (
            binding.channel_dirs(m).len() != tiles.len(),
            "channel_dirs doesn't go with the tiles",
            ONE_EACH,
            "expected one channel_dirs entry per channel tile",
        ),
        (
            binding.channel_indices(m).len() != tiles.len(),
            "channel_indices doesn't go with the tiles",
            ONE_EACH,
            "expected one channel_indices entry per channel tile",
        ),
        (
            binding.lock_inits(m).len() != locks.len(),
            "lock_inits doesn't go with the locks",
            ONE_EACH,
            "expected one lock_inits entry per lock",
        ),
        (
            binding
                .channel_dirs(m)
                .iter()
                .any(|dir| !(0..=1).contains(dir)),
            "a direction that is neither S2MM nor MM2S",
            "0 is S2MM, 1 is MM2S",
            "channel_dirs entries must be 0 (S2MM) or 1 (MM2S)",
        ),
        (
            !tiles
                .iter()
                .all(|t| is(&[OpKind::Tile, OpKind::LogicalTile], t)),
            "a channel's tile isn't a tile",
            "name results of aie.tile",
            "channel_tiles operands must be aie.tile values",
        ),
        (
            !locks.iter().all(|l| is(&[OpKind::Lock], l)),
            "a lock isn't one",
            "name results of aie.lock",
            "locks operands must be aie.lock values",
        ),
        (
            tiles
                .iter()
                .any(|t| cx.kind_of(Some(*t)).is_some_and(TileKind::is_shim)),
            "channels of shim tiles can't be reset",
            "name core and mem tiles",
            "channel_tiles must be non-shim tiles",
        ),
        (
            heads.is_some() != repeats.is_some(),
            "head_bd_ids and repeat_counts go together",
            "give both or none",
            "head_bd_ids and repeat_counts must both be set or both be absent",
        ),
        (
            !per_tile(&heads),
            "head_bd_ids doesn't go with the tiles",
            ONE_EACH,
            "expected one head_bd_ids entry per channel tile",
        ),
        (
            !per_tile(&repeats),
            "repeat_counts doesn't go with the tiles",
            ONE_EACH,
            "expected one repeat_counts entry per channel tile",
        ),
    ];
    let broken = rules.into_iter().find(|rule| rule.0)?;
    Some((broken.1, broken.2, broken.3))
}
