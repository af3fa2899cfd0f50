//! Requests of the command line at places that a completed run never reached.

use std::collections::BTreeSet;

use aiec_diag::Diag;
use aiec_sim::cert::{Probe, RecordKind};
use aiec_sim::{SimOptions, SimResult};

use crate::codes;

/// A warning about the probes and the preemption points that the run didn't come to.
pub fn warning(options: &SimOptions, result: &SimResult) -> Option<Diag> {
    let shared = &result.machine.shared;
    let of_probes = shared
        .records
        .iter()
        .filter(|record| record.kind == RecordKind::Probe);
    let reached: BTreeSet<u32> = of_probes.map(|record| record.id).collect();
    let probes = options.probes.iter().zip(0..);
    let probes = probes.filter(|(_, index)| !reached.contains(index));
    let probes =
        probes.map(|(Probe { uc, page, offset }, _)| format!("--probe {uc}:{page}:{offset}"));
    let switches = result
        .machine
        .firmware
        .as_ref()
        .map(|firmware| firmware.stats.switches);
    let points: BTreeSet<u16> = options.preempt.iter().copied().collect();
    let points = points.into_iter().filter(|id| match switches {
        // firmware counts the points at which it switched
        Some(switches) => switches == 0,
        None => !shared.switched.contains(id),
    });
    let points = points.map(|id| format!("--preempt {id}"));
    let never: Vec<String> = probes.chain(points).collect();
    if never.is_empty() {
        return None;
    }
    let message = format!("the run ended before it came to {}", never.join(", "));
    let help = "`aiec dis` lists pages with offsets, and PREEMPT with its id";
    Some(Diag::warning(&codes::NOT_STOPPED, message).help(help))
}
