//! The register map against offsets of the register databases and words of real programs.

use aiec_device::Arch::{self, *};
use aiec_device::TileKind::{self, *};
use aiec_device::regmap::{
    BdFields, BdLayout, DmaCtrl, DmaState, DmaStatus, FieldLimit, QueueEntry, RegisterMap,
    RegisterRef, mux_word,
};
use aiec_device::switch::{MuxDir, MuxInput};
use aiec_device::{Bundle, DeviceModel, DmaDir, Port, TileLoc};

/// Offsets of AM025 and AM029 (`mlir-aie: lib/Dialect/AIE/Util/aie_registers_aie2.json` and the
/// driver headers `aie-rt: driver/src/global`).
const OFFSETS: &[(Arch, TileKind, u32, &str)] = &[
    (Aie2, Core, 0x32000, "Core_Control"),
    (Aie2, Core, 0x32004, "Core_Status"),
    (Aie2, Core, 0x36060, "Accumulator_Control"),
    (Aie2, Core, 0x34008, "Event_Generate"),
    (Aie2, Core, 0x3404c, "Event_Broadcast15"),
    (Aie2, Core, 0x3152c, "Performance_Counter3"),
    (Aie2, Core, 0x36030, "Tile_Control"),
    (Aie2, Core, 0x60000, "Module_Clock_Control"),
    (Aie2, Core, 0x3202c, "PC_Event3"),
    (Aie2, Core, 0x340e4, "Trace_Event1"),
    (
        Aie2,
        Core,
        0x3f818,
        "Stream_Switch_Deterministic_Merge_arb1_ctrl",
    ),
    (Aie2, Core, 0x1d000, "DMA_BD0_0"),
    (Aie2, Core, 0x1d1f4, "DMA_BD15_5"),
    (Aie2, Core, 0x1de08, "DMA_S2MM_1_Ctrl"),
    (Aie2, Core, 0x1de14, "DMA_MM2S_0_Start_Queue"),
    (Aie2, Core, 0x1de1c, "DMA_MM2S_1_Start_Queue"),
    (Aie2, Core, 0x1df04, "DMA_S2MM_Status_1"),
    (Aie2, Core, 0x1f0f0, "Lock15_value"),
    (Aie2, Core, 0x1f120, "Locks_Overflow"),
    (Aie2, Core, 0x14008, "Event_Generate"),
    (Aie2, Core, 0x1df1c, "DMA_S2MM_Current_Write_Count_1"),
    (Aie2, Core, 0x14104, "WatchPoint1"),
    (Aie2, Mem, 0xa0000, "DMA_BD0_0"),
    (Aie2, Mem, 0xa05fc, "DMA_BD47_7"),
    (Aie2, Mem, 0xa0628, "DMA_S2MM_5_Ctrl"),
    (Aie2, Mem, 0xa062c, "DMA_S2MM_5_Start_Queue"),
    (Aie2, Mem, 0xa0658, "DMA_MM2S_5_Ctrl"),
    (Aie2, Mem, 0xa064c, "DMA_MM2S_3_Start_Queue"),
    (Aie2, Mem, 0xa0690, "DMA_MM2S_Status_4"),
    (Aie2, Mem, 0xc03f0, "Lock63_value"),
    (Aie2, Mem, 0x96048, "Memory_Control"),
    (Aie2, Mem, 0x96030, "Tile_Control"),
    (Aie2, Mem, 0x94008, "Event_Generate"),
    (Aie2, Mem, 0xc042c, "Locks_Underflow_1"),
    (Aie2, ShimNoc, 0x1d000, "DMA_BD0_0"),
    (Aie2, ShimNoc, 0x1d1fc, "DMA_BD15_7"),
    (Aie2, ShimNoc, 0x1d208, "DMA_S2MM_1_Ctrl"),
    (Aie2, ShimNoc, 0x1d20c, "DMA_S2MM_1_Task_Queue"),
    (Aie2, ShimNoc, 0x1d210, "DMA_MM2S_0_Ctrl"),
    (Aie2, ShimNoc, 0x1d21c, "DMA_MM2S_1_Task_Queue"),
    (Aie2, ShimNoc, 0x1d22c, "DMA_MM2S_Status_1"),
    (Aie2, ShimNoc, 0x140f0, "Lock15_value"),
    (Aie2, ShimNoc, 0x1f000, "Mux_Config"),
    (Aie2, ShimNoc, 0x1f004, "Demux_Config"),
    (Aie2, ShimNoc, 0x34008, "Event_Generate"),
    (Aie2, ShimNoc, 0x36030, "Tile_Control"),
    (Aie2, ShimNoc, 0x31024, "Performance_Counter1"),
    (Aie2, ShimNoc, 0xfff20, "Column_Clock_Control"),
    (Aie2, ShimNoc, 0x3402c, "Event_Broadcast7_A"),
    (Aie2p, Core, 0x32000, "Core_Control"),
    (Aie2p, Core, 0x32004, "Core_Status"),
    (Aie2p, Core, 0x36060, "Accumulator_Control"),
    (Aie2p, Core, 0x34008, "Event_Generate"),
    (Aie2p, Core, 0x3404c, "Event_Broadcast15"),
    (Aie2p, Core, 0x3152c, "Performance_Counter3"),
    (Aie2p, Core, 0x60020, "Tile_Control"),
    (Aie2p, Core, 0x60000, "Module_Clock_Control"),
    (Aie2p, Core, 0x3202c, "PC_Event3"),
    (Aie2p, Core, 0x340e4, "Trace_Event1"),
    (
        Aie2p,
        Core,
        0x3f818,
        "Stream_Switch_Deterministic_Merge_arb1_ctrl",
    ),
    (Aie2p, Core, 0x1d000, "DMA_BD0_0"),
    (Aie2p, Core, 0x1d1f4, "DMA_BD15_5"),
    (Aie2p, Core, 0x1de08, "DMA_S2MM_1_Ctrl"),
    (Aie2p, Core, 0x1de14, "DMA_MM2S_0_Start_Queue"),
    (Aie2p, Core, 0x1de1c, "DMA_MM2S_1_Start_Queue"),
    (Aie2p, Core, 0x1df04, "DMA_S2MM_Status_1"),
    (Aie2p, Core, 0x1f0f0, "Lock15_value"),
    (Aie2p, Core, 0x1f120, "Locks_Overflow"),
    (Aie2p, Core, 0x14008, "Event_Generate"),
    (Aie2p, Core, 0x1df1c, "DMA_S2MM_Current_Write_Count_1"),
    (Aie2p, Core, 0x14104, "WatchPoint1"),
    (Aie2p, Mem, 0xa0000, "DMA_BD0_0"),
    (Aie2p, Mem, 0xa05fc, "DMA_BD47_7"),
    (Aie2p, Mem, 0xa0628, "DMA_S2MM_5_Ctrl"),
    (Aie2p, Mem, 0xa062c, "DMA_S2MM_5_Start_Queue"),
    (Aie2p, Mem, 0xa0658, "DMA_MM2S_5_Ctrl"),
    (Aie2p, Mem, 0xa064c, "DMA_MM2S_3_Start_Queue"),
    (Aie2p, Mem, 0xa0690, "DMA_MM2S_Status_4"),
    (Aie2p, Mem, 0xc03f0, "Lock63_value"),
    (Aie2p, Mem, 0xa06f4, "DMA_MM2S_5_Constant_Pad_Value"),
    (Aie2p, Mem, 0x96048, "Memory_Control"),
    (Aie2p, Mem, 0xfff20, "Tile_Control"),
    (Aie2p, Mem, 0x94008, "Event_Generate"),
    (Aie2p, Mem, 0xc042c, "Locks_Underflow_1"),
    (Aie2p, ShimNoc, 0x1d000, "DMA_BD0_0"),
    (Aie2p, ShimNoc, 0x1d1fc, "DMA_BD15_7"),
    (Aie2p, ShimNoc, 0x1d208, "DMA_S2MM_1_Ctrl"),
    (Aie2p, ShimNoc, 0x1d20c, "DMA_S2MM_1_Task_Queue"),
    (Aie2p, ShimNoc, 0x1d210, "DMA_MM2S_0_Ctrl"),
    (Aie2p, ShimNoc, 0x1d21c, "DMA_MM2S_1_Task_Queue"),
    (Aie2p, ShimNoc, 0x1d22c, "DMA_MM2S_Status_1"),
    (Aie2p, ShimNoc, 0x140f0, "Lock15_value"),
    (Aie2p, ShimNoc, 0x1f000, "Mux_Config"),
    (Aie2p, ShimNoc, 0x1f004, "Demux_Config"),
    (Aie2p, ShimNoc, 0x34008, "Event_Generate"),
    (Aie2p, ShimNoc, 0xfff40, "Tile_Control"),
    (Aie2p, ShimNoc, 0x31024, "Performance_Counter1"),
    (Aie2p, ShimNoc, 0xfff20, "Column_Clock_Control"),
    (Aie2p, ShimNoc, 0x3402c, "Event_Broadcast7_A"),
    (Aie2ps, Core, 0x38000, "Core_Control"),
    (Aie2ps, Core, 0x38004, "Core_Status"),
    (Aie2ps, Core, 0x36060, "Accumulator_Control"),
    (Aie2ps, Core, 0x34008, "Event_Generate"),
    (Aie2ps, Core, 0x3404c, "Event_Broadcast15"),
    (Aie2ps, Core, 0x3752c, "Performance_Counter3"),
    (Aie2ps, Core, 0x60020, "Tile_Control"),
    (Aie2ps, Core, 0x60000, "Module_Clock_Control"),
    (Aie2ps, Core, 0x3802c, "PC_Event3"),
    (Aie2ps, Core, 0x340e4, "Trace_Event1"),
    (
        Aie2ps,
        Core,
        0x3f818,
        "Stream_Switch_Deterministic_Merge_arb1_ctrl",
    ),
    (Aie2ps, Core, 0x1d000, "DMA_BD0_0"),
    (Aie2ps, Core, 0x1d1f4, "DMA_BD15_5"),
    (Aie2ps, Core, 0x1de08, "DMA_S2MM_1_Ctrl"),
    (Aie2ps, Core, 0x1de14, "DMA_MM2S_0_Start_Queue"),
    (Aie2ps, Core, 0x1de1c, "DMA_MM2S_1_Start_Queue"),
    (Aie2ps, Core, 0x1df04, "DMA_S2MM_Status_1"),
    (Aie2ps, Core, 0x1f0f0, "Lock15_value"),
    (Aie2ps, Core, 0x1f120, "Locks_Overflow"),
    (Aie2ps, Core, 0x14008, "Event_Generate"),
    (Aie2ps, Core, 0x1df1c, "DMA_S2MM_Current_Write_Count_1"),
    (Aie2ps, Core, 0x14104, "WatchPoint1"),
    (Aie2ps, Mem, 0xa0000, "DMA_BD0_0"),
    (Aie2ps, Mem, 0xa05fc, "DMA_BD47_7"),
    (Aie2ps, Mem, 0xa0628, "DMA_S2MM_5_Ctrl"),
    (Aie2ps, Mem, 0xa062c, "DMA_S2MM_5_Start_Queue"),
    (Aie2ps, Mem, 0xa0658, "DMA_MM2S_5_Ctrl"),
    (Aie2ps, Mem, 0xa064c, "DMA_MM2S_3_Start_Queue"),
    (Aie2ps, Mem, 0xa0690, "DMA_MM2S_Status_4"),
    (Aie2ps, Mem, 0xc03f0, "Lock63_value"),
    (Aie2ps, Mem, 0xa06f4, "DMA_MM2S_5_Constant_Pad_Value"),
    (Aie2ps, Mem, 0x96048, "Memory_Control"),
    (Aie2ps, Mem, 0xfff20, "Tile_Control"),
    (Aie2ps, Mem, 0x94008, "Event_Generate"),
    (Aie2ps, Mem, 0xc042c, "Locks_Underflow_1"),
    (Aie2ps, ShimNoc, 0x09000, "DMA_BD0_0"),
    (Aie2ps, ShimNoc, 0x092ec, "DMA_BD15_7"),
    (Aie2ps, ShimNoc, 0x090b0, "DMA_BD3_8"),
    (Aie2ps, ShimNoc, 0x09308, "DMA_S2MM_1_Ctrl"),
    (Aie2ps, ShimNoc, 0x0930c, "DMA_S2MM_1_Task_Queue"),
    (Aie2ps, ShimNoc, 0x09310, "DMA_MM2S_0_Ctrl"),
    (Aie2ps, ShimNoc, 0x0931c, "DMA_MM2S_1_Task_Queue"),
    (Aie2ps, ShimNoc, 0x0932c, "DMA_MM2S_Status_1"),
    (Aie2ps, ShimNoc, 0x000f0, "Lock15_value"),
    (Aie2ps, ShimNoc, 0x02104, "Mux_Config"),
    (Aie2ps, ShimNoc, 0x02108, "Demux_Config"),
    (Aie2ps, ShimNoc, 0x34008, "Event_Generate"),
    (Aie2ps, ShimNoc, 0x7ff40, "Tile_Control"),
    (Aie2ps, ShimNoc, 0x31024, "Performance_Counter1"),
    (Aie2ps, ShimNoc, 0x7ff20, "Column_Clock_Control"),
    (Aie2ps, ShimNoc, 0x3402c, "Event_Broadcast7_A"),
];

/// Every generation and kind of tile with a register map.
fn maps() -> impl Iterator<Item = (Arch, TileKind, &'static RegisterMap)> {
    Arch::ALL.into_iter().flat_map(|arch| {
        TileKind::ALL
            .into_iter()
            .filter_map(move |kind| Some((arch, kind, RegisterMap::of(arch, kind)?)))
    })
}

fn layouts() -> impl Iterator<Item = (Arch, TileKind, &'static BdLayout)> {
    maps().filter_map(|(arch, kind, _)| Some((arch, kind, BdLayout::of(arch, kind)?)))
}

#[test]
fn offsets_and_names_of_the_manuals() {
    for &(arch, kind, offset, name) in OFFSETS {
        let map = RegisterMap::of(arch, kind).unwrap();
        assert_eq!(
            map.name_at(offset).as_deref(),
            Some(name),
            "{arch} {kind} {offset:#x}"
        );
    }
}

#[test]
fn decoding_and_addressing_are_inverse() {
    assert_eq!(maps().count(), 11);
    for (arch, kind, map) in maps() {
        let mut last = None;
        for (offset, what) in map.registers() {
            assert_eq!(map.decode(offset), Some(what), "{arch} {kind} {offset:#x}");
            assert_eq!(map.offset_of(what), Some(offset), "{arch} {kind} {what:?}");
            assert_ne!(
                last,
                Some(offset),
                "two registers of {arch} {kind} at {offset:#x}"
            );
            last = Some(offset);
        }
    }
}

#[test]
fn fields_of_a_register_do_not_overlap() {
    for (arch, kind, map) in maps() {
        for (offset, what) in map.registers() {
            let (register, _) = map.register(what).unwrap();
            let mut used = 0;
            for field in register.fields() {
                assert_eq!(used & field.mask(), 0, "{arch} {kind} {offset:#x} {field}");
                used |= field.mask();
            }
        }
    }
}

#[test]
fn decoding_by_meaning() {
    let at = |arch, kind, offset| RegisterMap::of(arch, kind).unwrap().decode(offset);
    assert_eq!(
        at(Aie2, Core, 0xFFFC),
        Some(RegisterRef::DataMemory { byte: 0xFFFC })
    );
    assert_eq!(
        at(Aie2, Core, 0x23FFC),
        Some(RegisterRef::ProgramMemory { byte: 0x3FFC })
    );
    assert_eq!(
        at(Aie2, Core, 0x1F0A0),
        Some(RegisterRef::LockValue { id: 10 })
    );
    assert_eq!(at(Aie2, Mem, 0xA0634), {
        Some(RegisterRef::DmaQueue {
            dir: DmaDir::Mm2s,
            channel: 0,
        })
    });
    assert_eq!(
        at(Aie2ps, ShimNoc, 0x9068),
        Some(RegisterRef::BdWord { bd: 2, word: 2 })
    );
    assert_eq!(
        at(Aie2, Core, 0x1D018),
        None,
        "a core's descriptor has six words"
    );
    let north = Port::new(Bundle::North, 1);
    assert_eq!(
        at(Aie2p, Core, 0x3F038),
        Some(RegisterRef::MasterConfig { port: north })
    );
    let south = Port::new(Bundle::South, 1);
    assert_eq!(
        at(Aie2p, Core, 0x3F264),
        Some(RegisterRef::SlaveSlot {
            port: south,
            slot: 1
        })
    );
    let request = RegisterRef::LockRequest {
        id: 3,
        acquire: true,
        value: -1,
    };
    assert_eq!(
        at(Aie2, Core, 0x40000 + 3 * 0x400 + 0x200 + 0x1FC),
        Some(request)
    );
    assert_eq!(
        RegisterMap::of(Aie2, Core).unwrap().offset_of(request),
        Some(0x40FFC)
    );
    assert_eq!(at(Aie2, ShimPl, 0x1D000), None, "no DMA in a PL shim");
    assert_eq!(at(Aie2p, Mem, 0x9_0000), None);
    assert!(at(Aie2ps, ShimNoc, 0xD_7FFC).is_some());
    assert!(at(Aie2p, ShimNoc, 0xD_0000).is_none());
    assert!(RegisterMap::of(Aie1, Core).is_none());
    let npu = DeviceModel::by_name("npu2").unwrap();
    let core = TileLoc::new(1, 2);
    assert_eq!(
        npu.register_address(core, RegisterRef::CoreControl),
        Some(0x0223_2000)
    );
    assert_eq!(
        npu.register_at(0x0223_2000),
        Some((core, RegisterRef::CoreControl))
    );
    assert_eq!(
        npu.register_at(0x2023_2000),
        None,
        "column 16 is off the grid"
    );
}

/// A descriptor with a different value in everything the layout has.
fn full_bd(kind: TileKind, arch: Arch) -> BdFields {
    let mut bd = BdFields {
        valid: true,
        base_address: 0x1230,
        length: 1000,
        steps: [3, 5, 7, 1],
        wraps: [11, 13, 0],
        iteration_step: 17,
        iteration_count: 19,
        iteration_current: 6,
        packet_enable: true,
        packet_id: 21,
        packet_type: 5,
        out_of_order_id: 33,
        use_next: true,
        next_bd: 14,
        lock_acq_enable: true,
        lock_acq_id: 9,
        lock_acq_value: -12,
        lock_rel_id: 10,
        lock_rel_value: 34,
        tlast_suppress: true,
        ..BdFields::default()
    };
    match kind {
        Core => bd.compression = true,
        Mem => {
            bd.base_address = 0x1F_FFFC;
            bd.steps[3] = 23;
            bd.wraps[2] = 29;
            bd.compression = true;
            bd.pad_before = [63, 31, 15];
            bd.pad_after = [62, 30, 14];
            if arch == Aie2ps {
                bd.pad_before = [63, 63, 62];
                bd.pad_after = [1, 62, 61];
                bd.steps[3] = 0;
            }
        }
        ShimNoc | ShimPl => {
            bd.base_address = 0xABCD_1234_5678;
            if arch == Aie2ps {
                bd.base_address |= 0x1A5 << 48;
            } else {
                bd.smid = 11;
            }
            bd.burst = 2;
            bd.ax_cache = 2;
            bd.ax_qos = 7;
            bd.secure = true;
        }
    }
    bd
}

#[test]
fn descriptors_round_trip() {
    assert_eq!(layouts().count(), 9);
    for (arch, kind, layout) in layouts() {
        let full = full_bd(kind, arch);
        let words = layout.pack(&full).unwrap();
        assert_eq!(layout.unpack(&words), full, "{arch} {kind}");
        assert_eq!(layout.next(&words), full.next(), "{arch} {kind}");
        let empty = BdFields::default();
        let zeros = layout.pack(&empty).unwrap();
        assert!(zeros.iter().all(|&word| word == 0), "{arch} {kind}");
        assert_eq!(layout.unpack(&zeros), empty);
        assert_eq!(layout.next(&zeros), None);
        // Every bit of every word is either meaningless or survives.
        for bit in 0..u32::from(layout.words()) * 32 {
            let mut words = zeros.clone();
            words[bit as usize / 32] |= 1 << (bit % 32);
            let again = layout.pack(&layout.unpack(&words)).unwrap();
            assert!(again == words || again == zeros, "{arch} {kind} bit {bit}");
        }
    }
}

#[test]
fn descriptor_words_of_real_programs() {
    // Printed by mlir-aie for npu2: `dma_memcpy_nd` [0,0,0,16][2,4,8,16][1024,256,32,1] of i32,
    // and a task on a core's MM2S 1.
    let shim = BdLayout::of(Aie2p, ShimNoc).unwrap();
    let memcpy = BdFields {
        valid: true,
        length: 512,
        steps: [1, 32, 256, 1],
        wraps: [16, 8, 0],
        iteration_step: 1024,
        iteration_count: 2,
        burst: 3,
        ax_cache: 2,
        ..BdFields::default()
    };
    let words = [
        0x200,
        0,
        0,
        0x0100_0000,
        0xC080_001F,
        0x0200_00FF,
        0x0010_03FF,
        0x0200_0000,
    ];
    assert_eq!(shim.pack(&memcpy).unwrap(), words);
    assert_eq!(shim.unpack(&words), memcpy);
    let core = BdLayout::of(Aie2p, Core).unwrap();
    let words = [
        0x0002_0020,
        0x4049_0000,
        0x0001_E000,
        0x0080_803F,
        0,
        0x0204_7FE3,
    ];
    let task = BdFields {
        valid: true,
        base_address: 32,
        length: 32,
        steps: [1, 16, 64, 1],
        wraps: [4, 4, 0],
        packet_enable: true,
        packet_id: 9,
        packet_type: 1,
        lock_acq_enable: true,
        lock_acq_id: 3,
        lock_acq_value: -1,
        lock_rel_id: 3,
        lock_rel_value: 1,
        ..BdFields::default()
    };
    assert_eq!(core.unpack(&words), task);
    assert_eq!(core.pack(&task).unwrap(), words);
    assert_eq!(core.address_word(), 0);
    assert_eq!(shim.address_word(), 1);
    assert_eq!(BdLayout::of(Aie2ps, ShimNoc).unwrap().words(), 9);
    assert_eq!(BdLayout::of(Aie2ps, ShimNoc).unwrap().stride(), 0x30);
}

#[test]
fn descriptors_refuse_what_does_not_fit() {
    let core = BdLayout::of(Aie2, Core).unwrap();
    let error = |change: fn(&mut BdFields)| {
        let mut bd = BdFields::default();
        change(&mut bd);
        core.pack(&bd).unwrap_err()
    };
    let length = error(|bd| bd.length = 16384);
    assert_eq!(
        (length.value, length.limit),
        (16384, FieldLimit::Range(0, 16383, 1))
    );
    assert_eq!(
        length.to_string(),
        "length (words) of 16384 is out of range: 0 to 16383"
    );
    assert_eq!(
        error(|bd| bd.steps[0] = 0).limit,
        FieldLimit::Range(1, 8192, 1)
    );
    assert_eq!(error(|bd| bd.steps[3] = 2).limit, FieldLimit::Absent(1));
    assert_eq!(error(|bd| bd.steps[3] = 0).limit, FieldLimit::Absent(0));
    assert_eq!(error(|bd| bd.wraps[2] = 2).limit, FieldLimit::Absent(0));
    assert_eq!(
        error(|bd| bd.base_address = 2).limit,
        FieldLimit::Range(0, 0xFFFC, 4)
    );
    assert_eq!(
        error(|bd| bd.lock_acq_value = 64).limit,
        FieldLimit::Range(-64, 63, 1)
    );
    assert_eq!(
        error(|bd| bd.pad_before[0] = 1).limit,
        FieldLimit::Absent(0)
    );
    assert_eq!(
        error(|bd| bd.iteration_count = 65).limit,
        FieldLimit::Range(1, 64, 1)
    );
    assert_eq!(
        error(|bd| bd.iteration_count = 0).limit,
        FieldLimit::Range(1, 64, 1)
    );
}

#[test]
fn queue_control_and_status_words() {
    let queue = QueueEntry {
        bd: 3,
        repeat: 1,
        token: true,
    };
    let word = queue.pack(Aie2p, ShimNoc, DmaDir::Mm2s).unwrap().unwrap();
    assert_eq!(word, 0x8001_0003);
    assert_eq!(
        QueueEntry::unpack(Aie2p, ShimNoc, DmaDir::Mm2s, word),
        Some(queue)
    );
    let far = QueueEntry {
        bd: 47,
        repeat: 0,
        token: false,
    };
    assert_eq!(far.pack(Aie2, Mem, DmaDir::S2mm).unwrap(), Ok(47));
    assert!(far.pack(Aie2, Core, DmaDir::S2mm).unwrap().is_err());
    assert!(far.pack(Aie2, ShimPl, DmaDir::S2mm).is_none());

    let control = DmaCtrl {
        controller_id: 15,
        ..DmaCtrl::default()
    };
    assert_eq!(
        control.pack(Aie2, ShimNoc, DmaDir::S2mm).unwrap(),
        Ok(0xF00)
    );
    let reset = DmaCtrl {
        reset: true,
        ..DmaCtrl::default()
    };
    assert_eq!(reset.pack(Aie2, Mem, DmaDir::Mm2s).unwrap(), Ok(2));
    assert!(reset.pack(Aie2, ShimNoc, DmaDir::S2mm).unwrap().is_err());
    let pause = DmaCtrl::unpack(Aie2, ShimNoc, DmaDir::S2mm, 2).unwrap();
    assert!(pause.pause_memory && !pause.reset);

    for (arch, kind, shift) in [(Aie2, Core, 24), (Aie2, Mem, 24), (Aie2ps, ShimNoc, 25)] {
        let status = DmaStatus {
            state: DmaState::Running,
            stalled_stream: true,
            running: true,
            queue_size: 2,
            current_bd: 9,
            ..DmaStatus::default()
        };
        let word = status.pack(arch, kind, DmaDir::Mm2s).unwrap().unwrap();
        assert_eq!(word >> shift, 9);
        assert_eq!(word & 0x8_0013, 0x8_0012);
        assert_eq!(
            DmaStatus::unpack(arch, kind, DmaDir::Mm2s, word),
            Some(status)
        );
    }
}

#[test]
fn shim_mux_words() {
    // As mlir-aie writes them for npu2: DMA 0 -> North 3, North 2 -> DMA 0.
    let into = mux_word(Aie2p, MuxDir::In, 3, MuxInput::Dma);
    assert_eq!(into, Some((RegisterRef::ShimMux, 0x400, 0xC00)));
    let out = mux_word(Aie2p, MuxDir::Out, 2, MuxInput::Dma);
    assert_eq!(out, Some((RegisterRef::ShimDemux, 0x10, 0x30)));
    let noc = mux_word(Aie2p, MuxDir::Out, 5, MuxInput::Noc);
    assert_eq!(noc, Some((RegisterRef::ShimDemux, 0x800, 0xC00)));
    assert_eq!(mux_word(Aie2p, MuxDir::In, 2, MuxInput::Dma), None);
    let first = mux_word(Aie2ps, MuxDir::Out, 1, MuxInput::Dma);
    assert_eq!(first, Some((RegisterRef::ShimDemux, 0x4, 0xC)));
    assert_eq!(mux_word(Aie2ps, MuxDir::Out, 2, MuxInput::Dma), None);
}
