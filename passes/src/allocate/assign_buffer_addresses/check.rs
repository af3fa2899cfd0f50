//! The plain checker: reads only the addresses that the pass left.

use std::collections::BTreeMap;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Buffer, Core, Device, OpView};
use aiec_device::TileLoc;

use crate::analysis::budget::{name_of, stack_bytes};

/// Whether all buffers have addresses, lie inside their memory and overlap neither each other nor
/// the stack; what is wrong otherwise.
pub fn check(module: &Module, device: Op) -> Result<(), String> {
    let model = Device(device).model(module).ok_or("unknown device")?;
    let mut used: BTreeMap<TileLoc, Vec<(u64, u64, String)>> = BTreeMap::new();
    for buffer in module.find_all::<Buffer>(device) {
        let name = name_of(module, buffer.op());
        let Some(loc) = buffer.tile_loc(module) else {
            continue;
        };
        let address = buffer
            .address(module)
            .ok_or(format!("{name} has no address"))?;
        let start = u64::try_from(address).map_err(|_| format!("{name} is below 0"))?;
        let bytes = buffer.bytes(module).ok_or(format!("{name} has no size"))?;
        used.entry(loc)
            .or_default()
            .push((start, start + bytes, name));
    }
    for core in module.children::<Core>(device) {
        if let Some(list) = core.tile_loc(module).and_then(|loc| used.get_mut(&loc)) {
            list.push((0, stack_bytes(module, model, core), "the stack".to_string()));
        }
    }
    for (loc, mut list) in used {
        list.sort();
        let limit = model.tile(loc).map_or(0, |t| u64::from(t.memory_bytes));
        // The furthest end so far and whose it is; empty buffers share bytes with nothing.
        let mut furthest: Option<(u64, String)> = None;
        for (start, end, name) in list {
            if end > limit {
                return Err(format!("{name} ends at {end} of {limit} in tile {loc}"));
            }
            if let Some((until, other)) = &furthest
                && start < *until
                && end > start
            {
                return Err(format!("{name} and {other} overlap in tile {loc}"));
            }
            if furthest.as_ref().is_none_or(|(until, _)| end > *until) {
                furthest = Some((end, name));
            }
        }
    }
    Ok(())
}
