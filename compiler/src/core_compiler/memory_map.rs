//! Where a core's program goes: its memories, the buffers that it sees, and what of its own memory is
//! left for the program's data.
//!
//! The stack is at the bottom of the core's own memory, and buffers are symbols, as mlir-aie's linker
//! scripts have it (mlir-aie: lib/Targets/AIETargetLdScript.cpp); addresses and sizes are the device's.

use std::collections::BTreeMap;
use std::ops::Range;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Buffer, Core, Device, OpKind, OpView};
use aiec_core::link::LinkOptions;
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::Span;
use aiec_passes::analysis::core_elf::machine_code_data;

use crate::mlir::buffer_symbol;

/// Used ranges in the memories of a device's core tiles.
pub struct Memories<'m> {
    module: &'m Module,
    model: &'m DeviceModel,
    /// Buffers that have an address.
    buffers: BTreeMap<TileLoc, Vec<PlacedBuffer>>,
    /// Data of the machine code that cores have already.
    machine_code: BTreeMap<TileLoc, Vec<Range<u64>>>,
}

/// A buffer that has an address.
struct PlacedBuffer {
    symbol: String,
    /// Its bytes in its tile's memory.
    bytes: Range<u64>,
    /// Where the design has it.
    span: Option<Span>,
}

impl<'m> Memories<'m> {
    /// Reads them; `None` if the device isn't known.
    pub fn of(module: &'m Module, device: Device) -> Option<Memories<'m>> {
        let model = device.model(module)?;
        let mut buffers: BTreeMap<TileLoc, Vec<_>> = BTreeMap::new();
        for buffer in module.children::<Buffer>(device.op()) {
            if let (Some(tile), Some(place)) = (buffer.tile_loc(module), place_of(module, buffer)) {
                let list = buffers.entry(tile).or_default();
                list.push(PlacedBuffer {
                    symbol: buffer_symbol(module, buffer),
                    bytes: place,
                    span: module.span(buffer.op()),
                });
            }
        }
        let mut machine_code: BTreeMap<TileLoc, Vec<_>> = BTreeMap::new();
        for core in module.children::<Core>(device.op()) {
            for (tile, range) in machine_code_data(module, model, core) {
                machine_code.entry(tile).or_default().push(range);
            }
        }
        Some(Memories {
            module,
            model,
            buffers,
            machine_code,
        })
    }

    /// Bytes of a core's stack.
    pub fn stack(&self, core: Core) -> u64 {
        core.stack_bytes(self.module, self.model)
    }

    /// Options of the link of a core's program whose body is a function; `None` where the device
    /// has no core.
    pub fn link_options(&self, core: Core, function: &str) -> Option<LinkOptions> {
        let here = core.tile_loc(self.module)?;
        let own = self.model.core_window_to(here, here)?.base;
        let free = self.largest_gap(here, self.stack(core));
        let address_in = |base: u32, offset: u64| u32::try_from(u64::from(base) + offset).ok();
        let mut options = LinkOptions {
            stack_address: own,
            data_address: address_in(own, free.start)?,
            data_end: address_in(own, free.end)?,
            program_end: self.model.arch_model().core.program_bytes,
            main: Some(function.to_string()),
            drop_unreached: true,
            ..LinkOptions::default()
        };
        for window in self.model.core_windows(here) {
            for buffer in self.buffers.get(&window.owner).into_iter().flatten() {
                let address = address_in(window.base, buffer.bytes.start)?;
                options.symbols.push((buffer.symbol.clone(), address));
                let span = buffer.span.map(|span| (buffer.symbol.clone(), span));
                options.symbol_spans.extend(span);
            }
        }
        let calls = self.module.find(core.op(), OpKind::FuncCall).into_iter();
        for call in calls {
            let callee = self.module.symbol_attr(call, "callee");
            let named = callee.zip(self.module.span(call));
            let named = named.map(|(callee, span)| (callee.to_string(), span));
            options.symbol_spans.extend(named);
        }
        Some(options)
    }

    /// The largest part of a tile's memory that neither the core's stack nor a buffer nor the data
    /// of machine code takes; the first of several.
    fn largest_gap(&self, here: TileLoc, stack: u64) -> Range<u64> {
        let buffers = self.buffers.get(&here).into_iter().flatten();
        let machine_code = self.machine_code.get(&here).into_iter().flatten();
        let mut taken: Vec<Range<u64>> = buffers
            .map(|buffer| &buffer.bytes)
            .chain(machine_code)
            .cloned()
            .collect();
        taken.push(0..stack);
        taken.sort_by_key(|range| range.start);
        let end = u64::from(self.model.arch_model().core.memory_bytes);
        taken.push(end..end);
        let mut best = 0..0;
        let mut free = 0;
        for range in taken {
            if range.start.saturating_sub(free) > best.end - best.start {
                best = free..range.start;
            }
            free = free.max(range.end);
        }
        best
    }
}

/// The bytes of a tile's memory that a buffer takes, once it has an address.
fn place_of(module: &Module, buffer: Buffer) -> Option<Range<u64>> {
    let start = u64::try_from(buffer.address(module)?).ok()?;
    let memref = module.ty(module.result(buffer.op(), 0)?).as_memref()?;
    Some(start..start + memref.num_bytes()?)
}
