//! The router on its benchmark: every routing goes through a verifier that shares nothing with it,
//! nothing gets worse than the table of best known results, and every problem is settled.

use std::fs;
use std::path::Path;

use aiec_aie::ir::{Attr, Module};
use aiec_aie::ops::OpKind;
use aiec_aie::text::{PrintOptions, parse_text, print};
use aiec_device::DeviceModel;
use aiec_diag::{Diags, FileId};
use aiec_passes::infra::manager::{self, PassStep};
use aiec_passes::pipelines::all_passes;
use aiec_passes::route;
use aiec_test::examples::Example;
use aiec_test::routing_bench::best::{self, Known};
use aiec_test::routing_bench::families::{FAMILIES, Family};
use aiec_test::routing_bench::netlist::netlist;
use aiec_test::routing_bench::run::{Outcome, run, run_text};
use aiec_test::routing_bench::{Problem, by_hand, json};
use aiec_test::routing_check::{verify, verify_within};
use aiec_test::seeds::Random;

/// Tolerated use of resources beyond the best known routing, in percent.
const SLACK: usize = 3;
/// Number of shuffles of a problem's flows.
const SHUFFLES: usize = 5;

/// Holds an outcome to the verifier and to the table.
fn hold(problem: &Problem, outcome: &Outcome, known: Option<&Known>) -> Vec<String> {
    let name = &problem.name;
    let mut findings = Vec::new();
    if let Some(routed) = &outcome.routed {
        let wrong = verify(&netlist(problem), routed).into_iter();
        findings.extend(wrong.map(|finding| format!("{name}: {finding}")));
    }
    match known {
        Some(Known::Connections(best)) => {
            let most = best + best * SLACK / 100;
            if outcome.routed.is_none() {
                findings.push(format!("{name} is not routed: {:#?}", outcome.diags));
            } else if outcome.connections > most {
                let count = outcome.connections;
                findings.push(format!(
                    "{name} takes {count} connections, known are {best}"
                ));
            }
        }
        Some(Known::Impossible) => {
            if !outcome.proved() {
                findings.push(format!("{name} is impossible, which isn't said"));
            }
        }
        None => findings.push(format!("{name} is not in the table")),
    }
    findings
}

/// A problem that only the complete search settles.
const HARD: &str = "npu1/broadcast-24/10";

#[test]
fn the_benchmark_is_routed_as_well_as_is_known() {
    let table = best::read().expect("the table");
    let mut findings = Vec::new();
    let mut hard = 0;
    for problem in FAMILIES.iter().flat_map(|family| {
        family
            .problems()
            .enumerate()
            .filter(|(at, problem)| (*at as u64) < family.tested || problem.name == HARD)
            .map(|(_, problem)| problem)
    }) {
        hard += usize::from(problem.name == HARD);
        findings.extend(hold(&problem, &run(&problem), table.get(&problem.name)));
    }
    assert!(findings.is_empty() && hard == 1, "{}", findings.join("\n"));
}

#[test]
fn every_problem_of_the_table_is_settled() {
    let table = best::read().expect("the table");
    let families = FAMILIES.iter().flat_map(Family::problems);
    let problems = families.chain(by_hand().expect("the problems by hand"));
    let open: Vec<String> = problems
        .map(|problem| problem.name)
        .filter(|name| !table.contains_key(name))
        .collect();
    assert!(open.is_empty(), "{}", open.join("\n"));
}

#[test]
fn problems_by_hand_are_routed_or_proved_impossible() {
    let table = best::read().expect("the table");
    let problems = by_hand().expect("the problems by hand");
    let findings: Vec<String> = problems
        .iter()
        .flat_map(|problem| hold(problem, &run(problem), table.get(&problem.name)))
        .collect();
    assert!(!problems.is_empty() && findings.is_empty(), "{findings:#?}");
}

/// The order of the flows may change the routing, but not whether there is one; and the same text
/// gives the same bytes. `routing-bench --shuffle 5` does it for all families.
#[test]
fn shuffled_flows_are_routed_too() {
    let mut findings = Vec::new();
    for family in FAMILIES.iter().filter(|f| f.device == "npu1") {
        let mut problem = family.problem(1).expect("a known device");
        let before = run(&problem);
        assert_eq!(run(&problem).routed, before.routed, "{}", problem.name);
        let mut random = Random::new(family.size as u64);
        for _ in 0..SHUFFLES {
            random.shuffle(&mut problem.flows);
            let outcome = run(&problem);
            if (outcome.routed.is_some(), outcome.proved())
                != (before.routed.is_some(), before.proved())
            {
                findings.push(format!("{} depends on the order", problem.name));
            }
            if let Some(routed) = &outcome.routed {
                findings.extend(verify(&netlist(&problem), routed));
            }
        }
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn problems_are_read_as_they_are_written() {
    for family in FAMILIES {
        let problem = family.problem(1).expect("a known device");
        assert_eq!(json::read(&json::write(&problem)), Ok(problem));
    }
}

/// Runs the passes before the router and returns the text that it gets, then its output.
fn before_and_after(mut module: Module, routing: PassStep) -> Result<(String, String), String> {
    let mut diags = Diags::new();
    let steps: Vec<PassStep> = all_passes()
        .take_while(|pass| pass.name != route::PASS.name)
        .map(PassStep::new)
        .collect();
    let mut run = |module: &mut Module, steps: &[PassStep]| {
        let result = manager::run(module, steps, &mut diags, &mut |_, _, _| {});
        result.map_err(|_| format!("{:#?}", std::mem::take(&mut diags).into_vec()))
    };
    run(&mut module, &steps)?;
    let before = print(&module, PrintOptions::default());
    run(&mut module, &[routing])?;
    Ok((before, print(&module, PrintOptions::default())))
}

/// Every example and every design of the simulator's tests, on each of its devices. They are
/// simulated with data by the test `examples`, through the same routing.
#[test]
fn examples_are_routed_correctly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut count = 0;
    for folder in ["examples", "test/end_to_end"] {
        for example in Example::all(&root.join(folder)).expect("the designs") {
            let path = example.folder.join("design.mlir");
            let text = fs::read_to_string(&path).expect("a design");
            for device in &example.devices {
                let Some(model) = DeviceModel::by_name(device) else {
                    continue;
                };
                let mut diags = Diags::new();
                let mut module = parse_text(FileId(0), &text, &mut diags);
                for op in module.find(module.top(), OpKind::Device) {
                    module.set_attr(op, "device", Attr::i32(model.value().into()));
                }
                let (before, after) = before_and_after(module, PassStep::new(&route::PASS))
                    .unwrap_or_else(|what| panic!("{}: {what}", path.display()));
                let wrong = verify(&before, &after);
                assert!(
                    wrong.is_empty(),
                    "{} on {device}: {wrong:#?}",
                    path.display()
                );
                count += 1;
            }
        }
    }
    assert!(count > 10, "only {count} designs");
}

/// The verifier finds what is broken: each change of a good routing is noticed.
#[test]
fn the_verifier_notices_what_is_changed() {
    let flows = "aie.device(npu1) {
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 3)
  aie.flow(%a, DMA : 0, %b, DMA : 1)
  aie.packet_flow(3) {
    aie.packet_source<%b, DMA : 0>
    aie.packet_dest<%a, DMA : 0>
  } {keep_pkt_header = true}
}
";
    let routed = run_text(flows).routed.expect("a routing");
    assert_eq!(verify(flows, &routed), Vec::<String>::new());
    let changes = [
        ("DMA : 1>", "DMA : 0>"),
        ("aie.rule(31, 3,", "aie.rule(31, 2,"),
        ("<DMA : 0, ", "<DMA : 1, "),
        ("{keep_pkt_header = true}", ""),
        ("aie.amsel<0>", "aie.amsel<9>"),
    ];
    for (from, to) in changes {
        assert!(routed.contains(from), "{from} in\n{routed}");
        let changed = routed.replacen(from, to, 1);
        assert!(!verify(flows, &changed).is_empty(), "{from} to {to}");
    }
}

/// A routing whose packets can wait for each other in a cycle, and the same with arbiters apart.
#[test]
fn the_verifier_notices_circular_waits() {
    let flows = "aie.device(npu1) {
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 2)
  %c = aie.tile(2, 2)
  aie.packet_flow(1) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%c, DMA : 0>
  }
  aie.packet_flow(2) {
    aie.packet_source<%c, DMA : 0>
    aie.packet_dest<%a, DMA : 0>
  }
}
";
    let routed = run_text(flows).routed.expect("a routing");
    assert_eq!(verify(flows, &routed), Vec::<String>::new());
    // All on arbiter 0, by msels.
    let mut cyclic = routed.clone();
    for arbiter in 1..8 {
        cyclic = cyclic.replace(
            &format!("aie.amsel<{arbiter}> (0)"),
            &format!("aie.amsel<0> ({arbiter})"),
        );
    }
    assert_ne!(cyclic, routed, "{routed}");
    let findings = verify(flows, &cyclic);
    assert!(
        findings.iter().any(|finding| finding.contains("cycle")),
        "{findings:#?}\n{cyclic}"
    );
}

/// A routing whose packets stop forever because memory waits for some of them, and the one of ours
/// for the same flows.
#[test]
fn waits_through_memory_are_noticed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deadlock/packets_split_and_joined.mlir");
    let text = fs::read_to_string(path).expect("the design");
    let module = parse_text(FileId(0), &text, &mut Diags::new());
    let step = PassStep::new(&route::PASS).with("arbiters", "8");
    let (before, after) = before_and_after(module, step).expect("a routing");
    assert_eq!(verify_within(&before, &after, 8), Vec::<String>::new());
    // A stream into the mem tile shares an arbiter with one that goes on from there.
    let (inward, own) = ("aie.masterset(DMA : 0, %0)", "aie.amsel<0> (0)");
    let (outward, shared) = ("aie.amsel<5> (0)", "aie.amsel<0> (1)");
    let mem = after.find("aie.switchbox(%mem").expect("the switch");
    let (head, tail) = after.split_at(mem);
    assert!(
        [inward, own, outward]
            .iter()
            .all(|text| tail.contains(text)),
        "{tail}"
    );
    let wrong = format!("{head}{}", tail.replacen(outward, shared, 1));
    let findings = verify_within(&before, &wrong, 8);
    assert!(
        findings
            .iter()
            .any(|finding| finding.contains("memory waits")),
        "{findings:#?}"
    );
}
