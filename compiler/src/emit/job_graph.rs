//! `job-graph` and `job-graph-svg`: what must stay ordered in the control code, and where
//! controllers meet.
//!
//! Both show the dependence graph of `emit-jobs` with a controller for each column: nodes in
//! program order, an edge for each dependence that the order of a lane doesn't imply, and the
//! remote barriers that edges between controllers become.

use std::collections::BTreeMap;
use std::fmt::Write;

use aiec_device::TileLoc;
use aiec_dialect::diag::{Diags, Reported};
use aiec_dialect::ir::Module;
use aiec_dialect::ops::{Device, OpView};
use aiec_dialect::source::SourceMap;
use aiec_passes::jobs::barriers::Meeting;
use aiec_passes::jobs::graph::{Graph, What, Why};
use aiec_passes::jobs::schedule::remote_meetings;
use aiec_passes::jobs::{Jobs, graph_of};

/// A graph with where controllers meet.
struct View {
    graph: Graph,
    meetings: Vec<Meeting>,
}

fn views(module: &Module, diags: &mut Diags) -> Result<Vec<View>, Reported> {
    let mut views = Vec::new();
    for device in module.children::<Device>(module.top()) {
        let graph = graph_of(module, device.op(), Jobs::Parallel, diags)?;
        let meetings = remote_meetings(&graph);
        views.push(View { graph, meetings });
    }
    Ok(views)
}

/// What a node is called.
fn name(what: What) -> String {
    let tile = |what: &str, tile: TileLoc| format!("{what} {tile}");
    match what {
        What::Hold(at) => tile("hold core", at),
        What::Setup(at) => tile("set up", at),
        What::Start(at) => tile("start", at),
        What::Release(at) => tile("release core", at),
        What::Image(at, bd) => format!("BD {bd} of {at}"),
        What::Channel((at, dir, channel)) => format!("{dir} {channel} of {at}"),
        What::Wait((at, dir, channel)) => format!("wait {dir} {channel} of {at}"),
        What::Fence(at) => tile("change", at),
        What::GlobalFence => "change anything".to_string(),
    }
}

fn colour(why: Why) -> &'static str {
    match why {
        Why::Stream => "#1f77b4",
        Why::Memory => "#2ca02c",
        Why::Cascade => "#17becf",
        Why::Image => "#7f7f7f",
        Why::BdReuse => "#9467bd",
        Why::HostRange => "#d62728",
        Why::Wait => "#ff7f0e",
        Why::Fence => "#8c564b",
    }
}

/// For Graphviz.
pub fn dot(module: &Module, _: &SourceMap, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let mut text = String::from("digraph jobs {\n  node [shape=box, fontsize=10];\n");
    for (number, view) in views(module, diags)?.iter().enumerate() {
        // Writing into a string can't fail.
        let _ = write_dot(&mut text, number, view);
    }
    text.push_str("}\n");
    Ok(text.into_bytes())
}

fn write_dot(text: &mut String, number: usize, view: &View) -> std::fmt::Result {
    let mut ucs: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, node) in view.graph.nodes.iter().enumerate() {
        ucs.entry(node.uc).or_default().push(at);
    }
    for (uc, nodes) in ucs {
        writeln!(text, "  subgraph cluster_{number}_{uc} {{")?;
        writeln!(text, "    label=\"controller {uc}\";")?;
        for at in nodes {
            let node = &view.graph.nodes[at];
            let style = if node.configures { "solid" } else { "rounded" };
            let label = name(node.what);
            writeln!(
                text,
                "    n{number}_{at} [label=\"{label}\", style={style}];"
            )?;
        }
        writeln!(text, "  }}")?;
    }
    for edge in &view.graph.edges {
        let (from, to, why) = (edge.from, edge.to, edge.why);
        writeln!(
            text,
            "  n{number}_{from} -> n{number}_{to} [label=\"{}\", color=\"{}\"];",
            why.name(),
            colour(why)
        )?;
    }
    for (at, meeting) in view.meetings.iter().enumerate() {
        let parties: Vec<String> = meeting.parties.iter().map(u32::to_string).collect();
        writeln!(
            text,
            "  b{number}_{at} [shape=diamond, label=\"barrier {}: controllers {}\"];",
            meeting.id,
            parties.join(", ")
        )?;
        let next = |uc: &u32| {
            let mut nodes = view.graph.nodes.iter().enumerate();
            nodes
                .find(|(at, node)| node.uc == *uc && *at >= meeting.before)
                .map(|(at, _)| at)
        };
        for to in meeting.parties.iter().filter_map(next) {
            writeln!(text, "  b{number}_{at} -> n{number}_{to} [style=dashed];")?;
        }
    }
    Ok(())
}

/// Size of a node's box, and distances, in SVG units.
const WIDTH: usize = 150;
const HEIGHT: usize = 20;
const COLUMN: usize = 210;
const ROW: usize = 34;
const TOP: usize = 40;

/// As a picture: a column for each controller, time downwards.
pub fn svg(module: &Module, _: &SourceMap, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let mut body = String::new();
    let (mut width, mut top) = (COLUMN, 0);
    for view in views(module, diags)? {
        let picture = Picture::of(&view);
        width = width.max(picture.columns.len() * COLUMN + COLUMN / 4);
        // Writing into a string can't fail.
        let _ = picture.draw(&mut body, top);
        top += picture.height();
    }
    let height = top.max(TOP);
    let text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    );
    Ok(text.into_bytes())
}

struct Picture<'a> {
    view: &'a View,
    /// Place of each controller.
    columns: BTreeMap<u32, usize>,
    /// Row of each node.
    rows: Vec<usize>,
    /// Row of each meeting.
    meetings: Vec<usize>,
}

impl<'a> Picture<'a> {
    /// Each node as high as what comes before it allows.
    fn of(view: &'a View) -> Picture<'a> {
        let nodes = &view.graph.nodes;
        let mut columns = BTreeMap::new();
        for node in nodes {
            columns.insert(node.uc, 0);
        }
        for (place, column) in columns.values_mut().enumerate() {
            *column = place;
        }
        let mut picture = Picture {
            view,
            columns,
            rows: vec![0; nodes.len()],
            meetings: Vec::new(),
        };
        let mut next: BTreeMap<u32, usize> = BTreeMap::new();
        let mut edges = view.graph.edges.iter().peekable();
        let mut meetings = view.meetings.iter().peekable();
        for (at, node) in nodes.iter().enumerate() {
            while let Some(meeting) = meetings.next_if(|m| m.before <= at) {
                picture.meet(meeting, &mut next);
            }
            let mut row = next.get(&node.uc).copied().unwrap_or(0);
            while let Some(edge) = edges.next_if(|edge| edge.to <= at) {
                row = row.max(picture.rows[edge.from] + 1);
            }
            picture.rows[at] = row;
            next.insert(node.uc, row + 1);
        }
        for meeting in meetings {
            picture.meet(meeting, &mut next);
        }
        picture
    }

    fn meet(&mut self, meeting: &Meeting, next: &mut BTreeMap<u32, usize>) {
        let rows = meeting.parties.iter().filter_map(|uc| next.get(uc));
        let row = rows.copied().max().unwrap_or(0);
        self.meetings.push(row);
        next.extend(meeting.parties.iter().map(|uc| (*uc, row + 1)));
    }

    fn height(&self) -> usize {
        let rows = self.rows.iter().chain(&self.meetings).max();
        TOP + (rows.copied().unwrap_or(0) + 2) * ROW
    }

    fn x(&self, uc: u32) -> usize {
        self.columns.get(&uc).copied().unwrap_or(0) * COLUMN + COLUMN / 4
    }

    fn draw(&self, text: &mut String, top: usize) -> std::fmt::Result {
        let nodes = &self.view.graph.nodes;
        let y = |row: usize| top + TOP + row * ROW;
        for uc in self.columns.keys() {
            let x = self.x(*uc);
            let at = top + TOP / 2;
            writeln!(
                text,
                "<text x=\"{x}\" y=\"{at}\" font-weight=\"bold\">controller {uc}</text>"
            )?;
        }
        for (meeting, row) in self.view.meetings.iter().zip(&self.meetings) {
            let places: Vec<usize> = meeting.parties.iter().map(|uc| self.x(*uc)).collect();
            let first = places.iter().min().copied().unwrap_or(0);
            let last = places.iter().max().copied().unwrap_or(0) + WIDTH;
            let (at, label) = (y(*row) + HEIGHT / 2, y(*row) + HEIGHT / 2 - 4);
            writeln!(
                text,
                "<line x1=\"{first}\" y1=\"{at}\" x2=\"{last}\" y2=\"{at}\" stroke=\"black\" \
                 stroke-width=\"3\"/><text x=\"{first}\" y=\"{label}\">barrier {}</text>",
                meeting.id
            )?;
            for x in places {
                let x = x + WIDTH / 2;
                writeln!(text, "<circle cx=\"{x}\" cy=\"{at}\" r=\"4\"/>")?;
            }
        }
        for edge in &self.view.graph.edges {
            let [from, to] = [edge.from, edge.to].map(|n| (self.x(nodes[n].uc), y(self.rows[n])));
            // Within a column the curve bends out to the right.
            let side = |x: usize| {
                if from.0 == to.0 {
                    x + WIDTH
                } else {
                    x + WIDTH / 2
                }
            };
            let (x1, x2) = (side(from.0), side(to.0));
            let (y1, y2) = (from.1 + HEIGHT, to.1);
            let bend = if from.0 == to.0 { COLUMN / 5 } else { 0 };
            writeln!(
                text,
                "<path d=\"M{x1} {y1} C{} {} {} {} {x2} {y2}\" fill=\"none\" stroke=\"{}\">\
                 <title>{}</title></path>",
                x1 + bend,
                y1 + ROW / 2,
                x2 + bend,
                y2.saturating_sub(ROW / 2),
                colour(edge.why),
                edge.why.name()
            )?;
        }
        for (node, row) in nodes.iter().zip(&self.rows) {
            let (x, y) = (self.x(node.uc), y(*row));
            let fill = if node.configures {
                "#eeeeee"
            } else {
                "#e8f0ff"
            };
            writeln!(
                text,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"3\" \
                 fill=\"{fill}\" stroke=\"black\"/><text x=\"{}\" y=\"{}\">{}</text>",
                x + 5,
                y + HEIGHT - 6,
                name(node.what)
            )?;
        }
        Ok(())
    }
}
