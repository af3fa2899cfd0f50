//! Bank by bank: each bank has a cursor that only grows; free buffers go round the banks so that
//! buffers used together tend to lie in different ones.

use std::ops::Range;

use super::memory::{Placement, Placements, TileMemory};

struct Cursors<'t> {
    tile: &'t TileMemory,
    /// First free byte of each bank.
    at: Vec<u64>,
}

impl Cursors<'_> {
    /// Puts `bytes` at the cursor of a bank, if they fit.
    fn push(&mut self, bank: usize, bytes: u64, align: u64) -> Option<Placement> {
        let address = self.at[bank].next_multiple_of(align);
        let end = address + bytes;
        (end <= self.tile.bank_range(bank as u64).end).then(|| {
            self.at[bank] = end;
            Placement {
                address,
                bank: Some(bank as u64),
            }
        })
    }

    /// Goes after what is, in all banks that it touches.
    fn pass(&mut self, standing: &Range<u64>) {
        for (bank, at) in self.at.iter_mut().enumerate() {
            let range = self.tile.bank_range(bank as u64);
            if standing.start < range.end && standing.end > range.start {
                *at = (*at).max(standing.end.min(range.end));
            }
        }
    }
}

/// Places all items or returns the first that found no bank.
pub(super) fn place(tile: &TileMemory) -> Placements {
    let mut cursors = Cursors {
        tile,
        at: (0..tile.banks)
            .map(|bank| tile.bank_range(bank).start)
            .collect(),
    };
    // The stack lies at the bottom, usually inside bank 0.
    for (bank, at) in cursors.at.iter_mut().enumerate() {
        let range = tile.bank_range(bank as u64);
        *at = tile.stack.clamp(range.start, range.end);
    }
    let mut places: Vec<Option<Placement>> = vec![None; tile.items.len()];
    for standing in tile.standing() {
        cursors.pass(&standing);
    }
    for i in tile.fixed_by_address() {
        let address = tile.items[i].address.unwrap_or(0);
        places[i] = Some(Placement {
            address,
            bank: Some(tile.bank_of(address)),
        });
    }
    for i in tile.banked() {
        let item = &tile.items[i];
        let bank = item.bank.and_then(|bank| usize::try_from(bank).ok());
        let place = bank.and_then(|bank| cursors.push(bank, item.bytes, item.align));
        places[i] = Some(place.ok_or(i)?);
    }
    let banks = cursors.at.len();
    let mut next_bank = 0;
    for i in tile.free_by_size() {
        let item = &tile.items[i];
        let place = (0..banks).find_map(|step| {
            let bank = (next_bank + step) % banks;
            Some((bank, cursors.push(bank, item.bytes, item.align)?))
        });
        let (bank, place) = place.ok_or(i)?;
        next_bank = (bank + 1) % banks;
        places[i] = Some(place);
    }
    let all: Option<Vec<Placement>> = places.into_iter().collect();
    all.ok_or(0)
}
