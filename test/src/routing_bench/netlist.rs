//! Problems as MLIR netlists.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Flow, FlowPort, Problem};

/// The netlist of a problem, flows in their order.
pub fn netlist(problem: &Problem) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, problem);
    text
}

fn write(text: &mut String, problem: &Problem) -> std::fmt::Result {
    writeln!(text, "// {}", problem.name)?;
    writeln!(text, "aie.device({}) {{", problem.device)?;
    let ends = problem
        .flows
        .iter()
        .flat_map(|flow| flow.sources.iter().chain(&flow.sinks));
    let tiles: BTreeSet<(u8, u8)> = ends.map(|end| (end.col, end.row)).collect();
    for (col, row) in tiles {
        writeln!(text, "  %t{col}_{row} = aie.tile({col}, {row})")?;
    }
    for flow in &problem.flows {
        match flow.packet {
            None => circuit(text, flow)?,
            Some(id) => packet(text, id, flow)?,
        }
    }
    writeln!(text, "}}")
}

fn port(end: &FlowPort) -> String {
    let FlowPort {
        col,
        row,
        bundle,
        channel,
    } = end;
    format!("%t{col}_{row}, {bundle} : {channel}")
}

fn circuit(text: &mut String, flow: &Flow) -> std::fmt::Result {
    for source in &flow.sources {
        for sink in &flow.sinks {
            writeln!(text, "  aie.flow({}, {})", port(source), port(sink))?;
        }
    }
    Ok(())
}

fn packet(text: &mut String, id: u8, flow: &Flow) -> std::fmt::Result {
    writeln!(text, "  aie.packet_flow({id}) {{")?;
    for source in &flow.sources {
        writeln!(text, "    aie.packet_source<{}>", port(source))?;
    }
    for sink in &flow.sinks {
        writeln!(text, "    aie.packet_dest<{}>", port(sink))?;
    }
    writeln!(text, "  }}")
}
