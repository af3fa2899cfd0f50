//! Any control code and any register writes: the simulator ends somehow, without a panic.
//!
//! The first byte chooses: even, the rest is a file of control code; odd, the rest is a list of
//! writes and reads of the register bus with time between them.
#![no_main]

use aiec_device::DeviceModel;
use aiec_sim::array::{Array, Timing};
use aiec_sim::{HostBuffer, SimOptions, simulate};
use libfuzzer_sys::fuzz_target;

/// Cycles of a run at most: inputs are small, and a fuzzer wants many.
const CYCLES: u64 = 20_000;
/// Arguments of a file, and the bytes of each.
const ARGUMENTS: u32 = 4;
const ARGUMENT_BYTES: usize = 1 << 12;
/// Bytes of an access: column and row, offset (3), value (4), cycles before it.
const ACCESS: usize = 9;
/// Devices of the register bus: one of each generation that has a register map.
const DEVICES: [&str; 3] = ["npu1", "npu2", "xcve3858"];

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, rest)) = bytes.split_first() else {
        return;
    };
    match choice % 2 {
        0 => file(rest),
        _ => registers(usize::from(choice / 2), rest),
    }
});

fn file(bytes: &[u8]) {
    let arguments = (0..ARGUMENTS).map(|index| HostBuffer {
        index,
        bytes: vec![0; ARGUMENT_BYTES],
    });
    let options = SimOptions {
        max_cycles: CYCLES,
        report_unmapped: true,
        ..SimOptions::default()
    };
    let _ = simulate(bytes, arguments.collect(), &options);
}

fn registers(device: usize, bytes: &[u8]) {
    let Some(device) = DeviceModel::by_name(DEVICES[device % DEVICES.len()]) else {
        return;
    };
    let mut array = Array::new(device, Timing::of(device.arch()));
    array.allow_unmapped();
    let mut now = 0;
    for access in bytes.chunks_exact(ACCESS) {
        // Four columns and eight rows, so that most accesses meet a tile.
        let (col, row) = (u32::from(access[0] & 3), u32::from(access[0] >> 2 & 7));
        let offset = u32::from_le_bytes([access[1], access[2], access[3] & 0xF, 0]) & !3;
        let value = u32::from_le_bytes([access[4], access[5], access[6], access[7]]);
        let address = col << 25 | row << 20 | offset;
        now += u64::from(access[8]);
        let _ = match access[0] >> 7 {
            0 => array.bus_write(now, address, value).map(|()| 0),
            _ => array.bus_read(now, address),
        };
    }
    array.advance(now + CYCLES);
}
