//! Task complete tokens as packets.

use aiec_device::regmap::{DmaCtrl, QueueEntry, SwitchSlot};
use aiec_device::{Bundle, DmaDir::*, TileLoc};

use super::support::*;

/// Lowest core tile of the device with controllers.
const A: TileLoc = TileLoc::new(1, 3);

/// S2MM 0 of A takes what its MM2S 0 sends, one word a task, with tokens; the tile's control port
/// leads south as far as `down` tiles below it.
fn looped(down: u8) -> Bench {
    let mut bench = Bench::new("xcve3858");
    bench.connect(A, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    let any = SwitchSlot {
        enable: true,
        id: 0,
        mask: 0,
        arbiter: 0,
        msel: 0,
    };
    bench.rule(A, port(Bundle::TileControl, 0), 0, any);
    bench.amsel(A, port(Bundle::South, 0), 0, 1, false);
    for row in (0..A.row).rev().take(down.into()) {
        let place = TileLoc::new(A.col, row);
        let to = match row {
            0 => port(Bundle::Controller32, 0),
            _ => port(Bundle::South, 0),
        };
        bench.rule(place, port(Bundle::North, 0), 0, any);
        bench.amsel(place, to, 0, 1, false);
    }
    bench.bd(A, 0, &bd(0, 1));
    bench.bd(A, 1, &bd(0x100, 1));
    let ctrl = DmaCtrl {
        controller_id: 15,
        ..DmaCtrl::default()
    };
    bench.control(A, S2mm, 0, ctrl);
    bench
}

/// Runs tasks of one word each, with a token each.
fn tasks(bench: &mut Bench, count: u8) {
    for _ in 0..count {
        let entry = |bd, token| QueueEntry {
            bd,
            repeat: 0,
            token,
        };
        bench.push(A, S2mm, 0, entry(1, true));
        bench.push(A, Mm2s, 0, entry(0, false));
        bench.run_clean();
    }
}

#[test]
fn a_token_travels_through_the_switches() {
    let mut bench = looped(A.row);
    tasks(&mut bench, 1);
    let tokens = bench.tokens(A.col);
    assert_eq!(tokens.len(), 1);
    assert_eq!((tokens[0].tile, tokens[0].actor), (A, 0));
    assert_eq!(tokens[0].controller, 15);
    // The words were counted at the controller's port.
    let ports = bench.array.view().stats().ports;
    let end = ports.iter().find(|p| {
        p.port
            .port()
            .is_some_and(|port| port.bundle == Bundle::Controller32)
    });
    assert_eq!(end.map(|port| port.words), Some(2));
}

#[test]
fn a_route_to_nowhere_stalls_the_channel_when_the_tile_is_full() {
    let mut bench = looped(1);
    // The first words wait in the switches below; then eight tokens fit into the tile.
    let mut count = 0;
    while !bench.status(A, S2mm, 0).stalled_token {
        tasks(&mut bench, 1);
        count += 1;
        assert!(count < 100, "it never stalls");
    }
    assert!(count > 8);
    assert!(bench.tokens(A.col).is_empty());
    let waits = bench.waits();
    assert!(
        waits
            .iter()
            .any(|wait| wait.contains("the tile's tokens to leave")),
        "{waits:?}"
    );
}

#[test]
fn without_a_route_the_token_comes_after_a_fixed_time() {
    let mut bench = Bench::new("xcve3858");
    bench.connect(A, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    bench.bd(A, 0, &bd(0, 1));
    bench.bd(A, 1, &bd(0x100, 1));
    tasks(&mut bench, 3);
    assert_eq!(bench.tokens(A.col).len(), 3);
}
