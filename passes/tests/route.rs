//! The router on netlists built by hand and at random, checked against its checker.

#[path = "support/netlist.rs"]
mod netlist;
#[path = "support/problems.rs"]
mod problems;

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ops::{Amsel, Flow, OpKind, PacketFlow, Switchbox, Tile};
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, DeviceModel, Port, TileLoc};
use aiec_diag::{Diags, Severity};
use aiec_passes::analysis::switches::Switches;
use aiec_passes::route::check::check;
use aiec_passes::route::requests::FlowRequest;
use aiec_passes::route::trace::follow;
use arbtest::arbitrary::{self, Unstructured};
use netlist::{Netlist, Place};

fn at(col: u8, row: u8, bundle: Bundle, channel: u8) -> Place {
    (TileLoc::new(col, row), Port::new(bundle, channel))
}

fn dma(col: u8, row: u8, channel: u8) -> Place {
    at(col, row, Bundle::Dma, channel)
}

/// Routes, and holds the result to the flows.
fn route_and_check(netlist: &mut Netlist) {
    let mut diags = Diags::new();
    let requests = netlist.requests(&mut diags);
    let result = netlist.route(&mut diags);
    assert!(result.is_ok(), "{:#?}", diags.into_vec());
    let findings = check(&requests, &netlist.switches());
    assert!(findings.is_empty(), "{findings:#?}");
    assert_eq!(
        (netlist.count::<Flow>(), netlist.count::<PacketFlow>()),
        (0, 0)
    );
}

/// The code and message of the only error.
fn error(netlist: &mut Netlist) -> (&'static str, String) {
    let mut diags = Diags::new();
    assert!(netlist.route(&mut diags).is_err());
    let list = diags.into_vec();
    assert_eq!(list.len(), 1, "{list:#?}");
    assert_eq!(list[0].severity, Severity::Error);
    assert!(list[0].help.is_some(), "{list:#?}");
    (list[0].code.id, list[0].message.clone())
}

#[test]
fn a_broadcast_shares_its_trunk() {
    let mut netlist = Netlist::new("npu1");
    netlist.flow(dma(0, 0, 0), dma(0, 2, 0));
    netlist.flow(dma(0, 0, 0), dma(1, 3, 1));
    route_and_check(&mut netlist);
    // Four wires: two up to (0, 2), then two to (1, 3); the reference takes six.
    assert_eq!(netlist.connections(), 4 + 2);
}

#[test]
fn the_shim_dma_uses_the_wires_of_its_generation() {
    for (name, south) in [("npu2", 2), ("xcve3858", 1)] {
        let mut netlist = Netlist::new(name);
        let row = netlist.model.core_rows().start;
        netlist.flow(dma(3, 0, 1), dma(3, row, 0));
        netlist.flow(dma(3, row, 0), dma(3, 0, 0));
        route_and_check(&mut netlist);
        let switches = netlist.switches();
        let shim = TileLoc::new(3, 0);
        let inward = Port::new(Bundle::Dma, 1);
        let outward = Port::new(Bundle::Dma, 0);
        assert_eq!(switches.mux_source(shim, 7).unwrap().from, inward);
        assert_eq!(switches.mux_sinks(shim, south).next().unwrap().to, outward);
    }
}

#[test]
fn many_sources_of_one_id_join_into_one_channel() {
    for count in [8u8, 16, 32] {
        let mut netlist = Netlist::new("npu2");
        let sources: Vec<Place> = (0..count).map(|n| dma(n % 8, 2 + n / 8, 0)).collect();
        netlist.packet_flow(5, &sources, &[dma(3, 1, 0)]);
        route_and_check(&mut netlist);
    }
}

#[test]
fn ids_of_one_source_part_where_they_must() {
    let mut netlist = Netlist::new("npu2");
    for (id, row) in (0..4).zip(2..6) {
        netlist.packet_flow(id, &[dma(1, 0, 0)], &[dma(1, row, 1)]);
        netlist.packet_flow(id + 4, &[dma(1, 0, 0)], &[dma(2, row, 1)]);
    }
    netlist.packet_flow(9, &[dma(1, 0, 0)], &[dma(1, 2, 0), dma(2, 5, 0)]);
    route_and_check(&mut netlist);
}

#[test]
fn trace_reaches_the_shim_through_a_mem_tile() {
    for name in ["npu1", "xcve3858", "xcvc1902"] {
        let mut netlist = Netlist::new(name);
        let row = netlist.model.core_rows().start;
        netlist.packet_flow(1, &[at(2, row, Bundle::Trace, 0)], &[dma(2, 0, 1)]);
        netlist.packet_flow(2, &[at(2, row, Bundle::Trace, 1)], &[dma(2, 0, 1)]);
        route_and_check(&mut netlist);
    }
}

#[test]
fn tokens_reach_the_micro_controller() {
    let mut netlist = Netlist::new("xcve3858");
    for row in 0..7 {
        let source = at(4, row, Bundle::TileControl, 0);
        let sink = at(4, 0, Bundle::Controller32, 0);
        netlist.packet_flow(row.into(), &[source], &[sink]);
    }
    route_and_check(&mut netlist);
}

#[test]
fn hand_written_settings_stay_and_are_kept_clear() {
    let mut netlist = Netlist::new("npu2");
    let tile = TileLoc::new(0, 2);
    let switchbox = netlist.container(OpKind::Switchbox, tile);
    for channel in 0..5 {
        let south = Port::new(Bundle::South, channel);
        netlist.connect(switchbox, south, Port::new(Bundle::North, channel));
    }
    // One source to several destinations is a broadcast.
    let south = Port::new(Bundle::South, 0);
    netlist.connect(switchbox, south, Port::new(Bundle::East, 0));
    netlist.flow(dma(0, 2, 0), dma(0, 3, 0));
    route_and_check(&mut netlist);
    assert_eq!(netlist.count::<Switchbox>(), 2);
    let switches = netlist.switches();
    let switch = switches.switch(tile).unwrap();
    assert_eq!(switch.connections.len(), 7);
    assert_eq!(switch.connections[6].to, Port::new(Bundle::North, 5));
}

#[test]
fn flows_that_are_routed_by_hand_are_done() {
    let mut netlist = Netlist::new("npu2");
    let switchbox = netlist.container(OpKind::Switchbox, TileLoc::new(0, 1));
    let mux = netlist.container(OpKind::ShimMux, TileLoc::new(0, 0));
    let shim = netlist.container(OpKind::Switchbox, TileLoc::new(0, 0));
    netlist.connect(mux, Port::new(Bundle::Dma, 0), Port::new(Bundle::North, 3));
    netlist.connect(
        shim,
        Port::new(Bundle::South, 3),
        Port::new(Bundle::North, 2),
    );
    netlist.connect(
        switchbox,
        Port::new(Bundle::South, 2),
        Port::new(Bundle::Dma, 4),
    );
    netlist.flow(dma(0, 0, 0), dma(0, 1, 4));
    route_and_check(&mut netlist);
    assert_eq!(netlist.connections(), 2);
    assert_eq!(
        netlist.switches().muxes[&TileLoc::new(0, 0)]
            .connections
            .len(),
        1
    );
}

#[test]
fn packets_pass_circuits_but_dont_end_there() {
    let mut netlist = Netlist::new("npu2");
    let mut diags = Diags::new();
    netlist.packet_flow(3, &[dma(0, 2, 0)], &[dma(0, 3, 0)]);
    let requests = netlist.requests(&mut diags);
    let mut connect = |tile: (u8, u8), from: Port, to: Port| {
        let switchbox = netlist.container(OpKind::Switchbox, TileLoc::new(tile.0, tile.1));
        netlist.connect(switchbox, from, to);
    };
    let (core, wire) = (Port::new(Bundle::Dma, 0), |bundle: Bundle| {
        Port::new(bundle, 1)
    });
    connect((0, 2), core, wire(Bundle::North));
    connect((0, 3), wire(Bundle::South), core);
    let findings = check(&requests, &netlist.switches());
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].contains("on a circuit, which keeps the header"));
}

#[test]
fn routed_text_is_routed_again_to_itself() {
    let mut netlist = Netlist::new("npu1");
    netlist.flow(dma(0, 0, 0), dma(0, 2, 0));
    netlist.packet_flow(3, &[dma(1, 2, 0)], &[dma(1, 0, 0), dma(2, 3, 0)]);
    route_and_check(&mut netlist);
    let before = netlist.connections();
    netlist.flow(dma(0, 0, 0), dma(0, 2, 0));
    netlist.packet_flow(3, &[dma(1, 2, 0)], &[dma(1, 0, 0), dma(2, 3, 0)]);
    route_and_check(&mut netlist);
    assert_eq!(netlist.connections(), before);
}

#[test]
fn errors_say_what_is_wrong() {
    let mut netlist = Netlist::new("npu2");
    netlist.flow(dma(0, 2, 0), dma(0, 3, 9));
    let (code, message) = error(&mut netlist);
    assert_eq!(code, "route::bad-end");
    assert!(message.contains("no destination port DMA : 9"), "{message}");

    let mut netlist = Netlist::new("npu2");
    netlist.packet_flow(40, &[dma(0, 2, 0)], &[dma(0, 3, 0)]);
    assert_eq!(error(&mut netlist).0, "route::packet-id");

    let mut netlist = Netlist::new("npu2");
    netlist.flow(dma(0, 2, 0), dma(0, 3, 0));
    netlist.flow(dma(1, 2, 0), dma(0, 3, 0));
    assert_eq!(error(&mut netlist).0, "route::destination-taken");

    let mut netlist = Netlist::new("npu2");
    netlist.flow(dma(0, 2, 0), dma(0, 3, 0));
    netlist.packet_flow(1, &[dma(0, 2, 0)], &[dma(0, 4, 0)]);
    assert_eq!(error(&mut netlist).0, "route::circuit-and-packet");

    // With a single column, a shim's trace has neither west nor east to go.
    let mut netlist = Netlist::new("npu1_1col");
    netlist.flow(at(0, 0, Bundle::Trace, 0), dma(0, 2, 1));
    assert_eq!(error(&mut netlist).0, "route::unreachable");

    let mut netlist = Netlist::new("xcve2802");
    netlist.flow(at(2, 0, Bundle::Noc, 1), dma(2, 3, 1));
    netlist.flow(dma(2, 0, 0), dma(2, 3, 0));
    assert_eq!(error(&mut netlist).0, "route::shim-mux");
}

#[test]
fn a_cut_proves_that_there_is_no_routing() {
    let mut netlist = Netlist::new("npu1_1col");
    // Six mem tile channels and a far core compete for the six wires out of the mem row.
    for channel in 0..6 {
        let row = 2 + channel / 2;
        netlist.flow(dma(0, 1, channel), dma(0, row, channel % 2));
    }
    netlist.flow(dma(0, 0, 0), dma(0, 5, 0));
    let (code, message) = error(&mut netlist);
    assert_eq!(code, "route::congested");
    assert!(message.contains("7 streams must"), "{message}");
    assert!(message.contains("only 6 free wires"), "{message}");
}

#[test]
fn ids_that_no_four_rules_can_part_are_reported() {
    let mut netlist = Netlist::new("npu1_1col");
    for id in [0, 3, 5, 6, 9, 10, 12, 15] {
        netlist.packet_flow(id, &[dma(0, 2, 0)], &[dma(0, 3, 0)]);
    }
    for id in [1, 2, 4, 7, 8, 11, 13, 14] {
        netlist.packet_flow(id, &[dma(0, 2, 0)], &[dma(0, 1, 0)]);
    }
    assert_eq!(error(&mut netlist).0, "route::rule-slots");
}

#[test]
fn the_order_of_the_text_plays_no_role() {
    let flows = [(0, 2, 5), (1, 2, 4), (2, 3, 3), (3, 5, 2)];
    let build = |reverse: bool| {
        let mut netlist = Netlist::new("npu1");
        for tile in netlist.model.tiles().collect::<Vec<_>>() {
            netlist.tile(tile);
        }
        let mut list = flows.to_vec();
        if reverse {
            list.reverse();
        }
        for (col, from, to) in list {
            netlist.flow(dma(col, from, 0), dma(3 - col, to, 1));
            netlist.packet_flow(i64::from(col), &[dma(col, from, 1)], &[dma(3 - col, to, 0)]);
        }
        route_and_check(&mut netlist);
        let switches = netlist.switches();
        let ports = switches.tiles.iter().map(|(tile, switch)| {
            let connects: Vec<_> = switch.connections.iter().map(|c| (c.from, c.to)).collect();
            let masters: Vec<_> = switch
                .masters
                .iter()
                .map(|m| (m.port, m.amsels.clone()))
                .collect();
            (*tile, connects, masters)
        });
        ports.collect::<Vec<_>>()
    };
    assert_eq!(build(false), build(true));
}

#[test]
fn a_whole_array_routes_without_negotiating_long() {
    let mut netlist = problems::whole_array("npu2", 8);
    let tiles = netlist.count::<Tile>();
    route_and_check(&mut netlist);
    // Nothing but the used tiles is crossed.
    assert_eq!(netlist.count::<Tile>(), tiles);
}

#[test]
fn random_problems_are_routed_or_proved_impossible() {
    let generators = [problems::circuits, problems::broadcasts, problems::packets];
    for (device, nets) in [("npu1", 24), ("npu1", 32), ("npu2", 32), ("npu2", 48)] {
        for (generator, seed) in generators.iter().flat_map(|g| [(g, 1), (g, 2)]) {
            let mut netlist = generator(device, nets, seed);
            let mut diags = Diags::new();
            let requests = netlist.requests(&mut diags);
            if netlist.route(&mut diags).is_ok() {
                let findings = check(&requests, &netlist.switches());
                assert!(findings.is_empty(), "{findings:#?}");
            } else {
                let proof = diags.iter().any(|d| d.message.contains("free wires lead"));
                assert!(proof, "{device} {nets} {seed}: {diags:#?}");
            }
        }
    }
}

/// Resource that a packet occupies until its last word has passed: a switch input or an arbiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Occupied {
    Input(TileLoc, Port),
    Arbiter(TileLoc, u8),
}

/// Whether packets could wait for each other in a circle: each occupies what it has passed and
/// waits for what comes next, if another packet's way has it, too. Each flow has one source and
/// one destination. This is the definition, without what the router knows of waits.
fn wait_in_circles(requests: &[FlowRequest], switches: &Switches) -> bool {
    let mut ways: Vec<Vec<Occupied>> = Vec::new();
    for request in requests {
        let from = (request.sources[0].tile, request.sources[0].port);
        let mut way = Vec::new();
        for hop in follow(switches, from, request.kind).hops {
            let masters = &switches.tiles[&hop.tile].masters;
            way.push(Occupied::Input(hop.tile, hop.slave));
            // a circuit needs no arbiter
            let master = masters.iter().find(|m| m.port == hop.master);
            way.extend(master.map(|master| Occupied::Arbiter(hop.tile, master.amsels[0].0)));
        }
        ways.push(way);
    }
    let mut users: BTreeMap<Occupied, usize> = BTreeMap::new();
    for resource in ways.iter().flatten() {
        *users.entry(*resource).or_default() += 1;
    }
    let mut waits: BTreeMap<Occupied, BTreeSet<Occupied>> = BTreeMap::new();
    for way in &ways {
        for (at, resource) in way.iter().enumerate() {
            let next = way[at + 1..].iter().copied().filter(|r| users[r] > 1);
            waits.entry(*resource).or_default().extend(next);
        }
    }
    // Resources that wait for nothing are released; the remaining ones wait in a cycle.
    loop {
        let before = waits.len();
        let left: BTreeSet<Occupied> = waits.keys().copied().collect();
        waits.retain(|_, next| next.iter().any(|r| left.contains(r)));
        if waits.len() == before {
            return before > 0;
        }
    }
}

/// Packets with six arbiters, as many as mlir-aie's verifier accepts: each problem is routed
/// without circular waits, or the finding is a proof that there is no such routing.
#[test]
fn random_packets_are_routed_or_proved_impossible_with_six_arbiters() {
    /// Problems of each number of flows that are proved impossible, not routed.
    const PROVED: [(&str, usize, usize); 8] = [
        ("npu1", 8, 0),
        ("npu1", 16, 0),
        ("npu1", 24, 0),
        ("npu1", 32, 0),
        ("npu2", 8, 0),
        ("npu2", 16, 0),
        ("npu2", 24, 0),
        ("npu2", 32, 0),
    ];
    for (device, flows, proved) in PROVED {
        let mut impossible = 0;
        for seed in 1..=10 {
            let mut netlist = problems::packets(device, flows / 2, seed);
            let mut diags = Diags::new();
            let requests = netlist.requests(&mut diags);
            if netlist.route(&mut diags).is_ok() {
                let switches = netlist.switches();
                let findings = check(&requests, &switches);
                assert!(
                    findings.is_empty(),
                    "{device} {flows} {seed}: {findings:#?}"
                );
                assert!(
                    !wait_in_circles(&requests, &switches),
                    "{device} {flows} {seed}"
                );
                let amsels = netlist.module.find_all::<Amsel>(netlist.device);
                let arbiters = amsels.iter().map(|amsel| amsel.arbiterID(&netlist.module));
                assert!(arbiters.max() < Some(6), "{device} {flows} {seed}");
            } else {
                let proof = diags.iter().any(|d| d.message.contains("free wires lead"));
                assert!(proof, "{device} {flows} {seed}: {diags:#?}");
                impossible += 1;
            }
        }
        assert_eq!(impossible, proved, "{device}, {flows} flows");
    }
}

const DEVICES: [&str; 6] = [
    "npu1",
    "npu1_2col",
    "npu2",
    "xcve2302",
    "xcve3858",
    "xcvc1902",
];

/// A port of a random tile in a window of the device.
fn random_end(
    u: &mut Unstructured<'_>,
    model: &DeviceModel,
    side: PortSide,
) -> arbitrary::Result<Option<Place>> {
    let columns = model.columns().min(8);
    let tile = TileLoc::new(
        u.int_in_range(0..=columns - 1)?,
        u.int_in_range(0..=model.rows() - 1)?,
    );
    let bundle = *u.choose(&[Bundle::Dma, Bundle::Dma, Bundle::Core, Bundle::Trace])?;
    let channel = u.int_in_range(0..=5)?;
    let port = Port::new(bundle, channel);
    let known = aiec_passes::route::ends::switch_port(model, tile, port, side);
    Ok(known.map(|_| (tile, port)))
}

fn random_netlist(u: &mut Unstructured<'_>) -> arbitrary::Result<Netlist> {
    let mut netlist = Netlist::new(u.choose(&DEVICES)?);
    let model = netlist.model;
    for _ in 0..u.int_in_range(1..=40)? {
        let mut ends = |side, most| -> arbitrary::Result<Vec<Place>> {
            let mut list = Vec::new();
            for _ in 0..u.int_in_range(1..=most)? {
                list.extend(random_end(u, model, side)?);
            }
            list.dedup();
            Ok(list)
        };
        let sources = ends(PortSide::Slave, 2)?;
        let sinks = ends(PortSide::Master, 3)?;
        if sources.is_empty() || sinks.is_empty() {
            continue;
        }
        if u.ratio(1, 2)? {
            let id = u.int_in_range(0..=31)?;
            netlist.packet_flow(id, &sources, &sinks);
        } else {
            for sink in sinks {
                netlist.flow(sources[0], sink);
            }
        }
    }
    Ok(netlist)
}

#[test]
fn random_flows_are_routed_or_refused_with_reasons() {
    let mut routed = 0;
    let mut refused = std::collections::BTreeMap::new();
    arbtest::arbtest(|u| {
        let mut netlist = random_netlist(u)?;
        let mut diags = Diags::new();
        let requests = netlist.requests(&mut diags);
        match netlist.route(&mut diags) {
            Ok(()) => {
                let findings = check(&requests, &netlist.switches());
                assert!(findings.is_empty(), "{findings:#?}");
                routed += 1;
            }
            Err(_) => {
                let errors = diags.iter().filter(|d| d.severity == Severity::Error);
                let mut count = 0;
                for diag in errors {
                    assert_ne!(diag.code.id, "route::check", "{}", diag.message);
                    assert!(diag.help.is_some());
                    *refused.entry(diag.code.id).or_insert(0) += 1;
                    count += 1;
                }
                assert!(count > 0);
            }
        }
        Ok(())
    })
    .size_max(4096)
    .budget_ms(4000);
    eprintln!("routed {routed}, refused {refused:?}");
    assert!(routed > 0);
}
