//! Control, queue and status words of DMA channels.

use super::field::FieldOverflow;
use super::map::{RegisterMap, RegisterRef};
use super::tables::Register;
use super::word::{FromBits, register_word};
use crate::arch::{Arch, DmaDir, TileKind};

register_word! {
    /// A task pushed into a channel's queue (Start_Queue, Task_Queue).
    QueueEntry {
        /// First buffer descriptor of the task.
        bd: u8 = "Start_BD_ID";
        /// Runs minus 1.
        repeat: u8 = "Repeat_Count";
        /// Send a token when the task is done.
        token: bool = "Enable_Token_Issue";
    }
}

register_word! {
    /// Control of a channel. Fields that a tile's channel doesn't have must be 0.
    DmaCtrl {
        /// Names the receiver of tokens: bits 4:0 are the packet id.
        controller_id: u8 = "Controller_ID";
        /// Drop queue and state while set (core and mem tiles).
        reset: bool = "Reset";
        /// Take the buffer descriptor from the packet header (S2MM).
        out_of_order: bool = "Enable_Out_of_Order";
        /// Finish on TLAST (S2MM): 0 off, 1 no counts, 2 counts with the token, 3 counts in a FIFO.
        finish_on_tlast: u8 = "FoT_Mode";
        /// Compression (MM2S) or decompression (S2MM) for descriptors that ask for it.
        compression: bool = "Compression_Enable" | "Decompression_Enable";
        /// Stop AXI issue (shim).
        pause_memory: bool = "Pause_Mem";
        /// Stop the stream (shim).
        pause_stream: bool = "Pause_Stream";
    }
}

/// State of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum DmaState {
    /// No task.
    #[default]
    Idle,
    /// A task is being started.
    Starting,
    /// A task runs.
    Running,
}

impl From<DmaState> for u32 {
    fn from(state: DmaState) -> u32 {
        match state {
            DmaState::Idle => 0,
            DmaState::Starting => 1,
            DmaState::Running => 2,
        }
    }
}

impl FromBits for DmaState {
    fn from_bits(bits: i64) -> Self {
        match bits {
            0 => DmaState::Idle,
            1 => DmaState::Starting,
            _ => DmaState::Running,
        }
    }
}

register_word! {
    /// Status of a channel. Errors that a tile's channel cannot have must be false.
    DmaStatus {
        /// State of the channel.
        state: DmaState = "Status";
        /// Waits for the acquire of a lock.
        stalled_lock_acquire: bool = "Stalled_Lock_Acq";
        /// Waits for the release of a lock.
        stalled_lock_release: bool = "Stalled_Lock_Rel";
        /// Waits for the stream: no data (S2MM) or no room (MM2S).
        stalled_stream: bool = "Stalled_Stream_Starvation" | "Stalled_Stream_Backpressure";
        /// Waits to send a token.
        stalled_token: bool = "Stalled_TCT" | "Stalled_TCT_or_Count_FIFO_Full";
        /// A mem tile's lock outside its reach.
        error_lock_unavailable: bool = "Error_Lock_Access_to_Unavailable";
        /// A mem tile's memory outside its reach.
        error_memory_unavailable: bool = "Error_DM_Access_to_Unavailable";
        /// An out-of-order packet named a descriptor that is not valid.
        error_bd_unavailable: bool = "Error_BD_Unavailable";
        /// A descriptor that is not valid was loaded.
        error_bd_invalid: bool = "Error_BD_Invalid";
        /// AXI answered with a decode error (shim).
        error_axi_decode: bool = "AXI_MM_Decode_Error";
        /// AXI answered with a slave error (shim).
        error_axi_slave: bool = "AXI_MM_Slave_Error";
        /// A task was pushed into a full queue.
        queue_overflow: bool = "Task_Queue_Overflow";
        /// The channel runs.
        running: bool = "Channel_Running";
        /// Tasks in the queue.
        queue_size: u8 = "Task_Queue_Size";
        /// The current descriptor.
        current_bd: u8 = "Cur_BD";
    }
}

fn row(arch: Arch, kind: TileKind, what: RegisterRef) -> Option<&'static Register> {
    RegisterMap::of(arch, kind)?
        .register(what)
        .map(|(register, _)| register)
}

/// `Type, register: what a word of it is`.
macro_rules! words_of_channels {
    ($($what:ident, $register:ident: $doc:literal;)*) => {$(
        impl $what {
            #[doc = concat!("The ", $doc, " of a channel; `None` if the tile has no such register.")]
            pub fn pack(
                self,
                arch: Arch,
                kind: TileKind,
                dir: DmaDir,
            ) -> Option<Result<u32, FieldOverflow>> {
                let register = row(arch, kind, RegisterRef::$register { dir, channel: 0 })?;
                Some(self.pack_into(register))
            }

            #[doc = concat!("The meaning of the ", $doc, " of a channel.")]
            pub fn unpack(arch: Arch, kind: TileKind, dir: DmaDir, word: u32) -> Option<Self> {
                let register = row(arch, kind, RegisterRef::$register { dir, channel: 0 })?;
                Some(Self::unpack_from(register, word))
            }
        }
    )*};
}

words_of_channels! {
    QueueEntry, DmaQueue: "word for the task queue";
    DmaCtrl, DmaCtrl: "control word";
    DmaStatus, DmaStatus: "status word";
}
