//! Cuts: rectangles of tiles that more streams must leave, or enter, than wires lead across
//! their border. One of them proves that there is no routing, whatever the search does.
//!
//! All rectangles are looked at: sets of streams are bit sets, joined column by column, so a
//! device of 50 by 9 tiles with 400 flows takes milliseconds.

use std::collections::BTreeSet;

use aiec_device::{Bundle, DeviceModel, TileLoc};
use rustc_hash::FxHashSet;

use super::graph::{Node, SwitchGraph};
use super::net::{Net, NetKind};

/// A rectangle of tiles that too many streams cross the border of.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// Its south-western tile.
    pub from: TileLoc,
    /// Its north-eastern tile.
    pub to: TileLoc,
    /// Whether the streams leave it, else they enter.
    pub leaving: bool,
    /// Wires that the streams need at least.
    pub demand: usize,
    /// Wires there are.
    pub capacity: usize,
    /// The nets that cross.
    pub nets: Vec<u32>,
    /// The outputs at the border, counted by tile and direction, that hold this capacity.
    pub ports: Vec<(TileLoc, Bundle, usize)>,
}

/// Which rectangles are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutShapes {
    /// Those as wide or as high as the region: few enough to look at before every search.
    Bands,
    /// All.
    All,
}

/// The cut with the fewest wires, then the smallest, that proves that there is no routing.
pub(crate) fn tightest(
    graph: &SwitchGraph,
    nets: &[Net],
    blocked: &[Node],
    shapes: CutShapes,
) -> Option<Cut> {
    let streams = StreamSets::new(graph, nets);
    let wires = FreeWires::new(graph, blocked);
    let device = graph.device;
    let columns = graph.columns();
    let mut best: Option<((usize, u32), Cut)> = None;
    for r0 in 0..device.rows() {
        for r1 in r0..device.rows() {
            let strips = streams.strips(r0, r1);
            let all = shapes == CutShapes::All || (r0 == 0 && r1 + 1 == device.rows());
            let starts = if all {
                columns.clone()
            } else {
                columns.start..columns.start + 1
            };
            for c0 in starts {
                let mut inside = streams.nothing();
                let mut above_and_below = streams.nothing();
                for c1 in c0..columns.end {
                    inside.join(&strips.inside[streams.column(c1)]);
                    above_and_below.join(&strips.outside[streams.column(c1)]);
                    if !all && c1 + 1 != columns.end {
                        continue;
                    }
                    let (from, to) = (TileLoc::new(c0, r0), TileLoc::new(c1, r1));
                    let left = &streams.left_of[streams.column(c0)];
                    let right = &streams.right_of[streams.column(c1)];
                    let area = u32::from(c1 - c0 + 1) * u32::from(r1 - r0 + 1);
                    for leaving in [true, false] {
                        let capacity = wires.across(device, from, to, leaving);
                        let rank = (capacity, area);
                        if best.as_ref().is_some_and(|(least, _)| *least <= rank) {
                            continue;
                        }
                        let crossing =
                            EndSets::crossing(&inside, [&above_and_below, left, right], leaving);
                        let demand = streams.demand(nets, crossing, capacity);
                        if demand > capacity {
                            let cut = Cut {
                                from,
                                to,
                                leaving,
                                demand,
                                capacity,
                                nets: Vec::new(),
                                ports: Vec::new(),
                            };
                            best = Some((rank, cut));
                        }
                    }
                }
            }
        }
    }
    let (_, mut cut) = best?;
    cut.nets = streams.nets_across(&cut);
    cut.ports = wires.border(device, cut.from, cut.to, cut.leaving);
    Some(cut)
}

/// A set of streams (branches of nets), by number.
type Bits = Vec<u64>;

/// Streams by where they begin and end.
#[derive(Clone)]
struct EndSets {
    sources: Bits,
    sinks: Bits,
}

impl EndSets {
    fn join(&mut self, other: &EndSets) {
        let or = |to: &mut Bits, from: &Bits| to.iter_mut().zip(from).for_each(|(a, b)| *a |= b);
        or(&mut self.sources, &other.sources);
        or(&mut self.sinks, &other.sinks);
    }

    /// Streams with a source on one side and a sink on the other.
    fn crossing<'a>(
        inside: &'a EndSets,
        outside: [&'a EndSets; 3],
        leaving: bool,
    ) -> impl Iterator<Item = u64> + Clone + 'a {
        let out = move |word: usize, of: fn(&EndSets) -> &Bits| {
            outside
                .iter()
                .map(|ends| of(ends)[word])
                .fold(0, |a, b| a | b)
        };
        (0..inside.sources.len()).map(move |word| {
            if leaving {
                inside.sources[word] & out(word, |ends| &ends.sinks)
            } else {
                inside.sinks[word] & out(word, |ends| &ends.sources)
            }
        })
    }
}

/// The streams of a netlist.
struct StreamSets {
    /// First column of the region.
    first: u8,
    rows: usize,
    words: usize,
    /// Net of each stream.
    net: Vec<u32>,
    /// Tiles of the source and the sinks of each stream.
    tiles: Vec<(TileLoc, Vec<TileLoc>)>,
    /// By tile, column-major.
    at: Vec<EndSets>,
    /// Ends in the columns left of each column.
    left_of: Vec<EndSets>,
    /// Ends in the columns right of each column.
    right_of: Vec<EndSets>,
}

/// Ends by column, in a range of rows and outside of it.
struct Strips {
    inside: Vec<EndSets>,
    outside: Vec<EndSets>,
}

impl StreamSets {
    fn new(graph: &SwitchGraph, nets: &[Net]) -> StreamSets {
        let columns = graph.columns();
        let count = nets.iter().map(|net| net.branches.len()).sum::<usize>();
        let mut streams = StreamSets {
            first: columns.start,
            rows: usize::from(graph.device.rows()),
            words: count.div_ceil(64),
            net: Vec::with_capacity(count),
            tiles: Vec::with_capacity(count),
            at: Vec::new(),
            left_of: Vec::new(),
            right_of: Vec::new(),
        };
        streams.at = vec![streams.nothing(); columns.len() * streams.rows];
        for (net, branch) in nets
            .iter()
            .enumerate()
            .flat_map(|(n, net)| net.branches.iter().map(move |b| (n, b)))
        {
            let source = graph.info(branch.source).tile;
            let sinks = branch.sinks.iter().map(|sink| graph.info(*sink).tile);
            let sinks: Vec<TileLoc> = sinks.collect();
            let (word, bit) = (streams.net.len() / 64, 1 << (streams.net.len() % 64));
            let place = streams.place(source);
            streams.at[place].sources[word] |= bit;
            for sink in &sinks {
                let place = streams.place(*sink);
                streams.at[place].sinks[word] |= bit;
            }
            streams.net.push(net as u32);
            streams.tiles.push((source, sinks));
        }
        let whole = streams
            .strips(0, graph.device.rows().saturating_sub(1))
            .inside;
        let running = |columns: &mut dyn Iterator<Item = &EndSets>| {
            let mut sum = streams.nothing();
            let mut list = Vec::new();
            for column in columns {
                list.push(sum.clone());
                sum.join(column);
            }
            list
        };
        let left_of = running(&mut whole.iter());
        let mut right_of = running(&mut whole.iter().rev());
        right_of.reverse();
        StreamSets {
            left_of,
            right_of,
            ..streams
        }
    }

    fn nothing(&self) -> EndSets {
        EndSets {
            sources: vec![0; self.words],
            sinks: vec![0; self.words],
        }
    }

    fn column(&self, col: u8) -> usize {
        usize::from(col - self.first)
    }

    fn place(&self, tile: TileLoc) -> usize {
        self.column(tile.col) * self.rows + usize::from(tile.row)
    }

    fn strips(&self, r0: u8, r1: u8) -> Strips {
        let rows = usize::from(r0)..=usize::from(r1);
        let column = |tiles: &[EndSets], within: bool| {
            let mut sum = self.nothing();
            for (_, ends) in tiles
                .iter()
                .enumerate()
                .filter(|(row, _)| rows.contains(row) == within)
            {
                sum.join(ends);
            }
            sum
        };
        let columns = || self.at.chunks(self.rows.max(1));
        Strips {
            inside: columns().map(|tiles| column(tiles, true)).collect(),
            outside: columns().map(|tiles| column(tiles, false)).collect(),
        }
    }

    /// Number of wires that the streams need at least: one for each circuit, and as packets share
    /// wires unless their ids are equal, as many as the most frequent id has nets.
    fn demand(
        &self,
        nets: &[Net],
        crossing: impl Iterator<Item = u64> + Clone,
        capacity: usize,
    ) -> usize {
        let count = crossing
            .clone()
            .map(|word| word.count_ones() as usize)
            .sum::<usize>();
        if count <= capacity {
            return count;
        }
        let mut circuits = 0;
        let mut of_id = [0usize; 256];
        let mut last = None;
        for (word, bits) in crossing.enumerate() {
            let mut rest = bits;
            while rest != 0 {
                let net = self.net[word * 64 + rest.trailing_zeros() as usize];
                rest &= rest - 1;
                // the streams of a net follow one another
                if last.replace(net) == Some(net) {
                    continue;
                }
                match nets[net as usize].kind {
                    NetKind::Circuit => circuits += 1,
                    NetKind::Packet(id) => of_id[usize::from(id)] += 1,
                }
            }
        }
        circuits + of_id.into_iter().max().unwrap_or(0)
    }

    fn nets_across(&self, cut: &Cut) -> Vec<u32> {
        let inside = |t: &TileLoc| {
            (cut.from.col..=cut.to.col).contains(&t.col)
                && (cut.from.row..=cut.to.row).contains(&t.row)
        };
        let crosses = |(source, sinks): &(TileLoc, Vec<TileLoc>)| {
            inside(source) == cut.leaving && sinks.iter().any(|sink| inside(sink) != cut.leaving)
        };
        let streams = self.net.iter().zip(&self.tiles);
        let streams = streams.filter(|(_, ends)| crosses(ends));
        let mut across = BTreeSet::new();
        across.extend(streams.map(|(net, _)| *net));
        across.into_iter().collect()
    }
}

/// Free wires that leave each tile, by direction.
struct FreeWires {
    rows: usize,
    /// South, west, north, east of each tile.
    out: Vec<[usize; 4]>,
}

const SIDES: [Bundle; 4] = [Bundle::South, Bundle::West, Bundle::North, Bundle::East];

/// Columns and rows to the neighbour on each of [`SIDES`].
const STEPS: [(i16, i16); 4] = [(0, -1), (-1, 0), (0, 1), (1, 0)];

impl FreeWires {
    fn new(graph: &SwitchGraph, blocked: &[Node]) -> FreeWires {
        let blocked: FxHashSet<Node> = blocked.iter().copied().collect();
        let rows = usize::from(graph.device.rows());
        let tiles = rows * usize::from(graph.device.columns());
        let mut wires = FreeWires {
            rows,
            out: vec![[0; 4]; tiles],
        };
        for node in 0..graph.len() as Node {
            let info = graph.info(node);
            let far_end = graph.next(node).first();
            let free = |n: &Node| !blocked.contains(n);
            let side = SIDES.iter().position(|s| *s == info.port.bundle);
            let usable = info.wired && free(&node) && far_end.is_some_and(free);
            if let Some(side) = side.filter(|_| usable) {
                let at = wires.index(info.tile);
                wires.out[at][side] += 1;
            }
        }
        wires
    }

    fn index(&self, tile: TileLoc) -> usize {
        usize::from(tile.col) * self.rows + usize::from(tile.row)
    }

    /// Wires across one side of a tile at the border: the ports that drive them, in which
    /// direction.
    fn side(
        &self,
        device: &DeviceModel,
        tile: TileLoc,
        side: usize,
        leaving: bool,
    ) -> (TileLoc, Bundle, usize) {
        if leaving {
            return (tile, SIDES[side], self.out[self.index(tile)][side]);
        }
        let (dc, dr) = STEPS[side];
        let step = |at: u8, by: i16| u8::try_from(i16::from(at) + by).ok();
        let neighbour = step(tile.col, dc)
            .zip(step(tile.row, dr))
            .map(|(c, r)| TileLoc::new(c, r));
        let back = (side + 2) % 4;
        match neighbour.filter(|tile| device.contains(*tile)) {
            Some(from) => (from, SIDES[back], self.out[self.index(from)][back]),
            None => (tile, SIDES[back], 0),
        }
    }

    fn sides<'a>(
        &'a self,
        device: &'a DeviceModel,
        from: TileLoc,
        to: TileLoc,
        leaving: bool,
    ) -> impl Iterator<Item = (TileLoc, Bundle, usize)> + 'a {
        let columns = (from.col..=to.col).flat_map(move |col| {
            [
                (TileLoc::new(col, from.row), 0),
                (TileLoc::new(col, to.row), 2),
            ]
        });
        let rows = (from.row..=to.row).flat_map(move |row| {
            [
                (TileLoc::new(from.col, row), 1),
                (TileLoc::new(to.col, row), 3),
            ]
        });
        columns
            .chain(rows)
            .map(move |(tile, side)| self.side(device, tile, side, leaving))
    }

    /// Wires across the border of a rectangle.
    fn across(&self, device: &DeviceModel, from: TileLoc, to: TileLoc, leaving: bool) -> usize {
        self.sides(device, from, to, leaving)
            .map(|(_, _, count)| count)
            .sum()
    }

    /// The outputs that drive them.
    fn border(
        &self,
        device: &DeviceModel,
        from: TileLoc,
        to: TileLoc,
        leaving: bool,
    ) -> Vec<(TileLoc, Bundle, usize)> {
        let mut list: Vec<_> = self
            .sides(device, from, to, leaving)
            .filter(|(_, _, count)| *count > 0)
            .collect();
        list.sort();
        list
    }
}

#[cfg(test)]
mod tests {
    use aiec_device::Port;
    use aiec_device::switch::PortSide;

    use super::super::net::Branch;
    use super::*;

    /// Column, row, channel of a DMA port.
    type Dma = (u8, u8, u8);

    /// Circuits between DMA ports.
    fn nets(graph: &SwitchGraph, flows: &[(Dma, &[Dma])]) -> Vec<Net> {
        let node = |(col, row, channel): Dma, side| {
            let port = Port::new(Bundle::Dma, channel);
            graph
                .node(TileLoc::new(col, row), side, port)
                .expect("a DMA port")
        };
        let net = |(source, sinks): &(Dma, &[Dma])| Net {
            kind: NetKind::Circuit,
            priority: false,
            group: 0,
            branches: vec![Branch {
                source: node(*source, PortSide::Slave),
                sinks: sinks
                    .iter()
                    .map(|sink| node(*sink, PortSide::Master))
                    .collect(),
            }],
        };
        flows.iter().map(net).collect()
    }

    /// Seven streams leave the mem tile of the only column upward, where six wires are.
    #[test]
    fn the_smallest_border_is_named_with_its_wires() {
        let device = DeviceModel::by_name("npu1_1col").unwrap();
        let graph = SwitchGraph::new(device, 0..1);
        let up = |channel, row, to| ((0, 1, channel), [(0, row, to)]);
        let flows = [
            up(0, 2, 0),
            up(1, 2, 1),
            up(2, 3, 0),
            up(3, 3, 1),
            up(4, 4, 0),
            up(5, 4, 1),
        ];
        let list: Vec<_> = flows.iter().map(|(from, to)| (*from, &to[..])).collect();
        assert!(tightest(&graph, &nets(&graph, &list), &[], CutShapes::All).is_none());
        // the stream of a neighbour's making: one of the six wires is taken by hand
        let north = Port::new(Bundle::North, 2);
        let taken = graph
            .node(TileLoc::new(0, 1), PortSide::Master, north)
            .unwrap();
        let found = tightest(&graph, &nets(&graph, &list), &[taken], CutShapes::Bands).unwrap();
        assert_eq!((found.demand, found.capacity), (6, 5));
        assert_eq!(found.nets, [0, 1, 2, 3, 4, 5]);
        let wires: usize = found.ports.iter().map(|(_, _, count)| count).sum();
        assert_eq!(wires, 5);
    }

    /// A broadcast crosses a border once, however many sinks it has beyond.
    #[test]
    fn a_broadcast_counts_once() {
        let device = DeviceModel::by_name("npu1").unwrap();
        let graph = SwitchGraph::new(device, 0..4);
        let sinks = [(2, 2, 0), (2, 3, 0), (3, 2, 0), (3, 3, 0)];
        let streams = StreamSets::new(&graph, &nets(&graph, &[((0, 2, 0), &sinks)]));
        let cut = |from, to, leaving| Cut {
            from,
            to,
            leaving,
            demand: 0,
            capacity: 0,
            nets: Vec::new(),
            ports: Vec::new(),
        };
        let (west, east) = (TileLoc::new(0, 0), TileLoc::new(1, 5));
        assert_eq!(streams.nets_across(&cut(west, east, true)), [0]);
        assert!(streams.nets_across(&cut(west, east, false)).is_empty());
        let strips = streams.strips(0, 5);
        let mut inside = strips.inside[0].clone();
        inside.join(&strips.inside[1]);
        let nothing = streams.nothing();
        let crossing = EndSets::crossing(
            &inside,
            [&nothing, &streams.left_of[0], &streams.right_of[1]],
            true,
        );
        assert_eq!(crossing.map(u64::count_ones).sum::<u32>(), 1);
    }

    /// Whatever the bit sets say, counting the streams one by one says too.
    #[test]
    fn bit_sets_and_counting_agree() {
        arbtest::arbtest(|u| {
            let device = DeviceModel::by_name("npu1").unwrap();
            let graph = SwitchGraph::new(device, 0..4);
            let mut flows = Vec::new();
            for _ in 0..u.int_in_range(1..=70)? {
                let mut end = || -> arbtest::arbitrary::Result<_> {
                    Ok((
                        u.int_in_range(0..=3)?,
                        u.int_in_range(1..=5)?,
                        u.int_in_range(0..=1)?,
                    ))
                };
                let source = end()?;
                flows.push((source, [end()?, end()?]));
            }
            let list: Vec<_> = flows.iter().map(|(from, to)| (*from, &to[..])).collect();
            let nets = nets(&graph, &list);
            let streams = StreamSets::new(&graph, &nets);
            let wires = FreeWires::new(&graph, &[]);
            let mut least: Option<(usize, u32)> = None;
            for (c0, r0) in (0..4).flat_map(|c| (0..6).map(move |r| (c, r))) {
                for (c1, r1) in (c0..4).flat_map(|c| (r0..6).map(move |r| (c, r))) {
                    for leaving in [true, false] {
                        let (from, to) = (TileLoc::new(c0, r0), TileLoc::new(c1, r1));
                        let capacity = wires.across(device, from, to, leaving);
                        let cut = Cut {
                            from,
                            to,
                            leaving,
                            demand: 0,
                            capacity,
                            nets: vec![],
                            ports: vec![],
                        };
                        let area = u32::from(c1 - c0 + 1) * u32::from(r1 - r0 + 1);
                        if streams.nets_across(&cut).len() > capacity {
                            least =
                                Some(least.map_or((capacity, area), |l| l.min((capacity, area))));
                        }
                    }
                }
            }
            let found = tightest(&graph, &nets, &[], CutShapes::All).map(|cut| {
                let area = (cut.to.col - cut.from.col + 1) * (cut.to.row - cut.from.row + 1);
                assert!(cut.demand > cut.capacity && cut.nets.len() >= cut.demand);
                (cut.capacity, u32::from(area))
            });
            assert_eq!(found, least);
            Ok(())
        })
        .budget_ms(1500);
    }
}
