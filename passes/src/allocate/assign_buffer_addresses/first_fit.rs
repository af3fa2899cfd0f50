//! Exact free lists: each buffer, largest first, goes to the lowest gap that holds it, across
//! bank borders if it must; written banks are honoured.

use std::ops::Range;

use super::memory::{Placement, Placements, TileMemory};

/// Places all items or returns the first that found no gap.
pub(super) fn place(tile: &TileMemory) -> Placements {
    let mut gaps = tile.gaps();
    let mut places: Vec<Placement> = tile
        .items
        .iter()
        .map(|item| Placement {
            address: item.address.unwrap_or(0),
            bank: None,
        })
        .collect();
    let banked = tile.by_falling_size(tile.banked().into_iter());
    for i in banked.into_iter().chain(tile.free_by_size()) {
        let item = &tile.items[i];
        let allowed = match item.bank {
            Some(bank) => tile.bank_range(bank),
            None => 0..tile.bytes,
        };
        let fit = |(at, gap): (usize, &Range<u64>)| {
            let start = gap.start.max(allowed.start).next_multiple_of(item.align);
            let end = start + item.bytes;
            (end <= gap.end.min(allowed.end)).then_some((at, start..end))
        };
        let (at, found) = gaps.iter().enumerate().find_map(fit).ok_or(i)?;
        places[i] = Placement {
            address: found.start,
            bank: item.bank,
        };
        let gap = gaps[at].clone();
        let rest = [gap.start..found.start, found.end..gap.end];
        gaps.splice(at..=at, rest.into_iter().filter(|part| !part.is_empty()));
    }
    Ok(places)
}
