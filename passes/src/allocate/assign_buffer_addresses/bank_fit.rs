//! Bank by bank with exact free lists: as [`super::bank_aware`], but what lies before a written
//! buffer in its bank is used too.

use std::ops::Range;

use super::memory::{Placement, Placements, TileMemory};

/// Places all items or returns the first that found no bank.
pub(super) fn place(tile: &TileMemory) -> Placements {
    let mut banks = gaps_by_bank(tile);
    let mut places: Vec<Option<Placement>> = vec![None; tile.items.len()];
    for (i, item) in tile.items.iter().enumerate() {
        places[i] = item.address.map(|address| Placement {
            address,
            bank: Some(tile.bank_of(address)),
        });
    }
    let mut take = |bank: usize, i: usize| {
        let item = &tile.items[i];
        let gaps = banks.get_mut(bank)?;
        let fits =
            |gap: &Range<u64>| gap.start.next_multiple_of(item.align) + item.bytes <= gap.end;
        let at = gaps.iter().position(fits)?;
        let address = gaps[at].start.next_multiple_of(item.align);
        // The bytes that alignment skips are too few for anything.
        gaps[at].start = address + item.bytes;
        Some(Placement {
            address,
            bank: Some(bank as u64),
        })
    };
    for i in tile.banked() {
        let bank = tile.items[i].bank.and_then(|b| usize::try_from(b).ok());
        places[i] = Some(bank.and_then(|bank| take(bank, i)).ok_or(i)?);
    }
    let count = tile.banks as usize;
    let mut next_bank = 0;
    for i in tile.free_by_size() {
        let order = (0..count).map(|step| (next_bank + step) % count);
        let found = order
            .into_iter()
            .find_map(|bank| Some((bank, take(bank, i)?)));
        let (bank, place) = found.ok_or(i)?;
        next_bank = (bank + 1) % count;
        places[i] = Some(place);
    }
    places
        .into_iter()
        .collect::<Option<Vec<Placement>>>()
        .ok_or(0)
}

/// The free ranges of each bank, ascending.
fn gaps_by_bank(tile: &TileMemory) -> Vec<Vec<Range<u64>>> {
    let mut banks = vec![Vec::new(); tile.banks as usize];
    for gap in tile.gaps() {
        let last = tile.bank_of(gap.end - 1);
        for bank in tile.bank_of(gap.start)..=last {
            let range = tile.bank_range(bank);
            if let Some(list) = banks.get_mut(bank as usize) {
                list.push(gap.start.max(range.start)..gap.end.min(range.end));
            }
        }
    }
    banks
}
