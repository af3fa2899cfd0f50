//! `aiec translate --aie-generate-ldscript`, `--aie-generate-bcf`, `--aie-generate-mmap`: the
//! memories that a core sees, for linkers of its program, as mlir-aie writes them
//! (`mlir-aie: lib/Targets/AIETargetLdScript.cpp`, `AIETargetBCF.cpp`, `AIETargets.cpp`).
//!
//! Buffers are symbols at the core's addresses, in the order of its windows: south, west, north, east.
//! Programs that this compiler links itself need none of these files.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use aiec_aie::ir::{Attr, Module};
use aiec_aie::ops::{Buffer, Core, Device, OpView, Tile};
use aiec_device::{CoreWindow, DeviceModel, Side, TileKind, TileLoc};
use aiec_diag::{Diag, Diags, Reported, codes};

use crate::ctrl::{NO_DEVICE, several_devices};

codes! {
    /// Codes of linker files.
    pub static CODES;
    NO_CORE = "linker-files::no-core",
        "A linker script or a BCF is for the program of one core, which --tilecol and --tilerow name. \
         Its stack and the files that are linked with it are the core's.";
    NO_ADDRESS = "linker-files::no-address",
        "Linker files name the addresses of all buffers that a core sees, so each buffer must have one: \
         written, or given by --aie-assign-buffer-addresses.";
}

/// Bytes that the script gives to the program: mlir-aie's number for all devices. The link of
/// machine code here has the size of the program memory.
const PROGRAM_BYTES: u32 = 0x2_0000;

/// The end of the addresses that a core's pointers hold, in bytes.
const ADDRESS_END: u32 = 0x10_0000;

/// The core whose linker file is written.
#[derive(Clone, Copy, Debug)]
pub struct LinkedCore<'a> {
    /// The device; without it the only one.
    pub device: Option<&'a str>,
    /// Column and row.
    pub tile: TileLoc,
}

/// A buffer with an address.
struct PlacedBuffer {
    name: String,
    /// First byte in its tile's memory.
    start: u64,
    bytes: u64,
}

/// The memories of a device's core tiles.
struct Memories<'m> {
    module: &'m Module,
    device: Device,
    model: &'static DeviceModel,
    buffers: BTreeMap<TileLoc, Vec<PlacedBuffer>>,
}

/// The linker script of a core's program.
pub fn ldscript(
    module: &Module,
    linked: LinkedCore<'_>,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let Some(memories) = Memories::read(module, linked.device, diags)? else {
        return Ok(Vec::new());
    };
    let core = memories.core(linked.tile, diags)?;
    let own = memories.model.own_data_address(linked.tile);
    let stack = core.stack_bytes(module, memories.model);
    let free = memories.largest_gap(linked.tile, stack);
    let mut out = format!(
        "MEMORY\n{{\n   program (RX) : ORIGIN = 0, LENGTH = 0x{PROGRAM_BYTES:07X}\n   \
         data (!RX) : ORIGIN = 0x{:X}, LENGTH = 0x{:X}\n}}\n",
        u64::from(own) + free.start,
        free.end - free.start
    );
    out += "ENTRY(__start)\nSECTIONS\n{\n  . = 0x0;\n  .text : {\n";
    out += "     /* the __start symbol has to come at address zero. */\n";
    for line in TEXT_SECTION {
        let _ = writeln!(out, "     {line}");
    }
    out += "  } > program\n  .data : {\n     *(.data*)\n     *(.rodata*)\n  } > data\n";
    for (section, pattern) in OTHER_SECTIONS {
        let _ = write!(out, "  {section} : {{\n     *({pattern})\n  }}\n");
    }
    let _ = write!(
        out,
        "\n  . = 0x{own:X};\n  _sp_start_value_DM_stack = .;\n  . += 0x{stack:X}; /* stack */\n"
    );
    for (window, buffer) in memories.seen_by(linked.tile) {
        let address = u64::from(window.base) + buffer.start;
        let _ = write!(
            out,
            "  . = 0x{address:X};\n  {} = .;\n  . += 0x{:X};\n",
            buffer.name, buffer.bytes
        );
    }
    out += "  .bss : {\n     *(.bss*)\n  } > data\n}\n";
    for file in link_files(module, core) {
        let _ = writeln!(out, "INPUT({file})");
    }
    let TileLoc { col, row } = linked.tile;
    let _ = writeln!(out, "PROVIDE(main = core_{col}_{row});");
    Ok(out.into_bytes())
}

/// The linker file of a core's program for Chess's bridge.
pub fn bcf(
    module: &Module,
    linked: LinkedCore<'_>,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let Some(memories) = Memories::read(module, linked.device, diags)? else {
        return Ok(Vec::new());
    };
    let tile = linked.tile;
    let core = memories.core(tile, diags)?;
    let function = format!("core_{}_{}", tile.col, tile.row);
    let own = memories.model.own_data_address(tile);
    let stack = core.stack_bytes(module, memories.model);
    let first = memories.first_address(tile);
    let size = memories.model.arch_model().core.memory_bytes;
    let mut out = format!(
        "_entry_point _main_init\n_symbol {function} _after _main_init\n_symbol _main_init 0\n\
         _reserved DMb 0x00000 0x{first:X} // Don't put data in code memory\n\
         _stack DM_stack 0x{own:X} 0x{stack:X} // stack for core\n\n\
         // mapping neighbors tile memory\n"
    );
    for side in Side::ALL {
        let name = side_name(side);
        let _ = writeln!(out, "// {name} {}", "-".repeat(49));
        let base = first + side as u32 * size;
        let window = memories.model.core_window(tile, side);
        if window.is_none_or(|window| window.owner != tile) {
            let what = match window {
                Some(_) => format!("in {name} neighbor"),
                None => "outside of the array".to_string(),
            };
            let _ = writeln!(
                out,
                "_reserved DMb 0x{base:X} 0x{size:X}  // Don't allocate variables {what}"
            );
        }
        for buffer in memories.behind(window) {
            let address = u64::from(base) + buffer.start;
            let (name, bytes) = (&buffer.name, buffer.bytes);
            let _ = write!(
                out,
                "_symbol {name} 0x{address:X} {bytes}\n_extern {name}\n\
                 _reserved DMb 0x{address:X} {bytes}\n"
            );
        }
        out.push('\n');
    }
    let end = first + Side::ALL.len() as u32 * size;
    let _ = write!(
        out,
        "// end mapping neighbors tile memory\n\n\
         _reserved DMb 0x{end:X} 0x{:X} // And everything else the core can't see\n",
        ADDRESS_END.saturating_sub(end)
    );
    for file in link_files(module, core) {
        let _ = writeln!(out, "_include _file {file}");
    }
    let _ = writeln!(out, "_resolve _main {function}");
    Ok(out.into_bytes())
}

/// Where each core tile of a device sees buffers.
pub fn mmap(module: &Module, device: Option<&str>, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let Some(memories) = Memories::read(module, device, diags)? else {
        return Ok(Vec::new());
    };
    let tiles = module.children::<Tile>(memories.device.op()).into_iter();
    let mut tiles: Vec<TileLoc> = tiles.filter_map(|tile| tile.loc(module)).collect();
    tiles.retain(|tile| memories.model.tile_kind(*tile) == Some(TileKind::Core));
    tiles.sort_unstable();
    tiles.dedup();
    let mut out = String::new();
    for tile in tiles {
        let _ = writeln!(out, "// Tile{tile}");
        out += "// Memory map: name base_address num_bytes\n";
        for (window, buffer) in memories.seen_by(tile) {
            let address = u64::from(window.base) + buffer.start;
            let _ = writeln!(
                out,
                "_symbol {} 0x{address:X} {}",
                buffer.name, buffer.bytes
            );
        }
    }
    Ok(out.into_bytes())
}

impl<'m> Memories<'m> {
    /// Reads the device; nothing, if it isn't known, which the verifier reports.
    fn read(
        module: &'m Module,
        name: Option<&str>,
        diags: &mut Diags,
    ) -> Result<Option<Memories<'m>>, Reported> {
        let device = the_device(module, name, diags)?;
        let Some(model) = device.model(module) else {
            return Ok(None);
        };
        let mut buffers: BTreeMap<TileLoc, Vec<PlacedBuffer>> = BTreeMap::new();
        let mut result = Ok(());
        for buffer in module.children::<Buffer>(device.op()) {
            let tile = buffer.tile_loc(module);
            let Some(tile) = tile.filter(|t| model.tile_kind(*t) == Some(TileKind::Core)) else {
                continue;
            };
            let address = buffer.address(module);
            let start = address.and_then(|address| u64::try_from(address).ok());
            let (Some(start), Some(bytes)) = (start, buffer.bytes(module)) else {
                let diag = Diag::error(&NO_ADDRESS, "this buffer has no address")
                    .label(module.span(buffer.op()), "")
                    .help("run `aiec opt --aie-assign-buffer-addresses` before");
                result = Err(diags.fail(diag));
                continue;
            };
            let name = buffer.sym_name(module);
            buffers.entry(tile).or_default().push(PlacedBuffer {
                name: name.map_or_else(String::new, |name| name.to_string()),
                start,
                bytes,
            });
        }
        result?;
        for list in buffers.values_mut() {
            // Nothing links with a buffer without a name.
            list.retain(|buffer| !buffer.name.is_empty());
        }
        Ok(Some(Memories {
            module,
            device,
            model,
            buffers,
        }))
    }

    fn core(&self, tile: TileLoc, diags: &mut Diags) -> Result<Core, Reported> {
        let cores = self.module.children::<Core>(self.device.op());
        let mut all = cores.iter().copied();
        if let Some(core) = all.find(|core| core.tile_loc(self.module) == Some(tile)) {
            return Ok(core);
        }
        let places = cores.iter().filter_map(|core| core.tile_loc(self.module));
        let places: Vec<String> = places.map(|place| place.to_string()).collect();
        let help = if places.is_empty() {
            "the device has no core".to_string()
        } else {
            let places = places.join(", ");
            format!("choose with --tilecol=COLUMN --tilerow=ROW; there are cores at {places}")
        };
        let diag = Diag::error(&NO_CORE, format!("there is no core at {tile}"))
            .label(self.module.span(self.device.op()), "in this device");
        Err(diags.fail(diag.help(help)))
    }

    /// First address of a core's data memories.
    fn first_address(&self, tile: TileLoc) -> u32 {
        let mut windows = self.model.core_windows(tile);
        windows
            .next()
            .map_or(0, |window| window.base - window.side as u32 * window.bytes)
    }

    /// The buffers that a core sees, window after window.
    fn seen_by(&self, tile: TileLoc) -> impl Iterator<Item = (CoreWindow, &PlacedBuffer)> {
        let windows = self.model.core_windows(tile);
        windows.flat_map(|window| {
            let buffers = self.behind(Some(window));
            buffers.map(move |buffer| (window, buffer))
        })
    }

    fn behind(&self, window: Option<CoreWindow>) -> impl Iterator<Item = &PlacedBuffer> {
        let list = window.and_then(|window| self.buffers.get(&window.owner));
        list.into_iter().flatten()
    }

    /// The largest part of a tile's memory that neither stack nor buffers take; the first of several.
    fn largest_gap(&self, tile: TileLoc, stack: u64) -> Range<u64> {
        let buffers = self.buffers.get(&tile).into_iter().flatten();
        let mut taken: Vec<Range<u64>> = buffers
            .map(|buffer| buffer.start..buffer.start + buffer.bytes)
            .collect();
        taken.push(0..stack);
        taken.sort_by_key(|range| range.start);
        let end = u64::from(self.model.arch_model().core.memory_bytes);
        taken.push(end..end);
        let (mut best, mut free) = (0..0, 0);
        for range in taken {
            if range.start.saturating_sub(free) > best.end - best.start {
                best = free..range.start;
            }
            free = free.max(range.end);
        }
        best
    }
}

/// The device of a name, or the only one.
fn the_device(module: &Module, name: Option<&str>, diags: &mut Diags) -> Result<Device, Reported> {
    let devices = module.children::<Device>(module.top()).into_iter();
    let chosen = |device: &Device| name.is_none_or(|name| name == device.name(module));
    let devices: Vec<Device> = devices.filter(chosen).collect();
    let diag = match devices[..] {
        [device] => return Ok(device),
        [] => Diag::error(&NO_DEVICE, "there is no such aie.device")
            .label(module.span(module.top()), "in this module")
            .help("name a device of the design with --aie-device-name=NAME"),
        [first, second, ..] => {
            let help = "choose one with --aie-device-name=NAME";
            several_devices(module, [first, second], help)
        }
    };
    Err(diags.fail(diag))
}

/// The files that are linked with a core's program: those of its functions, or its own.
fn link_files(module: &Module, core: Core) -> Vec<String> {
    let op = core.op();
    if let Some(Attr::Array(files)) = module.attr(op, "link_files") {
        let names = files.iter().filter_map(|file| file.as_str());
        return names.map(|name| name.to_string()).collect();
    }
    let own = module.str_attr(op, "link_with");
    own.map(|name| name.to_string()).into_iter().collect()
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::South => "south",
        Side::West => "west",
        Side::North => "north",
        Side::East => "east",
    }
}

/// Contents of the program's section, in order.
const TEXT_SECTION: [&str; 9] = [
    "*crt0.o(.text*)",
    "_ctors_start = .;",
    "_init_array_start = .;",
    "KEEP(SORT(*.init_array))",
    "_ctors_end = .;",
    "_init_array_end = .;",
    "_dtors_start = .;",
    "_dtors_end = .;",
    "*(.text*)",
];

/// Sections that aren't loaded, with their contents.
const OTHER_SECTIONS: [(&str, &str); 4] = [
    (".comment", ".comment*"),
    (".symtab", ".symtab"),
    (".shstrtab", ".shstrtab"),
    (".strtab", ".strtab"),
];
