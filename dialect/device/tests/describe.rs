//! Addresses and words in plain language.

use aiec_device::regmap::{Module, RegisterMap, RegisterRef};
use aiec_device::{Arch, DeviceModel, TileKind, TileLoc};

fn device(name: &str) -> &'static DeviceModel {
    DeviceModel::by_name(name).expect(name)
}

/// The description of a write of a word to an offset of a tile.
fn reads(name: &str, (col, row): (u8, u8), offset: u32, word: u32) -> String {
    let device = device(name);
    let address = device.tile_address(TileLoc::new(col, row), offset);
    let place = device.describe(address).expect("something is there");
    format!("{place}: {}", place.says(word))
}

#[test]
fn writes_read_like_sentences() {
    let cases = [
        (
            reads("npu1", (1, 3), 0x1D094, 0x1600_0000),
            "tile (1,3) DMA BD 4 word 5: next_bd=2 use_next_bd=1 valid_bd=1",
        ),
        // a lock value of 7 bits, minus 1
        (
            reads("npu1", (1, 3), 0x1D014, 0x0000_1FE1),
            "tile (1,3) DMA BD 0 word 5: lock_acq_enable=1 lock_acq_value=-1 lock_acq_id=1",
        ),
        (
            reads("npu2", (0, 2), 0x1DE04, 0x8003_0005),
            "tile (0,2) DMA S2MM 0 task queue: enable_token_issue=1 repeat_count=3 start_bd_id=5",
        ),
        (
            reads("xcve3858", (2, 1), 0xC0010, 3),
            "tile (2,1) lock 1: lock_value=3",
        ),
        (
            reads("npu1", (0, 2), 0x32000, 0),
            "tile (0,2) core control: 0",
        ),
        (
            reads("npu1", (0, 2), 0x400, 0x1234),
            "tile (0,2) data memory 0x400: 0x1234",
        ),
        (
            reads("npu1", (0, 2), 0x20010, 7),
            "tile (0,2) program memory 0x10: 7",
        ),
        (
            reads("npu1", (0, 2), 0x34000, 0x8000_0000),
            "tile (0,2) core module Timer_Control: reset=1",
        ),
        (
            reads("npu1", (0, 2), 0x14000, 0x8000_0000),
            "tile (0,2) memory module Timer_Control: reset=1",
        ),
        (
            reads("npu1", (0, 0), 0x3F000, 0x8000_0003),
            "tile (0,0) switch output TileControl 0: from South 1",
        ),
        (
            reads("npu1", (0, 0), 0x3F004, 0xC000_0009),
            "tile (0,0) switch output FIFO 0: packets of arbiter=1 msels=0x1",
        ),
        (
            reads("npu1", (0, 0), 0x3F004, 0),
            "tile (0,0) switch output FIFO 0: off",
        ),
    ];
    for (found, wanted) in cases {
        assert_eq!(found, wanted);
    }
}

#[test]
fn masked_writes_say_what_they_touch() {
    let place = device("npu1").describe(0x1D210).expect("a register");
    assert_eq!(place.to_string(), "tile (0,0) DMA MM2S 0 control");
    assert_eq!(place.says_masked(0xFF00, 0x4200), "controller_id=66");
    assert_eq!(place.says_masked(0xFF00, 0), "controller_id=0");
}

#[test]
fn nothing_is_described_as_nothing() {
    let npu = device("npu1");
    assert_eq!(npu.describe(0x0FFF_0000), None, "no such tile");
    assert_eq!(npu.describe(0x000F_0000), None, "no such register");
    assert_eq!(device("xcvc1902").describe(0), None, "no register map");
}

/// Every register of every map has a sentence, and belongs to a module of its tile.
#[test]
fn all_registers_are_described() {
    for name in ["npu1", "npu2", "xcve2302", "xcve3858"] {
        let device = device(name);
        for loc in device.tiles().filter(|loc| loc.col == 0) {
            let Some(map) = device.register_map(loc) else {
                continue;
            };
            let kind = device.tile_kind(loc).expect("on the grid");
            for (offset, what) in map.registers() {
                let place = device
                    .describe(device.tile_address(loc, offset))
                    .expect("a register");
                assert_eq!((place.what, place.loc), (what, loc));
                assert_eq!(Some(place.name.clone()), map.name_at(offset));
                let fits = match place.module {
                    Module::Core | Module::Memory => kind == TileKind::Core,
                    Module::MemTile => kind == TileKind::Mem,
                    Module::Shim | Module::Controller => kind.is_shim(),
                };
                assert!(fits, "{place}");
                if let RegisterRef::Known { module, .. } = what {
                    assert_eq!(place.module, module, "{place}");
                }
                assert!(!place.says(u32::MAX).is_empty(), "{place}");
            }
        }
    }
    assert!(RegisterMap::of(Arch::Aie1, TileKind::Core).is_none());
}
