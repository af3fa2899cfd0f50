//! Cores' programs as machine code: by the code generator of this project ([`generated`]), or with `--peano DIR`
//! by the core compiler of an LLVM that has the back ends of AI Engine cores.
//!
//! With `--peano DIR`: after routing, when buffers and locks have their places, each core with a body is written as
//! LLVM IR ([`crate::mlir::core_programs`]) and handed to the compiler's `clang`. The object is linked
//! ([`link`]) with those that the design names, at the addresses of the core's memories
//! ([`memory_map`]). The executable takes the body's place: from there on the core is one with
//! `elf_file` ([`aiec_passes::analysis::core_elf`]).

mod clang;
pub mod core_report;
mod generated;
mod link;
mod memory_map;
mod objects;
#[cfg(all(test, unix))]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use aiec_aie::ir::{InsertPoint, Module};
use aiec_aie::ops::{Core, Device, OpKind, OpView};
use aiec_core::CoreArch;
use aiec_core::object::CoreObject;
use aiec_diag::{Diag, Diags, Reported, SourceMap};
use aiec_passes::analysis::core_elf;

use crate::mlir::{self, CoreProgram, Parts};
pub use clang::Clang;
use clang::{CompiledCore, Job, Scratch, ToolMessage};
pub use generated::compile as generate;

aiec_diag::codes! {
    /// Codes of the core compiler.
    pub static CODES;
    NOT_FOUND = "core-compiler::not-found",
        "`--peano DIR` names no core compiler: DIR is the folder of an LLVM with the back ends of AI \
         Engine cores, and DIR/bin/clang its compiler. Such an LLVM is built from the public \
         `llvm-aie` repository, whose releases are Python wheels: unpacked, they hold that folder.";
    FAILED = "core-compiler::failed",
        "The core compiler did not make machine code of a core's program; the message and the remarks \
         are its words. `--emit=core-llvm` writes the program that it was given. What is wrong when \
         the objects are linked has codes that begin with `core-link::`.";
    WARNED = "core-compiler::warning",
        "The core compiler made machine code of a core's program and has something to say about it.";
    NO_OBJECT = "core-compiler::no-object",
        "A file that a core, or a function that it calls, is linked with (link_with, link_files, \
         link_merge_files) is not there. Relative names start at the folder of the design.";
    CANNOT_RUN = "core-compiler::no-folder",
        "The files that the core compiler reads and writes can't be kept: the folder for temporary \
         files (TMPDIR) can't be written.";
    BODIES_RUN = "core-compiler::bodies-simulated",
        "The simulator has no model of the cores' instruction set: with `--peano` and `--simulate` \
         the control code that is written holds machine code, and the run that is shown is that of \
         the same design with the cores' bodies compiled for the simulator.";
    NO_MACHINE_CODE = "core-compiler::no-machine-code",
        "A core has a body and no machine code: `--core=model` asked for the simulator's programs, which no \
         file of machine code holds. Leave it out.";
    NO_GENERATOR = "core-compiler::no-instruction-set",
        "Machine code is generated for AIE2, AIE2P and AIE2PS cores (npu1, npu2, xcve2302, xcve2802, xcve3858). \
         The first generation's instruction set isn't published. Its cores run in the simulator \
         (`--core=model`).";
}

/// Text by which the compiler reports a function that needs more than the core's stack.
const LARGE_FRAME: &str = "stack frame size";

/// The most lines of a compiler's that a finding repeats.
const MAX_LINES: usize = 16;

/// The compiler of an installation.
///
/// # Errors
/// There is none, or this `aiec` can't write LLVM IR; reported.
pub fn find(folder: &Path, diags: &mut Diags) -> Result<Clang, Reported> {
    mlir::require("--peano", diags)?;
    Clang::of(folder).map_err(|(why, help)| {
        let message = format!("no core compiler at {}: {why}", folder.display());
        diags.fail(Diag::error(&NOT_FOUND, message).help(help))
    })
}

/// Gives the cores of a routed module that have a body machine code instead.
///
/// # Arguments
/// `folder` is the design's, where the names of object files start.
///
/// # Errors
/// What can't be written as LLVM IR, and what the compiler refuses; reported for all cores.
pub fn compile(
    module: &mut Module,
    clang: &Clang,
    folder: &Path,
    diags: &mut Diags,
) -> Result<(), Reported> {
    let programs = mlir::core_programs(module, "--peano", diags)?;
    let jobs = jobs(module, &programs, folder, diags)?;
    let scratch = Scratch::new().map_err(|(place, why)| {
        let message = format!("cannot make the folder {}: {why}", place.display());
        let help = "set TMPDIR to a folder that can be written";
        diags.fail(Diag::error(&CANNOT_RUN, message).help(help))
    })?;
    let made = run_all(clang, &jobs, &scratch.0);
    let mut elves = Vec::new();
    for ((program, job), made) in programs.iter().zip(&jobs).zip(made) {
        for said in &made.said {
            diags.push(finding(module, program, said));
        }
        for found in made.findings {
            diags.push(linker_finding(module, program, found));
        }
        if let Some(elf) = made.elf {
            elves.push((program.core, &job.name, elf));
        }
    }
    diags.check()?;
    for (core, name, elf) in elves {
        set_machine_code(module, core, name, elf);
    }
    Ok(())
}

/// `--emit=core-elf`: the machine code that cores have.
///
/// # Errors
/// A core has a body instead; reported for all such cores.
pub fn emit(module: &Module, _: &SourceMap, diags: &mut Diags) -> Result<Parts, Reported> {
    let mut parts = Parts::new();
    let devices = module.find_all::<Device>(module.top());
    for device in &devices {
        for core in module.children::<Core>(device.op()) {
            let Some(loc) = core.tile_loc(module) else {
                continue;
            };
            let file = core_elf::file_of(module, core).and_then(|name| module.files.get(&name));
            if let Some(Ok(bytes)) = file {
                let name = format!("core_{}_{}", loc.col, loc.row);
                let name = mlir::part_name(module, &devices, *device, &name);
                parts.push((name, bytes.to_vec()));
            } else {
                let message = format!("the core at {loc} has no machine code");
                let diag = Diag::error(&NO_MACHINE_CODE, message)
                    .label(module.span(core.op()), "this core")
                    .help("leave `--core=model` out, or name an `elf_file`");
                diags.push(diag);
            }
        }
    }
    diags.check()?;
    Ok(parts)
}

/// Jobs of the compiler, one for each program.
fn jobs(
    module: &Module,
    programs: &[CoreProgram],
    folder: &Path,
    diags: &mut Diags,
) -> Result<Vec<Job>, Reported> {
    let mut jobs = Vec::with_capacity(programs.len());
    let mut device = None;
    let mut of_device = None;
    for program in programs {
        // Programs of a device follow one another.
        if device != Some(program.device.op()) {
            device = Some(program.device.op());
            let memories = memory_map::Memories::of(module, program.device);
            of_device = memories.map(|m| (m, objects::Objects::of(module, program.device, folder)));
        }
        let Some((memories, objects)) = &mut of_device else {
            continue;
        };
        let link = memories.link_options(program.core, &program.function);
        let Some((arch, link)) = CoreArch::of_name(program.target).zip(link) else {
            continue;
        };
        jobs.push(Job {
            name: program.name.clone(),
            arch,
            ir: for_core_compilers(&program.text, memories.stack(program.core)),
            link,
            objects: objects.of_core(program.core, diags),
        });
    }
    diags.check()?;
    Ok(jobs)
}

/// LLVM IR as the core compilers take it: without an attribute of intrinsics that LLVM 22 prints and
/// theirs doesn't know yet (mlir-aie: tools/aiecc/IRTransforms.h); without tables for exceptions,
/// which cores have none of; and with the bytes of the core's stack, so that they tell of functions
/// whose frame is larger.
fn for_core_compilers(ir: &str, stack: u64) -> String {
    let mut out = String::with_capacity(ir.len());
    for line in ir.replace("nocreateundeforpoison ", "").lines() {
        match line
            .strip_suffix(" {")
            .filter(|_| line.starts_with("define "))
        {
            Some(head) => {
                let _ = write!(out, "{head} nounwind \"warn-stack-size\"=\"{stack}\" {{");
            }
            None => out += line,
        }
        out.push('\n');
    }
    out
}

/// Runs all jobs, as many at once as the machine has cores; the results are in the jobs' order.
fn run_all(clang: &Clang, jobs: &[Job], folder: &Path) -> Vec<CompiledCore> {
    let results: Vec<Mutex<CompiledCore>> = jobs.iter().map(|_| Mutex::default()).collect();
    let mut libraries: BTreeMap<CoreArch, Vec<CoreObject>> = BTreeMap::new();
    for job in jobs {
        let known = libraries.entry(job.arch);
        known.or_insert_with(|| clang.libraries(job.arch));
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let n = next.fetch_add(1, Ordering::Relaxed);
        jobs.get(n).zip(results.get(n))
    };
    let work = || {
        while let Some((job, result)) = take() {
            let libraries = libraries.get(&job.arch).map_or(&[][..], |members| members);
            let made = clang.run(job, libraries, folder);
            if let Ok(mut result) = result.lock() {
                *result = made;
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..workers.min(jobs.len()) {
            scope.spawn(work);
        }
        work();
    });
    let made = results.into_iter().map(Mutex::into_inner);
    made.map(Result::unwrap_or_default).collect()
}

/// Turns a message of the compiler about a core's program into a finding.
fn finding(module: &Module, program: &CoreProgram, said: &ToolMessage) -> Diag {
    let core = program.core;
    let place = core
        .tile_loc(module)
        .map_or(String::new(), |loc| format!(" at {loc}"));
    let of_core = "the program of this core";
    let mut diag = if said.error {
        let message = format!("the core compiler refuses the core{place}: {}", said.text);
        Diag::error(&FAILED, message)
            .label(module.span(core.op()), of_core)
            .help("`--emit=core-llvm` writes the program that it was given")
    } else {
        let message = format!("the core compiler about the core{place}: {}", said.text);
        let diag = Diag::warning(&WARNED, message).label(module.span(core.op()), of_core);
        if said.text.contains(LARGE_FRAME) {
            diag.help(
            "the stack would run into the memory after it: give aie.core a larger stack_size, or \
             put arrays into an aie.buffer",
        )
        } else {
            diag
        }
    };
    for line in said.more.iter().take(MAX_LINES) {
        diag = diag.remark(line.clone());
    }
    match said.more.len().saturating_sub(MAX_LINES) {
        0 => diag,
        more => diag.remark(format!("{more} more lines")),
    }
}

/// Names the core in a finding of the linker about its program.
fn linker_finding(module: &Module, program: &CoreProgram, mut found: Diag) -> Diag {
    if let Some(loc) = program.core.tile_loc(module) {
        found.message = format!("the core at {loc}: {}", found.message);
    }
    found.label(module.span(program.core.op()), "the program of this core")
}

/// Lets machine code take the place of a core's body.
fn set_machine_code(module: &mut Module, core: Core, name: &str, elf: Vec<u8>) {
    let mut file = format!("{name}.elf");
    // A file of that name belongs to another core.
    while module.files.contains_key(&file) {
        file.insert(0, '_');
    }
    module.files.insert(file.clone(), Ok(elf.into()));
    let op = core.op();
    core.edit(module).elf_file(file);
    for region in module.regions_of(op).to_vec() {
        for block in module.blocks_of(region).to_vec() {
            module.erase_block(block);
        }
        let body = module.add_block(region);
        let loc = module.loc(op);
        module
            .build(OpKind::End, loc)
            .insert(InsertPoint::End(body));
    }
}
