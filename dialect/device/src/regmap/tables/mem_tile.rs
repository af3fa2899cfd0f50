//! Mem tile (AM025 and AM029, module MEMORY_TILE).

use super::{AIE2, AIE2PS, ALL, BEFORE_PS, WIDE};

registers! {
    MEM_TILE_MODULE;
    ALL 0x91000 "Performance_Control0" { Cnt1_Stop_Event 31:24, Cnt1_Start_Event 23:16,
        Cnt0_Stop_Event 15:8, Cnt0_Start_Event 7:0 };
    ALL 0x91004 "Performance_Control1" { Cnt3_Stop_Event 31:24, Cnt3_Start_Event 23:16,
        Cnt2_Stop_Event 15:8, Cnt2_Start_Event 7:0 };
    ALL 0x91008 "Performance_Control2" { Cnt3_Reset_Event 31:24, Cnt2_Reset_Event 23:16,
        Cnt1_Reset_Event 15:8, Cnt0_Reset_Event 7:0 };
    AIE2PS 0x9100c "Performance_Control3" { Cnt5_Stop_Event 31:24, Cnt5_Start_Event 23:16,
        Cnt4_Stop_Event 15:8, Cnt4_Start_Event 7:0 };
    AIE2PS 0x91010 "Performance_Control4" { Cnt5_Reset_Event 15:8, Cnt4_Reset_Event 7:0 };
    ALL 0x91020 "Performance_Counter0";
    ALL 0x91024 "Performance_Counter1";
    ALL 0x91028 "Performance_Counter2";
    ALL 0x9102c "Performance_Counter3";
    AIE2PS 0x91030 "Performance_Counter4";
    AIE2PS 0x91034 "Performance_Counter5";
    ALL 0x91080 "Performance_Counter0_Event_Value";
    ALL 0x91084 "Performance_Counter1_Event_Value";
    ALL 0x91088 "Performance_Counter2_Event_Value";
    ALL 0x9108c "Performance_Counter3_Event_Value";
    AIE2 0x92000 "Checkbit_Error_Generation" { Lane3 3:3, Lane2 2:2, Lane1 1:1, Lane0 0:0 };
    WIDE 0x92000 "Checkbit_Error_Generation" { Lane7 7:7, Lane6 6:6, Lane5 5:5, Lane4 4:4,
        Lane3 3:3, Lane2 2:2, Lane1 1:1, Lane0 0:0 };
    ALL 0x92110 "ECC_Scrubbing_Event" { Scrubbing_Event_Number 7:0 };
    ALL 0x92120 "ECC_Failing_Address" { Valid 19:19, ECC_Error_Detection_Address 18:0 };
    ALL 0x94000 "Timer_Control" { Reset 31:31, Reset_Event 15:8 };
    ALL 0x94008 "Event_Generate" { Event 7:0 };
    ALL 0x94010 + 0x4 * 16 "Event_Broadcast{}" { Event 7:0 };
    ALL 0x94050 "Event_Broadcast_A_Block_South_Set" { Set 15:0 };
    ALL 0x94054 "Event_Broadcast_A_Block_South_Clr" { Clear 15:0 };
    ALL 0x94058 "Event_Broadcast_A_Block_South_Value" { Value 15:0 };
    ALL 0x94060 "Event_Broadcast_A_Block_West_Set" { Set 15:0 };
    ALL 0x94064 "Event_Broadcast_A_Block_West_Clr" { Clear 15:0 };
    ALL 0x94068 "Event_Broadcast_A_Block_West_Value" { Value 15:0 };
    ALL 0x94070 "Event_Broadcast_A_Block_North_Set" { Set 15:0 };
    ALL 0x94074 "Event_Broadcast_A_Block_North_Clr" { Clear 15:0 };
    ALL 0x94078 "Event_Broadcast_A_Block_North_Value" { Value 15:0 };
    ALL 0x94080 "Event_Broadcast_A_Block_East_Set" { Set 15:0 };
    ALL 0x94084 "Event_Broadcast_A_Block_East_Clr" { Clear 15:0 };
    ALL 0x94088 "Event_Broadcast_A_Block_East_Value" { Value 15:0 };
    ALL 0x94090 "Event_Broadcast_B_Block_South_Set" { Set 15:0 };
    ALL 0x94094 "Event_Broadcast_B_Block_South_Clr" { Clear 15:0 };
    ALL 0x94098 "Event_Broadcast_B_Block_South_Value" { Value 15:0 };
    ALL 0x940a0 "Event_Broadcast_B_Block_West_Set" { Set 15:0 };
    ALL 0x940a4 "Event_Broadcast_B_Block_West_Clr" { Clear 15:0 };
    ALL 0x940a8 "Event_Broadcast_B_Block_West_Value" { Value 15:0 };
    ALL 0x940b0 "Event_Broadcast_B_Block_North_Set" { Set 15:0 };
    ALL 0x940b4 "Event_Broadcast_B_Block_North_Clr" { Clear 15:0 };
    ALL 0x940b8 "Event_Broadcast_B_Block_North_Value" { Value 15:0 };
    ALL 0x940c0 "Event_Broadcast_B_Block_East_Set" { Set 15:0 };
    ALL 0x940c4 "Event_Broadcast_B_Block_East_Clr" { Clear 15:0 };
    ALL 0x940c8 "Event_Broadcast_B_Block_East_Value" { Value 15:0 };
    ALL 0x940d0 "Trace_Control0" { Trace_Stop_Event 31:24, Trace_Start_Event 23:16 };
    ALL 0x940d4 "Trace_Control1" { Packet_Type 14:12, ID 4:0 };
    ALL 0x940d8 "Trace_Status" { State 9:8, Mode 2:0 };
    ALL 0x940e0 "Trace_Event0" { Trace_Event3 31:24, Trace_Event2 23:16, Trace_Event1 15:8,
        Trace_Event0 7:0 };
    ALL 0x940e4 "Trace_Event1" { Trace_Event7 31:24, Trace_Event6 23:16, Trace_Event5 15:8,
        Trace_Event4 7:0 };
    ALL 0x940f0 "Timer_Trig_Event_Low_Value";
    ALL 0x940f4 "Timer_Trig_Event_High_Value";
    ALL 0x940f8 "Timer_Low";
    ALL 0x940fc "Timer_High";
    AIE2 0x94100 + 0x4 * 4 "WatchPoint{}" { Read_Access 29:29, Write_Access 28:28,
        AXI_Access 27:27, DMA_Access 26:26, East_Access 25:25, West_Access 24:24,
        WriteStrobes 23:20, Address 18:4 };
    WIDE 0x94100 + 0x4 * 4 "WatchPoint{}" { Read_Access 29:29, Write_Access 28:28,
        AXI_Access 27:27, DMA_Access 26:26, East_Access 25:25, West_Access 24:24,
        WriteStrobeMask 23:16, Address 13:0 };
    ALL 0x94200 "Event_Status0";
    ALL 0x94204 "Event_Status1";
    ALL 0x94208 "Event_Status2";
    ALL 0x9420c "Event_Status3";
    ALL 0x94210 "Event_Status4";
    ALL 0x94214 "Event_Status5";
    ALL 0x94400 "Combo_event_inputs" { eventD 31:24, eventC 23:16, eventB 15:8, eventA 7:0 };
    ALL 0x94404 "Combo_event_control" { combo2 17:16, combo1 9:8, combo0 1:0 };
    ALL 0x94408 "Edge_Detection_event_control" { Edge_Detection_1_Trigger_Falling 26:26,
        Edge_Detection_1_Trigger_Rising 25:25, Edge_Detection_Event_1 23:16,
        Edge_Detection_0_Trigger_Falling 10:10, Edge_Detection_0_Trigger_Rising 9:9,
        Edge_Detection_Event_0 7:0 };
    ALL 0x94500 "Event_Group_0_Enable";
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
    ALL 0xb0800 + 0x10 * 2 "Stream_Switch_Deterministic_Merge_arb{}_slave0_1" {
        Packet_Count_1 29:24, Slave_ID_1 20:16, Packet_Count_0 13:8, Slave_ID_0 4:0 };
    ALL 0xb0804 + 0x10 * 2 "Stream_Switch_Deterministic_Merge_arb{}_slave2_3" {
        Packet_Count_3 29:24, Slave_ID_3 20:16, Packet_Count_2 13:8, Slave_ID_2 4:0 };
    ALL 0xb0808 + 0x10 * 2 "Stream_Switch_Deterministic_Merge_arb{}_ctrl" { Enable 0:0 };
    ALL 0xb0f00 "Stream_Switch_Event_Port_Selection_0" { Port_3_Master_Slave 29:29,
        Port_3_ID 28:24, Port_2_Master_Slave 21:21, Port_2_ID 20:16, Port_1_Master_Slave 13:13,
        Port_1_ID 12:8, Port_0_Master_Slave 5:5, Port_0_ID 4:0 };
    ALL 0xb0f04 "Stream_Switch_Event_Port_Selection_1" { Port_7_Master_Slave 29:29,
        Port_7_ID 28:24, Port_6_Master_Slave 21:21, Port_6_ID 20:16, Port_5_Master_Slave 13:13,
        Port_5_ID 12:8, Port_4_Master_Slave 5:5, Port_4_ID 4:0 };
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
    ALL 0xb0f34 "Stream_Switch_Adaptive_Clock_Gate_Status" { Active 0:0 };
    ALL 0xb0f38 "Stream_Switch_Adaptive_Clock_Gate_Abort_Period" { Abort_Period 3:0 };
    ALL 0xc0000 + 0x10 * 64 "Lock{}_value" { Lock_value 5:0 };
    ALL 0xc0400 + 0x4 * 8 "Locks_Event_Selection_{}" { Lock_Select 21:16, Lock_Value 5:0 };
    ALL 0xc0420 "Locks_Overflow_0" { Lock_Overflow_31 31:31, Lock_Overflow_30 30:30,
        Lock_Overflow_29 29:29, Lock_Overflow_28 28:28, Lock_Overflow_27 27:27,
        Lock_Overflow_26 26:26, Lock_Overflow_25 25:25, Lock_Overflow_24 24:24,
        Lock_Overflow_23 23:23, Lock_Overflow_22 22:22, Lock_Overflow_21 21:21,
        Lock_Overflow_20 20:20, Lock_Overflow_19 19:19, Lock_Overflow_18 18:18,
        Lock_Overflow_17 17:17, Lock_Overflow_16 16:16, Lock_Overflow_15 15:15,
        Lock_Overflow_14 14:14, Lock_Overflow_13 13:13, Lock_Overflow_12 12:12,
        Lock_Overflow_11 11:11, Lock_Overflow_10 10:10, Lock_Overflow_9 9:9,
        Lock_Overflow_8 8:8, Lock_Overflow_7 7:7, Lock_Overflow_6 6:6, Lock_Overflow_5 5:5,
        Lock_Overflow_4 4:4, Lock_Overflow_3 3:3, Lock_Overflow_2 2:2, Lock_Overflow_1 1:1,
        Lock_Overflow_0 0:0 };
    ALL 0xc0424 "Locks_Overflow_1" { Lock_Overflow_63 31:31, Lock_Overflow_62 30:30,
        Lock_Overflow_61 29:29, Lock_Overflow_60 28:28, Lock_Overflow_59 27:27,
        Lock_Overflow_58 26:26, Lock_Overflow_57 25:25, Lock_Overflow_56 24:24,
        Lock_Overflow_55 23:23, Lock_Overflow_54 22:22, Lock_Overflow_53 21:21,
        Lock_Overflow_52 20:20, Lock_Overflow_51 19:19, Lock_Overflow_50 18:18,
        Lock_Overflow_49 17:17, Lock_Overflow_48 16:16, Lock_Overflow_47 15:15,
        Lock_Overflow_46 14:14, Lock_Overflow_45 13:13, Lock_Overflow_44 12:12,
        Lock_Overflow_43 11:11, Lock_Overflow_42 10:10, Lock_Overflow_41 9:9,
        Lock_Overflow_40 8:8, Lock_Overflow_39 7:7, Lock_Overflow_38 6:6, Lock_Overflow_37 5:5,
        Lock_Overflow_36 4:4, Lock_Overflow_35 3:3, Lock_Overflow_34 2:2, Lock_Overflow_33 1:1,
        Lock_Overflow_32 0:0 };
    ALL 0xc0428 "Locks_Underflow_0" { Lock_Underflow_31 31:31, Lock_Underflow_30 30:30,
        Lock_Underflow_29 29:29, Lock_Underflow_28 28:28, Lock_Underflow_27 27:27,
        Lock_Underflow_26 26:26, Lock_Underflow_25 25:25, Lock_Underflow_24 24:24,
        Lock_Underflow_23 23:23, Lock_Underflow_22 22:22, Lock_Underflow_21 21:21,
        Lock_Underflow_20 20:20, Lock_Underflow_19 19:19, Lock_Underflow_18 18:18,
        Lock_Underflow_17 17:17, Lock_Underflow_16 16:16, Lock_Underflow_15 15:15,
        Lock_Underflow_14 14:14, Lock_Underflow_13 13:13, Lock_Underflow_12 12:12,
        Lock_Underflow_11 11:11, Lock_Underflow_10 10:10, Lock_Underflow_9 9:9,
        Lock_Underflow_8 8:8, Lock_Underflow_7 7:7, Lock_Underflow_6 6:6, Lock_Underflow_5 5:5,
        Lock_Underflow_4 4:4, Lock_Underflow_3 3:3, Lock_Underflow_2 2:2, Lock_Underflow_1 1:1,
        Lock_Underflow_0 0:0 };
    ALL 0xc042c "Locks_Underflow_1" { Lock_Underflow_63 31:31, Lock_Underflow_62 30:30,
        Lock_Underflow_61 29:29, Lock_Underflow_60 28:28, Lock_Underflow_59 27:27,
        Lock_Underflow_58 26:26, Lock_Underflow_57 25:25, Lock_Underflow_56 24:24,
        Lock_Underflow_55 23:23, Lock_Underflow_54 22:22, Lock_Underflow_53 21:21,
        Lock_Underflow_52 20:20, Lock_Underflow_51 19:19, Lock_Underflow_50 18:18,
        Lock_Underflow_49 17:17, Lock_Underflow_48 16:16, Lock_Underflow_47 15:15,
        Lock_Underflow_46 14:14, Lock_Underflow_45 13:13, Lock_Underflow_44 12:12,
        Lock_Underflow_43 11:11, Lock_Underflow_42 10:10, Lock_Underflow_41 9:9,
        Lock_Underflow_40 8:8, Lock_Underflow_39 7:7, Lock_Underflow_38 6:6,
        Lock_Underflow_37 5:5, Lock_Underflow_36 4:4, Lock_Underflow_35 3:3,
        Lock_Underflow_34 2:2, Lock_Underflow_33 1:1, Lock_Underflow_32 0:0 };
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
