//! `aiec translate --aie-flows-to-json`: routes in the form that the reference's viewer reads
//! (`mlir-aie: lib/Targets/AIEFlowsToJSON.cpp`). `--emit=routing-json` says more.
//!
//! The routes are those that the switch settings implement, so that flows need not be in the
//! text for them; the numbers of sources and destinations are those of flows in the text, as the
//! reference counts.

use std::fmt::Write;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Flow, OpKind, OpView, PacketDest, PacketFlow, PacketSource};
use aiec_device::{Bundle, Port, TileLoc};
use aiec_passes::analysis::switches::{Switch, Switches};
use aiec_passes::route::routing_of;
use aiec_passes::route::trace::FoundFlow;
use rustc_hash::{FxHashMap, FxHashSet};

/// The directions in which wires leave a switch, with the names of the format.
const DIRECTIONS: [(Bundle, &str); 4] = [
    (Bundle::North, "northbound"),
    (Bundle::East, "eastbound"),
    (Bundle::South, "southbound"),
    (Bundle::West, "westbound"),
];

/// Writes the routes of the first device.
pub fn routes_of(module: &Module) -> Vec<u8> {
    let mut text = String::from("{\n");
    let devices = module.find(module.top(), OpKind::Device);
    let device = devices.first().copied();
    if let Some((device, (switches, flows))) =
        device.zip(device.and_then(|d| routing_of(module, d)))
    {
        // Writing to a string cannot fail.
        let _ = counts(&mut text, module, device, &switches);
        let _ = routes(&mut text, &flows);
    }
    // The last row has no comma, whatever is before it.
    text.push_str("\"route_all\": [],\n\n\"end json\": 0\n}");
    text.into_bytes()
}

fn counts(text: &mut String, module: &Module, device: Op, switches: &Switches) -> std::fmt::Result {
    let (sources, sinks) = ends(module, device);
    let count = |of: &FxHashMap<TileLoc, usize>, tile| of.get(tile).copied().unwrap_or(0);
    let mut length = 0;
    for (tile, switch) in &switches.tiles {
        let (col, row) = (tile.col, tile.row);
        writeln!(text, "\"switchbox{col}{row}\": {{")?;
        writeln!(text, "\"col\": {col},\n\"row\": {row},")?;
        writeln!(text, "\"source_count\": {},", count(&sources, tile))?;
        writeln!(text, "\"destination_count\": {},", count(&sinks, tile))?;
        let driven = driven(switch);
        let mut rows = Vec::new();
        for (bundle, name) in DIRECTIONS {
            let used = driven.iter().filter(|port| port.bundle == bundle).count();
            rows.push(format!("\"{name}\": {used}"));
            length += used;
        }
        writeln!(text, "{}\n}},", rows.join(",\n"))?;
    }
    // A connection that leaves the array through a shim mux takes no wire.
    for mux in switches.muxes.values() {
        let out = mux.connections.iter().map(|connection| connection.from);
        let out: FxHashSet<Port> = out.filter(|port| port.bundle == Bundle::North).collect();
        length = length.saturating_sub(out.len());
    }
    writeln!(text, "\"total_path_length\": {length},")
}

/// Number of flows of the text that start and end in each tile.
fn ends(module: &Module, device: Op) -> (FxHashMap<TileLoc, usize>, FxHashMap<TileLoc, usize>) {
    let (mut sources, mut sinks) = (FxHashMap::default(), FxHashMap::default());
    let count = |of: &mut FxHashMap<TileLoc, usize>, tile: Option<TileLoc>| {
        if let Some(tile) = tile {
            *of.entry(tile).or_default() += 1;
        }
    };
    for flow in module.children::<Flow>(device) {
        count(&mut sources, flow.from(module).map(|end| end.0));
        count(&mut sinks, flow.to(module).map(|end| end.0));
    }
    for flow in module.children::<PacketFlow>(device) {
        for source in module.children::<PacketSource>(flow.op()) {
            count(&mut sources, source.tile_loc(module));
        }
        for sink in module.children::<PacketDest>(flow.op()) {
            count(&mut sinks, sink.tile_loc(module));
        }
    }
    (sources, sinks)
}

fn driven(switch: &Switch) -> FxHashSet<Port> {
    let circuits = switch.connections.iter().map(|connection| connection.to);
    circuits
        .chain(switch.masters.iter().map(|master| master.port))
        .collect()
}

fn routes(text: &mut String, flows: &[FoundFlow]) -> std::fmt::Result {
    // Circuits first; packets of one source and different ids each have their route.
    let circuits = flows.iter().filter(|flow| flow.circuit);
    let packets = flows.iter().filter(|flow| !flow.circuit);
    for (number, flow) in circuits.chain(packets).enumerate() {
        write!(text, "\"route{number}\": [ ")?;
        let mut steps: Vec<((TileLoc, Port), Vec<String>)> = Vec::new();
        for hop in &flow.hops {
            let at = (hop.tile, hop.slave);
            let way = format!("\"{}\"", hop.master.bundle);
            match steps.iter_mut().find(|step| step.0 == at) {
                Some(step) => step.1.push(way),
                None => steps.push((at, vec![way])),
            }
        }
        for ((tile, _), ways) in steps {
            write!(
                text,
                "[[{}, {}], [{}]], ",
                tile.col,
                tile.row,
                ways.join(", ")
            )?;
        }
        writeln!(text, "[] ],")?;
    }
    Ok(())
}
