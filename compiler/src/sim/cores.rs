//! `--core`: cores that are bound to a function of a shared library, or to nothing.

use std::collections::BTreeMap;

use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Reported};
use aiec_sim::SimResult;
use aiec_sim::core::{BoundCore, HostCoreFunction};

use super::places::{PlaceLookup, wrong};
use crate::args::core_targets::{ALL, CoreTarget};
use crate::codes;
use crate::inputs::kernels;
use crate::session::Session;

/// The cores that the command line binds; those that it names win over `all`.
pub fn bind(
    wanted: &[(String, CoreTarget)],
    places: &PlaceLookup<'_>,
    session: &mut Session,
) -> Result<BTreeMap<TileLoc, BoundCore>, Reported> {
    let (mut all, mut named) = (BTreeMap::new(), BTreeMap::new());
    for (core, target) in wanted {
        let target = match target {
            CoreTarget::Stub => BoundCore::Stub,
            CoreTarget::Function(path, name) => match HostCoreFunction::load(path, name) {
                Ok(function) => BoundCore::Function(function),
                Err(error) => {
                    session.push(kernels::no_library(&error));
                    continue;
                }
            },
        };
        if core == ALL {
            all.extend(cores_of(places.device).map(|tile| (tile, target.clone())));
            continue;
        }
        match places.core(core) {
            Ok(tile) if named.insert(tile, target).is_none() => {}
            Ok(_) => {
                let twice = ("it is bound twice".to_string(), "bind it once".to_string());
                session.push(wrong("--core", core, twice));
            }
            Err(error) => session.push(wrong("--core", core, error)),
        }
    }
    session.diags.check()?;
    all.extend(named);
    Ok(all)
}

/// The tiles of a device that have cores.
fn cores_of(device: &'static DeviceModel) -> impl Iterator<Item = TileLoc> {
    let rows = move |col| (0..device.rows()).map(move |row| TileLoc::new(col, row));
    let tiles = (0..device.columns()).flat_map(rows);
    tiles.filter(|tile| {
        let model = device.tile(*tile);
        model.is_some_and(|model| model.program_bytes > 0)
    })
}

/// Warnings about bound cores that nothing enabled.
pub fn never_enabled<'r>(
    wanted: &'r [(String, CoreTarget)],
    places: &'r PlaceLookup<'_>,
    result: &'r SimResult,
) -> impl Iterator<Item = Diag> + 'r {
    let named = wanted.iter().filter(|(core, _)| core != ALL);
    named.filter_map(|(core, _)| {
        let tile = places.core(core).ok()?;
        let mut bound = result.array.bound_cores();
        bound.find(|(at, _, enabled)| *at == tile && !enabled)?;
        let message = format!("--core {core}: nothing enabled that core");
        let diag = Diag::warning(&codes::UNKNOWN_NAME, message);
        Some(diag.help("columns count from the first one of the partition; check the tile"))
    })
}

/// Says of a run that didn't complete which cores were stubs.
pub fn with_stubs(diag: Diag, result: &SimResult) -> Diag {
    let bound = result.array.bound_cores();
    let stubs: Vec<String> = bound
        .filter(|(_, bound, enabled)| *enabled && matches!(bound, BoundCore::Stub))
        .map(|(tile, ..)| tile.to_string())
        .collect();
    if stubs.is_empty() {
        diag
    } else {
        diag.remark(format!(
            "bound to stubs, which do nothing: core {}",
            stubs.join(", ")
        ))
    }
}
