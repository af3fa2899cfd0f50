//! `--emit=routing-json`: flows, switch settings and port use, for scripts.
//!
//! [`SCHEMA`] (`--emit=routing-json-schema`) says what it holds. The flows are those that the
//! settings implement; a packet flow lists every id that its rules let through, which may be more
//! than the netlist uses.

use std::collections::BTreeSet;

use aiec_aie::ir::Module;
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port, TileLoc};
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_passes::analysis::switches::{Connection, Switch};
use aiec_passes::route::trace::FoundFlow;
use serde_json::{Map, Value, json};

use super::routing_view::DeviceView;

/// The JSON schema of what [`emit`] writes.
pub const SCHEMA: &str = include_str!("routing.schema.json");

/// Writes the schema; it is the same for every design.
pub fn schema(_: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    Ok(SCHEMA.as_bytes().to_vec())
}

/// Writes the routing of all devices.
pub fn emit(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    let devices: Vec<Value> = DeviceView::all(module).iter().map(device).collect();
    let mut text = format!("{:#}", json!({ "devices": devices }));
    text.push('\n');
    Ok(text.into_bytes())
}

pub(super) fn device(view: &DeviceView) -> Value {
    let tiles: BTreeSet<TileLoc> = view
        .switches
        .tiles
        .keys()
        .chain(view.switches.muxes.keys())
        .copied()
        .collect();
    let empty = Switch::default();
    let of = |tile: &TileLoc| view.switches.switch(*tile).unwrap_or(&empty);
    let switches: Vec<Value> = tiles.iter().map(|t| switch(view, *t, of(t))).collect();
    let count = |s: &Switch| s.connections.len() + s.masters.len();
    let connections: usize = view.switches.tiles.values().map(count).sum();
    json!({
        "name": view.name,
        "device": view.model.name(),
        "columns": view.model.columns(),
        "rows": view.model.rows(),
        "flows": view.flows.iter().map(flow).collect::<Vec<_>>(),
        "switches": switches,
        "totals": {
            "flows": view.flows.len(),
            "connections": connections,
            "wires": view.flows_by_wire().len(),
            "switches": view.switches.tiles.len(),
        },
    })
}

fn port(port: Port) -> Value {
    json!({ "bundle": port.bundle.name(), "channel": port.channel })
}

fn end((tile, port): (TileLoc, Port)) -> Value {
    json!({
        "col": tile.col,
        "row": tile.row,
        "bundle": port.bundle.name(),
        "channel": port.channel,
    })
}

fn flow(flow: &FoundFlow) -> Value {
    let hops = flow.hops.iter().map(|hop| {
        json!({
            "col": hop.tile.col,
            "row": hop.tile.row,
            "from": port(hop.slave),
            "to": port(hop.master),
        })
    });
    json!({
        "kind": if flow.circuit { "circuit" } else { "packet" },
        "ids": flow.ids,
        "source": end(flow.source),
        "destinations": flow.sinks.iter().copied().map(end).collect::<Vec<_>>(),
        "hops": hops.collect::<Vec<_>>(),
    })
}

fn connects(list: &[Connection]) -> Vec<Value> {
    let connect = |c: &Connection| json!({ "from": port(c.from), "to": port(c.to) });
    list.iter().map(connect).collect()
}

fn switch(view: &DeviceView, tile: TileLoc, switch: &Switch) -> Value {
    let masters = switch.masters.iter().map(|master| {
        json!({
            "port": port(master.port),
            "amsels": master.amsels,
            "keep_header": master.keep_header,
        })
    });
    let rules = switch.slaves.iter().flat_map(|slave| {
        slave.rules.iter().map(|rule| {
            json!({
                "port": port(slave.port),
                "mask": rule.mask,
                "value": rule.value,
                "amsel": rule.amsel,
            })
        })
    });
    let mux = view.switches.muxes.get(&tile);
    json!({
        "col": tile.col,
        "row": tile.row,
        "kind": view.model.tile_kind(tile).map_or("", |kind| kind.name()),
        "connects": connects(&switch.connections),
        "masters": masters.collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
        "mux": connects(mux.map_or(&[], |mux| &mux.connections)),
        "use": {
            "outputs": port_use(view, tile, PortSide::Master, |p| switch.driver(p).is_some()),
            "inputs": port_use(view, tile, PortSide::Slave, |p| switch.uses_slave(p)),
        },
    })
}

/// Used and existing ports of each bundle that has a used one.
fn port_use(
    view: &DeviceView,
    tile: TileLoc,
    side: PortSide,
    used: impl Fn(Port) -> bool,
) -> Value {
    let mut map = Map::new();
    for bundle in Bundle::ALL {
        let count = view.model.port_count(tile, side, bundle);
        let used = (0..count)
            .filter(|channel| used(Port::new(bundle, *channel)))
            .count();
        if used > 0 {
            map.insert(
                bundle.name().to_string(),
                json!({ "used": used, "of": count }),
            );
        }
    }
    Value::Object(map)
}
