//! Where the dataflow of a device is drawn: a box for each tile on the array's grid, row 0 at the
//! bottom, host buffers below it; in each box a line for each end of a link. Links run in the gaps
//! between boxes, each in a track of its own, so that they cross neither boxes nor texts.
//!
//! All lengths are in pixels of the picture at its natural size.

mod tracks;

use std::collections::BTreeMap;

use aiec_device::TileLoc;
use rustc_hash::FxHashMap;

use super::graph::{Dataflow, Link, LinkEnd, LinkKind};
use tracks::{Grid, Tracks, routes};

/// Size of text, in pixels.
pub const FONT: i32 = 12;
/// Width of a character at most, on average over a line, in tenths of a pixel.
const CHARACTER: i32 = 76;
/// Height of a line in a box.
pub const LINE: i32 = 18;
/// Height of a box's title.
pub const TITLE: i32 = 20;
/// Least and largest width of a box.
const BOX_WIDTH: (i32, i32) = (100, 220);
/// Width of a line beside its text: the arrow and the margins.
const LINE_MARGIN: i32 = 26;
/// Distance of tracks in a gap, and from its edges.
const TRACK: i32 = 5;
const GAP_MARGIN: i32 = 8;
/// Between host buffers of one column.
const STACK_GAP: i32 = 9;
/// One more than the highest column or row of a tile.
const MAX_ROWS: usize = u8::MAX as usize + 1;
/// Around the whole picture.
const MARGIN: i32 = 12;

/// A rectangle: left, top, width, height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// Left.
    pub x: i32,
    /// Top.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

/// A line in a box: an end of one or more links.
#[derive(Debug)]
pub struct EndLine {
    /// Which end.
    pub end: LinkEnd,
    /// The links, by position.
    pub links: Vec<usize>,
    /// Text, shortened to the box.
    pub text: String,
    /// Whether the tile receives here.
    pub receives: bool,
    /// Its rectangle.
    pub rect: Rect,
}

/// A tile or a host buffer.
#[derive(Debug)]
pub struct NodeBox {
    /// The tile; a host buffer otherwise, by position.
    pub node: Result<TileLoc, usize>,
    /// First line.
    pub title: String,
    /// Lines below it, such as kernels.
    pub notes: Vec<String>,
    /// Ends of links.
    pub ends: Vec<EndLine>,
    /// Its rectangle.
    pub rect: Rect,
    cell: Cell,
}

/// A link from one end to another.
#[derive(Debug)]
pub struct Wire {
    /// The link, by position.
    pub link: usize,
    /// The corners, from start to end.
    pub points: Vec<(i32, i32)>,
}

/// The whole picture.
#[derive(Debug, Default)]
pub struct Layout {
    /// Boxes, none of which overlap.
    pub boxes: Vec<NodeBox>,
    /// Links.
    pub wires: Vec<Wire>,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

/// A place on the grid of boxes: from the left, from the top, and below others in the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    column: usize,
    row: usize,
    at: usize,
}

impl Layout {
    /// The layout of a dataflow.
    pub fn of(flow: &Dataflow) -> Layout {
        let mut boxes = boxes(flow);
        let routes = routes(flow, &boxes);
        let tracks = Tracks::of(&routes, &boxes);
        let grid = Grid::of(&boxes, &tracks);
        place(&mut boxes, &grid);
        let wires = routes.iter().map(|route| tracks.wire(route, &boxes, &grid));
        Layout {
            wires: wires.collect(),
            width: grid.vertical.end,
            height: grid.horizontal.end,
            boxes,
        }
    }
}

/// Cuts a text to a width.
fn shortened(text: &str, width: i32) -> String {
    aiec_page::shortened(text, f64::from(width), f64::from(FONT))
}

fn text_width(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(i32::MAX / CHARACTER) * CHARACTER / 10
}

/// Text of a line at an end of links.
fn end_text(flow: &Dataflow, end: LinkEnd, links: &[usize], receives: bool) -> String {
    let name = |n: &usize| {
        let link = &flow.links[*n];
        let depth = link.depth[usize::from(receives)].map_or(String::new(), |d| format!(" ×{d}"));
        let ids = match link.kind {
            LinkKind::Packet if link.is_fifo => format!(" (packet {})", link.packet_ids),
            _ => String::new(),
        };
        format!("{}{depth}{ids}", link.name)
    };
    let mut names: Vec<String> = links.iter().map(name).collect();
    names.dedup();
    let port = end.port_name();
    match (port.is_empty(), flow.links[links[0]].is_fifo) {
        (true, _) | (_, true) => names.join(", "),
        (false, false) => format!("{}: {port}", names.join(", ")),
    }
}

/// The lines of a box in order, receiving ones first: whether the tile sends there, the end, and a
/// number that tells ends in memory apart; with the links that end there.
type LinesOfBox = BTreeMap<(bool, LinkEnd, usize), Vec<usize>>;

fn boxes(flow: &Dataflow) -> Vec<NodeBox> {
    let mut ends: FxHashMap<Result<TileLoc, usize>, LinesOfBox> = FxHashMap::default();
    let inner = flow.links.iter().enumerate();
    for (number, link) in inner
        .clone()
        .filter(|(_, link)| link.kind != LinkKind::Host)
    {
        let sides = [(&link.from, false), (&link.to, true)];
        for (end, receives) in sides
            .iter()
            .flat_map(|(list, r)| list.iter().map(|e| (*e, *r)))
        {
            let Some(tile) = end.tile() else { continue };
            // Ports are shared; what goes by memory or cascade has a line of its own.
            let own = match end {
                LinkEnd::Named(..) => number + 1,
                _ => 0,
            };
            let lines = ends.entry(Ok(tile)).or_default();
            lines.entry((!receives, end, own)).or_default().push(number);
        }
    }
    // Host links end at the line of the shim's channel, where one is.
    for (number, link) in inner.filter(|(_, link)| link.kind == LinkKind::Host) {
        for (end, receives) in [(link.from[0], false), (link.to[0], true)] {
            match end {
                LinkEnd::Argument(at) => {
                    let lines = ends.entry(Err(at)).or_default();
                    lines
                        .entry((false, LinkEnd::Argument(at), 0))
                        .or_default()
                        .push(number);
                }
                _ => {
                    let Some(tile) = end.tile() else { continue };
                    let lines = ends.entry(Ok(tile)).or_default();
                    // The channel that takes from the host sends into the array.
                    let inside = (receives, end, 0);
                    let list = lines.entry(inside).or_default();
                    if list.is_empty() {
                        list.push(number);
                    }
                }
            }
        }
    }
    let (mut columns, mut rows) = ([0; MAX_ROWS], [0; MAX_ROWS]);
    for tile in flow.tiles.keys() {
        columns[usize::from(tile.col)] = 1;
        rows[usize::from(tile.row)] = 1;
    }
    let column_of = |col: u8| columns[..usize::from(col)].iter().sum();
    let row_of = |row: u8| rows[usize::from(row)..].iter().sum::<usize>() - 1;
    let mut boxes = Vec::new();
    for (tile, content) in &flow.tiles {
        let lines = ends.remove(&Ok(*tile)).unwrap_or_default();
        let cell = Cell {
            column: column_of(tile.col),
            row: row_of(tile.row),
            at: 0,
        };
        let notes = if content.kernels.is_empty() {
            Vec::new()
        } else {
            vec![content.kernels.join(", ")]
        };
        // The first word of `core tile`, `shim NOC tile`: whole arrays are seen at once.
        let kind = content.kind.split(' ').next().unwrap_or_default();
        let title = format!("{kind} {tile}");
        boxes.push(node_box(flow, Ok(*tile), (title, notes), lines, cell));
    }
    let mut below: FxHashMap<usize, usize> = FxHashMap::default();
    for (at, argument) in flow.arguments.iter().enumerate() {
        let lines = ends.remove(&Err(at)).unwrap_or_default();
        let host = |link: &&Link| {
            link.from[0] == LinkEnd::Argument(at) || link.to[0] == LinkEnd::Argument(at)
        };
        let links = flow
            .links
            .iter()
            .filter(|l| l.kind == LinkKind::Host)
            .filter(host);
        let tiles: Vec<usize> = links
            .flat_map(|link| link.from.iter().chain(&link.to))
            .filter_map(|end| Some(column_of(end.tile()?.col)))
            .collect();
        let column = tiles.get(tiles.len() / 2).copied().unwrap_or(0);
        let place = below.entry(column).or_default();
        let cell = Cell {
            column,
            row: rows.iter().sum(),
            at: *place,
        };
        *place += 1;
        let title = argument.name.clone();
        boxes.push(node_box(
            flow,
            Err(at),
            (title, vec![argument.ty.clone()]),
            lines,
            cell,
        ));
    }
    boxes
}

fn node_box(
    flow: &Dataflow,
    node: Result<TileLoc, usize>,
    (title, notes): (String, Vec<String>),
    lines: LinesOfBox,
    cell: Cell,
) -> NodeBox {
    let line = |((sends, end, _), links): ((bool, LinkEnd, usize), Vec<usize>)| EndLine {
        end,
        text: match end {
            LinkEnd::Argument(_) => host_text(flow, &links),
            _ => end_text(flow, end, &links, !sends),
        },
        receives: !sends,
        links,
        rect: Rect::default(),
    };
    let ends: Vec<EndLine> = lines.into_iter().map(line).collect();
    let widest = ends.iter().map(|end| text_width(&end.text) + LINE_MARGIN);
    let notes_widest = notes
        .iter()
        .chain([&title])
        .map(|note| text_width(note) + 12);
    let width = widest.chain(notes_widest).max().unwrap_or(0);
    let lines = i32::try_from(ends.len() + notes.len()).unwrap_or(i32::MAX / LINE);
    let rect = Rect {
        width: width.clamp(BOX_WIDTH.0, BOX_WIDTH.1),
        height: TITLE + lines * LINE + 5,
        ..Rect::default()
    };
    NodeBox {
        node,
        title,
        notes,
        ends,
        rect,
        cell,
    }
}

/// Text of a host buffer's line: whether it is read, written or both.
fn host_text(flow: &Dataflow, links: &[usize]) -> String {
    let is_source = |n: &usize| matches!(flow.links[*n].from[0], LinkEnd::Argument(_));
    match (links.iter().any(is_source), links.iter().all(is_source)) {
        (true, true) => "read".to_string(),
        (true, false) => "read and written".to_string(),
        _ => "written".to_string(),
    }
}

/// Gives every box its place.
fn place(boxes: &mut [NodeBox], grid: &Grid) {
    let mut stacks: FxHashMap<(usize, usize), i32> = FxHashMap::default();
    for node in boxes {
        let Cell { column, row, .. } = node.cell;
        let stack = stacks.entry((column, row)).or_default();
        node.rect.x = grid.vertical.boxes[column];
        node.rect.y = grid.horizontal.boxes[row] + *stack;
        node.rect.width = grid.vertical.sizes[column];
        *stack += node.rect.height + STACK_GAP;
        let notes = i32::try_from(node.notes.len()).unwrap_or(0);
        let mut y = node.rect.y + TITLE + notes * LINE;
        for note in &mut node.notes {
            *note = shortened(note, node.rect.width - 12);
        }
        for end in &mut node.ends {
            end.text = shortened(&end.text, node.rect.width - LINE_MARGIN);
            end.rect = Rect {
                x: node.rect.x + 4,
                y,
                width: node.rect.width - 8,
                height: LINE,
            };
            y += LINE;
        }
    }
}

/// Whether a wire's arrow points at its end: not where both sides write.
pub fn is_directed(link: &Link) -> bool {
    link.from
        .iter()
        .all(|end| !link.to.iter().any(|to| to.tile() == end.tile()))
        || link.kind != LinkKind::SharedMemory
}
