//! Registers that several modules or generations have alike, each at offsets from a base
//! (AM025 and AM029).

use super::{ALL, Register};
use crate::regmap::Field;

/// `EVENTS: name of the broadcast registers, highest bits of the four events in a word`.
macro_rules! event_units {
    ($($(#[$doc:meta])* $table:ident: $broadcast:literal $a:literal $b:literal $c:literal $d:literal;)*) => {$(registers! {
    $(#[$doc])*
    $table;
    ALL 0x000 "Timer_Control" { Reset 31:31, Reset_Event $c:8 };
    ALL 0x008 "Event_Generate" { Event $d:0 };
    ALL 0x010 + 0x4 * 16 $broadcast { Event $d:0 };
    ALL 0x0d4 "Trace_Control1" { Packet_Type 14:12, ID 4:0 };
    ALL 0x0d8 "Trace_Status" { State 9:8, Mode 2:0 };
    ALL 0x0e0 "Trace_Event0" { Trace_Event3 $a:24, Trace_Event2 $b:16, Trace_Event1 $c:8,
        Trace_Event0 $d:0 };
    ALL 0x0e4 "Trace_Event1" { Trace_Event7 $a:24, Trace_Event6 $b:16, Trace_Event5 $c:8,
        Trace_Event4 $d:0 };
    ALL 0x0f0 "Timer_Trig_Event_Low_Value";
    ALL 0x0f4 "Timer_Trig_Event_High_Value";
    ALL 0x0f8 "Timer_Low";
    ALL 0x0fc "Timer_High";
    ALL 0x400 "Combo_event_inputs" { eventD $a:24, eventC $b:16, eventB $c:8, eventA $d:0 };
    ALL 0x404 "Combo_event_control" { combo2 17:16, combo1 9:8, combo0 1:0 };
    ALL 0x408 "Edge_Detection_event_control" { Edge_Detection_1_Trigger_Falling 26:26,
        Edge_Detection_1_Trigger_Rising 25:25, Edge_Detection_Event_1 $b:16,
        Edge_Detection_0_Trigger_Falling 10:10, Edge_Detection_0_Trigger_Rising 9:9,
        Edge_Detection_Event_0 $d:0 };
    ALL 0x500 "Event_Group_0_Enable";
    })*};
}

event_units! {
    /// The event unit of a core or memory module: events of 7 bits.
    EVENTS_7: "Event_Broadcast{}" 30 22 14 6;
    /// The event unit of a mem tile: events of 8 bits.
    EVENTS_8: "Event_Broadcast{}" 31 23 15 7;
    /// The event unit of a shim tile before AIE2ps.
    SHIM_EVENTS_7: "Event_Broadcast{}_A" 30 22 14 6;
    /// The event unit of a shim tile of AIE2ps.
    SHIM_EVENTS_8: "Event_Broadcast{}_A" 31 23 15 7;
}

registers! {
    /// Performance counters, control, debugging and ECC of a core.
    CORE_DEBUG;
    ALL 0x000 "Performance_Control0" { Cnt1_Stop_Event 30:24, Cnt1_Start_Event 22:16,
        Cnt0_Stop_Event 14:8, Cnt0_Start_Event 6:0 };
    ALL 0x004 "Performance_Control1" { Cnt3_Stop_Event 30:24, Cnt3_Start_Event 22:16,
        Cnt2_Stop_Event 14:8, Cnt2_Start_Event 6:0 };
    ALL 0x008 "Performance_Control2" { Cnt3_Reset_Event 30:24, Cnt2_Reset_Event 22:16,
        Cnt1_Reset_Event 14:8, Cnt0_Reset_Event 6:0 };
    ALL 0x020 + 0x4 * 4 "Performance_Counter{}";
    ALL 0x080 + 0x4 * 4 "Performance_Counter{}_Event_Value";
    ALL 0xb00 "Core_Control" { Reset 1:1, Enable 0:0 };
    ALL 0xb04 "Core_Status" { Core_Processor_Bus_Stall 21:21, Core_Done 20:20,
        Error_Halt 19:19, ECC_Scrubbing_Stall 18:18, ECC_Error_Stall 17:17, Debug_Halt 16:16,
        Cascade_Stall_MCD 15:15, Cascade_Stall_SCD 14:14, Stream_Stall_MS0 12:12,
        Stream_Stall_SS0 10:10, Lock_Stall_E 9:9, Lock_Stall_N 8:8, Lock_Stall_W 7:7,
        Lock_Stall_S 6:6, Memory_Stall_E 5:5, Memory_Stall_N 4:4, Memory_Stall_W 3:3,
        Memory_Stall_S 2:2, Reset 1:1, Enable 0:0 };
    ALL 0xb08 "Enable_Events" { Disable_Event_occurred 15:15, Disable_Event 14:8,
        Enable_Event_occurred 7:7, Enable_Event 6:0 };
    ALL 0xb0c "Reset_Event" { Reset_Event 6:0 };
    ALL 0xb10 "Debug_Control0" { Single_Step_Count 5:2, Debug_Halt_Bit 0:0 };
    ALL 0xb14 "Debug_Control1" { Debug_Halt_Core_Event1 30:24,
        Debug_Halt_Core_Event0 22:16, Debug_SingleStep_Core_Event 14:8,
        Debug_Resume_Core_Event 6:0 };
    ALL 0xb18 "Debug_Control2" { Stream_Stall_Halt 3:3, Lock_Stall_Halt 2:2,
        Memory_Stall_Halt 1:1, PC_Event_Halt 0:0 };
    ALL 0xb1c "Debug_Status" { Debug_Event1_Halted 6:6, Debug_Event0_Halted 5:5,
        Stream_stall_Halted 4:4, Lock_Stall_Halted 3:3, Memory_Stall_Halted 2:2,
        PC_Event_halted 1:1, Debug_halted 0:0 };
    ALL 0xb20 + 0x4 * 4 "PC_Event{}" { Valid 31:31, PC_Address 13:0 };
    ALL 0xb30 "Error_Halt_Control" { Error_Halt 0:0 };
    ALL 0xb34 "Error_Halt_Event" { Error_Halt_Core_Event 6:0 };
    ALL 0xb38 "Core_Processor_Bus" { SLVERR_On_Access 2:2, Enable 0:0 };
    ALL 0xc00 "ECC_Control" { Unstall_Core 1:1, Stall_Core_Control 0:0 };
    ALL 0xc10 "ECC_Scrubbing_Event" { Scrubbing_Event_Number 6:0 };
    ALL 0xc20 "ECC_Failing_Address" { Clear_Failing_Address 15:15, Access_Type 14:14,
        ECC_Error_Detection_Address 13:0 };
}

registers! {
    /// Registers of stream switches beside the configuration of their ports.
    STREAM_SWITCH;
    ALL 0x000 + 0x10 * 2 "Stream_Switch_Deterministic_Merge_arb{}_slave0_1" {
        Packet_Count_1 29:24, Slave_ID_1 20:16, Packet_Count_0 13:8, Slave_ID_0 4:0 };
    ALL 0x004 + 0x10 * 2 "Stream_Switch_Deterministic_Merge_arb{}_slave2_3" {
        Packet_Count_3 29:24, Slave_ID_3 20:16, Packet_Count_2 13:8, Slave_ID_2 4:0 };
    ALL 0x008 + 0x10 * 2 "Stream_Switch_Deterministic_Merge_arb{}_ctrl" { Enable 0:0 };
    ALL 0x700 "Stream_Switch_Event_Port_Selection_0" { Port_3_Master_Slave 29:29,
        Port_3_ID 28:24, Port_2_Master_Slave 21:21, Port_2_ID 20:16, Port_1_Master_Slave 13:13,
        Port_1_ID 12:8, Port_0_Master_Slave 5:5, Port_0_ID 4:0 };
    ALL 0x704 "Stream_Switch_Event_Port_Selection_1" { Port_7_Master_Slave 29:29,
        Port_7_ID 28:24, Port_6_Master_Slave 21:21, Port_6_ID 20:16, Port_5_Master_Slave 13:13,
        Port_5_ID 12:8, Port_4_Master_Slave 5:5, Port_4_ID 4:0 };
    ALL 0x734 "Stream_Switch_Adaptive_Clock_Gate_Status" { Active 0:0 };
    ALL 0x738 "Stream_Switch_Adaptive_Clock_Gate_Abort_Period" { Abort_Period 3:0 };
}

registers! {
    /// Widths of the streams between a shim tile and programmable logic.
    PL_INTERFACE;
    ALL 0x000 "PL_Interface_Upsizer_Config" { South4_South5_128_combine 8:8, South5 7:7,
        South4 6:6, South2_South3_128_combine 5:5, South3 4:4, South2 3:3,
        South0_South1_128_combine 2:2, South1 1:1, South0 0:0 };
    ALL 0x004 "PL_Interface_Downsizer_Config" { South6_South7_128_combine 11:11,
        South7 10:10, South6 9:9, South4_South5_128_combine 8:8, South5 7:7, South4 6:6,
        South2_South3_128_combine 5:5, South3 4:4, South2 3:3, South0_South1_128_combine 2:2,
        South1 1:1, South0 0:0 };
    ALL 0x008 "PL_Interface_Downsizer_Enable" { South7 7:7, South6 6:6, South5 5:5,
        South4 4:4, South3 3:3, South2 2:2, South1 1:1, South0 0:0 };
    ALL 0x00c "PL_Interface_Downsizer_Bypass" { South6 5:5, South5 4:4, South4 3:3,
        South2 2:2, South1 1:1, South0 0:0 };
}

registers! {
    /// Sticky bits of 16 locks.
    LOCKS_16;
    ALL 0x120 "Locks_Overflow" = OVERFLOW_0_15;
    ALL 0x128 "Locks_Underflow" = UNDERFLOW_0_15;
}

registers! {
    /// DMA channels of a shim tile.
    SHIM_CHANNELS;
    ALL 0x000 + 0x8 * 2 "DMA_S2MM_{}_Ctrl" { FoT_Mode 17:16, Controller_ID 15:8,
        Enable_Out_of_Order 3:3, Pause_Stream 2:2, Pause_Mem 1:1 };
    ALL 0x004 + 0x8 * 2 "DMA_S2MM_{}_Task_Queue" { Enable_Token_Issue 31:31,
        Repeat_Count 23:16, Start_BD_ID 3:0 };
    ALL 0x010 + 0x8 * 2 "DMA_MM2S_{}_Ctrl" { Controller_ID 15:8, Pause_Stream 2:2,
        Pause_Mem 1:1 };
    ALL 0x014 + 0x8 * 2 "DMA_MM2S_{}_Task_Queue" { Enable_Token_Issue 31:31,
        Repeat_Count 23:16, Start_BD_ID 3:0 };
    ALL 0x020 + 0x4 * 2 "DMA_S2MM_Status_{}" { Cur_BD 27:24, Task_Queue_Size 22:20,
        Channel_Running 19:19, Task_Queue_Overflow 18:18, AXI_MM_Slave_Error 17:17,
        AXI_MM_Decode_Error 16:16, Error_FoT_BDs_per_Task 13:13,
        Error_FoT_Length_Exceeded 12:12, Error_BD_Invalid 11:11, Error_BD_Unavailable 10:10,
        Stalled_TCT_or_Count_FIFO_Full 5:5, Stalled_Stream_Starvation 4:4, Stalled_Lock_Rel 3:3,
        Stalled_Lock_Acq 2:2, Status 1:0 };
    ALL 0x030 + 0x4 * 2 "DMA_S2MM_Current_Write_Count_{}" { Current_Write_Count 17:0
        };
    ALL 0x038 + 0x4 * 2 "DMA_S2MM_FoT_Count_FIFO_Pop_{}" { Valid 31:31,
        Last_in_Task 30:30, BD_ID 29:24, Write_Count 17:0 };
}

/// `BDS: distance of the descriptors`.
macro_rules! shim_bds {
    ($($(#[$doc:meta])* $table:ident: $stride:literal;)*) => {$(registers! {
    $(#[$doc])*
    $table;
    ALL 0x000 + $stride * 16 "DMA_BD{}_0";
    ALL 0x004 + $stride * 16 "DMA_BD{}_1" { Base_Address_Low 31:2 };
    ALL 0x008 + $stride * 16 "DMA_BD{}_2" { Enable_Packet 30:30,
        Out_Of_Order_BD_ID 29:24, Packet_ID 23:19, Packet_Type 18:16, Base_Address_High 15:0 };
    ALL 0x00c + $stride * 16 "DMA_BD{}_3" { Secure_Access 30:30, D0_Wrap 29:20,
        D0_Stepsize 19:0 };
    ALL 0x010 + $stride * 16 "DMA_BD{}_4" { Burst_Length 31:30, D1_Wrap 29:20,
        D1_Stepsize 19:0 };
    ALL 0x018 + $stride * 16 "DMA_BD{}_6" { Iteration_Current 31:26,
        Iteration_Wrap 25:20, Iteration_Stepsize 19:0 };
    ALL 0x01c + $stride * 16 "DMA_BD{}_7" { TLAST_Suppress 31:31, Next_BD 30:27,
        Use_Next_BD 26:26, Valid_BD 25:25, Lock_Rel_Value 24:18, Lock_Rel_ID 16:13,
        Lock_Acq_Enable 12:12, Lock_Acq_Value 11:5, Lock_Acq_ID 3:0 };
    })*};
}

shim_bds! {
    /// Buffer descriptors of a shim tile before AIE2ps; word 5 is the generation's own.
    SHIM_BDS_20: 0x20;
    /// Buffer descriptors of a shim tile of AIE2ps; words 5 and 8 are its own.
    SHIM_BDS_30: 0x30;
}

const fn block(offset: u32, name: &'static str, fields: &'static [Field]) -> Register {
    Register {
        generations: ALL,
        noc: false,
        offset,
        stride: 0,
        count: 1,
        first: 0,
        name,
        fields,
    }
}

/// `BLOCKS: start of the names`: which broadcast channels a side of a tile blocks.
macro_rules! broadcast_blocks {
    ($($table:ident: $name:literal $($offset:literal $side:literal)*;)*) => {$(
        pub(super) const $table: &[Register] = &[$(
            block($offset, concat!($name, $side, "_Set"), &[Field::new("Set", 15, 0)]),
            block($offset + 4, concat!($name, $side, "_Clr"), &[Field::new("Clear", 15, 0)]),
            block($offset + 8, concat!($name, $side, "_Value"), &[Field::new("Value", 15, 0)]),
        )*];
    )*};
}

broadcast_blocks! {
    BROADCAST_BLOCKS: "Event_Broadcast_Block_" 0x00 "South" 0x10 "West" 0x20 "North" 0x30 "East";
    BROADCAST_BLOCKS_A: "Event_Broadcast_A_Block_" 0x00 "South" 0x10 "West" 0x20 "North" 0x30 "East";
    BROADCAST_BLOCKS_B: "Event_Broadcast_B_Block_" 0x00 "South" 0x10 "West" 0x20 "North" 0x30 "East";
}

/// A field for each bit of a word, named by the number of its lock, the highest first.
macro_rules! lock_bits {
    ($($table:ident: $name:literal $($lock:literal)*;)*) => {$(
        pub(super) const $table: &[Field] = {
            const NAMES: &[&str] = &[$(concat!($name, $lock)),*];
            const FIELDS: [Field; NAMES.len()] = {
                let mut fields = [Field::new("", 0, 0); NAMES.len()];
                let mut n = 0;
                while n < NAMES.len() {
                    let bit = (NAMES.len() - 1 - n) as u8;
                    fields[n] = Field::new(NAMES[n], bit, bit);
                    n += 1;
                }
                fields
            };
            &FIELDS
        };
    )*};
}

#[rustfmt::skip]
lock_bits! {
    OVERFLOW_0_15: "Lock_Overflow_" 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0;
    OVERFLOW_0_31: "Lock_Overflow_" 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0;
    OVERFLOW_32_63: "Lock_Overflow_" 63 62 61 60 59 58 57 56 55 54 53 52 51 50 49 48 47 46 45 44 43 42 41 40 39 38 37 36 35 34 33 32;
    UNDERFLOW_0_15: "Lock_Underflow_" 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0;
    UNDERFLOW_0_31: "Lock_Underflow_" 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0;
    UNDERFLOW_32_63: "Lock_Underflow_" 63 62 61 60 59 58 57 56 55 54 53 52 51 50 49 48 47 46 45 44 43 42 41 40 39 38 37 36 35 34 33 32;
}
