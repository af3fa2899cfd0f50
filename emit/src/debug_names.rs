//! Contents of a design's debug section: names, source positions, arguments.

use aiec_aie::ir::{MemRefType, Module, Op};
use aiec_aie::ops::netlist::{dma_channels, tile_loc};
use aiec_aie::ops::{
    Buffer, Core, Device, ExternalBuffer, Lock, OpKind, OpView, RuntimeSequence, ShimDmaAllocation,
};
use aiec_cert::debug::{Argument, ArgumentType, DebugInfo, Direction, Resource, ResourceKind};
use aiec_cert::program::SourceLoc;
use aiec_codegen::CorePrograms;
use aiec_device::{DmaDir, TileLoc};
use aiec_diag::{FileId, SourceMap, Span};
use rustc_hash::FxHashMap;

pub mod cores;

/// The names of all source files, in the order of their ids.
pub fn file_names(sources: &SourceMap) -> Vec<String> {
    (0..)
        .map_while(|id| sources.file(FileId(id)).map(|f| f.name.clone()))
        .collect()
}

/// Line and column of a span's start.
pub fn source_loc(span: Span, sources: &SourceMap) -> Option<SourceLoc> {
    let (line, column) = sources.file(span.file)?.line_col(span.start);
    Some(SourceLoc {
        file: span.file.0,
        line: u32::try_from(line).ok()?,
        column: u32::try_from(column).ok()?,
    })
}

/// Adds what the netlist knows to the marks of an encoded program. Cores that are not among `cores`
/// are lowered for it.
pub fn fill(
    debug: &mut DebugInfo,
    module: &Module,
    device: Device,
    sequence: Option<RuntimeSequence>,
    cores: &CorePrograms,
    sources: &SourceMap,
) {
    debug.device = device.model(module).map(|m| m.name().to_string());
    debug.arguments = arguments(module, device.op(), sequence, sources);
    let names = Names { module, sources };
    let [
        buffers,
        locks,
        mems,
        mem_tiles,
        shims,
        allocations,
        device_cores,
    ] = module.find_each(
        device.op(),
        [
            OpKind::Buffer,
            OpKind::Lock,
            OpKind::Mem,
            OpKind::MemTileDma,
            OpKind::ShimDma,
            OpKind::ShimDmaAllocation,
            OpKind::Core,
        ],
    );
    let mut resources = Vec::new();
    resources.extend(buffers.iter().filter_map(|op| names.buffer(Buffer(*op))));
    resources.extend(locks.iter().filter_map(|op| names.lock(Lock(*op))));
    for container in [mems, mem_tiles, shims].concat() {
        names.channels(container, &mut resources);
    }
    let allocations = allocations.iter();
    resources.extend(allocations.filter_map(|op| names.allocation(ShimDmaAllocation(*op))));
    resources.extend(device_cores.iter().filter_map(|op| names.core(Core(*op))));
    debug.resources.append(&mut resources);
    debug.programs = cores::programs(module, cores, sources, &mut debug.files);
}

/// The host buffers of the sequence, in order; scalars have no buffer.
fn arguments(
    module: &Module,
    device: Op,
    sequence: Option<RuntimeSequence>,
    sources: &SourceMap,
) -> Vec<Argument> {
    let block = sequence.and_then(|s| module.entry(s.op(), 0));
    let values = block.map(|b| module.block_args(b)).unwrap_or_default();
    let bound = |buffer: ExternalBuffer| {
        let index = usize::try_from(buffer.argument(module)?).ok()?;
        Some((index, buffer.sym_name(module).map(|name| name.to_string())))
    };
    let hosts = module.children::<ExternalBuffer>(device).into_iter();
    let hosts: FxHashMap<usize, Option<String>> = hosts.filter_map(bound).collect();
    let written = values.len().saturating_sub(hosts.len());
    let names = sequence.and_then(|s| written_names(module, s, written, sources));
    let argument = |(index, value): (usize, &_)| {
        let memref = module.ty(*value).as_memref()?;
        Some(Argument {
            index: u32::try_from(index).ok()?,
            bytes: memref.num_bytes()?,
            name: match (hosts.get(&index), names.as_ref().and_then(|n| n.get(index))) {
                (Some(Some(name)), _) | (None, Some(name)) => name.clone(),
                _ => format!("arg{index}"),
            },
            ty: argument_type(memref),
        })
    };
    values.iter().enumerate().filter_map(argument).collect()
}

/// Element type and extents of a memref, if they are known and the section can hold them.
fn argument_type(memref: &MemRefType) -> Option<ArgumentType> {
    let element = memref.elem.to_string();
    let extents = memref.shape.iter();
    let shape = extents.map(|extent| u64::try_from(*extent).ok());
    let shape = shape.collect::<Option<Vec<u64>>>();
    // A field of the section has no blanks.
    let shape = shape.filter(|_| !element.contains(char::is_whitespace))?;
    Some(ArgumentType { element, shape })
}

/// The names that the text gives a sequence's arguments, which the IR doesn't keep: in
/// `(%a: memref<…>, %b: memref<…>)` those in front of colons.
pub fn written_names(
    module: &Module,
    sequence: RuntimeSequence,
    count: usize,
    sources: &SourceMap,
) -> Option<Vec<String>> {
    let span = module.span(sequence.op())?;
    let text = &sources.file(span.file)?.text;
    let text = text.get(span.start as usize..)?;
    let list = text.get(text.find('(')?..text.find('{')?)?;
    let named = list.split('%').skip(1).map(|rest| {
        let (name, behind) = rest.split_once(':')?;
        (!behind.is_empty()).then(|| name.trim().to_string())
    });
    let names = named.collect::<Option<Vec<String>>>()?;
    let is_name = |name: &String| {
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || "_$.-".contains(c))
    };
    (names.len() == count && names.iter().all(is_name)).then_some(names)
}

struct Names<'a> {
    module: &'a Module,
    sources: &'a SourceMap,
}

impl Names<'_> {
    fn resource(
        &self,
        op: Op,
        loc: Option<TileLoc>,
        kind: ResourceKind,
        name: String,
    ) -> Option<Resource> {
        let loc = loc?;
        let source = self
            .module
            .span(op)
            .and_then(|span| source_loc(span, self.sources));
        Some(Resource {
            column: loc.col,
            row: loc.row,
            kind,
            name,
            source,
            fifo: cores::fifo_part(self.module, op),
            element_bytes: None,
            ty: None,
        })
    }

    fn buffer(&self, b: Buffer) -> Option<Resource> {
        let m = self.module;
        let address = u32::try_from(b.address(m)?).ok()?;
        let bytes = u32::try_from(b.bytes(m)?).ok()?;
        let name = b.sym_name(m)?.to_string();
        let memref = m.ty(m.result(b.op(), 0)?).as_memref();
        let element_bytes = memref.and_then(|memref| memref.elem.elem_bytes());
        let kind = ResourceKind::Buffer { address, bytes };
        let resource = self.resource(b.op(), b.tile_loc(m), kind, name)?;
        Some(Resource {
            element_bytes: element_bytes.and_then(|bytes| u32::try_from(bytes).ok()),
            ty: memref.and_then(argument_type),
            ..resource
        })
    }

    fn lock(&self, l: Lock) -> Option<Resource> {
        let m = self.module;
        let id = u8::try_from(l.lockID(m)?).ok()?;
        let name = l
            .sym_name(m)
            .map_or_else(|| format!("lock {id}"), |n| n.to_string());
        self.resource(l.op(), l.tile_loc(m), ResourceKind::Lock { id }, name)
    }

    /// Adds the channels of an `aie.mem`, `aie.memtile_dma` or `aie.shim_dma`.
    fn channels(&self, container: Op, list: &mut Vec<Resource>) {
        let m = self.module;
        let loc = m.operand(container, 0).and_then(|tile| tile_loc(m, tile));
        for channel in dma_channels(m, container) {
            // A channel is best known by the buffer that its first BD moves.
            let buffer = channel.bds.first().and_then(|slot| slot.bd.buffer(m));
            let buffer = buffer.and_then(|b| Buffer::of(m, b));
            let name = match buffer.and_then(|b| b.sym_name(m)) {
                Some(buffer) => format!("DMA of {buffer}"),
                None => format!("{} {}", channel.dir, channel.channel),
            };
            let kind = channel_kind(channel.dir, channel.channel);
            let fifo = buffer.and_then(|b| cores::fifo_part(m, b.op()));
            let resource = self.resource(channel.op, loc, kind, name);
            list.extend(resource.map(|resource| Resource { fifo, ..resource }));
        }
    }

    fn allocation(&self, allocation: ShimDmaAllocation) -> Option<Resource> {
        let m = self.module;
        let channel = u8::try_from(allocation.channel_index(m)).ok()?;
        let kind = channel_kind(allocation.channel_dir(m)?, channel);
        let name = allocation.sym_name(m).to_string();
        self.resource(allocation.op(), allocation.tile_loc(m), kind, name)
    }

    fn core(&self, core: Core) -> Option<Resource> {
        let loc = core.tile_loc(self.module)?;
        let name = format!("core {loc}");
        self.resource(core.op(), Some(loc), ResourceKind::Core, name)
    }
}

fn channel_kind(dir: DmaDir, channel: u8) -> ResourceKind {
    let direction = match dir {
        DmaDir::S2mm => Direction::S2mm,
        DmaDir::Mm2s => Direction::Mm2s,
    };
    ResourceKind::Channel { direction, channel }
}
