//! `aiec translate --aie-generate-json`, `--aie-generate-target-arch`: what host programs and scripts
//! ask about a design's devices, as mlir-aie writes it
//! (`mlir-aie: lib/Targets/AIETargetShared.cpp`, `AIETargets.cpp`).

use std::collections::BTreeMap;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpView, ShimDmaAllocation};
use aiec_device::{Arch, DmaDir};
use serde_json::{Value, json};

/// The channels of shim DMAs that the design allocates, by their names.
pub fn shim_allocations(module: &Module) -> Vec<u8> {
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    for device in module.children::<Device>(module.top()) {
        for allocation in module.children::<ShimDmaAllocation>(device.op()) {
            let name = module.str_attr(allocation.op(), "sym_name");
            let place = allocation.tile_loc(module);
            let (Some(name), Some(tile), Some(dir)) = (name, place, allocation.channel_dir(module))
            else {
                continue;
            };
            let channel = json!({
                "channelDir": u8::from(dir == DmaDir::Mm2s),
                "channelIndex": allocation.channel_index(module),
                "col": tile.col,
            });
            found.entry(name.to_string()).or_insert(channel);
        }
    }
    if found.is_empty() {
        return b"{\n}\n".to_vec();
    }
    // Maps of names and numbers are always JSON.
    let text = serde_json::to_string_pretty(&found).unwrap_or_default();
    (text + "\n").into_bytes()
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
    (names.join("\n") + "\n").into_bytes()
}

fn arch_name(arch: Arch) -> &'static str {
    match arch {
        Arch::Aie1 => "AIE",
        later => later.name(),
    }
}
