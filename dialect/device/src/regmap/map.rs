//! Which register a tile-local offset is, and where a register is.

use std::sync::OnceLock;

use aiec_diag::named_enum;
use rustc_hash::FxHashMap;

use super::field::Field;
use super::offsets::OffsetIndex;
use super::role::{EventField, RegisterRole};
use super::switch::{MASTER_CONFIG, SLAVE_CONFIG, SLOT};
use super::tables::{
    CONTROLLER_MODULE, CORE_MODULE, MEM_TILE_MODULE, MEMORY_MODULE, Register, SHIM_MODULE, Section,
    generation,
};
use crate::arch::{Arch, DmaDir, TileKind};
use crate::constants::TileModel;
use crate::model::{DeviceModel, TileLoc};
use crate::port::Port;
use crate::switch::PortSide;

named_enum! {
    /// Part of a tile with registers of its own.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Module {
        /// Core module of a core tile.
        Core => "core",
        /// Memory module of a core tile.
        Memory => "memory",
        /// Mem tile.
        MemTile => "mem tile",
        /// Shim tile.
        Shim => "shim",
        /// Micro-controller of a shim tile.
        Controller => "uC",
    }
}

/// A memory of a column's micro-controller, as the host sees it (AM029, module UC).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ControllerMemory {
    /// Program memory, 32 KiB.
    Program,
    /// Private data memory, 16 KiB.
    PrivateData,
    /// Shared data memory, 32 KiB.
    SharedData,
}

/// Meaning of a byte offset in a tile's address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegisterRef {
    /// Data memory.
    DataMemory {
        /// Byte offset in the memory.
        byte: u32,
    },
    /// Program memory of a core.
    ProgramMemory {
        /// Byte offset in the memory.
        byte: u32,
    },
    /// A memory of the micro-controller.
    ControllerMemory {
        /// Which one.
        memory: ControllerMemory,
        /// Byte offset in the memory.
        byte: u32,
    },
    /// Counter of a lock; writing sets it.
    LockValue {
        /// The lock.
        id: u8,
    },
    /// Window whose reads acquire or release a lock.
    LockRequest {
        /// The lock.
        id: u8,
        /// Acquire, else release.
        acquire: bool,
        /// Operand, -64..=63; a negative acquire is greater-equal.
        value: i8,
    },
    /// Word of a buffer descriptor.
    BdWord {
        /// The buffer descriptor.
        bd: u8,
        /// The word, from 0.
        word: u8,
    },
    /// Control of a DMA channel.
    DmaCtrl {
        /// Direction.
        dir: DmaDir,
        /// Channel.
        channel: u8,
    },
    /// Task queue of a DMA channel; each write pushes a task.
    DmaQueue {
        /// Direction.
        dir: DmaDir,
        /// Channel.
        channel: u8,
    },
    /// Status of a DMA channel.
    DmaStatus {
        /// Direction.
        dir: DmaDir,
        /// Channel.
        channel: u8,
    },
    /// Constant that an MM2S channel of a mem tile pads with.
    PadValue {
        /// MM2S channel.
        channel: u8,
    },
    /// Configuration of a switch output.
    MasterConfig {
        /// The port.
        port: Port,
    },
    /// Configuration of a switch input.
    SlaveConfig {
        /// The port.
        port: Port,
    },
    /// Packet rule slot of a switch input.
    SlaveSlot {
        /// The port.
        port: Port,
        /// Slot, 0..=3.
        slot: u8,
    },
    /// Shim mux into the array.
    ShimMux,
    /// Shim mux out of the array.
    ShimDemux,
    /// Enable and reset of a core.
    CoreControl,
    /// State of a core.
    CoreStatus,
    /// Directions of the cascade (Accumulator_Control).
    CascadeControl,
    /// Isolation from the neighbours.
    TileControl,
    /// Fires an event by its number.
    EventGenerate {
        /// Whose event.
        module: Module,
    },
    /// Any other register of the manual.
    Known {
        /// Where it is.
        module: Module,
        /// Its name, with `{}` for the index.
        name: &'static str,
        /// Its index in an array, else 0.
        index: u16,
    },
}

/// Offset of a core's program memory in its tile (AM025, Program_Memory).
pub const PROGRAM_MEMORY_OFFSET: u32 = 0x2_0000;

/// Memories of the micro-controller: offset and bytes (AM029, module UC).
const CONTROLLER_MEMORIES: [(ControllerMemory, u32, u32); 3] = [
    (ControllerMemory::Program, 0x8_0000, 0x8000),
    (ControllerMemory::PrivateData, 0x8_8000, 0x4000),
    (ControllerMemory::SharedData, 0xD_0000, 0x8000),
];

/// Bytes of the lock request window for each lock: operand in bits 8:2, acquire in bit 9
/// (AM025, Lock_Request).
const LOCK_REQUEST_STRIDE: u32 = 0x400;
const LOCK_REQUEST_ACQUIRE: u32 = 0x200;

/// The registers of one kind of tile of one generation.
#[derive(Debug)]
pub struct RegisterMap {
    kind: TileKind,
    tile: &'static TileModel,
    /// Empty where there is no controller.
    controller_memories: &'static [(ControllerMemory, u32, u32)],
    /// Sorted by offset.
    entries: Vec<Entry>,
    /// Places in `entries`.
    places: OffsetIndex,
    offsets: FxHashMap<RegisterRef, u32>,
    lock_request: Option<u32>,
    /// Of each of `entries`, made when one is first looked up: only a run needs them.
    roles: OnceLock<Vec<RoleWithFields>>,
    /// Places in `entries` by the name in lower case, made when a name is first looked up.
    names: OnceLock<FxHashMap<String, Vec<u32>>>,
}

#[derive(Debug)]
struct Entry {
    offset: u32,
    module: Module,
    register: &'static Register,
    index: u16,
    what: RegisterRef,
}

impl Entry {
    fn role(&self) -> RegisterRole {
        match self.what {
            RegisterRef::Known { name, .. } => RegisterRole::of(self.module, name, self.index),
            _ => RegisterRole::Other,
        }
    }
}

/// Purpose of a register, and its numbered fields.
type RoleWithFields = (RegisterRole, Box<[(EventField, Field)]>);

impl RegisterMap {
    /// The map of a kind of tile; `None` where the generation has no such tile, and for AIE1,
    /// whose registers this crate doesn't describe.
    #[inline]
    pub fn of(arch: Arch, kind: TileKind) -> Option<&'static RegisterMap> {
        static MAPS: [[OnceLock<Option<RegisterMap>>; 4]; 4] =
            [const { [const { OnceLock::new() }; 4] }; 4];
        let slot = &MAPS[arch as usize - 1][kind as usize];
        slot.get_or_init(|| RegisterMap::build(arch, kind)).as_ref()
    }

    fn build(arch: Arch, kind: TileKind) -> Option<RegisterMap> {
        let wanted = generation(arch)?;
        let tile = arch.tile(kind)?;
        let modules: &[(Module, &'static [Section])] = match kind {
            TileKind::Core => &[(Module::Core, CORE_MODULE), (Module::Memory, MEMORY_MODULE)],
            TileKind::Mem => &[(Module::MemTile, MEM_TILE_MODULE)],
            TileKind::ShimNoc | TileKind::ShimPl => &[
                (Module::Shim, SHIM_MODULE),
                (Module::Controller, CONTROLLER_MODULE),
            ],
        };
        let sections = modules.iter().flat_map(|(_, table)| *table);
        let count = sections.flat_map(|section| section.rows.iter().map(|row| row.count));
        let mut entries = Vec::with_capacity(count.map(usize::from).sum());
        for &(module, table) in modules {
            let rows = table.iter().flat_map(|section| {
                let rows = section.rows.iter().map(move |row| (section, row));
                rows.filter(|(section, row)| {
                    let noc = section.noc || row.noc;
                    section.generations & row.generations & wanted != 0
                        && !(noc && kind == TileKind::ShimPl)
                })
            });
            for (section, row) in rows {
                entries.extend((0..row.count).map(|place| {
                    let index = row.first + place;
                    let offset = section.base + row.offset + row.stride * u32::from(place);
                    let what = classify(module, row.name, index);
                    Entry {
                        offset,
                        module,
                        register: row,
                        index,
                        what,
                    }
                }));
            }
        }
        push_switch(&mut entries, arch, kind);
        // With its keys apart, as entries are large.
        entries.sort_by_cached_key(|entry| entry.offset);
        let offsets = entries
            .iter()
            .map(|entry| (entry.what, entry.offset))
            .collect();
        let lock_request = match (kind, arch) {
            (TileKind::Mem, _) => Some(0xD_0000),
            (TileKind::ShimNoc, Arch::Aie2ps) => Some(0xC000),
            _ => Some(0x4_0000),
        }
        .filter(|_| tile.locks > 0);
        let has_controller = arch == Arch::Aie2ps && kind.is_shim();
        Some(RegisterMap {
            kind,
            tile,
            controller_memories: if has_controller {
                &CONTROLLER_MEMORIES
            } else {
                &[]
            },
            places: OffsetIndex::of(entries.iter().map(|entry| entry.offset)),
            entries,
            offsets,
            lock_request,
            roles: OnceLock::new(),
            names: OnceLock::new(),
        })
    }

    /// The meaning of a byte offset. `None` means that nothing is there. Offsets inside a word count as
    /// the word, except in memories.
    #[inline]
    pub fn decode(&self, offset: u32) -> Option<RegisterRef> {
        self.memory(offset)
            .or_else(|| self.entry(offset).map(|entry| entry.what))
            .or_else(|| self.lock_request_at(offset))
    }

    fn memory(&self, offset: u32) -> Option<RegisterRef> {
        if offset < self.tile.memory_bytes {
            return Some(RegisterRef::DataMemory { byte: offset });
        }
        let byte = offset.wrapping_sub(PROGRAM_MEMORY_OFFSET);
        if byte < self.tile.program_bytes {
            return Some(RegisterRef::ProgramMemory { byte });
        }
        let mut memories = self.controller_memories.iter();
        memories.find_map(|&(memory, base, bytes)| {
            let byte = offset.wrapping_sub(base);
            (byte < bytes).then_some(RegisterRef::ControllerMemory { memory, byte })
        })
    }

    fn lock_request_at(&self, offset: u32) -> Option<RegisterRef> {
        let inside = offset.checked_sub(self.lock_request?)?;
        let id = inside / LOCK_REQUEST_STRIDE;
        (id < u32::from(self.tile.locks)).then(|| RegisterRef::LockRequest {
            id: id as u8,
            acquire: inside & LOCK_REQUEST_ACQUIRE != 0,
            value: sign_extend_7(inside >> 2),
        })
    }

    fn entry(&self, offset: u32) -> Option<&Entry> {
        self.entries.get(self.places.number(offset)?)
    }

    /// The byte offset of a register; the inverse of [`RegisterMap::decode`].
    pub fn offset_of(&self, what: RegisterRef) -> Option<u32> {
        let tile = self.tile;
        match what {
            RegisterRef::DataMemory { byte } => (byte < tile.memory_bytes).then_some(byte),
            RegisterRef::ProgramMemory { byte } => {
                (byte < tile.program_bytes).then_some(PROGRAM_MEMORY_OFFSET + byte)
            }
            RegisterRef::ControllerMemory { memory, byte } => self
                .controller_memories
                .iter()
                .find(|row| row.0 == memory && byte < row.2)
                .map(|row| row.1 + byte),
            RegisterRef::LockRequest { id, acquire, value } => {
                let base = self.lock_request?;
                let operand = (value as u32 & 0x7F) << 2;
                let half = if acquire { LOCK_REQUEST_ACQUIRE } else { 0 };
                let fits = id < tile.locks && (-64..=63).contains(&value);
                fits.then_some(base + u32::from(id) * LOCK_REQUEST_STRIDE + half + operand)
            }
            _ => self.offsets.get(&what).copied(),
        }
    }

    /// The table row of a register and its index in the row's array.
    pub fn register(&self, what: RegisterRef) -> Option<(&'static Register, u16)> {
        let offset = *self.offsets.get(&what)?;
        self.entry(offset)
            .map(|entry| (entry.register, entry.index))
    }

    /// The register of a module by its name in the manual, e.g. `Event_Broadcast15_A`, with its
    /// byte offset.
    pub fn find(&self, module: Module, name: &str) -> Option<(u32, &'static Register)> {
        let is_it = |entry: &&Entry| {
            entry.module == module
                && match entry.register.name.split_once("{}") {
                    None => entry.register.name == name,
                    Some((before, after)) => name
                        .strip_prefix(before)
                        .and_then(|rest| rest.strip_suffix(after))
                        .is_some_and(|index| index.parse() == Ok(entry.index)),
                }
        };
        let found = self.entries.iter().find(is_it)?;
        Some((found.offset, found.register))
    }

    fn names(&self) -> &FxHashMap<String, Vec<u32>> {
        self.names.get_or_init(|| {
            let mut names: FxHashMap<String, Vec<u32>> = FxHashMap::default();
            for (place, entry) in (0..).zip(&self.entries) {
                if let Some(name) = self.name_at(entry.offset) {
                    let name = name.to_ascii_lowercase();
                    names.entry(name).or_default().push(place);
                }
            }
            names
        })
    }

    /// The registers of a name of the manual, in any letter case, with their byte offsets: several where
    /// modules of the tile have one each.
    pub fn named(&self, name: &str) -> impl Iterator<Item = (Module, u32)> + use<'_> {
        let places = self.names().get(&name.to_ascii_lowercase());
        let entries = places.into_iter().flatten();
        let entries = entries.filter_map(|&place| self.entries.get(place as usize));
        entries.map(|entry| (entry.module, entry.offset))
    }

    /// The name that is most like this one.
    pub fn similar_name(&self, name: &str) -> Option<String> {
        let name = name.to_ascii_lowercase();
        let near = aiec_diag::did_you_mean(&name, self.names().keys().map(String::as_str))?;
        let place = self.names().get(near)?.first()?;
        self.name_at(self.entries.get(*place as usize)?.offset)
    }

    /// The part of the tile that an offset belongs to. `None` means that nothing is there.
    pub fn module_at(&self, offset: u32) -> Option<Module> {
        if let Some(entry) = self.entry(offset) {
            return Some(entry.module);
        }
        Some(match self.decode(offset)? {
            RegisterRef::ControllerMemory { .. } => Module::Controller,
            RegisterRef::DataMemory { .. } | RegisterRef::LockRequest { .. }
                if self.kind == TileKind::Core =>
            {
                Module::Memory
            }
            _ => main_module(self.kind),
        })
    }

    /// The manual's name of the register at an offset, e.g. `DMA_BD3_0`.
    pub fn name_at(&self, offset: u32) -> Option<String> {
        if let Some(entry) = self.entry(offset) {
            return Some(match entry.what {
                RegisterRef::MasterConfig { port } | RegisterRef::SlaveConfig { port } => {
                    entry.register.name.replacen("{}", &port_name(port), 1)
                }
                RegisterRef::SlaveSlot { port, slot } => entry
                    .register
                    .name
                    .replacen("{}", &port_name(port), 1)
                    .replacen("{}", &slot.to_string(), 1),
                _ => entry.register.name_of(entry.index),
            });
        }
        match self.decode(offset)? {
            RegisterRef::DataMemory { byte } => Some(format!("DataMemory+{byte:#x}")),
            RegisterRef::ProgramMemory { byte } => Some(format!("Program_Memory+{byte:#x}")),
            RegisterRef::ControllerMemory { memory, byte } => {
                let name = match memory {
                    ControllerMemory::Program => "Core_Program_Memory",
                    ControllerMemory::PrivateData => "Core_Private_Data_Memory",
                    ControllerMemory::SharedData => "Module_Data_Memory",
                };
                Some(format!("{name}+{byte:#x}"))
            }
            RegisterRef::LockRequest { .. } => Some("Lock_Request".to_string()),
            _ => None,
        }
    }

    /// The purpose of the register at an offset, with its table row; `None` for memories.
    pub fn role_at(&self, offset: u32) -> Option<(RegisterRole, &'static Register)> {
        let place = self.places.number(offset)?;
        let (role, _) = self.roles().get(place)?;
        Some((*role, self.entries[place].register))
    }

    fn roles(&self) -> &[RoleWithFields] {
        self.roles.get_or_init(|| {
            let roles = self.entries.iter().map(|entry| {
                let role = entry.role();
                (role, EventField::all(role, entry.register))
            });
            roles.collect()
        })
    }

    /// The numbered fields of the event register at an offset with their values in `word`.
    pub fn event_fields_at(
        &self,
        offset: u32,
        word: u32,
    ) -> impl Iterator<Item = (EventField, u32)> + use<'_> {
        let place = self.places.number(offset);
        let found = place.and_then(|place| self.roles().get(place));
        let fields = found.map_or(&[][..], |(_, fields)| fields);
        fields
            .iter()
            .map(move |(what, field)| (*what, field.get(word)))
    }

    /// All registers outside memories, by offset.
    pub fn registers(&self) -> impl Iterator<Item = (u32, RegisterRef)> + use<'_> {
        self.entries.iter().map(|entry| (entry.offset, entry.what))
    }
}

fn port_name(port: Port) -> String {
    format!("{}_{}", port.bundle, port.channel)
}

fn sign_extend_7(bits: u32) -> i8 {
    ((bits << 1) as u8 as i8) >> 1
}

/// The module that holds the stream switch and program memory.
const fn main_module(kind: TileKind) -> Module {
    match kind {
        TileKind::Core => Module::Core,
        TileKind::Mem => Module::MemTile,
        TileKind::ShimNoc | TileKind::ShimPl => Module::Shim,
    }
}

/// Adds the configuration registers of the stream switch.
fn push_switch(entries: &mut Vec<Entry>, arch: Arch, kind: TileKind) {
    let Some(tile) = arch.tile(kind) else { return };
    let base = super::switch::base(kind);
    let module = main_module(kind);
    let switch = tile.switch;
    let ports = |side| {
        (0..switch.len(side))
            .filter_map(move |index| Some((u16::from(index), switch.port_at(side, index)?)))
    };
    let entry = |register: &'static Register, index, inside, what| {
        let offset = base + register.offset + register.stride * u32::from(index) + inside;
        Entry {
            offset,
            module,
            register,
            index,
            what,
        }
    };
    for (index, port) in ports(PortSide::Master) {
        let what = RegisterRef::MasterConfig { port };
        entries.push(entry(&MASTER_CONFIG, index, 0, what));
    }
    for (index, port) in ports(PortSide::Slave) {
        let what = RegisterRef::SlaveConfig { port };
        entries.push(entry(&SLAVE_CONFIG, index, 0, what));
        entries.extend((0..arch.model().slots).map(|slot| {
            let what = RegisterRef::SlaveSlot { port, slot };
            entry(&SLOT, index, 4 * u32::from(slot), what)
        }));
    }
}

/// Purpose of a register of this name.
fn classify(module: Module, name: &'static str, index: u16) -> RegisterRef {
    let known = RegisterRef::Known {
        module,
        name,
        index,
    };
    if module == Module::Controller {
        return known;
    }
    let channel = index as u8;
    let dir = if name.starts_with("DMA_S2MM_") {
        DmaDir::S2mm
    } else {
        DmaDir::Mm2s
    };
    match name {
        "Lock{}_value" => RegisterRef::LockValue { id: channel },
        "DMA_S2MM_{}_Ctrl" | "DMA_MM2S_{}_Ctrl" => RegisterRef::DmaCtrl { dir, channel },
        "DMA_S2MM_{}_Start_Queue"
        | "DMA_S2MM_{}_Task_Queue"
        | "DMA_MM2S_{}_Start_Queue"
        | "DMA_MM2S_{}_Task_Queue" => RegisterRef::DmaQueue { dir, channel },
        "DMA_S2MM_Status_{}" | "DMA_MM2S_Status_{}" => RegisterRef::DmaStatus { dir, channel },
        "DMA_MM2S_{}_Constant_Pad_Value" => RegisterRef::PadValue { channel },
        "Mux_Config" => RegisterRef::ShimMux,
        "Demux_Config" => RegisterRef::ShimDemux,
        "Core_Control" => RegisterRef::CoreControl,
        "Core_Status" => RegisterRef::CoreStatus,
        "Accumulator_Control" => RegisterRef::CascadeControl,
        "Tile_Control" => RegisterRef::TileControl,
        "Event_Generate" => RegisterRef::EventGenerate { module },
        _ => match name
            .strip_prefix("DMA_BD{}_")
            .and_then(|word| word.parse().ok())
        {
            Some(word) => RegisterRef::BdWord { bd: channel, word },
            None => known,
        },
    }
}

impl DeviceModel {
    /// The register map of the tile at a location.
    #[inline]
    pub fn register_map(&self, loc: TileLoc) -> Option<&'static RegisterMap> {
        RegisterMap::of(self.arch(), self.tile_kind(loc)?)
    }

    /// The partition-relative address of a register of a tile.
    pub fn register_address(&self, loc: TileLoc, what: RegisterRef) -> Option<u32> {
        Some(self.tile_address(loc, self.register_map(loc)?.offset_of(what)?))
    }

    /// The tile and the register that a partition-relative address names.
    #[inline]
    pub fn register_at(&self, address: u32) -> Option<(TileLoc, RegisterRef)> {
        let (loc, offset) = self.split_address(address);
        Some((loc, self.register_map(loc)?.decode(offset)?))
    }
}
