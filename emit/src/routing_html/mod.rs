//! `--emit=routing-html`: one page that shows the routed array and needs nothing else, no network
//! either: zoom, details of ports and flows under the pointer, a filter of flows, congestion.
//!
//! The page is made of four files of this folder and the data of [`super::routing_json`], with
//! what a picture needs beyond it: a text for each flow, the far end of each wire, and all tiles
//! of the array. Flows of the same colour differ by their dashes, so the colours can be few
//! enough for everybody to tell apart.

use aiec_aie::ir::Module;
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, TileLoc};
use aiec_diag::{Diags, Reported, SourceMap};
use serde_json::{Map, Value, json};

use super::routing_json;
use super::routing_view::{DeviceView, flow_text};

/// The page, with marks where its parts go.
const PAGE: &str = include_str!("page.html");
/// Each mark with what replaces it; the data come last, as they may hold anything.
const PARTS: [(&str, &str); 3] = [
    ("/*STYLE*/", include_str!("style.css")),
    ("/*DRAW*/", include_str!("draw.js")),
    ("/*USE*/", include_str!("use.js")),
];
/// Where the data goes.
const DATA: &str = "/*DATA*/";

/// Writes the page of all devices.
pub fn emit(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    let devices: Vec<Value> = DeviceView::all(module).iter().map(device).collect();
    let data = json!({ "devices": devices }).to_string();
    // Nothing in a text may end the script element.
    let data = data.replace('<', "\\u003c");
    let page = PARTS.iter().fold(PAGE.to_string(), |page, (mark, part)| {
        page.replacen(mark, part, 1)
    });
    Ok(page.replacen(DATA, &data, 1).into_bytes())
}

fn device(view: &DeviceView) -> Value {
    let mut value = routing_json::device(view);
    let flows = value["flows"].as_array_mut().into_iter().flatten();
    for (flow, found) in flows.zip(&view.flows) {
        flow["text"] = flow_text(found).into();
    }
    value["tiles"] = view
        .model
        .tiles()
        .map(|tile| tile_value(view, tile))
        .collect();
    value
}

/// A tile, with how many wires leave it on each side.
fn tile_value(view: &DeviceView, tile: TileLoc) -> Value {
    let sides = [Bundle::North, Bundle::South, Bundle::East, Bundle::West];
    let mut wires = Map::new();
    for side in sides {
        let count = view.model.port_count(tile, PortSide::Master, side);
        if count > 0 {
            wires.insert(side.name().to_string(), count.into());
        }
    }
    json!({
        "col": tile.col,
        "row": tile.row,
        "kind": view.model.tile_kind(tile).map_or("", |kind| kind.name()),
        "named": view.tiles.contains(&tile),
        "wires": wires,
    })
}
