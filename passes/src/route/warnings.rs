//! Hazards that a routing leaves: packets that can block each other.

use std::collections::BTreeSet;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::Device;
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Span};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::codes;
use super::packets::MLIR_AIE_ARBITERS;
use super::problem::Routing;
use super::requests::PortNet;
use super::waits::{Resource, WaitCycle};

/// Flows that a warning shows; further ones are counted.
const MAX_LABELS: usize = 8;

/// The warnings about a routing of a device; `more_arbiters` if its switches have more than were
/// allowed.
pub(crate) fn warnings(
    module: &Module,
    device: Op,
    nets: &[PortNet],
    solution: &Routing,
    more_arbiters: bool,
) -> Vec<Diag> {
    let model = Device(device).model(module);
    let extra_arbiters = model.and_then(|model| extra_arbiters(model, solution));
    let extra_arbiters = extra_arbiters.map(|diag| diag.label(module.span(device), "this device"));
    let flows = WarningContext {
        module,
        nets,
        more_arbiters,
    };
    let unrelated = flows.unrelated(&solution.unrelated);
    let memory_cycles = solution
        .memory_cycles
        .iter()
        .map(|cycle| flows.memory_cycle(cycle));
    let all = unrelated.into_iter().chain(memory_cycles);
    all.chain(extra_arbiters).collect()
}

/// That arbiters are used which mlir-aie refuses.
fn extra_arbiters(model: &DeviceModel, solution: &Routing) -> Option<Diag> {
    let extra = |tile: &TileLoc| {
        let settings = solution.settings.get(tile).into_iter();
        let mut amsels = settings.flat_map(|settings| settings.masters.values().flatten());
        amsels.any(|amsel| amsel.arbiter >= MLIR_AIE_ARBITERS)
    };
    let tiles: Vec<String> = model.tiles().filter(extra).map(|t| t.to_string()).collect();
    if tiles.is_empty() {
        return None;
    }
    let message = format!(
        "the routing uses arbiters beyond {} in the switches of tiles {}; mlir-aie's verifier \
         refuses them",
        MLIR_AIE_ARBITERS - 1,
        listed(tiles.into_iter())
    );
    let diag = Diag::warning(&codes::EXTRA_ARBITERS, message);
    Some(diag.help("route fewer packet flows through these tiles, or leave --arbiters out"))
}

struct WarningContext<'a> {
    module: &'a Module,
    nets: &'a [PortNet],
    more_arbiters: bool,
}

impl WarningContext<'_> {
    /// The line of the first flow of a net.
    fn span(&self, net: usize) -> Option<Span> {
        let op = self.nets.get(net)?.ops.first()?;
        self.module.span(*op)
    }

    fn unrelated(&self, pairs: &FxHashSet<(u32, u32)>) -> Option<Diag> {
        let (a, b) = pairs.iter().min()?;
        let diag = Diag::warning(
            &codes::SHARED,
            "packet flows without a common end share a port, so one that isn't accepted at its \
             destination blocks the other",
        )
        .label(self.span(*a as usize), "this flow")
        .label(self.span(*b as usize), "shares a port with this one")
        .help("make sure that both destinations always accept data, or use fewer flows here");
        Some(match pairs.len() - 1 {
            0 => diag,
            more => diag.remark(format!("and {more} more pairs")),
        })
    }

    fn memory_cycle(&self, cycle: &WaitCycle) -> Diag {
        let mut shared: IndexMap<usize, Vec<String>, FxBuildHasher> = IndexMap::default();
        let mut all: BTreeSet<Resource> = BTreeSet::new();
        for (net, resource) in cycle {
            shared.entry(*net).or_default().push(resource.to_string());
            all.insert(*resource);
        }
        let mut diag = Diag::warning(
            &codes::MEMORY_WAIT,
            format!(
                "{} packet flows can stop forever: they share {}, and one that occupies it \
                 can wait through memory for another that needs it",
                shared.len(),
                listed(all.iter().map(ToString::to_string)),
            ),
        )
        .help(
            "make some of these flows circuits, route some through another tile, or give the \
             buffers between them more room",
        );
        if self.more_arbiters {
            diag = diag.remark(
                "--arbiters=8 allows arbiters 6 and 7 too, which may avoid it; mlir-aie's verifier \
                 refuses them",
            );
        }
        for (net, what) in shared.iter().take(MAX_LABELS) {
            let text = format!("shares {}", listed(what.iter().cloned()));
            diag = diag.label(self.span(*net), text);
        }
        match shared.len().saturating_sub(MAX_LABELS) {
            0 => diag,
            more => diag.remark(format!("and {more} more flows")),
        }
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        last => last.unwrap_or_default(),
    }
}
