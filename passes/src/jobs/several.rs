//! Modules with several devices: which one is compiled, and the plan of a sequence that loads
//! others.

use aiec_dialect::diag::{Diag, Diags, Reported};
use aiec_dialect::ir::{Module, Op};
use aiec_dialect::ops::{Device, OpKind, OpView};

use super::graph::{BARRIER_PARTIES, Graph, Work, by_controller};
use super::plan::Plan;
use super::schedule::{Load, Phase, schedule_phases};
use super::{Jobs, WHICH_DEVICE, core_uses};
use crate::pass::PassContext;
use crate::reconfigure::{Reconfigure, phases};
use crate::sequence::sequence_spans;

/// Name of the device that is compiled if a module has several and nobody says which.
const MAIN: &str = "main";

/// Whether a sequence loads devices.
pub(super) fn loads_devices(module: &Module, sequence: Op) -> bool {
    let kinds = [OpKind::Configure, OpKind::NpuLoadPdi];
    module
        .walk(sequence)
        .any(|op| kinds.contains(&module.kind(op)))
}

/// The devices that control code is made of: the one that is named; else, where a sequence loads
/// devices, `@main`, or the only one that loads others; else each.
pub(super) fn compiled(
    module: &Module,
    context: &mut PassContext<'_>,
) -> Result<Vec<Op>, Reported> {
    let devices = module.children::<Device>(module.top());
    let wanted = context.option("device-name").to_string();
    let named = |name: &str| devices.iter().find(|device| device.name(module) == name);
    if !wanted.is_empty() {
        return match named(&wanted) {
            Some(device) => Ok(vec![device.op()]),
            None => {
                let message = format!("there is no device `@{wanted}`");
                Err(context.fail(which(module, &devices, message)))
            }
        };
    }
    let loads = |device: &&Device| loads_devices(module, device.op());
    let loading: Vec<Device> = devices.iter().filter(loads).copied().collect();
    if devices.len() < 2 || loading.is_empty() {
        return Ok(module.find(module.top(), OpKind::Device));
    }
    match (named(MAIN), loading.as_slice()) {
        (Some(device), _) | (None, [device]) => Ok(vec![device.op()]),
        (None, _) => {
            let message = "several devices load others, and none is called `@main`".to_string();
            Err(context.fail(which(module, &loading, message)))
        }
    }
}

fn which(module: &Module, devices: &[Device], message: String) -> Diag {
    let names: Vec<String> = devices
        .iter()
        .map(|d| format!("`{}`", d.name(module)))
        .collect();
    let help = match names.is_empty() {
        true => "wrap the design in an `aie.device`".to_string(),
        false => format!("choose one with `--device-name`: {}", names.join(", ")),
    };
    let mut diag = Diag::error(&WHICH_DEVICE, message).help(help);
    for device in devices.iter().take(3) {
        diag = diag.label(module.span(device.op()), "one of them");
    }
    diag
}

/// The plan of a sequence and the devices that it loads.
pub(super) fn plan(
    module: &Module,
    sequence: Op,
    way: Reconfigure,
    jobs: Jobs,
    diags: &mut Diags,
) -> Result<Plan, Reported> {
    let spans = sequence_spans(module, sequence, diags)?;
    let Some(model) = spans.first().and_then(|s| Device(s.device).model(module)) else {
        return Ok(Plan::default());
    };
    let phases = phases(module, spans, way, diags)?;
    // All controllers meet, so that each needs a bit of a barrier's mask.
    let last_uc = BARRIER_PARTIES - 1;
    let mut made = Vec::with_capacity(phases.len());
    for phase in phases {
        let uses = core_uses(module, phase.device);
        let work = Work {
            config: phase.config,
            written: phase.written,
            sequence: phase.ops,
            uses: &uses,
            last_uc,
        };
        let mut graph = Graph::of_work(model, work, jobs);
        if phase.pdi.is_some() {
            // All controllers meet behind LOAD_PDI.
            graph.set_apart();
        }
        let stages = phase.leave.into_iter();
        let leave: Vec<_> = stages
            .map(|ops| by_controller(model, ops, jobs, last_uc))
            .collect();
        made.push((graph, leave, phase.pdi, phase.name));
    }
    let phases: Vec<Phase<'_>> = made
        .iter()
        .map(|(graph, leave, pdi, name)| Phase {
            graph,
            leave,
            load: pdi.map(|pdi| Load { pdi, name }),
        })
        .collect();
    Ok(schedule_phases(model, &phases, jobs))
}
