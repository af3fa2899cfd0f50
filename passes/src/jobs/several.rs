//! Modules with several devices: which one is compiled, and the plan of a sequence that loads
//! others.

use std::collections::BTreeMap;

use aiec_device::DeviceModel;
use aiec_dialect::diag::{Diag, Reported};
use aiec_dialect::ir::{Module, Op};
use aiec_dialect::ops::{Device, OpKind, OpView};

use super::graph::{BARRIER_PARTIES, Graph, Work, by_controller};
use super::plan::Plan;
use super::schedule::{Load, Phase, schedule_phases};
use super::{Jobs, WHICH_DEVICE, core_uses};
use crate::pass::PassContext;
use crate::reconfigure::prologue::Prologue;
use crate::reconfigure::{self, Reconfigure, phases};
use crate::register_ops::RegOp;
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
    (way, prologue): (Reconfigure, Prologue),
    jobs: Jobs,
    context: &mut PassContext<'_>,
) -> Result<Plan, Reported> {
    let spans = sequence_spans(module, sequence, context.diags)?;
    let Some(model) = spans.first().and_then(|s| Device(s.device).model(module)) else {
        return Ok(Plan::default());
    };
    let phases = phases(module, spans, way, context.diags)?;
    for how in phases.iter().filter_map(|phase| phase.how) {
        context.count(how, 1);
    }
    Ok(plan_of(module, model, phases, prologue, jobs))
}

/// The plan of devices that are loaded one after the other.
pub(super) fn plan_of(
    module: &Module,
    model: &'static DeviceModel,
    phases: Vec<reconfigure::Phase>,
    prologue: Prologue,
    jobs: Jobs,
) -> Plan {
    // All controllers meet, so that each needs a bit of a barrier's mask.
    let last_uc = BARRIER_PARTIES - 1;
    let mut made = Vec::with_capacity(phases.len() + 1);
    let stages = |stages: Vec<Vec<RegOp>>| -> Vec<BTreeMap<u32, Vec<RegOp>>> {
        let stages = stages.into_iter();
        stages
            .map(|ops| by_controller(model, ops, jobs, last_uc))
            .collect()
    };
    if prologue == Prologue::Reset {
        let ops = phases
            .iter()
            .flat_map(|phase| [&phase.config[..], &phase.ops[..]]);
        let ops: Vec<&[RegOp]> = ops.collect();
        let first = stages(reconfigure::prologue::prologue(model, &ops));
        made.push((Graph::default(), first, None, String::new()));
    }
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
        made.push((graph, stages(phase.leave), phase.pdi, phase.name));
    }
    let phases: Vec<Phase<'_>> = made
        .iter()
        .map(|(graph, leave, pdi, name)| Phase {
            graph,
            leave,
            load: pdi.map(|pdi| Load { pdi, name }),
        })
        .collect();
    schedule_phases(model, &phases, jobs)
}
