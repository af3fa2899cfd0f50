//! `--emit=core-llvm`: the program of each core as LLVM IR, lowered by upstream's passes.

#![allow(unsafe_code)]

use std::ffi::CStr;

use aiec_dialect::diag::{Diags, Reported};
use aiec_dialect::ir::Module;
use aiec_dialect::ops::{Core, Device, OpView};
use melior::Context;
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_llvm_translations, register_all_passes};

use super::context::{Said, Upstream};
use super::verify::report;
use super::{NO_LLVM_FORM, Parts, core_module, declared};

/// From loops and memrefs to what LLVM IR has. Functions take memrefs as bare pointers, as kernels
/// in C++ expect them.
const PIPELINE: &str = "builtin.module(canonicalize,cse,\
    func.func(convert-linalg-to-loops,convert-vector-to-scf),\
    lower-affine,convert-scf-to-cf,expand-strided-metadata,lower-affine,arith-expand,\
    convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm,convert-index-to-llvm,\
    convert-arith-to-llvm,finalize-memref-to-llvm,\
    convert-func-to-llvm{use-bare-ptr-memref-call-conv=true},convert-cf-to-llvm,\
    convert-ub-to-llvm,canonicalize,cse,reconcile-unrealized-casts,symbol-dce)";

/// The LLVM IR of each core that has a program in the design, by the name of its function.
pub fn emit(module: &Module, diags: &mut Diags) -> Result<Parts, Reported> {
    let devices = module.find_all::<Device>(module.top());
    let mut parts = Parts::new();
    for device in &devices {
        for core in module.children::<Core>(device.op()) {
            // A core that has machine code already has no program here.
            if core.elf_file(module).is_some() {
                continue;
            }
            let Some((name, core)) = core_module::of_core(module, *device, core, diags) else {
                continue;
            };
            if let Some(text) = lowered(&core, diags) {
                let name = match (devices.len(), module.str_attr(device.op(), "sym_name")) {
                    (2.., Some(device)) => format!("{device}_{name}"),
                    _ => name,
                };
                parts.push((name, text.into_bytes()));
            }
        }
    }
    diags.check()?;
    Ok(parts)
}

/// A module of upstream's operations as LLVM IR.
fn lowered(module: &Module, diags: &mut Diags) -> Option<String> {
    let upstream = Upstream::new();
    register_all_passes();
    register_all_llvm_translations(&upstream.context);
    let text = declared::write(module);
    match lower(&upstream, &text) {
        Ok(text) => Some(text),
        Err(said) => {
            report(module, &text, &said, &NO_LLVM_FORM, diags);
            None
        }
    }
}

fn lower(upstream: &Upstream, text: &str) -> Result<String, Vec<Said>> {
    let mut module = upstream.parse(text)?;
    run(&upstream.context, &mut module).map_err(|_| upstream.take())?;
    // SAFETY: the module lives through the call, which makes a text of its own or none.
    let text =
        unsafe { mlir_sys::mlirTranslateModuleToLLVMIRToString(module.as_operation().to_raw()) };
    if text.is_null() {
        return Err(upstream.take());
    }
    // SAFETY: a text of LLVM's that ends with a zero byte, and is given back once.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        mlir_sys::LLVMDisposeMessage(text);
        Ok(copy)
    }
}

fn run(context: &Context, module: &mut melior::ir::Module<'_>) -> Result<(), melior::Error> {
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), PIPELINE)?;
    manager.run(module)
}
