//! Machine code of cores: `aiec dis core.elf`.

use aiec_core::{CoreArch, CoreProgram, elf, listing};
use aiec_diag::{Diag, Reported};
use clap::ValueEnum;

use super::{DisArgs, Family};
use crate::session::Session;

/// The problem with the command line for listing machine code.
fn unfit_dis_options(args: &DisArgs) -> Option<&'static str> {
    if args.annotate {
        Some("--annotate")
    } else if args.as_json() {
        Some("--format=json")
    } else if args.device.is_some() {
        Some("--device")
    } else {
        None
    }
}

/// A finding if `--target` names another architecture than the file.
fn check_target(target: Option<Family>, arch: CoreArch) -> Result<(), Diag> {
    let Some(target) = target.filter(|target| target.core() != Some(arch)) else {
        return Ok(());
    };
    let name = target.to_possible_value();
    let name = name.as_ref().map_or("", |value| value.get_name());
    let message = format!("--target {name}, but the file holds machine code of an {arch} core");
    let help = "leave --target out: the ELF file names its architecture";
    Err(Diag::error(&elf::WRONG_KIND, message).help(help))
}

/// Lists machine code: an ELF file, or with a target the bytes of a program memory.
pub(super) fn disassemble(
    args: &DisArgs,
    bytes: &[u8],
    session: &mut Session,
) -> Result<String, Reported> {
    if let Some(option) = unfit_dis_options(args) {
        let message = format!("{option} is for control code, this is machine code of a core");
        let diag = Diag::error(&elf::WRONG_KIND, message);
        return Err(session.fail(diag.help("leave the option out")));
    }
    let program = match args.target.and_then(Family::core) {
        Some(arch) if !elf::is_elf(bytes) => Ok(CoreProgram::of_code(arch, bytes)),
        _ if elf::is_object(bytes) => {
            elf::read_object("", bytes).map(|object| CoreProgram::of_object(&object))
        }
        _ => elf::read_program(bytes),
    };
    let program = program
        .and_then(|program| check_target(args.target, program.arch).map(|()| program))
        .map_err(|diag| session.fail(diag))?;
    Ok(listing(&program))
}
