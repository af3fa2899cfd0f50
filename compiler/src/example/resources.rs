//! Resources of the array that a routed design uses.

use std::fmt::Write;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Buffer, OpKind};

/// Counts over all devices of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Cores with a program.
    pub cores: usize,
    /// Buffers in the tiles.
    pub buffers: usize,
    /// Their sizes together, in bytes.
    pub buffer_bytes: u64,
    /// Locks.
    pub locks: usize,
    /// DMA channels that are started when the array is configured.
    pub channels: usize,
    /// Buffer descriptors of tiles (those of the runtime sequence come and go).
    pub descriptors: usize,
    /// Stream switches with a connection.
    pub switches: usize,
    /// Circuit connections in them.
    pub connections: usize,
    /// Packet rules in them.
    pub rules: usize,
}

impl Resources {
    /// Counts; the module must be routed.
    pub fn of(module: &Module) -> Resources {
        let mut counts = Resources::default();
        for op in module.walk(module.top()) {
            match module.kind(op) {
                OpKind::Core => counts.cores += 1,
                OpKind::Buffer => {
                    counts.buffers += 1;
                    counts.buffer_bytes += Buffer(op).bytes(module).unwrap_or(0);
                }
                OpKind::Lock => counts.locks += 1,
                OpKind::DmaStart | OpKind::Dma => counts.channels += 1,
                OpKind::DmaBd if module.ancestor(op, OpKind::RuntimeSequence).is_none() => {
                    counts.descriptors += 1;
                }
                OpKind::Switchbox => counts.switches += 1,
                OpKind::Connect if module.ancestor(op, OpKind::Switchbox).is_some() => {
                    counts.connections += 1;
                }
                OpKind::Rule => counts.rules += 1,
                _ => {}
            }
        }
        counts
    }

    /// One line for each kind, with a margin.
    pub fn lines(&self) -> String {
        let rows = [
            ("cores", format!("{}", self.cores)),
            (
                "buffers",
                format!("{} ({} bytes)", self.buffers, self.buffer_bytes),
            ),
            ("locks", format!("{}", self.locks)),
            (
                "DMA",
                format!(
                    "{} channels, {} BDs in tiles",
                    self.channels, self.descriptors
                ),
            ),
            (
                "switches",
                format!(
                    "{} with {} connections and {} packet rules",
                    self.switches, self.connections, self.rules
                ),
            ),
        ];
        let mut out = String::new();
        for (name, value) in rows {
            let _ = writeln!(out, "  {name:<14}{value}");
        }
        out
    }
}
