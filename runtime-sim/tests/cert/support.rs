//! Assembles programs and names registers.

use std::fmt::Write;

use aiec_cert::asm::{self, AsmOptions, NoFiles};
use aiec_cert::debug::DebugInfo;
use aiec_cert::names::Target;
use aiec_cert::pager::LayoutOptions;
use aiec_cert::program::Program;
use aiec_cert::{elf, image};
use aiec_device::regmap::{
    BdFields, BdLayout, QueueEntry, RegisterRef, SwitchMaster, SwitchSlave, mux_word,
};
use aiec_device::switch::{MuxDir, MuxInput, PortSide};
use aiec_device::{Bundle, DeviceModel, DmaDir, Port, TileLoc};
use aiec_sim::{HostBuffer, SimOptions, SimResult, simulate};

/// The device with controllers.
pub const DEVICE: &str = "xcve3858";

pub fn device() -> &'static DeviceModel {
    DeviceModel::by_name(DEVICE).unwrap()
}

pub fn parse(text: &str) -> Program {
    parse_as(text, false)
}

/// Parses a text; as the vendor does, wrong operands get through.
pub fn parse_as(text: &str, compat: bool) -> Program {
    let options = AsmOptions {
        target: Target::Aie2ps,
        compat,
    };
    let assembled = asm::parse("test.asm", text.as_bytes(), &NoFiles, options);
    assembled
        .program
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// Assembles a text for a target.
pub fn assemble_for(text: &str, target: Target) -> Vec<u8> {
    let options = AsmOptions {
        target,
        compat: false,
    };
    let assembled = asm::parse("test.asm", text.as_bytes(), &NoFiles, options);
    let program = assembled
        .program
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let image = image::assemble(&program, LayoutOptions::default()).unwrap();
    elf::write(&image, None).unwrap()
}

pub fn assemble(text: &str) -> Vec<u8> {
    assemble_as(text, false)
}

/// Assembles a text; as the vendor does, wrong operands get through.
pub fn assemble_as(text: &str, compat: bool) -> Vec<u8> {
    let program = parse_as(text, compat);
    let image = image::assemble(&program, LayoutOptions::default()).unwrap();
    elf::write(&image, None).unwrap()
}

/// With the lines of the text, and whatever `more` adds.
pub fn assemble_debug(text: &str, more: impl FnOnce(&mut Program, &mut DebugInfo)) -> Vec<u8> {
    let mut program = parse(text);
    let mut debug = DebugInfo::default();
    more(&mut program, &mut debug);
    let image = image::assemble(&program, LayoutOptions::default()).unwrap();
    let marks = DebugInfo::of_image(&image, program.files.clone());
    let debug = DebugInfo {
        pages: marks.pages,
        files: marks.files,
        ..debug
    };
    elf::write(&image, Some(&debug)).unwrap()
}

pub fn run(text: &str) -> SimResult {
    run_with(&assemble(text), Vec::new())
}

pub fn run_with(elf: &[u8], arguments: Vec<HostBuffer>) -> SimResult {
    simulate(elf, arguments, &SimOptions::default()).unwrap()
}

pub fn buffer(index: u32, words: impl IntoIterator<Item = u32>) -> HostBuffer {
    HostBuffer {
        index,
        bytes: words.into_iter().flat_map(u32::to_le_bytes).collect(),
    }
}

pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks(4)
        .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
        .collect()
}

pub fn address(tile: TileLoc, register: RegisterRef) -> u32 {
    device().register_address(tile, register).unwrap()
}

/// Word of a tile's data memory at the end.
pub fn memory(result: &SimResult, tile: TileLoc, byte: u32) -> u32 {
    result.array.data_memory(tile).unwrap().word(byte).unwrap()
}

/// Address of a word of a tile's data memory.
pub fn data(tile: TileLoc, byte: u32) -> u32 {
    address(tile, RegisterRef::DataMemory { byte })
}

pub fn port(bundle: Bundle, channel: u8) -> Port {
    Port::new(bundle, channel)
}

/// Lines of text that write registers.
#[derive(Default)]
pub struct Lines(pub String);

impl Lines {
    pub fn write(&mut self, tile: TileLoc, register: RegisterRef, value: u32) {
        let address = address(tile, register);
        writeln!(self.0, "  WRITE_32 0x{address:08x}, 0x{value:08x}").unwrap();
    }

    pub fn connect(&mut self, tile: TileLoc, from: Port, to: Port) {
        let slave = device().port_index(tile, PortSide::Slave, from).unwrap();
        let master = SwitchMaster::Circuit { slave }.pack();
        self.write(
            tile,
            RegisterRef::SlaveConfig { port: from },
            SwitchSlave::Circuit.pack(),
        );
        self.write(tile, RegisterRef::MasterConfig { port: to }, master);
    }

    /// Connects shim DMA channel 0 of a direction; gives its South port.
    pub fn shim(&mut self, column: u8, dir: DmaDir) -> Port {
        let south = device().arch().shim_dma_south(dir, 0).unwrap();
        let mux = if dir == DmaDir::Mm2s {
            MuxDir::In
        } else {
            MuxDir::Out
        };
        let (register, value, mask) = mux_word(device().arch(), mux, south, MuxInput::Dma).unwrap();
        let at = address(TileLoc::new(column, 0), register);
        writeln!(
            self.0,
            "  MASK_WRITE_32 0x{at:08x}, 0x{mask:08x}, 0x{value:08x}"
        )
        .unwrap();
        port(Bundle::South, south)
    }

    pub fn push(&mut self, tile: TileLoc, dir: DmaDir, bd: u8, token: bool) {
        let kind = device().tile_kind(tile).unwrap();
        let entry = QueueEntry {
            bd,
            repeat: 0,
            token,
        };
        let word = entry.pack(device().arch(), kind, dir).unwrap().unwrap();
        self.write(tile, RegisterRef::DmaQueue { dir, channel: 0 }, word);
    }

    pub fn bd(&mut self, tile: TileLoc, id: u8, fields: &BdFields) {
        for (word, value) in image_of(tile, fields).into_iter().enumerate() {
            self.write(
                tile,
                RegisterRef::BdWord {
                    bd: id,
                    word: word as u8,
                },
                value,
            );
        }
    }

    /// Memory to memory through a shim: MM2S 0 to S2MM 0 in its own switch.
    pub fn shim_loop(&mut self, column: u8) {
        let from = self.shim(column, DmaDir::Mm2s);
        let to = self.shim(column, DmaDir::S2mm);
        let m = TileLoc::new(column, 1);
        let s = TileLoc::new(column, 0);
        self.connect(s, from, port(Bundle::North, 0));
        self.connect(m, port(Bundle::South, 0), port(Bundle::North, 0));
        let core = TileLoc::new(column, 2);
        self.connect(core, port(Bundle::South, 0), port(Bundle::South, 0));
        self.connect(m, port(Bundle::North, 0), port(Bundle::South, 0));
        self.connect(s, port(Bundle::North, 0), to);
    }
}

pub fn image_of(tile: TileLoc, fields: &BdFields) -> Vec<u32> {
    let kind = device().tile_kind(tile).unwrap();
    BdLayout::of(device().arch(), kind)
        .unwrap()
        .pack(fields)
        .unwrap()
}

/// `.long` lines.
pub fn longs(words: &[u32]) -> String {
    words
        .iter()
        .map(|w| format!("  .long 0x{w:08x}\n"))
        .collect()
}

pub fn bd(address: u64, length: u32) -> BdFields {
    BdFields {
        valid: true,
        base_address: address,
        length,
        ..BdFields::default()
    }
}
