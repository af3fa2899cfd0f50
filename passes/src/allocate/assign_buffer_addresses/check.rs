//! The plain checker: reads only the addresses that the pass left.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Buffer, Core, Device, OpView};
use aiec_device::TileLoc;

use crate::analysis::budget::name_of;
use crate::infra::self_check::Defect;

/// Whether all buffers have addresses, lie inside their memory and overlap neither each other nor
/// the stack; what is wrong otherwise.
pub fn check(module: &Module, device: Op) -> Result<(), Defect> {
    let model = Device(device)
        .model(module)
        .ok_or_else(|| Defect::new(device, "unknown device"))?;
    let mut used: IndexMap<TileLoc, Vec<_>, FxBuildHasher> = IndexMap::default();
    for buffer in module.find_all::<Buffer>(device) {
        let name = name_of(module, buffer.op());
        let Some(loc) = buffer.tile_loc(module) else {
            continue;
        };
        let defect = |problem: &str| Defect::new(buffer.op(), format!("{name} {problem}"));
        let address = buffer.address(module);
        let address = address.ok_or_else(|| defect("has no address"))?;
        let start = u64::try_from(address).map_err(|_| defect("is below 0"))?;
        let bytes = buffer.bytes(module).ok_or_else(|| defect("has no size"))?;
        let range = (start, start + bytes, name, buffer.op());
        used.entry(loc).or_default().push(range);
    }
    for core in module.children::<Core>(device) {
        if let Some(list) = core.tile_loc(module).and_then(|loc| used.get_mut(&loc)) {
            let bytes = core.stack_bytes(module, model);
            list.push((0, bytes, "the stack".to_string(), core.op()));
        }
    }
    for (loc, mut list) in used {
        list.sort();
        let limit = model.tile(loc).map_or(0, |t| u64::from(t.memory_bytes));
        // The furthest end so far and whose it is; empty buffers share bytes with nothing.
        let mut furthest: Option<(u64, String)> = None;
        for (start, end, name, op) in list {
            if end > limit {
                let problem = format!("{name} ends at {end} of {limit} in tile {loc}");
                return Err(Defect::new(op, problem));
            }
            if let Some((until, other)) = &furthest
                && start < *until
                && end > start
            {
                let problem = format!("{name} and {other} overlap in tile {loc}");
                return Err(Defect::new(op, problem));
            }
            if furthest.as_ref().is_none_or(|(until, _)| end > *until) {
                furthest = Some((end, name));
            }
        }
    }
    Ok(())
}
