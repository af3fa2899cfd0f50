//! The registers and events of a traced module, by their names.

use aiec_device::events;
use aiec_device::regmap::{Module as Part, Register, RegisterMap};
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, DeviceModel, Port, TileKind, TileLoc};
use aiec_diag::{Diag, did_you_mean};

use super::{PacketType, REGISTER};

/// A module with a trace unit.
#[derive(Clone, Copy)]
pub(super) struct TraceUnit {
    pub model: &'static DeviceModel,
    pub loc: TileLoc,
    pub part: Part,
    map: &'static RegisterMap,
}

impl TraceUnit {
    /// The module of a tile that traces with packets of this type; without one, the core or the
    /// only module. `None` if the tile doesn't exist or its registers aren't described (AIE1).
    pub fn of(
        model: &'static DeviceModel,
        loc: TileLoc,
        packets: Option<PacketType>,
    ) -> Option<TraceUnit> {
        let part = match (model.tile_kind(loc)?, packets) {
            (TileKind::Core, Some(PacketType::Memory)) => Part::Memory,
            (TileKind::Core, _) => Part::Core,
            (TileKind::Mem, _) => Part::MemTile,
            (TileKind::ShimNoc | TileKind::ShimPl, _) => Part::Shim,
        };
        let map = model.register_map(loc)?;
        Some(TraceUnit {
            model,
            loc,
            part,
            map,
        })
    }

    /// The number of an event: by its name, with or without the name of an enumeration in front
    /// (`CoreEventAIE2::INSTR_VECTOR`), or as a number.
    pub fn event(&self, text: &str) -> Option<u8> {
        let name = last_part(text);
        let number = name.parse().ok();
        number.or_else(|| events::event(self.model.arch(), self.part, name))
    }

    /// The name of the event that fires when a broadcast arrives.
    pub fn broadcast_event(&self, channel: i64) -> String {
        match self.part {
            Part::Shim => format!("BROADCAST_A_{channel}"),
            _ => format!("BROADCAST_{channel}"),
        }
    }

    /// Suggestion for an event that doesn't exist.
    pub fn event_help(&self, text: &str) -> String {
        let names = events::events(self.model.arch(), self.part).map(|(name, _)| name);
        match did_you_mean(last_part(text), names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "name an event of a {} module of {}, e.g. {}",
                self.part,
                self.model.name(),
                match self.part {
                    Part::Core => "INSTR_VECTOR, LOCK_STALL or PORT_RUNNING_0",
                    Part::Memory => "DMA_S2MM_0_START_TASK or LOCK_SEL0_ACQ_GE",
                    Part::MemTile => "DMA_S2MM_SEL0_START_TASK or PORT_RUNNING_0",
                    _ => "DMA_S2MM_0_START_TASK or PORT_RUNNING_0",
                }
            ),
        }
    }

    /// A register by its name in the manual, with its offset in the tile in bytes.
    pub fn register(&self, name: &str) -> Option<(u32, &'static Register)> {
        self.map.find(self.part, name)
    }

    /// The index of a switch port given as `BUNDLE:CHANNEL`, among the masters or the slaves.
    pub fn port(&self, text: &str, master: bool) -> Option<u8> {
        let (bundle, channel) = text.split_once(':')?;
        let port = Port::new(Bundle::by_name(bundle)?, channel.parse().ok()?);
        let side = if master {
            PortSide::Master
        } else {
            PortSide::Slave
        };
        self.model.port_index(self.loc, side, port)
    }
}

/// The name of an event without the enumeration in front of it.
pub(super) fn last_part(text: &str) -> &str {
    text.rsplit_once("::").map_or(text, |(_, name)| name)
}

/// Refuses traces of a device whose registers aren't described.
pub(super) fn no_registers(model: &DeviceModel) -> Diag {
    let message = format!("the registers of {} are not known", model.name());
    Diag::error(&REGISTER, message)
        .help("traces need AIE-ML or later: npu1, npu2, xcve3858 and others")
}
