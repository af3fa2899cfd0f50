//! For Graphviz.

use std::collections::BTreeMap;
use std::fmt::Write;

use aiec_aie::ir::Module;
use aiec_diag::{Diags, Reported};
use aiec_passes::jobs::program::ControlCodeOptions;

use super::{SYNC_STYLE, View, colour, name, style, sync_name, views};

/// Colour of edges that say what is loaded when.
const ORDER_COLOUR: &str = "#000000";

/// The graph.
pub fn emit(
    module: &Module,
    choice: &ControlCodeOptions,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let mut text = String::from("digraph jobs {\n  node [shape=box, fontsize=10];\n");
    let views = views(module, choice, diags)?;
    for (number, view) in views.iter().enumerate() {
        // Writing into a string can't fail.
        let _ = write_view(&mut text, number, view);
        if let Some(before) = number.checked_sub(1).filter(|_| view.follows) {
            let _ = follow(&mut text, (before, &views[before]), number);
        }
    }
    text.push_str("}\n");
    Ok(text.into_bytes())
}

/// Nodes by controller, in program order.
fn by_controller(view: &View) -> BTreeMap<u32, Vec<usize>> {
    let mut ucs: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, node) in view.loaded.graph.nodes.iter().enumerate() {
        ucs.entry(node.uc).or_default().push(at);
    }
    ucs
}

fn write_view(text: &mut String, number: usize, view: &View) -> std::fmt::Result {
    let ucs = by_controller(view);
    if !view.titles.is_empty() {
        let label = view.titles.join("\\n");
        writeln!(
            text,
            "  load{number} [shape=folder, style=bold, label=\"{label}\"];"
        )?;
        for first in ucs.values().filter_map(|nodes| nodes.first()) {
            writeln!(
                text,
                "  load{number} -> n{number}_{first} [style=bold, color=\"{ORDER_COLOUR}\"];"
            )?;
        }
    }
    for (uc, nodes) in ucs {
        writeln!(text, "  subgraph cluster_{number}_{uc} {{")?;
        writeln!(text, "    label=\"controller {uc}\";")?;
        for at in nodes {
            let node = &view.loaded.graph.nodes[at];
            let style = if node.configures { "solid" } else { "rounded" };
            let label = name(node.kind);
            writeln!(
                text,
                "    n{number}_{at} [label=\"{label}\", style={style}];"
            )?;
        }
        writeln!(text, "  }}")?;
    }
    for edge in &view.loaded.graph.edges {
        let (from, to, why) = (edge.from, edge.to, edge.kind);
        writeln!(
            text,
            "  n{number}_{from} -> n{number}_{to} [label=\"{}\", color=\"{}\"];",
            why.name(),
            colour(style(why))
        )?;
    }
    write_meetings(text, number, view)?;
    write_local_syncs(text, number, view)
}

/// Where controllers meet.
fn write_meetings(text: &mut String, number: usize, view: &View) -> std::fmt::Result {
    let ucs = by_controller(view);
    for (at, meeting) in view.meetings.iter().enumerate() {
        let parties: Vec<String> = meeting.parties.iter().map(u32::to_string).collect();
        writeln!(
            text,
            "  b{number}_{at} [shape=diamond, label=\"barrier {}: controllers {}\"];",
            meeting.id,
            parties.join(", ")
        )?;
        for nodes in meeting.parties.iter().filter_map(|uc| ucs.get(uc)) {
            let next = nodes.partition_point(|node| *node < meeting.before);
            if let Some(to) = nodes.get(next) {
                writeln!(text, "  b{number}_{at} -> n{number}_{to} [style=dashed];")?;
            }
        }
    }
    Ok(())
}

/// Where jobs of a page meet, or launch one another.
fn write_local_syncs(text: &mut String, number: usize, view: &View) -> std::fmt::Result {
    for (at, join) in view.local_syncs.iter().enumerate() {
        let label = sync_name(join);
        let style = format!("style=dashed, color=\"{}\"", colour(SYNC_STYLE));
        if join.barrier.is_none() {
            for (from, to) in join.from.iter().zip(&join.to) {
                writeln!(
                    text,
                    "  n{number}_{from} -> n{number}_{to} [label=\"{label}\", {style}];"
                )?;
            }
            continue;
        }
        writeln!(
            text,
            "  j{number}_{at} [shape=diamond, label=\"{label}\", {style}];"
        )?;
        for from in &join.from {
            writeln!(text, "  n{number}_{from} -> j{number}_{at} [{style}];")?;
        }
        for to in &join.to {
            writeln!(text, "  j{number}_{at} -> n{number}_{to} [{style}];")?;
        }
    }
    Ok(())
}

/// A load comes after all that the one before did.
fn follow(text: &mut String, (before, view): (usize, &View), number: usize) -> std::fmt::Result {
    let lasts = by_controller(view);
    let mut lasts = lasts.values().filter_map(|nodes| nodes.last()).peekable();
    let style = format!("style=bold, color=\"{ORDER_COLOUR}\"");
    if lasts.peek().is_none() {
        writeln!(text, "  load{before} -> load{number} [{style}];")?;
    }
    for last in lasts {
        writeln!(text, "  n{before}_{last} -> load{number} [{style}];")?;
    }
    Ok(())
}
