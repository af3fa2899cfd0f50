//! Draws tiles, ports and flows as SVG.

use std::collections::BTreeSet;
use std::fmt::Write;

use aiec_device::switch::PortSide;
use aiec_device::{Bundle, DeviceModel, Port, TileLoc};
use aiec_page::{escape, shortened};
use aiec_passes::route::trace::{FoundFlow, Hop};
use rustc_hash::FxHashSet;

use super::comparison::FlowDifference;
use super::geometry::{Anchor, GAP, LineEnd, OWN_WIDTH, Point, TILE, arrow, curve};
use super::{NamedFlow, RoutingPicture};
use crate::routing_view::is_unrouted;

/// Size of the smallest text that is seen from near, and of all text that is seen from far, in
/// pixels of the picture.
pub const NEAR_FONT: f64 = 15.0;
pub const FAR_FONT: f64 = 24.0;
/// Names of flows that a tile shows from far.
const FAR_NAMES: usize = 5;
/// Length of a dash of a packet flow.
const DASH: usize = 6;

impl RoutingPicture<'_> {
    /// Draws everything in its natural size from the origin on; `far` adds what the page shows
    /// instead of small text when it is zoomed out, and what it shows on demand.
    pub fn draw(&self, out: &mut String, page: bool) -> std::fmt::Result {
        let (name, device) = (escape(&self.view.name), self.view.model.name());
        let (flows, wires) = (self.view.flows.len(), self.wires.len());
        let missing = self
            .view
            .flows
            .iter()
            .filter(|flow| is_unrouted(flow))
            .count();
        let (class, missing) = match missing {
            0 => ("head near", String::new()),
            _ => ("head alarm near", format!(", {missing} not routed")),
        };
        writeln!(
            out,
            "<text class=\"{class}\" x=\"0\" y=\"24\">@{name} on {device}: {flows} flows, {wires} wires{missing}</text>"
        )?;
        for tile in self.range.tiles() {
            self.draw_tile(out, tile)?;
        }
        self.draw_other(out)?;
        write!(out, "<g class=\"flows\">")?;
        for (number, flow) in self.view.flows.iter().enumerate() {
            self.draw_flow(out, number, flow)?;
        }
        writeln!(out, "</g>")?;
        self.draw_used_ports(out)?;
        self.draw_arbiters(out)?;
        self.draw_own_ports(out)?;
        for tile in self.range.tiles() {
            self.draw_title(out, tile)?;
        }
        self.draw_cut(out)?;
        if page {
            self.draw_heat(out)?;
            self.draw_far(out)?;
        }
        Ok(())
    }

    fn draw_tile(&self, out: &mut String, tile: TileLoc) -> std::fmt::Result {
        let Point { x, y } = self.range.corner(tile);
        let class = if self.is_used(tile) {
            "tile"
        } else {
            "tile unused"
        };
        writeln!(
            out,
            "<rect class=\"{class}\" data-tile=\"{},{}\" data-tip=\"{}\" x=\"{x}\" y=\"{y}\" width=\"{}\" \
             height=\"{}\" rx=\"6\"/>",
            tile.col,
            tile.row,
            escape(&self.tile_text(tile)),
            TILE.x,
            TILE.y
        )?;
        let mut ticks = String::new();
        for side in [PortSide::Slave, PortSide::Master] {
            for port in self.view.model.ports(tile, side) {
                if let Some(Anchor { at, inward }) = self.range.border(tile, side, port) {
                    let end = at.plus(inward, 3.0);
                    write!(ticks, "M{} {}L{} {}", at.x, at.y, end.x, end.y)?;
                }
            }
        }
        writeln!(out, "<path class=\"ticks\" d=\"{ticks}\"/>")
    }

    fn draw_title(&self, out: &mut String, tile: TileLoc) -> std::fmt::Result {
        let Point { x, y } = self.range.corner(tile);
        let kind = self.view.model.tile_kind(tile);
        let kind = kind.map_or("", |kind| kind.name());
        let unused = if self.is_used(tile) { "" } else { " faint" };
        writeln!(
            out,
            "<text class=\"title near{unused}\" x=\"{}\" y=\"{}\">{kind} {tile}</text>",
            x + TILE.x / 2.0,
            y + 18.0
        )?;
        if let Some(memory) = self.memory.get(&tile) {
            writeln!(
                out,
                "<text class=\"memory near\" x=\"{}\" y=\"{}\">{}</text>",
                x + TILE.x / 2.0,
                y + 37.0,
                escape(&shortened(memory, TILE.x - 24.0, NEAR_FONT))
            )?;
        }
        Ok(())
    }

    fn class_of(&self, number: usize) -> String {
        class_of(&self.flows[number])
    }

    fn draw_flow(&self, out: &mut String, number: usize, flow: &FoundFlow) -> std::fmt::Result {
        let mut class = self.class_of(number);
        if let Some(other) = &self.other {
            class += match other.flows.get(number) {
                Some(FlowDifference::Same) => " same",
                _ => " differs",
            };
        }
        writeln!(
            out,
            "<g class=\"flow {class}\" data-flow=\"{number}\"><title>{}</title>",
            escape(&self.flows[number].text)
        )?;
        let mut marks = String::new();
        let mut wires = FxHashSet::default();
        for (at, hop) in flow.hops.iter().enumerate() {
            let Some((path, start, end)) = self.hop_path(flow, hop) else {
                continue;
            };
            let sharers = self.hops.get(hop).map_or(&[][..], |list| list);
            let look = dashes(flow, number, sharers);
            writeln!(
                out,
                "<path class=\"hop\" data-hop=\"{at}\" d=\"{path}\"{look}/>"
            )?;
            if self.is_source(flow, hop) {
                let Point { x, y } = start.at.plus(start.inward, 3.0);
                write!(marks, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>")?;
            }
            if self.view.model.wire_from(hop.tile, hop.master).is_none() {
                write!(marks, "<path d=\"{}\"/>", arrow(end.at, end.inward))?;
            }
            if wires.insert((hop.tile, hop.master)) {
                self.draw_wire(out, &mut marks, (number, at), flow, hop)?;
            }
        }
        if is_unrouted(flow) {
            self.draw_missing(out, flow)?;
        }
        writeln!(out, "<g class=\"marks\">{marks}</g></g>")
    }

    /// Straight lines between the ends of a flow that found no way.
    fn draw_missing(&self, out: &mut String, flow: &FoundFlow) -> std::fmt::Result {
        let (tile, port) = flow.source;
        let Some(source) = self.own_end(tile, PortSide::Slave, port) else {
            return Ok(());
        };
        for (tile, port) in &flow.sinks {
            if let Some(sink) = self.own_end(*tile, PortSide::Master, *port) {
                let (from, to) = (source.facing(&sink).at, sink.facing(&source).at);
                writeln!(
                    out,
                    "<path class=\"missing\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
                    from.x, from.y, to.x, to.y
                )?;
            }
        }
        Ok(())
    }

    /// Conclusion from the cut.
    pub fn cut_text(&self) -> Option<String> {
        self.view.cut.as_ref().map(|cut| {
            let tiles = if cut.from == cut.to {
                format!("tile {}", cut.from)
            } else {
                format!("tiles {} to {}", cut.from, cut.to)
            };
            let how = if cut.leaving { "leave" } else { "enter" };
            format!(
                "{} streams must {how} {tiles}, {} wires do",
                cut.demand, cut.capacity
            )
        })
    }

    /// The rectangle of the cut, which the streams must cross.
    fn draw_cut(&self, out: &mut String) -> std::fmt::Result {
        let Some(cut) = &self.view.cut else {
            return Ok(());
        };
        let first = self.range.corner(TileLoc::new(cut.from.col, cut.to.row));
        let last = self.range.corner(TileLoc::new(cut.to.col, cut.from.row));
        let margin = GAP / 2.0;
        write!(
            out,
            "<rect class=\"cut\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\"><title>{}</title></rect>",
            first.x - margin,
            first.y - margin,
            last.x + TILE.x - first.x + GAP,
            last.y + TILE.y - first.y + GAP,
            escape(&self.cut_text().unwrap_or_default())
        )?;
        Ok(())
    }

    fn is_source(&self, flow: &FoundFlow, hop: &Hop) -> bool {
        hop.tile == flow.source.0 && self.view.model.wire_into(hop.tile, hop.slave).is_none()
    }

    /// A hop as a path, with where it begins and ends. Packets go by way of their arbiter.
    fn hop_path(&self, flow: &FoundFlow, hop: &Hop) -> Option<(String, Anchor, Anchor)> {
        let from = self.line_end(flow, hop.tile, PortSide::Slave, hop.slave)?;
        let to = self.line_end(flow, hop.tile, PortSide::Master, hop.master)?;
        let arbiter = self.arbiter_of(flow, hop).and_then(|arbiter| {
            let used = self.arbiters.get(&hop.tile)?;
            let at = used.keys().position(|known| *known == arbiter)?;
            Some(LineEnd::Arbiter(self.range.arbiter(hop.tile, at)))
        });
        let Some(through) = arbiter else {
            let (start, end) = (from.facing(&to), to.facing(&from));
            return Some((curve(start, end), start, end));
        };
        let (start, end) = (from.facing(&through), to.facing(&through));
        let path = curve(start, through.facing(&from)) + &curve(through.facing(&to), end);
        Some((path, start, end))
    }

    /// The ends of the wire that a hop drives.
    fn wire_ends(&self, hop: &Hop) -> Option<(Anchor, Anchor)> {
        let (far, port) = self.view.model.wire_from(hop.tile, hop.master)?;
        let start = self.range.border(hop.tile, PortSide::Master, hop.master)?;
        Some((start, self.range.border(far, PortSide::Slave, port)?))
    }

    fn draw_wire(
        &self,
        out: &mut String,
        marks: &mut String,
        (number, at): (usize, usize),
        flow: &FoundFlow,
        hop: &Hop,
    ) -> std::fmt::Result {
        let Some((start, end)) = self.wire_ends(hop) else {
            return Ok(());
        };
        let sharers = self.wires.get(&(hop.tile, hop.master));
        let sharers = sharers.map_or(&[][..], |list| list);
        let look = dashes(flow, number, sharers);
        let (from, to) = (start.at, end.at);
        writeln!(
            out,
            "<path class=\"hop\" data-hop=\"{at}\" d=\"M{} {}L{} {}\"{look}/>",
            from.x, from.y, to.x, to.y
        )?;
        write!(marks, "<path d=\"{}\"/>", arrow(to, start.inward))?;
        // The channel number beside the wire's start, once for all that share it.
        if sharers.first() != Some(&number) {
            return Ok(());
        }
        let (dx, dy) = match hop.master.bundle {
            Bundle::North => (2.0, -7.0),
            Bundle::South => (2.0, 16.0),
            Bundle::East => (5.0, -2.0),
            _ => (-12.0, -2.0),
        };
        write!(
            marks,
            "<text class=\"lane near\" x=\"{}\" y=\"{}\">{}</text>",
            from.x + dx,
            from.y + dy,
            hop.master.channel
        )
    }

    /// Where another routing leads the flows that it routes differently.
    fn draw_other(&self, out: &mut String) -> std::fmt::Result {
        let Some(other) = &self.other else {
            return Ok(());
        };
        let moved = other
            .flows
            .iter()
            .enumerate()
            .filter_map(|(n, found)| match found {
                FlowDifference::Moved(at) => Some((*at, &self.flows[n])),
                _ => None,
            });
        let removed = other.removed.iter().map(|(at, named)| (*at, named));
        write!(out, "<g class=\"other\">")?;
        for (at, named) in moved.chain(removed) {
            let flow = &other.view.flows[at];
            let class = class_of(named);
            let mut path = String::new();
            for hop in &flow.hops {
                let from = self.line_end(flow, hop.tile, PortSide::Slave, hop.slave);
                let to = self.line_end(flow, hop.tile, PortSide::Master, hop.master);
                if let (Some(from), Some(to)) = (from, to) {
                    path += &curve(from.facing(&to), to.facing(&from));
                }
                if let Some((start, end)) = self.wire_ends(hop) {
                    let (from, to) = (start.at, end.at);
                    write!(path, "M{} {}L{} {}", from.x, from.y, to.x, to.y)?;
                }
            }
            writeln!(
                out,
                "<path class=\"ghost {class}\" d=\"{path}\"><title>{}, in {}</title></path>",
                escape(&named.text),
                escape(other.file)
            )?;
        }
        writeln!(out, "</g>")
    }

    /// The ports of borders that flows use.
    fn draw_used_ports(&self, out: &mut String) -> std::fmt::Result {
        let mut ports: std::collections::BTreeMap<(TileLoc, PortSide, Port), BTreeSet<usize>> =
            Default::default();
        for (hop, flows) in &self.hops {
            for (side, port) in [(PortSide::Slave, hop.slave), (PortSide::Master, hop.master)] {
                ports
                    .entry((hop.tile, side, port))
                    .or_default()
                    .extend(flows);
            }
        }
        for ((tile, side, port), flows) in ports {
            let model = self.view.model;
            let wire = match side {
                PortSide::Slave => model.wire_into(tile, port),
                PortSide::Master => model.wire_from(tile, port),
            };
            // Ports of a shim's South side lead to its own ports, which have boxes.
            let border = wire.and_then(|_| self.range.border(tile, side, port));
            if let Some(Anchor { at, .. }) = border {
                writeln!(
                    out,
                    "<rect class=\"port\" data-flows=\"{}\" data-tip=\"{}\" x=\"{}\" y=\"{}\" width=\"5\" height=\"5\"/>",
                    numbers(&flows),
                    escape(&self.port_text(tile, side, port)),
                    at.x - 2.5,
                    at.y - 2.5
                )?;
            }
        }
        Ok(())
    }

    fn draw_arbiters(&self, out: &mut String) -> std::fmt::Result {
        for (tile, used) in &self.arbiters {
            for (at, (arbiter, flows)) in used.iter().enumerate() {
                let Point { x, y } = self.range.arbiter(*tile, at);
                let flows: BTreeSet<usize> = flows.iter().copied().collect();
                writeln!(
                    out,
                    "<g class=\"arbiter\" data-flows=\"{}\" data-tip=\"arbiter {arbiter} of {tile}\"><circle cx=\"{x}\" cy=\"{y}\" \
                     r=\"9\"/><text class=\"near\" x=\"{x}\" y=\"{}\">{arbiter}</text></g>",
                    numbers(&flows),
                    y + 5.0
                )?;
            }
        }
        Ok(())
    }

    fn draw_own_ports(&self, out: &mut String) -> std::fmt::Result {
        for (tile, columns) in &self.own {
            for (side, ports) in [PortSide::Master, PortSide::Slave].into_iter().zip(columns) {
                for (port, flows) in ports {
                    self.draw_own_port(out, *tile, (side, *port), flows)?;
                }
            }
        }
        Ok(())
    }

    fn draw_own_port(
        &self,
        out: &mut String,
        tile: TileLoc,
        (side, port): (PortSide, Port),
        flows: &[usize],
    ) -> std::fmt::Result {
        let Some(LineEnd::Own(Point { x, y }, height)) = self.own_end(tile, side, port) else {
            return Ok(());
        };
        let flows: BTreeSet<usize> = flows.iter().copied().collect();
        let named = flows.iter().map(|n| &self.flows[*n]);
        let named = named.filter(|named| named.hue.is_some());
        let mut names: Vec<&str> = named.map(|named| named.name.as_str()).collect();
        names.dedup();
        let class = flows
            .first()
            .map_or("absent".to_string(), |n| self.class_of(*n));
        let name = own_name(self.view.model, tile, side, port);
        let tip = match side {
            PortSide::Master => format!("{name} of {tile}: streams end here"),
            PortSide::Slave => format!("{name} of {tile}: streams begin here"),
        };
        let text = format!("{name} {}", names.join(", "));
        writeln!(
            out,
            "<g class=\"own {class}\" data-flows=\"{}\" data-tip=\"{}\"><rect x=\"{x}\" y=\"{y:.1}\" \
             width=\"{OWN_WIDTH}\" height=\"{height:.1}\" rx=\"3\"/><text class=\"near\" x=\"{}\" y=\"{:.1}\">{}</text></g>",
            numbers(&flows),
            escape(&tip),
            x + OWN_WIDTH / 2.0,
            y + height / 2.0 + 5.0,
            escape(&shortened(text.trim_end(), OWN_WIDTH - 4.0, NEAR_FONT))
        )
    }

    /// Titles and names in large letters.
    fn draw_far(&self, out: &mut String) -> std::fmt::Result {
        write!(out, "<g class=\"far\">")?;
        for tile in self.range.tiles().filter(|tile| self.is_used(*tile)) {
            let Point { x, y } = self.range.corner(tile);
            let kind = self.view.model.tile_kind(tile);
            let kind = kind.map_or("", |kind| kind.name());
            // The first word of `core tile`, `shim NOC tile`…
            let kind = kind.split(' ').next().unwrap_or_default();
            let middle = x + TILE.x / 2.0;
            write!(
                out,
                "<text x=\"{middle}\" y=\"{}\">{kind} {tile}</text>",
                y + 28.0
            )?;
            let ends = self
                .own
                .get(&tile)
                .into_iter()
                .flatten()
                .flat_map(|ports| ports.values());
            let mut flows: Vec<usize> = ends.flatten().copied().collect();
            flows.retain(|n| self.flows[*n].hue.is_some());
            flows.sort_by_key(|n| &self.flows[*n].name);
            flows.dedup_by_key(|n| &self.flows[*n].name);
            let more = flows.len().saturating_sub(FAR_NAMES);
            let shown = if more > 0 { FAR_NAMES - 1 } else { FAR_NAMES };
            for (line, number) in flows.iter().take(shown).enumerate() {
                let name = shortened(&self.flows[*number].name, TILE.x - 16.0, FAR_FONT);
                write!(
                    out,
                    "<text class=\"{}\" data-flows=\"{number}\" x=\"{middle}\" y=\"{}\">{}</text>",
                    self.class_of(*number),
                    y + 62.0 + 32.0 * line as f64,
                    escape(&name)
                )?;
            }
            if more > 0 {
                let y = y + 62.0 + 32.0 * shown as f64;
                write!(
                    out,
                    "<text x=\"{middle}\" y=\"{y}\">and {} more</text>",
                    more + 1
                )?;
            }
        }
        writeln!(out, "</g>")
    }

    /// A sample of a flow's line, for the legend.
    pub fn draw_sample(&self, out: &mut String, number: usize, at: Point) -> std::fmt::Result {
        let class = self.class_of(number);
        let dash = dashes(&self.view.flows[number], number, &[number]);
        write!(
            out,
            "<path class=\"sample {class}\" d=\"M{} {}h30\"{dash}/>",
            at.x, at.y
        )
    }
}

/// Class of a flow's lines.
fn class_of(flow: &NamedFlow) -> String {
    flow.hue
        .map_or("token".to_string(), |hue| format!("hue{hue}"))
}

/// Numbers as an attribute.
fn numbers(list: &BTreeSet<usize>) -> String {
    let list: Vec<String> = list.iter().map(usize::to_string).collect();
    list.join(" ")
}

/// Dashes of a packet flow; those that share a line take turns.
fn dashes(flow: &FoundFlow, number: usize, sharers: &[usize]) -> String {
    if flow.circuit {
        return String::new();
    }
    let turns = sharers.len().max(1);
    let turn = sharers.iter().position(|n| *n == number).unwrap_or(0);
    // A gap after the last one, so that flows of one colour don't look like a circuit.
    let pause = DASH * (turns - 1) + DASH / 2;
    format!(
        " stroke-dasharray=\"{DASH} {pause}\" stroke-dashoffset=\"-{}\"",
        turn * DASH
    )
}

/// Label of an own port in its box.
fn own_name(model: &DeviceModel, tile: TileLoc, side: PortSide, port: Port) -> String {
    let many = model.port_count(tile, side, port.bundle) != 1;
    let name = match port.bundle {
        Bundle::Dma if side == PortSide::Slave => "mm2s",
        Bundle::Dma => "s2mm",
        Bundle::TileControl => "control",
        Bundle::Controller32 => "uc",
        other => other.name(),
    };
    if many {
        format!("{name} {}", port.channel)
    } else {
        name.to_string()
    }
}
