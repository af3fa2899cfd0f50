use super::*;
use aiec_device::Bundle;

/// A stream through tiles of row 2, by column: input bundle, arbiter; from west to east or
/// the other way round.
fn stream(name: usize, columns: &[u8], arbiter: u8) -> RoutedStream {
    let mut hops = Vec::new();
    for (at, col) in columns.iter().enumerate() {
        let entry = |from: u8, to: u8| {
            if from < to {
                Port::new(Bundle::West, 0)
            } else {
                Port::new(Bundle::East, 0)
            }
        };
        let slave = match at.checked_sub(1) {
            None => Port::new(Bundle::Dma, name as u8),
            Some(before) => entry(columns[before], *col),
        };
        let next = columns.get(at + 1);
        hops.push(ArbiterHop {
            tile: TileLoc::new(*col, 2),
            slave,
            arbiter: Some(arbiter),
            next: next.map(|to| (TileLoc::new(*to, 2), entry(*col, *to))),
        });
    }
    RoutedStream { name, hops }
}

#[test]
fn opposite_directions_over_common_arbiters_are_a_cycle() {
    let streams = [stream(0, &[1, 2, 3], 0), stream(1, &[3, 2, 1], 0)];
    let cycles = cycles(&streams, None);
    assert_eq!(cycles.len(), 1, "{cycles:?}");
    let nets: BTreeSet<usize> = cycles[0].iter().map(|(net, _)| *net).collect();
    assert_eq!(nets, BTreeSet::from([0, 1]));
}

#[test]
fn one_direction_or_separate_arbiters_are_none() {
    assert!(cycles(&[stream(0, &[1, 2, 3], 0), stream(1, &[1, 2, 3], 0)], None).is_empty());
    assert!(cycles(&[stream(0, &[1, 2, 3], 0), stream(1, &[3, 2, 1], 1)], None).is_empty());
}

#[test]
fn copies_received_in_different_orders_are_a_cycle() {
    // Two multicasts to the same two tiles, which they enter from different sides.
    let fork = |name: usize, from: u8, side: Bundle| {
        let (mid, ends) = (
            TileLoc::new(from, 2),
            [TileLoc::new(2, 2), TileLoc::new(3, 2)],
        );
        let hop = |tile, slave, next| ArbiterHop {
            tile,
            slave,
            arbiter: Some(name as u8),
            next,
        };
        let source = Port::new(Bundle::Dma, name as u8);
        let into = Port::new(side, 0);
        let mut hops = Vec::new();
        for end in ends {
            hops.push(hop(mid, source, Some((end, into))));
            hops.push(ArbiterHop {
                arbiter: Some(0),
                ..hop(end, into, None)
            });
        }
        RoutedStream { name, hops }
    };
    let apart = [fork(0, 1, Bundle::West), fork(1, 4, Bundle::East)];
    // Either may occupy one of the tiles first.
    assert_eq!(cycles(&apart, None).len(), 2);
    // After each other on the same paths they are in order.
    let behind = [fork(0, 1, Bundle::West), fork(0, 1, Bundle::West)];
    assert!(cycles(&behind, None).is_empty());
}
