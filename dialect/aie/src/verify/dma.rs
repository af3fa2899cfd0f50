//! DMA programs: channels, chains, and the fields of BDs.

use aiec_device::{DmaDir, DmaModel, TileKind, TileLoc};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{Context, codes, kind_text};
use crate::ir::{BdDim, Block, Op};
use crate::ops::netlist::dma_channels;
use crate::ops::{
    Buffer, Dma, DmaBd, DmaBdPacket, DmaStart, ExternalBuffer, Mem, MemTileDma, OpKind, OpView,
    ShimDma, UseLock, enums::LockAction,
};

/// Runs of one queue entry (`Repeat_Count` has 8 bits; AM025, DMA task queues).
const MAX_REPEAT: i32 = 255;

pub(super) fn check(cx: &mut Context<'_>) {
    let m = cx.module;
    let mut containers: Vec<(Op, Option<TileLoc>)> = Vec::new();
    containers.extend(cx.all::<Mem>().iter().map(|c| (c.op(), cx.tile(c.tile(m)))));
    containers.extend(
        cx.all::<MemTileDma>()
            .iter()
            .map(|c| (c.op(), cx.tile(c.tile(m)))),
    );
    containers.extend(
        cx.all::<ShimDma>()
            .iter()
            .map(|c| (c.op(), cx.tile(c.tile(m)))),
    );
    for (op, loc) in containers {
        let Some(loc) = loc else { continue };
        let Some(dma) = cx.model.tile(loc).and_then(|t| t.dma.as_ref()) else {
            continue;
        };
        container(cx, op, loc, dma);
    }
}

fn container(cx: &mut Context<'_>, op: Op, loc: TileLoc, dma: &DmaModel) {
    let m = cx.module;
    let mut bd_blocks = 0usize;
    for inner in m.walk(op) {
        let Some(bd) = DmaBd::cast(m, inner) else {
            continue;
        };
        if cx.is_bad(inner) {
            continue;
        }
        bd_blocks += 1;
        if bd_blocks == usize::from(dma.bds) + 1 {
            let message = format!("more BDs than the {} of {loc}", dma.bds);
            let diag = cx
                .error(inner, &codes::BD, message)
                .label(m.span(op), "in this DMA program")
                .help("share BDs by longer chains with repeats, or move a channel to another tile");
            cx.push(diag);
        }
        descriptor(cx, bd, loc, dma);
    }
    blocks(cx, op);
    channels(cx, op, loc, dma);
    region_form(cx, op);
}

/// One BD per block, at most one acquire and one release.
fn blocks(cx: &mut Context<'_>, container: Op) {
    let m = cx.module;
    for region in m.regions_of(container) {
        for block in m.blocks_of(*region) {
            block_shape(cx, *block);
        }
    }
}

fn block_shape(cx: &mut Context<'_>, block: Block) {
    let m = cx.module;
    let ops = m.ops_in(block);
    let bds: Vec<Op> = ops
        .iter()
        .copied()
        .filter(|o| m.kind(*o) == OpKind::DmaBd)
        .collect();
    let Some(first) = bds.first().copied() else {
        return;
    };
    if let Some(second) = bds.get(1).copied() {
        let diag = cx
            .error(
                second,
                &codes::DMA_PROGRAM,
                "a block holds one aie.dma_bd only",
            )
            .label(m.span(first), "the first one")
            .help("start a new block and lead to it with aie.next_bd");
        cx.push(diag);
    }
    let locks: Vec<UseLock> = ops.iter().filter_map(|o| UseLock::cast(m, *o)).collect();
    let is_release = |l: &&UseLock| l.action(m) == LockAction::Release;
    let releases: Vec<Op> = locks.iter().filter(is_release).map(|l| l.op()).collect();
    let acquires: Vec<Op> = locks
        .iter()
        .filter(|l| !is_release(l))
        .map(|l| l.op())
        .collect();
    for (list, what) in [(acquires, "acquire"), (releases, "release")] {
        if let [first, second, ..] = list.as_slice() {
            let message = format!("a BD can {what} one lock only");
            let diag = cx
                .error(*second, &codes::DMA_PROGRAM, message)
                .label(m.span(*first), "the first one")
                .help("move the second into another BD's block");
            cx.push(diag);
        }
    }
    if let Some(last) = ops.last().copied() {
        let kind = m.kind(last);
        let allowed = matches!(kind, OpKind::NextBd | OpKind::DmaStart | OpKind::End);
        if !allowed && kind != OpKind::Unknown && kind.has(crate::ops::Traits::TERMINATOR) {
            let message = format!("`{}` can't end a block of a DMA program", m.op_name(last));
            let diag = cx
                .error(last, &codes::DMA_PROGRAM, message)
                .help("end it with aie.next_bd, aie.dma_start or aie.end");
            cx.push(diag);
        }
    }
}

fn channels(cx: &mut Context<'_>, container: Op, loc: TileLoc, dma: &DmaModel) {
    let m = cx.module;
    // A channel may be started several times: its queue takes the tasks one after the other.
    let mut seen: IndexMap<(DmaDir, u8), Vec<Op>, FxBuildHasher> = IndexMap::default();
    for op in m.walk(container) {
        let (dir, index, repeat) = match (DmaStart::cast(m, op), Dma::cast(m, op)) {
            (Some(s), _) => (s.channel_dir(m), s.channel_index(m), s.repeat_count(m)),
            (_, Some(d)) => (d.channel_dir(m), d.channel_index(m), d.repeat_count(m)),
            _ => continue,
        };
        let Some(dir) = dir else { continue };
        let count = dma.channels.get(dir);
        let Some(channel) = u8::try_from(index).ok().filter(|c| *c < count) else {
            let message = format!("{dir} channel {index} of {loc} doesn't exist");
            let diag = cx.error(op, &codes::DMA_CHANNEL, message).help(format!(
                "this tile has {count} {dir} channels, counted from 0"
            ));
            cx.push(diag);
            continue;
        };
        let tasks = seen.entry((dir, channel)).or_default();
        tasks.push(op);
        let depth = usize::from(dma.queue_depth.get(dir));
        if tasks.len() == depth + 1 {
            let first = tasks.first().and_then(|first| m.span(*first));
            let message = format!(
                "{dir} channel {channel} of {loc} is started {} times",
                depth + 1
            );
            let diag = cx
                .error(op, &codes::DMA_CHANNEL, message)
                .label(first, "first started here")
                .help(format!(
                    "its queue holds {depth} tasks; chain BDs or use a repeat_count"
                ));
            cx.push(diag);
        }
        if let Some(repeat) = repeat
            && !(0..=MAX_REPEAT).contains(&repeat)
        {
            let message = format!("repeat_count {repeat} is out of range");
            let diag = cx
                .error(op, &codes::DMA_CHANNEL, message)
                .help(format!("0 runs once; at most {MAX_REPEAT} further runs"));
            cx.push(diag);
        }
    }
    // A BD id must suit the channel (mem tiles: even channels 0..=23, odd ones 24..=47).
    for channel in dma_channels(m, container) {
        for slot in &channel.bds {
            let Some(id) = slot.bd.bd_id(m).and_then(|id| u8::try_from(id).ok()) else {
                continue;
            };
            if id < dma.bds && !dma.bd_usable(channel.channel, id) {
                let range = dma.bd_range(channel.channel);
                let message = format!("channel {} can't use BD {id}", channel.channel);
                let diag = cx
                    .error(slot.bd.op(), &codes::BD, message)
                    .label(m.span(channel.op), "this channel")
                    .help(format!("its BDs are {}..={}", range.start, range.end - 1));
                cx.push(diag);
            }
        }
    }
}

/// `aie.dma` regions: one block with one BD and two locks each.
fn region_form(cx: &mut Context<'_>, container: Op) {
    let m = cx.module;
    for op in m.find(container, OpKind::Dma) {
        for region in m.regions_of(op) {
            let blocks = m.blocks_of(*region);
            let ops: Vec<Op> = blocks.iter().flat_map(|b| m.ops_in(*b)).collect();
            let count = |kind| ops.iter().filter(|o| m.kind(**o) == kind).count();
            let (bds, locks) = (count(OpKind::DmaBd), count(OpKind::UseLock));
            if blocks.len() != 1 || bds != 1 || locks != 2 {
                let message = format!("a BD region with {bds} BDs and {locks} lock uses");
                let diag = cx
                    .error(op, &codes::DMA_PROGRAM, message)
                    .help("each region is one block with one aie.dma_bd and two aie.use_lock");
                cx.push(diag);
            }
            for block in blocks {
                block_shape(cx, *block);
            }
        }
    }
}

fn descriptor(cx: &mut Context<'_>, bd: DmaBd, loc: TileLoc, dma: &DmaModel) {
    let m = cx.module;
    let op = bd.op();
    for (what, id) in [("bdId", bd.bd_id(m)), ("nextBdId", bd.next_bd_id(m))] {
        if let Some(id) = id
            && !(0..i32::from(dma.bds)).contains(&id)
        {
            let max = dma.bds - 1;
            let message = format!("{what} attribute exceeds max: {max}; it is {id} on {loc}");
            let diag = cx
                .error(op, &codes::BD, message)
                .help(format!("this tile has BDs 0..={}", dma.bds - 1));
            cx.push(diag);
        }
    }
    packet(cx, bd);
    let Some(buffer) = bd.buffer(m) else { return };
    let known = Buffer::of(m, buffer).is_some() || ExternalBuffer::of(m, buffer).is_some();
    if !known {
        let diag = cx
            .error(op, &codes::BD, "a BD needs a buffer of the design")
            .label(m.value_span(buffer), "this isn't one")
            .help("give it the result of an aie.buffer or aie.external_buffer");
        cx.push(diag);
        return;
    }
    let Some(memref) = m.ty(buffer).as_memref() else {
        return;
    };
    let (Some(elem), Some(elements)) = (memref.elem.elem_bytes(), memref.num_elements()) else {
        return;
    };
    extent(cx, bd, (elem, elements), dma);
    dimensions(cx, bd, (elem, elements), loc, dma);
    padding(cx, bd, elem, dma);
    if let Some(burst) = bd.burst_length(m).filter(|b| *b != 0) {
        let shim = cx.kind_at(loc) == Some(TileKind::ShimNoc);
        let ok = u32::try_from(burst).is_ok_and(|b| dma.burst_code(b).is_some());
        if !shim || !ok {
            let message = format!("a burst length of {burst} bytes isn't possible here");
            let list: Vec<String> = dma.bursts.iter().map(u32::to_string).collect();
            let help = match shim {
                true => format!("possible are {}, or 0 for the longest", list.join(", ")),
                false => "only shim DMAs have bursts; leave burst_length out".to_string(),
            };
            let diag = cx.error(op, &codes::BD, message).help(help);
            cx.push(diag);
        }
    }
    iteration(cx, bd, elem, dma);
}

fn packet(cx: &mut Context<'_>, bd: DmaBd) {
    let m = cx.module;
    let model = cx.model.arch_model();
    let mut list: Vec<(Op, i64, i64)> = Vec::new();
    if let Some(packet) = bd.packet(m).flatten() {
        list.push((bd.op(), packet.pkt_type, packet.pkt_id));
    }
    if let Some(block) = m.parent_block(bd.op()) {
        for op in m.ops_in(block) {
            if let Some(p) = DmaBdPacket::cast(m, op) {
                list.push((op, p.packet_type(m).into(), p.packet_id(m).into()));
            }
        }
    }
    let (max_type, max_id) = (
        i64::from(model.max_packet_type),
        i64::from(model.max_packet_id),
    );
    for (op, pkt_type, pkt_id) in list {
        if !(0..=max_type).contains(&pkt_type) || !(0..=max_id).contains(&pkt_id) {
            let message = format!("packet type {pkt_type} with id {pkt_id} is out of range");
            let diag = cx
                .error(op, &codes::PACKET, message)
                .help(format!("types are 0..={max_type}, ids 0..={max_id}"));
            cx.push(diag);
        }
    }
}

/// Length and offset: whole words, inside the length field and the buffer.
fn extent(cx: &mut Context<'_>, bd: DmaBd, (elem, elements): (u64, u64), dma: &DmaModel) {
    let m = cx.module;
    let (Some(offset), Some(len)) = (bd.offset_elems(m), bd.len_elems(m)) else {
        return;
    };
    let mut errors: Vec<(String, String)> = Vec::new();
    let bytes = |n: i64| u64::try_from(n).ok().and_then(|n| n.checked_mul(elem));
    match bytes(len) {
        None | Some(0) => errors.push((
            format!("a BD of {len} elements transfers nothing"),
            "give it a length of at least one 32-bit word".to_string(),
        )),
        Some(b) if b % 4 != 0 => errors.push((
            format!(
                "transfer length must be multiple of 4 (i.e., represent 4 byte aligned address), \
                 and is {b} bytes"
            ),
            "round the length up to a multiple of 4 bytes".to_string(),
        )),
        Some(b) if b / 4 > u64::from(dma.bd.max_length_words) => errors.push((
            format!("a BD of {} words is too long", b / 4),
            format!(
                "at most {} words; use a chain of BDs",
                dma.bd.max_length_words
            ),
        )),
        Some(_) => {}
    }
    match bytes(offset) {
        None => errors.push((
            format!("offset {offset} is negative"),
            "offsets count elements from the start of the buffer".to_string(),
        )),
        Some(b) if b % 4 != 0 => errors.push((
            format!("offset {b} bytes isn't a multiple of 4"),
            "DMAs address whole 32-bit words".to_string(),
        )),
        Some(_) => {}
    }
    // With dimensions the access pattern is checked instead; a ring may run over the end.
    let linear = bd.dims(m).is_some_and(|d| d.is_empty());
    let end = offset.checked_add(len).and_then(|e| u64::try_from(e).ok());
    if errors.is_empty() && linear && end.is_none_or(|e| e > elements) {
        errors.push((
            format!(
                "elements {offset}..{} lie outside of the buffer",
                offset.saturating_add(len)
            ),
            format!("the buffer has {elements} elements"),
        ));
    }
    for (message, help) in errors {
        let diag = cx
            .error(bd.op(), &codes::BD, message)
            .label(bd.buffer(m).and_then(|b| m.value_span(b)), "this buffer")
            .help(help);
        cx.push(diag);
    }
}

fn dimensions(
    cx: &mut Context<'_>,
    bd: DmaBd,
    (elem, elements): (u64, u64),
    loc: TileLoc,
    dma: &DmaModel,
) {
    let m = cx.module;
    let Some(dims) = bd.dims(m).filter(|d| !d.is_empty()) else {
        return;
    };
    let op = bd.op();
    let max = usize::from(dma.bd.dims);
    if dims.len() > max {
        let kind = cx.kind_at(loc).map_or("tile", kind_text);
        let message = format!("{} dimensions; a BD of a {kind} has {max}", dims.len());
        let diag = cx
            .error(op, &codes::BD, message)
            .help("merge dimensions that are contiguous, or use a repeat count");
        cx.push(diag);
        return;
    }
    if let Some((message, help)) = bad_dims(&dims, elem, elements) {
        let diag = cx.error(op, &codes::BD, message).help(help);
        cx.push(diag);
    }
}

/// What is wrong with an access pattern (outermost dimension first), and what to do.
fn bad_dims(dims: &[BdDim], elem: u64, elements: u64) -> Option<(String, String)> {
    for dim in dims {
        if dim.size < 1 || dim.stride < 1 {
            return Some((
                format!("a dimension of size {} and stride {}", dim.size, dim.stride),
                "both must be at least 1; repeating data is a matter of the repeat count"
                    .to_string(),
            ));
        }
    }
    let last = dims.iter().try_fold(0i64, |sum, d| {
        sum.checked_add((d.size - 1).checked_mul(d.stride)?)
    });
    let reach = last.and_then(|l| u64::try_from(l).ok());
    if reach.is_none_or(|r| r >= elements) {
        return Some((
            format!(
                "the access pattern reaches element {}",
                last.unwrap_or(i64::MAX)
            ),
            format!("the buffer has {elements} elements"),
        ));
    }
    let inner = dims.last()?;
    if elem != 4 && inner.stride != 1 && inner.size > 1 {
        return Some((
            format!("elements of {elem} bytes can't be strided one by one"),
            "the innermost stride must be 1 unless elements have 32 bits".to_string(),
        ));
    }
    let words = |n: i64| u64::try_from(n).is_ok_and(|n| (n * elem).is_multiple_of(4));
    let outer = dims.split_last().map_or(&[][..], |(_, o)| o);
    if !words(inner.size) && elem < 4 || outer.iter().any(|d| d.size > 1 && !words(d.stride)) {
        return Some((
            "a dimension doesn't start at a 32-bit word".to_string(),
            "make the innermost size and the other strides multiples of 4 bytes".to_string(),
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
    let problem = if !dma.padding {
        Some((
            "only mem tile DMAs can pad".to_string(),
            "pad in a mem tile".to_string(),
        ))
    } else if pads.len() != dims.len() {
        Some((
            format!("{} pads for {} dimensions", pads.len(), dims.len()),
            "padding needs sizes and strides, and one entry for each dimension".to_string(),
        ))
    } else if pads.iter().any(|p| p.before < 0 || p.after < 0) {
        Some((
            "negative padding".to_string(),
            "pad by 0 or more elements".to_string(),
        ))
    } else {
        let inner = pads.last().map_or((0, 0), |p| (p.before, p.after));
        let aligned = |n: i64| u64::try_from(n).is_ok_and(|n| (n * elem).is_multiple_of(4));
        (!aligned(inner.0) || !aligned(inner.1)).then(|| {
            (
                "the innermost padding isn't a whole number of 32-bit words".to_string(),
                "pad by a multiple of 4 bytes".to_string(),
            )
        })
    };
    if let Some((message, help)) = problem {
        let diag = cx.error(bd.op(), &codes::BD, message).help(help);
        cx.push(diag);
    }
}

fn iteration(cx: &mut Context<'_>, bd: DmaBd, elem: u64, dma: &DmaModel) {
    let Some(iteration) = bd.iteration(cx.module).flatten() else {
        return;
    };
    let max = i64::from(dma.bd.max_iterations());
    let bytes = u64::try_from(iteration.stride).unwrap_or(0) * elem;
    let fits = (1..=max).contains(&iteration.size)
        && (0..iteration.size).contains(&iteration.current)
        && bytes.is_multiple_of(4)
        && (1..=u64::from(dma.bd.max_step())).contains(&(bytes / 4));
    if !fits {
        let message = format!(
            "an iteration of size {}, stride {} from {} isn't possible",
            iteration.size, iteration.stride, iteration.current
        );
        let diag = cx.error(bd.op(), &codes::BD, message).help(format!(
            "size 1..={max}, a stride of 1..={} words, current below the size",
            dma.bd.max_step()
        ));
        cx.push(diag);
    }
}
