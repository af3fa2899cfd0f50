//! The fields of buffer descriptors.

use aiec_device::{Arch, DmaDir, DmaModel, TileKind};
use aiec_diag::Diag;
use rustc_hash::FxHashMap;

use super::{Context, Report, VerifyMode, codes, kind_text};
use crate::ir::{BdDim, BdPad, Op};
use crate::ops::enums::LockAction;
use crate::ops::{Buffer, DmaBd, DmaBdPacket, ExternalBuffer, OpKind, OpView, UseLock};

pub(super) fn descriptor(cx: &mut Context<'_>, bd: DmaBd, kind: TileKind, dma: &DmaModel) {
    let m = cx.module;
    let op = bd.op();
    for (what, id) in [("bd_id", bd.bd_id(m)), ("next_bd_id", bd.next_bd_id(m))] {
        if let Some(id) = id
            && !(0..i32::from(dma.bds)).contains(&id)
        {
            let message = format!("{what} {id} of a {} doesn't exist", kind_text(kind));
            let key = if what == "bd_id" { "bdId" } else { "nextBdId" };
            let max = dma.bds - 1;
            let help = format!("this tile has BDs 0..={max}");
            let text = format!("{key} attribute exceeds max: {max}");
            cx.shared(op, &codes::BD, (message, help), text);
        }
    }
    packet(cx, bd);
    named_bd(cx, bd, false);
    let Some(buffer) = bd.buffer(m) else { return };
    let known = Buffer::of(m, buffer).is_some() || ExternalBuffer::of(m, buffer).is_some();
    if !known {
        cx.error(op, &codes::BD, "a BD needs a buffer of the design")
            .label(m.value_span(buffer), "this isn't one")
            .help("give it the result of an aie.buffer or aie.external_buffer")
            .push(cx);
        return;
    }
    let Some(memref) = m.ty(buffer).as_memref() else {
        return;
    };
    let (Some(elem), Some(elements)) = (memref.elem.elem_bytes(), memref.num_elements()) else {
        return;
    };
    extent(cx, bd, (elem, elements), dma);
    dimensions(cx, bd, (elem, elements), kind, dma);
    padding(cx, bd, elem, dma);
    if let Some(burst) = bd.burst_length(m).filter(|b| *b != 0) {
        let shim = kind == TileKind::ShimNoc;
        let ok = u32::try_from(burst).is_ok_and(|b| dma.burst_code(b).is_some());
        if !shim || !ok {
            let message = format!("a burst length of {burst} bytes isn't possible here");
            let list: Vec<String> = dma.bursts.iter().map(u32::to_string).collect();
            let help = if shim {
                format!("possible are {}, or 0 for the longest", list.join(", "))
            } else {
                "only shim DMAs have bursts; leave burst_length out".to_string()
            };
            let text = "Burst length is only supported in Shim NOC tiles that are connected to \
                        the memory-mapped NOC.";
            if shim {
                cx.problem(op, &codes::BD, message, help)
            } else {
                cx.shared(op, &codes::BD, (message, help), text)
            }
        }
    }
    iteration(cx, bd, elem, dma);
}

/// Greatest number of a descriptor in a packet's header (6 bits; AM025, `Out_Of_Order_BD_ID`).
const MAX_NAMED_BD: i32 = 63;

/// Whether a BD sends its data with a header, by itself or by an `aie.dma_bd_packet` beside it.
fn has_header(cx: &Context<'_>, bd: DmaBd) -> bool {
    let m = cx.module;
    let beside = m.parent_block(bd.op()).is_some_and(|block| {
        m.block_ops(block)
            .any(|op| m.kind(op) == OpKind::DmaBdPacket)
    });
    bd.packet(m).is_some() || beside
}

/// The number of the receiver's descriptor that a BD puts into its header.
pub(super) fn named_bd(cx: &mut Context<'_>, bd: DmaBd, task_has_header: bool) {
    let Some(id) = bd.out_of_order_id(cx.module) else {
        return;
    };
    let op = bd.op();
    if cx.model.arch() == Arch::Aie1 {
        let said = (
            "headers of AIE1 name no descriptors",
            "leave out `out_of_order_id`",
        );
        let text = "out_of_order_id is not supported on this device";
        cx.shared(op, &codes::BD, said, text);
    } else if !task_has_header && !has_header(cx, bd) {
        let said = (
            "the number of the receiver's descriptor is in a packet's header, and this BD sends none",
            "give it a `packet`, or leave out `out_of_order_id`",
        );
        let text = "out_of_order_id requires a packet-enabled BD";
        cx.shared(op, &codes::BD, said, text);
    } else if !(0..=MAX_NAMED_BD).contains(&id) {
        let message = format!("a header can't name descriptor {id}");
        let help = format!("they are 0 to {MAX_NAMED_BD}");
        let text = format!("out_of_order_id must be in [0, {MAX_NAMED_BD}]");
        cx.shared(op, &codes::BD, (message, help), text);
    }
}

/// A channel whose descriptors are chosen by packets: its headers must reach it, in any order.
pub(super) fn out_of_order(
    cx: &mut Context<'_>,
    op: Op,
    dir: DmaDir,
    bds: &[DmaBd],
    task_has_header: bool,
) {
    let m = cx.module;
    if dir != DmaDir::S2mm {
        let said = (
            "the descriptors of a channel that sends can't be chosen by packets",
            "leave out `out_of_order`, or name the receiver's descriptors: `out_of_order_id`",
        );
        let text = "out_of_order is only valid on an S2MM channel";
        return cx.shared(op, &codes::DMA_CHANNEL, said, text);
    }
    if cx.model.arch() == Arch::Aie1 {
        let said = (
            "the DMAs of AIE1 take their descriptors in order",
            "leave out `out_of_order`",
        );
        let text = "out-of-order S2MM DMA is not supported on this device";
        return cx.shared(op, &codes::DMA_CHANNEL, said, text);
    }
    for bd in bds {
        if !task_has_header && !has_header(cx, *bd) {
            let said = (
                "a packet chooses this BD, which takes none",
                "give it a `packet`, or an aie.dma_bd_packet beside it",
            );
            let text = "out-of-order S2MM receive buffer descriptor must be packet-enabled";
            return cx.shared(bd.op(), &codes::BD, said, text);
        }
        if bd.out_of_order_id(m).is_some() {
            let said = (
                "this BD is chosen by a packet, it names no other",
                "write `out_of_order_id` at the BD that sends, with the `bd_id` of this one",
            );
            let text = "out_of_order_id belongs on the sender buffer descriptor";
            return cx.shared(bd.op(), &codes::BD, said, text);
        }
    }
    let locks = |bd: &DmaBd| -> Vec<(bool, Op)> {
        let block = m.parent_block(bd.op());
        let uses = block.into_iter().flat_map(|block| m.block_ops(block));
        uses.filter_map(|op| UseLock::cast(m, op))
            .filter_map(|lock| {
                let release = lock.action(m) == LockAction::Release;
                Some((release, lock.lock_op(m)?.op()))
            })
            .collect()
    };
    let mut released: FxHashMap<Op, Op> = FxHashMap::default();
    for bd in bds {
        for (_, lock) in locks(bd).into_iter().filter(|(release, _)| *release) {
            released.entry(lock).or_insert(bd.op());
        }
    }
    for bd in bds {
        let acquired = locks(bd).into_iter().filter(|(release, _)| !release);
        let mut others = acquired.filter_map(|(_, lock)| released.get(&lock));
        if let Some(other) = others.find(|other| **other != bd.op()).copied() {
            let message =
                "this BD waits for another one of the channel, whose packet may come after its own";
            let text = "out-of-order S2MM prohibits inter-BD lock dependencies; can deadlock";
            return cx
                .error(bd.op(), &codes::BD, message)
                .label(m.span(other), "this one releases the lock")
                .help("let a core or another channel release it")
                .mlir_aie(cx.mlir_aie(bd.op(), text))
                .push(cx);
        }
    }
}

fn packet(cx: &mut Context<'_>, bd: DmaBd) {
    let m = cx.module;
    let model = cx.model.arch_model();
    let mut list: Vec<(Op, i64, i64)> = Vec::new();
    if let Some(packet) = bd.packet(m) {
        list.push((bd.op(), packet.pkt_type, packet.pkt_id));
    }
    if let Some(block) = m.parent_block(bd.op()) {
        for op in m.block_ops(block) {
            if let Some(p) = DmaBdPacket::cast(m, op) {
                list.push((op, p.packet_type(m).into(), p.packet_id(m).into()));
            }
        }
    }
    let (max_type, max_id) = (
        i64::from(model.max_packet_type),
        i64::from(model.max_packet_id),
    );
    if let [first, .., last] = list.as_slice()
        && first.0 != last.0
    {
        cx.error(last.0, &codes::PACKET, "this BD has two packet headers")
            .label(m.span(first.0), "the other one")
            .help("give `packet = …` or aie.dma_bd_packet, not both")
            .push_of_whole(cx);
    }
    for (op, pkt_type, pkt_id) in list {
        if !(0..=max_type).contains(&pkt_type) || !(0..=max_id).contains(&pkt_id) {
            let message = format!("packet type {pkt_type} with id {pkt_id} is out of range");
            let text = if (0..=max_id).contains(&pkt_id) {
                "Packet type field can only hold 3 bits."
            } else {
                "Packet ID field can only hold 5 bits."
            };
            let help = format!("types are 0..={max_type}, ids 0..={max_id}");
            cx.shared(op, &codes::PACKET, (message, help), text);
        }
    }
}

/// Length and offset: whole words, inside the length field and the buffer.
fn extent(cx: &mut Context<'_>, bd: DmaBd, (elem, elements): (u64, u64), dma: &DmaModel) {
    let m = cx.module;
    let op = bd.op();
    let (Some(offset), Some(len)) = (bd.offset_elems(m), bd.len_elems(m)) else {
        return;
    };
    let at_buffer = |cx: &Context<'_>, message: String, help: String| {
        let buffer = bd.buffer(m).and_then(|b| m.value_span(b));
        let diag = cx.error(op, &codes::BD, message);
        diag.label(buffer, "this buffer").help(help)
    };
    let bytes = |n: i64| u64::try_from(n).ok().and_then(|n| n.checked_mul(elem));
    let max = dma.bd.max_length_words;
    let mut good = true;
    match bytes(len) {
        None | Some(0) => {
            good = false;
            let message = format!("a BD of {len} elements transfers nothing");
            let help = "give it a length of at least one 32-bit word".to_string();
            at_buffer(cx, message, help).push_of_whole(cx);
        }
        Some(b) if b % 4 != 0 => {
            good = false;
            let message = format!("a BD of {b} bytes isn't a whole number of 32-bit words");
            let help = "round the length up to a multiple of 4 bytes".to_string();
            at_buffer(cx, message, help).mlir_aie(cx.mlir_aie(
                op,
                "transfer length must be multiple of 4 (i.e., represent 4 byte aligned address)",
            )).push(cx);
        }
        Some(b) if b / 4 > u64::from(max) => {
            good = false;
            let words = b / 4;
            let text = format!(
                "buffer descriptor length ({words} 32-bit words) exceeds the maximum of {max} \
                 words supported by this tile type"
            );
            let help = format!("at most {max} words; use a chain of BDs");
            at_buffer(cx, format!("a BD of {words} words is too long"), help)
                .mlir_aie(cx.mlir_aie(op, text))
                .push(cx);
        }
        Some(_) => {}
    }
    // Without an address the allocator's alignment (a multiple of 4) is what the offset adds to.
    let address = bd
        .buffer(m)
        .and_then(|b| Buffer::of(m, b))
        .and_then(|b| b.address(m))
        .map(i64::from);
    let start = bytes(offset).and_then(|b| i64::try_from(b).ok());
    match start.map(|b| (b, b.wrapping_add(address.unwrap_or(0)))) {
        None => {
            good = false;
            let message = format!("offset {offset} is negative");
            let help = "offsets count elements from the start of the buffer".to_string();
            at_buffer(cx, message, help).push_of_whole(cx);
        }
        Some((b, sum)) if sum % 4 != 0 => {
            good = false;
            let message = match address {
                Some(_) => format!("address {sum} isn't a multiple of 4"),
                None => format!("offset {b} bytes isn't a multiple of 4"),
            };
            let help = "DMAs address whole 32-bit words".to_string();
            let text =
                format!("bd address must be 4 byte (32b) aligned; got base+offset: {sum} (bytes)");
            let diag = at_buffer(cx, message, help).mlir_aie(cx.mlir_aie(op, text));
            match address {
                Some(_) => diag.push(cx),
                None => diag.push_of_whole(cx),
            }
        }
        Some(_) => {}
    }
    // With dimensions the access pattern is checked instead; a ring may run over the end.
    let linear = bd.dims(m).is_some_and(|d| d.is_empty());
    let end = offset.checked_add(len).and_then(|e| u64::try_from(e).ok());
    if good && linear && end.is_none_or(|e| e > elements) {
        let end = offset.saturating_add(len);
        let message = format!("elements {offset}..{end} lie outside of the buffer");
        at_buffer(cx, message, format!("the buffer has {elements} elements")).push_of_whole(cx);
    }
}

fn dimensions(
    cx: &mut Context<'_>,
    bd: DmaBd,
    (elem, elements): (u64, u64),
    kind: TileKind,
    dma: &DmaModel,
) {
    let m = cx.module;
    let Some(dims) = bd.dims(m).filter(|d| !d.is_empty()) else {
        return;
    };
    let op = bd.op();
    // The dimension that the hardware hasn't becomes a repeat when the design is compiled.
    let max = usize::from(dma.bd.dims);
    let repeats = cx.mode == VerifyMode::Design && dims.len() == max + 1;
    if dims.len() > max && !repeats {
        too_many_dims(cx, op, kind, dims.len(), max);
        return;
    }
    let mut dims = dims;
    if let Some(outer) = dims
        .first_mut()
        .filter(|d| repeats && d.stride == 0 && d.size > 0)
    {
        // the same data again
        outer.size = 1;
        outer.stride = 1;
    }
    let padded = bd.pad_dimensions(m).is_some_and(|pads| !pads.is_empty());
    let pattern = dims.iter().try_fold(1i64, |n, dim| n.checked_mul(dim.size));
    let runs_on = bd.len_elems(m).zip(pattern).filter(|(len, pattern)| {
        // A repeat makes a multiple of it, and tasks have rules of their own.
        bd.static_len(m).is_some() && *pattern > 0 && len > pattern && len % pattern != 0
    });
    if let Some((len, pattern)) = runs_on.filter(|_| !padded && cx.mode == VerifyMode::Design) {
        let message = format!("{len} elements are transferred by a pattern of {pattern}");
        Diag::warning(&codes::BD, message)
            .label(m.span(op), "aie.dma_bd")
            .help("the pattern begins again within the transfer: let the length be that of the pattern")
            .push(cx);
    }
    if let Some((message, help, text)) = bad_dims(&dims, elem, elements, !padded) {
        match text {
            Some(text) => cx.shared(op, &codes::BD, (message, help), text),
            None => cx.problem(op, &codes::BD, message, help),
        }
    }
}

/// More dimensions than the BDs of a tile have.
pub(super) fn too_many_dims(
    cx: &mut Context<'_>,
    op: Op,
    kind: TileKind,
    count: usize,
    max: usize,
) {
    let message = format!(
        "{count} dimensions; a BD of a {} has {max}",
        kind_text(kind)
    );
    let text = format!(
        "Cannot give more than {max} dimensions for step sizes and wraps in this tile (got \
         {count} dimensions)."
    );
    let help = "merge dimensions that are contiguous, or use a repeat count";
    cx.shared(op, &codes::BD, (message, help), text);
}

/// The problem with an access pattern (outermost dimension first), what to do, and the words of
/// mlir-aie where it looks. Dimensions `merge` to fewer, unless each has padding of its own.
fn bad_dims(
    dims: &[BdDim],
    elem: u64,
    elements: u64,
    merge: bool,
) -> Option<(String, String, Option<String>)> {
    for (n, dim) in dims.iter().rev().enumerate() {
        if dim.size < 1 || dim.stride < 1 {
            return Some((
                format!("a dimension of size {} and stride {}", dim.size, dim.stride),
                "both must be at least 1; repeating data is a matter of the repeat count"
                    .to_string(),
                Some(if dim.size < 1 {
                    "Specified stride(s) and size(s) result in out of bounds access".to_string()
                } else {
                    format!("Stride {n} must be a positive integer.")
                }),
            ));
        }
    }
    let last = dims.iter().try_fold(0i64, |sum, d| {
        sum.checked_add((d.size - 1).checked_mul(d.stride)?)
    });
    let reach = last.and_then(|l| u64::try_from(l).ok());
    if reach.is_none_or(|r| r >= elements) {
        let reached = last.unwrap_or(i64::MAX);
        return Some((
            format!("the access pattern reaches element {reached}"),
            format!("the buffer has {elements} elements"),
            Some(format!(
                "Specified stride(s) and size(s) result in out of bounds access in buffer, for \
                 index {reached} in memref of length {elements}."
            )),
        ));
    }
    let merged = if merge && elem < 4 {
        BdDim::merged(dims)
    } else {
        dims.to_vec()
    };
    // A single element is judged by its length.
    let (inner, outer) = merged.split_last()?;
    if elem != 4 && inner.stride != 1 {
        let side = if elem < 4 { "<" } else { ">" };
        return Some((
            format!("elements of {elem} bytes can't be strided one by one"),
            "the innermost stride must be 1 unless elements have 32 bits".to_string(),
            Some(format!(
                "For {side}32b width datatypes, inner-most dim stride must be 1"
            )),
        ));
    }
    let words = |n: i64| u64::try_from(n).is_ok_and(|n| (n * elem).is_multiple_of(4));
    if !words(inner.size) && elem < 4 || outer.iter().any(|d| d.size > 1 && !words(d.stride)) {
        return Some((
            "a dimension doesn't start at a 32-bit word".to_string(),
            "make the innermost size and the other strides multiples of 4 bytes".to_string(),
            None,
        ));
    }
    None
}

fn padding(cx: &mut Context<'_>, bd: DmaBd, elem: u64, dma: &DmaModel) {
    let m = cx.module;
    let Some(pads) = bd.pad_dimensions(m).filter(|p| !p.is_empty()) else {
        return;
    };
    let dims = bd.dims(m).unwrap_or_default();
    let Some((message, help, text)) = bad_padding(cx, bd, &pads, &dims, elem, dma) else {
        return;
    };
    cx.shared(bd.op(), &codes::BD, (message, help), text);
}

/// The problem with the padding, what to do, and the words of mlir-aie for it.
fn bad_padding(
    cx: &Context<'_>,
    bd: DmaBd,
    pads: &[BdPad],
    dims: &[BdDim],
    elem: u64,
    dma: &DmaModel,
) -> Option<(String, &'static str, &'static str)> {
    let m = cx.module;
    let runtime_len = !m.operand_group(bd.op(), "len").is_empty();
    if !dma.padding {
        return Some((
            "only mem tile DMAs can pad".to_string(),
            "pad in a mem tile",
            "Padding is only supported by memtile dma bds.",
        ));
    }
    if dims.is_empty() && !runtime_len {
        return Some((
            "padding without sizes and strides".to_string(),
            "padding needs sizes and strides, and one entry for each dimension",
            "Padding requires n-d data layouts expressed as wrap(s) and stride(s).",
        ));
    }
    if runtime_len {
        return Some((
            "a BD whose length is known at run time only can't pad".to_string(),
            "give `len` as a number",
            "Padding with a runtime len operand is not yet supported",
        ));
    }
    if pads.len() != dims.len() {
        return Some((
            format!("{} pads for {} dimensions", pads.len(), dims.len()),
            "padding needs sizes and strides, and one entry for each dimension",
            "Mismatch number of dimensions between padding(s) and wrap(s) and stride(s).",
        ));
    }
    if pads.iter().any(|p| p.before < 0 || p.after < 0) {
        return Some((
            "negative padding".to_string(),
            "pad by 0 or more elements",
            "padding must be positive",
        ));
    }
    let inner = pads.last().map_or((0, 0), |p| (p.before, p.after));
    let aligned = |n: i64| u64::try_from(n).is_ok_and(|n| (n * elem).is_multiple_of(4));
    let unaligned = match (aligned(inner.0), aligned(inner.1)) {
        (false, _) => "Inner-most padding-before count must result in padding in 32-bit words.",
        (_, false) => "Inner-most padding-after count must result in padding in 32-bit words.",
        _ => "",
    };
    if !unaligned.is_empty() {
        return Some((
            "the innermost padding isn't a whole number of 32-bit words".to_string(),
            "pad by a multiple of 4 bytes",
            unaligned,
        ));
    }
    let padded = pads.iter().zip(dims).try_fold(1i64, |n, (p, d)| {
        n.checked_mul(d.size.checked_add(p.before)?.checked_add(p.after)?)
    });
    let len = bd.len_elems(m)?;
    if padded.is_none_or(|padded| padded > len) {
        let count = padded.map_or("too many".to_string(), |n| n.to_string());
        return Some((
            format!("{count} elements with their padding, but a length of {len}"),
            "the length counts what the channel sends, padding included",
            "Data exceeds len after padding.",
        ));
    }
    None
}

fn iteration(cx: &mut Context<'_>, bd: DmaBd, elem: u64, dma: &DmaModel) {
    let Some(iteration) = bd.iteration(cx.module) else {
        return;
    };
    let max = i64::from(dma.bd.max_iterations());
    let max_step = u64::from(dma.bd.max_step());
    let bytes = u64::try_from(iteration.stride).unwrap_or(0) * elem;
    let fits = (1..=max).contains(&iteration.size)
        && (0..iteration.size).contains(&iteration.current)
        && bytes.is_multiple_of(4)
        && (1..=max_step).contains(&(bytes / 4));
    if !fits {
        let message = format!(
            "an iteration of size {}, stride {} from {} isn't possible",
            iteration.size, iteration.stride, iteration.current
        );
        let help =
            format!("size 1..={max}, a stride of 1..={max_step} words, current below the size");
        let text = if max <= 1 {
            "BD iteration is not supported on this target".to_string()
        } else if !(1..=max).contains(&iteration.size) {
            format!("BD iteration size must be in [1, {max}]")
        } else if !bytes.is_multiple_of(4) {
            "BD iteration stride must be aligned to 32-bit words".to_string()
        } else if !(1..=max_step).contains(&(bytes / 4)) {
            format!("BD iteration stride must be in [1, {max_step}] 32-bit words")
        } else {
            "BD iteration current must be in [0, size)".to_string()
        };
        cx.shared(bd.op(), &codes::BD, (message, help), text);
    }
}
