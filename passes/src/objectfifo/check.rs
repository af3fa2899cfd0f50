//! The plain checker of the lowering: it knows nothing of fifos, only the netlist that came out.

use aiec_aie::ir::{LocInfo, Module, Op, Value};
use aiec_aie::ops::netlist::dma_channels;
use aiec_aie::ops::{Device, DmaBd, UseLock};
use aiec_device::DmaDir;
use rustc_hash::FxHashSet;

use crate::analysis::budget::dma_containers;
use crate::infra::self_check::Defect;

/// Whether the fifos are gone, each BD gives back as many tokens as it takes and, in a whole
/// design, lies inside its buffer, and no channel of a tile runs twice; what is wrong otherwise.
pub fn check(module: &Module, device: Op, whole_design: bool) -> Result<(), Defect> {
    let model = Device(device)
        .model(module)
        .ok_or_else(|| Defect::new(device, "unknown device"))?;
    for op in module.walk(device) {
        if module.op_name(op).starts_with("aie.objectfifo")
            && module.op_name(op) != "aie.objectfifo_rearm_binding"
        {
            return Err(Defect::new(op, format!("{} is left", module.op_name(op))));
        }
    }
    let counting = model.arch_model().semaphore_locks;
    let mut started: FxHashSet<(Value, DmaDir, u8)> = FxHashSet::default();
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
                return Err(Defect::new(container, format!("{what} is started twice")));
            }
            // A descriptor written by hand may be anything that the verifier accepts.
            for slot in channel.bds.iter().filter(|slot| ours(slot.bd.0)) {
                let value = |lock: Option<UseLock>| lock.and_then(|l| l.const_value(module));
                let (taken, given) = (value(slot.acquire), value(slot.release));
                let both = slot.acquire.is_some() && slot.release.is_some();
                if counting && both && taken != given {
                    let problem = format!("a BD of {what} takes {taken:?} and gives {given:?}");
                    return Err(Defect::new(slot.bd.0, problem));
                }
                if let Some((end, elems)) = past_its_buffer(module, slot.bd)
                    && whole_design
                {
                    let problem = format!("a BD of {what} ends at element {end} of {elems}");
                    return Err(Defect::new(slot.bd.0, problem));
                }
            }
        }
    }
    Ok(())
}

/// Where a BD ends that doesn't lie inside its buffer, and the buffer, in elements.
fn past_its_buffer(module: &Module, bd: DmaBd) -> Option<(i64, u64)> {
    let elems = module.ty(bd.buffer(module)?).as_memref()?.num_elements()?;
    let (offset, len) = (bd.offset_elems(module)?, bd.len_elems(module)?);
    let dims = bd.dims(module)?;
    let last: i64 = dims.iter().map(|d| (d.size - 1) * d.stride).sum();
    let end = offset + if dims.is_empty() { len } else { last + 1 };
    let inside = u64::try_from(end).is_ok_and(|end| end <= elems);
    (!inside).then_some((end, elems))
}
