//! `ctrl-elf` and `ctrl-asm`: the control code of a design as a file.
//!
//! The plan that `emit-jobs` makes becomes a [`Program`] of `aiec-cert`, which lays out the pages.
//! An ELF also gets a debug section: names and source lines for the simulator's reports, which jobs
//! configure the device, and the sizes of the sequence's arguments.

use std::borrow::Cow;

use aiec_aie::ir::Module;
use aiec_aie::ops::{CertAttachToGroup, CertPage, Device, OpView, RuntimeSequence};
use aiec_cert::debug::DebugInfo;
use aiec_cert::finding::Finding;
use aiec_cert::names::Target;
use aiec_cert::pager::LayoutOptions;
use aiec_cert::program::Program;
use aiec_cert::{elf as file, image, print};
use aiec_codegen::CorePrograms;
use aiec_diag::{Diag, Diags, Reported, SourceMap, codes};
use aiec_passes::jobs::plan::Plan;
use aiec_passes::jobs::read::read_plan;
use aiec_passes::jobs::{ControlCode, NOT_CONTROL_CODE};

use super::debug_names;

codes! {
    /// Codes of the emission of control code.
    pub static CODES;
    NO_DEVICE = "emit::no-device",
        "Control code configures a device, and the file holds none. Put the design into an \
         aie.device.";
    SEVERAL_DEVICES = "emit::several-devices",
        "A control code file is made for one device and those that its runtime sequence loads with \
         `aiex.configure`. Of several devices that don't load one another, `--device-name` chooses.";
    NO_CONTROL_CODE = "emit::no-control-code",
        "The translation to assembly prints the control code operations of a device, and the device has none: the assembly \
         is empty. A compilation makes control code of a design; passes that are run by name turn its register writes \
         into such operations.";
    LAYOUT = "emit::layout",
        "The control code can't be laid out in pages of 8192 bytes, or a value doesn't fit its \
         field.";
}

/// The control code of a design's device.
pub struct ControlProgram {
    /// The code, with places in the sources.
    pub program: Program,
    /// The device.
    pub device: Device,
    /// The runtime sequence that it runs.
    pub sequence: Option<RuntimeSequence>,
    /// The programs of the module's cores that were lowered for it.
    pub cores: CorePrograms,
}

/// The control code of a module: what its device holds as operations already, then what was made of
/// it and of its cores.
pub fn program(
    module: &Module,
    codes: &[ControlCode],
    cores: CorePrograms,
    sources: &SourceMap,
    diags: &mut Diags,
) -> Result<ControlProgram, Reported> {
    let device = the_device(module, codes, diags)?;
    let mut held = read_plan(module, device, diags)?;
    let made = codes.iter().find(|code| code.device == device.op());
    let plan = match made {
        Some(made) if held.controllers.is_empty() => Cow::Borrowed(&made.plan),
        Some(made) if made.is_held(module, diags)? => Cow::Owned(held),
        made => {
            held.append(made.map(|made| made.plan.clone()).unwrap_or_default());
            Cow::Owned(held)
        }
    };
    Ok(ControlProgram {
        program: with_sources(module, device, &plan, sources),
        device,
        sequence: made.and_then(|made| made.sequence),
        cores,
    })
}

fn with_sources(module: &Module, device: Device, plan: &Plan, sources: &SourceMap) -> Program {
    let columns = device.model(module).map_or(1, |m| u32::from(m.columns()));
    let source = |loc| debug_names::source_loc(module.locs.source_span(loc)?, sources);
    let mut program = plan.to_program(columns, &source);
    program.files = debug_names::file_names(sources);
    program
}

/// The ELF.
pub fn elf(
    module: &Module,
    code: &ControlProgram,
    sources: &SourceMap,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let program = &code.program;
    if program.target != Target::Aie2ps {
        let message = format!("the code has instructions that only {} has", program.target);
        let diag = Diag::error(&NOT_CONTROL_CODE, message).label(module.span(code.device.op()), "");
        return Err(diags.fail(diag.help("leave out `aiex.cert.preempt`")));
    }
    let image = image::assemble(program, LayoutOptions::default())
        .map_err(|errors| report_layout(errors, diags))?;
    let mut debug = DebugInfo::of_image(&image, program.files.clone());
    let (device, sequence) = (code.device, code.sequence);
    debug_names::fill(&mut debug, module, device, sequence, &code.cores, sources);
    file::write(&image, Some(&debug)).map_err(|error| {
        let diag = Diag::error(
            &LAYOUT,
            format!("the file can't be written: {}", error.message),
        );
        diags.fail(diag.help("split the design into smaller ones"))
    })
}

/// The assembly.
pub fn asm(
    _: &Module,
    code: &ControlProgram,
    _: &SourceMap,
    _: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    Ok(print::print(&code.program).into_bytes())
}

/// The control code operations of the only device that has some as assembly: `aiec translate
/// --aie-cert-to-asm`.
pub fn asm_of_operations(module: &Module, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let device = the_device(module, &[], diags)?;
    let plan = read_plan(module, device, diags)?;
    if plan.controllers.is_empty() {
        let message = "this device has no control code operations: the assembly is empty";
        let diag = Diag::warning(&NO_CONTROL_CODE, message).label(module.span(device.op()), "");
        let help = "`aiec --emit=ctrl-asm` makes control code of a design, \
                    `aiec opt --aie-npu-to-cert` of register writes";
        diags.push(diag.help(help));
    }
    let program = with_sources(module, device, &plan, &SourceMap::default());
    Ok(print::print(&program).into_bytes())
}

fn no_device(module: &Module, diags: &mut Diags) -> Reported {
    let diag = Diag::error(&NO_DEVICE, "there is no aie.device to configure")
        .label(module.span(module.top()), "in this module");
    diags.fail(diag.help("wrap the design in `aie.device(npu1) { … }`"))
}

fn the_device(
    module: &Module,
    codes: &[ControlCode],
    diags: &mut Diags,
) -> Result<Device, Reported> {
    let devices = module.children::<Device>(module.top());
    match devices.as_slice() {
        [device] => Ok(*device),
        [] => Err(no_device(module, diags)),
        [first, second, ..] => {
            // A device that loads the others, or that was named, is the only one with code.
            let has_code = |device: &&Device| {
                let mut made = codes.iter().filter(|code| code.device == device.op());
                made.any(|code| !code.plan.controllers.is_empty())
                    || !module.children::<CertPage>(device.op()).is_empty()
                    || !module.children::<CertAttachToGroup>(device.op()).is_empty()
            };
            let mut compiled = devices.iter().filter(has_code);
            if let (Some(device), None) = (compiled.next(), compiled.next()) {
                return Ok(*device);
            }
            let help = "choose one with `--device-name`, or load them from a sequence of `@main`";
            Err(diags.fail(several_devices(module, [*first, *second], help)))
        }
    }
}

/// The finding that a file holds several devices; the help says how one is chosen.
pub(crate) fn several_devices(module: &Module, [first, second]: [Device; 2], help: &str) -> Diag {
    Diag::error(&SEVERAL_DEVICES, "the file holds several devices")
        .label(module.span(second.op()), "a further one")
        .label(module.span(first.op()), "the first one")
        .help(help)
}

fn report_layout(errors: Vec<Finding>, diags: &mut Diags) -> Reported {
    diags.extend(errors.into_iter().map(|finding| Diag {
        help: finding.diag.help.clone(),
        ..Diag::error(&LAYOUT, finding.to_string())
    }));
    Reported
}
