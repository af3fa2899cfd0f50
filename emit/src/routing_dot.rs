//! `--emit=routing-dot`: the routing as a Graphviz graph: a cluster for each tile, a node for each
//! used port side, edges for connections inside a switch and for wires, in the flow's colour;
//! packet flows are dashed. Render with `dot -Tsvg`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use aiec_aie::ir::Module;
use aiec_device::switch::PortSide;
use aiec_device::{Port, TileLoc};
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_page::palette::HUES;
use rustc_hash::FxHashSet;

use super::dataflow::graph::Dataflow;
use super::routing_picture::names::{NamedFlow, named_flows};
use super::routing_view::DeviceView;

/// Writes the routing of all devices.
pub fn emit(module: &Module, sources: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    let mut text =
        String::from("digraph routing {\n  rankdir=BT;\n  node [shape=box, fontsize=10];\n");
    for (number, view) in DeviceView::all(module).iter().enumerate() {
        // Writing to a string cannot fail.
        let names = named_flows(view, &Dataflow::find(module, view, sources));
        let _ = device(&mut text, number, view, &names);
    }
    text.push_str("}\n");
    Ok(text.into_bytes())
}

fn node(device: usize, tile: TileLoc, side: PortSide, port: Port) -> String {
    let side = match side {
        PortSide::Slave => "in",
        PortSide::Master => "out",
    };
    let (bundle, channel) = (port.bundle, port.channel);
    format!(
        "\"d{device}_{}_{}_{side}_{bundle}_{channel}\"",
        tile.col, tile.row
    )
}

/// Colour of completion tokens.
const TOKEN_COLOUR: &str = "#565d66";

fn device(
    text: &mut String,
    number: usize,
    view: &DeviceView,
    names: &[NamedFlow],
) -> std::fmt::Result {
    let mut ports: BTreeMap<TileLoc, BTreeSet<(PortSide, Port)>> = BTreeMap::new();
    for hop in view.flows.iter().flat_map(|flow| &flow.hops) {
        let used = ports.entry(hop.tile).or_default();
        used.insert((PortSide::Slave, hop.slave));
        used.insert((PortSide::Master, hop.master));
    }
    writeln!(text, "  subgraph cluster_d{number} {{")?;
    let title = format!("@{} ({})", view.name, view.model.name());
    writeln!(text, "    label={};", quoted(&title))?;
    for (tile, used) in &ports {
        let kind = view.model.tile_kind(*tile).map_or("", |kind| kind.name());
        writeln!(
            text,
            "    subgraph cluster_d{number}_{}_{} {{",
            tile.col, tile.row
        )?;
        writeln!(text, "      label=\"{kind} {tile}\";")?;
        for (side, port) in used {
            let name = node(number, *tile, *side, *port);
            let (label, shape) = match side {
                PortSide::Slave => (format!("{port} in"), "box"),
                PortSide::Master => (format!("{port} out"), "cds"),
            };
            writeln!(text, "      {name} [label=\"{label}\", shape={shape}];")?;
        }
        writeln!(text, "    }}")?;
    }
    for (at, (flow, named)) in view.flows.iter().zip(names).enumerate() {
        let colour = named.hue.map_or(TOKEN_COLOUR, |hue| HUES[hue].light);
        let style = if flow.circuit { "solid" } else { "dashed" };
        let look = format!(
            "color=\"{colour}\", style={style}, tooltip={}",
            quoted(&named.text)
        );
        writeln!(text, "    // flow {at}: {}", named.text)?;
        let mut wires = FxHashSet::default();
        for hop in &flow.hops {
            let from = node(number, hop.tile, PortSide::Slave, hop.slave);
            let to = node(number, hop.tile, PortSide::Master, hop.master);
            writeln!(text, "    {from} -> {to} [{look}];")?;
            let far = view.model.wire_from(hop.tile, hop.master);
            let far = far.filter(|(tile, port)| {
                let used = ports.get(tile);
                used.is_some_and(|used| used.contains(&(PortSide::Slave, *port)))
            });
            if let Some((tile, port)) = far.filter(|_| wires.insert((hop.tile, hop.master))) {
                let far = node(number, tile, PortSide::Slave, port);
                writeln!(text, "    {to} -> {far} [{look}, penwidth=2];")?;
            }
        }
    }
    writeln!(text, "  }}")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
