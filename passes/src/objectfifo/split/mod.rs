//! Fifos that are written in pieces: pools, endpoints and routes (mlir-aie after 2026-08, the
//! result of its `aie-objectfifo-split`). They become the same buffers, locks, DMA programs,
//! flows and core code as whole fifos. What is written stays: buffers and locks that a pool
//! names, channels that an endpoint has.
//!
//! 1. [`read`], [`starts`] and [`tasks`] read and check them into [`pieces`];
//! 2. [`allocate`] makes buffers, locks, flows and allocations, and chooses channels;
//! 3. here, DMA programs and windows of cores are made, and the pieces go.

mod allocate;
mod pieces;
mod read;
mod starts;
mod tasks;

use aiec_aie::ir::{BdDim, BdIteration, BdPad, Module, Op};
use aiec_aie::ops::{Core, Device, NoAttr, OpView};
use aiec_diag::{Diag, Reported};
use rustc_hash::FxHashMap;

use super::FifoOptions;
use super::core::{self, CoreWindows, Window, WindowLocks, WindowUse};
use super::dma::Containers;
use super::program::{Bd, Program};
use super::{BAD_POOL, BAD_USE};
use crate::infra::pass::PassContext;
use allocate::{Allocated, direction};
use pieces::{DevicePieces, Dma, Endpoint};

/// Lowers what is written in pieces.
pub(super) fn lower(
    module: &mut Module,
    device: Op,
    options: &FifoOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return context.diags.check();
    };
    let pieces = DevicePieces::read(module, device, model, context.diags);
    context.diags.check()?;
    if pieces.is_empty() {
        return Ok(());
    }
    let allocated = allocate::allocate(module, device, model, &pieces, context);
    context.diags.check()?;
    for (start, end) in &pieces.starts {
        let channel = allocated.foreign.get(*end).copied().flatten();
        let op = start.edit(module).endpoint(NoAttr);
        op.channel_index(channel.unwrap_or(0));
    }
    tasks::place(module, &pieces, &allocated, context);
    programs(module, device, &pieces, &allocated, context);
    cores(module, device, &pieces, &allocated, options, context);
    context.diags.check()?;
    super::symbols::rename(module, device, &allocated.renamed);
    for op in pieces.ops() {
        module.erase(op);
    }
    Ok(())
}

/// The DMA program of each endpoint with a channel.
fn programs(
    module: &mut Module,
    device: Op,
    pieces: &DevicePieces,
    allocated: &Allocated,
    context: &mut PassContext<'_>,
) {
    let mut containers = Containers::new(module, device, pieces.counting);
    for (n, end) in pieces.ends.iter().enumerate() {
        let Some((dma, channel)) = end.dma.as_ref().zip(allocated.channels[n]) else {
            continue;
        };
        let packet = dma.packet.or(allocated.packets.get(&n).copied());
        match program(module, pieces, allocated, end, dma) {
            Ok(program) => {
                let asks = (end.tile, end.op);
                containers.add(module, asks, channel, &program, packet, context);
            }
            Err(diag) => context.report(*diag),
        }
    }
}

/// Buffer by buffer and segment by segment.
fn program(
    module: &Module,
    pieces: &DevicePieces,
    allocated: &Allocated,
    end: &Endpoint,
    dma: &Dma,
) -> Result<Program, Box<Diag>> {
    let pool = &pieces.pools[end.pool];
    // An object that is sent several times is taken in at once.
    let repeat = pool.repeat.max(1);
    let (copies, amount) = if end.fills { (1, repeat) } else { (repeat, 1) };
    let ring = pool.ring.then_some(BdIteration::new(
        pool.depth as i64,
        pool.object.elems as i64,
    ));
    let locks = &allocated.locks[end.pool];
    let mut bds = Vec::new();
    for (object, buffer) in allocated.buffers[end.pool].iter().enumerate() {
        for _ in 0..copies {
            for (place, segment) in end.segments.iter().enumerate() {
                let part = &pool.segments[*segment];
                let dims = dma.dims.get(place).cloned().unwrap_or_default();
                let pads = dma.pads.get(place).cloned().unwrap_or_default();
                bds.push(Bd {
                    buffer: *buffer,
                    offset: part.offset,
                    len: padded(&dims, &pads).unwrap_or(part.size),
                    dims,
                    pads,
                    iteration: ring,
                    locks: locks.of_bd(*segment, object, end.fills, amount),
                });
            }
        }
    }
    let elems = match ring {
        Some(ring) => pool.object.elems.saturating_mul(ring.size as u64),
        None => pool.object.elems,
    };
    if let Some(past) = bds.iter().map(Bd::reach).find(|past| *past > elems) {
        let problem = format!("reaches element {} of {elems}", past - 1);
        return Err(Box::new(bad_end(module, end, &problem)));
    }
    Ok(Program {
        dir: direction(!end.fills),
        bds,
        queue_repeat: dma.iterations.map_or(0, |n| n - 1),
        finite: dma.iterations.is_some(),
        pad_value: dma.pad_value.filter(|_| !end.fills),
    })
}

/// Elements that are sent with the padding; `None` without any.
fn padded(dims: &[BdDim], pads: &[BdPad]) -> Option<u64> {
    if pads.is_empty() {
        return None;
    }
    let sizes = dims.iter().zip(pads).map(|(dim, pad)| {
        let size = dim.size.saturating_add(pad.before);
        size.saturating_add(pad.after).max(0) as u64
    });
    Some(sizes.fold(1, u64::saturating_mul))
}

fn bad_end(module: &Module, end: &Endpoint, problem: &str) -> Diag {
    Diag::error(&BAD_POOL, format!("endpoint `@{}` {problem}", end.name))
        .label(module.span(end.op), "this endpoint")
        .help("check it against the pool that it names")
}

/// The uses of endpoints in cores.
fn cores(
    module: &mut Module,
    device: Op,
    pieces: &DevicePieces,
    allocated: &Allocated,
    options: &FifoOptions,
    context: &mut PassContext<'_>,
) {
    let ends = pieces.ends.iter().enumerate();
    let by_name: FxHashMap<&str, usize> = ends.map(|(n, end)| (end.name.as_str(), n)).collect();
    for core in module.children::<Core>(device) {
        let before = context.diags.len();
        let windows = windows(module, core, pieces, allocated, &by_name, context);
        if !windows.of_op.is_empty() && context.diags.len() == before {
            core::lower_core(module, core, windows, options, context);
        }
    }
}

fn windows(
    module: &Module,
    core: Core,
    pieces: &DevicePieces,
    allocated: &Allocated,
    by_name: &FxHashMap<&str, usize>,
    context: &mut PassContext<'_>,
) -> CoreWindows {
    let mut found = CoreWindows::default();
    let mut of_end: FxHashMap<usize, usize> = FxHashMap::default();
    for op in module.walk(core.op()) {
        let Some((name, _, count)) = core::use_of_fifo(module, op) else {
            continue;
        };
        let bad_use =
            |message: String| Diag::error(&BAD_USE, message).label(module.span(op), "used here");
        let Some(n) = by_name.get(&*name).copied() else {
            let diag = bad_use(format!("there is no object fifo or endpoint `@{name}`"));
            context.report(diag.help("name an aie.objectfifo.core_endpoint of the device"));
            continue;
        };
        let end = &pieces.ends[n];
        if core.tile_loc(module) != Some(end.tile.loc) || end.dma.is_some() {
            let diag = bad_use(format!("`@{name}` isn't an endpoint of this core"));
            let help = "give the core's tile an aie.objectfifo.core_endpoint of the pool";
            let diag = diag.label(module.span(end.op), "this endpoint");
            context.report(diag.help(help));
            continue;
        }
        let window = *of_end.entry(n).or_insert_with(|| {
            found.windows.push(window(pieces, allocated, end));
            found.windows.len() - 1
        });
        found.enter(module, op, WindowUse { window, count }, &name, context);
    }
    found
}

fn window(pieces: &DevicePieces, allocated: &Allocated, end: &Endpoint) -> Window {
    let (locks, repeat) = (&allocated.locks[end.pool], pieces.pools[end.pool].repeat);
    Window {
        declared: end.op,
        produces: end.fills,
        buffers: allocated.buffers[end.pool].clone(),
        locks: WindowLocks::of(locks, end.segments[0], end.fills, repeat),
    }
}
