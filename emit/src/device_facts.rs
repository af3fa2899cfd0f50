//! `aiec translate --aie-generate-json`, `--aie-generate-target-arch`: what host programs and scripts
//! ask about a design's devices, as mlir-aie writes it
//! (`mlir-aie: lib/Targets/AIETargetShared.cpp`, `AIETargets.cpp`).

use std::collections::BTreeMap;
use std::fmt::Write;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpView, ShimDmaAllocation};
use aiec_device::{Arch, DmaDir};

/// The channels of shim DMAs that the design allocates, by their names.
pub fn shim_allocations(module: &Module) -> Vec<u8> {
    let mut found: BTreeMap<String, [i64; 3]> = BTreeMap::new();
    for device in module.children::<Device>(module.top()) {
        for allocation in module.children::<ShimDmaAllocation>(device.op()) {
            let name = module.str_attr(allocation.op(), "sym_name");
            let place = allocation.tile_loc(module);
            let (Some(name), Some(tile), Some(dir)) = (name, place, allocation.channel_dir(module))
            else {
                continue;
            };
            let dir = i64::from(dir == DmaDir::Mm2s);
            let index = allocation.channel_index(module);
            let values = found.entry(name.to_string());
            values.or_insert([dir, index, tile.col.into()]);
        }
    }
    let entries: Vec<String> = found.into_iter().map(entry).collect();
    let mut out = String::from("{\n");
    out += &entries.join(",\n");
    out += if entries.is_empty() { "}\n" } else { "\n}\n" };
    out.into_bytes()
}

fn entry((name, [dir, index, col]): (String, [i64; 3])) -> String {
    let mut out = format!("  {:?}: {{\n", name);
    let _ = write!(
        out,
        "    \"channelDir\": {dir},\n    \"channelIndex\": {index},\n    \"col\": {col}\n  }}"
    );
    out
}

/// The architecture of each device, a line each; that of a module without one is the first.
pub fn architectures(module: &Module) -> Vec<u8> {
    let devices = module.children::<Device>(module.top()).into_iter();
    let mut names: Vec<&str> = devices
        .filter_map(|device| Some(arch_name(device.model(module)?.arch())))
        .collect();
    if names.is_empty() {
        names.push(arch_name(Arch::Aie1));
    }
    names
        .join("\n")
        .into_bytes()
        .into_iter()
        .chain(*b"\n")
        .collect()
}

fn arch_name(arch: Arch) -> &'static str {
    match arch {
        Arch::Aie1 => "AIE",
        later => later.name(),
    }
}
