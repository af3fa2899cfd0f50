//! `--emit=routing-svg`: a picture of the routing: tiles on their grid with row 0 at the bottom,
//! switch ports on their borders, the tile's own ports in the middle, one colour a flow, packet
//! flows dashed, a legend below. Pointing at a flow in a browser highlights it and names it.
//!
//! Lanes have fixed places: upward ones on the left of a border, downward ones on the right,
//! rightward ones above, leftward ones below, channel 0 outermost. So a straight line through a
//! tile is a stream that keeps its channel. Lengths are CSS pixels.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use aiec_aie::ir::Module;
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, DeviceModel, Port, TileKind, TileLoc};
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_passes::route::ends::switch_port;
use aiec_passes::route::trace::{FoundFlow, Hop};

use super::routing_view::{DeviceView, colour, flow_text};

/// Width and height of a tile.
const TILE: Point = Point { x: 220.0, y: 220.0 };
/// Space between tiles, for wires.
const GAP: f64 = 44.0;
/// Space around the grid.
const MARGIN: f64 = 28.0;
/// Distance of two lanes.
const LANE: f64 = 8.0;
/// First lane of a border from the corner: vertical ones, rightward ones (below the title),
/// leftward ones.
const FIRST_VERTICAL: f64 = 14.0;
const FIRST_RIGHTWARD: f64 = 30.0;
const FIRST_LEFTWARD: f64 = 14.0;
/// The box of the tile's own ports: left edge, width, top and bottom.
const OWN_LEFT: f64 = 84.0;
const OWN_WIDTH: f64 = 52.0;
const OWN_TOP: f64 = 66.0;
const OWN_BOTTOM: f64 = 170.0;
/// Largest height of an own port.
const OWN_HEIGHT: f64 = 14.0;
/// Height of the headline.
const HEAD: f64 = 34.0;
/// Legend: width of a column, height of a line, letters that fit.
const LEGEND_WIDTH: f64 = 400.0;
const LEGEND_LINE: f64 = 17.0;
const LEGEND_LETTERS: usize = 58;
/// How to read the picture.
const LEGEND_NOTES: [&str; 2] = [
    "Solid: circuit. Dashed: packets; flows that share a wire take turns.",
    "Dot: source. Arrow: direction, destination. Number at a wire: channel.",
];
/// Length of a dash of a packet flow.
const DASH: usize = 7;

const STYLE: &str = "\
text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;fill:#222}\
.title{font-size:11px;font-weight:bold;text-anchor:middle;paint-order:stroke;stroke:#fff;\
stroke-width:3px}\
.faint .title{fill:#aaa;font-weight:normal}\
.head{font-size:15px;font-weight:bold}\
.own{font-size:8.5px;text-anchor:middle}\
.lane{font-size:6.5px;fill:#666}\
.legend{font-size:11px}\
.flow{fill:none;stroke-width:2;stroke-linecap:butt}\
.flow:hover{stroke-width:5}";

#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f64,
    y: f64,
}

impl Point {
    fn plus(self, other: Point, times: f64) -> Point {
        Point {
            x: self.x + other.x * times,
            y: self.y + other.y * times,
        }
    }
}

/// A place where a line begins or ends, and the direction into the tile's inside.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    at: Point,
    inward: Point,
}

/// Writes the routing of all devices, one below the other.
pub fn emit(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    let views = DeviceView::all(module);
    let pictures: Vec<Picture<'_>> = views.iter().map(Picture::new).collect();
    let width = pictures
        .iter()
        .map(Picture::width)
        .fold(LEGEND_WIDTH, f64::max)
        + 2.0 * MARGIN;
    let mut body = String::new();
    let mut top = 0.0;
    for picture in &pictures {
        // Writing to a string cannot fail.
        let _ = write!(body, "<g transform=\"translate({MARGIN} {top})\">");
        let _ = picture.draw(&mut body, width - 2.0 * MARGIN);
        body.push_str("</g>\n");
        top += picture.height(width - 2.0 * MARGIN);
    }
    let text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {top}\" \
         width=\"{width}\" height=\"{top}\">\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}</svg>\n"
    );
    Ok(text.into_bytes())
}

/// One device as it is drawn.
struct Picture<'a> {
    view: &'a DeviceView,
    /// Columns and rows that are shown.
    columns: (u8, u8),
    rows: (u8, u8),
    /// The own ports of each tile that flows use: sources and sinks.
    own: BTreeMap<TileLoc, Vec<(PortSide, Port)>>,
    shared: BTreeMap<Hop, Vec<usize>>,
    wires: BTreeMap<(TileLoc, Port), Vec<usize>>,
}

impl<'a> Picture<'a> {
    fn new(view: &'a DeviceView) -> Picture<'a> {
        let hops = view.flows.iter().flat_map(|flow| &flow.hops);
        let tiles: BTreeSet<TileLoc> = hops
            .map(|hop| hop.tile)
            .chain(view.tiles.iter().copied())
            .collect();
        let range = |of: fn(&TileLoc) -> u8| {
            let least = tiles.iter().map(of).min().unwrap_or(0);
            (least, tiles.iter().map(of).max().unwrap_or(0))
        };
        let mut own: BTreeMap<TileLoc, BTreeSet<(PortSide, Port)>> = BTreeMap::new();
        for flow in &view.flows {
            let (tile, port) = flow.source;
            own.entry(tile).or_default().insert((PortSide::Slave, port));
            for (tile, port) in &flow.sinks {
                own.entry(*tile)
                    .or_default()
                    .insert((PortSide::Master, *port));
            }
        }
        Picture {
            view,
            columns: range(|tile| tile.col),
            // The shim row is always shown: it says which way is up.
            rows: (0, range(|tile| tile.row).1),
            own: own
                .into_iter()
                .map(|(t, ports)| (t, ports.into_iter().collect()))
                .collect(),
            shared: view.flows_by_hop(),
            wires: view.flows_by_wire(),
        }
    }

    fn width(&self) -> f64 {
        let columns = f64::from(self.columns.1 - self.columns.0 + 1);
        columns * (TILE.x + GAP) - GAP
    }

    fn grid_height(&self) -> f64 {
        let rows = f64::from(self.rows.1 - self.rows.0 + 1);
        HEAD + GAP / 2.0 + rows * (TILE.y + GAP) - GAP
    }

    fn legend_columns(width: f64) -> usize {
        ((width / LEGEND_WIDTH) as usize).max(1)
    }

    fn height(&self, width: f64) -> f64 {
        let flows = self.view.flows.len().div_ceil(Self::legend_columns(width));
        let lines = flows + LEGEND_NOTES.len() + 1;
        self.grid_height() + 2.0 * MARGIN + lines as f64 * LEGEND_LINE
    }

    fn corner(&self, tile: TileLoc) -> Point {
        let col = f64::from(tile.col) - f64::from(self.columns.0);
        let row = f64::from(self.rows.1) - f64::from(tile.row);
        Point {
            x: col * (TILE.x + GAP),
            y: HEAD + GAP / 2.0 + row * (TILE.y + GAP),
        }
    }

    fn draw(&self, out: &mut String, width: f64) -> std::fmt::Result {
        let view = self.view;
        let (name, device, flows) = (escape(&view.name), view.model.name(), view.flows.len());
        let wires = self.wires.len();
        writeln!(
            out,
            "<text class=\"head\" x=\"0\" y=\"24\">@{name} on {device}: {flows} flows, \
             {wires} wires</text>"
        )?;
        for tile in self.tiles() {
            self.draw_tile(out, tile)?;
        }
        for (number, flow) in view.flows.iter().enumerate() {
            self.draw_flow(out, number, flow)?;
        }
        for (tile, ports) in &self.own {
            self.draw_own_ports(out, *tile, ports)?;
        }
        for tile in self.tiles() {
            self.draw_title(out, tile)?;
        }
        self.draw_legend(out, width)
    }

    fn tiles(&self) -> impl Iterator<Item = TileLoc> + use<> {
        let (rows, columns) = (self.rows, self.columns);
        let column = move |col| (rows.0..=rows.1).map(move |row| TileLoc::new(col, row));
        (columns.0..=columns.1).flat_map(column)
    }

    fn is_used(&self, tile: TileLoc) -> bool {
        self.view.switches.switch(tile).is_some() || self.view.tiles.contains(&tile)
    }

    fn draw_tile(&self, out: &mut String, tile: TileLoc) -> std::fmt::Result {
        let Point { x, y } = self.corner(tile);
        let fill = match (self.is_used(tile), self.view.model.tile_kind(tile)) {
            (false, _) => "#fbfbfb",
            (_, Some(TileKind::Core)) => "#f3f7fd",
            (_, Some(TileKind::Mem)) => "#f2f8ee",
            _ => "#fcf6ea",
        };
        let stroke = if self.is_used(tile) {
            "#8a94a6"
        } else {
            "#dddddd"
        };
        writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{fill}\" \
             stroke=\"{stroke}\"/>",
            TILE.x, TILE.y
        )?;
        let mut ticks = String::new();
        for side in [PortSide::Slave, PortSide::Master] {
            for port in self.view.model.ports(tile, side) {
                if let Some(Anchor { at, inward }) = self.border(tile, side, port) {
                    let end = at.plus(inward, 3.0);
                    write!(ticks, "M{} {}L{} {}", at.x, at.y, end.x, end.y)?;
                }
            }
        }
        writeln!(
            out,
            "<path d=\"{ticks}\" stroke=\"#b8bfca\" fill=\"none\"/>"
        )
    }

    fn draw_title(&self, out: &mut String, tile: TileLoc) -> std::fmt::Result {
        let Point { x, y } = self.corner(tile);
        let kind = self
            .view
            .model
            .tile_kind(tile)
            .map_or("", |kind| kind.name());
        let class = if self.is_used(tile) {
            ""
        } else {
            " class=\"faint\""
        };
        writeln!(
            out,
            "<g{class}><text class=\"title\" x=\"{}\" y=\"{}\">{kind} {tile}</text></g>",
            x + TILE.x / 2.0,
            y + 16.0
        )
    }

    /// The place of a port on the border of its tile.
    fn border(&self, tile: TileLoc, side: PortSide, port: Port) -> Option<Anchor> {
        let corner = self.corner(tile);
        let lane = f64::from(port.channel) * LANE;
        // Streams that go up or right, seen from this port.
        let forward = match (side, port.bundle) {
            (PortSide::Master, Bundle::North | Bundle::East) => true,
            (PortSide::Slave, Bundle::South | Bundle::West) => true,
            (_, Bundle::North | Bundle::South | Bundle::East | Bundle::West) => false,
            _ => return None,
        };
        let across = match forward {
            true => FIRST_VERTICAL + lane,
            false => TILE.x - FIRST_VERTICAL - lane,
        };
        let down = match forward {
            true => FIRST_RIGHTWARD + lane,
            false => TILE.y - FIRST_LEFTWARD - lane,
        };
        let (x, y, dx, dy) = match port.bundle {
            Bundle::North => (across, 0.0, 0.0, 1.0),
            Bundle::South => (across, TILE.y, 0.0, -1.0),
            Bundle::East => (TILE.x, down, -1.0, 0.0),
            _ => (0.0, down, 1.0, 0.0),
        };
        Some(Anchor {
            at: corner.plus(Point { x, y }, 1.0),
            inward: Point { x: dx, y: dy },
        })
    }

    /// The box of an own port: its top left corner and height.
    fn own_box(&self, tile: TileLoc, side: PortSide, port: Port) -> Option<(Point, f64)> {
        let list = self.own.get(&tile)?;
        let at = list.iter().position(|own| *own == (side, port))?;
        let step = ((OWN_BOTTOM - OWN_TOP) / list.len() as f64).min(OWN_HEIGHT + 3.0);
        let first = (OWN_TOP + OWN_BOTTOM - step * list.len() as f64) / 2.0;
        let corner = Point {
            x: OWN_LEFT,
            y: first + step * at as f64,
        };
        let height = (step - 1.5).min(OWN_HEIGHT);
        Some((self.corner(tile).plus(corner, 1.0), height))
    }

    /// Where a line meets a switch port: at the border, or at an own port, on the side that is
    /// nearer to the other end.
    fn anchor(
        &self,
        flow: &FoundFlow,
        tile: TileLoc,
        side: PortSide,
        port: Port,
    ) -> Option<LineEnd> {
        let source = [flow.source];
        let ends: &[(TileLoc, Port)] = match side {
            PortSide::Slave => &source,
            PortSide::Master => &flow.sinks,
        };
        let is_it = |end: &&(TileLoc, Port)| {
            end.0 == tile && switch_port(self.view.model, tile, end.1, side) == Some(port)
        };
        let named = ends.iter().find(is_it).map(|end| end.1);
        if let Some((corner, height)) = named.and_then(|named| self.own_box(tile, side, named)) {
            return Some(LineEnd::Own(corner, height));
        }
        self.border(tile, side, port).map(LineEnd::Border)
    }

    fn draw_flow(&self, out: &mut String, number: usize, flow: &FoundFlow) -> std::fmt::Result {
        let colour = colour(number);
        let name = escape(&flow_text(flow));
        writeln!(
            out,
            "<g class=\"flow\" stroke=\"{colour}\"><title>{name}</title>"
        )?;
        let mut marks = String::new();
        let mut wires = BTreeSet::new();
        for hop in &flow.hops {
            let from = self.anchor(flow, hop.tile, PortSide::Slave, hop.slave);
            let to = self.anchor(flow, hop.tile, PortSide::Master, hop.master);
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            let start = from.facing(to.middle());
            let end = to.facing(from.middle());
            let sharers = self.shared.get(hop).map_or(&[][..], |list| list);
            curve(out, start, end, &dashes(flow, number, sharers))?;
            if matches!(from, LineEnd::Own(..)) {
                let Point { x, y } = start.at.plus(start.inward, 3.0);
                write!(marks, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\"/>")?;
            }
            if matches!(to, LineEnd::Own(..)) {
                arrow(&mut marks, end.at, end.inward)?;
            }
            if wires.insert((hop.tile, hop.master)) {
                self.draw_wire(out, &mut marks, number, flow, hop)?;
            }
        }
        writeln!(out, "<g fill=\"{colour}\" stroke=\"none\">{marks}</g></g>")
    }

    fn draw_wire(
        &self,
        out: &mut String,
        marks: &mut String,
        number: usize,
        flow: &FoundFlow,
        hop: &Hop,
    ) -> std::fmt::Result {
        let Some((far, port)) = self.view.model.wire_from(hop.tile, hop.master) else {
            return Ok(());
        };
        let start = self.border(hop.tile, PortSide::Master, hop.master);
        let end = self.border(far, PortSide::Slave, port);
        let (Some(start), Some(end)) = (start, end) else {
            return Ok(());
        };
        let sharers = self.wires.get(&(hop.tile, hop.master));
        let look = dashes(flow, number, sharers.map_or(&[], |list| list));
        let (from, to) = (start.at, end.at);
        writeln!(
            out,
            "<path d=\"M{} {}L{} {}\"{look}/>",
            from.x, from.y, to.x, to.y
        )?;
        arrow(marks, to, start.inward)?;
        // The channel number beside the wire's start.
        let (dx, dy) = match hop.master.bundle {
            Bundle::North => (1.5, -7.0),
            Bundle::South => (1.5, 12.0),
            Bundle::East => (4.0, -1.5),
            _ => (-8.0, -1.5),
        };
        write!(
            marks,
            "<text class=\"lane\" x=\"{}\" y=\"{}\">{}</text>",
            from.x + dx,
            from.y + dy,
            hop.master.channel
        )
    }

    fn draw_own_ports(
        &self,
        out: &mut String,
        tile: TileLoc,
        ports: &[(PortSide, Port)],
    ) -> std::fmt::Result {
        for (side, port) in ports {
            let Some((Point { x, y }, height)) = self.own_box(tile, *side, *port) else {
                continue;
            };
            writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{OWN_WIDTH}\" height=\"{height}\" rx=\"3\" \
                 fill=\"#fff\" stroke=\"#555\" stroke-width=\"0.8\"/>\
                 <text class=\"own\" x=\"{}\" y=\"{}\">{}</text>",
                x + OWN_WIDTH / 2.0,
                y + height / 2.0 + 3.0,
                own_name(self.view.model, tile, *side, *port)
            )?;
        }
        Ok(())
    }

    fn draw_legend(&self, out: &mut String, width: f64) -> std::fmt::Result {
        let columns = Self::legend_columns(width);
        let lines = self.view.flows.len().div_ceil(columns);
        let top = self.grid_height() + MARGIN;
        for (line, text) in LEGEND_NOTES.into_iter().enumerate() {
            let y = top + line as f64 * LEGEND_LINE;
            writeln!(
                out,
                "<text class=\"legend\" x=\"0\" y=\"{y}\">{text}</text>"
            )?;
        }
        for (number, flow) in self.view.flows.iter().enumerate() {
            let x = (number / lines.max(1)) as f64 * LEGEND_WIDTH;
            let line = number % lines.max(1) + LEGEND_NOTES.len();
            let y = top + line as f64 * LEGEND_LINE;
            let look = dashes(flow, number, &[number]);
            let full = flow_text(flow);
            let mut text: String = full.chars().take(LEGEND_LETTERS).collect();
            if text.len() < full.len() {
                text.push('…');
            }
            writeln!(
                out,
                "<g><title>{}</title><path d=\"M{x} {}h30\" stroke=\"{}\" stroke-width=\"3\"\
                 {look}/><text class=\"legend\" x=\"{}\" y=\"{y}\">{}</text></g>",
                escape(&full),
                y - 4.0,
                colour(number),
                x + 36.0,
                escape(&text)
            )?;
        }
        Ok(())
    }
}

/// An end of a line inside a tile.
enum LineEnd {
    Border(Anchor),
    /// An own port's box: top left corner and height.
    Own(Point, f64),
}

impl LineEnd {
    fn middle(&self) -> Point {
        match self {
            LineEnd::Border(anchor) => anchor.at,
            LineEnd::Own(corner, height) => corner.plus(
                Point {
                    x: OWN_WIDTH / 2.0,
                    y: height / 2.0,
                },
                1.0,
            ),
        }
    }

    /// The anchor for a line from or to another point.
    fn facing(&self, other: Point) -> Anchor {
        match self {
            LineEnd::Border(anchor) => *anchor,
            LineEnd::Own(..) => {
                let middle = self.middle();
                let way = if other.x < middle.x { -1.0 } else { 1.0 };
                let inward = Point { x: way, y: 0.0 };
                Anchor {
                    at: middle.plus(inward, OWN_WIDTH / 2.0),
                    inward,
                }
            }
        }
    }
}

/// A smooth line between two anchors that leaves both at right angles.
fn curve(out: &mut String, start: Anchor, end: Anchor, look: &str) -> std::fmt::Result {
    let (dx, dy) = (end.at.x - start.at.x, end.at.y - start.at.y);
    let reach = (dx.hypot(dy) * 0.45).clamp(14.0, 70.0);
    let a = start.at.plus(start.inward, reach);
    let b = end.at.plus(end.inward, reach);
    writeln!(
        out,
        "<path d=\"M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"{look}/>",
        start.at.x, start.at.y, a.x, a.y, b.x, b.y, end.at.x, end.at.y
    )
}

/// A triangle with its tip at a point; `back` points from the tip to its base.
fn arrow(out: &mut String, tip: Point, back: Point) -> std::fmt::Result {
    let across = Point {
        x: -back.y,
        y: back.x,
    };
    let base = tip.plus(back, 7.0);
    let (a, b) = (base.plus(across, 3.2), base.plus(across, -3.2));
    write!(
        out,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
        tip.x, tip.y, a.x, a.y, b.x, b.y
    )
}

/// Dashes of a packet flow; those that share a line take turns.
fn dashes(flow: &FoundFlow, number: usize, sharers: &[usize]) -> String {
    if flow.circuit {
        return String::new();
    }
    let turns = sharers.len().max(1);
    let turn = sharers.iter().position(|n| *n == number).unwrap_or(0);
    let pause = match turns {
        1 => DASH / 2,
        _ => DASH * (turns - 1),
    };
    format!(
        " stroke-dasharray=\"{DASH} {pause}\" stroke-dashoffset=\"-{}\"",
        turn * DASH
    )
}

/// What an own port is called in its box.
fn own_name(model: &DeviceModel, tile: TileLoc, side: PortSide, port: Port) -> String {
    let many = model.port_count(tile, side, port.bundle) != 1;
    let name = match port.bundle {
        Bundle::Dma if side == PortSide::Slave => "mm2s",
        Bundle::Dma => "s2mm",
        Bundle::TileControl => "control",
        Bundle::Controller32 => "uc",
        other => other.name(),
    };
    match many {
        true => format!("{name} {}", port.channel),
        false => name.to_string(),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
