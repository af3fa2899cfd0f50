//! Memory module of a core tile (AM025 and AM029, module MEMORY).

use super::{AIE2, AIE2PS, ALL, WIDE};

registers! {
    MEMORY_MODULE;
    ALL 0x11000 "Performance_Control0" { Cnt1_Stop_Event 30:24, Cnt1_Start_Event 22:16,
        Cnt0_Stop_Event 14:8, Cnt0_Start_Event 6:0 };
    ALL 0x11008 "Performance_Control1" { Cnt1_Reset_Event 14:8, Cnt0_Reset_Event 6:0 };
    AIE2PS 0x1100c "Performance_Control2" { Cnt3_Stop_Event 30:24, Cnt3_Start_Event 22:16,
        Cnt2_Stop_Event 14:8, Cnt2_Start_Event 6:0 };
    AIE2PS 0x11010 "Performance_Control3" { Cnt3_Reset_Event 14:8, Cnt2_Reset_Event 6:0 };
    ALL 0x11020 "Performance_Counter0";
    ALL 0x11024 "Performance_Counter1";
    AIE2PS 0x11028 "Performance_Counter2";
    AIE2PS 0x1102c "Performance_Counter3";
    ALL 0x11080 "Performance_Counter0_Event_Value";
    ALL 0x11084 "Performance_Counter1_Event_Value";
    AIE2 0x12000 "Checkbit_Error_Generation" { Lane3 3:3, Lane2 2:2, Lane1 1:1, Lane0 0:0 };
    WIDE 0x12000 "Checkbit_Error_Generation" { Lane7 7:7, Lane6 6:6, Lane5 5:5, Lane4 4:4,
        Lane3 3:3, Lane2 2:2, Lane1 1:1, Lane0 0:0 };
    ALL 0x12110 "ECC_Scrubbing_Event" { Scrubbing_Event_Number 6:0 };
    ALL 0x12120 "ECC_Failing_Address" { Valid 15:15, ECC_Error_Detection_Address 13:0 };
    ALL 0x12124 "Parity_Failing_Address" { Valid 16:16, Parity_Error_Detection_Address 15:0 };
    ALL 0x14000 "Timer_Control" { Reset 31:31, Reset_Event 14:8 };
    ALL 0x14008 "Event_Generate" { Event 6:0 };
    ALL 0x14010 + 0x4 * 16 "Event_Broadcast{}" { Event 6:0 };
    ALL 0x14050 "Event_Broadcast_Block_South_Set" { Set 15:0 };
    ALL 0x14054 "Event_Broadcast_Block_South_Clr" { Clear 15:0 };
    ALL 0x14058 "Event_Broadcast_Block_South_Value" { Value 15:0 };
    ALL 0x14060 "Event_Broadcast_Block_West_Set" { Set 15:0 };
    ALL 0x14064 "Event_Broadcast_Block_West_Clr" { Clear 15:0 };
    ALL 0x14068 "Event_Broadcast_Block_West_Value" { Value 15:0 };
    ALL 0x14070 "Event_Broadcast_Block_North_Set" { Set 15:0 };
    ALL 0x14074 "Event_Broadcast_Block_North_Clr" { Clear 15:0 };
    ALL 0x14078 "Event_Broadcast_Block_North_Value" { Value 15:0 };
    ALL 0x14080 "Event_Broadcast_Block_East_Set" { Set 15:0 };
    ALL 0x14084 "Event_Broadcast_Block_East_Clr" { Clear 15:0 };
    ALL 0x14088 "Event_Broadcast_Block_East_Value" { Value 15:0 };
    ALL 0x140d0 "Trace_Control0" { Trace_Stop_Event 30:24, Trace_Start_Event 22:16 };
    ALL 0x140d4 "Trace_Control1" { Packet_Type 14:12, ID 4:0 };
    ALL 0x140d8 "Trace_Status" { State 9:8, Mode 2:0 };
    ALL 0x140e0 "Trace_Event0" { Trace_Event3 30:24, Trace_Event2 22:16, Trace_Event1 14:8,
        Trace_Event0 6:0 };
    ALL 0x140e4 "Trace_Event1" { Trace_Event7 30:24, Trace_Event6 22:16, Trace_Event5 14:8,
        Trace_Event4 6:0 };
    ALL 0x140f0 "Timer_Trig_Event_Low_Value";
    ALL 0x140f4 "Timer_Trig_Event_High_Value";
    ALL 0x140f8 "Timer_Low";
    ALL 0x140fc "Timer_High";
    AIE2 0x14100 + 0x4 * 2 "WatchPoint{}" { Read_Access 31:31, Write_Access 30:30,
        AXI_Access 29:29, DMA_Access 28:28, East_Access 27:27, North_Access 26:26,
        West_Access 25:25, South_Access 24:24, WriteStrobes 23:20, Address 15:4 };
    WIDE 0x14100 + 0x4 * 2 "WatchPoint{}" { Read_Access 31:31, Write_Access 30:30,
        AXI_Access 29:29, DMA_Access 28:28, East_Access 27:27, North_Access 26:26,
        West_Access 25:25, South_Access 24:24, WriteStrobeMask 23:16, Address 10:0 };
    ALL 0x14200 "Event_Status0";
    ALL 0x14204 "Event_Status1";
    ALL 0x14208 "Event_Status2";
    ALL 0x1420c "Event_Status3";
    ALL 0x14400 "Combo_event_inputs" { eventD 30:24, eventC 22:16, eventB 14:8, eventA 6:0 };
    ALL 0x14404 "Combo_event_control" { combo2 17:16, combo1 9:8, combo0 1:0 };
    ALL 0x14408 "Edge_Detection_event_control" { Edge_Detection_1_Trigger_Falling 26:26,
        Edge_Detection_1_Trigger_Rising 25:25, Edge_Detection_Event_1 22:16,
        Edge_Detection_0_Trigger_Falling 10:10, Edge_Detection_0_Trigger_Rising 9:9,
        Edge_Detection_Event_0 6:0 };
    ALL 0x14500 "Event_Group_0_Enable";
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
    ALL 0x1f120 "Locks_Overflow" { Lock_Overflow_15 15:15, Lock_Overflow_14 14:14,
        Lock_Overflow_13 13:13, Lock_Overflow_12 12:12, Lock_Overflow_11 11:11,
        Lock_Overflow_10 10:10, Lock_Overflow_9 9:9, Lock_Overflow_8 8:8, Lock_Overflow_7 7:7,
        Lock_Overflow_6 6:6, Lock_Overflow_5 5:5, Lock_Overflow_4 4:4, Lock_Overflow_3 3:3,
        Lock_Overflow_2 2:2, Lock_Overflow_1 1:1, Lock_Overflow_0 0:0 };
    ALL 0x1f128 "Locks_Underflow" { Lock_Underflow_15 15:15, Lock_Underflow_14 14:14,
        Lock_Underflow_13 13:13, Lock_Underflow_12 12:12, Lock_Underflow_11 11:11,
        Lock_Underflow_10 10:10, Lock_Underflow_9 9:9, Lock_Underflow_8 8:8,
        Lock_Underflow_7 7:7, Lock_Underflow_6 6:6, Lock_Underflow_5 5:5, Lock_Underflow_4 4:4,
        Lock_Underflow_3 3:3, Lock_Underflow_2 2:2, Lock_Underflow_1 1:1, Lock_Underflow_0 0:0
        };
}
