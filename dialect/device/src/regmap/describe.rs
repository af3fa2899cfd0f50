//! Addresses and words in plain language: for listings, traces and reports.
//!
//! ```
//! use aiec_device::DeviceModel;
//!
//! let device = DeviceModel::by_name("npu1").unwrap();
//! // word 5 of buffer descriptor 4 of the core tile in column 1, row 3
//! let place = device.describe(0x0231_D094).unwrap();
//! assert_eq!(place.to_string(), "tile (1,3) DMA BD 4 word 5");
//! assert_eq!(place.says(0x1600_0000), "next_bd=2 use_next_bd=1 valid_bd=1");
//! ```
//!
//! Registers, fields and their names are those of the register tables (AM025, AM029); names are
//! written in lower case. Values are as stored, so steps and repeat counts are one less than
//! meant; only lock values are given their sign.

use std::fmt;

use super::map::{ControllerMemory, Module, RegisterMap, RegisterRef};
use super::switch::SwitchMaster;
use crate::arch::{Arch, TileKind};
use crate::model::{DeviceModel, TileLoc};
use crate::port::Port;
use crate::switch::PortSide;

/// Fields of buffer descriptors that hold signed numbers (AM025, DMA_BD*).
const SIGNED: [&str; 2] = ["Lock_Acq_Value", "Lock_Rel_Value"];

/// Meaning of an address of the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressInfo {
    /// The tile.
    pub loc: TileLoc,
    /// The part of the tile.
    pub module: Module,
    /// The register or memory there.
    pub what: RegisterRef,
    /// The manual's name, e.g. `DMA_BD4_5`.
    pub name: String,
    arch: Arch,
    kind: TileKind,
    offset: u32,
}

/// A field of a register with the value that a word gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldReading {
    /// The manual's name in lower case.
    pub name: String,
    /// The stored value; negative only in signed fields.
    pub value: i64,
}

impl DeviceModel {
    /// The meaning of a partition-relative address. `None` if nothing is there, or the generation's
    /// registers are not described (AIE1).
    pub fn describe(&self, address: u32) -> Option<AddressInfo> {
        let (loc, offset) = self.split_address(address);
        let kind = self.tile_kind(loc)?;
        let map = self.register_map(loc)?;
        Some(AddressInfo {
            loc,
            module: map.module_at(offset)?,
            what: map.decode(offset)?,
            name: map.name_at(offset)?,
            arch: self.arch(),
            kind,
            offset,
        })
    }
}

impl AddressInfo {
    /// True for data, program and controller memory, where words are just data.
    pub fn is_memory(&self) -> bool {
        matches!(
            self.what,
            RegisterRef::DataMemory { .. }
                | RegisterRef::ProgramMemory { .. }
                | RegisterRef::ControllerMemory { .. }
        )
    }

    /// The fields that a word has there, from the highest bit down; only those that `mask`
    /// touches. None for a register that is one number.
    pub fn fields(&self, word: u32, mask: u32) -> Vec<FieldReading> {
        let Some(map) = RegisterMap::of(self.arch, self.kind) else {
            return Vec::new();
        };
        let Some((register, _)) = map.register(self.what) else {
            return Vec::new();
        };
        let fields = register.fields().iter();
        let touched = fields.filter(|field| field.mask() & mask != 0);
        touched
            .map(|field| {
                let stored = i64::from(field.get(word));
                let negative = SIGNED.contains(&field.name) && stored > i64::from(field.max() / 2);
                let wrap = if negative { 1i64 << field.width() } else { 0 };
                FieldReading {
                    name: field.name.to_ascii_lowercase(),
                    value: stored - wrap,
                }
            })
            .collect()
    }

    /// Fields of a word at the address that are not zero.
    pub fn says(&self, word: u32) -> String {
        self.spelt(word, u32::MAX, false)
    }

    /// Fields of a masked write at the address: all that the mask touches.
    pub fn says_masked(&self, mask: u32, word: u32) -> String {
        self.spelt(word, mask, true)
    }

    fn spelt(&self, word: u32, mask: u32, zeros: bool) -> String {
        if let (RegisterRef::MasterConfig { .. }, false) = (self.what, zeros) {
            return self.switch_output(word);
        }
        let fields = self.fields(word, mask);
        if fields.is_empty() {
            return match word {
                0..=9 => word.to_string(),
                _ => format!("0x{word:x}"),
            };
        }
        let shown = fields.iter().filter(|field| zeros || field.value != 0);
        let shown: Vec<String> = shown
            .map(|field| format!("{}={}", field.name, field.value))
            .collect();
        if shown.is_empty() {
            "0".to_owned()
        } else {
            shown.join(" ")
        }
    }

    /// Input that feeds an output of the stream switch.
    fn switch_output(&self, word: u32) -> String {
        match SwitchMaster::unpack(word) {
            SwitchMaster::Off => "off".to_owned(),
            SwitchMaster::Circuit { slave } => {
                let switch = self.arch.tile(self.kind).map(|tile| tile.switch);
                let port = switch.and_then(|switch| switch.port_at(PortSide::Slave, slave));
                match port {
                    Some(port) => format!("from {}", port_name(port)),
                    None => format!("from input {slave}, which does not exist"),
                }
            }
            SwitchMaster::Packet {
                arbiter,
                msels,
                drop_header,
            } => {
                let drop = if drop_header { " drop_header=1" } else { "" };
                format!("packets of arbiter={arbiter} msels=0x{msels:x}{drop}")
            }
        }
    }
}

fn port_name(port: Port) -> String {
    format!("{} {}", port.bundle, port.channel)
}

impl fmt::Display for AddressInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tile ({},{}) ", self.loc.col, self.loc.row)?;
        match self.what {
            RegisterRef::DataMemory { byte } => write!(f, "data memory 0x{byte:x}"),
            RegisterRef::ProgramMemory { byte } => write!(f, "program memory 0x{byte:x}"),
            RegisterRef::ControllerMemory { memory, byte } => {
                let memory = match memory {
                    ControllerMemory::Program => "program",
                    ControllerMemory::PrivateData => "private data",
                    ControllerMemory::SharedData => "shared data",
                };
                write!(f, "uC {memory} memory 0x{byte:x}")
            }
            RegisterRef::LockValue { id } => write!(f, "lock {id}"),
            RegisterRef::LockRequest { id, acquire, value } => {
                let verb = if acquire { "acquire" } else { "release" };
                write!(f, "lock {id} request to {verb} {value}")
            }
            RegisterRef::BdWord { bd, word } => write!(f, "DMA BD {bd} word {word}"),
            RegisterRef::DmaCtrl { dir, channel } => {
                write!(f, "DMA {} {channel} control", dir.name())
            }
            RegisterRef::DmaQueue { dir, channel } => {
                write!(f, "DMA {} {channel} task queue", dir.name())
            }
            RegisterRef::DmaStatus { dir, channel } => {
                write!(f, "DMA {} {channel} status", dir.name())
            }
            RegisterRef::PadValue { channel } => write!(f, "DMA MM2S {channel} pad value"),
            RegisterRef::MasterConfig { port } => {
                write!(f, "switch output {}", port_name(port))
            }
            RegisterRef::SlaveConfig { port } => write!(f, "switch input {}", port_name(port)),
            RegisterRef::SlaveSlot { port, slot } => {
                write!(f, "switch input {} slot {slot}", port_name(port))
            }
            RegisterRef::ShimMux => f.write_str("shim mux"),
            RegisterRef::ShimDemux => f.write_str("shim demux"),
            RegisterRef::CoreControl => f.write_str("core control"),
            RegisterRef::CoreStatus => f.write_str("core status"),
            RegisterRef::CascadeControl => f.write_str("cascade control"),
            RegisterRef::TileControl => f.write_str("tile control"),
            RegisterRef::EventGenerate { .. } | RegisterRef::Known { .. } => {
                write!(f, "{} module {}", self.module, self.name)
            }
        }?;
        match self.offset % 4 {
            _ if self.is_memory() => Ok(()),
            0 => Ok(()),
            byte => write!(f, " byte {byte}"),
        }
    }
}
