//! Mem tile (AM025 and AM029, module MEMORY_TILE).

use super::shared::{
    BROADCAST_BLOCKS_A, BROADCAST_BLOCKS_B, EVENTS_8, OVERFLOW_0_31, OVERFLOW_32_63, STREAM_SWITCH,
    UNDERFLOW_0_31, UNDERFLOW_32_63,
};
use super::{AIE2, AIE2PS, ALL, BEFORE_PS, Section, WIDE};

registers! {
    ROWS;
    ALL 0x91000 "Performance_Control0" { Cnt1_Stop_Event 31:24, Cnt1_Start_Event 23:16,
        Cnt0_Stop_Event 15:8, Cnt0_Start_Event 7:0 };
    ALL 0x91004 "Performance_Control1" { Cnt3_Stop_Event 31:24, Cnt3_Start_Event 23:16,
        Cnt2_Stop_Event 15:8, Cnt2_Start_Event 7:0 };
    ALL 0x91008 "Performance_Control2" { Cnt3_Reset_Event 31:24, Cnt2_Reset_Event 23:16,
        Cnt1_Reset_Event 15:8, Cnt0_Reset_Event 7:0 };
    AIE2PS 0x9100c "Performance_Control3" { Cnt5_Stop_Event 31:24, Cnt5_Start_Event 23:16,
        Cnt4_Stop_Event 15:8, Cnt4_Start_Event 7:0 };
    AIE2PS 0x91010 "Performance_Control4" { Cnt5_Reset_Event 15:8, Cnt4_Reset_Event 7:0 };
    ALL 0x91020 + 0x4 * 4 "Performance_Counter{}";
    AIE2PS 0x91030 + 0x4 * 2 from 4 "Performance_Counter{}";
    ALL 0x91080 + 0x4 * 4 "Performance_Counter{}_Event_Value";
    AIE2 0x92000 "Checkbit_Error_Generation" { Lane3 3:3, Lane2 2:2, Lane1 1:1, Lane0 0:0 };
    WIDE 0x92000 "Checkbit_Error_Generation" { Lane7 7:7, Lane6 6:6, Lane5 5:5, Lane4 4:4,
        Lane3 3:3, Lane2 2:2, Lane1 1:1, Lane0 0:0 };
    ALL 0x92110 "ECC_Scrubbing_Event" { Scrubbing_Event_Number 7:0 };
    ALL 0x92120 "ECC_Failing_Address" { Valid 19:19, ECC_Error_Detection_Address 18:0 };
    ALL 0x940d0 "Trace_Control0" { Trace_Stop_Event 31:24, Trace_Start_Event 23:16 };
    AIE2 0x94100 + 0x4 * 4 "WatchPoint{}" { Read_Access 29:29, Write_Access 28:28,
        AXI_Access 27:27, DMA_Access 26:26, East_Access 25:25, West_Access 24:24,
        WriteStrobes 23:20, Address 18:4 };
    WIDE 0x94100 + 0x4 * 4 "WatchPoint{}" { Read_Access 29:29, Write_Access 28:28,
        AXI_Access 27:27, DMA_Access 26:26, East_Access 25:25, West_Access 24:24,
        WriteStrobeMask 23:16, Address 13:0 };
    ALL 0x94200 + 0x4 * 6 "Event_Status{}";
    ALL 0x94504 "Event_Group_Watchpoint_Enable";
    ALL 0x94508 "Event_Group_DMA_Enable";
    ALL 0x9450c "Event_Group_Lock_Enable";
    ALL 0x94510 "Event_Group_Stream_Switch_Enable";
    ALL 0x94514 "Event_Group_Memory_Conflict_Enable";
    ALL 0x94518 "Event_Group_Error_Enable";
    ALL 0x9451c "Event_Group_Broadcast_Enable";
    ALL 0x94520 "Event_Group_User_Event_Enable";
    ALL 0x96000 "Spare_Reg" { Spare_Reg 15:0 };
    AIE2 0x96030 "Tile_Control" { Isolate_From_East 3:3, Isolate_From_North 2:2,
        Isolate_From_West 1:1, Isolate_From_South 0:0 };
    ALL 0x96040 "Cssd_Trigger" { Trigger 0:0 };
    ALL 0x96048 "Memory_Control" { Memory_Interleaving 1:1, Memory_Zeroisation 0:0 };
    ALL 0xa0000 + 0x20 * 48 "DMA_BD{}_0" { Enable_Packet 31:31, Packet_Type 30:28,
        Packet_ID 27:23, Out_Of_Order_BD_ID 22:17, Buffer_Length 16:0 };
    AIE2 0xa0004 + 0x20 * 48 "DMA_BD{}_1" { D0_Zero_Before 31:26, Next_BD 25:20,
        Use_Next_BD 19:19, Base_Address 18:0 };
    WIDE 0xa0004 + 0x20 * 48 "DMA_BD{}_1" { D0_Pad_Before 31:26, Next_BD 25:20,
        Use_Next_BD 19:19, Base_Address 18:0 };
    BEFORE_PS 0xa0008 + 0x20 * 48 "DMA_BD{}_2" { TLAST_Suppress 31:31, D0_Wrap 26:17,
        D0_Stepsize 16:0 };
    AIE2PS 0xa0008 + 0x20 * 48 "DMA_BD{}_2" { TLAST_Suppress 31:31, D3_Stepsize_Zero 30:30,
        D2_Pad_Before_High 29:28, D1_Pad_Before_High 27:27, D0_Wrap 26:17, D0_Stepsize 16:0 };
    AIE2 0xa000c + 0x20 * 48 "DMA_BD{}_3" { D1_Zero_Before 31:27, D1_Wrap 26:17,
        D1_Stepsize 16:0 };
    WIDE 0xa000c + 0x20 * 48 "DMA_BD{}_3" { D1_Pad_Before 31:27, D1_Wrap 26:17, D1_Stepsize 16:0
        };
    AIE2 0xa0010 + 0x20 * 48 "DMA_BD{}_4" { Enable_Compression 31:31, D2_Zero_Before 30:27,
        D2_Wrap 26:17, D2_Stepsize 16:0 };
    WIDE 0xa0010 + 0x20 * 48 "DMA_BD{}_4" { Enable_Compression 31:31, D2_Pad_Before 30:27,
        D2_Wrap 26:17, D2_Stepsize 16:0 };
    AIE2 0xa0014 + 0x20 * 48 "DMA_BD{}_5" { D2_Zero_After 31:28, D1_Zero_After 27:23,
        D0_Zero_After 22:17, D3_Stepsize 16:0 };
    WIDE 0xa0014 + 0x20 * 48 "DMA_BD{}_5" { D2_Pad_After 31:28, D1_Pad_After 27:23,
        D0_Pad_After 22:17, D3_Stepsize 16:0 };
    BEFORE_PS 0xa0018 + 0x20 * 48 "DMA_BD{}_6" { Iteration_Current 28:23, Iteration_Wrap 22:17,
        Iteration_Stepsize 16:0 };
    AIE2PS 0xa0018 + 0x20 * 48 "DMA_BD{}_6" { D2_Pad_After_High 31:30, D1_Pad_After_High 29:29,
        Iteration_Current 28:23, Iteration_Wrap 22:17, Iteration_Stepsize 16:0 };
    ALL 0xa001c + 0x20 * 48 "DMA_BD{}_7" { Valid_BD 31:31, Lock_Rel_Value 30:24,
        Lock_Rel_ID 23:16, Lock_Acq_Enable 15:15, Lock_Acq_Value 14:8, Lock_Acq_ID 7:0 };
    ALL 0xa0600 + 0x8 * 6 "DMA_S2MM_{}_Ctrl" { FoT_Mode 17:16, Controller_ID 15:8,
        Decompression_Enable 4:4, Enable_Out_of_Order 3:3, Reset 1:1 };
    ALL 0xa0604 + 0x8 * 6 "DMA_S2MM_{}_Start_Queue" { Enable_Token_Issue 31:31,
        Repeat_Count 23:16, Start_BD_ID 5:0 };
    ALL 0xa0630 + 0x8 * 6 "DMA_MM2S_{}_Ctrl" { Controller_ID 15:8, Compression_Enable 4:4,
        Reset 1:1 };
    ALL 0xa0634 + 0x8 * 6 "DMA_MM2S_{}_Start_Queue" { Enable_Token_Issue 31:31,
        Repeat_Count 23:16, Start_BD_ID 5:0 };
    ALL 0xa0660 + 0x4 * 6 "DMA_S2MM_Status_{}" { Cur_BD 29:24, Task_Queue_Size 22:20,
        Channel_Running 19:19, Task_Queue_Overflow 18:18, Error_FoT_BDs_per_Task 13:13,
        Error_FoT_Length_Exceeded 12:12, Error_BD_Invalid 11:11, Error_BD_Unavailable 10:10,
        Error_DM_Access_to_Unavailable 9:9, Error_Lock_Access_to_Unavailable 8:8,
        Stalled_TCT_or_Count_FIFO_Full 5:5, Stalled_Stream_Starvation 4:4, Stalled_Lock_Rel 3:3,
        Stalled_Lock_Acq 2:2, Status 1:0 };
    ALL 0xa0680 + 0x4 * 6 "DMA_MM2S_Status_{}" { Cur_BD 29:24, Task_Queue_Size 22:20,
        Channel_Running 19:19, Task_Queue_Overflow 18:18, Error_BD_Invalid 11:11,
        Error_BD_Unavailable 10:10, Error_DM_Access_to_Unavailable 9:9,
        Error_Lock_Access_to_Unavailable 8:8, Stalled_TCT 5:5, Stalled_Stream_Backpressure 4:4,
        Stalled_Lock_Rel 3:3, Stalled_Lock_Acq 2:2, Status 1:0 };
    ALL 0xa06a0 "DMA_Event_Channel_Selection" { MM2S_Sel1_Channel 26:24,
        MM2S_Sel0_Channel 18:16, S2MM_Sel1_Channel 10:8, S2MM_Sel0_Channel 2:0 };
    ALL 0xa06b0 + 0x4 * 6 "DMA_S2MM_Current_Write_Count_{}" { Current_Write_Count 16:0 };
    ALL 0xa06c8 + 0x4 * 6 "DMA_S2MM_FoT_Count_FIFO_Pop_{}" { Valid 31:31, Last_in_Task 30:30,
        BD_ID 29:24, Write_Count 17:0 };
    WIDE 0xa06e0 + 0x4 * 6 "DMA_MM2S_{}_Constant_Pad_Value";
    ALL 0xb0f10 "Stream_Switch_Parity_Status" { Tile_Control 6:6, DMA_5 5:5, DMA_4 4:4,
        DMA_3 3:3, DMA_2 2:2, DMA_1 1:1, DMA_0 0:0 };
    AIE2 0xb0f20 "Stream_Switch_Parity_Injection" { Mem_trace 7:7, Tile_Control 6:6, DMA_5 5:5,
        DMA_4 4:4, DMA_3 3:3, DMA_2 2:2, DMA_1 1:1, DMA_0 0:0 };
    WIDE 0xb0f20 "Stream_Switch_Parity_Injection" { Mem_trace_upper 23:23,
        Tile_Control_upper 22:22, DMA_5_upper 21:21, DMA_4_upper 20:20, DMA_3_upper 19:19,
        DMA_2_upper 18:18, DMA_1_upper 17:17, DMA_0_upper 16:16, Mem_trace_lower 7:7,
        Tile_Control_lower 6:6, DMA_5_lower 5:5, DMA_4_lower 4:4, DMA_3_lower 3:3,
        DMA_2_lower 2:2, DMA_1_lower 1:1, DMA_0_lower 0:0 };
    ALL 0xb0f30 "Tile_Control_Packet_Handler_Status" { Tlast_Error 3:3, SLVERR_On_Access 2:2,
        Second_Header_Parity_Error 1:1, First_Header_Parity_Error 0:0 };
    ALL 0xc0000 + 0x10 * 64 "Lock{}_value" { Lock_value 5:0 };
    ALL 0xc0400 + 0x4 * 8 "Locks_Event_Selection_{}" { Lock_Select 21:16, Lock_Value 5:0 };
    ALL 0xc0420 "Locks_Overflow_0" = OVERFLOW_0_31;
    ALL 0xc0424 "Locks_Overflow_1" = OVERFLOW_32_63;
    ALL 0xc0428 "Locks_Underflow_0" = UNDERFLOW_0_31;
    ALL 0xc042c "Locks_Underflow_1" = UNDERFLOW_32_63;
    BEFORE_PS 0xfff00 "Module_Clock_Control" { DMA_Adaptive_Clock_Gate 5:5,
        Stream_Switch_Adaptive_Clock_Gate 4:4, Memory_Module_Clock_Enable 1:1,
        Stream_Switch_Clock_Enable 0:0 };
    AIE2PS 0xfff00 "Module_Clock_Control" { DMA_Adaptive_Clock_Gate 5:5,
        Ctrl_Pkt_Tlast_Error_Enable 4:4, Memory_Module_Clock_Enable 1:1,
        Stream_Switch_Clock_Enable 0:0 };
    ALL 0xfff10 "Module_Reset_Control" { Memory_Reset 1:1, Stream_Switch_Reset 0:0 };
    WIDE 0xfff20 "Tile_Control" { Isolate_From_East 3:3, Isolate_From_North 2:2,
        Isolate_From_West 1:1, Isolate_From_South 0:0 };
}

/// The sections of the module.
#[rustfmt::skip]
pub(in crate::regmap) const MEM_TILE_MODULE: &[Section] = &[
    Section { generations: ALL, noc: false, base: 0, rows: ROWS },
    Section { generations: ALL, noc: false, base: 0x94000, rows: EVENTS_8 },
    Section { generations: ALL, noc: false, base: 0x94050, rows: BROADCAST_BLOCKS_A },
    Section { generations: ALL, noc: false, base: 0x94090, rows: BROADCAST_BLOCKS_B },
    Section { generations: ALL, noc: false, base: 0xb0800, rows: STREAM_SWITCH },
];
