//! `--emit=routing-svg`: the picture of the routed array, with a legend of all flows: only the columns
//! and rows that are in use, the switch ports in place, every flow in a colour, packet flows with dashes.

use std::fmt::Write;

use aiec_aie::ir::Module;
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_page::{escape, palette, shortened};

use super::routing_picture::{MARGIN, Point, RoutingPicture, STYLE};
use super::routings::{OtherRouting, Routings};

/// Legend: width of a column, height of a line.
const LEGEND_WIDTH: f64 = 600.0;
const LEGEND_LINE: f64 = 22.0;
const LEGEND_FONT: f64 = 15.0;
/// Width of the sample of a line.
const SAMPLE: f64 = 36.0;
/// Legend of the picture.
const NOTES: [&str; 3] = [
    "Solid: circuit. Dashes: packets; flows that share a wire take turns.",
    "Circle with a number: an arbiter, where packets meet. Number at a wire: its channel.",
    "Dot: source. Arrow: direction, destination.",
];

/// Writes the routing of all devices, one below the other.
pub fn emit(
    module: &Module,
    other: Option<&OtherRouting<'_>>,
    sources: &SourceMap,
    _: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let routings = Routings::of(module, other, sources);
    let pictures = routings.pictures();
    let width = pictures.iter().map(RoutingPicture::width);
    let width = width.fold(LEGEND_WIDTH, f64::max);
    let mut body = String::new();
    let mut top = 0.0;
    for picture in &pictures {
        // Writing to a string cannot fail.
        let _ = write!(body, "<g transform=\"translate({MARGIN} {top})\">");
        let _ = picture.draw(&mut body, false);
        let _ = draw_legend(&mut body, picture, width);
        body.push_str("</g>\n");
        top += height(picture, width);
    }
    let width = width + 2.0 * MARGIN;
    let palette = palette::css("svg");
    let text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {top}\" \
         width=\"{width}\" height=\"{top}\">\n<style>{palette}{STYLE}</style>\n\
         <rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n"
    );
    Ok(text.into_bytes())
}

/// The lines above the list of flows.
fn notes(picture: &RoutingPicture<'_>) -> Vec<String> {
    let failed = picture
        .cut_text()
        .map(|text| format!("Can't be routed: {text}."));
    let notes = failed
        .into_iter()
        .chain(NOTES.iter().map(ToString::to_string));
    let other = picture.other.as_ref();
    let compared = other.map(|other| {
        let summary = other.summary(&picture.view.flows);
        format!("{summary}. Broad and faint: the way there.")
    });
    notes.chain(compared).collect()
}

fn legend_columns(width: f64) -> usize {
    ((width / LEGEND_WIDTH) as usize).max(1)
}

fn height(picture: &RoutingPicture<'_>, width: f64) -> f64 {
    let flows = picture.flows.len().div_ceil(legend_columns(width));
    let lines = flows + notes(picture).len() + 1;
    picture.height() + MARGIN + lines as f64 * LEGEND_LINE
}

fn draw_legend(out: &mut String, picture: &RoutingPicture<'_>, width: f64) -> std::fmt::Result {
    let lines = picture.flows.len().div_ceil(legend_columns(width)).max(1);
    let top = picture.height() + MARGIN / 2.0;
    let notes = notes(picture);
    for (line, text) in notes.iter().enumerate() {
        let y = top + line as f64 * LEGEND_LINE;
        let text = escape(text);
        writeln!(
            out,
            "<text class=\"legend\" x=\"0\" y=\"{y}\">{text}</text>"
        )?;
    }
    for (number, flow) in picture.flows.iter().enumerate() {
        let x = (number / lines) as f64 * LEGEND_WIDTH;
        let y = top + (number % lines + notes.len()) as f64 * LEGEND_LINE;
        let room = LEGEND_WIDTH - SAMPLE - LEGEND_FONT;
        write!(out, "<g><title>{}</title>", escape(&flow.text))?;
        picture.draw_sample(out, number, Point { x, y: y - 4.0 })?;
        writeln!(
            out,
            "<text class=\"legend\" x=\"{}\" y=\"{y}\">{}</text></g>",
            x + SAMPLE,
            escape(&shortened(&flow.text, room, LEGEND_FONT))
        )?;
    }
    Ok(())
}
