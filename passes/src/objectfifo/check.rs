//! The plain checker of the lowering: it knows nothing of fifos, only the netlist that came out.

use std::collections::BTreeSet;

use aiec_aie::ir::{BdDim, LocInfo, Module, Op, Value};
use aiec_aie::ops::netlist::dma_channels;
use aiec_aie::ops::{Device, DmaBd, UseLock};
use aiec_device::DmaDir;

use crate::analysis::budget::dma_containers;

/// Whether the fifos are gone, each BD gives back as many tokens as it takes and, in a whole
/// design, lies inside its buffer, and no channel of a tile runs twice; what is wrong otherwise.
pub fn check(module: &Module, device: Op, whole_design: bool) -> Result<(), String> {
    let model = Device(device).model(module).ok_or("unknown device")?;
    for op in module.walk(device) {
        if module.op_name(op).starts_with("aie.objectfifo")
            && module.op_name(op) != "aie.objectfifo_rearm_binding"
        {
            return Err(format!("{} is left", module.op_name(op)));
        }
    }
    let counting = model.arch_model().semaphore_locks;
    let mut started: BTreeSet<(Value, DmaDir, u8)> = BTreeSet::new();
    for container in dma_containers(module, device) {
        for channel in dma_channels(module, container) {
            let ours = |op: Op| {
                let info = module.locs.info(module.loc(op));
                matches!(info, LocInfo::Derived { pass, .. } if pass == super::PASS.name)
            };
            let what = format!("{} channel {}", channel.dir, channel.channel);
            let Some(tile) = module.operand(container, 0) else {
                continue;
            };
            let key = (tile, channel.dir, channel.channel);
            if !started.insert(key) && channel.bds.iter().any(|slot| ours(slot.bd.0)) {
                return Err(format!("{what} is started twice"));
            }
            // What is written by hand may be anything the verifier accepts.
            for slot in channel.bds.iter().filter(|slot| ours(slot.bd.0)) {
                let value = |lock: Option<UseLock>| lock.and_then(|l| l.const_value(module));
                let (taken, given) = (value(slot.acquire), value(slot.release));
                let both = slot.acquire.is_some() && slot.release.is_some();
                if counting && both && taken != given {
                    return Err(format!(
                        "a BD of {what} takes {taken:?} and gives {given:?}"
                    ));
                }
                if whole_design {
                    in_buffer(module, slot.bd).map_err(|e| format!("a BD of {what} {e}"))?;
                }
            }
        }
    }
    Ok(())
}

fn in_buffer(module: &Module, bd: DmaBd) -> Result<(), String> {
    let memref = bd.buffer(module).and_then(|b| module.ty(b).as_memref());
    let Some(elems) = memref.and_then(|m| m.num_elements()) else {
        return Ok(());
    };
    let (Some(offset), Some(len), Some(dims)) = (
        bd.offset_elems(module),
        bd.len_elems(module),
        bd.dims(module),
    ) else {
        return Ok(());
    };
    let end = match dims.as_slice() {
        [] => offset + len,
        dims => {
            offset
                + dims
                    .iter()
                    .map(|d: &BdDim| (d.size - 1) * d.stride)
                    .sum::<i64>()
                + 1
        }
    };
    match u64::try_from(end) {
        Ok(end) if end <= elems => Ok(()),
        _ => Err(format!("ends at element {end} of {elems}")),
    }
}
