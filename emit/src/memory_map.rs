//! `memory-map`: where the stacks and buffers of each tile lie.
//!
//! One block of lines for each tile with buffers or a core, column by column; byte addresses of
//! the tile's own data memory, ascending.

use std::collections::BTreeMap;
use std::fmt::Write;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Buffer, Core, Device, OpKind};
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diags, Reported, SourceMap};

/// A stretch of a tile's memory, in bytes.
struct AddressRange {
    address: u64,
    bytes: u64,
    name: String,
}

/// The map of all devices of the module.
pub fn emit(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    let mut out = String::new();
    for device in module.find(module.top(), OpKind::Device) {
        if let Some(model) = Device(device).model(module) {
            let _ = writeln!(
                out,
                "device {} ({})",
                Device(device).name(module),
                model.name()
            );
            for (loc, stretches) in tiles(module, device, model) {
                tile(&mut out, model, loc, &stretches);
            }
        }
    }
    Ok(out.into_bytes())
}

fn tiles(module: &Module, device: Op, model: &DeviceModel) -> BTreeMap<TileLoc, Vec<AddressRange>> {
    let mut tiles: BTreeMap<TileLoc, Vec<AddressRange>> = BTreeMap::new();
    for core in module.find_all::<Core>(device) {
        if let Some(loc) = core.tile_loc(module) {
            let default = model.arch_model().default_stack_bytes.into();
            let written = core
                .stack_size(module)
                .and_then(|size| u64::try_from(size).ok());
            let bytes = written.unwrap_or(default);
            let stack = AddressRange {
                address: 0,
                bytes,
                name: "stack".to_string(),
            };
            tiles.entry(loc).or_default().push(stack);
        }
    }
    for buffer in module.find_all::<Buffer>(device) {
        let address = buffer
            .address(module)
            .and_then(|address| u64::try_from(address).ok());
        if let (Some(loc), Some(address), Some(bytes)) =
            (buffer.tile_loc(module), address, buffer.bytes(module))
        {
            let name = buffer
                .sym_name(module)
                .map_or("buffer".to_string(), |n| n.to_string());
            tiles.entry(loc).or_default().push(AddressRange {
                address,
                bytes,
                name,
            });
        }
    }
    for stretches in tiles.values_mut() {
        stretches.sort_by_key(|stretch| stretch.address);
    }
    tiles
}

fn tile(out: &mut String, model: &DeviceModel, loc: TileLoc, stretches: &[AddressRange]) {
    let Some(tile) = model.tile(loc) else { return };
    let used: u64 = stretches.iter().map(|stretch| stretch.bytes).sum();
    let total = tile.memory_bytes;
    let _ = writeln!(out, "\ntile {loc}: {used} of {total} bytes");
    for stretch in stretches {
        let AddressRange {
            address,
            bytes,
            name,
        } = stretch;
        let bank = address / u64::from(tile.banks.bytes.max(1));
        let last = address + bytes.saturating_sub(1);
        let _ = writeln!(
            out,
            "  0x{address:05x} to 0x{last:05x}  bank {bank}  {bytes:>6} bytes  {name}"
        );
    }
}
