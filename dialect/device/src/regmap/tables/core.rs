//! Core module of a core tile (AM025 and AM029, module CORE).

use super::{AIE2, AIE2P, AIE2PS, ALL, BEFORE_PS, WIDE};

registers! {
    CORE_MODULE;
    ALL 0x24000 "Program_Memory_Error_Injection";
    AIE2 0x30000 + 0x80 * 9 "Core_AMLL{}_Part1";
    AIE2P 0x30000 + 0x100 * 5 "Core_BMLL{}_Part1";
    AIE2PS 0x30000 + 0x100 * 8 "Core_BMLL{}_Part1";
    AIE2 0x30010 + 0x80 * 9 "Core_AMLL{}_Part2";
    AIE2P 0x30010 + 0x100 * 5 "Core_BMLL{}_Part2";
    AIE2PS 0x30010 + 0x100 * 8 "Core_BMLL{}_Part2";
    AIE2 0x30020 + 0x80 * 9 "Core_AMLH{}_Part1";
    AIE2P 0x30020 + 0x100 * 5 "Core_BMLL{}_Part3";
    AIE2PS 0x30020 + 0x100 * 8 "Core_BMLL{}_Part3";
    AIE2 0x30030 + 0x80 * 9 "Core_AMLH{}_Part2";
    AIE2P 0x30030 + 0x100 * 5 "Core_BMLL{}_Part4";
    AIE2PS 0x30030 + 0x100 * 8 "Core_BMLL{}_Part4";
    AIE2 0x30040 + 0x80 * 9 "Core_AMHL{}_Part1";
    AIE2P 0x30040 + 0x100 * 5 "Core_BMLH{}_Part1";
    AIE2PS 0x30040 + 0x100 * 8 "Core_BMLH{}_Part1";
    AIE2 0x30050 + 0x80 * 9 "Core_AMHL{}_Part2";
    AIE2P 0x30050 + 0x100 * 5 "Core_BMLH{}_Part2";
    AIE2PS 0x30050 + 0x100 * 8 "Core_BMLH{}_Part2";
    AIE2 0x30060 + 0x80 * 9 "Core_AMHH{}_Part1";
    AIE2P 0x30060 + 0x100 * 5 "Core_BMLH{}_Part3";
    AIE2PS 0x30060 + 0x100 * 8 "Core_BMLH{}_Part3";
    AIE2 0x30070 + 0x80 * 9 "Core_AMHH{}_Part2";
    AIE2P 0x30070 + 0x100 * 5 "Core_BMLH{}_Part4";
    AIE2PS 0x30070 + 0x100 * 8 "Core_BMLH{}_Part4";
    AIE2P 0x30080 + 0x100 * 5 "Core_BMHL{}_Part1";
    AIE2PS 0x30080 + 0x100 * 8 "Core_BMHL{}_Part1";
    AIE2P 0x30090 + 0x100 * 5 "Core_BMHL{}_Part2";
    AIE2PS 0x30090 + 0x100 * 8 "Core_BMHL{}_Part2";
    AIE2P 0x300a0 + 0x100 * 5 "Core_BMHL{}_Part3";
    AIE2PS 0x300a0 + 0x100 * 8 "Core_BMHL{}_Part3";
    AIE2P 0x300b0 + 0x100 * 5 "Core_BMHL{}_Part4";
    AIE2PS 0x300b0 + 0x100 * 8 "Core_BMHL{}_Part4";
    AIE2P 0x300c0 + 0x100 * 5 "Core_BMHH{}_Part1";
    AIE2PS 0x300c0 + 0x100 * 8 "Core_BMHH{}_Part1";
    AIE2P 0x300d0 + 0x100 * 5 "Core_BMHH{}_Part2";
    AIE2PS 0x300d0 + 0x100 * 8 "Core_BMHH{}_Part2";
    AIE2P 0x300e0 + 0x100 * 5 "Core_BMHH{}_Part3";
    AIE2PS 0x300e0 + 0x100 * 8 "Core_BMHH{}_Part3";
    AIE2P 0x300f0 + 0x100 * 5 "Core_BMHH{}_Part4";
    AIE2PS 0x300f0 + 0x100 * 8 "Core_BMHH{}_Part4";
    BEFORE_PS 0x30800 + 0x40 * 12 "Core_WL{}_Part1";
    BEFORE_PS 0x30810 + 0x40 * 12 "Core_WL{}_Part2";
    BEFORE_PS 0x30820 + 0x40 * 12 "Core_WH{}_Part1";
    BEFORE_PS 0x30830 + 0x40 * 12 "Core_WH{}_Part2";
    AIE2 0x30c00 + 0x10 * 32 "Core_R{}";
    AIE2P 0x30c00 + 0x10 * 4 "Core_Q{}";
    AIE2P 0x30d00 + 0x10 * 12 "Core_E{}";
    AIE2 0x30e00 + 0x10 * 8 "Core_M{}" { Register_Value 19:0 };
    AIE2P 0x30e00 "Core_PC" { Register_Value 19:0 };
    AIE2P 0x30e10 "Core_FC" { Register_Value 19:0 };
    AIE2P 0x30e20 "Core_SP" { Register_Value 19:0 };
    AIE2P 0x30e30 "Core_LR" { Register_Value 19:0 };
    AIE2P 0x30e40 "Core_LS" { Register_Value 19:0 };
    AIE2P 0x30e50 "Core_LE" { Register_Value 19:0 };
    AIE2P 0x30e60 "Core_LC";
    AIE2P 0x30e70 "Core_CR1";
    AIE2 0x30e80 + 0x10 * 8 "Core_DN{}" { Register_Value 19:0 };
    AIE2P 0x30e80 "Core_CR2";
    AIE2P 0x30e90 "Core_SR";
    AIE2 0x30f00 + 0x10 * 8 "Core_DJ{}" { Register_Value 19:0 };
    AIE2 0x30f80 + 0x10 * 8 "Core_DC{}" { Register_Value 19:0 };
    AIE2 0x31000 + 0x10 * 8 "Core_P{}" { Register_Value 19:0 };
    AIE2P 0x31000 + 0x10 * 32 "Core_R{}";
    AIE2 0x31080 + 0x10 * 4 "Core_S{}" { Register_Value 5:0 };
    AIE2 0x310c0 + 0x10 * 4 "Core_Q{}";
    AIE2 0x31100 "Core_PC" { Register_Value 19:0 };
    AIE2 0x31110 "Core_FC" { Register_Value 19:0 };
    AIE2 0x31120 "Core_SP" { Register_Value 19:0 };
    AIE2 0x31130 "Core_LR" { Register_Value 19:0 };
    AIE2 0x31140 "Core_LS" { Register_Value 19:0 };
    AIE2 0x31150 "Core_LE" { Register_Value 19:0 };
    AIE2 0x31160 "Core_LC";
    AIE2 0x31170 "Core_CR";
    AIE2 0x31180 "Core_SR";
    AIE2 0x31190 "Core_DP" { Register_Value 19:0 };
    AIE2P 0x31200 + 0x10 * 8 "Core_M{}" { Register_Value 19:0 };
    AIE2P 0x31280 + 0x10 * 8 "Core_DN{}" { Register_Value 19:0 };
    AIE2P 0x31300 + 0x10 * 8 "Core_DJ{}" { Register_Value 19:0 };
    AIE2P 0x31380 + 0x10 * 8 "Core_DC{}" { Register_Value 19:0 };
    AIE2P 0x31400 + 0x10 * 8 "Core_P{}" { Register_Value 19:0 };
    AIE2P 0x31480 + 0x10 * 4 "Core_S{}" { Register_Value 5:0 };
    BEFORE_PS 0x31500 "Performance_Control0" { Cnt1_Stop_Event 30:24, Cnt1_Start_Event 22:16,
        Cnt0_Stop_Event 14:8, Cnt0_Start_Event 6:0 };
    BEFORE_PS 0x31504 "Performance_Control1" { Cnt3_Stop_Event 30:24, Cnt3_Start_Event 22:16,
        Cnt2_Stop_Event 14:8, Cnt2_Start_Event 6:0 };
    BEFORE_PS 0x31508 "Performance_Control2" { Cnt3_Reset_Event 30:24, Cnt2_Reset_Event 22:16,
        Cnt1_Reset_Event 14:8, Cnt0_Reset_Event 6:0 };
    BEFORE_PS 0x31520 + 0x4 * 4 "Performance_Counter{}";
    BEFORE_PS 0x31580 + 0x4 * 4 "Performance_Counter{}_Event_Value";
    AIE2PS 0x31800 + 0x40 * 12 "Core_X{}_Part1";
    AIE2PS 0x31810 + 0x40 * 12 "Core_X{}_Part2";
    AIE2PS 0x31820 + 0x40 * 12 "Core_X{}_Part3";
    AIE2PS 0x31830 + 0x40 * 12 "Core_X{}_Part4";
    BEFORE_PS 0x32000 "Core_Control" { Reset 1:1, Enable 0:0 };
    BEFORE_PS 0x32004 "Core_Status" { Core_Processor_Bus_Stall 21:21, Core_Done 20:20,
        Error_Halt 19:19, ECC_Scrubbing_Stall 18:18, ECC_Error_Stall 17:17, Debug_Halt 16:16,
        Cascade_Stall_MCD 15:15, Cascade_Stall_SCD 14:14, Stream_Stall_MS0 12:12,
        Stream_Stall_SS0 10:10, Lock_Stall_E 9:9, Lock_Stall_N 8:8, Lock_Stall_W 7:7,
        Lock_Stall_S 6:6, Memory_Stall_E 5:5, Memory_Stall_N 4:4, Memory_Stall_W 3:3,
        Memory_Stall_S 2:2, Reset 1:1, Enable 0:0 };
    BEFORE_PS 0x32008 "Enable_Events" { Disable_Event_occurred 15:15, Disable_Event 14:8,
        Enable_Event_occurred 7:7, Enable_Event 6:0 };
    BEFORE_PS 0x3200c "Reset_Event" { Reset_Event 6:0 };
    BEFORE_PS 0x32010 "Debug_Control0" { Single_Step_Count 5:2, Debug_Halt_Bit 0:0 };
    BEFORE_PS 0x32014 "Debug_Control1" { Debug_Halt_Core_Event1 30:24,
        Debug_Halt_Core_Event0 22:16, Debug_SingleStep_Core_Event 14:8,
        Debug_Resume_Core_Event 6:0 };
    BEFORE_PS 0x32018 "Debug_Control2" { Stream_Stall_Halt 3:3, Lock_Stall_Halt 2:2,
        Memory_Stall_Halt 1:1, PC_Event_Halt 0:0 };
    BEFORE_PS 0x3201c "Debug_Status" { Debug_Event1_Halted 6:6, Debug_Event0_Halted 5:5,
        Stream_stall_Halted 4:4, Lock_Stall_Halted 3:3, Memory_Stall_Halted 2:2,
        PC_Event_halted 1:1, Debug_halted 0:0 };
    BEFORE_PS 0x32020 + 0x4 * 4 "PC_Event{}" { Valid 31:31, PC_Address 13:0 };
    BEFORE_PS 0x32030 "Error_Halt_Control" { Error_Halt 0:0 };
    BEFORE_PS 0x32034 "Error_Halt_Event" { Error_Halt_Core_Event 6:0 };
    BEFORE_PS 0x32038 "Core_Processor_Bus" { SLVERR_On_Access 2:2, Enable 0:0 };
    BEFORE_PS 0x32100 "ECC_Control" { Unstall_Core 1:1, Stall_Core_Control 0:0 };
    BEFORE_PS 0x32110 "ECC_Scrubbing_Event" { Scrubbing_Event_Number 6:0 };
    BEFORE_PS 0x32120 "ECC_Failing_Address" { Clear_Failing_Address 15:15, Access_Type 14:14,
        ECC_Error_Detection_Address 13:0 };
    AIE2PS 0x32400 + 0x10 * 4 from 1 "Core_LDFIFOL0_Part{}";
    AIE2PS 0x32440 + 0x10 * 4 from 1 "Core_LDFIFOH0_Part{}";
    AIE2PS 0x32480 + 0x10 * 4 from 1 "Core_LDFIFOL1_Part{}";
    AIE2PS 0x324c0 + 0x10 * 4 from 1 "Core_LDFIFOH1_Part{}";
    AIE2PS 0x32500 + 0x10 * 4 from 1 "Core_STFIFOL_Part{}";
    AIE2PS 0x32540 + 0x10 * 4 from 1 "Core_STFIFOH_Part{}";
    AIE2PS 0x32580 + 0x10 * 4 from 1 "Core_FIFOXTRA_Part{}";
    AIE2PS 0x32600 "Core_EG0";
    AIE2PS 0x32610 "Core_EG1";
    AIE2PS 0x32620 "Core_EG2";
    AIE2PS 0x32630 "Core_EG3";
    AIE2PS 0x32640 "Core_EG4";
    AIE2PS 0x32650 "Core_EG5";
    AIE2PS 0x32660 "Core_EG6";
    AIE2PS 0x32670 "Core_EG7";
    AIE2PS 0x32680 "Core_EG8";
    AIE2PS 0x32690 "Core_EG9";
    AIE2PS 0x326a0 "Core_EG10";
    AIE2PS 0x326b0 "Core_EG11";
    AIE2PS 0x32700 + 0x10 * 12 "Core_F{}";
    AIE2PS 0x32800 + 0x10 * 32 "Core_R{}";
    AIE2PS 0x32a00 + 0x10 * 8 "Core_M{}" { Register_Value 19:0 };
    AIE2PS 0x32a80 + 0x10 * 8 "Core_DN{}" { Register_Value 19:0 };
    AIE2PS 0x32b00 + 0x10 * 8 "Core_DJ{}" { Register_Value 19:0 };
    AIE2PS 0x32b80 + 0x10 * 8 "Core_DC{}" { Register_Value 19:0 };
    AIE2PS 0x32c00 + 0x10 * 8 "Core_P{}" { Register_Value 19:0 };
    AIE2PS 0x32c80 + 0x10 * 4 "Core_S{}" { Register_Value 5:0 };
    AIE2PS 0x32d00 "Core_PC" { Register_Value 19:0 };
    AIE2PS 0x32d10 "Core_FC" { Register_Value 19:0 };
    AIE2PS 0x32d20 "Core_SP" { Register_Value 19:0 };
    AIE2PS 0x32d30 "Core_LR" { Register_Value 19:0 };
    AIE2PS 0x32d40 "Core_LS" { Register_Value 19:0 };
    AIE2PS 0x32d50 "Core_LE" { Register_Value 19:0 };
    AIE2PS 0x32d60 "Core_LC";
    AIE2PS 0x32d70 "Core_LCI";
    AIE2PS 0x32d80 "Core_CR1";
    AIE2PS 0x32d90 "Core_CR2";
    AIE2PS 0x32da0 "Core_CR3";
    AIE2PS 0x32dc0 "Core_SR1";
    AIE2PS 0x32dd0 "Core_SR2";
    ALL 0x34000 "Timer_Control" { Reset 31:31, Reset_Event 14:8 };
    ALL 0x34008 "Event_Generate" { Event 6:0 };
    ALL 0x34010 + 0x4 * 16 "Event_Broadcast{}" { Event 6:0 };
    ALL 0x34050 "Event_Broadcast_Block_South_Set" { Set 15:0 };
    ALL 0x34054 "Event_Broadcast_Block_South_Clr" { Clear 15:0 };
    ALL 0x34058 "Event_Broadcast_Block_South_Value" { Value 15:0 };
    ALL 0x34060 "Event_Broadcast_Block_West_Set" { Set 15:0 };
    ALL 0x34064 "Event_Broadcast_Block_West_Clr" { Clear 15:0 };
    ALL 0x34068 "Event_Broadcast_Block_West_Value" { Value 15:0 };
    ALL 0x34070 "Event_Broadcast_Block_North_Set" { Set 15:0 };
    ALL 0x34074 "Event_Broadcast_Block_North_Clr" { Clear 15:0 };
    ALL 0x34078 "Event_Broadcast_Block_North_Value" { Value 15:0 };
    ALL 0x34080 "Event_Broadcast_Block_East_Set" { Set 15:0 };
    ALL 0x34084 "Event_Broadcast_Block_East_Clr" { Clear 15:0 };
    ALL 0x34088 "Event_Broadcast_Block_East_Value" { Value 15:0 };
    ALL 0x340d0 "Trace_Control0" { Trace_Stop_Event 30:24, Trace_Start_Event 22:16, Mode 1:0 };
    ALL 0x340d4 "Trace_Control1" { Packet_Type 14:12, ID 4:0 };
    ALL 0x340d8 "Trace_Status" { State 9:8, Mode 2:0 };
    ALL 0x340e0 "Trace_Event0" { Trace_Event3 30:24, Trace_Event2 22:16, Trace_Event1 14:8,
        Trace_Event0 6:0 };
    ALL 0x340e4 "Trace_Event1" { Trace_Event7 30:24, Trace_Event6 22:16, Trace_Event5 14:8,
        Trace_Event4 6:0 };
    ALL 0x340f0 "Timer_Trig_Event_Low_Value";
    ALL 0x340f4 "Timer_Trig_Event_High_Value";
    ALL 0x340f8 "Timer_Low";
    ALL 0x340fc "Timer_High";
    ALL 0x34200 "Event_Status0";
    ALL 0x34204 "Event_Status1";
    ALL 0x34208 "Event_Status2";
    ALL 0x3420c "Event_Status3";
    ALL 0x34400 "Combo_event_inputs" { eventD 30:24, eventC 22:16, eventB 14:8, eventA 6:0 };
    ALL 0x34404 "Combo_event_control" { combo2 17:16, combo1 9:8, combo0 1:0 };
    ALL 0x34408 "Edge_Detection_event_control" { Edge_Detection_1_Trigger_Falling 26:26,
        Edge_Detection_1_Trigger_Rising 25:25, Edge_Detection_Event_1 22:16,
        Edge_Detection_0_Trigger_Falling 10:10, Edge_Detection_0_Trigger_Rising 9:9,
        Edge_Detection_Event_0 6:0 };
    ALL 0x34500 "Event_Group_0_Enable";
    ALL 0x34504 "Event_Group_PC_Enable";
    ALL 0x34508 "Event_Group_Core_Stall_Enable";
    ALL 0x3450c "Event_Group_Core_Program_Flow_Enable";
    AIE2 0x34510 + 0x4 * 2 "Event_Group_Errors{}_Enable";
    WIDE 0x34510 "Event_Group_Errors0_Enable";
    WIDE 0x34514 "Event_Group_Errors1_Enable";
    ALL 0x34518 "Event_Group_Stream_Switch_Enable";
    ALL 0x3451c "Event_Group_Broadcast_Enable";
    ALL 0x34520 "Event_Group_User_Event_Enable";
    AIE2 0x36030 "Tile_Control" { Isolate_From_East 3:3, Isolate_From_North 2:2,
        Isolate_From_West 1:1, Isolate_From_South 0:0 };
    ALL 0x36040 "Cssd_Trigger" { Trigger 0:0 };
    ALL 0x36050 "Spare_Reg" { Spare_Reg 15:0 };
    ALL 0x36060 "Accumulator_Control" { Output 1:1, Input 0:0 };
    ALL 0x36070 "Memory_Control" { Memory_Zeroisation 0:0 };
    AIE2PS 0x37500 "Performance_Control0" { Cnt1_Stop_Event 30:24, Cnt1_Start_Event 22:16,
        Cnt0_Stop_Event 14:8, Cnt0_Start_Event 6:0 };
    AIE2PS 0x37504 "Performance_Control1" { Cnt3_Stop_Event 30:24, Cnt3_Start_Event 22:16,
        Cnt2_Stop_Event 14:8, Cnt2_Start_Event 6:0 };
    AIE2PS 0x37508 "Performance_Control2" { Cnt3_Reset_Event 30:24, Cnt2_Reset_Event 22:16,
        Cnt1_Reset_Event 14:8, Cnt0_Reset_Event 6:0 };
    AIE2PS 0x37520 + 0x4 * 4 "Performance_Counter{}";
    AIE2PS 0x37580 + 0x4 * 4 "Performance_Counter{}_Event_Value";
    AIE2PS 0x38000 "Core_Control" { Reset 1:1, Enable 0:0 };
    AIE2PS 0x38004 "Core_Status" { Core_Processor_Bus_Stall 21:21, Core_Done 20:20,
        Error_Halt 19:19, ECC_Scrubbing_Stall 18:18, ECC_Error_Stall 17:17, Debug_Halt 16:16,
        Cascade_Stall_MCD 15:15, Cascade_Stall_SCD 14:14, Stream_Stall_MS0 12:12,
        Stream_Stall_SS0 10:10, Lock_Stall_E 9:9, Lock_Stall_N 8:8, Lock_Stall_W 7:7,
        Lock_Stall_S 6:6, Memory_Stall_E 5:5, Memory_Stall_N 4:4, Memory_Stall_W 3:3,
        Memory_Stall_S 2:2, Reset 1:1, Enable 0:0 };
    AIE2PS 0x38008 "Enable_Events" { Disable_Event_occurred 15:15, Disable_Event 14:8,
        Enable_Event_occurred 7:7, Enable_Event 6:0 };
    AIE2PS 0x3800c "Reset_Event" { Reset_Event 6:0 };
    AIE2PS 0x38010 "Debug_Control0" { Single_Step_Count 5:2, Debug_Halt_Bit 0:0 };
    AIE2PS 0x38014 "Debug_Control1" { Debug_Halt_Core_Event1 30:24,
        Debug_Halt_Core_Event0 22:16, Debug_SingleStep_Core_Event 14:8,
        Debug_Resume_Core_Event 6:0 };
    AIE2PS 0x38018 "Debug_Control2" { Stream_Stall_Halt 3:3, Lock_Stall_Halt 2:2,
        Memory_Stall_Halt 1:1, PC_Event_Halt 0:0 };
    AIE2PS 0x3801c "Debug_Status" { Debug_Event1_Halted 6:6, Debug_Event0_Halted 5:5,
        Stream_stall_Halted 4:4, Lock_Stall_Halted 3:3, Memory_Stall_Halted 2:2,
        PC_Event_halted 1:1, Debug_halted 0:0 };
    AIE2PS 0x38020 + 0x4 * 4 "PC_Event{}" { Valid 31:31, PC_Address 13:0 };
    AIE2PS 0x38030 "Error_Halt_Control" { Error_Halt 0:0 };
    AIE2PS 0x38034 "Error_Halt_Event" { Error_Halt_Core_Event 6:0 };
    AIE2PS 0x38038 "Core_Processor_Bus" { SLVERR_On_Access 2:2, Enable 0:0 };
    AIE2PS 0x38100 "ECC_Control" { Unstall_Core 1:1, Stall_Core_Control 0:0 };
    AIE2PS 0x38110 "ECC_Scrubbing_Event" { Scrubbing_Event_Number 6:0 };
    AIE2PS 0x38120 "ECC_Failing_Address" { Clear_Failing_Address 15:15, Access_Type 14:14,
        ECC_Error_Detection_Address 13:0 };
    ALL 0x3f800 + 0x10 * 2 "Stream_Switch_Deterministic_Merge_arb{}_slave0_1" {
        Packet_Count_1 29:24, Slave_ID_1 20:16, Packet_Count_0 13:8, Slave_ID_0 4:0 };
    ALL 0x3f804 + 0x10 * 2 "Stream_Switch_Deterministic_Merge_arb{}_slave2_3" {
        Packet_Count_3 29:24, Slave_ID_3 20:16, Packet_Count_2 13:8, Slave_ID_2 4:0 };
    ALL 0x3f808 + 0x10 * 2 "Stream_Switch_Deterministic_Merge_arb{}_ctrl" { Enable 0:0 };
    ALL 0x3ff00 "Stream_Switch_Event_Port_Selection_0" { Port_3_Master_Slave 29:29,
        Port_3_ID 28:24, Port_2_Master_Slave 21:21, Port_2_ID 20:16, Port_1_Master_Slave 13:13,
        Port_1_ID 12:8, Port_0_Master_Slave 5:5, Port_0_ID 4:0 };
    ALL 0x3ff04 "Stream_Switch_Event_Port_Selection_1" { Port_7_Master_Slave 29:29,
        Port_7_ID 28:24, Port_6_Master_Slave 21:21, Port_6_ID 20:16, Port_5_Master_Slave 13:13,
        Port_5_ID 12:8, Port_4_Master_Slave 5:5, Port_4_ID 4:0 };
    ALL 0x3ff10 "Stream_Switch_Parity_Status" { Tile_Control 3:3, DMA_1 2:2, DMA_0 1:1, Core 0:0
        };
    AIE2 0x3ff20 "Stream_Switch_Parity_Injection" { Mem_trace 5:5, AIE_Trace 4:4,
        Tile_Control 3:3, DMA_1 2:2, DMA_0 1:1, Core 0:0 };
    WIDE 0x3ff20 "Stream_Switch_Parity_Injection" { Mem_trace_upper 21:21,
        AIE_Trace_upper 20:20, Tile_Control_upper 19:19, DMA_1_upper 18:18, DMA_0_upper 17:17,
        Core_upper 16:16, Mem_trace_lower 5:5, AIE_Trace_lower 4:4, Tile_Control_lower 3:3,
        DMA_1_lower 2:2, DMA_0_lower 1:1, Core_lower 0:0 };
    ALL 0x3ff30 "Tile_Control_Packet_Handler_Status" { Tlast_Error 3:3, SLVERR_On_Access 2:2,
        Second_Header_Parity_Error 1:1, First_Header_Parity_Error 0:0 };
    ALL 0x3ff34 "Stream_Switch_Adaptive_Clock_Gate_Status" { Active 0:0 };
    ALL 0x3ff38 "Stream_Switch_Adaptive_Clock_Gate_Abort_Period" { Abort_Period 3:0 };
    BEFORE_PS 0x60000 "Module_Clock_Control" { DMA_Adaptive_Clock_Gate 5:5,
        Stream_Switch_Adaptive_Clock_Gate 4:4, Core_Module_Clock_Enable 2:2,
        Memory_Module_Clock_Enable 1:1, Stream_Switch_Clock_Enable 0:0 };
    AIE2PS 0x60000 "Module_Clock_Control" { DMA_Adaptive_Clock_Gate 5:5,
        Ctrl_Pkt_Tlast_Error_Enable 4:4, Core_Module_Clock_Enable 2:2,
        Memory_Module_Clock_Enable 1:1, Stream_Switch_Clock_Enable 0:0 };
    ALL 0x60010 "Module_Reset_Control" { Core_Module_Reset 2:2, Memory_Module_Reset 1:1,
        Stream_Switch_Reset 0:0 };
    WIDE 0x60020 "Tile_Control" { Isolate_From_East 3:3, Isolate_From_North 2:2,
        Isolate_From_West 1:1, Isolate_From_South 0:0 };
}
