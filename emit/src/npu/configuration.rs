//! Configurations of devices as commands, and PDIs of them.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Device, OpView};
use aiec_codegen::CorePrograms;
use aiec_diag::{Diag, Diags, Reported};
use aiec_npu::cdo::{Cdo, CdoAddress, Command};
use aiec_npu::pdi;
use aiec_passes::configure::device_configuration;
use aiec_passes::regops::RegOp;
use aiec_regprog::{RegAction, Unsupported};

use super::{NO_TRANSACTION, NpuOptions, check_cores, firmware_model};

/// The three parts of a device's configuration: names as mlir-aie gives its files.
pub(super) fn parts(
    module: &Module,
    device: Device,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<[(&'static str, Cdo); 3], Reported> {
    firmware_model(module, device, diags)?;
    check_cores(module, device.op(), choice, diags)?;
    let parts = device_configuration(module, device.op(), &mut CorePrograms::default(), diags)?;
    let mut commands = |ops: &[RegOp]| {
        let mut commands = Vec::with_capacity(ops.len());
        for op in ops {
            match command(&op.action) {
                Ok(command) => commands.push(command),
                Err(unsupported) => diags.push(refused(module, device.op(), op, unsupported)),
            }
        }
        Cdo { commands }
    };
    let parts = [
        ("elfs", commands(&parts.programs)),
        ("init", commands(&parts.setup)),
        ("enable", commands(&parts.start)),
    ];
    diags.check()?;
    Ok(parts)
}

/// The PDI of a device.
pub(super) fn device_pdi(
    module: &Module,
    device: Device,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let parts = parts(module, device, choice, diags)?;
    Ok(pdi::write(&Cdo::join(parts.map(|(_, cdo)| cdo))))
}

/// The PDI that only lets the firmware reset the array.
pub(super) fn empty_pdi() -> Vec<u8> {
    let nop = Command::Nop { words: Vec::new() };
    pdi::write(&Cdo {
        commands: vec![nop],
    })
}

/// The command of a register operation.
///
/// # Errors
/// A CDO only writes: it is loaded before there is anything to wait for, and without a host's buffers.
fn command(action: &RegAction) -> Result<Command, Unsupported> {
    Ok(match action {
        RegAction::Write { address, value } => Command::Write {
            register: CdoAddress::Short(*address),
            value: *value,
        },
        RegAction::Mask {
            address,
            mask,
            value,
        } => Command::MaskWrite {
            register: CdoAddress::Short(*address),
            mask: *mask,
            value: *value,
        },
        RegAction::Block { address, words } => Command::DmaWrite {
            address: u64::from(*address),
            words: words.clone(),
        },
        RegAction::PatchedBd { .. } | RegAction::Patch { .. } => {
            return Err(Unsupported::HostAddress);
        }
        RegAction::Copy { .. } => return Err(Unsupported::Copy),
        RegAction::Poll { .. } | RegAction::Wait { .. } | RegAction::Sync { .. } => {
            return Err(Unsupported::Wait);
        }
        RegAction::Read { .. } => return Err(Unsupported::Read),
        RegAction::Preempt { .. } => return Err(Unsupported::Preemption),
        RegAction::CreateScratchpad { .. } | RegAction::UpdateFromScratchpad { .. } => {
            return Err(Unsupported::Scratchpad);
        }
    })
}

/// The finding about an operation that a configuration can't hold.
fn refused(module: &Module, device: Op, op: &RegOp, unsupported: Unsupported) -> Diag {
    let help = match unsupported {
        Unsupported::HostAddress => {
            "the driver fills in the addresses of host buffers in runtime sequences only: \
             move the transfer there, or give the aie.external_buffer an `address`"
        }
        _ => "do it in a runtime sequence",
    };
    let span = module.locs.source_span(op.loc).or(module.span(device));
    Diag::error(&NO_TRANSACTION, "a configuration can only write registers")
        .label(span, "this needs more")
        .help(help)
}

/// The devices of a module that the choice takes: the one that is named, or all.
pub(super) fn devices(module: &Module, choice: &NpuOptions) -> Vec<Device> {
    let mut devices = module.children::<Device>(module.top());
    devices.retain(|d| choice.device.is_empty() || d.name(module) == choice.device);
    devices
}

/// The configuration of each device in three files, as tools of boot images take them.
pub fn cdo_files(
    module: &Module,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<Vec<(String, Vec<u8>)>, Reported> {
    let mut files = Vec::new();
    for device in devices(module, choice) {
        let name = device.name(module);
        for (part, cdo) in parts(module, device, choice, diags)? {
            files.push((format!("{name}_aie_cdo_{part}"), with_nop(cdo).write()));
        }
    }
    Ok(files)
}

/// Tools refuse a file without commands.
fn with_nop(mut cdo: Cdo) -> Cdo {
    let words = Vec::new();
    cdo.commands.insert(0, Command::Nop { words });
    cdo
}

/// The PDI of each device.
pub fn pdi_files(
    module: &Module,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<Vec<(String, Vec<u8>)>, Reported> {
    let mut files = Vec::new();
    for device in devices(module, choice) {
        files.push((
            device.name(module),
            device_pdi(module, device, choice, diags)?,
        ));
    }
    Ok(files)
}
