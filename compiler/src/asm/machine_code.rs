//! Machine code of cores: `aiec asm -t aie2-core`.

use std::path::Path;

use aiec_cert::asm::NO_CODE;
use aiec_core::link::{LinkOptions, add_members, link};
use aiec_core::object::CoreObject;
use aiec_core::{CoreArch, asm, elf};
use aiec_diag::{Diag, Reported};

use super::AsmArgs;
use crate::io::Io;
use crate::session::Session;

/// Options of `aiec asm` without a meaning for machine code, and whether each is given.
fn options_of_control_code(args: &AsmArgs) -> impl Iterator<Item = &'static str> {
    let given = [
        ("--include", !args.include.is_empty()),
        ("--config", args.config.is_some()),
        ("--patch", args.patch.is_some()),
        ("--dump", args.dump.is_some()),
        ("--opt-level", args.opt_level != 0),
        ("--fix-pages", args.fix_pages),
        ("--compat", args.compat),
        ("--lenient", args.lenient),
        ("--save-restore", args.save_restore.is_some()),
    ];
    given
        .into_iter()
        .filter(|(_, is_given)| *is_given)
        .map(|(name, _)| name)
}

/// The problem with the command line for machine code.
pub(super) fn unfit_asm_options(args: &AsmArgs) -> Option<String> {
    let option = options_of_control_code(args).next()?;
    Some(format!(
        "{option} is for control code; machine code of cores has no use for it"
    ))
}

/// Assembles texts and links them with objects: an executable, or with `--relocatable` an object.
pub(super) fn assemble(
    args: &AsmArgs,
    arch: CoreArch,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Vec<u8>, Reported> {
    let mut objects = Vec::new();
    let mut members = Vec::new();
    let mut failed = None;
    for path in &args.inputs {
        let read = session.read(path, io)?;
        if elf::is_archive(&read) {
            match elf::read_archive(&path.display().to_string(), &read) {
                Ok(read) => members.extend(read),
                Err(diag) => failed = Some(session.fail(diag)),
            }
            continue;
        }
        match object(path, read, arch, session) {
            Ok(object) => objects.push(object),
            Err(reported) => failed = Some(reported),
        }
    }
    if let Some(reported) = failed {
        return Err(reported);
    }
    if args.relocatable {
        return match &objects[..] {
            [object] => Ok(elf::write_object(object)),
            _ => {
                let message = "--relocatable makes an object of one file";
                let diag = Diag::error(&elf::WRONG_KIND, message);
                Err(session.fail(diag.help("assemble the files one by one")))
            }
        };
    }
    add_members(&mut objects, &members, &args.symbols);
    let options = LinkOptions {
        symbols: args.symbols.clone(),
        ..LinkOptions::default()
    };
    let program = link(&objects, &options).map_err(|findings| report(session, findings))?;
    if program.sections.is_empty() {
        let diag = Diag::error(&NO_CODE, "there is no code or data of a core in this");
        return Err(session.fail(diag.help("add `.text` and instructions")));
    }
    Ok(elf::write_program(&program))
}

/// Adds findings, of which there is at least one.
fn report(session: &mut Session, findings: Vec<Diag>) -> Reported {
    session.diags.extend(findings);
    Reported
}

/// The object that a file is, or that its text assembles to.
fn object(
    path: &Path,
    bytes: Vec<u8>,
    arch: CoreArch,
    session: &mut Session,
) -> Result<CoreObject, Reported> {
    let name = path.display().to_string();
    if elf::is_core_file(&bytes) {
        return elf::read_object(&name, &bytes).map_err(|diag| session.fail(diag));
    }
    let (file, text) = session.file_and_text(path, bytes)?;
    asm::assemble(arch, &name, file, &text).map_err(|findings| report(session, findings))
}
