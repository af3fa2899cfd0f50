//! Machine code by this project's own code generator ([`aiec_codegen`]): no other compiler is needed.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Core, Device, OpView};
use aiec_codegen::{MachineCode, PlacedFunction, kernels, link_functions};
use aiec_core::object::{Binding, CODE_ALIGN, SectionKind};
use aiec_core::{CoreProgram, OldRead, ProgramLine, ProgramSection, ProgramSymbol, elf};
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Diags, Reported, SourceMap};
use aiec_passes::analysis::core_elf;
use aiec_sim::core::machine_code_of;
use indexmap::IndexSet;

use super::{NO_GENERATOR, set_machine_code};

/// Alignment of data, in bytes: a 256-bit access.
const DATA_ALIGN: u32 = 32;

/// Machine code of a core with a body.
pub(super) struct GeneratedCore {
    pub core: Core,
    /// Its name in files.
    pub name: String,
    loc: TileLoc,
    model: &'static DeviceModel,
    pub code: MachineCode,
}

impl GeneratedCore {
    /// The executable.
    pub fn program(&self, module: &Module, sources: &SourceMap) -> CoreProgram {
        program(module, self.model, self.loc, &self.code, sources)
    }
}

/// The machine code of all cores of a routed module that have a body.
///
/// # Errors
/// As [`compile`].
pub(super) fn generated(
    module: &mut Module,
    diags: &mut Diags,
) -> Result<Vec<GeneratedCore>, Reported> {
    // A kernel of mlir-aie that a design declares, and no linked file defines, has a body in the
    // library.
    let libraries = kernels::library(module);
    link_functions::link(module, &libraries, diags)?;
    let mut made = Vec::new();
    for device in module.find_all::<Device>(module.top()) {
        let Some(model) = device.model(module) else {
            continue;
        };
        for core in module.children::<Core>(device.op()) {
            let Some(loc) = core.tile_loc(module) else {
                continue;
            };
            if core_elf::file_of(module, core).is_some() {
                continue;
            }
            let Some(arch) = machine_code_of(model.arch()) else {
                let message = format!(
                    "the cores of {} have no instruction set that is known here",
                    model.name()
                );
                let diag = Diag::error(&NO_GENERATOR, message)
                    .label(module.span(core.op()), "this core")
                    .help("build for a device of AIE-ML or later: npu1, npu2, xcve3858 and others");
                diags.push(diag);
                continue;
            };
            let code = aiec_codegen::machine_code(module, core.op(), arch, diags);
            if let Ok(code) = code {
                made.push(GeneratedCore {
                    core,
                    name: format!("{}_core_{}_{}", device.name(module), loc.col, loc.row),
                    loc,
                    model,
                    code,
                });
            }
        }
    }
    diags.check()?;
    Ok(made)
}

/// Gives the cores of a routed module that have a body machine code instead.
///
/// # Errors
/// A device whose cores have no known instruction set, and what has no machine code; reported for all cores.
pub fn compile(
    module: &mut Module,
    sources: &SourceMap,
    diags: &mut Diags,
) -> Result<(), Reported> {
    let made = generated(module, diags)?;
    let elves: Vec<Vec<u8>> = made
        .iter()
        .map(|made| elf::write_program(&made.program(module, sources)))
        .collect();
    for (made, elf) in made.into_iter().zip(elves) {
        set_machine_code(module, made.core, &made.name, elf);
    }
    Ok(())
}

/// The executable of a core: its code at 0 of program memory, its data in its own data memory, its lines.
fn program(
    module: &Module,
    model: &DeviceModel,
    loc: TileLoc,
    code: &MachineCode,
    sources: &SourceMap,
) -> CoreProgram {
    let own = model.own_data_address(loc);
    let section = |name: &str, kind, address, align, bytes: &[u8]| ProgramSection {
        name: name.to_owned(),
        kind,
        address,
        align,
        size: bytes.len() as u32,
        bytes: bytes.to_vec(),
    };
    let text = section(".text", SectionKind::Code, 0, CODE_ALIGN, &code.bytes);
    let data = code.data.iter().enumerate().map(|(number, data)| {
        let name = format!(".data.{number}");
        let address = own + data.offset;
        section(&name, SectionKind::Data, address, DATA_ALIGN, &data.bytes)
    });
    let symbol = |function: &PlacedFunction| ProgramSymbol {
        name: function.name.clone(),
        address: function.address,
        size: function.bytes,
        binding: Binding::Global,
        is_function: true,
        section: Some(0),
    };
    let old_reads = (!code.old_reads.is_empty()).then(|| OldRead::section(&code.old_reads));
    let (files, lines) = lines(module, code, sources);
    CoreProgram {
        arch: code.arch,
        entry: 0,
        sections: std::iter::once(text).chain(data).chain(old_reads).collect(),
        symbols: code.functions.iter().map(symbol).collect(),
        files,
        lines,
    }
}

/// The source lines of the code, with the names of their files.
fn lines(
    module: &Module,
    code: &MachineCode,
    sources: &SourceMap,
) -> (Vec<String>, Vec<ProgramLine>) {
    let mut files = IndexSet::new();
    let mut lines: Vec<ProgramLine> = Vec::new();
    let mut position = |op: Op| {
        let span = module.span(op)?;
        let file = sources.file(span.file)?;
        let (line, _) = file.line_col(span.start);
        let number = files.insert_full(file.name.clone()).0;
        Some((number, u32::try_from(line).ok()?))
    };
    for (address, op) in &code.sources {
        let Some((file, line)) = position(*op) else {
            continue;
        };
        if lines
            .last()
            .is_some_and(|last| (last.file, last.line) == (file, line))
        {
            continue;
        }
        lines.push(ProgramLine {
            address: *address,
            file,
            line,
        });
    }
    if let Some(last) = lines.last() {
        // The end of the sequence, without which the last line would hold for all that follows.
        let address = code.bytes.len() as u32;
        let file = last.file;
        lines.push(ProgramLine {
            address,
            file,
            line: 0,
        });
    }
    (files.into_iter().collect(), lines)
}
