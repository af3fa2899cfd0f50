//! Ways of rows between cells and SRAMs: the network of DiMArch.
//!
//! A way goes from the row of cells north into its own column first, then east or west (assumed: the
//! description says how many hops, not in which order). A way reserves its links in its direction.

use crate::RouteSetup;
use crate::fabric::{CellId, FabricShape};

/// A way to an SRAM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryRoute {
    /// The SRAM, by its position in the fabric.
    pub sram: usize,
    /// The cell whose register file sends or receives, by its position in the fabric.
    pub cell: usize,
    /// Hops.
    pub hops: u8,
    /// Links: SRAMs that follow one another, the first from the cells.
    links: Vec<(Option<CellId>, CellId)>,
}

impl MemoryRoute {
    /// The way that a ROUTE in a cell reserves; `None` if it leads to no SRAM.
    pub fn new(from: CellId, setup: RouteSetup, shape: FabricShape) -> Option<MemoryRoute> {
        if !setup.north || setup.vertical_hops == 0 {
            return None;
        }
        let cell = shape.cell_index(CellId {
            row: setup.cell_row,
            column: from.column,
        })?;
        let mut at = CellId {
            row: 0,
            column: from.column,
        };
        let mut links = vec![(None, at)];
        for row in 1..setup.vertical_hops {
            let next = CellId { row, ..at };
            links.push((Some(at), next));
            at = next;
        }
        for _ in 0..setup.horizontal_hops {
            let column = if setup.east {
                at.column.checked_add(1)?
            } else {
                at.column.checked_sub(1)?
            };
            let next = CellId { column, ..at };
            links.push((Some(at), next));
            at = next;
        }
        Some(MemoryRoute {
            sram: shape.sram_index(at)?,
            cell,
            hops: setup.vertical_hops + setup.horizontal_hops,
            links,
        })
    }

    /// Whether both need a link.
    pub fn shares_link(&self, other: &MemoryRoute) -> bool {
        self.links.iter().any(|link| other.links.contains(link))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(east: bool, horizontal_hops: u8, vertical_hops: u8) -> RouteSetup {
        RouteSetup {
            east,
            horizontal_hops,
            north: true,
            vertical_hops,
            write: false,
            cell_row: 0,
        }
    }

    #[test]
    fn routes_go_north_and_then_aside() {
        let from = CellId { row: 1, column: 2 };
        let shape = FabricShape::DEFAULT;
        let route = MemoryRoute::new(from, setup(true, 3, 1), shape).expect("an SRAM");
        assert_eq!((route.sram, route.cell, route.hops), (5, 2, 4));
        assert_eq!(MemoryRoute::new(from, setup(true, 6, 1), shape), None);
        assert_eq!(MemoryRoute::new(from, setup(false, 3, 1), shape), None);
        assert_eq!(MemoryRoute::new(from, setup(false, 0, 2), shape), None);
        let own = MemoryRoute::new(from, setup(false, 0, 1), shape).expect("an SRAM");
        assert!(own.shares_link(&route));
        let next = CellId { row: 0, column: 3 };
        let next = MemoryRoute::new(next, setup(false, 0, 1), shape).expect("an SRAM");
        assert!(!next.shares_link(&route));
    }
}
