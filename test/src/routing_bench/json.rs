//! Problems as JSON:
//!
//! ```json
//! {"name": "npu1/circuit-24/1", "device": "npu1", "flows": [
//!   {"packet": 3, "sources": ["DMA 0 of 0,2"], "sinks": ["DMA 1 of 3,5", "DMA 0 of 1,0"]}]}
//! ```
//!
//! `packet` is absent for circuits. An end is `BUNDLE CHANNEL of COLUMN,ROW`; in the shim row it
//! is the port outside the shim mux.

use std::fmt::Write;

use serde_json::Value;

use super::{Flow, FlowPort, Problem};

/// Writes a problem, one flow to a line.
pub fn write(problem: &Problem) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let ends = |list: &[FlowPort]| {
        let end = |e: &FlowPort| format!("\"{} {} of {},{}\"", e.bundle, e.channel, e.col, e.row);
        list.iter().map(end).collect::<Vec<_>>().join(", ")
    };
    let flow = |flow: &Flow| {
        let mut text = String::from("  {");
        if let Some(id) = flow.packet {
            // Writing to a string cannot fail.
            let _ = write!(text, "\"packet\": {id}, ");
        }
        let (sources, sinks) = (ends(&flow.sources), ends(&flow.sinks));
        text + &format!("\"sources\": [{sources}], \"sinks\": [{sinks}]}}")
    };
    let flows: Vec<String> = problem.flows.iter().map(flow).collect();
    let (name, device) = (quoted(&problem.name), quoted(&problem.device));
    let flows = flows.join(",\n");
    format!("{{\"name\": {name}, \"device\": {device}, \"flows\": [\n{flows}\n]}}\n")
}

/// Reads a problem, or says what is wrong.
pub fn read(text: &str) -> Result<Problem, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let string = |key: &str| {
        let text = value[key].as_str().map(str::to_string);
        text.ok_or_else(|| format!("\"{key}\" must be a text"))
    };
    let flows = value["flows"]
        .as_array()
        .ok_or("\"flows\" must be a list")?;
    Ok(Problem {
        name: string("name")?,
        device: string("device")?,
        flows: flows.iter().map(flow).collect::<Result<_, _>>()?,
    })
}

fn flow(value: &Value) -> Result<Flow, String> {
    let ends = |key: &str| -> Result<Vec<FlowPort>, String> {
        let list = value[key]
            .as_array()
            .ok_or(format!("\"{key}\" must be a list"))?;
        list.iter().map(end).collect()
    };
    let packet = match value.get("packet") {
        None => None,
        Some(id) => {
            let id = id.as_u64().and_then(|id| u8::try_from(id).ok());
            Some(id.ok_or("\"packet\" must be a small number")?)
        }
    };
    Ok(Flow {
        packet,
        sources: ends("sources")?,
        sinks: ends("sinks")?,
    })
}

fn end(value: &Value) -> Result<FlowPort, String> {
    let parse = || {
        let (port, tile) = value.as_str()?.split_once(" of ")?;
        let (bundle, channel) = port.split_once(' ')?;
        let (col, row) = tile.split_once(',')?;
        Some(FlowPort {
            col: col.parse().ok()?,
            row: row.parse().ok()?,
            bundle: bundle.to_string(),
            channel: channel.parse().ok()?,
        })
    };
    parse().ok_or_else(|| format!("{value} isn't an end like \"DMA 0 of 1,2\""))
}
