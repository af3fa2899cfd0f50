//! `--emit=design-svg` and `--emit=design-html`: what the user wrote, as a picture: tiles with their
//! kernels, object fifos by name with depth and type, broadcasts, links, cascades, shared memory,
//! packet flows, host buffers.
//!
//! [`graph`] finds it in the routed module, [`layout`] says where everything is drawn, [`svg`](mod@svg) draws.

mod finder;
pub mod graph;
mod layout;
mod svg;

use aiec_aie::ir::Module;
use aiec_device::TileLoc;
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_page::Page;
use serde_json::{Value, json};

use crate::routing_view::DeviceView;
use graph::{Dataflow, Link, TileContent};
use layout::Layout;

pub use svg::link_hues;

/// Remarks on a run, for the page of the design that ran.
pub trait RunRemarks {
    /// Lines about a link in the run, and its throughput in few words.
    fn link(&self, link: &Link) -> (Vec<String>, Option<String>);

    /// Summary of the run.
    fn summary(&self, flow: &Dataflow) -> RunSummary;
}

/// Shares of a run, in percent of its cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// At work.
    pub busy: u64,
    /// Waiting for a lock, a stream or a cascade.
    pub stalled: u64,
}

/// Summary of a run, for the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// Its outcome, in one word.
    pub status: String,
    /// Remarks, the most important first.
    pub lines: Vec<String>,
    /// Shares of cores.
    pub tiles: Vec<(TileLoc, Shares)>,
    /// Links that make the time of the run, by number.
    pub critical: Vec<usize>,
    /// Links between the tiles that a deadlock holds, by number.
    pub stuck_links: Vec<usize>,
    /// Tiles of the circle or chain of a deadlock.
    pub stuck_tiles: Vec<TileLoc>,
}

/// The dataflow of each device of a routed module, in textual order.
pub fn dataflows(module: &Module, sources: &SourceMap) -> Vec<Dataflow> {
    let views = DeviceView::all(module);
    let flows = views
        .iter()
        .map(|view| Dataflow::find(module, view, sources));
    flows.collect()
}

/// Writes the picture of the first device that has something on it.
pub fn svg(module: &Module, sources: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    let flows = dataflows(module, sources);
    let with_tiles = flows.iter().find(|flow| !flow.tiles.is_empty());
    let empty = Layout::default();
    let text = match with_tiles.or(flows.first()) {
        Some(flow) => svg::picture(flow, &Layout::of(flow), "alone"),
        None => format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\"/>\n",
            empty.width, empty.height
        ),
    };
    Ok(text.into_bytes())
}

/// Writes the page of all devices.
pub fn html(module: &Module, sources: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    Ok(page(&dataflows(module, sources), None).into_bytes())
}

/// The page of all devices, with remarks on a run if there was one.
pub fn page(flows: &[Dataflow], run: Option<&dyn RunRemarks>) -> String {
    let mut body = include_str!("page.html").to_string();
    let pictures = flows
        .iter()
        .map(|flow| svg::picture(flow, &Layout::of(flow), "view"));
    body = body.replacen("<!--PICTURES-->", &pictures.collect::<String>(), 1);
    let devices = flows.iter().map(|flow| device(flow, run));
    let devices: Vec<Value> = devices.collect();
    Page {
        title: "Dataflow",
        style: &format!("{}{}", svg::STYLE, include_str!("page.css")),
        body: &body,
        script: include_str!("page.js"),
        data: &json!({ "devices": devices }),
    }
    .render()
}

fn device(flow: &Dataflow, run: Option<&dyn RunRemarks>) -> Value {
    let hues = svg::link_hues(flow);
    let links = flow.links.iter().enumerate().map(|(number, link)| {
        let mut value = link_value(link);
        value["text"] = svg::link_text(flow, number).into();
        value["hue"] = hues[number].into();
        if let Some(run) = run {
            let (lines, rate) = run.link(link);
            value["run"] = lines.into();
            value["share"] = rate.into();
        }
        value
    });
    let tiles = flow.tiles.iter().map(|(loc, content)| {
        let mut value = tile_value(content);
        value["tile"] = json!([loc.col, loc.row]);
        value
    });
    let arguments = flow.arguments.iter();
    let arguments = arguments.map(|a| json!({ "name": a.name, "index": a.index, "type": a.ty }));
    json!({
        "name": flow.name,
        "device": flow.device,
        "links": links.collect::<Vec<_>>(),
        "tiles": tiles.collect::<Vec<_>>(),
        "arguments": arguments.collect::<Vec<_>>(),
        "run": run.map(|run| summary_value(run.summary(flow))),
    })
}

fn summary_value(summary: RunSummary) -> Value {
    let tile = |tile: &TileLoc| json!([tile.col, tile.row]);
    let tiles = summary.tiles.iter().map(
        |(at, shares)| json!({ "tile": tile(at), "busy": shares.busy, "stalled": shares.stalled }),
    );
    json!({
        "status": summary.status,
        "lines": summary.lines,
        "tiles": tiles.collect::<Vec<_>>(),
        "critical": summary.critical,
        "stuck_links": summary.stuck_links,
        "stuck_tiles": summary.stuck_tiles.iter().map(tile).collect::<Vec<_>>(),
    })
}

fn link_value(link: &Link) -> Value {
    let tiles = |ends: &[graph::LinkEnd]| {
        let tiles = ends.iter().filter_map(|end| end.tile());
        tiles
            .map(|tile| json!([tile.col, tile.row]))
            .collect::<Vec<_>>()
    };
    json!({
        "name": link.name,
        "fifo": link.is_fifo,
        "kind": link.kind.name(),
        "ids": link.packet_ids,
        "element": link.element,
        "depth": link.depth,
        "source": link.source,
        "from": tiles(&link.from),
        "to": tiles(&link.to),
        "hops": link.hops,
    })
}

fn tile_value(content: &TileContent) -> Value {
    let buffers = content.buffers.iter();
    let buffers =
        buffers.map(|(name, bytes, at)| json!({ "name": name, "bytes": bytes, "address": at }));
    let locks = content
        .locks
        .iter()
        .map(|(name, id)| json!({ "name": name, "id": id }));
    let bds = content.bds.iter();
    let bds = bds.map(|((dir, n), count)| json!({ "channel": format!("{dir} {n}"), "bds": count }));
    json!({
        "kind": content.kind,
        "kernels": content.kernels,
        "core": content.has_core,
        "source": content.source,
        "buffers": buffers.collect::<Vec<_>>(),
        "locks": locks.collect::<Vec<_>>(),
        "bds": bds.collect::<Vec<_>>(),
    })
}
