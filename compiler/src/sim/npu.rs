//! Programs of `aiec sim` other than control code: files that drivers of Ryzen AI load, and designs as such.

use std::path::Path;

use aiec_cert::debug::DebugInfo;
use aiec_diag::{Diag, Reported, codes};
use aiec_emit::npu::{self, NpuOptions};
use aiec_sim::SimOptions;
use aiec_sim::npu::NpuInput;

use crate::args::{SimArgs, SimulatedAs};
use crate::design_compiler::{Compiler, choice, npu_options};
use crate::io::Io;
use crate::npu_files::NpuFileKind;
use crate::session::Session;

codes! {
    /// Codes of running files of Ryzen AI.
    pub static CODES;
    NOT_FOR_INPUT = "sim::not-for-this-input",
        "The option belongs to another kind of input: `--insts`, `--kernel-name` and `--scratchpad` to an \
         xclbin, a transaction or an ELF of Ryzen AI, `--as` to a design.";
}

/// Prefix of the codes of damaged files of Ryzen AI.
const MALFORMED_CODES: &str = "npu::malformed-";
/// The first bytes of an xclbin.
const XCLBIN_MAGIC: &[u8] = b"xclbin2\0";

/// Whether a file is one that drivers of Ryzen AI load.
pub fn is_npu_file(bytes: &[u8]) -> bool {
    matches!(
        NpuFileKind::of(bytes),
        Some(
            NpuFileKind::Xclbin
                | NpuFileKind::Elf
                | NpuFileKind::Transaction
                | NpuFileKind::OtherTransaction
        )
    )
}

/// The input of a run from files of Ryzen AI.
pub fn from_files(
    (input_path, bytes): (&Path, &[u8]),
    args: &SimArgs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<NpuInput, Reported> {
    let instructions = match &args.insts {
        Some(path) => Some(session.read(path, io)?),
        None => None,
    };
    let is_xclbin = bytes.starts_with(XCLBIN_MAGIC);
    if !is_xclbin && instructions.is_some() {
        let message = "`--insts` goes with an xclbin; this file holds its own instructions";
        return Err(session.fail(Diag::error(&NOT_FOR_INPUT, message)));
    }
    let (xclbin, program) = if is_xclbin {
        (Some(bytes), instructions.as_deref())
    } else {
        (None, Some(bytes))
    };
    let input = NpuInput::read(xclbin, program, args.kernel_name.clone());
    input.map_err(
        |diag| match (diag.code.id.strip_prefix(MALFORMED_CODES), &args.insts) {
            (Some("transaction" | "elf"), Some(path)) => session.fail_in_file(path, diag),
            (Some(_), _) => session.fail_in_file(input_path, diag),
            (None, _) => session.fail(diag),
        },
    )
}

/// Gives a program the table of `--scratchpad`, or says that it reads zeros.
pub fn give_scratchpad(
    input: &mut NpuInput,
    args: &SimArgs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<(), Reported> {
    if let Some(path) = &args.scratchpad {
        input.scratchpad = Some(session.read_data(path, io)?);
    }
    input
        .check_scratchpad()
        .map_err(|diag| session.fail(diag))?;
    session.diags.extend(input.scratchpad_remarks());
    Ok(())
}

/// Refuses options for files of Ryzen AI with other inputs.
pub fn refuse_options(args: &SimArgs, session: &mut Session) -> Result<(), Reported> {
    for (name, given) in [
        ("--insts", args.insts.is_some()),
        ("--kernel-name", args.kernel_name.is_some()),
        ("--scratchpad", args.scratchpad.is_some()),
    ] {
        if given {
            let message = format!("`{name}` goes with files of Ryzen AI, and this input is none");
            let diag = Diag::error(&NOT_FOR_INPUT, message)
                .help("name an xclbin or an ELF of Ryzen AI, or compile the design with `--as`");
            return Err(session.fail(diag));
        }
    }
    Ok(())
}

/// Refuses options that choose a part of a design where the input is compiled already.
pub fn refuse_design_options(args: &SimArgs, session: &mut Session) -> Result<(), Reported> {
    let design = &args.design;
    // Help texts for options that need a design.
    let part = "leave it out; `--kernel-name` chooses a kernel of an xclbin or ELF of Ryzen AI";
    let code = "leave it out, or give the design";
    for (name, given, help) in [
        ("--as", args.run_as.is_some(), code),
        ("--device-name", design.main_device.is_some(), part),
        ("--sequence", design.sequence.is_some(), part),
        ("--scalar", !design.scalars.is_empty(), code),
        ("--link", !design.link.is_empty(), code),
        ("--jobs", design.jobs.is_some(), code),
        ("--arbiters", design.arbiters.is_some(), code),
        ("--prologue", design.prologue.is_some(), code),
        ("--reconfigure", design.reconfigure.is_some(), code),
        ("--print-ir-after", design.print_ir_after.is_some(), code),
        ("--print-ir-before", design.print_ir_before.is_some(), code),
        ("--verify-each", design.verify_each, code),
        ("--verify-with-mlir", design.verify_with_mlir, code),
    ] {
        if given {
            let message = format!("`{name}` goes with a design; this file is compiled already");
            let diag = Diag::error(&NOT_FOR_INPUT, message);
            session.push(diag.help(help));
        }
    }
    session.diags.check()
}

/// Compiles a design to files of Ryzen AI and takes these: cores with bodies get the simulator's
/// programs.
pub fn from_design(
    path: &Path,
    bytes: Vec<u8>,
    (args, kind): (&SimArgs, SimulatedAs),
    options: &mut SimOptions,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<(NpuInput, DebugInfo), Reported> {
    let mut compiler = Compiler::new(&args.design, session, io);
    let module = compiler.routed_to_simulate(path, bytes, args, options)?;
    let mut choice = NpuOptions {
        model_cores: true,
        ..npu_options(&choice(&args.design))
    };
    let diags = &mut compiler.session.diags;
    let (device, sequence) = npu::chosen(&module, &choice, diags)?;
    choice.device = device.name(&module);
    choice.sequence = sequence
        .sym_name(&module)
        .map_or(choice.sequence, |n| n.to_string());
    let kernel = None;
    let read = match kind {
        SimulatedAs::NpuElf => {
            let elf = npu::full_elf(&module, &choice, diags)?;
            NpuInput::read(None, Some(&elf), kernel)
        }
        SimulatedAs::Xclbin => {
            let xclbin = npu::xclbin(&module, &choice, diags)?;
            let instructions = npu::instructions(&module, &choice, diags)?;
            NpuInput::read(Some(&xclbin), Some(&instructions), kernel)
        }
        SimulatedAs::XclbinElf => {
            let xclbin = npu::xclbin(&module, &choice, diags)?;
            let instructions = npu::partial_elf(&module, &choice, diags)?;
            NpuInput::read(Some(&xclbin), Some(&instructions), kernel)
        }
    };
    let mut input = read.map_err(|diag| diags.fail(diag))?;
    diags.check()?;
    let sources = &compiler.session.sources;
    let loads = kind == SimulatedAs::NpuElf;
    input.lines = npu::operation_lines(&module, (device, sequence), loads, sources, diags)?;
    Ok((input, npu::debug_info(&module, device, sequence, sources)))
}
