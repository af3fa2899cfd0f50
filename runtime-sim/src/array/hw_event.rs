//! Occurrences for which hardware has events.

use aiec_device::ChannelId;
use aiec_device::regmap::Module;

use super::stored_enum::stored_enum;

stored_enum! {
    /// An occurrence that hardware reports at some cycle by an event of the manuals' lists.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum HwEvent {
        /// A DMA channel begins a task.
        StartTask(channel: ChannelId),
        /// A DMA channel has finished a BD.
        FinishedBd(channel: ChannelId),
        /// A DMA channel has finished a task.
        FinishedTask(channel: ChannelId),
        /// A DMA channel begins (true) or ends to wait for a lock.
        LockStall(channel: ChannelId, on: bool),
        /// A DMA channel stopped with a fault.
        DmaError(channel: ChannelId),
        /// A lock of the tile was acquired, by equality (true) or greater-equal.
        Acquired(lock: u8, equal: bool),
        /// A lock of the tile was released.
        Released(lock: u8),
        /// A release left the range of a lock.
        LockError,
        /// The core begins (true) or ends to run.
        CoreActive(on: bool),
        /// The core begins or ends to wait for a lock.
        CoreLockStall(on: bool),
        /// The core begins or ends to wait for a stream.
        CoreStreamStall(on: bool),
        /// The core begins or ends to wait for a cascade.
        CoreCascadeStall(on: bool),
        /// The core executes an event instruction: event 0 or 1, a warning (2), an error (3).
        Instruction(number: u8),
        /// A control packet was refused.
        ControlPacketError,
        /// Words pass a watched port in this cycle.
        PortRunning(port: u8),
        /// A word with TLAST passes a watched port.
        PortTlast(port: u8),
        /// A word at a watched port begins or ends to be stalled.
        PortStalled(port: u8, on: bool),
        /// An access has to wait in this cycle because of a conflict in the bank.
        BankConflict(bank: u8),
        /// An event by its number: Event_Generate, or a broadcast that arrives.
        Number(module: Module, number: u8),
    }
}

impl HwEvent {
    /// The name of the event of an event instruction, by the number in [`HwEvent::Instruction`].
    pub(crate) fn instruction_name(number: u8) -> &'static str {
        match number % 4 {
            0 => "INSTR_EVENT_0",
            1 => "INSTR_EVENT_1",
            2 => "INSTR_WARNING",
            _ => "INSTR_ERROR",
        }
    }
}
