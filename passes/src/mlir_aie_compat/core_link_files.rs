//! `aie-assign-core-link-files`: each core gets the list of files that it is linked with, from the
//! functions that it calls (`mlir-aie: lib/Dialect/AIE/Transforms/AIEAssignCoreLinkFiles.cpp`).
//! A build follows the calls itself; the lists are for mlir-aie's tools.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aiec_aie::ir::{Attr, Module, Op};
use aiec_aie::ops::{Core, FuncFunc, OpKind, OpView};
use aiec_diag::{Diag, MlirAieReport, Reported, codes};
use indexmap::IndexSet;

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-assign-core-link-files", run)
    .summary("List the files that each core is linked with, from the functions that it calls")
    .postconditions(&[
        "no core has link_with",
        "the files of the functions that a core calls are in its link_files or link_merge_files",
    ]);

codes! {
    /// Codes of `aie-assign-core-link-files`.
    pub static CODES;
    LINK_MODE = "core-files::mode",
        "link_with_mode says how the file of link_with is linked: \"merge\" joins it with the core's own \
         module, without it the file is an input of the linker. A file is linked in one way by all cores of \
         a device.";
    DEPRECATED = "core-files::on-core",
        "link_with on a core is what earlier releases wrote. It belongs to the declaration of the function \
         that the file defines.";
    INDIRECT = "core-files::indirect-call",
        "The files of a function that is called through a value aren't found: nothing says which function \
         it is. A func.call of the declaration names it.";
    UNUSED = "core-files::unused",
        "A function that no core calls brings no file into any core.";
}

/// Kind of link of a function's file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkMode {
    /// An input of the linker.
    Input,
    /// Joined with the core's module.
    Merge,
}

/// The files of a core, in the order in which they are found.
struct CoreFiles {
    core: Core,
    inputs: IndexSet<String>,
    merged: IndexSet<String>,
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let m = &*module;
    let functions = m.children::<FuncFunc>(device);
    let mut files: BTreeMap<Arc<str>, (&str, LinkMode)> = BTreeMap::new();
    for function in &functions {
        match link_mode(m, *function) {
            Ok(Some(file)) => {
                files.insert(function.sym_name(m), file);
            }
            Ok(None) => {}
            Err(diag) => context.report(*diag),
        }
    }
    context.diags.check()?;
    let mut called: BTreeSet<&str> = BTreeSet::new();
    let mut cores = Vec::new();
    for core in m.find_all::<Core>(device) {
        cores.push(core_files(m, core, &files, &mut called, context));
    }
    report_conflicts(m, &cores, context);
    context.diags.check()?;
    for function in functions {
        let name = &*function.sym_name(m);
        if files.contains_key(name) && !called.contains(name) {
            let text = format!(
                "func '{name}' has link_with but is never called from any core; its artifact will not be \
                 linked or merged"
            );
            let span = m.span(function.op());
            let diag = Diag::warning(
                &UNUSED,
                format!("no core calls @{name}: its file is not linked"),
            )
            .label(span, "")
            .help("call it, or take its declaration out");
            context.report(diag.mlir_aie(MlirAieReport::plain(text).at(span)));
        }
    }
    for files in cores {
        let op = files.core.op();
        module.remove_attr(op, "link_with");
        for (key, list) in [
            ("link_files", files.inputs),
            ("link_merge_files", files.merged),
        ] {
            if !list.is_empty() {
                let list = list.into_iter().map(|file| Attr::Str(file.into()));
                module.set_attr(op, key, Attr::Array(list.collect()));
            }
        }
    }
    Ok(())
}

/// The file of a function and how it is linked; `None` if it has none.
fn link_mode(m: &Module, function: FuncFunc) -> Result<Option<(&str, LinkMode)>, Box<Diag>> {
    let (op, name) = (function.op(), function.sym_name(m));
    let file = m.str_attr(op, "link_with");
    let mode = m.str_attr(op, "link_with_mode");
    let (message, text, help) = match (file, mode) {
        (None, None) => return Ok(None),
        (Some(file), None) => return Ok(Some((file, LinkMode::Input))),
        (Some(file), Some("merge")) => return Ok(Some((file, LinkMode::Merge))),
        (Some(_), Some(mode)) => (
            format!("\"{mode}\" is not a mode of linking"),
            format!(
                "func '{name}' has unknown link_with_mode '{mode}'; the only supported value is 'merge'"
            ),
            "write \"merge\", or leave link_with_mode out",
        ),
        (None, Some(_)) => (
            format!("@{name} has link_with_mode, but no file"),
            format!(
                "func '{name}' has link_with_mode but no link_with; link_with_mode only describes how the \
                 link_with artifact is linked"
            ),
            "name the file with link_with, or take link_with_mode out",
        ),
    };
    let span = m.span(op);
    let diag = Diag::error(&LINK_MODE, message).label(span, "").help(help);
    Err(Box::new(diag.mlir_aie(MlirAieReport::plain(text).at(span))))
}

/// The files of a core; what it calls is added to `called`.
fn core_files<'m>(
    m: &'m Module,
    core: Core,
    files: &BTreeMap<Arc<str>, (&str, LinkMode)>,
    called: &mut BTreeSet<&'m str>,
    context: &mut PassContext<'_>,
) -> CoreFiles {
    let mut found = CoreFiles {
        core,
        inputs: IndexSet::new(),
        merged: IndexSet::new(),
    };
    let op = core.op();
    if let Some(file) = m.str_attr(op, "link_with") {
        let text = "link_with on aie.core is deprecated; attach link_with to the func.func declaration instead";
        let diag = Diag::warning(&DEPRECATED, "link_with belongs to functions")
            .label(m.span(op), "")
            .help("give it to the declaration of the function that the file defines");
        context.report(diag.mlir_aie(MlirAieReport::plain(text).at(m.span(op))));
        found.inputs.insert(file.to_string());
    }
    for call in m.walk(op) {
        match m.kind(call) {
            OpKind::FuncCall => {
                let Some(callee) = m.symbol_attr(call, "callee") else {
                    continue;
                };
                called.insert(callee);
                match files.get(callee) {
                    Some((file, LinkMode::Input)) => found.inputs.insert(file.to_string()),
                    Some((file, LinkMode::Merge)) => found.merged.insert(file.to_string()),
                    None => continue,
                };
            }
            OpKind::FuncCallIndirect => {
                let text = "indirect call in core body — link_with attributes on indirectly-called functions \
                            are not automatically resolved; add a direct func.call to the required func.func \
                            declaration so that aie-assign-core-link-files can trace the dependency";
                let diag = Diag::warning(
                    &INDIRECT,
                    "files of functions called through a value aren't found",
                )
                .label(m.span(call), "")
                .help("call the function by its name");
                context.report(diag.mlir_aie(MlirAieReport::plain(text).at(m.span(call))));
            }
            _ => {}
        }
    }
    found
}

/// Reports files that one core merges and the same or another one links.
fn report_conflicts(m: &Module, cores: &[CoreFiles], context: &mut PassContext<'_>) {
    let mut linked: BTreeMap<&str, Core> = BTreeMap::new();
    for files in cores {
        for file in &files.inputs {
            linked.entry(file).or_insert(files.core);
        }
    }
    for files in cores {
        for file in &files.merged {
            let Some(other) = linked.get(file.as_str()) else {
                continue;
            };
            let (here, there) = (m.span(files.core.op()), m.span(other.op()));
            let text = format!(
                "artifact '{file}' is merged into an LLVM module here but object-linked in the same \
                 aie.device; an artifact must use a single link mode across all cores of a device"
            );
            let report = MlirAieReport::plain(text)
                .at(here)
                .note(there, format!("artifact '{file}' is object-linked here"));
            let diag = Diag::error(
                &LINK_MODE,
                format!("\"{file}\" is merged here and linked elsewhere"),
            )
            .label(here, "merged here")
            .label(there, "linked here")
            .help("give all declarations that name the file the same link_with_mode");
            context.report(diag.mlir_aie(report));
        }
    }
}
