//! The objects of fifos whose lifetime is watched.

use std::collections::{BTreeMap, BTreeSet};

use aiec_cert::debug::{DebugInfo, ResourceKind};
use aiec_device::{LockId, TileLoc};

use crate::race::FifoEnd;

/// Objects and locks of one end of a fifo.
#[derive(Default)]
struct EndParts {
    depth: u32,
    /// Objects by number: first byte and the byte after the last.
    objects: BTreeMap<usize, (u64, u64)>,
    locks: Vec<LockId>,
}

/// The ends of fifos that cores use, as far as the debug section shows all of their objects.
pub(crate) fn fifo_ends(debug: Option<&DebugInfo>) -> Vec<FifoEnd> {
    let Some(debug) = debug else {
        return Vec::new();
    };
    let mut ends: BTreeMap<(&str, bool, TileLoc), EndParts> = BTreeMap::new();
    let mut buffers: Vec<(TileLoc, u64, u64)> = Vec::new();
    for resource in &debug.resources {
        let tile = TileLoc::new(resource.column, resource.row);
        let end = resource.fifo.as_ref().map(|part| {
            let end = ends.entry((&part.fifo, part.produces, tile)).or_default();
            end.depth = part.depth;
            end
        });
        match resource.kind {
            ResourceKind::Buffer { address, bytes } => {
                let (start, behind) = (address.into(), u64::from(address) + u64::from(bytes));
                buffers.push((tile, start, behind));
                if let Some(end) = end
                    && let Some(number) = object_number(&resource.name)
                {
                    end.objects.insert(number, (start, behind));
                }
            }
            ResourceKind::Lock { id } => {
                if let Some(end) = end {
                    end.locks.push(LockId { tile, index: id });
                }
            }
            _ => {}
        }
    }
    buffers.sort_unstable();
    // Designs that are loaded one after the other have buffers at the same addresses.
    let shared = buffers.windows(2).filter(|pair| {
        let [(tile, _, behind), (next_tile, next, _)] = [pair[0], pair[1]];
        tile == next_tile && next < behind
    });
    let shared: BTreeSet<TileLoc> = shared.map(|pair| pair[0].0).collect();
    let sides: Vec<(&str, bool, TileLoc)> = ends.keys().copied().collect();
    let whole = ends.into_iter().filter(|((_, _, tile), end)| {
        let numbers = end.objects.keys().copied();
        !shared.contains(tile) && numbers.eq(0..end.depth as usize)
    });
    let with_cores = whole.filter_map(|((fifo, produces, tile), end)| {
        let others = |produces: bool| {
            let same = sides
                .iter()
                .filter(|side| (side.0, side.1) == (fifo, produces));
            same.count()
        };
        // One pool for both sides, or one for each of several consumers.
        let (is_shared, is_only) = (others(!produces) == 0, others(produces) == 1);
        let uses = debug.programs.iter().filter(|marks| {
            let mut uses = marks.fifo_uses.iter();
            uses.any(|used| used.fifo == fifo && (is_shared || used.produces == produces))
        });
        let cores = uses.map(|marks| TileLoc::new(marks.column, marks.row));
        let cores: BTreeSet<TileLoc> = cores.filter(|core| is_only || *core == tile).collect();
        (!cores.is_empty()).then(|| FifoEnd {
            fifo: fifo.to_string(),
            tile,
            objects: end.objects.into_values().collect(),
            locks: end.locks,
            cores: cores.into_iter().collect(),
        })
    });
    with_cores.collect()
}

/// The number at the end of an object's name.
fn object_number(name: &str) -> Option<usize> {
    name.rsplit_once("_buff_")?.1.parse().ok()
}
