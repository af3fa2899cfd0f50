//! As a picture: a column for each controller, time downwards; one below the other what is loaded.

use std::collections::BTreeMap;
use std::fmt::Write;

use aiec_aie::ir::Module;
use aiec_diag::{Diags, Reported};
use aiec_passes::jobs::barriers::SyncPoint;
use aiec_passes::jobs::program::Choice;

use super::{SYNC_COLOUR, View, colour, name, sync_name, views};

/// Size of a node's box, and distances, in SVG units.
const WIDTH: usize = 150;
const HEIGHT: usize = 20;
const COLUMN: usize = 210;
const ROW: usize = 34;
const TOP: usize = 40;

/// Width of a character of a title, at most.
const CHARACTER: usize = 8;

/// The picture.
pub fn emit(module: &Module, choice: &Choice, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let mut body = String::new();
    let (mut width, mut top) = (COLUMN, 0);
    for view in views(module, choice, diags)? {
        let picture = JobGraphSvg::of(&view);
        let titles = &view.titles;
        let longest = titles.iter().map(String::len).max().unwrap_or(0);
        width = width.max(picture.columns.len() * COLUMN + COLUMN / 4);
        width = width.max(COLUMN / 2 + longest * CHARACTER);
        // Writing into a string can't fail.
        let _ = draw_titles(&mut body, titles, top, view.follows);
        top += titles.len() * ROW;
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

/// What is loaded, above its picture; a line across if it comes behind all that is above.
fn draw_titles(text: &mut String, titles: &[String], top: usize, line: bool) -> std::fmt::Result {
    if line {
        writeln!(
            text,
            "<line x1=\"0\" y1=\"{top}\" x2=\"100%\" y2=\"{top}\" stroke=\"black\" \
             stroke-width=\"2\"><title>all controllers meet</title></line>"
        )?;
    }
    for (at, title) in titles.iter().enumerate() {
        let (x, y) = (COLUMN / 8, top + at * ROW + ROW / 2 + 4);
        writeln!(
            text,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"13\" font-weight=\"bold\">{title}</text>"
        )?;
    }
    Ok(())
}

struct JobGraphSvg<'a> {
    view: &'a View,
    /// Place of each controller.
    columns: BTreeMap<u32, usize>,
    /// Row of each node.
    rows: Vec<usize>,
    /// Row of each meeting.
    meetings: Vec<usize>,
}

impl<'a> JobGraphSvg<'a> {
    /// Each node as high as what comes before it allows.
    fn of(view: &'a View) -> JobGraphSvg<'a> {
        let nodes = &view.loaded.graph.nodes;
        let mut columns = BTreeMap::new();
        for node in nodes {
            columns.insert(node.uc, 0);
        }
        for (place, column) in columns.values_mut().enumerate() {
            *column = place;
        }
        let mut picture = JobGraphSvg {
            view,
            columns,
            rows: vec![0; nodes.len()],
            meetings: Vec::new(),
        };
        let mut next: BTreeMap<u32, usize> = BTreeMap::new();
        let mut edges = view.loaded.graph.edges.iter().peekable();
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

    fn meet(&mut self, meeting: &SyncPoint, next: &mut BTreeMap<u32, usize>) {
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
        for uc in self.columns.keys() {
            let x = self.x(*uc);
            let at = top + TOP / 2;
            writeln!(
                text,
                "<text x=\"{x}\" y=\"{at}\" font-weight=\"bold\">controller {uc}</text>"
            )?;
        }
        self.draw_meetings(text, top)?;
        for edge in &self.view.loaded.graph.edges {
            let line = format!("stroke=\"{}\"", colour(edge.kind));
            self.draw_edge(text, top, (edge.from, edge.to), &line, edge.kind.name())?;
        }
        for join in &self.view.local_syncs {
            let line = format!("stroke=\"{SYNC_COLOUR}\" stroke-dasharray=\"4\"");
            for from in &join.from {
                // Each goes on by itself.
                for to in join.to.iter().filter(|to| from < *to) {
                    self.draw_edge(text, top, (*from, *to), &line, &sync_name(join))?;
                }
            }
        }
        self.draw_nodes(text, top)
    }

    /// Where controllers meet.
    fn draw_meetings(&self, text: &mut String, top: usize) -> std::fmt::Result {
        for (meeting, row) in self.view.meetings.iter().zip(&self.meetings) {
            let places: Vec<usize> = meeting.parties.iter().map(|uc| self.x(*uc)).collect();
            let first = places.iter().min().copied().unwrap_or(0);
            let last = places.iter().max().copied().unwrap_or(0) + WIDTH;
            let at = y(top, *row) + HEIGHT / 2;
            let label = at - 4;
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
        Ok(())
    }

    fn draw_edge(
        &self,
        text: &mut String,
        top: usize,
        (from, to): (usize, usize),
        line: &str,
        why: &str,
    ) -> std::fmt::Result {
        let nodes = &self.view.loaded.graph.nodes;
        let [from, to] = [from, to].map(|n| (self.x(nodes[n].uc), y(top, self.rows[n])));
        // Within a column the curve bends out to the right.
        let same = from.0 == to.0;
        let side = |x: usize| if same { x + WIDTH } else { x + WIDTH / 2 };
        let (x1, x2) = (side(from.0), side(to.0));
        let (y1, y2) = (from.1 + HEIGHT, to.1);
        let bend = if same { COLUMN / 5 } else { 0 };
        writeln!(
            text,
            "<path d=\"M{x1} {y1} C{} {} {} {} {x2} {y2}\" fill=\"none\" {line}>\
             <title>{why}</title></path>",
            x1 + bend,
            y1 + ROW / 2,
            x2 + bend,
            y2.saturating_sub(ROW / 2),
        )
    }

    fn draw_nodes(&self, text: &mut String, top: usize) -> std::fmt::Result {
        for (node, row) in self.view.loaded.graph.nodes.iter().zip(&self.rows) {
            let (x, y) = (self.x(node.uc), y(top, *row));
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
                name(node.kind)
            )?;
        }
        Ok(())
    }
}

/// Where a row lies.
fn y(top: usize, row: usize) -> usize {
    top + TOP + row * ROW
}
