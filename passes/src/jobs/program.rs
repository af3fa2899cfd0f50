//! Inputs of control code: the devices that are compiled, the sequence of each, and what
//! that loads, one device after the other.

use std::collections::BTreeSet;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Buffer, Core, Device, Lock, OpKind, OpView, RuntimeSequence};
use aiec_device::DeviceModel;
use aiec_diag::{Diag, Diags, Reported};

use super::graph::{BARRIER_PARTIES, Graph, GraphInput, by_controller};
use super::partition::partition;
use super::plan::Plan;
use super::schedule::{LoadPhase, PdiLoad, schedule_phases};
use super::{Jobs, WHICH_DEVICE, WHICH_SEQUENCE};
use crate::configure::device_writes;
use crate::reconfigure::prologue::{Prologue, prologue};
use crate::reconfigure::{self, Reconfigure, phases};
use crate::regops::RegOp;
use crate::sequence::codes::UNSUPPORTED;
use crate::sequence::sequence_regions;
use aiec_codegen::CorePrograms;
use aiec_regprog::network::CoreUses;

/// Name of the device that is compiled if a module has several and none is chosen.
const MAIN: &str = "main";

/// Options of control code.
#[derive(Clone, Debug)]
pub struct ControlCodeOptions {
    /// Division of work, if the user chooses it; else [`Jobs::of_device`] does.
    pub jobs: Option<Jobs>,
    /// Writes when a sequence loads another device.
    pub reconfigure: Reconfigure,
    /// Code before everything else.
    pub prologue: Prologue,
    /// Name of the device; empty if none is chosen.
    pub device: String,
    /// Name of the runtime sequence; empty if none is chosen.
    pub sequence: String,
}

impl ControlCodeOptions {
    /// Division of work on a device.
    pub fn jobs(&self, model: &DeviceModel) -> Jobs {
        self.jobs.unwrap_or_else(|| Jobs::of_device(model))
    }
}

/// Inputs of one file of control code.
pub struct LoweredDevice {
    /// The device that is compiled.
    pub device: Op,
    /// Its model.
    pub model: &'static DeviceModel,
    /// Its runtime sequence.
    pub sequence: Option<RuntimeSequence>,
    /// Loads in order; the device itself, if its sequence loads none.
    pub loads: Vec<DeviceLoad>,
}

/// A device that is loaded, and what is done while it is.
pub struct DeviceLoad {
    /// Name of the device; none for the prologue.
    pub name: Option<String>,
    /// Its configuration and sequence.
    pub graph: Graph,
    /// Writes that bring the array to where the configuration begins: stages, by controller.
    pub leave: Vec<Vec<Vec<RegOp>>>,
    /// Number of the LOAD_PDI that does that and the configuration, if one does.
    pub pdi: Option<u32>,
    /// Kind of its loading, for statistics.
    pub how: Option<&'static str>,
}

impl LoweredDevice {
    /// The jobs and pages.
    pub fn plan(&self, jobs: Jobs) -> Plan {
        let phases: Vec<LoadPhase<'_>> = self.loads.iter().map(DeviceLoad::phase).collect();
        schedule_phases(self.model, &phases, jobs)
    }
}

impl DeviceLoad {
    fn phase(&self) -> LoadPhase<'_> {
        let name = self.name.as_deref().unwrap_or_default();
        LoadPhase {
            graph: &self.graph,
            leave: &self.leave,
            load: self.pdi.map(|pdi| PdiLoad { pdi, name }),
        }
    }
}

/// The programs of a lowered module. What its cores are lowered to comes to `cores`.
///
/// # Errors
/// Something can't be lowered, or it isn't known which device or sequence is meant. All programs
/// are tried, so that one run reports what is wrong in each.
pub fn programs(
    module: &Module,
    choice: &ControlCodeOptions,
    cores: &mut CorePrograms,
    diags: &mut Diags,
) -> Result<Vec<LoweredDevice>, Reported> {
    let mut programs = Ok(Vec::new());
    for device in compiled(module, &choice.device, diags)? {
        match (program(module, device, choice, cores, diags), &mut programs) {
            (Ok(program), Ok(list)) => list.extend(program),
            (Ok(_), Err(Reported)) => {}
            (Err(Reported), _) => programs = Err(Reported),
        }
    }
    programs
}

/// The program of a device; none without a model, which the verifier reports.
fn program(
    module: &Module,
    device: Op,
    choice: &ControlCodeOptions,
    cores: &mut CorePrograms,
    diags: &mut Diags,
) -> Result<Option<LoweredDevice>, Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(None);
    };
    let sequence = choose_sequence(module, device, &choice.sequence, diags)?;
    let loading = sequence.filter(|s| loads_devices(module, s.op()));
    let writes = match loading {
        Some(_) => Ok(Vec::new()),
        None => device_writes(module, device, cores, diags),
    };
    let spans = match sequence {
        Some(sequence) => sequence_regions(module, sequence.op(), diags),
        None => Ok(Vec::new()),
    };
    let (writes, spans) = (writes?, spans?);
    let points = spans.iter().flat_map(|span| &span.preemptions);
    diags.extend(points.map(|point| unused_preemption(module, point.op)));
    let phases = match loading {
        Some(_) => phases(module, spans, choice.reconfigure, cores, diags)?,
        None => {
            let ops = spans.into_iter().flat_map(|span| span.ops).collect();
            vec![reconfigure::LoadStep::alone(module, device, writes, ops)]
        }
    };
    Ok(Some(LoweredDevice {
        device,
        model,
        sequence,
        loads: loads(module, model, phases, choice),
    }))
}

fn unused_preemption(module: &Module, point: Op) -> Diag {
    Diag::warning(&UNSUPPORTED, "this preemption point is left out")
        .label(module.span(point), "this one")
        .help(
            "only aie4 has them, of which no register map is public; without it the design runs \
             to its end undisturbed",
        )
}

/// The loads, in order.
fn loads(
    module: &Module,
    model: &'static DeviceModel,
    phases: Vec<reconfigure::LoadStep>,
    choice: &ControlCodeOptions,
) -> Vec<DeviceLoad> {
    let jobs = choice.jobs(model);
    let reset = choice.prologue == Prologue::Reset;
    // Where all controllers meet, each needs a bit of a barrier's mask.
    let meet = reset || phases.len() > 1 || phases.iter().any(|phase| phase.pdi.is_some());
    let last_uc = if meet { BARRIER_PARTIES - 1 } else { u32::MAX };
    let stages = |stages: Vec<Vec<RegOp>>| -> Vec<Vec<Vec<RegOp>>> {
        let stages = stages.into_iter();
        stages
            .map(|ops| by_controller(model, ops, jobs, last_uc))
            .collect()
    };
    let mut loads = Vec::with_capacity(phases.len() + 1);
    if reset {
        let ops = phases.iter();
        let ops = ops.flat_map(|phase| [&phase.config[..], &phase.ops[..]]);
        let ops: Vec<&[RegOp]> = ops.collect();
        loads.push(DeviceLoad {
            name: None,
            graph: Graph::default(),
            leave: stages(prologue(model, &ops)),
            pdi: None,
            how: None,
        });
    }
    for phase in phases {
        let uses = core_uses(module, phase.device);
        let work = GraphInput {
            config: phase.config,
            written: phase.written,
            sequence: phase.ops,
            uses: &uses,
            last_uc,
        };
        let mut graph = partition(model, &work, jobs);
        if phase.pdi.is_some() {
            // All controllers meet after LOAD_PDI.
            graph.set_apart();
        }
        loads.push(DeviceLoad {
            name: Some(phase.name),
            graph,
            leave: stages(phase.leave),
            pdi: phase.pdi,
            how: phase.how,
        });
    }
    loads
}

/// Whether a sequence loads devices.
fn loads_devices(module: &Module, sequence: Op) -> bool {
    let kinds = [
        OpKind::Configure,
        OpKind::NpuLoadPdi,
        OpKind::NpuWriteConfig,
    ];
    let found = module.find_each(sequence, kinds);
    found.iter().any(|ops| !ops.is_empty())
}

/// The devices that control code is made of: the one that is named; else, where a sequence loads
/// devices, `@main`, or the only one that loads others; else each.
fn compiled(module: &Module, wanted: &str, diags: &mut Diags) -> Result<Vec<Op>, Reported> {
    let devices = module.children::<Device>(module.top());
    let named = |name: &str| devices.iter().find(|device| device.name(module) == name);
    if !wanted.is_empty() {
        return match named(wanted) {
            Some(device) => Ok(vec![device.op()]),
            None => {
                let message = format!("there is no device `@{wanted}`");
                Err(diags.fail(which(module, &devices, message)))
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
            Err(diags.fail(which(module, &loading, message)))
        }
    }
}

/// The only device that control code is made of, by the name that is wanted, if any.
///
/// # Errors
/// There is none, or it isn't known which one is meant.
pub fn choose_device(module: &Module, wanted: &str, diags: &mut Diags) -> Result<Op, Reported> {
    match compiled(module, wanted, diags)?.as_slice() {
        [device] => Ok(*device),
        devices => {
            let message = if devices.is_empty() {
                "the file holds no device".to_string()
            } else {
                "the file holds several devices".to_string()
            };
            let devices: Vec<Device> = devices.iter().map(|op| Device(*op)).collect();
            Err(diags.fail(which(module, &devices, message)))
        }
    }
}

fn which(module: &Module, devices: &[Device], message: String) -> Diag {
    let names: Vec<String> = devices
        .iter()
        .map(|d| format!("`{}`", d.name(module)))
        .collect();
    let help = if names.is_empty() {
        "wrap the design in an `aie.device`".to_string()
    } else {
        format!("choose one with `--device-name`: {}", names.join(", "))
    };
    let mut diag = Diag::error(&WHICH_DEVICE, message).help(help);
    for device in devices.iter().take(3) {
        diag = diag.label(module.span(device.op()), "one of them");
    }
    diag
}

/// The sequence to compile.
///
/// # Errors
/// It isn't known which one is meant.
pub fn choose_sequence(
    module: &Module,
    device: Op,
    wanted: &str,
    diags: &mut Diags,
) -> Result<Option<RuntimeSequence>, Reported> {
    let sequences = module.children::<RuntimeSequence>(device);
    let name = |s: &RuntimeSequence| s.name(module);
    if wanted.is_empty() && sequences.len() <= 1 {
        return Ok(sequences.first().copied());
    }
    if let Some(found) = sequences.iter().find(|s| name(s) == wanted) {
        return Ok(Some(*found));
    }
    let names: Vec<String> = sequences.iter().map(|s| format!("`{}`", name(s))).collect();
    let message = match wanted {
        "" => "the device has several runtime sequences".to_string(),
        wanted => format!("the device has no runtime sequence `{wanted}`"),
    };
    let help = if names.is_empty() {
        "leave the option out: there is no sequence".to_string()
    } else {
        format!(
            "choose one with `--sequence` (in `aiec opt` the option `sequence` of `emit-jobs`): {}",
            names.join(", ")
        )
    };
    let mut diag = Diag::error(&WHICH_SEQUENCE, message).help(help);
    for sequence in sequences.iter().take(3) {
        diag = diag.label(module.span(sequence.op()), "one of them");
    }
    Err(diags.fail(diag))
}

/// The tiles whose memories and locks each core uses, beside its own.
fn core_uses(module: &Module, device: Op) -> CoreUses {
    let mut uses = CoreUses::new();
    for core in module.children::<Core>(device) {
        let Some(loc) = core.tile_loc(module) else {
            continue;
        };
        let mut used = BTreeSet::new();
        for op in module.walk(core.op()) {
            for operand in module.operands(op) {
                let Some(definition) = module.def_op(operand) else {
                    continue;
                };
                let buffer = Buffer::cast(module, definition).and_then(|b| b.tile_loc(module));
                let lock = Lock::cast(module, definition).and_then(|l| l.tile_loc(module));
                used.extend(buffer.or(lock).filter(|tile| *tile != loc));
            }
        }
        uses.insert(loc, used);
    }
    uses
}
