//! Where the instructions of core programs come from, for the debug section.

use std::borrow::Cow;
use std::cmp::Reverse;

use aiec_aie::ir::{FifoAction, Module, Op};
use aiec_aie::ops::{Core, Device, OpKind, OpView};
use aiec_cert::debug::{
    CoreMarks, FifoPart, FifoUseMark, FunctionMark, LoopMark, MACHINE_CODE, OldReadMark,
    OperationMark,
};
use aiec_cert::program::SourceLoc;
use aiec_codegen::{CoreCode, CorePrograms, lower_core};
use aiec_diag::{Diags, SourceMap};
use aiec_passes::analysis::core_elf;
use aiec_vcode::CHECKSUM_WORD;
use rustc_hash::FxHashMap;

use super::source_loc;

/// Name of a core's body, in a place where functions have their symbols.
const BODY: &str = "core";

/// Name of a line of machine code outside of all functions.
const MACHINE_CODE_LINE: &str = "machine code";

/// The marks of all programs of the module's devices. Source files of machine code are added to
/// `files`. Cores that are not among `lowered` are lowered for it.
pub fn programs(
    module: &Module,
    lowered: &CorePrograms,
    sources: &SourceMap,
    files: &mut Vec<String>,
) -> Vec<CoreMarks> {
    let devices = module.children::<Device>(module.top()).into_iter();
    let cores = devices.flat_map(|device| {
        let cores = module.children::<Core>(device.op()).into_iter();
        cores.map(move |core| (device, core))
    });
    cores
        .filter_map(|(device, core)| match core_elf::file_of(module, core) {
            Some(name) => machine_code(module, core, &name, files),
            None => program(module, device, core, lowered, sources),
        })
        .collect()
}

/// The marks of a core's machine code: its functions, or labels where it has none, and its source
/// lines.
fn machine_code(
    module: &Module,
    core: Core,
    name: &str,
    files: &mut Vec<String>,
) -> Option<CoreMarks> {
    let loc = core.tile_loc(module)?;
    let bytes = module.files.get(name)?.as_ref().ok()?;
    let code = aiec_core::elf::read_program(bytes).ok()?;
    let functions = code.functions().map(|symbol| FunctionMark {
        at: symbol.address,
        name: symbol.name.clone(),
    });
    let old_reads = code.old_reads().into_iter().map(|read| OldReadMark {
        at: read.address,
        register: read.register,
    });
    let mut marks = CoreMarks {
        column: loc.col,
        row: loc.row,
        checksum: MACHINE_CODE,
        functions: functions.collect(),
        old_reads: old_reads.collect(),
        ..CoreMarks::default()
    };
    marks.functions.sort_by_key(|mark| mark.at);
    let numbers: Vec<u32> = code
        .files
        .iter()
        .map(|file| number_of(file, files))
        .collect();
    for line in code.lines.iter().filter(|line| line.line != 0) {
        let function = marks.function(line.address);
        let name = function.map_or(MACHINE_CODE_LINE, |mark| mark.name.as_str());
        let name = name.to_owned();
        marks.operations.push(OperationMark {
            at: line.address,
            source: SourceLoc {
                file: numbers.get(line.file).copied()?,
                line: line.line,
                column: 0,
            },
            name,
        });
    }
    Some(marks)
}

/// The number of a source file, which is added if it is new.
fn number_of(file: &str, files: &mut Vec<String>) -> u32 {
    let known = files.iter().position(|known| known == file);
    known.unwrap_or_else(|| {
        files.push(file.to_owned());
        files.len() - 1
    }) as u32
}

/// The marks of a core's program.
fn program(
    module: &Module,
    device: Device,
    core: Core,
    lowered: &CorePrograms,
    sources: &SourceMap,
) -> Option<CoreMarks> {
    device.model(module)?;
    let loc = core.tile_loc(module)?;
    let code = match lowered.get(core.op()) {
        Some(code) => Cow::Borrowed(code),
        None => Cow::Owned(lower_core(module, core.op(), &mut Diags::new()).ok()?),
    };
    let mut marks = CoreMarks {
        column: loc.col,
        row: loc.row,
        checksum: code.words.get(CHECKSUM_WORD).copied()?,
        ..CoreMarks::default()
    };
    for (function, op) in code.program.functions.iter().zip(&code.functions) {
        let name = module.str_attr(*op, "sym_name").unwrap_or(BODY);
        marks.functions.push(FunctionMark {
            at: function.entry,
            name: name.to_string(),
        });
    }
    operations(module, &code, sources, &mut marks);
    marks.loops = loops(module, &code, sources);
    Some(marks)
}

/// Adds a mark for each run of instructions that were made for one operation.
fn operations(module: &Module, code: &CoreCode, sources: &SourceMap, marks: &mut CoreMarks) {
    let mut before = None;
    for (at, &op) in (0u32..).zip(&code.sources) {
        if before == Some(op) {
            continue;
        }
        before = Some(op);
        let Some(source) = source(module, op, sources) else {
            continue;
        };
        marks.operations.push(OperationMark {
            at,
            source,
            name: module.op_name(op).to_string(),
        });
        let used = module.locs.fifo_use(module.loc(op));
        let (acquires, count) = match used.map(|used| used.action) {
            Some(FifoAction::Acquire(count)) => (true, count),
            Some(FifoAction::Release(count)) => (false, count),
            Some(FifoAction::Part { .. }) | None => continue,
        };
        marks.fifo_uses.extend(used.map(|used| FifoUseMark {
            at,
            acquires,
            produces: used.produces,
            count,
            fifo: used.fifo.to_string(),
        }));
    }
}

/// The loops that instructions are in, outer ones first.
fn loops(module: &Module, code: &CoreCode, sources: &SourceMap) -> Vec<LoopMark> {
    let mut found: FxHashMap<Op, (u32, u32)> = FxHashMap::default();
    for (at, &op) in (0u32..).zip(&code.sources) {
        let mut around = Some(op);
        while let Some(op) = around {
            if matches!(module.kind(op), OpKind::ScfFor | OpKind::ScfWhile) {
                found.entry(op).or_insert((at, at)).1 = at + 1;
            }
            around = module.parent_op(op);
        }
    }
    let found = found.into_iter();
    let mut found: Vec<_> = found
        .map(|(op, (first, end))| (first, Reverse(end), op))
        .collect();
    found.sort_unstable();
    let marks = found.into_iter().filter_map(|(first, Reverse(end), op)| {
        let source = source(module, op, sources)?;
        Some(LoopMark { first, end, source })
    });
    marks.collect()
}

fn source(module: &Module, op: Op, sources: &SourceMap) -> Option<SourceLoc> {
    source_loc(module.span(op)?, sources)
}

/// The part of an object fifo that an operation was made as.
pub fn fifo_part(module: &Module, op: Op) -> Option<FifoPart> {
    let of = module.locs.fifo_use(module.loc(op))?;
    let FifoAction::Part { depth } = of.action else {
        return None;
    };
    Some(FifoPart {
        fifo: of.fifo.to_string(),
        produces: of.produces,
        depth,
    })
}
