//! Where scratch pads lie.

use crate::page::PAGE_BYTES;
use crate::program::Group;

/// Where the pads of a controller lie, in bytes from page 0.
pub(super) struct PadLayout {
    pub offsets: Vec<u32>,
    pub bytes: Vec<u8>,
}

impl PadLayout {
    /// Pads follow the pages, sorted by name. Offsets are rounded up to 4 bytes but the contents
    /// are not: the vendor's assembler does so, and sizes other than multiples of 4 only arise from
    /// files.
    pub fn new(group: &Group, pages: usize) -> Self {
        let mut order: Vec<usize> = (0..group.pads.len()).collect();
        order.sort_by(|&a, &b| group.pads[a].name.cmp(&group.pads[b].name));
        let mut offsets = vec![0; group.pads.len()];
        let mut bytes = Vec::new();
        let mut at = pages * PAGE_BYTES;
        for i in order {
            at = at.next_multiple_of(4);
            offsets[i] = at as u32;
            at += group.pads[i].bytes.len();
            bytes.extend_from_slice(&group.pads[i].bytes);
        }
        Self { offsets, bytes }
    }
}
