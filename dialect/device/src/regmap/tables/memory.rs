//! Memory module of a core tile (AM025 and AM029, module MEMORY).

use super::shared::{BROADCAST_BLOCKS, EVENTS_7, LOCKS_16};
use super::{AIE2, AIE2PS, ALL, Section, WIDE};

registers! {
    ROWS;
    ALL 0x11000 "Performance_Control0" { Cnt1_Stop_Event 30:24, Cnt1_Start_Event 22:16,
        Cnt0_Stop_Event 14:8, Cnt0_Start_Event 6:0 };
    ALL 0x11008 "Performance_Control1" { Cnt1_Reset_Event 14:8, Cnt0_Reset_Event 6:0 };
    AIE2PS 0x1100c "Performance_Control2" { Cnt3_Stop_Event 30:24, Cnt3_Start_Event 22:16,
        Cnt2_Stop_Event 14:8, Cnt2_Start_Event 6:0 };
    AIE2PS 0x11010 "Performance_Control3" { Cnt3_Reset_Event 14:8, Cnt2_Reset_Event 6:0 };
    ALL 0x11020 + 0x4 * 2 "Performance_Counter{}";
    AIE2PS 0x11028 + 0x4 * 2 from 2 "Performance_Counter{}";
    ALL 0x11080 + 0x4 * 2 "Performance_Counter{}_Event_Value";
    AIE2 0x12000 "Checkbit_Error_Generation" { Lane3 3:3, Lane2 2:2, Lane1 1:1, Lane0 0:0 };
    WIDE 0x12000 "Checkbit_Error_Generation" { Lane7 7:7, Lane6 6:6, Lane5 5:5, Lane4 4:4,
        Lane3 3:3, Lane2 2:2, Lane1 1:1, Lane0 0:0 };
    ALL 0x12110 "ECC_Scrubbing_Event" { Scrubbing_Event_Number 6:0 };
    ALL 0x12120 "ECC_Failing_Address" { Valid 15:15, ECC_Error_Detection_Address 13:0 };
    ALL 0x12124 "Parity_Failing_Address" { Valid 16:16, Parity_Error_Detection_Address 15:0 };
    ALL 0x140d0 "Trace_Control0" { Trace_Stop_Event 30:24, Trace_Start_Event 22:16 };
    AIE2 0x14100 + 0x4 * 2 "WatchPoint{}" { Read_Access 31:31, Write_Access 30:30,
        AXI_Access 29:29, DMA_Access 28:28, East_Access 27:27, North_Access 26:26,
        West_Access 25:25, South_Access 24:24, WriteStrobes 23:20, Address 15:4 };
    WIDE 0x14100 + 0x4 * 2 "WatchPoint{}" { Read_Access 31:31, Write_Access 30:30,
        AXI_Access 29:29, DMA_Access 28:28, East_Access 27:27, North_Access 26:26,
        West_Access 25:25, South_Access 24:24, WriteStrobeMask 23:16, Address 10:0 };
    ALL 0x14200 + 0x4 * 4 "Event_Status{}";
    ALL 0x14504 "Event_Group_Watchpoint_Enable";
    ALL 0x14508 "Event_Group_DMA_Enable";
    ALL 0x1450c "Event_Group_Lock_Enable";
    ALL 0x14510 "Event_Group_Memory_Conflict_Enable";
    ALL 0x14514 "Event_Group_Error_Enable";
    ALL 0x14518 "Event_Group_Broadcast_Enable";
    ALL 0x1451c "Event_Group_User_Event_Enable";
    ALL 0x16000 "Spare_Reg" { Spare_Reg 15:0 };
    ALL 0x16010 "Memory_Control" { Memory_Zeroisation 0:0 };
    ALL 0x1d000 + 0x20 * 16 "DMA_BD{}_0" { Base_Address 27:14, Buffer_Length 13:0 };
    ALL 0x1d004 + 0x20 * 16 "DMA_BD{}_1" { Enable_Compression 31:31, Enable_Packet 30:30,
        Out_Of_Order_BD_ID 29:24, Packet_ID 23:19, Packet_Type 18:16 };
    ALL 0x1d008 + 0x20 * 16 "DMA_BD{}_2" { D1_Stepsize 25:13, D0_Stepsize 12:0 };
    ALL 0x1d00c + 0x20 * 16 "DMA_BD{}_3" { D1_Wrap 28:21, D0_Wrap 20:13, D2_Stepsize 12:0 };
    ALL 0x1d010 + 0x20 * 16 "DMA_BD{}_4" { Iteration_Current 24:19, Iteration_Wrap 18:13,
        Iteration_Stepsize 12:0 };
    ALL 0x1d014 + 0x20 * 16 "DMA_BD{}_5" { TLAST_Suppress 31:31, Next_BD 30:27,
        Use_Next_BD 26:26, Valid_BD 25:25, Lock_Rel_Value 24:18, Lock_Rel_ID 16:13,
        Lock_Acq_Enable 12:12, Lock_Acq_Value 11:5, Lock_Acq_ID 3:0 };
    ALL 0x1de00 + 0x8 * 2 "DMA_S2MM_{}_Ctrl" { FoT_Mode 17:16, Controller_ID 15:8,
        Decompression_Enable 4:4, Enable_Out_of_Order 3:3, Reset 1:1 };
    ALL 0x1de04 + 0x8 * 2 "DMA_S2MM_{}_Start_Queue" { Enable_Token_Issue 31:31,
        Repeat_Count 23:16, Start_BD_ID 3:0 };
    ALL 0x1de10 + 0x8 * 2 "DMA_MM2S_{}_Ctrl" { Controller_ID 15:8, Compression_Enable 4:4,
        Reset 1:1 };
    ALL 0x1de14 + 0x8 * 2 "DMA_MM2S_{}_Start_Queue" { Enable_Token_Issue 31:31,
        Repeat_Count 23:16, Start_BD_ID 3:0 };
    ALL 0x1df00 + 0x4 * 2 "DMA_S2MM_Status_{}" { Cur_BD 27:24, Task_Queue_Size 22:20,
        Channel_Running 19:19, Task_Queue_Overflow 18:18, Error_FoT_BDs_per_Task 13:13,
        Error_FoT_Length_Exceeded 12:12, Error_BD_Invalid 11:11, Error_BD_Unavailable 10:10,
        Stalled_TCT_or_Count_FIFO_Full 5:5, Stalled_Stream_Starvation 4:4, Stalled_Lock_Rel 3:3,
        Stalled_Lock_Acq 2:2, Status 1:0 };
    ALL 0x1df10 + 0x4 * 2 "DMA_MM2S_Status_{}" { Cur_BD 27:24, Task_Queue_Size 22:20,
        Channel_Running 19:19, Task_Queue_Overflow 18:18, Error_BD_Invalid 11:11,
        Stalled_TCT 5:5, Stalled_Stream_Backpressure 4:4, Stalled_Lock_Rel 3:3,
        Stalled_Lock_Acq 2:2, Status 1:0 };
    ALL 0x1df18 + 0x4 * 2 "DMA_S2MM_Current_Write_Count_{}" { Current_Write_Count 13:0 };
    ALL 0x1df20 + 0x4 * 2 "DMA_S2MM_FoT_Count_FIFO_Pop_{}" { Valid 31:31, Last_in_Task 30:30,
        BD_ID 29:24, Write_Count 17:0 };
    ALL 0x1f000 + 0x10 * 16 "Lock{}_value" { Lock_value 5:0 };
    ALL 0x1f100 + 0x4 * 8 "Locks_Event_Selection_{}" { Lock_Select 19:16, Lock_Value 5:0 };
}

/// The sections of the module.
#[rustfmt::skip]
pub(in crate::regmap) const MEMORY_MODULE: &[Section] = &[
    Section { generations: ALL, noc: false, base: 0, rows: ROWS },
    Section { generations: ALL, noc: false, base: 0x14000, rows: EVENTS_7 },
    Section { generations: ALL, noc: false, base: 0x14050, rows: BROADCAST_BLOCKS },
    Section { generations: ALL, noc: false, base: 0x1f000, rows: LOCKS_16 },
];
