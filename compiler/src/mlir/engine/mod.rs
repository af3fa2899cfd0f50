//! `--core-engine=mlir`: cores compiled for this machine by upstream MLIR.
//!
//! The simulator executes what it finds in program memory; the engine knows core programs by their
//! words. For each different program of a design, [`compile`] takes the body that it came from
//! through upstream's passes, on a way of its own: [`body`] and [`numbers`] write the body in
//! operations of upstream's, upstream lowers them, [`sandbox`] confines what comes out, [`jit`] makes
//! it machine code and runs it. What it has in common with the built-in engine is where things lie in
//! memory, and what kernels do.

mod allowed;
mod body;
mod core_ops;
mod host;
mod jit;
mod numbers;
mod sandbox;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Once;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Core, Device, OpView};
use aiec_aie::text::{PrintOptions, parse_text, print_op};
use aiec_codegen::lower_core;
use aiec_diag::{Diag, Diags, FileId, Reported};
use aiec_sim::core::{CoreEngine, Costs, LoadedProgram, RunningCore};
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_llvm_translations, register_all_passes};

use super::context::{Upstream, UpstreamMessage};
use super::verify::report;
use super::{NO_LLVM_FORM, declared};
use body::Source;
use jit::Compiled;

/// From loops, vectors and memrefs to the `llvm` dialect. Functions take memrefs with their sizes
/// and strides.
const PIPELINE: &str = "builtin.module(canonicalize,cse,\
    func.func(convert-vector-to-scf),\
    lower-affine,convert-scf-to-cf,expand-strided-metadata,lower-affine,arith-expand,\
    convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm,convert-index-to-llvm,\
    convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,\
    convert-ub-to-llvm,canonicalize,cse,reconcile-unrealized-casts)";

/// The compiled cores of a design.
#[derive(Debug)]
struct Engine {
    /// By the words of their core programs.
    programs: BTreeMap<Vec<u32>, Rc<Compiled>>,
}

impl CoreEngine for Engine {
    fn start(&self, loaded: LoadedProgram) -> Result<Box<dyn RunningCore>, String> {
        // What the engine doesn't limit, the words were once within.
        let words = loaded.program.encode(u32::MAX);
        let compiled = words.ok().and_then(|words| self.programs.get(&words));
        let compiled = compiled.ok_or(
            "the program in its program memory is none of the design's cores, which are what \
             --core-engine=mlir has compiled",
        )?;
        compiled.start(loaded)
    }

    /// Cores of one program share the globals of its machine code.
    fn needs_one_thread(&self) -> bool {
        true
    }
}

/// Compiles the cores of a routed design.
///
/// # Errors
/// Something in a core can't be compiled; all such are reported.
pub fn compile(
    module: &Module,
    costs: &Costs,
    diags: &mut Diags,
) -> Result<Rc<dyn CoreEngine>, Reported> {
    static ONCE: Once = Once::new();
    ONCE.call_once(register_all_passes);
    let upstream = Upstream::new();
    register_all_llvm_translations(&upstream.context);
    let mut programs = BTreeMap::new();
    for device in module.find_all::<Device>(module.top()) {
        let Some(model) = device.model(module) else {
            continue;
        };
        for core in module.children::<Core>(device.op()) {
            // Machine code runs on no engine.
            if core.elf_file(module).is_some() {
                continue;
            }
            let Ok(code) = lower_core(module, core.op(), diags) else {
                continue;
            };
            if programs.contains_key(&code.words) {
                continue;
            }
            let source = Source {
                module,
                device,
                core,
                model,
                code: &code,
            };
            let Some(body) = body::of_core(source, diags) else {
                continue;
            };
            let window_bits = model.arch_model().core.memory_bytes.trailing_zeros();
            match compiled(&upstream, &body, window_bits, costs) {
                Ok(compiled) => {
                    programs.insert(code.words, Rc::new(compiled));
                }
                Err(Failure::Refused(text, said)) => {
                    report(&body, &text, &said, &NO_LLVM_FORM, diags);
                }
                Err(Failure::NotAllowed(what)) => {
                    let message = format!("a core can't be compiled by upstream MLIR: {what}");
                    let diag = Diag::error(&NO_LLVM_FORM, message);
                    let diag = diag.label(module.span(core.op()), "this core");
                    diags.push(diag.help("`--core-engine=builtin` runs it"));
                }
            }
        }
    }
    diags.check()?;
    Ok(Rc::new(Engine { programs }))
}

/// Why a core has no machine code.
enum Failure {
    /// Upstream doesn't take a text.
    Refused(String, Vec<UpstreamMessage>),
    /// It isn't allowed; what.
    NotAllowed(String),
}

/// Takes a body through upstream.
fn compiled(
    upstream: &Upstream,
    body: &Module,
    window_bits: u32,
    costs: &Costs,
) -> Result<Compiled, Failure> {
    let text = declared::write(body);
    let lowered = match lower(upstream, &text) {
        Ok(lowered) => lowered,
        Err(said) => return Err(Failure::Refused(text, said)),
    };
    let mut found = Diags::new();
    let mut module = parse_text(FileId(0), &lowered, &mut found);
    if found.check().is_err() {
        let why = found
            .iter()
            .next()
            .map_or(String::new(), |d| d.message.clone());
        return Err(Failure::NotAllowed(format!(
            "its lowered form is new: {why}"
        )));
    }
    sandbox::confine(&mut module, costs).map_err(|why| Failure::NotAllowed(why.to_string()))?;
    let mut whole = sandbox::prelude(window_bits);
    for op in module.ops_in(module.body()) {
        whole += &print_op(&module, op, PrintOptions { generic: true });
        whole.push('\n');
    }
    let refused = |said: Vec<UpstreamMessage>| {
        let why = said.into_iter().next().map(|said| said.message);
        let why = why.unwrap_or_else(|| "it doesn't say why".to_string());
        Failure::NotAllowed(format!("upstream refuses what came out of it: {why}"))
    };
    let module = upstream.parse(&whole).map_err(refused)?;
    Compiled::new(&module, window_bits).map_err(|why| {
        let said = upstream.take().into_iter().next();
        let said = said.map_or(String::new(), |said| format!(": {}", said.message));
        Failure::NotAllowed(format!("{why}{said}"))
    })
}

fn lower(upstream: &Upstream, text: &str) -> Result<String, Vec<UpstreamMessage>> {
    let mut module = upstream.parse(text)?;
    let manager = PassManager::new(&upstream.context);
    let ran = parse_pass_pipeline(manager.as_operation_pass_manager(), PIPELINE)
        .and_then(|()| manager.run(&mut module));
    if ran.is_err() {
        return Err(upstream.take());
    }
    let flags = OperationPrintingFlags::new().print_generic_operation_form();
    module
        .as_operation()
        .to_string_with_flags(flags)
        .map_err(|_| upstream.take())
}
