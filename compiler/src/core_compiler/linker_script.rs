//! The linker script of a core's program: where the stack and the buffers lie that the core sees,
//! and what of its own memory is left for the program's data.
//!
//! Symbols and sections are those that the core compilers' start files and mlir-aie's scripts have
//! (mlir-aie: lib/Targets/AIETargetLdScript.cpp); addresses and sizes are the device's.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Buffer, Core, Device, OpView};
use aiec_device::{DeviceModel, TileLoc};
use aiec_passes::analysis::budget::stack_bytes;
use aiec_passes::analysis::core_elf::machine_code_data;

use crate::mlir::buffer_symbol;

/// The symbol of the stack's first byte, which the core compilers' start file reads.
const STACK: &str = "_sp_start_value_DM_stack";

/// What all scripts share behind the memories: the start file first, as cores start at address 0;
/// constants in data memory, as cores can't read their programs; sections that are not loaded,
/// named because an unexpected one is an error.
const SECTIONS: &str = "\
ENTRY(__start)
SECTIONS
{
  . = 0x0;
  .text : {
     *crt0.o(.text*)
     _ctors_start = .;
     _init_array_start = .;
     KEEP(SORT(*.init_array))
     _ctors_end = .;
     _init_array_end = .;
     _dtors_start = .;
     _dtors_end = .;
     *(.text*)
  } > program
  .data : {
     *(.data*)
     *(.rodata*)
  } > data
  .bss : { *(.bss*) } > data
  .comment : { *(.comment*) }
  .symtab : { *(.symtab) }
  .shstrtab : { *(.shstrtab) }
  .strtab : { *(.strtab) }
  .stack_sizes : { *(.stack_sizes) }
}
";

/// What lies in the memories of a device's core tiles.
pub struct Memories<'m> {
    module: &'m Module,
    model: &'m DeviceModel,
    /// Symbols of the buffers that have an address, with their bytes.
    buffers: BTreeMap<TileLoc, Vec<(String, Range<u64>)>>,
    /// Data of the machine code that cores have already.
    machine_code: BTreeMap<TileLoc, Vec<Range<u64>>>,
}

impl<'m> Memories<'m> {
    /// Reads them; `None` if the device isn't known.
    pub fn of(module: &'m Module, device: Device) -> Option<Memories<'m>> {
        let model = device.model(module)?;
        let mut buffers: BTreeMap<TileLoc, Vec<_>> = BTreeMap::new();
        for buffer in module.children::<Buffer>(device.op()) {
            if let (Some(tile), Some(place)) = (buffer.tile_loc(module), place_of(module, buffer)) {
                let list = buffers.entry(tile).or_default();
                list.push((buffer_symbol(module, buffer), place));
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
        stack_bytes(self.module, self.model, core)
    }

    /// The script for a core whose program is a function; `None` where the device has no core.
    pub fn script(&self, core: Core, function: &str) -> Option<String> {
        let here = core.tile_loc(self.module)?;
        let own = self.model.core_window_to(here, here)?;
        let stack = self.stack(core);
        let free = self.largest_gap(here, stack);
        let mut out = String::from("MEMORY\n{\n");
        let program = self.model.arch_model().core.program_bytes;
        let _ = writeln!(out, "   program (RX) : ORIGIN = 0x0, LENGTH = {program:#x}");
        let (origin, length) = (u64::from(own.base) + free.start, free.end - free.start);
        let _ = writeln!(
            out,
            "   data (!RX) : ORIGIN = {origin:#x}, LENGTH = {length:#x}"
        );
        out += "}\n";
        out += SECTIONS;
        let _ = writeln!(out, "{STACK} = {:#x}; /* {stack} bytes */", own.base);
        for window in self.model.core_windows(here) {
            for (name, place) in self.buffers.get(&window.owner).into_iter().flatten() {
                let address = u64::from(window.base) + place.start;
                let (bytes, owner) = (place.end - place.start, window.owner);
                let name = symbol(name);
                let _ = writeln!(out, "{name} = {address:#x}; /* {bytes} bytes of {owner} */");
            }
        }
        let _ = writeln!(out, "PROVIDE(main = {});", symbol(function));
        Some(out)
    }

    /// The largest part of a tile's memory that neither the core's stack nor a buffer nor the data
    /// of machine code takes; the first of several.
    fn largest_gap(&self, here: TileLoc, stack: u64) -> Range<u64> {
        let buffers = self.buffers.get(&here).into_iter().flatten();
        let machine_code = self.machine_code.get(&here).into_iter().flatten();
        let mut taken: Vec<Range<u64>> = buffers
            .map(|(_, place)| place)
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

/// A name as scripts have it: in quotes if it isn't a plain word.
fn symbol(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
    match name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        true => name.to_string(),
        false => format!("\"{name}\""),
    }
}

/// The bytes of a tile's memory that a buffer takes, once it has an address.
fn place_of(module: &Module, buffer: Buffer) -> Option<Range<u64>> {
    let start = u64::try_from(buffer.address(module)?).ok()?;
    let memref = module.ty(module.result(buffer.op(), 0)?).as_memref()?;
    Some(start..start + memref.num_bytes()?)
}
