//! Core module of a core tile (AM025 and AM029, module CORE).

use super::shared::{BROADCAST_BLOCKS, CORE_DEBUG, EVENTS_7, STREAM_SWITCH};
use super::{AIE2, AIE2P, AIE2PS, ALL, BEFORE_PS, Section, WIDE};

registers! {
    ROWS;
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
    AIE2PS 0x31800 + 0x40 * 12 "Core_X{}_Part1";
    AIE2PS 0x31810 + 0x40 * 12 "Core_X{}_Part2";
    AIE2PS 0x31820 + 0x40 * 12 "Core_X{}_Part3";
    AIE2PS 0x31830 + 0x40 * 12 "Core_X{}_Part4";
    AIE2PS 0x32400 + 0x10 * 4 from 1 "Core_LDFIFOL0_Part{}";
    AIE2PS 0x32440 + 0x10 * 4 from 1 "Core_LDFIFOH0_Part{}";
    AIE2PS 0x32480 + 0x10 * 4 from 1 "Core_LDFIFOL1_Part{}";
    AIE2PS 0x324c0 + 0x10 * 4 from 1 "Core_LDFIFOH1_Part{}";
    AIE2PS 0x32500 + 0x10 * 4 from 1 "Core_STFIFOL_Part{}";
    AIE2PS 0x32540 + 0x10 * 4 from 1 "Core_STFIFOH_Part{}";
    AIE2PS 0x32580 + 0x10 * 4 from 1 "Core_FIFOXTRA_Part{}";
    AIE2PS 0x32600 + 0x10 * 12 "Core_EG{}";
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
    AIE2PS 0x32d80 + 0x10 * 3 from 1 "Core_CR{}";
    AIE2PS 0x32dc0 + 0x10 * 2 from 1 "Core_SR{}";
    ALL 0x340d0 "Trace_Control0" { Trace_Stop_Event 30:24, Trace_Start_Event 22:16, Mode 1:0 };
    ALL 0x34200 + 0x4 * 4 "Event_Status{}";
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

/// The sections of the module.
#[rustfmt::skip]
pub(in crate::regmap) const CORE_MODULE: &[Section] = &[
    Section { generations: ALL, noc: false, base: 0, rows: ROWS },
    Section { generations: ALL, noc: false, base: 0x34000, rows: EVENTS_7 },
    Section { generations: ALL, noc: false, base: 0x34050, rows: BROADCAST_BLOCKS },
    Section { generations: BEFORE_PS, noc: false, base: 0x31500, rows: CORE_DEBUG },
    Section { generations: AIE2PS, noc: false, base: 0x37500, rows: CORE_DEBUG },
    Section { generations: ALL, noc: false, base: 0x3f800, rows: STREAM_SWITCH },
];
