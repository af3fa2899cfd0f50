//! Exact free lists: each buffer, largest first, goes to the lowest gap that holds it, across
//! bank borders if it must; written banks are honoured.

use std::ops::Range;

use super::{Place, Placement, TileMemory};

/// Places all items or answers the first that found no gap.
pub(super) fn place(tile: &TileMemory) -> Placement {
    let mut gaps: Vec<Range<u64>> = Vec::new();
    gaps.push(tile.stack.min(tile.bytes)..tile.bytes);
    let mut places = vec![
        Place {
            address: 0,
            bank: None,
        };
        tile.items.len()
    ];
    for i in tile.fixed_by_address() {
        let item = &tile.items[i];
        let address = item.address.unwrap_or(0);
        take(&mut gaps, address..address + item.bytes);
        places[i].address = address;
    }
    let mut banked: Vec<usize> = (0..tile.items.len())
        .filter(|i| tile.items[*i].address.is_none() && tile.items[*i].bank.is_some())
        .collect();
    banked.sort_by_key(|i| std::cmp::Reverse(tile.items[*i].bytes));
    for i in banked.into_iter().chain(tile.free_by_size()) {
        let item = &tile.items[i];
        let allowed = match item.bank {
            Some(bank) => tile.bank_range(bank),
            None => 0..tile.bytes,
        };
        let fit = |gap: &Range<u64>| {
            let start = gap.start.max(allowed.start).next_multiple_of(item.align);
            let end = start + item.bytes;
            (end <= gap.end.min(allowed.end)).then_some(start..end)
        };
        let found = gaps.iter().find_map(fit).ok_or(i)?;
        places[i] = Place {
            address: found.start,
            bank: item.bank,
        };
        take(&mut gaps, found);
    }
    Ok(places)
}

/// Removes a range from the gaps; the rest of the gap it was in stays.
fn take(gaps: &mut Vec<Range<u64>>, used: Range<u64>) {
    if used.is_empty() {
        return;
    }
    let mut left = Vec::with_capacity(gaps.len() + 1);
    for gap in gaps.drain(..) {
        for part in [
            gap.start..gap.end.min(used.start),
            gap.start.max(used.end)..gap.end,
        ] {
            if !part.is_empty() {
                left.push(part);
            }
        }
    }
    *gaps = left;
}
