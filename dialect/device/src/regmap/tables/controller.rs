//! Micro-controller of a shim tile as the host sees it (AM029, module UC).

use super::{AIE2PS, ALL, Section};

registers! {
    ROWS;
    AIE2PS 0xb0010 "Mdm_Dbg_Ctrl_Status" { Access_Lock_Type 19:18, Access_Mdm 17:17,
        Mdm_Command 16:9, Bit_Size_8_1 8:1, Bit_Size_0_Access_Lock 0:0 };
    AIE2PS 0xb0014 "Mdm_Dbg_Data";
    AIE2PS 0xb0018 "Mdm_Dbg_Lock" { Debug_Lock 15:0 };
    AIE2PS 0xb5440 "Mdm_Pcctrlr" { Event 7:0 };
    AIE2PS 0xb5480 "Mdm_Pccmdr" { Clear 4:4, Start 3:3, Stop 2:2, Sample 1:1, Reset 0:0 };
    AIE2PS 0xb54c0 "Mdm_Pcsr" { Overflow 1:1, Full 0:0 };
    AIE2PS 0xb5580 "Mdm_Pcdrr";
    AIE2PS 0xb55c0 "Mdm_Pcwr";
    AIE2PS 0xc0000 "Core_Status" { Interrupt 1:1, Sleep 0:0 };
    AIE2PS 0xc0004 "Core_Control" { Go_To_Sleep 1:1, Wakeup 0:0 };
    AIE2PS 0xc0008 "Core_Interrupt_Status" { Event_Action 1:1, Go_To_Sleep 0:0 };
    AIE2PS 0xc0020 "Module_AXIMM_Offset";
    AIE2PS 0xc0024 "Module_AXI_MM_Outstanding_Transactions" { uC_Module_To_Array 1:1,
        uC_DMA_To_NMU 0:0 };
    AIE2PS 0xc0030 "Memory_Zeroization" { DM_Zeroization 2:2, Private_DM_Zeroization 1:1,
        PM_Zeroization 0:0 };
    AIE2PS 0xc0034 "Memory_Privileged" { Memory_Privileged 0:0 };
    AIE2PS 0xc0038 "Memory_DM_ECC_Scrubbing_Period" { Scrubbing_Period_Log2_Cycles 4:0 };
    AIE2PS 0xc003c "Memory_DM_ECC_Error_Generation" { Inhibit_Checkbit 0:0 };
    AIE2PS 0xc0100 "DMA_DM2MM_Status" { Response_Queue_Size 20:16, Task_Queue_Size 12:8,
        Task_Queue_Overflow 6:6, Error_ECC_DED 5:5, AXI_MM_DECERR 4:4, AXI_MM_SLVERR 3:3,
        Error_Local_address_out_of_range 2:2, Error_BD_Invalid 1:1, Running 0:0 };
    AIE2PS 0xc0104 "DMA_DM2MM_Control" { Pause_AXI_MM 1:1, Reset 0:0 };
    AIE2PS 0xc0108 "DMA_DM2MM_AXI_Control" { Burst_Length 9:8, AxCACHE 7:4, AxQOS 3:0 };
    AIE2PS 0xc0110 "DMA_MM2DM_Status" { Response_Queue_Size 20:16, Task_Queue_Size 12:8,
        Task_Queue_Overflow 6:6, Error_ECC_DED 5:5, AXI_MM_DECERR 4:4, AXI_MM_SLVERR 3:3,
        Error_Local_address_out_of_range 2:2, Error_BD_Invalid 1:1, Running 0:0 };
    AIE2PS 0xc0114 "DMA_MM2DM_Control" { Pause_AXI_MM 1:1, Reset 0:0 };
    AIE2PS 0xc0118 "DMA_MM2DM_AXI_Control" { Burst_Length 9:8, AxCACHE 7:4, AxQOS 3:0 };
    AIE2PS 0xc0120 "DMA_Pause" { MM2DM 1:1, DM2MM 0:0 };
}

/// The sections of the module.
#[rustfmt::skip]
pub(in crate::regmap) const CONTROLLER_MODULE: &[Section] = &[
    Section { generations: ALL, noc: false, base: 0, rows: ROWS },
];
