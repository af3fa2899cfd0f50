//! As a picture: columns for each controller, layers downwards; one below the other what is loaded.

use std::fmt::Write;
use std::ops::Range;

use aiec_aie::ir::Module;
use aiec_diag::{Diags, Reported};
use aiec_page::palette;
use aiec_page::{escape, shortened};
use aiec_passes::jobs::barriers::SyncPoint;
use aiec_passes::jobs::graph::DepKind;
use aiec_passes::jobs::program::ControlCodeOptions;

use super::layout::{EdgeTracks, GridPlace, HORIZONTAL_TRACKS, JobLayout, VERTICAL_TRACKS};
use super::{EdgeStyle, SYNC_STYLE, View, name, style, sync_name, views};

/// The style of the picture; colours are those of [`palette::css`].
const STYLE: &str = include_str!("picture.css");
/// Size of a node's box, and of the gaps between boxes, in pixels.
const WIDTH: usize = 184;
const HEIGHT: usize = 38;
const GAP: usize = 64;
const LAYER_GAP: usize = 24;
/// Distance of the tracks of edges.
const TRACK: usize = 6;
/// Sizes of text.
const FONT: f64 = 13.0;
const TITLE: f64 = 15.0;
/// Height of titles, and of the names of controllers.
const TITLE_LINE: usize = 26;
const HEAD: usize = 34;
/// Around everything.
const MARGIN: usize = 16;
/// The legend: width of an entry, height of a line.
const ENTRY: usize = 170;
const LEGEND_LINE: usize = 24;
/// Height of a barrier's bar.
const BAR: usize = 20;

/// The picture.
pub fn emit(
    module: &Module,
    choice: &ControlCodeOptions,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let views = views(module, choice, diags)?;
    let pictures: Vec<JobPicture<'_>> = views.iter().map(JobPicture::of).collect();
    let widest = pictures.iter().map(JobPicture::width).max().unwrap_or(0);
    let width = widest.max(4 * ENTRY);
    let mut body = String::new();
    // Writing into a string can't fail.
    let mut top = draw_legend(&mut body, &views, width).unwrap_or_default();
    for picture in &pictures {
        let _ = picture.draw(&mut body, top, width);
        top += picture.height();
    }
    let (width, height) = (width + 2 * MARGIN, top + 2 * MARGIN);
    let text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<style>{}{STYLE}</style>\n\
         <rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n\
         <g transform=\"translate({MARGIN} {MARGIN})\">\n{body}</g></svg>\n",
        palette::css("svg")
    );
    Ok(text.into_bytes())
}

/// Draws the legend of lines and boxes; returns its height.
fn draw_legend(text: &mut String, views: &[View], width: usize) -> Result<usize, std::fmt::Error> {
    let mut drawn = [false; DepKind::ALL.len()];
    for edge in views.iter().flat_map(|view| &view.loaded.graph.edges) {
        drawn[edge.kind as usize] = true;
    }
    let line = |style: EdgeStyle| {
        format!(
            "<path class=\"edge hue{}\" d=\"M0 0h30\"{}/>",
            style.hue,
            dash(style)
        )
    };
    let mut entries: Vec<(String, &str)> = vec![
        (
            "<rect class=\"node configures\" y=\"-8\" width=\"30\" height=\"16\" rx=\"3\"/>".into(),
            "configuration",
        ),
        (
            "<rect class=\"node\" y=\"-8\" width=\"30\" height=\"16\" rx=\"8\"/>".into(),
            "runtime sequence",
        ),
        (
            "<rect class=\"node critical\" y=\"-8\" width=\"30\" height=\"16\" rx=\"3\"/>".into(),
            "critical path",
        ),
        (
            "<rect class=\"bar\" y=\"-8\" width=\"30\" height=\"16\" rx=\"3\"/>".into(),
            "barrier",
        ),
        (
            "<path class=\"order\" d=\"M0 0h30\"/>".into(),
            "program order",
        ),
    ];
    let kinds = DepKind::ALL
        .into_iter()
        .filter(|kind| drawn[*kind as usize]);
    entries.extend(kinds.map(|kind| (line(style(kind)), kind.name())));
    if views.iter().any(|view| !view.local_syncs.is_empty()) {
        entries.push((line(SYNC_STYLE), "jobs of a page"));
    }
    let in_line = (width / ENTRY).max(1);
    for (at, (sample, name)) in entries.iter().enumerate() {
        let (x, y) = (
            at % in_line * ENTRY,
            at / in_line * LEGEND_LINE + LEGEND_LINE / 2,
        );
        writeln!(
            text,
            "<g transform=\"translate({x} {y})\">{sample}<text class=\"small\" x=\"38\" y=\"4\">{name}</text></g>"
        )?;
    }
    let lines = entries.len().div_ceil(in_line);
    writeln!(
        text,
        "<text class=\"small\" x=\"0\" y=\"{}\">Cycles are estimated, without pages. An arrow's colour says why its end comes later.</text>",
        lines * LEGEND_LINE + LEGEND_LINE / 2 + 4
    )?;
    Ok((lines + 1) * LEGEND_LINE + MARGIN)
}

fn dash(style: EdgeStyle) -> String {
    match style.dash {
        "" => String::new(),
        dash => format!(" stroke-dasharray=\"{dash}\""),
    }
}

struct JobPicture<'a> {
    view: &'a View,
    layout: JobLayout,
}

impl<'a> JobPicture<'a> {
    fn of(view: &'a View) -> JobPicture<'a> {
        JobPicture {
            view,
            layout: JobLayout::of(view),
        }
    }

    fn width(&self) -> usize {
        let longest = self.view.titles.iter().map(String::len).max().unwrap_or(0);
        // A character is at most as wide as two thirds of its size.
        let titles = longest * TITLE as usize * 2 / 3;
        titles.max(GAP + self.layout.columns * (WIDTH + GAP))
    }

    fn grid_top(&self) -> usize {
        self.view.titles.len() * TITLE_LINE + HEAD
    }

    fn height(&self) -> usize {
        self.grid_top() + self.layout.layers * (HEIGHT + LAYER_GAP) + LAYER_GAP
    }

    fn x(&self, column: usize) -> usize {
        GAP + column * (WIDTH + GAP)
    }

    /// The top left corner of a box.
    fn corner(&self, place: GridPlace, top: usize) -> (usize, usize) {
        let y = top + self.grid_top() + place.layer * (HEIGHT + LAYER_GAP);
        (self.x(place.column), y)
    }

    fn draw(&self, text: &mut String, top: usize, width: usize) -> std::fmt::Result {
        if self.view.follows {
            writeln!(
                text,
                "<line class=\"all\" x1=\"0\" y1=\"{top}\" x2=\"{width}\" y2=\"{top}\"><title>all controllers meet</title></line>"
            )?;
        }
        for (line, title) in self.view.titles.iter().enumerate() {
            let y = top + line * TITLE_LINE + TITLE_LINE - 8;
            writeln!(
                text,
                "<text class=\"title\" x=\"0\" y=\"{y}\">{}</text>",
                escape(title)
            )?;
        }
        for (uc, columns) in &self.layout.controllers {
            let x = self.x(columns.start);
            let y = top + self.view.titles.len() * TITLE_LINE;
            let wide = columns.len() * (WIDTH + GAP) - GAP;
            let height = self.height() - self.view.titles.len() * TITLE_LINE - LAYER_GAP;
            writeln!(
                text,
                "<rect class=\"column\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{height}\" rx=\"6\"/>\
                 <text class=\"title\" x=\"{x}\" y=\"{}\">controller {uc}</text>",
                x - 6,
                y + 2,
                wide + 12,
                y + 22
            )?;
        }
        self.draw_order(text, top)?;
        self.draw_edges(text, top)?;
        self.draw_meetings(text, top)?;
        self.draw_nodes(text, top)
    }

    /// Program order within lanes.
    fn draw_order(&self, text: &mut String, top: usize) -> std::fmt::Result {
        for pair in self.layout.lanes.iter().flat_map(|lane| lane.windows(2)) {
            let [from, to] =
                [pair[0], pair[1]].map(|node| self.corner(self.layout.places[node], top));
            let class = if self.is_critical(pair[0], pair[1]) {
                "order critical"
            } else {
                "order"
            };
            writeln!(
                text,
                "<path class=\"{class}\" d=\"M{} {}V{}\"/>",
                from.0 + 12,
                from.1 + HEIGHT,
                to.1
            )?;
        }
        Ok(())
    }

    /// Whether the critical path leads from one node to another.
    fn is_critical(&self, from: usize, to: usize) -> bool {
        let timeline = &self.view.timeline;
        timeline.critical.binary_search(&to).is_ok()
            && timeline.waited_for.get(to) == Some(&Some(from))
    }

    fn draw_edges(&self, text: &mut String, top: usize) -> std::fmt::Result {
        let graph = &self.view.loaded.graph;
        let mut edges: Vec<(usize, usize)> = Vec::new();
        let mut looks: Vec<(EdgeStyle, String)> = Vec::new();
        for edge in &graph.edges {
            edges.push((edge.from, edge.to));
            looks.push((style(edge.kind), edge.kind.name().to_string()));
        }
        for join in &self.view.local_syncs {
            for from in &join.from {
                // Each goes on by itself.
                for to in join.to.iter().filter(|to| from < *to) {
                    edges.push((*from, *to));
                    looks.push((SYNC_STYLE, sync_name(join)));
                }
            }
        }
        let tracks = self.layout.tracks(&edges);
        for ((edge, (style, why)), tracks) in edges.iter().zip(&looks).zip(tracks) {
            let class = if self.is_critical(edge.0, edge.1) {
                " critical"
            } else {
                ""
            };
            writeln!(
                text,
                "<g class=\"edge hue{}{class}\"><title>{why}: {} before {}</title>{}</g>",
                style.hue,
                escape(&name(graph.nodes[edge.0].kind)),
                escape(&name(graph.nodes[edge.1].kind)),
                self.edge_path(*edge, tracks, top, &dash(*style))
            )?;
        }
        Ok(())
    }

    fn edge_path(
        &self,
        (from, to): (usize, usize),
        tracks: Option<EdgeTracks>,
        top: usize,
        dash: &str,
    ) -> String {
        let [from, to] = [from, to].map(|node| self.corner(self.layout.places[node], top));
        let bottom = from.1 + HEIGHT;
        let Some(EdgeTracks {
            horizontal,
            gap,
            vertical,
        }) = tracks
        else {
            let x = from.0 + WIDTH / 2;
            return format!(
                "<path d=\"M{x} {bottom}V{}\"{dash}/><path class=\"tip\" d=\"M{x} {}l-4 -7h8z\"/>",
                to.1 - 1,
                to.1
            );
        };
        let start = from.0 + WIDTH / 2 + 10 * (horizontal + 1);
        let below = bottom + 4 + horizontal * (LAYER_GAP - 8) / HORIZONTAL_TRACKS;
        let down = self.x(gap) - GAP / 2 - TRACK * VERTICAL_TRACKS / 2 + TRACK * vertical;
        // Ends at different heights of the side, by track.
        let enter = to.1 + 6 + vertical * (HEIGHT - 12) / VERTICAL_TRACKS;
        let (side, back) = if down < to.0 {
            (to.0, "-7 -4v8z")
        } else {
            (to.0 + WIDTH, "7 -4v8z")
        };
        format!(
            "<path d=\"M{start} {bottom}V{below}H{down}V{enter}H{side}\"{dash}/>\
             <path class=\"tip\" d=\"M{side} {enter}l{back}\"/>"
        )
    }

    /// Where controllers meet: a bar across their columns, with a dot in each that takes part.
    fn draw_meetings(&self, text: &mut String, top: usize) -> std::fmt::Result {
        let times = self.view.timeline.meetings.iter();
        for ((meeting, layer), time) in self
            .view
            .meetings
            .iter()
            .zip(&self.layout.meetings)
            .zip(times)
        {
            let columns = self.layout.controllers.iter();
            let columns = columns.filter(|(uc, _)| meeting.parties.contains(uc));
            let columns: Vec<&Range<usize>> = columns.map(|(_, columns)| columns).collect();
            let (Some(first), Some(last)) = (columns.first(), columns.last()) else {
                continue;
            };
            let place = GridPlace {
                column: first.start,
                layer: *layer,
            };
            let (x, y) = self.corner(place, top);
            let y = y + (HEIGHT - BAR) / 2;
            let right = self.x(last.end) - GAP;
            let class = if self.is_on_critical_path(meeting) {
                "bar critical"
            } else {
                "bar"
            };
            let parties: Vec<String> = meeting.parties.iter().map(u32::to_string).collect();
            writeln!(
                text,
                "<g class=\"{class}\"><title>barrier {}: controllers {}</title><rect x=\"{x}\" y=\"{y}\" \
                 width=\"{}\" height=\"{BAR}\" rx=\"4\"/><text x=\"{}\" y=\"{}\">barrier {} · cycle {time}</text>",
                meeting.id,
                parties.join(", "),
                right - x,
                x + 8,
                y + 15,
                meeting.id
            )?;
            for columns in columns {
                let x = self.x(columns.start) + WIDTH - 8;
                writeln!(text, "<circle cx=\"{x}\" cy=\"{}\" r=\"5\"/>", y + BAR / 2)?;
            }
            writeln!(text, "</g>")?;
        }
        Ok(())
    }

    /// Whether the critical path goes from one controller to another at a meeting.
    fn is_on_critical_path(&self, meeting: &SyncPoint) -> bool {
        let nodes = &self.view.loaded.graph.nodes;
        let takes_part = |node: usize| meeting.parties.contains(&nodes[node].uc);
        self.view.timeline.critical.windows(2).any(|pair| {
            let crosses = pair[0] < meeting.before && meeting.before <= pair[1];
            crosses
                && takes_part(pair[0])
                && takes_part(pair[1])
                && nodes[pair[0]].uc != nodes[pair[1]].uc
        })
    }

    fn draw_nodes(&self, text: &mut String, top: usize) -> std::fmt::Result {
        for (at, node) in self.view.loaded.graph.nodes.iter().enumerate() {
            let (x, y) = self.corner(self.layout.places[at], top);
            let configures = if node.configures { " configures" } else { "" };
            let critical = if self.view.timeline.critical.binary_search(&at).is_ok() {
                " critical"
            } else {
                ""
            };
            let radius = if node.configures { 4 } else { 12 };
            let span = self
                .view
                .timeline
                .nodes
                .get(at)
                .copied()
                .unwrap_or_default();
            let name = name(node.kind);
            writeln!(
                text,
                "<g class=\"node{configures}{critical}\"><title>{}: cycles {} to {}</title><rect x=\"{x}\" y=\"{y}\" \
                 width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"{radius}\"/><text x=\"{}\" y=\"{}\">{}</text>\
                 <text class=\"small\" x=\"{}\" y=\"{}\">{}–{}</text></g>",
                escape(&name),
                span.start,
                span.end,
                x + 10,
                y + 16,
                escape(&shortened(&name, (WIDTH - 20) as f64, FONT)),
                x + 10,
                y + 32,
                span.start,
                span.end
            )?;
        }
        Ok(())
    }
}
