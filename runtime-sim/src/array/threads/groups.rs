//! Which columns depend on one another: their streams, cascades, and host memory that one writes.
//!
//! Other couplings of columns (locks and memories of neighbours, control packets, broadcasts) shows
//! when it happens ([`super::limits`]).

use aiec_device::DmaDir;
use aiec_device::regmap::{BdFields, SwitchMaster};

use crate::array::Array;
use crate::array::address::Walk;
use crate::array::bd::{WORD_BYTES, base_word, dims};
use crate::array::cascade::Axis;

/// Bytes of host memory that the tasks of a column's channels access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostRange {
    pub start: u64,
    pub end: u64,
    pub column: u8,
    pub writes: bool,
}

/// Columns in sets that depend on one another.
struct Dependences {
    /// The least column of the set, by column.
    sets: Vec<u8>,
}

impl Dependences {
    fn join(&mut self, a: u8, b: u8) {
        let (a, b) = (self.sets[usize::from(a)], self.sets[usize::from(b)]);
        let (least, other) = (a.min(b), a.max(b));
        let members = self.sets.iter_mut().filter(|set| **set == other);
        members.for_each(|set| *set = least);
    }
}

/// Bytes of host memory that a descriptor leads to, whatever its iteration.
fn bytes_of(bd: &BdFields) -> (u64, u64) {
    let first = BdFields {
        iteration_current: 0,
        ..bd.clone()
    };
    let (from, to) = Walk::new(base_word(&first), bd.length, dims(&first)).extent();
    let iterations = bd
        .iteration_count
        .saturating_sub(1)
        .max(bd.iteration_current);
    let steps = u64::from(iterations) * u64::from(bd.iteration_step);
    let to = to.saturating_add(steps);
    (
        from.saturating_mul(WORD_BYTES),
        to.saturating_mul(WORD_BYTES),
    )
}

impl Array {
    /// Ranges of host memory that the tasks of all shim channels access, by address. `None` if a packet chooses that.
    pub(super) fn host_ranges(&self) -> Option<Vec<HostRange>> {
        let mut ranges = Vec::new();
        for (info, dma) in self.grid.tiles.iter().zip(&self.dma) {
            let channels = dma.channels.iter().filter(|c| !c.is_quiescent());
            for channel in channels.filter(|_| info.kind.is_shim()) {
                if channel.is_out_of_order() {
                    return None;
                }
                let loaded = channel.loaded_bd().into_iter().cloned();
                let all = dma.loaded_by(channel).map(|(_, bd)| bd).chain(loaded);
                ranges.extend(all.map(|bd| {
                    let (start, end) = bytes_of(&bd);
                    HostRange {
                        start,
                        end,
                        column: info.loc.col,
                        writes: channel.id.dir == DmaDir::S2mm,
                    }
                }));
            }
        }
        ranges.sort_by_key(|range| (range.start, range.end, range.column));
        Some(ranges)
    }

    /// Up to `most` independent groups of the columns at work, each of about the same weight.
    pub(super) fn column_groups(&self, most: usize, ranges: &[HostRange]) -> Vec<Vec<u8>> {
        let columns = self.device.columns();
        let mut dependences = Dependences {
            sets: (0..columns).collect(),
        };
        let mut weights = vec![0u32; usize::from(columns)];
        for (tile, info) in self.grid.tiles.iter().enumerate() {
            let column = info.loc.col;
            let masters = self.net.switches[tile].masters.iter();
            let on = masters.filter(|master| master.config != SwitchMaster::Off);
            for target in on.filter_map(|master| master.target) {
                let place = self.net.place(target).tile;
                dependences.join(column, self.grid.loc(place).col);
            }
            let cascade = &self.cascades[tile];
            if cascade.output == Axis::Horizontal && column + 1 < columns {
                dependences.join(column, column + 1);
            }
            if cascade.input == Axis::Horizontal && column > 0 {
                dependences.join(column - 1, column);
            }
            let channels = self.dma[tile].channels.iter();
            let busy = channels.filter(|channel| !channel.is_quiescent()).count();
            let runs = self.cores[tile]
                .as_ref()
                .is_some_and(|core| core.is_running());
            weights[usize::from(column)] += busy as u32 + u32::from(runs);
        }
        join_by_host_memory(ranges, &mut dependences);
        in_groups(&dependences.sets, &weights, most)
    }
}

/// Columns depend on one another if one writes to what another accesses. Ranges are by address.
fn join_by_host_memory(ranges: &[HostRange], dependences: &mut Dependences) {
    let mut at = 0;
    while let Some(first) = ranges.get(at) {
        // ranges that overlap, one after the other
        let mut end = first.end;
        let rest = ranges[at..].iter();
        let overlapping = rest.take_while(|range| {
            let overlaps = range.start < end;
            end = end.max(if overlaps { range.end } else { end });
            overlaps
        });
        let count = overlapping.count().max(1);
        let together = &ranges[at..at + count];
        if together.iter().any(|range| range.writes) {
            for range in together {
                dependences.join(first.column, range.column);
            }
        }
        at += count;
    }
}

/// Distributes sets of columns at work, in order, over up to `most` groups.
fn in_groups(sets: &[u8], weights: &[u32], most: usize) -> Vec<Vec<u8>> {
    let total: u32 = weights.iter().sum();
    let mut groups: Vec<Vec<u8>> = Vec::new();
    let (mut before, mut last) = (0, None);
    for set in 0..sets.len() as u8 {
        let of_set = (0u8..).zip(sets).filter(|(_, least)| **least == set);
        let members: Vec<u8> = of_set.map(|(column, _)| column).collect();
        let weight: u32 = members
            .iter()
            .map(|&column| weights[usize::from(column)])
            .sum();
        if weight == 0 {
            continue;
        }
        // the group in which the middle of the set is, if all were cut into equal parts
        let group = (2 * before + weight) as usize * most / (2 * total as usize);
        before += weight;
        if last != Some(group) {
            last = Some(group);
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            group.extend(members);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(column: u8, start: u64, end: u64, writes: bool) -> HostRange {
        HostRange {
            start,
            end,
            column,
            writes,
        }
    }

    fn sets(ranges: &[HostRange]) -> Vec<u8> {
        let mut dependences = Dependences {
            sets: (0..4).collect(),
        };
        join_by_host_memory(ranges, &mut dependences);
        dependences.sets
    }

    #[test]
    fn columns_that_read_the_same_are_independent() {
        let ranges = [
            range(0, 0, 64, false),
            range(1, 32, 96, false),
            range(2, 96, 128, true),
        ];
        assert_eq!(sets(&ranges), [0, 1, 2, 3]);
    }

    #[test]
    fn columns_depend_on_who_writes_what_they_access() {
        let ranges = [
            range(3, 0, 64, true),
            range(1, 32, 96, false),
            range(2, 90, 128, false),
        ];
        assert_eq!(sets(&ranges), [0, 1, 1, 1]);
        let ranges = [range(0, 0, 64, true), range(1, 64, 96, true)];
        assert_eq!(sets(&ranges), [0, 1, 2, 3]);
    }

    #[test]
    fn groups_are_about_equally_heavy() {
        assert_eq!(in_groups(&[0, 1, 2, 3], &[5, 5, 5, 5], 2), [[0, 1], [2, 3]]);
        assert_eq!(in_groups(&[0, 0, 2, 3], &[9, 9, 9, 9], 2), [[0, 1], [2, 3]]);
        assert_eq!(
            in_groups(&[0, 1, 0, 3], &[1, 0, 1, 7], 2),
            [vec![0, 2], vec![3]]
        );
        assert_eq!(in_groups(&[0, 0, 0, 0], &[1, 1, 1, 1], 2), [[0, 1, 2, 3]]);
    }
}
