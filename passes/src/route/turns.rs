//! Turn orders: how wait cycles between packets are prevented by construction, as in the turn
//! model of Glass and Ni (ISCA 1992).
//!
//! A turn order splits the four directions into a first and a second phase, one horizontal and
//! one vertical direction each. Packets that have moved in a direction of the second phase don't
//! move in one of the first any more. Every step of the first phase makes `±column ±row` smaller
//! and every step of the second makes it larger, so wires can be numbered such that each packet
//! takes them in ascending order: no cycle of buffers. Arbiters follow as long as none grants
//! outputs of both phases, where an end of packets counts to the second ([`super::packets`]). A multicast packet can still wait in a cycle with
//! another one; [`super::waits`] finds that.
//!
//! Whatever the order, each pair of tiles stays connected: mem tiles have no horizontal wires, but
//! the rows above and below them have.

use aiec_device::Bundle;

use super::packets::TurnPhases;

/// The two directions of the first phase, as outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TurnOrder {
    vertical: Bundle,
    horizontal: Bundle,
}

/// All turn orders, in the order in which they are tried: results go down to the shim first.
pub(crate) const ORDERS: [TurnOrder; 4] = [
    TurnOrder::new(Bundle::South, Bundle::West),
    TurnOrder::new(Bundle::South, Bundle::East),
    TurnOrder::new(Bundle::North, Bundle::West),
    TurnOrder::new(Bundle::North, Bundle::East),
];

impl TurnOrder {
    const fn new(vertical: Bundle, horizontal: Bundle) -> TurnOrder {
        TurnOrder {
            vertical,
            horizontal,
        }
    }

    fn is_first(self, output: Bundle) -> bool {
        output == self.vertical || output == self.horizontal
    }

    /// Whether packets may go from an input to an output.
    pub fn allows(self, input: Bundle, output: Bundle) -> bool {
        // A stream that came in from the west moves east, and so on.
        match input.opposite() {
            Some(moving) if output.opposite().is_some() => {
                self.is_first(moving) || !self.is_first(output)
            }
            _ => true,
        }
    }

    /// The phase of an output with a wire.
    pub fn phases(self, output: Bundle) -> TurnPhases {
        let wire = output.opposite().is_some();
        TurnPhases {
            first: wire && self.is_first(output),
            second: wire && !self.is_first(output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Bundle::{Dma, East, North, South, West};

    #[test]
    fn the_second_phase_never_returns_to_the_first() {
        let order = ORDERS[0];
        // Coming from the south is moving north: second phase.
        assert!(!order.allows(South, West) && !order.allows(South, South));
        assert!(order.allows(South, North) && order.allows(South, East));
        assert!(order.allows(North, West) && order.allows(North, East));
        assert!(order.allows(Dma, West) && order.allows(South, Dma));
    }
}
