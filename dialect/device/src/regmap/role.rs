//! Purposes of the registers that have no packed form of their own, classified by their names in
//! the manuals once, when a register map is built.

use super::field::Field;
use super::map::Module;
use super::tables::Register;

/// Purpose of a [`RegisterRef::Known`](super::RegisterRef::Known) register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterRole {
    /// It belongs to the event unit of its module.
    Event(EventRegister),
    /// Memory_Control, which clears a memory.
    MemoryControl,
    /// Sticky overflow bits of 32 locks, by number of the word.
    LocksOverflow(u8),
    /// Sticky underflow bits of 32 locks, by number of the word.
    LocksUnderflow(u8),
    /// Module_Reset_Control with the reset of the stream switch.
    StreamSwitchReset,
    /// The order of packets at an arbiter, by arbiter and by number of the word: slaves 0 and 1, slaves
    /// 2 and 3, control.
    DeterministicMerge(u8, u8),
    /// Module_Reset_Control_1 of shim tiles with the reset of the DMA.
    NocModuleReset,
    /// Words that an S2MM channel has written of its BD, by channel.
    CurrentWriteCount(u8),
    /// Takes a count from the finish-on-TLAST FIFO of an S2MM channel, by channel.
    CountFifoPop(u8),
    /// Clock gating.
    ClockControl,
    /// Attributes of accesses to the memory-mapped AXI network.
    AxiAttributes,
    /// Core_Processor_Bus.
    ProcessorBus,
    /// ECC_Scrubbing_Event.
    EccScrubbing,
    /// Anything else.
    Other,
}

/// Purpose of a register of an event unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRegister {
    /// The event that drives a broadcast channel.
    Broadcast(u8),
    /// Sides that a broadcast channel doesn't go to.
    BroadcastBlock {
        /// The side: South, West, North, East.
        side: u8,
        /// Effect of an access.
        access: BlockAccess,
    },
    /// A word of sticky event bits.
    Status(u8),
    /// The value at which a performance counter raises its event.
    CounterEventValue(u8),
    /// The value of a performance counter.
    CounterValue(u8),
    /// Start, stop and reset events of performance counters ([`EventField`]).
    CounterControl,
    /// Timer_Control.
    TimerControl,
    /// The low word of the timer.
    TimerLow,
    /// The high word of the timer.
    TimerHigh,
    /// The low word of the time at which the timer raises its event.
    TimerTriggerLow,
    /// The high word of that time.
    TimerTriggerHigh,
    /// The four inputs of combination events.
    ComboInputs,
    /// The functions of combination events.
    ComboControl,
    /// Edge_Detection_event_control.
    EdgeControl,
    /// Events that enable and disable the core.
    CoreEnable,
    /// Trace_Control0: start, stop, mode.
    TraceControl,
    /// Trace_Control1: packet id and type.
    TracePacket,
    /// Trace_Status.
    TraceStatus,
    /// Events of four trace slots ([`EventField`]).
    TraceSlots,
    /// The lock whose events a selector raises.
    LockSelection(u8),
    /// The channels whose events a mem tile raises.
    DmaChannelSelection,
    /// The switch ports whose events the selectors raise ([`EventField`]).
    PortSelection,
}

/// Effect of an access to a broadcast block register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockAccess {
    /// A write blocks the channels whose bits are set.
    Set,
    /// A write unblocks the channels whose bits are set.
    Clear,
    /// A read gives the blocked channels.
    Value,
}

/// Purpose of a field of a [`EventRegister::CounterControl`], [`EventRegister::TraceSlots`] or
/// [`EventRegister::PortSelection`] register, with the number of the counter, slot or selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventField {
    /// The event that starts a performance counter.
    CounterStart(u8),
    /// The event that stops it.
    CounterStop(u8),
    /// The event that resets it.
    CounterReset(u8),
    /// The event of a trace slot.
    TraceSlot(u8),
    /// Whether a selector watches a master port.
    SelectsMaster(u8),
    /// Index of the port that a selector watches, on its side.
    SelectedPort(u8),
}

/// The first number in a name; 0 without one.
fn number_in(name: &str) -> u8 {
    let digits = name.chars().skip_while(|c| !c.is_ascii_digit());
    let digits = digits.map_while(|c| c.to_digit(10));
    digits.fold(0, |number, digit| number * 10 + digit as u8)
}

impl RegisterRole {
    /// The role of the register of this name, with this index if it is of an array.
    pub(super) fn of(module: Module, name: &str, index: u16) -> RegisterRole {
        let number = if name.contains("{}") {
            index as u8
        } else {
            number_in(name)
        };
        match name {
            "Memory_Control" => RegisterRole::MemoryControl,
            "Locks_Overflow" | "Locks_Overflow_0" | "Locks_Overflow_1" => {
                RegisterRole::LocksOverflow(number)
            }
            "Locks_Underflow" | "Locks_Underflow_0" | "Locks_Underflow_1" => {
                RegisterRole::LocksUnderflow(number)
            }
            "Module_Reset_Control" | "Module_Reset_Control_0" => RegisterRole::StreamSwitchReset,
            "Module_Reset_Control_1" => RegisterRole::NocModuleReset,
            "Stream_Switch_Deterministic_Merge_arb{}_slave0_1" => {
                RegisterRole::DeterministicMerge(number, 0)
            }
            "Stream_Switch_Deterministic_Merge_arb{}_slave2_3" => {
                RegisterRole::DeterministicMerge(number, 1)
            }
            "Stream_Switch_Deterministic_Merge_arb{}_ctrl" => {
                RegisterRole::DeterministicMerge(number, 2)
            }
            "DMA_S2MM_Current_Write_Count_{}" => RegisterRole::CurrentWriteCount(number),
            "DMA_S2MM_FoT_Count_FIFO_Pop_{}" => RegisterRole::CountFifoPop(number),
            "Module_Clock_Control"
            | "Module_Clock_Control_0"
            | "Module_Clock_Control_1"
            | "Column_Clock_Control" => RegisterRole::ClockControl,
            "AIE_AXIMM_Config" | "SMID" => RegisterRole::AxiAttributes,
            "Core_Processor_Bus" => RegisterRole::ProcessorBus,
            "ECC_Scrubbing_Event" => RegisterRole::EccScrubbing,
            _ if module == Module::Controller => RegisterRole::Other,
            _ => EventRegister::of(name, number).map_or(RegisterRole::Other, RegisterRole::Event),
        }
    }
}

impl EventRegister {
    fn of(name: &str, number: u8) -> Option<EventRegister> {
        Some(match name {
            "Timer_Control" => EventRegister::TimerControl,
            "Timer_Low" => EventRegister::TimerLow,
            "Timer_High" => EventRegister::TimerHigh,
            "Timer_Trig_Event_Low_Value" => EventRegister::TimerTriggerLow,
            "Timer_Trig_Event_High_Value" => EventRegister::TimerTriggerHigh,
            "Combo_event_inputs" => EventRegister::ComboInputs,
            "Combo_event_control" => EventRegister::ComboControl,
            "Edge_Detection_event_control" => EventRegister::EdgeControl,
            "Enable_Events" => EventRegister::CoreEnable,
            "Trace_Control0" => EventRegister::TraceControl,
            "Trace_Control1" => EventRegister::TracePacket,
            "Trace_Status" => EventRegister::TraceStatus,
            "Trace_Event0" | "Trace_Event1" => EventRegister::TraceSlots,
            "Locks_Event_Selection_{}" => EventRegister::LockSelection(number),
            "DMA_Event_Channel_Selection" => EventRegister::DmaChannelSelection,
            "Stream_Switch_Event_Port_Selection_0" | "Stream_Switch_Event_Port_Selection_1" => {
                EventRegister::PortSelection
            }
            "Event_Broadcast{}" | "Event_Broadcast{}_A" => EventRegister::Broadcast(number),
            _ if name.starts_with("Event_Status") => EventRegister::Status(number),
            _ if name.starts_with("Performance_C") && name.ends_with("_Event_Value") => {
                EventRegister::CounterEventValue(number)
            }
            _ if name.starts_with("Performance_Counter") => EventRegister::CounterValue(number),
            _ if name.starts_with("Performance_C") => EventRegister::CounterControl,
            _ => return EventRegister::block(name),
        })
    }

    /// `Event_Broadcast_Block_South_Set` and its like; the second network of shim tiles (B) is not
    /// among them.
    fn block(name: &str) -> Option<EventRegister> {
        let rest = name.strip_prefix("Event_Broadcast_")?;
        let rest = rest.strip_prefix("A_").unwrap_or(rest);
        let (side, access) = rest.strip_prefix("Block_")?.split_once('_')?;
        let sides = ["South", "West", "North", "East"];
        let side = sides.iter().position(|name| *name == side)? as u8;
        let access = match access {
            "Set" => BlockAccess::Set,
            "Clr" => BlockAccess::Clear,
            _ => BlockAccess::Value,
        };
        Some(EventRegister::BroadcastBlock { side, access })
    }
}

impl EventField {
    /// The numbered fields of a register.
    pub(super) fn all(role: RegisterRole, register: &Register) -> Box<[(EventField, Field)]> {
        let RegisterRole::Event(event) = role else {
            return Box::default();
        };
        let classify = |name: &str| {
            let number = number_in(name);
            Some(match event {
                EventRegister::CounterControl if name.ends_with("_Start_Event") => {
                    EventField::CounterStart(number)
                }
                EventRegister::CounterControl if name.ends_with("_Stop_Event") => {
                    EventField::CounterStop(number)
                }
                EventRegister::CounterControl => EventField::CounterReset(number),
                EventRegister::TraceSlots => EventField::TraceSlot(number),
                EventRegister::PortSelection if name.ends_with("_ID") => {
                    EventField::SelectedPort(number)
                }
                EventRegister::PortSelection => EventField::SelectsMaster(number),
                _ => return None,
            })
        };
        let fields = register.fields().iter();
        fields
            .filter_map(|field| Some((classify(field.name)?, *field)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_event_registers() {
        let role = |name, index| match RegisterRole::of(Module::Core, name, index) {
            RegisterRole::Event(register) => Some(register),
            _ => None,
        };
        let value = EventRegister::CounterEventValue(2);
        assert_eq!(role("Performance_Counter{}_Event_Value", 2), Some(value));
        assert_eq!(role("Performance_Counter2_Event_Value", 0), Some(value));
        let counter = EventRegister::CounterValue(3);
        assert_eq!(role("Performance_Counter3", 0), Some(counter));
        let control = EventRegister::CounterControl;
        assert_eq!(role("Performance_Ctrl4", 0), Some(control));
        assert_eq!(role("Performance_Control2", 0), Some(control));
        let block = EventRegister::BroadcastBlock {
            side: 3,
            access: BlockAccess::Clear,
        };
        assert_eq!(role("Event_Broadcast_A_Block_East_Clr", 0), Some(block));
        assert_eq!(role("Event_Broadcast_Block_East_Clr", 0), Some(block));
        assert_eq!(role("Event_Broadcast_B_Block_East_Clr", 0), None);
        assert_eq!(role("Event_Group_Lock_Enable", 0), None);
    }
}
