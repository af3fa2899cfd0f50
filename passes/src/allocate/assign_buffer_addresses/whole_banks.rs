//! Bank by bank where some buffers are larger than a bank: these take whole banks from the top of the memory on, all others go
//! round the banks that are left, as in [`super::bank_fit`].

use super::bank_fit;
use super::memory::{Placements, TileMemory};

/// Places all items or returns the first that found no bank.
pub(super) fn place(tile: &TileMemory) -> Placements {
    let is_wide = |i: &usize| tile.items[*i].bytes > tile.bank_bytes;
    let wide: Vec<usize> = tile.free_by_size().into_iter().filter(is_wide).collect();
    let mut placed = tile.clone();
    for i in &wide {
        let bytes = tile.items[*i].bytes;
        let gaps = placed.gaps();
        let starts = (0..tile.banks)
            .rev()
            .map(|bank| tile.bank_range(bank).start);
        let mut free = starts.filter(|start| {
            let mut gaps = gaps.iter();
            gaps.any(|gap| gap.start <= *start && start + bytes <= gap.end)
        });
        placed.items[*i].address = Some(free.next().ok_or(*i)?);
    }
    let mut places = bank_fit::place(&placed)?;
    for i in wide {
        places[i].bank = None;
    }
    Ok(places)
}
