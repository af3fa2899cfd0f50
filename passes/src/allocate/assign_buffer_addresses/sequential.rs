//! One after the other from the end of the stack, largest first; a written address makes the
//! cursor jump after it, and the gap before it stays empty.

use super::memory::{Placement, Placements, TileMemory};

/// Places all items or returns the first that found no room. Items with a written bank can't be
/// honoured here, so the first of these is the answer if there are any.
pub(super) fn place(tile: &TileMemory) -> Placements {
    if let Some(i) = tile.banked().first() {
        return Err(*i);
    }
    let places = unlimited(tile);
    let past_end = |i: &usize| places[*i].address + tile.items[*i].bytes > tile.bytes;
    match tile.free_by_size().into_iter().find(past_end) {
        Some(i) => Err(i),
        None => Ok(places),
    }
}

/// Where all items would lie if the memory had no end.
pub(super) fn unlimited(tile: &TileMemory) -> Vec<Placement> {
    let at_address = |address| Placement {
        address,
        bank: None,
    };
    let mut places: Vec<Placement> = tile
        .items
        .iter()
        .map(|item| at_address(item.address.unwrap_or(0)))
        .collect();
    let mut standing = tile.standing().into_iter().peekable();
    let mut cursor = tile.stack;
    for i in tile.free_by_size() {
        let item = &tile.items[i];
        let mut start = cursor.next_multiple_of(item.align);
        while let Some(block) = standing.peek() {
            if start + item.bytes <= block.start {
                break;
            }
            start = start.max(block.end).next_multiple_of(item.align);
            standing.next();
        }
        places[i] = at_address(start);
        cursor = start + item.bytes;
    }
    places
}
