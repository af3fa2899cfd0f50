//! `--emit=routing-html`: one page that shows the routed array and needs nothing else, no network
//! either: flows by name, details of ports, tiles and flows under the pointer, a filter, congestion,
//! packets by arbiter, and another routing to compare with.

use std::fmt::Write;

use aiec_aie::ir::Module;
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_page::Page;
use aiec_passes::route::trace::Hop;
use serde_json::{Value, json};

use super::routing_picture::comparison::FlowDifference;
use super::routing_picture::{FAR_FONT, MARGIN, NEAR_FONT, RoutingPicture, STYLE};
use super::routing_view::is_unrouted;
use super::routings::{OtherRouting, Routings};

/// Writes the page of all devices.
pub fn emit(
    module: &Module,
    other: Option<&OtherRouting<'_>>,
    sources: &SourceMap,
    _: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let routings = Routings::of(module, other, sources);
    let pictures = routings.pictures();
    let body = include_str!("page.html");
    let drawn: String = pictures.iter().map(picture).collect();
    let devices: Vec<Value> = pictures.iter().map(device).collect();
    let page = Page {
        title: "Routing",
        style: &format!("{STYLE}{}", include_str!("page.css")),
        body: &body.replacen("<!--PICTURES-->", &drawn, 1),
        script: include_str!("page.js"),
        data: &json!({ "devices": devices, "near": NEAR_FONT, "far": FAR_FONT }),
    };
    Ok(page.render().into_bytes())
}

fn picture(picture: &RoutingPicture<'_>) -> String {
    let (width, height) = (picture.width() + 2.0 * MARGIN, picture.height() + MARGIN);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"view hidden\" width=\"{width}\" height=\"{height}\">\
         <g transform=\"translate({MARGIN} 0)\">"
    );
    let _ = picture.draw(&mut text, true);
    text.push_str("</g></svg>\n");
    text
}

fn device(picture: &RoutingPicture<'_>) -> Value {
    let view = picture.view;
    let flows = view.flows.iter().zip(&picture.flows).enumerate();
    let flows = flows.map(|(number, (flow, named))| {
        let mut value = json!({
            "name": named.name,
            "text": named.text,
            "kind": if flow.circuit { "circuit" } else { "packet" },
            "hue": named.hue,
            "source": named.source,
            "unrouted": is_unrouted(flow),
            "hops": flow.hops.iter().map(hop_text).collect::<Vec<_>>(),
        });
        if let Some(other) = &picture.other {
            value["compared"] = other.text(number, flow).into();
            value["same"] = (other.flows.get(number) == Some(&FlowDifference::Same)).into();
        }
        value
    });
    json!({
        "name": view.name,
        "device": view.model.name(),
        "flows": flows.collect::<Vec<_>>(),
        "failure": picture.cut_text(),
        "compared": picture.other.as_ref().map(|other| other.summary(&view.flows)),
    })
}

fn hop_text(hop: &Hop) -> String {
    format!("tile {}: {} → {}", hop.tile, hop.slave, hop.master)
}
