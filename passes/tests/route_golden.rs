//! The golden designs: each lowered netlist is routed and compared with its flows; the reference's own
//! routing passes the same checker, and is left as it is when routed again.

use std::path::PathBuf;

use aiec_aie::ir::{Attr, Module, Op};
use aiec_aie::ops::{Device, OpKind, OpView};
use aiec_aie::text::{PrintOptions, parse_text, print};
use aiec_device::DeviceModel;
use aiec_diag::{Diags, FileId};
use aiec_passes::analysis::switches::Switches;
use aiec_passes::infra::manager::{self, PassStep};
use aiec_passes::route::check::check;
use aiec_passes::route::requests::{FlowKinds, FlowRequest, read};
use aiec_passes::route::{self};

/// (name, lowered text, the reference's routing) of every variant.
fn vectors() -> Vec<(String, String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../test/vectors/lowering");
    let mut list = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        if let Some(name) = file.strip_suffix(".lowered.mlir") {
            let text = |file: String| std::fs::read_to_string(folder.join(file)).unwrap();
            let routed = text(format!("{name}.routed.mlir"));
            list.push((name.to_string(), text(file.clone()), routed));
        }
    }
    list.sort();
    assert!(list.len() >= 70, "only {} vectors", list.len());
    list
}

/// Designs that the reference doesn't route as asked: in 20 all is written by hand and a control
/// flow stays unrouted; in 21 a stream goes into the TileControl port of a mem tile and out of it
/// again, which takes the two sides of a port for one.
fn is_odd(name: &str) -> bool {
    name.starts_with("20_") || name.starts_with("21_")
}

fn parse(name: &str, text: &str) -> (Module, Op) {
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), text, &mut diags);
    assert!(!diags.has_errors(), "{name}: {:#?}", diags.into_vec());
    let device = module.find(module.top(), OpKind::Device)[0];
    (module, device)
}

fn requests(module: &Module, device: Op) -> Vec<FlowRequest> {
    let model = Device::cast(module, device).unwrap().model(module).unwrap();
    let kinds = FlowKinds {
        circuit: true,
        packet: true,
    };
    let mut diags = Diags::new();
    let list = read(module, device, model, kinds, &mut diags);
    assert!(!diags.has_errors(), "{:#?}", diags.into_vec());
    list
}

fn run(name: &str, module: &mut Module) {
    let mut diags = Diags::new();
    let steps = [PassStep::new(&route::PASS)];
    let result = manager::run(module, &steps, &mut diags, &mut |_, _, _| {});
    assert!(result.is_ok(), "{name}: {:#?}", diags.into_vec());
}

/// Routes, and holds the result to the flows that were there before.
fn route_and_check(name: &str, module: &mut Module, device: Op) {
    let flows = requests(module, device);
    run(name, module);
    let switches = Switches::read(module, device).unwrap();
    let findings = check(&flows, &switches);
    assert!(findings.is_empty(), "{name}: {findings:#?}");
    assert!(requests(module, device).is_empty());
    // Printed text must read back as the same text.
    let text = print(module, PrintOptions::default());
    let (again, _) = parse(name, &text);
    assert_eq!(print(&again, PrintOptions::default()), text, "{name}");
}

#[test]
fn golden_flows_are_connected() {
    for (name, lowered, _) in vectors() {
        let (mut module, device) = parse(&name, &lowered);
        route_and_check(&name, &mut module, device);
    }
}

#[test]
fn golden_flows_are_connected_on_the_device_with_cert() {
    let model = DeviceModel::by_name("xcve3858").unwrap();
    let mut routed = 0;
    for (name, lowered, _) in vectors() {
        // Its second mem tile row is where others have cores; hand-written settings and core
        // ports of the lower row don't carry over.
        let (mut module, device) = parse(&name, &lowered);
        module.set_attr(device, "device", Attr::i32(model.value().into()));
        let mut diags = Diags::new();
        let kinds = FlowKinds {
            circuit: true,
            packet: true,
        };
        read(&module, device, model, kinds, &mut diags);
        let by_hand = Switches::read(&module, device).unwrap();
        if diags.has_errors() || !by_hand.tiles.is_empty() {
            continue;
        }
        route_and_check(&name, &mut module, device);
        routed += 1;
    }
    assert!(routed > 60, "only {routed}");
}

#[test]
fn the_references_routing_passes_the_checker_and_is_kept() {
    for (name, lowered, routed) in vectors() {
        let (before, device) = parse(&name, &lowered);
        let flows = requests(&before, device);
        let (mut module, device) = parse(&name, &routed);
        let theirs = Switches::read(&module, device).unwrap();
        if !is_odd(&name) {
            let findings = check(&flows, &theirs);
            assert!(findings.is_empty(), "{name}: {findings:#?}");
        }
        let connections = |s: &Switches| {
            let count =
                |t: &aiec_passes::analysis::switches::Switch| t.connections.len() + t.masters.len();
            s.tiles.values().map(count).sum::<usize>()
        };
        run(&name, &mut module);
        let ours = Switches::read(&module, device).unwrap();
        let control = usize::from(name.starts_with("20_"));
        assert_eq!(connections(&ours), connections(&theirs) + control, "{name}");
    }
}

#[test]
fn never_more_connections_than_the_reference() {
    let (mut ours, mut theirs) = (0, 0);
    for (name, lowered, routed) in vectors() {
        let count = |module: &Module, device: Op| {
            let switches = Switches::read(module, device).unwrap();
            let of =
                |t: &aiec_passes::analysis::switches::Switch| t.connections.len() + t.masters.len();
            switches.tiles.values().map(of).sum::<usize>()
        };
        let (mut module, device) = parse(&name, &lowered);
        run(&name, &mut module);
        let (reference, at) = parse(&name, &routed);
        let (a, b) = (count(&module, device), count(&reference, at));
        if !is_odd(&name) {
            assert!(a <= b, "{name}: {a} against {b}");
            ours += a;
            theirs += b;
        }
    }
    assert!(ours <= theirs, "{ours} against {theirs}");
}
