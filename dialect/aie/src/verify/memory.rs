//! Buffers and cores: sizes, places, files.

use super::array::below_minimum;
use super::{Context, Report, codes, kind_text};
use crate::ir::Attr;
use crate::ops::{Buffer, Core, OpKind, OpView};
use aiec_diag::Diag;

pub(super) fn check(cx: &mut Context<'_>) {
    cx.each(buffer_range);
    cx.each(core_attributes);
}

fn buffer_range(cx: &mut Context<'_>, buffer: Buffer) {
    let m = cx.module;
    let op = buffer.op();
    let handle = buffer.tile(m);
    if let Some(kind) = cx.kind_of(handle).filter(|kind| kind.is_shim()) {
        let place = match cx.tile(handle) {
            Some(loc) => format!("{loc}, a {}, has", kind_text(kind)),
            None => format!("a {} has", kind_text(kind)),
        };
        let text = "failed to verify that op exists in a tile with local memory";
        let message = format!("{place} no memory for buffers");
        let help = "put the buffer on a core or mem tile; host memory is aie.external_buffer";
        cx.shared(op, &codes::TILE_KIND, (message, help), text);
        return;
    }
    let Some(loc) = cx.tile(handle) else {
        return;
    };
    let Some(tile) = cx.model.tile(loc) else {
        return;
    };
    let (memory, banks) = (u64::from(tile.memory_bytes), tile.banks);
    let Some(bytes) = buffer.bytes(m) else {
        let message = "the size of this buffer isn't known";
        let help = "give it a memref of static shape whose elements have whole bytes";
        cx.refuse(op, &codes::BUFFER, message, help);
        return;
    };
    let start = buffer.address(m).map(i64::from);
    let end = start.map(|a| i128::from(a) + i128::from(bytes));
    let outside = start.is_some_and(|a| a < 0) || end.is_some_and(|e| e > i128::from(memory));
    if outside || bytes > memory {
        let place = start.map_or(String::new(), |a| format!(" at address {a}"));
        let message =
            format!("a buffer of {bytes} bytes{place} does not fit the {memory} bytes of {loc}");
        let help = "make it smaller, give it another address, or use a mem tile";
        cx.problem(op, &codes::BUFFER, message, help);
    }
    if let Some(bank) = buffer.mem_bank(m)
        && u32::try_from(bank).ok().is_none_or(|b| b >= banks.count)
    {
        let message = format!("mem_bank attribute value is out of range: {loc} has no bank {bank}");
        let help = format!(
            "this tile has banks 0..={} of {} bytes",
            banks.count - 1,
            banks.bytes
        );
        cx.problem(op, &codes::BUFFER, message, help);
    }
    if let Some(Attr::Dense(dense)) = m.attr(op, "initial_value")
        && dense.expand().is_some_and(|b| b.len() as u64 != bytes)
    {
        let message = format!("the initial value doesn't have the {bytes} bytes of the buffer");
        let help = "give one value for each element, or a single one for all";
        cx.refuse(op, &codes::BUFFER, message, help);
    }
}

fn core_attributes(cx: &mut Context<'_>, core: Core) {
    let m = cx.module;
    let Some(loc) = cx.tile(core.tile(m)) else {
        return;
    };
    let memory = cx.model.tile(loc).map_or(0, |t| i64::from(t.memory_bytes));
    let op = core.op();
    if let Some(stack) = core.stack_size(m).map(i64::from)
        && (stack < 1 || stack >= memory)
    {
        let message = format!("a stack of {stack} bytes does not fit the {memory} bytes of {loc}");
        let help = "make it smaller than the memory";
        let text = format!(
            "stack_size {stack} leaves no local memory for this tile's buffers ({memory} bytes \
             total)"
        );
        let mlir_aie = if stack < 1 {
            below_minimum(cx, op, "stack_size", 1)
        } else {
            cx.mlir_aie(op, text)
        };
        cx.shared_as(op, &codes::CORE, (message, help), mlir_aie);
    }
    files(cx, core);
    let body = m.entry(op, 0);
    let is_empty = body
        .and_then(|b| m.first_op(b))
        .is_none_or(|o| m.kind(o) == OpKind::End);
    if core.elf_file(m).is_some() && !is_empty {
        Diag::warning(
            &codes::CORE,
            "elf_file is ignored: the core's body is compiled",
        )
        .label(m.span(op), "this core has both")
        .help("empty the body but for aie.end to load the file, or remove elf_file")
        .push(cx);
    }
}

/// A core's object files: the one of link_with, or two lists without a common name.
fn files(cx: &mut Context<'_>, core: Core) {
    let m = cx.module;
    let op = core.op();
    let lists = [
        ("link_files", core.link_files(m)),
        ("link_merge_files", core.link_merge_files(m)),
    ];
    for (key, list) in &lists {
        if core.link_with(m).is_none() || list.is_none() {
            continue;
        }
        let text = format!("cannot specify both 'link_with' (deprecated) and '{key}'");
        let message = format!("link_with and {key} can't both be given");
        let help = format!("move the file of link_with into {key}");
        cx.shared(op, &codes::CORE, (message, help), text);
    }
    let [(_, Some(linked)), (_, Some(merged))] = &lists else {
        return;
    };
    for file in linked.iter().filter(|file| merged.contains(file)) {
        let name = file.as_str().map_or("", |name| &**name);
        let text = format!("artifact '{name}' appears in both 'link_files' and 'link_merge_files'");
        let message = format!("\"{name}\" is in link_files and in link_merge_files");
        let help = "a file is either linked or merged: remove it from one of the lists";
        cx.shared(op, &codes::CORE, (message, help), text);
    }
}
