//! The programs that save and restore the memory tiles when the context changes. The vendor's are
//! fixed (aiebu: `lib/src/preempt`); these are made from what they do, per column: two routes between
//! memory tile and shim, and two transfers of half a memory tile's 512 KiB each.

use crate::txn::{GENERATION_NPU2, Header, Operation, Transaction};

/// Columns for which such programs exist.
const COLUMNS: [u8; 4] = [1, 2, 4, 8];
/// Words of a transfer: half a memory tile.
const WORDS: u32 = 0x1_0000;
/// Bytes of a transfer.
const BYTES: u64 = 4 * WORDS as u64;
/// Bytes of the descriptors of shim and memory tiles.
const BD_BYTES: u32 = 32;
/// First column's bit in a register address.
const COLUMN_SHIFT: u32 = 25;

/// Module bases in a column.
mod module {
    pub(super) const MEMORY_BD: u32 = 0x1A_0000;
    pub(super) const MEMORY_DMA: u32 = 0x1A_0600;
    pub(super) const MEMORY_SWITCH: u32 = 0x1B_0000;
    pub(super) const SHIM_BD: u32 = 0x1_D000;
    pub(super) const SHIM_DMA: u32 = 0x1_D200;
    pub(super) const SHIM_MUX: u32 = 0x1_F000;
    pub(super) const SHIM_SWITCH: u32 = 0x3_F000;
}

/// Byte offset of the slave ports' registers after those of the master ports.
const SLAVE: u32 = 0x100;
/// Enable bit of a stream port.
const PORT_ENABLE: u32 = 0x8000_0000;
/// Task queue word: issue a token at the end.
const TOKEN: u32 = 0x8000_0000;
/// Control register of a channel: this controller's id for tokens, and its unpaused state.
const CHANNEL_CONTROLLER: u32 = 0x900;
const CHANNEL_ON: u32 = 0x1;
/// Last words of the descriptors: valid; of the shim's: burst length 256 bytes, AXI cache.
const BD_VALID: u32 = 0x8000_0000;
const SHIM_BD_BURST: u32 = 0xC000_0000;
const SHIM_BD_VALID: u32 = 0x0200_0000;
/// Where half `n` lies in the memory tile's descriptor: own memory begins at word 0x2_0000.
const MEMORY_HALVES: [u32; 2] = [0x2_0000, 0x3_0000];
/// Descriptors of the memory tile: channel 0 uses number 0, channel 1 number 24.
const MEMORY_DESCRIPTORS: [u32; 2] = [0, 24];

/// A direction of the copy.
#[derive(Clone, Copy, Debug)]
pub struct PreemptDirection {
    /// Stream connections of the two transfers in the order in which they are written: switch,
    /// index of the master port, index of the slave port.
    routes: [&'static [(u32, u32, u32)]; 2],
    /// Position in [`Self::routes`] at which the shim mux is set, and its register, mask and value.
    mux: [(usize, u32, u32, u32); 2],
    /// True if data go to the host.
    saves: bool,
}

/// Memory tile to host. Ports: DMA 0, 1 of the memory tile to South 0, 1; North 0, 1 of the shim
/// to South 2, 3, which the mux hands to the S2MM channels.
pub const SAVE: PreemptDirection = PreemptDirection {
    routes: [
        &[
            (module::MEMORY_SWITCH, 7, 0),
            (module::SHIM_SWITCH, 4, 14),
            (module::SHIM_SWITCH, 2, 0),
        ],
        &[
            (module::MEMORY_SWITCH, 8, 1),
            (module::SHIM_SWITCH, 5, 15),
            (module::SHIM_SWITCH, 2, 0),
        ],
    ],
    mux: [(2, 4, 0x30, 0x10), (2, 4, 0xC0, 0x40)],
    saves: true,
};

/// Host to memory tile. Ports: South 3, 7 of the shim, which the mux feeds from the MM2S channels,
/// to North; South of the memory tile to DMA 0, 1. The controllers' ports for tokens are set too.
pub const RESTORE: PreemptDirection = PreemptDirection {
    routes: [
        &[
            (module::MEMORY_SWITCH, 0, 7),
            (module::SHIM_SWITCH, 12, 5),
            (module::MEMORY_SWITCH, 9, 6),
            (module::SHIM_SWITCH, 2, 16),
        ],
        &[
            (module::MEMORY_SWITCH, 1, 8),
            (module::SHIM_SWITCH, 13, 9),
            (module::MEMORY_SWITCH, 9, 6),
            (module::SHIM_SWITCH, 2, 16),
        ],
    ],
    mux: [(2, 0, 0xC00, 0x400), (2, 0, 0xC000, 0x4000)],
    saves: false,
};

/// The program that saves the memory tiles of some columns; `None` if there is none for their number.
pub fn save_program(columns: u8) -> Option<Transaction> {
    program(&SAVE, columns)
}

/// The program that restores the memory tiles of some columns; `None` if there is none for their number.
pub fn restore_program(columns: u8) -> Option<Transaction> {
    program(&RESTORE, columns)
}

fn program(direction: &PreemptDirection, columns: u8) -> Option<Transaction> {
    if !COLUMNS.contains(&columns) {
        return None;
    }
    let mut operations = Vec::new();
    for column in 0..u32::from(columns) {
        for half in 0..2 {
            push_transfer(direction, column, half, &mut operations);
        }
    }
    operations.push(Operation::MergeSync {
        tokens: 2 * columns,
        columns,
    });
    let header = Header {
        major: 1,
        minor: 0,
        ..Header::new(GENERATION_NPU2, columns)
    };
    Some(Transaction::new(header, operations))
}

fn push_transfer(
    direction: &PreemptDirection,
    column: u32,
    half: usize,
    operations: &mut Vec<Operation>,
) {
    let base = column << COLUMN_SHIFT;
    let route = direction.routes[half];
    let (mux_at, mux_register, mask, value) = direction.mux[half];
    for (at, &(switch, master, slave)) in route.iter().enumerate() {
        if at == mux_at {
            operations.push(Operation::MaskWrite {
                register: base + module::SHIM_MUX + mux_register,
                value,
                mask,
            });
        }
        for (register, value) in [
            (switch + 4 * master, PORT_ENABLE | slave),
            (switch + SLAVE + 4 * slave, PORT_ENABLE),
        ] {
            operations.push(Operation::Write {
                register: base + register,
                value,
            });
        }
    }
    let index = half as u32;
    let shim_bd = base + module::SHIM_BD + BD_BYTES * index;
    let memory_bd = base + module::MEMORY_BD + BD_BYTES * MEMORY_DESCRIPTORS[half];
    let block = |register, words: [u32; 8]| Operation::BlockWrite {
        register,
        words: words.to_vec(),
    };
    let shim = block(
        shim_bd,
        [WORDS, 0, 0, 0, SHIM_BD_BURST, 0, 0, SHIM_BD_VALID],
    );
    let memory = block(
        memory_bd,
        [WORDS, MEMORY_HALVES[half], 0, 0, 0, 0, 0, BD_VALID],
    );
    operations.extend(if direction.saves {
        [memory, shim]
    } else {
        [shim, memory]
    });
    operations.push(Operation::DdrPatch {
        register: shim_bd + 4,
        argument: u32::from(!direction.saves),
        plus: BYTES * (2 * u64::from(column) + half as u64),
    });
    push_start(direction, base, half, operations);
}

/// Byte offset of a channel's control register from the first S2MM channel's; the task queue
/// register is the next word. Both sorts of tiles have 8 bytes for each channel.
const fn channel(of_memory_tile: bool, mm2s: bool, number: u32) -> u32 {
    let directions = if of_memory_tile { 0x30 } else { 0x10 };
    8 * number + if mm2s { directions } else { 0 }
}

/// Starts source and destination of a transfer.
fn push_start(
    direction: &PreemptDirection,
    base: u32,
    half: usize,
    operations: &mut Vec<Operation>,
) {
    let number = half as u32;
    let memory = base + module::MEMORY_DMA + channel(true, direction.saves, number);
    let shim = base + module::SHIM_DMA + channel(false, !direction.saves, number);
    // the source begins at once, the destination says when all is there
    let (source, destination) = if direction.saves {
        (memory, shim)
    } else {
        (shim, memory)
    };
    let memory_task = MEMORY_DESCRIPTORS[half];
    // the vendor's memory tile asks for a token also when it is the source
    let (source_task, destination_task) = if direction.saves {
        (memory_task | TOKEN, number)
    } else {
        (number, memory_task)
    };
    for (register, value) in [
        (source + 4, source_task),
        (destination, CHANNEL_CONTROLLER),
        (destination + 4, destination_task | TOKEN),
        (source, CHANNEL_ON),
        (destination, CHANNEL_ON),
    ] {
        operations.push(Operation::Write { register, value });
    }
}
