//! `aie-lower-cascade-flows`: turns cascade connections into the input and output side of each
//! core (`mlir-aie: lib/Dialect/AIE/Transforms/AIELowerCascadeFlows.cpp`).
//!
//! A core has one cascade input (north or west) and one output (south or east); a flow goes from
//! a core to the one below it or to its right. Unlike in mlir-aie, a second flow into or out of a
//! core, and a flow beside a written `aie.configure_cascade`, are refused.

use aiec_aie::ir::{InsertPoint, Module, Op, Value};
use aiec_aie::ops::netlist::tile_loc;
use aiec_aie::ops::{CascadeFlow, ConfigureCascade, Device, OpView};
use aiec_device::{Arch, Bundle, TileKind, TileLoc};
use aiec_diag::{Diag, Reported, codes};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-lower-cascade-flows", run)
    .summary("Turn cascade connections into the sides of each core's cascade ports")
    .postconditions(&[
        "no aie.cascade_flow is left",
        "one aie.configure_cascade per core at most",
    ]);

codes! {
    /// Codes of `aie-lower-cascade-flows`.
    pub static CODES;
    BAD_DIRECTION = "cascade::not-neighbours",
        "A cascade leads from a core to the core directly below it (north to south) or directly \
         to its right (west to east), and nowhere else.";
    NO_CASCADE = "cascade::no-such-port",
        "Only core tiles of AIE-ML and later have configurable cascade ports.";
    TAKEN = "cascade::taken",
        "A core has one cascade input and one cascade output; each can belong to one connection.";
}

/// One core's cascade ports so far: the side, and the operation that asked for it.
struct Ports {
    tile: Value,
    input: Option<(Bundle, Op)>,
    output: Option<(Bundle, Op)>,
}

/// Subject of the message about two `aie.configure_cascade` of a core.
const PORTS: &str = "cascade ports of this core are";

type PortMap = IndexMap<TileLoc, Ports, FxBuildHasher>;

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let flows = module.children::<CascadeFlow>(device);
    let mut written: IndexMap<TileLoc, Op, FxBuildHasher> = IndexMap::default();
    for op in module.children::<ConfigureCascade>(device) {
        let loc = op.tile(module).and_then(|t| tile_loc(module, t));
        let first = loc.and_then(|loc| written.insert(loc, op.op()));
        if let Some(first) = first {
            context.report(taken(module, PORTS, op.op(), first));
        }
    }
    let mut ports = PortMap::default();
    for flow in &flows {
        add_flow(module, device, *flow, &written, &mut ports, context);
    }
    context.diags.check()?;
    let Some(last) = flows.last() else {
        return Ok(());
    };
    let mut at = last.op();
    for ports in ports.values() {
        let cause = ports.input.or(ports.output).map_or(at, |(_, op)| op);
        let input = ports.input.map_or(Bundle::North, |(side, _)| side);
        let output = ports.output.map_or(Bundle::South, |(side, _)| side);
        let loc = module.derived_loc(context.pass, cause);
        at = ConfigureCascade::build(module, loc, ports.tile, input.value(), output.value())
            .insert(InsertPoint::After(at));
    }
    for flow in flows {
        module.erase(flow.op());
    }
    Ok(())
}

fn add_flow(
    module: &Module,
    device: Op,
    flow: CascadeFlow,
    written: &IndexMap<TileLoc, Op, FxBuildHasher>,
    ports: &mut PortMap,
    context: &mut PassContext<'_>,
) {
    let ends = flow.source_tile(module).zip(flow.dest_tile(module));
    let Some((source, dest)) = ends else { return };
    let locs = tile_loc(module, source).zip(tile_loc(module, dest));
    let Some((from, to)) = locs else { return };
    if let Some(diag) = wrong_tile(module, device, flow, [from, to]) {
        context.report(diag);
        return;
    }
    let Some((out_side, in_side)) = sides(from, to) else {
        let message = format!("tile {from} can't send cascade data to tile {to}");
        context.report(
            Diag::error(&BAD_DIRECTION, message)
                .label(module.span(flow.op()), "this connection")
                .help("the destination must be the core below the source, or the one to its right"),
        );
        return;
    };
    for loc in [from, to] {
        if let Some(op) = written.get(&loc) {
            context.report(taken(module, PORTS, flow.op(), *op));
            return;
        }
    }
    let mut claim = |loc, tile, side, output: bool| {
        let entry = ports.entry(loc).or_insert(Ports {
            tile,
            input: None,
            output: None,
        });
        let (port, what) = if output {
            (&mut entry.output, "cascade output of this core is")
        } else {
            (&mut entry.input, "cascade input of this core is")
        };
        match *port {
            Some((_, first)) => context.report(taken(module, what, flow.op(), first)),
            None => *port = Some((side, flow.op())),
        }
    };
    claim(from, source, out_side, true);
    claim(to, dest, in_side, false);
}

/// The side that the source sends through and the one that the destination receives through.
fn sides(from: TileLoc, to: TileLoc) -> Option<(Bundle, Bundle)> {
    if from.col == to.col && from.row.checked_sub(1) == Some(to.row) {
        Some((Bundle::South, Bundle::North))
    } else if from.row == to.row && from.col.checked_add(1) == Some(to.col) {
        Some((Bundle::East, Bundle::West))
    } else {
        None
    }
}

fn wrong_tile(module: &Module, device: Op, flow: CascadeFlow, locs: [TileLoc; 2]) -> Option<Diag> {
    let model = Device(device).model(module)?;
    let span = module.span(flow.op());
    if model.arch() == Arch::Aie1 {
        let message = format!("the cascade of {} is fixed", model.name());
        return Some(
            Diag::error(&NO_CASCADE, message)
                .label(span, "this connection")
                .help("leave it out: cores of the first generation are wired in a fixed order"),
        );
    }
    let loc = locs
        .into_iter()
        .find(|loc| model.tile_kind(*loc) != Some(TileKind::Core))?;
    let kind = model.tile_kind(loc).map_or("no tile", TileKind::name);
    let message = format!("tile {loc} is a {kind} and has no cascade");
    Some(
        Diag::error(&NO_CASCADE, message)
            .label(span, "this connection")
            .help("connect two core tiles, or use aie.flow"),
    )
}

fn taken(module: &Module, what: &str, second: Op, first: Op) -> Diag {
    Diag::error(&TAKEN, format!("the {what} asked for twice"))
        .label(module.span(second), "the second time")
        .label(module.span(first), "the first time")
        .help("one of the two must go through another core")
}
