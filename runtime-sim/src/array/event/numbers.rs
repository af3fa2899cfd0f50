//! Numbers of hardware events by generation and module (AM025, AM029: lists of events).

use aiec_device::regmap::Module;
use aiec_device::{Arch, ChannelId, DmaDir};

use super::{HwEvent, LevelChange, TileEventUnits};

/// Event that is always on.
pub(crate) const TRUE: u8 = 1;

/// EventNumbers of the events of one module; where events come in rows, that of the first. 0 is an
/// event that the module doesn't have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventNumbers {
    pub timer: u8,
    pub counter: u8,
    pub combo: u8,
    pub edge: u8,
    /// S2MM 0, S2MM 1, MM2S 0, MM2S 1 start a task; finished BDs, finished tasks and lock stalls
    /// follow in rows of four.
    pub dma: u8,
    /// The two channel errors of each direction, or one event for each direction.
    pub dma_error: u8,
    pub dma_errors: u8,
    /// Acquire equal, acquire greater-equal, release, value of selected lock 0; then lock 1.
    pub lock: u8,
    pub lock_error: u8,
    /// Idle, running, stalled, TLAST of port 0; then port 1.
    pub port: u8,
    pub bank: u8,
    pub control_packet_error: u8,
    pub broadcast: u8,
    /// Number of performance counters.
    pub counters: u8,
}

/// Events of the core module beside those.
mod core {
    pub const STREAM_STALL: u8 = 24;
    pub const CASCADE_STALL: u8 = 25;
    pub const LOCK_STALL: u8 = 26;
    pub const ACTIVE: u8 = 28;
    /// By the number that the instruction names: events 0 and 1, warning, error.
    pub const INSTRUCTION: [u8; 4] = [33, 34, 68, 69];
}

const TIMER_VALUE_REACHED: u8 = 4;

const CORE: EventNumbers = EventNumbers {
    timer: TIMER_VALUE_REACHED,
    counter: 5,
    combo: 9,
    edge: 13,
    dma: 0,
    dma_error: 0,
    dma_errors: 0,
    lock: 0,
    lock_error: 0,
    port: 74,
    bank: 0,
    control_packet_error: 57,
    broadcast: 107,
    counters: 4,
};

const MEMORY: EventNumbers = EventNumbers {
    combo: 7,
    edge: 11,
    dma: 19,
    dma_error: 97,
    dma_errors: 4,
    lock: 44,
    lock_error: 101,
    port: 0,
    bank: 77,
    control_packet_error: 0,
    counters: 2,
    ..CORE
};

const MEM_TILE: EventNumbers = EventNumbers {
    dma: 21,
    dma_error: 133,
    dma_errors: 2,
    lock: 46,
    lock_error: 139,
    port: 79,
    bank: 112,
    control_packet_error: 137,
    broadcast: 142,
    ..CORE
};

const SHIM: EventNumbers = EventNumbers {
    combo: 7,
    edge: 11,
    dma: 14,
    dma_error: 72,
    dma_errors: 2,
    lock: 39,
    lock_error: 74,
    port: 77,
    bank: 0,
    control_packet_error: 65,
    broadcast: 110,
    counters: 2,
    ..CORE
};

const SHIM_PS: EventNumbers = EventNumbers {
    dma_error: 122,
    lock: 64,
    lock_error: 126,
    port: 133,
    control_packet_error: 115,
    broadcast: 166,
    ..SHIM
};

impl EventNumbers {
    pub fn of(arch: Arch, module: Module) -> EventNumbers {
        match module {
            Module::Core => CORE,
            Module::Memory => MEMORY,
            Module::MemTile => MEM_TILE,
            Module::Shim | Module::Controller if arch == Arch::Aie2ps => SHIM_PS,
            Module::Shim | Module::Controller => SHIM,
        }
    }
}

/// Rows of DMA events.
const ROW: u8 = 4;
/// Events of a selected lock, or of a port.
const EACH: u8 = 4;

/// The unit, the number and the level change of a hardware event.
pub(crate) fn hardware_event(
    tile: &TileEventUnits,
    what: HwEvent,
) -> Option<(u8, u8, LevelChange)> {
    use HwEvent::*;
    let level = |on| {
        if on {
            LevelChange::Rise
        } else {
            LevelChange::Fall
        }
    };
    // In a core tile the core module comes first, then the memory module.
    let first = 0;
    let memory = tile.units.len() as u8 - 1;
    let of = |unit: u8| &tile.units[usize::from(unit)].numbers;
    // An event at a distance from the first of its kind, which is 0 if the module has none.
    let nth = |unit: u8, first: u8, behind: u8, change| {
        (first != 0).then(|| (unit, first + behind, change))
    };
    let core =
        |number, change| (tile.units[0].module == Module::Core).then_some((first, number, change));
    let dma = |channel, row: u8, change| {
        let place = place_of(tile, channel)?;
        nth(memory, of(memory).dma, row * ROW + place, change)
    };
    let port = |port: u8, kind: u8, change| nth(first, of(first).port, EACH * port + kind, change);
    let lock = |lock: u8, kind: u8| {
        let selector = tile.selected_locks.iter().position(|&id| id == lock)? as u8;
        nth(
            memory,
            of(memory).lock,
            EACH * selector + kind,
            LevelChange::Pulse,
        )
    };
    match what {
        StartTask(channel) => dma(channel, 0, LevelChange::Pulse),
        FinishedBd(channel) => dma(channel, 1, LevelChange::Pulse),
        FinishedTask(channel) => dma(channel, 2, LevelChange::Pulse),
        LockStall(channel, on) => dma(channel, 3, level(on)),
        DmaError(channel) => {
            let numbers = of(memory);
            let row = u8::from(channel.dir == DmaDir::Mm2s);
            let place = match numbers.dma_errors {
                2 => row,
                _ => 2 * row + channel.index,
            };
            nth(memory, numbers.dma_error, place, LevelChange::Pulse)
        }
        Acquired(id, equal) => lock(id, u8::from(!equal)),
        Released(id) => lock(id, 2),
        LockError => nth(memory, of(memory).lock_error, 0, LevelChange::Pulse),
        CoreActive(on) => core(self::core::ACTIVE, level(on)),
        CoreLockStall(on) => core(self::core::LOCK_STALL, level(on)),
        CoreStreamStall(on) => core(self::core::STREAM_STALL, level(on)),
        CoreCascadeStall(on) => core(self::core::CASCADE_STALL, level(on)),
        Instruction(n) => core(
            self::core::INSTRUCTION[usize::from(n % 4)],
            LevelChange::Pulse,
        ),
        ControlPacketError => nth(first, of(first).control_packet_error, 0, LevelChange::Pulse),
        PortRunning(n) => port(n, 1, LevelChange::Pulse),
        PortStalled(n, on) => port(n, 2, level(on)),
        PortTlast(n) => port(n, 3, LevelChange::Pulse),
        BankConflict(bank) => nth(memory, of(memory).bank, bank, LevelChange::Pulse),
        Number(module, number) => Some((tile.unit(module)?, number, LevelChange::Pulse)),
    }
}

/// Which of the four columns of the DMA events a channel has.
fn place_of(tile: &TileEventUnits, channel: ChannelId) -> Option<u8> {
    let half = 2 * u8::from(channel.dir == DmaDir::Mm2s);
    if tile.units[0].module != Module::MemTile {
        return (channel.index < 2).then_some(half + channel.index);
    }
    let selected = &tile.selected_channels[usize::from(half)..usize::from(half) + 2];
    let place = selected.iter().position(|&id| id == channel.index)?;
    Some(half + place as u8)
}
