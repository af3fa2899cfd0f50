//! Wires: the gaps between boxes that each runs in, and its track in each of them.

use aiec_device::TileLoc;
use rustc_hash::FxHashMap;

use super::{Cell, GAP_MARGIN, MARGIN, NodeBox, STACK_GAP, TRACK, Wire};
use crate::dataflow::graph::{Dataflow, LinkEnd};

/// A gap between columns (vertical) or rows of boxes, before the one of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Gap {
    Vertical(usize),
    Horizontal(usize),
}

/// Sort key along a gap: rows or columns doubled, so that gaps are even and boxes odd; then the
/// position inside a box.
type Position = (usize, usize);

/// One end of a wire at a box.
#[derive(Clone, Copy)]
struct Anchor {
    node: usize,
    line: usize,
}

pub(super) struct Route {
    link: usize,
    from: Anchor,
    to: Anchor,
    /// The vertical gap beside the start, the one beside the end, and a horizontal gap between.
    gaps: (usize, Option<(usize, usize)>),
}

pub(super) fn routes(flow: &Dataflow, boxes: &[NodeBox]) -> Vec<Route> {
    let nodes: FxHashMap<Result<TileLoc, usize>, usize> = boxes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.node, at))
        .collect();
    let find = |number: usize, end: LinkEnd| {
        let key = match end {
            LinkEnd::Argument(at) => Err(at),
            LinkEnd::Port(tile, ..) | LinkEnd::Named(tile, _) => Ok(tile),
        };
        let node = *nodes.get(&key)?;
        let lines = || boxes[node].ends.iter();
        let own = lines().position(|l| l.end == end && l.links.contains(&number));
        let line = own.or_else(|| lines().position(|l| l.end == end))?;
        Some(Anchor { node, line })
    };
    let mut routes = Vec::new();
    for (number, link) in flow.links.iter().enumerate() {
        for from in &link.from {
            for to in &link.to {
                let (Some(from), Some(to)) = (find(number, *from), find(number, *to)) else {
                    continue;
                };
                if from.node != to.node {
                    let gaps = gaps(boxes[from.node].cell, boxes[to.node].cell);
                    routes.push(Route {
                        link: number,
                        from,
                        to,
                        gaps,
                    });
                }
            }
        }
    }
    routes
}

/// The gaps a wire runs in.
fn gaps(from: Cell, to: Cell) -> (usize, Option<(usize, usize)>) {
    let (a, b) = match from.column.cmp(&to.column) {
        std::cmp::Ordering::Less => (from.column + 1, to.column),
        std::cmp::Ordering::Greater => (from.column, to.column + 1),
        // Upwards on the right, downwards on the left.
        std::cmp::Ordering::Equal if from.row > to.row => (from.column + 1, to.column + 1),
        std::cmp::Ordering::Equal => (from.column, to.column),
    };
    if a == b {
        return (a, None);
    }
    let across = if from.row > to.row {
        to.row + 1
    } else {
        to.row
    };
    (a, Some((across, b)))
}

/// The track of each link in each gap it runs in.
pub(super) struct Tracks {
    of: FxHashMap<(Gap, usize), usize>,
    count: FxHashMap<Gap, usize>,
}

impl Tracks {
    pub fn of(routes: &[Route], boxes: &[NodeBox]) -> Tracks {
        let mut spans: FxHashMap<Gap, FxHashMap<usize, (Position, Position)>> =
            FxHashMap::default();
        let mut add = |gap: Gap, link: usize, a: Position, b: Position| {
            let span = spans
                .entry(gap)
                .or_default()
                .entry(link)
                .or_insert((a.min(b), a.max(b)));
            *span = (span.0.min(a).min(b), span.1.max(a).max(b));
        };
        for route in routes {
            let row = |anchor: Anchor| {
                let cell = boxes[anchor.node].cell;
                (2 * cell.row + 1, cell.at * 1000 + anchor.line)
            };
            let (from, to) = (row(route.from), row(route.to));
            match route.gaps {
                (gap, None) => add(Gap::Vertical(gap), route.link, from, to),
                (gap, Some((across, second))) => {
                    let turn = (2 * across, 0);
                    add(Gap::Vertical(gap), route.link, from, turn);
                    add(
                        Gap::Horizontal(across),
                        route.link,
                        (2 * gap, 0),
                        (2 * second, 0),
                    );
                    add(Gap::Vertical(second), route.link, turn, to);
                }
            }
        }
        let mut tracks = Tracks {
            of: FxHashMap::default(),
            count: FxHashMap::default(),
        };
        for (gap, links) in spans {
            let mut list: Vec<(usize, (Position, Position))> = links.into_iter().collect();
            list.sort_by_key(|(link, span)| (span.0, span.1, *link));
            // The end of the last span in each track.
            let mut ends: Vec<Position> = Vec::new();
            for (link, (begin, end)) in list {
                let free = ends.iter().position(|taken| *taken < begin);
                let track = free.unwrap_or(ends.len());
                match free {
                    Some(track) => ends[track] = end,
                    None => ends.push(end),
                }
                tracks.of.insert((gap, link), track);
            }
            tracks.count.insert(gap, ends.len());
        }
        tracks
    }

    /// Width of a gap.
    fn width(&self, gap: Gap) -> i32 {
        let count = self.count.get(&gap).copied().unwrap_or(0);
        let count = i32::try_from(count).unwrap_or(i32::MAX / TRACK);
        2 * GAP_MARGIN + (count - 1).max(0) * TRACK
    }

    pub fn wire(&self, route: &Route, boxes: &[NodeBox], grid: &Grid) -> Wire {
        let track = |gap: Gap| {
            let number = self.of.get(&(gap, route.link)).copied().unwrap_or(0);
            let at = GAP_MARGIN + i32::try_from(number).unwrap_or(0) * TRACK;
            grid.gap_start(gap) + at
        };
        let y = |anchor: Anchor| {
            let rect = boxes[anchor.node].ends[anchor.line].rect;
            rect.y + rect.height / 2
        };
        let side = |anchor: Anchor, gap: usize| {
            let node = &boxes[anchor.node];
            if gap > node.cell.column {
                node.rect.x + node.rect.width
            } else {
                node.rect.x
            }
        };
        let (first, rest) = route.gaps;
        let x1 = track(Gap::Vertical(first));
        let (start, end) = (y(route.from), y(route.to));
        let mut points = vec![(side(route.from, first), start), (x1, start)];
        let last = match rest {
            None => {
                points.push((x1, end));
                first
            }
            Some((across, second)) => {
                let (turn, x2) = (track(Gap::Horizontal(across)), track(Gap::Vertical(second)));
                points.extend([(x1, turn), (x2, turn), (x2, end)]);
                second
            }
        };
        points.push((side(route.to, last), end));
        points.dedup();
        Wire {
            link: route.link,
            points,
        }
    }
}

/// Where gaps and boxes begin along one direction.
pub(super) struct Axis {
    gaps: Vec<i32>,
    pub boxes: Vec<i32>,
    pub sizes: Vec<i32>,
    pub end: i32,
}

impl Axis {
    fn of(sizes: Vec<i32>, tracks: &Tracks, gap: fn(usize) -> Gap) -> Axis {
        let mut at = MARGIN;
        let (mut gaps, mut boxes) = (Vec::new(), Vec::new());
        for (n, size) in sizes.iter().enumerate() {
            gaps.push(at);
            at += tracks.width(gap(n));
            boxes.push(at);
            at += size;
        }
        gaps.push(at);
        let end = at + tracks.width(gap(sizes.len())) + MARGIN;
        Axis {
            gaps,
            boxes,
            sizes,
            end,
        }
    }
}

/// Where columns and rows of boxes are.
pub(super) struct Grid {
    pub vertical: Axis,
    pub horizontal: Axis,
}

impl Grid {
    pub fn of(boxes: &[NodeBox], tracks: &Tracks) -> Grid {
        let columns = boxes
            .iter()
            .map(|node| node.cell.column + 1)
            .max()
            .unwrap_or(0);
        let rows = boxes
            .iter()
            .map(|node| node.cell.row + 1)
            .max()
            .unwrap_or(0);
        let (mut widths, mut heights) = (vec![0; columns], vec![0; rows]);
        let mut stacks: FxHashMap<(usize, usize), i32> = FxHashMap::default();
        for node in boxes {
            let Cell { column, row, .. } = node.cell;
            widths[column] = widths[column].max(node.rect.width);
            let stack = stacks.entry((column, row)).or_default();
            *stack += node.rect.height + if *stack > 0 { STACK_GAP } else { 0 };
            heights[row] = heights[row].max(*stack);
        }
        Grid {
            vertical: Axis::of(widths, tracks, Gap::Vertical),
            horizontal: Axis::of(heights, tracks, Gap::Horizontal),
        }
    }

    fn gap_start(&self, gap: Gap) -> i32 {
        let (axis, n) = match gap {
            Gap::Vertical(n) => (&self.vertical, n),
            Gap::Horizontal(n) => (&self.horizontal, n),
        };
        axis.gaps.get(n).copied().unwrap_or(axis.end)
    }
}
