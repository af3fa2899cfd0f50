//! External functions of cores in a simulation: what the command line binds, and what is missing.

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::{Module, Op, SymbolTable};
use aiec_aie::ops::{Core, Device, OpKind, OpView};
use aiec_codegen::external_signature;
use aiec_diag::{Diag, Diags, Reported, did_you_mean};
use aiec_run_loop::library::LibraryError;
use aiec_sim::SimResult;
use aiec_sim::array::{Fault, FaultKind};
use aiec_sim::core::{HostFunction, Kernels, NoKernel, builtin_names, plain_name};

use crate::args::RunArgs;
use crate::codes;
use crate::session::Session;

/// The kernels that the command line names; all that can't be had are reported.
pub fn bind(run: &RunArgs, session: &mut Session) -> Result<Kernels, Reported> {
    let mut kernels = Kernels::default();
    for (name, path) in &run.kernels {
        match HostFunction::load(path, name) {
            Ok(function) => kernels.bind(name, std::sync::Arc::new(function)),
            Err(error) => session.push(no_library(&error)),
        }
    }
    session.diags.check()?;
    for (name, cycles) in &run.core_cycles {
        kernels.set_cycles(name, *cycles);
    }
    Ok(kernels)
}

/// The finding for a function of a library that can't be had.
pub fn no_library(error: &LibraryError) -> Diag {
    let help = match error {
        LibraryError::Load { path, .. } => {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let source = file.trim_start_matches("lib");
            let stem = source.split('.').next().unwrap_or("kernels");
            format!(
                "build it with `cc -shared -fPIC {stem}.c -o {}`",
                path.display()
            )
        }
        LibraryError::NoFunction { name, .. } => format!(
            "define `{name}` in it with C linkage (`extern \"C\"` in C++), and don't make it static"
        ),
        LibraryError::Unsupported => {
            "write the function in MLIR and link it with --link FILE.mlir".to_string()
        }
    };
    Diag::error(&codes::KERNEL_LIBRARY, error.to_string()).help(help)
}

/// Checks that whatever the cores of a design call has a body, or is among the kernels.
pub fn check(module: &Module, kernels: &Kernels, diags: &mut Diags) -> Result<(), Reported> {
    let outer = SymbolTable::of(module, module.top());
    let mut good = Ok(());
    for device in module.find_all::<Device>(module.top()) {
        let Some(model) = device.model(module) else {
            continue;
        };
        let inner = SymbolTable::of(module, device.op());
        let find = |name: &str| inner.get(name).or_else(|| outer.get(name));
        for (function, call) in called_without_body(module, device.op(), find) {
            let Some(signature) = external_signature(module, function) else {
                // It is refused when the core is lowered.
                continue;
            };
            if let Err(missing) = kernels.find(&signature.to_string(), model.arch()) {
                let diag = Diag::error(&codes::NO_KERNEL, missing.to_string())
                    .label(module.span(call), "called here")
                    .label(module.span(function), "declared here")
                    .help(ways_out(std::slice::from_ref(&missing)));
                let object = module.str_attr(function, "link_with");
                good = Err(diags.fail(match object {
                    Some(object) => diag.remark(format!(
                        "`{object}` holds machine code, which the simulator's own programs can't call"
                    )),
                    None => diag,
                }));
            }
        }
    }
    good
}

/// The functions without a body that the cores of a device reach, each with a call of it.
fn called_without_body(
    module: &Module,
    device: Op,
    find: impl Fn(&str) -> Option<Op>,
) -> BTreeMap<Op, Op> {
    let mut open: Vec<Op> = module
        .find_all::<Core>(device)
        .iter()
        .map(|core| core.op())
        .collect();
    let mut seen: BTreeSet<Op> = open.iter().copied().collect();
    let mut found = BTreeMap::new();
    while let Some(function) = open.pop() {
        for call in module.find(function, OpKind::FuncCall) {
            let callee = module.symbol_attr(call, "callee").and_then(&find);
            let Some(callee) = callee.filter(|op| module.kind(*op) == OpKind::FuncFunc) else {
                continue;
            };
            if module.entry(callee, 0).is_none() {
                let first = found.entry(callee).or_insert(call);
                *first = call.min(*first);
            } else if seen.insert(callee) {
                open.push(callee);
            }
        }
    }
    found
}

/// The finding for a run in which a core called functions without a body.
pub fn without_body(fault: &Fault, concerns: &[String]) -> Diag {
    let FaultKind::NoKernels { missing, .. } = &fault.kind else {
        return Diag::error(&codes::FAULT, fault.to_string());
    };
    let place = match concerns {
        [] => String::new(),
        names => format!(" ({})", names.join(", ")),
    };
    let message = format!("the simulation stopped at {fault}{place}");
    Diag::error(&codes::NO_KERNEL, message).help(ways_out(missing))
}

fn ways_out(missing: &[NoKernel]) -> String {
    let name = missing
        .first()
        .map_or("NAME", |kernel| plain_name(&kernel.name));
    let own = format!(
        "write it in MLIR (--link FILE.mlir) or in C (--kernel {name}=LIB.so, built with cc -shared)"
    );
    if missing.iter().all(|kernel| kernel.reason.is_some()) {
        return own;
    }
    let mut stems = builtin_names().map(|(stem, _)| stem);
    match did_you_mean(name, builtin_names().map(|(stem, _)| stem)) {
        Some(near) => format!("{own}; did you mean the built-in kernel {near}?"),
        None => {
            let some: Vec<&str> = stems.by_ref().take(3).collect();
            format!(
                "{own}; names of mlir-aie's kernel library ({}, …) are built in",
                some.join(", ")
            )
        }
    }
}

/// Warnings about names of the command line that nothing had.
pub fn unknown_names(result: &SimResult, run: &RunArgs) -> Vec<Diag> {
    let mut warnings: Vec<Diag> = result
        .array
        .unknown_kernel_names()
        .into_iter()
        .map(|name| {
            let message = format!("--core-cycles {name}: nothing of that name was called");
            Diag::warning(&codes::UNKNOWN_NAME, message).help(
                "name an external function that a core calls, or an operation as core programs \
                 spell it, such as add.i32; a function with a body runs as instructions",
            )
        })
        .collect();
    let never = |name: &String| !result.array.called_kernel(name);
    let names = run.kernels.iter().map(|(name, _)| name);
    warnings.extend(names.filter(|name| never(name)).map(|name| {
        let message = format!("--kernel {name}: no core called an external function of that name");
        never_called(message)
    }));
    warnings
}

/// The warning about a kernel that no core called.
pub fn never_called(message: String) -> Diag {
    Diag::warning(&codes::UNKNOWN_NAME, message)
        .help("check the name; a function that has a body in the design is not replaced")
}
