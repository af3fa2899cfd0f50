//! Congestion: the share of wires in use as colours, with the numbers.

use std::fmt::Write;

use aiec_device::TileLoc;

use super::RoutingPicture;
use super::geometry::{GAP, Point, TILE};
use super::usage::SideUse;

/// Cividis at equal distances from 0 to 1, which the colour-blind see as others do (Nuñez, Anderton
/// and Renslow, PLOS ONE 13(7), 2018).
const CIVIDIS: [[f64; 3]; 4] = [
    [0.0, 34.0, 78.0],
    [87.0, 93.0, 109.0],
    [166.0, 157.0, 117.0],
    [254.0, 232.0, 56.0],
];
/// Thickness of the bar across a bundle of wires, and its distance from the tile.
const BAR: f64 = 16.0;
const BAR_DISTANCE: f64 = 2.0;
/// Width of a bar beside a tile: room for its numbers.
const SIDE_BAR: f64 = 17.0;
// The bars of two neighbours fit between them.
const _: () = assert!(2.0 * (SIDE_BAR + BAR_DISTANCE) <= GAP);

/// The colour of a share as `#rrggbb`, and that of text on it.
fn colour(used: usize, of: usize) -> (String, &'static str) {
    let share = used as f64 / of.max(1) as f64;
    let last = CIVIDIS.len() - 1;
    let at = share.min(1.0) * last as f64;
    let low = (at as usize).min(last - 1);
    let mix = |channel: usize| {
        let (a, b) = (CIVIDIS[low][channel], CIVIDIS[low + 1][channel]);
        (a + (b - a) * (at - low as f64)).round() as u8
    };
    let [r, g, b] = [mix(0), mix(1), mix(2)];
    // Above this share black has more contrast than white.
    let ink = if share < 0.45 { "#ffffff" } else { "#000000" };
    (format!("#{r:02x}{g:02x}{b:02x}"), ink)
}

impl RoutingPicture<'_> {
    /// Draws the use of wires, as a group that the page shows and hides.
    pub fn draw_heat(&self, out: &mut String) -> std::fmt::Result {
        write!(out, "<g class=\"heats hidden\">")?;
        for tile in self.range.tiles() {
            let sides = self.sides(tile);
            let (used, of) = sides
                .iter()
                .fold((0, 0), |sum, side| (sum.0 + side.used, sum.1 + side.of));
            if !self.is_used(tile) || of == 0 {
                continue;
            }
            let Point { x, y } = self.range.corner(tile);
            let (fill, ink) = colour(used, of);
            let (left, top) = (x + TILE.x / 2.0 - 40.0, y + 24.0);
            writeln!(
                out,
                "<rect class=\"warm\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"6\" \
                 fill=\"{fill}\"/><rect class=\"plate\" x=\"{left}\" y=\"{top}\" width=\"80\" height=\"19\" \
                 rx=\"3\" fill=\"{fill}\"/><text class=\"share\" x=\"{}\" y=\"{}\" style=\"fill:{ink}\">{used} of {of}</text>",
                TILE.x,
                TILE.y,
                left + 40.0,
                top + 15.0,
            )?;
            for side in &sides {
                self.draw_bar(out, tile, side)?;
            }
        }
        writeln!(out, "</g>")
    }

    fn draw_bar(&self, out: &mut String, tile: TileLoc, side: &SideUse) -> std::fmt::Result {
        let corner = self.range.corner(tile);
        let lanes = [0, side.of - 1].map(|channel| side.anchor(self.range, tile, channel as u8));
        let [Some(first), Some(last)] = lanes else {
            return Ok(());
        };
        let (fill, ink) = colour(side.used, side.of);
        let across = first.inward.x == 0.0;
        let (left, right) = (first.at.x.min(last.at.x), first.at.x.max(last.at.x));
        let (top, bottom) = (first.at.y.min(last.at.y), first.at.y.max(last.at.y));
        let (x, y, width, height) = if across {
            let y = if first.inward.y > 0.0 {
                corner.y - BAR_DISTANCE - BAR
            } else {
                corner.y + TILE.y + BAR_DISTANCE
            };
            (left - 6.0, y, right - left + 12.0, BAR)
        } else {
            let x = if first.inward.x > 0.0 {
                corner.x - BAR_DISTANCE - SIDE_BAR
            } else {
                corner.x + TILE.x + BAR_DISTANCE
            };
            (x, top - 8.0, SIDE_BAR, bottom - top + 16.0)
        };
        writeln!(
            out,
            "<g class=\"bar-of-wires{}\" data-tip=\"{} of {} wires {} of tile {tile} are used\"><rect x=\"{x}\" y=\"{y}\" \
             width=\"{width}\" height=\"{height}\" rx=\"3\" fill=\"{fill}\"/><text class=\"share\" \
             x=\"{}\" y=\"{}\" style=\"fill:{ink}\">{}</text></g>",
            if side.used == 0 { " idle" } else { "" },
            side.used,
            side.of,
            side.bundle,
            x + width / 2.0,
            y + height / 2.0 + 5.5,
            if across {
                format!("{} of {}", side.used, side.of)
            } else {
                side.used.to_string()
            },
        )
    }
}
