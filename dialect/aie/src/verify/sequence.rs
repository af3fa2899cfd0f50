//! Runtime sequences: transfers and register operations.

use aiec_device::{TileKind, TileLoc};

use super::{Context, Report, codes};
use crate::ir::{Op, Type};
use crate::ops::netlist::{const_int, mixed_list};
use crate::ops::{
    Buffer, NpuDmaMemcpyNd, NpuPreempt, NpuPushQueue, NpuRtpWrite, NpuWriteBd, OpView,
};

/// Largest step of a shim BD, in 32-bit words, and the largest value of its field
/// (AM025, `DMA_BD*_3.D0_Stepsize`: 20 bits, stored minus one).
const MAX_STEP_WORDS: i64 = 1 << 20;
/// Runs of one queue entry beside the first (`Repeat_Count` has 8 bits; AM025).
const MAX_REPEAT: i64 = 255;

pub(super) fn check(cx: &mut Context<'_>) {
    cx.each(memcpy);
    let m = cx.module;
    cx.each(write_bd);
    for preempt in cx.all::<NpuPreempt>() {
        if !(0..=3).contains(&preempt.level(m)) {
            let message = "there is no such preemption level";
            cx.problem(preempt.op(), &codes::SEQUENCE, message, "levels are 0 to 3");
        }
    }
    for push in cx.all::<NpuPushQueue>() {
        channel(cx, push);
        queue_entry(cx, push);
    }
    cx.each(rtp);
}

fn memcpy(cx: &mut Context<'_>, copy: NpuDmaMemcpyNd) {
    let m = cx.module;
    let op = copy.op();
    let dma = cx.model.arch_model().shim_noc.dma.as_ref();
    let bds = dma.map_or(0, |d| i64::from(d.bds));
    if !(0..bds).contains(&copy.id(m)) {
        let message = format!("BD id {} doesn't exist", copy.id(m));
        let help = format!("shim tiles have BDs 0..={}", bds - 1);
        cx.problem(op, &codes::SEQUENCE, message, help);
    }
    let lists: Vec<Option<Vec<Option<i64>>>> = ["static_offsets", "static_sizes", "static_strides"]
        .iter()
        .enumerate()
        .map(|(i, name)| mixed_list(m, op, name, i + 1))
        .collect();
    let [Some(offsets), Some(sizes), Some(strides)] = lists.as_slice() else {
        return;
    };
    if [offsets, sizes, strides].iter().any(|l| l.len() != 4) {
        let help =
            "write [0, 0, 0, offset][1, 1, 1, length][0, 0, 0, 1]; the outermost comes first";
        let said = ("offsets, sizes and strides need four entries each", help);
        let text = "expected 4 offsets, sizes and strides";
        cx.shared(op, &codes::SEQUENCE, said, text);
        return;
    }
    packet(cx, copy);
    let memref = copy.memref(m).map(|v| m.ty(v));
    let Some(Type::MemRef(memref)) = memref else {
        return;
    };
    let Some(elem) = memref.elem.elem_bytes().and_then(|b| i64::try_from(b).ok()) else {
        return;
    };
    if let Some(bytes) = memref.num_bytes().filter(|bytes| *bytes < 4) {
        let message = format!("a buffer of {bytes} bytes");
        let help = "DMAs move 32-bit words: let the buffer have at least one";
        let text = "Minimum data transfer size required is 32bits.";
        cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    let max_iterations = dma.map_or(1, |d| i64::from(d.bd.max_iterations()));
    let before = cx.diags.len();
    let known = sizes.iter().chain(strides).all(Option::is_some);
    let elem_of = Elem { bytes: elem, known };
    for (n, (size, stride)) in sizes.iter().zip(strides).enumerate() {
        if let (Some(size), Some(stride)) = (*size, *stride) {
            dimension(cx, op, (3 - n, size, stride), elem_of, max_iterations);
        }
    }
    start(cx, op, offsets, strides, elem);
    // mlir-aie looks at strides that move nothing too.
    for (n, (size, stride)) in sizes.iter().zip(strides).enumerate().take(3) {
        let bytes = stride.unwrap_or(0).saturating_mul(elem);
        if *size == Some(1) && bytes > 0 && bytes % 4 != 0 && cx.diags.len() == before {
            unaligned_stride(cx, op, (3 - n, stride.unwrap_or(0)), elem_of);
        }
    }
    if elem > 4 {
        let message = format!("elements of {elem} bytes");
        let help = "elements have at most 32 bits; view the buffer as i32";
        let text = "Maximum element bit width allowed is 32bits.";
        cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
}

/// Element of a transfer.
#[derive(Clone, Copy)]
struct Elem {
    /// Bytes of an element.
    bytes: i64,
    /// Whether all sizes and strides are known when the design is compiled: mlir-aie's tools say
    /// other words where some aren't.
    known: bool,
}

/// The packet header of a transfer.
fn packet(cx: &mut Context<'_>, copy: NpuDmaMemcpyNd) {
    let Some(packet) = copy.packet(cx.module) else {
        return;
    };
    let arch = cx.model.arch_model();
    let (max_id, max_type) = (
        i64::from(arch.max_packet_id),
        i64::from(arch.max_packet_type),
    );
    let help = format!("ids are 0..={max_id}, types 0..={max_type}");
    if !(0..=max_id).contains(&packet.pkt_id) {
        let message = format!("packet id {} is out of range", packet.pkt_id);
        let text = "Packet ID field can only hold 5 bits.";
        cx.shared(copy.op(), &codes::SEQUENCE, (message, help), text);
    } else if !(0..=max_type).contains(&packet.pkt_type) {
        let message = format!("packet type {} is out of range", packet.pkt_type);
        let text = "Packet type field can only hold 3 bits.";
        cx.shared(copy.op(), &codes::SEQUENCE, (message, help), text);
    }
}

/// Transfers start at a whole word.
fn start(
    cx: &mut Context<'_>,
    op: Op,
    offsets: &[Option<i64>],
    strides: &[Option<i64>],
    elem: i64,
) {
    let parts = offsets.iter().zip(strides);
    let sum = parts
        .enumerate()
        .try_fold(0i64, |sum, (n, (offset, stride))| {
            // The offset of a dimension counts its strides; the innermost one's are elements.
            let offset = (*offset)?;
            let step = if offset == 0 { 0 } else { (*stride)? };
            let step = if n == 3 { 1 } else { step };
            sum.checked_add(offset.checked_mul(step)?)
        });
    let Some(bytes) = sum.and_then(|n| n.checked_mul(elem)).filter(|b| b % 4 != 0) else {
        return;
    };
    let message = format!("the transfer starts at byte {bytes}, inside a 32-bit word");
    let said = (message, "make the offset a multiple of 4 bytes");
    cx.shared(op, &codes::SEQUENCE, said, "Offset must be 4-byte-aligned.");
}

/// The name of one of four dimensions, 0 is the innermost; they are written outermost first, and
/// mlir-aie's texts number them from the innermost.
fn dimension_in_words(dim: usize) -> &'static str {
    const NAMES: [&str; 4] = ["innermost", "third", "second", "outermost"];
    NAMES.get(dim).copied().unwrap_or("outermost")
}

/// Size and stride of a dimension, 0 is the innermost.
fn dimension(
    cx: &mut Context<'_>,
    op: Op,
    (dim, size, stride): (usize, i64, i64),
    elem_of: Elem,
    max_iterations: i64,
) {
    let elem = elem_of.bytes;
    let bytes = |n: i64| n.saturating_mul(elem);
    let words = |n: i64| bytes(n) % 4 == 0;
    if size < 1 {
        let text = format!("Size {dim} must be a positive integer.");
        let message = format!("the {} size is {size}", dimension_in_words(dim));
        let help = "sizes are at least 1";
        cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    if dim == 3 && size > max_iterations {
        let message =
            format!("the outermost size, {size}, exceeds the {max_iterations} of the hardware");
        let text = format!("Size 3 exceeds the [1:{max_iterations}] range.");
        let help = "put more into the inner dimensions, or use several transfers";
        match stride {
            0 => cx.shared(op, &codes::SEQUENCE, (message, help), text),
            _ => cx.problem(op, &codes::SEQUENCE, message, help),
        }
    }
    if stride < 0 || (stride == 0 && size > 1 && dim != 3) || (stride == 0 && dim == 0) {
        let message = format!("the {} stride is {stride}", dimension_in_words(dim));
        let help = "strides are at least 1; only the outermost may be 0, to repeat";
        let text = format!("Stride {dim} must be a positive integer.");
        cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    let moves = size > 1 && (dim > 0 || stride > 1);
    if moves && bytes(stride) / 4 > MAX_STEP_WORDS {
        let which = dimension_in_words(dim);
        let message =
            format!("the {which} stride of {stride} elements is too far for the hardware");
        let help = format!("at most {MAX_STEP_WORDS} words; use several transfers");
        let text = format!("Stride {dim} exceeds the [1:{MAX_STEP_WORDS}] range.");
        cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    if (dim > 0 && size > 1 || dim == 0 && stride > 1) && !words(stride) {
        unaligned_stride(cx, op, (dim, stride), elem_of);
    }
    if dim != 0 {
        return;
    }
    if !words(size) {
        let message =
            format!("{size} elements of {elem} bytes aren't a whole number of 32-bit words");
        let text = if elem_of.known {
            format!(
                "{size} elements at {elem} bytes each equal {} bytes, which is not divisible by 4.",
                bytes(size)
            )
        } else {
            format!(
                "d0 size {size} elements at {elem} bytes each is not a multiple of the 4-byte \
             address-gen granule."
            )
        };
        let help = "make the innermost size a multiple of 4 bytes";
        cx.shared(op, &codes::SEQUENCE, (message, help), text);
    } else if stride > 1 && elem < 4 && size > 1 && words(stride) {
        let message = format!("elements of {elem} bytes can't be strided one by one");
        let help = "the innermost stride must be 1 unless elements have 32 bits";
        cx.problem(op, &codes::SEQUENCE, message, help);
    }
}

/// A step that isn't a whole number of words.
fn unaligned_stride(cx: &mut Context<'_>, op: Op, (dim, stride): (usize, i64), of: Elem) {
    let which = dimension_in_words(dim);
    let message =
        format!("the {which} stride of {stride} elements isn't a whole number of 32-bit words");
    let Elem { bytes: elem, known } = of;
    let text = if known {
        format!(
            "Stride {dim} is {stride} elements * {elem} bytes = {} bytes, which is not divisible \
         by 4.",
            stride.saturating_mul(elem)
        )
    } else {
        format!(
            "stride {dim} is {stride} elements at {elem} bytes each, not a multiple of the 4-byte \
         address-gen granule."
        )
    };
    let help = "DMAs address whole words";
    cx.shared(op, &codes::SEQUENCE, (message, help), text);
}

/// The place that an operation names by numbers.
fn tile_at<N: TryInto<u8>>(col: N, row: N) -> Option<TileLoc> {
    Some(TileLoc::new(col.try_into().ok()?, row.try_into().ok()?))
}

/// A BD written field by field; the fields of shim tiles are checked.
fn write_bd(cx: &mut Context<'_>, write: NpuWriteBd) {
    let m = cx.module;
    let op = write.op();
    let Some(loc) = tile_at(write.column(m), write.row(m)) else {
        return;
    };
    let Some(dma) = cx.dma_at(loc) else { return };
    let max_bd = i32::from(dma.bds) - 1;
    if !(0..=max_bd).contains(&write.bd_id(m)) {
        let message = format!("BD {} of {loc} doesn't exist", write.bd_id(m));
        let help = format!("this tile has BDs 0..={max_bd}");
        let text = "BD ID exceeds the maximum ID.";
        return cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    if !cx.kind_at(loc).is_some_and(TileKind::is_shim) {
        return;
    }
    let max_wrap = i64::from(dma.bd.max_wrap());
    let max_iteration = i64::from(dma.bd.max_iterations()) - 1;
    let wraps = (max_wrap, max_wrap.to_string());
    let steps = (MAX_STEP_WORDS - 1, "1M-1".to_string());
    let iterations = (max_iteration, max_iteration.to_string());
    let ranges = [
        ("iteration_size", "Iteration Size", &iterations),
        ("iteration_stride", "Iteration Stride", &steps),
        ("d0_size", "D0 Size", &wraps),
        ("d1_size", "D1 Size", &wraps),
        ("d0_stride", "D0 Stride", &steps),
        ("d1_stride", "D1 Stride", &steps),
        ("d2_stride", "D2 Stride", &steps),
    ];
    for (key, name, (max, limit)) in ranges {
        let value = m.int_attr(op, key).unwrap_or(0);
        if !(0..=*max).contains(&value) {
            let message = format!("{key} {value} exceeds the field of the BD");
            let text = format!("{name} exceeds the [0:{limit}] range.");
            let help = format!("it is 0..={max}");
            return cx.shared(op, &codes::SEQUENCE, (message, help), text);
        }
    }
    if m.int_attr(op, "d2_size").is_some_and(|n| n != 0) {
        let message = "BDs of shim tiles have no size for the outermost dimension";
        let help = "write d2_size = 0 : i32; the length says how far it goes";
        let text = "ShimTile only supports 3 dimensions of sizes.";
        return cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    let pads = ["d0", "d1", "d2"].iter().any(|dim| {
        ["before", "after"].iter().any(|end| {
            let key = format!("{dim}_zero_{end}");
            m.int_attr(op, &key).is_some_and(|n| n != 0)
        })
    });
    if pads {
        let said = ("BDs of shim tiles can't pad", "pad in a mem tile");
        let text = "ShimTile doesn't support zero padding.";
        cx.shared(op, &codes::SEQUENCE, said, text);
    }
}

fn channel(cx: &mut Context<'_>, push: NpuPushQueue) {
    let m = cx.module;
    let Some(loc) = tile_at(push.column(m), push.row(m)) else {
        let message = "there is no such tile";
        return cx.problem(push.op(), &codes::SEQUENCE, message, "see `aiec devices`");
    };
    let Some(dir) = push.direction(m) else { return };
    let count = cx.dma_at(loc).map_or(0, |d| d.channels.get(dir));
    if !(0..i32::from(count)).contains(&push.channel(m)) {
        let message = format!("{dir} channel {} of {loc} doesn't exist", push.channel(m));
        let help = format!("this tile has {count} {dir} channels, counted from 0");
        cx.problem(push.op(), &codes::DMA_CHANNEL, message, help);
    }
}

/// BD and repeat count of a queue entry, where they are constants.
fn queue_entry(cx: &mut Context<'_>, push: NpuPushQueue) {
    let m = cx.module;
    let op = push.op();
    let Some(loc) = tile_at(push.column(m), push.row(m)) else {
        return;
    };
    let bds = cx.dma_at(loc).map_or(0, |d| i64::from(d.bds));
    let bd = push.bd_id(m).and_then(|v| const_int(m, v));
    if let Some(bd) = bd.filter(|bd| !(0..bds).contains(bd)) {
        let message = format!("BD {bd} of {loc} doesn't exist");
        let help = format!("this tile has {bds} BDs, counted from 0");
        let text = "BD ID exceeds the maximum ID.";
        cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
    let repeat = push.repeat_count(m).and_then(|v| const_int(m, v));
    if let Some(repeat) = repeat.filter(|n| !(0..=MAX_REPEAT).contains(n)) {
        let message = format!("repeat count {repeat} is out of range");
        let help = format!("0 runs once; at most {MAX_REPEAT} further runs");
        let text = format!("Repeat count exceeds the [0:{MAX_REPEAT}] range.");
        cx.shared(op, &codes::SEQUENCE, (message, help), text);
    }
}

fn rtp(cx: &mut Context<'_>, write: NpuRtpWrite) {
    let m = cx.module;
    let name = write.buffer(m);
    let Some(buffer) = cx.named::<Buffer>(&name) else {
        return;
    };
    let end = (u64::from(write.index(m)) + 1) * 4;
    if buffer.bytes(m).is_some_and(|bytes| end > bytes) {
        let message = format!("word {} lies outside of `@{name}`", write.index(m));
        cx.error(write.op(), &codes::SEQUENCE, message)
            .label(m.span(buffer.op()), "the buffer")
            .help("the index counts 32-bit words from 0")
            .push(cx);
    }
}
