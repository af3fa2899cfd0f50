//! One after the other from the end of the stack, largest first; a written address makes the
//! cursor jump behind it, and the gap before it stays empty.

use super::{Place, Placement, TileMemory};

/// Places all items or answers the first that found no room. Items with a written bank can't be
/// honoured here, so the first of these is the answer if there are any.
pub(super) fn place(tile: &TileMemory) -> Placement {
    let only_bank = |i: &usize| {
        let item = &tile.items[*i];
        item.address.is_none() && item.bank.is_some()
    };
    if let Some(i) = (0..tile.items.len()).find(only_bank) {
        return Err(i);
    }
    let at_address = |address| Place {
        address,
        bank: None,
    };
    let mut places = vec![at_address(0); tile.items.len()];
    let fixed = tile.fixed_by_address();
    for i in &fixed {
        places[*i] = at_address(tile.items[*i].address.unwrap_or(0));
    }
    let mut fixed = fixed.into_iter().map(|i| &tile.items[i]).peekable();
    let mut cursor = tile.stack;
    for i in tile.free_by_size() {
        let item = &tile.items[i];
        let mut start = cursor.next_multiple_of(item.align);
        while let Some(block) = fixed.peek() {
            let address = block.address.unwrap_or(0);
            if start + item.bytes <= address {
                break;
            }
            start = start
                .max(address + block.bytes)
                .next_multiple_of(item.align);
            fixed.next();
        }
        if start + item.bytes > tile.bytes {
            return Err(i);
        }
        places[i] = at_address(start);
        cursor = start + item.bytes;
    }
    Ok(places)
}
