//! Configuration words of a stream switch (AM025, Stream_Switch_*; the same in all generations).

use super::field::Field;
use super::tables::{ALL, Register};
use crate::arch::TileKind;

/// Offset of the switch's registers in a tile.
pub(super) const fn base(kind: TileKind) -> u32 {
    match kind {
        TileKind::Mem => 0xB_0000,
        _ => 0x3_F000,
    }
}

const ENABLE: Field = Field::new("Master_Enable", 31, 31);
const PACKET: Field = Field::new("Packet_Enable", 30, 30);
const DROP_HEADER: Field = Field::new("Drop_Header", 7, 7);
const CONFIGURATION: Field = Field::new("Configuration", 6, 0);
/// Parts of Configuration.
const CIRCUIT_SLAVE: Field = Field::new("Configuration", 4, 0);
const MSELS: Field = Field::new("Configuration", 6, 3);
const ARBITER: Field = Field::new("Configuration", 2, 0);
const SLAVE_ENABLE: Field = Field::new("Slave_Enable", 31, 31);
const SLOT_ID: Field = Field::new("id", 28, 24);
const SLOT_MASK: Field = Field::new("mask", 20, 16);
const SLOT_ENABLE: Field = Field::new("enable", 8, 8);
const SLOT_MSEL: Field = Field::new("msel", 5, 4);
const SLOT_ARBITER: Field = Field::new("arbit", 2, 0);

/// Rows of the switch; offsets count from [`base`], `count` follows from the ports.
pub(super) static MASTER_CONFIG: Register = Register {
    generations: ALL,
    noc: false,
    offset: 0,
    stride: 4,
    count: 0,
    first: 0,
    name: "Stream_Switch_Master_Config_{}",
    fields: &[ENABLE, PACKET, DROP_HEADER, CONFIGURATION],
};
pub(super) static SLAVE_CONFIG: Register = Register {
    generations: ALL,
    noc: false,
    offset: 0x100,
    stride: 4,
    count: 0,
    first: 0,
    name: "Stream_Switch_Slave_Config_{}",
    fields: &[SLAVE_ENABLE, PACKET],
};
pub(super) static SLOT: Register = Register {
    generations: ALL,
    noc: false,
    offset: 0x200,
    stride: 0x10,
    count: 0,
    first: 0,
    name: "Stream_Switch_Slave_{}_Slot{}",
    fields: &[SLOT_ID, SLOT_MASK, SLOT_ENABLE, SLOT_MSEL, SLOT_ARBITER],
};

/// Configuration of a switch output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SwitchMaster {
    /// Not used.
    #[default]
    Off,
    /// Takes every word of one input.
    Circuit {
        /// Place of the input in the slave array, see [`crate::switch::SwitchModel::index`].
        slave: u8,
    },
    /// Takes the packets that an arbiter grants to one of these msels.
    Packet {
        /// Arbiter, 0..=7.
        arbiter: u8,
        /// Bit m set: msel m.
        msels: u8,
        /// Whether the header word is removed.
        drop_header: bool,
    },
}

impl SwitchMaster {
    /// The register word. Values beyond their field are cut to it.
    pub const fn pack(self) -> u32 {
        match self {
            SwitchMaster::Off => 0,
            SwitchMaster::Circuit { slave } => CIRCUIT_SLAVE.set(ENABLE.mask(), slave as u32),
            SwitchMaster::Packet {
                arbiter,
                msels,
                drop_header,
            } => {
                let word = ENABLE.mask() | PACKET.mask();
                let word = DROP_HEADER.set(word, drop_header as u32);
                ARBITER.set(MSELS.set(word, msels as u32), arbiter as u32)
            }
        }
    }

    /// The meaning of a register word.
    pub const fn unpack(word: u32) -> Self {
        if ENABLE.get(word) == 0 {
            SwitchMaster::Off
        } else if PACKET.get(word) == 0 {
            SwitchMaster::Circuit {
                slave: CIRCUIT_SLAVE.get(word) as u8,
            }
        } else {
            SwitchMaster::Packet {
                arbiter: ARBITER.get(word) as u8,
                msels: MSELS.get(word) as u8,
                drop_header: DROP_HEADER.get(word) != 0,
            }
        }
    }
}

/// Configuration of a switch input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SwitchSlave {
    /// Not used.
    #[default]
    Off,
    /// Feeds the outputs that name it.
    Circuit,
    /// Carries packets, which its slots send on.
    Packet,
}

impl SwitchSlave {
    /// The register word.
    pub const fn pack(self) -> u32 {
        match self {
            SwitchSlave::Off => 0,
            SwitchSlave::Circuit => SLAVE_ENABLE.mask(),
            SwitchSlave::Packet => SLAVE_ENABLE.mask() | PACKET.mask(),
        }
    }

    /// The meaning of a register word.
    pub const fn unpack(word: u32) -> Self {
        if SLAVE_ENABLE.get(word) == 0 {
            SwitchSlave::Off
        } else if PACKET.get(word) == 0 {
            SwitchSlave::Circuit
        } else {
            SwitchSlave::Packet
        }
    }
}

/// A packet rule: packets with `(header id & mask) == (id & mask)` go to an arbiter and msel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SwitchSlot {
    /// Whether the rule is used.
    pub enable: bool,
    /// Packet id, 0..=31.
    pub id: u8,
    /// Bits of the id that count, 0..=31.
    pub mask: u8,
    /// Msel, 0..=3.
    pub msel: u8,
    /// Arbiter, 0..=7.
    pub arbiter: u8,
}

impl SwitchSlot {
    /// The register word. Values beyond their field are cut to it.
    pub const fn pack(self) -> u32 {
        let word = SLOT_ENABLE.set(0, self.enable as u32);
        let word = SLOT_ID.set(word, self.id as u32);
        let word = SLOT_MASK.set(word, self.mask as u32);
        let word = SLOT_MSEL.set(word, self.msel as u32);
        SLOT_ARBITER.set(word, self.arbiter as u32)
    }

    /// The meaning of a register word.
    pub const fn unpack(word: u32) -> Self {
        SwitchSlot {
            enable: SLOT_ENABLE.get(word) != 0,
            id: SLOT_ID.get(word) as u8,
            mask: SLOT_MASK.get(word) as u8,
            msel: SLOT_MSEL.get(word) as u8,
            arbiter: SLOT_ARBITER.get(word) as u8,
        }
    }

    /// Whether a packet id matches the rule.
    pub const fn matches(self, id: u8) -> bool {
        self.enable && id & self.mask == self.id & self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_words() {
        // Written by mlir-aie for npu2, tile (0, 2): DMA 0 -> North 1, two mastersets and rules.
        assert_eq!(SwitchMaster::Circuit { slave: 1 }.pack(), 0x8000_0001);
        assert_eq!(SwitchSlave::Circuit.pack(), 0x8000_0000);
        let dma = SwitchMaster::Packet {
            arbiter: 1,
            msels: 0b100,
            drop_header: true,
        };
        assert_eq!(dma.pack(), 0xC000_00A1);
        let south = SwitchMaster::Packet {
            arbiter: 1,
            msels: 0b100,
            drop_header: false,
        };
        assert_eq!(south.pack(), 0xC000_0021);
        assert_eq!(SwitchSlave::Packet.pack(), 0xC000_0000);
        let rule = SwitchSlot {
            enable: true,
            id: 3,
            mask: 31,
            msel: 2,
            arbiter: 1,
        };
        assert_eq!(rule.pack(), 0x031F_0121);
        let second = SwitchSlot {
            id: 4,
            mask: 28,
            ..rule
        };
        assert_eq!(second.pack(), 0x041C_0121);
        for master in [
            SwitchMaster::Off,
            dma,
            south,
            SwitchMaster::Circuit { slave: 23 },
        ] {
            assert_eq!(SwitchMaster::unpack(master.pack()), master);
        }
        for slave in [SwitchSlave::Off, SwitchSlave::Circuit, SwitchSlave::Packet] {
            assert_eq!(SwitchSlave::unpack(slave.pack()), slave);
        }
        assert_eq!(SwitchSlot::unpack(second.pack()), second);
        assert!(second.matches(5) && !second.matches(8));
        assert!(
            !SwitchSlot {
                enable: false,
                ..second
            }
            .matches(4)
        );
    }
}
