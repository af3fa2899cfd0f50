//! The report of functions and loops in the cores' machine code: `--core-report`, `--emit=core-report`,
//! `--emit=core-report-json`; and the code itself with the lines of the design: `--emit=core-asm`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use aiec_aie::ir::Module;
use aiec_codegen::machine::LoopLimit;
use aiec_codegen::{InnerLoop, LoopForm};
use aiec_core::listing;
use aiec_diag::{Diags, FileId, Reported, SourceFile, SourceMap};
use serde_json::{Value, json};

use super::generated::{GeneratedCore, generated};
use crate::mlir::Parts;

/// The operation that is a core.
const CORE: &str = "aie.core";

/// A limit in the JSON, and for people.
const fn limit_words(limit: LoopLimit) -> (&'static str, &'static str) {
    match limit {
        LoopLimit::Resources => ("resources", "slots and ports are full"),
        LoopLimit::Recurrence => (
            "recurrence",
            "values of one iteration are needed in the next",
        ),
        LoopLimit::Search => ("search", "no shorter schedule was found"),
        LoopLimit::Effects => (
            "effects",
            "branches, calls, locks, streams or cascades in it keep iterations apart",
        ),
        LoopLimit::Trips => (
            "trips",
            "iterations don't overlap: their number isn't a constant, or too small",
        ),
        LoopLimit::Registers => ("registers", "iterations don't overlap: too few registers"),
    }
}

/// Where a loop is, in the design or in the library.
fn place(module: &Module, sources: &SourceMap, found: &InnerLoop) -> String {
    let span = module.span(found.source);
    // Routines have the core that calls them for a place.
    let span = span.filter(|_| module.op_name(found.source) != CORE);
    let file = span.and_then(|span| sources.file(span.file).map(|file| (file, span.start)));
    match file {
        Some((file, start)) => format!("{}:{}", file.name, file.line_col(start).0),
        None => format!("in {}", found.function),
    }
}

/// The form of a loop, for people.
fn form_text(form: LoopForm) -> String {
    match form {
        LoopForm::Hardware(report) => {
            let (_, why) = limit_words(report.limit);
            let overlap = match report.stages {
                1 => String::new(),
                stages => format!(", {stages} iterations overlap"),
            };
            // Iterations that were never tried to overlap have no bound by values.
            let values = match report.limit {
                LoopLimit::Effects | LoopLimit::Trips if !report.overlaps => String::new(),
                _ => format!(", values {}", report.recurrence_bound),
            };
            format!(
                "{} bundles an iteration (slots and ports take {}{values}){overlap}: {why}",
                report.interval, report.resource_bound
            )
        }
        LoopForm::Branch { calls: true, .. } => "no hardware loop: it calls functions".to_string(),
        LoopForm::Branch { blocks: 1, .. } => {
            "no hardware loop: its iterations aren't counted".to_string()
        }
        LoopForm::Branch { blocks, .. } => {
            format!("no hardware loop: branches, {blocks} blocks of code")
        }
    }
}

fn form_json(form: LoopForm) -> Value {
    match form {
        LoopForm::Hardware(report) => json!({
            "form": "hardware",
            "interval": report.interval,
            "resource_bound": report.resource_bound,
            "recurrence_bound": report.recurrence_bound,
            "stages": report.stages,
            "overlaps": report.overlaps,
            "limit": limit_words(report.limit).0,
        }),
        LoopForm::Branch { blocks, calls } => json!({
            "form": "branch",
            "blocks": blocks,
            "calls": calls,
        }),
    }
}

/// The code of all cores, of a copy of the module with the functions that are linked.
fn made(module: &Module, diags: &mut Diags) -> Result<(Module, Vec<GeneratedCore>), Reported> {
    let mut linked = module.clone();
    let made = generated(&mut linked, diags)?;
    Ok((linked, made))
}

/// `--emit=core-report`.
///
/// # Errors
/// A core has no machine code.
pub fn text(module: &Module, sources: &SourceMap, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let (module, made) = made(module, diags)?;
    let mut text = String::new();
    for core in &made {
        let _ = writeln!(text, "{}: {} bytes", core.name, core.code.bytes.len());
        for function in &core.code.functions {
            let _ = writeln!(text, "  {:>6} bytes {}", function.bytes, function.name);
        }
        for found in &core.code.loops {
            let place = place(&module, sources, found);
            let _ = writeln!(text, "  loop {place}: {}", form_text(found.form));
        }
    }
    Ok(text.into_bytes())
}

/// `--emit=core-report-json`.
///
/// # Errors
/// As [`text`].
pub fn json(module: &Module, sources: &SourceMap, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let (module, made) = made(module, diags)?;
    let of_core = |core: &GeneratedCore| {
        let functions = core.code.functions.iter();
        let functions = functions.map(|function| {
            json!({"name": function.name, "address": function.address, "bytes": function.bytes})
        });
        let loops = core.code.loops.iter().map(|found| {
            let mut value = form_json(found.form);
            value["source"] = place(&module, sources, found).into();
            value["function"] = found.function.clone().into();
            value
        });
        json!({
            "core": core.name,
            "bytes": core.code.bytes.len(),
            "functions": functions.collect::<Vec<_>>(),
            "loops": loops.collect::<Vec<_>>(),
        })
    };
    let cores: Vec<Value> = made.iter().map(of_core).collect();
    let text = serde_json::to_string_pretty(&json!({ "cores": cores }))
        .map_err(|error| diags.fail(aiec_diag::internal!("the report of cores: {error}")))?;
    Ok((text + "\n").into_bytes())
}

/// `--emit=core-asm`.
///
/// # Errors
/// As [`text`].
pub fn listings(
    module: &Module,
    sources: &SourceMap,
    diags: &mut Diags,
) -> Result<Parts, Reported> {
    let (module, made) = made(module, diags)?;
    let ids = (0..).map(|id| sources.file(FileId(id)));
    let files: HashMap<&str, &Arc<SourceFile>> = ids
        .map_while(|file| file.map(|file| (file.name.as_str(), file)))
        .collect();
    let part = |core: &GeneratedCore| {
        let text = listing(&core.program(&module, sources));
        (core.name.clone(), with_lines(&text, &files).into_bytes())
    };
    Ok(made.iter().map(part).collect())
}

/// A listing whose comments on lines have their text too.
fn with_lines(listing: &str, files: &HashMap<&str, &Arc<SourceFile>>) -> String {
    let mut out = String::with_capacity(listing.len() * 2);
    for line in listing.lines() {
        out += line;
        let place = line
            .strip_prefix("// ")
            .and_then(|place| place.rsplit_once(':'));
        let known = place.and_then(|(file, number)| Some((files.get(file)?, number.parse().ok()?)));
        if let Some((file, number)) = known {
            out += ": ";
            out += file.line_text(number).trim();
        }
        out.push('\n');
    }
    out
}
