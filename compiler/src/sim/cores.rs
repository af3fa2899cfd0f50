//! `--core`: cores that are bound to a function of a shared library, or to nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aiec_device::TileLoc;
use aiec_diag::{Diag, Reported};
use aiec_sim::SimResult;
use aiec_sim::core::{BoundCore, HostCoreFunction};

use super::places::{Places, wrong};
use crate::codes;
use crate::kernels;
use crate::session::Session;

/// Instead of a core: all of the device.
const ALL: &str = "all";

/// What the command line binds cores to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoreTarget {
    /// Nothing: the core ends when it begins.
    Stub,
    /// A function of a library.
    Function(PathBuf, String),
}

/// `CORE=stub` or `CORE=LIB.so:FUNCTION`.
pub fn parse(text: &str) -> Result<(String, CoreTarget), String> {
    let form =
        "expected CORE=stub or CORE=LIB.so:FUNCTION, CORE being (COLUMN,ROW), a name or `all`";
    let (core, target) = text.split_once('=').ok_or(form)?;
    let target = match target.rsplit_once(':') {
        None if target == "stub" => CoreTarget::Stub,
        Some((path, name)) if !path.is_empty() && !name.is_empty() => {
            CoreTarget::Function(PathBuf::from(path), name.to_string())
        }
        _ => return Err(form.to_string()),
    };
    match core {
        "" => Err(form.to_string()),
        core => Ok((core.to_string(), target)),
    }
}

/// The cores that the command line binds; those that it names win over `all`.
pub fn bind(
    wanted: &[(String, CoreTarget)],
    places: &Places<'_>,
    session: &mut Session,
) -> Result<BTreeMap<TileLoc, BoundCore>, Reported> {
    let (mut all, mut named) = (BTreeMap::new(), BTreeMap::new());
    for (core, target) in wanted {
        let target = match target {
            CoreTarget::Stub => BoundCore::Stub,
            CoreTarget::Function(path, name) => match HostCoreFunction::load(path, name) {
                Ok(function) => BoundCore::Function(function),
                Err(error) => {
                    session.diags.push(kernels::no_library(&error));
                    continue;
                }
            },
        };
        let cores: Vec<TileLoc> = match core.as_str() {
            ALL => {
                let device = places.device;
                let is_core = |tile: &TileLoc| {
                    let model = device.tile(*tile);
                    model.is_some_and(|model| model.program_bytes > 0)
                };
                let tiles = (0..device.columns())
                    .flat_map(|col| (0..device.rows()).map(move |row| TileLoc::new(col, row)));
                all.extend(tiles.filter(is_core).map(|tile| (tile, target.clone())));
                continue;
            }
            core => match places.core(core) {
                Ok(tile) => vec![tile],
                Err(error) => {
                    session.diags.push(wrong("--core", core, error));
                    continue;
                }
            },
        };
        for tile in cores {
            if named.insert(tile, target.clone()).is_some() {
                let twice = ("it is bound twice".to_string(), "bind it once".to_string());
                session.diags.push(wrong("--core", core, twice));
            }
        }
    }
    session.diags.check()?;
    all.extend(named);
    Ok(all)
}

/// Warnings about bound cores that nothing enabled.
pub fn never_enabled<'r>(
    wanted: &'r [(String, CoreTarget)],
    places: &'r Places<'_>,
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
    match stubs.is_empty() {
        true => diag,
        false => diag.remark(format!(
            "bound to stubs, which do nothing: core {}",
            stubs.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_stubs_or_functions() {
        let (core, target) = parse("(0,2)=lib/a:b.so:run").unwrap();
        assert_eq!(core, "(0,2)");
        let expected = CoreTarget::Function("lib/a:b.so".into(), "run".into());
        assert_eq!(target, expected);
        assert_eq!(parse("all=stub"), Ok(("all".into(), CoreTarget::Stub)));
        for bad in [
            "(0,2)",
            "(0,2)=",
            "(0,2)=lib.so",
            "=stub",
            "a=:f",
            "a=lib.so:",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
