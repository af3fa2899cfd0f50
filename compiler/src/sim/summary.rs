//! Summary of a run for people: cycles, the busiest tile and the one that waits most, what moved
//! from and to the host, and the array as a sketch.
//!
//! Shares are those of the page of a run ([`RunFacts`]), in percent of the cycles of the runtime sequence.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aiec_device::TileLoc;
use aiec_emit::dataflow::Shares;
use aiec_sim::SimResult;
use aiec_sim::report::{arguments_table, rows_as_table};

use super::run_facts::{RunFacts, TileShares};
use crate::args::RunArgs;
use crate::io::{Io, Verbosity};

/// Characters of a tile in the sketch: few where the array is wide, more where there is room.
const TILE_WIDTHS: std::ops::RangeInclusive<usize> = 2..=8;
/// Characters before a row of the sketch: its number.
const ROW_LABEL: usize = 3;

/// Says after how many cycles a run was over, and its summary.
pub fn print_outcome(how: &str, result: &SimResult, run: &RunArgs, io: &mut Io<'_>) {
    if io.terminal.verbosity != Verbosity::Quiet {
        // A report of a closed error stream would have nowhere to go.
        let _ = writeln!(io.stderr, "{how} after {}", cycles(result));
    }
    print_summary(result, run, io);
}

/// Shows the summary of a run on a terminal, or where it is asked for.
pub fn print_summary(result: &SimResult, run: &RunArgs, io: &mut Io<'_>) {
    let wanted = io.terminal.interactive || run.summary;
    if wanted && io.terminal.verbosity != Verbosity::Quiet {
        let report = aiec_sim::report(result);
        let mut text = arguments_table(&report);
        let tiles = RunFacts::of(&report).tiles();
        text = extremes(&tiles) + &text + &sketch(&tiles, io.terminal.width);
        // A report of a closed error stream would have nowhere to go.
        let _ = write!(io.stderr, "\n{text}");
    }
}

/// The cycles of a run, in words.
pub fn cycles(result: &SimResult) -> String {
    format!(
        "{} cycles ({} to configure, {} to run)",
        result.cycles,
        result.config_cycles,
        result.run_cycles()
    )
}

/// The table of the busiest tile and of the one that stalls most; nothing without tiles.
fn extremes(tiles: &BTreeMap<TileLoc, TileShares>) -> String {
    let row = |title: &str, share: fn(&Shares) -> u64| {
        // The first of those that are alike.
        let most = tiles
            .iter()
            .rev()
            .max_by_key(|(_, tile)| share(&tile.shares));
        let (tile, TileShares { part, shares }) = most?;
        let (busy, stalled) = (shares.busy, shares.stalled);
        Some(vec![
            title.to_string(),
            format!("{tile} {part}"),
            format!("{busy} %"),
            format!("{stalled} %"),
        ])
    };
    let rows = [
        row("busiest", |shares| shares.busy),
        row("most stalled", |shares| shares.stalled),
    ];
    let heads = ["tile", "of", "busy", "stalled"];
    rows_as_table(&heads, rows.into_iter().flatten().collect())
}

/// The used part of the array, rows from the north, in lines of at most `width` characters.
fn sketch(tiles: &BTreeMap<TileLoc, TileShares>, width: usize) -> String {
    let mut out = String::new();
    let columns = tiles.keys().map(|tile| tile.col);
    let rows = tiles.keys().map(|tile| tile.row);
    let (Some(west), Some(east)) = (columns.clone().min(), columns.max()) else {
        return out;
    };
    let (Some(south), Some(north)) = (rows.clone().min(), rows.max()) else {
        return out;
    };
    let count = usize::from(east - west) + 1;
    let room = width.saturating_sub(ROW_LABEL) / count;
    let tile_width = room
        .saturating_sub(1)
        .clamp(*TILE_WIDTHS.start(), *TILE_WIDTHS.end());
    let in_a_line = (width.saturating_sub(ROW_LABEL) / (tile_width + 1)).max(1);
    let columns: Vec<u8> = (west..=east).collect();
    for part in columns.chunks(in_a_line) {
        let line = |label: String, cell: &dyn Fn(u8) -> String| {
            let cells = part
                .iter()
                .map(|col| format!(" {:<tile_width$}", cell(*col)));
            let line = format!("{label:>ROW_LABEL$}{}", cells.collect::<String>());
            line.trim_end().to_string()
        };
        for row in (south..=north).rev() {
            let bar_of = |col: u8| {
                let tile = tiles.get(&TileLoc::new(col, row));
                tile.map_or(String::new(), |tile| bar(tile.shares, tile_width))
            };
            let _ = writeln!(out, "{}", line(row.to_string(), &bar_of));
        }
        let _ = writeln!(out, "{}", line(String::new(), &|col| col.to_string()));
    }
    out + "# busy, ~ stalled, . idle; without a core the busiest DMA channel of the tile\n"
}

/// Shares as a bar of characters.
fn bar(shares: Shares, width: usize) -> String {
    // Percent to characters, to the nearest.
    let characters = |percent: u64| (percent as usize * width + 50) / 100;
    let busy = characters(shares.busy).min(width);
    let active = characters(shares.busy + shares.stalled).clamp(busy, width);
    "#".repeat(busy) + &"~".repeat(active - busy) + &".".repeat(width - active)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(busy: u64, stalled: u64) -> TileShares {
        TileShares {
            part: "core".to_string(),
            shares: Shares { busy, stalled },
        }
    }

    #[test]
    fn bars_are_filled_by_shares() {
        let bar = |busy, stalled, width| bar(Shares { busy, stalled }, width);
        assert_eq!(bar(0, 0, 8), "........");
        assert_eq!(bar(100, 0, 8), "########");
        assert_eq!(bar(25, 50, 8), "##~~~~..");
        assert_eq!(bar(100, 100, 2), "##");
        assert_eq!(bar(30, 70, 2), "#~");
    }

    #[test]
    fn a_wide_array_is_drawn_in_parts() {
        let tiles: BTreeMap<_, _> = (0..36)
            .map(|col| (TileLoc::new(col, 2), tile(50, 50)))
            .collect();
        let text = sketch(&tiles, 80);
        assert!(
            text.lines()
                .filter(|line| line.starts_with("  2 #~"))
                .count()
                == 2,
            "{text}"
        );
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert_eq!(text.matches("#~").count(), 36);
    }

    #[test]
    fn the_first_of_equal_tiles_is_named() {
        let tiles = BTreeMap::from([
            (TileLoc::new(0, 2), tile(40, 60)),
            (TileLoc::new(1, 2), tile(40, 10)),
        ]);
        let text = extremes(&tiles);
        assert!(text.contains("busiest       (0, 2) core  40 %"), "{text}");
        assert!(text.contains("most stalled  (0, 2) core"), "{text}");
        assert!(extremes(&BTreeMap::new()).is_empty() && sketch(&BTreeMap::new(), 80).is_empty());
    }
}
