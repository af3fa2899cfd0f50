//! The dataflow of a device as SVG, alone or inside a page.

use std::fmt::Write;

use aiec_page::escape;
use aiec_page::palette::hue_of;

use super::graph::{Dataflow, Link, LinkEnd, LinkKind};
use super::layout::{FONT, LINE, Layout, NodeBox, TITLE, Wire, is_directed};

/// The style of the picture; colours are those of [`aiec_page::palette::css`].
pub const STYLE: &str = include_str!("picture.css");

/// Hue of each link, by its position: one for all of one name.
pub fn link_hues(flow: &Dataflow) -> Vec<usize> {
    let names = flow.names();
    let number = |link: &Link| {
        // A link to or from the host takes the name and hue of what the shim's channel
        // carries.
        let end = match link.from[0] {
            LinkEnd::Argument(_) => link.to[0],
            _ => link.from[0],
        };
        let carries = |other: &&Link| other.from.contains(&end) || other.to.contains(&end);
        let mut streams = flow
            .links
            .iter()
            .filter(|other| other.kind != LinkKind::Host);
        let shown = match link.kind {
            LinkKind::Host => streams.find(carries).unwrap_or(link),
            _ => link,
        };
        let at = names.iter().position(|known| *known == shown.name);
        at.unwrap_or(0)
    };
    let hues = flow.links.iter().map(|link| hue_of(number(link)));
    hues.collect()
}

/// A link in one line of text.
pub fn link_text(flow: &Dataflow, number: usize) -> String {
    let link = &flow.links[number];
    let ends = |list: &[LinkEnd]| {
        let end = |end: &LinkEnd| match end {
            LinkEnd::Argument(at) => format!("host '{}'", flow.arguments[*at].name),
            other => {
                let tile = other.tile().map_or(String::new(), |tile| tile.to_string());
                format!("{tile} {}", other.port_name())
                    .trim_end()
                    .to_string()
            }
        };
        list.iter().map(end).collect::<Vec<_>>().join(", ")
    };
    let arrow = if is_directed(link) { "→" } else { "and" };
    let ids = if link.packet_ids.is_empty() {
        String::new()
    } else {
        format!(" id {}", link.packet_ids)
    };
    let kind = link.kind.name();
    format!(
        "{} ({kind}{ids}): {} {arrow} {}",
        link.name,
        ends(&link.from),
        ends(&link.to)
    )
}

/// The picture of a device as an `svg` element.
pub fn picture(flow: &Dataflow, layout: &Layout, class: &str) -> String {
    let mut out = String::new();
    // Writing into a string can't fail.
    let _ = draw(&mut out, flow, layout, class);
    out
}

fn draw(out: &mut String, flow: &Dataflow, layout: &Layout, class: &str) -> std::fmt::Result {
    let Layout { width, height, .. } = layout;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{class}\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-size=\"{FONT}\">"
    )?;
    if class == "alone" {
        let palette = aiec_page::palette::css("svg");
        writeln!(out, "<style>{palette}{STYLE}</style>")?;
        writeln!(
            out,
            "<rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>"
        )?;
    }
    let hues = link_hues(flow);
    for wire in &layout.wires {
        draw_wire(out, flow, wire, hues[wire.link])?;
    }
    for node in &layout.boxes {
        draw_box(out, flow, node, &hues)?;
    }
    writeln!(out, "</svg>")
}

fn draw_wire(out: &mut String, flow: &Dataflow, wire: &Wire, hue: usize) -> std::fmt::Result {
    let link = &flow.links[wire.link];
    let mut path = String::new();
    for (n, (x, y)) in wire.points.iter().enumerate() {
        write!(path, "{}{x} {y}", if n == 0 { "M" } else { "L" })?;
    }
    let class = link.kind.name().replace(' ', "-");
    let number = wire.link;
    write!(
        out,
        "<g class=\"wire {class} hue{hue}\" data-link=\"{number}\"><title>{}</title>\
         <path class=\"line\" d=\"{path}\"/>",
        escape(&link_text(flow, number))
    )?;
    if link.kind == LinkKind::SharedMemory {
        write!(out, "<path class=\"core-of-line\" d=\"{path}\"/>")?;
    }
    if let ([.., (before, _), (x, y)], true) = (wire.points.as_slice(), is_directed(link)) {
        let back = if before < x { -6 } else { 6 };
        let base = x + back;
        write!(
            out,
            "<path class=\"arrow\" d=\"M{x} {y}L{base} {}L{base} {}Z\"/>",
            y - 4,
            y + 4
        )?;
    }
    writeln!(out, "</g>")
}

fn draw_box(out: &mut String, flow: &Dataflow, node: &NodeBox, hues: &[usize]) -> std::fmt::Result {
    let rect = node.rect;
    let (kind, key) = match node.node {
        Ok(tile) => {
            let kind = flow.tiles.get(&tile).map_or("", |content| content.kind);
            // The first word of `core tile`, `shim NOC tile`…
            let kind = kind.split(' ').next().unwrap_or_default();
            (kind, format!("data-tile=\"{},{}\"", tile.col, tile.row))
        }
        Err(at) => ("host", format!("data-argument=\"{at}\"")),
    };
    writeln!(
        out,
        "<g class=\"box {kind}\" {key}><rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" \
         height=\"{}\" rx=\"5\"/><text class=\"title\" x=\"{}\" y=\"{}\">{}</text>",
        rect.x,
        rect.y,
        rect.width,
        rect.height,
        rect.x + 6,
        rect.y + TITLE - 6,
        escape(&node.title)
    )?;
    for (n, note) in (1..).zip(&node.notes) {
        let y = rect.y + TITLE + n * LINE - 6;
        let x = rect.x + 6;
        writeln!(
            out,
            "<text class=\"note\" x=\"{x}\" y=\"{y}\">{}</text>",
            escape(note)
        )?;
    }
    for end in &node.ends {
        let links: Vec<String> = end.links.iter().map(usize::to_string).collect();
        let hue = hues[end.links[0]];
        let place = end.rect;
        let texts: Vec<String> = end.links.iter().map(|n| link_text(flow, *n)).collect();
        let middle = place.y + place.height / 2;
        let arrow = if end.receives {
            place.x + 2
        } else {
            place.x + place.width - 8
        };
        let (x, anchor) = if end.receives {
            (place.x + 12, "start")
        } else {
            (place.x + place.width - 12, "end")
        };
        writeln!(
            out,
            "<g class=\"end hue{hue}\" data-link=\"{}\"><title>{}</title><rect class=\"row\" x=\"{}\" \
             y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/><path class=\"arrow\" d=\"M{arrow} {}v8l6 -4z\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text></g>",
            links.join(" "),
            escape(&texts.join("\n")),
            place.x,
            place.y + 1,
            place.width,
            place.height - 2,
            middle - 4,
            middle + 4,
            escape(&end.text)
        )?;
    }
    writeln!(out, "</g>")
}
