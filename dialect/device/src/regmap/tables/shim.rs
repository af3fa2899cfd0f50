//! Shim tile: its PL module, and its NoC module in rows marked `noc` (AM025 and AM029, modules
//! PL and NOC).

use super::shared::{
    BROADCAST_BLOCKS_A, BROADCAST_BLOCKS_B, LOCKS_16, PL_INTERFACE, SHIM_BDS_20, SHIM_BDS_30,
    SHIM_CHANNELS, SHIM_EVENTS_7, SHIM_EVENTS_8, STREAM_SWITCH,
};
use super::{AIE2, AIE2P, AIE2PS, ALL, BEFORE_PS, Section};

registers! {
    ROWS;
    AIE2PS noc 0x00000 + 0x10 * 16 "Lock{}_value" { Lock_value 5:0 };
    AIE2PS noc 0x00100 + 0x4 * 6 "Locks_Event_Selection_{}" { Lock_Select 19:16, Lock_Value 5:0
        };
    AIE2PS noc 0x01000 "Interrupt_controller_2nd_level_mask" { IRQ_Mask_uC_Core 16:16,
        IRQ_Mask_A 15:0 };
    AIE2PS noc 0x01004 "Interrupt_controller_2nd_level_enable" { Enable_uC_Core 16:16,
        Enable_A 15:0 };
    AIE2PS noc 0x01008 "Interrupt_controller_2nd_level_disable" { Disable_uC_Core 16:16,
        Disable_A 15:0 };
    AIE2PS noc 0x0100c "Interrupt_controller_2nd_level_status" { Status_uC_Core 16:16,
        Status_A 15:0 };
    AIE2PS noc 0x01010 "Interrupt_controller_2nd_level_interrupt" { NoC_Interrupt 1:0 };
    AIE2PS noc 0x02000 "Spare_Reg" { Spare_Reg 15:0 };
    AIE2PS noc 0x02100 "AIE_AXIMM_Config" { DECERR_Block 3:3, SLVERR_Block 2:2 };
    AIE2PS noc 0x02104 "Mux_Config" { South7 15:14, South5 13:12, South3 11:10, South1 9:8 };
    AIE2PS noc 0x02108 "Demux_Config" { South5 11:10, South3 7:6, South2 5:4, South1 3:2 };
    AIE2PS noc 0x0210c "North_Mux_Config" { North3 11:10, North1 9:8 };
    AIE2PS noc 0x02110 "North_Demux_Config" { North1 3:2 };
    AIE2PS noc 0x02120 "AXI_MM_Outstanding_Transactions" { NoC_Module_To_NMU 0:0 };
    AIE2PS noc 0x03000 "SMID" { SMID 9:0 };
    AIE2PS noc 0x09014 + 0x30 * 16 "DMA_BD{}_5" { AxCache 27:24, AxQoS 23:20, D2_Stepsize 19:0
        };
    AIE2PS noc 0x09020 + 0x30 * 16 "DMA_BD{}_8" { Base_Address_56_48 8:0 };
    AIE2PS noc 0x09328 + 0x4 * 2 "DMA_MM2S_Status_{}" { Cur_BD 28:25, Task_Queue_Size 24:20,
        Channel_Running 19:19, Task_Queue_Overflow 18:18, AXI_MM_Slave_Error 17:17,
        AXI_MM_Decode_Error 16:16, Error_BD_Invalid 11:11, Stalled_TCT 5:5,
        Stalled_Stream_Backpressure 4:4, Stalled_Lock_Rel 3:3, Stalled_Lock_Acq 2:2, Status 1:0
        };
    AIE2PS noc 0x09340 + 0x4 * 2 "DMA_MM2S_{}_Response_FIFO_Parity_Error_Injection" {
        Parity_Injection 3:0 };
    AIE2PS noc 0x09348 "DMA_Pause" { MM2S_1 3:3, MM2S_0 2:2, S2MM_1 1:1, S2MM_0 0:0 };
    BEFORE_PS noc 0x14000 + 0x10 * 16 "Lock{}_value" { Lock_value 5:0 };
    BEFORE_PS noc 0x14100 + 0x4 * 6 "Locks_Event_Selection_{}" { Lock_Select 19:16,
        Lock_Value 5:0 };
    BEFORE_PS noc 0x15000 "Interrupt_controller_2nd_level_mask" { IRQ_Mask_A 15:0 };
    BEFORE_PS noc 0x15004 "Interrupt_controller_2nd_level_enable" { Enable_A 15:0 };
    BEFORE_PS noc 0x15008 "Interrupt_controller_2nd_level_disable" { Disable_A 15:0 };
    BEFORE_PS noc 0x1500c "Interrupt_controller_2nd_level_status" { Status_A 15:0 };
    BEFORE_PS noc 0x15010 "Interrupt_controller_2nd_level_interrupt" { NoC_Interrupt 1:0 };
    BEFORE_PS noc 0x16000 "Spare_Reg" { Spare_Reg 15:0 };
    BEFORE_PS noc 0x1d014 + 0x20 * 16 "DMA_BD{}_5" { SMID 31:28, AxCache 27:24, AxQoS 23:20,
        D2_Stepsize 19:0 };
    BEFORE_PS noc 0x1d228 + 0x4 * 2 "DMA_MM2S_Status_{}" { Cur_BD 27:24, Task_Queue_Size 22:20,
        Channel_Running 19:19, Task_Queue_Overflow 18:18, AXI_MM_Slave_Error 17:17,
        AXI_MM_Decode_Error 16:16, Error_BD_Invalid 11:11, Stalled_TCT 5:5,
        Stalled_Stream_Backpressure 4:4, Stalled_Lock_Rel 3:3, Stalled_Lock_Acq 2:2, Status 1:0
        };
    AIE2 noc 0x1e008 + 0x4 * 4 from 2 "NoC_Interface_AIE_to_NoC_South{}" { Tdest 9:0 };
    AIE2P noc 0x1e008 + 0x4 * 4 from 2 "Noc_Interface_Me_To_Noc_South{}" { Tdest 9:0 };
    AIE2 noc 0x1e020 "AIE_AXIMM_Config" { DECERR_Block 3:3, SLVERR_Block 2:2, Slave_Sel 1:1,
        Master_Sel 0:0 };
    AIE2P noc 0x1e020 "Me_Aximm_Config" { DECERR_Block 3:3, SLVERR_Block 2:2, Slave_Sel 1:1,
        Master_Sel 0:0 };
    BEFORE_PS noc 0x1f000 "Mux_Config" { South7 15:14, South6 13:12, South3 11:10, South2 9:8 };
    BEFORE_PS noc 0x1f004 "Demux_Config" { South5 11:10, South4 9:8, South3 7:6, South2 5:4 };
    BEFORE_PS 0x31000 "Performance_Ctrl0" { Cnt1_Stop_Event 30:24, Cnt1_Start_Event 22:16,
        Cnt0_Stop_Event 14:8, Cnt0_Start_Event 6:0 };
    AIE2PS 0x31000 "Performance_Ctrl0" { Cnt1_Stop_Event 31:24, Cnt1_Start_Event 23:16,
        Cnt0_Stop_Event 15:8, Cnt0_Start_Event 7:0 };
    BEFORE_PS 0x31008 "Performance_Ctrl1" { Cnt1_Reset_Event 14:8, Cnt0_Reset_Event 6:0 };
    AIE2PS 0x31008 "Performance_Ctrl1" { Cnt1_Reset_Event 15:8, Cnt0_Reset_Event 7:0 };
    AIE2PS 0x3100c "Performance_Ctrl2" { Cnt3_Stop_Event 31:24, Cnt3_Start_Event 23:16,
        Cnt2_Stop_Event 15:8, Cnt2_Start_Event 7:0 };
    AIE2PS 0x31010 "Performance_Ctrl3" { Cnt3_Reset_Event 15:8, Cnt2_Reset_Event 7:0 };
    AIE2PS 0x31014 "Performance_Ctrl4" { Cnt5_Stop_Event 31:24, Cnt5_Start_Event 23:16,
        Cnt4_Stop_Event 15:8, Cnt4_Start_Event 7:0 };
    AIE2PS 0x31018 "Performance_Ctrl5" { Cnt5_Reset_Event 15:8, Cnt4_Reset_Event 7:0 };
    BEFORE_PS 0x31020 + 0x4 * 2 "Performance_Counter{}";
    AIE2PS 0x31020 + 0x4 * 6 "Performance_Counter{}";
    ALL 0x31080 + 0x4 * 2 "Performance_Counter{}_Event_Value";
    BEFORE_PS 0x340d0 "Trace_Control0" { Trace_Stop_Event 30:24, Trace_Start_Event 22:16 };
    AIE2PS 0x340d0 "Trace_Control0" { Trace_Stop_Event 31:24, Trace_Start_Event 23:16 };
    ALL 0x34200 + 0x4 * 4 "Event_Status{}";
    AIE2PS 0x34210 + 0x4 * 4 from 4 "Event_Status{}";
    BEFORE_PS 0x34504 "Event_Group_DMA_Activity_Enable";
    AIE2PS 0x34504 "Event_Group_NoC_0_DMA_Activity_Enable";
    BEFORE_PS 0x34508 "Event_Group_Lock_Enable";
    AIE2PS 0x34508 "Event_Group_Noc_1_DMA_Activity_Enable";
    BEFORE_PS 0x3450c "Event_Group_Errors_Enable";
    AIE2PS 0x3450c "Event_Group_NoC_0_Lock_Enable";
    BEFORE_PS 0x34510 "Event_Group_Stream_Switch_Enable";
    AIE2PS 0x34510 "Event_Group_Noc_1_Lock_Enable";
    BEFORE_PS 0x34514 "Event_Group_Broadcast_A_Enable";
    AIE2PS 0x34514 "Event_Group_Errors_Enable";
    AIE2PS 0x34518 "Event_Group_Stream_Switch_Enable";
    AIE2PS 0x3451c "Event_Group_Broadcast_A_Enable";
    AIE2PS 0x34520 "Event_Group_uC_DMA_Activity_Enable";
    AIE2PS 0x34524 "Event_Group_uC_Module_Errors_Enable";
    AIE2PS 0x34528 "Event_Group_uC_Core_Streams_Enable";
    AIE2PS 0x3452c "Event_Group_uC_Core_Program_Flow_Enable";
    AIE2PS 0x34600 "uC_Core_Interrupt_Event" { Event 7:0 };
    ALL 0x35000 "Interrupt_controller_1st_level_mask_A" { IRQ_Mask_A 19:0 };
    ALL 0x35004 "Interrupt_controller_1st_level_enable_A" { Enable_A 19:0 };
    ALL 0x35008 "Interrupt_controller_1st_level_disable_A" { Disable_A 19:0 };
    ALL 0x3500c "Interrupt_controller_1st_level_status_A" { Status_A 19:0 };
    ALL 0x35010 "Interrupt_controller_1st_level_irq_no_A" { Irq_no_A 3:0 };
    BEFORE_PS 0x35014 "Interrupt_controller_1st_level_irq_event_A" { IRQ_Event3 30:24,
        IRQ_Event2 22:16, IRQ_Event1 14:8, IRQ_Event0 6:0 };
    AIE2PS 0x35014 "Interrupt_controller_1st_level_irq_event_A" { IRQ_Event3 31:24,
        IRQ_Event2 23:16, IRQ_Event1 15:8, IRQ_Event0 7:0 };
    ALL 0x35018 "Interrupt_controller_1st_level_block_north_in_A_set" { Set 15:0 };
    ALL 0x3501c "Interrupt_controller_1st_level_block_north_in_A_clear" { Clear 15:0 };
    ALL 0x35020 "Interrupt_controller_1st_level_block_north_in_A_value" { Value 15:0 };
    ALL 0x35030 "Interrupt_controller_1st_level_mask_B" { IRQ_Mask_B 19:0 };
    ALL 0x35034 "Interrupt_controller_1st_level_enable_B" { Enable_B 19:0 };
    ALL 0x35038 "Interrupt_controller_1st_level_disable_B" { Disable_B 19:0 };
    ALL 0x3503c "Interrupt_controller_1st_level_status_B" { Status_B 19:0 };
    ALL 0x35040 "Interrupt_controller_1st_level_irq_no_B" { Irq_no_B 3:0 };
    BEFORE_PS 0x35044 "Interrupt_controller_1st_level_irq_event_B" { IRQ_Event3 30:24,
        IRQ_Event2 22:16, IRQ_Event1 14:8, IRQ_Event0 6:0 };
    AIE2PS 0x35044 "Interrupt_controller_1st_level_irq_event_B" { IRQ_Event3 31:24,
        IRQ_Event2 23:16, IRQ_Event1 15:8, IRQ_Event0 7:0 };
    ALL 0x35048 "Interrupt_controller_1st_level_block_north_in_B_set" { Set 15:0 };
    ALL 0x3504c "Interrupt_controller_1st_level_block_north_in_B_clear" { Clear 15:0 };
    ALL 0x35050 "Interrupt_controller_1st_level_block_north_in_B_value" { Value 15:0 };
    ALL 0x36000 "Bisr_Cache_Ctrl" { Clear 4:4, Trigger 0:0 };
    ALL 0x36008 "Bisr_Cache_Status" { Pass 1:1, Done 0:0 };
    BEFORE_PS 0x36010 + 0x4 * 4 "Bisr_Cache_Data{}";
    AIE2PS 0x36010 + 0x4 * 6 "Bisr_Cache_Data{}";
    BEFORE_PS 0x36020 + 0x4 * 4 "Bisr_Test_Data{}";
    AIE2 0x36030 "Tile_Control" { Isolate_From_East 3:3, Isolate_From_North 2:2,
        Isolate_From_West 1:1, Isolate_From_South 0:0 };
    AIE2PS 0x36030 + 0x4 * 6 "Bisr_Test_Data{}";
    BEFORE_PS 0x3ff10 "Stream_Switch_Parity_Status" { Tile_Control 6:6, South_5 5:5,
        South_4 4:4, South_3 3:3, South_2 2:2, South_1 1:1, South_0 0:0 };
    AIE2PS 0x3ff10 "Stream_Switch_Parity_Status" { uController 7:7, Tile_Control 6:6,
        South_5 5:5, South_4 4:4, South_3 3:3, South_2 2:2, South_1 1:1, South_0 0:0 };
    AIE2 0x3ff20 "Stream_Switch_Parity_Injection" { Shim_trace 9:9, Tile_Control 8:8,
        South_7 7:7, South_6 6:6, South_5 5:5, South_4 4:4, South_3 3:3, South_2 2:2,
        South_1 1:1, South_0 0:0 };
    AIE2P 0x3ff20 "Stream_Switch_Parity_Injection" { Shim_trace_upper 25:25,
        Tile_Control_upper 24:24, South_7_upper 23:23, South_6_upper 22:22, South_5_upper 21:21,
        South_4_upper 20:20, South_3_upper 19:19, South_2_upper 18:18, South_1_upper 17:17,
        South_0_upper 16:16, Shim_trace_lower 9:9, Tile_Control_lower 8:8, South_7_lower 7:7,
        South_6_lower 6:6, South_5_lower 5:5, South_4_lower 4:4, South_3_lower 3:3,
        South_2_lower 2:2, South_1_lower 1:1, South_0_lower 0:0 };
    AIE2PS 0x3ff20 "Stream_Switch_Parity_Injection" { uController_upper 26:26,
        Shim_trace_upper 25:25, Tile_Control_upper 24:24, South_7_upper 23:23,
        South_6_upper 22:22, South_5_upper 21:21, South_4_upper 20:20, South_3_upper 19:19,
        South_2_upper 18:18, South_1_upper 17:17, South_0_upper 16:16, uController_lower 10:10,
        Shim_trace_lower 9:9, Tile_Control_lower 8:8, South_7_lower 7:7, South_6_lower 6:6,
        South_5_lower 5:5, South_4_lower 4:4, South_3_lower 3:3, South_2_lower 2:2,
        South_1_lower 1:1, South_0_lower 0:0 };
    ALL 0x3ff30 "Control_Packet_Handler_Status" { Tlast_Error 3:3, SLVERR_On_Access 2:2,
        Second_Header_Parity_Error 1:1, First_Header_Parity_Error 0:0 };
    AIE2PS 0x7ff00 "Module_Clock_Control_0" { uController_SRAMs_Sleep 7:7,
        NoC_Module_1_DMA_Adaptive_Clock_Gate 6:6, NoC_Module_0_DMA_Adaptive_Clock_Gate 5:5,
        Ctrl_Pkt_Tlast_Error_Enable 4:4, CTE_Clock_Enable 3:3, uController_Clock_Enable 2:2,
        PL_Interface_Clock_Enable 1:1, Stream_Switch_Clock_Enable 0:0 };
    AIE2PS 0x7ff04 "Module_Clock_Control_1" { Shim_DMA_SRAMs_Sleep 2:2,
        NoC_Module_1_Clock_Enable 1:1, NoC_Module_0_Clock_Enable 0:0 };
    AIE2PS 0x7ff10 "Module_Reset_Control_0" { Cte_Module_Reset 3:3, Ucontroller_Reset 2:2,
        PL_Interface_Reset 1:1, Stream_Switch_Reset 0:0 };
    AIE2PS 0x7ff14 "Module_Reset_Control_1" { NoC_Module_1_Reset 1:1, NoC_Module_0_Reset 0:0 };
    AIE2PS 0x7ff20 "Column_Clock_Control" { Column_SRAMs_Sleep 1:1, Clock_Buffer_Enable 0:0 };
    AIE2PS 0x7ff24 "North_Shim_Clock_Control" { Clock_Buffer_Enable 0:0 };
    AIE2PS 0x7ff28 "AIE_Tile_Column_Reset" { Reset 0:0 };
    AIE2PS 0x7ff2c "North_Shim_Reset_Control" { Reset 0:0 };
    AIE2PS 0x7ff40 "Tile_Control" { Isolate_From_East 3:3, Isolate_From_North 2:2,
        Isolate_From_West 1:1, Isolate_From_South 0:0 };
    AIE2PS 0x7ff44 "Tile_Control_AXI_MM" { Isolate_From_East 3:3, Isolate_From_West 1:1 };
    AIE2PS 0x7ff48 "NMU_Switches_Config" { NMU_1 1:1, NMU_0 0:0 };
    AIE2PS 0x7ff4c "Cssd_Trigger" { Trigger 0:0 };
    AIE2PS 0x7ff50 "Interrupt_controller_Hw_Error_mask" { AXI_Errors 2:2,
        Hw_Correctable_Errors 1:1, Hw_Uncorrectable_Errors 0:0 };
    AIE2PS 0x7ff54 "Interrupt_controller_Hw_Error_status" { AXI_Errors 2:2,
        Hw_Correctable_Errors 1:1, Hw_Uncorrectable_Errors 0:0 };
    AIE2PS 0x7ff58 "Interrupt_controller_Hw_Error_interrupt" { NoC_Interrupt 1:0 };
    BEFORE_PS 0xfff00 "Module_Clock_Control_0" { DMA_Adaptive_Clock_Gate 5:5,
        Stream_Switch_Adaptive_Clock_Gate 4:4, CTE_Clock_Enable 3:3,
        PL_Interface_Clock_Enable 1:1, Stream_Switch_Clock_Enable 0:0 };
    BEFORE_PS 0xfff04 "Module_Clock_Control_1" { NoC_Module_Clock_Enable 0:0 };
    BEFORE_PS 0xfff10 "Module_Reset_Control_0" { Cte_Module_Reset 3:3, PL_Interface_Reset 1:1,
        Stream_Switch_Reset 0:0 };
    BEFORE_PS 0xfff14 "Module_Reset_Control_1" { NoC_Module_Reset 0:0 };
    BEFORE_PS 0xfff20 "Column_Clock_Control" { Clock_Buffer_Enable 0:0 };
    BEFORE_PS 0xfff24 "Cssd_Trigger" { Trigger 0:0 };
    AIE2 0xfff28 "AIE_Tile_Column_Reset" { Reset 0:0 };
    AIE2P 0xfff28 "Column_Reset_Control" { Reset 0:0 };
    AIE2P 0xfff40 "Tile_Control" { Isolate_From_East 3:3, Isolate_From_North 2:2,
        Isolate_From_West 1:1, Isolate_From_South 0:0 };
}

/// The sections of the module.
#[rustfmt::skip]
pub(in crate::regmap) const SHIM_MODULE: &[Section] = &[
    Section { generations: ALL, noc: false, base: 0, rows: ROWS },
    Section { generations: BEFORE_PS, noc: false, base: 0x34000, rows: SHIM_EVENTS_7 },
    Section { generations: AIE2PS, noc: false, base: 0x34000, rows: SHIM_EVENTS_8 },
    Section { generations: ALL, noc: false, base: 0x34050, rows: BROADCAST_BLOCKS_A },
    Section { generations: ALL, noc: false, base: 0x34090, rows: BROADCAST_BLOCKS_B },
    Section { generations: AIE2PS, noc: false, base: 0x30000, rows: PL_INTERFACE },
    Section { generations: BEFORE_PS, noc: false, base: 0x33000, rows: PL_INTERFACE },
    Section { generations: ALL, noc: false, base: 0x3f800, rows: STREAM_SWITCH },
    Section { generations: AIE2PS, noc: true, base: 0x0, rows: LOCKS_16 },
    Section { generations: BEFORE_PS, noc: true, base: 0x14000, rows: LOCKS_16 },
    Section { generations: AIE2PS, noc: true, base: 0x9300, rows: SHIM_CHANNELS },
    Section { generations: BEFORE_PS, noc: true, base: 0x1d200, rows: SHIM_CHANNELS },
    Section { generations: AIE2PS, noc: true, base: 0x9000, rows: SHIM_BDS_30 },
    Section { generations: BEFORE_PS, noc: true, base: 0x1d000, rows: SHIM_BDS_20 },
];
