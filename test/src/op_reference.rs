//! The reference page of single operations of the dialects `aie` and `aiex`, made from their table:
//! syntax, operands, attributes, an example and what becomes of it. Syntax comes from the formats of the
//! rows, examples from the tests that read and print each operation.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use aiec_aie::ir::Module;
use aiec_aie::ops::{OPS, OpDef};
use aiec_aie::text;
use aiec_aie::verify::{VerifyMode, verify_as};
use aiec_diag::{Diags, SourceFile, SourceMap};

use crate::operations;

/// The rows of the table, for their formats.
const ROWS: &str = include_str!("../../dialect/aie/src/op_table/rows.rs");

/// Tests that examples are taken from, today's forms first.
const TESTS: [&str; 10] = [
    "array",
    "dma",
    "fifos",
    "fifo_pieces",
    "fifo_process",
    "traces",
    "sequence",
    "written_configurations",
    "control_code",
    "legacy",
];

/// An example is shown up to this line.
const LONGEST: usize = 12;

/// Results of lowering, by the begin of operations' names; the longest that fits holds.
const LOWERED: &[(&str, &str)] = &[
    (
        "aie.device",
        "register writes that configure the array, and a job of control code or more for its sequence",
    ),
    ("aie.logical_tile", "`aie.tile` (`aie-place-tiles`)"),
    ("aie.tile", "the column and row of register addresses"),
    ("aie.end", "nothing; in a core the end of the program"),
    ("aie.switchbox", "register writes of the stream switch"),
    ("aie.shim_mux", "register writes of the shim multiplexer"),
    (
        "aie.connect",
        "a master's and a slave's register of the switch",
    ),
    (
        "aie.amsel",
        "the arbiter and master select of slave slots and masters",
    ),
    ("aie.masterset", "a master's register with its arbiter"),
    ("aie.packet_rules", "slots of a slave port"),
    ("aie.rule", "a slot of a slave port: id, mask, arbiter"),
    (
        "aie.flow",
        "`aie.connect` in each switch on the way (`aie-create-pathfinder-flows`)",
    ),
    (
        "aie.packet_flow",
        "`aie.amsel`, `aie.masterset` and `aie.packet_rules` on the way (`aie-create-pathfinder-flows`)",
    ),
    ("aie.packet_source", "part of its `aie.packet_flow`"),
    ("aie.packet_dest", "part of its `aie.packet_flow`"),
    ("aie.wire", "nothing: it is informational"),
    ("aie.plio", "nothing: PL is not modelled"),
    (
        "aie.cascade_flow",
        "`aie.configure_cascade` of both cores (`aie-lower-cascade-flows`)",
    ),
    ("aie.configure_cascade", "the core's cascade register"),
    (
        "aie.shim_dma_allocation",
        "a tile, direction and channel where sequences name it",
    ),
    ("aie.lock", "an initial value in the lock's register"),
    (
        "aie.use_lock",
        "in BDs their lock fields; in cores an acquire or release of the program",
    ),
    (
        "aie.buffer",
        "an address in data memory, and its initial words if it has some",
    ),
    ("aie.external_buffer", "an address in host memory"),
    (
        "aie.dma_bd_packet",
        "the packet fields of the BD's registers",
    ),
    ("aie.dma_bd", "the registers of a BD"),
    ("aie.next_bd", "the next-BD fields of a BD's registers"),
    ("aie.dma_start", "a task in the channel's queue"),
    ("aie.dma", "a task in the channel's queue, and its BDs"),
    ("aie.shim_dma", "BDs and tasks of a shim tile"),
    ("aie.memtile_dma", "BDs and tasks of a mem tile"),
    ("aie.mem", "BDs and tasks of a core tile"),
    (
        "aie.core",
        "a program in program memory, loaded by the configuration, and the core's enable",
    ),
    (
        "aie.bd_chain",
        "tasks where it is started (`aie-materialize-bd-chains`)",
    ),
    (
        "aie.objectfifo.register_process",
        "a loop of acquires and releases in the core (`aie-register-objectFifos`)",
    ),
    (
        "aie.objectfifo.link",
        "BDs of the mem tile that both fifos share (`aie-objectFifo-stateful-transform`)",
    ),
    (
        "aie.objectfifo.acquire",
        "`aie.use_lock` and a buffer of the fifo (`aie-objectFifo-stateful-transform`)",
    ),
    (
        "aie.objectfifo.release",
        "`aie.use_lock` (`aie-objectFifo-stateful-transform`)",
    ),
    (
        "aie.objectfifo.subview.access",
        "a buffer of the fifo (`aie-objectFifo-stateful-transform`)",
    ),
    (
        "aie.objectfifo",
        "buffers, locks, BDs and a flow (`aie-objectFifo-stateful-transform`)",
    ),
    ("aie.route", "a flow (`aie-objectFifo-stateful-transform`)"),
    ("aie.event", "an event of the core, for traces"),
    ("aie.debug", "a value that the simulator prints"),
    ("aie.get_", "an instruction of the core's program"),
    ("aie.put_", "an instruction of the core's program"),
    (
        "aie.trace",
        "writes of the trace unit's registers, and a packet flow to a shim tile (`aie-insert-trace-flows`, `aie-trace-to-config`)",
    ),
    (
        "aie.runtime_sequence",
        "jobs of control code, or a transaction of the NPU's firmware",
    ),
    (
        "aie.shim_switchbox",
        "nothing: it is refused where it would have to be configured",
    ),
    (
        "aiex.npu.dma_memcpy_nd",
        "a BD, its address and a task of a shim channel (`aie-dma-to-npu`)",
    ),
    (
        "aiex.npu.dma_wait",
        "a wait for the token of a channel (`aie-dma-to-npu`: `aiex.npu.sync`)",
    ),
    ("aiex.npu.rtp_write", "a write of a word of data memory"),
    ("aiex.npu.push_queue", "a write of the queue of a channel"),
    ("aiex.npu.write32", "WRITE_32"),
    ("aiex.npu.maskwrite32", "MASK_WRITE_32"),
    ("aiex.npu.maskpoll", "MASK_POLL_32"),
    (
        "aiex.npu.read_reg",
        "an operation of transactions (READ_REGS); control code returns nothing to the host",
    ),
    (
        "aiex.npu.write_config",
        "the writes of another device's configuration",
    ),
    ("aiex.npu.blockwrite", "descriptors of the uC-DMA"),
    ("aiex.npu.sync", "WAIT_TCTS"),
    (
        "aiex.npu.address_patch",
        "APPLY_OFFSET_57, and a relocation for the host",
    ),
    ("aiex.npu.preempt", "a preemption point"),
    (
        "aiex.npu.load_pdi",
        "the configuration of another device (`aie-expand-load-pdi`)",
    ),
    (
        "aiex.npu.writebd",
        "`aiex.npu.blockwrite` of the BD's registers (`aie-dma-to-npu`)",
    ),
    (
        "aiex.npu.assert",
        "nothing, if it holds of a constant; else it is refused",
    ),
    (
        "aiex.npu.create_scratchpad",
        "XAIE_IO_CREATE_SCRATCHPAD of a transaction; in control code it is refused",
    ),
    (
        "aiex.npu.update_from_scratchpad",
        "XAIE_IO_UPDATE_REG of a transaction; in control code it is refused",
    ),
    (
        "aiex.scratchpad_parameter",
        "a word of the table of NPU firmware (`aie-lower-scratchpad-parameters`)",
    ),
    (
        "aiex.read_scratchpad_parameter",
        "a load from a buffer that NPU firmware writes (`aie-lower-scratchpad-parameters`)",
    ),
    (
        "aiex.sync_scratchpad_parameters_from_host",
        "the creation of the table, updates from it and releases of cores (`aie-lower-scratchpad-parameters`)",
    ),
    (
        "aiex.control_packet",
        "words of a control packet (`aie-ctrl-packet-to-dma`)",
    ),
    (
        "aiex.dma_configure_task",
        "BDs of the task (`aie-dma-tasks-to-npu`)",
    ),
    (
        "aiex.dma_start_bd_chain",
        "a task with a copy of the chain (`aie-materialize-bd-chains`)",
    ),
    (
        "aiex.dma_start_task",
        "a write of the channel's queue (`aie-dma-tasks-to-npu`)",
    ),
    (
        "aiex.dma_await_task",
        "a wait for the task's token (`aie-dma-tasks-to-npu`)",
    ),
    (
        "aiex.dma_free_task",
        "nothing: the BD numbers of the task may be used again",
    ),
    (
        "aiex.dma_bd_pool",
        "nothing in control code: hosts with pools of BDs run it",
    ),
    ("aiex.set_lock", "a write of the lock's register"),
    (
        "aiex.dma_channel_reset",
        "writes of the channel's reset bit",
    ),
    ("aiex.core_reset", "writes of the core's reset bit"),
    (
        "aiex.buffer_clear",
        "a block of zeros in the tile's data memory",
    ),
    (
        "aiex.npu.require",
        "nothing where it holds, else an error; functions of the host ask it",
    ),
    (
        "aiex.configure",
        "the configuration of another device, whole or what differs",
    ),
    (
        "aiex.run",
        "the operations of the sequence (`aie-materialize-runtime-sequences`)",
    ),
    ("aiex.multi", "`aie.flow` (`aie-lower-multicast`)"),
    (
        "aiex.broadcast_packet",
        "`aie.packet_flow` (`aie-lower-broadcast-packet`)",
    ),
    (
        "aiex.bp_",
        "`aie.packet_flow` (`aie-lower-broadcast-packet`)",
    ),
    (
        "aiex.cert.section",
        "a part of control code that LOAD_PDI or PREEMPT runs",
    ),
    ("aiex.cert.page", "a page of control code"),
    ("aiex.cert.job", "START_JOB and END_JOB"),
    (
        "aiex.cert.attach_to_group",
        "the control code of one controller",
    ),
    (
        "aiex.cert.uc_dma_chain",
        "descriptors of the uC-DMA in the data of a page",
    ),
    ("aiex.cert.uc_dma_bd", "a descriptor of the uC-DMA"),
    ("aiex.cert.", "the instruction of this name"),
];

/// The page.
pub fn page(root: &Path) -> Result<String, String> {
    let examples = examples(root)?;
    let mut page = String::from(
        "# Operations in detail\n\nMade from the table of operations: those of the dialects `aie` and `aiex`. \
         `[…]` may be left out, `type(x)` is the type of `x`. Attributes without a place of their own in the \
         syntax are in braces; in generic form all do. [Operations](supported-ops.md) lists those of other \
         dialects, which are as in upstream MLIR.\n",
    );
    let mut missing = Vec::new();
    let ours = |def: &&OpDef| matches!(def.name.split('.').next(), Some("aie" | "aiex"));
    for def in OPS.iter().filter(ours) {
        page += &format!(
            "\n## `{}`\n\n{}.\n",
            def.name,
            def.summary.trim().trim_end_matches('.')
        );
        if let Some(format) = format_of(def.name) {
            page += &format!("\n```text\n{}{}\n```\n", def.name, syntax(format));
        }
        if !def.operands.is_empty() || !def.attrs.is_empty() {
            page += "\n| | what |\n| --- | --- |\n";
        }
        for operand in def.operands {
            let (name, how) = match operand.strip_suffix('?') {
                Some(name) => (name, "operand, optional"),
                None => match operand.strip_suffix('*') {
                    Some(name) => (name, "operands, any number"),
                    None => (*operand, "operand"),
                },
            };
            page += &format!("| `{name}` | {how} |\n");
        }
        for attr in def.attrs {
            let required = if attr.required { "" } else { ", optional" };
            page += &format!(
                "| `{}` | attribute: {}{required} |\n",
                attr.name, attr.expected
            );
        }
        match examples.get(def.name) {
            Some(example) => page += &format!("\n```mlir\n{example}\n```\n"),
            None => missing.push(def.name),
        }
        page += &format!("\nBecomes {}.\n", becomes(def));
    }
    if missing.is_empty() {
        Ok(page)
    } else {
        Err(format!("without an example: {}", missing.join(", ")))
    }
}

/// Result of a compilation for an operation.
fn becomes(def: &OpDef) -> String {
    let fits = LOWERED
        .iter()
        .filter(|(begin, _)| def.name.starts_with(begin));
    match fits.max_by_key(|(begin, _)| begin.len()) {
        Some((_, what)) => (*what).to_string(),
        None => match operations::meaning(def).as_str() {
            operations::TEXT_ONLY => {
                "nothing: it is kept, and refused where it would have to be executed".to_string()
            }
            who => format!("part of what it belongs to ({who})"),
        },
    }
}

/// The format of an operation's row.
fn format_of(name: &str) -> Option<&'static str> {
    let quoted = format!(" = \"{name}\" (");
    let row = ROWS.lines().find(|line| line.contains(&quoted))?;
    let (_, rest) = row.split_once(&quoted)?;
    let (_, format) = rest.strip_suffix('"')?.rsplit_once("} \"")?;
    Some(format)
}

/// A format as people write syntax.
fn syntax(format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('$') {
        out += &rest[..at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('(') {
            let close = closing(after);
            let (inner, behind) = (&after[..close], &after[close + 1..]);
            let (how, behind) = behind.split_at(behind.len().min(1));
            match how {
                "?" => out += &format!("[{}]", syntax(inner)),
                "!" => {}
                _ => out += &format!("{}{how}", syntax(inner)),
            }
            rest = behind;
            continue;
        }
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let (name, mut behind) = rest.split_at(end.unwrap_or(rest.len()));
        let call = behind
            .strip_prefix('(')
            .filter(|_| ["type", "types", "each", "gives"].contains(&name));
        if let Some(after) = call {
            let close = closing(after);
            if name != "gives" {
                out += &format!("{name}({})", &after[..close]);
            }
            rest = &after[close + 1..];
            continue;
        }
        if let Some(after) = behind.strip_prefix(':') {
            let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let end = end.unwrap_or(after.len());
            if end > 0 {
                behind = &after[end..];
                if let Some(inner) = behind.strip_prefix('(') {
                    behind = &inner[closing(inner) + 1..];
                }
            }
        }
        out += &match name {
            "attrs" => " [{attributes}]".to_string(),
            "attributes" => " [attributes {…}]".to_string(),
            "region" => " { … }".to_string(),
            "args" => "arguments".to_string(),
            "successor" => "^block".to_string(),
            "flags" => "[flags]".to_string(),
            name => name.to_string(),
        };
        rest = behind;
    }
    out + rest
}

/// Where the bracket closes in front of which a text begins.
fn closing(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len().saturating_sub(1)
}

/// An example of each operation, from tests that parse and verify.
fn examples(root: &Path) -> Result<BTreeMap<&'static str, String>, String> {
    let mut examples = BTreeMap::new();
    for test in TESTS {
        let path = root.join(format!("test/dialect/ops/{test}.mlir"));
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        for part in text.split("// -----") {
            let mut sources = SourceMap::new();
            let file = sources.add(SourceFile::new(test, part));
            let mut diags = Diags::new();
            let module: Module = text::parse(file, &sources, &mut diags);
            if diags.has_errors() {
                continue;
            }
            verify_as(&module, VerifyMode::Fragment, &mut diags);
            if diags.has_errors() {
                continue;
            }
            for op in module.walk(module.top()) {
                let kind = module.kind(op);
                let def = OPS.iter().find(|def| def.kind == kind);
                let (Some(def), Some(span)) = (def, module.span(op)) else {
                    continue;
                };
                let example = excerpt(part, span.start as usize);
                let generic = example.contains(&format!("\"{}\"", def.name));
                let older = !example.contains(def.name);
                let better = examples
                    .get(def.name)
                    .is_none_or(|(known, _): &(bool, String)| *known);
                if better && !older {
                    examples.insert(def.name, (generic, example));
                }
            }
        }
    }
    Ok(examples
        .into_iter()
        .map(|(name, (_, text))| (name, text))
        .collect())
}

/// The lines of an operation that begins somewhere, with its regions, up to [`LONGEST`].
fn excerpt(text: &str, start: usize) -> String {
    let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = text[begin..].len() - text[begin..].trim_start_matches(' ').len();
    let mut depth = 0i32;
    let mut lines = Vec::new();
    for line in text[begin..].lines() {
        let code = line.split(" //").next().unwrap_or_default().trim_end();
        depth += code.matches(['{', '(', '[']).count() as i32;
        depth -= code.matches(['}', ')', ']']).count() as i32;
        lines.push(code.get(indent..).unwrap_or(code.trim_start()).to_string());
        if depth <= 0 && !code.ends_with(',') {
            break;
        }
    }
    if lines.len() > LONGEST {
        lines.truncate(LONGEST);
        lines.push("…".to_string());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_become_syntax() {
        assert_eq!(
            syntax("($tile, $direction, $channel)$attrs"),
            "(tile, direction, channel) [{attributes}]"
        );
        assert_eq!(
            syntax("<$tile_type:TILE_TYPE>($col:coordinate)"),
            "<tile_type>(col)"
        );
        assert_eq!(syntax("$( $sym_name)?$region"), "[ sym_name] { … }");
        assert_eq!(
            syntax("$(, $old)! : $type(buffer)$gives(x)"),
            " : type(buffer)"
        );
    }

    #[test]
    fn excerpts_end_where_brackets_close() {
        let text = "a\n  %x = f {\n    g\n  }\n  h\n";
        assert_eq!(excerpt(text, 4), "%x = f {\n  g\n}");
    }
}
