//! Scenarios on the array with hand-computed results. Every register value is packed by
//! aiec-device, as the compiler packs it.

mod support;

mod banks;
mod calibration;
mod compression;
mod control;
mod cores;
mod dma_modes;
mod events;
mod features;
mod hazards;
mod locks;
mod machine_code;
mod mem_tile;
mod packets;
mod robustness;
mod shim;
mod split_join;
mod streams;
mod timing;
mod tokens;
mod transfers;
