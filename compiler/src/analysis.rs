//! Designs and control code, judged as far as that goes without a run: for `aiec check` and for editors.

use std::path::Path;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpKind, OpView};
use aiec_device::TileLoc;
use aiec_diag::{Diag, Diags, Reported, Severity, Span};
use aiec_emit::sequence_program;
use aiec_passes::analysis::budget::TileBudget;

use crate::args::CorePrograms;
use crate::build::has_host_function;
use crate::design_compiler::{Compiler, choice, npu_options};
use crate::session::ControlCodeForms;

aiec_diag::codes! {
    /// Codes of findings that only a check makes.
    pub static CODES;
    NEARLY_FULL = "check::nearly-full",
        "A tile of the compiled design has no lock or buffer descriptor left, or less than a twentieth of its \
         memory. The design compiles; the next buffer, fifo or transfer on this tile may not fit. `--emit=report` \
         lists who uses what of each tile.";
}

/// Percents of a tile's memory from which on a finding says how much is used.
const NEARLY_FULL_PERCENT: u64 = 95;

/// A design as it was after the last stages that it came through.
#[derive(Debug, Default)]
pub struct AnalysedDesign {
    /// As it was read; `None` if its text is wrong.
    pub parsed: Option<Module>,
    /// Placed and routed; `None` if it has no device, or can't be.
    pub routed: Option<Module>,
}

/// Takes a design through all that a compilation does, to the end. Findings are in the session of the
/// compiler.
///
/// # Arguments
/// `core` says whether cores with bodies must have machine code. Without it they are tried, and a
/// core without it gives a warning: the simulator runs it all the same.
pub fn design(
    path: &Path,
    bytes: Vec<u8>,
    core: Option<CorePrograms>,
    compiler: &mut Compiler<'_, '_>,
) -> AnalysedDesign {
    let mut analysed = AnalysedDesign::default();
    // The findings say why a stage has no result.
    let Ok(module) = compiler.parse(path, bytes) else {
        return analysed;
    };
    let mut routed = module.clone();
    let has_device = !module.find(module.top(), OpKind::Device).is_empty();
    analysed.parsed = Some(module);
    // A file of functions, which designs link, is done.
    if has_device && lower(&mut routed, core, compiler).is_ok() {
        analysed.routed = Some(routed);
    }
    analysed
}

/// Places, routes and encodes a design.
fn lower(
    module: &mut Module,
    core: Option<CorePrograms>,
    compiler: &mut Compiler<'_, '_>,
) -> Result<(), Reported> {
    compiler.route(module)?;
    compiler.session.diags.extend(nearly_full(module));
    let of_machine = if core == Some(CorePrograms::Model) {
        Vec::new()
    } else {
        machine_code(module, compiler)
    };
    control_code(module, compiler);
    for mut diag in of_machine {
        // The simulator's program lacks the same: its finding says so.
        if compiler.session.diags.iter().any(|said| *said == diag) {
            continue;
        }
        if core.is_none() && diag.severity == Severity::Error {
            diag.severity = Severity::Warning;
            diag = diag.remark("the simulator runs the core; files for hardware can't hold it");
        }
        compiler.session.diags.push(diag);
    }
    Ok(())
}

/// Makes what a controller or a host executes of a routed design, for its findings.
fn control_code(module: &Module, compiler: &mut Compiler<'_, '_>) {
    if has_host_function(module) {
        // Numbers that the host gives are known to its function.
        let options = npu_options(&choice(compiler.design));
        let _ = sequence_program::cpp(module, &options, &mut compiler.session.diags);
        return;
    }
    // A design without control code is routed nevertheless; the findings say why.
    let mut encoded = module.clone();
    if let Ok(Some(code)) = compiler.control_code(&mut encoded, ControlCodeForms::PROGRAM)
        && !code.program.groups.is_empty()
    {
        let _ = compiler.elf(&encoded, &code);
    }
}

/// The findings of making machine code of the cores' bodies.
fn machine_code(module: &Module, compiler: &mut Compiler<'_, '_>) -> Vec<Diag> {
    let said = std::mem::take(&mut compiler.session.diags);
    // The findings say why a core has none.
    let _ = compiler.machine_code(&mut module.clone());
    let of_cores = std::mem::replace(&mut compiler.session.diags, said);
    of_cores.into_vec()
}

/// Findings about tiles with nothing, or nearly nothing, left of a resource.
fn nearly_full(module: &Module) -> Vec<Diag> {
    let mut found = Vec::new();
    for device in module.find_all::<Device>(module.top()) {
        let spans = tile_spans(module, device);
        for (loc, budget) in TileBudget::all(module, device.op()) {
            let full = full_resources(&budget);
            if full.is_empty() {
                continue;
            }
            let message = format!("tile {loc} has little left: {}", full.join(", "));
            let span = spans.iter().find(|(tile, _)| *tile == loc);
            found.push(
                Diag::note(&NEARLY_FULL, message)
                    .label(span.map(|(_, span)| *span), "this tile")
                    .help("`--emit=report` lists what uses it"),
            );
        }
    }
    found
}

/// Where the tiles of a device are written.
fn tile_spans(module: &Module, device: Device) -> Vec<(TileLoc, Span)> {
    let tiles = module.find_all::<aiec_aie::ops::Tile>(device.op());
    let places = tiles.into_iter().filter_map(|tile| {
        let loc = TileLoc {
            col: u8::try_from(tile.col(module)).ok()?,
            row: u8::try_from(tile.row(module)).ok()?,
        };
        Some((loc, module.span(tile.op())?))
    });
    places.collect()
}

/// The resources of which a tile has nothing, or nearly nothing, left.
fn full_resources(budget: &TileBudget) -> Vec<String> {
    let mut full = Vec::new();
    let (used, of) = (budget.used_bytes(), budget.memory_bytes);
    if of > 0 && used * 100 >= of * NEARLY_FULL_PERCENT {
        full.push(format!("{used} of {of} bytes of memory are used"));
    }
    let bds: usize = budget.bds().iter().sum();
    for (what, used, of) in [
        ("locks", budget.locks.len(), budget.max_locks),
        ("buffer descriptors", bds, budget.max_bds),
    ] {
        if of > 0 && used >= of {
            full.push(format!("all {of} {what} are used"));
        }
    }
    full
}

/// Sorts findings as a reader goes through the files, each said once.
pub fn in_order(diags: Diags) -> Vec<Diag> {
    let mut diags = diags;
    diags.sort_by_position();
    let mut list = diags.into_vec();
    list.dedup();
    list
}
