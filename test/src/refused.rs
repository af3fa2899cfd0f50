//! The page of what is refused though other tools have it, made from the tables that refuse it.

use std::collections::BTreeMap;

use aiec_aie::ops::{OPS, OpDef};
use aiec_core::CoreArch;
use aiec_device::regmap::RegisterMap;
use aiec_device::{DeviceModel, TileKind};
use aiec_sim::core::isa::{UnmodelledInstruction, unmodelled};

use crate::operations::{TEXT_ONLY, meaning};

/// Why operations of the table are kept as text only, by the begin of their names.
const REASONS: [(&str, &str); 14] = [
    (
        "aie.shim_switchbox",
        "a spelling of early 2025 that mlir-aie has dropped: write `aie.switchbox`",
    ),
    (
        "aie.plio",
        "programmable logic isn't simulated: what comes from there has no form here",
    ),
    (
        "aie.wire",
        "it tells what the device's table holds; nothing reads it",
    ),
    (
        "aiex.control_packet",
        "control code writes registers itself; `--emit=control-packets` and \
         `--aie-ctrl-packet-to-dma` make them transfers",
    ),
    (
        "aiex.dma_bd_pool",
        "BDs are numbered when a design is compiled: `--aie-lower-dynamic-bd-pool`",
    ),
    (
        "aiex.token",
        "mlir-aie lowers tokens no more: write `aie.lock` and `aie.use_lock`, or object fifos",
    ),
    (
        "aiex.useToken",
        "mlir-aie lowers tokens no more: write `aie.lock` and `aie.use_lock`, or object fifos",
    ),
    (
        "aiex.memcpy",
        "it is ordered by tokens, which mlir-aie lowers no more: write an object fifo",
    ),
    (
        "aievec_aie1.",
        "vector operations of AIE1, of which no published description of the cores' products exists here",
    ),
    (
        "func.call_indirect",
        "cores have no table of functions: call one by name",
    ),
    (
        "func.constant",
        "cores have no table of functions: call one by name",
    ),
    (
        "ptr.",
        "`--aie-vector-to-pointer-loops` makes them for other compilers of cores; `memref` says the same here",
    ),
    (
        "linalg.",
        "loop nests are lowered by upstream's passes (`--convert-linalg-to-loops`) before",
    ),
    (
        "tensor.",
        "values without memory: upstream's bufferization turns them into memrefs before",
    ),
];

/// The operations of the table that nothing executes.
fn text_only() -> impl Iterator<Item = &'static OpDef> {
    OPS.iter().filter(|def| meaning(def) == TEXT_ONLY)
}

fn reason(name: &str) -> Option<&'static str> {
    let mut rows = REASONS.iter();
    rows.find(|row| name.starts_with(row.0)).map(|row| row.1)
}

/// Rows that fit no operation, and operations without a row.
pub fn out_of_date() -> Vec<&'static str> {
    let names: Vec<&str> = text_only().map(|def| def.name).collect();
    let without = names.iter().copied().filter(|name| reason(name).is_none());
    let rows = REASONS.iter().map(|row| row.0);
    let stale = rows.filter(|begin| !names.iter().any(|name| name.starts_with(begin)));
    without.chain(stale).collect()
}

/// The page.
pub fn page() -> String {
    let mut page = String::from(
        "# What is refused\n\nMade from the tables. Nothing of this is computed wrongly or left out: it is an error \
         with its place, before anything runs. What a device or a format can't do is in the \
         [diagnostic codes](diagnostics.md), what the simulator does otherwise than silicon in \
         [fidelity](fidelity.md).\n\n## Operations\n\nThey are read, verified and printed, but nothing executes them \
         ([all operations](supported-ops.md)).\n\n| operation | why, and what to do |\n| --- | --- |\n",
    );
    let mut rows: BTreeMap<usize, (Vec<String>, &str)> = BTreeMap::new();
    for (at, def) in text_only().enumerate() {
        let why = reason(def.name).unwrap_or_default();
        let known = rows.iter().find(|(_, row)| row.1 == why).map(|(at, _)| *at);
        let row = rows.entry(known.unwrap_or(at)).or_insert((Vec::new(), why));
        row.0.push(format!("`{}`", def.name));
    }
    for (names, why) in rows.values() {
        page += &format!("| {} | {why} |\n", names.join(", "));
    }
    page += &devices();
    page += "\n## Passes of mlir-aie\n\n`aiec opt` has [the others](passes.md) by their names.\n\n\
             | pass | why, and what to do |\n| --- | --- |\n";
    for (name, instead) in aiec::PASSES_OF_MLIR_AIE_ONLY {
        page += &format!("| `{name}` | {instead} |\n");
    }
    page += "\n## Forms\n\nOperations that are executed, but not with each type or operand, are refused by these codes.\n\n\
             | code | |\n| --- | --- |\n";
    for code in aiec::explain::code_tables::all().filter(|code| OF_FORMS.contains(&code.id)) {
        page += &format!("| `{}` | {} |\n", code.id, code.explanation);
    }
    page += "\n## Instructions of cores\n\nMachine code may hold them, and `aiec asm` and `aiec dis` know them; a run that comes \
             to one ends with its name and place. No published description or test says what they compute.\n\n\
             | cores | instructions without a model |\n| --- | --- |\n";
    for arch in CoreArch::ALL {
        let form = |row: UnmodelledInstruction| {
            let some = format!(" ({} of {} forms)", row.refused_forms, row.forms);
            let some = if row.refused_forms < row.forms {
                some
            } else {
                String::new()
            };
            format!("`{}`{some}", row.mnemonic)
        };
        let refused: Vec<String> = unmodelled(arch).into_iter().map(form).collect();
        page += &format!("| {} | {} |\n", arch.name(), refused.join(", "));
    }
    page
}

/// Table of the files that each device takes, by what is known of its generation.
fn devices() -> String {
    let mut text = String::from(
        "\n## Devices\n\nDesigns for all of them are read, verified, placed, routed and drawn.\n\n\
         | devices | for hardware | simulated |\n| --- | --- | --- |\n",
    );
    let mut rows: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for model in DeviceModel::all() {
        let arch = model.arch();
        let row = if RegisterMap::of(arch, TileKind::Core).is_none() {
            (
                "nothing: registers of this generation are not described",
                "no",
            )
        } else if model.has_cert() {
            ("control code", "yes")
        } else if model.name().starts_with("npu") {
            (
                "what the driver of Ryzen AI loads: xclbin and instructions, or an ELF",
                "yes",
            )
        } else {
            (
                "the configuration (`--emit=cdo`), without the runtime sequence: nothing on the device executes one",
                "yes, with the sequence as control code",
            )
        };
        rows.entry(row)
            .or_default()
            .push(format!("`{}`", model.name()));
    }
    for ((hardware, simulated), names) in rows {
        text += &format!("| {} | {hardware} | {simulated} |\n", names.join(", "));
    }
    text
}

/// Codes of what is known, but has no form.
const OF_FORMS: [&str; 10] = [
    "affine::no-outcome",
    "core::unsupported-op",
    "core::unsupported-type",
    "core::no-machine-code",
    "core::recursion",
    "configure::not-supported-yet",
    "npu::no-such-operation",
    "npu::no-full-elf",
    "cert::no-form",
    "standard::no-form",
];

/// Codes of the page that no table has.
pub fn unknown_codes() -> Vec<&'static str> {
    let all: Vec<&str> = aiec::explain::code_tables::all()
        .map(|code| code.id)
        .collect();
    OF_FORMS
        .into_iter()
        .filter(|id| !all.contains(id))
        .collect()
}
