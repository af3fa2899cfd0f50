//! The program of each core as LLVM IR, lowered by upstream's passes: `--emit=core-llvm`, and what
//! `--peano` hands to the core compiler.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::sync::Once;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Core, Device, OpView};
use aiec_diag::{Diags, Reported};
use melior::Context;
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_llvm_translations, register_all_passes};

use super::context::{Upstream, UpstreamMessage};
use super::verify::report;
use super::{Contents, CoreProgram, NO_LLVM_FORM, core_module, declared, part_name};

/// From loops and memrefs to what LLVM IR has. Functions take memrefs as bare pointers, as kernels
/// in C++ expect them.
const PIPELINE: &str = "builtin.module(canonicalize,cse,\
    func.func(convert-linalg-to-loops,convert-vector-to-scf),\
    lower-affine,convert-scf-to-cf,expand-strided-metadata,lower-affine,arith-expand,\
    convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm,convert-index-to-llvm,\
    convert-arith-to-llvm,finalize-memref-to-llvm,\
    convert-func-to-llvm{use-bare-ptr-memref-call-conv=true},convert-cf-to-llvm,\
    convert-ub-to-llvm,canonicalize,cse,reconcile-unrealized-casts,symbol-dce)";

/// The LLVM IR of each core that has a program in the design, device by device.
pub fn programs(
    module: &Module,
    contents: Contents,
    diags: &mut Diags,
) -> Result<Vec<CoreProgram>, Reported> {
    static ONCE: Once = Once::new();
    ONCE.call_once(register_all_passes);
    let upstream = Upstream::new();
    register_all_llvm_translations(&upstream.context);
    let devices = module.find_all::<Device>(module.top());
    let mut programs = Vec::new();
    for device in &devices {
        for core in module.children::<Core>(device.op()) {
            // A core that has machine code already has no program here.
            if core.elf_file(module).is_some() {
                continue;
            }
            let Some(alone) = core_module::of_core(module, *device, core, contents, diags) else {
                continue;
            };
            if let Some(text) = lowered(&upstream, &alone.module, diags) {
                programs.push(CoreProgram {
                    device: *device,
                    core,
                    name: part_name(module, &devices, *device, &alone.function),
                    function: alone.function,
                    target: alone.target,
                    text,
                });
            }
        }
    }
    diags.check()?;
    Ok(programs)
}

/// A module of upstream's operations as LLVM IR.
fn lowered(upstream: &Upstream, module: &Module, diags: &mut Diags) -> Option<String> {
    let text = declared::write(module);
    match lower(upstream, &text) {
        Ok(text) => Some(text),
        Err(said) => {
            report(module, &text, &said, &NO_LLVM_FORM, diags);
            None
        }
    }
}

fn lower(upstream: &Upstream, text: &str) -> Result<String, Vec<UpstreamMessage>> {
    let mut module = upstream.parse(text)?;
    run(&upstream.context, &mut module).map_err(|_| upstream.take())?;
    translated(&module).ok_or_else(|| upstream.take())
}

/// A module of the `llvm` dialect as LLVM IR; `None` if it holds something else. (The function that
/// makes the text at once crashes then.)
fn translated(module: &melior::ir::Module<'_>) -> Option<String> {
    // SAFETY: the context is new and outlives the translated module, which is printed and given back
    // before it if there is one; the text is LLVM's, ends with a zero byte and is given back once.
    unsafe {
        let context = mlir_sys::LLVMContextCreate();
        let operation = module.as_operation().to_raw();
        let translated = mlir_sys::mlirTranslateModuleToLLVMIR(operation, context);
        let text = (!translated.is_null()).then(|| {
            let text = mlir_sys::LLVMPrintModuleToString(translated);
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            mlir_sys::LLVMDisposeMessage(text);
            mlir_sys::LLVMDisposeModule(translated);
            copy
        });
        mlir_sys::LLVMContextDispose(context);
        text
    }
}

fn run(context: &Context, module: &mut melior::ir::Module<'_>) -> Result<(), melior::Error> {
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), PIPELINE)?;
    manager.run(module)
}
