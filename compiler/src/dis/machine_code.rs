//! Machine code of cores: `aiec dis core.elf`.

use aiec_core::{CoreArch, CoreProgram, elf, listing};
use aiec_diag::{Diag, Reported};

use super::DisArgs;
use crate::session::Session;

/// What is wrong with the command line for listing machine code.
fn unfit_dis_options(args: &DisArgs) -> Option<&'static str> {
    if args.annotate {
        Some("--annotate")
    } else if args.json {
        Some("--json")
    } else if args.device.is_some() {
        Some("--device")
    } else {
        None
    }
}

/// Lists machine code: an ELF file, or with a target the bytes of a program memory.
pub(super) fn disassemble(
    args: &DisArgs,
    arch: Option<CoreArch>,
    bytes: &[u8],
    session: &mut Session,
) -> Result<String, Reported> {
    if let Some(option) = unfit_dis_options(args) {
        let message = format!("{option} is for control code, this is machine code of a core");
        let diag = Diag::error(&elf::WRONG_KIND, message);
        return Err(session.diags.fail(diag.help("leave the option out")));
    }
    let program = match arch {
        Some(arch) if !elf::is_core_file(bytes) => Ok(CoreProgram::of_code(arch, bytes)),
        _ if elf::is_object(bytes) => {
            elf::read_object("", bytes).map(|object| CoreProgram::of_object(&object))
        }
        _ => elf::read_program(bytes),
    };
    let program = program.map_err(|diag| session.diags.fail(diag))?;
    Ok(listing(&program))
}
